// One velocity-level step, as game engines make it: joints exactly, contacts by projected Gauss-Seidel. The plain
// baseline, no tricks, and what takes over where contact modes do not hold.
#include <algorithm>
#include <cmath>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

constexpr double kBaumgarte = 0.2;     // of the gap per step, the usual value of Bullet's and ODE's error reduction
constexpr double kRebound = 2.0;       // of the speed that gravity gives in a step: slower approaches do not rebound
constexpr int kPositionSweeps = 8;     // over the contacts that penetrate at the end

} // namespace

void IslandSystem::find_contacts(double t, double h, std::span<const double> y) noexcept {
    step_contacts_.clear();
    if (contacts_.empty()) {
        return;
    }
    std::ranges::fill(early_, Early{});
    prepare_places(t, y);
    prepare_velocities(y);
    find_step_stops(t, h);
    for (std::size_t i = 0; i < contacts_.pairs(); ++i) {
        StepContact contact;
        contact.number = i;
        contact.place = contacts_.place(i, t, frames_, prepared_memory());
        contact.approach = -step_rate(contact, 0);
        step_contacts_.push_back(contact);
    }

    // As far as a contact can close: by its approach, by what gravity adds to it, and by what bodies that hit others
    // within the step pass on to it, twice their speed where a heavy one hits a light one.
    const double falling = 2.0 * h * contact_gravity_;
    const auto reach = [&](const StepContact& c) { return h * (std::max(c.approach, 0.0) + falling); };
    double fastest = 0.0;
    for (const StepContact& contact : step_contacts_) {
        fastest = contact.place.gap <= reach(contact) ? std::max(fastest, contact.approach) : fastest;
    }
    std::erase_if(step_contacts_, [&](const StepContact& c) { return !(c.place.gap <= reach(c) + 2.0 * h * fastest); });
}

std::size_t IslandSystem::memory_size() const noexcept { return step_contacts_.size(); }

VelocityStepResult IslandSystem::velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                               std::span<RememberedForce> memory) noexcept {
    const double t = request.t;
    const double h = request.h;
    VelocityStepResult result;
    if (correction_ == JointCorrection::PositionProjection) {
        choose_rows(t, y); // open joints would not tell which follow from others
    }
    prepare_places(t, y);
    prepare_velocities(y);
    forces_->find_sides(t, states_);
    prepare_forces(t, h);
    prepare_step_contacts(request, result);
    prepare_step_stops();

    // Velocities by the forces at the start.
    book_powers(h, y);
    if (!powers_.empty()) {
        std::ranges::copy(y, start_.begin());
    }
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        const double dv = h * inertias_[i].inverse_mass;
        store(p + kVelocity, load_vector(p + kVelocity) + dv * wrenches_[i].force);
        store(p + kMomentum, load_vector(p + kMomentum) + h * torque_on(i));
    }
    prepare_velocities(y);

    solve_step_velocities(request, y, result);
    book_step_impulses(h, start_, y);

    // Positions by the new velocities.
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        store(p + kPosition, load_vector(p + kPosition) + h * velocities_[i].linear);
        store(p + kOrientation, turned(states_[i].orientation, h * velocities_[i].angular));
        trial_frames_[i].position = load_vector(p + kPosition);
        trial_frames_[i].rotation = rotation_matrix(load_quaternion(p + kOrientation));
    }
    place_prescribed(t + h, trial_frames_);

    // Gaps closed by moving bodies only; velocities keep what they have.
    if (!step_contacts_.empty()) {
        push_apart(t + h, y);
    }
    advance_memory(h, y);
    if (!joints_.empty() && correction_ == JointCorrection::PositionProjection) {
        result.ok = close_joints(t + h, y);
        joints_.remember(trial_frames_, this->memory(y));
        result.ok = result.ok && push_out_of_limits(t + h, y);
    }
    for (std::size_t i = 0; i < step_contacts_.size(); ++i) {
        const StepContact& contact = step_contacts_[i];
        result.deepest = std::max(result.deepest, -contact_gap(contact.number, t + h, y));
        UnilateralConstraint& c = contacts_[contact.number];
        c.memory.force = contact.impulse / h;
        memory[i].key = c.key;
        store(memory[i].force.data(), c.memory.force);
    }
    return result;
}

