// Manifolds that relax in more than one sweep, by overlaps and by what presses.
#include "soft_steps/repeated_sweeps.h"

#include <span>

namespace substep::detail {
namespace {

// Part of where it is thinnest by which a body is deeper in another than any gets by itself: early and deep stops hold
// bodies at a quarter.
constexpr double kPutThere = 1.0 / 3.0;

// Sweeps before the one that all have. Of six boxes in one place the fastest leaves at 3.7 m/s with five, without at 8.
// With seven a tower of 40 cubes rests, and so do three cubes under fifty times their weight, who rock with five.
constexpr std::uint8_t kSweepsOfDeep = 5;
constexpr std::uint8_t kSweepsOfLaden = 7;

bool is_deep(const FoundManifold& found, const Colours::Place& place, const Pile& pile, const PileLanes& lanes) {
    const double thinnest =
        std::min(pile.bodies[found.body[0]].smallest_extent, pile.bodies[found.body[1]].smallest_extent);
    return in_lane(found, place, lanes, [&](const auto& block, std::size_t lane) {
        return lowest_gap(block, lane, found.count) < -kPutThere * thinnest;
    });
}

/// Calls `visit` with all totals of the blocks that are repeated.
template <class Lanes, class Visit>
void for_totals(const RepeatedSweeps& sweeps, Lanes& lanes, const Visit& visit) {
    const auto of_blocks = [&](std::size_t kind, auto& blocks) {
        sweeps.for_runs(kind, 0, blocks.size(), 0, [&](std::size_t first, long count) {
            for (auto block = &blocks[first]; count > 0; ++block, --count) {
                for (auto& of_point : block->total) {
                    for (auto& total : of_point) {
                        visit(total);
                    }
                }
            }
        });
    };
    of_blocks(0, lanes.manifolds);
    of_blocks(1, lanes.points);
}

} // namespace

void RepeatedSweeps::find(const ContactSet& set, const Colours& colours, const Pile& pile, const PileLanes& lanes) {
    const std::span<const FoundManifold> manifolds = set.manifolds();
    most_sweeps_ = 0;
    points_ = 0;
    bool some_are_deep = false;
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        most_sweeps_ = manifolds[k].is_laden ? kSweepsOfLaden : most_sweeps_;
        if (!is_deep(manifolds[k], colours.places()[k], pile, lanes)) {
            continue;
        }
        if (!some_are_deep) {
            some_are_deep = true;
            are_deep_.assign(pile.bodies.size(), 0);
        }
        for (const std::uint32_t body : manifolds[k].body) {
            are_deep_[body] = pile.bodies[body].is_prescribed() ? 0 : 1;
        }
    }
    if (some_are_deep) {
        most_sweeps_ = std::max<int>(most_sweeps_, kSweepsOfDeep);
    }
    // As much as there may be, so that where some become laden in mid-run nothing is allocated.
    sweeps_[0].reserve(lanes.manifolds.capacity());
    sweeps_[1].reserve(lanes.points.capacity());
    totals_.reserve(16 * lanes.manifolds.capacity() + 4 * lanes.points.capacity());
    if (most_sweeps_ == 0) {
        return;
    }
    sweeps_[0].assign(lanes.manifolds.size(), 0);
    sweeps_[1].assign(lanes.points.size(), 0);
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        const FoundManifold& found = manifolds[k];
        const bool is_near_deep = some_are_deep && (are_deep_[found.body[0]] != 0 || are_deep_[found.body[1]] != 0);
        const std::uint8_t sweeps = found.is_laden ? kSweepsOfLaden : is_near_deep ? kSweepsOfDeep : std::uint8_t{0};
        std::uint8_t& of_block = sweeps_[found.count == 1 ? 1 : 0][colours.places()[k].block];
        of_block = std::max(of_block, sweeps);
        points_ += std::int64_t{sweeps} * found.count;
    }
}

void RepeatedSweeps::keep_totals(const PileLanes& lanes) {
    totals_.clear();
    for_totals(*this, lanes, [&](double total) { totals_.push_back(total); });
}

void RepeatedSweeps::put_back_totals(PileLanes& lanes) const noexcept {
    auto next = totals_.begin();
    for_totals(*this, lanes, [&](double& total) { total = *next++; });
}

} // namespace substep::detail
