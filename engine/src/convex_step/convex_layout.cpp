// Masses, laws of contacts and rows; forces.
#include "convex_step/convex_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "convex_step/convex_loads.h"

namespace substep::detail {
namespace {

// Stiffness of a point, times h^2 over the mass of the lighter body, for steps of 1/60 s or more: ten cubes sink by
// 0.08 mm, and towers of cubes of 1 m stand up to 112 of them (docs/convex_steps.md). Messes that tumble take a tenth
// more iterations than with 300, by which towers of 95 buckle. Steps whose iterations are few are softer, so that few
// suffice.
constexpr double kConvexStiffness = 500.0;
constexpr double kConvexStiffnessCapped = 30.0;
// The same of friction's spring, as a part of the normal one. Stiffer ones take more iterations to slip.
constexpr double kConvexTangential = 0.01;
// Part of what presses a point to the deepest that it is to give way, up to which friction is no stiffer than that.
// Beyond it gives way as far as points do: what bears a hundred times its own weight would roll away by centimetres
// before friction holds it.
constexpr double kUsualLoad = 0.5;
// The same of a point that rebounds, as a multiple: it leaves slower by the mass over it, of which 1 % of the energy of
// a bounce would be lost.
constexpr double kConvexHit = 100.0;
// Part by which what presses may differ from what friction was given before all is solved once more.
constexpr double kPressedAnew = 0.5;
// The same of a row of a joint, by what it moves: gaps stay a thousandth of those of contacts.
constexpr double kConvexJointStiffness = 1e7;

glm::dvec3 inverse_of(const glm::dvec3& v) noexcept { return {1.0 / v.x, 1.0 / v.y, 1.0 / v.z}; }

bool turns(const PileBody& body) noexcept { return !body.is_prescribed() && body.inverse_moments != glm::dvec3(0.0); }

/// A unit vector across another.
glm::dvec3 across(const glm::dvec3& n) noexcept {
    const glm::dvec3 other = std::fabs(n.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
    return glm::normalize(glm::cross(n, other));
}

void begin_coupling(const std::array<std::uint32_t, 2>& body, const ConvexNumbers& numbers,
                    Coupling& coupling) noexcept {
    for (std::size_t e = 0; e < 2; ++e) {
        coupling.body[e] = numbers.of_body[body[e]];
        coupling.moves[e] = coupling.body[e] < numbers.unknowns;
    }
}

} // namespace

ConvexSoftness softness_of(const PileStep& step, const ConvexEffort& effort) noexcept {
    const double stiffness = effort.most_iterations < kMostConvexIterations ? kConvexStiffnessCapped : kConvexStiffness;
    ConvexSoftness softness;
    softness.h = step.dt;
    const double h = std::max(step.dt, kConvexTime * step.scale.time());
    softness.stiffness = stiffness / (h * h);
    softness.damping = kConvexDamping * step.scale.time();
    softness.fading = kConvexFading * step.scale.length();
    softness.hold_time = effort.resolves_impacts ? h : step.dt;
    softness.follow = kPressedAnew * (effort.resolves_impacts ? step.dt / h : 1.0);
    softness.hidden = kHiddenOverlap * step.scale.length();
    softness.sunk = kSunkOverlap * step.scale.length();
    if (effort.most_iterations >= kMostConvexIterations) {
        softness.deepest = kDeepest * step.scale.length();
    }
    softness.push_speed = kPushSpeed * step.scale.speed();
    softness.kept_push = kKeptPush * step.scale.speed();
    softness.static_slip = kStaticSlip * step.scale.speed();
    softness.rebound_speed = kReboundSpeed * step.scale.speed();
    return softness;
}

void number_bodies(std::span<const PileBody> bodies, ConvexNumbers& numbers) {
    numbers.of_body.resize(bodies.size());
    std::uint32_t next = 0;
    for (const bool prescribed : {false, true}) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (bodies[i].is_prescribed() == prescribed) {
                numbers.of_body[i] = next++;
            }
        }
        numbers.unknowns = prescribed ? numbers.unknowns : next;
    }
}

