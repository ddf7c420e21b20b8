// Rims over edges and sides.
#include <array>
#include <cstddef>

#include "closed_forms.h"

namespace substep::detail {
namespace {

// Of the larger size: a rim and an edge overlap least but for another overlap that is less by no more than this.
constexpr double kRimOtherLess = 1e-8;

} // namespace

RimAngle ClosedForm::rim_of_a(const glm::dvec3& out) const noexcept {
    const SupportElement element = support_element(pair_.a, out);
    return {element.centre, element.rim, glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(0.0, 0.0, 1.0)};
}

// From a rim to the edge that it is nearest to, and from the plane across both to the rim that is lowest there.
bool ClosedForm::meet_by_rim_and_edge(glm::dvec3 out) noexcept {
    for (int turn = 0; turn < kEdgeTurns; ++turn) {
        RimAngle rim = rim_of_a(out);
        if (!(rim.radius > 0.0) || !(rim.face(out) || rim.face(pair_.b_in_a.position))) {
            return false;
        }
        const glm::dvec3 in_b = pair_.to_b(rim.point());
        const Axis along = edge_near(in_b);
        const glm::dvec3 middle = middle_of_edge(along, -(pair_.b_in_a.rotation * in_b));
        const glm::dvec3& edge = axis_of_b(along);
        const auto slopes = [&](const RimAngle& at) { // of half the squared distance from the edge's line
            const glm::dvec3 from = at.point() - middle;
            const glm::dvec3 across = from - glm::dot(from, edge) * edge;
            const glm::dvec3 first = at.radius * at.tangent();
            const double along_edge = glm::dot(first, edge);
            return Slopes{glm::dot(across, first), at.radius * at.radius - along_edge * along_edge -
                                                       at.radius * glm::dot(across, at.outwards())};
        };
        if (!turn_to_lowest(rim, slopes)) {
            return false;
        }
        const glm::dvec3 on_a = rim.point();
        const double t = glm::dot(on_a - middle, edge);
        const glm::dvec3 on_b = middle + t * edge;
        const double apart = glm::length(on_b - on_a);
        if (!(apart > kTooCloseForNormal * pair_.size())) {
            return false;
        }
        const bool is_inside = glm::dot(on_b - on_a, rim.outwards()) < 0.0;
        const double distance = is_inside ? -apart : apart;
        out = (on_b - on_a) / distance;
        if (std::fabs(t) <= half_sizes_[along] && distance - pair_.parted_along(-out) <= near_) {
            return (!is_inside || holds_ball(rim, middle, along, on_b, out, apart)) && take(distance, out, on_a, on_b);
        }
    }
    return false;
}

// Whether the difference holds the ball of the depth. Along the edge a solid is a figure in the plane; if points of
// a are the corners of a polygon there that holds the ball's disc, and the edge reaches past each of them by the
// ball's radius, then whatever way within the ball the edge is moved, it still meets their hull. Beside the lowest
// point the next ones are close, so that the polygon's sides hardly tilt.
bool ClosedForm::holds_ball(const RimAngle& rim, const glm::dvec3& middle, Axis along, const glm::dvec3& on_b,
                            const glm::dvec3& out, double depth) const noexcept {
    constexpr std::array<double, 4> kHalfAngles{5e-4, 4e-3, 0.032, 0.25}; // their tangents
    const glm::dvec3& edge = axis_of_b(along);
    const glm::dvec3 aside = glm::cross(edge, out);
    const glm::dvec3 outwards = rim.outwards();
    const glm::dvec3 tangent = rim.tangent();
    struct SeenPoint {
        double x;
        double y;
    };
    std::array<SeenPoint, 2 * kHalfAngles.size() + 2> seen;
    std::size_t count = 0;
    const auto add = [&](const glm::dvec3& point) {
        if (!(std::fabs(glm::dot(point - middle, edge)) <= half_sizes_[along] - depth)) {
            return false;
        }
        seen[count++] = {glm::dot(point - on_b, out), glm::dot(point - on_b, aside)};
        return true;
    };
    const auto beside = [&](double half) {
        const double scale = rim.radius / (1.0 + half * half);
        return rim.centre + scale * ((1.0 - half * half) * outwards + 2.0 * half * tangent);
    };
    if (!add(rim.point())) {
        return false;
    }
    std::size_t on_one_hand = 0;
    while (on_one_hand < kHalfAngles.size() && add(beside(kHalfAngles[on_one_hand]))) {
        ++on_one_hand;
    }
    // Halfway through the cylinder from the lowest point, or a cone's middle.
    const double through = std::min(2.0 * pair_.a.half_length / std::fabs(out.y),
                                    2.0 * rim.radius / std::max(glm::dot(out, outwards), 0.0));
    if (!add(pair_.a.bottom == pair_.a.top ? rim.point() - 0.5 * through * out : glm::dvec3(0.0))) {
        return false;
    }
    std::size_t on_other_hand = 0;
    while (on_other_hand < kHalfAngles.size() && add(beside(-kHalfAngles[on_other_hand]))) {
        ++on_other_hand;
    }
    std::reverse(seen.begin() + static_cast<std::ptrdiff_t>(count - on_other_hand),
                 seen.begin() + static_cast<std::ptrdiff_t>(count));
    if (on_one_hand == 0 || on_other_hand == 0) {
        return false;
    }
    const double turn = seen[1].y > 0.0 ? 1.0 : -1.0;
    const double radius = depth - kRimOtherLess * pair_.size();
    for (std::size_t i = 0; i < count; ++i) {
        const SeenPoint& from = seen[i];
        const SeenPoint& to = seen[i + 1 < count ? i + 1 : 0];
        const double area = turn * (from.x * to.y - from.y * to.x);
        const double x = to.x - from.x;
        const double y = to.y - from.y;
        if (!(area > 0.0) || !(area * area >= radius * radius * (x * x + y * y))) {
            return false;
        }
    }
    return true;
}

WidestPlane ClosedForm::widest_of_frustum() const noexcept {
    using Of = WidestPlane::Of;
    const Core& a = pair_.a;
    const Core& b = pair_.b;
    const glm::dvec3& centre = pair_.b_in_a.position;
    const glm::dvec3& axis = axis_of_b(1);
    WidestPlane widest;
    const glm::dvec3 up = along_y(centre.y < 0.0 ? -1.0 : 1.0);
    widest.consider(std::fabs(centre.y) - a.half_length - extent_along(b, -up * pair_.b_in_a.rotation), up, Of::Cap, 1);
    const double along_b = glm::dot(centre, axis);
    const glm::dvec3 out = along_b < 0.0 ? -axis : axis;
    widest.consider(std::fabs(along_b) - b.half_length - extent_along(a, out), out, Of::OtherFace, 1);
    const double sine = std::sqrt(axis.x * axis.x + axis.z * axis.z);
    if (a.bottom == a.top && b.bottom == b.top && sine > kCrossedSide) {
        const glm::dvec3 across(axis.z / sine, 0.0, -axis.x / sine);
        const double along = glm::dot(centre, across);
        widest.consider(std::fabs(along) - a.top - b.top, along < 0.0 ? -across : across, Of::Crossing, 1);
    }
    const Lean lean_a(a);
    const Lean lean_b(b);
    for (const double end : {-1.0, 1.0}) {
        const glm::dvec3 of_b = centre + end * b.half_length * axis;
        consider_side(lean_a, of_b, along_y(1.0), 1.0, Of::RimOfSecond, widest);
        consider_side(lean_b, along_y(end * a.half_length) - centre, axis, -1.0, Of::RimOfFirst, widest);
    }
    // A side that lies on a cap which is nearly level with it, over the rim.
    consider_side(lean_a, out, along_y(1.0), 1.0, Of::RimOfSecond, widest);
    consider_side(lean_b, -up, axis, -1.0, Of::RimOfFirst, widest);
    return widest;
}

// The normal of a side about an axis that faces a place; of the second solid it is turned to the other side. Where the
// place is on the axis, what is left across it is rounding, and any normal does that has its length.
void ClosedForm::consider_side(const Lean& lean, const glm::dvec3& place, const glm::dvec3& axis, double turned,
                               WidestPlane::Of of, WidestPlane& widest) const noexcept {
    const glm::dvec3 across = place - glm::dot(place, axis) * axis;
    const double length = glm::length(across);
    if (length > 0.0) {
        const glm::dvec3 out = turned * glm::normalize(lean.cosine / length * across + lean.sine * axis);
        const double gap = glm::dot(pair_.b_in_a.position, out) - extent_along(pair_.a, out) -
                           extent_along(pair_.b, -out * pair_.b_in_a.rotation);
        widest.consider(gap, out, of, 1);
    }
}

bool ClosedForm::meet_frustum() noexcept {
    using Of = WidestPlane::Of;
    const WidestPlane widest = widest_of_frustum();
    if (widest.gap > limit_) {
        return take_apart(widest.gap, widest.out);
    }
    glm::dvec3 corner = pair_.support_b(-widest.out);
    if ((widest.of == Of::Cap && meet_by_points_of_b(corner)) ||
        (widest.of == Of::OtherFace && meet_by_points_of_a(pair_.support_a(widest.out))) ||
        (widest.of == Of::Crossing && meet_by_crossing(widest.out))) {
        return true;
    }
    // Which rim is over which side the plane foretells nearly always.
    const bool is_of_b_first = widest.of != Of::RimOfFirst;
    return is_of_b_first ? meet_by_rim_of_b(widest.out) || meet_by_rim_of_a(widest.out)
                         : meet_by_rim_of_a(widest.out) || meet_by_rim_of_b(widest.out);
}

bool ClosedForm::meet_by_rim_of_a(const glm::dvec3& out) noexcept {
    const CorePair turned = turned_round(pair_);
    if (!ClosedForm(turned, limit_, meeting_).meet_by_rim_of_b(-out * pair_.b_in_a.rotation)) {
        return false;
    }
    meeting_ = turned_back(pair_, meeting_);
    return true;
}

// Two cylinders: where their axes pass one another.
bool ClosedForm::meet_by_crossing(const glm::dvec3& out) noexcept {
    const glm::dvec3& axis = axis_of_b(1);
    const glm::dvec3& centre = pair_.b_in_a.position;
    const double t = -(centre.x * axis.x + centre.z * axis.z) / (axis.x * axis.x + axis.z * axis.z);
    return std::fabs(t) <= pair_.b.half_length && meet_at(centre + t * axis - pair_.b.top * out);
}

// The rim of b that is lowest along a direction, over the side of a.
bool ClosedForm::meet_by_rim_of_b(const glm::dvec3& out) noexcept {
    const SupportElement element = support_element(pair_.b, -out * pair_.b_in_a.rotation);
    RimAngle rim{pair_.from_b(element.centre), element.rim, axis_of_b(0), axis_of_b(2)};
    if (!(rim.radius > 0.0) || !rim.face(-out)) {
        return false;
    }
    const Lean lean(pair_.a);
    const auto slopes = [&](const RimAngle& at) { // of how far the point is out along the side's normal
        const glm::dvec3 p = at.point();
        const glm::dvec3 first = at.radius * at.tangent();
        const glm::dvec3 second = -at.radius * at.outwards();
        const double radius = std::sqrt(p.x * p.x + p.z * p.z);
        const double slope = (p.x * first.x + p.z * first.z) / radius;
        const double bends = first.x * first.x + first.z * first.z + p.x * second.x + p.z * second.z;
        return Slopes{lean.cosine * slope + lean.sine * first.y,
                      lean.cosine * (bends - slope * slope) / radius + lean.sine * second.y};
    };
    return turn_to_lowest(rim, slopes) && meet_at(rim.point());
}

} // namespace substep::detail
