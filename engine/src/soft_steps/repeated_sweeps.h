// Manifolds that relax in more than one sweep.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "soft_steps/colours.h"
#include "soft_steps/contact_set.h"
#include "soft_steps/pile.h"
#include "soft_steps/pile_lanes.h"

namespace substep::detail {

/// Which blocks of manifolds relax in more sweeps than one, which is as good as many for most.
///
/// Those that hold bodies which are in one another by more than a third of where they are thinnest: each pushes the
/// next, and a single sweep leaves them with speed. And those with manifolds that are laden: what presses there went
/// through as many bodies, and what a sweep brings along such a chain falls with the square of its length. What holds
/// a tower up comes so late then that the tower sways ever farther.
class RepeatedSweeps {
public:
    /// Notes which blocks these are. Allocates to grow with the blocks, and where bodies are deep for the first time.
    void find(const ContactSet& set, const Colours& colours, const Pile& pile, const PileLanes& lanes);
    bool has_any() const noexcept { return most_sweeps_ > 0; }
    int most_sweeps() const noexcept { return most_sweeps_; } ///< of a block, before the one that all have
    std::int64_t points() const noexcept { return points_; }  ///< swept over in all of these

    /// Calls `visit` with the first and the number of each run of blocks that have more such sweeps than `made`, among
    /// `count` of several points (0) or of one (1).
    template <class Visit>
    void for_runs(std::size_t kind, std::size_t first, std::size_t count, int made, const Visit& visit) const {
        const auto is_left = [&](std::uint8_t sweeps) { return sweeps > made; };
        const auto begin = sweeps_[kind].begin();
        const auto end = begin + static_cast<std::ptrdiff_t>(first + count);
        for (auto from = begin + static_cast<std::ptrdiff_t>(first);;) {
            from = std::find_if(from, end, is_left);
            if (from == end) {
                return;
            }
            const auto to = std::find_if_not(from, end, is_left);
            visit(static_cast<std::size_t>(from - begin), static_cast<long>(to - from));
            from = to;
        }
    }

    /// Keeps what their manifolds have done so far, and puts that back: what a substep came to is what its last sweep
    /// leaves.
    void keep_totals(const PileLanes& lanes);
    void put_back_totals(PileLanes& lanes) const noexcept;

private:
    int most_sweeps_ = 0;
    std::int64_t points_ = 0;
    std::array<std::vector<std::uint8_t>, 2> sweeps_; ///< by blocks of several points and of one
    std::vector<std::uint8_t> are_deep_;              ///< by the numbers of bodies, where some are
    std::vector<double> totals_;                      ///< N s
};

} // namespace substep::detail
