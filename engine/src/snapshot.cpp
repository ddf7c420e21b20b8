// Snapshots: everything the future depends on as bytes, and back after every check.
//
// Layout: SnapshotHeader, then the payload: settings, time, every body, every island's step memory. A restore builds a
// second world beside the first and takes its place only when nothing is left that could fail.
#include "substep/engine/snapshot.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "bit_hash.h"
#include "validation.h"
#include "world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::BodyState;
using detail::Model;
using detail::PrescribedMotion;

namespace {

constexpr std::array<char, 8> kMagic{'S', 'u', 'b', 's', 't', 'e', 'p', '\0'};
constexpr std::uint32_t kVersion = 3;

struct SnapshotHeader {
    std::array<char, 8> magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t unused = 0;
    std::uint64_t structure = 0; ///< hash of how the world was built
    std::uint64_t size = 0;      ///< bytes of payload
    std::uint64_t checksum = 0;  ///< of the payload
};

[[noreturn]] void refuse(const std::string& why) {
    throw std::invalid_argument("The snapshot cannot be restored: " + why + ".");
}

// Both directions are one function per type, so that they cannot differ: a Writer appends, a Reader takes.
class Writer {
public:
    template <class T>
    void number(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto raw = std::as_bytes(std::span(&value, 1));
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
    void text(const std::string& value) {
        number(static_cast<std::uint64_t>(value.size()));
        const auto raw = std::as_bytes(std::span(value));
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
    std::vector<std::byte> bytes;
};

class Reader {
public:
    template <class T>
    void number(T& value) {
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
    }
    void number(bool& value) {
        std::uint8_t byte = 0;
        number(byte);
        value = byte != 0;
    }
    void text(std::string& value) {
        std::uint64_t size = 0;
        number(size);
        const auto raw = take(size);
        value.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
    }
    std::span<const std::byte> bytes;

private:
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > bytes.size()) {
            refuse("its bytes end too early");
        }
        const auto front = bytes.first(static_cast<std::size_t>(size));
        bytes = bytes.subspan(front.size());
        return front;
    }
};

template <class Archive, class Settings>
void archive_settings(Archive& archive, Settings& settings) {
    archive.number(settings.gravity);
    archive.number(settings.joint_correction);
    auto& integrator = settings.integrator;
    archive.text(integrator.method);
    archive.number(integrator.substeps);
    archive.number(integrator.atol);
    archive.number(integrator.rtol);
    archive.number(integrator.h_min);
    archive.number(integrator.h_max);
    archive.number(integrator.h_initial);
    archive.number(integrator.budget);
    archive.number(integrator.boundary);
    archive.number(integrator.norm);
    auto& controller = integrator.controller;
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

// A path belongs to the structure: the body has it still.
template <class Archive, class Motion>
void archive_motion(Archive& archive, Motion& motion) {
    archive.number(motion.x0);
    archive.number(motion.q0);
    archive.number(motion.velocity);
    archive.number(motion.t0);
}

template <class Archive, class Record>
void archive_body(Archive& archive, Record& body) {
    archive.number(body.now);
    archive_motion(archive, body.prescribed);
    archive.number(body.edited);
    archive.number(body.frame_wrench);
    archive.number(body.step_begin);
    archive.number(body.step_end);
    archive_motion(archive, body.step_motion);
    archive.number(body.remembered_step);
}

void archive_contacts(Writer& writer, const Model& model) {
    const auto records = model.contacts.records();
    writer.number(static_cast<std::uint64_t>(records.size()));
    for (const detail::ContactRecord& record : records) {
        writer.number(record);
    }
}

void archive_contacts(Reader& reader, Model& model) {
    std::uint64_t count = 0;
    reader.number(count);
    std::vector<detail::ContactRecord> records;
    for (std::uint64_t i = 0; i < count; ++i) {
        detail::ContactRecord record;
        reader.number(record);
        const BodyRecord* const a = model.bodies.find(record.a);
        const BodyRecord* const b = model.bodies.find(record.b);
        if (a == nullptr || b == nullptr || !(a->is_dynamic() || b->is_dynamic()) ||
            record.memory.mode > static_cast<std::uint32_t>(ContactMode::Stick)) {
            refuse("a contact in it is not one of this world's bodies");
        }
        records.push_back(record);
    }
    model.contacts.set_records(std::move(records));
}

template <class Archive, class AnyModel>
void archive_model(Archive& archive, AnyModel& model) {
    archive_settings(archive, model.settings);
    archive.number(model.time.epoch);
    archive.number(model.time.dt);
    archive.number(model.time.steps);
    archive.number(model.step_begin);
    for (const BodyId id : model.bodies.ids()) {
        archive_body(archive, model.bodies[id]);
    }
    for (const JointId id : model.joints.ids()) {
        archive.number(model.joints[id].memory);
    }
    archive_contacts(archive, model);
}

// Everything a snapshot does not hold and that must therefore be the same: handles, masses, joints, number of fields.
std::uint64_t structure_of(const Model& model) noexcept {
    detail::BitHash hash;
    const auto add_id = [&](auto id) { hash.add(std::uint64_t{id.index} << 32 | id.generation); };
    for (const BodyId id : model.bodies.ids()) {
        const BodyRecord& body = model.bodies[id];
        add_id(id);
        hash.add(static_cast<std::uint64_t>(body.motion) | std::uint64_t{body.path != nullptr} << 8);
        hash.add(body.mass_properties.mass);
        hash.add(body.mass_properties.centre_of_mass);
        for (int i = 0; i < 3; ++i) {
            hash.add(body.mass_properties.inertia[i]);
        }
    }
    for (const JointId id : model.joints.ids()) {
        const JointDesc& joint = model.joints[id].desc;
        add_id(id);
        add_id(joint.body_a);
        add_id(joint.body_b);
        hash.add(joint.distance.value_or(0.0));
        hash.add(std::uint64_t{joint.curve != nullptr});
        if (joint.coupling) {
            add_id(joint.coupling->joint_1);
            add_id(joint.coupling->joint_2);
            hash.add(static_cast<std::uint64_t>(joint.coupling->axis_1) << 8 |
                     static_cast<std::uint64_t>(joint.coupling->axis_2));
            hash.add(joint.coupling->ratio);
            hash.add(joint.coupling->sum);
        }
        for (const Pose* frame : {&joint.frame_a, &joint.frame_b}) {
            hash.add(frame->position);
            hash.add(frame->orientation);
        }
        for (const auto& locked : {joint.locked_translation, joint.locked_rotation}) {
            hash.add(std::uint64_t{locked[0]} | std::uint64_t{locked[1]} << 1 | std::uint64_t{locked[2]} << 2);
        }
    }
    for (const ForceFieldId id : model.fields.ids()) {
        add_id(id);
    }
    return hash.value();
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) noexcept {
    detail::BitHash hash;
    hash.add(bytes);
    return hash.value();
}

// Checks what stands before the payload, and returns the payload.
std::span<const std::byte> checked_payload(std::span<const std::byte> bytes, const Model& model) {
    SnapshotHeader header;
    if (bytes.size() < sizeof header) {
        refuse("it has " + std::to_string(bytes.size()) + " bytes, fewer than its header");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto payload = bytes.subspan(sizeof header);
    if (header.magic != kMagic) {
        refuse("its bytes are no snapshot of Substep");
    }
    if (header.version != kVersion) {
        refuse("it has version " + std::to_string(header.version) + ", this program reads version " +
               std::to_string(kVersion));
    }
    if (header.size != payload.size() || header.checksum != checksum_of(payload)) {
        refuse("its bytes are damaged");
    }
    if (header.structure != structure_of(model)) {
        refuse("it was saved by a world with other bodies, joints or force fields");
    }
    return payload;
}

void require_finite_state(const BodyRecord& body) {
    for (const BodyState* state : {&body.now, &body.step_begin, &body.step_end}) {
        if (!detail::is_finite(state->x) || !detail::is_finite(state->q) || !detail::is_finite(state->v) ||
            !detail::is_finite(state->L)) {
            refuse("a body's state in it is not finite");
        }
    }
}

} // namespace

WorldSnapshot World::snapshot() const {
    impl_->islands.update(impl_->model);
    Writer payload;
    archive_model(payload, impl_->model);
    for (const auto& island : impl_->islands) {
        island->save(payload.bytes);
    }

    SnapshotHeader header;
    header.structure = structure_of(impl_->model);
    header.size = payload.bytes.size();
    header.checksum = checksum_of(payload.bytes);
    Writer snapshot;
    snapshot.number(header);
    snapshot.bytes.insert(snapshot.bytes.end(), payload.bytes.begin(), payload.bytes.end());
    return {std::move(snapshot.bytes)};
}

void World::restore(const WorldSnapshot& snapshot) {
    Reader payload{checked_payload(snapshot.bytes, impl_->model)};

    // The second world: the same bodies, joints and fields with the saved states and settings.
    auto restored = std::make_unique<Impl>();
    restored->model = impl_->model;
    Model& model = restored->model;
    archive_model(payload, model);
    validate(model.settings.integrator);
    for (const BodyId id : model.bodies.ids()) {
        require_finite_state(model.bodies[id]);
    }

    // Its islands make their last substeps again.
    restored->islands.update(model);
    restored->islands.distribute_contacts(model);
    for (const auto& island : restored->islands) {
        if (!island->restore(model, payload.bytes)) {
            refuse("an island's step memory does not fit");
        }
    }
    if (!payload.bytes.empty()) {
        refuse("it has " + std::to_string(payload.bytes.size()) + " bytes too many");
    }
    impl_ = std::move(restored);
}

} // namespace substep
