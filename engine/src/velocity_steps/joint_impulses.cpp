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
    wanted_.resize(impulse_sum_.size());
    reactions_.resize(c_->joints().empty() ? 0 : c_->body_count());
}

void JointImpulses::begin_step(double h) {
    std::ranges::fill(impulse_sum_, 0.0);
    if (is_driven()) {
        driven_.prepare(*c_, accelerations_->actuators());
        driven_.begin(*c_, accelerations_->actuators(), h);
    }
}

std::size_t JointImpulses::count() const noexcept {
    return impulse_sum_.size() + accelerations_->actuators().all().size();
}

void JointImpulses::write(std::span<double> impulses) const noexcept {
    const auto rest = std::ranges::copy(impulse_sum_, impulses.begin()).out;
    if (is_driven()) {
        std::ranges::copy(driven_.actuators().impulses(), rest);
    }
}

void JointImpulses::go_back(std::span<const double> before, double part) noexcept {
    const auto back = [&](std::span<double> impulses, std::span<const double> were) {
        for (std::size_t row = 0; row < impulses.size(); ++row) {
            impulses[row] = were[row] + part * (impulses[row] - were[row]);
        }
    };
    back(impulse_sum_, before);
    if (is_driven()) {
        back(driven_.actuators().impulses(), before.subspan(impulse_sum_.size()));
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

void JointImpulses::drive(double h, std::span<double> y) noexcept {
    if (!is_driven()) {
        obey(h, y);
        return;
    }
    BodyFrames& bodies = c_->bodies();
    std::ranges::fill(wanted_, 0.0);
    if (correction_ == JointCorrection::Baumgarte) {
        c_->joints().violation(bodies.frames(), c_->memory(std::span<const double>(y)), gaps_);
        std::ranges::transform(gaps_, wanted_.begin(), [h](double gap) { return -kBaumgarte / h * gap; });
    }
    std::ranges::fill(reactions_, Wrench{});
    driven_.solve(bodies.velocities(), wanted_, impulse_sum_, reactions_);
    bodies.add_impulses(reactions_, y);
    bodies.set_velocities(y);
}

} // namespace substep::detail
