// One description each of the memory of an island and of a joint's stop.
#include "islands/island_memory.h"

#include <algorithm>
#include <cmath>

#include "archive/archive_parts.h"
#include "bodies/state_layout.h"

namespace substep::detail {
namespace {

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
    kAllFlags = 1023
};

// Describes the memory of an island in the order of its bytes. `wrenches` returns the forces of the last step.
template <class Memory, class Wrenches, class Parts>
void describe(Memory& memory, const Wrenches& wrenches, Parts& parts) {
    parts.flag(kRanAhead, memory.ran_ahead);
    parts.flag(kModelChangedSince, memory.model_changed_since);
    parts.flag(kAsleep, memory.asleep);
    parts.flag(kHasStepForces, memory.has_step_forces);
    parts.flag(kHasConstraints, memory.has_constraints);
    parts.flag(kWithoutTolerance, memory.without_tolerance);
    parts.optional(kDemands, memory.demand > 0, memory.demand);
    parts.optional(kSlow, memory.slow_time > 0.0, memory.slow_time, memory.speed_when_slow_began);
    parts.optional(kHasConstraints, memory.has_constraints, memory.pairs, memory.modes_wanted);
    parts.optional(kTakenOver, memory.takeover_count > 0, memory.takeover_count);
    parts.optional(kHasStepForces, memory.has_step_forces, wrenches);
    parts.optional(kWindow, memory.window != IslandForces::Window{}, memory.window);
}

enum StopFlag : std::uint8_t { kModeBits = 3, kSlips = 4, kPresses = 8, kHasFloor = 16, kAllStopFlags = 31 };

// By their bits: a zero may have a sign.
bool is_zero(const double& number) noexcept {
    constexpr double kZero = 0.0;
    return same_bits(&number, &kZero, 1);
}
bool is_zero(const glm::dvec3& vector) noexcept { return is_zero(vector.x) && is_zero(vector.y) && is_zero(vector.z); }

template <class Memory, class Parts>
void describe_stop(Memory& memory, Parts& parts) {
    parts.number(kModeBits, memory.mode);
    parts.optional(kSlips, !is_zero(memory.slip_direction), memory.slip_direction);
    parts.optional(kPresses, !is_zero(memory.force), memory.force);
    parts.optional(kHasFloor, !is_zero(memory.floor), memory.floor);
}

} // namespace

void write_memory(ArchiveWriter& writer, const IslandMemory& memory, const IslandForces& forces) {
    const auto wrenches = [&] { return forces.step_wrenches(); };
    write_parts<std::uint16_t>(writer, [&](auto&& parts) { describe(memory, wrenches, parts); });
}

void read_memory(ArchiveReader& reader, IslandMemory& memory, IslandForces& forces) {
    memory = {};
    std::ranges::fill(forces.step_wrenches(), Wrench{});
    const auto wrenches = [&] { return forces.step_wrenches(); };
    const bool is_known =
        read_parts<std::uint16_t>(reader, kAllFlags, [&](auto&& parts) { describe(memory, wrenches, parts); });
    if (!is_known || memory.demand > kMostDemand || !(memory.window.begin < memory.window.end)) {
        refuse_memory();
    }
}

void archive_stop_memory(ArchiveWriter& writer, const ContactMemory& memory) {
    write_parts<std::uint8_t>(writer, [&](auto&& parts) { describe_stop(memory, parts); });
}

void archive_stop_memory(ArchiveReader& reader, ContactMemory& memory) {
    memory = {};
    const bool is_known =
        read_parts<std::uint8_t>(reader, kAllStopFlags, [&](auto&& parts) { describe_stop(memory, parts); });
    if (!is_known || memory.mode > static_cast<std::uint32_t>(ContactMode::Stick) || std::isnan(memory.floor)) {
        refuse_memory();
    }
}

} // namespace substep::detail
