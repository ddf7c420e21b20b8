// Bodies and contacts as bytes: what the future depends on, and nothing that equals what stands before it.
#pragma once

#include "model.h"

namespace substep::detail {

class ArchiveReader;
class ArchiveWriter;

// What restores throws std::invalid_argument if the bytes make no sense.

void save_body(ArchiveWriter& writer, const BodyRecord& body);
/// Asks the processor to fetch what `save_body` reads.
void prefetch_body(const BodyRecord& body) noexcept;
void restore_body(ArchiveReader& reader, BodyRecord& body);

/// Contacts name bodies by their order of creation: in another process handles may be others.
void save_contacts(ArchiveWriter& writer, const Model& model);
void restore_contacts(ArchiveReader& reader, Model& model);

} // namespace substep::detail
