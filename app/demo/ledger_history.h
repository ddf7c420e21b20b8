// The energy ledger over time, as layers that lie on one another.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "series.h"
#include "substep/engine/world.h"

namespace substep {

/// What the energy is in, where it comes from and where it goes.
enum class LedgerSource : std::size_t {
    Kinetic,
    Potential, ///< from its value when the ledger began: its zero means nothing
    Fields,    ///< what force fields do beyond their potentials, those that are gone included
    Drives,
    Friction,
    Impacts,
    Overlap, ///< pushed apart
    Applied,
    MovedBodies,
    Joints,
    ByHand,
    Remainder, ///< what no source explains: the method's error
    Count
};

inline constexpr auto kLedgerSources = static_cast<std::size_t>(LedgerSource::Count);

/// What people call it.
std::string_view name_of(LedgerSource source) noexcept;

/// The ledger at one time, in J: kinetic energy as it is; of all others what they gave since the ledger began
/// (positive) or took (negative). Kinetic energy is the sum of what it was at the start and of what they gave.
struct LedgerPoint {
    double time = 0.0;  ///< s
    double start = 0.0; ///< J, kinetic energy when the ledger began
    std::array<double, kLedgerSources> joules{};

    double operator[](LedgerSource source) const noexcept { return joules[static_cast<std::size_t>(source)]; }
};

/// Reads the ledger of a world that keeps one, with its potential energy (J) when the ledger began.
LedgerPoint ledger_point(const World& world, double start_potential);

/// One layer, between two curves.
struct LedgerLayer {
    LedgerSource source;
    std::vector<PlotPoint> base;
    std::vector<PlotPoint> top;
};

/// The ledger as two stacks of the same height but for the remainder.
struct LedgerStacks {
    /// Where the energy is and went: kinetic, and what each source took, from zero up.
    std::vector<LedgerLayer> is;
    /// Where it came from: what each source gave, from the start's kinetic energy up.
    std::vector<LedgerLayer> came;
    /// The height that the first stack should have.
    std::vector<PlotPoint> balance;
};

/// Stacks at most about `columns` points of the ledger; sources that never took part have no layer.
LedgerStacks stack_ledger(std::span<const LedgerPoint> points, std::size_t columns);

} // namespace substep
