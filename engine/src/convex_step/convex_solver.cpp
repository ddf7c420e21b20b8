// Contacts, the minimum, friction by what pressed, motion, rebounds.
#include "convex_step/convex_solver.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <glm/geometric.hpp>

#include "bodies/long_turn.h"
#include "bodies/stopwatch.h"
#include "bodies/tolerances.h"
#include "convex_step/convex_books.h"
#include "convex_step/convex_layout.h"
#include "convex_step/convex_loads.h"
#include "convex_step/leaving.h"
#include "convex_step/newton.h"
#include "soft_steps/contact_set.h"
#include "soft_steps/early_stops.h"
#include "soft_steps/pile_lanes.h"

namespace substep::detail {
namespace {

/// Part of what acts in a step that may be missing of a body's velocity: with a weight on the floor that is 2e-9 m/s
/// at 60 steps a second.
constexpr double kConvexTolerance = 1e-8;
/// Solutions after which those that were hit are looked at for whom they meet: so many in a row may hit the next within
/// a step.
constexpr int kMostMeetings = 8;
/// Times that loads are looked at for what bears them, each with two solutions.
constexpr int kMostLoads = 3;
/// Work of an iteration for each body and each manifold, about: what factors of towers and small heaps take.
constexpr std::int64_t kWorkOfFactor = 64;
constexpr std::int64_t kWorkOfTerm = 2 * kWorkOfRows;
constexpr int kFewestIterations = 2;

// The iterations that the work pays for.
ConvexEffort affordable(const ConvexEffort& effort, std::size_t bodies, std::size_t pairs) noexcept {
    const std::int64_t each =
        kWorkOfFactor * static_cast<std::int64_t>(bodies) + kWorkOfTerm * static_cast<std::int64_t>(pairs);
    ConvexEffort can = effort;
    if (each > 0 && effort.most_work / each < effort.most_iterations) {
        can.most_iterations = std::max(static_cast<int>(effort.most_work / each), kFewestIterations);
    }
    return can;
}

} // namespace

struct ConvexSolver::Workspace {
    std::vector<PlacedBody> placed;
    std::vector<PlacedBody> moving; ///< the same, with the velocities that were found
    ContactSet set;
    ConvexNumbers numbers;
    std::vector<ConvexBody> bodies;
    std::vector<Coordinates> before;     ///< velocities where the step begins, by the problem's numbers
    std::vector<Coordinates> velocities; ///< those that are sought, and in the end left with
    std::vector<Coordinates> moved;      ///< those that bodies move by: without rebounds, with pushes
    std::vector<char> is_held;           ///< a mark of each unknown
    std::vector<ContactTerm> contacts;
    std::vector<ContactFrame> frames;
    std::vector<JointTerm> joints;
    ConvexNewton newton;
    std::vector<TouchingPoint> touching;
    EarlyStops stops;

    ConvexProblem problem() noexcept { return {bodies, contacts, joints, velocities}; }

