// The settings that an island is advanced with, and its share of the world's budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "islands/model.h"

namespace substep::detail {

/// Writes the combined settings of an island's bodies to `combined`, a body without its own counting with the world's.
/// The method of highest order wins, of equal orders the one that comes first in the table of methods, and brings along
/// its controller and norm; tolerances, bounds of h, stop and budget are the smallest, substeps of that method the
/// most, and one Exact makes all Exact.
void combine_settings(const Model& model, std::span<const BodyId> bodies, IntegratorSettings& combined);

/// Evaluations that an island of `bodies` bodies may make of a world's budget of `budget` evaluations times bodies:
/// half of it goes by the number of bodies, half by the demand of the last step. `all_bodies` and `all_demand` are
/// those of all islands awake. The shares times their bodies add up to no more than the budget.
std::int64_t share_of_budget(std::int64_t budget, std::int64_t bodies, std::int64_t all_bodies, std::int64_t demand,
                             std::int64_t all_demand) noexcept;

/// Evaluations that an island of `bodies` bodies may make in a step of dt (units of the world's time) by its bound, at
/// least one; 0: as many as it takes.
std::int64_t evaluations_within(std::int64_t bound, double dt, std::size_t bodies) noexcept;

} // namespace substep::detail
