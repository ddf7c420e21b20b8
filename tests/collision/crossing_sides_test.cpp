// Cylinders, cones and capsules that lie on one another crosswise: the ends of their sides hold them.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;

namespace {

constexpr double kDegree = 0.017453292519943295;

/// A solid's side about y: a line of it from one end to the other at x > 0, and the normal along that line.
struct SideLine {
    glm::dvec3 low;
    glm::dvec3 high;
    glm::dvec3 normal;
};

SideLine side_line(const Convex& solid) {
    if (const auto* const cone = std::get_if<TaperedCylinder>(&solid)) {
        const double narrowing = cone->radius_bottom - cone->radius_top;
        return {{cone->radius_bottom, -cone->half_length, 0.0},
                {cone->radius_top, cone->half_length, 0.0},
                glm::normalize(glm::dvec3(2.0 * cone->half_length, narrowing, 0.0))};
    }
    const TaperedCapsule& capsule = std::get<TaperedCapsule>(solid);
    const double sine = (capsule.radius_bottom - capsule.radius_top) / (2.0 * capsule.half_length);
    const glm::dvec3 normal(std::sqrt(1.0 - sine * sine), sine, 0.0);
    return {glm::dvec3(0.0, -capsule.half_length, 0.0) + capsule.radius_bottom * normal,
            glm::dvec3(0.0, capsule.half_length, 0.0) + capsule.radius_top * normal, normal};
}

double size_of(const Convex& solid) {
    const SideLine line = side_line(solid);
    return std::max(glm::length(line.low), glm::length(line.high));
}

// How far a point in the solid's frame is outside of the cone that the side lies on.
double outside_side(const Convex& solid, const glm::dvec3& point) {
    const SideLine line = side_line(solid);
    const glm::dvec3 turned_to_x(std::sqrt(point.x * point.x + point.z * point.z), point.y, 0.0);
    return glm::dot(line.normal, turned_to_x - line.low);
}

/// A place and two axes across one another at which two sides touch.
struct Frame {
    glm::dvec3 place;
    glm::dvec3 normal; // towards the upper solid
    glm::dvec3 along;  // of the lower solid's line
};

// The solid with the point of its line at `share` in the frame's place, its side facing `up` there.
Placement laid(const Convex& solid, double share, const glm::dvec3& place, const glm::dvec3& up,
               const glm::dvec3& along) {
    const SideLine line = side_line(solid);
    const glm::dvec3 own_along = glm::normalize(line.high - line.low);
    const glm::dmat3 own(line.normal, own_along, glm::cross(line.normal, own_along));
    const glm::dmat3 in_world(up, along, glm::cross(up, along));
    const glm::dmat3 rotation = in_world * glm::transpose(own);
    return {place - rotation * (line.low + share * (line.high - line.low)), rotation};
}

struct Pair {
    Convex upper;
    Convex lower;
    double upper_share; // where their lines cross
    double lower_share;
};

Manifold crossed(const Pair& pair, const Frame& frame, double angle, double gap, double margin,
                 std::array<Placement, 2>& at) {
    const glm::dvec3 along = std::cos(angle) * frame.along + std::sin(angle) * glm::cross(frame.normal, frame.along);
    at[0] = laid(pair.upper, pair.upper_share, frame.place + gap * frame.normal, -frame.normal, along);
    at[1] = laid(pair.lower, pair.lower_share, frame.place, frame.normal, frame.along);
    SeparatingAxis none;
    return collide(pair.upper, at[0], pair.lower, at[1], margin, none);
}

bool is_end(const PartPair& parts) {
    return std::ranges::any_of(
        parts.parts, [](Part part) { return part.kind() == PartKind::Rim || part.kind() == PartKind::Vertex; });
}

const Convex kCylinder = TaperedCylinder{0.45, 0.45, 0.4};
const Convex kThick = TaperedCylinder{0.8, 0.8, 0.5};
const Convex kTapered = TaperedCylinder{0.5, 0.3, 0.4};
const Convex kCone = TaperedCylinder{0.5, 0.0, 0.6};
const Convex kCapsule = TaperedCapsule{0.3, 0.3, 0.35};
const Convex kTaperedCapsule = TaperedCapsule{0.25, 0.4, 0.4};
const std::vector<Convex> kAll{kCylinder, kThick, kTapered, kCapsule, kTaperedCapsule};

} // namespace

TEST_CASE("crossing sides: the ends of two cylinders are as far above one another as their curvature says") {
    const double radius[2] = {0.45, 0.8};
    const double half = 0.4;
    const Pair pair{kCylinder, Convex(TaperedCylinder{0.8, 0.8, half}), 0.5, 0.5};
    for (const double degrees : {2.0, 5.0, 10.0, 15.0, 20.0}) {
        CAPTURE(degrees);
        std::array<Placement, 2> at;
        const Manifold manifold =
            crossed(pair, {{0.1, 0.2, 0.3}, {0.0, 1.0, 0.0}, {0.6, 0.0, 0.8}}, degrees * kDegree, 1e-3, 0.2, at);
        int ends = 0;
        for (int i = 0; i < manifold.count; ++i) {
            const ManifoldPoint& point = manifold.points[static_cast<std::size_t>(i)];
            if (!is_end(point.parts)) {
                CHECK(point.gap == doctest::Approx(1e-3).epsilon(1e-9));
                continue;
            }
            ++ends;
            const bool of_upper = point.parts.parts[0].kind() == PartKind::Rim;
            const double aside = half * std::sin(degrees * kDegree);
            const double r = radius[of_upper ? 1 : 0];
            const double drop = r - std::sqrt(r * r - aside * aside);
            CHECK(std::fabs(point.gap - (1e-3 + drop)) < 1e-11);
        }
        // Three in a row as long as they lie along one another; else four, of which there is room for three beside
        // the point where their lines cross.
        CHECK(ends == (degrees > 15.0 ? 3 : 2));
    }
}

