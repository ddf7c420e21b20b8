// What an island hands on to those that its bodies form next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "islands/method_choice.h"

namespace substep::detail {

/// Bodies that come near one another or part are islands of other bodies, but go on as they did: with the substep that
/// was right for them, in the hands of velocity steps if these have taken over, with what `auto` has learnt.
struct IslandHeritage {
    double step = 0.0;                           ///< s, of the next substep; 0: not known
    std::uint8_t takeover_count = 0;             ///< ContactRegime::takeover_count
    std::uint8_t pile_count = 0;                 ///< ContactRegime::pile_count
    std::optional<MethodChooser::Memory> choice; ///< under `auto`
    std::size_t bodies = 0;                      ///< of the island that made the choice

    /// Whether nothing is handed on.
    bool is_empty() const noexcept { return step == 0.0 && takeover_count == 0 && pile_count == 0 && !choice; }
    /// Adds what another island hands on: the smallest step, the fewest calm steps of those handed over, and the choice
    /// of the larger island.
    void add(const IslandHeritage& other) noexcept;
};

} // namespace substep::detail
