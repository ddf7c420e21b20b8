// Everything a world's future depends on, as bytes.
#pragma once

#include <cstddef>
#include <vector>

namespace substep {

/// A saved state of a world: versioned, checked on restore, to be restored into a world that was built the same way
/// (the same bodies, joints and fields in the same order), in this process or another of the same binary. The settings
/// are part of it, with the method and its step memory; force fields keep no state.
struct WorldSnapshot {
    std::vector<std::byte> bytes;
};

} // namespace substep