    void lay_out(const PileStep& step, const Pile& pile, const ConvexJoints& rows, const ConvexSoftness& softness,
                 PileResult& result);
    void lay_out_terms(const PileStep& step, const Pile& pile, const ConvexJoints& rows,
                       const ConvexSoftness& softness);
    bool meet_more(const PileStep& step, const Pile& pile, PileResult& result);
    void guess();
    bool press_anew(const Pile& pile, const ConvexSoftness& softness) noexcept;
    void press(const Pile& pile, const ConvexSoftness& softness) noexcept;
    void bear(double speed, const ConvexEffort& effort, const Pile& pile, const ConvexSoftness& softness,
              ConvexResult& result);
    bool stiffen_anew(const PileStep& step, const Pile& pile, const ConvexJoints& rows);
    void solve(double speed, const ConvexEffort& effort, ConvexResult& result);
    void leave(LeavingAims aims, double speed, const ConvexEffort& effort, const PileStep& step, const Pile& pile,
               ConvexResult& result);
    void read_contacts(const PileStep& step, const Pile& pile, PileResult& result);
    double move(const PileStep& step, std::span<PileBody> of_pile) const noexcept;
};

ConvexSolver::ConvexSolver() : workspace_(std::make_unique<Workspace>()) {}
ConvexSolver::ConvexSolver(ConvexSolver&&) noexcept = default;
ConvexSolver& ConvexSolver::operator=(ConvexSolver&&) noexcept = default;
ConvexSolver::~ConvexSolver() = default;

void ConvexSolver::Workspace::lay_out(const PileStep& step, const Pile& pile, const ConvexJoints& rows,
                                      const ConvexSoftness& softness, PileResult& result) {
    Stopwatch watch;
    place_bodies(pile.bodies, step.dt, nullptr, placed);
    set.find(step, pile, placed);
    result.collision_time += watch.lap();
    number_bodies(pile.bodies, numbers);
    lay_out_terms(step, pile, rows, softness);
}

void ConvexSolver::Workspace::lay_out_terms(const PileStep& step, const Pile& pile, const ConvexJoints& rows,
                                            const ConvexSoftness& softness) {
    lay_out_bodies(pile.bodies, placed, numbers, step.dt, bodies, before);
    contacts.resize(set.manifolds().size());
    frames.resize(contacts.size());
    PlacedManifold where;
    for (std::size_t m = 0; m < contacts.size(); ++m) {
        set.place(set.manifolds()[m], pile, placed, where);
        lay_out_manifold(set.manifolds()[m], pile, where, numbers, before, softness, contacts[m], frames[m]);
    }
    lay_out_joints(rows, pile.bodies, numbers, step.dt, bodies, joints);
}

// Who was hit may meet others within the step that nobody expected him to meet. Returns whether anybody does.
bool ConvexSolver::Workspace::meet_more(const PileStep& step, const Pile& pile, PileResult& result) {
    Stopwatch watch;
    moving = placed;
    for (std::size_t b = 0; b < pile.bodies.size(); ++b) {
        if (!pile.bodies[b].is_prescribed()) {
            const Coordinates& velocity = velocities[numbers.of_body[b]];
            moving[b].velocity = {linear(velocity), angular(velocity)};
            moving[b].speed = glm::length(linear(velocity));
            moving[b].rate = glm::length(angular(velocity));
        }
    }
    const bool any = set.find_more(step, pile, moving);
    result.collision_time += watch.lap();
    return any;
}

// What is held goes on as it went, what is free falls.
void ConvexSolver::Workspace::guess() {
    velocities = before;
    is_held.assign(bodies.size(), 0);
    const auto hold = [&](const Coupling& coupling) {
        for_moving(coupling, [&](std::uint32_t body) { is_held[body] = 1; });
    };
    for (std::size_t m = 0; m < contacts.size(); ++m) {
        if (frames[m].pressed > 0.0) {
            hold(contacts[m].coupling);
        }
    }
    for (const JointTerm& term : joints) {
        hold(term.coupling);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (is_held[i] == 0) {
            const ConvexBody& body = bodies[i];
            write_row(velocities[i], body.inverse_mass * linear(body.momentum),
                      body.inverse_inertia * angular(body.momentum));
        }
    }
}

// Friction was given what pressed before. Returns whether that was far off anywhere; friction then has what presses
// now.
bool ConvexSolver::Workspace::press_anew(const Pile& pile, const ConvexSoftness& softness) noexcept {
    bool any = false;
    for (std::size_t m = 0; m < contacts.size() && !any; ++m) {
        const double now = pressed_now(contacts[m], softness.h);
        any = std::fabs(now - frames[m].pressed) > softness.follow * std::max(now, frames[m].pressed);
    }
    if (any) {
        press(pile, softness);
    }
    return any;
}

void ConvexSolver::Workspace::press(const Pile& pile, const ConvexSoftness& softness) noexcept {
    for (std::size_t m = 0; m < contacts.size(); ++m) {
        set_pressed(pressed_now(contacts[m], softness.h), pile.pairs[set.manifolds()[m].pair], softness, frames[m],
                    contacts[m].law);
    }
}

// Begun with in the first third of the iterations, and of the work, where all of them are allowed: what follows has to
// converge too.
void ConvexSolver::Workspace::bear(double speed, const ConvexEffort& effort, const Pile& pile,
                                   const ConvexSoftness& softness, ConvexResult& result) {
    if (effort.most_iterations < kMostConvexIterations) {
        return;
    }
    const auto may_begin = [&] {
        return result.has_converged && result.iterations < effort.most_iterations / 3 &&
               result.pile.work < effort.most_work / 3;
    };
    for (int look = 0; look < kMostLoads && may_begin() && bear_loads(contacts, frames, speed); ++look) {
        solve(speed, effort, result);
        press(pile, softness);
        solve(speed, effort, result);
    }
    result.has_converged = result.has_converged && !lags_far(contacts, frames, speed);
}

// Joints that hold with forces that nothing was stiffened by are laid out once more, with these. Returns whether there
// are any.
bool ConvexSolver::Workspace::stiffen_anew(const PileStep& step, const Pile& pile, const ConvexJoints& rows) {
    if (!are_fresh(joints, rows)) {
        return false;
    }
    read_joints(joints, step.dt, rows);
    for (ConvexBody& body : bodies) {
        body.stiffening = glm::dmat3(0.0);
    }
    lay_out_joints(rows, pile.bodies, numbers, step.dt, bodies, joints);
    newton.begin(problem());
    return true;
}

// `speed`: what bodies gain in a step, m/s.
void ConvexSolver::Workspace::solve(double speed, const ConvexEffort& effort, ConvexResult& result) {
    const std::int64_t of_terms = kWorkOfTerm * static_cast<std::int64_t>(contacts.size());
    const std::int64_t each = std::max<std::int64_t>(newton.operations() / kOperationsOfUnit + of_terms, 1);
    const std::int64_t paid = (effort.most_work - std::min(result.pile.work, effort.most_work)) / each;
    const std::int64_t most = std::min<std::int64_t>(effort.most_iterations - result.iterations, paid);
    const ConvexNewton::Outcome outcome =
        newton.solve(problem(), kConvexTolerance * speed, speed, static_cast<int>(std::max<std::int64_t>(most, 1)));
    result.iterations += outcome.iterations;
    result.has_converged = outcome.has_converged;
    result.pile.work += outcome.operations / kOperationsOfUnit + (outcome.iterations + 1) * of_terms;
}

// Solved once more, for velocities that bodies leave with. What rebounds give is no more than what bodies lost: the way
// from one solution to the other ends where kinetic energy is that of the step's begin, with what acted and moved on
// the way.
void ConvexSolver::Workspace::leave(LeavingAims aims, double speed, const ConvexEffort& effort, const PileStep& step,
                                    const Pile& pile, ConvexResult& result) {
    solve(speed, effort, result);
    double allowed = 2.0 * work_of_prescribed(problem(), before); // all twice
    double along = 0.0;
    double bend = 0.0;
    const auto twice_energy = [](const ConvexBody& body, const Coordinates& p, const Coordinates& q) {
        return body.mass * glm::dot(linear(p), linear(q)) + glm::dot(angular(p), body.inertia * angular(q));
    };
    for (std::size_t b = 0; b < pile.bodies.size(); ++b) {
        if (pile.bodies[b].is_prescribed()) {
            continue;
        }
        const std::uint32_t i = numbers.of_body[b];
        const ConvexBody& body = bodies[i];
        Coordinates change;
        for (std::size_t k = 0; k < kCoordinates; ++k) {
            change[k] = velocities[i][k] - moved[i][k];
        }
        allowed += twice_energy(body, before[i], before[i]) - twice_energy(body, moved[i], moved[i]) +
                   2.0 * step.dt *
                       (body.mass * glm::dot(pile.bodies[b].acceleration, linear(moved[i])) +
                        glm::dot(pile.bodies[b].torque, angular(moved[i])));
        along += 2.0 * twice_energy(body, moved[i], change);
        bend += twice_energy(body, change, change);
    }
    allowed = aims.rebounds ? std::max(allowed, 0.0) : 0.0;
    double part = 1.0;
    if (along + bend > allowed) { // the root above zero of bend s^2 + along s = allowed
        part = (-along + std::sqrt(along * along + 4.0 * bend * allowed)) / (2.0 * bend);
    }
    const double work = step.keeps_books ? 0.5 * (along * part + bend * part * part) : 0.0;
    (aims.rebounds ? result.pile.works.restitution : result.pile.works.softness) += work;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (std::size_t k = 0; k < kCoordinates; ++k) {
            velocities[i][k] = moved[i][k] + part * (velocities[i][k] - moved[i][k]);
        }
    }
}

