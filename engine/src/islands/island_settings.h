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

/// A world's budget for a step, in evaluations times bodies, divided between all islands that are awake: half of it by
/// the number of their bodies, half by the demand of their last steps. The shares times their bodies add up to no more
/// than the budget.
class SharedBudget {
public:
    explicit SharedBudget(std::int64_t budget) noexcept : budget_(budget) {}
    /// Each island makes its claim before the first share is known.
    void claim(std::size_t bodies, std::int64_t demand) noexcept {
        bodies_ += static_cast<std::int64_t>(bodies);
        demand_ += demand;
    }
    /// Evaluations that an island that made this claim may make.
    std::int64_t share(std::size_t bodies, std::int64_t demand) const noexcept;

private:
    std::int64_t budget_;
    std::int64_t bodies_ = 0; ///< of all
    std::int64_t demand_ = 0; ///< of all
};

/// Evaluations that an island of `bodies` bodies may make in a step of dt (units of the world's time) by its bound, at
/// least one; 0: as many as it takes.
std::int64_t evaluations_within(std::int64_t bound, double dt, std::size_t bodies) noexcept;

} // namespace substep::detail
