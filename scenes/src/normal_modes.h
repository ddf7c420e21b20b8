// The exact motion of equal masses on a line, coupled by springs: a sum of normal modes.
#pragma once

#include <array>
#include <vector>

namespace substep::detail {

/// Equal masses in a row, each tied to its neighbours and the outer ones to walls: m x_i'' = -sum of k (x_i - x_j).
///
/// From rest x_i(t) = sum over modes of shape_i q cos(w t), where q is the part of the start along the orthonormal
/// shape (Landau & Lifshitz, Mechanics, section 23).
class NormalModes {
public:
    struct Mode {
        long double rate = 0.0L;        ///< rad/s
        std::vector<long double> shape; ///< orthonormal
    };

    /// Two masses (kg) with `wall` and `coupling` springs (N/m): together at sqrt(k/m), against each other at
    /// sqrt((k + 2 k')/m).
    static NormalModes of_two(double mass, double wall, double coupling);

    /// `count` masses with equal springs: w_j = 2 sqrt(k/m) sin(j pi/(2 n + 2)), shape_i ~ sin(i j pi/(n + 1)), the
    /// loaded string of Lagrange (Goldstein, Classical Mechanics, 3rd ed., 6.4).
    static NormalModes of_string(int count, double mass, double spring);

    const std::vector<Mode>& modes() const noexcept { return modes_; }

    /// Returns displacements (m) and velocities (m/s) at time t >= 0 from displacements at rest at t = 0.
    struct State {
        std::vector<double> position;
        std::vector<double> rate;
    };
    State at(double t, const std::vector<double>& start) const;

private:
    std::vector<Mode> modes_;
};

} // namespace substep::detail
