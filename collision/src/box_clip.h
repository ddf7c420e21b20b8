// A rectangle that is clipped by another one whose sides are axes, as both are seen along a normal: two coordinates and
// a height, all of them linear along an edge, tell all of a corner. Compiled once for each instruction set
// (box_kernels.h).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "box_kernels.h"
#include "patch_overlap.h"
#include "projection.h"
#include "substep/numerics/four_lanes.h"

namespace substep::detail {
namespace {

// Of a face's corners in turn: whether they are at the high ends of both axes. The second row is the other way round.
constexpr bool kFaceEnds[2][4][2] = {{{false, false}, {true, false}, {true, true}, {false, true}},
                                     {{false, true}, {true, true}, {true, false}, {false, false}}};
constexpr double kEndSigns[2][2][4] = {{{-1.0, 1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0, 1.0}},
                                       {{-1.0, 1.0, 1.0, -1.0}, {1.0, 1.0, -1.0, -1.0}}};
constexpr double kUnit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
constexpr double kSigns[2] = {-1.0, 1.0};
constexpr std::uint32_t kNext[3] = {1, 2, 0};
constexpr std::uint32_t kLast[3] = {2, 0, 1};

/// A face of a box: across which axis, on which side.
struct BoxFace {
    std::uint32_t axis;
    bool is_high;

    constexpr std::uint32_t index() const noexcept { return 2 * axis + (is_high ? 1u : 0u); }
    constexpr std::uint32_t next() const noexcept { return kNext[axis]; }
    constexpr std::uint32_t last() const noexcept { return kLast[axis]; }
    constexpr double sign() const noexcept { return kSigns[is_high ? 1 : 0]; }
    constexpr Part part() const noexcept { return {PartKind::Face, index()}; }
    /// The corner at the given ends of the axes next() and last().
    constexpr Part corner(bool next_high, bool last_high) const noexcept {
        return {PartKind::Vertex,
                (is_high ? 1u : 0u) << axis | (next_high ? 1u : 0u) << next() | (last_high ? 1u : 0u) << last()};
    }
    /// The edge along next(), at an end of last(), and the other way round.
    constexpr Part edge_along_next(bool last_high) const noexcept {
        return {PartKind::Edge, 4 * next() + (last_high ? 1u : 0u) + 2 * (is_high ? 1u : 0u)};
    }
    constexpr Part edge_along_last(bool next_high) const noexcept {
        return {PartKind::Edge, 4 * last() + (is_high ? 1u : 0u) + 2 * (next_high ? 1u : 0u)};
    }
    /// At which ends the i-th corner is, counter-clockwise as seen from outside; and the edge behind it.
    constexpr const bool (&ends_of(int i) const noexcept)[2] { return kFaceEnds[is_high ? 0 : 1][i]; }
    constexpr Part corner_at(int i) const noexcept { return corner(ends_of(i)[0], ends_of(i)[1]); }
    constexpr Part edge_at(int i) const noexcept {
        return i % 2 == 0 ? edge_along_next(ends_of(i)[1]) : edge_along_last(ends_of(i)[0]);
    }
    /// As a reference: an edge by its side, and the corner between two sides. Of a side: twice its coordinate, and one
    /// if it is the high one.
    constexpr Part side_at(int side) const noexcept {
        const bool is_end_high = (side & 1) != 0;
        return side < 2 ? edge_along_last(is_end_high) : edge_along_next(is_end_high);
    }
    constexpr Part corner_between(int side, int other) const noexcept {
        if (side / 2 == other / 2) {
            return side_at(side);
        }
        return side < 2 ? corner((side & 1) != 0, (other & 1) != 0) : corner((other & 1) != 0, (side & 1) != 0);
    }
};

BoxFace face_towards(const double (&out)[3]) noexcept {
    const double size[3] = {std::fabs(out[0]), std::fabs(out[1]), std::fabs(out[2])};
    std::uint32_t axis = static_cast<std::uint32_t>(size[0] < size[1]); // in numbers, as no branch can foretell it
    axis += (2 - axis) * static_cast<std::uint32_t>(size[axis] < size[2]);
    return {axis, out[axis] > 0.0};
}

constexpr int kNoSide = 4;
constexpr int kFirstSide = 4; // of the edges in a ring: four are the clipped face's, four run along sides

/// The parts of a face that places lie on, in tables: which of the three kinds a place is nobody can foretell.
struct PartNames {
    static constexpr int kOfClipped = 12;
    static constexpr int kOfReference = 25;

