// Pairs of boxes side by side, a pair in each lane: what box_axes.h, box_overlap.cpp and box_faces.h do with one pair,
// with the same operations in the same order, so that each lane has the same bits. A branch would have to hold for all
// lanes; here both ways are gone and one is chosen. Compiled once for each instruction set (box_kernels.h).
#pragma once

#include <cstddef>

#include "box_clip.h"
#include "box_kernels.h"
#include "gjk.h"
#include "lane_vectors.h"
#include "pairs.h"
#include "projection.h"
#include "separating_axes.h"
#include "substep/numerics/four_lanes.h"

namespace substep::detail {
namespace {

// Of one another: products of six numbers that differ by less may do so by rounding.
constexpr double kSameParting = 1e-13;

static_assert(sizeof(Placement) == 12 * sizeof(double), "a placement is three times four numbers");

// Four numbers of each lane, one behind the other in that lane's memory, as four rows of all lanes; and back.
[[gnu::always_inline]] inline void read_four(const double* const (&of_lane)[kBoxLanes], std::size_t offset,
                                             BoxLanes (&rows)[4]) {
#if defined(__AVX512F__)
    for (int i = 0; i < 4; ++i) {
        rows[i] = BoxLanes::load_both(of_lane[i] + offset, of_lane[i + 4] + offset);
    }
#else
    for (int i = 0; i < 4; ++i) {
        rows[i] = BoxLanes::load(of_lane[i] + offset);
    }
#endif
    transpose(rows[0], rows[1], rows[2], rows[3]);
}
[[gnu::always_inline]] inline void write_four(BoxLanes a, BoxLanes b, BoxLanes c, BoxLanes d, BoxPairs& pairs,
                                              double (FacesInPlace::*to)[4]) {
    transpose(a, b, c, d);
    const BoxLanes rows[4] = {a, b, c, d};
    for (int i = 0; i < 4; ++i) {
#if defined(__AVX512F__)
        rows[i].store_block(0, pairs.faces[i].*to);
        rows[i].store_block(1, pairs.faces[i + 4].*to);
#else
        rows[i].store(pairs.faces[i].*to);
#endif
    }
}

[[gnu::always_inline]] inline void read_placements(const Placement* const (&at)[BoxPairs::kMost], LaneVector& position,
                                                   LaneMatrix& rotation) {
    const double* of_lane[kBoxLanes];
    for (int i = 0; i < kBoxLanes; ++i) {
        of_lane[i] = &at[i]->position.x;
    }
    BoxLanes rows[3][4];
    for (std::size_t q = 0; q < 3; ++q) {
        read_four(of_lane, 4 * q, rows[q]);
    }
    position = {{rows[0][0], rows[0][1], rows[0][2]}};
    rotation = {{{{rows[0][3], rows[1][0], rows[1][1]}},
                 {{rows[1][2], rows[1][3], rows[2][0]}},
                 {{rows[2][1], rows[2][2], rows[2][3]}}}};
}

/// Boxes in the frame of the first.
struct LanePairs {
    LaneVector sizes_a;
    LaneVector sizes_b;
    LaneVector position; ///< of b
    LaneMatrix turn;
    BoxLanes size; ///< CorePair::size
};

/// Which axis parts the boxes most.
struct LaneBest {
    BoxLanes distance;
    LaneMask is_of_a; ///< of a face of a, of b; else across two edges
    LaneMask is_of_b;
    LaneAxis of_a;
    LaneAxis of_b;
    LaneVector normal;
    LaneMask is_unclear; ///< two pairs of edges part them by the same, but for rounding
};

[[gnu::always_inline]] inline LaneBest best_axis_of(const LanePairs& pairs, BoxLanes margin) {
    const LaneMatrix& turn = pairs.turn;
    const LaneVector& a = pairs.sizes_a;
    const LaneVector& b = pairs.sizes_b;
    LaneMatrix sizes; // of the components
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            sizes.column[k].v[i] = absolute(turn.column[k].v[i]);
        }
    }
    LaneVector apart_b;
    BoxLanes distance[6];
    for (int k = 0; k < 3; ++k) {
        apart_b.v[k] = pairs.position.v[0] * turn.column[k].v[0] + pairs.position.v[1] * turn.column[k].v[1] +
                       pairs.position.v[2] * turn.column[k].v[2];
        distance[k] =
            absolute(pairs.position.v[k]) -
            (a.v[k] + (sizes.column[0].v[k] * b.v[0] + sizes.column[1].v[k] * b.v[1] + sizes.column[2].v[k] * b.v[2]));
        distance[3 + k] =
            absolute(apart_b.v[k]) -
            (b.v[k] + (sizes.column[k].v[0] * a.v[0] + sizes.column[k].v[1] * a.v[1] + sizes.column[k].v[2] * a.v[2]));
    }
    BoxLanes most = distance[0];
    for (int i = 1; i < 6; ++i) {
        most = larger(distance[i], most);
    }
    BoxLanes which(5.0);
    for (int i = 4; i >= 0; --i) {
        which = select(distance[i] >= most, BoxLanes(static_cast<double>(i)), which);
    }
    const LaneMask is_near = !(most > margin);
    const BoxLanes limit = most + BoxLanes(kFaceIsBetter) * pairs.size;
    // Across edges the longest way is found by its signed square, without a root or a share for each: of two axes the
    // one with more p |p| / s, where p is how far an axis of the squared length s parts.
    BoxLanes best_parted(0.0);
    BoxLanes best_square(0.0);
    BoxLanes best_squared(1.0);
    BoxLanes best_edges(0.0);
    LaneMask has_edges = is_near & !is_near;
    LaneMask is_unclear = has_edges;
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3;
        const int i2 = (i + 2) % 3;
        for (int k = 0; k < 3; ++k) {
            const int k1 = (k + 1) % 3;
            const int k2 = (k + 2) % 3;
            const LaneVector& axis = turn.column[k];
            const BoxLanes squared = axis.v[i1] * axis.v[i1] + axis.v[i2] * axis.v[i2];
            const BoxLanes across = pairs.position.v[i2] * axis.v[i1] - pairs.position.v[i1] * axis.v[i2];
            const BoxLanes reach = a.v[i1] * sizes.column[k].v[i2] + a.v[i2] * sizes.column[k].v[i1] +
                                   b.v[k1] * sizes.column[k2].v[i] + b.v[k2] * sizes.column[k1].v[i];
            const BoxLanes parted = absolute(across) - reach;
            const LaneMask is_worse =
                (parted < BoxLanes(0.0)) & ((limit > BoxLanes(0.0)) | (parted * parted >= limit * limit * squared));
            const LaneMask may_be_better =
                is_near & !(is_worse | (squared < BoxLanes(kParallelEdges * kParallelEdges)));
            const BoxLanes square = parted * absolute(parted);
            const BoxLanes of_this = square * best_squared;
            const BoxLanes of_best = best_square * squared;
            const LaneMask is_better = may_be_better & ((of_this > of_best) | !has_edges);
            const LaneMask are_apart = absolute(of_this - of_best) > BoxLanes(kSameParting) * absolute(of_best);
            is_unclear = is_unclear | (may_be_better & has_edges & !are_apart);
            has_edges = has_edges | may_be_better;
            best_parted = select(is_better, parted, best_parted);
            best_square = select(is_better, square, best_square);
            best_squared = select(is_better, squared, best_squared);
            best_edges =
                select(is_better, BoxLanes(static_cast<double>(BoxAxis::kFirstOfEdges + 3 * i + k)), best_edges);
        }
    }
    const BoxLanes by_edges = best_parted / square_root(best_squared);
    const LaneMask edges_are_better = has_edges & (by_edges > limit);
    most = select(edges_are_better, by_edges, most);
    which = select(edges_are_better, best_edges, which);

    LaneBest best;
    best.distance = most;
    best.is_unclear = is_unclear;
    best.is_of_a = which < BoxLanes(2.5);
    best.is_of_b = (which < BoxLanes(5.5)) & !best.is_of_a;
    const LaneMask is_edge = which > BoxLanes(5.5);
    const auto is = [&](int number) {
        const double it = static_cast<double>(number);
        return (which > BoxLanes(it - 0.5)) & (which < BoxLanes(it + 0.5));
    };
    for (int k = 0; k < 3; ++k) {
        best.of_a.is[k] = is(k) | (is(6 + 3 * k) | is(7 + 3 * k) | is(8 + 3 * k));
        best.of_b.is[k] = is(3 + k) | (is(6 + k) | is(9 + k) | is(12 + k));
    }
    const LaneVector axis = best.of_b.of(turn);
    const BoxLanes axis_1 = best.of_a.next_of(axis);
    const BoxLanes axis_2 = best.of_a.last_of(axis);
    const BoxLanes across = best.of_a.last_of(pairs.position) * axis_1 - best.of_a.next_of(pairs.position) * axis_2;
    const BoxLanes seen = select(best.is_of_a, best.of_a.of(pairs.position), best.of_b.of(apart_b));
    const BoxLanes sign = sign_of(!(select(is_edge, across, seen) > BoxLanes(0.0)));
    const BoxLanes share = sign / square_root(axis_1 * axis_1 + axis_2 * axis_2);
    const BoxLanes zero(0.0);
    const LaneAxis next = best.of_a.next();
    const LaneAxis last = best.of_a.last();
    for (int i = 0; i < 3; ++i) {
        const BoxLanes of_edges = select(next.is[i], -share * axis_2, select(last.is[i], share * axis_1, zero));
        best.normal.v[i] =
            select(best.is_of_a, select(best.of_a.is[i], sign, zero), select(is_edge, of_edges, sign * axis.v[i]));
    }
    return best;
}

