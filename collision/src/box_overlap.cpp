// Two boxes by fifteen axes; and whether they are as close as the best of these parts them.
#include <cmath>

#include <glm/geometric.hpp>

#include "box_kernels.h"
#include "gjk.h"
#include "separating_axes.h"

namespace substep::detail {
namespace {

// Whether the vertex of a box that is nearest to the face of the other is over it.
bool vertex_is_over_face(const CorePair& pair, int index, Meeting& meeting) noexcept {
    const bool of_a = index < BoxAxis::kFirstOfB;
    const glm::dvec3 vertex = of_a ? pair.support_b(meeting.normal) : pair.support_a(-meeting.normal);
    const glm::dvec3 in_face_box = of_a ? vertex : pair.to_b(vertex);
    const glm::dvec3 beyond = absolute(in_face_box) - (of_a ? pair.a.sizes : pair.b.sizes);
    const double out[3] = {beyond.x, beyond.y, beyond.z};
    const int face = of_a ? index : index - BoxAxis::kFirstOfB;
    const double near = kOverFace * pair.size();
    if (out[(face + 1) % 3] > near || out[(face + 2) % 3] > near) {
        return false;
    }
    meeting.on_a = of_a ? vertex + meeting.distance * meeting.normal : vertex;
    meeting.on_b = of_a ? vertex : vertex - meeting.distance * meeting.normal;
    return true;
}

// Whether the edges that an axis is across are as far apart as it parts the boxes: then nothing is closer.
bool edges_are_closest(const CorePair& pair, int index, Meeting& meeting) noexcept {
    const int i = (index - BoxAxis::kFirstOfEdges) / 3;
    const int j = (index - BoxAxis::kFirstOfEdges) % 3;
    const glm::dvec3& axis_b = pair.b_in_a.rotation[j];
    const double cosine = i == 0 ? axis_b.x : i == 1 ? axis_b.y : axis_b.z;
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
    const glm::dvec3 apart = middle_b - middle_a;
    const double along_a = i == 0 ? apart.x : i == 1 ? apart.y : apart.z;
    const double along_b = glm::dot(apart, axis_b);
    const double s = (along_a - cosine * along_b) / squared_sine;
    const double t = (cosine * along_a - along_b) / squared_sine;
    if (!(std::fabs(s) <= pair.a.sizes[i] && std::fabs(t) <= pair.b.sizes[j])) {
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
    const BoxAxis best = box_kernels().best_axis(pair, margin);
    Meeting meeting;
    meeting.distance = best.distance;
    meeting.normal = best.normal;
    if (best.distance > 0.0 && !(best.distance > margin)) {
        meeting.has_points = best.index < BoxAxis::kFirstOfEdges ? vertex_is_over_face(pair, best.index, meeting)
                                                                 : edges_are_closest(pair, best.index, meeting);
    }
    return meeting;
}

} // namespace substep::detail
