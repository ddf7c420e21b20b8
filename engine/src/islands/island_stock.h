// Islands that are not in use: storage for new ones, and islands with joints that may form again.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "islands/island.h"
#include "islands/island_members.h"
#include "islands/model.h"

namespace substep::detail {

/// Keeps islands so that bodies which meet and part in mid-run find them made.
class IslandStock {
public:
    /// Returns an island of these members, made or made again; `may_meet` asks for room for contacts.
    std::unique_ptr<Island> take(const Model& model, const IslandMembers& members, bool may_meet);

    /// Returns an island for one body, to be made;
    std::unique_ptr<Island> take_empty() { return take_spare(1); }
    /// and the number of contacts that it makes room for, as others of these bodies do.
    std::size_t contacts_of(const Model& model, std::span<const BodyId> bodies, bool may_meet) const noexcept;

    /// Takes in an island that is no longer used. One without joints serves as storage; one with joints is kept for
    /// when the same members meet again, if `may_meet_again`.
    void put(std::unique_ptr<Island> island, bool may_meet_again);

    /// Counts the bodies that collide, after some came or went.
    void count_colliding(const Model& model) noexcept;

    /// Makes islands ahead, for all sizes that islands without joints may get beside those `in_use`. Allocates.
    void provide(const Model& model, std::span<const std::unique_ptr<Island>> in_use);

    /// Forgets islands with joints: bodies, joints, fields or settings have changed.
    void forget_known() noexcept { known_islands_.clear(); }
    /// Drops the spare islands if they are sized for other settings. Returns whether they were.
    bool drop_if_outdated(const WorldSettings& settings);

private:
    std::unique_ptr<Island> take_spare(std::size_t bodies);
    std::unique_ptr<Island> take_known(const Model& model, const IslandMembers& members);

    std::vector<std::unique_ptr<Island>> spare_islands_; ///< storage of islands without joints
    std::vector<std::unique_ptr<Island>> known_islands_; ///< islands with joints that may form again, oldest first
    std::string spares_method_;                          ///< the method that they are sized for
    bool spares_book_ = false;                           ///< sized for an energy ledger too
    std::size_t bounded_count_ = 0;    ///< bodies that collide, of shapes with an end in every direction
    std::size_t unbounded_count_ = 0;  ///< of shapes without end
    std::size_t prescribed_count_ = 0; ///< colliders of what is not dynamic
};

} // namespace substep::detail
