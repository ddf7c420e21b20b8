// Values of verification tables, for programs and people at once.
#include <cmath>
#include <cstdio>

#include "verification.h"

namespace substep {
namespace {

std::string formatted(double value, const char* format) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// JSON has no infinity and no NaN: null stands for both.
nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

} // namespace

Cell cell(const std::string& word) { return {word, word}; }

Cell cell(double value, const char* format) { return {number(value), formatted(value, format)}; }

Cell cell(const std::vector<double>& values, const char* format) {
    Cell list{nlohmann::ordered_json::array(), ""};
    for (const double value : values) {
        list.value.push_back(number(value));
        list.text += (list.text.empty() ? "" : " ") + formatted(value, format);
    }
    return list;
}

} // namespace substep
