// Contacts and joints of an island as a world reports them.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_regime.h"
#include "contact_modes/held_contacts.h"
#include "substep/engine/contact.h"

namespace substep::detail {

/// Writes forces to what the contacts remember, and appends what they are at (t, y) to `contacts`. `revision` is that
/// of the derivative.
void report_contacts(Configuration& configuration, HeldContacts& held, const ContactRegime& regime, double t,
                     std::span<const double> y, std::uint64_t revision, std::vector<Contact>& contacts) noexcept;

/// Returns force and torque of a joint on its body_b, at frame_b and in world axes, at (t, y). `joint` counts joints,
/// then couplings; of a coupling it is what its joint_2 feels. `id` is that of its stops.
Wrench report_joint_force(Configuration& configuration, Accelerations& accelerations, const ContactRegime& regime,
                          double t, std::span<const double> y, int joint, JointId id);

} // namespace substep::detail
