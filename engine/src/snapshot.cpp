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
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "bit_hash.h"
#include "validation.h"
#include "world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::BodyState;
using detail::Model;
using detail::PrescribedMotion;
using detail::WorldStructure;

namespace {

constexpr std::array<char, 8> kMagic{'S', 'u', 'b', 's', 't', 'e', 'p', '\0'};
constexpr std::uint32_t kVersion = 4;

struct SnapshotHeader {
    std::array<char, 8> magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t unused = 0;    ///< zero
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
    explicit Writer(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    template <class T>
    void number(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto raw = std::as_bytes(std::span(&value, 1));
        bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    }
    template <class Enum>
    void choice(const Enum& value, Enum) {
        number(static_cast<std::uint8_t>(value));
    }
    void text(const std::string& value) {
        number(static_cast<std::uint64_t>(value.size()));
        const auto raw = std::as_bytes(std::span(value));
        bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    }

private:
    std::vector<std::byte>& bytes_;
};

class Reader {
public:
    template <class T>
    void number(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
    }
    void number(bool& value) {
        std::uint8_t byte = 0;
        number(byte);
        value = byte != 0;
    }
    template <class Enum>
    void choice(Enum& value, Enum last) {
        std::uint8_t number_of = 0;
        number(number_of);
        if (number_of > static_cast<std::uint8_t>(last)) {
            refuse("it names a choice that this program does not know");
        }
        value = static_cast<Enum>(number_of);
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

// Contacts name bodies by their order of creation: in another process handles may be others.
void save_contacts(Writer& writer, const Model& model) {
    const auto records = model.contacts.records();
    writer.number(static_cast<std::uint32_t>(records.size()));
    if (records.empty()) {
        return;
    }
    std::vector<std::uint32_t> ordinal(model.bodies.index_limit(), 0);
    std::uint32_t count = 0;
    for (const BodyId id : model.bodies.ids()) {
        ordinal[id.index] = count++;
    }
    for (const detail::ContactRecord& record : records) {
        writer.number(ordinal[record.a.index]);
        writer.number(ordinal[record.b.index]);
        writer.number(record.memory);
    }
}

void restore_contacts(Reader& reader, Model& model) {
    std::uint32_t count = 0;
    reader.number(count);
    const std::span<const BodyId> bodies = model.bodies.ids();
    const auto take_body = [&] {
        std::uint32_t ordinal = 0;
        reader.number(ordinal);
        if (ordinal >= bodies.size()) {
            refuse("a contact in it is not one of this world's bodies");
        }
        return bodies[ordinal];
    };
    std::vector<detail::ContactRecord> records;
    for (std::uint32_t i = 0; i < count; ++i) {
        detail::ContactRecord record;
        record.a = take_body();
        record.b = take_body();
        reader.number(record.memory);
        if (!(model.bodies[record.a].is_dynamic() || model.bodies[record.b].is_dynamic()) || record.a == record.b ||
            record.memory.mode > static_cast<std::uint32_t>(ContactMode::Stick)) {
            refuse("a contact in it is not one of this world's bodies");
        }
        records.push_back(record);
    }
    model.contacts.set_records(std::move(records));
}

template <class Archive, class AnyModel>
void archive_time(Archive& archive, AnyModel& model) {
    archive.number(model.time.epoch);
    archive.number(model.time.dt);
    archive.number(model.time.steps);
    archive.number(model.step_begin);
}

// What of a body is written: the rest is equal to what stands before it, or zero.
enum BodyFlag : std::uint8_t {
    kEdited = 1,
    kOtherEnd = 2,   ///< the step ended elsewhere than where the body is now (an edit since)
    kOtherBegin = 4, ///< it began elsewhere than where it ended; for prescribed motion: it was another one
    kPushed = 8      ///< by a force for the next step
};

template <class T>
bool same_bits(const T& a, const T& b) noexcept {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// What of a prescribed motion is state. A path belongs to the structure: the body has it still.
struct MotionState {
    glm::dvec3 x0;
    glm::dquat q0;
    detail::Twist velocity;
    double t0;
};

MotionState state_of(const PrescribedMotion& motion) noexcept {
    return {motion.x0, motion.q0, motion.velocity, motion.t0};
}

void save_body(std::vector<std::byte>& bytes, const BodyRecord& body) {
    // Collected first, so that the bytes grow once.
    std::array<std::byte, 1 + std::max(3 * sizeof(BodyState), 2 * sizeof(MotionState)) + sizeof(Wrench)> front;
    std::size_t size = 1;
    const auto add = [&](const auto& value) {
        std::memcpy(front.data() + size, &value, sizeof value);
        size += sizeof value;
    };
    unsigned flags = body.edited ? kEdited : 0;
    if (body.is_dynamic()) {
        add(body.now);
        if (!same_bits(body.step_end, body.now)) {
            flags |= kOtherEnd;
            add(body.step_end);
        }
        if (!same_bits(body.step_begin, body.step_end)) {
            flags |= kOtherBegin;
            add(body.step_begin);
        }
        if (!same_bits(body.frame_wrench, Wrench{})) {
            flags |= kPushed;
            add(body.frame_wrench);
        }
    } else {
        add(state_of(body.prescribed));
        if (!same_bits(state_of(body.step_motion), state_of(body.prescribed))) {
            flags |= kOtherBegin;
            add(state_of(body.step_motion));
        }
    }
    front[0] = static_cast<std::byte>(flags);
    bytes.insert(bytes.end(), front.begin(), front.begin() + static_cast<std::ptrdiff_t>(size));
}

bool is_sound(const glm::dquat& q) noexcept { return detail::is_finite(q) && glm::dot(q, q) > 1e-12; }

void take_state(Reader& reader, BodyState& state) {
    reader.number(state);
    if (!detail::is_finite(state.x) || !is_sound(state.q) || !detail::is_finite(state.v) ||
        !detail::is_finite(state.L)) {
        refuse("a body's state in it is not finite");
    }
}

void take_motion(Reader& reader, PrescribedMotion& motion) {
    MotionState state;
    reader.number(state);
    motion.x0 = state.x0;
    motion.q0 = state.q0;
    motion.velocity = state.velocity;
    motion.t0 = state.t0;
    if (!detail::is_finite(motion.x0) || !is_sound(motion.q0) || !detail::is_finite(motion.velocity.linear) ||
        !detail::is_finite(motion.velocity.angular) || !detail::is_finite(motion.t0)) {
        refuse("a body's motion in it is not finite");
    }
}

void restore_body(Reader& reader, BodyRecord& body) {
    std::uint8_t flags = 0;
    reader.number(flags);
    if (flags > (kEdited | kOtherEnd | kOtherBegin | kPushed)) {
        refuse("a body in it is of a kind that this program does not know");
    }
    body.edited = (flags & kEdited) != 0;
    body.frame_wrench = {};
    if (!body.is_dynamic()) {
        take_motion(reader, body.prescribed);
        body.step_motion = body.prescribed;
        if ((flags & kOtherBegin) != 0) {
            take_motion(reader, body.step_motion);
        }
        return;
    }
    take_state(reader, body.now);
    body.step_end = body.now;
    if ((flags & kOtherEnd) != 0) {
        take_state(reader, body.step_end);
    }
    body.step_begin = body.step_end;
    if ((flags & kOtherBegin) != 0) {
        take_state(reader, body.step_begin);
    }
    if ((flags & kPushed) != 0) {
        reader.number(body.frame_wrench);
        if (!detail::is_finite(body.frame_wrench.force) || !detail::is_finite(body.frame_wrench.torque)) {
            refuse("a force in it is not finite");
        }
    }
}

// Checks what stands before the payload, and returns the payload.
std::span<const std::byte> checked_payload(std::span<const std::byte> bytes, SnapshotHeader& header) {
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
    if (header.unused != 0 || header.size != payload.size() || header.checksum != detail::fast_hash(payload)) {
        refuse("its bytes are damaged");
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

    Writer writer(bytes);
    writer.number(header);
    archive_settings(writer, model.settings);
    archive_time(writer, model);
    if (model.settings.energy_ledger) {
        detail::archive_ledger(writer, model.ledger);
    }
    for (const BodyId id : model.bodies.ids()) {
        save_body(bytes, model.bodies[id]);
    }
    for (const JointId id : model.joints.ids()) {
        writer.number(model.joints[id].memory);
    }
    save_contacts(writer, model);
    for (const auto& island : impl_->islands) {
        island->save(bytes);
    }

    header.structure = snapshot.structure->hash;
    header.size = bytes.size() - sizeof header;
    header.checksum = detail::fast_hash(std::span<const std::byte>(bytes).subspan(sizeof header));
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
        refuse("it was saved by a world with other bodies, joints or force fields");
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
    Reader reader{payload};
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
        refuse("the time in it is not finite");
    }
    if (model.settings.energy_ledger && !detail::archive_ledger(reader, model.ledger)) {
        refuse("its energy ledger makes no sense");
    }
    for (const BodyId id : model.bodies.ids()) {
        restore_body(reader, model.bodies[id]);
    }

    for (const JointId id : model.joints.ids()) {
        auto& memory = model.joints[id].memory;
        reader.number(memory);
        if (!std::ranges::all_of(memory, [](double x) { return std::isfinite(x); })) {
            refuse("what a joint remembers in it is not finite");
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
        if (!island->restore(model, reader.bytes)) {
            refuse("an island's step memory does not fit");
        }
    }
    if (!reader.bytes.empty()) {
        refuse("it has " + std::to_string(reader.bytes.size()) + " bytes too many");
    }
}

} // namespace substep
