// Two boxes by fifteen axes: three of each and the nine across pairs of them (Gottschalk, Lin & Manocha, "OBBTree",
// SIGGRAPH 1996).
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>

#include "separating_axes.h"

namespace substep::detail {
namespace {

// As among polytopes in general.
constexpr double kParallel = 1e-8;
constexpr double kFaceIsBetter = 1e-10;
// Of the larger size: a vertex so little beyond a face's edge is over the face, as rounding has it.
constexpr double kOverFace = 1e-13;

using Index = glm::dvec3::length_type;

struct BoxAxis {
    double distance = -std::numeric_limits<double>::infinity();
    glm::dvec3 normal{0.0}; // towards a
    int face_of = -1;       // 0 or 1: whose face the axis is across
    Index face = 0;
};

// Of b's vertices that are farthest along -normal, or a's along normal: whether one is over the other's face.
bool lies_over(const BoxAxis& axis, const CorePair& pair, Meeting& meeting) noexcept {
    const bool of_a = axis.face_of == 0;
    const glm::dvec3 vertex = of_a ? pair.support_b(axis.normal) : pair.support_a(-axis.normal);
    const glm::dvec3 in_face_box = of_a ? vertex : pair.to_b(vertex);
    const glm::dvec3& sizes = of_a ? pair.a.sizes : pair.b.sizes;
    const double near = kOverFace * pair.size();
    for (Index i = 0; i < 3; ++i) {
        if (i != axis.face && std::fabs(in_face_box[i]) > sizes[i] + near) {
            return false;
        }
    }
    meeting.on_a = of_a ? vertex + axis.distance * axis.normal : vertex;
    meeting.on_b = of_a ? vertex : vertex - axis.distance * axis.normal;
    return true;
}

} // namespace

Meeting box_overlap(const CorePair& pair, double margin) noexcept {
    const glm::dmat3& turn = pair.b_in_a.rotation; // its columns: the axes of b
    const glm::dvec3& apart = pair.b_in_a.position;
    const glm::dvec3& a = pair.a.sizes;
    const glm::dvec3& b = pair.b.sizes;
    const double size = pair.size();
    const glm::dvec3 apart_b = apart * turn; // along the axes of b
    const glm::dmat3 absolute(glm::abs(turn[0]), glm::abs(turn[1]), glm::abs(turn[2]));

    BoxAxis best;
    const glm::dvec3 reach_b = absolute * b; // of b along the axes of a
    for (Index i = 0; i < 3; ++i) {
        const double distance = std::fabs(apart[i]) - (a[i] + reach_b[i]);
        if (distance > best.distance) {
            best = {distance, glm::dvec3(0.0), 0, i};
        }
    }
    const glm::dvec3 reach_a = a * absolute;
    for (Index j = 0; j < 3; ++j) {
        const double distance = std::fabs(apart_b[j]) - (b[j] + reach_a[j]);
        if (distance > best.distance) {
            best = {distance, glm::dvec3(0.0), 1, j};
        }
    }
    if (best.face_of == 0) {
        best.normal[best.face] = apart[best.face] > 0.0 ? -1.0 : 1.0;
    } else {
        best.normal = apart_b[best.face] > 0.0 ? -turn[best.face] : turn[best.face];
    }
    if (best.distance > margin) {
        return {best.distance, best.normal, glm::dvec3(0.0), glm::dvec3(0.0), false};
    }
    double limit = best.distance + kFaceIsBetter * size;
    for (Index i = 0; i < 3; ++i) {
        const Index i1 = (i + 1) % 3;
        const Index i2 = (i + 2) % 3;
        for (Index j = 0; j < 3; ++j) {
            const Index j1 = (j + 1) % 3;
            const Index j2 = (j + 2) % 3;
            // The axis a_i x b_j has the components 0, -turn[j][i2], turn[j][i1] along a_i, a_i1, a_i2.
            const double squared = turn[j][i1] * turn[j][i1] + turn[j][i2] * turn[j][i2];
            const double along = apart[i2] * turn[j][i1] - apart[i1] * turn[j][i2];
            const double reach =
                a[i1] * absolute[j][i2] + a[i2] * absolute[j][i1] + b[j1] * absolute[j2][i] + b[j2] * absolute[j1][i];
            const double parted = std::fabs(along) - reach;
            // Without its length at first: most axes are worse, and this shows it.
            if (parted < 0.0 && (limit > 0.0 || parted * parted >= limit * limit * squared)) {
                continue;
            }
            if (squared < kParallel * kParallel) {
                continue;
            }
            const double length = std::sqrt(squared);
            if (parted > limit * length) {
                const double sign = along > 0.0 ? -1.0 : 1.0;
                best = {parted / length, glm::dvec3(0.0), -1, 0};
                best.normal[i1] = -sign * turn[j][i2] / length;
                best.normal[i2] = sign * turn[j][i1] / length;
                limit = best.distance;
            }
        }
    }
    Meeting meeting{best.distance, best.normal, glm::dvec3(0.0), glm::dvec3(0.0), false};
    meeting.has_points = best.distance > 0.0 && best.face_of >= 0 && lies_over(best, pair, meeting);
    return meeting;
}

} // namespace substep::detail
