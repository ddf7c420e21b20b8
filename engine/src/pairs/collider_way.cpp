// Looks at two ways that go forward by what their speeds leave time for, and halves the interval of each change.
#include "pairs/collider_way.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "substep/collision/narrow_phase.h"

namespace substep::detail {
namespace {

// Looks at a step are no closer together than its 256th, so that what slides along a surface takes no more of them.
constexpr double kMostLooks = 256.0;

// Halvings of an interval: less than the rounding of times remains.
constexpr int kHalvings = 52;

// A body that turns farther than this (rad) in a piece goes by its angular velocity: both ends do not tell which way.
constexpr double kTellsTurn = 1.5;

// Of the larger speed: an end whose velocity differs by more from that of a parabola is one that a hit has changed.
constexpr double kIsHit = 0.05;

// Looks at a path of a host for its largest speed, and what it may be above that between them.
constexpr int kLooksAtSpeed = 8;
constexpr double kBetweenLooks = 1.25;

} // namespace

ColliderWay::ColliderWay(const BodyRecord& body, const ColliderDesc& collider,
                         std::span<const RecordedState> states) noexcept
    : body_(&body), states_(states) {
    const ShapeSolid of_shape = solid_of(collider.shape);
    const Pose place = in_principal_axes(body, collider);
    solid_ = of_shape.solid;
    in_body_ = {place.position, glm::mat3_cast(place.orientation) * of_shape.rotation};
    reach_ = bounding_radius(collider.shape) + glm::length(place.position);
}

ColliderWay::Piece ColliderWay::piece_at(double t) const noexcept {
    if (states_.size() < 2) {
        return {};
    }
    const auto after = std::ranges::upper_bound(states_.begin() + 1, states_.end() - 1, t, {}, &RecordedState::t);
    return {&*(after - 1), &*after};
}

template <class Vector>
ColliderWay::Curve<Vector> ColliderWay::curve_between(const Vector& way, const Vector& rate_0,
                                                      const Vector& rate_1) noexcept {
    const Vector bend = way - rate_0; // of a parabola, which ends with rate_0 + 2 bend
    const Vector off = rate_1 - (rate_0 + bend * 2.0);
    if (glm::length(off) > kIsHit * std::max(glm::length(rate_0), glm::length(rate_1))) {
        return {rate_0, bend, off * 0.0};
    }
    return {rate_0, bend - off, off};
}

// A cubic's rate is a parabola: it stays within the triangle of its Bezier points.
template <class Vector>
double ColliderWay::Curve<Vector>::largest_rate() const noexcept {
    return std::max({glm::length(a), glm::length(a + b), glm::length(a + b * 2.0 + c * 3.0)});
}

ColliderWay::Curve<glm::dvec3> ColliderWay::curve_of(const Piece& piece) const noexcept {
    const double h = piece.end->t - piece.begin->t;
    return curve_between(piece.end->state.x - piece.begin->state.x, h * piece.begin->state.v, h * piece.end->state.v);
}

ColliderWay::Turn ColliderWay::turn_of(const Piece& piece) const noexcept {
    const double h = piece.end->t - piece.begin->t;
    const auto rate_of = [&](const glm::dquat& q, const glm::dvec3& L) {
        return h * angular_velocity(q, body_->inertia.inverse_moments, L);
    };
    const glm::dquat from = normalised(piece.begin->state.q);
    const glm::dvec3 rate = rate_of(from, piece.begin->state.L);
    if (glm::length(rate) > kTellsTurn) {
        return {from, {}, rate};
    }
    glm::dquat to = normalised(piece.end->state.q);
    to = glm::dot(from, to) < 0.0 ? -to : to;
    return {from, curve_between(to - from, turn_rate(rate, from), turn_rate(rate_of(to, piece.end->state.L), to))};
}

Placement ColliderWay::body_at(double t) const noexcept {
    if (!body_->is_dynamic()) {
        return {body_->prescribed().position(t), rotation_matrix(body_->prescribed().orientation(t))};
    }
    const Piece piece = piece_at(t);
    if (piece.begin == nullptr) {
        return {body_->now.x, rotation_matrix(normalised(body_->now.q))};
    }
    const double h = piece.end->t - piece.begin->t;
    const double s = h > 0.0 ? std::clamp((t - piece.begin->t) / h, 0.0, 1.0) : 1.0;
    const Curve<glm::dvec3> curve = curve_of(piece);
    const Turn turn = turn_of(piece);
    const bool is_even = turn.evenly != glm::dvec3(0.0);
    const glm::dquat q = is_even ? turned(turn.from, s * turn.evenly)
                                 : turn.from + (turn.curve.a + (turn.curve.b + turn.curve.c * s) * s) * s;
    return {piece.begin->state.x + s * (curve.a + s * (curve.b + s * curve.c)), rotation_matrix(q)};
}

Placement ColliderWay::at(double t) const noexcept {
    const Placement body = body_at(t);
    return {body.position + body.rotation * in_body_.position, body.rotation * in_body_.rotation};
}

double ColliderWay::piece_end(double t, double t1) const noexcept {
    const Piece piece = body_->is_dynamic() ? piece_at(t) : Piece{};
    return piece.end != nullptr && piece.end->t > t ? std::min(piece.end->t, t1) : t1;
}

double ColliderWay::largest_speed(double t, double t1) const noexcept {
    double linear = 0.0;
    double angular = 0.0;
    if (!body_->is_dynamic()) {
        if (!body_->prescribed().moves()) {
            return 0.0;
        }
        const bool has_path = body_->prescribed().path != nullptr;
        for (int i = 0; i <= (has_path ? kLooksAtSpeed : 0); ++i) {
            const Twist velocity = body_->prescribed().velocity_at(t + (t1 - t) * i / kLooksAtSpeed);
            linear = std::max(linear, glm::length(velocity.linear) * (has_path ? kBetweenLooks : 1.0));
            angular = std::max(angular, glm::length(velocity.angular) * (has_path ? kBetweenLooks : 1.0));
        }
    } else {
        const Piece piece = piece_at(t);
        if (piece.begin == nullptr || !(piece.end->t > piece.begin->t)) {
            return 0.0;
        }
        // A quaternion of length 1 turns at half the body's rate; along the curve it is hardly shorter.
        constexpr double kOfQuaternion = 2.2;
        const double h = piece.end->t - piece.begin->t;
        const Turn turn = turn_of(piece);
        linear = curve_of(piece).largest_rate() / h;
        angular = std::max(kOfQuaternion * turn.curve.largest_rate(), glm::length(turn.evenly)) / h;
    }
    const double arm = is_ball(solid_) ? glm::length(in_body_.position) : reach_;
    return linear + (angular > 0.0 ? angular * arm : 0.0);
}

void find_overlap_changes(const ColliderWay& a, const ColliderWay& b, double t0, double t1, double parts, bool overlaps,
                          std::vector<OverlapChange>& changes) {
    // How far a change of what is so now lies ahead: above zero until it comes.
    const auto apart_at = [&](double t) { return distance(a.solid(), a.at(t), b.solid(), b.at(t)).distance; };
    const auto ahead = [&](double apart) { return overlaps ? parts - apart : apart; };
    const auto change = [&](double t) {
        overlaps = !overlaps;
        changes.push_back({t, overlaps});
    };
    double apart = apart_at(t0);
    if (ahead(apart) <= 0.0) {
        change(t0);
    }
    const double least = (t1 - t0) / kMostLooks;
    for (double t = t0; t < t1;) {
        const double end = std::min(a.piece_end(t, t1), b.piece_end(t, t1));
        const double speed = a.largest_speed(t, end) + b.largest_speed(t, end);
        const double left = ahead(apart);
        const double next = speed > 0.0 ? std::min(end, t + std::max(std::abs(left) / speed, least)) : end;
        apart = apart_at(next);
        if (ahead(apart) <= 0.0) {
            double before = t;
            double behind = next;
            for (int i = 0; i < kHalvings && before < behind; ++i) {
                const double middle = before + 0.5 * (behind - before);
                (ahead(apart_at(middle)) <= 0.0 ? behind : before) = middle;
            }
            change(behind);
        }
        t = next;
    }
}

} // namespace substep::detail
