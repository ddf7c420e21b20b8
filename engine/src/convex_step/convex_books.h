// What contacts and joints did in a convex step.
#pragma once

#include <span>
#include <vector>

#include "convex_step/convex_layout.h"

namespace substep::detail {

/// J: what prescribed bodies give in a step by the impulses of now, at their velocities.
double work_of_prescribed(const ConvexProblem& problem, std::span<const Coordinates> velocities) noexcept;

/// Adds the works of a step in which bodies went from the velocities `before` to `after`, and moved by `moved`.
/// Impulses times the mean of both velocities are the change of kinetic energy to rounding, but for what turning does
/// to bodies of unequal moments. `is_pressed` is room for a mark of each unknown.
void book_works(const ConvexProblem& problem, std::span<const ContactFrame> frames, std::span<const PileBody> bodies,
                const ConvexNumbers& numbers, std::span<const Coordinates> before, std::span<const Coordinates> moved,
                double h, std::vector<char>& is_pressed, ConvexResult& result);

} // namespace substep::detail
