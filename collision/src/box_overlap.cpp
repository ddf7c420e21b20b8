// Two boxes by fifteen axes: three of each and the nine across pairs of them (Gottschalk, Lin & Manocha, "OBBTree",
// SIGGRAPH 1996).
#include <algorithm>
#include <cmath>

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "gjk.h"
#include "separating_axes.h"

namespace substep::detail {
namespace {

// Of the larger size: a vertex so little beyond a face's edge is over the face, as rounding has it.
constexpr double kOverFace = 1e-13;

// Square of the sine of the angle between two edges: of nearly parallel ones rounding decides where they are closest.
constexpr double kCrossedSquared = 1e-6;

/// Which of the fifteen axes part boxes most: 0 to 2 of a, 3 to 5 of b, then 6 + 3 i + j across a's i-th and b's j-th.
struct BestAxis {
    double distance;
    int index;
};
constexpr int kFirstOfB = 3;
constexpr int kFirstOfEdges = 6;

/// Two boxes as their axes see them, in arrays: a vector's component by a number is a branch.
struct BoxPair {
    explicit BoxPair(const CorePair& pair) noexcept
        : a{pair.a.sizes.x, pair.a.sizes.y, pair.a.sizes.z}, b{pair.b.sizes.x, pair.b.sizes.y, pair.b.sizes.z} {
        const glm::dmat3& turn = pair.b_in_a.rotation;
        const glm::dvec3& position = pair.b_in_a.position;
        for (int j = 0; j < 3; ++j) {
            const double axis[3] = {turn[j].x, turn[j].y, turn[j].z};
            for (int i = 0; i < 3; ++i) {
                axes[j][i] = axis[i];
                absolute[j][i] = std::fabs(axis[i]);
            }
            apart_b[j] = position.x * axis[0] + position.y * axis[1] + position.z * axis[2];
        }
        apart[0] = position.x;
        apart[1] = position.y;
        apart[2] = position.z;
    }

    BestAxis best_face() const noexcept;
    BestAxis best_edges(const BestAxis& face, double size) const noexcept;
    /// The axis as a unit vector towards a, in the frame of a.
    glm::dvec3 normal_of(int index) const noexcept;

    double a[3]; ///< m, half sizes
    double b[3];
    double apart[3];   ///< m, from a to b, in the frame of a
    double apart_b[3]; ///< m, the same in that of b
    double axes[3][3]; ///< [j][i]: of b's j-th axis the component along a's i-th
    double absolute[3][3];
};

// -1 for a positive number, else 1, of either zero too: in bits, as no branch can foretell it.
double sign_against(double x) noexcept { return std::copysign(1.0, 0.0 - x); }

BestAxis BoxPair::best_face() const noexcept {
    double distance[6];
    for (int i = 0; i < 3; ++i) {
        distance[i] =
            std::fabs(apart[i]) - (a[i] + (absolute[0][i] * b[0] + absolute[1][i] * b[1] + absolute[2][i] * b[2]));
    }
    for (int j = 0; j < 3; ++j) {
        distance[kFirstOfB + j] =
            std::fabs(apart_b[j]) - (b[j] + (absolute[j][0] * a[0] + absolute[j][1] * a[1] + absolute[j][2] * a[2]));
    }
    double most = distance[0];
    for (int i = 1; i < 6; ++i) {
        most = distance[i] > most ? distance[i] : most;
    }
    // The first one that parts by so much; in bits, as no branch can foretell which.
    unsigned best = 1u << 5;
    for (int i = 0; i < 5; ++i) {
        best |= static_cast<unsigned>(distance[i] == most) << i;
    }
    return {most, __builtin_ctz(best)};
}

BestAxis BoxPair::best_edges(const BestAxis& face, double size) const noexcept {
    // An axis a_i x b_j has the components 0, -b_j[i2], b_j[i1] along a_i, a_i1, a_i2.
    double parted[9]; // times the length of the axis
    double squared[9];
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3;
        const int i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3;
            const int j2 = (j + 2) % 3;
            squared[3 * i + j] = axes[j][i1] * axes[j][i1] + axes[j][i2] * axes[j][i2];
            const double along = apart[i2] * axes[j][i1] - apart[i1] * axes[j][i2];
            const double reach =
                a[i1] * absolute[j][i2] + a[i2] * absolute[j][i1] + b[j1] * absolute[j2][i] + b[j2] * absolute[j1][i];
            parted[3 * i + j] = std::fabs(along) - reach;
        }
    }
    BestAxis best = face;
    double limit = face.distance + kFaceIsBetter * size;
    // Without its length at first: most axes are worse, and this shows it. All are asked at once, as no branch can
    // foretell one's answer.
    const double least = limit > 0.0 ? 0.0 : limit * limit;
    unsigned may_be_better = 0;
    for (int k = 0; k < 9; ++k) {
        const bool is_worse = (parted[k] < 0.0) & (parted[k] * parted[k] >= least * squared[k]);
        const bool is_parallel = squared[k] < kParallelEdges * kParallelEdges;
        may_be_better |= static_cast<unsigned>(!(is_worse | is_parallel)) << k;
    }
    for (; may_be_better != 0; may_be_better &= may_be_better - 1) {
        const int k = __builtin_ctz(may_be_better);
        if (parted[k] < 0.0 && (limit > 0.0 || parted[k] * parted[k] >= limit * limit * squared[k])) {
            continue;
        }
        const double distance = parted[k] / std::sqrt(squared[k]);
        if (distance > limit) {
            best = {distance, kFirstOfEdges + k};
            limit = distance;
        }
    }
    return best;
}

