// Works of one field, summed over islands and steps.
#include "islands/ledger_accounts.h"

#include <algorithm>

namespace substep::detail {

void LedgerAccounts::book(ForceFieldId field, double work) {
    const auto entry = std::ranges::find(fields, field, &FieldWork::field);
    if (entry != fields.end()) {
        entry->work += work;
    } else {
        fields.push_back({field, work});
    }
}

void LedgerAccounts::remove(ForceFieldId field) noexcept {
    const auto entry = std::ranges::find(fields, field, &FieldWork::field);
    if (entry != fields.end()) {
        removed_fields += entry->work;
        fields.erase(entry);
    }
}

} // namespace substep::detail
