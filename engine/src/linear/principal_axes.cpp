// Cyclic Jacobi diagonalisation of a 3 x 3 symmetric tensor.
#include "linear/principal_axes.h"

#include <cmath>
#include <limits>

namespace substep::detail {

PrincipalAxes principal_axes(const glm::dmat3& inertia) {
    glm::dmat3 a = inertia;
    glm::dmat3 axes(1.0);
    for (int k = 0; k < 3; ++k) {
        if (inertia[k][k] == std::numeric_limits<double>::infinity()) {
            a[k][k] = 0.0; // a principal axis already: the others do not turn it
        }
    }

    // Convergence is quadratic: six sweeps reach round-off for any tensor, the bound only ends the loop for NaN.
    constexpr int kMaxSweeps = 30;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        const double off = std::abs(a[0][1]) + std::abs(a[0][2]) + std::abs(a[1][2]);
        const double scale = std::abs(a[0][0]) + std::abs(a[1][1]) + std::abs(a[2][2]);
        if (!(off > std::numeric_limits<double>::epsilon() * 1e-3 * scale)) {
            break;
        }
        for (int p = 0; p < 2; ++p) {
            for (int r = p + 1; r < 3; ++r) {
                if (a[p][r] == 0.0) {
                    continue;
                }
                // t = tan of the smaller angle that zeroes a_pr.
                const double tau = (a[r][r] - a[p][p]) / (2.0 * a[p][r]);
                const double t = (tau >= 0.0 ? 1.0 : -1.0) / (std::abs(tau) + std::sqrt(1.0 + tau * tau));
                const double c = 1.0 / std::sqrt(1.0 + t * t);
                glm::dmat3 rotation(1.0);
                rotation[p][p] = rotation[r][r] = c;
                rotation[r][p] = t * c;
                rotation[p][r] = -t * c;
                a = glm::transpose(rotation) * a * rotation;
                a[p][r] = a[r][p] = 0.0;
                axes = axes * rotation;
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (inertia[k][k] == std::numeric_limits<double>::infinity()) {
            a[k][k] = inertia[k][k];
        }
    }
    // Rotations keep the axes right-handed, so they are a rotation themselves.
    return {{a[0][0], a[1][1], a[2][2]}, glm::normalize(glm::quat_cast(axes))};
}

} // namespace substep::detail
