// How the contacts of islands are stepped, as the demo shows it: a colour, a word and a reason.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "substep/engine/world.h"

namespace substep {

/// What an island's colour stands for: its regime, or that it sleeps. In the order of `Theme::regimes`.
enum class Footing : std::size_t { Free, Modes, Impulses, ConvexSteps, SoftSteps, Asleep };
inline constexpr std::size_t kFootings = 6;

/// That of an island now; what it had when it fell asleep counts no more.
Footing footing_of(const IslandView& island) noexcept;

/// A few words, as legends and cards write them.
const char* word_of(Footing footing) noexcept;

/// Why, in one sentence: what the step reports, else what the regime means.
std::string reason_of(const IslandView& island);

/// How many bodies of a world are on which footing; bodies that nothing moves are not counted.
std::array<std::size_t, kFootings> count_footings(const World& world);

} // namespace substep
