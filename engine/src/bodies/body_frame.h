// The place of a body at a stage, as forces, joints and contacts read it.
#pragma once

#include <glm/mat3x3.hpp>

#include "substep/collision/feature_contact.h"

namespace substep::detail {

/// Place of a body, its centre of mass and principal axes, and how it answers to forces there. Bodies that no force
/// moves have zero inverses.
struct BodyFrame : Placement {
    glm::dmat3 inverse_inertia{0.0}; ///< world axes
    double inverse_mass = 0.0;
};

} // namespace substep::detail
