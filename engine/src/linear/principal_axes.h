// Principal axes of a rigid body, once, when it is created.
#pragma once

#include "substep/collision/glm_types.h"

namespace substep::detail {

struct PrincipalAxes {
    glm::dvec3 moments{1.0};                                     ///< kg m^2
    glm::dquat to_body = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< principal axes to body axes
};

/// Diagonalises a symmetric tensor by cyclic Jacobi rotations. A tensor that is diagonal already keeps its axes. An
/// infinite moment on the diagonal stays where it is, beside zeros in its row and column.
/// Source: Golub & Van Loan, Matrix Computations, 4th ed., 8.5.
PrincipalAxes principal_axes(const glm::dmat3& inertia);

} // namespace substep::detail
