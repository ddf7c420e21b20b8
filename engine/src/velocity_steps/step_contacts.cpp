// Contacts of a velocity step: found, started warm, swept, and remembered.
#include "velocity_steps/step_contacts.h"

#include <algorithm>
#include <cmath>

#include "bodies/lasting_part.h"
#include "bodies/tolerances.h"

namespace substep::detail {

void StepContacts::resize() {
    contacts_.clear();
    contacts_.reserve(c_->contacts().pairs());
    reactions_.resize(c_->contacts().empty() ? 0 : c_->body_count());
    kept_velocities_.resize(reactions_.size());
}

void StepContacts::find(double h, double gravity) {
    contacts_.clear();
    c_->contacts().work().add(kWorkOfRows, c_->contacts().pairs());
    for (std::size_t i = 0; i < c_->contacts().pairs(); ++i) {
        if (c_->contacts()[i].is_absent) {
            continue;
        }
        StepContact contact;
        contact.number = i;
        contact.place = c_->constraint_place(i);
        contact.approach = -rate(contact, 0);
        contacts_.push_back(contact);
    }

    // A contact can close by its approach, by the speed that gravity adds, and by the speed that bodies pass on when
    // they hit others within the step, twice their own where a heavy one hits a light one.
    const double falling = 2.0 * h * gravity;
    const auto reach = [&](const StepContact& c) { return h * (std::max(c.approach, 0.0) + falling); };
    double fastest = 0.0;
    for (const StepContact& contact : contacts_) {
        fastest = contact.place.gap <= reach(contact) ? std::max(fastest, contact.approach) : fastest;
    }
    std::erase_if(contacts_, [&](const StepContact& contact) {
        const bool is_out_of_reach = !(contact.place.gap <= reach(contact) + 2.0 * h * fastest);
        if (is_out_of_reach) { // whatever it pressed with before
            c_->contacts()[contact.number].memory.force = glm::dvec3(0.0);
        }
        return is_out_of_reach;
    });
}

void StepContacts::recall(std::vector<RememberedForce>& memory) const {
    memory.clear();
    for (std::size_t i = 0; i < c_->contacts().pairs(); ++i) {
        const UnilateralConstraint& contact = c_->contacts()[i];
        if (contact.memory.force != glm::dvec3(0.0)) {
            RememberedForce& remembered = memory.emplace_back();
            remembered.key = contact.key;
            store(remembered.force.data(), contact.memory.force);
        }
    }
}

void StepContacts::begin_step(const VelocityStepRequest& request, VelocityStepResult& result) noexcept {
    result.contacts = static_cast<int>(contacts_.size());
    c_->contacts().work().add(kWorkOfRows, contacts_.size());
    auto known = request.memory.begin(); // in the order of its keys, as the contacts are
    for (StepContact& contact : contacts_) {
        const UnilateralConstraint& c = constraint(contact);
        // Computed anew: this may be the second half of the interval.
        contact.place = c_->constraint_place(contact.number);
        carry(contact, request.t, request.h);
        contact.approach = -rate(contact, 0);
        for (std::size_t r = 0; r < 3; ++r) {
            const ConstraintRow& row = contact.place.row[r];
            contact.stiffness[r] = 0.0;
            for (std::size_t e = 0; e < 2; ++e) {
                if (c.end[e].is_dynamic) {
                    const BodyFrame& body = c_->bodies().frames()[c.end[e].body];
                    contact.stiffness[r] +=
                        body.inverse_mass + glm::dot(row.angular[e], body.inverse_inertia * row.angular[e]);
                }
            }
        }
        contact.impulse = contact.applied = contact.turning = contact.applied_turning = glm::dvec3(0.0);
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

// Bodies move straight within a step, by the velocities at its end. What a turntable carries would go off on tangents,
// and what stands on a lift would lag behind it: surfaces go with the mean velocity of their way.
// It is that of where the carried body's centre is, for all its points: the chords of a turn are no motion of a rigid
// body, and points that follow one each strain against one another up to what friction gives.
void StepContacts::carry(StepContact& contact, double t, double h) noexcept {
    const UnilateralConstraint& c = constraint(contact);
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].is_dynamic) {
            continue;
        }
        const PrescribedMotion& motion = c_->bodies().motion(c.end[e].body);
        if (motion.path == nullptr && motion.velocity.angular == glm::dvec3(0.0)) {
            continue; // it goes straight
        }
        c_->contacts().work().add_inner(kWorkOfPath, motion.path != nullptr ? 1 : 0);
        const glm::dvec3 arm = c_->bodies().all_frames()[c.end[1 - e].body].position - motion.position(t);
        const Twist& u = c_->bodies().velocities()[c.end[e].body];
        const glm::dquat turn = motion.orientation(t + h) * glm::conjugate(motion.orientation(t));
        const glm::dvec3 way = motion.position(t + h) - motion.position(t) + turn * arm - arm;
        const glm::dvec3 more = way / h - (u.linear + glm::cross(u.angular, arm));
        for (ConstraintRow& row : contact.place.row) {
            row.carried += (e == 0 ? 1.0 : -1.0) * glm::dot(row.linear, more);
        }
    }
}

