// Which solids of a pile hold one another through an interval, and where.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bodies/rigid_motion.h"
#include "soft_steps/pile.h"

namespace substep::detail {

class ThreadTeam;

/// A body where an interval begins.
struct PlacedBody {
    Placement at;
    Twist velocity;
    double speed = 0.0;        ///< m/s, at most through the interval, by what acts on it
    double rate = 0.0;         ///< rad/s
    glm::dvec3 half_turn{0.0}; ///< rad, of a prescribed body until the middle of the interval
};

/// A pair whose solids are near, or meet within the interval.
struct FoundManifold {
    std::uint32_t pair = 0;
    std::array<std::uint32_t, 2> body{};
    std::uint32_t count = 0;    ///< of points, 1 to 4
    std::int32_t expected = -1; ///< number of its ExpectedImpact; -1: the pair's memory has the points
    std::uint32_t fresh = 0;    ///< a bit for each of these points that no memory knew
    bool is_central = false;    ///< its normal goes through the centres of both bodies (`is_held_centrally`)
    bool pressed = false;       ///< it is remembered to have pressed
    bool is_laden = false;      ///< with many times what one of its bodies weighs
};

/// Points in the world, relative to the bodies' centres.
struct PlacedManifold {
    struct Point {
        glm::dvec3 arm{0.0}; ///< m, from the first body's centre, midway between both surfaces
        double gap = 0.0;    ///< m, where the interval begins
    };
    glm::dvec3 normal{0.0};
    glm::dvec3 between{0.0}; ///< m, from the second body's centre to the first one's
    /// m/s, of the first surface past the first body, less that of the second: where something that turns as prescribed
    /// carries, its points go as they go in the middle of the interval, not where it begins. Else all that stands on a
    /// turntable would leave it along tangents.
    glm::dvec3 surface_velocity{0.0};
    std::array<Point, Manifold::kMaxPoints> points{};
};

/// What was counted on the way.
struct ContactSetCost {
    int full_tests = 0;
    int fresh = 0; ///< points that no memory knew
    std::int64_t work = 0;
};

/// Finds the manifolds of a pile. A result of the narrow phase holds until the bodies have moved to one another by more
/// than a little since: points that came and went with every rounding would never let a pile rest.
class ContactSet {
public:
    /// Looks at all pairs, those of a team at once; memory then knows their points, those that it knew with their
    /// forces.
    void find(const PileStep& step, const Pile& pile, std::span<const PlacedBody> bodies, ThreadTeam* team = nullptr);

    /// Adds those of the other pairs that meet within the interval as the bodies move now: others may have been hit.
    /// Returns whether there are any. Manifolds stay in the order of pairs.
    bool find_more(const PileStep& step, const Pile& pile, std::span<const PlacedBody> bodies);

    std::span<const FoundManifold> manifolds() const noexcept { return manifolds_; }
    const ContactSetCost& cost() const noexcept { return cost_; }

    /// Where the points of a manifold are.
    void place(const FoundManifold& manifold, const Pile& pile, std::span<const PlacedBody> bodies,
               PlacedManifold& placed) const noexcept;

private:
    /// What a look at a pair by itself found.
    struct Looked {
        double apart = -1.0;     ///< m, at least, where there are no points
        std::uint32_t fresh = 0; ///< as FoundManifold::fresh
        bool is_manifold = false;
        bool had_points = false;
        bool was_tested = false; ///< now
        bool counts = false;     ///< as a test, for the work
    };
    void add_manifold(const Pile& pile, std::span<const PlacedBody> bodies, const FoundManifold& found);
    void look(const PileStep& step, const Pile& pile, std::span<const PlacedBody> bodies, std::size_t first,
              std::size_t last) noexcept;
    bool find_expected(const PileStep& step, const Pile& pile, std::span<const PlacedBody> bodies, std::uint32_t pair,
                       double apart, bool is_pushed);

    std::vector<Looked> looked_;
    std::vector<FoundManifold> manifolds_;
    std::vector<PlacedManifold> expected_;
    std::vector<double>
        apart_; ///< m, by the number of a pair: at least, where the interval begins; negative: it is held
    ContactSetCost cost_;
};

} // namespace substep::detail
