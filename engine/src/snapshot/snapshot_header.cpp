// Bytes that are no snapshot, one of another version or a damaged one are refused before anything is read.
#include "snapshot/snapshot_header.h"

#include <cstring>
#include <string>

#include "archive/archive.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

std::span<const std::byte> checked_payload(std::span<const std::byte> bytes, SnapshotHeader& header) {
    if (bytes.size() < sizeof header) {
        refuse_snapshot("it has " + std::to_string(bytes.size()) + " bytes, fewer than its header");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto payload = bytes.subspan(sizeof header);
    if (header.magic != kMagic) {
        refuse_snapshot("its bytes are no snapshot of Substep");
    }
    if (header.version != kVersion) {
        refuse_snapshot("it has version " + std::to_string(header.version) + ", this program reads version " +
                        std::to_string(kVersion));
    }
    if (header.unused != 0 || header.size != payload.size() || header.checksum != fast_hash(payload)) {
        refuse_snapshot("its bytes are damaged");
    }
    return payload;
}

} // namespace substep::detail
