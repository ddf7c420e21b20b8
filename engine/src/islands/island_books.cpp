// Works of an island -> accounts of the world.
#include "islands/island_books.h"

namespace substep::detail {

void IslandBooks::resume(std::span<const double> works, double energy) noexcept {
    for (std::size_t term = 0; term < booked_works_.size(); ++term) {
        booked_works_[term] = works[term] * kLedgerUnit;
    }
    step_energy_ = {energy, energy};
}

StepEnergy IslandBooks::settle(std::span<const double> works, const IslandForces& forces, LedgerAccounts& accounts) {
    for (std::size_t term = 0; term < booked_works_.size(); ++term) {
        const double work = works[term] * kLedgerUnit;
        const double more = work - booked_works_[term];
        booked_works_[term] = work;
        if (term < kLedgerTerms) {
            accounts.works[term] += more;
        } else {
            accounts.book(forces.field_of_term(term), more);
        }
    }
    const StepEnergy energy = step_energy_;
    step_energy_.before = step_energy_.after;
    return energy;
}

} // namespace substep::detail
