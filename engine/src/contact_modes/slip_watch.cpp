// The direction of each slip is noted where a substep begins, and compared where it ends.
#include "contact_modes/slip_watch.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cstdint>

#include <glm/geometric.hpp>

namespace substep::detail {

// Calls visit(number, k, normal, slip) for each contact of bodies that slides with friction, in their order; it is the
// k-th that holds.
template <class Visit>
void SlipWatch::for_each_slide(double t, std::span<const double> y, const Visit& visit) noexcept {
    const ContactSolver& contacts = c_->contacts();
    std::span<const HeldContact> known;
    bool is_placed = false;
    std::size_t held = 0; // counts the contacts that hold
    for (std::size_t i = 0; i < contacts.pairs(); ++i) {
        const UnilateralConstraint& contact = contacts[i];
        if (contact.mode() == ContactMode::Separate) {
            continue;
        }
        const std::size_t k = held++;
        if (contact.mode() != ContactMode::Slide || !(contact.surface.friction > 0.0)) {
            continue;
        }
        if (!is_placed) {
            known = held_->known_at(t, y, derivative_->revision());
            is_placed = true;
            if (known.empty()) {
                c_->place_and_move(t, y);
            }
        }
        if (!known.empty()) {
            visit(i, k, known[k].normal, known[k].slip);
            continue;
        }
        const ConstraintPlace place = c_->constraint_place(i);
        const std::span<const Twist> velocities = c_->bodies().velocities();
        visit(i, k, place.row[0].linear,
              contact.rate(place.row[1], velocities) * place.row[1].linear +
                  contact.rate(place.row[2], velocities) * place.row[2].linear);
    }
}

void SlipWatch::resize() {
    const std::size_t most = std::max(c_->contacts().pairs(), begins_fast_.size());
    begins_fast_.resize(most);
    comes_to_rest_.resize(most);
}

// The direction of slow slips stays: their friction is bent towards it, and would jump.
bool SlipWatch::begin_substep(double t, std::span<const double> y) noexcept {
    const FrictionThreshold& threshold = accelerations_->friction_threshold();
    bool changed = false;
    for_each_slide(t, y, [&](std::size_t i, std::size_t, const glm::dvec3&, const glm::dvec3& slip) {
        UnilateralConstraint& contact = c_->contacts()[i];
        ContactMemory& memory = contact.memory;
        const double speed = glm::length(slip);
        if (memory.passes_rest() && speed > kPassedRest * threshold.speed(contact.surface)) {
            memory.mode = static_cast<std::uint32_t>(ContactMode::Slide);
        }
        begins_fast_[i] = speed > threshold.speed(contact);
        const double along = glm::dot(slip, memory.slip_direction);
        const bool turned = glm::length(glm::cross(slip, memory.slip_direction)) > kTurnOfSlip * speed || along < 0.0;
        if (begins_fast_[i] != 0 && turned) {
            memory.slip_direction = slip / speed;
            changed |= along < 0.0;
        }
    });
    if (changed) {
        held_->forget();
    }
    return changed;
}

bool SlipWatch::holds_until(double t, std::span<const double> y) noexcept {
    const FrictionThreshold& threshold = accelerations_->friction_threshold();
    bool holds = true;
    bool any_comes_to_rest = false;
    for_each_slide(t, y, [&](std::size_t i, std::size_t k, const glm::dvec3& normal, const glm::dvec3& slip) {
        const UnilateralConstraint& contact = c_->contacts()[i];
        const double speed = glm::length(slip);
        const double along = glm::dot(slip, contact.memory.slip_direction);
        const bool is_slow = speed <= threshold.speed(contact);
        if (!is_slow && begins_fast_[i] != 0) {
            const double sine = sine_of_turn(contact, normal, slip / speed);
            holds &= along >= kMostTurnOfSlip * speed && held_->stages_turn_to(k, sine);
        } else if (!is_slow) {
            holds &= along >= 0.0;
        }
        // A slip along a line passes through rest itself, where an event finds out whether it stays.
        const bool is_straight = glm::length(slip - along * contact.memory.slip_direction) <= kStillSpeed;
        comes_to_rest_[i] = is_slow && begins_fast_[i] != 0 && !is_straight;
        any_comes_to_rest |= comes_to_rest_[i] != 0;
    });
    for (std::size_t i = 0; holds && any_comes_to_rest && i < c_->contacts().pairs(); ++i) {
        const ContactMemory& memory = c_->contacts()[i].memory;
        if (comes_to_rest_[i] != 0 && memory.contact_mode() == ContactMode::Slide && !response_->would_stick(i, t, y)) {
            ContactMemory passing = memory;
            passing.mode |= ContactMemory::kPassesRest;
            c_->contacts().set_memory(i, passing);
            holds = false;
        }
    }
    if (!holds) {
        held_->forget();
    }
    return holds;
}

} // namespace substep::detail
