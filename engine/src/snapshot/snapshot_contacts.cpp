// Candidate pairs and what their points remember, as bytes and in a hash.
#include "snapshot/snapshot_contacts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "archive/archive.h"
#include "bodies/state_layout.h"
#include "contact/solid_pairs.h"
#include "islands/island_memory.h"
#include "snapshot/saved_pair.h"
#include "soft_steps/last_test.h"
#include "substep/collision/ball_region.h"
#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

const Shape& first_shape(const BodyTable& bodies, const ContactPair& pair) noexcept {
    return bodies[pair.a].colliders[pair.collider_a].shape;
}
const Shape& second_shape(const BodyTable& bodies, const ContactPair& pair) noexcept {
    return bodies[pair.b].colliders[pair.collider_b].shape;
}

// Those of its two bodies' numbers.
constexpr std::size_t kFewestBytesOfPair = 8;

bool have_fixed_points(const BodyTable& bodies, const ContactPair& pair) noexcept {
    return have_fixed_features(first_shape(bodies, pair), second_shape(bodies, pair));
}

// Whether solids have the part that holds a point of theirs, if it holds.
bool can_hold(const BodyTable& bodies, const ContactPair& pair, const ContactPoint& point) {
    if (point.memory.contact_mode() == ContactMode::Separate) {
        return true;
    }
    const Shape* first = &first_shape(bodies, pair);
    const Shape* second = &second_shape(bodies, pair);
    if (is_reversed(*first, *second)) {
        std::swap(first, second);
    }
    return is_ball(*first) && has_region(solid_of(*second).solid, PartPair::of(point.feature).parts[1]);
}

// What the bytes of a pair of a pile hold.
enum PileFlag : std::uint8_t {
    kWasTested = 1,
    kByOthers = 2, // else by soft steps
    kRubs = 4,
    kTurns = 8,
    kIsOfBall = 16,
    kByConvexSteps = 32,
    kPresses = 64,
    kAllPileFlags = 127
};

// Whether all that a pair knows of its points, but for what they press with, follows from the pose of its last test: a
// ball's point is found anew at each step but for its name.
bool is_found_again(std::uint8_t flags) noexcept { return (flags & (kWasTested | kIsOfBall)) == kWasTested; }

// What a pair of a pile remembers, both ways. A pair without points is found to be apart again; the axis that the
// narrow phase begins with changes no result.
template <class Archive, class Memory>
void archive_pair_memory(Archive& archive, Memory& memory, std::uint8_t flags) {
    if (is_found_again(flags)) {
        archive.number(memory.position);
        archive.number(memory.rotation);
    } else {
        archive.number(memory.normal);
    }
    if ((flags & kRubs) != 0) {
        archive.number(memory.friction);
    }
    if ((flags & kTurns) != 0) {
        archive.number(memory.turning);
    }
    for (std::size_t i = 0; i < memory.count; ++i) {
        auto& point = memory.points[i];
        if (!is_found_again(flags)) {
            archive.number(point.feature);
        }
        if ((flags & kPresses) != 0) {
            archive.number(point.force);
            archive.number(point.offset);
        }
    }
}

void save_pair_memory(ArchiveWriter& writer, const PairMemory& memory, bool is_of_ball) {
    writer.number(static_cast<std::uint8_t>(memory.count));
    if (memory.count == 0) {
        return;
    }
    const auto is_zero = [](const glm::dvec3& v) { // not -0
        const glm::dvec3 zero(0.0);
        return detail::same_bits(&v.x, &zero.x, 3);
    };
    const bool presses =
        std::any_of(memory.points.begin(), memory.points.begin() + memory.count, [&](const PairMemory::Point& point) {
            return !is_zero({point.force, point.offset, 0.0});
        });
    const auto flags = static_cast<std::uint8_t>((presses ? kPresses : 0) | (memory.was_tested ? kWasTested : 0) |
                                                 (memory.forces_by == ForcesBy::Others ? kByOthers : 0) |
                                                 (memory.forces_by == ForcesBy::ConvexSteps ? kByConvexSteps : 0) |
                                                 (is_zero(memory.friction) ? 0 : kRubs) |
                                                 (is_zero(memory.turning) ? 0 : kTurns) | (is_of_ball ? kIsOfBall : 0));
    writer.number(flags);
    archive_pair_memory(writer, memory, flags);
}

