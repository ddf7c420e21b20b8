// The broad phase: which bodies of a world could touch during the next step, and the memory of each pair.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <glm/vec3.hpp>

#include "bodies/body_store.h"
#include "bodies/contact_memory.h"
#include "pairs/box_tree.h"
#include "pairs/pair_key.h"
#include "substep/collision/bounds.h"

namespace substep::detail {

/// One point at which a pair of colliders touches, or could.
struct ContactPoint {
    std::uint64_t feature = 0; ///< names the point among those of its pair: a sphere has one
    ContactMemory memory;
};

/// A pair of colliders that could touch, in the order in which their bodies were created. Its points are side by side
/// among those of the table.
struct ContactPair {
    BodyId a;
    BodyId b;
    std::uint32_t collider_a = 0; ///< number of the collider among those of its body
    std::uint32_t collider_b = 0;
    std::uint32_t first_point = 0;
    std::uint32_t point_count = 1;
};

/// The inputs of the candidates of a step, besides the bodies.
struct SweptStep {
    double t0 = 0.0;         ///< s, where it begins
    double t1 = 0.0;         ///< s, where it ends
    double last = 0.0;       ///< s, length of the step before; 0: there was none
    glm::dvec3 gravity{0.0}; ///< m/s^2
};

/// The broad phase of a world: candidate pairs, found anew each step from bounds swept over it. A body reaches as far
/// as its speed and twice its last acceleration carry it. Pairs are in the order in which their bodies were created,
/// because indices are given by chance. Pairs that hold (slide or stick) stay candidates whatever their bounds. Pairs
/// that a joint connects, and pairs without a dynamic body, are no candidates. Trees of boxes tell who may be near.
class ContactTable {
public:
    /// Says that bodies or joints were created or destroyed: `list` has to be called before the next `update`.
    void outdate() noexcept { is_list_outdated_ = true; }
    bool is_outdated() const noexcept { return is_list_outdated_; }

    /// Lists anew which bodies can touch; `joined` are the pairs that a joint connects. Returns true if pairs were
    /// dropped.
    bool list(const BodyTable& bodies, std::span<const std::array<BodyId, 2>> joined);

    /// Forgets the pairs of a body that is destroyed, and their memory.
    void forget(BodyId body) {
        std::erase_if(pairs_, [&](const ContactPair& pair) { return pair.a == body || pair.b == body; });
    }

    /// Finds the candidates of a step. Returns true if they connect other dynamic bodies than before.
    bool update(const BodyTable& bodies, const SweptStep& step);

    std::span<const ContactPair> pairs() const noexcept { return pairs_; }
    std::span<const ContactPoint> points(const ContactPair& pair) const noexcept {
        return std::span(points_).subspan(pair.first_point, pair.point_count);
    }
    std::span<ContactPoint> points(const ContactPair& pair) noexcept {
        return std::span(points_).subspan(pair.first_point, pair.point_count);
    }

    /// Takes over pairs and their points from a snapshot, in the same order.
    void set_pairs(const BodyTable& bodies, std::vector<ContactPair> pairs, std::vector<ContactPoint> points) {
        pairs_ = std::move(pairs);
        points_ = std::move(points);
        is_list_outdated_ = true; // joints may have been created since they were found
        rank_bodies(bodies);
    }

    /// Returns how many pairs it has room for.
    std::size_t room() const noexcept { return pairs_.capacity(); }

    /// Returns how many of the world's bodies were created before this one, for bodies in `pairs`.
    std::uint32_t rank(BodyId body) const noexcept { return rank_of_[body.index]; }
    PairKey key(const ContactPair& pair) const noexcept {
        return {end_of_pair(rank(pair.a), pair.collider_a), end_of_pair(rank(pair.b), pair.collider_b)};
    }

private:
    /// A bounded body and how far it can get.
    struct Bound : SweptBall {
        double speed = 0.0;
        double speed_after_hit = 0.0; ///< m/s, the most that a hit by one of the neighbours found can give it
        double by_force = 0.0;        ///< m, the part of its reach by accelerations
        BodyId id;
        bool is_dynamic = false;
    };

    void rank_bodies(const BodyTable& bodies);
    void bound_bodies(const BodyTable& bodies, const SweptStep& step) noexcept;
    void list_bounds();
    void build_tree(BoxTree& tree, std::span<const std::uint32_t> bounds);
    void search(const BodyTable& bodies);
    bool let_pairs_hit() noexcept;
    void meet_unbounded(const BodyTable& bodies, const SweptStep& step);
    void add_pair(BodyId a, BodyId b);
    bool comes_before(const ContactPair& x, const ContactPair& y) const noexcept { return key(x) < key(y); }
    void add_pairs_that_hold();
    bool take_found(const BodyTable& bodies);
    bool are_joined(BodyId a, BodyId b) const noexcept;

    std::vector<ContactPair> pairs_;
    std::vector<ContactPoint> points_; ///< of all pairs; those of pairs forgotten stay until the next update
    bool is_list_outdated_ = true;

    // Rebuilt when outdated, or each step.
    std::vector<BodyId> bounded_bodies_; ///< that collide
    std::vector<BodyId> unbounded_bodies_;
    std::vector<std::uint32_t> rank_of_;                                ///< by a body's index
    std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_pairs_; ///< indices of bodies, sorted
    std::vector<Bound> swept_bounds_;                                   ///< of bounded_bodies_
    std::vector<std::uint32_t> bound_of_;                               ///< by a body's index
    BoxTree dynamic_tree_;                                              ///< of swept_bounds_ that are dynamic
    BoxTree prescribed_tree_;
    std::vector<std::uint32_t> dynamic_bounds_; ///< which ones these are
    std::vector<std::uint32_t> prescribed_bounds_;
    std::vector<BoundingBox> boxes_; ///< scratch space
    std::vector<ContactPair> found_pairs_;
    std::vector<ContactPoint> found_points_;
};

/// Returns how many pairs to make room for: a bounded body is near everything without end, and near twelve others of
/// its size, as many balls as touch one at once. More pairs allocate.
inline std::size_t most_contacts(std::size_t bounded, std::size_t unbounded) noexcept {
    return bounded * (unbounded + 6);
}

} // namespace substep::detail
