// What `substep verify` is made of: entries, each of which makes a table of checks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "reference_file.h"

namespace substep {

/// One value of a table: as it is for programs, and in words for people.
struct Cell {
    nlohmann::ordered_json value;
    std::string text;
};

/// Makes cells. Numbers are printed with `format` (printf, for a double); lists separated by blanks; NaN and infinity
/// are null in JSON.
Cell cell(const std::string& word);
Cell cell(double value, const char* format = "%.3g");
Cell cell(const std::vector<double>& values, const char* format = "%.3g");

/// One line of a table.
struct CheckRow {
    std::vector<Cell> cells; ///< in the order of CheckTable::columns
    bool passed = false;
};

/// Everything one entry found.
struct CheckTable {
    std::string note; ///< one line: what was measured, and what must hold
    std::vector<std::string> columns;
    std::vector<CheckRow> rows;
};

/// One thing to verify, by name.
struct VerifyEntry {
    std::string name;
    std::string title;
    std::function<CheckTable()> check;
};

/// The five systems whose figures are reproduced: origin1_pendulum to origin5_step_doubling.
std::vector<VerifyEntry> origin_entries();

/// Every initial value problem that ends at a known state, with every method that suits it. Values of `reference`,
/// where it has the problem, take the place of the embedded ones; a problem of the file that is not known here is an
/// entry that fails.
std::vector<VerifyEntry> problem_entries(const Reference& reference);

/// Likewise every problem with events.
std::vector<VerifyEntry> event_entries(const Reference& reference);

/// The setting of rows that vary the frame rate alone.
inline constexpr const char* kFrameRateSetting = "fps";

/// Every scene with a truth: that it holds to its threshold, and how every suitable method comes closer to it.
std::vector<VerifyEntry> scene_entries();

} // namespace substep
