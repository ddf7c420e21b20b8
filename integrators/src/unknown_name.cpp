// Names that are near what was typed.
#include "substep/integrators/unknown_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace substep::detail {
namespace {

// Levenshtein's distance: insertions, deletions and replacements that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

std::string in_quotes(std::string_view word) { return '"' + std::string(word) + '"'; }

} // namespace

std::string unknown_name(std::string_view what, std::string_view word, std::span<const std::string_view> valid) {
    const auto nearest = std::min_element(valid.begin(), valid.end(), [&](std::string_view a, std::string_view b) {
        return edit_distance(word, a) < edit_distance(word, b);
    });
    // Two letters exchanged are near; a word of which less than half is right was meant to be something else.
    const bool is_near = edit_distance(word, *nearest) <= std::max<std::size_t>(2, word.size() / 2);
    std::string sentence = "unknown " + std::string(what) + ' ' + in_quotes(word) + ": " +
                           (is_near ? "did you mean " + in_quotes(*nearest) + "? Valid: " : "valid are ");
    for (const std::string_view name : valid) {
        sentence += (name == valid.front() ? "" : ", ") + std::string(name);
    }
    return sentence;
}

} // namespace substep::detail
