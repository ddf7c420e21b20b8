// Points of one solid over faces, caps and sides of the other.
#include "closed_forms.h"

#include "point_distance.h"

namespace substep::detail {
namespace {

constexpr int kCornerTurns = 3;

// Whether a normal is that of a flat part: a cap, or a face.
bool is_of_flat(const Core& core, const glm::dvec3& normal) noexcept {
    const bool is_face = std::fabs(normal.x) == 1.0 || std::fabs(normal.z) == 1.0;
    return std::fabs(normal.y) == 1.0 || (core.kind == Core::Kind::Box && is_face);
}

} // namespace

bool ClosedForm::meet() noexcept {
    if (pair_.a.kind == Core::Kind::Box) {
        half_sizes_ = pair_.a.sizes;
        return meet_segment_over_box();
    }
    switch (pair_.b.kind) {
    case Core::Kind::Segment:
        half_sizes_ = along_y(pair_.b.half_length);
        return meet_box_or_segment();
    case Core::Kind::Box:
        half_sizes_ = pair_.b.sizes;
        return meet_box_or_segment();
    case Core::Kind::Frustum:
        return meet_frustum();
    case Core::Kind::Hull: {
        glm::dvec3 corner = pair_.support_b(-pair_.b_in_a.position);
        return meet_by_points_of_b(corner);
    }
    default:
        return false;
    }
}

// From a point of b to the normal of a that it is over, to the point of b that is lowest along it. Of a round b the
// lowest point tells a normal that turns from point to point to the root of rounding only. `point` is the last one.
bool ClosedForm::meet_by_points_of_b(glm::dvec3& point) noexcept {
    for (int turn = 0; turn < kCornerTurns; ++turn) {
        const FromSurface from_a = from_surface(pair_.a, point);
        const glm::dvec3 lowest = pair_.support_b(-from_a.normal);
        const double lower = glm::dot(from_a.normal, point - lowest);
        if (from_a.distance - lower > limit_) {
            return take_apart(from_a.distance - lower, from_a.normal);
        }
        if (lower <= near_) {
            return (pair_.b.is_polytope() || is_of_flat(pair_.a, from_a.normal)) &&
                   take(from_a.distance, from_a.normal, from_a.place, point);
        }
        point = lowest;
    }
    return false;
}

// The same the other way round: of a face of b.
bool ClosedForm::meet_by_points_of_a(glm::dvec3 point) noexcept {
    for (int turn = 0; turn < kCornerTurns; ++turn) {
        const FromSurface from_b = from_surface(pair_.b, pair_.to_b(point));
        const glm::dvec3 normal = pair_.b_in_a.rotation * from_b.normal;
        const glm::dvec3 lowest = pair_.support_a(-normal);
        const double lower = glm::dot(normal, point - lowest);
        if (from_b.distance - lower > limit_) {
            return take_apart(from_b.distance - lower, -normal);
        }
        if (lower <= near_) {
            return is_of_flat(pair_.b, from_b.normal) &&
                   take(from_b.distance, -normal, point, pair_.from_b(from_b.place));
        }
        point = lowest;
    }
    return false;
}

// A point of b that was found as the one that is nearest a's side.
bool ClosedForm::meet_at(const glm::dvec3& point) noexcept {
    const FromSurface from_a = from_surface(pair_.a, point);
    return glm::dot(from_a.normal, point - pair_.support_b(-from_a.normal)) <= near_ &&
           take(from_a.distance, from_a.normal, from_a.place, point);
}

WidestPlane ClosedForm::widest_of_box() const noexcept {
    using Of = WidestPlane::Of;
    const Core& a = pair_.a;
    const glm::dvec3& centre = pair_.b_in_a.position;
    WidestPlane widest;
    double height = 0.0;
    for (Axis i = 0; i < 3; ++i) {
        height += half_sizes_[i] * std::fabs(axis_of_b(i).y);
    }
    widest.consider(std::fabs(centre.y) - a.half_length - height, along_y(centre.y < 0.0 ? -1.0 : 1.0), Of::Cap, 1);
    for (Axis i = 0; i < 3 && !is_segment(); ++i) {
        const double along = glm::dot(centre, axis_of_b(i));
        const glm::dvec3 out = along < 0.0 ? -axis_of_b(i) : axis_of_b(i);
        widest.consider(std::fabs(along) - half_sizes_[i] - extent_along(a, out), out, Of::OtherFace, i);
    }
    for (Axis i = 0; i < 3 && a.bottom == a.top; ++i) {
        const glm::dvec3& edge = axis_of_b(i);
        const double sine = std::sqrt(edge.x * edge.x + edge.z * edge.z);
        if (!(sine > kCrossedSide) || !(half_sizes_[i] > 0.0)) {
            continue;
        }
        const glm::dvec3 across(edge.z / sine, 0.0, -edge.x / sine);
        const double along = glm::dot(centre, across);
        double width = a.top;
        for (const Axis k : {(i + 1) % 3, (i + 2) % 3}) {
            width += half_sizes_[k] * std::fabs(glm::dot(across, axis_of_b(k)));
        }
        widest.consider(std::fabs(along) - width, along < 0.0 ? -across : across, Of::Crossing, i);
    }
    return widest;
}

// The middle of the edge along an axis of b that is lowest along a direction of a.
glm::dvec3 ClosedForm::middle_of_edge(Axis along, const glm::dvec3& out) const noexcept {
    glm::dvec3 middle = pair_.b_in_a.position;
    for (const Axis k : {(along + 1) % 3, (along + 2) % 3}) {
        middle -= std::copysign(half_sizes_[k], glm::dot(out, axis_of_b(k))) * axis_of_b(k);
    }
    return middle;
}

// Where a line within b is lowest over the side: it passes the axis at t0, and on a cone it goes on a share of that
// distance.
bool ClosedForm::meet_by_edge(Axis along, const glm::dvec3& out) noexcept {
    const glm::dvec3 middle = middle_of_edge(along, out);
    const glm::dvec3& edge = axis_of_b(along);
    const double squared = edge.x * edge.x + edge.z * edge.z;
    const Lean lean(pair_.a);
    const double share = -edge.y * lean.sine / (std::sqrt(squared) * lean.cosine); // from t0 on
    if (!(squared > kCrossedSide * kCrossedSide) || !(std::fabs(share) < 1.0)) {
        return false;
    }
    const double passes = -(middle.x * edge.x + middle.z * edge.z) / squared;
    const double from_axis = std::fabs(middle.x * edge.z - middle.z * edge.x) / squared;
    const double t = passes + from_axis * share / std::sqrt((1.0 - share) * (1.0 + share));
    return std::fabs(t) <= half_sizes_[along] && meet_at(middle + t * edge);
}

bool ClosedForm::meet_box_or_segment() noexcept {
    using Of = WidestPlane::Of;
    const WidestPlane widest = widest_of_box();
    if (widest.gap > limit_) {
        return take_apart(widest.gap, widest.out);
    }
    if (widest.of == Of::OtherFace && meet_by_points_of_a(pair_.support_a(widest.out))) {
        return true;
    }
    if (widest.of == Of::Crossing && meet_by_edge(widest.axis, widest.out)) {
        return true;
    }
    glm::dvec3 corner = pair_.support_b(-widest.out);
    if (meet_by_points_of_b(corner)) {
        return true;
    }
    if (pair_.a.bottom != pair_.a.top) {
        const glm::dvec3 out = from_surface(pair_.a, corner).normal;
        for (Axis i = 0; i < 3; ++i) {
            if (half_sizes_[i] > 0.0 && meet_by_edge(i, out)) {
                return true;
            }
        }
    }
    return meet_by_rim_and_edge(widest.out);
}

// A segment of b over a box: an end, or where it passes an edge.
bool ClosedForm::meet_segment_over_box() noexcept {
    const glm::dvec3& along = axis_of_b(1);
    const glm::dvec3& centre = pair_.b_in_a.position;
    const auto nearest_to = [&](const glm::dvec3& place) {
        const double t = glm::dot(place - centre, along);
        return centre + std::clamp(t, -pair_.b.half_length, pair_.b.half_length) * along;
    };
    glm::dvec3 point = nearest_to(glm::dvec3(0.0));
    for (int turn = 0; turn < kEdgeTurns; ++turn) {
        point = nearest_to(glm::clamp(point, -half_sizes_, half_sizes_));
    }
    glm::dvec3 end = point;
    if (meet_by_points_of_b(end)) {
        return true;
    }
    const Axis k = edge_near(point);
    glm::dvec3 edge(0.0);
    edge[k] = 1.0;
    glm::dvec3 middle(std::copysign(half_sizes_.x, point.x), std::copysign(half_sizes_.y, point.y),
                      std::copysign(half_sizes_.z, point.z));
    middle[k] = 0.0;
    const glm::dvec3 across = glm::cross(along, edge);
    const double squared = glm::dot(across, across);
    if (!(squared > kCrossedSide * kCrossedSide)) {
        return false;
    }
    const double t = glm::dot(glm::cross(middle - centre, edge), across) / squared;
    return std::fabs(t) <= pair_.b.half_length && meet_at(centre + t * along);
}

// The axis of the edge of b that a point is nearest to.
Axis ClosedForm::edge_near(const glm::dvec3& in_b) const noexcept {
    const glm::dvec3 beyond = absolute(in_b) - half_sizes_;
    const Axis least = beyond.x < beyond.y ? 0 : 1;
    return is_segment() && pair_.a.kind != Core::Kind::Box ? 1 : beyond[least] < beyond.z ? least : 2;
}

bool meet_in_closed_form(const CorePair& pair, double limit, Meeting& meeting) noexcept {
    return ClosedForm(pair, limit, meeting).meet();
}

} // namespace substep::detail
