// Polygons are clipped after Sutherland & Hodgman (CACM 17, 1974), by planes through the edges along the normal.
#include "patch_overlap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <glm/geometric.hpp>

#include "projection.h"

namespace substep::detail {
namespace {

// Sine of the angle between segments that lie along one another rather than cross.
constexpr double kAlongside = 0.05;

/// A corner of the polygon that is being clipped, and its edge to the next one.
struct Clipped {
    glm::dvec3 point;
    Part part;      // of the clipped patch
    Part reference; // what of the reference it is over
    Part edge;      // of the clipped patch, where on_side is -1
    int on_side;    // the side that this edge runs along
};

using Corners = std::array<Clipped, PatchPoints::kMaxPoints>;

Part corner_between(const Patch& reference, int side, int other) noexcept {
    if (other == (side + 1) % reference.count) {
        return reference.corner_parts[at(other)];
    }
    return side == (other + 1) % reference.count ? reference.corner_parts[at(side)] : reference.edge_parts[at(side)];
}

/// How far each corner is beyond a side.
using Beyond = std::array<double, PatchPoints::kMaxPoints>;

// Returns whether all corners count as within.
bool measure(const Corners& corners, int count, const Side& side, Beyond& beyond) noexcept {
    bool is_within = true;
    for (int i = 0; i < count; ++i) {
        beyond[at(i)] = side.beyond(corners[at(i)].point);
        is_within = is_within && beyond[at(i)] <= side.kept;
    }
    return is_within;
}

int clip_by_side(const Patch& incident, const Patch& reference, const Side& side, int side_index, const Corners& from,
                 const Beyond& all_beyond, int count, Corners& to) noexcept {
    int made = 0;
    const auto add = [&](const Clipped& corner) {
        if (made < PatchPoints::kMaxPoints) {
            to[at(made++)] = corner;
        }
    };
    for (int i = 0; i < count; ++i) {
        const int following = i + 1 < count ? i + 1 : 0;
        const Clipped& here = from[at(i)];
        const Clipped& next = from[at(following)];
        const double beyond = all_beyond[at(i)];
        const double next_beyond = all_beyond[at(following)];
        const bool inside = beyond <= side.kept;
        const bool next_inside = next_beyond <= side.kept;
        if (inside) {
            add(here);
        }
        if (inside != next_inside) {
            const double d_in = inside ? beyond : next_beyond;
            if (d_in < 0.0) { // else the corner that was kept stands for the crossing
                Clipped crossing;
                crossing.point = here.point + beyond / (beyond - next_beyond) * (next.point - here.point);
                crossing.part = here.on_side < 0 ? here.edge : incident.part;
                crossing.reference = here.on_side < 0 ? reference.edge_parts[at(side_index)]
                                                      : corner_between(reference, here.on_side, side_index);
                crossing.edge = here.edge;
                crossing.on_side = here.on_side;
                add(crossing);
            }
            if (inside && made > 0) { // from here along the side
                to[at(made - 1)].on_side = side_index;
            }
        }
    }
    return made;
}

void overlap_polygons(const Patch& a, const Patch& b, const glm::dvec3& normal, PatchPoints& points) noexcept {
    // The larger one is the reference, and of equals the first: which it is does not change as they move.
    const bool reference_is_a = a.area >= kEqualArea * b.area;
    const Patch& reference = reference_is_a ? a : b;
    const Patch& incident = reference_is_a ? b : a;
    Sides sides;
    if (!find_sides(reference, normal, sides)) {
        return;
    }
    Corners first;
    Corners second;
    int count = incident.count;
    for (int i = 0; i < count; ++i) {
        first[at(i)] = {incident.corners[at(i)], incident.corner_parts[at(i)], reference.part,
                        incident.edge_parts[at(i)], -1};
    }
    Corners* from = &first;
    Corners* to = &second;
    Beyond beyond;
    for (int s = 0; s < reference.count && count > 0; ++s) {
        if (!measure(*from, count, sides[at(s)], beyond)) {
            count = clip_by_side(incident, reference, sides[at(s)], s, *from, beyond, count, *to);
            std::swap(from, to);
        }
    }
    const Projection projection{normal, reference.normal, reference.corners[0], reference_is_a};
    for (int i = 0; i < count; ++i) {
        const Clipped& corner = (*from)[at(i)];
        points.add(projection.pair(corner.point, corner.part, corner.reference));
    }
}

void overlap_segment_and_polygon(const Patch& segment, const Patch& polygon, const glm::dvec3& normal,
                                 bool polygon_is_a, PatchPoints& points) noexcept {
    Sides sides;
    if (!find_sides(polygon, normal, sides)) {
        return;
    }
    const glm::dvec3 begin = segment.corners[0];
    const glm::dvec3 along = segment.corners[1] - begin;
    double ends[2] = {0.0, 1.0};
    Part parts[2] = {segment.corner_parts[0], segment.corner_parts[1]};
    Part over[2] = {polygon.part, polygon.part};
    for (int s = 0; s < polygon.count; ++s) {
        const Side& side = sides[at(s)];
        const double beyond[2] = {side.beyond(begin), side.beyond(segment.corners[1])};
        for (std::size_t e = 0; e < 2; ++e) {
            if (beyond[e] <= side.kept) {
                continue;
            }
            if (!(beyond[1 - e] < 0.0)) { // all of it, or all but an end that is kept, is beyond the side
                if (beyond[1 - e] > side.kept) {
                    return;
                }
                ends[e] = static_cast<double>(1 - e);
                continue;
            }
            const double t = beyond[0] / (beyond[0] - beyond[1]);
            if (e == 0 ? t > ends[0] : t < ends[1]) {
                ends[e] = t;
                parts[e] = segment.part;
                over[e] = polygon.edge_parts[at(s)];
            }
        }
    }
    if (ends[0] > ends[1]) {
        return;
    }
    const Projection projection{normal, polygon.normal, polygon.corners[0], polygon_is_a};
    points.add(projection.pair(begin + ends[0] * along, parts[0], over[0]));
    if (ends[1] > ends[0]) {
        points.add(projection.pair(begin + ends[1] * along, parts[1], over[1]));
    }
}

// Of segments side by side, the ends of what they have in common. The pair of an end is on the other's line.
void overlap_segments(const Patch& a, const Patch& b, const glm::dvec3& normal, PatchPoints& points) noexcept {
    const glm::dvec3 along_a = a.corners[1] - a.corners[0];
    const glm::dvec3 along_b = b.corners[1] - b.corners[0];
    const double squared_a = glm::dot(along_a, along_a);
    const double squared_b = glm::dot(along_b, along_b);
    const glm::dvec3 across = glm::cross(along_a, along_b);
    if (!(glm::dot(across, across) < kAlongside * kAlongside * squared_a * squared_b)) {
        return;
    }
    const auto add = [&](const Patch& owner, int corner, const Patch& other, const glm::dvec3& along, double squared,
                         bool owner_is_a) {
        const glm::dvec3& p = owner.corners[at(corner)];
        const double t = glm::dot(p - other.corners[0], along) / squared;
        if (t < 0.0 || t > 1.0) {
            return;
        }
        const glm::dvec3 foot = other.corners[0] + t * along;
        const Part part = owner.corner_parts[at(corner)];
        if (owner_is_a) {
            points.add({p, foot, glm::dot(normal, p - foot), {{part, other.part}}});
        } else {
            points.add({foot, p, glm::dot(normal, foot - p), {{other.part, part}}});
        }
    };
    for (int i = 0; i < 2; ++i) {
        add(a, i, b, along_b, squared_b, true);
    }
    for (int i = 0; i < 2; ++i) {
        add(b, i, a, along_a, squared_a, false);
    }
}

} // namespace

bool find_sides(const Patch& polygon, const glm::dvec3& normal, Sides& sides) noexcept {
    const glm::dvec3 up = glm::dot(polygon.normal, normal) > 0.0 ? normal : -normal;
    const bool is_level = glm::dot(polygon.normal, up) > kLevelFace;
    for (int i = 0; i < polygon.count; ++i) {
        const glm::dvec3& from = polygon.corners[at(i)];
        Side& side = sides[at(i)];
        side.out = glm::cross(polygon.corners[at(i + 1 < polygon.count ? i + 1 : 0)] - from, up);
        if (side.out == glm::dvec3(0.0)) {
            return false;
        }
        side.offset = glm::dot(side.out, from);
        side.kept = 0.0;
        if (is_level) {
            double width = 0.0;
            for (int k = 0; k < polygon.count; ++k) {
                width = std::max(width, -side.beyond(polygon.corners[at(k)]));
            }
            side.kept = kKeptBeyond * width;
        }
    }
    return true;
}

void overlap_patches(const Patch& a, const Patch& b, const glm::dvec3& normal, PatchPoints& points) noexcept {
    using Kind = Patch::Kind;
    points.count = 0;
    if (a.kind == Kind::Point || b.kind == Kind::Point) {
        return;
    }
    if (a.kind == Kind::Disc) {
        if (b.kind == Kind::Disc) {
            overlap_discs(a, b, normal, points);
        } else if (b.kind == Kind::Polygon) {
            overlap_disc_and_polygon(a, b, normal, true, points);
        } else {
            overlap_disc_and_segment(a, b, normal, true, points);
        }
    } else if (b.kind == Kind::Disc) {
        if (a.kind == Kind::Polygon) {
            overlap_disc_and_polygon(b, a, normal, false, points);
        } else {
            overlap_disc_and_segment(b, a, normal, false, points);
        }
    } else if (a.kind == Kind::Segment && b.kind == Kind::Segment) {
        overlap_segments(a, b, normal, points);
    } else if (a.kind == Kind::Segment) {
        overlap_segment_and_polygon(a, b, normal, false, points);
    } else if (b.kind == Kind::Segment) {
        overlap_segment_and_polygon(b, a, normal, true, points);
    } else {
        overlap_polygons(a, b, normal, points);
    }
}

} // namespace substep::detail
