// Manifolds that relax in more than one sweep.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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
    /// Notes which blocks these are. Allocates to grow, where there are some.
    void find(const ContactSet& set, const Colours& colours, const Pile& pile, const PileLanes& lanes);
    bool has_any() const noexcept { return has_any_; }
    std::int64_t points() const noexcept { return points_; } ///< of the manifolds that need it

    /// Calls `visit` with the first and the number of each run of such blocks, among `count` of several points (0) or
    /// of one (1).
    template <class Visit>
    void for_runs(std::size_t kind, std::size_t first, std::size_t count, const Visit& visit) const {
        const auto begin = are_repeated_[kind].begin();
        const auto end = begin + static_cast<std::ptrdiff_t>(first + count);
        for (auto from = begin + static_cast<std::ptrdiff_t>(first);;) {
            from = std::find(from, end, 1);
            if (from == end) {
                return;
            }
            const auto to = std::find(from, end, 0);
            visit(static_cast<std::size_t>(from - begin), static_cast<long>(to - from));
            from = to;
        }
    }

    /// Keeps what their manifolds have done so far, and puts that back: what a substep came to is what its last sweep
    /// leaves.
    void keep_totals(const PileLanes& lanes);
    void put_back_totals(PileLanes& lanes) const noexcept;

private:
    bool has_any_ = false;
    std::int64_t points_ = 0;
    std::array<std::vector<std::uint8_t>, 2>
        are_repeated_;                   ///< by blocks of several points and of one: 1 where they are
    std::vector<std::uint8_t> are_deep_; ///< by the numbers of bodies, where some are
    std::vector<double> totals_;         ///< N s
};

} // namespace substep::detail
