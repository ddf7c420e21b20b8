// Whether the ball that a body sweeps comes to a shape that stands still, or to a plane.
#pragma once

#include <cstddef>

#include "bodies/body_step.h"
#include "bodies/body_store.h"
#include "substep/collision/bounds.h"

namespace substep::detail {

/// Where a collider of a body that stands still is, t (s) being now.
Pose still_pose(const BodyRecord& body, const ColliderDesc& collider, double t) noexcept;

/// Whether a body on piece i of its path, up to `end` (s), gets within `within` (m) of a collider of a body that stands
/// still at time t (s). Of floors and walls the shape itself is asked, because a ball around one holds much that is far
/// from it; of two single balls the paths have been compared before.
bool reaches(const StepPath& path, std::size_t i, double end, double within, const BodyRecord& still,
             const ColliderDesc& collider, double t) noexcept;

/// A plane that may move while a step is made.
class MovingPlane {
public:
    MovingPlane(const BodyRecord& body, const ColliderDesc& plane, double t0, double t1) noexcept;

    /// Whether a ball that goes from one place to another meets it; the ball's way may leave its chord by `aside` (m).
    bool meets(const glm::dvec3& from, const glm::dvec3& to, double radius, double aside) const noexcept;

private:
    SweptHalfSpace plane_;
    double dt_;          ///< s
    double speed_ = 0.0; ///< m/s
    double turn_ = 0.0;  ///< rad/s
};

} // namespace substep::detail
