// A motion without a closed form, solved once to the last digits from equations of its own.
#pragma once

#include <memory>
#include <vector>

#include "substep/integrators/ode_system.h"

namespace substep {

/// The solution of an OdeSystem from t = 0, for the truth of a scene: minimal coordinates, never a World.
///
/// The system is integrated by dormand_prince853 at a tolerance near round-off, and its state kept at equidistant
/// nodes; between them it is integrated from the node before. How good that is, `disagreement` says.
class ReferenceMotion {
public:
    /// Solves up to `until` (s, positive) and keeps a state every `interval` seconds. tolerance: of each substep,
    /// absolute and relative, so coordinates should be of the order of one. Throws std::invalid_argument for times that
    /// are not positive, and std::runtime_error if the system cannot be integrated so far.
    ReferenceMotion(std::unique_ptr<OdeSystem> system, std::vector<double> start, double until, double interval = 0.125,
                    double tolerance = 1e-15);

    /// Returns the state at time t (s), held to [0, until()]. Costs a few substeps.
    std::vector<double> at(double t) const;

    double until() const noexcept;

    /// Returns the largest difference of any component at any node to a second solution, by verner87 at a hundred times
    /// the tolerance: other coefficients and other substeps, so that what both share is the solution.
    double disagreement() const;

private:
    std::vector<std::vector<double>> solve(const char* method, double tolerance, std::size_t nodes) const;
    void advance(const char* method, double tolerance, double t0, double t1, std::vector<double>& y) const;

    std::unique_ptr<OdeSystem> system_; // pure, whatever is asked of it
    double interval_;
    double tolerance_;
    std::vector<std::vector<double>> nodes_;
};

} // namespace substep
