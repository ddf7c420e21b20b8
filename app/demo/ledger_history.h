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
    Potential,
    Fields, ///< what force fields do beyond their potentials, those that are gone included
    Drives,
    Friction,
    Impacts,
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

/// The ledger at one time. Energies are those there are, works what came in (positive) or went (negative), in J.
struct LedgerPoint {
    double time = 0.0;  ///< s
    double start = 0.0; ///< J, the energy when the ledger began
    std::array<double, kLedgerSources> joules{};

    double operator[](LedgerSource source) const noexcept { return joules[static_cast<std::size_t>(source)]; }
};

/// Reads the ledger of a world that keeps one.
LedgerPoint ledger_point(const World& world);

/// One layer, between two curves.
struct LedgerLayer {
    LedgerSource source;
    std::vector<PlotPoint> base;
    std::vector<PlotPoint> top;
};

/// The ledger as two stacks of the same height but for the remainder.
struct LedgerStacks {
    /// Where the energy is and went: kinetic, potential (from `lowest`, J), and what each source took, from zero up.
    std::vector<LedgerLayer> is;
    /// Where it came from: what each source gave, from the start's energy up.
    std::vector<LedgerLayer> came;
    /// The height that the first stack should have.
    std::vector<PlotPoint> balance;
};

/// Stacks at most about `columns` points of the ledger; sources that never took part have no layer.
LedgerStacks stack_ledger(std::span<const LedgerPoint> points, double lowest, std::size_t columns);

} // namespace substep
