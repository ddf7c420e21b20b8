// The faces of two boxes over one another. As seen along the normal, a rectangle is clipped by another one whose sides
// are axes: two coordinates and a height, all of them linear along an edge, tell all of a corner.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "patch_overlap.h"
#include "projection.h"

namespace substep::detail {
namespace {

// A corner more at most for each side that clips.
constexpr int kMaxBoxCorners = 8;

/// A face of a box: across which axis, on which side.
struct BoxFace {
    std::uint32_t axis;
    bool is_high;

    std::uint32_t next() const noexcept { return axis < 2 ? axis + 1 : 0; }
    std::uint32_t last() const noexcept { return axis > 0 ? axis - 1 : 2; }
    double sign() const noexcept { return is_high ? 1.0 : -1.0; }
    Part part() const noexcept { return {PartKind::Face, 2 * axis + (is_high ? 1u : 0u)}; }
    /// The corner at the given ends of the axes next() and last().
    Part corner(bool next_high, bool last_high) const noexcept {
        return {PartKind::Vertex,
                (is_high ? 1u : 0u) << axis | (next_high ? 1u : 0u) << next() | (last_high ? 1u : 0u) << last()};
    }
    /// The edge along next(), at an end of last(), and the other way round.
    Part edge_along_next(bool last_high) const noexcept {
        return {PartKind::Edge, 4 * next() + (last_high ? 1u : 0u) + 2 * (is_high ? 1u : 0u)};
    }
    Part edge_along_last(bool next_high) const noexcept {
        return {PartKind::Edge, 4 * last() + (is_high ? 1u : 0u) + 2 * (next_high ? 1u : 0u)};
    }
};

BoxFace face_towards(const double (&out)[3]) noexcept {
    const double size[3] = {std::fabs(out[0]), std::fabs(out[1]), std::fabs(out[2])};
    std::uint32_t axis = size[0] >= size[1] ? 0 : 1;
    axis = size[axis] >= size[2] ? axis : 2;
    return {axis, out[axis] > 0.0};
}

/// Corners of the clipped face and where its edges cross sides of the reference: two coordinates in the reference face,
/// and how high above it along the normal. They are never moved, so what is clipped is a ring of their numbers.
struct Places {
    static constexpr int kMost = 12;

    int count = 0;
    double across[2][kMost];
    double height[kMost];
    std::uint8_t
        edge[kMost]; ///< whose place it is: an edge of the clipped face, or a side as in Ring; of its corner i, i
    std::uint8_t side[kMost]; ///< that it crosses; kNoSide at a corner of the clipped face
};

constexpr std::uint8_t kNoSide = 255;
constexpr std::uint8_t kFirstSide = 4; // of the edges in a ring: four are the clipped face's, four run along sides

/// What is left of the clipped face: its corners, and the edge from each to the next.
struct Ring {
    int count = 0;
    std::uint8_t place[kMaxBoxCorners];
    std::uint8_t edge[kMaxBoxCorners];

