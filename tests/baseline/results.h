// What a run came to, as values with names, and as the text in which lists keep it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baseline {

/// A digest by its name. The text "=" says that it is what the engine promises it to be: the value of the plain run.
struct Value {
    std::string name;
    std::string text;
};

struct Result {
    std::vector<Value> first;  ///< motions, reports and answers: these never change
    std::vector<Value> second; ///< World::hash and bytes of snapshots: a new format of snapshots changes them
};

/// Returns 16 hexadecimal digits.
std::string to_hex(std::uint64_t value);

/// Returns a value that is expected to be another one.
inline Value expected_equal(std::string name, std::uint64_t value, std::uint64_t other) {
    return {std::move(name), value == other ? "=" : to_hex(value)};
}

/// A result as two lines of text, and back.
std::string to_text(const Result& result);
Result from_text(std::string_view text);

} // namespace baseline
