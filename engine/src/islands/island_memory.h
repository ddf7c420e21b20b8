// The memory of an island between two steps besides its services and its parts: plain data, and its bytes.
#pragma once

#include <cstdint>
#include <span>

#include "archive/archive.h"
#include "contact/unilateral.h"
#include "forces/island_forces.h"

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
    bool has_constraints = false; ///< contacts, or limits or dry friction of joints
    std::uint32_t pairs = 0;      ///< of contacts
    bool modes_wanted = false;
    std::uint8_t takeover_count = 0; ///< see ContactRegime
    IslandForces::Window window{};   ///< between announced times at which forces jump
};

/// `step_wrenches`, the forces of the last step, are written where it had any, and else read as zeros.
void write_memory(ArchiveWriter& writer, const IslandMemory& memory, const IslandForces& forces);
/// Throws std::invalid_argument if the bytes make no sense.
void read_memory(ArchiveReader& reader, IslandMemory& memory, IslandForces& forces);

/// The memory of a limit or dry friction of a joint. Zeros are left out: most numbers are.
void archive_stop_memory(ArchiveWriter& writer, const ContactMemory& memory);
void archive_stop_memory(ArchiveReader& reader, ContactMemory& memory);

[[noreturn]] inline void refuse_memory() { refuse_snapshot("an island's step memory does not fit"); }

} // namespace substep::detail