void lay_out_bodies(std::span<const PileBody> bodies, std::span<const PlacedBody> placed, const ConvexNumbers& numbers,
                    double h, std::vector<ConvexBody>& unknowns, std::vector<Coordinates>& velocities) {
    unknowns.resize(numbers.unknowns);
    velocities.resize(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const PileBody& body = bodies[i];
        const std::uint32_t number = numbers.of_body[i];
        const bool is_still = !body.is_prescribed() && !turns(body);
        write_row(velocities[number], placed[i].velocity.linear,
                  is_still ? glm::dvec3(0.0) : placed[i].velocity.angular);
        if (body.is_prescribed()) {
            continue;
        }
        ConvexBody& unknown = unknowns[number];
        unknown = {};
        unknown.inverse_mass = body.inverse_mass;
        unknown.mass = 1.0 / body.inverse_mass;
        glm::dvec3 turning(0.0);
        if (!is_still) {
            unknown.inverse_inertia = world_inverse_inertia(placed[i].at.rotation, body.inverse_moments);
            unknown.inertia = world_inverse_inertia(placed[i].at.rotation, inverse_of(body.inverse_moments));
            turning = body.angular_momentum + h * body.torque;
        }
        write_row(unknown.momentum, unknown.mass * (body.velocity + h * body.acceleration), turning);
    }
}

