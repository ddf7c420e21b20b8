// One linearly implicit step: the stiffness of joints and springs is taken at the step's end, everything else at its
// start.
#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {

// With u = (v, omega), forces f and the joints' J at x + (1 - theta) h u, and stiffness K and damping D there:
//   (M + theta^2 h^2 K + theta h D) du = h f - (2 theta - 1) h^2 K u + J^T Lambda,  J (u + theta du) = 0,
//   x+ = x (+) h (u + theta du),
// which takes what is stiff at x + theta (x+ - x) and u + theta du. The stiffness of the arms that joints pull at is a
// 3 x 3 block on each body's inertia, so that joints are solved as ever, only with heavier bodies. What ties two
// bodies, springs, dampers, rods across their length and curves along theirs, or drags one, is rows B of one number k
// each (StiffElement), K = B^T k B, which the joints' J takes in as rows that yield: with c = theta^2 h^2 k + theta h d
// and mu = -sqrt(c) B du,
//   [ J M^-1 J^T    J M^-1 B'^T     ] [Lambda]   [ -J (u / theta + M^-1 r) ]
//   [ B' M^-1 J^T   B' M^-1 B'^T + 1] [  mu  ] = [ -B' M^-1 r              ],  B' = sqrt(c) B, r the right side above.
// The moments of hinges are no such K: across the one rotation that a hinge leaves free theirs vanishes, and what they
// do when both bodies turn together has no sign. A force alone
// (K = 0) makes it symplectic Euler for theta = 1 and leapfrog for 1/2, both stable to omega h = 2; a stretched chain
// (J fixed, K alone) makes it the theta method, stable at any h for theta >= 1/2. In terms of L there is no gyroscopic
// torque to go unstable: a free body keeps its L to the bit.
bool IslandSystem::linearly_implicit_step(double t, double h, double theta, std::span<double> y) noexcept {
    // Where forces are taken.
    const double ahead = (1.0 - theta) * h;
    std::copy(y.begin(), y.end(), start_.begin());
    if (ahead > 0.0) {
        prepare_places(t, y);
        prepare_velocities(y);
        for (std::size_t i = 0; i < body_count(); ++i) {
            double* const p = start_.data() + i * kNumbersPerBody;
            store(p + kPosition, load_vector(p + kPosition) + ahead * velocities_[i].linear);
            store(p + kOrientation, turned(states_[i].orientation, ahead * velocities_[i].angular));
        }
    }
    prepare_places(t + ahead, start_);
    prepare_velocities(start_);
    prepare_forces(t + ahead, theta * h);
    add_contact_forces(start_);

    // Joints, in bodies that their stiffness makes heavier to turn: I~^-1 = (1 + theta^2 h^2 I^-1 K)^-1 I^-1.
    std::fill(stiffness_.begin(), stiffness_.end(), glm::dmat3(0.0));
    std::copy(frames_.begin(), frames_.end(), trial_frames_.begin());
    const bool stiff = !elements_.empty();
    prepare_linearly_implicit_steps();
    if (!joints_.empty()) {
        solve_multipliers(start_);
        joints_.geometric_stiffness(lambda_, stiffness_);
        const double scale = theta * theta * h * h;
        for (std::size_t i = 0; i < body_count(); ++i) {
            const glm::dmat3& inverse = frames_[i].inverse_inertia;
            const glm::dmat3 heavier = glm::inverse(glm::dmat3(1.0) + scale * (inverse * stiffness_[i])) * inverse;
            trial_frames_[i].inverse_inertia = 0.5 * (heavier + glm::transpose(heavier));
        }
    }
    JointSolver& solver = stiff ? stiff_joints_ : joints_;
    const std::span<double> multipliers = stiff ? stiff_lambda_ : lambda_;
    if (stiff) {
        write_elements(t + ahead, lambda_);
        solver.linearise(trial_frames_, memory(std::span<const double>(start_)), elements_, theta * theta * h * h,
                         theta * h);
        solver.rates(velocities_, stiff_rates_);
        add_element_forces((2.0 * theta - 1.0) * h);
    } else if (!joints_.empty()) {
        joints_.linearise(trial_frames_, memory(std::span<const double>(start_)));
        places_ready_ = false; // what is factorised now is not J M^-1 J^T of any place
    }

    // Changes of velocity without joints, then with them: J must be kept by the velocity that moves the places.
    const double spring = (2.0 * theta - 1.0) * h * h;
    for (std::size_t i = 0; i < body_count(); ++i) {
        const glm::dvec3& omega = velocities_[i].angular;
        accelerations_[i].linear = h * inertias_[i].inverse_mass * wrenches_[i].force;
        accelerations_[i].angular =
            trial_frames_[i].inverse_inertia * (h * wrenches_[i].torque - spring * (stiffness_[i] * omega));
        velocities_[i].linear += theta * accelerations_[i].linear;
        velocities_[i].angular += theta * accelerations_[i].angular;
    }
    std::fill(reactions_.begin(), reactions_.end(), Wrench{});
    if (!solver.empty()) {
        solver.rates(velocities_, multipliers);
        for (std::size_t row = 0; row < multipliers.size(); ++row) {
            const double at_start = row < lambda_.size() ? 0.0 : stiff_rates_[row];
            multipliers[row] = (at_start - multipliers[row]) / theta;
        }
        solver.solve(multipliers);
        solver.add_forces(multipliers, reactions_);
    }

    // Momenta at the end, places by the velocity between.
    book_powers(h, y);
    if (!powers_.empty()) {
        std::ranges::copy(y, start_.begin());
    }
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        const glm::dvec3 dv = accelerations_[i].linear + inertias_[i].inverse_mass * reactions_[i].force;
        const glm::dvec3 answer = trial_frames_[i].inverse_inertia * reactions_[i].torque;
        const glm::dvec3 domega = accelerations_[i].angular + answer;
        const glm::dvec3 omega = velocities_[i].angular - theta * accelerations_[i].angular; // at the start
        const glm::dvec3 restoring = stiffness_[i] * (spring * omega + (theta * theta * h * h) * domega);
        const glm::dvec3 v = load_vector(p + kVelocity);
        store(p + kVelocity, v + dv);
        if (inertias_[i].turns()) {
            store(p + kMomentum,
                  load_vector(p + kMomentum) + h * wrenches_[i].torque + reactions_[i].torque - restoring);
        }
        velocities_[i] = {v + theta * dv, omega + theta * domega};
        store(p + kPosition, load_vector(p + kPosition) + h * velocities_[i].linear);
        store(p + kOrientation, turned(normalised(load_quaternion(p + kOrientation)), h * velocities_[i].angular));
    }

    // Angles go with the places; their turns need no more than this.
    joints_.memory_rates(velocities_, memory_rates_);
    const std::span<double> remembered = memory(y);
    for (std::size_t i = 0; i < remembered.size(); ++i) {
        remembered[i] += h * memory_rates_[i];
    }
    if (stiff && !powers_.empty()) {
        std::copy_n(multipliers.begin(), lambda_.size(), lambda_.begin());
        std::fill(reactions_.begin(), reactions_.end(), Wrench{});
        joints_.add_forces(lambda_, reactions_);
    }
    book_impulses(start_, y);
    return true;
}

