// What touching contacts do, by their rates, loads and accelerations.
#include "contact_modes/idle_contacts.h"

#include <algorithm>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"

namespace substep::detail {

void IdleContacts::resize() {
    doings_.resize(c_->contacts().size());
    was_pressed_.resize(c_->contacts().size());
}

void IdleContacts::begin_moment() noexcept { std::ranges::fill(was_pressed_, char{false}); }

bool IdleContacts::find_forces(double t, std::span<const double> y) noexcept {
    ContactSolver& contacts = c_->contacts();
    std::ranges::fill(doings_, Doing::Nothing);
    if (!accelerations_->solve(t, y)) {
        return false;
    }
    accelerations_->write_accelerations(y);
    contacts.work().add(kWorkOfBody, c_->body_count());
    contacts.work().add(kWorkOfEntry, contacts.entries());
    return true;
}

bool IdleContacts::is_idle(std::size_t i, double parting_speed) noexcept {
    c_->contacts().work().add(kWorkOfRows, 1);
    doings_[i] = doing_of(i, parting_speed);
    return doings_[i] == Doing::Nothing;
}

// Stops of joints are few, and always take part.
IdleContacts::Doing IdleContacts::doing_of(std::size_t i, double parting_speed) noexcept {
    const UnilateralConstraint& contact = c_->contacts()[i];
    if (contact.kind != ConstraintKind::Contact) {
        return Doing::Holds;
    }
    const BodyFrames& bodies = c_->bodies();
    const std::span<const Twist> accelerations = bodies.accelerations();
    const auto along = [&](const ContactEnd& end) {
        return end.is_dynamic ? glm::length(accelerations[end.body].linear) : 0.0;
    };
    const double push =
        std::max({accelerations_->friction_threshold().gravity, along(contact.end[0]), along(contact.end[1])});
    if (contact.mode() != ContactMode::Separate) {
        return carried(i) > kNoPressure * push ? Doing::Holds : Doing::Nothing;
    }
    const ConstraintPlace place = c_->constraint_place(i);
    const std::span<const Twist> velocities = bodies.velocities();
    const double rate = contact.rate(place.row[0], velocities);
    if (rate < -kStillSpeed * c_->scale().speed()) {
        return Doing::Closes;
    }
    const double bias = bias_of(contact, place, velocities[contact.end[0].body], velocities[contact.end[1].body])[0];
    if (was_pressed_[i] || rate > parting_speed ||
        !(contact.rate(place.row[0], accelerations) + bias < -kNoPressure * push)) {
        return Doing::Nothing;
    }
    was_pressed_[i] = true;
    return Doing::Begins;
}

// The acceleration (m/s^2) by which its load keeps the ends of a contact that holds apart.
double IdleContacts::carried(std::size_t i) const noexcept {
    const ConeProblem& problem = c_->contacts().problem();
    const auto row = static_cast<int>(3 * c_->contacts().held_place(i));
    return problem.x(row) * problem.a(row, row);
}

} // namespace substep::detail
