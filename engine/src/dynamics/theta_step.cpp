// The theta method on an island.
#include "dynamics/theta_step.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

namespace substep::detail {

void ThetaStep::resize(std::size_t state_size) {
    const std::size_t bodies = c_->body_count();
    start_state_.resize(state_size);
    kicked_state_.resize(state_size);
    stiff_frames_.resize(c_->bodies().size());
    geometric_stiffness_.resize(bodies);
    velocity_changes_.resize(bodies);
    reactions_.resize(bodies);
    restoring_.resize(bodies);
    damping_.resize();
    forces_.resize(bodies);
    contact_forces_.resize(bodies);
    multipliers_.resize(std::max(multipliers_.size(), static_cast<std::size_t>(c_->joints().rows())));
}

void ThetaStep::prepare() {
    if (!is_built_) {
        actuators_.build(accelerations_->actuators().all());
        yielding_.assign(elements_->all().begin(), elements_->all().end());
        yielding_.insert(yielding_.end(), actuators_.elements().begin(), actuators_.elements().end());
    }
    if (!is_built_ && !yielding_.empty()) {
        stiff_joints_.build_with(c_->joints(), yielding_);
        multipliers_.assign(static_cast<std::size_t>(stiff_joints_.rows()), 0.0);
        row_rates_ = multipliers_;
    }
    is_built_ = true;
}

bool ThetaStep::linearly_implicit_step(double t, double h, double theta, std::span<double> y) noexcept {
    BodyFrames& bodies = c_->bodies();
    const std::span<Twist> velocities = bodies.velocities();
    const std::span<const Wrench> wrenches = accelerations_->wrenches();

    // Forces across the velocity act in halves about the motion: behind the kick, and behind the step. What moves
    // before the kick moves between two halves as well if the first one is before that.
    works_->book(kPrescribedWork, velocity_turn_->turn(t, (1.0 - theta) * h, y), y);

    // Where forces are taken.
    const double ahead = (1.0 - theta) * h;
    std::ranges::copy(y, start_state_.begin());
    if (ahead > 0.0) {
        c_->place_and_move(t, y);
        for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
            double* const p = start_state_.data() + i * kNumbersPerBody;
            store(p + kPosition, load_vector(p + kPosition) + ahead * velocities[i].linear);
            store(p + kOrientation, turned(bodies.states()[i].orientation, ahead * velocities[i].angular));
        }
    }
    c_->place_and_move(t + ahead, start_state_);
    accelerations_->write_field_forces(t + ahead, AcrossVelocity::LeftOut);
    if (!c_->contacts().involved().empty()) {
        add_contact_forces(t + ahead, theta * h);
    }

    turn_kick(t + ahead, h, (theta - 0.5) * h, y);

    // Joints, in bodies that their stiffness makes heavier to turn: I~^-1 = (1 + theta^2 h^2 I^-1 K)^-1 I^-1.
    std::ranges::fill(geometric_stiffness_, glm::dmat3(0.0));
    std::ranges::copy(bodies.frames(), stiff_frames_.begin());
    const bool has_joints = !c_->joints().empty();
    prepare();
    const bool stiff = !yielding_.empty();
    if (!actuators_.empty()) {
        actuators_.begin(*c_, accelerations_->actuators(), h, theta);
        actuators_.linearise(velocities);
    }
    if (has_joints) {
        accelerations_->solve_multipliers(start_state_);
        c_->joints().geometric_stiffness(accelerations_->multipliers(), geometric_stiffness_);
        stiffen(theta * theta * h * h);
    }
    const JointSolver& solver = stiff ? stiff_joints_ : c_->joints();
    const auto joint_rows = static_cast<std::size_t>(c_->joints().rows());
    const std::span<double> multipliers = std::span(multipliers_).first(static_cast<std::size_t>(solver.rows()));
    if (stiff) {
        elements_->write(t + ahead, accelerations_->multipliers());
        linearise_stiff_joints(h, theta);
        stiff_joints_.rates(velocities, row_rates_);
        pull_elements((2.0 * theta - 1.0) * h);
    } else if (has_joints) {
        c_->linearise_joints(stiff_frames_, c_->memory(std::span<const double>(start_state_)));
    }