glm::dvec3 BoxPair::normal_of(int index) const noexcept {
    if (index < kFirstOfB) {
        double normal[3] = {0.0, 0.0, 0.0};
        normal[index] = sign_against(apart[index]);
        return {normal[0], normal[1], normal[2]};
    }
    if (index < kFirstOfEdges) {
        const double(&axis)[3] = axes[index - kFirstOfB];
        const double sign = sign_against(apart_b[index - kFirstOfB]);
        return {sign * axis[0], sign * axis[1], sign * axis[2]};
    }
    const int i = (index - kFirstOfEdges) / 3;
    const double(&axis)[3] = axes[(index - kFirstOfEdges) % 3];
    const int i1 = (i + 1) % 3;
    const int i2 = (i + 2) % 3;
    const double along = apart[i2] * axis[i1] - apart[i1] * axis[i2];
    const double share = sign_against(along) / std::sqrt(axis[i1] * axis[i1] + axis[i2] * axis[i2]);
    double normal[3] = {0.0, 0.0, 0.0};
    normal[i1] = -share * axis[i2];
    normal[i2] = share * axis[i1];
    return {normal[0], normal[1], normal[2]};
}

// Whether the vertex of a box that is nearest to the face of the other is over it.
bool vertex_is_over_face(const CorePair& pair, int index, Meeting& meeting) noexcept {
    const bool of_a = index < kFirstOfB;
    const glm::dvec3 vertex = of_a ? pair.support_b(meeting.normal) : pair.support_a(-meeting.normal);
    const glm::dvec3 in_face_box = of_a ? vertex : pair.to_b(vertex);
    const glm::dvec3 beyond = glm::abs(in_face_box) - (of_a ? pair.a.sizes : pair.b.sizes);
    const double out[3] = {beyond.x, beyond.y, beyond.z};
    const int face = of_a ? index : index - kFirstOfB;
    const double near = kOverFace * pair.size();
    if (out[(face + 1) % 3] > near || out[(face + 2) % 3] > near) {
        return false;
    }
    meeting.on_a = of_a ? vertex + meeting.distance * meeting.normal : vertex;
    meeting.on_b = of_a ? vertex : vertex - meeting.distance * meeting.normal;
    return true;
}

// Whether the edges that an axis is across are as far apart as it parts the boxes: then nothing is closer.
bool edges_are_closest(const CorePair& pair, const BoxPair& boxes, int index, Meeting& meeting) noexcept {
    const int i = (index - kFirstOfEdges) / 3;
    const int j = (index - kFirstOfEdges) % 3;
    const double cosine = boxes.axes[j][i];
    const double squared_sine = (1.0 - cosine) * (1.0 + cosine);
    if (squared_sine < kCrossedSquared) {
        return false;
    }
    // The middles of both edges: support points but for the coordinate along the edge.
    glm::dvec3 middle_a = pair.support_a(-meeting.normal);
    glm::dvec3 middle_b = support(pair.b, meeting.normal * pair.b_in_a.rotation);
    (i == 0 ? middle_a.x : i == 1 ? middle_a.y : middle_a.z) = 0.0;
    (j == 0 ? middle_b.x : j == 1 ? middle_b.y : middle_b.z) = 0.0;
    middle_b = pair.from_b(middle_b);
    const glm::dvec3& axis_b = pair.b_in_a.rotation[j];
    const glm::dvec3 apart = middle_b - middle_a;
    const double along_a = i == 0 ? apart.x : i == 1 ? apart.y : apart.z;
    const double along_b = glm::dot(apart, axis_b);
    const double s = (along_a - cosine * along_b) / squared_sine;
    const double t = (cosine * along_a - along_b) / squared_sine;
    if (!(std::fabs(s) <= boxes.a[i] && std::fabs(t) <= boxes.b[j])) {
        return false;
    }
    (i == 0 ? middle_a.x : i == 1 ? middle_a.y : middle_a.z) = s;
    meeting.on_a = middle_a;
    meeting.on_b = middle_b + t * axis_b;
    const glm::dvec3 between = meeting.on_a - meeting.on_b;
    return glm::length(between) <= meeting.distance + kExactDistance * pair.size();
}

} // namespace

Meeting box_overlap(const CorePair& pair, double margin) noexcept {
    const BoxPair boxes(pair);
    BestAxis best = boxes.best_face();
    Meeting meeting;
    if (!(best.distance > margin)) {
        best = boxes.best_edges(best, pair.size());
    }
    meeting.distance = best.distance;
    meeting.normal = boxes.normal_of(best.index);
    if (best.distance > 0.0 && !(best.distance > margin)) {
        meeting.has_points = best.index < kFirstOfEdges ? vertex_is_over_face(pair, best.index, meeting)
                                                        : edges_are_closest(pair, boxes, best.index, meeting);
    }
    return meeting;
}

} // namespace substep::detail