    void add(int which, std::uint8_t its_edge) noexcept {
        if (count < kMaxBoxCorners) {
            place[count] = static_cast<std::uint8_t>(which);
            edge[count++] = its_edge;
        }
    }
};

// By a side of the reference: twice its coordinate, and one if it is the high one. The rules are those of clip_by_side
// (patch_overlap.cpp).
void clip_by_axis(int side, double size, double kept, Places& places, const Ring& from, Ring& to) noexcept {
    const int coordinate = side / 2;
    const double sign = (side & 1) != 0 ? 1.0 : -1.0;
    const double(&across)[Places::kMost] = places.across[coordinate];
    double beyond = sign * across[from.place[0]] - size;
    const double first_beyond = beyond;
    to.count = 0;
    for (int i = 0; i < from.count; ++i) {
        const bool is_last = i + 1 == from.count;
        const int here = from.place[i];
        const int next = from.place[is_last ? 0 : i + 1];
        const double next_beyond = is_last ? first_beyond : sign * across[next] - size;
        const bool inside = beyond <= kept;
        const bool next_inside = next_beyond <= kept;
        if (inside) {
            to.add(here, from.edge[i]);
        }
        if (inside != next_inside) {
            if ((inside ? beyond : next_beyond) < 0.0 && places.count < Places::kMost) {
                const double t = beyond / (beyond - next_beyond);
                const int made = places.count++;
                for (int c = 0; c < 2; ++c) {
                    const double from_here = places.across[c][here];
                    places.across[c][made] = from_here + t * (places.across[c][next] - from_here);
                }
                places.across[coordinate][made] = sign * size;
                places.height[made] = places.height[here] + t * (places.height[next] - places.height[here]);
                places.edge[made] = from.edge[i];
                places.side[made] = static_cast<std::uint8_t>(side);
                to.add(made, from.edge[i]);
            }
            if (inside && to.count > 0) { // from here along the side
                to.edge[to.count - 1] = static_cast<std::uint8_t>(kFirstSide + side);
            }
        }
        beyond = next_beyond;
    }
}

Part side_of(const BoxFace& reference, int side) noexcept {
    const bool is_high = (side & 1) != 0;
    return side < 2 ? reference.edge_along_last(is_high) : reference.edge_along_next(is_high);
}

Part corner_of(const BoxFace& reference, int side, int other) noexcept {
    if (side / 2 == other / 2) {
        return side_of(reference, side);
    }
    const int of_next = side < 2 ? side : other;
    const int of_last = side < 2 ? other : side;
    return reference.corner((of_next & 1) != 0, (of_last & 1) != 0);
}

constexpr bool kEnds[4][2] = {{false, false}, {true, false}, {true, true}, {false, true}};

// The i-th corner of a face, counter-clockwise as seen from outside, and the edge behind it.
std::size_t end_of(const BoxFace& face, int i) noexcept { return at(face.is_high ? i : 3 - i); }
Part corner_at(const BoxFace& face, int i) noexcept {
    const bool(&end)[2] = kEnds[end_of(face, i)];
    return face.corner(end[0], end[1]);
}
Part edge_at(const BoxFace& face, int i) noexcept {
    const bool(&end)[2] = kEnds[end_of(face, i)];
    return i % 2 == 0 ? face.edge_along_next(end[1]) : face.edge_along_last(end[0]);
}

// Parts of the clipped face and of the reference at a place.
std::array<Part, 2> parts_at(const Places& places, int which, const BoxFace& incident,
                             const BoxFace& reference) noexcept {
    const int edge = places.edge[which];
    if (places.side[which] == kNoSide) {
        return {corner_at(incident, edge), reference.part()};
    }
    if (edge < kFirstSide) {
        return {edge_at(incident, edge), side_of(reference, places.side[which])};
    }
    return {incident.part(), corner_of(reference, edge - kFirstSide, places.side[which])};
}

/// A place or a way as places are seen.
struct Linear {
    double across[2];
    double height;
};

double area_of(const BoxFace& face, const double (&sizes)[3]) noexcept {
    return 4.0 * sizes[face.next()] * sizes[face.last()];
}

} // namespace

void overlap_boxes(const CorePair& pair, const glm::dvec3& normal, PatchPoints& points) noexcept {
    // In arrays: a vector's component by a number is a branch.
    const glm::dmat3& turn = pair.b_in_a.rotation;
    const glm::dvec3 in_b = normal * turn;
    const double sizes[2][3] = {{pair.a.sizes.x, pair.a.sizes.y, pair.a.sizes.z},
                                {pair.b.sizes.x, pair.b.sizes.y, pair.b.sizes.z}};
    const double normals[2][3] = {{normal.x, normal.y, normal.z}, {in_b.x, in_b.y, in_b.z}};
    const double out_of_a[3] = {-normal.x, -normal.y, -normal.z};
    const BoxFace face_a = face_towards(out_of_a);
    const BoxFace face_b = face_towards(normals[1]);
    const bool reference_is_a = area_of(face_a, sizes[0]) >= kEqualArea * area_of(face_b, sizes[1]);
    const BoxFace reference = reference_is_a ? face_a : face_b;
    const BoxFace incident = reference_is_a ? face_b : face_a;
    const double(&size)[3] = sizes[reference_is_a ? 0 : 1];
    const double(&other_size)[3] = sizes[reference_is_a ? 1 : 0];
    const double(&along)[3] = normals[reference_is_a ? 0 : 1];

    // The incident box's middle and axes in the frame of the reference.
    double middle[3];
    double axes[3][3];
    if (reference_is_a) {
        for (glm::length_t i = 0; i < 3; ++i) {
            middle[i] = pair.b_in_a.position[i];
            for (int k = 0; k < 3; ++k) {
                axes[k][i] = turn[k][i];
            }
        }
    } else {
        const glm::dvec3 a_in_b = -pair.b_in_a.position * turn;
        for (int i = 0; i < 3; ++i) {
            middle[i] = a_in_b[i];
            for (int k = 0; k < 3; ++k) {
                axes[k][i] = turn[i][k];
            }
        }
    }
    const std::uint32_t up = reference.axis;
    const std::uint32_t next = reference.next();
    const std::uint32_t last = reference.last();
    const double plane = reference.sign() * size[up];
    const double per_height = 1.0 / along[up];
    const auto over = [&](const double(&way)[3], double offset, double by) {
        const double height = (by * way[up] - offset) * per_height;
        return Linear{{by * way[next] - height * along[next], by * way[last] - height * along[last]}, height};
    };
    double centre[3];
    for (int i = 0; i < 3; ++i) {
        centre[i] = middle[i] + incident.sign() * other_size[incident.axis] * axes[incident.axis][i];
    }
    const Linear c = over(centre, plane, 1.0);
    const Linear e1 = over(axes[incident.next()], 0.0, other_size[incident.next()]);
    const Linear e2 = over(axes[incident.last()], 0.0, other_size[incident.last()]);

    Places places;
    Ring first;
    for (int i = 0; i < 4; ++i) {
        const bool(&end)[2] = kEnds[end_of(incident, i)];
        const double s = end[0] ? 1.0 : -1.0;
        const double t = end[1] ? 1.0 : -1.0;
        places.across[0][i] = c.across[0] + s * e1.across[0] + t * e2.across[0];
        places.across[1][i] = c.across[1] + s * e1.across[1] + t * e2.across[1];
        places.height[i] = c.height + s * e1.height + t * e2.height;
        places.edge[i] = static_cast<std::uint8_t>(i);
        places.side[i] = kNoSide;
        first.add(i, static_cast<std::uint8_t>(i));
    }
    places.count = 4;
    const double kept = std::fabs(along[up]) > kLevelFace ? 2.0 * kKeptBeyond : 0.0; // of half a width
    const double border[2] = {size[next], size[last]};
    Ring second;
    const Ring* from = &first;
    Ring* to = &second;
    for (int side = 0; side < 4 && from->count > 0; ++side) {
        const int coordinate = side / 2;
        const double sign = (side & 1) != 0 ? 1.0 : -1.0;
        const double reach = std::fabs(e1.across[coordinate]) + std::fabs(e2.across[coordinate]);
        if (sign * c.across[coordinate] + reach <= border[coordinate]) {
            continue; // all corners are within
        }
        clip_by_axis(side, border[coordinate], kept * border[coordinate], places, *from, *to);
        Ring* const done = to;
        to = from == &first ? &first : &second;
        from = done;
    }
    // The plane's axes in the frame of a.
    const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const auto axis_in_a = [&](std::uint32_t i) {
        return reference_is_a ? glm::dvec3(unit[i][0], unit[i][1], unit[i][2]) : turn[static_cast<int>(i)];
    };
    const glm::dvec3 origin = (reference_is_a ? glm::dvec3(0.0) : pair.b_in_a.position) + plane * axis_in_a(up);
    const glm::dvec3 along_next = axis_in_a(next);
    const glm::dvec3 along_last = axis_in_a(last);
    points.count = from->count;
    for (int i = 0; i < from->count; ++i) {
        const int which = from->place[i];
        const std::array<Part, 2> parts = parts_at(places, which, incident, reference);
        const glm::dvec3 foot = origin + places.across[0][which] * along_next + places.across[1][which] * along_last;
        const double height = places.height[which];
        const glm::dvec3 above = foot + height * normal;
        // In place: a point that is made elsewhere and copied waits for its own numbers.
        PatchPoint& point = points.points[at(i)];
        (reference_is_a ? point.on_a : point.on_b) = foot;
        (reference_is_a ? point.on_b : point.on_a) = above;
        point.gap = reference_is_a ? -height : height;
        point.parts.parts[reference_is_a ? 0 : 1] = parts[1];
        point.parts.parts[reference_is_a ? 1 : 0] = parts[0];
    }
}

} // namespace substep::detail
