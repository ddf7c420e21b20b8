// Which colliders of a world a ray may meet or a box may overlap.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include "bodies/body_store.h"
#include "pairs/box_tree.h"
#include "substep/collision/ray_cast.h"
#include "substep/engine/body.h"

namespace substep::detail {

/// A tree of the boxes of all colliders that queries see, where they are between two steps. It is made when somebody
/// asks, so that nobody pays for it who does not. Of what it finds the colliders themselves are asked, where they are
/// now: no result depends on the tree, and none is in a snapshot.
///
/// The tree of the broad phase is no help: its boxes are those of bodies along their way of the last step, which edits
/// leave behind, and it has nobody who touches nobody.
class QueryTree {
public:
    /// A collider, by its place among those of its body.
    struct Part {
        BodyId body;
        std::uint32_t place = 0;
    };

    /// Says that there are other bodies or colliders, or that a centre of mass is elsewhere in its body.
    void outdate() noexcept { stays(State::Outdated); }
    /// Says that any body may be elsewhere.
    void all_moved() noexcept { stays(State::Moved); }
    /// Says that one body was put elsewhere. A few of them are asked one by one, so that who moves one and asks, again
    /// and again, does not pay for all.
    void moved(BodyId body) noexcept;

    /// Makes the tree hold for bodies as they are at time `now` (s). Several threads may call it at once while nobody
    /// edits. Allocates to grow.
    void refresh(const BodyTable& bodies, double now);

    /// In the order in which bodies were created and got their colliders; triggers are none of them.
    const Part& part(std::uint32_t number) const noexcept { return parts_[number]; }

    /// Calls `found` with the number of each part that a ray of unit direction may meet, in no order to rely on. It
    /// returns how much of the ray (m) is still of interest; below zero ends the search.
    template <class Found>
    void find_along(const Ray& ray, const Found& found) const {
        double length = ray.length;
        const auto meet = [&](std::uint32_t number) { return length = found(number); };
        each_beside([&](std::uint32_t number) {
            meet(number);
            return length >= 0.0;
        });
        if (length >= 0.0 && tree_.size() > 0) {
            const SlabRay slabs(ray.origin, ray.direction, slack_from(ray.origin));
            tree_.find_along(slabs, length, [&](std::uint32_t box) {
                return is_beside(in_tree_[box]) ? length : meet(in_tree_[box]);
            });
        }
    }

    /// A box for `find` that finds all.
    static constexpr double kFar = std::numeric_limits<double>::infinity();
    static constexpr BoundingBox kEverywhere{glm::dvec3(-kFar), glm::dvec3(kFar)};

    /// The box about a shape that has an end, a little larger than rounding could make it.
    static BoundingBox box_of(const Shape& shape, const Pose& pose) noexcept;

    /// Calls `found` with the number of each part that a box may overlap, in no order to rely on.
    template <class Found>
    void find(const BoundingBox& box, const Found& found) const {
        each_beside([&](std::uint32_t number) {
            found(number);
            return true;
        });
        tree_.find(box, [&](std::uint32_t other) {
            if (!is_beside(in_tree_[other])) {
                found(in_tree_[other]);
            }
        });
    }

private:
    enum class State : std::uint8_t {
        Outdated, ///< other colliders than the tree has
        Moved,    ///< the same, elsewhere
        Current
    };
    /// A body with parts in the tree, and where it was when their boxes were made.
    struct Carrier {
        BodyId body;
        std::uint32_t last_box = 0; ///< behind those of its parts; they begin with the last one's of the body before
        glm::dvec3 x{0.0};          ///< m, of its centre of mass
        glm::dquat q = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< of its principal axes
        glm::dvec3 x_seen{0.0};                                ///< where it was when the tree was made
        glm::dquat q_seen = detail::quaternion(1.0, 0.0, 0.0, 0.0);
    };
    /// The box of a part as it was made, and how far (m) its corners are from the centre of mass at most.
    struct TightBox {
        BoundingBox box;
        double reach = 0.0;
    };

    /// So many bodies are asked one by one before the tree is made to hold again: that takes as long as asking them a
    /// hundred times or so.
    static constexpr std::size_t kMostMoved = 32;

    void stays(State at_most) noexcept {
        state_.store(std::min(at_most, state_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
    }
    void build(const BodyTable& bodies, double now);
    bool follow(const BodyTable& bodies, double now);
    bool renew_boxes(const BodyRecord& body, std::uint32_t first, Carrier& carrier) noexcept;
    void forget_moved() noexcept;
    double slack_from(const glm::dvec3& point) const noexcept;
    bool is_beside(std::uint32_t number) const noexcept { return is_moved_[parts_[number].body.index] != 0; }

    // Calls `visit` with the parts that the tree does not tell of, as long as it returns true.
    template <class Visit>
    void each_beside(const Visit& visit) const {
        for (const std::uint32_t number : endless_) {
            if (!is_beside(number) && !visit(number)) {
                return;
            }
        }
        for (std::size_t i = 0; i < moved_count_; ++i) {
            const std::uint32_t body = moved_[i];
            for (std::uint32_t k = first_part_[body]; k < parts_.size() && parts_[k].body.index == body; ++k) {
                if (!visit(k)) {
                    return;
                }
            }
        }
    }

    std::vector<Part> parts_;
    std::vector<std::uint32_t> in_tree_;    ///< numbers of parts, by the number of their box
    std::vector<std::uint32_t> endless_;    ///< numbers of those without end
    std::vector<std::uint32_t> first_part_; ///< number, by the index of a body
    std::vector<Carrier> carriers_;
    std::vector<TightBox> tight_boxes_; ///< by the number of a box
    std::vector<BoundingBox> boxes_;    ///< these, where they are
    BoxTree tree_;
    bool any_nowhere_ = false;                      ///< a body had no pose when the tree was made
    std::vector<std::uint8_t> is_moved_;            ///< since the tree was made, by the index of a body
    std::array<std::uint32_t, kMostMoved> moved_{}; ///< indices of these bodies
    std::size_t moved_count_ = 0;
    std::mutex making_;
    std::atomic<State> state_ = State::Outdated;
};

} // namespace substep::detail
