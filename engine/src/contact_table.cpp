// Sweep and prune: candidates from bounds that are sorted along one axis.
#include "contact_table.h"

#include <algorithm>
#include <numeric>
#include <variant>

namespace substep::detail {
namespace {

constexpr double kMargin = 1e-4; // m: as far as the settle rule looks
constexpr int kRounds = 2;       // bodies that others may hit can be faster than they are now

bool is_same_pair(const ContactRecord& x, const ContactRecord& y) noexcept { return x.a == y.a && x.b == y.b; }

bool is_dynamic(const BodyTable& bodies, BodyId id) noexcept {
    const BodyRecord* const body = bodies.find(id);
    return body != nullptr && body->is_dynamic();
}

} // namespace

bool ContactTable::comes_before(const ContactRecord& x, const ContactRecord& y) const noexcept {
    return std::pair(rank(x.a), rank(x.b)) < std::pair(rank(y.a), rank(y.b));
}

void ContactTable::rank_bodies(const BodyTable& bodies) {
    rank_.assign(bodies.index_limit(), 0);
    std::uint32_t rank = 0;
    for (const BodyId id : bodies.ids()) {
        rank_[id.index] = rank++;
    }
}

bool ContactTable::list(const BodyTable& bodies, std::span<const std::array<BodyId, 2>> joined) {
    spheres_.clear();
    planes_.clear();
    rank_bodies(bodies);
    for (const BodyId id : bodies.ids()) {
        const BodyRecord& body = bodies[id];
        if (body.collides && std::holds_alternative<Sphere>(body.shape)) {
            spheres_.push_back(id);
        } else if (body.collides && std::holds_alternative<Plane>(body.shape)) {
            planes_.push_back(id);
        }
    }
    joined_.clear();
    for (const auto& [a, b] : joined) {
        joined_.emplace_back(std::min(a.index, b.index), std::max(a.index, b.index));
    }
    std::ranges::sort(joined_);
    const auto gone = std::erase_if(records_, [&](const ContactRecord& record) {
        return bodies.find(record.a) == nullptr || bodies.find(record.b) == nullptr || are_joined(record.a, record.b);
    });
    bound_of_.assign(bodies.index_limit(), 0);
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

bool ContactTable::update(const BodyTable& bodies, const SweptStep& step) {
    if (records_.empty() && (spheres_.empty() || spheres_.size() + planes_.size() < 2)) {
        return false;
    }

    // Candidates; where bodies may hit one another, once more with the speeds that a hit can give them.
    const double dt = step.t1 - step.t0;
    bound_spheres(bodies, step);
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
    meet_planes(bodies, step);
    for (const ContactRecord& record : records_) {
        if (record.memory.contact_mode() != ContactMode::Separate) {
            found_.push_back(record);
        }
    }
    const auto in_order = [&](const ContactRecord& x, const ContactRecord& y) { return comes_before(x, y); };
    std::ranges::sort(found_, in_order);
    const auto twice = std::ranges::unique(found_, is_same_pair);
    found_.erase(twice.begin(), twice.end());

    // What known pairs remember is kept; both lists are sorted.
    bool coupled_otherwise = false;
    const auto couples = [&](const ContactRecord& r) { return is_dynamic(bodies, r.a) && is_dynamic(bodies, r.b); };
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

void ContactTable::bound_spheres(const BodyTable& bodies, const SweptStep& step) noexcept {
    const double t0 = step.t0;
    const double dt = step.t1 - t0;
    const double gravity = glm::length(step.gravity);
    bounds_.clear();
    for (const BodyId id : spheres_) {
        const BodyRecord& body = bodies[id];
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
            if (step.last > 0.0) {
                acceleration += glm::length(body.step_end.v - body.step_begin.v) / step.last;
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
void ContactTable::meet_planes(const BodyTable& bodies, const SweptStep& step) {
    const double t0 = step.t0;
    const double dt = step.t1 - t0;
    for (const BodyId id : planes_) {
        const BodyRecord& plane = bodies[id];
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

} // namespace substep::detail
