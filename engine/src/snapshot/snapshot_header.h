// The header of a snapshot: enough to tell whose it is, and whether its bytes are whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace substep::detail {

inline constexpr std::array<char, 8> kMagic{'S', 'u', 'b', 's', 't', 'e', 'p', '\0'};
inline constexpr std::uint32_t kVersion = 22;

struct SnapshotHeader {
    std::array<char, 8> magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t unused = 0;    ///< zero
    std::uint64_t structure = 0; ///< hash of how the world was built
    std::uint64_t size = 0;      ///< bytes of payload
    std::uint64_t checksum = 0;  ///< of the payload
};

/// Reads the header of a snapshot and returns the payload after it. Throws std::invalid_argument unless it is one of
/// this version, and whole.
std::span<const std::byte> checked_payload(std::span<const std::byte> bytes, SnapshotHeader& header);

} // namespace substep::detail
