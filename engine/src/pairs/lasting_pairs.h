// Which pairs of bodies that hardly move are known to be near, or apart, for more than one step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pairs/expected_way.h"

namespace substep::detail {

/// What `told_at_start` tells of the pairs of a list, from step to step: of two that have kept near where they were it
/// is known as long as what they may have moved since cannot change it. The answers are the same; all others are asked
/// anew.
class LastingPairs {
public:
    /// Makes room for so many. Allocates to grow.
    void reserve(std::size_t bodies, std::size_t pairs) {
        before_.reserve(bodies);
        have_moved_.reserve(bodies);
        told_.reserve(pairs);
    }
    /// Says that pairs or bodies are others than in the last step.
    void renew() noexcept { told_.clear(); }

    /// Begins a step of so many pairs: where the bodies are as it begins. `near`: m, within which they may move to be
    /// taken as those that stayed. Allocates to grow.
    void begin(std::span<const StartOfWay> starts, std::size_t pairs, double near);

    /// As told_at_start of bodies i and k, the pair with this number.
    ToldAtStart told(std::size_t pair, std::uint32_t i, std::uint32_t k) {
        if (told_.empty()) {
            return told_at_start(starts_[i], starts_[k]);
        }
        Told& told = told_[pair];
        if ((have_moved_[i] | have_moved_[k]) == 0 && told < Told::Either) {
            return told == Told::Meet ? ToldAtStart::Meet : ToldAtStart::Part;
        }
        if (told == Told::Nothing || (have_moved_[i] | have_moved_[k]) != 0) {
            told = asks_ ? lasting(before_[i], before_[k]) : Told::Nothing;
        }
        return told_at_start(starts_[i], starts_[k]);
    }

private:
    enum class Told : std::uint8_t { Meet, Part, Either, Nothing };
    Told lasting(const StartOfWay& a, const StartOfWay& b) const noexcept;

    std::span<const StartOfWay> starts_;   ///< of the present step
    std::vector<StartOfWay> before_;       ///< where each body was when its pairs were told, and the most it may reach
    std::vector<std::uint8_t> have_moved_; ///< farther since
    std::vector<Told> told_;               ///< of each pair; empty: they are others, or few
    double near_ = 0.0;                    ///< m
    bool asks_ = false;                    ///< few have moved: it is worth while to know it
};

} // namespace substep::detail