TEST_CASE(
    "crossing sides: points are on both surfaces, one over the other along the normal, and ends are on both sides") {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (const Convex& upper : kAll) {
        for (const Convex& lower : kAll) {
            for (int draw = 0; draw < 20; ++draw) {
                const glm::dvec3 axis = glm::normalize(glm::dvec3(number(random), number(random), 0.3));
                const glm::dmat3 turn = glm::mat3_cast(glm::angleAxis(3.0 * number(random), axis));
                const Frame frame{100.0 * axis, turn[0], turn[1]};
                const double degrees = 2.0 + 13.0 * std::fabs(number(random));
                const double gap = 1e-3 * number(random);
                const Pair pair{upper, lower, 0.5 + 0.2 * number(random), 0.5 + 0.2 * number(random)};
                CAPTURE(degrees);
                CAPTURE(gap);
                std::array<Placement, 2> at;
                const Manifold manifold = crossed(pair, frame, degrees * kDegree, gap, 0.1, at);
                const double size = std::max(size_of(upper), size_of(lower));
                REQUIRE(manifold.count >= 3);
                CHECK(glm::length(manifold.normal - frame.normal) < 1e-6);
                double least = 1.0;
                bool ahead = false;
                bool behind = false;
                for (int i = 0; i < manifold.count; ++i) {
                    const ManifoldPoint& point = manifold.points[static_cast<std::size_t>(i)];
                    const glm::dvec3 between = point.positions[0] - point.positions[1];
                    CHECK(glm::length(between - point.gap * manifold.normal) < 1e-9 * size);
                    least = std::min(least, point.gap);
                    if (!is_end(point.parts)) {
                        continue;
                    }
                    CHECK(point.gap >= gap - 1e-9 * size);
                    for (std::size_t k = 0; k < 2; ++k) {
                        const Convex& solid = k == 0 ? upper : lower;
                        const glm::dvec3 local = (point.positions[k] - at[k].position) * at[k].rotation;
                        CHECK(std::fabs(outside_side(solid, local)) < 1e-9 * size);
                        CHECK(local.y > side_line(solid).low.y - 1e-5 * size);
                        CHECK(local.y < side_line(solid).high.y + 1e-5 * size);
                    }
                    (glm::dot(point.positions[0] - frame.place, frame.along) > 0.0 ? ahead : behind) = true;
                }
                CHECK(std::fabs(least - gap) < 1e-9 * size);
                CHECK(ahead);
                CHECK(behind);
            }
        }
    }
}

TEST_CASE("crossing sides: gaps change smoothly as the angle grows past fifteen degrees, and no end goes out before "
          "its gap") {
    const double step = 0.02;
    for (const Convex& upper : kAll) {
        for (const Convex& lower : {kCylinder, kTapered, kCapsule}) {
            const Pair pair{upper, lower, 0.5, 0.5};
            const Frame frame{{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}};
            std::map<std::uint64_t, double> before;
            for (double degrees = 0.0; degrees < 30.0; degrees += step) {
                std::array<Placement, 2> at;
                const Manifold manifold = crossed(pair, frame, degrees * kDegree, 0.0, 0.3, at);
                std::map<std::uint64_t, double> now;
                int ends = 0;
                for (int i = 0; i < manifold.count; ++i) {
                    const ManifoldPoint& point = manifold.points[static_cast<std::size_t>(i)];
                    now[point.parts.key()] = point.gap;
                    ends += is_end(point.parts) ? 1 : 0;
                }
                for (const auto& [key, gap] : now) {
                    if (before.contains(key)) {
                        CHECK(std::fabs(gap - before[key]) < 4.0 * step * kDegree);
                    }
                }
                CAPTURE(degrees);
                CHECK(ends >= 2);
                before = now;
            }
        }
    }
}

TEST_CASE(
    "crossing sides: a cone's tip and rim hold it on a cylinder, and equal cylinders side by side have two points") {
    std::array<Placement, 2> at;
    const Frame frame{{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}};
    const Manifold tip =
        crossed({kCone, Convex(TaperedCylinder{0.6, 0.6, 2.0}), 0.4, 0.5}, frame, 4.0 * kDegree, 0.0, 0.02, at);
    bool has_tip = false;
    bool has_rim = false;
    for (int i = 0; i < tip.count; ++i) {
        const PartPair& parts = tip.points[static_cast<std::size_t>(i)].parts;
        has_tip = has_tip || parts == PartPair{{Part(PartKind::Vertex, 1), Part(PartKind::Side, 0)}};
        has_rim = has_rim || parts == PartPair{{Part(PartKind::Rim, 0), Part(PartKind::Side, 0)}};
    }
    CHECK(has_tip);
    CHECK(has_rim);
    // To the bit, and by rounding aside: the ends of the first are taken, those of the second are the same.
    for (const double aside : {0.0, 1e-16, -1e-16, 1e-12, -1e-12}) {
        const Frame moved{{aside, 0.0, 0.0}, frame.normal, frame.along};
        std::array<Placement, 2> other;
        (void)crossed({kCylinder, kCylinder, 0.5, 0.5}, frame, 0.0, 0.0, 0.02, at);
        (void)crossed({kCylinder, kCylinder, 0.5, 0.5}, moved, 0.0, 0.0, 0.02, other);
        SeparatingAxis none;
        const Manifold level = collide(kCylinder, other[0], kCylinder, at[1], 0.02, none);
        REQUIRE(level.count == 2);
        for (int i = 0; i < 2; ++i) {
            CHECK(level.points[static_cast<std::size_t>(i)].parts.parts[0].kind() == PartKind::Rim);
        }
    }
}
