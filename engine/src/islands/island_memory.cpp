// One description each of the memory of an island and of a joint's stop.
#include "islands/island_memory.h"

#include <algorithm>
#include <cmath>

#include "archive/archive_parts.h"
#include "bodies/state_layout.h"

namespace substep::detail {
namespace {

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

void read_memory(ArchiveReader& reader, IslandMemory& memory, IslandForces& forces) {
    memory = {};
    std::ranges::fill(forces.step_wrenches(), Wrench{});
    const auto wrenches = [&] { return forces.step_wrenches(); };
    const bool is_known = read_parts<std::uint16_t>(reader, kAllMemoryFlags,
                                                    [&](auto&& parts) { describe_memory(memory, wrenches, parts); });
    if (!is_known || memory.demand > kMostDemand || !(memory.window.begin < memory.window.end)) {
        refuse_memory();
    }
}

void archive_stop_memory(ArchiveWriter& writer, const ContactMemory& memory) {
    write_parts<std::uint8_t>(writer, sizeof memory, [&](auto&& parts) { describe_stop(memory, parts); });
}

void archive_stop_memory(ArchiveReader& reader, ContactMemory& memory) {
    memory = {};
    const bool is_known =
        read_parts<std::uint8_t>(reader, kAllStopFlags, [&](auto&& parts) { describe_stop(memory, parts); });
    if (!is_known || !memory.has_possible_mode() || memory.passes_rest() || std::isnan(memory.floor)) {
        refuse_memory();
    }
}

} // namespace substep::detail
