// An island's memory as bytes: saved by a snapshot, and back after every check.
#pragma once

#include "archive/archive.h"
#include "islands/island_state.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

/// Writes the island's memory, with y where its last step ended, whatever was asked or edited since.
void save_island(IslandState& island, const Model& model, ArchiveWriter& writer);

/// Takes it back in an island of the same parts, in a model that was restored before. Throws std::invalid_argument if
/// the bytes do not fit.
void restore_island(IslandState& island, Model& model, ArchiveReader& reader);

/// The same of a body that nothing touches: the model is read, and may have been edited since.
void restore_parked(IslandState& island, const Model& model, ArchiveReader& reader);

/// Adds the memory to a hash, but for the stages of the last substep. The demand of a world's budget matters only where
/// there is one.
void hash_island(const IslandState& island, BitHash& hash, bool has_budget) noexcept;

/// Ask the processor to fetch the inputs of `save_island`: the island itself, then the objects that it points to.
void prefetch_island(const IslandState& island) noexcept;
void prefetch_segment(const IslandState& island) noexcept;

} // namespace substep::detail
