// Assembling an island: from any places to ones where joints are closed, and from any velocities to ones that obey
// them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

constexpr int kMaxIterations = 60;
constexpr double kLargestTurn = 0.5; // rad in one iteration: beyond, the linear picture says little
constexpr double kSmallestStep = 1e-6;
constexpr double kPassed = 1e-10; // m or rad beyond a limit: what touches it is not passed

double squared_length(std::span<const double> c) noexcept {
    double sum = 0.0;
    for (const double value : c) {
        sum += value * value;
    }
    return sum;
}

} // namespace

// Newton for C = 0 along -M^-1 J^T S^-1 C, the shortest way in the metric of the masses, which shortens its steps until
// |C|^2 falls (Nocedal & Wright, Numerical Optimization, 2006, section 11.2). C counts angles beyond a right angle too,
// where their sines would lead to the wrong side.
Assembly IslandSystem::assemble(double t, std::span<double> y) noexcept {
    std::copy(y.begin(), y.end(), start_.begin());
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const q = y.data() + i * kNumbersPerBody + kOrientation;
        store(q, normalised(load_quaternion(q)));
    }
    if (joints_.empty()) {
        return {};
    }
    joints_.forget_redundant(memory(y));
    approach(t, y, kMaxIterations);
    const double worst = joints_.assembly_violation(trial_frames_, memory(std::span<const double>(y)), residual_);
    Assembly assembly;
    if (!(worst <= kCloseEnough * joints_.length_scale(trial_frames_)) || !close_joints(t, y)) {
        assembly.closed = false;
        assembly.worst_row = joints_.worst_row(residual_);
        assembly.unit = joints_.unit_of_row(assembly.worst_row);
        assembly.gap = worst;
        std::copy(start_.begin(), start_.end(), y.begin()); // as they were given
    } else {
        joints_.remember(trial_frames_, memory(y));
        const PassedLimit passed = bring_within_limits(t, y);
        assembly.worst_stop = passed.stop;
        if (passed.stop >= 0) {
            assembly.closed = false;
            assembly.gap = passed.by;
            std::copy(start_.begin(), start_.end(), y.begin());
        } else {
            choose_rows(t, y);
        }
    }

    // Velocities; where even these cannot be found, everything stays as it was.
    make_velocities_obey(t, y);
    if (!std::ranges::all_of(y, [](double value) { return std::isfinite(value); })) {
        std::copy(start_.begin(), start_.end(), y.begin());
    }
    return assembly;
}

bool IslandSystem::is_open(double t, std::span<const double> y) noexcept {
    if (joints_.empty()) {
        return false;
    }
    prepare_places(t, y);
    return !(joints_.assembly_violation(frames_, memory(y), residual_) <= kCloseEnough * joints_.length_scale(frames_));
}

// Closes the gaps of limits that are passed, one after the other, with those closed before. What touches is found anew
// behind it. Returns none, or the limit that stays passed.
IslandSystem::PassedLimit IslandSystem::bring_within_limits(double t, std::span<double> y) noexcept {
    const auto separate_all = [&] {
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            contacts_[i].set_mode(ContactMode::Separate);
        }
        places_ready_ = false;
        forget_held();
    };
    PassedLimit passed = passed_limit(t, y);
    if (passed.stop < 0) {
        return passed;
    }
    separate_all();
    for (std::size_t round = 0; passed.stop >= 0 && round < stops_.size(); ++round) {
        hold_limit(passed.stop);
        if (!close_gaps(t, y)) {
            break;
        }
        joints_.remember(trial_frames_, memory(y));
        passed = passed_limit(t, y);
    }
    separate_all();
    return passed;
}

