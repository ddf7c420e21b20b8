// One velocity-level step, as game engines make it: the plain baseline, no tricks.
#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

constexpr double kBaumgarte = 0.2; // of the gap per step, the usual value of Bullet's and ODE's error reduction

} // namespace

bool IslandSystem::velocity_step(double t, double h, std::span<double> y) noexcept {
    prepare_places(t, y);
    prepare_velocities(y);
    prepare_forces(t);

    // Velocities by the forces at the start.
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        const double dv = h * inertias_[i].inverse_mass;
        store(p + kVelocity, load_vector(p + kVelocity) + dv * wrenches_[i].force);
        store(p + kMomentum, load_vector(p + kMomentum) + h * torque_on(i));
    }
    prepare_velocities(y);

    // Joint impulses at the start's J: J v = 0, or what closes a fifth of the gap within the step.
    if (!joints_.empty()) {
        joints_.rates(velocities_, lambda_);
        const bool feed_back = correction_ == JointCorrection::Baumgarte;
        if (feed_back) {
            joints_.violation(frames_, residual_);
        }
        for (std::size_t row = 0; row < lambda_.size(); ++row) {
            lambda_[row] = -lambda_[row] - (feed_back ? kBaumgarte / h * residual_[row] : 0.0);
        }
        joints_.solve(lambda_);
        keep_joint_forces(h);
        add_impulses(y);
        prepare_velocities(y);
    }

    // Positions by the new velocities.
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        store(p + kPosition, load_vector(p + kPosition) + h * velocities_[i].linear);
        store(p + kOrientation, turned(states_[i].orientation, h * velocities_[i].angular));
    }

    // Gaps closed by moving bodies only; velocities keep what they have.
    if (!joints_.empty() && correction_ == JointCorrection::PositionProjection) {
        return close_joints(t + h, y);
    }
    return true;
}

} // namespace substep::detail
