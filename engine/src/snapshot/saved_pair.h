// Pairs of colliders as snapshots name them.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "archive/archive.h"
#include "bodies/body_store.h"
#include "pairs/contact_table.h"

namespace substep::detail {

/// A pair as bytes name it: by the order of creation of its bodies, and of the colliders of each. How many points two
/// colliders have follows from their shapes.
struct SavedPair {
    std::uint32_t a = 0;
    std::uint32_t collider_a = 0;
    std::uint32_t b = 0;
    std::uint32_t collider_b = 0;
    bool is_of_pile = false;

    bool comes_before(const SavedPair& other) const noexcept {
        return std::tie(a, collider_a, b, collider_b) < std::tie(other.a, other.collider_a, other.b, other.collider_b);
    }
};

/// Numbers bodies in the order of creation, by their index.
std::vector<std::uint32_t> ordinals_of(const BodyTable& bodies);

SavedPair saved(const BodyTable& bodies, const ColliderPair& pair, std::span<const std::uint32_t> ordinals,
                bool is_of_pile = false) noexcept;
void save_pair(ArchiveWriter& writer, const SavedPair& pair);
SavedPair restored_pair(ArchiveReader& reader);

/// Whether a pair is one of this world: two colliders that can touch, of two bodies in the order of their creation;
/// with a trigger, or one of them dynamic. Edits may have switched them off since.
bool is_possible(const SavedPair& pair, const BodyTable& bodies, bool of_trigger) noexcept;
/// The same pair by its handles.
ContactPair known_pair(const SavedPair& pair, const BodyTable& bodies);

} // namespace substep::detail
