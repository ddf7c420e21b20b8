// The works that an island hands to the world's energy ledger.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "forces/island_forces.h"
#include "islands/ledger_accounts.h"

namespace substep::detail {

/// The energy (J) that a step began with, edits included, and ended with.
struct StepEnergy {
    double before = 0.0;
    double after = 0.0;
};

/// The works at the end of an island's state (in units of kLedgerUnit) that the world's accounts have already, and the
/// energies of the last step.
class IslandBooks {
public:
    /// Opens books for so many works, all zero: those booked before are in the world's accounts.
    void open(std::size_t terms) { booked_works_.assign(terms, 0.0); }
    bool are_kept() const noexcept { return !booked_works_.empty(); }
    /// The works that the accounts have, J.
    std::span<const double> booked() const noexcept { return booked_works_; }
    void forget_energy() noexcept { step_energy_ = {}; }

    void begin_step(double energy) noexcept { step_energy_.before = energy; }
    void end_step(double energy) noexcept { step_energy_.after = energy; }

    /// Goes on from works and an energy that a snapshot brought back.
    void resume(std::span<const double> works, double energy) noexcept;

    /// Books the change of the works since the last call. Returns the energies of the last step, once: an island asleep
    /// keeps its energy.
    StepEnergy settle(std::span<const double> works, const IslandForces& forces, LedgerAccounts& accounts);

private:
    StepEnergy step_energy_;
    std::vector<double> booked_works_; ///< J
};

} // namespace substep::detail
