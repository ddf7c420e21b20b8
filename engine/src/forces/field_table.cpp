// Bodies as force fields read them.
#include "forces/field_table.h"

#include <limits>

#include "bodies/host_call.h"

namespace substep::detail {

const FieldRecord& require_field(const FieldTable& fields, ForceFieldId id) {
    const FieldRecord* const field = fields.find(id);
    if (field == nullptr) {
        refuse_stale(fields, "force field", id);
    }
    return *field;
}

double potential_of(const FieldPotential& potential, double t, std::span<const BodyMotion> motions) noexcept {
    return call_host([&] { return potential.potential(t, motions); },
                     [] { return std::numeric_limits<double>::quiet_NaN(); });
}

BodyMotion motion_of(const BodyTable& bodies, BodyId id, double t) noexcept {
    BodyMotion motion;
    motion.id = id;
    if (const BodyRecord* const body = bodies.find(id)) {
        const Twist velocity = velocity_of(*body, t);
        motion.mass = body->inertia.mass;
        motion.position = position_of(*body, t);
        motion.orientation = normalised(orientation_of(*body, t) * glm::conjugate(body->principal_to_body));
        motion.velocity = velocity.linear;
        motion.angular_velocity = velocity.angular;
        motion.moments = body->inertia.moments;
        motion.principal_axes = body->principal_to_body;
        motion.centre_of_mass = body->mass_properties.centre_of_mass;
    }
    return motion;
}

} // namespace substep::detail
