// Gaps along dense output, from the coefficients of the two bodies alone.
#include "contact_modes/gap_course.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>

#include "bodies/state_layout.h"
#include "bodies/tolerances.h"

namespace substep::detail {
namespace {

/// Sizes of the first and second derivative of something by time, at most.
struct Changes {
    double rate = 0.0;
    double bend = 0.0;
};

/// Sums the sizes of the coefficients of something along a path. `size` gives that of coefficient k.
template <class Size>
Changes changes_along(const Interpolant& path, const Size& size) noexcept {
    Changes sum;
    for (std::size_t k = 0; k < path.order(); ++k) {
        const double of_term = size(k);
        sum.rate += Interpolant::kSteepest[k] * of_term;
        sum.bend += Interpolant::kSharpest[k] * of_term;
    }
    const double per_time = 1.0 / std::abs(path.length());
    return {sum.rate * per_time, sum.bend * per_time * per_time};
}

const double* coefficient(const Interpolant& path, std::size_t k, const ContactEnd& end) noexcept {
    return path.coefficients(k).data() + end.body * kNumbersPerBody;
}

/// Coefficient k of the vector from the second body's centre of mass to the first one's.
glm::dvec3 coefficient_of_distance(const Interpolant& path, std::size_t k, const std::array<ContactEnd, 2>& ends,
                                   const BodyFrames& bodies) noexcept {
    std::array<glm::dvec3, 2> of_end{};
    for (std::size_t e = 0; e < 2; ++e) {
        const ContactEnd& end = ends[e];
        if (end.is_dynamic) {
            of_end[e] = load_vector(coefficient(path, k, end) + kPosition);
        } else if (k == 0) {
            of_end[e] = path.length() * bodies.motion(end.body).velocity.linear;
        }
    }
    return of_end[0] - of_end[1];
}

/// How a point of a dynamic body at `arm` (m) from its centre of mass moves about it. With the quaternion q along the
/// path, of length |q| or more, the body turns at 2 |q'| / |q|, and the point's acceleration is at most
/// 2 arm (|q''| / |q| + 4 |q'|^2 / |q|^2). Infinite where the path's quaternions become too short to tell.
Changes changes_about_centre(const Interpolant& path, const ContactEnd& end, double arm) noexcept {
    constexpr int kIntervals = 4;
    constexpr double kShortest = 0.5;
    const Changes turn = changes_along(path, [&](std::size_t k) {
        const double* const c = coefficient(path, k, end) + kOrientation;
        return std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
    });
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= kIntervals; ++i) {
        std::array<double, 4> q{};
        std::array<double, 4> rate{};
        path.follow(path.begin() + path.length() * i / kIntervals, end.body * kNumbersPerBody + kOrientation, q, rate);
        shortest = std::min(shortest, std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
    }
    shortest -= turn.rate * std::abs(path.length()) / (2 * kIntervals);
    if (!(shortest > kShortest)) {
        return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
    const double relative = turn.rate / shortest;
    return {2.0 * arm * relative, 2.0 * arm * (turn.bend / shortest + 4.0 * relative * relative)};
}

/// Where a body is at a time, and how it moves. What turns is told where it is asked for.
struct MovingBody {
    Placement place;
    Twist velocity;
};

MovingBody body_at(const ContactEnd& end, const BodyFrames& bodies, const Interpolant& path, double t,
                   bool turns) noexcept {
    MovingBody body;
    if (!end.is_dynamic) {
        const PrescribedMotion& motion = bodies.motion(end.body);
        body.place.position = motion.position(t);
        body.velocity.linear = motion.velocity.linear;
        if (turns) {
            body.place.rotation = rotation_matrix(motion.orientation(t));
            body.velocity.angular = motion.velocity.angular;
        }
        return body;
    }
    std::array<double, kPlaceNumbers> numbers{};
    std::array<double, kPlaceNumbers> rates{};
    const std::size_t count = turns ? kPlaceNumbers : kOrientation;
    path.follow(t, end.body * kNumbersPerBody, std::span(numbers).first(count), std::span(rates).first(count));
    body.place.position = load_vector(numbers.data() + kPosition);
    body.velocity.linear = load_vector(rates.data() + kPosition);
    if (turns) {
        const glm::dquat q = load_quaternion(numbers.data() + kOrientation);
        const glm::dquat turn = load_quaternion(rates.data() + kOrientation) * glm::conjugate(q);
        body.place.rotation = rotation_matrix(q);
        body.velocity.angular = 2.0 / glm::dot(q, q) * glm::dvec3(turn.x, turn.y, turn.z);
    }
    return body;
}

/// Where one end of a contact is at a time, and how it moves.
struct MovingEnd {
    glm::dvec3 centre{0.0}; ///< of mass
    glm::dvec3 point{0.0};  ///< of its feature
    glm::dvec3 normal{0.0};
    glm::dvec3 velocity{0.0}; ///< of the point
    glm::dvec3 normal_rate{0.0};
};

MovingEnd end_at(const UnilateralConstraint& contact, std::size_t e, const BodyFrames& bodies, const Interpolant& path,
                 double t) noexcept {
    const Feature& feature = contact.features[e];
    const bool turns = feature.turns();
    const auto [place, velocity] = body_at(contact.end[e], bodies, path, t, turns);
    MovingEnd at;
    at.centre = at.point = place.position;
    at.velocity = velocity.linear;
    if (turns) {
        const glm::dvec3 arm = place.rotation * feature.point;
        at.point += arm;
        at.normal = place.rotation * feature.normal;
        at.velocity += glm::cross(velocity.angular, arm);
        at.normal_rate = glm::cross(velocity.angular, at.normal);
    }
    return at;
}

/// The radius (m) of a rounded point, or the distance of a corner from the middle of its body.
double size_of(const Feature& feature) noexcept {
    return is_corner(feature) ? glm::length(feature.point) : feature.radius;
}

double sum_of_sizes(const glm::dvec3& v) noexcept { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

} // namespace

bool always_has_bounds(const UnilateralConstraint& contact, const BodyFrames& bodies) noexcept {
    if (contact.stop != nullptr || contact.is_of_solids()) {
        return false;
    }
    for (std::size_t e = 0; e < 2; ++e) {
        const ContactEnd& end = contact.end[e];
        if (end.is_dynamic ? contact.features[e].turns() : bodies.motion(end.body).path != nullptr) {
            return false;
        }
    }
    return true;
}

EventBounds bounds_of_gap(const UnilateralConstraint& contact, const BodyFrames& bodies, const Interpolant& path,
                          double from) noexcept {
    const std::array<ContactEnd, 2>& end = contact.end;
    const bool is_flat = has_face(contact.features);
    for (const ContactEnd& one : end) {
        if (!one.is_dynamic && bodies.motion(one.body).path != nullptr) {
            return {};
        }
    }
    if (is_flat && end[1].is_dynamic) {
        return {};
    }
    const MovingEnd first = end_at(contact, 0, bodies, path, from);
    const MovingEnd second = end_at(contact, 1, bodies, path, from);
    const glm::dvec3 spin = is_flat ? bodies.motion(end[1].body).velocity.angular : glm::dvec3(0.0);
    const double turn = glm::length(spin);

    // Of the centres of mass, along the normal if that keeps its direction.
    Changes changes = changes_along(path, [&](std::size_t k) {
        const glm::dvec3 c = coefficient_of_distance(path, k, end, bodies);
        return is_flat && turn == 0.0 ? std::abs(glm::dot(second.normal, c)) : glm::length(c);
    });
    // Of points about them. A face's point turns with its normal: the distance along it stays.
    for (std::size_t e = 0; e < 2; ++e) {
        const Feature& feature = contact.features[e];
        if (feature.kind != FeatureKind::Point || !feature.turns()) {
            continue;
        }
        const double arm = glm::length(feature.point);
        if (end[e].is_dynamic) {
            const Changes about = changes_about_centre(path, end[e], arm);
            changes.rate += about.rate;
            changes.bend += about.bend;
        } else {
            const double w = glm::length(bodies.motion(end[e].body).velocity.angular);
            changes.rate += w * arm;
            changes.bend += w * w * arm;
        }
    }
    if (turn > 0.0) {
        // (n . e)' = n' . e + n . e', with e from the face's centre of mass, |n'| = w and |n''| <= w^2.
        const double far = glm::length(first.point - second.centre) + changes.rate * std::abs(path.length());
        changes.bend += turn * (turn * far + 2.0 * changes.rate);
        changes.rate += turn * far;
    }

    const double size_0 = size_of(contact.features[0]);
    const double size = is_flat ? size_0 : std::min(size_0, size_of(contact.features[1]));
    const double rounding = kRoundingsOfGap * std::numeric_limits<double>::epsilon() *
                            (sum_of_sizes(first.centre) + sum_of_sizes(second.centre));
    return {.rate = changes.rate, .bend = changes.bend, .shallow = kShallowDip * size + rounding};
}

EventCourse course_of_gap(const UnilateralConstraint& contact, const BodyFrames& bodies, const Interpolant& path,
                          double t) noexcept {
    const MovingEnd first = end_at(contact, 0, bodies, path, t);
    const MovingEnd second = end_at(contact, 1, bodies, path, t);
    const glm::dvec3 apart = first.point - second.point;
    const glm::dvec3 moves = first.velocity - second.velocity;
    const double value = gap_between(contact.features, first.point, second.point, second.normal);
    if (has_face(contact.features)) {
        return {value, glm::dot(second.normal, moves) + glm::dot(second.normal_rate, apart)};
    }
    const double distance = glm::length(apart);
    return {value, distance > 0.0 ? glm::dot(apart, moves) / distance : 0.0};
}

EventBounds bounds_of_distance(const SolidPair& pair, const BodyFrames& bodies, const Interpolant& path,
                               double from) noexcept {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    Changes changes = changes_along(
        path, [&](std::size_t k) { return glm::length(coefficient_of_distance(path, k, pair.end, bodies)); });
    double places = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        const ContactEnd& end = pair.end[e];
        const double arm = pair.solids[e].arm();
        if (end.is_dynamic) {
            if (arm > 0.0) {
                changes.rate += changes_about_centre(path, end, arm).rate;
                changes.bend = kNone;
            }
        } else if (bodies.motion(end.body).path != nullptr) {
            return {};
        } else if (const double turn = glm::length(bodies.motion(end.body).velocity.angular); turn > 0.0) {
            changes.rate += turn * arm; // of a half space: no bound
            changes.bend = kNone;
        }
        places += sum_of_sizes(body_at(end, bodies, path, from, false).place.position);
    }
    const double size = std::min(pair.solids[0].reach, pair.solids[1].reach);
    const double extent = std::isfinite(pair.solids[1].reach) ? pair.solids[0].reach + pair.solids[1].reach : size;
    const double rounding =
        kRoundingsOfGap * std::numeric_limits<double>::epsilon() * places + kErrorOfDistance * extent;
    return {.rate = changes.rate, .bend = changes.bend, .shallow = kShallowDip * size + rounding};
}

bool turns_too_far(const SolidPair& pair, const Interpolant& path) noexcept {
    for (std::size_t e = 0; e < 2; ++e) {
        const double arm = pair.solids[e].arm();
        if (pair.end[e].is_dynamic && arm > 0.0 && !std::isfinite(changes_about_centre(path, pair.end[e], arm).rate)) {
            return true;
        }
    }
    return false;
}

EventCourse course_of_distance(const SolidPair& pair, const BodyFrames& bodies, const Interpolant& path,
                               double t) noexcept {
    const MovingBody first = body_at(pair.end[0], bodies, path, t, true);
    const MovingBody second = body_at(pair.end[1], bodies, path, t, true);
    const Separation apart = separation_of(pair, first.place, second.place);
    const auto velocity_at = [](const MovingBody& body, const glm::dvec3& point) {
        return body.velocity.linear + glm::cross(body.velocity.angular, point - body.place.position);
    };
    const glm::dvec3 moves = velocity_at(first, apart.positions[0]) - velocity_at(second, apart.positions[1]);
    return {apart.distance, glm::dot(apart.normal, moves)};
}

} // namespace substep::detail