    /// Of the clipped face: a corner, an edge that crosses a side, or, along a side, the face.
    static constexpr int corner_of_clipped(int i) noexcept { return i; }
    static constexpr int edge_of_clipped(int edge) noexcept { return 4 + edge; }
    /// Of the reference: the face, a side, or the corner of two.
    static constexpr int of_reference(int edge, int side) noexcept {
        return 5 * std::max(edge - kFirstSide + 1, 0) + side;
    }

    std::array<std::uint32_t, kOfClipped> clipped{};
    std::array<std::uint32_t, kOfReference> reference{};
};

constexpr std::array<PartNames, 6> all_part_names() noexcept {
    std::array<PartNames, 6> all;
    for (std::uint32_t f = 0; f < 6; ++f) {
        const BoxFace face{f / 2, f % 2 == 1};
        for (int i = 0; i < 4; ++i) {
            all[f].clipped[static_cast<std::size_t>(PartNames::corner_of_clipped(i))] = face.corner_at(i).code();
            all[f].clipped[static_cast<std::size_t>(PartNames::edge_of_clipped(i))] = face.edge_at(i).code();
            all[f].clipped[static_cast<std::size_t>(PartNames::edge_of_clipped(kFirstSide + i))] = face.part().code();
            all[f].reference[static_cast<std::size_t>(PartNames::of_reference(0, i))] = face.side_at(i).code();
            all[f].reference[static_cast<std::size_t>(PartNames::of_reference(i, kNoSide))] = face.part().code();
            for (int k = 0; k < 4; ++k) {
                all[f].reference[static_cast<std::size_t>(PartNames::of_reference(kFirstSide + i, k))] =
                    face.corner_between(i, k).code();
            }
        }
    }
    return all;
}
constexpr std::array<PartNames, 6> kPartNames = all_part_names();

/// Corners of the clipped face and where its edges cross sides of the reference: two coordinates in the reference face,
/// and how high above it along the normal. They are never moved, so what is clipped is a ring of their numbers.
struct Places {
    static constexpr int kMost = 12; // four, and two more for each side that clips

    int count = 4;
    double across[2][kMost];
    double height[kMost];
    std::uint8_t of_clipped[kMost]; ///< what it is of either face, as in PartNames
    std::uint8_t of_reference[kMost];
};

/// What is left of the clipped face, a byte for each of up to eight corners: the number of its place, and sixteen times
/// the edge from there to the next. Bytes that are no corner's are zero.
struct Ring {
    int count = 4;
    std::uint64_t corners = 0x33221100;

