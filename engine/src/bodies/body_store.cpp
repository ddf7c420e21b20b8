// Making bodies, and converting between the user's frame and the solver's.
#include "bodies/body_store.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "bodies/validation.h"
#include "linear/principal_axes.h"
#include "substep/engine/automatic.h"

namespace substep::detail {
namespace {

// Checks mass properties, also computed ones: allowed sizes can have products out of range.
void require_mass_properties(const MassProperties& properties) {
    require_positive("The mass", properties.mass, "kg");
    require_positive("The inverse of the mass", 1.0 / properties.mass, "1/kg");
    require_finite("The centre of mass", properties.centre_of_mass);
    require_inertia("The inertia", properties.inertia);
}

// Mass, centre of mass and inertia by the one way that a description states.
MassProperties mass_properties_of(const BodyDesc& desc, const ColliderList& colliders) {
    const int stated = (desc.mass ? 1 : 0) + (desc.density ? 1 : 0) + (desc.mass_properties ? 1 : 0);
    if (stated > 1) {
        throw std::invalid_argument(
            "The body was given more than one of a mass, a density and mass properties; it must "
            "be one of them.");
    }
    if (stated == 0 && desc.motion == MotionType::Dynamic) {
        throw std::invalid_argument("The dynamic body was given no mass; it must have a mass, a density or mass "
                                    "properties.");
    }
    if (desc.mass_properties) {
        return *desc.mass_properties;
    }
    if (stated == 0 && !colliders.have_mass()) {
        return {};
    }
    double mass = desc.mass.value_or(1.0);
    if (desc.density) {
        require_positive("The density", *desc.density, "kg/m^3");
        mass = *desc.density * volume_of(colliders);
    }
    MassProperties properties = mass_properties_of(colliders, mass);
    if (stated == 0) {
        properties.centre_of_mass = glm::dvec3(0.0); // a door turns about its hinge, wherever its leaf is
    }
    return properties;
}

// The short form first.
ColliderList colliders_of(const BodyDesc& desc) {
    ColliderList colliders;
    if (desc.shape) {
        ColliderDesc collider;
        collider.shape = *desc.shape;
        collider.material = desc.material;
        collider.filter = desc.filter;
        collider.is_enabled = desc.collides;
        colliders.add(checked_collider(collider, desc.motion));
    }
    for (const ColliderDesc& collider : desc.colliders) {
        colliders.add(checked_collider(collider, desc.motion));
    }
    return colliders;
}

// Allowed velocities can have momenta out of range, and allowed poses a centre of mass out of range.
void require_state(const BodyState& state) {
    require_finite("The position of the centre of mass", state.x);
    require_finite("The angular momentum", state.L);
}

// Checks the motion of a path at the time of creation.
void require_path(const BodyPath& path, double t) {
    const BodyPath::Point at = path.at(t);
    require_finite("The path's position", at.pose.position);
    require_orientation("The path's orientation", at.pose.orientation);
    require_finite("The path's velocity", at.linear_velocity);
    require_finite("The path's angular velocity", at.angular_velocity);
    require_finite("The path's acceleration", at.linear_acceleration);
    require_finite("The path's angular acceleration", at.angular_acceleration);
}

} // namespace

const BodyRecord& require_body(const BodyTable& bodies, BodyId id) {
    const BodyRecord* const body = bodies.find(id);
    if (body == nullptr) {
        refuse_stale(bodies, "body", id);
    }
    return *body;
}

BodyRecord& require_body(BodyTable& bodies, BodyId id) {
    return const_cast<BodyRecord&>(require_body(std::as_const(bodies), id));
}

void outlive_colliders(BodyTable& bodies, const BodyTable& newer) noexcept {
    for (const BodyId id : bodies.ids()) {
        if (const BodyRecord* const body = newer.find(id)) {
            bodies[id].colliders.outlive(body->colliders);
        }
    }
}

BodyRecord make_body(const BodyDesc& desc, double t) {
    BodyRecord body;
    body.name = desc.name;
    body.user_data = desc.user_data;
    body.motion = desc.motion;
    if (desc.motion > MotionType::Static || desc.motion < MotionType::Dynamic) {
        throw std::invalid_argument("The motion of a body is number " + std::to_string(static_cast<int>(desc.motion)) +
                                    "; it must be Dynamic, Kinematic or Static.");
    }
    require_material(desc.material); // whether it has a shape or not
    body.colliders = colliders_of(desc);
    body.mass_properties = mass_properties_of(desc, body.colliders);
    require_mass_properties(body.mass_properties);
    if (desc.integrator) {
        validate_world_integrator(*desc.integrator);
        body.integrator = std::make_shared<const IntegratorSettings>(*desc.integrator);
    }
    require_finite("The position", desc.pose.position);
    require_velocity("The linear velocity", desc.linear_velocity);
    require_velocity("The angular velocity", desc.angular_velocity);
    const Pose pose{desc.pose.position, require_orientation("The orientation", desc.pose.orientation)};
    if (desc.motion == MotionType::Static &&
        (desc.linear_velocity != glm::dvec3(0.0) || desc.angular_velocity != glm::dvec3(0.0))) {
        throw std::invalid_argument("A static body was given a velocity; it must be zero, or the body kinematic.");
    }
    require_finite("The gravity factor", desc.gravity_factor);
    body.gravity_factor = desc.gravity_factor;

    if (desc.path != nullptr && desc.motion != MotionType::Kinematic) {
        throw std::invalid_argument("A body that is not kinematic was given a path; it must be kinematic.");
    }

    const PrincipalAxes axes = principal_axes(body.mass_properties.inertia);
    body.inertia = desc.locks_rotation ? BodyInertia::without_rotation(body.mass_properties.mass)
                                       : BodyInertia(body.mass_properties.mass, axes.moments);
    body.principal_to_body = axes.to_body;

    const glm::dvec3 x = centre_of_mass_at(body, pose);
    const glm::dquat q = principal_orientation_at(body, pose);
    if (body.is_dynamic() || desc.locks_rotation) {
        require_free_rotation(body.inertia, q, desc.angular_velocity);
    }
    if (body.is_dynamic()) {
        body.now = {x, q, desc.linear_velocity, angular_momentum(q, body.inertia.moments, desc.angular_velocity)};
        require_state(body.now);
        body.step_begin = body.step_end = {x, q, glm::dvec3(0.0), glm::dvec3(0.0)}; // it was not there before
    } else {
        PrescribedMotion motion{x, q, {desc.linear_velocity, desc.angular_velocity}, t};
        if (desc.path != nullptr) {
            require_path(*desc.path, t);
            body.path = desc.path;
            motion.path = desc.path.get();
            motion.centre = body.mass_properties.centre_of_mass;
            motion.principal_to_body = body.principal_to_body;
        }
        body.motions.set_both(motion);
    }
    return body;
}

void change_mass(BodyRecord& changed, const MassProperties& properties, double t) {
    require_mass_properties(properties);
    const BodyRecord before = changed;
    BodyRecord body = changed;
    const PrincipalAxes axes = principal_axes(properties.inertia);
    body.mass_properties = properties;
    body.inertia = before.inertia.turns() ? BodyInertia(properties.mass, axes.moments)
                                          : BodyInertia::without_rotation(properties.mass);
    body.principal_to_body = axes.to_body;

    // The same motion, described by another point and other axes.
    const auto place = [&](const glm::dvec3& x, const glm::dquat& q) { return pose_at(before, x, q); };
    if (!body.is_dynamic()) {
        const auto seen_from_there = [&](PrescribedMotion motion) {
            const Pose pose = place(motion.position(t), motion.orientation(t));
            const glm::dvec3 x = centre_of_mass_at(body, pose);
            const glm::dvec3 shift = x - motion.position(t);
            motion.velocity.linear += glm::cross(motion.velocity.angular, shift);
            motion.x0 = x;
            motion.q0 = principal_orientation_at(body, pose);
            motion.t0 = t;
            motion.centre = properties.centre_of_mass;
            motion.principal_to_body = axes.to_body;
            require_finite("The position of the centre of mass", x);
            require_velocity("The velocity of the centre of mass", motion.velocity.linear);
            return motion;
        };
        body.motions.set_both(seen_from_there(body.prescribed()), seen_from_there(body.step_motion()));
        changed = std::move(body);
        return;
    }
    for (BodyState* state : {&body.now, &body.step_begin, &body.step_end}) {
        const Pose pose = place(state->x, normalised(state->q));
        const glm::dvec3 omega = angular_velocity(normalised(state->q), before.inertia.inverse_moments, state->L);
        const glm::dvec3 x = centre_of_mass_at(body, pose);
        const glm::dquat q = principal_orientation_at(body, pose);
        *state = {x, q, state->v + glm::cross(omega, x - state->x), angular_momentum(q, body.inertia.moments, omega)};
        require_state(*state);
        require_velocity("The velocity of the centre of mass", state->v);
    }
    changed = std::move(body);
}

Pose pose_at(const BodyRecord& body, const glm::dvec3& x, const glm::dquat& q) noexcept {
    const glm::dquat orientation = normalised(q * glm::conjugate(body.principal_to_body));
    return {x - orientation * body.mass_properties.centre_of_mass, orientation};
}

glm::dvec3 centre_of_mass_at(const BodyRecord& body, const Pose& pose) noexcept {
    return pose.position + pose.orientation * body.mass_properties.centre_of_mass;
}

glm::dquat principal_orientation_at(const BodyRecord& body, const Pose& pose) noexcept {
    return normalised(pose.orientation * body.principal_to_body);
}

Pose in_principal_axes(const BodyRecord& body, const ColliderDesc& collider) noexcept {
    const glm::dquat to_principal = glm::conjugate(body.principal_to_body);
    return placed({to_principal * -body.mass_properties.centre_of_mass, to_principal}, collider);
}

Feature feature_of(const BodyRecord& body, const ColliderDesc& collider, std::uint32_t number) noexcept {
    const Pose place = in_principal_axes(body, collider);
    return feature_of(collider.shape, number, place.position, place.orientation);
}

glm::dvec3 position_of(const BodyRecord& body, double t) noexcept {
    return body.is_dynamic() ? body.now.x : body.prescribed().position(t);
}

glm::dquat orientation_of(const BodyRecord& body, double t) noexcept {
    return body.is_dynamic() ? normalised(body.now.q) : body.prescribed().orientation(t);
}

Twist velocity_of(const BodyRecord& body, double t) noexcept {
    if (!body.is_dynamic()) {
        return body.prescribed().velocity_at(t);
    }
    return {body.now.v, angular_velocity(normalised(body.now.q), body.inertia.inverse_moments, body.now.L)};
}

} // namespace substep::detail