// Points that have to be found again are not there yet.
PairMemory restored_pair_memory(ArchiveReader& reader, bool is_of_ball) {
    PairMemory memory;
    std::uint8_t count = 0;
    std::uint8_t flags = 0;
    reader.number(count);
    if (count == 0) {
        return memory;
    }
    reader.number(flags);
    const auto is_finite = [](const glm::dvec3& v) {
        return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
    };
    bool makes_sense =
        flags <= kAllPileFlags && count <= memory.points.size() && ((flags & kIsOfBall) != 0) == is_of_ball;
    if (makes_sense) {
        memory.was_tested = (flags & kWasTested) != 0;
        memory.forces_by = (flags & kByOthers) != 0        ? ForcesBy::Others
                           : (flags & kByConvexSteps) != 0 ? ForcesBy::ConvexSteps
                                                           : ForcesBy::SoftSteps;
        memory.count = count;
        archive_pair_memory(reader, memory, flags);
        constexpr double kUnit = 1e-6; // squares of quaternions that are of unit length but for rounding
        makes_sense = is_finite(memory.normal) && is_finite(memory.position) && is_finite(memory.friction) &&
                      is_finite(memory.turning) && std::abs(glm::dot(memory.rotation, memory.rotation) - 1.0) <= kUnit;
    }
    for (std::size_t i = 0; makes_sense && i < memory.count; ++i) {
        makes_sense = std::isfinite(memory.points[i].force) && std::isfinite(memory.points[i].offset);
    }
    if (!makes_sense) {
        refuse_snapshot("what a pair of a pile remembers in it makes no sense");
    }
    return memory;
}

bool has_ball(const BodyTable& bodies, const ContactPair& pair) noexcept {
    return is_ball(first_shape(bodies, pair)) || is_ball(second_shape(bodies, pair));
}

PairMemory restored_pair_memory(ArchiveReader& reader, const BodyTable& bodies, const ContactPair& pair,
                                double length) {
    const bool is_of_ball = has_ball(bodies, pair);
    PairMemory memory = restored_pair_memory(reader, is_of_ball);
    if (memory.count > 0 && memory.was_tested && !is_of_ball) {
        const BodyRecord* a = &bodies[pair.a];
        const BodyRecord* b = &bodies[pair.b];
        const ColliderDesc* of_a = &a->colliders[pair.collider_a];
        const ColliderDesc* of_b = &b->colliders[pair.collider_b];
        if (is_reversed(of_a->shape, of_b->shape)) {
            std::swap(a, b);
            std::swap(of_a, of_b);
        }
        if (!find_again(carried_solid(*a, *of_a), carried_solid(*b, *of_b), length, memory)) {
            refuse_snapshot("two bodies of a pile touch in it where they do not");
        }
    }
    return memory;
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
        save_pair(writer, saved(bodies, pair, ordinals, pair.is_of_pile()));
        if (pair.is_of_pile()) {
            save_pair_memory(writer, contacts.memory(pair), has_ball(bodies, pair));
        }
        for (const ContactPoint& point : contacts.points(pair)) {
            archive_contact_memory(writer, point.memory);
            if (!have_fixed_points(bodies, pair)) {
                writer.number(point.feature);
            }
        }
    }
}

