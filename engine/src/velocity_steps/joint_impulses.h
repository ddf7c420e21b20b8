// Impulses of the joints within a velocity step.
#pragma once

#include <span>
#include <vector>

#include "dynamics/configuration.h"
#include "substep/engine/world.h"

namespace substep::detail {

/// Makes velocities obey the joints at the places where a step begins, again after each change, and adds up the
/// impulses.
class JointImpulses {
public:
    explicit JointImpulses(Configuration& configuration) noexcept : c_(&configuration) {}

    /// Sizes scratch space for the configuration. Allocates to grow.
    void resize();

    JointCorrection correction() const noexcept { return correction_; }
    void set_correction(JointCorrection correction) noexcept { correction_ = correction; }

    void begin_step() noexcept;
    /// Gives impulses that make J v = 0 or, under Baumgarte's correction, that close a fifth of the gaps within the
    /// step's length h (s). Afterwards the bodies' velocities are those of y.
    void obey(double h, std::span<double> y) noexcept;
    /// All impulses of the step, N s or N m s per row.
    std::span<const double> sum() const noexcept { return impulse_sum_; }
    /// Leaves only a part of the impulses given since they were `before`.
    void go_back(std::span<const double> before, double part) noexcept;

private:
    Configuration* c_;
    JointCorrection correction_ = JointCorrection::PositionProjection;
    std::vector<double> impulse_sum_;
    // Scratch space.
    std::vector<double> lambda_;
    std::vector<double> gaps_;
    std::vector<Wrench> reactions_;
};

} // namespace substep::detail
