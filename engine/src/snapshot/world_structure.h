// How a world was built: the part that a snapshot does not write, because only edits change it.
#pragma once

#include <cstdint>
#include <memory>

#include "islands/model.h"

namespace substep::detail {

/// The tables of a world as they stood between two edits, shared by all snapshots taken in between. The states in them
/// mean nothing.
struct WorldStructure {
    std::shared_ptr<const int> world; ///< of the world that it belongs to: the same pointer, the same world
    std::uint64_t hash = 0;           ///< of all that follows
    BodyTable bodies;
    JointTable joints;
    FieldTable fields;
    std::shared_ptr<const PairRule> pair_rule;
};

/// Returns a hash of how a world was built: motion types, shapes, masses, settings of single bodies, joints, and what
/// fields tie. Bodies count by their order of creation, so that worlds which came about in different ways can be
/// the same.
std::uint64_t structure_hash(const Model& model);

/// Gives a model the tables of an earlier or later moment of the same world. Handles created since are stale for good,
/// those destroyed since are valid again. If memory runs out, the model is as before.
void take_structure(const WorldStructure& structure, Model& model);

} // namespace substep::detail