void restore_contacts(ArchiveReader& reader, const BodyTable& bodies, double length, ContactTable& contacts) {
    std::uint32_t count = 0;
    reader.number(count);
    contacts.set_pairs(bodies, [&](std::vector<ContactPair>& pairs, std::vector<ContactPoint>& points,
                                   std::vector<PairMemory>& memories) {
        // Lists that grow are copied: that was a third of what a clone of a thousand cubes took.
        const std::size_t room = std::min<std::size_t>(count, reader.bytes.size() / kFewestBytesOfPair);
        pairs.reserve(room);
        SavedPair before;
        for (std::uint32_t i = 0; i < count; ++i) {
            const SavedPair pair = restored_pair(reader);
            if ((i > 0 && !before.comes_before(pair)) || !is_possible(pair, bodies, false)) { // none twice
                refuse_snapshot("a contact in it is not one of this world's bodies");
            }
            before = pair;
            ContactPair& known = pairs.emplace_back(known_pair(pair, bodies));
            known.first_point = static_cast<std::uint32_t>(points.size());
            if (pair.is_of_pile) {
                known.point_count = 0;
                known.memory = static_cast<std::uint32_t>(memories.size());
                if (memories.empty()) { // worlds without piles need none
                    memories.reserve(room);
                }
                memories.push_back(restored_pair_memory(reader, bodies, known, length));
                continue;
            }
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
    });
}

void save_triggers(ArchiveWriter& writer, const BodyTable& bodies, const TriggerTable& triggers) {
    writer.number(static_cast<std::uint32_t>(triggers.overlapping().size()));
    if (triggers.overlapping().empty()) {
        return;
    }
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    for (const ContactPair& pair : triggers.overlapping()) {
        save_pair(writer, saved(bodies, pair, ordinals));
    }
}

void restore_triggers(ArchiveReader& reader, const BodyTable& bodies, TriggerTable& triggers) {
    std::uint32_t count = 0;
    reader.number(count);
    std::vector<ContactPair> pairs;
    SavedPair before;
    for (std::uint32_t i = 0; i < count; ++i) {
        const SavedPair pair = restored_pair(reader);
        if ((i > 0 && !before.comes_before(pair)) || !is_possible(pair, bodies, true) || pair.is_of_pile) {
            refuse_snapshot("something in a trigger in it is not one of this world's bodies");
        }
        before = pair;
        pairs.push_back(known_pair(pair, bodies));
    }
    triggers.set_overlapping(pairs);
}

void add_to_hash(BitHash& hash, const BodyTable& bodies, const TriggerTable& triggers) {
    if (triggers.overlapping().empty()) {
        return;
    }
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    for (const ContactPair& pair : triggers.overlapping()) {
        const SavedPair name = saved(bodies, pair, ordinals);
        hash.add(end_of_pair(name.collider_a, name.a));
        hash.add(end_of_pair(name.collider_b, name.b));
    }
}

void add_to_hash(BitHash& hash, const BodyTable& bodies, const ContactTable& contacts) {
    if (contacts.pairs().empty()) {
        return;
    }
    const std::vector<std::uint32_t> ordinals = ordinals_of(bodies);
    for (const ContactPair& pair : contacts.pairs()) {
        const SavedPair name = saved(bodies, pair, ordinals);
        if (pair.is_of_pile() && contacts.touches(pair)) {
            const PairMemory& memory = contacts.memory(pair);
            hash.add(end_of_pair(name.collider_a, name.a));
            hash.add(end_of_pair(name.collider_b, name.b));
            hash.add(memory.friction);
            hash.add(memory.turning);
            for (std::size_t i = 0; i < memory.count; ++i) {
                hash.add(memory.points[i].feature);
                hash.add(std::as_bytes(std::span(&memory.points[i].force, 2))); // force and offset
            }
        }
        for (const ContactPoint& point : contacts.points(pair)) {
            if (remembers_anything(point.memory)) {
                hash.add(end_of_pair(name.collider_a, name.a)); // the body alone where it is its first collider
                hash.add(end_of_pair(name.collider_b, name.b));
                if (!have_fixed_points(bodies, pair)) { // which part holds or pressed: what follows depends on it
                    hash.add(point.feature);
                }
                hash.add(std::uint64_t{point.memory.mode});
                hash.add(point.memory.slip_direction);
                hash.add(point.memory.force);
                hash.add(point.memory.floor);
            }
        }
    }
}

} // namespace substep::detail
