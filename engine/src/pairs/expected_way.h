// Where bodies are expected to go in a step.
#pragma once

#include <cstdint>

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "bodies/body_step.h"
#include "bodies/body_store.h"
#include "substep/collision/bounds.h"
#include "substep/engine/pair_rule.h"

namespace substep::detail {

/// The inputs of the candidates of a step, besides the bodies.
struct SweptStep {
    double t0 = 0.0;                ///< s, where it begins
    double t1 = 0.0;                ///< s, where it ends
    double last = 0.0;              ///< s, length of the step before; 0: there was none
    glm::dvec3 gravity{0.0};        ///< m/s^2
    double length = 1.0;            ///< m, of the world
    const PairRule* rule = nullptr; ///< of the host; null: none
};

/// Where a ball is as a step begins, with its margin: of that which all neighbours in a heap are told by, no more than
/// has to be looked at for each of them.
struct StartOfWay {
    glm::dvec3 from{0.0};
    double reach = 0.0;    ///< m, of the ball and its margin
    double farthest = 0.0; ///< m, reach of a ball about `from` that it does not leave in the step
};

/// Where it is expected as the step ends: what those pairs are told by, with their starts, that starts leave open.
struct EndOfWay {
    glm::dvec3 to{0.0};
    glm::dvec3 acceleration{0.0}; ///< m/s^2
    double reach = 0.0;           ///< m, of a box about both ends: with its margin, and what it leaves its chord by
};

/// The way of a ball that is expected in a step: both ends.
struct ExpectedWay {
    StartOfWay start;
    EndOfWay end;

    ExpectedWay(const StepPath& path, const SweptStep& step) noexcept {
        start.from = path.place_on(0, step.t0);
        start.reach = path.radius() + path.margin();
        end.to = path.place_on(0, step.t1);
        end.acceleration = path.acceleration();
        end.reach = start.reach + path.sag(step.t1 - step.t0);
        start.farthest = end.reach + glm::length(end.to - start.from);
    }
};

/// That holds it until the step ends.
inline BoundingBox box_of(const StartOfWay& start, const EndOfWay& end) noexcept {
    return {glm::min(start.from, end.to) - glm::dvec3(end.reach), glm::max(start.from, end.to) + glm::dvec3(end.reach)};
}

/// What two balls are told by where they are as a step begins, by more than rounding may make of it: nearly all pairs
/// of bodies that hardly move.
enum class ToldAtStart : std::uint8_t {
    Meet,  ///< they overlap: then `may_meet`
    Part,  ///< neither gets so far: then not
    Either ///< their ways tell
};
inline ToldAtStart told_at_start(const StartOfWay& a, const StartOfWay& b) noexcept {
    constexpr double kRounding = 1e-6;
    const glm::dvec3 apart = a.from - b.from;
    const double squared = glm::dot(apart, apart);
    const double farthest = a.farthest + b.farthest;
    if (squared > (1.0 + kRounding) * (farthest * farthest) && farthest > 0.0) {
        return ToldAtStart::Part;
    }
    const double reach = a.reach + b.reach;
    return squared <= (1.0 - kRounding) * (reach * reach) && reach > 0.0 ? ToldAtStart::Meet : ToldAtStart::Either;
}

/// `may_meet` of both paths, in a step of length dt (s).
inline bool may_meet(const StartOfWay& start_a, const EndOfWay& end_a, const StartOfWay& start_b, const EndOfWay& end_b,
                     double dt) noexcept {
    if (!overlap(box_of(start_a, end_a), box_of(start_b, end_b))) {
        return false;
    }
    const glm::dvec3 apart = start_a.from - start_b.from;
    const double reach = start_a.reach + start_b.reach;
    return (reach > 0.0 && glm::dot(apart, apart) <= reach * reach) ||
           may_reach_origin(apart, end_a.to - end_b.to, end_a.acceleration - end_b.acceleration, dt, reach);
}

/// The acceleration that a dynamic body is expected to go on with: that of the last step, so that what rests or rolls
/// is expected to. Where that was far from what gravity and the step's own force give, a hit or a field may have been
/// at work, of which nothing is known.
glm::dvec3 expected_acceleration(const BodyRecord& body, const SweptStep& step) noexcept;

/// Writes the way of a body whose motion is prescribed.
void expect_prescribed(const BodyRecord& body, const SweptStep& step, StepPath& path) noexcept;

/// What the ball on a body's path is about, in the body's frame: what may turn is held by one about the centre of mass.
glm::dvec3 middle_of_path(const BodyRecord& body) noexcept;

/// By how much (m) a collider reaches less far than the ball of its body. The only one of a body is not measured again.
double falls_short_by(const BodyRecord& body, const ColliderDesc& collider, const StepPath& path) noexcept;

} // namespace substep::detail
