// What joints take within evaluations and projections, in the units of contact work (bodies/tolerances.h).
#pragma once

#include <cstdint>

namespace substep::detail {

/// A joint's frames in the world: of one that is made of rows, whose turns are counted, or that is actuated or stopped.
inline constexpr std::int64_t kWorkOfGeometry = 10;
/// One call of a host's curve, of which the search for the nearest point makes up to forty.
inline constexpr std::int64_t kWorkOfCurveCall = 14;
/// A row of J and S, of a ball or a hinge, and of another joint.
inline constexpr std::int64_t kWorkOfPlainRow = 2;
inline constexpr std::int64_t kWorkOfGeneralRow = 10;
/// The rates of a ball or a hinge, or forces along its rows; of another joint the rate of one row, or a force along it.
inline constexpr std::int64_t kWorkOfPlainRates = 1;
inline constexpr std::int64_t kWorkOfGeneralRate = 3;
/// A number that a joint remembers: its value, and its rate.
inline constexpr std::int64_t kWorkOfMemory = 12;
/// The law of an actuator, and its row.
inline constexpr std::int64_t kWorkOfActuator = 30;
/// Entries of S between two balls or hinges, in one unit, and between others.
inline constexpr int kPlainEntriesOfUnit = 6;
inline constexpr int kGeneralEntriesOfUnit = 2;
/// Multiplications of a factorisation or a solution, in one unit: blocks have room for several at once.
inline constexpr std::int64_t kBlockOperationsOfUnit = 32;
/// A factorisation that chooses its rows, in ones whose rows are given.
inline constexpr std::int64_t kChoosingFactors = 4;

} // namespace substep::detail
