// Snapshots: everything the future depends on as bytes, and back after every check.
//
// Layout: SnapshotHeader, then the payload: settings, time, every body, every island's step memory. What is equal to
// something written before it is not written again, and what only edits change is not written at all: it is in a
// WorldStructure, which all snapshots between two edits share.
#include "substep/engine/snapshot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "archive.h"
#include "bit_hash.h"
#include "snapshot_bodies.h"
#include "validation.h"
#include "world_impl.h"

namespace substep {

using detail::ArchiveReader;
using detail::ArchiveWriter;
using detail::Model;
using detail::refuse_snapshot;
using detail::WorldStructure;

namespace {

constexpr std::array<char, 8> kMagic{'S', 'u', 'b', 's', 't', 'e', 'p', '\0'};
constexpr std::uint32_t kVersion = 9;

// What many small parts lie apart in memory is asked for so many parts ahead: the processor alone does not see it
// coming.
constexpr std::size_t kAhead = 6;

struct SnapshotHeader {
    std::array<char, 8> magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t unused = 0;    ///< zero
    std::uint64_t structure = 0; ///< hash of how the world was built
    std::uint64_t size = 0;      ///< bytes of payload
    std::uint64_t checksum = 0;  ///< of the payload
};

template <class Archive, class Settings>
void archive_integrator(Archive& archive, Settings& integrator) {
    archive.text(integrator.method);
    archive.number(integrator.substeps);
    archive.number(integrator.atol);
    archive.number(integrator.rtol);
    archive.number(integrator.theta);
    archive.number(integrator.stabilise);
    archive.number(integrator.h_min);
    archive.number(integrator.h_max);
    archive.number(integrator.h_initial);
    archive.number(integrator.budget);
    archive.number(integrator.t_stop);
    archive.choice(integrator.event_location, EventLocation::RepeatShorter);
    archive.choice(integrator.boundary, Boundary::RunAhead);
    archive.choice(integrator.norm, ErrorNorm::StepScaled);
    auto& controller = integrator.controller;
    archive.choice(controller.kind, ControllerKind::H211b);
    archive.number(controller.safety);
    archive.number(controller.shrink_limit);
    archive.number(controller.growth_limit);
    archive.number(controller.keep_from);
    archive.number(controller.keep_to);
    archive.number(controller.retry_root);
    archive.number(controller.next_root);
    archive.number(controller.grow_after_rejection);
    archive.number(controller.clip_last);
}

// All settings but the number of threads, which changes nothing.
template <class Archive, class Settings>
void archive_settings(Archive& archive, Settings& settings) {
    archive.number(settings.gravity);
    archive.choice(settings.joint_correction, JointCorrection::Baumgarte);
    archive.number(settings.energy_ledger);
    archive_integrator(archive, settings.integrator);
    archive.number(settings.budget);
    archive.number(settings.sleep.enabled);
    archive.number(settings.sleep.linear_speed);
    archive.number(settings.sleep.angular_speed);
    archive.number(settings.sleep.time);
}

template <class Archive, class AnyModel>
void archive_time(Archive& archive, AnyModel& model) {
    archive.number(model.time.epoch);
    archive.number(model.time.dt);
    archive.number(model.time.steps);
    archive.number(model.step_begin);
}

// Saves and takes back accounts. False if the bytes make no sense.
template <class Archive, class Accounts>
bool archive_ledger(Archive& archive, Accounts& accounts) {
    archive.number(accounts.start);
    archive.number(accounts.total);
    archive.number(accounts.edits);
    archive.number(accounts.removed_fields);
    archive.number(accounts.works);
    std::uint64_t count = accounts.fields.size();
    archive.number(count);
    if constexpr (!std::is_const_v<Accounts>) {
        if (count > 0xffffffffu) {
            return false;
        }
        accounts.fields.clear();
        for (std::uint64_t i = 0; i < count; ++i) {
            detail::FieldWork entry; // one by one: a count that is wrong ends with the bytes, not with the memory
            archive.number(entry);
            accounts.fields.push_back(entry);
        }
    } else {
        for (const detail::FieldWork& entry : accounts.fields) {
            archive.number(entry);
        }
    }
    return true;
}

// Checks what stands before the payload, and returns the payload.
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
    if (header.unused != 0 || header.size != payload.size() || header.checksum != detail::fast_hash(payload)) {
        refuse_snapshot("its bytes are damaged");
    }
    return payload;
}

} // namespace

std::uint64_t WorldSnapshot::hash() const noexcept { return detail::fast_hash(bytes); }

