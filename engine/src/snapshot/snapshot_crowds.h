// Which bodies are of which crowd, as bytes and in a hash.
#pragma once

#include "archive/archive.h"
#include "bodies/body_store.h"
#include "islands/crowds.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

void save_crowds(ArchiveWriter& writer, const BodyTable& bodies, const Crowds& crowds);
void restore_crowds(ArchiveReader& reader, const BodyTable& bodies, Crowds& crowds);

/// Adds nothing where there are none.
void add_to_hash(BitHash& hash, const BodyTable& bodies, const Crowds& crowds);

} // namespace substep::detail
