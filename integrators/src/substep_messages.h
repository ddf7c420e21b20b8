// What is said of a substep that cannot be made, by fixed and adaptive substeps alike.
#pragma once

namespace substep {

inline constexpr const char* kNotFinite = "The model returned a number that is not finite.";
inline constexpr const char* kNotFiniteBeyondEvent =
    "The model returned a number that is not finite. If it is undefined beyond an event's surface, set event_location "
    "to EventLocation::RepeatShorter.";
inline constexpr const char* kTimeTooCoarse = "Time does not resolve substeps as short as the tolerance asks for.";
inline constexpr const char* kTimeTooCoarseBeforeEvent =
    "The model is not finite beyond an event's surface, and time does not resolve how near a substep comes to it: set "
    "event_location to EventLocation::RepeatShorter.";
inline constexpr const char* kBudgetSpent = "The budget does not pay for another substep.";
inline constexpr const char* kBoundMet = "The bound on the cost of a step was met before its end.";
inline constexpr const char* kFinishedBeyondBound =
    "The bound on the cost of a step was met: one substep of first order made the rest of it.";
inline constexpr const char* kFinishedInOne =
    "Contacts left no more of the budget, or no substep to the tolerance: one velocity step made the rest.";
inline constexpr const char* kThrowsFar =
    "A force is too stiff for the bound on the cost of a step, and does not tell how stiff it is: motion waits.";
inline constexpr const char* kInterrupted = "The host interrupted the step.";
inline constexpr const char* kLeavesManifold = "No substep is short enough to keep the model on its manifold.";
inline constexpr const char* kCannotPayForManifold =
    "The budget does not pay for substeps that keep the model on its manifold.";

} // namespace substep