// Who leaves by another momentum than he turned by, or has turned too far to be followed, has no more energy where he
// is then. Returns what he has more (J): none, or less.
double ConvexSolver::Workspace::move(const PileStep& step, std::span<PileBody> of_pile) const noexcept {
    const double h = step.dt;
    double gained = 0.0;
    for (std::size_t b = 0; b < of_pile.size(); ++b) {
        PileBody& body = of_pile[b];
        if (body.is_prescribed()) {
            body.position += h * body.velocity;
            body.rotation = turned(body.rotation, h * body.angular_velocity);
            continue;
        }
        const std::uint32_t number = numbers.of_body[b];
        const ConvexBody& unknown = bodies[number];
        body.position += h * linear(moved[number]);
        body.velocity = linear(velocities[number]);
        const glm::dvec3& i = body.inverse_moments;
        if (i == glm::dvec3(0.0)) {
            continue;
        }
        body.angular_momentum = unknown.inertia * angular(velocities[number]);
        if (i.x == i.y && i.y == i.z) {
            body.rotation = normalised(turned(body.rotation, h * angular(moved[number])));
        } else {
            const glm::dquat from = body.rotation;
            const LongTurn turn = long_turn(from, unknown.inertia * angular(moved[number]), i, h,
                                            h * glm::length(angular(moved[number])));
            body.rotation = normalised(turn.rotation);
            if (!turn.is_followed || velocities[number] != moved[number]) {
                const double at_first = turning_energy(from, body.angular_momentum, i);
                body.angular_momentum = momentum_after_turn(from, body.rotation, body.angular_momentum, i);
                gained += turning_energy(body.rotation, body.angular_momentum, i) - at_first;
            }
        }
        body.angular_velocity = angular_velocity(body.rotation, i, body.angular_momentum);
    }
    return gained;
}

