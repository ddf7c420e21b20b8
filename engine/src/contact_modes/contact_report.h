// Contacts and joints of an island as a world reports them.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_regime.h"
#include "contact_modes/held_contacts.h"
#include "substep/engine/contact.h"

namespace substep::detail {

/// Writes the contacts' forces to their memory, and appends a report of each contact at (t, y) to `contacts`.
/// `revision` is that of the derivative.
void report_contacts(Configuration& configuration, HeldContacts& held, const ContactRegime& regime, double t,
                     std::span<const double> y, std::uint64_t revision, std::vector<Contact>& contacts) noexcept;

/// Returns force and torque of a joint on its body_b, at frame_b and in world axes, at (t, y). `joint` counts joints,
/// then couplings; for a coupling it is the wrench on body_b of its joint_2. `id` is the handle of its stops.
Wrench report_joint_force(Configuration& configuration, Accelerations& accelerations, const ContactRegime& regime,
                          double t, std::span<const double> y, int joint, JointId id);

} // namespace substep::detail
