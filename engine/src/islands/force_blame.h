// Which force is to blame for a number that is not finite.
#pragma once

#include <array>
#include <string_view>

#include "islands/island_state.h"
#include "islands/model.h"

namespace substep::detail {

/// Keeps the sentence until the next one, without allocating: reports point to it.
class ForceBlame {
public:
    /// Looks at each force field where the bodies of the island's state y, at time t, will be until t1, as their
    /// velocities lead. Returns a sentence about the first that is not finite; empty where all are.
    std::string_view look(IslandState& island, const Model& model, double t, double t1) noexcept;

private:
    std::array<char, 320> text_{};
};

} // namespace substep::detail