// The same where contacts hold: closing their gaps may have pushed limits beyond their ends. Modes stay; what parts
// does so from its end. Returns false if a limit stays passed.
bool IslandSystem::keep_within_limits(double t, std::span<double> y) noexcept {
    std::array<int, kMostConstraints> held{};
    std::size_t count = 0;
    bool closed = true;
    PassedLimit passed = passed_limit(t, y);
    const auto parts = [&] { // else closing its gap has not closed it
        return contacts_[contacts_.pairs() + static_cast<std::size_t>(passed.stop)].mode() == ContactMode::Separate;
    };
    while (passed.stop >= 0 && parts() && closed && count < held.size()) {
        held[count++] = passed.stop;
        hold_limit(passed.stop);
        closed = close_gaps(t, y);
        passed = passed_limit(t, y);
    }
    for (const int stop : std::span(held).first(count)) {
        contacts_[contacts_.pairs() + static_cast<std::size_t>(stop)].set_mode(ContactMode::Separate);
    }
    if (count > 0) {
        places_ready_ = false;
        forget_held();
    }
    return closed && passed.stop < 0 && (count == 0 || project(t, y)); // velocities obey elsewhere
}

bool IslandSystem::return_to_limits(double t, std::span<double> y) noexcept {
    if (velocity_level_ || passed_limit(t, y).stop < 0) {
        return true;
    }
    before_impact_.assign(y.begin(), y.end());
    const bool returned = keep_within_limits(t, y);
    if (!returned) {
        std::ranges::copy(before_impact_, y.begin());
    }
    return returned;
}

// Of the limits, the last one that is passed by more than rounding.
IslandSystem::PassedLimit IslandSystem::passed_limit(double t, std::span<const double> y) const noexcept {
    const double least = stops_.empty() ? 0.0 : std::max(kPassed, 4.0 * gap_tolerance());
    PassedLimit passed;
    for (std::size_t i = 0; i < stops_.size(); ++i) {
        const std::size_t number = contacts_.pairs() + i;
        const double by = contacts_[number].has_gap() ? -contact_gap(number, t, y) : 0.0;
        if (by > least) {
            passed = {static_cast<int>(i), by};
        }
    }
    return passed;
}

void IslandSystem::hold_limit(int stop) noexcept {
    contacts_[contacts_.pairs() + static_cast<std::size_t>(stop)].set_mode(ContactMode::Slide);
    places_ready_ = false;
    forget_held();
}

void IslandSystem::approach(double t, std::span<double> y, int iterations) noexcept {
    prepare_places(t, y);
    std::copy(frames_.begin(), frames_.end(), trial_frames_.begin());
    double worst = joints_.assembly_violation(frames_, memory(std::span<const double>(y)), residual_);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        if (!(worst > kCloseEnough * joints_.length_scale(frames_))) {
            return; // or not a number: what comes after will say so
        }
        const double before = squared_length(residual_);
        joints_.solve(residual_);
        std::fill(reactions_.begin(), reactions_.end(), Wrench{});
        joints_.add_forces(residual_, reactions_);
        double turn = 0.0;
        for (std::size_t i = 0; i < body_count(); ++i) {
            accelerations_[i].linear = -inertias_[i].inverse_mass * reactions_[i].force;
            accelerations_[i].angular = -(frames_[i].inverse_inertia * reactions_[i].torque);
            turn = std::max(turn, glm::length(accelerations_[i].angular));
        }

        // Half the way, a quarter... until it is a step forward.
        double fraction = turn > kLargestTurn ? kLargestTurn / turn : 1.0;
        for (;; fraction *= 0.5) {
            for (std::size_t i = 0; i < body_count(); ++i) {
                const RigidState& from = states_[i];
                trial_frames_[i].position = from.position + fraction * accelerations_[i].linear;
                trial_frames_[i].rotation =
                    rotation_matrix(turned(from.orientation, fraction * accelerations_[i].angular));
            }
            worst = joints_.assembly_violation(trial_frames_, memory(std::span<const double>(y)), residual_);
            if (squared_length(residual_) < (1.0 - 1e-4 * fraction) * before) {
                break;
            }
            if (!(fraction > kSmallestStep)) {
                return;
            }
        }
        for (std::size_t i = 0; i < body_count(); ++i) {
            double* const p = y.data() + i * kNumbersPerBody;
            store(p + kPosition, trial_frames_[i].position);
            store(p + kOrientation, turned(states_[i].orientation, fraction * accelerations_[i].angular));
        }
        joints_.remember(trial_frames_, memory(y));
        prepare_places(t, y);
        // C again: the rows of a curve may have turned.
        worst = joints_.assembly_violation(frames_, memory(std::span<const double>(y)), residual_);
    }
}

} // namespace substep::detail
