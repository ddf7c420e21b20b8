// The direction of each slip is noted where a substep begins, and compared where it ends.
#include "contact_modes/slip_watch.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <glm/geometric.hpp>

namespace substep::detail {

// Calls visit(number, k, normal, slip) for each contact of bodies that slides with friction, in their order; it is the
// k-th that is involved.
template <class Visit>
void SlipWatch::for_each_slide(double t, std::span<const double> y, const Visit& visit) noexcept {
    const ContactSolver& contacts = c_->contacts();
    std::span<const HeldContact> known;
    bool is_placed = false;
    for (std::size_t i = 0; i < contacts.pairs(); ++i) {
        const UnilateralConstraint& contact = contacts[i];
        if (contact.mode() == ContactMode::Separate) {
            continue;
        }
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
        const std::size_t k = contacts.held_place(i);
        if (!known.empty()) {
            visit(i, k, known[k].normal, known[k].slip);
            continue;
        }
        const ConstraintPlace place = c_->constraint_place(i);
        const std::span<const Twist> velocities = c_->bodies().velocities();
        visit(i, k, place.row[0].linear,
              contact.surface_rate(place.row[1], velocities) * place.row[1].linear +
                  contact.surface_rate(place.row[2], velocities) * place.row[2].linear);
    }
}

void SlipWatch::resize() { starts_.resize(std::max(c_->contacts().pairs(), starts_.size())); }

// Whether a substep follows friction as it turns. Sideways a slip u that friction brakes by D falls as exp(-t D/u): no
// substep may be much longer than u/D, or its stages swing to and fro, and what swings brakes the slip less than it
// should, near the limit of sticking never to rest. Friction that hardly turns asks for nothing: the slip goes along a
// line.
bool SlipWatch::is_resolved(const Friction& start, const Friction& end, const TurnRange& stages) const noexcept {
    const double least = std::min({start.turn, end.turn, stages.least});
    const double most = std::max({start.turn, end.turn, stages.most});
    if (most - least <= kLeastTurnOfFriction) {
        return true;
    }
    const auto cosine_of = [](double turn) { return std::sqrt(std::max(0.0, 1.0 - turn * turn)); };
    const double cosine = cosine_of(start.turn) * cosine_of(end.turn) + start.turn * end.turn;
    return cosine >= kMostTurnOfSlip && stages.braking * length_ <= kResolvesTurn * std::min(start.speed, end.speed);
}

// The direction of slow slips stays: their friction is bent towards it, and would jump.
bool SlipWatch::begin_substep(double t, std::span<const double> y) noexcept {
    const FrictionThreshold& threshold = accelerations_->friction_threshold();
    bool changed = false;
    for_each_slide(t, y, [&](std::size_t i, std::size_t, const glm::dvec3& normal, const glm::dvec3& slip) {
        UnilateralConstraint& contact = c_->contacts()[i];
        ContactMemory& memory = contact.memory;
        const double speed = glm::length(slip);
        if (memory.passes_rest() && speed > kPassedRest * threshold.speed(contact.surface)) {
            memory.mode = static_cast<std::uint32_t>(ContactMode::Slide);
        }
        const double slow = threshold.speed(contact);
        const double along = glm::dot(slip, memory.slip_direction);
        const bool turned = glm::length(glm::cross(slip, memory.slip_direction)) > kTurnOfSlip * speed || along < 0.0;
        if (speed > slow && turned) {
            memory.slip_direction = slip / speed;
            changed |= along < 0.0;
        }
        starts_[i] = {.friction = {std::max(speed, slow), threshold.turn(contact, normal, slip)},
                      .is_slow = speed <= slow};
    });
    if (changed) {
        held_->forget();
    }
    held_->begin_substep(t, y, derivative_->revision());
    return changed;
}

bool SlipWatch::holds_until(double t, std::span<const double> y) noexcept {
    const FrictionThreshold& threshold = accelerations_->friction_threshold();
    bool holds = true;
    bool any_comes_to_rest = false;
    for_each_slide(t, y, [&](std::size_t i, std::size_t k, const glm::dvec3& normal, const glm::dvec3& slip) {
        const UnilateralConstraint& contact = c_->contacts()[i];
        Start& start = starts_[i];
        const double speed = glm::length(slip);
        const double along = glm::dot(slip, contact.memory.slip_direction);
        const double slow = threshold.speed(contact);
        const bool is_slow = speed <= slow;
        const Friction end{std::max(speed, slow), threshold.turn(contact, normal, slip)};
        holds &= is_resolved(start.friction, end, held_->turn_range(k)) && (is_slow || along >= 0.0);
        // A slip along a line passes through rest itself, where an event finds out whether it stays.
        const bool is_straight =
            glm::length(slip - along * contact.memory.slip_direction) <= kStillSpeed * c_->scale().speed();
        start.comes_to_rest = is_slow && !start.is_slow && !is_straight;
        any_comes_to_rest |= start.comes_to_rest;
    });
    for (std::size_t i = 0; holds && any_comes_to_rest && i < c_->contacts().pairs(); ++i) {
        const ContactMemory& memory = c_->contacts()[i].memory;
        if (starts_[i].comes_to_rest && memory.contact_mode() == ContactMode::Slide &&
            !response_->would_stick(i, t, y)) {
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
