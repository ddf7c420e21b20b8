// Sweep and prune: candidates from bounds that are sorted along one axis.
#include "contact_table.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "model.h"

namespace substep::detail {
namespace {

constexpr double kMargin = 1e-4; // m: as far as the settle rule looks
constexpr int kRounds = 2;       // bodies that others may hit can be faster than they are now

bool is_same_pair(const ContactRecord& x, const ContactRecord& y) noexcept { return x.a == y.a && x.b == y.b; }

bool is_dynamic(const Model& model, BodyId id) noexcept { return model.bodies[id].is_dynamic(); }

} // namespace

bool ContactTable::comes_before(const ContactRecord& x, const ContactRecord& y) const noexcept {
    return std::pair(rank(x.a), rank(x.b)) < std::pair(rank(y.a), rank(y.b));
}

void ContactTable::rank_bodies(const Model& model) {
    rank_.assign(model.bodies.index_limit(), 0);
    std::uint32_t rank = 0;
    for (const BodyId id : model.bodies.ids()) {
        rank_[id.index] = rank++;
    }
}

// Lists what can touch anew. Returns true if pairs are none any more that were.
bool ContactTable::list_bodies(const Model& model) {
    spheres_.clear();
    planes_.clear();
    rank_bodies(model);
    for (const BodyId id : model.bodies.ids()) {
        const BodyRecord& body = model.bodies[id];
        if (body.collides && std::holds_alternative<Sphere>(body.shape)) {
            spheres_.push_back(id);
        } else if (body.collides && std::holds_alternative<Plane>(body.shape)) {
            planes_.push_back(id);
        }
    }
    joined_.clear();
    for (const JointId id : model.joints.ids()) {
        const JointDesc& joint = model.joints[id].desc;
        joined_.emplace_back(std::min(joint.body_a.index, joint.body_b.index),
                             std::max(joint.body_a.index, joint.body_b.index));
    }
    std::ranges::sort(joined_);
    const auto gone = std::erase_if(records_, [&](const ContactRecord& record) {
        return model.bodies.find(record.a) == nullptr || model.bodies.find(record.b) == nullptr ||
               are_joined(record.a, record.b);
    });
    bound_of_.assign(model.bodies.index_limit(), 0);
    for (std::size_t i = 0; i < spheres_.size(); ++i) {
        bound_of_[spheres_[i].index] = static_cast<std::uint32_t>(i);
    }
    // Room for as many pairs as there will be: held ones are found twice for a moment.
    if (spheres_.size() + planes_.size() > 1) {
        const std::size_t pairs = most_contacts(spheres_.size(), planes_.size());
        records_.reserve(2 * pairs);
        found_.reserve(2 * pairs);
        bounds_.reserve(spheres_.size());
        order_.reserve(spheres_.size());
    }
    outdated_ = false;
    return gone > 0;
}

bool ContactTable::are_joined(BodyId a, BodyId b) const noexcept {
    return std::ranges::binary_search(joined_, std::pair(std::min(a.index, b.index), std::max(a.index, b.index)));
}

bool ContactTable::update(const Model& model, double t0, double t1) {
    const bool was_empty = records_.empty();
    bool coupled_otherwise = outdated_ && list_bodies(model);
    if (was_empty && (spheres_.empty() || spheres_.size() + planes_.size() < 2)) {
        return coupled_otherwise;
    }

    // Candidates; where bodies may hit one another, once more with the speeds that a hit can give them.
    const double dt = t1 - t0;
    bound_spheres(model, t0, dt);
    for (int round = 0; round < kRounds; ++round) {
        found_.clear();
        for (Bound& bound : bounds_) {
            bound.reach = bound.speed * dt + bound.by_force + kMargin;
        }
        sweep();
        if (round + 1 == kRounds || found_.empty()) {
            break;
        }
        bool faster = false;
        for (const ContactRecord& pair : found_) {
            Bound& a = bounds_[bound_of_[pair.a.index]];
            Bound& b = bounds_[bound_of_[pair.b.index]];
            const double most = 2.0 * (a.speed + b.speed);
            faster |= (a.is_dynamic && a.speed < most) || (b.is_dynamic && b.speed < most);
            a.speed = a.is_dynamic ? most : a.speed;
            b.speed = b.is_dynamic ? most : b.speed;
        }
        if (!faster) {
            break;
        }
    }
    meet_planes(model, t0, dt);
    for (const ContactRecord& record : records_) {
        if (record.memory.contact_mode() != ContactMode::Separate) {
            found_.push_back(record);
        }
    }
    const auto in_order = [&](const ContactRecord& x, const ContactRecord& y) { return comes_before(x, y); };
    std::ranges::sort(found_, in_order);
    found_.erase(std::unique(found_.begin(), found_.end(), is_same_pair), found_.end());

    // What known pairs remember is kept; both lists are sorted.
    const auto couples = [&](const ContactRecord& r) {
        return model.bodies.find(r.a) != nullptr && model.bodies.find(r.b) != nullptr && is_dynamic(model, r.a) &&
               is_dynamic(model, r.b);
    };
    auto old = records_.begin();
    for (ContactRecord& record : found_) {
        for (; old != records_.end() && comes_before(*old, record); ++old) {
            coupled_otherwise |= couples(*old);
        }
        if (old != records_.end() && is_same_pair(*old, record)) {
            record.memory = old->memory;
            ++old;
        } else {
            coupled_otherwise |= couples(record);
        }
    }
    for (; old != records_.end(); ++old) {
        coupled_otherwise |= couples(*old);
    }
    std::swap(records_, found_);
    return coupled_otherwise;
}

void ContactTable::bound_spheres(const Model& model, double t0, double dt) noexcept {
    const double gravity = glm::length(model.settings.gravity);
    const double last_dt = t0 - model.step_begin;
    bounds_.clear();
    for (const BodyId id : spheres_) {
        const BodyRecord& body = model.bodies[id];
        Bound bound;
        bound.id = id;
        bound.is_dynamic = body.is_dynamic();
        bound.radius = std::get<Sphere>(body.shape).radius;
        const glm::dvec3 offset = -body.mass_properties.centre_of_mass;
        const glm::dquat q = normalised(orientation_of(body, t0) * glm::conjugate(body.principal_to_body));
        bound.centre = position_of(body, t0) + q * offset;
        const Twist velocity = velocity_of(body, t0);
        bound.speed = glm::length(velocity.linear) + glm::length(velocity.angular) * glm::length(offset);
        if (bound.is_dynamic) {
            double acceleration = gravity + glm::length(body.frame_wrench.force) * body.inertia.inverse_mass;
            if (last_dt > 0.0) {
                acceleration += glm::length(body.step_end.v - body.step_begin.v) / last_dt;
            }
            bound.by_force = acceleration * dt * dt;
        }
        bounds_.push_back(bound);
    }
}

void ContactTable::sweep() {
    order_.resize(bounds_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    const auto low = [&](std::uint32_t i) { return bounds_[i].centre.x - bounds_[i].radius - bounds_[i].reach; };
    const auto high = [&](std::uint32_t i) { return bounds_[i].centre.x + bounds_[i].radius + bounds_[i].reach; };
    std::ranges::sort(order_,
                      [&](std::uint32_t i, std::uint32_t j) { return low(i) < low(j) || (low(i) == low(j) && i < j); });
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const Bound& a = bounds_[order_[i]];
        const double end = high(order_[i]);
        for (std::size_t j = i + 1; j < order_.size() && low(order_[j]) <= end; ++j) {
            const Bound& b = bounds_[order_[j]];
            const double near = a.radius + b.radius + a.reach + b.reach;
            const glm::dvec3 apart = a.centre - b.centre;
            if ((a.is_dynamic || b.is_dynamic) && glm::dot(apart, apart) <= near * near && !are_joined(a.id, b.id)) {
                add_pair(a.id, b.id);
            }
        }
    }
}

// Planes have no bounds: each against every sphere.
void ContactTable::meet_planes(const Model& model, double t0, double dt) {
    for (const BodyId id : planes_) {
        const BodyRecord& plane = model.bodies[id];
        const Pose pose = pose_at(plane, position_of(plane, t0), orientation_of(plane, t0));
        const glm::dvec3 normal = pose.orientation * glm::dvec3(0.0, 1.0, 0.0);
        const Twist velocity = velocity_of(plane, t0);
        const double gain = 0.5 * glm::length(plane.prescribed.acceleration_at(t0).linear) * dt; // of speed, of a path
        for (const Bound& bound : bounds_) {
            const glm::dvec3 apart = bound.centre - pose.position;
            const double plane_speed = glm::length(velocity.linear) + gain +
                                       glm::length(velocity.angular) * (glm::length(apart) + bound.reach);
            if (bound.is_dynamic && glm::dot(normal, apart) - bound.radius <= bound.reach + plane_speed * dt &&
                !are_joined(id, bound.id)) {
                add_pair(id, bound.id);
            }
        }
    }
}

void ContactTable::add_pair(BodyId a, BodyId b) {
    found_.push_back(rank(a) < rank(b) ? ContactRecord{a, b, {}} : ContactRecord{b, a, {}});
}

ContactEnd make_contact_end(const BodyRecord& body, int number, const PrescribedMotion& motion) noexcept {
    const glm::dquat to_principal = glm::conjugate(body.principal_to_body);
    ContactEnd end;
    end.body = number;
    end.motion = number < 0 ? motion : PrescribedMotion{};
    end.origin = to_principal * -body.mass_properties.centre_of_mass;
    if (const Sphere* const sphere = std::get_if<Sphere>(&body.shape)) {
        end.radius = sphere->radius;
    } else {
        end.is_plane = true;
        end.normal = to_principal * glm::dvec3(0.0, 1.0, 0.0);
    }
    return end;
}

} // namespace substep::detail
