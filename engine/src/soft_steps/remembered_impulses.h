// What a pile begins an interval with, of the forces that it remembers.
#pragma once

#include <span>

#include "soft_steps/contact_set.h"
#include "soft_steps/lane_blocks.h"
#include "soft_steps/pile.h"
#include "soft_steps/pile_lanes.h"

namespace substep::detail {

/// A remembered force may be one that a hit left, in a substep much shorter than those that begin: as an impulse it
/// would then throw apart whom it met. Where all that is remembered would more than double the kinetic energy in the
/// first substep, only the part of it is begun with that takes most. `begin` are the motions where the
/// interval begins, without what acts; `lanes` hold impulses, and in the place of what forces do what these change of
/// the velocities of bodies. `h` is the length of a substep, s.
void limit_remembered(const Pile& pile, const ContactSet& set, std::span<const PlacedBody> placed,
                      std::span<const LaneMotion> begin, double h, PileLanes& lanes) noexcept;

} // namespace substep::detail
