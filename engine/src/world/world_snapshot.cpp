// Snapshots of a world, and the way back to them.
#include <cstring>
#include <memory>
#include <utility>

#include "archive/archive.h"
#include "snapshot/snapshot_header.h"
#include "snapshot/snapshot_world.h"
#include "substep/engine/snapshot.h"
#include "substep/numerics/bit_hash.h"
#include "world/world_impl.h"

namespace substep {

using detail::SnapshotHeader;
using detail::WorldStructure;

std::uint64_t WorldSnapshot::hash() const noexcept { return detail::fast_hash(bytes); }

const std::shared_ptr<const WorldStructure>& World::Impl::current_structure() {
    if (structure == nullptr) {
        auto fresh = std::make_shared<WorldStructure>();
        fresh->hash = structure_hash(model);
        fresh->bodies = model.bodies;
        fresh->joints = model.joints;
        fresh->fields = model.fields;
        fresh->pair_rule = model.pair_rule;
        structure = std::move(fresh);
    }
    return structure;
}

WorldSnapshot World::snapshot() const {
    editable(impl_).islands.update(editable(impl_).model);
    WorldSnapshot snapshot{{}, editable(impl_).current_structure()};
    std::vector<std::byte>& bytes = snapshot.bytes;
    bytes.reserve(editable(impl_).snapshot_size + editable(impl_).snapshot_size / 8);

    SnapshotHeader header;
    bytes.resize(sizeof header); // filled in when the rest is known
    detail::ArchiveWriter writer(bytes);
    save_world(writer, editable(impl_).model, editable(impl_).islands);
    header.structure = snapshot.structure->hash;
    header.checksum = writer.finish();
    header.size = bytes.size() - sizeof header;
    std::memcpy(bytes.data(), &header, sizeof header);
    editable(impl_).snapshot_size = bytes.size();
    return snapshot;
}

void World::restore(const WorldSnapshot& snapshot) {
    SnapshotHeader header;
    const std::span<const std::byte> payload = detail::checked_payload(snapshot.bytes, header);

    // Across edits only into the world that it came from, and only where it brings along what the edits changed.
    const bool own = snapshot.structure != nullptr &&
                     snapshot.structure->bodies.world() == editable(impl_).model.bodies.world() &&
                     snapshot.structure->hash == header.structure;
    const auto structure = own ? snapshot.structure : editable(impl_).current_structure();
    if (structure->hash != header.structure) {
        detail::refuse_snapshot("it was saved by a world with other bodies, joints or force fields");
    }

    // Whole bytes may make no sense. That is noticed on the way, and then the world is taken back.
    const WorldSnapshot before = this->snapshot();
    try {
        editable(impl_).restore(payload, structure);
    } catch (...) {
        editable(impl_).restore(std::span(before.bytes).subspan(sizeof header), before.structure);
        throw;
    }
}

World::World(const WorldSnapshot& snapshot) : World() {
    if (snapshot.structure == nullptr) {
        detail::refuse_snapshot("these are bytes from elsewhere, which restore into a world that was built alike");
    }
    impl_->number(snapshot.structure->bodies.world()); // its handles are those of the world that it came from
    restore(snapshot);
}

World World::clone() const {
    World copy(settings());
    copy.impl_->number(editable(impl_).model.bodies.world()); // its handles are those of this world
    copy.restore(snapshot());
    // No handle that this world has ever given out means something else there.
    copy.impl_->model.bodies.outlive(editable(impl_).model.bodies);
    detail::outlive_colliders(copy.impl_->model.bodies, editable(impl_).model.bodies);
    copy.impl_->model.joints.outlive(editable(impl_).model.joints);
    copy.impl_->model.fields.outlive(editable(impl_).model.fields);
    return copy;
}

void World::Impl::restore(std::span<const std::byte> payload, const std::shared_ptr<const WorldStructure>& wanted) {
    detail::ArchiveReader reader{payload};
    queries.all_moved();
    const WorldSettings settings = restored_settings(reader, model.settings);
    if (wanted != structure) {
        take_structure(*wanted, model);
        structure = wanted;
        list_rows();
        queries.outdate();
        islands.clear();
    }
    if (settings.length != model.settings.length) {
        islands.clear(); // rows of joints are others
    }
    model.settings = settings;
    restore_world(reader, model, islands);
    collected.clear();
    islands_when_collected = kNever;
    collect_contacts();
    impacts.clear(); // those of the last step are in no snapshot
    times = {};      // likewise
    model.triggers.forget_events();
}

} // namespace substep
