// What is said of a substep that cannot be made, by fixed and adaptive substeps alike.
#pragma once

namespace substep {

inline constexpr const char* kNotFinite = "The model returned a number that is not finite.";
inline constexpr const char* kBudgetSpent = "The budget does not pay for another substep.";
inline constexpr const char* kLeavesManifold = "No substep is short enough to keep the model on its manifold.";
inline constexpr const char* kCannotPayForManifold =
    "The budget does not pay for substeps that keep the model on its manifold.";

} // namespace substep
