// The broad phase: which bodies of a world could touch during a step, and which did although that was not expected.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bodies/body_step.h"
#include "bodies/body_store.h"
#include "pairs/box_tree.h"
#include "pairs/expected_way.h"
#include "pairs/lasting_pairs.h"
#include "pairs/moving_boxes.h"
#include "pairs/pair_key.h"
#include "pairs/touchable_bodies.h"
#include "substep/collision/bounds.h"

namespace substep::detail {

/// Finds pairs of colliders, anew for each step. A body is expected to go on with its velocity, and with the
/// acceleration of the last step or that of gravity, within a margin; two that come together on such ways, both margins
/// included, are found, with those of their colliders that could come so near. Nothing is guessed of what a hit makes
/// of a velocity: whoever left his margin is looked at when the step has been made (`find_missed`). Pairs that a joint
/// connects are none, nor are pairs without a dynamic body but for those of a trigger. Trees of boxes tell who may be
/// near; what is found does not depend on them.
class BroadPhase {
public:
    /// Lists anew which bodies can touch; `joined` are the pairs that a joint connects. Allocates.
    void list(const BodyTable& bodies, std::span<const BodyPair> joined);

    /// Whether any two bodies can meet.
    bool can_meet() const noexcept {
        return !touchable_.bounded().empty() && touchable_.bounded().size() + touchable_.unbounded().size() > 1;
    }
    const TouchableBodies& touchable() const noexcept { return touchable_; }

    /// Writes what is expected of each body to the step's paths, and appends the pairs that could touch to `found`,
    /// which is empty: each once. Returns how many of them come first in the order of their keys; the others are in no
    /// order to rely on. Pairs of two bodies that stand still (`stands_still`) are none of them: they are as before.
    /// Allocates to grow.
    std::size_t find(const BodyTable& bodies, const SweptStep& step, BodySteps& steps,
                     std::vector<ColliderPair>& found);
    /// Whether a body is asleep or static, and was so in the last search.
    bool stands_still(BodyId body) const noexcept {
        return body.index < stands_still_.size() && stands_still_[body.index] != 0;
    }
    /// Counts the searches in which others did than in the one before.
    std::uint64_t changes_of_still() const noexcept { return changes_of_still_; }

    /// Appends the pairs that came together in the step that `find` was called for last, of bodies one of which at
    /// least left its margin: pairs that were expected too. Allocates to grow.
    void find_missed(const BodyTable& bodies, const SweptStep& step, const BodySteps& steps,
                     std::vector<ColliderPair>& found);

    /// Appends the pairs that could touch if what a missed pair's speeds carry on went from body to body: each with the
    /// nearest of those within reach. So chains of hits are followed together, not one hit at a time.
    void spread(const BodyTable& bodies, const SweptStep& step, std::span<const StepPath> paths,
                std::span<const ColliderPair> missed, std::vector<ColliderPair>& found);

private:
    /// What holds a dynamic body, and how far it may be from where it is expected.
    struct Ball {
        double radius = 0.0; ///< m
        double margin = 0.0; ///< m
    };
    struct Reached {
        double reach = 0.0; ///< m, how far a hit can carry on from here
        BodyId body;
    };

    void look_at_bodies(const BodyTable& bodies, const SweptStep& step, BodySteps& steps);
    void size_balls(const BodyTable& bodies, const SweptStep& step);
    void expect(const BodyRecord& body, BodyId id, const SweptStep& step, StepPath& path) const noexcept;
    void build_still_tree(const BodyTable& bodies, const SweptStep& step, std::span<StepPath> paths);
    void meet_unbounded(const BodyTable& bodies, const SweptStep& step, std::span<const StepPath> paths,
                        std::span<const BodyId> movers, bool as_expected, std::vector<ColliderPair>& found) const;
    template <class Visit>
    void visit_near(const BoundingBox& box, std::span<const StepPath> paths, double t1, const Visit& visit) const;

    // Rebuilt by `list`.
    TouchableBodies touchable_;
    bool is_new_ = true;      ///< no search has followed
    std::vector<Ball> balls_; ///< of dynamic bounded bodies by their index, sized by the search that follows

    // Rebuilt by each search; of what stands still only where other bodies do.
    std::vector<BodyId> moving_bodies_; ///< of the bounded ones
    std::vector<StartOfWay> starts_;    ///< of their expected ways
    std::vector<EndOfWay> ends_;        ///< of these
    std::vector<Nearby> still_colliders_;
    std::vector<std::uint8_t> stands_still_; ///< by the index of a body
    std::uint64_t changes_of_still_ = 0;
    MovingBoxes moving_boxes_;   ///< where they are expected
    LastingPairs lasting_pairs_; ///< of its pairs
    BoxTree still_tree_;
    BoxTree astray_tree_;          ///< of astray_, where they were
    std::vector<BodyId> astray_;   ///< dynamic bodies that left their margin
    std::vector<Reached> reached_; ///< scratch space, like the following ones
    std::vector<double> best_reach_;
    std::vector<std::pair<double, Nearby>> near_;
    std::vector<BoundingBox> boxes_;
};

} // namespace substep::detail
