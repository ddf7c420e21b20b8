// Energy of a world: kinetic, in gravity, and in the force fields that have a potential.
#include "substep/engine/energy.h"

#include "world_impl.h"

namespace substep {

Energy World::energy() const {
    const detail::Model& model = impl_->model;
    Energy energy;
    for (const BodyId id : model.bodies.ids()) {
        const detail::BodyRecord& body = model.bodies[id];
        if (!body.is_dynamic()) {
            continue;
        }
        // T = m v^2 / 2 + omega . L / 2.
        const detail::Twist velocity = detail::velocity_of(body);
        energy.kinetic += 0.5 * body.inertia.mass * glm::dot(velocity.linear, velocity.linear);
        energy.kinetic += 0.5 * glm::dot(velocity.angular, body.now.L);

        energy.potential -= body.inertia.mass * glm::dot(model.settings.gravity, body.now.x);
        const RigidState state{body.now.x, detail::orientation_of(body, time()), velocity.linear, velocity.angular};
        const BodyMotion motion = detail::motion_of(id, body, state);
        for (const ForceFieldId field : model.fields.ids()) {
            energy.potential += model.fields[field]->potential(time(), motion);
        }
    }
    return energy;
}

} // namespace substep
