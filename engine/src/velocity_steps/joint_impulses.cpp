// Joints at velocity level.
#include "velocity_steps/joint_impulses.h"

#include <algorithm>

namespace substep::detail {
namespace {

constexpr double kBaumgarte = 0.2; // of the gap per step, the usual value of Bullet's and ODE's error reduction

} // namespace

void JointImpulses::resize() {
    impulse_sum_.resize(static_cast<std::size_t>(c_->joints().rows()));
    lambda_.resize(impulse_sum_.size());
    gaps_.resize(impulse_sum_.size());
    reactions_.resize(c_->joints().empty() ? 0 : c_->body_count());
}

void JointImpulses::begin_step() noexcept { std::ranges::fill(impulse_sum_, 0.0); }

void JointImpulses::go_back(std::span<const double> before, double part) noexcept {
    for (std::size_t row = 0; row < impulse_sum_.size(); ++row) {
        impulse_sum_[row] = before[row] + part * (impulse_sum_[row] - before[row]);
    }
}

void JointImpulses::obey(double h, std::span<double> y) noexcept {
    const JointSolver& joints = c_->joints();
    if (joints.empty()) {
        return;
    }
    BodyFrames& bodies = c_->bodies();
    const bool feeds_back = correction_ == JointCorrection::Baumgarte;
    if (feeds_back) {
        joints.violation(bodies.frames(), c_->memory(std::span<const double>(y)), gaps_);
    }
    joints.rates(bodies.velocities(), lambda_);
    for (std::size_t row = 0; row < lambda_.size(); ++row) {
        lambda_[row] = -lambda_[row] - (feeds_back ? kBaumgarte / h * gaps_[row] : 0.0);
    }
    joints.solve(lambda_);
    for (std::size_t row = 0; row < lambda_.size(); ++row) {
        impulse_sum_[row] += lambda_[row];
    }
    std::ranges::fill(reactions_, Wrench{});
    joints.add_forces(lambda_, reactions_);
    bodies.add_impulses(reactions_, y);
    bodies.set_velocities(y);
}

} // namespace substep::detail
