// The view of one body: what it reads, and the edits it makes at the step boundary.
#include "substep/engine/body.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "bodies/validation.h"
#include "substep/collision/shape_pairs.h"
#include "substep/engine/automatic.h"
#include "world/world_impl.h"

namespace substep {

using detail::BodyRecord;

namespace {

// Returns the record for an edit that only a dynamic body can answer to.
BodyRecord& require_dynamic(detail::Model& model, BodyId id, const char* what) {
    BodyRecord& body = detail::require_body(model.bodies, id);
    if (!body.is_dynamic()) {
        throw std::invalid_argument(std::string(what) + " was given to a body that is " +
                                    (body.motion == MotionType::Static ? "static" : "kinematic") +
                                    "; the body must be dynamic.");
    }
    return body;
}

BodyRecord& require_movable(detail::Model& model, BodyId id, const char* what) {
    BodyRecord& body = detail::require_body(model.bodies, id);
    if (body.motion == MotionType::Static) {
        throw std::invalid_argument(std::string(what) +
                                    " was given to a static body; it must be dynamic or kinematic.");
    }
    return body;
}

// Throws for a body that follows a path: a path is for good.
void require_no_path(const BodyRecord& body, const char* what) {
    if (body.path != nullptr) {
        throw std::invalid_argument(std::string(what) + " was given to a body that follows a path; it must have none.");
    }
}

const ColliderDesc& require_collider(const BodyRecord& body, BodyId id, ColliderId collider) {
    const ColliderDesc* const found = collider.body == id ? body.colliders.find(collider.number) : nullptr;
    if (found == nullptr) {
        throw std::invalid_argument("The collider handle with number " + std::to_string(collider.number) +
                                    " names no collider of the body; it has " + std::to_string(body.colliders.size()) +
                                    ".");
    }
    return *found;
}

// Forgets what a collider touched. Islands point to its hull until then.
template <class Impl>
void forget_pairs(Impl& impl, const ColliderId& id) {
    impl.model.contacts.forget(id);
    impl.model.triggers.forget(id);
    impl.islands.forget_contacts_of(id.body);
}

// The solids of a body, or its axes, are others now.
template <class Impl>
void test_pile_anew(Impl& impl, BodyId id) {
    impl.model.contacts.test_anew([&](const detail::ColliderPair& pair) { return pair.a == id || pair.b == id; });
}

// The first collider of a body, or what one is by default.
const ColliderDesc& first_collider(const BodyRecord& body) noexcept {
    static const ColliderDesc kDefault{};
    return body.colliders.empty() ? kDefault : body.colliders.front().desc;
}

// Begins the prescribed motion anew where the body is at time t.
void restart_motion(BodyRecord& body, double t, const detail::Twist& velocity) noexcept {
    body.motions.set({body.prescribed().position(t), body.prescribed().orientation(t), velocity, t});
}

} // namespace

const std::string& Body::name() const { return detail::require_body(live(world_->impl_).model.bodies, id_).name; }

std::uint64_t Body::user_data() const { return detail::require_body(live(world_->impl_).model.bodies, id_).user_data; }

void Body::set_name(std::string name) {
    detail::require_body(editable(world_->impl_).model.bodies, id_).name = std::move(name);
    editable(world_->impl_).structure.reset();
}

void Body::set_user_data(std::uint64_t data) {
    detail::require_body(editable(world_->impl_).model.bodies, id_).user_data = data;
    editable(world_->impl_).structure.reset();
}

MotionType Body::motion() const { return detail::require_body(live(world_->impl_).model.bodies, id_).motion; }

std::vector<ColliderId> Body::colliders() const {
    std::vector<ColliderId> ids;
    for (const detail::ColliderRecord& collider :
         detail::require_body(live(world_->impl_).model.bodies, id_).colliders.all()) {
        ids.push_back({id_, collider.number});
    }
    return ids;
}

const ColliderDesc& Body::collider(ColliderId id) const {
    return require_collider(detail::require_body(live(world_->impl_).model.bodies, id_), id_, id);
}

std::optional<Shape> Body::shape() const {
    const BodyRecord& body = detail::require_body(live(world_->impl_).model.bodies, id_);
    return body.colliders.empty() ? std::nullopt : std::optional(body.colliders.front().desc.shape);
}

const MassProperties& Body::mass_properties() const {
    return detail::require_body(live(world_->impl_).model.bodies, id_).mass_properties;
}

const Material& Body::material() const {
    return first_collider(detail::require_body(live(world_->impl_).model.bodies, id_)).material;
}

const CollisionFilter& Body::filter() const {
    return first_collider(detail::require_body(live(world_->impl_).model.bodies, id_)).filter;
}

double Body::gravity_factor() const {
    return detail::require_body(live(world_->impl_).model.bodies, id_).gravity_factor;
}

bool Body::collides() const {
    return detail::require_body(live(world_->impl_).model.bodies, id_).colliders.touch_others();
}

Pose Body::pose() const { return world_->pose(id_); }

glm::dvec3 Body::centre_of_mass() const {
    return detail::position_of(detail::require_body(live(world_->impl_).model.bodies, id_), world_->time());
}

glm::dvec3 Body::linear_velocity() const {
    return detail::velocity_of(detail::require_body(live(world_->impl_).model.bodies, id_), world_->time()).linear;
}

glm::dvec3 Body::angular_velocity() const {
    return detail::velocity_of(detail::require_body(live(world_->impl_).model.bodies, id_), world_->time()).angular;
}

glm::dvec3 Body::angular_momentum() const {
    const BodyRecord& body = detail::require_body(live(world_->impl_).model.bodies, id_);
    if (body.is_dynamic()) {
        return body.now.L;
    }
    const glm::dquat q = detail::orientation_of(body, world_->time());
    return detail::angular_momentum(q, body.inertia.moments, body.prescribed().velocity_at(world_->time()).angular);
}

glm::dvec3 Body::velocity_at(const glm::dvec3& point) const {
    const detail::Twist velocity =
        detail::velocity_of(detail::require_body(live(world_->impl_).model.bodies, id_), world_->time());
    return velocity.linear + glm::cross(velocity.angular, point - centre_of_mass());
}

void Body::set_pose(const Pose& pose) {
    BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    require_no_path(body, "A pose");
    detail::require_finite("The position", pose.position);
    const Pose place{pose.position, detail::require_orientation("The orientation", pose.orientation)};
    const glm::dvec3 x = detail::centre_of_mass_at(body, place);
    const glm::dquat q = detail::principal_orientation_at(body, place);
    detail::require_finite("The position of the centre of mass", x);
    if (body.is_dynamic()) {
        // The angular velocity stays, so a turned body has another angular momentum.
        if (q != body.now.q) {
            const glm::dvec3 L =
                detail::angular_momentum(q, body.inertia.moments, detail::velocity_of(body, world_->time()).angular);
            detail::require_finite("The angular momentum", L);
            body.now.L = L;
        }
        body.now.x = x;
        body.now.q = q;
    } else {
        body.motions.set({x, q, body.prescribed().velocity, world_->time()});
    }
    editable(world_->impl_).queries.moved(id_);
    editable(world_->impl_).edited(id_, body);
}

void Body::set_linear_velocity(const glm::dvec3& velocity) {
    BodyRecord& body = require_movable(editable(world_->impl_).model, id_, "A linear velocity");
    require_no_path(body, "A linear velocity");
    detail::require_velocity("The linear velocity", velocity);
    if (body.is_dynamic()) {
        body.now.v = velocity;
    } else {
        restart_motion(body, world_->time(), {velocity, body.prescribed().velocity.angular});
    }
    editable(world_->impl_).edited(id_, body);
}

void Body::set_angular_velocity(const glm::dvec3& velocity) {
    BodyRecord& body = require_movable(editable(world_->impl_).model, id_, "An angular velocity");
    require_no_path(body, "An angular velocity");
    detail::require_velocity("The angular velocity", velocity);
    if (body.is_dynamic()) {
        detail::require_free_rotation(body.inertia, detail::normalised(body.now.q), velocity);
        const glm::dvec3 L = detail::angular_momentum(detail::normalised(body.now.q), body.inertia.moments, velocity);
        detail::require_finite("The angular momentum", L);
        body.now.L = L;
    } else {
        restart_motion(body, world_->time(), {body.prescribed().velocity.linear, velocity});
    }
    editable(world_->impl_).edited(id_, body);
}

void Body::apply_force(const glm::dvec3& force) { apply_force_at(force, centre_of_mass()); }

void Body::apply_force_at(const glm::dvec3& force, const glm::dvec3& point) {
    BodyRecord& body = require_dynamic(editable(world_->impl_).model, id_, "A force");
    detail::require_finite("The force", force);
    detail::require_finite("The point", point);
    const Wrench sum{body.step_wrench.force + force, body.step_wrench.torque + glm::cross(point - body.now.x, force)};
    detail::require_finite("The sum of forces", sum.force);
    detail::require_finite("The sum of torques", sum.torque);
    body.step_wrench = sum;
    editable(world_->impl_).wake(id_, body);
}

void Body::apply_torque(const glm::dvec3& torque) {
    BodyRecord& body = require_dynamic(editable(world_->impl_).model, id_, "A torque");
    detail::require_finite("The torque", torque);
    const glm::dvec3 sum = body.step_wrench.torque + torque;
    detail::require_finite("The sum of torques", sum);
    body.step_wrench.torque = sum;
    editable(world_->impl_).wake(id_, body);
}

void Body::apply_impulse(const glm::dvec3& impulse) { apply_impulse_at(impulse, centre_of_mass()); }

void Body::apply_impulse_at(const glm::dvec3& impulse, const glm::dvec3& point) {
    BodyRecord& body = require_dynamic(editable(world_->impl_).model, id_, "An impulse");
    detail::require_finite("The impulse", impulse);
    detail::require_finite("The point", point);
    const glm::dvec3 v = body.now.v + impulse * body.inertia.inverse_mass;
    const glm::dvec3 L = body.now.L + glm::cross(point - body.now.x, impulse);
    detail::require_velocity("The velocity after the impulse", v);
    detail::require_finite("The angular momentum after the impulse", L);
    detail::require_velocity("The angular velocity after the impulse",
                             detail::angular_velocity(detail::normalised(body.now.q), body.inertia.inverse_moments, L));
    body.now.v = v;
    body.now.L = L;
    editable(world_->impl_).edited(id_, body);
}

std::optional<IntegratorSettings> Body::integrator() const {
    const auto& own = detail::require_body(live(world_->impl_).model.bodies, id_).integrator;
    return own != nullptr ? std::optional(*own) : std::nullopt;
}

void Body::set_integrator(const std::optional<IntegratorSettings>& settings) {
    BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    if (settings) {
        validate_world_integrator(*settings);
    }
    body.integrator = settings ? std::make_shared<const IntegratorSettings>(*settings) : nullptr;
    editable(world_->impl_).structure.reset();
    editable(world_->impl_).islands.configure(editable(world_->impl_).model, id_);
}

void Body::set_material(const Material& material) {
    BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    detail::require_material(material);
    body.colliders.change_all([&](ColliderDesc& collider) { collider.material = material; });
    editable(world_->impl_).structure_changed();
    editable(world_->impl_).edited(id_, body);
}

void Body::set_filter(const CollisionFilter& filter) {
    BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    body.colliders.change_all([&](ColliderDesc& collider) { collider.filter = filter; });
    editable(world_->impl_).structure_changed();
    editable(world_->impl_).edited(id_, body);
}

void Body::set_gravity_factor(double factor) {
    BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    detail::require_finite("The gravity factor", factor);
    body.gravity_factor = factor;
    editable(world_->impl_).islands.renew(id_);
    editable(world_->impl_).structure_changed();
    editable(world_->impl_).edited(id_, body);
}

void Body::set_mass_properties(const MassProperties& properties) {
    BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    detail::change_mass(body, properties, world_->time());
    test_pile_anew(editable(world_->impl_), id_);
    editable(world_->impl_).islands.renew(id_);
    editable(world_->impl_).bodies_changed();
    editable(world_->impl_).edited(id_, body);
}

void Body::set_shape(const Shape& shape, double mass) {
    const BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    ColliderDesc collider = first_collider(body);
    collider.shape = shape;
    if (body.colliders.empty()) {
        add_collider(collider, mass);
    } else {
        set_collider({id_, body.colliders.front().number}, collider, mass);
    }
}

ColliderId Body::add_collider(const ColliderDesc& desc, std::optional<double> mass) {
    const BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    detail::ColliderList colliders = body.colliders;
    const std::uint32_t number = colliders.add(detail::checked_collider(desc, body.motion));
    change_colliders(std::move(colliders), mass);
    return {id_, number};
}

void Body::set_collider(ColliderId id, const ColliderDesc& desc, std::optional<double> mass) {
    const BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    const ColliderDesc& before = require_collider(body, id_, id);
    const bool has_other_points =
        !detail::have_same_parts(before.shape, desc.shape) || before.is_trigger != desc.is_trigger;
    detail::ColliderList colliders = body.colliders;
    *colliders.find(id.number) = detail::checked_collider(desc, body.motion);
    change_colliders(std::move(colliders), mass);
    if (has_other_points) {
        forget_pairs(editable(world_->impl_), id);
    }
}

void Body::remove_collider(ColliderId id, std::optional<double> mass) {
    const BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    require_collider(body, id_, id);
    detail::ColliderList colliders = body.colliders;
    colliders.remove(id.number);
    change_colliders(std::move(colliders), mass);
    forget_pairs(editable(world_->impl_), id);
}

// The one way in which a body gets other colliders. What throws leaves it as it was.
void Body::change_colliders(detail::ColliderList colliders, std::optional<double> mass) {
    BodyRecord& body = detail::require_body(editable(world_->impl_).model.bodies, id_);
    if (mass) {
        detail::change_mass(body, detail::mass_properties_of(colliders, *mass), world_->time());
    }
    body.colliders = std::move(colliders);
    test_pile_anew(editable(world_->impl_), id_);
    editable(world_->impl_).islands.renew(id_);
    editable(world_->impl_).bodies_changed();
    editable(world_->impl_).edited(id_, body);
}

} // namespace substep