void lay_out_manifold(const FoundManifold& found, const Pile& pile, const PlacedManifold& where,
                      const ConvexNumbers& numbers, std::span<const Coordinates> before, const ConvexSoftness& softness,
                      ContactTerm& term, ContactFrame& frame) noexcept {
    const PilePair& pair = pile.pairs[found.pair];
    PairMemory& memory = pile.memory_of(found.pair);
    frame.normal = where.normal;
    frame.tangent = across(where.normal);
    frame.across = glm::cross(frame.normal, frame.tangent);
    glm::dvec3 centre = where.points[0].arm;
    for (std::uint32_t i = 1; i < found.count; ++i) {
        centre += where.points[i].arm;
    }
    centre *= 1.0 / found.count;
    frame.arm = centre;

    begin_coupling(found.body, numbers, term.coupling);
    const std::array<glm::dvec3, 3> axes{frame.tangent, frame.across, frame.normal};
    double inverse_mass = 0.0;     // of the lighter body
    double squared_gyration = 0.0; // m^2, the least of it
    for (std::size_t e = 0; e < 2; ++e) {
        const PileBody& body = pile.bodies[found.body[e]];
        const double sign = e == 0 ? 1.0 : -1.0;
        const double turning = turns(body) || body.is_prescribed() ? sign : 0.0;
        const glm::dvec3 arm = e == 0 ? centre : centre + where.between;
        for (std::size_t k = 0; k < 3; ++k) {
            write_row(term.coupling.jacobian[e][k], sign * axes[k], turning * glm::cross(arm, axes[k]));
            write_row(term.coupling.jacobian[e][3 + k], glm::dvec3(0.0), turning * axes[k]);
        }
        if (body.inverse_mass > inverse_mass) {
            inverse_mass = body.inverse_mass;
            const double most = std::max({body.inverse_moments.x, body.inverse_moments.y, body.inverse_moments.z});
            squared_gyration = most > 0.0 ? inverse_mass / most : 0.0;
        }
    }

    const double h = softness.h;
    const double stiffness = softness.stiffness / inverse_mass;
    const double of_other = std::min(pile.bodies[found.body[0]].inverse_mass, pile.bodies[found.body[1]].inverse_mass);
    frame.lighter = 1.0 / inverse_mass;
    frame.mass_ratio = of_other > 0.0 ? inverse_mass / of_other : 1.0;
    // A hit that lasts for several steps would slow what comes down before its rebound is told by how fast it came.
    const bool may_rebound = softness.hold_time > h && pair.restitution > 0.0;
    frame.before = rates_of(term.coupling, before);
    ContactLaw& law = term.law;
    law.count = found.count;
    double pressed = 0.0;
    double lever = 0.0;
    for (std::uint32_t i = 0; i < found.count; ++i) {
        PairMemory::Point& point = memory.points[i];
        const glm::dvec3 from_centre = where.points[i].arm - centre;
        const double keeps_force = -depth_under(point.force, stiffness, softness.deepest) - where.points[i].gap;
        if (memory.forces_by != ForcesBy::ConvexSteps && point.force > 0.0) {
            point.offset =
                std::min(keeps_force, memory.forces_by == ForcesBy::SoftSteps ? softness.sunk : softness.hidden);
        } else if ((found.fresh >> i & 1u) != 0 && keeps_force > 0.0) {
            point.offset = std::min(keeps_force, softness.hidden);
        }
        frame.gap[i] = where.points[i].gap;
        const double gap = where.points[i].gap + point.offset;
        const double damping = softness.damping * softness.fading / (softness.fading + std::max(gap, 0.0));
        law.x[i] = found.count > 1 ? glm::dot(from_centre, frame.tangent) : 0.0;
        law.y[i] = found.count > 1 ? glm::dot(from_centre, frame.across) : 0.0;
        if (may_rebound &&
            -law.normal_rate(i, frame.before) > softness.rebound_speed) { // it is hit in this step or not
            law.slope[i] = kConvexHit * softness.hold_time * softness.hold_time * stiffness;
            law.free[i] = std::min(-gap / h, softness.push_speed);
            law.stop[i] = std::numeric_limits<double>::infinity();
        } else {
            law.slope[i] = h * stiffness * (h + damping);
            law.free[i] = std::min(-gap / (h + damping), softness.push_speed);
            law.stop[i] = softness.deepest / (h + damping);
        }
        law.stop_slope[i] = 0.0;
        if (point.force > stiffness * softness.deepest) {
            stop_there(i, law);
        }
        pressed += point.force;
        lever += std::sqrt(law.x[i] * law.x[i] + law.y[i] * law.y[i]);
    }
    lever /= found.count;

    frame.lever = lever;
    const double belt_0 = glm::dot(where.surface_velocity, frame.tangent);
    const double belt_1 = glm::dot(where.surface_velocity, frame.across);
    const double slip_0 = frame.before[0] + belt_0;
    const double slip_1 = frame.before[1] + belt_1;
    const bool is_slow = slip_0 * slip_0 + slip_1 * slip_1 < softness.static_slip * softness.static_slip;
    frame.friction = is_slow ? pair.static_friction : pair.friction;
    const double hold = softness.hold_time;
    frame.slope = kConvexTangential * hold * hold * stiffness * found.count;
    frame.usual = kUsualLoad * stiffness * softness.deepest * found.count;
    frame.squared_gyration = squared_gyration;
    frame.belt = {belt_0, belt_1};
    frame.h = h;
    frame.held = {glm::dot(memory.friction, frame.tangent), glm::dot(memory.friction, frame.across)};
    frame.turned = {glm::dot(memory.turning, frame.tangent), glm::dot(memory.turning, frame.across),
                    glm::dot(memory.turning, frame.normal)};
    set_pressed(pressed, pair, softness, frame, law);
}

// An anchor is where the spring would have to begin for the force that is remembered.
void set_slope(double slope, const ContactFrame& frame, ContactLaw& law) noexcept {
    law.sliding.slope = slope;
    law.sliding.offset = {frame.belt[0] - frame.h / slope * frame.held[0],
                          frame.belt[1] - frame.h / slope * frame.held[1]};
    law.twisting.slope = slope * std::max(frame.lever * frame.lever, frame.squared_gyration);
    law.rolling.slope = slope * frame.squared_gyration;
    const double per_twist = law.twisting.slope > 0.0 ? frame.h / law.twisting.slope : 0.0;
    const double per_roll = law.rolling.slope > 0.0 ? frame.h / law.rolling.slope : 0.0;
    law.twisting.offset = {-per_twist * frame.turned[2], 0.0};
    law.rolling.offset = {-per_roll * frame.turned[0], -per_roll * frame.turned[1]};
}

