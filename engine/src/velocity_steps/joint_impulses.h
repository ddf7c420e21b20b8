// Impulses of the joints within a velocity step.
#pragma once

#include <span>
#include <vector>

#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"
#include "substep/engine/world.h"
#include "velocity_steps/driven_joints.h"

namespace substep::detail {

/// Makes velocities obey the joints at the places where a step begins, again after each change, lets actuators push as
/// their laws ask for at these velocities, and adds up the impulses.
class JointImpulses {
public:
    JointImpulses(Configuration& configuration, Accelerations& accelerations) noexcept
        : c_(&configuration), accelerations_(&accelerations) {}

    /// Sizes scratch space for the configuration. Allocates to grow.
    void resize();
    /// Says that joints or actuators are others now.
    void outdate() noexcept { driven_.outdate(); }

    JointCorrection correction() const noexcept { return correction_; }
    void set_correction(JointCorrection correction) noexcept { correction_ = correction; }

    /// Begins a step of length h (s) where the bodies were placed last.
    void begin_step(double h);
    /// Gives impulses that make J v = 0 or, under Baumgarte's correction, that close a fifth of the gaps within the
    /// step's length h (s). Afterwards the bodies' velocities are those of y.
    void obey(double h, std::span<double> y) noexcept;
    /// The same, and actuators give what they ask for at the velocities that come of it, as contacts push now. Who
    /// calls it asks contacts again, whose turns with stiff actuators do not converge: these wait meanwhile.
    void drive(double h, std::span<double> y) noexcept;
    /// All impulses of the step, N s or N m s per row of the joints' equations.
    std::span<const double> sum() const noexcept { return impulse_sum_; }
    /// Those of actuators besides; null where there are none.
    const ActuatorRows* actuators() const noexcept { return is_driven() ? &driven_.actuators() : nullptr; }
    /// Counts the impulses of both, and writes them.
    std::size_t count() const noexcept;
    void write(std::span<double> impulses) const noexcept;
    /// Leaves only a part of the impulses given since they were `before`.
    void go_back(std::span<const double> before, double part) noexcept;

private:
    bool is_driven() const noexcept { return !accelerations_->actuators().empty(); }

    Configuration* c_;
    Accelerations* accelerations_;
    DrivenJoints driven_;
    JointCorrection correction_ = JointCorrection::PositionProjection;
    std::vector<double> impulse_sum_;
    // Scratch space.
    std::vector<double> lambda_;
    std::vector<double> gaps_;
    std::vector<double> wanted_;
    std::vector<Wrench> reactions_;
};

} // namespace substep::detail
