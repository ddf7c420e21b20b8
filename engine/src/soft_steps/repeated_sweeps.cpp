// Manifolds that relax in more than one sweep, by overlaps and by what presses.
#include "soft_steps/repeated_sweeps.h"

namespace substep::detail {
namespace {

// Part of where it is thinnest by which a body is deeper in another than any gets by itself: early and deep stops hold
// bodies at a quarter.
constexpr double kPutThere = 1.0 / 3.0;

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
        sweeps.for_runs(kind, 0, blocks.size(), [&](std::size_t first, long count) {
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
    has_any_ = false;
    points_ = 0;
    bool some_are_deep = false;
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        has_any_ = has_any_ || manifolds[k].is_laden;
        if (!is_deep(manifolds[k], colours.places()[k], pile, lanes)) {
            continue;
        }
        if (!some_are_deep) {
            some_are_deep = has_any_ = true;
            are_deep_.assign(pile.bodies.size(), 0);
        }
        for (const std::uint32_t body : manifolds[k].body) {
            are_deep_[body] = pile.bodies[body].is_prescribed() ? 0 : 1;
        }
    }
    if (!has_any_) {
        return;
    }
    are_repeated_[0].assign(lanes.manifolds.size(), 0);
    are_repeated_[1].assign(lanes.points.size(), 0);
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        const FoundManifold& found = manifolds[k];
        const bool is_near_deep = some_are_deep && (are_deep_[found.body[0]] != 0 || are_deep_[found.body[1]] != 0);
        if (found.is_laden || is_near_deep) {
            are_repeated_[found.count == 1 ? 1 : 0][colours.places()[k].block] = 1;
            points_ += found.count;
        }
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