void set_pressed(double pressed, const PilePair& pair, const ConvexSoftness& softness, ContactFrame& frame,
                 ContactLaw& law) noexcept {
    frame.pressed = pressed;
    const double impulse = softness.h * pressed;
    const double unusual = std::max(pressed - frame.usual, 0.0);
    set_slope(std::max(frame.slope, softness.h * softness.h * frame.friction * unusual / softness.deepest), frame, law);
    law.sliding.most = frame.friction * impulse;
    law.twisting.most = (frame.friction * frame.lever + pair.spinning_resistance) * impulse;
    law.rolling.most = pair.rolling_resistance * impulse;
}

void lay_out_joints(const ConvexJoints& joints, std::span<const PileBody> bodies, const ConvexNumbers& numbers,
                    double h, std::vector<ConvexBody>& unknowns, std::vector<JointTerm>& terms) {
    terms.clear();
    for (const ConvexJoint& joint : joints.joints) {
        std::array<glm::dvec3, 2> force{glm::dvec3(0.0), glm::dvec3(0.0)}; // N, on each body
        for (std::uint32_t i = 0; i < joint.rows; ++i) {
            if (i % kCoordinates == 0) {
                terms.emplace_back().first_row = joint.first_row + i;
                begin_coupling(joint.body, numbers, terms.back().coupling);
            }
            JointTerm& term = terms.back();
            const ConvexRow& row = joints.rows[joint.first_row + i];
            RowLaw& law = term.rows[term.count];
            double response = 0.0; // of the coordinate, to an impulse along it
            for (std::size_t e = 0; e < 2; ++e) {
                const PileBody& body = bodies[joint.body[e]];
                const Twist& along = row.jacobian[e];
                const bool can_turn = turns(body) || body.is_prescribed();
                write_row(term.coupling.jacobian[e][term.count], along.linear,
                          can_turn ? along.angular : glm::dvec3(0.0));
                force[e] += row.force * along.linear;
                if (!body.is_prescribed()) {
                    const ConvexBody& unknown = unknowns[numbers.of_body[joint.body[e]]];
                    response += unknown.inverse_mass * glm::dot(along.linear, along.linear) +
                                (can_turn ? glm::dot(along.angular, unknown.inverse_inertia * along.angular) : 0.0);
                }
            }
            if (std::isfinite(row.stiffness)) {
                law.slope = h * (h * row.stiffness + row.damping);
                law.free = law.slope > 0.0 ? row.rate - h * row.stiffness * row.gap / law.slope : 0.0;
            } else {
                law.slope = response > 0.0 ? kConvexJointStiffness / response : 0.0;
                law.free = row.rate - row.gap / h;
            }
            law.least = h * row.least;
            law.most = h * row.most;
            ++term.count;
        }
        for (std::size_t e = 0; e < 2; ++e) {
            const double squared = glm::dot(joint.arm[e], joint.arm[e]);
            const double pull = h * h * glm::dot(force[e], joint.arm[e]);
            if (pull > 0.0 && turns(bodies[joint.body[e]])) {
                unknowns[numbers.of_body[joint.body[e]]].stiffening +=
                    pull * (glm::dmat3(1.0) - (1.0 / squared) * glm::outerProduct(joint.arm[e], joint.arm[e]));
            }
        }
    }
}

bool are_fresh(std::span<const JointTerm> terms, const ConvexJoints& joints) noexcept {
    return std::ranges::any_of(terms, [&](const JointTerm& term) {
        bool acted = false;
        bool acts = false;
        for (std::uint32_t i = 0; i < term.count; ++i) {
            acted = acted || joints.rows[term.first_row + i].force != 0.0;
            acts = acts || term.impulse[i] != 0.0;
        }
        return acts && !acted;
    });
}

