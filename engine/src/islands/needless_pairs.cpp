// Whether what was missed in a step of a pile would have made a difference to it.
#include "islands/pile_boxes.h"

#include <algorithm>
#include <array>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "soft_steps/impact_times.h"
#include "substep/collision/narrow_phase.h"

namespace substep::detail {
namespace {

// Part of both thicknesses by which two may go past one another to be slow.
constexpr double kSlowPart = 0.4;

// Part of both thicknesses: what moves so far in a step, turning included, has not been through.
constexpr double kThroughPart = 0.7;

// How deep a pair may have got that was not held in a step: as far as what lies in a pile sinks, and no more than this
// part of where it is thinner. The next step finds it there, and lets it go no farther.
constexpr double kLateOverlap = 0.5 * kDeepestOfPile;
constexpr double kLatePart = 0.01;

} // namespace

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
        }
    }
    passing.straight = std::max({glm::length(way), dt * glm::length(at_begin), dt * glm::length(at_end)});
    return passing;
}

// Where the step has brought them.
double PileBoxes::gap_behind(const Model& model, const ContactPair& pair) const noexcept {
    const auto placed = [&](BodyId id) {
        const BodyRecord& body = model.bodies[id];
        const CarriedSolid& carried = shapes_[id.index].carried;
        if (body.is_dynamic()) {
            return carried.placed({body.now.x, rotation_matrix(body.now.q)});
        }
        const double t = model.time.next();
        return carried.placed({position_of(body, t), rotation_matrix(orientation_of(body, t))});
    };
    return distance(shapes_[pair.a.index].carried.solid, placed(pair.a), shapes_[pair.b.index].carried.solid,
                    placed(pair.b))
        .distance;
}

// A body where the step began, as a contact set expects it to go on but for what fields push with, and along the way
// that it went.
PileBoxes::Ways PileBoxes::ways_of(const Model& model, BodyId id) const noexcept {
    const BodyRecord& body = model.bodies[id];
    const double t = model.time.now();
    const double dt = model.time.next() - t;
    Ways ways;
    ways.expected.carried = &shapes_[id.index].carried;
    if (!body.is_dynamic()) { // it does not move
        ways.expected.body = {position_of(body, t), rotation_matrix(orientation_of(body, t))};
        ways.gone = ways.expected;
        return ways;
    }
    const StepStart& start = model.steps.starts[id.index];
    const BodyState& begin = start.now;
    ways.expected.body = {begin.x, rotation_matrix(begin.q)};
    ways.gone = ways.expected;
    const glm::dvec3 acceleration =
        body.gravity_factor * model.settings.gravity + body.inertia.inverse_mass * start.wrench.force;
    ways.expected.velocity = {begin.v + dt * acceleration,
                              angular_velocity(begin.q, body.inertia.inverse_moments, begin.L)};
    ways.gone.velocity = way_between(ways.gone.body, body.now.x, body.now.q);
    return ways;
}

// A step holds two that are near, or would meet on the ways on which they begin (`ContactSet`), and stops who gets deep
// into the other on the way that it goes (`EarlyStops`). With all others it does nothing. What is said follows from the
// bodies' states alone: boxes are not known of all.
bool PileBoxes::does_nothing_with(const Model& model, const ContactPair& pair) const noexcept {
    const Ways a = ways_of(model, pair.a);
    const Ways b = ways_of(model, pair.b);
    const double thinner = std::min(shapes_[pair.a.index].thickness, shapes_[pair.b.index].thickness);
    const double length = length_of_pair(model.settings.length, thinner);
    const double within = kMetWithin * length;
    const double dt = model.time.next() - model.time.now();
    const std::array<MovingSolid, 2> expected{a.expected, b.expected};
    int looks = 0;
    if (meeting_time(expected, 0.0, kFarPair * length, within, looks) >= 0.0 ||
        meeting_time(expected, dt, 0.0, within, looks) >= 0.0) {
        return false;
    }
    const double way = glm::length(a.gone.velocity.linear - b.gone.velocity.linear) +
                       glm::length(a.gone.velocity.angular) * a.gone.carried->arm() +
                       glm::length(b.gone.velocity.angular) * b.gone.carried->arm();
    return way <= kPassedPart * thinner || // they were apart before
           !get_too_deep({a.gone, b.gone}, kMetWithin * model.settings.length, looks);
}

// Who ended apart was at most cut by a corner where one went past the other by less than takes it through.
bool PileBoxes::ended_apart(const Model& model, const ContactPair& pair) const noexcept {
    const Passing went = passing(model, pair);
    const Shape& a = shapes_[pair.a.index];
    const Shape& b = shapes_[pair.b.index];
    const double both = a.thickness + b.thickness;
    const double late = std::min(kLateOverlap * model.settings.length, kLatePart * std::min(a.thickness, b.thickness));
    return went.straight < kSlowPart * both && went.straight + went.turned < kThroughPart * both &&
           gap_behind(model, pair) >= -late;
}

// Bodies are where the step has brought them. What was stopped early went as far as it was let.
bool PileBoxes::was_needless(const Model& model, const ContactPair& pair) {
    know(model.bodies);
    for (const BodyId id : {pair.a, pair.b}) {
        if (!shape_of(model, id).is_known || is_led(model.bodies[id])) {
            return false;
        }
    }
    return does_nothing_with(model, pair) || ended_apart(model, pair);
}

} // namespace substep::detail
