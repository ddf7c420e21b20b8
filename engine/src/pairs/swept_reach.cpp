// A swept ball is a capsule: the narrow phase tells how far it is from the shape.
#include "pairs/swept_reach.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <glm/geometric.hpp>

#include "substep/collision/convex.h"
#include "substep/collision/narrow_phase.h"
#include "substep/collision/solid_extent.h"

namespace substep::detail {

Pose still_pose(const BodyRecord& body, const ColliderDesc& collider, double t) noexcept {
    return placed(pose_at(body, position_of(body, t), orientation_of(body, t)), collider);
}

bool reaches(const StepPath& path, std::size_t i, double end, double within, const BodyRecord& still,
             const ColliderDesc& collider, double t) noexcept {
    if (is_ball(collider.shape) && still.colliders.size() == 1 && within >= 0.0) {
        return true;
    }
    const PathPiece& piece = path.piece(i);
    const glm::dvec3 to = path.place_on(i, end);
    const glm::dvec3 way = to - piece.x;
    const double length = glm::length(way);
    Placement swept{0.5 * (piece.x + to)};
    if (length > 0.0) {
        const glm::dvec3 along = way / length;
        const glm::dvec3 aslant = std::abs(along.x) < 0.5 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
        const glm::dvec3 across = glm::normalize(glm::cross(along, aslant));
        swept.rotation = glm::dmat3(across, along, glm::cross(across, along));
    }
    const double radius = path.radius() + within + path.sag(end - piece.t);
    const ShapeSolid solid = solid_of(collider.shape);
    const Pose pose = still_pose(still, collider, t);
    const Placement at{pose.position, glm::mat3_cast(pose.orientation) * solid.rotation};
    const std::optional<double> from_middle =
        distance_of_point(solid.solid, (swept.position - at.position) * at.rotation);
    if (from_middle && (*from_middle <= radius || *from_middle > radius + 0.5 * length)) {
        return *from_middle <= radius;
    }
    return distance(TaperedCapsule{radius, radius, 0.5 * length}, swept, solid.solid, at).distance <= 0.0;
}

MovingPlane::MovingPlane(const BodyRecord& body, const ColliderDesc& plane, double t0, double t1) noexcept
    : dt_(t1 - t0) {
    const glm::dvec3 centre = position_of(body, t0);
    const Pose pose = placed(pose_at(body, centre, orientation_of(body, t0)), plane);
    plane_ = {pose.position, pose.orientation * glm::dvec3(0.0, 1.0, 0.0)};
    const Twist velocity = velocity_of(body, t0);
    speed_ = glm::length(velocity.linear) + 0.5 * glm::length(body.prescribed().acceleration_at(t0).linear) * dt_;
    turn_ = glm::length(velocity.angular);
    speed_ += turn_ * glm::length(pose.position - centre);
}

bool MovingPlane::meets(const glm::dvec3& from, const glm::dvec3& to, double radius, double aside) const noexcept {
    const double a = glm::dot(plane_.normal, from - plane_.point);
    const double b = glm::dot(plane_.normal, to - plane_.point);
    const double away = std::max(glm::length(from - plane_.point), glm::length(to - plane_.point));
    return std::min(a, b) - radius - aside <= (speed_ + turn_ * (away + aside)) * dt_;
}

} // namespace substep::detail
