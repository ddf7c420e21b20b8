// Forces of a kick, and drifts along closed joints.
#include "dynamics/kick_drift.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace substep::detail {
namespace {

constexpr int kMaxKickIterations = 50;
constexpr std::int64_t kWorkOfTurn = 32; // a body that moves and turns by itself for a substep

} // namespace

void KickDrift::resize(std::size_t state_size) {
    const bool has_joints = !c_->joints().empty();
    start_state_.resize(has_joints ? state_size : 0);
    drifted_state_.resize(works_->is_kept() ? state_size : 0);
    if (has_joints) {
        drifted_frames_.assign(c_->bodies().frames().begin(), c_->bodies().frames().end());
        lambda_.resize(static_cast<std::size_t>(c_->joints().rows()));
        gaps_.resize(lambda_.size());
        reactions_.resize(c_->body_count());
    }
}

void KickDrift::force(double t, std::span<const double> y, std::span<double> dydt) noexcept {
    c_->place_and_move(t, y);
    accelerations_->write_forces(t, AcrossVelocity::LeftOut);
    const BodyFrames& bodies = c_->bodies();
    const std::span<const Wrench> wrenches = accelerations_->wrenches();
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        double* const to = dydt.data() + i * kNumbersPerBody;
        std::fill(to, to + kPlaceNumbers, 0.0);
        store(to + kVelocity, wrenches[i].force * bodies.inertia(i).inverse_mass);
        store(to + kMomentum, bodies.felt_torque(i, wrenches[i].torque));
    }
    std::ranges::fill(c_->memory(dydt), 0.0);
    works_->write_rates(dydt);
}

bool KickDrift::drift(double t, double h, std::span<double> y) noexcept {
    const JointSolver& joints = c_->joints();
    if (joints.empty()) {
        drift_freely(h, y);
        return true;
    }
    std::ranges::copy(y, start_state_.begin());
    c_->place(t, y);
    c_->bodies().place_prescribed(t + h, drifted_frames_);
    const double tolerance = joint_closing_->gap_tolerance();
    std::ranges::fill(lambda_, 0.0);
    double before = std::numeric_limits<double>::max();
    bool came_far = false;

    for (int iteration = 0; iteration < kMaxKickIterations; ++iteration) {
        // From the start again, with the impulses found so far.
        std::ranges::copy(start_state_, y.begin());
        std::ranges::fill(reactions_, Wrench{});
        joints.add_forces(lambda_, reactions_);
        c_->bodies().add_impulses(reactions_, y);
        drift_freely(h, y);

        // Done where C is zero, or as small as round-off lets it be.
        const double worst = joints.violation(drifted_frames_, c_->memory(std::span<const double>(y)), gaps_);
        came_far |= iteration == 0 && !(worst <= kFar * c_->scale().length());
        if (worst <= tolerance || (worst <= 16.0 * tolerance && worst > 0.5 * before)) {
            if (came_far && !joint_closing_->is_on_right_side(t + h, y, drifted_frames_)) {
                return false;
            }
            accelerations_->keep_joint_forces(lambda_, h);
            works_->book_drift(lambda_, reactions_, y);
            std::ranges::copy(std::span<const double>(y).first(drifted_state_.size()), drifted_state_.begin());
            advance_memory(h, y);
            return true;
        }
        if (!(worst <= std::numeric_limits<double>::max())) {
            return false;
        }
        before = worst;

        // Quasi-Newton: dC/dlambda at the end is h S of the start, to first order.
        joints.solve(gaps_);
        for (std::size_t row = 0; row < lambda_.size(); ++row) {
            lambda_[row] -= gaps_[row] / h;
        }
    }
    return false;
}

// Advances by the rates at the start's places, so that fast turns are counted; then takes the true values.
void KickDrift::advance_memory(double h, std::span<double> y) noexcept {
    if (c_->memory_count() == 0) {
        return;
    }
    const JointSolver& joints = c_->joints();
    c_->bodies().set_velocities(y);
    joint_closing_->advance_memory(h, y);
    joints.remember(drifted_frames_, c_->memory(y));
    // By its rate alone the memory of a fast body may be at another branch of its curve, where the joint is not closed.
    if (!(joints.violation(drifted_frames_, c_->memory(std::span<const double>(y)), gaps_) <=
          kCloseEnough * joints.length_scale(drifted_frames_))) {
        std::ranges::copy(c_->memory(std::span<const double>(start_state_)), c_->memory(y).begin());
        joints.remember(drifted_frames_, c_->memory(y));
    }
}

void KickDrift::drift_freely(double h, std::span<double> y) noexcept {
    c_->contacts().work().add_inner(kWorkOfTurn, c_->body_count());
    const BodyFrames& bodies = c_->bodies();
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        const glm::dvec3 x = load_vector(p + kPosition) + h * load_vector(p + kVelocity);
        const glm::dquat q = torque_free_turn(normalised(load_quaternion(p + kOrientation)), load_vector(p + kMomentum),
                                              bodies.inertia(i).inverse_moments, h);
        store(p + kPosition, x);
        store(p + kOrientation, q);
        if (!drifted_frames_.empty()) {
            drifted_frames_[i].position = x;
            drifted_frames_[i].rotation = rotation_matrix(q);
        }
    }
}

// RATTLE's second half: impulses together with the kick after the drift.
void KickDrift::project_momenta(double t, std::span<double> y) noexcept {
    joint_closing_->choose_rows(t, y);
    joint_closing_->obey(t, y);
    works_->book_impulses(joint_closing_->multipliers(), joint_closing_->reactions(), drifted_state_, y);
}

// A kick takes its forces before it, at other velocities than it leads to: their powers alone would be those of an
// Euler step, and close to first order. The same forces at the velocities between two kicks make the trapezoidal rule
// for each kick and drift, which has the composition's order; beside forces that depend on velocities, which a kick
// takes too early, it has the second order. The stiffness at `y` is asked for next, so the velocities of y are
// prepared, with works and without.
void KickDrift::correct_works(double t, double h, std::span<double> force, std::span<double> y) noexcept {
    c_->place_and_move(t, y);
    if (!works_->is_kept()) {
        return;
    }
    accelerations_->write_powers(t);
    const std::span<const double> powers = works_->powers();
    const std::span<double> rates = force.last(powers.size());
    const std::span<double> works = y.last(powers.size());
    for (std::size_t term = 0; term < powers.size(); ++term) {
        const double rate = in_ledger_units(powers[term]);
        works[term] += h * (rate - rates[term]);
        rates[term] = rate;
    }
}

} // namespace substep::detail
