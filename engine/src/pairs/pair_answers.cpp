// Asking a host's rule about a pair.
#include "pairs/pair_answers.h"

#include <optional>

#include <glm/gtc/quaternion.hpp>

#include "bodies/host_call.h"
#include "bodies/validation.h"
#include "pairs/swept_reach.h"
#include "substep/collision/convex.h"
#include "substep/collision/narrow_phase.h"

namespace substep::detail {
namespace {

// Of a step that has been made, dynamic bodies are asked about where it began.
MeetingPair::End end_of(const BodyRecord& body, const ColliderId& collider, double t, bool is_step_made) noexcept {
    glm::dvec3 x = position_of(body, t);
    glm::dquat q = orientation_of(body, t);
    Twist velocity = velocity_of(body, t);
    if (is_step_made && body.is_dynamic()) {
        const BodyState& begin = body.step_begin;
        x = begin.x;
        q = normalised(begin.q);
        velocity = {begin.v, angular_velocity(q, body.inertia.inverse_moments, begin.L)};
    }
    return {collider, pose_at(body, x, q), velocity.linear, velocity.angular};
}

} // namespace

void require_surface(const SurfacePair& surface) {
    Material material;
    material.friction = surface.friction;
    material.static_friction = surface.static_friction;
    material.restitution = surface.restitution;
    material.rolling_resistance = surface.rolling_resistance;
    material.spinning_resistance = surface.spinning_resistance;
    require_material(material);
}

bool PairAnswers::overlap(const BodyTable& bodies, const ColliderPair& pair, double t) noexcept {
    const BodyRecord& body_a = bodies[pair.a];
    const BodyRecord& body_b = bodies[pair.b];
    const ColliderDesc& a = body_a.colliders[pair.collider_a];
    const ColliderDesc& b = body_b.colliders[pair.collider_b];
    const auto placement = [&](const BodyRecord& body, const ColliderDesc& collider, const ShapeSolid& solid) {
        const Pose pose = still_pose(body, collider, t);
        return Placement{pose.position, glm::mat3_cast(pose.orientation) * solid.rotation};
    };
    const ShapeSolid first = solid_of(a.shape);
    const ShapeSolid second = solid_of(b.shape);
    return distance(first.solid, placement(body_a, a, first), second.solid, placement(body_b, b, second)).distance <=
           0.0;
}

// Returns whether they touch, and inserts the answer; none where there was none.
bool PairAnswers::ask(const PairRule& rule, const BodyTable& bodies, const ColliderPair& pair, double t,
                      std::vector<DecidedPair>::iterator place, std::vector<DecidedPair>& decided, bool is_step_made) {
    const BodyRecord& body_a = bodies[pair.a];
    const BodyRecord& body_b = bodies[pair.b];
    MeetingPair meeting;
    meeting.t = t;
    meeting.ends = {end_of(body_a, {pair.a, pair.collider_a}, t, is_step_made),
                    end_of(body_b, {pair.b, pair.collider_b}, t, is_step_made)};
    meeting.surface = combine(body_a.colliders[pair.collider_a].material, body_b.colliders[pair.collider_b].material);
    const std::optional<PairAnswer> answer = call_host(
        [&] {
            const PairAnswer given = rule.answer(meeting);
            if (given.touch && given.surface) {
                require_surface(*given.surface);
            }
            return std::optional(given);
        },
        [] { return std::optional<PairAnswer>(); });
    if (!answer) {
        return true;
    }
    decided.insert(place, DecidedPair{pair, *answer});
    return answer->touch;
}

} // namespace substep::detail
