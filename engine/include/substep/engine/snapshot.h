// Everything a world's future depends on, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

namespace detail {
struct WorldStructure;
}

/// A saved state of a world: versioned, checked on restore. The settings are part of it, with the method and its step
/// memory; force fields keep no state, and coefficients of methods are never in it: a restore evaluates them again.
///
/// The bytes hold the part that changes by itself. The part that only edits change (bodies and their masses, joints,
/// fields) is in `structure`, which snapshots between two edits share. With it a snapshot from before an edit restores
/// into the same world across that edit. The bytes alone restore into any world that was built the same way (the same
/// bodies, joints and fields in the same order), in this process or another of the same binary.
struct WorldSnapshot {
    std::vector<std::byte> bytes;
    std::shared_ptr<const detail::WorldStructure> structure{}; ///< null: the bytes came from elsewhere

    /// Returns a hash of the bytes: equal for worlds that are equal to the last bit, and will stay so.
    std::uint64_t hash() const noexcept;
};

} // namespace substep

#pragma GCC visibility pop
