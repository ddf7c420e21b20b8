// A pile side by side: from bodies and manifolds to lanes, and back.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "soft_steps/colours.h"
#include "soft_steps/contact_set.h"
#include "soft_steps/lane_blocks.h"
#include "soft_steps/pile.h"

namespace substep::detail {

class ThreadTeam;

/// The blocks of an interval. Room only: nothing in it lasts.
struct PileLanes {
    std::vector<LaneMotion> motions;                    ///< of each body, and of lanes that hold none
    std::vector<std::array<double, 6>> inverse_inertia; ///< of each body, as LaneManifolds has it
    std::vector<LaneBodies> bodies;
    std::vector<LaneManifolds<4>> manifolds;
    std::vector<LaneManifolds<1>> points;
};

/// Calls `take` with the block and lane of a manifold.
template <class Take>
decltype(auto) in_lane(const FoundManifold& found, const Colours::Place& place, const PileLanes& lanes,
                       const Take& take) {
    return found.count == 1 ? take(lanes.points[place.block], place.lane)
                            : take(lanes.manifolds[place.block], place.lane);
}

/// The lowest gap (m) of a manifold, where the interval begins; none above zero.
template <int N>
double lowest_gap(const LaneManifolds<N>& block, std::size_t lane, std::uint32_t count) noexcept {
    double gap = 0.0;
    for (std::uint32_t i = 0; i < count; ++i) {
        gap = std::min(gap, block.gap[i][lane]);
    }
    return gap;
}

/// Where bodies are, as the narrow phase asks for it.
void place_bodies(std::span<const PileBody> bodies, double dt, ThreadTeam* team, std::vector<PlacedBody>& placed);

/// Lays out bodies, at rest to where the interval begins.
void lay_out_bodies(std::span<const PileBody> bodies, std::span<const PlacedBody> placed, PileLanes& lanes);

/// Writes what acts on the bodies.
void write_forces(std::span<const PileBody> bodies, PileLanes& lanes);

/// Writes the places and velocities that bodies have now; within an interval, before the last substep was ended.
void read_bodies(const PileLanes& lanes, std::span<const PlacedBody> begin, std::span<PileBody> bodies, bool is_within);

/// Lays out manifolds, each in its lane; their impulses are those of forces remembered.
void lay_out_manifolds(const ContactSet& set, const Colours& colours, const Pile& pile,
                       std::span<const PlacedBody> placed, double h, ThreadTeam* team, PileLanes& lanes);

/// Gives points whose forces come from elsewhere the offsets with which they stay what they are.
void choose_offsets(const ContactSet& set, const Colours& colours, const Pile& pile, const LaneStep& step,
                    PileLanes& lanes);

/// Notes which blocks hold something that is to rebound. Returns whether any does.
bool find_rebounds(const LaneStep& step, PileLanes& lanes);

/// Room for what is read side by side.
struct ReadManifolds {
    std::vector<TouchingPoint> touching;
    std::vector<std::uint32_t> first_touching; ///< of each manifold
    std::vector<double> deepest;               ///< m, likewise
};

/// Writes what pairs remember and which points touched, and adds to the result.
void read_manifolds(const ContactSet& set, const Colours& colours, const Pile& pile, std::span<const PlacedBody> placed,
                    const PileStep& step, double h, const PileLanes& lanes, ThreadTeam* team, ReadManifolds& read,
                    PileResult& result);

} // namespace substep::detail