const std::shared_ptr<const WorldStructure>& World::Impl::current_structure() {
    if (structure == nullptr) {
        auto fresh = std::make_shared<WorldStructure>();
        fresh->world = identity;
        fresh->hash = structure_hash(model);
        fresh->bodies = model.bodies;
        fresh->joints = model.joints;
        fresh->fields = model.fields;
        structure = std::move(fresh);
    }
    return structure;
}

WorldSnapshot World::snapshot() const {
    impl_->islands.update(impl_->model);
    const Model& model = impl_->model;
    SnapshotHeader header;
    WorldSnapshot snapshot{{}, impl_->current_structure()};
    std::vector<std::byte>& bytes = snapshot.bytes;
    bytes.reserve(impl_->snapshot_size + impl_->snapshot_size / 8);

    bytes.resize(sizeof header); // which says what the rest is like
    ArchiveWriter writer(bytes);
    archive_settings(writer, model.settings);
    archive_time(writer, model);
    if (model.settings.energy_ledger) {
        archive_ledger(writer, model.ledger);
    }
    const std::span<const BodyId> bodies = model.bodies.ids();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (i + kAhead < bodies.size()) {
            prefetch_body(model.bodies[bodies[i + kAhead]]);
        }
        save_body(writer, model.bodies[bodies[i]]);
    }
    for (const JointId id : model.joints.ids()) {
        writer.number(model.joints[id].memory);
    }
    save_contacts(writer, model);
    auto& islands = impl_->islands;
    for (std::size_t i = 0; i < islands.size(); ++i) {
        if (i + 2 * kAhead < islands.size()) {
            islands[i + 2 * kAhead].prefetch_memory();
        }
        if (i + kAhead < islands.size()) {
            islands[i + kAhead].prefetch_segment();
        }
        islands[i].save(model, writer);
    }

    header.structure = snapshot.structure->hash;
    header.checksum = writer.finish();
    header.size = bytes.size() - sizeof header;
    std::memcpy(bytes.data(), &header, sizeof header);
    impl_->snapshot_size = bytes.size();
    return snapshot;
}

void World::restore(const WorldSnapshot& snapshot) {
    SnapshotHeader header;
    const std::span<const std::byte> payload = checked_payload(snapshot.bytes, header);

    // Across edits only into the world that it came from, and only where it brings along what the edits changed.
    const bool own = snapshot.structure != nullptr && snapshot.structure->world == impl_->identity &&
                     snapshot.structure->hash == header.structure;
    const auto structure = own ? snapshot.structure : impl_->current_structure();
    if (structure->hash != header.structure) {
        refuse_snapshot("it was saved by a world with other bodies, joints or force fields");
    }

    // Bytes that hold together but make no sense are noticed on the way: then the way leads back.
    const WorldSnapshot before = this->snapshot();
    try {
        impl_->restore(payload, structure);
    } catch (...) {
        impl_->restore(std::span(before.bytes).subspan(sizeof header), before.structure);
        throw;
    }
}

void World::Impl::restore(std::span<const std::byte> payload, const std::shared_ptr<const WorldStructure>& wanted) {
    ArchiveReader reader{payload};
    WorldSettings settings = model.settings;
    archive_settings(reader, settings);
    detail::require_settings(settings);
    if (wanted != structure) {
        take_structure(*wanted, model);
        structure = wanted;
        islands.clear();
    }
    model.settings = settings;
    archive_time(reader, model);
    if (!detail::is_finite(model.time.epoch) || !detail::is_finite(model.time.dt) ||
        !detail::is_finite(model.step_begin) || !detail::is_finite(model.time.next())) {
        refuse_snapshot("the time in it is not finite");
    }
    if (model.settings.energy_ledger && !archive_ledger(reader, model.ledger)) {
        refuse_snapshot("its energy ledger makes no sense");
    }
    for (const BodyId id : model.bodies.ids()) {
        restore_body(reader, model.bodies[id]);
    }

    for (const JointId id : model.joints.ids()) {
        auto& memory = model.joints[id].memory;
        reader.number(memory);
        if (!std::ranges::all_of(memory, [](double x) { return std::isfinite(x); })) {
            refuse_snapshot("what a joint remembers in it is not finite");
        }
    }
    restore_contacts(reader, model);

    // The islands make their last substeps again.
    islands.outdate();
    model.contacts.outdate();
    islands.update(model);
    islands.configure(model);
    islands.distribute_contacts(model);
    for (const auto& island : islands) {
        island->restore(model, reader);
    }
    collect_contacts();
    impacts.clear(); // those of the last step are in no snapshot
    if (!reader.bytes.empty()) {
        refuse_snapshot("it has " + std::to_string(reader.bytes.size()) + " bytes too many");
    }
}

} // namespace substep