    // Changes of velocity without joints, then with them: J must be kept by the velocity that moves the places.
    const double spring = (2.0 * theta - 1.0) * h * h;
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        const glm::dvec3& omega = velocities[i].angular;
        velocity_changes_[i].linear = h * bodies.inertia(i).inverse_mass * wrenches[i].force;
        velocity_changes_[i].angular =
            stiff_frames_[i].inverse_inertia * (h * wrenches[i].torque - spring * (geometric_stiffness_[i] * omega));
        velocities[i].linear += theta * velocity_changes_[i].linear;
        velocities[i].angular += theta * velocity_changes_[i].angular;
    }
    std::ranges::fill(reactions_, Wrench{});
    if (!solver.empty()) {
        solve_rows(solver, theta, multipliers);
    }
    if (!actuators_.empty()) {
        meet_bounds(h, theta, multipliers);
    }

    // Momenta at the end, places by the velocity between.
    if (works_->is_kept()) {
        std::ranges::copy(y, start_state_.begin());
    }
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        const glm::dvec3 dv = velocity_changes_[i].linear + bodies.inertia(i).inverse_mass * reactions_[i].force;
        const glm::dvec3 answer = stiff_frames_[i].inverse_inertia * reactions_[i].torque;
        const glm::dvec3 domega = velocity_changes_[i].angular + answer;
        const glm::dvec3 omega = velocities[i].angular - theta * velocity_changes_[i].angular; // at the start
        const glm::dvec3& restoring = restoring_[i] =
            geometric_stiffness_[i] * (spring * omega + (theta * theta * h * h) * domega);
        const glm::dvec3 v = load_vector(p + kVelocity);
        store(p + kVelocity, v + dv);
        const BodyInertia& inertia = bodies.inertia(i);
        const glm::dvec3 L = load_vector(p + kMomentum);
        const glm::dvec3 L_end = inertia.turns() ? L + h * wrenches[i].torque + reactions_[i].torque - restoring : L;
        store(p + kMomentum, L_end);
        velocities[i] = {v + theta * dv, omega + theta * domega};
        store(p + kPosition, load_vector(p + kPosition) + h * velocities[i].linear);
        const glm::dquat q = normalised(load_quaternion(p + kOrientation));
        store(p + kOrientation, c_->tumbles(i)
                                    ? torque_free_turn(q, L + theta * (L_end - L), inertia.inverse_moments, h)
                                    : turned(q, h * velocities[i].angular));
    }

    projection_->joints().advance_memory(h, y); // angles go with the places; their turns need no more than this
    book_forces(t + ahead, h, theta, multipliers, y);
    const std::span<const double> of_joints = multipliers.first(joint_rows);
    if (stiff && works_->is_kept()) {
        const Uncounted uncounted(c_->contacts().work());
        std::ranges::fill(reactions_, Wrench{});
        c_->joints().add_forces(of_joints, reactions_);
    }
    works_->book_impulses(of_joints, reactions_, start_state_, y);
    works_->book(kPrescribedWork, velocity_turn_->turn(t + h, 0.5 * h, y), y);
    projection_->book_next(y); // joints were obeyed by the velocity that moved the places, where the step began
    return true;
}

// Elements with the actuators' behind them.
void ThetaStep::linearise_stiff_joints(double h, double theta) noexcept {
    const auto rest = std::ranges::copy(elements_->all(), yielding_.begin()).out;
    std::ranges::copy(actuators_.elements(), rest);
    stiff_joints_.linearise(stiff_frames_, c_->memory(std::span<const double>(start_state_)), yielding_,
                            theta * theta * h * h, theta * h);
}

// Multipliers of all rows, and what they come to on the bodies, whose velocities are those behind the kick.
void ThetaStep::solve_rows(const JointSolver& solver, double theta, std::span<double> multipliers) noexcept {
    const std::span<const Twist> velocities = c_->bodies().velocities();
    const auto joint_rows = static_cast<std::size_t>(c_->joints().rows());
    solver.rates(velocities, multipliers);
    for (std::size_t row = 0; row < multipliers.size(); ++row) {
        const double at_start = row < joint_rows ? 0.0 : row_rates_[row];
        multipliers[row] = (at_start - multipliers[row]) / theta;
    }
    const std::span<double> of_actuators = multipliers.last(StiffElement::kDirections * actuators_.elements().size());
    if (!actuators_.empty()) {
        actuators_.forget_impulses();
        actuators_.ask(velocities, of_actuators);
    }
    solver.solve(multipliers);
    std::ranges::fill(reactions_, Wrench{});
    solver.add_forces(multipliers, reactions_);
    actuators_.take(of_actuators);
}