// What each contact's rows resist with, and the impulse to start from: the force remembered.
void IslandSystem::prepare_step_contacts(const VelocityStepRequest& request, VelocityStepResult& result) noexcept {
    result.contacts = static_cast<int>(step_contacts_.size());
    auto known = request.memory.begin(); // in the order of its keys, as the contacts are
    for (StepContact& contact : step_contacts_) {
        const UnilateralConstraint& c = contacts_[contact.number];
        // Anew: it may be the second half of the interval.
        contact.place = contacts_.place(contact.number, request.t, frames_, prepared_memory());
        contact.approach = -step_rate(contact, 0);
        for (std::size_t r = 0; r < 3; ++r) {
            const ConstraintRow& row = contact.place.row[r];
            contact.stiffness[r] = 0.0;
            for (std::size_t e = 0; e < 2; ++e) {
                if (c.end[e].body >= 0) {
                    const BodyFrame& body = frames_[static_cast<std::size_t>(c.end[e].body)];
                    contact.stiffness[r] +=
                        body.inverse_mass + glm::dot(row.angular[e], body.inverse_inertia * row.angular[e]);
                }
            }
        }
        contact.impulse = contact.applied = glm::dvec3(0.0);
        while (known != request.memory.end() && known->key < c.key) {
            ++known;
        }
        if (known != request.memory.end() && known->key == c.key) {
            contact.impulse = request.h * load_vector(known->force.data());
        } else {
            ++result.fresh_contacts;
        }
    }
}

// Joint impulses at the start's J: J v = 0, or what closes a fifth of the gap within the step.
void IslandSystem::obey_joints(double h, std::span<double> y) noexcept {
    if (joints_.empty()) {
        return;
    }
    const bool feed_back = correction_ == JointCorrection::Baumgarte;
    if (feed_back) {
        joints_.violation(frames_, memory(std::span<const double>(y)), residual_);
    }
    joints_.rates(velocities_, lambda_);
    for (std::size_t row = 0; row < lambda_.size(); ++row) {
        lambda_[row] = -lambda_[row] - (feed_back ? kBaumgarte / h * residual_[row] : 0.0);
    }
    joints_.solve(lambda_);
    for (std::size_t row = 0; row < lambda_.size(); ++row) {
        step_lambda_[row] += lambda_[row];
    }
    add_impulses(y);
    prepare_velocities(y);
}

// Joints, contacts and stops in turns, until none changes the others' velocities.
void IslandSystem::solve_step_velocities(const VelocityStepRequest& request, std::span<double> y,
                                         VelocityStepResult& result) noexcept {
    std::ranges::fill(step_lambda_, 0.0);
    obey_joints(request.h, y);
    double late = 0.0;
    if (!step_contacts_.empty() || !step_stops_.empty()) {
        std::copy_n(velocities_.begin(), body_count(), unmet_velocities_.begin());
        for (StepContact& contact : step_contacts_) {
            contact.allowed = std::max(contact.place.gap, 0.0) / request.h;
            push(contact, contact.impulse); // from the memory
        }
        for (StepStop& stop : step_stops_) {
            stop.allowed = std::max(stop.place.gap, 0.0) / request.h;
        }
        const auto turn = [&] {
            double change = 0.0;
            for (StepContact& contact : step_contacts_) {
                change = std::max(change, sweep(contact));
            }
            write_momenta(y);
            obey_joints(request.h, y);
            const bool shifted = result.iterations % 2 == 1;
            change = std::max(change, turn_step_stops(request.h, request.tolerance, shifted, y));
            ++result.iterations;
            result.residual = change;
            result.converged = change <= request.tolerance;
        };
        result.converged = false;
        while (!result.converged && result.iterations < request.iterations) {
            turn();
        }

        const bool any = ask_for_rebounds(request.h, late);
        const int most = result.iterations + request.iterations;
        for (result.converged = result.converged && !any; any && !result.converged && result.iterations < most;) {
            turn();
        }
    }
    // What met only later moved by its new velocity from the step's start.
    for (std::size_t i = 0; late > 0.0 && i < body_count(); ++i) {
        const glm::dvec3 v = velocities_[i].linear - unmet_velocities_[i].linear;
        const glm::dvec3 w = velocities_[i].angular - unmet_velocities_[i].angular;
        const double change = std::max(glm::length(v), inertias_[i].gyration_radius * glm::length(w));
        early_[i].by = std::max(early_[i].by, change * late);
        early_[i].at_most = std::max(early_[i].at_most, change * request.h);
    }
    keep_stop_forces(request.h);
    std::ranges::copy(step_lambda_, lambda_.begin());
    keep_joint_forces(request.h);
}

// Restitution: those that came fast and were met leave, and push whom they meet. Returns whether there are any, and how
// long after the step's start the last impact is. One without restitution is as good as on time along its normal: what
// it leaves of the approach within the step is what the approach takes until it meets. Across, friction is early.
bool IslandSystem::ask_for_rebounds(double h, double& late) noexcept {
    const double slowest = kRebound * contact_gravity_ * h;
    bool any = false;
    for (StepContact& contact : step_contacts_) {
        const SurfacePair& surface = contacts_[contact.number].surface;
        if (!(contact.approach > slowest && glm::dot(contact.impulse, contact.place.row[0].linear) > 0.0)) {
            continue;
        }
        if (surface.restitution > 0.0) {
            contact.allowed = -surface.restitution * contact.approach;
            any = true;
        }
        if (surface.restitution > 0.0 || surface.friction > 0.0) {
            late = std::max(late, contact.place.gap / contact.approach);
        }
    }
    for (StepStop& stop : step_stops_) {
        const double e = contacts_[stop.number].surface.restitution;
        if (e > 0.0 && contacts_[stop.number].lever * stop.approach > slowest && stop.impulse > 0.0) {
            stop.allowed = -e * stop.approach;
            any = true;
            late = std::max(late, stop.place.gap / stop.approach);
        }
    }
    late = std::min(late, h);
    return any;
}

