// Candidate pairs and what their points remember, as bytes and in a hash.
#include "snapshot/snapshot_contacts.h"

#include <cassert>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "archive/archive.h"
#include "islands/island_memory.h"
#include "substep/collision/ball_region.h"
#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

/// A pair as bytes name it: by the order of creation of its bodies. Bodies have one collider each; how many points two
/// of these have follows from their shapes.
struct SavedPair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    auto operator<=>(const SavedPair&) const = default;
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
    assert(pair.collider_a == 0 && pair.collider_b == 0);
    return {ordinals[pair.a.index], ordinals[pair.b.index]};
}

// Whether a pair is one of this world: two bodies that can touch, in the order of their creation, one of them dynamic.
bool is_possible(const SavedPair& pair, const BodyTable& bodies) noexcept {
    const std::span<const BodyId> ids = bodies.ids();
    if (pair.a >= pair.b || pair.b >= ids.size()) {
        return false;
    }
    const BodyRecord& a = bodies[ids[pair.a]];
    const BodyRecord& b = bodies[ids[pair.b]];
    return (a.is_dynamic() || b.is_dynamic()) && a.touches_others() && b.touches_others() &&
           can_collide(*a.shape, *b.shape);
}

bool have_fixed_points(const BodyTable& bodies, const ContactPair& pair) noexcept {
    return have_fixed_features(*bodies[pair.a].shape, *bodies[pair.b].shape);
}

// Whether solids have the part that holds a point of theirs, if it holds.
bool can_hold(const BodyTable& bodies, const ContactPair& pair, const ContactPoint& point) {
    if (point.memory.contact_mode() == ContactMode::Separate) {
        return true;
    }
    const Shape* first = &*bodies[pair.a].shape;
    const Shape* second = &*bodies[pair.b].shape;
    if (is_reversed(*first, *second)) {
        std::swap(first, second);
    }
    return is_ball(*first) && has_region(solid_of(*second).solid, PartPair::of(point.feature).parts[1]);
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
        writer.number(saved(pair, ordinals));
        for (const ContactPoint& point : contacts.points(pair)) {
            archive_contact_memory(writer, point.memory);
            if (!have_fixed_points(bodies, pair)) {
                writer.number(point.feature);
            }
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
        SavedPair pair;
        reader.number(pair);
        if ((i > 0 && before >= pair) || !is_possible(pair, bodies)) { // none twice
            refuse_snapshot("a contact in it is not one of this world's bodies");
        }
        before = pair;
        ContactPair& known = pairs.emplace_back();
        known.a = bodies.ids()[pair.a];
        known.b = bodies.ids()[pair.b];
        known.first_point = static_cast<std::uint32_t>(points.size());
        known.point_count = add_points(bodies, known, points);
        for (ContactPoint& point : std::span(points).last(known.point_count)) {
            archive_contact_memory(reader, point.memory);
            if (!have_fixed_points(bodies, known)) {
                reader.number(point.feature);
                if (!can_hold(bodies, known, point)) {
                    refuse_snapshot("a contact in it holds by a part that its shape does not have");
                }
            }
        }
    }
    contacts.set_pairs(bodies, pairs, points);
}

void add_to_hash(BitHash& hash, const BodyTable& bodies, const ContactTable& contacts) {
    if (contacts.pairs().empty()) {
        return;
    }
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    for (const ContactPair& pair : contacts.pairs()) {
        const SavedPair name = saved(pair, ordinals);
        for (const ContactPoint& point : contacts.points(pair)) {
            if (remembers_anything(point.memory)) {
                hash.add(std::uint64_t{name.a});
                hash.add(std::uint64_t{name.b});
                hash.add(std::uint64_t{point.memory.mode});
                hash.add(point.memory.slip_direction);
                hash.add(point.memory.force);
                hash.add(point.memory.floor);
            }
        }
    }
}

} // namespace substep::detail