// Velocities that the reactions lead to.
void ThetaStep::follow(double theta) noexcept {
    const BodyFrames& bodies = c_->bodies();
    tried_velocities_.assign(bodies.velocities().begin(), bodies.velocities().end());
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        tried_velocities_[i].linear += theta * bodies.inertia(i).inverse_mass * reactions_[i].force;
        tried_velocities_[i].angular += theta * (stiff_frames_[i].inverse_inertia * reactions_[i].torque);
    }
}

// Solves again where actuators met or left their bounds on the way.
void ThetaStep::meet_bounds(double h, double theta, std::span<double> multipliers) noexcept {
    Tried& before = tried_before_;
    follow(theta);
    for (int round = 1; round < ActuatorRows::kMostRounds && !actuators_.is_met(tried_velocities_); ++round) {
        before.velocities = tried_velocities_;
        before.impulses.assign(actuators_.impulses().begin(), actuators_.impulses().end());
        before.multipliers.assign(multipliers.begin(), multipliers.end());
        before.reactions = reactions_;
        actuators_.linearise(tried_velocities_);
        linearise_stiff_joints(h, theta);
        solve_rows(stiff_joints_, theta, multipliers);
        follow(theta);
        const double part = actuators_.go_back(before.impulses, before.velocities, tried_velocities_);
        if (part == 1.0) {
            continue;
        }
        for (std::size_t row = 0; row < multipliers.size(); ++row) {
            multipliers[row] = before.multipliers[row] + part * (multipliers[row] - before.multipliers[row]);
        }
        for (std::size_t i = 0; i < reactions_.size(); ++i) {
            reactions_[i].force = before.reactions[i].force + part * (reactions_[i].force - before.reactions[i].force);
            reactions_[i].torque =
                before.reactions[i].torque + part * (reactions_[i].torque - before.reactions[i].torque);
        }
        follow(theta);
    }
}

// Books forces at the mean of the velocities before and after the step, where the sum of all works closes, and what the
// yielding of dampers takes from theirs at the start: the impulses of their rows, as far as these are no springs; and
// what turning arms of joints takes from the joints' forces.
void ThetaStep::book_forces(double t, double h, double theta, std::span<const double> multipliers,
                            std::span<double> y) noexcept {
    if (!works_->is_kept()) {
        return;
    }
    const Uncounted uncounted(c_->contacts().work());
    BodyFrames& bodies = c_->bodies();
    std::ranges::copy_n(bodies.velocities().begin(), static_cast<std::ptrdiff_t>(c_->body_count()),
                        velocity_changes_.begin());
    bodies.set_mean_velocities(start_state_, y);
    bodies.show_velocities();
    accelerations_->write_field_powers(t);
    double by_turning_arms = 0.0;
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        by_turning_arms -= glm::dot(restoring_[i], bodies.velocities()[i].angular);
    }
    works_->book(kJointWork, by_turning_arms, y);
    ActuatorWorks of_actuators;
    actuators_.add_works(bodies.velocities(), 1.0, of_actuators);
    works_->book(kDriveWork, of_actuators.drives, y);
    works_->book(kFrictionWork, of_actuators.friction, y);
    works_->book(kPrescribedWork, of_actuators.prescribed, y);
    const std::span<const StiffElement> fields = elements_->of_fields();
    if (!fields.empty()) {
        stiff_joints_.rates(c_->bodies().velocities(), row_rates_);
    }
    auto row = static_cast<std::size_t>(c_->joints().rows());
    for (const StiffElement& element : fields) {
        for (std::size_t k = 0; k < StiffElement::kDirections; ++k, ++row) {
            const double yields = theta * h * element.stiffness[k] + element.damping[k];
            if (yields > 0.0) {
                const double share = element.damping[k] / yields;
                works_->powers()[element.ledger_term] += share * multipliers[row] * row_rates_[row] / h;
            }
        }
    }
    if (!c_->contacts().involved().empty()) {
        works_->add_contact_powers(contact_forces_);
    }
    works_->book_powers(h, y);
    // What is asked next finds the velocities that it finds without a ledger.
    bodies.set_velocities(start_state_);
    std::ranges::copy(velocity_changes_, bodies.velocities().begin());
}