// One contact: along the normal until it does not close faster than allowed, then friction within the cone. Returns
// the largest change of a velocity.
double IslandSystem::sweep(StepContact& contact) noexcept {
    const std::array<ConstraintRow, 3>& row = contact.place.row;
    const double mu = contacts_[contact.number].surface.friction;
    const double before = glm::dot(contact.impulse, row[0].linear);
    const double normal = std::max(0.0, before - (step_rate(contact, 0) + contact.allowed) / contact.stiffness[0]);
    push(contact, (normal - before) * row[0].linear);
    double change = std::abs(normal - before) * contact.stiffness[0];

    const glm::dvec2 old(glm::dot(contact.impulse, row[1].linear), glm::dot(contact.impulse, row[2].linear));
    const double stiffness = std::max(contact.stiffness[1], contact.stiffness[2]);
    glm::dvec2 tangential = old - glm::dvec2(step_rate(contact, 1), step_rate(contact, 2)) / stiffness;
    const double size = glm::length(tangential);
    tangential *= size > mu * normal ? mu * normal / size : 1.0;
    push(contact, (tangential.x - old.x) * row[1].linear + (tangential.y - old.y) * row[2].linear);
    change = std::max(change, glm::length(tangential - old) * stiffness);
    contact.impulse = normal * row[0].linear + tangential.x * row[1].linear + tangential.y * row[2].linear;
    return change;
}

double IslandSystem::step_rate(const StepContact& contact, std::size_t row) const noexcept {
    const UnilateralConstraint& c = contacts_[contact.number];
    return contact.place.row[row].rate(contacts_.velocity_of(c.end[0], velocities_),
                                       contacts_.velocity_of(c.end[1], velocities_));
}

// An impulse at the contact point, on the first body, and its opposite on the second: velocities only.
void IslandSystem::push(const StepContact& contact, const glm::dvec3& impulse) noexcept {
    const UnilateralConstraint& c = contacts_[contact.number];
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].body >= 0) {
            const auto i = static_cast<std::size_t>(c.end[e].body);
            const glm::dvec3 p = e == 0 ? impulse : -impulse;
            velocities_[i].linear += frames_[i].inverse_mass * p;
            velocities_[i].angular += frames_[i].inverse_inertia * glm::cross(contact.place.arm[e], p);
        }
    }
}

// Momenta from velocities that contacts changed: by the impulses since last time, so that nothing is lost to rounding.
void IslandSystem::write_momenta(std::span<double> y) noexcept {
    std::ranges::fill(reactions_, Wrench{});
    for (StepContact& contact : step_contacts_) {
        const glm::dvec3 impulse = contact.impulse - contact.applied;
        contact.applied = contact.impulse;
        const UnilateralConstraint& c = contacts_[contact.number];
        for (std::size_t e = 0; e < 2; ++e) {
            if (c.end[e].body >= 0) {
                Wrench& wrench = reactions_[static_cast<std::size_t>(c.end[e].body)];
                const glm::dvec3 p = e == 0 ? impulse : -impulse;
                wrench.force += p;
                wrench.torque += glm::cross(contact.place.arm[e], p);
            }
        }
    }
    add_reactions(y);
    prepare_velocities(y);
}

// Moves bodies apart along the normals of contacts that penetrate at the end, one contact after the other.
void IslandSystem::push_apart(double t, std::span<double> y) noexcept {
    for (int turn = 0; turn < kPositionSweeps; ++turn) {
        bool any = false;
        for (const StepContact& contact : step_contacts_) {
            const double gap = contact_gap(contact.number, t, y);
            if (!(gap < 0.0)) {
                continue;
            }
            any = true;
            const UnilateralConstraint& c = contacts_[contact.number];
            const double depth = -gap / contact.stiffness[0];
            const ConstraintRow& row = contact.place.row[0];
            for (std::size_t e = 0; e < 2; ++e) {
                if (c.end[e].body >= 0) {
                    const auto i = static_cast<std::size_t>(c.end[e].body);
                    const double signed_depth = e == 0 ? depth : -depth;
                    displace(y.data() + i * kNumbersPerBody, signed_depth * frames_[i].inverse_mass * row.linear,
                             signed_depth * (frames_[i].inverse_inertia * row.angular[e]));
                }
            }
        }
        if (!any) {
            return;
        }
    }
}

} // namespace substep::detail