// Gives all impulses, and returns the part of them (0 to 1) that takes most energy, where all together would give some.
// Gaps of pairs that are allowed to close take none.
double StepContacts::push_all() noexcept {
    const auto power = [this] {
        double sum = 0.0; // J, what bodies gain by the first of the impulses
        for (const StepContact& contact : contacts_) {
            if (contact.impulse != glm::dvec3(0.0)) {
                for (std::size_t r = 0; r < 3; ++r) {
                    const double faster = rate(contact, r) + (r == 0 ? contact.allowed : 0.0);
                    sum += glm::dot(contact.impulse, contact.place.row[r].linear) * faster;
                }
            }
        }
        return sum;
    };
    const double to_first_order = power();
    for (const StepContact& contact : contacts_) {
        push(contact, contact.impulse);
    }
    const double square = 0.5 * (power() - to_first_order);
    return part_that_takes_most(to_first_order, square);
}

// The step before may have been much shorter, or had a hit: to start from an impulse that gives more energy than it
// takes would leave it to sweeps, which may run out, to take that away again. From the best part of it on each sweep
// takes energy. What joints answer is not in the sum.
void StepContacts::start_from_memory(double h) noexcept {
    for (StepContact& contact : contacts_) {
        contact.allowed = std::max(contact.place.gap, 0.0) / h;
    }
    const double part = push_all();
    if (part == 1.0 || c_->joints().rows() > 0) {
        return;
    }
    for (StepContact& contact : contacts_) {
        push(contact, (part - 1.0) * contact.impulse);
        contact.impulse *= part;
    }
}

// A hit is no force that goes on: those that remember would take it for one, in the next step and where other solvers
// take over. What goes on is met by what presses, as it was where this step began; slips are what they are.
double StepContacts::part_that_lasts(double h, std::span<const Wrench> wrenches) noexcept {
    if (c_->joints().rows() > 0 || contacts_.empty()) {
        return 1.0;
    }
    BodyFrames& bodies = c_->bodies();
    const auto moving = bodies.velocities().first(bodies.dynamic_count());
    std::ranges::copy(moving, kept_velocities_.begin());
    for (StepContact& contact : contacts_) {
        contact.allowed = -rate(contact, 0); // approaches that are left are hits too
    }
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        bodies.velocities()[i].linear += h * bodies.frames()[i].inverse_mass * wrenches[i].force;
        bodies.velocities()[i].angular += h * (bodies.frames()[i].inverse_inertia * wrenches[i].torque);
    }
    const double part = push_all();
    std::copy_n(kept_velocities_.begin(), moving.size(), moving.begin());
    return part;
}

double StepContacts::sweep(double h, std::span<double> y) noexcept {
    double change = 0.0;
    c_->contacts().work().add(kWorkOfSweep, contacts_.size());
    for (StepContact& contact : contacts_) {
        change = std::max(change, sweep(contact, h));
    }
    write_momenta(y);
    return change;
}

