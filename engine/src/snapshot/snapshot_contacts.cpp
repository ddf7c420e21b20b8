// Pairs and points: each is described once, for saving, restoring and hashing.
#include "snapshot/snapshot_contacts.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "archive/archive.h"
#include "bodies/validation.h"

namespace substep::detail {
namespace {

/// A pair as bytes name it.
struct SavedPair {
    std::uint32_t a = 0; ///< order of creation of its bodies
    std::uint32_t b = 0;
    std::uint32_t collider_a = 0;
    std::uint32_t collider_b = 0;
    std::uint32_t points = 0; ///< how many
};

// `archive` is a writer, a reader or a hash.
template <class Archive, class Pair>
void describe_pair(Archive& archive, Pair& pair) {
    archive.number(pair.a);
    archive.number(pair.b);
    archive.number(pair.collider_a);
    archive.number(pair.collider_b);
    archive.number(pair.points);
}

template <class Archive, class Point>
void describe_point(Archive& archive, Point& point) {
    archive.number(point.feature);
    archive.number(point.memory.mode);
    archive.number(point.memory.slip_direction);
    archive.number(point.memory.force);
    archive.number(point.memory.floor);
}

/// Adds numbers to a hash.
struct HashedNumbers {
    BitHash& hash;

    void number(std::uint32_t value) noexcept { hash.add(std::uint64_t{value}); }
    void number(std::uint64_t value) noexcept { hash.add(value); }
    void number(double value) noexcept { hash.add(value); }
    void number(const glm::dvec3& value) noexcept { hash.add(value); }
};

// Numbers bodies in the order of creation, by their index.
std::vector<std::uint32_t> ordinals_of(const BodyTable& bodies) {
    std::vector<std::uint32_t> ordinals(bodies.index_limit(), 0);
    std::uint32_t count = 0;
    for (const BodyId id : bodies.ids()) {
        ordinals[id.index] = count++;
    }
    return ordinals;
}

SavedPair saved(const ContactPair& pair, std::span<const std::uint32_t> ordinals) noexcept {
    return {ordinals[pair.a.index], ordinals[pair.b.index], pair.collider_a, pair.collider_b, pair.point_count};
}

// Whether a pair is one of this world: two bodies in the order of their creation, one of them dynamic, each with one
// collider, that touch at a point.
bool is_possible(const SavedPair& pair, const BodyTable& bodies) noexcept {
    const std::span<const BodyId> ids = bodies.ids();
    return pair.a < ids.size() && pair.b < ids.size() && pair.a < pair.b && pair.collider_a == 0 &&
           pair.collider_b == 0 && pair.points == 1 &&
           (bodies[ids[pair.a]].is_dynamic() || bodies[ids[pair.b]].is_dynamic());
}

bool remembers_anything(const ContactMemory& memory) noexcept {
    return memory.contact_mode() != ContactMode::Separate || memory.force != glm::dvec3(0.0) || memory.floor != 0.0;
}

} // namespace

void save_contacts(ArchiveWriter& writer, const BodyTable& bodies, const ContactTable& contacts) {
    writer.number(static_cast<std::uint32_t>(contacts.pairs().size()));
    if (contacts.pairs().empty()) {
        return;
    }
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    for (const ContactPair& pair : contacts.pairs()) {
        const SavedPair bytes = saved(pair, ordinals);
        describe_pair(writer, bytes);
        for (const ContactPoint& point : contacts.points(pair)) {
            describe_point(writer, point);
        }
    }
}

void restore_contacts(ArchiveReader& reader, const BodyTable& bodies, ContactTable& contacts) {
    std::uint32_t count = 0;
    reader.number(count);
    std::vector<ContactPair> pairs;
    std::vector<ContactPoint> points;
    SavedPair before;
    for (std::uint32_t i = 0; i < count; ++i) {
        SavedPair bytes;
        describe_pair(reader, bytes);
        const bool is_next = i == 0 || std::pair(before.a, before.b) < std::pair(bytes.a, bytes.b); // none twice
        before = bytes;
        if (!is_next || !is_possible(bytes, bodies)) {
            refuse_snapshot("a contact in it is not one of this world's bodies");
        }
        const auto first = static_cast<std::uint32_t>(points.size());
        pairs.push_back(
            {bodies.ids()[bytes.a], bodies.ids()[bytes.b], bytes.collider_a, bytes.collider_b, first, bytes.points});
        for (std::uint32_t k = 0; k < bytes.points; ++k) {
            ContactPoint& point = points.emplace_back();
            describe_point(reader, point);
            if (!point.memory.has_possible_mode()) {
                refuse_snapshot("a contact in it is not one of this world's bodies");
            }
        }
    }
    contacts.set_pairs(bodies, std::move(pairs), std::move(points));
}

void add_to_hash(BitHash& hash, const BodyTable& bodies, const ContactTable& contacts) {
    if (contacts.pairs().empty()) {
        return;
    }
    HashedNumbers numbers{hash};
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    for (const ContactPair& pair : contacts.pairs()) {
        const SavedPair name = saved(pair, ordinals);
        for (const ContactPoint& point : contacts.points(pair)) {
            if (remembers_anything(point.memory)) {
                describe_pair(numbers, name);
                describe_point(numbers, point);
            }
        }
    }
}

} // namespace substep::detail