// Whether the boxes, which are apart, are as close as the axis parts them (box_overlap.cpp).
[[gnu::always_inline]] inline LaneMask axis_has_distance(const LanePairs& pairs, const LaneBest& best) {
    const LaneVector towards_a = along(best.normal, pairs.turn);
    LaneVector of_a;
    LaneVector of_b;
    for (int i = 0; i < 3; ++i) {
        of_a.v[i] = select(best.normal.v[i] < BoxLanes(0.0), pairs.sizes_a.v[i], -pairs.sizes_a.v[i]);
        of_b.v[i] = select(towards_a.v[i] > BoxLanes(0.0), pairs.sizes_b.v[i], -pairs.sizes_b.v[i]);
    }
    // The vertex of one that is nearest to the other's face, in the frame of that other.
    const LaneVector b_in_a = pairs.position + from(pairs.turn, of_b);
    const LaneVector a_in_b = along(of_a - pairs.position, pairs.turn);
    const LaneVector vertex = select(best.is_of_a, b_in_a, a_in_b);
    const LaneVector borders = select(best.is_of_a, pairs.sizes_a, pairs.sizes_b);
    const LaneAxis face = select(best.is_of_a, best.of_a, best.of_b);
    const LaneVector beyond{{absolute(vertex.v[0]) - borders.v[0], absolute(vertex.v[1]) - borders.v[1],
                             absolute(vertex.v[2]) - borders.v[2]}};
    const BoxLanes near = BoxLanes(kOverFace) * pairs.size;
    const LaneMask is_over = !((face.next_of(beyond) > near) | (face.last_of(beyond) > near));

    const LaneVector axis = best.of_b.of(pairs.turn);
    const BoxLanes cosine = best.of_a.of(axis);
    const BoxLanes squared_sine = (BoxLanes(1.0) - cosine) * (BoxLanes(1.0) + cosine);
    LaneVector middle_a;
    LaneVector middle_b;
    for (int i = 0; i < 3; ++i) {
        middle_a.v[i] = select(best.of_a.is[i], BoxLanes(0.0), of_a.v[i]);
        middle_b.v[i] = select(best.of_b.is[i], BoxLanes(0.0), of_b.v[i]);
    }
    middle_b = pairs.position + from(pairs.turn, middle_b);
    const LaneVector apart = middle_b - middle_a;
    const BoxLanes along_a = best.of_a.of(apart);
    const BoxLanes along_b = dot(apart, axis);
    const BoxLanes s = (along_a - cosine * along_b) / squared_sine;
    const BoxLanes t = (cosine * along_a - along_b) / squared_sine;
    LaneVector between;
    for (int i = 0; i < 3; ++i) {
        between.v[i] = select(best.of_a.is[i], s, middle_a.v[i]) - (middle_b.v[i] + t * axis.v[i]);
    }
    const LaneMask are_closest =
        (absolute(s) <= best.of_a.of(pairs.sizes_a)) & (absolute(t) <= best.of_b.of(pairs.sizes_b)) &
        !(squared_sine < BoxLanes(kCrossedSquared)) &
        (square_root(dot(between, between)) <= best.distance + BoxLanes(kExactDistance) * pairs.size);
    const LaneMask is_face = best.is_of_a | best.is_of_b;
    return either(is_face, is_over, are_closest);
}

