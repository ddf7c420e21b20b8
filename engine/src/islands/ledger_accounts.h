// A world's accounts of the works that its islands booked.
#pragma once

#include <array>
#include <vector>

#include "bodies/ledger_terms.h"
#include "substep/engine/force_field.h"

namespace substep::detail {

/// Work booked by one field.
struct FieldWork {
    ForceFieldId field;
    double work = 0.0; ///< J
};

/// The accounts of a world since its ledger was reset, up to the end of the last step, in J.
struct LedgerAccounts {
    double start = 0.0; ///< energy then
    double total = 0.0; ///< energy at the end of the last step
    double edits = 0.0; ///< change of energy by edits between steps
    double removed_fields = 0.0;
    std::array<double, kLedgerTerms> works{};
    std::vector<FieldWork> fields; ///< in order of addition

    void book(ForceFieldId field, double work);
    void remove(ForceFieldId field) noexcept;
};

} // namespace substep::detail
