// Candidate pairs and the memory of their points, as bytes. Pairs name bodies by their order of creation: in another
// process handles may be others.
#pragma once

#include "bodies/body_store.h"
#include "pairs/contact_table.h"
#include "pairs/trigger_table.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

class ArchiveReader;
class ArchiveWriter;

void save_contacts(ArchiveWriter& writer, const BodyTable& bodies, const ContactTable& contacts);
/// The same back, in a world of this length (m). Throws std::invalid_argument if the bytes make no sense.
void restore_contacts(ArchiveReader& reader, const BodyTable& bodies, double length, ContactTable& contacts);
/// Adds the points that have a memory.
void add_to_hash(BitHash& hash, const BodyTable& bodies, const ContactTable& contacts);

/// The same of what is within triggers.
void save_triggers(ArchiveWriter& writer, const BodyTable& bodies, const TriggerTable& triggers);
void restore_triggers(ArchiveReader& reader, const BodyTable& bodies, TriggerTable& triggers);
void add_to_hash(BitHash& hash, const BodyTable& bodies, const TriggerTable& triggers);

} // namespace substep::detail
