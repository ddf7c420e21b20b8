// The pairs of an island that is a pile, as soft steps take them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "islands/model.h"
#include "soft_steps/pile.h"
#include "substep/engine/contact.h"

namespace substep::detail {

class ThreadTeam;

/// The solids and pairs of a pile, made from the records of the contact table, and anew where these changed. What the
/// pairs remember stays there.
class IslandPile {
public:
    void clear() noexcept;
    /// Makes room for so many pairs of so many bodies, and a few that nothing moves. Allocates.
    void make_room(std::size_t pairs, std::size_t bodies);

    /// The numbers of a pair's bodies in the island.
    struct Ends {
        std::uint32_t a = 0;
        std::uint32_t b = 0;
    };
    /// Makes it: `clear`, `add_body` for each body in the order of their numbers in the island, null for the ground,
    /// then `add_pairs` with all pairs, by the numbers of their records and those of their bodies. It notes of which
    /// pairs it was made.
    void add_body(const BodyRecord* body);
    void add_pairs(const Model& model, std::span<const std::size_t> records, std::span<const Ends> ends,
                   ThreadTeam* team);

    /// Whether it was made of pairs that have not changed since.
    bool is_of(const PairChanges& changes) const noexcept { return is_lasting_ && changes_ == changes; }

    bool empty() const noexcept { return names_.empty(); }
    std::span<const PilePair> pairs() const noexcept { return pairs_; }
    /// The pile with what its pairs remember, without bodies. Valid until it is made anew.
    Pile with(std::span<PairMemory> memory) const noexcept { return {{}, solids_, pairs_, memory, far_solids_}; }

    /// Whether a body is an end of a pair.
    bool name(BodyId body) const noexcept;
    /// Whether the pairs are those of these records.
    bool are_of(const Model& model, std::span<const std::size_t> records) const noexcept;

    /// Makes `contacts` those that pressed in the step just made.
    void report(std::span<const TouchingPoint> touching, double slow_slip, ThreadTeam* team,
                std::vector<Contact>& contacts) const;

private:
    /// Whom a pair is of.
    struct Named {
        ColliderId first;
        ColliderId second;
    };

    /// Where a solid comes from.
    struct Source {
        const BodyRecord* body = nullptr; ///< while it is made
        std::uint32_t collider = 0;       ///< its place among those of the body
    };

    void add_pair(const Model& model, const ContactPair& pair, const Ends& ends, std::size_t number);
    void name_solid(std::uint32_t solid) noexcept;
    void make_solids(ThreadTeam* team);

    std::vector<Named> names_;
    std::vector<PilePair> pairs_; ///< of those that are near; their keys are the numbers of names
    std::vector<std::array<std::uint32_t, 2>> far_solids_; ///< of the others
    std::vector<PileSolid> solids_;                        ///< of all colliders; those that no pair names hold nothing
    std::vector<std::uint32_t> first_solids_;              ///< by the numbers of bodies, and behind the last
    std::vector<Source> sources_;                          ///< scratch space, as the next ones: of all solids
    std::vector<std::uint8_t> are_named_;
    std::vector<std::uint32_t> ranks_; ///< of pairs, among those that are near
    PairChanges changes_;              ///< it was made as pairs were then
    bool is_lasting_ = false;          ///< it holds as long as pairs do: no surface moves past its body
};

} // namespace substep::detail
