// The memory of an island between two steps besides its services and its parts: plain data, and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "archive/archive_parts.h"
#include "contact/unilateral.h"
#include "forces/island_forces.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

/// Budgets are below 2^31, and the demand of an island without limit is no larger.
inline constexpr std::int64_t kMostDemand = (std::int64_t{1} << 31) - 1;

struct IslandMemory {
    bool ran_ahead = false;           ///< the last step did
    bool has_step_forces = false;     ///< the last step had forces of its own
    bool model_changed_since = false; ///< the last advance
    bool asleep = false;
    bool without_tolerance = false; ///< the budget of the velocity steps that took over did not pay for a tolerance
    std::uint32_t demand = 0;       ///< of the world's budget
    double slow_time = 0.0;         ///< s, see RestWatch
    double speed_when_slow_began = 0.0;
    double alike_time = 0.0; ///< s
    double fastest_at_first = 0.0;
    bool has_constraints = false; ///< contacts, or limits or dry friction of joints
    std::uint32_t pairs = 0;      ///< of contacts
    bool modes_wanted = false;
    std::uint8_t takeover_count = 0; ///< see ContactRegime
    std::uint8_t pile_count = 0;
    IslandForces::Window window{}; ///< between announced times at which forces jump

    bool operator==(const IslandMemory&) const = default;
};

/// Adds what decides of the next step, with the substep that a service wants next (s).
void add_to_hash(const IslandMemory& memory, double step, bool has_budget, BitHash& hash) noexcept;

// In front of the bytes.
enum MemoryFlag : std::uint16_t {
    kRanAhead = 1,
    kHasStepForces = 2,
    kModelChangedSince = 4,
    kAsleep = 8,
    kDemands = 16,
    kSlow = 32,
    kTakenOver = 64,
    kHasConstraints = 128,
    kWindow = 256,
    kWithoutTolerance = 512,
    kPile = 1024,
    kAlike = 2048,
    kAllMemoryFlags = 4095
};

// Describes the memory of an island in the order of its bytes. `wrenches` returns the forces of the last step. Inline:
// called, it would write a memory that lies in registers to the stack and read it back.
template <class Memory, class Wrenches, class Parts>
[[gnu::always_inline]] inline void describe_memory(Memory& memory, const Wrenches& wrenches, Parts& parts) {
    parts.flag(kRanAhead, memory.ran_ahead);
    parts.flag(kModelChangedSince, memory.model_changed_since);
    parts.flag(kAsleep, memory.asleep);
    parts.flag(kHasStepForces, memory.has_step_forces);
    parts.flag(kHasConstraints, memory.has_constraints);
    parts.flag(kWithoutTolerance, memory.without_tolerance);
    parts.optional(kDemands, memory.demand > 0, memory.demand);
    parts.optional(kSlow, memory.slow_time > 0.0, memory.slow_time, memory.speed_when_slow_began);
    parts.optional(kAlike, memory.alike_time > 0.0, memory.alike_time, memory.fastest_at_first);
    parts.optional(kHasConstraints, memory.has_constraints, memory.pairs, memory.modes_wanted);
    parts.optional(kTakenOver, memory.takeover_count > 0, memory.takeover_count);
    parts.optional(kPile, memory.pile_count > 0, memory.pile_count);
    parts.optional(kHasStepForces, memory.has_step_forces, wrenches);
    parts.optional(kWindow, memory.window != IslandForces::Window{}, memory.window);
}

/// Writes the memory; the forces of the last step, `step_wrenches`, are written where it had any, and else read as
/// zeros. Inline: a world of a thousand islands is saved in fifty microseconds.
inline void write_memory(ArchiveWriter& writer, const IslandMemory& memory, std::span<const Wrench> step_wrenches) {
    const auto wrenches = [&] { return step_wrenches; };
    const std::size_t of_wrenches = memory.has_step_forces ? step_wrenches.size_bytes() : 0;
    write_parts<std::uint16_t>(writer, sizeof memory + of_wrenches,
                               [&](auto&& parts) { describe_memory(memory, wrenches, parts); });
}

/// Throws std::invalid_argument if the bytes make no sense.
void read_memory(ArchiveReader& reader, IslandMemory& memory, std::span<Wrench> step_wrenches);

/// The memory of a point of a pair, or of a limit or dry friction of a joint. Zeros are left out: most numbers are.
/// Throws std::invalid_argument if the bytes make no sense.
void archive_contact_memory(ArchiveWriter& writer, const ContactMemory& memory);
void archive_contact_memory(ArchiveReader& reader, ContactMemory& memory);

[[noreturn]] inline void refuse_memory() { refuse_snapshot("an island's step memory does not fit"); }

} // namespace substep::detail
