// What a host's rule has answered about pairs, as bytes and in a hash.
#pragma once

#include "archive/archive.h"
#include "pairs/contact_table.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

/// Written behind the pairs, in worlds that have a rule.
void save_answers(ArchiveWriter& writer, const BodyTable& bodies, const ContactTable& contacts);
void restore_answers(ArchiveReader& reader, const BodyTable& bodies, ContactTable& contacts);

void add_answers_to_hash(BitHash& hash, const BodyTable& bodies, const ContactTable& contacts);

} // namespace substep::detail
