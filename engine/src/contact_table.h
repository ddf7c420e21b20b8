// Which bodies of a world could touch during the next step, and what each pair remembers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <glm/vec3.hpp>

#include "body_store.h"
#include "contact_memory.h"

namespace substep::detail {

/// A pair of bodies, the one that was created first first.
struct ContactRecord {
    BodyId a;
    BodyId b;
    ContactMemory memory;
};

/// What the candidates of a step depend on, besides the bodies.
struct SweptStep {
    double t0 = 0.0;         ///< s, where it begins
    double t1 = 0.0;         ///< s, where it ends
    double last = 0.0;       ///< s, length of the step before; 0: there was none
    glm::dvec3 gravity{0.0}; ///< m/s^2
};

/// Candidate pairs in the order in which their bodies were created (which indices are given to them is chance), found
/// anew each step from bounds swept over it: a body reaches as far as its speed and twice its last acceleration carry
/// it. Pairs that hold (slide or stick) stay candidates whatever their bounds. Pairs that a joint connects, and pairs
/// without a dynamic body, are none.
class ContactTable {
public:
    /// Says that bodies or joints were created or destroyed: `list` has to be called before the next `update`.
    void outdate() noexcept { outdated_ = true; }
    bool is_outdated() const noexcept { return outdated_; }

    /// Lists anew which bodies can touch; `joined` are the pairs that a joint connects. Returns true if pairs are none
    /// any more that were.
    bool list(const BodyTable& bodies, std::span<const std::array<BodyId, 2>> joined);

    /// Forgets what pairs with a body remember: it is no more.
    void forget(BodyId body) {
        std::erase_if(records_, [&](const ContactRecord& record) { return record.a == body || record.b == body; });
    }

    /// Finds the candidates of a step. Returns true if other dynamic bodies are coupled than before.
    bool update(const BodyTable& bodies, const SweptStep& step);

    std::span<ContactRecord> records() noexcept { return records_; }
    std::span<const ContactRecord> records() const noexcept { return records_; }

    /// Takes over records from a snapshot, in the same order.
    void set_records(const BodyTable& bodies, std::vector<ContactRecord> records) {
        records_ = std::move(records);
        outdated_ = true; // joints may have come between since they were found
        rank_bodies(bodies);
    }

    /// Returns how many pairs it has room for.
    std::size_t room() const noexcept { return records_.capacity(); }

    /// Returns how many of the world's bodies were created before this one. Known of those in `records`.
    std::uint32_t rank(BodyId body) const noexcept { return rank_[body.index]; }

private:
    /// A sphere and how far it can get.
    struct Bound {
        glm::dvec3 centre{0.0};
        double radius = 0.0;
        double speed = 0.0;
        double by_force = 0.0; ///< m, what accelerations add
        double reach = 0.0;    ///< m, all together
        BodyId id;
        bool is_dynamic = false;
    };

    void rank_bodies(const BodyTable& bodies);
    void bound_spheres(const BodyTable& bodies, const SweptStep& step) noexcept;
    void sweep();
    void meet_planes(const BodyTable& bodies, const SweptStep& step);
    void add_pair(BodyId a, BodyId b);
    bool comes_before(const ContactRecord& x, const ContactRecord& y) const noexcept;
    bool are_joined(BodyId a, BodyId b) const noexcept;

    std::vector<ContactRecord> records_;
    bool outdated_ = true;

    // Rebuilt when outdated, or each step.
    std::vector<BodyId> spheres_;
    std::vector<BodyId> planes_;
    std::vector<std::uint32_t> rank_;                             ///< by a body's index
    std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_; ///< indices of bodies, sorted
    std::vector<Bound> bounds_;                                   ///< of the spheres
    std::vector<std::uint32_t> bound_of_;                         ///< by a body's index
    std::vector<std::uint32_t> order_;                            ///< of bounds_, along x
    std::vector<ContactRecord> found_;
};

/// Returns how many pairs of spheres and planes to make room for: a sphere near every plane, and near twelve others of
/// its size, as many as touch it at once. Where there are more memory grows.
inline std::size_t most_contacts(std::size_t spheres, std::size_t planes) noexcept { return spheres * (planes + 6); }

} // namespace substep::detail
