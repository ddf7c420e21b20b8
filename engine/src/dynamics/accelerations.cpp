// From forces to multipliers to the forces of contacts.
#include "dynamics/accelerations.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "joints/joint_work.h"

namespace substep::detail {

void Accelerations::resize() {
    wrenches_.assign(c_->body_count(), {});
    lambda_.assign(static_cast<std::size_t>(c_->joints().rows()), 0.0);
    joint_forces_ = lambda_;
    joint_reactions_ = lambda_;
    works_->resize();
}

void Accelerations::resize_contacts() {
    const std::size_t most = c_->contacts().most_involved();
    contact_rates_.reserve(3 * most);
    contact_accelerations_.reserve(3 * most);
    wrenches_without_contacts_.resize(c_->contacts().empty() ? 0 : c_->body_count());
}

bool Accelerations::solve(double t, std::span<const double> y) noexcept {
    c_->place_and_move(t, y);
    c_->contacts().work().add_inner(kWorkOfActuator, actuators_.all().size());
    write_forces(t, AcrossVelocity::Included);

    // Joint forces make accelerations obey the joints.
    if (!c_->joints().empty()) {
        solve_multipliers(y);
        add_multipliers();
    }
    return c_->contacts().involved().empty() || solve_contacts(y);
}

void Accelerations::write_forces(double t, AcrossVelocity across) noexcept {
    write_field_forces(t, across);
    if (!actuators_.empty()) {
        const BodyFrames& bodies = c_->bodies();
        actuators_.add_wrenches(bodies.frames(), bodies.velocities(), bodies.memory(), c_->joints(), wrenches_,
                                works_->powers());
        works_->take_forces(wrenches_);
    }
}

void Accelerations::write_field_forces(double t, AcrossVelocity across) noexcept {
    const BodyFrames& bodies = c_->bodies();
    works_->clear_powers();
    forces_->write_wrenches(t, bodies.states(), wrenches_, works_->powers());
    if (across == AcrossVelocity::LeftOut && forces_->turns_velocities()) {
        forces_->leave_out_rotations(t, bodies.states(), wrenches_);
    }
    works_->take_forces(wrenches_);
}

void Accelerations::add_actuator_forces() noexcept {
    const BodyFrames& bodies = c_->bodies();
    actuators_.add_wrenches(bodies.frames(), bodies.velocities(), bodies.memory(), c_->joints(), wrenches_, {});
}

void Accelerations::write_field_powers(double t) noexcept {
    const Uncounted uncounted(c_->contacts().work());
    works_->clear_powers();
    forces_->write_powers(t, c_->bodies().states(), works_->powers());
}

void Accelerations::write_powers(double t) noexcept {
    const Uncounted uncounted(c_->contacts().work());
    write_field_powers(t);
    if (!actuators_.empty()) {
        const BodyFrames& bodies = c_->bodies();
        actuators_.add_powers(bodies.frames(), bodies.velocities(), bodies.memory(), c_->joints(), works_->powers());
    }
}

// Prescribed bodies keep the accelerations of their motion.
void Accelerations::write_accelerations(std::span<const double> y) noexcept {
    BodyFrames& bodies = c_->bodies();
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const glm::dvec3 L = load_vector(y.data() + i * kNumbersPerBody + kMomentum);
        bodies.accelerations()[i].linear = wrenches_[i].force * bodies.inertia(i).inverse_mass;
        bodies.accelerations()[i].angular =
            bodies.frames()[i].inverse_inertia * (wrenches_[i].torque - glm::cross(bodies.velocities()[i].angular, L));
    }
}

void Accelerations::solve_multipliers(std::span<const double> y) noexcept {
    write_accelerations(y);

    // S lambda = -(J a + gamma).
    c_->joints().second_rates(c_->bodies().accelerations(), c_->bodies().velocities(), lambda_);
    c_->joints().solve(lambda_);
    for (std::size_t row = 0; row < lambda_.size(); ++row) {
        joint_forces_[row] = lambda_[row] = -lambda_[row];
    }
}

bool Accelerations::solve_contacts(std::span<const double> y) noexcept {
    ContactSolver& contacts = c_->contacts();
    ConeProblem& problem = contacts.problem();
    write_accelerations(y);
    contact_rates_.resize(3 * contacts.involved().size());
    contact_accelerations_.resize(contact_rates_.size());
    contacts.velocities(c_->bodies().velocities(), contact_rates_);
    const std::span<double> b(contact_accelerations_);
    contacts.accelerations(c_->bodies().velocities(), c_->bodies().accelerations(), b);
    for (int i = 0; i < problem.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const UnilateralConstraint& contact = contacts.involved_constraint(k);
        const bool slides = contact.mode() == ContactMode::Slide;
        problem.mode(i) = contact.mode();
        problem.law(i) = {
            .friction = contact.surface.friction, .static_friction = contact.surface.static_friction, .moves = slides};
        if (contact.kind == ConstraintKind::Friction) {
            problem.law(i).load = contact.stop->load();
        }
        if (slides) {
            problem.law(i).direction =
                friction_threshold_.direction(contacts, k, {contact_rates_[3 * k + 1], contact_rates_[3 * k + 2]});
        }
        for (int r = 0; r < 3; ++r) {
            problem.b(3 * i + r) = b[3 * k + static_cast<std::size_t>(r)];
        }
    }
    if (!contacts.solve_given()) {
        return false;
    }
    contacts.add_forces(wrenches_);
    if (!c_->joints().empty()) {
        std::ranges::fill(joint_reactions_, 0.0);
        contacts.add_joint_reactions(joint_reactions_);
        c_->joints().add_forces(joint_reactions_, wrenches_);
        for (std::size_t row = 0; row < lambda_.size(); ++row) {
            lambda_[row] += joint_reactions_[row];
            joint_forces_[row] = lambda_[row];
        }
    }
    return true;
}

