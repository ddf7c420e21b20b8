// What a host says about two colliders that begin to meet: whether they touch at all, and how.
#pragma once

#include <array>
#include <optional>

#include "substep/collision/glm_types.h"
#include "substep/engine/body.h"
#include "substep/engine/material.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Two colliders that could touch during the next step, as a rule is asked about them: the body that was created first
/// comes first.
struct MeetingPair {
    /// One of them, where a step begins.
    struct End {
        ColliderId collider;
        Pose pose{};                      ///< of the body's origin
        glm::dvec3 linear_velocity{0.0};  ///< m/s, of the centre of mass
        glm::dvec3 angular_velocity{0.0}; ///< rad/s, world axes
    };
    double t = 0.0; ///< s, that of the world where the step begins
    std::array<End, 2> ends;
    SurfacePair surface; ///< what their materials make together
};

/// What becomes of two colliders.
struct PairAnswer {
    bool touch = true; ///< else they pass through one another
    /// Instead of what their materials make together: frictions 0 or more and finite, the static one not below the
    /// other; a restitution from 0 to 1; resistances 0 or more and finite.
    std::optional<SurfacePair> surface{};
};

/// Decides about pairs as they begin: one-way platforms, ice to some and not to others. It is asked when two colliders
/// come near that filters let touch, of which neither is a trigger, before they touch. What it answers holds as long as
/// they stay near: through all touches that follow, snapshots and restores. Only who was refused is asked about again,
/// at each step that begins with them apart: so a platform that lets through what comes from below holds what comes
/// back.
///
/// Immutable, and a pure function of what it is given: it may be asked at any time, also about who then does not touch,
/// and about a step that is made again. It is asked on the thread that calls World::advance. What it throws, and a
/// surface out of range, ends no step: the pair touches as its materials say, the report says StepStatus::ModelThrew
/// and what was thrown, and the next step asks again.
class PairRule {
public:
    virtual ~PairRule() = default;
    virtual PairAnswer answer(const MeetingPair& pair) const = 0;
};

} // namespace substep

#pragma GCC visibility pop
