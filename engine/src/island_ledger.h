// What an energy ledger books while time moves, and the world's accounts of it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "substep/engine/force_field.h"

namespace substep::detail {

/// Works that every island books, in the order in which they lie at the end of its y; those of its fields follow.
enum LedgerTerm : std::size_t {
    kJointWork,
    kDriveWork,
    kFrictionWork,
    kRestitutionWork,
    kAppliedWork,
    kPrescribedWork,
    kLedgerTerms ///< how many
};

/// Works are components of y in units of this many joules. A power of two loses no bit, and one this large keeps works
/// out of any sum of squares over the state that a method may form: the trajectory is the same with them and without.
inline constexpr double kLedgerUnit = 0x1p600;

/// Returns a work or a power as a component of y or of its derivative. Energies leave the range of numbers long before
/// motions do; one that has is not booked, so that no substep fails for the sake of the books: their remainder has it.
inline double in_ledger_units(double joules) noexcept { return std::isfinite(joules) ? joules / kLedgerUnit : 0.0; }

/// Work booked by one field.
struct FieldWork {
    ForceFieldId field;
    double work = 0.0; ///< J
};

/// What a world has booked since its ledger was reset, up to the end of the last step, in J.
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

/// Saves and takes back accounts. False if the bytes make no sense.
template <class Archive, class Accounts>
bool archive_ledger(Archive& archive, Accounts& accounts) {
    archive.number(accounts.start);
    archive.number(accounts.total);
    archive.number(accounts.edits);
    archive.number(accounts.removed_fields);
    archive.number(accounts.works);
    std::uint64_t count = accounts.fields.size();
    archive.number(count);
    if constexpr (!std::is_const_v<Accounts>) {
        if (count > 0xffffffffu) {
            return false;
        }
        accounts.fields.clear();
        for (std::uint64_t i = 0; i < count; ++i) {
            FieldWork entry; // one by one: a count that is wrong ends with the bytes, not with the memory
            archive.number(entry);
            accounts.fields.push_back(entry);
        }
    } else {
        for (const FieldWork& entry : accounts.fields) {
            archive.number(entry);
        }
    }
    return true;
}

} // namespace substep::detail
