// Discs over polygons, segments and other discs: corners within the rim, crossings with it, and points of the rim.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <glm/geometric.hpp>

#include "projection.h"

namespace substep::detail {
namespace {

// Tangent of a disc's tilt below which none of its points is the lowest.
constexpr double kLevel = 1e-11;

/// Coordinates in a disc's plane.
struct Flat {
    double x;
    double y;
    double squared() const noexcept { return x * x + y * y; }
};

Flat in_disc(const Patch& disc, const Projection& onto_disc, const glm::dvec3& p) noexcept {
    const glm::dvec3 foot = p - onto_disc.height(p) * onto_disc.normal - disc.centre;
    return {glm::dot(foot, disc.across[0]), glm::dot(foot, disc.across[1])};
}

// Corners of a segment or polygon within a disc, and crossings of its edges with the rim.
void clip_by_rim(const Patch& polygon, const Patch& disc, const Projection& onto_disc, PatchPoints& points) noexcept {
    const double radius = disc.radius;
    const double kept = radius * (1.0 + kKeptBeyond);
    const Part enters(PartKind::Rim, disc.part.index());
    const Part leaves(PartKind::Rim, disc.part.index() + kSecondCrossing);
    const int edges = polygon.kind == Patch::Kind::Segment ? 1 : polygon.count;
    for (int i = 0; i < polygon.count; ++i) {
        const glm::dvec3& here = polygon.corners[at(i)];
        const Flat p = in_disc(disc, onto_disc, here);
        const bool inside = p.squared() <= kept * kept;
        if (inside) {
            points.add(onto_disc.pair(here, polygon.corner_parts[at(i)], disc.part));
        }
        if (i >= edges) {
            continue;
        }
        const glm::dvec3& next = polygon.corners[at((i + 1) % polygon.count)];
        const Flat q = in_disc(disc, onto_disc, next);
        // |p + t (q - p)| = radius
        const Flat along{q.x - p.x, q.y - p.y};
        const double squared = along.squared();
        const double half = p.x * along.x + p.y * along.y;
        const double root = half * half - squared * (p.squared() - radius * radius);
        if (!(root > 0.0) || !(squared > 0.0)) {
            continue;
        }
        const bool next_inside = q.squared() <= kept * kept;
        const double enter = (-half - std::sqrt(root)) / squared;
        const double leave = (-half + std::sqrt(root)) / squared;
        if (!inside && enter > 0.0 && enter < 1.0) {
            points.add(onto_disc.pair(here + enter * (next - here), polygon.edge_parts[at(i)], enters));
        }
        if (!next_inside && leave > 0.0 && leave < 1.0) {
            points.add(onto_disc.pair(here + leave * (next - here), polygon.edge_parts[at(i)], leaves));
        }
    }
}

// The fixed points of a rim that are over the other patch, and the lowest one.
template <class IsOver>
void add_rim_points(const Patch& disc, const Patch& other, const Projection& onto_other, const IsOver& is_over,
                    PatchPoints& points) noexcept {
    const auto add = [&](const glm::dvec3& p, Part part) {
        if (is_over(p)) {
            points.add(onto_other.pair(p, part, other.part));
        }
    };
    for (std::uint32_t k = 0; k < 3; ++k) {
        const glm::dvec3 p =
            disc.centre + disc.radius * (kRimPoints[k][0] * disc.across[0] + kRimPoints[k][1] * disc.across[1]);
        add(p, {PartKind::RimPoint, 3 * disc.part.index() + k});
    }
    // The gap grows along the other's normal within the disc's plane.
    const glm::dvec3 grows = other.normal - glm::dot(other.normal, disc.normal) * disc.normal;
    const double tilt = glm::length(grows);
    if (tilt > kLevel) {
        // What rounding left of it out of the plane is larger by 1 / tilt here.
        const glm::dvec3 upwards = grows / tilt;
        const glm::dvec3 within = upwards - glm::dot(upwards, disc.normal) * disc.normal;
        add(disc.centre - disc.radius * within, {PartKind::Rim, disc.part.index()});
    }
}

} // namespace

void overlap_disc_and_polygon(const Patch& disc, const Patch& polygon, const glm::dvec3& normal, bool disc_is_a,
                              PatchPoints& points) noexcept {
    Sides sides;
    if (!find_sides(polygon, normal, sides)) {
        return;
    }
    clip_by_rim(polygon, disc, {normal, disc.normal, disc.centre, disc_is_a}, points);
    add_rim_points(
        disc, polygon, {normal, polygon.normal, polygon.corners[0], !disc_is_a},
        [&](const glm::dvec3& p) {
            return std::all_of(sides.begin(), sides.begin() + polygon.count,
                               [&](const Side& side) { return side.beyond(p) <= side.kept; });
        },
        points);
}

void overlap_disc_and_segment(const Patch& disc, const Patch& segment, const glm::dvec3& normal, bool disc_is_a,
                              PatchPoints& points) noexcept {
    clip_by_rim(segment, disc, {normal, disc.normal, disc.centre, disc_is_a}, points);
}

void overlap_discs(const Patch& a, const Patch& b, const glm::dvec3& normal, PatchPoints& points) noexcept {
    const auto add = [&](const Patch& disc, const Patch& other, bool disc_is_a) {
        const Projection onto_other{normal, other.normal, other.centre, !disc_is_a};
        const double kept = other.radius * (1.0 + kKeptBeyond);
        add_rim_points(
            disc, other, onto_other,
            [&](const glm::dvec3& p) { return in_disc(other, onto_other, p).squared() <= kept * kept; }, points);
    };
    const bool a_is_smaller = a.radius <= b.radius;
    const Patch& small = a_is_smaller ? a : b;
    const Patch& large = a_is_smaller ? b : a;
    add(small, large, a_is_smaller);
    // Where not all of the smaller one is over the other, their rims cross, in the larger one's plane as circles.
    const Projection onto_large{normal, large.normal, large.centre, !a_is_smaller};
    const Flat centre = in_disc(large, onto_large, small.centre);
    const double squared = centre.squared();
    const double apart = std::sqrt(squared);
    if (apart <= large.radius * (1.0 + kKeptBeyond) - small.radius || apart >= large.radius + small.radius) {
        return;
    }
    add(large, small, !a_is_smaller);
    const double along = 0.5 * (squared + large.radius * large.radius - small.radius * small.radius) / apart;
    const double across = std::sqrt(std::max(0.0, large.radius * large.radius - along * along));
    const Projection onto_small{normal, small.normal, small.centre, a_is_smaller};
    for (const double side : {across, -across}) {
        const double x = (along * centre.x - side * centre.y) / apart;
        const double y = (along * centre.y + side * centre.x) / apart;
        const std::uint32_t which = side < 0.0 ? kSecondCrossing : 0;
        points.add(onto_small.pair(large.centre + x * large.across[0] + y * large.across[1],
                                   {PartKind::Rim, large.part.index() + which},
                                   {PartKind::Rim, small.part.index() + which}));
    }
}

void overlap_with_plane(const Patch& a, const glm::dvec3& point, const glm::dvec3& normal, Part plane,
                        PatchPoints& points) noexcept {
    const Projection onto_plane{normal, normal, point, false};
    points.count = 0;
    for (int i = 0; i < a.count; ++i) {
        points.add(onto_plane.pair(a.corners[at(i)], a.corner_parts[at(i)], plane));
    }
    if (a.kind == Patch::Kind::Disc) {
        Patch ground;
        ground.part = plane;
        ground.normal = normal;
        add_rim_points(
            a, ground, onto_plane, [](const glm::dvec3&) { return true; }, points);
    }
}

} // namespace substep::detail