// Whether a pair that does not press yet is near, or meets within h on the way that its velocities lead. Bodies move
// straight within a step, so that the time at which two points come as near as their radii is the root of a quadratic.
bool StepContacts::could_meet(const StepContact& contact, double h) const noexcept {
    if (contact.place.gap <= kFarPair * c_->scale().length()) {
        return true;
    }
    const UnilateralConstraint& c = constraint(contact);
    const double closing = -rate(contact, 0);
    if (c.is_of_solids()) { // a face ends somewhere; looked at only where its plane is met, because that takes long
        return h * closing >= contact.place.gap && c_->meet_within(c, h);
    }
    if (has_face(c.features)) {
        return h * closing >= contact.place.gap;
    }
    const auto velocity_of = [&](std::size_t e) {
        const Twist& u = c_->bodies().velocities()[c.end[e].body];
        return u.linear + glm::cross(u.angular, contact.place.centre[e]);
    };
    const double distance = contact.place.distance;
    const glm::dvec3 v = velocity_of(0) - velocity_of(1);
    const double along = -distance * glm::dot(contact.place.normal, v); // half the rate at which distance^2 falls
    const double to_go = contact.place.gap * (2.0 * distance - contact.place.gap); // distance^2 - radii^2
    const double discriminant = along * along - glm::dot(v, v) * to_go;
    return along > 0.0 && discriminant >= 0.0 && to_go <= h * (along + std::sqrt(discriminant));
}

double StepContacts::sweep(StepContact& contact, double h) noexcept {
    if (contact.impulse == glm::dvec3(0.0) && !could_meet(contact, h)) {
        return 0.0;
    }
    const std::array<ConstraintRow, 3>& row = contact.place.row;
    const double mu = constraint(contact).surface.friction;
    const double before = glm::dot(contact.impulse, row[0].linear);
    const double normal = std::max(0.0, before - (rate(contact, 0) + contact.allowed) / contact.stiffness[0]);
    push(contact, (normal - before) * row[0].linear);
    double change = std::abs(normal - before) * contact.stiffness[0];

    const glm::dvec2 old(glm::dot(contact.impulse, row[1].linear), glm::dot(contact.impulse, row[2].linear));
    const double stiffness = std::max(contact.stiffness[1], contact.stiffness[2]);
    glm::dvec2 tangential = old - glm::dvec2(rate(contact, 1), rate(contact, 2)) / stiffness;
    const double size = glm::length(tangential);
    tangential *= size > mu * normal ? mu * normal / size : 1.0;
    push(contact, (tangential.x - old.x) * row[1].linear + (tangential.y - old.y) * row[2].linear);
    change = std::max(change, glm::length(tangential - old) * stiffness);
    contact.impulse = normal * row[0].linear + tangential.x * row[1].linear + tangential.y * row[2].linear;
    return std::max(change, resist(contact, normal));
}

// Rolling and spinning are held as friction holds slip: up to a torque that follows from the normal impulse (N s).
// Returns the change of the turning, of surfaces as far from both centres as the point is.
double StepContacts::resist(StepContact& contact, double normal) noexcept {
    const SurfacePair& surface = constraint(contact).surface;
    if (!(surface.rolling_resistance > 0.0 || surface.spinning_resistance > 0.0)) {
        return 0.0;
    }
    const UnilateralConstraint& c = constraint(contact);
    BodyFrames& bodies = c_->bodies();
    glm::dmat3 response(0.0);
    for (std::size_t e = 0; e < 2; ++e) {
        response += c.end[e].is_dynamic ? bodies.frames()[c.end[e].body].inverse_inertia : glm::dmat3(0.0);
    }
    const glm::dvec3 rate = turning_rate(contact);
    std::array<double, 3> wanted{}; // N m s, along the rows
    std::array<double, 3> softest{};
    for (std::size_t r = 0; r < 3; ++r) {
        const glm::dvec3& axis = contact.place.row[r].linear;
        softest[r] = glm::dot(axis, response * axis);
        wanted[r] = glm::dot(axis, contact.turning);
    }
    softest[1] = softest[2] = std::max(softest[1], softest[2]);
    for (std::size_t r = 0; r < 3; ++r) {
        wanted[r] -= softest[r] > 0.0 ? glm::dot(contact.place.row[r].linear, rate) / softest[r] : 0.0;
    }
    const double most_spinning = surface.spinning_resistance * normal;
    const double most_rolling = surface.rolling_resistance * normal;
    wanted[0] = std::clamp(wanted[0], -most_spinning, most_spinning);
    const double rolling = glm::length(glm::dvec2(wanted[1], wanted[2]));
    const double part = rolling > most_rolling ? most_rolling / rolling : 1.0;
    const glm::dvec3 turning =
        wanted[0] * contact.place.row[0].linear +
        part * (wanted[1] * contact.place.row[1].linear + wanted[2] * contact.place.row[2].linear);
    const glm::dvec3 more = turning - contact.turning;
    contact.turning = turning;
    double change = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].is_dynamic) {
            const std::size_t i = c.end[e].body;
            const glm::dvec3 faster = bodies.frames()[i].inverse_inertia * (e == 0 ? more : -more);
            bodies.velocities()[i].angular += faster;
            change = std::max(change, glm::length(faster) * glm::length(contact.place.arm[e]));
        }
    }
    return change;
}

