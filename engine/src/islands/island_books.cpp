// Works of an island -> accounts of the world.
#include "islands/island_books.h"

namespace substep::detail {

void IslandBooks::resume(std::span<const double> works, double energy) noexcept {
    for (std::size_t term = 0; term < booked_.size(); ++term) {
        booked_[term] = works[term] * kLedgerUnit;
    }
    energy_ = {energy, energy};
}

StepEnergy IslandBooks::settle(std::span<const double> works, const IslandForces& forces, LedgerAccounts& accounts) {
    for (std::size_t term = 0; term < booked_.size(); ++term) {
        const double work = works[term] * kLedgerUnit;
        const double more = work - booked_[term];
        booked_[term] = work;
        if (term < kLedgerTerms) {
            accounts.works[term] += more;
        } else {
            accounts.book(forces.field_of_term(term), more);
        }
    }
    const StepEnergy energy = energy_;
    energy_.before = energy_.after;
    return energy;
}

} // namespace substep::detail