void ConvexSolver::Workspace::read_contacts(const PileStep& step, const Pile& pile, PileResult& result) {
    touching.clear();
    for (std::size_t m = 0; m < contacts.size(); ++m) {
        const FoundManifold& found = set.manifolds()[m];
        const Coordinates& velocity = moved[numbers.of_body[found.body[0]]];
        const glm::dvec3& arm = frames[m].arm;
        const glm::dvec3 centre =
            placed[found.body[0]].at.position + arm + step.dt * (linear(velocity) + glm::cross(angular(velocity), arm));
        read_manifold(found, pile, step, contacts[m], frames[m], centre, touching, result);
    }
    result.touching = touching;
}

ConvexResult ConvexSolver::advance(const PileStep& step, const Pile& pile, const ConvexJoints& joints,
                                   const ConvexEffort& allowed) {
    Workspace& w = *workspace_;
    const ConvexEffort effort = affordable(allowed, pile.bodies.size(), pile.pairs.size());
    const ConvexSoftness softness = softness_of(step, effort);
    ConvexResult result;
    w.lay_out(step, pile, joints, softness, result.pile);
    w.guess();
    w.newton.begin(w.problem());

    double acceleration = kLeastGravity * step.scale.acceleration();
    for (const PileBody& body : pile.bodies) {
        acceleration = std::max(acceleration, body.is_prescribed() ? 0.0 : glm::length(body.acceleration));
    }
    const double speed = acceleration * step.dt;
    w.solve(speed, effort, result);
    const bool is_stiffer = w.stiffen_anew(step, pile, joints);
    if (w.press_anew(pile, softness) || is_stiffer) {
        w.solve(speed, effort, result);
    }
    w.bear(speed, effort, pile, softness, result);
    const auto may_go_on = [&] { return result.iterations < effort.most_iterations; };
    for (int look = 0; look < kMostMeetings && may_go_on() && w.meet_more(step, pile, result.pile); ++look) {
        w.lay_out_terms(step, pile, joints, softness);
        w.newton.begin(w.problem());
        w.solve(speed, effort, result);
        if (may_go_on() && w.press_anew(pile, softness)) {
            w.solve(speed, effort, result);
        }
        w.bear(speed, effort, pile, softness, result);
    }
    w.moved = w.velocities;
    if (step.keeps_books) {
        book_works(w.problem(), w.frames, pile.bodies, w.numbers, w.before, w.moved, step.dt, w.is_held, result);
    }
    w.read_contacts(step, pile, result.pile);
    read_joints(w.joints, step.dt, joints);
    const LeavingAims aims = aim_to_leave(w.set.manifolds(), pile, softness, w.frames, w.contacts, w.is_held);
    if (aims.any()) {
        ConvexEffort once_more = effort; // half solved, bodies would leave with half of what pushed them
        if (aims.pushes && effort.most_iterations >= kMostConvexIterations) {
            once_more.most_iterations += result.iterations;
        }
        const bool had_converged = result.has_converged; // what bodies leave with may, where what holds them did not
        w.leave(aims, speed, once_more, step, pile, result);
        result.has_converged = result.has_converged && had_converged;
    }
    const double turned_off = w.move(step, pile.bodies);
    result.pile.works.softness += step.keeps_books ? turned_off : 0.0;
    Stopwatch watch;
    w.stops.find(step, pile, w.placed, result.pile);
    result.pile.collision_time += watch.lap();

    double doubt = 0.0;
    for (const PileBody& body : pile.bodies) {
        doubt += 0.0 * (glm::dot(body.position, glm::dvec3(1.0)) + glm::dot(body.velocity, glm::dvec3(1.0)) +
                        glm::dot(body.angular_momentum, glm::dvec3(1.0)) + body.rotation.w);
    }
    result.pile.is_finite = doubt == 0.0;
    const ContactSetCost& cost = w.set.cost();
    result.pile.manifolds = static_cast<int>(w.set.manifolds().size());
    result.pile.fresh = cost.fresh;
    result.pile.full_tests = cost.full_tests;
    result.pile.work += cost.work + kWorkOfBody * static_cast<std::int64_t>(pile.bodies.size());
    return result;
}

} // namespace substep::detail
