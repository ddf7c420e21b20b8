// The remaining gap of a joint, in words.
#include "islands/joint_refusal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
namespace {

// Beyond a right angle C is the sine less 2 (joint_rows.h).
std::array<char, 80> gap_in_words(const Assembly& assembly) noexcept {
    std::array<char, 80> words{};
    const double gap = assembly.gap;
    if (assembly.worst_stop >= 0) {
        std::snprintf(words.data(), words.size(), "%.3g m (or rad) remain", gap);
        return words;
    }
    switch (assembly.unit) {
    case JointSolver::RowUnit::Length:
        std::snprintf(words.data(), words.size(), "its frames stay %.3g m apart", gap);
        break;
    case JointSolver::RowUnit::Sine: {
        const double sine = gap > 1.0 ? 2.0 - gap : gap;
        const double angle = arctangent(sine, std::sqrt(std::max(0.0, 1.0 - sine * sine)));
        std::snprintf(words.data(), words.size(), "its frames stay %.3g rad askew",
                      gap > 1.0 ? std::numbers::pi - angle : angle);
        break;
    }
    case JointSolver::RowUnit::Coordinate:
        std::snprintf(words.data(), words.size(), "its coordinates stay %.3g off their sum", gap);
        break;
    }
    return words;
}

} // namespace

void JointRefusal::say(Named joint, const Assembly& assembly) noexcept {
    write(joint, assembly.worst_stop >= 0 ? "cannot be brought within its limits" : "cannot be closed", assembly);
}

void JointRefusal::say_left(Named joint, const Assembly& assembly) noexcept {
    write(joint, assembly.worst_stop >= 0 ? "was left beyond its limits" : "was left open", assembly);
}

void JointRefusal::write(Named joint, const char* what, const Assembly& assembly) noexcept {
    constexpr int kMostOfName = 60; // bytes
    const auto remains = gap_in_words(assembly);
    std::array<char, 100> who{};
    if (joint.name.empty()) {
        std::snprintf(who.data(), who.size(), "with index %u and generation %u", static_cast<unsigned>(joint.id.index),
                      static_cast<unsigned>(joint.id.generation));
    } else {
        std::snprintf(who.data(), who.size(), "\"%.*s\"", std::min(kMostOfName, static_cast<int>(joint.name.size())),
                      joint.name.data());
    }
    const int length =
        std::snprintf(text_.data(), text_.size(), "The joint %s %s: %s.", who.data(), what, remains.data());
    sentence_ = {text_.data(), static_cast<std::size_t>(std::min(length, static_cast<int>(text_.size()) - 1))};
}

} // namespace substep::detail
