// Results as text.
#include "results.h"

#include <array>
#include <charconv>
#include <sstream>

namespace baseline {

namespace {

std::vector<Value> values_of(const std::string& line) {
    std::vector<Value> values;
    std::istringstream in(line);
    for (std::string word; in >> word;) {
        const std::size_t colon = word.find(':');
        values.push_back({word.substr(0, colon), word.substr(colon + 1)});
    }
    return values;
}

} // namespace

std::string to_hex(std::uint64_t value) {
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
    const auto count = static_cast<std::size_t>(end - digits.data());
    return std::string(digits.size() - count, '0') + std::string(digits.data(), count);
}

std::string to_text(const Result& result) {
    std::string text;
    for (const std::vector<Value>* values : {&result.first, &result.second}) {
        for (const Value& value : *values) {
            text += value.name + ':' + value.text + ' ';
        }
        text += '\n';
    }
    return text;
}

Result from_text(std::string_view text) {
    const std::size_t end = text.find('\n');
    return {values_of(std::string(text.substr(0, end))), values_of(std::string(text.substr(end + 1)))};
}

} // namespace baseline
