// The works that an energy ledger books while time moves, and the unit in which a state holds them.
#pragma once

#include <cmath>
#include <cstddef>

namespace substep::detail {

/// Works that every island books, in the order in which they lie at the end of its y; those of its fields follow.
enum LedgerTerm : std::size_t {
    kJointWork,
    kDriveWork,
    kFrictionWork,
    kRestitutionWork,
    kOverlapWork,
    kAppliedWork,
    kPrescribedWork,
    kLedgerTerms ///< how many
};

/// Works are components of y in units of this many joules. A power of two loses no bit, and one this large keeps works
/// out of any sum of squares over the state that a method may form: the trajectory is the same with them and without.
inline constexpr double kLedgerUnit = 0x1p600;

/// Returns a work or a power as a component of y or of its derivative. Energies leave the range of numbers long before
/// motions do. Such an energy is not booked, so that no substep fails because of the ledger; the remainder has it.
inline double in_ledger_units(double joules) noexcept { return std::isfinite(joules) ? joules / kLedgerUnit : 0.0; }

} // namespace substep::detail
