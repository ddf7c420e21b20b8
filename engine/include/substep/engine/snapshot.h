// Everything a world's future depends on, as bytes.
#pragma once

#include <cstddef>
#include <vector>

namespace substep {

/// A saved state of a world: versioned, checked on restore, to be restored into a world that was built the same way
/// (the same bodies, joints and fields in the same order), in this process or another of the same binary.
struct WorldSnapshot {
    std::vector<std::byte> bytes;
};

} // namespace substep
