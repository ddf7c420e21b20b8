// Names of pairs that last, as bytes.
#include "snapshot/saved_pair.h"

#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

// Bit of the first number: both colliders are the first ones of their bodies, and not written.
constexpr std::uint32_t kFirstColliders = 0x80000000u;
// Bit of the second one: the pair is one of a pile.
constexpr std::uint32_t kOfPile = 0x80000000u;

} // namespace

std::vector<std::uint32_t> ordinals_of(const BodyTable& bodies) {
    std::vector<std::uint32_t> ordinals(bodies.index_limit(), 0);
    std::uint32_t count = 0;
    for (const BodyId id : bodies.ids()) {
        ordinals[id.index] = count++;
    }
    return ordinals;
}

SavedPair saved(const BodyTable& bodies, const ColliderPair& pair, std::span<const std::uint32_t> ordinals,
                bool is_of_pile) noexcept {
    return {ordinals[pair.a.index], bodies[pair.a].colliders.place_of(pair.collider_a), ordinals[pair.b.index],
            bodies[pair.b].colliders.place_of(pair.collider_b), is_of_pile};
}

void save_pair(ArchiveWriter& writer, const SavedPair& pair) {
    const bool are_first = pair.collider_a == 0 && pair.collider_b == 0;
    writer.number(pair.a | (are_first ? kFirstColliders : 0));
    writer.number(pair.b | (pair.is_of_pile ? kOfPile : 0));
    if (!are_first) {
        writer.number(pair.collider_a);
        writer.number(pair.collider_b);
    }
}

SavedPair restored_pair(ArchiveReader& reader) {
    SavedPair pair;
    reader.number(pair.a);
    reader.number(pair.b);
    if ((pair.a & kFirstColliders) == 0) {
        reader.number(pair.collider_a);
        reader.number(pair.collider_b);
    }
    pair.a &= ~kFirstColliders;
    pair.is_of_pile = (pair.b & kOfPile) != 0;
    pair.b &= ~kOfPile;
    return pair;
}

bool is_possible(const SavedPair& pair, const BodyTable& bodies, bool of_trigger) noexcept {
    const std::span<const BodyId> ids = bodies.ids();
    if (pair.a >= pair.b || pair.b >= ids.size()) {
        return false;
    }
    const BodyRecord& a = bodies[ids[pair.a]];
    const BodyRecord& b = bodies[ids[pair.b]];
    if (pair.collider_a >= a.colliders.size() || pair.collider_b >= b.colliders.size()) {
        return false;
    }
    const ColliderDesc& of_a = a.colliders.all()[pair.collider_a].desc;
    const ColliderDesc& of_b = b.colliders.all()[pair.collider_b].desc;
    return can_collide(of_a.shape, of_b.shape) &&
           (of_a.is_trigger || of_b.is_trigger ? of_trigger : !of_trigger && (a.is_dynamic() || b.is_dynamic()));
}

ContactPair known_pair(const SavedPair& pair, const BodyTable& bodies) {
    ContactPair known;
    known.a = bodies.ids()[pair.a];
    known.b = bodies.ids()[pair.b];
    known.collider_a = bodies[known.a].colliders.all()[pair.collider_a].number;
    known.collider_b = bodies[known.b].colliders.all()[pair.collider_b].number;
    return known;
}

} // namespace substep::detail
