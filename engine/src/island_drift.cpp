// Kick and drift of an island: RATTLE for joints, a symplectic splitting for rotation.
//
// RATTLE (Andersen, J. Comput. Phys. 52 (1983) 24; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1.4):
// the drift adds impulses J(q_n)^T lambda to the momenta such that C(q_{n+1}) = 0, then the momenta are projected at
// q_{n+1}. Multipliers of the acceleration inside the kick, with projection, would not be symplectic and gain energy.
#include <algorithm>
#include <limits>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

constexpr int kMaxIterations = 50;

} // namespace

void IslandSystem::force(double t, std::span<const double> y, std::span<double> dydt) noexcept {
    prepare_places(t, y);
    prepare_velocities(y);
    prepare_forces(t);
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const to = dydt.data() + i * kNumbersPerBody;
        std::fill(to, to + kPlaceNumbers, 0.0);
        store(to + kVelocity, wrenches_[i].force * inertias_[i].inverse_mass);
        store(to + kMomentum, torque_on(i));
    }
    const std::span<double> memory_rates = memory(dydt);
    std::fill(memory_rates.begin(), memory_rates.end(), 0.0);
    const std::span<double> rates = dydt.last(powers_.size());
    std::ranges::transform(powers_, rates.begin(), in_ledger_units);
}

bool IslandSystem::drift(double t, double h, std::span<double> y) noexcept {
    if (joints_.empty()) {
        drift_freely(h, y);
        return true;
    }
    std::copy(y.begin(), y.end(), start_.begin());
    prepare_places(t, y);
    place_prescribed(t + h, trial_frames_);
    const double tolerance = gap_tolerance();
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    double before = std::numeric_limits<double>::max();
    bool came_far = false;

    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
        // From the start again, with the impulses found so far.
        std::copy(start_.begin(), start_.end(), y.begin());
        add_impulses(y);
        drift_freely(h, y);

        // Done where C is zero, or as small as round-off lets it be.
        const double worst = joints_.violation(trial_frames_, memory(std::span<const double>(y)), residual_);
        came_far |= iteration == 0 && !(worst <= kFar);
        if (worst <= tolerance || (worst <= 16.0 * tolerance && worst > 0.5 * before)) {
            if (came_far && !is_on_right_side(t + h, y)) {
                return false;
            }
            keep_joint_forces(h);
            book_drift(y);
            advance_memory(h, y);
            // By its rate a fast body may be remembered at another branch of its curve, where the joint is not closed.
            if (memory_count() > 0 &&
                !(joints_.violation(trial_frames_, memory(std::span<const double>(y)), residual_) <=
                  kCloseEnough * joints_.length_scale(trial_frames_))) {
                std::ranges::copy(memory(std::span<const double>(start_)), memory(y).begin());
                joints_.remember(trial_frames_, memory(y));
            }
            return true;
        }
        if (!(worst <= std::numeric_limits<double>::max())) {
            return false;
        }
        before = worst;

        // Quasi-Newton: dC/dlambda at the end is h S of the start, to first order.
        joints_.solve(residual_);
        for (std::size_t row = 0; row < lambda_.size(); ++row) {
            lambda_[row] -= residual_[row] / h;
        }
    }
    return false;
}

void IslandSystem::advance_memory(double h, std::span<double> y) noexcept {
    if (memory_count() == 0) {
        return;
    }
    // By the rates at the start's places, so that fast turns are counted; then what it really is.
    prepare_velocities(y);
    joints_.memory_rates(velocities_, memory_rates_);
    const std::span<double> remembered = memory(y);
    for (std::size_t i = 0; i < remembered.size(); ++i) {
        remembered[i] += h * memory_rates_[i];
    }
    joints_.remember(trial_frames_, remembered);
}

void IslandSystem::drift_freely(double h, std::span<double> y) noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        const glm::dvec3 x = load_vector(p + kPosition) + h * load_vector(p + kVelocity);
        const glm::dquat q = torque_free_turn(normalised(load_quaternion(p + kOrientation)), load_vector(p + kMomentum),
                                              inertias_[i].inverse_moments, h);
        store(p + kPosition, x);
        store(p + kOrientation, q);
        trial_frames_[i].position = x;
        trial_frames_[i].rotation = rotation_matrix(q);
    }
}

} // namespace substep::detail