// Takes from the forces what springs between bodies are stretched by within a time, at the velocities of its start.
void IslandSystem::add_element_forces(double time) noexcept {
    for (const StiffElement& element : elements_) {
        for (std::size_t k = 0; k < StiffElement::kDirections; ++k) {
            double rate = 0.0;
            for (std::size_t e = 0; e < 2; ++e) {
                const Twist& row = element.row[k][e];
                const Twist& u = velocities_[static_cast<std::size_t>(element.body[e])];
                rate += glm::dot(row.linear, u.linear) + glm::dot(row.angular, u.angular);
            }
            const double force = -time * element.stiffness[k] * rate;
            for (std::size_t e = 0; e < 2; ++e) {
                if (const auto body = static_cast<std::size_t>(element.body[e]); body < body_count()) {
                    wrenches_[body].force += force * element.row[k][e].linear;
                    wrenches_[body].torque += force * element.row[k][e].angular;
                }
            }
        }
    }
}

// Adds the forces of contacts that hold to those known so far, as they are where forces are taken; joints answer to
// them later, by impulses.
void IslandSystem::add_contact_forces(std::span<const double> y) noexcept {
    if (contacts_.involved().empty()) {
        return;
    }
    std::copy(wrenches_.begin(), wrenches_.end(), reactions_.begin());
    if (!joints_.empty()) {
        solve_multipliers(y);
        joints_.add_forces(lambda_, wrenches_);
    }
    solve_contacts(y);
    const bool solved = std::isfinite(wrenches_[0].force.x);
    std::copy(reactions_.begin(), reactions_.end(), wrenches_.begin());
    if (solved) {
        contacts_.add_forces(wrenches_);
    }
}

} // namespace substep::detail
