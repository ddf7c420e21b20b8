// Two boxes by fifteen axes: three of each and the nine across pairs of them (Gottschalk, Lin & Manocha, "OBBTree",
// SIGGRAPH 1996).
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>

#include "separating_axes.h"

namespace substep::detail {
namespace {

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
    const glm::dvec3 apart_in_b = pair.b_in_a.position * pair.b_in_a.rotation;
    // In arrays: a vector's component by a number is a branch.
    const double apart[3] = {pair.b_in_a.position.x, pair.b_in_a.position.y, pair.b_in_a.position.z};
    const double apart_b[3] = {apart_in_b.x, apart_in_b.y, apart_in_b.z};
    const double a[3] = {pair.a.sizes.x, pair.a.sizes.y, pair.a.sizes.z};
    const double b[3] = {pair.b.sizes.x, pair.b.sizes.y, pair.b.sizes.z};
    const glm::dmat3& turn = pair.b_in_a.rotation;
    const double axes[3][3] = {{turn[0].x, turn[0].y, turn[0].z}, // of b
                               {turn[1].x, turn[1].y, turn[1].z},
                               {turn[2].x, turn[2].y, turn[2].z}};
    double absolute[3][3];
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            absolute[j][i] = std::fabs(axes[j][i]);
        }
    }
    const double size = pair.size();

    BoxAxis best;
    for (int i = 0; i < 3; ++i) {
        const double reach_b = absolute[0][i] * b[0] + absolute[1][i] * b[1] + absolute[2][i] * b[2];
        const double distance = std::fabs(apart[i]) - (a[i] + reach_b);
        if (distance > best.distance) {
            best = {distance, glm::dvec3(0.0), 0, i};
        }
    }
    for (int j = 0; j < 3; ++j) {
        const double reach_a = absolute[j][0] * a[0] + absolute[j][1] * a[1] + absolute[j][2] * a[2];
        const double distance = std::fabs(apart_b[j]) - (b[j] + reach_a);
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
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3;
        const int i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3;
            const int j2 = (j + 2) % 3;
            // The axis a_i x b_j has the components 0, -b_j[i2], b_j[i1] along a_i, a_i1, a_i2.
            const double squared = axes[j][i1] * axes[j][i1] + axes[j][i2] * axes[j][i2];
            const double along = apart[i2] * axes[j][i1] - apart[i1] * axes[j][i2];
            const double reach =
                a[i1] * absolute[j][i2] + a[i2] * absolute[j][i1] + b[j1] * absolute[j2][i] + b[j2] * absolute[j1][i];
            const double parted = std::fabs(along) - reach;
            // Without its length at first: most axes are worse, and this shows it.
            if (parted < 0.0 && (limit > 0.0 || parted * parted >= limit * limit * squared)) {
                continue;
            }
            if (squared < kParallelEdges * kParallelEdges) {
                continue;
            }
            const double length = std::sqrt(squared);
            if (parted > limit * length) {
                const double share = (along > 0.0 ? -1.0 : 1.0) / length;
                best = {parted / length, glm::dvec3(0.0), -1, 0};
                best.normal[i1] = -share * axes[j][i2];
                best.normal[i2] = share * axes[j][i1];
                limit = best.distance;
            }
        }
    }
    Meeting meeting{best.distance, best.normal, glm::dvec3(0.0), glm::dvec3(0.0), false};
    meeting.has_points = best.distance > 0.0 && best.face_of >= 0 && lies_over(best, pair, meeting);
    return meeting;
}

} // namespace substep::detail
