// A hanging chain of rigid links in one plane by Lagrange's equations in its angles.
#pragma once

#include <vector>

#include "substep/scenes/double_pendulum_motion.h"
#include "substep/scenes/reference_motion.h"

namespace substep::detail {

/// Links hinged end to end, the first to the origin; angles from hanging, counter-clockwise.
///
/// With e_i = (sin theta_i, -cos theta_i), link k's centre of mass is at sum of a_ki e_i, a_ki = l_i for i < k, c_k for
/// i = k. Then A_ij = sum over k of m_k a_ki a_kj (+ I_i for i = j), G_i = sum over k of m_k a_ki, and
///     sum_j A_ij (cos(theta_i - theta_j) theta_j'' + sin(theta_i - theta_j) theta_j'^2) + G_i g sin theta_i = 0
/// (Lagrange's equations; Goldstein, Classical Mechanics, 3rd ed., 1.4), solved by Cholesky's factorisation.
class PlanarChainEquations {
public:
    /// gravity in m/s^2. Throws std::invalid_argument for an empty chain or a link without mass or length.
    PlanarChainEquations(const std::vector<PendulumLink>& links, double gravity);

    /// y = (theta_1 .. theta_n, theta_1' .. theta_n').
    void rates(std::span<const double> y, std::span<double> dydt) const;

    /// Returns kinetic plus potential energy in J, the latter zero for a horizontal chain.
    double energy(std::span<const double> y) const;

    std::size_t count() const noexcept { return weight_.size(); }

private:
    double coupling(std::size_t i, std::size_t j) const { return coupling_[i * count() + j]; }

    std::vector<double> coupling_; // A, kg m^2
    std::vector<double> weight_;   // G g, N m
};

/// Solves them from (angles, rates) up to `until` (s).
ReferenceMotion planar_chain_motion(const PlanarChainEquations& equations, const std::vector<double>& start,
                                    double until, double interval = 1.0 / 2048.0);

} // namespace substep::detail
