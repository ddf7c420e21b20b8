// The plain velocity step, in the order in which it is made.
#include "velocity_steps/impulse_step.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace substep::detail {
namespace {

constexpr std::int64_t kWorkOfMove = 40; // a body that moves and turns by itself for a step, with its powers

} // namespace

void ImpulseStep::resize(std::size_t state_size) {
    damping_.resize();
    joint_impulses_.resize();
    resize_contacts();
    start_state_.resize(works_->is_kept() ? state_size : 0);
    looked_at_states_.resize(works_->is_kept() ? c_->bodies().size() : 0);
    looked_at_frames_.resize(looked_at_states_.size());
    if (!c_->joints().empty()) {
        end_frames_.assign(c_->bodies().frames().begin(), c_->bodies().frames().end());
    }
}

void ImpulseStep::resize_contacts() {
    contacts_.resize();
    stops_.resize();
    rebound_times_.resize();
    rebound_energy_.resize();
    if (!c_->contacts().empty()) {
        unmet_velocities_.resize(c_->body_count());
        early_impacts_.resize(c_->body_count());
    }
}

void ImpulseStep::find_contacts(double t, double h, std::span<const double> y) noexcept {
    contacts_.clear();
    if (c_->contacts().empty()) {
        return;
    }
    std::ranges::fill(early_impacts_, EarlyImpact{});
    c_->place_and_move(t, y);
    const double gravity = accelerations_->friction_threshold().gravity;
    c_->find_points_ahead(t, y, h, gravity);
    stops_.find(h, gravity);
    contacts_.find(h, gravity);
}

VelocityStepResult ImpulseStep::velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                              std::span<RememberedForce> memory) noexcept {
    const double t = request.t;
    const double h = request.h;
    const bool projects = joint_impulses_.correction() == JointCorrection::PositionProjection;
    VelocityStepResult result;
    if (projects) {
        joint_closing_->choose_rows(t, y); // open joints would not show which rows are redundant
    }
    c_->place_and_move(t, y);
    BodyFrames& bodies = c_->bodies();
    accelerations_->forces().find_sides(t, bodies.states());
    accelerations_->write_field_forces(t, AcrossVelocity::LeftOut);
    damping_.yield(t, h);
    contacts_.begin_step(request, result);
    stops_.begin_step(accelerations_->actuators());

    // Velocities by the forces at the start, damping taken at the end.
    std::ranges::copy(y.first(start_state_.size()), start_state_.begin());
    const std::span<const Wrench> wrenches = accelerations_->wrenches();
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        const double dv = h * bodies.inertia(i).inverse_mass;
        store(p + kVelocity, load_vector(p + kVelocity) + dv * wrenches[i].force);
        store(p + kMomentum, load_vector(p + kMomentum) + h * bodies.felt_torque(i, wrenches[i].torque));
    }
    bodies.set_velocities(y);

    // Forces across the velocity: half before the impulses, whose rows they would make unsymmetric, and half behind the
    // step, so that bodies move between two halves. The work of the first half is booked with that of the impulses.
    velocity_turn_->turn(t, 0.5 * h, y);
    solve_velocities(request, y, result);
    book_works(t, h, y);
    move_bodies(t, h, y);
    const double lasting = contacts_.part_that_lasts(h, accelerations_->wrenches());

    // Gaps closed by moving bodies only; velocities keep what they have.
    if (!contacts_.empty()) {
        push_apart(t + h, h, y);
    }
    if (c_->memory_count() > 0) {
        bodies.set_velocities(y);
        joint_closing_->advance_memory(h, y);
        c_->joints().remember(end_frames_, c_->memory(y));
    }
    if (!c_->joints().empty() && projects) {
        result.ok = joint_closing_->close(t + h, y);
        joint_closing_->remember(y);
        result.ok = result.ok && stops_.push_out_of_limits(t + h, y);
    }
    contacts_.end_step(t + h, h, lasting, y, memory, result);
    works_->book(kPrescribedWork, velocity_turn_->turn(t + h, 0.5 * h, y), y);
    return result;
}