    int place(int i) const noexcept { return static_cast<int>(corners >> 8 * i & 15u); }
    int edge(int i) const noexcept { return static_cast<int>(corners >> (8 * i + 4) & 15u); }
    void add(int place, int edge) noexcept {
        corners |= static_cast<std::uint64_t>(place | edge << 4) << 8 * count;
        ++count;
    }
    /// Corners from the i-th on, and then those before it.
    void begin_with(int i) noexcept { corners = behind(i) | before(i, corners) << 4 * (count - i) << 4 * (count - i); }
    /// The edge from the last corner on is another one.
    void turn_last(int edge) noexcept {
        const int bits = 8 * (count - 1) + 4;
        corners = (corners & ~(std::uint64_t{15} << bits)) | static_cast<std::uint64_t>(edge) << bits;
    }
    void keep_first(int i) noexcept {
        corners = before(i, corners);
        count = i;
    }

private:
    // In two shifts: one by all 64 bits is not allowed.
    std::uint64_t behind(int i) const noexcept { return corners >> 4 * i >> 4 * i; }
    static std::uint64_t before(int i, std::uint64_t bytes) noexcept {
        return bytes & ~(~std::uint64_t{0} << 4 * i << 4 * i);
    }
};

// Where the way from one place to the next crosses a side; `beyond` tells how far these are beyond it.
int make_place(int here, int next, double beyond, double next_beyond, int edge, int side, double sign_times_size,
               Places& places) noexcept {
    const int made = places.count++;
    const double t = beyond / (beyond - next_beyond);
    for (int c = 0; c < 2; ++c) {
        const double from_here = places.across[c][here];
        places.across[c][made] = from_here + t * (places.across[c][next] - from_here);
    }
    places.across[side / 2][made] = sign_times_size;
    const double from_here = places.height[here];
    places.height[made] = from_here + t * (places.height[next] - from_here);
    places.of_clipped[made] = static_cast<std::uint8_t>(PartNames::edge_of_clipped(edge));
    places.of_reference[made] = static_cast<std::uint8_t>(PartNames::of_reference(edge, side));
    return made;
}

// By a side of the reference. The rules are those of clip_by_side (patch_overlap.cpp). The ring leaves a side once and
// comes back once, so that bits tell where: whether a corner is beyond nobody can foretell, and a branch that is
// foretold wrongly takes longer than what it saves.
void clip_by_axis(int side, double size, double kept, Places& places, Ring& ring) noexcept {
    const double sign = kSigns[side & 1];
    const double(&across)[Places::kMost] = places.across[side / 2];
    const int count = ring.count;
    double beyond[8];
    unsigned inside = 0;
    for (int first = 0; first < count; first += 4) {
        for (int i = first; i < first + 4; ++i) {
            beyond[i] = sign * across[ring.place(i)] - size;
            inside |= static_cast<unsigned>(beyond[i] <= kept) << i;
        }
    }
    const unsigned all = (1u << count) - 1u;
    const unsigned outside = ~inside & all;
    if (outside == 0) {
        return;
    }
    if (outside == all) {
        ring = {0, 0};
        return;
    }
    const unsigned next_outside = outside >> 1 | (outside & 1u) << (count - 1);
    const int leaves = __builtin_ctz(~outside & next_outside & all);
    const int enters = __builtin_ctz(outside & ~next_outside);
    const int behind_leaves = (leaves + 1) * static_cast<int>(leaves + 1 < count);
    const int behind_enters = (enters + 1) * static_cast<int>(enters + 1 < count);
    const int begins_inside = static_cast<int>(~outside & 1u);
    // First what stays, from where the ring has entered to where it leaves; then two corners where it crosses the side,
    // but of an edge that begins or ends where corners are kept, none.
    const Ring before = ring;
    ring.begin_with(enters + 1);
    ring.keep_first(leaves - enters + count * static_cast<int>(leaves < enters));
    if (beyond[leaves] < 0.0) {
        ring.add(make_place(before.place(leaves), before.place(behind_leaves), beyond[leaves], beyond[behind_leaves],
                            before.edge(leaves), side, sign * size, places),
                 kFirstSide + side);
    } else {
        ring.turn_last(kFirstSide + side);
    }
    int entered = 0;
    if (beyond[behind_enters] < 0.0) {
        ring.add(make_place(before.place(enters), before.place(behind_enters), beyond[enters], beyond[behind_enters],
                            before.edge(enters), side, sign * size, places),
                 before.edge(enters));
        entered = 1;
    }
    // It begins with what it began with, or with what is left behind that.
    const int stays = count - 1 - enters;
    const int new_begin = entered * (ring.count - 1);
    ring.begin_with(new_begin + begins_inside * (stays - new_begin));
}

/// The reference face's axes in the frame of a.
struct ReferenceFrame {
    explicit ReferenceFrame(const FacesInPlace& faces)
        : origin(WideFour::load(faces.origin)), along_next(WideFour::load(faces.along_next)),
          along_last(WideFour::load(faces.along_last)), normal(WideFour::load(faces.normal)) {}

