// Contacts on bodies that turn as prescribed, from substep to substep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "soft_steps/pile_lanes.h"

namespace substep::detail {

/// What stands on a turntable goes another way in each substep, and arms are those of the interval's begin. Friction is
/// told by a velocity of the surface besides: on the whole that of the middle of the interval (PlacedManifold), and
/// here in even parts before and behind it, so that friction turns its load in every substep, and not in the first
/// alone.
class TurningSurfaces {
public:
    /// Finds the manifolds on prescribed bodies that turn.
    void begin(const ContactSet& set, const Colours& colours, const Pile& pile, std::span<const PlacedBody> placed,
               const PileLanes& lanes);
    /// Writes the velocities of the surfaces in the k-th of so many substeps.
    void write(int k, int substeps, PileLanes& lanes) const noexcept;
    /// Books what they gave in the substep to those who turn them: friction is what surfaces rub on one another by.
    void book(PileLanes& lanes) const noexcept;

private:
    struct Surface {
        bool has_one_point = false;
        std::uint32_t block = 0;
        std::uint32_t lane = 0;
        double belt[2] = {0.0, 0.0};   ///< m/s, along both tangents: as the surface moves by itself
        double middle[2] = {0.0, 0.0}; ///< m/s, in the middle of the interval
    };
    std::vector<Surface> surfaces_;
};

} // namespace substep::detail
