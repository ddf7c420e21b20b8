// Bodies as bytes: everything the future depends on, without parts that equal the one before them.
#pragma once

#include "bodies/body_store.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

class ArchiveReader;
class ArchiveWriter;

void save_body(ArchiveWriter& writer, const BodyRecord& body);
/// Asks the processor to fetch the inputs of `save_body`.
void prefetch_body(const BodyRecord& body) noexcept;
/// Throws std::invalid_argument if the bytes make no sense.
void restore_body(ArchiveReader& reader, BodyRecord& body);
/// Adds where the body is and how it moves, but for its last step.
void add_to_hash(BitHash& hash, const BodyRecord& body) noexcept;

} // namespace substep::detail
