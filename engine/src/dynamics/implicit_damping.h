// Drag and dampers on single bodies, taken at the end of a velocity step, so that no strength of theirs makes it
// unstable; theta finds its contact forces against them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dynamics/accelerations.h"
#include "dynamics/stiff_elements.h"

namespace substep::detail {

/// With the mass M of one body, forces f at the start of a step of length h, and damping D, the symmetric part of
/// -df/du of what acts on that body alone: (M + h D) du = h f. Bodies without damping keep their forces to the bit.
/// Dampers between two bodies are left as they are: each end by itself would not keep the momentum of both.
/// Source: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.7: the linearly implicit Euler
/// method.
class ImplicitDamping {
public:
    ImplicitDamping(Configuration& configuration, Accelerations& accelerations, StiffElements& elements) noexcept
        : c_(&configuration), accelerations_(&accelerations), elements_(&elements) {}

    /// Sizes scratch space for the configuration's bodies. Allocates to grow.
    void resize();

    /// Replaces the forces that were written last by those that lead in a time h (s) to the damped velocities.
    /// Allocates where fields came since the last call.
    void yield(double t, double h) noexcept;

    /// Adds to powers of forces at the step's start, taken at the bodies' velocities, what damping did not do.
    void correct_powers(std::span<double> powers) const noexcept;

private:
    /// An end of an element that damps its body alone.
    struct Damper {
        std::size_t element = 0;
        std::size_t end = 0;
        int next = -1; ///< of the same body, in `dampers_`
    };
    void list_dampers();
    void yield_body(std::size_t body, double h) noexcept;

    Configuration* c_;
    Accelerations* accelerations_;
    StiffElements* elements_;
    std::vector<Twist> changes_; ///< of the damped bodies' velocities, by all forces
    std::vector<Damper> dampers_;
    std::vector<int> first_of_body_; ///< in `dampers_`; -1: nothing damps it
};

} // namespace substep::detail
