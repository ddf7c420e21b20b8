// A world as the payload of a snapshot: everything the future depends on, and back after every check.
#pragma once

#include "islands/islands.h"
#include "islands/model.h"

namespace substep::detail {

class ArchiveReader;
class ArchiveWriter;

/// Writes settings, time, accounts, bodies, joints, contacts and the memory of the islands, which are up to date.
void save_world(ArchiveWriter& writer, const Model& model, Islands& islands);

/// Takes back settings, which come first. Throws std::invalid_argument unless all are usable.
WorldSettings restored_settings(ArchiveReader& reader, const WorldSettings& present);

/// Takes back all parts after the settings, into a model that has these already. Throws std::invalid_argument halfway
/// if the bytes make no sense.
void restore_world(ArchiveReader& reader, Model& model, Islands& islands);

} // namespace substep::detail
