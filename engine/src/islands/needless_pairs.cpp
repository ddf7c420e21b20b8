// Whether what was missed in a step of a pile would have made a difference to it.
#include "islands/pile_boxes.h"

#include <algorithm>
#include <array>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "substep/collision/narrow_phase.h"

namespace substep::detail {
namespace {

// Part of its thickness by which a body may move in a step: half of it, from which on early stops look at it, less what
// hits may change within the step.
constexpr double kSlowPart = 0.4;

// Part of both thicknesses: what moves so far in a step, turning included, has not been through.
constexpr double kThroughPart = 0.7;

// How deep a pair may have got that was not held in a step: as far as what lies in a pile sinks, and no more than this
// part of where it is thinner. The next step finds it there, and lets it go no farther.
constexpr double kLateOverlap = 0.5 * kDeepestOfPile;
constexpr double kLatePart = 0.01;

// A body may have gone so much farther than its velocities at both ends of a step tell, from hit to hit.
constexpr double kFartherByHits = 1.25;

} // namespace

// Bodies are where the step has brought them, and their boxes where it began. What was stopped early moved less than it
// would have: its velocity tells.
bool PileBoxes::is_slow(const Model& model, BodyId id) const noexcept {
    const BodyRecord& body = model.bodies[id];
    if (!body.is_dynamic()) {
        return true;
    }
    const BodyState& begin = model.steps.starts[id.index].now;
    const double dt = model.time.next() - model.time.now();
    const double way =
        std::max({glm::length(body.now.x - begin.x), dt * glm::length(body.now.v), dt * glm::length(begin.v)});
    return is_shape_known(model, id) && way < kSlowPart * shapes_[id.index].thickness;
}

// How far bodies went to one another. What was stopped early went less far than it would have: its velocities tell.
PileBoxes::Passing PileBoxes::passing(const Model& model, const ContactPair& pair) const noexcept {
    const double dt = model.time.next() - model.time.now();
    Passing passing;
    glm::dvec3 way(0.0);
    glm::dvec3 at_begin(0.0); // m/s
    glm::dvec3 at_end(0.0);
    for (const BodyId id : {pair.a, pair.b}) {
        const BodyRecord& body = model.bodies[id];
        if (body.is_dynamic()) {
            const BodyState& begin = model.steps.starts[id.index].now;
            const double sign = id == pair.a ? 1.0 : -1.0;
            way += sign * (body.now.x - begin.x);
            at_begin += sign * begin.v;
            at_end += sign * body.now.v;
            const auto rate = [&](const BodyState& state) {
                return glm::length(angular_velocity(state.q, body.inertia.inverse_moments, state.L));
            };
            passing.turned += dt * shapes_[id.index].carried.arm() * std::max(rate(begin), rate(body.now));
        } else if (body.edited || body.prescribed().moves()) {
            passing.is_known = false;
        }
    }
    passing.straight = std::max({glm::length(way), dt * glm::length(at_begin), dt * glm::length(at_end)});
    return passing;
}

// Where the step began, and where it has brought them.
std::array<double, 2> PileBoxes::gaps_of(const Model& model, const ContactPair& pair) const noexcept {
    const double t[2] = {model.time.now(), model.time.next()};
    std::array<double, 2> gaps{};
    for (std::size_t k = 0; k < 2; ++k) {
        const auto placed = [&](BodyId id) {
            const BodyRecord& body = model.bodies[id];
            const CarriedSolid& carried = shapes_[id.index].carried;
            if (body.is_dynamic()) {
                const BodyState& state = k == 0 ? model.steps.starts[id.index].now : body.now;
                return carried.placed({state.x, rotation_matrix(state.q)});
            }
            return carried.placed({position_of(body, t[k]), rotation_matrix(orientation_of(body, t[k]))});
        };
        gaps[k] = distance(shapes_[pair.a.index].carried.solid, placed(pair.a), shapes_[pair.b.index].carried.solid,
                           placed(pair.b))
                      .distance;
    }
    return gaps;
}

// Two that fall together are fast, but not to one another. Who ended apart was at most cut by a corner where one went
// past the other by less than takes it through; and not touched at all where both went less far than they were apart
// before and behind: no part of one gets nearer to the other, and away from it, on so short a way.
bool PileBoxes::passed_by(const Model& model, const ContactPair& pair) const noexcept {
    const Passing went = passing(model, pair);
    if (!went.is_known) {
        return false;
    }
    const Shape& a = shapes_[pair.a.index];
    const Shape& b = shapes_[pair.b.index];
    const auto [before, behind] = gaps_of(model, pair);
    const double both = a.thickness + b.thickness;
    const bool is_slow = went.straight < kSlowPart * both && went.straight + went.turned < kThroughPart * both;
    const double late = std::min(kLateOverlap * model.settings.length, kLatePart * std::min(a.thickness, b.thickness));
    return (is_slow && behind >= -late) || before + behind > kFartherByHits * (went.straight + went.turned);
}

// Bodies that were quiet have no boxes of the step.
bool PileBoxes::was_needless(const Model& model, const ContactPair& pair) {
    know(model.bodies);
    const auto has_box = [&](BodyId id) {
        return model.bodies[id].is_dynamic() ? boxes_[id.index].step == step_ : box_of(model, id).is_known;
    };
    const bool have_boxes = has_box(pair.a) && has_box(pair.b);
    if (have_boxes && is_slow(model, pair.a) && is_slow(model, pair.b) && are_far(model, pair)) {
        return true;
    }
    return is_shape_known(model, pair.a) && is_shape_known(model, pair.b) && passed_by(model, pair);
}

} // namespace substep::detail
