// A solid of the narrow phase on the body that carries it.
#pragma once

#include <glm/geometric.hpp>

#include "substep/collision/convex.h"
#include "substep/collision/feature_contact.h"

namespace substep::detail {

/// A solid as its body carries it.
struct CarriedSolid {
    Convex solid;
    Placement in_body;  ///< in the body's principal axes, from its centre of mass
    double reach = 0.0; ///< m, of its farthest point from the centre of mass; infinite of a half space

    /// The place of the solid, where its body is.
    Placement placed(const Placement& body) const noexcept {
        return {body.position + body.rotation * in_body.position, body.rotation * in_body.rotation};
    }
    /// How far (m) the body's turning can carry a point of it: nothing of a ball about the centre of mass.
    double arm() const noexcept { return is_ball(solid) ? glm::length(in_body.position) : reach; }
};

} // namespace substep::detail