bool Accelerations::add_contact_forces(std::span<const double> y) noexcept {
    if (c_->contacts().involved().empty()) {
        return true;
    }
    std::ranges::copy(wrenches_, wrenches_without_contacts_.begin());
    if (!c_->joints().empty()) {
        solve_multipliers(y);
        add_multipliers();
    }
    const bool solved = solve_contacts(y);
    std::ranges::copy(wrenches_without_contacts_, wrenches_.begin());
    if (solved) {
        c_->contacts().add_forces(wrenches_);
    }
    return solved;
}

void Accelerations::find_sides(double t) noexcept {
    const BodyFrames& bodies = c_->bodies();
    actuators_.find_sides(bodies.frames(), bodies.velocities(), bodies.memory(), c_->joints());
    forces_->find_sides(t, bodies.states());
}

void Accelerations::keep_joint_forces(std::span<const double> impulses, double h) noexcept {
    std::ranges::transform(impulses, joint_forces_.begin(), [h](double impulse) { return impulse / h; });
}

Wrench Accelerations::joint_force(double t, std::span<const double> y, int joint) {
    const std::vector<double> kept = joint_forces_;
    solve(t, y);
    if (c_->holds_any()) {
        share_among_taut(t, y);
    }
    std::ranges::copy(kept, joint_forces_.begin());
    return c_->joints().force_on_second(joint, lambda_);
}

// Multipliers where taut joints hold bodies: those of the held bodies do not follow from the motion, as it would be the
// same with others. Taken are the least ones (the sum of their squares, newtons and newton metres alike) with which the
// forces on the bodies, let go, would make accelerations that rows allow. What their rows do not resist is carried by
// the hold alone. Solved by Tikhonov's regularisation, repeated until its ridge does not matter.
void Accelerations::share_among_taut(double t, std::span<const double> y) {
    constexpr double kRidge = 1e-6; // of the largest inverse mass
    constexpr int kRounds = 4;
    const BodyFrames& bodies = c_->bodies();
    JointSolver& joints = c_->joints();
    // Loads without joints: fields, actuators and contacts.
    for (double& multiplier : lambda_) {
        multiplier = -multiplier;
    }
    joints.add_forces(lambda_, wrenches_);
    c_->let_go();
    c_->place_and_move(t, y);
    write_accelerations(y);
    double lightest = 0.0;
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        lightest = std::max(lightest, bodies.frames()[i].inverse_mass);
    }
    c_->linearise_joints_ridged(c_->memory(y), kRidge * lightest);
    std::ranges::fill(lambda_, 0.0);
    std::vector<Wrench> shared = wrenches_;
    for (int round = 0; round < kRounds; ++round) {
        // What is left of C'' by all forces so far.
        std::swap(wrenches_, shared);
        write_accelerations(y);
        std::swap(wrenches_, shared);
        joints.second_rates(c_->bodies().accelerations(), c_->bodies().velocities(), joint_reactions_);
        joints.solve(joint_reactions_);
        for (std::size_t row = 0; row < lambda_.size(); ++row) {
            lambda_[row] -= joint_reactions_[row];
            joint_reactions_[row] = -joint_reactions_[row];
        }
        joints.add_forces(joint_reactions_, shared);
    }
    c_->hold_again();
    c_->place_and_move(t, y);
}

double Accelerations::stop_force(std::size_t constraint) const noexcept {
    const ContactSolver& contacts = c_->contacts();
    const auto involved = std::ranges::find(contacts.involved(), static_cast<int>(constraint));
    const auto k = static_cast<int>(involved - contacts.involved().begin());
    const int row = contacts[constraint].has_gap() ? 0 : 1;
    return involved == contacts.involved().end() ? 0.0 : contacts.problem().x(3 * k + row);
}

double Accelerations::spring_energy(double t, std::span<const double> y) noexcept {
    if (actuators_.empty()) {
        return 0.0;
    }
    const Uncounted uncounted(c_->contacts().work());
    c_->place(t, y);
    return actuators_.spring_energy(c_->bodies().frames(), c_->bodies().memory());
}

double Accelerations::joint_frequency() noexcept {
    return c_->joints().empty() ? 0.0 : c_->joints().fastest_vibration(c_->bodies().frames(), joint_forces_);
}

double Accelerations::actuator_frequency() noexcept {
    return c_->joints().empty() ? 0.0 : actuators_.fastest(c_->bodies().frames(), c_->bodies().memory(), c_->joints());
}

} // namespace substep::detail
