// The sides of two round solids along one another or crosswise: the ends of the line on each that faces the other.
#include <array>
#include <cmath>
#include <cstddef>

#include <glm/geometric.hpp>

#include "chord.h"
#include "patch_overlap.h"

namespace substep::detail {
namespace {

// Of the larger size: an end that is beyond the other side by less is over it, so that of equal solids side by side
// rounding does not choose; and a middle that is less deep below both ends holds nothing that they do not.
constexpr double kSameEnd = 1e-6;

// Sine of the angle up to which solids lie along one another, so that three points in a row hold them. More crosswise,
// each holds the other across its own axis too.
constexpr double kAlong = 0.26;

/// The side of a round solid about y, a cone between two circles.
struct RoundSide {
    explicit RoundSide(const Core& core) noexcept
        : low(-core.half_length), high(core.half_length), radius_low(core.bottom), radius_high(core.top) {
        if (core.kind != Core::Kind::Frustum) { // it touches both balls from outside
            const double bottom = core.bottom + core.rounding;
            const double top = core.top + core.rounding;
            const double sine = (bottom - top) / (2.0 * core.half_length);
            const double cosine = std::sqrt((1.0 - sine) * (1.0 + sine));
            low += bottom * sine;
            high += top * sine;
            radius_low = bottom * cosine;
            radius_high = top * cosine;
        }
    }

    double low; // m, along y
    double high;
    double radius_low; // m
    double radius_high;
};

/// Where each line on a side that faces `out` (a unit vector) most ends.
std::array<glm::dvec3, 2> ends_of(const RoundSide& side, const glm::dvec3& out) noexcept {
    const glm::dvec3 radial = glm::dvec3(out.x, 0.0, out.z) / std::sqrt(out.x * out.x + out.z * out.z);
    return {along_y(side.low) + side.radius_low * radial, along_y(side.high) + side.radius_high * radial};
}

/// Writes how far (m) a point goes along a unit vector until it enters the solid through its side; false if it does
/// not.
bool enter_side(const RoundSide& side, const glm::dvec3& point, const glm::dvec3& direction, double kept,
                double& way) noexcept {
    const double slope = (side.radius_high - side.radius_low) / (side.high - side.low);
    const double radius = side.radius_low + slope * (point.y - side.low);
    const Chord chord = cone_chord({point.x, point.z}, {direction.x, direction.z}, radius, slope * direction.y);
    if (chord.is_empty() || !std::isfinite(chord.enter)) {
        return false;
    }
    way = chord.enter;
    const double height = point.y + way * direction.y;
    return height >= side.low - kept && height <= side.high + kept;
}

/// Both sides, and what is collected of them.
class SideOverlap {
public:
    SideOverlap(const CorePair& cores, const Patch& a, const Patch& b, const glm::dvec3& normal,
                PatchPoints& points) noexcept
        : cores_(cores), a_(a), b_(b), normal_(normal), normal_in_b_(normal * cores.b_in_a.rotation), side_a_(cores.a),
          side_b_(cores.b), near_(kSameEnd * cores.size()), points_(points) {}

    const RoundSide& side_a() const noexcept { return side_a_; }
    const RoundSide& side_b() const noexcept { return side_b_; }
    const glm::dvec3& normal_in_b() const noexcept { return normal_in_b_; }
    double near() const noexcept { return near_; }

    /// Adds a point of a's side if it is over b's; returns whether.
    bool add_of_a(const glm::dvec3& on_a, Part part) noexcept {
        double gap = 0.0;
        return enter_side(side_b_, cores_.to_b(on_a), -normal_in_b_, near_, gap) &&
               add(on_a, on_a - gap * normal_, gap, {{part, b_.part}});
    }

    /// The same of b's, in its own frame.
    bool add_of_b(const glm::dvec3& point, Part part) noexcept {
        const glm::dvec3 on_b = cores_.from_b(point);
        double gap = 0.0;
        return enter_side(side_a_, on_b, normal_, near_, gap) &&
               add(on_b + gap * normal_, on_b, gap, {{a_.part, part}});
    }

    /// Drops the last point if it is no deeper than between the two before it.
    void keep_if_lower() noexcept {
        const auto last = static_cast<std::size_t>(points_.count) - 1;
        const double between = 0.5 * (points_.points[last - 1].gap + points_.points[last - 2].gap);
        points_.count -= points_.points[last].gap < between - near_ ? 0 : 1;
    }

private:
    // What is on a surface is its rounding off the core, along the normal, as for all points of a manifold.
    bool add(const glm::dvec3& on_a, const glm::dvec3& on_b, double gap, const PartPair& parts) noexcept {
        const double rounding_a = cores_.a.rounding;
        const double rounding_b = cores_.b.rounding;
        points_.add({on_a + rounding_a * normal_, on_b - rounding_b * normal_, gap + rounding_a + rounding_b, parts});
        return true;
    }

    const CorePair& cores_;
    const Patch& a_;
    const Patch& b_;
    glm::dvec3 normal_;
    glm::dvec3 normal_in_b_;
    RoundSide side_a_;
    RoundSide side_b_;
    double near_;
    PatchPoints& points_;
};

} // namespace

void overlap_sides(const CorePair& cores, const Patch& a, const Patch& b, const glm::dvec3& normal,
                   PatchPoints& points) noexcept {
    points.count = 0;
    SideOverlap overlap(cores, a, b, normal, points);
    const glm::dvec3 axis_b = cores.b_in_a.rotation[1];
    const bool is_along = std::sqrt(axis_b.x * axis_b.x + axis_b.z * axis_b.z) < kAlong;
    const std::array<glm::dvec3, 2> of_a = ends_of(overlap.side_a(), -normal);
    const std::array<glm::dvec3, 2> of_b = ends_of(overlap.side_b(), overlap.normal_in_b());
    const glm::dvec3 line = of_a[1] - of_a[0];
    double middle = 0.0; // share of a's line
    for (std::size_t i = 0; i < 2; ++i) {
        const bool of_a_is_over = overlap.add_of_a(of_a[i], a.corner_parts[i]);
        const std::size_t beside = axis_b.y > 0.0 ? i : 1 - i; // b's end on the same side
        const bool of_b_is_over = !(is_along && of_a_is_over) && overlap.add_of_b(of_b[beside], b.corner_parts[beside]);
        const glm::dvec3 end = of_b_is_over ? cores.from_b(of_b[beside]) : of_a[i];
        middle += 0.5 * glm::dot(end - of_a[0], line) / glm::dot(line, line);
    }
    // What rocks from end to end would else sink between both, and be thrown up again as the normal follows.
    if (is_along && points.count == 2 &&
        overlap.add_of_a(of_a[0] + middle * line, Part(a.part.kind(), kMiddleOfSide))) {
        overlap.keep_if_lower();
    }
}

} // namespace substep::detail
