// Energy of a world at one instant, and where it went.
#pragma once

#include <vector>

#include "substep/engine/force_field.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

struct Energy {
    double kinetic = 0.0; ///< J, translation and rotation of the dynamic bodies
    /// J: gravity (zero at the world's origin), every force field with a potential, springs of joints' limits and
    /// drives.
    double potential = 0.0;
    double total() const noexcept { return kinetic + potential; }
};

/// Energy of one force field.
struct FieldEnergy {
    ForceFieldId field;
    double potential = 0.0; ///< J, now; 0 for a field without one
    double work = 0.0;      ///< J, by forces that its potential does not account for: drag, dampers, changes in time
};

/// Where the energy of a world went since its ledger was reset. Works are positive where they added energy.
///
/// Works are integrated as components of the state, by the method itself, at its order and with its dense output. None
/// is computed as a difference but `overlap`, which jumps, so `remainder` is the error of the method and falls with its
/// order. Projection onto joints is not booked, and so is part of the remainder. Where the method runs ahead, all
/// values are those of the time handed out.
struct EnergyLedger {
    double kinetic = 0.0;            ///< J, now
    double gravity = 0.0;            ///< J, now: in WorldSettings::gravity, zero at the world's origin
    std::vector<FieldEnergy> fields; ///< in order of addition
    /// J, now: in the springs of joints' limits and drives. Drives in units of acceleration have none: what they give
    /// is all booked as `drives`.
    double joint_springs = 0.0;

    double start = 0.0; ///< J, total when the ledger was reset

    double joints = 0.0;         ///< J, by joint forces, lambda . J v: zero as far as joints hold
    double drives = 0.0;         ///< J, by motors, servos and soft limits of joints beyond what their springs hold
    double friction = 0.0;       ///< J, in contacts and joints
    double restitution = 0.0;    ///< J, by normal impulses of impacts, on hard limits of joints too
    double overlap = 0.0;        ///< J, by pushing apart bodies that velocity steps or edits let overlap
    double applied = 0.0;        ///< J, by forces and torques applied for one step
    double prescribed = 0.0;     ///< J, by kinematic bodies, through joints, contacts and fields
    double removed_fields = 0.0; ///< J, of fields that are gone
    double edits = 0.0; ///< J, by what happened between steps: impulses, teleports, bodies, fields and gravity changed

    /// Returns the energy now.
    double total() const noexcept;
    /// Returns the sum of all works and edits.
    double booked() const noexcept;
    /// Returns the numerical remainder: what no source explains, total - start - booked.
    double remainder() const noexcept { return total() - start - booked(); }
};

} // namespace substep

#pragma GCC visibility pop