[[gnu::always_inline]] inline LaneAxis longest_of(const LaneVector& out) {
    const BoxLanes x = absolute(out.v[0]);
    const BoxLanes y = absolute(out.v[1]);
    const BoxLanes z = absolute(out.v[2]);
    const LaneMask is_y = x < y;
    const LaneMask is_z = select(is_y, y, x) < z;
    return {{!(is_y | is_z), is_y & !is_z, is_z}};
}

// The faces that face one another along the normal (box_faces.h).
[[gnu::always_inline]] inline void place_faces(const LanePairs& pairs, const LaneVector& normal, BoxPairs& result) {
    const BoxLanes zero(0.0);
    const LaneMatrix& turn = pairs.turn;
    const LaneVector in_b = along(normal, turn);
    const LaneAxis face_a = longest_of(normal);
    const LaneAxis face_b = longest_of(in_b);
    const LaneMask is_high_a = -face_a.of(normal) > zero;
    const LaneMask is_high_b = face_b.of(in_b) > zero;
    const BoxLanes area_a = BoxLanes(4.0) * face_a.next_of(pairs.sizes_a) * face_a.last_of(pairs.sizes_a);
    const BoxLanes area_b = BoxLanes(4.0) * face_b.next_of(pairs.sizes_b) * face_b.last_of(pairs.sizes_b);
    const LaneMask reference_is_a = area_a >= BoxLanes(kEqualArea) * area_b;
    const LaneAxis reference = select(reference_is_a, face_a, face_b);
    const LaneAxis incident = select(reference_is_a, face_b, face_a);
    const LaneMask reference_is_high = either(reference_is_a, is_high_a, is_high_b);
    const LaneMask incident_is_high = either(reference_is_a, is_high_b, is_high_a);
    const LaneVector size = select(reference_is_a, pairs.sizes_a, pairs.sizes_b);
    const LaneVector other_size = select(reference_is_a, pairs.sizes_b, pairs.sizes_a);
    const LaneVector seen = select(reference_is_a, normal, in_b);

    const LaneVector middle = select(reference_is_a, pairs.position, along(-pairs.position, turn));
    LaneMatrix axes;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            axes.column[k].v[i] = select(reference_is_a, turn.column[k].v[i], turn.column[i].v[k]);
        }
    }
    const BoxLanes plane = sign_of(reference_is_high) * reference.of(size);
    const BoxLanes incident_height = sign_of(incident_is_high) * incident.of(other_size);
    const LaneVector out = incident.of(axes);
    const LaneVector way_1 = incident.next().of(axes);
    const LaneVector way_2 = incident.last().of(axes);
    LaneVector centre;
    for (int i = 0; i < 3; ++i) {
        centre.v[i] = middle.v[i] + incident_height * out.v[i];
    }
    const BoxLanes by_1 = incident.next_of(other_size);
    const BoxLanes by_2 = incident.last_of(other_size);
    const BoxLanes along_up = reference.of(seen);
    const BoxLanes per_height = BoxLanes(1.0) / along_up;
    const BoxLanes height[3] = {(reference.of(centre) - plane) * per_height, by_1 * reference.of(way_1) * per_height,
                                by_2 * reference.of(way_2) * per_height};
    const LaneAxis next = reference.next();
    const LaneAxis last = reference.last();
    const BoxLanes along_next = next.of(seen);
    const BoxLanes along_last = last.of(seen);
    const BoxLanes across[2][3] = {
        {next.of(centre) - height[0] * along_next, by_1 * next.of(way_1) - height[1] * along_next,
         by_2 * next.of(way_2) - height[2] * along_next},
        {last.of(centre) - height[0] * along_last, by_1 * last.of(way_1) - height[1] * along_last,
         by_2 * last.of(way_2) - height[2] * along_last}};
    const BoxLanes border[2] = {next.of(size), last.of(size)};

    const LaneVector up_in_a = select(reference_is_a, reference.unit(), reference.of(turn));
    const LaneVector next_in_a = select(reference_is_a, next.unit(), next.of(turn));
    const LaneVector last_in_a = select(reference_is_a, last.unit(), last.of(turn));
    LaneVector origin;
    for (int i = 0; i < 3; ++i) {
        origin.v[i] = select(reference_is_a, zero, pairs.position.v[i]) + plane * up_in_a.v[i];
    }
    write_four(origin.v[0], origin.v[1], origin.v[2], zero, result, &FacesInPlace::origin);
    write_four(next_in_a.v[0], next_in_a.v[1], next_in_a.v[2], zero, result, &FacesInPlace::along_next);
    write_four(last_in_a.v[0], last_in_a.v[1], last_in_a.v[2], zero, result, &FacesInPlace::along_last);
    write_four(normal.v[0], normal.v[1], normal.v[2], zero, result, &FacesInPlace::normal);
    const auto write_corners = [&](const BoxLanes(&of)[3], double(FacesInPlace::*to)[4]) {
        // Which way the corners go round is told by the side that they are on.
        const BoxLanes second = select(incident_is_high, of[2], -of[2]);
        const BoxLanes low = of[0] - of[1];
        const BoxLanes high = of[0] + of[1];
        write_four(low - second, high - second, high + second, low + second, result, to);
    };
    write_corners(across[0], &FacesInPlace::across_next);
    write_corners(across[1], &FacesInPlace::across_last);
    write_corners(height, &FacesInPlace::height);
    const BoxLanes kept = select(absolute(along_up) > BoxLanes(kLevelFace), BoxLanes(2.0 * kKeptBeyond), zero);
    write_four(border[0], border[1], kept, zero, result, &FacesInPlace::borders);

    unsigned beyond[4];
    for (int side = 0; side < 4; ++side) {
        const int k = side / 2;
        const BoxLanes reach = absolute(across[k][1]) + absolute(across[k][2]);
        const BoxLanes farthest = BoxLanes(kSigns[side & 1]) * across[k][0] + reach;
        beyond[side] = bits_of(!(farthest <= border[k]));
    }
    const unsigned of_a = bits_of(reference_is_a);
    const unsigned reference_bits[3] = {bits_of(reference_is_high), bits_of(reference.is[1]), bits_of(reference.is[2])};
    const unsigned incident_bits[3] = {bits_of(incident_is_high), bits_of(incident.is[1]), bits_of(incident.is[2])};
    for (unsigned i = 0; i < static_cast<unsigned>(kBoxLanes); ++i) {
        FacesInPlace& faces = result.faces[i];
        const auto bit = [&](unsigned of) { return of >> i & 1u; };
        const auto index = [&](const unsigned(&of)[3]) { return bit(of[0]) + 2 * bit(of[1]) + 4 * bit(of[2]); };
        faces.sides = bit(beyond[0]) | bit(beyond[1]) << 1 | bit(beyond[2]) << 2 | bit(beyond[3]) << 3;
        faces.reference_is_a = bit(of_a) != 0;
        faces.reference = index(reference_bits);
        faces.incident = index(incident_bits);
    }
}