// Positions by the new velocities.
void ImpulseStep::move_bodies(double t, double h, std::span<double> y) noexcept {
    c_->contacts().work().add_inner(kWorkOfMove, c_->body_count());
    const BodyFrames& bodies = c_->bodies();
    const std::span<const Twist> velocities = bodies.velocities();
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        glm::dquat q = bodies.states()[i].orientation;
        double rest = h;
        if (const double unmet = rebound_times_.time_of(i); unmet > 0.0) {
            store(p + kPosition, load_vector(p + kPosition) + unmet * unmet_velocities_[i].linear);
            q = turned(q, unmet * unmet_velocities_[i].angular);
            rest -= unmet;
        }
        store(p + kPosition, load_vector(p + kPosition) + rest * velocities[i].linear);
        store(p + kOrientation,
              c_->tumbles(i) ? torque_free_turn(q, load_vector(p + kMomentum), bodies.inertia(i).inverse_moments, rest)
                             : turned(q, rest * velocities[i].angular));
        if (!end_frames_.empty()) {
            end_frames_[i].position = load_vector(p + kPosition);
            end_frames_[i].rotation = rotation_matrix(load_quaternion(p + kOrientation));
        }
    }
    if (!end_frames_.empty()) {
        bodies.place_prescribed(t + h, end_frames_);
    }
}

// Energy (J) of bodies that are not placed there: looking at it must change nothing of the step.
double ImpulseStep::energy_at(double t, std::span<const double> y) noexcept {
    const BodyFrames& bodies = c_->bodies();
    std::ranges::copy(bodies.states(), looked_at_states_.begin());
    std::ranges::copy(bodies.frames(), looked_at_frames_.begin());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        RigidState& state = looked_at_states_[i];
        if (i < bodies.dynamic_count()) {
            state.position = load_vector(y.data() + i * kNumbersPerBody + kPosition);
            state.orientation = load_quaternion(y.data() + i * kNumbersPerBody + kOrientation);
        } else {
            state.position = bodies.motion(i).position(t);
            state.orientation = bodies.motion(i).orientation(t);
        }
        looked_at_frames_[i].position = state.position;
        looked_at_frames_[i].rotation = rotation_matrix(state.orientation);
    }
    const Uncounted uncounted(c_->contacts().work());
    return works_->kinetic_energy(y) + accelerations_->spring_energy(looked_at_frames_, c_->memory(y)) +
           accelerations_->forces().potential(t, looked_at_states_);
}

// What pushing apart gives is booked as the difference of energies: it is a jump.
void ImpulseStep::push_apart(double t, double h, std::span<double> y) noexcept {
    const bool books = works_->is_kept() && contacts_.any_penetrates(t, y);
    const double before = books ? energy_at(t, y) : 0.0;
    contacts_.push_apart(t, h, y);
    if (books) {
        works_->book(kOverlapWork, energy_at(t, y) - before, y);
    }
}

// Joints, contacts and stops in turns, until none changes the others' velocities.
void ImpulseStep::solve_velocities(const VelocityStepRequest& request, std::span<double> y,
                                   VelocityStepResult& result) noexcept {
    rebound_times_.clear();
    joint_impulses_.begin_step(request.h);
    joint_impulses_.drive(request.h, y);
    if (!contacts_.empty() || !stops_.empty()) {
        std::copy_n(c_->bodies().velocities().begin(), c_->body_count(), unmet_velocities_.begin());
        contacts_.start_from_memory(request.h);
        stops_.allow_gaps(request.h);
        const auto turn = [&] {
            c_->contacts().work().add(kWorkOfJointRow, static_cast<std::size_t>(c_->joints().rows()));
            c_->contacts().work().add(kWorkOfSweep, stops_.all().size());
            double change = contacts_.sweep(request.h, y);
            joint_impulses_.obey(request.h, y);
            const bool shifted = result.iterations % 2 == 1;
            change = std::max(change, stops_.turn(request.h, request.tolerance, shifted, y));
            ++result.iterations;
            result.residual = change;
            result.converged = change <= request.tolerance;
        };
        const auto settle = [&](int most) {
            result.converged = false;
            while (!result.converged && result.iterations < most) {
                turn();
            }
        };
        if (joint_impulses_.actuators() != nullptr) {
            // As contacts pushed last, and then as they do now: who is let go by one of them is not pushed on for it.
            contacts_.write_momenta(y);
            joint_impulses_.drive(request.h, y);
            settle(request.iterations);
            joint_impulses_.drive(request.h, y);
        }
        settle(result.iterations + request.iterations);

        const double gravity = accelerations_->friction_threshold().gravity;
        const bool any = rebound_times_.ask(impact_time(), request.h, gravity, unmet_velocities_);
        if (any) {
            rebound_energy_.begin(unmet_velocities_, y);
        }
        const int most = result.iterations + request.iterations;
        for (result.converged = result.converged && !any; any && !result.converged && result.iterations < most;) {
            turn();
        }
        if (any) {
            rebound_energy_.limit(y);
            rebound_times_.end(gravity * request.h);
        }
        note_early_impacts(request.h);
    }
    stops_.keep_forces(request.h);
    accelerations_->keep_joint_forces(joint_impulses_.sum(), request.h);
}

