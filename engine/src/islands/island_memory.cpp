// One description each of the memory of an island and of a contact or stop.
#include "islands/island_memory.h"

#include <algorithm>
#include <cmath>

#include "archive/archive_parts.h"
#include "bodies/state_layout.h"

namespace substep::detail {
namespace {

enum ContactFlag : std::uint8_t { kModeBits = 7, kSlips = 8, kPresses = 16, kHasFloor = 32, kAllContactFlags = 63 };

// By their bits: a zero may have a sign.
bool is_zero(const double& number) noexcept {
    constexpr double kZero = 0.0;
    return same_bits(&number, &kZero, 1);
}
bool is_zero(const glm::dvec3& vector) noexcept { return is_zero(vector.x) && is_zero(vector.y) && is_zero(vector.z); }

template <class Memory, class Parts>
void describe_contact(Memory& memory, Parts& parts) {
    parts.number(kModeBits, memory.mode);
    parts.optional(kSlips, !is_zero(memory.slip_direction), memory.slip_direction);
    parts.optional(kPresses, !is_zero(memory.force), memory.force);
    parts.optional(kHasFloor, !is_zero(memory.floor), memory.floor);
}

} // namespace

void add_to_hash(const IslandMemory& memory, double step, bool has_budget, BitHash& hash) noexcept {
    hash.add(step);
    hash.add(std::uint64_t{memory.takeover_count});
    if (memory.pile_count > 0) {
        hash.add(std::uint64_t{memory.pile_count});
    }
    hash.add(std::uint64_t{has_budget ? memory.demand : 0});
    hash.add(std::uint64_t{memory.asleep} | std::uint64_t{memory.modes_wanted} << 1 |
             std::uint64_t{memory.has_step_forces} << 2);
    hash.add(memory.slow_time);
    hash.add(memory.slow_time > 0.0 ? memory.speed_when_slow_began : 0.0);
    if (memory.alike_time > 0.0) {
        hash.add(memory.alike_time);
        hash.add(memory.fastest_at_first);
    }
    hash.add(memory.window.begin);
    hash.add(memory.window.end);
}

void read_memory(ArchiveReader& reader, IslandMemory& memory, std::span<Wrench> step_wrenches) {
    memory = {};
    std::ranges::fill(step_wrenches, Wrench{});
    const auto wrenches = [&] { return step_wrenches; };
    const bool is_known = read_parts<std::uint16_t>(reader, kAllMemoryFlags,
                                                    [&](auto&& parts) { describe_memory(memory, wrenches, parts); });
    if (!is_known || memory.demand > kMostDemand || !(memory.window.begin < memory.window.end)) {
        refuse_memory();
    }
}

void archive_contact_memory(ArchiveWriter& writer, const ContactMemory& memory) {
    write_parts<std::uint8_t>(writer, sizeof memory, [&](auto&& parts) { describe_contact(memory, parts); });
}

void archive_contact_memory(ArchiveReader& reader, ContactMemory& memory) {
    memory = {};
    const bool is_known =
        read_parts<std::uint8_t>(reader, kAllContactFlags, [&](auto&& parts) { describe_contact(memory, parts); });
    if (!is_known || !memory.has_possible_mode() || std::isnan(memory.floor)) {
        refuse_memory();
    }
}

} // namespace substep::detail
