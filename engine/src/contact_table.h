// Which bodies of a world could touch during the next step, and what each pair remembers.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "body_store.h"
#include "substep/engine/joint.h"
#include "unilateral.h"

namespace substep::detail {

struct Model;

/// A pair of bodies, the one that was created first first.
struct ContactRecord {
    BodyId a;
    BodyId b;
    ContactMemory memory;
};

/// Candidate pairs in the order in which their bodies were created (which indices are given to them is chance), found
/// anew each step from bounds swept over it: a body reaches as far as its speed and twice its last acceleration carry
/// it. Pairs that hold (slide or stick) stay candidates whatever their bounds. Pairs that a joint connects, and pairs
/// without a dynamic body, are none.
class ContactTable {
public:
    /// Says that bodies or joints were created or destroyed.
    void outdate() noexcept { outdated_ = true; }

    /// Forgets what pairs with a body remember: it is no more.
    void forget(BodyId body) {
        std::erase_if(records_, [&](const ContactRecord& record) { return record.a == body || record.b == body; });
    }

    /// Finds the candidates of the step from t0 to t1. Returns true if other dynamic bodies are coupled than before.
    bool update(const Model& model, double t0, double t1);

    std::span<ContactRecord> records() noexcept { return records_; }
    std::span<const ContactRecord> records() const noexcept { return records_; }

    /// Takes over records from a snapshot, in the same order.
    void set_records(const Model& model, std::vector<ContactRecord> records) {
        records_ = std::move(records);
        outdated_ = true; // joints may have come between since they were found
        rank_bodies(model);
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

    void rank_bodies(const Model& model);
    bool list_bodies(const Model& model);
    void bound_spheres(const Model& model, double t0, double dt) noexcept;
    void sweep();
    void meet_planes(const Model& model, double t0, double dt);
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

/// Makes a body's end of a contact; `number` is that of a dynamic body in its island.
ContactEnd make_contact_end(const BodyRecord& body, int number, const PrescribedMotion& motion) noexcept;

} // namespace substep::detail