// The plain method is what it is; where velocity steps end the step of another method, they take up true velocities and
// leave true velocities behind.
ImpactTime ImpulseStep::impact_time() const noexcept {
    return regime_->has_taken_over() ? ImpactTime::OnTime : ImpactTime::StepStart;
}

// Bodies that met later in the step have moved at their new velocity from its start.
void ImpulseStep::note_early_impacts(double h) noexcept {
    const BodyFrames& bodies = c_->bodies();
    const double late = rebound_times_.late();
    for (std::size_t i = 0; late > 0.0 && i < bodies.dynamic_count(); ++i) {
        const glm::dvec3 v = bodies.velocities()[i].linear - unmet_velocities_[i].linear;
        const glm::dvec3 w = bodies.velocities()[i].angular - unmet_velocities_[i].angular;
        const double change = std::max(glm::length(v), bodies.inertia(i).gyration_radius * glm::length(w));
        early_impacts_[i].by = std::max(early_impacts_[i].by, change * late);
        early_impacts_[i].at_most = std::max(early_impacts_[i].at_most, change * h);
    }
}

// Books forces and impulses of the step, all at the mean of the velocities before and after it, where the sum closes.
// Normal impulses of contacts and stops are restitution, the others friction. Forces push while impulses hold: between
// the two a body at rest would have a velocity for impulses to take. Any further energy of the bodies came from
// prescribed ones.
void ImpulseStep::book_works(double t, double h, std::span<double> y) noexcept {
    if (!works_->is_kept()) {
        return;
    }
    c_->bodies().set_mean_velocities(start_state_, y);
    c_->bodies().show_velocities();
    accelerations_->write_field_powers(t);
    damping_.correct_powers(works_->powers());
    works_->book_powers(h, y);
    if (c_->joints().empty() && contacts_.empty()) {
        c_->bodies().set_velocities(y);
        return;
    }
    const double by_joints = c_->joints().empty() ? 0.0 : works_->joint_power(joint_impulses_.sum());
    ActuatorWorks of_actuators;
    if (const ActuatorRows* const actuators = joint_impulses_.actuators()) {
        actuators->add_works(c_->bodies().velocities(), 1.0, of_actuators);
    }
    double normal = 0.0;
    double across = 0.0;
    for (const StepContact& contact : contacts_.all()) {
        for (std::size_t r = 0; r < 3; ++r) {
            const double along = glm::dot(contact.impulse, contact.place.row[r].linear);
            (r == 0 ? normal : across) += along * (contacts_.rate(contact, r) - contact.place.row[r].carried);
        }
        across += glm::dot(contact.turning, contacts_.turning_rate(contact));
    }
    for (const StepStop& stop : stops_.all()) {
        (stop.row == 0 ? normal : across) += stop.impulse * stops_.rate(stop);
    }
    const double gained = works_->kinetic_energy(y) - works_->kinetic_energy(start_state_) -
                          h * works_->power_on_bodies(accelerations_->wrenches());
    works_->book(kJointWork, by_joints, y);
    works_->book(kRestitutionWork, normal, y);
    works_->book(kFrictionWork, across + of_actuators.friction, y);
    works_->book(kDriveWork, of_actuators.drives, y);
    works_->book(kPrescribedWork, gained - by_joints - normal - across - of_actuators.along, y);
    c_->bodies().set_velocities(y);
}

} // namespace substep::detail
