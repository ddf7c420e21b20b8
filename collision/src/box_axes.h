// Which of fifteen axes part two boxes most: three of each and the nine across pairs of them (Gottschalk, Lin &
// Manocha, "OBBTree", SIGGRAPH 1996). Compiled once for each instruction set (box_kernels.h).
#pragma once

#include <cmath>

#include "box_kernels.h"
#include "separating_axes.h"
#include "substep/numerics/four_lanes.h"

namespace substep::detail {
namespace {

// -1 for a positive number, else 1, of either zero too: in bits, as no branch can foretell it.
double sign_against(double x) noexcept { return std::copysign(1.0, 0.0 - x); }

/// The axes across an axis of the first box and one of the second, three of the second side by side.
struct CrossedAxes {
    double parted[3][4]; ///< m, times the length of the axis
    double squared[3][4];
};

[[gnu::flatten]] BoxAxis best_box_axis(const CorePair& pair, double margin) noexcept {
    const double a[3] = {pair.a.sizes.x, pair.a.sizes.y, pair.a.sizes.z};
    const double b[3] = {pair.b.sizes.x, pair.b.sizes.y, pair.b.sizes.z};
    const double apart[3] = {pair.b_in_a.position.x, pair.b_in_a.position.y, pair.b_in_a.position.z};
    const glm::dmat3& turn = pair.b_in_a.rotation;
    // Of the second box's axes the components along the first one's side by side, and the other way round.
    const WideFour columns[3] = {three(turn[0].x, turn[0].y, turn[0].z), three(turn[1].x, turn[1].y, turn[1].z),
                                 three(turn[2].x, turn[2].y, turn[2].z)};
    WideFour rows[4] = {columns[0], columns[1], columns[2], WideFour(0.0)};
    transpose(rows[0], rows[1], rows[2], rows[3]);
    const WideFour sizes_a = three(a[0], a[1], a[2]);
    const WideFour sizes_b = three(b[0], b[1], b[2]);
    const WideFour apart_b = WideFour(apart[0]) * rows[0] + WideFour(apart[1]) * rows[1] + WideFour(apart[2]) * rows[2];
    const WideFour absolute_rows[3] = {absolute(rows[0]), absolute(rows[1]), absolute(rows[2])};
    const WideFour along_a = absolute(three(apart[0], apart[1], apart[2])) -
                             (sizes_a + (absolute(columns[0]) * WideFour(b[0]) + absolute(columns[1]) * WideFour(b[1]) +
                                         absolute(columns[2]) * WideFour(b[2])));
    const WideFour along_b =
        absolute(apart_b) - (sizes_b + (absolute_rows[0] * WideFour(a[0]) + absolute_rows[1] * WideFour(a[1]) +
                                        absolute_rows[2] * WideFour(a[2])));
    double distance[7];
    along_a.store(distance);
    along_b.store(distance + BoxAxis::kFirstOfB);
    double most = distance[0];
    for (int i = 1; i < 6; ++i) {
        most = distance[i] > most ? distance[i] : most;
    }
    // The first one that parts by so much; in bits, as no branch can foretell which.
    unsigned which = 1u << 5;
    for (int i = 0; i < 5; ++i) {
        which |= static_cast<unsigned>(distance[i] == most) << i;
    }
    BoxAxis best{most, __builtin_ctz(which), glm::dvec3(0.0)};

    if (!(most > margin)) {
        // An axis a_i x b_j has the components 0, -b_j[i2], b_j[i1] along a_i, a_i1, a_i2. Without its length at first:
        // most axes are worse than the best face, and this shows it.
        CrossedAxes crossed;
        double limit = most + kFaceIsBetter * pair.size();
        const WideFour least(limit > 0.0 ? 0.0 : limit * limit);
        const WideFour next_b = next_of_three(sizes_b);
        const WideFour last_b = last_of_three(sizes_b);
        unsigned may_be_better = 0;
        for (int i = 0; i < 3; ++i) {
            const int i1 = (i + 1) % 3;
            const int i2 = (i + 2) % 3;
            const WideFour squared = rows[i1] * rows[i1] + rows[i2] * rows[i2];
            const WideFour along = WideFour(apart[i2]) * rows[i1] - WideFour(apart[i1]) * rows[i2];
            const WideFour reach = WideFour(a[i1]) * absolute_rows[i2] + WideFour(a[i2]) * absolute_rows[i1] +
                                   next_b * last_of_three(absolute_rows[i]) + last_b * next_of_three(absolute_rows[i]);
            const WideFour parted = absolute(along) - reach;
            const auto is_worse = (parted < WideFour(0.0)) & (parted * parted >= least * squared);
            const auto is_parallel = squared < WideFour(kParallelEdges * kParallelEdges);
            may_be_better |= (~bits_of(is_worse | is_parallel) & 7u) << 4 * i;
            parted.store(crossed.parted[i]);
            squared.store(crossed.squared[i]);
        }
        for (; may_be_better != 0; may_be_better &= may_be_better - 1) {
            const int k = __builtin_ctz(may_be_better);
            const double parted = crossed.parted[k / 4][k % 4];
            const double squared = crossed.squared[k / 4][k % 4];
            if (parted < 0.0 && (limit > 0.0 || parted * parted >= limit * limit * squared)) {
                continue;
            }
            const double across = parted / std::sqrt(squared);
            if (across > limit) {
                best.distance = limit = across;
                best.index = BoxAxis::kFirstOfEdges + 3 * (k / 4) + k % 4;
            }
        }
    }

    double normal[3] = {0.0, 0.0, 0.0};
    const int which_of = best.index % 3;
    if (best.index < BoxAxis::kFirstOfB) {
        normal[which_of] = sign_against(apart[which_of]);
    } else {
        const double axis[3] = {turn[which_of].x, turn[which_of].y, turn[which_of].z};
        if (best.index < BoxAxis::kFirstOfEdges) {
            double along[4];
            apart_b.store(along);
            const double sign = sign_against(along[which_of]);
            for (int i = 0; i < 3; ++i) {
                normal[i] = sign * axis[i];
            }
        } else {
            const int i = (best.index - BoxAxis::kFirstOfEdges) / 3;
            const int i1 = (i + 1) % 3;
            const int i2 = (i + 2) % 3;
            const double along = apart[i2] * axis[i1] - apart[i1] * axis[i2];
            const double share = sign_against(along) / std::sqrt(axis[i1] * axis[i1] + axis[i2] * axis[i2]);
            normal[i1] = -share * axis[i2];
            normal[i2] = share * axis[i1];
        }
    }
    best.normal = {normal[0], normal[1], normal[2]};
    return best;
}

} // namespace
} // namespace substep::detail