// Adds forces of contacts, found against the drag that is left where it is taken. Against the drag of the start they
// would be as large as that, and only the drag would yield. Against actuators as they push where the step begins: what
// these press with at rest contacts then answer in full.
void ThetaStep::add_contact_forces(double t, double h) noexcept {
    const std::span<Wrench> wrenches = accelerations_->wrenches();
    std::ranges::copy(wrenches, forces_.begin());
    accelerations_->add_actuator_forces();
    damping_.yield(t, h);
    std::ranges::copy(wrenches, contact_forces_.begin());
    if (!accelerations_->add_contact_forces(start_state_)) {
        regime_->meet_painleve_guard();
    }
    const bool is_damped = !elements_->of_fields().empty() || !accelerations_->actuators().empty();
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const Wrench& damped = contact_forces_[i];
        contact_forces_[i] = {wrenches[i].force - damped.force, wrenches[i].torque - damped.torque};
        if (is_damped) { // else the sum would be rounded twice
            wrenches[i] = {forces_[i].force + contact_forces_[i].force, forces_[i].torque + contact_forces_[i].torque};
        }
    }
}

// Makes the forces those that lead in a time h to where a kick by them and a turn of length `time` lead.
void ThetaStep::turn_kick(double t, double h, double time, std::span<double> y) noexcept {
    if (!accelerations_->forces().turns_velocities() || time == 0.0) {
        return;
    }
    BodyFrames& bodies = c_->bodies();
    const std::span<Wrench> wrenches = accelerations_->wrenches();
    std::ranges::copy(start_state_, kicked_state_.begin());
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        double* const p = kicked_state_.data() + i * kNumbersPerBody;
        store(p + kVelocity, load_vector(p + kVelocity) + h * bodies.inertia(i).inverse_mass * wrenches[i].force);
        store(p + kMomentum, load_vector(p + kMomentum) + h * bodies.felt_torque(i, wrenches[i].torque));
    }
    works_->book(kPrescribedWork, velocity_turn_->turn(t, time, kicked_state_), y);
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        const double* const before = start_state_.data() + i * kNumbersPerBody;
        const double* const after = kicked_state_.data() + i * kNumbersPerBody;
        if (const double inverse_mass = bodies.inertia(i).inverse_mass; inverse_mass > 0.0) { // else it is held
            wrenches[i].force = (load_vector(after + kVelocity) - load_vector(before + kVelocity)) / (h * inverse_mass);
        }
        if (bodies.inertia(i).turns()) {
            wrenches[i].torque = (load_vector(after + kMomentum) - load_vector(before + kMomentum)) / h;
        }
    }
    bodies.set_velocities(start_state_);
}

// Turning inertias with the geometric stiffness, as a scale of it makes them heavier.
void ThetaStep::stiffen(double scale) noexcept {
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const glm::dmat3& inverse = c_->bodies().frames()[i].inverse_inertia;
        const glm::dmat3 heavier =
            glm::inverse(glm::dmat3(1.0) + scale * (inverse * geometric_stiffness_[i])) * inverse;
        stiff_frames_[i].inverse_inertia = 0.5 * (heavier + glm::transpose(heavier));
    }
}

// Subtracts from the forces the pull of springs that stretch for a time at the velocities of its start.
void ThetaStep::pull_elements(double time) noexcept {
    const std::span<const Twist> velocities = c_->bodies().velocities();
    const std::span<Wrench> wrenches = accelerations_->wrenches();
    for (const StiffElement& element : elements_->all()) {
        for (std::size_t k = 0; k < StiffElement::kDirections; ++k) {
            double rate = 0.0;
            for (std::size_t e = 0; e < 2; ++e) {
                const Twist& row = element.row[k][e];
                const Twist& u = velocities[static_cast<std::size_t>(element.body[e])];
                rate += rate_along(row, u);
            }
            const double force = -time * element.stiffness[k] * rate;
            for (std::size_t e = 0; e < 2; ++e) {
                if (const auto body = static_cast<std::size_t>(element.body[e]); body < c_->body_count()) {
                    wrenches[body].force += force * element.row[k][e].linear;
                    wrenches[body].torque += force * element.row[k][e].angular;
                }
            }
        }
    }
}

} // namespace substep::detail
