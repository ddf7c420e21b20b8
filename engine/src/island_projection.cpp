// Returning an island to its manifold, and measuring how far an estimated error is from zero.
#include <algorithm>
#include <cmath>
#include <limits>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

constexpr int kMaxIterations = 50;
constexpr int kMostStalls = 3;    // new places of J that did not halve the gap
constexpr double kRateTime = 0.1; // s: an error of a rate counts as the length it becomes in this time

} // namespace

double IslandSystem::gap_tolerance() const noexcept {
    // C is a sum of four numbers of this size, each rounded.
    return 4.0 * std::numeric_limits<double>::epsilon() * joints_.length_scale(frames_);
}

bool IslandSystem::project(double t, std::span<double> y) noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const q = y.data() + i * kNumbersPerBody + kOrientation;
        store(q, normalised(load_quaternion(q)));
    }
    const bool in_contact = contacts_.in_contact();
    if (joints_.empty() && !in_contact) {
        return true;
    }
    if (!(joints_.empty() || close_joints(t, y)) || !(!in_contact || close_gaps(t, y))) {
        return false;
    }
    joints_.remember(trial_frames_, memory(y)); // where close_joints left the bodies
    make_velocities_obey(t, y);
    if (in_contact) {
        project_contact_momenta(t, y);
    }
    return true;
}

bool IslandSystem::close_joints(double t, std::span<double> y) noexcept {
    // Mass-weighted Newton: (x, q) <- (x, q) (+) -M^-1 J^T S^-1 C. J stays that of the first place while it serves.
    prepare_places(t, y);
    const double tolerance = gap_tolerance();
    double worst = joints_.violation(frames_, memory(std::span<const double>(y)), residual_);
    std::copy(frames_.begin(), frames_.end(), trial_frames_.begin());
    double at_last_place = std::numeric_limits<double>::max();
    int stalls = 0;
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
        if (worst <= tolerance) {
            return true;
        }
        // Forces J^T S^-1 C, taken as displacements.
        joints_.solve(residual_);
        std::fill(reactions_.begin(), reactions_.end(), Wrench{});
        joints_.add_forces(residual_, reactions_);
        for (std::size_t i = 0; i < body_count(); ++i) {
            double* const p = y.data() + i * kNumbersPerBody;
            const glm::dvec3 x = load_vector(p + kPosition) - reactions_[i].force * inertias_[i].inverse_mass;
            const glm::dvec3 rotation = -(frames_[i].inverse_inertia * reactions_[i].torque);
            const glm::dquat q = nudged(load_quaternion(p + kOrientation), rotation);
            store(p + kPosition, x);
            store(p + kOrientation, q);
            trial_frames_[i].position = x;
            trial_frames_[i].rotation = rotation_matrix(q);
        }

        const double before = worst;
        worst = joints_.violation(trial_frames_, memory(std::span<const double>(y)), residual_);
        if (!(worst <= std::numeric_limits<double>::max())) {
            return false;
        }
        // Slow progress: either round-off is reached, or J is too old.
        if (worst > 0.1 * before) {
            if (worst <= 16.0 * tolerance) {
                return true;
            }
            // What cannot be closed must not cost more than a few factorisations.
            stalls += worst > 0.5 * at_last_place ? 1 : 0;
            if (stalls == kMostStalls) {
                return false;
            }
            at_last_place = worst;
            prepare_places(t, y);
            worst = joints_.violation(frames_, memory(std::span<const double>(y)), residual_); // curves turn their rows
        }
    }
    return false;
}

// As part of a kick and drift, RATTLE's second half, it is the joints' work; after another method, projection.
void IslandSystem::project_momenta(double t, std::span<double> y) noexcept {
    if (!powers_.empty()) {
        std::ranges::copy(y, start_.begin());
    }
    make_velocities_obey(t, y);
    book_impulses(start_, y);
}

void IslandSystem::make_velocities_obey(double t, std::span<double> y) noexcept {
    if (joints_.empty()) {
        return;
    }
    // Impulses J^T lambda with S lambda = -J v.
    prepare_places(t, y);
    prepare_velocities(y);
    joints_.rates(velocities_, lambda_);
    for (double& value : lambda_) {
        value = -value;
    }
    joints_.solve(lambda_);
    add_impulses(y);
}

void IslandSystem::add_impulses(std::span<double> y) noexcept {
    std::fill(reactions_.begin(), reactions_.end(), Wrench{});
    joints_.add_forces(lambda_, reactions_);
    add_reactions(y);
}

void IslandSystem::add_reactions(std::span<double> y) noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        store(p + kVelocity, load_vector(p + kVelocity) + reactions_[i].force * inertias_[i].inverse_mass);
        if (inertias_[i].turns()) {
            store(p + kMomentum, load_vector(p + kMomentum) + reactions_[i].torque);
        }
    }
}

double IslandSystem::measure(std::span<const double> y0, std::span<const double> error, double atol,
                             double rtol) noexcept {
    double worst = 0.0;
    for (std::size_t i = 0; i < body_count(); ++i) {
        const double* const p = y0.data() + i * kNumbersPerBody;
        const double* const e = error.data() + i * kNumbersPerBody;
        const glm::dquat q = normalised(load_quaternion(p + kOrientation));
        const glm::dquat dq = load_quaternion(e + kOrientation);
        const glm::dvec3& inverse_moments = inertias_[i].inverse_moments;
        const double r = inertias_[i].gyration_radius;

        // The quaternion's error as an angle, the momentum's as a rate.
        const glm::dquat turn = dq * glm::conjugate(q);
        const double dx = glm::length(load_vector(e + kPosition));
        const double dtheta = 2.0 * glm::length(glm::dvec3(turn.x, turn.y, turn.z));
        const double dv = glm::length(load_vector(e + kVelocity));
        const double domega = glm::length(angular_velocity(q, inverse_moments, load_vector(e + kMomentum)));
        const double v = glm::length(load_vector(p + kVelocity));
        const double omega = glm::length(angular_velocity(q, inverse_moments, load_vector(p + kMomentum)));

        const double place_unit = atol + rtol * r;
        const double rate_unit = (atol + rtol * kRateTime * (v + r * omega)) / kRateTime;
        for (const double term : {dx / place_unit, r * dtheta / place_unit, dv / rate_unit, r * domega / rate_unit}) {
            if (std::isnan(term)) {
                return term;
            }
            worst = std::max(worst, term);
        }
    }
    return worst;
}

} // namespace substep::detail