[[gnu::flatten]] void meet_lanes(BoxPairs& result, double margin) noexcept {
    LaneVector position_a;
    LaneVector position_b;
    LaneMatrix turn_a;
    LaneMatrix turn_b;
    read_placements(result.at_a, position_a, turn_a);
    read_placements(result.at_b, position_b, turn_b);
    LanePairs pairs;
    for (int i = 0; i < 3; ++i) {
        pairs.sizes_a.v[i] = BoxLanes::load(result.sizes_a[i]);
        pairs.sizes_b.v[i] = BoxLanes::load(result.sizes_b[i]);
    }
    pairs.position = along(position_b - position_a, turn_a);
    for (int k = 0; k < 3; ++k) {
        pairs.turn.column[k] = along(turn_b.column[k], turn_a);
    }
    pairs.size = larger(square_root(dot(pairs.sizes_a, pairs.sizes_a)), square_root(dot(pairs.sizes_b, pairs.sizes_b)));

    const BoxLanes zero(0.0);
    const BoxLanes limit = BoxLanes(margin) + BoxLanes(kSameDistance) * pairs.size;
    const LaneBest best = best_axis_of(pairs, limit);
    const LaneMask is_far = (best.distance > limit) & !best.is_unclear;
    // Whatever is no number is none of these.
    const LaneMask overlaps = best.distance <= zero;
    const LaneMask is_sharp = absolute(best.distance) > BoxLanes(kTooCloseForNormal) * pairs.size;
    const LaneMask is_known = (overlaps | axis_has_distance(pairs, best)) & is_sharp & !(is_far | best.is_unclear);
    result.is_far = bits_of(is_far);
    result.is_known = bits_of(is_known);
    best.distance.store(result.distance);
    pairs.size.store(result.size);
    place_faces(pairs, best.normal, result);
}

} // namespace
} // namespace substep::detail
