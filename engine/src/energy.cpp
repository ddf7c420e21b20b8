// Energy of a world: kinetic, in gravity, and in the force fields that have a potential.
#include "substep/engine/energy.h"

#include <vector>

#include "world_impl.h"

namespace substep {

BodyMotion detail::motion_of(const Model& model, BodyId id, double t) noexcept {
    BodyMotion motion;
    motion.id = id;
    if (const BodyRecord* const body = model.bodies.find(id)) {
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

namespace {

// Of one field: on each body by itself, or of all that it ties.
double potential_of(const detail::Model& model, const ForceField& field, double t) {
    double sum = 0.0;
    if (field.bodies().empty()) {
        for (const BodyId id : model.bodies.ids()) {
            if (model.bodies[id].is_dynamic() && field.acts_on(id)) {
                const BodyMotion motion = detail::motion_of(model, id, t);
                sum += field.potential(t, std::span(&motion, 1));
            }
        }
        return sum;
    }
    std::vector<BodyMotion> motions;
    for (const BodyId id : field.bodies()) {
        motions.push_back(detail::motion_of(model, id, t));
    }
    return field.potential(t, motions);
}

} // namespace

Energy World::energy() const {
    const detail::Model& model = impl_->model;
    Energy energy;
    for (const BodyId id : model.bodies.ids()) {
        const detail::BodyRecord& body = model.bodies[id];
        if (!body.is_dynamic()) {
            continue;
        }
        // T = m v^2 / 2 + omega . L / 2.
        const detail::Twist velocity = detail::velocity_of(body, time());
        energy.kinetic += 0.5 * body.inertia.mass * glm::dot(velocity.linear, velocity.linear);
        energy.kinetic += 0.5 * glm::dot(velocity.angular, body.now.L);
        energy.potential -= body.inertia.mass * glm::dot(model.settings.gravity, body.now.x);
    }
    for (const ForceFieldId id : model.fields.ids()) {
        const ForceField& field = *model.fields[id];
        if (field.has_potential()) {
            energy.potential += potential_of(model, field, time());
        }
    }
    return energy;
}

} // namespace substep
