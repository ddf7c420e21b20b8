// Kick and drift of an island: RATTLE for joints, a symplectic splitting for rotation.
#pragma once

#include <span>
#include <vector>

#include "dynamics/accelerations.h"
#include "dynamics/joint_closing.h"
#include "dynamics/velocity_turn.h"
#include "dynamics/works.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// RATTLE (Andersen, J. Comput. Phys. 52 (1983) 24; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1.4):
/// the drift adds impulses J(q_n)^T lambda to the momenta such that C(q_{n+1}) = 0, then the momenta are projected at
/// q_{n+1}. Multipliers of the acceleration inside the kick, with projection, would not be symplectic and gain energy.
class KickDrift final : public KickDriftSplit {
public:
    KickDrift(Configuration& configuration, Works& works, Accelerations& accelerations, JointClosing& joints,
              VelocityTurn& turn) noexcept
        : c_(&configuration), works_(&works), accelerations_(&accelerations), joint_closing_(&joints),
          velocity_turn_(&turn) {}

    /// Sizes scratch space for the configuration and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);

    void force(double t, std::span<const double> y, std::span<double> dydt) noexcept override;
    void turn(double t, double h, std::span<double> y) noexcept override {
        works_->book(kPrescribedWork, velocity_turn_->turn(t, h, y), y);
    }
    bool drift(double t, double h, std::span<double> y) noexcept override;
    void project_momenta(double t, std::span<double> y) noexcept override;
    void correct_works(double t, double h, std::span<double> force, std::span<double> y) noexcept override;

private:
    void drift_freely(double h, std::span<double> y) noexcept;
    void advance_memory(double h, std::span<double> y) noexcept;

    Configuration* c_;
    Works* works_;
    Accelerations* accelerations_;
    JointClosing* joint_closing_;
    VelocityTurn* velocity_turn_;
    // Scratch space.
    std::vector<double> start_state_;       ///< y at the start of a drift
    std::vector<double> drifted_state_;     ///< y at its end, where works are kept
    std::vector<BodyFrame> drifted_frames_; ///< at its end
    std::vector<double> lambda_;
    std::vector<Wrench> reactions_;
    std::vector<double> gaps_;
};

} // namespace substep::detail
