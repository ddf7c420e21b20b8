// What heavy bodies do to light ones between them and what bears both.
#pragma once

#include <cstddef>
#include <span>

#include "convex_step/convex_layout.h"
#include "convex_step/newton.h"

namespace substep::detail {

/// What presses on a contact at the rates of now, N; `h` is the step's length, s.
double pressed_now(const ContactTerm& term, double h) noexcept;

/// How deep (m) a point of a stiffness (N/m) is under a force (N), where its stop is at a depth of `deepest`.
double depth_under(double force, double stiffness, double deepest) noexcept;

/// Gives a point a stop where it has given way as far as it is to.
void stop_there(std::size_t point, ContactLaw& law) noexcept;

/// A contact is as stiff as its lighter body needs, and friction is given what pressed before. A load of many times
/// that body's weight comes to bear through several contacts at once: of 1000 kg on three balls of 1 kg each solution
/// finds half as much again, and they are pressed apart before friction holds what it could. Gives points that have
/// given way too far a stop; where a contact of unequal bodies slips by friction that lags, all that do hold in the
/// next solution, which finds what presses then. `speed` (m/s) is what bodies gain in the step by what acts. Returns
/// whether anything is to be solved again.
bool bear_loads(std::span<ContactTerm> contacts, std::span<const ContactFrame> frames, double speed) noexcept;

/// Whether friction still lags by so much anywhere that the motion is not what contacts ask for.
bool lags_far(std::span<const ContactTerm> contacts, std::span<const ContactFrame> frames, double speed) noexcept;

} // namespace substep::detail