glm::dvec3 StepContacts::turning_rate(const StepContact& contact) const noexcept {
    const UnilateralConstraint& c = constraint(contact);
    const std::span<const Twist> velocities = c_->bodies().velocities();
    return velocities[c.end[0].body].angular - velocities[c.end[1].body].angular;
}

double StepContacts::rate(const StepContact& contact, std::size_t row) const noexcept {
    return constraint(contact).surface_rate(contact.place.row[row], c_->bodies().velocities());
}

// Gives an impulse at the contact point to the first body, and its opposite to the second: velocities only.
void StepContacts::push(const StepContact& contact, const glm::dvec3& impulse) noexcept {
    const UnilateralConstraint& c = constraint(contact);
    BodyFrames& bodies = c_->bodies();
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].is_dynamic) {
            const std::size_t i = c.end[e].body;
            const BodyFrame& frame = bodies.frames()[i];
            const glm::dvec3 p = e == 0 ? impulse : -impulse;
            bodies.velocities()[i].linear += frame.inverse_mass * p;
            bodies.velocities()[i].angular += frame.inverse_inertia * glm::cross(contact.place.arm[e], p);
        }
    }
}

// Updates momenta by the impulses since the last call, not from velocities, so that nothing is lost to rounding.
void StepContacts::write_momenta(std::span<double> y) noexcept {
    std::ranges::fill(reactions_, Wrench{});
    for (StepContact& contact : contacts_) {
        const glm::dvec3 impulse = contact.impulse - contact.applied;
        const glm::dvec3 turning = contact.turning - contact.applied_turning;
        contact.applied = contact.impulse;
        contact.applied_turning = contact.turning;
        const UnilateralConstraint& c = constraint(contact);
        for (std::size_t e = 0; e < 2; ++e) {
            if (c.end[e].is_dynamic) {
                Wrench& wrench = reactions_[c.end[e].body];
                const glm::dvec3 p = e == 0 ? impulse : -impulse;
                wrench.force += p;
                wrench.torque += glm::cross(contact.place.arm[e], p) + (e == 0 ? turning : -turning);
            }
        }
    }
    c_->bodies().add_impulses(reactions_, y);
    c_->bodies().set_velocities(y);
}

bool StepContacts::any_penetrates(double t, std::span<const double> y) const noexcept {
    return std::ranges::any_of(contacts_, [&](const StepContact& c) { return c_->gap(c.number, t, y) < 0.0; });
}

void StepContacts::end_step(double t, double h, double lasting, std::span<const double> y,
                            std::span<RememberedForce> memory, VelocityStepResult& result) noexcept {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const StepContact& contact = contacts_[i];
        result.deepest = std::max(result.deepest, -c_->gap(contact.number, t, y));
        UnilateralConstraint& constraint = c_->contacts()[contact.number];
        constraint.memory.force = lasting * contact.impulse / h;
        memory[i].key = constraint.key;
        store(memory[i].force.data(), constraint.memory.force);
    }
}

} // namespace substep::detail