    /// The point of the reference that a place is over.
    WideFour foot(const Places& places, int which) const noexcept {
        return origin + WideFour(places.across[0][which]) * along_next + WideFour(places.across[1][which]) * along_last;
    }

    WideFour origin;
    WideFour along_next;
    WideFour along_last;
    WideFour normal;
};

// What is left of the clipped face.
Ring clip_by_reference(const FacesInPlace& faces, Places& places) noexcept {
    WideFour::load(faces.across_next).store(places.across[0]);
    WideFour::load(faces.across_last).store(places.across[1]);
    WideFour::load(faces.height).store(places.height);
    for (int i = 0; i < 4; ++i) {
        places.of_clipped[i] = static_cast<std::uint8_t>(PartNames::corner_of_clipped(i));
        places.of_reference[i] = static_cast<std::uint8_t>(PartNames::of_reference(0, kNoSide));
    }
    Ring ring;
    for (unsigned sides = faces.sides; sides != 0 && ring.count > 0; sides &= sides - 1) {
        const int side = __builtin_ctz(sides);
        const double border = faces.borders[side / 2];
        clip_by_axis(side, border, faces.borders[FacesInPlace::kKept] * border, places, ring);
    }
    return ring;
}

double sign_of_gaps(const FacesInPlace& faces) noexcept { return faces.reference_is_a ? -1.0 : 1.0; }

// A bit for each corner of the ring that is no more than `most` (m) from the reference.
unsigned near_corners(const FacesInPlace& faces, const Places& places, const Ring& ring, double most) noexcept {
    const double down = sign_of_gaps(faces);
    unsigned low = 0;
    for (int first = 0; first < ring.count; first += 4) {
        for (int i = first; i < first + 4; ++i) {
            low |= static_cast<unsigned>(down * places.height[ring.place(i)] <= most) << i;
        }
    }
    return low & ((1u << ring.count) - 1u);
}

PartPair parts_of(const FacesInPlace& faces, const Places& places, int which) noexcept {
    PartPair pair;
    pair.parts[faces.reference_is_a ? 0 : 1] = Part(kPartNames[faces.reference].reference[places.of_reference[which]]);
    pair.parts[faces.reference_is_a ? 1 : 0] = Part(kPartNames[faces.incident].clipped[places.of_clipped[which]]);
    return pair;
}

// Corners of a ring, each with its foot on the reference.
void write_corners(const FacesInPlace& faces, const Places& places, const Ring& ring, unsigned which,
                   PatchPoints& points) noexcept {
    const ReferenceFrame frame(faces);
    const double down = sign_of_gaps(faces);
    points.count = 0;
    for (; which != 0; which &= which - 1) {
        const int place = ring.place(__builtin_ctz(which));
        const WideFour foot = frame.foot(places, place);
        const double height = places.height[place];
        double on_reference[4];
        double on_clipped[4];
        foot.store(on_reference);
        (foot + WideFour(height) * frame.normal).store(on_clipped);
        // In place: a point that is made elsewhere and copied waits for its own numbers.
        PatchPoint& point = points.points[at(points.count++)];
        glm::dvec3& reference_point = faces.reference_is_a ? point.on_a : point.on_b;
        glm::dvec3& clipped_point = faces.reference_is_a ? point.on_b : point.on_a;
        reference_point.x = on_reference[0];
        reference_point.y = on_reference[1];
        reference_point.z = on_reference[2];
        clipped_point.x = on_clipped[0];
        clipped_point.y = on_clipped[1];
        clipped_point.z = on_clipped[2];
        point.gap = down * height;
        point.parts = parts_of(faces, places, place);
    }
}

} // namespace
} // namespace substep::detail
