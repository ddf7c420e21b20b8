// Limits that fixed and adaptive substeps share.
#pragma once

#include <cstdint>
#include <limits>

namespace substep {

/// Halvings of a substep of models that are undefined beyond an event's surface, which is approached so.
inline constexpr int kMaxHalvings = 60;

/// Substeps shorter than this many units in the last place of t are not resolved by time any more.
inline constexpr double kTimeResolution = 16.0 * std::numeric_limits<double>::epsilon();

/// Halvings of a substep that leaves the manifold for good, and may not be given up for its error, before it is.
inline constexpr int kMaxSplits = 8;

/// Substeps that a budget of 0 pays for.
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

inline constexpr const char* kNotFinite = "The model returned a number that is not finite.";
inline constexpr const char* kLeavesManifold = "No substep is short enough to keep the model on its manifold.";
inline constexpr const char* kCannotPayForManifold =
    "The budget does not pay for substeps that keep the model on its manifold.";

} // namespace substep