void read_joints(std::span<const JointTerm> terms, double h, const ConvexJoints& joints) noexcept {
    for (const JointTerm& term : terms) {
        for (std::uint32_t i = 0; i < term.count; ++i) {
            joints.rows[term.first_row + i].force = term.impulse[i] / h;
        }
    }
}

void read_manifold(const FoundManifold& found, const Pile& pile, const PileStep& step, const ContactTerm& term,
                   const ContactFrame& frame, const glm::dvec3& centre, std::vector<TouchingPoint>& touching,
                   PileResult& result) {
    PairMemory& memory = pile.memory_of(found.pair);
    const ContactLaw& law = term.law;
    const double per_h = 1.0 / step.dt;
    const double fade = 1.0 - 1.0 / (1.0 + step.dt / (kHiddenTime * step.scale.time()));
    const double most_fade = kHiddenSpeed * step.scale.speed() * step.dt;
    const auto in_world = [&](double t, double s, double n) {
        return t * frame.tangent + s * frame.across + n * frame.normal;
    };
    double moment_0 = 0.0; // N m s, of normal impulses
    double moment_1 = 0.0;
    double pressed = 0.0;
    std::array<double, ContactLaw::kMostPoints> impulse{};
    std::array<double, ContactLaw::kMostPoints> gap{};
    for (std::uint32_t i = 0; i < found.count; ++i) {
        PairMemory::Point& point = memory.points[i];
        impulse[i] = law.normal_impulse(i, term.rates);
        gap[i] = frame.gap[i] + step.dt * law.normal_rate(i, term.rates);
        moment_0 += law.y[i] * impulse[i];
        moment_1 -= law.x[i] * impulse[i];
        pressed += impulse[i];
        point.force = per_h * impulse[i];
        point.offset -= std::clamp(fade * point.offset, -most_fade, most_fade);
        result.deepest = std::max(result.deepest, -gap[i]);
    }
    // Nothing is +0, which a snapshot leaves out.
    const bool rubs = term.impulse[0] != 0.0 || term.impulse[1] != 0.0;
    memory.friction = rubs ? per_h * in_world(term.impulse[0], term.impulse[1], 0.0) : glm::dvec3(0.0);
    memory.turning = per_h * in_world(term.impulse[3] - moment_0, term.impulse[4] - moment_1, term.impulse[5]);
    if (!(law.rolling.most > 0.0)) {
        const bool twists = term.impulse[5] != 0.0;
        memory.turning = twists ? per_h * term.impulse[5] * frame.normal
                                : glm::dvec3(0.0); // without what rounding leaves of moments
    }
    memory.forces_by = ForcesBy::ConvexSteps;
    if (found.expected >= 0) {
        memory.was_tested = false;
        memory.count = found.count;
    }
    if (!step.wants_touching || !(pressed > 0.0)) {
        return;
    }
    const double slip_0 = term.rates[0] + frame.belt[0];
    const double slip_1 = term.rates[1] + frame.belt[1];
    for (std::uint32_t i = 0; i < found.count; ++i) {
        if (!(impulse[i] > 0.0)) {
            continue;
        }
        TouchingPoint& touch = touching.emplace_back();
        touch.pair = found.pair;
        touch.feature = memory.points[i].feature;
        touch.point = centre + in_world(law.x[i], law.y[i], 0.5 * gap[i]);
        touch.normal = frame.normal;
        touch.gap = gap[i];
        touch.approach = -law.normal_rate(i, frame.before);
        touch.impulse = impulse[i];
        touch.force = memory.points[i].force * frame.normal + impulse[i] / pressed * memory.friction;
        touch.slip = in_world(slip_0 - term.rates[5] * law.y[i], slip_1 + term.rates[5] * law.x[i], 0.0);
    }
}

} // namespace substep::detail
