// A motion without a closed form, solved to the last digits from equations of its own, as far as it is asked for.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "substep/integrators/ode_system.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// The solution of an OdeSystem from t = 0, for the truth of a scene: minimal coordinates, never a World.
///
/// Each interval is one substep of dormand_prince853, of fixed length: a tolerance near round-off would chase
/// round-off. What is integrated is the difference from the interval's start: it is small, so it is rounded finely, and
/// what rounding takes from the sum is carried on. Of the methods of eighth order it is the one whose coefficients
/// round least: sum b_i c_i is wrong by 2e-16 and the sum of b_i a_ij by 5e-16, against 1e-15 and 5e-14 of verner87,
/// which showed as 1e-12 in 20 s. Between nodes a shorter substep from the one before gives the state at any time, the
/// same bits in whatever order times are asked for. How good all that is, `disagreement` says.
class ReferenceMotion {
public:
    /// Writes f(t, y) to `dydt`. Pure. The time has the digits of long double: a drive of 100 rad/s would lose as many
    /// of them as t grows as its phase has turns.
    using Rates = std::function<void(long double t, std::span<const double> y, std::span<double> dydt)>;

    /// A motion up to `until` (s, positive), a node every `interval` seconds, about a fiftieth of the fastest swing.
    /// Nodes are found as far as `at` asks: all of a minute's took a tenth of a second. Throws std::invalid_argument
    /// for times that are not positive.
    ReferenceMotion(std::unique_ptr<OdeSystem> system, std::vector<double> start, double until,
                    double interval = 1.0 / 256.0);
    ReferenceMotion(Rates rates, std::vector<double> start, double until, double interval = 1.0 / 256.0);

    /// Returns the state at time t (s), held to [0, until()]. Costs a substep, and those of the nodes up to t that
    /// nobody asked for before. Throws std::runtime_error if the system cannot be integrated so far. Not thread-safe.
    std::vector<double> at(double t) const;

    double until() const noexcept;

    /// Returns the largest difference of any component at any node to a second solution at half the interval, whose
    /// errors of truncation are 256 times smaller and whose roundings are others. Relative to the component's largest
    /// value, where that is above one: 1e-12 is twelve digits.
    double disagreement() const;

private:
    // A state as a sum of two numbers each.
    struct Node {
        std::vector<double> state;
        std::vector<double> lost; // what rounding took from it
    };
    // Adds nodes, an `interval` apart, until there are `count`. There is one to begin with.
    static void extend(const Rates& rates, double interval, std::size_t count, std::vector<Node>& nodes);

    Rates rates_;
    double interval_;
    std::size_t last_;                // node, the first is 0
    mutable std::vector<Node> nodes_; // found so far: the same ones in whatever order times are asked for
};

} // namespace substep

#pragma GCC visibility pop
