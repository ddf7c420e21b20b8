// Promises, checked from outside.
#include "promises.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace hostile {

using namespace substep;

namespace {

bool is_finite(const glm::dvec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool is_finite(const glm::dquat& q) { return std::isfinite(glm::dot(q, q)); }

template <class... Parts>
std::string sentence(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

bool is_sentence(std::string_view text) { return text.size() > 10 && text.back() == '.'; }

/// Largest distance of a joint's ends from the world's origin and from their bodies, which its round-off grows with.
double size_of(const World& world, const JointDesc& joint) {
    double size = 1.0;
    for (const auto& [body, frame] : {std::pair(joint.body_a, joint.frame_a), std::pair(joint.body_b, joint.frame_b)}) {
        size = std::max(size, glm::length(frame.position));
        if (world.is_valid(body)) {
            const Body held = world.body(body);
            size =
                std::max({size, glm::length(held.pose().position), glm::length(held.mass_properties().centre_of_mass)});
        }
    }
    return size;
}

/// The largest of an island's joints: all of them are closed as one system of equations, and the round-off of a joint
/// with a frame at 1e30 m, 1e14 m, is in the places of every body that is connected with it.
double size_of(const World& world, const IslandView& island) {
    const auto is_in = [&](BodyId body) { return std::ranges::find(island.bodies, body) != island.bodies.end(); };
    double size = 1.0;
    for (const JointId id : world.joints()) {
        const JointDesc& joint = world.joint(id);
        if (is_in(joint.body_a) || is_in(joint.body_b)) {
            size = std::max(size, size_of(world, joint));
        }
    }
    return size;
}

/// How far a joint is beyond its hard limits, m or rad.
double beyond_limits(const World& world, JointId id) {
    double beyond = 0.0;
    for (const JointLimit& limit : world.joint(id).limits) {
        if (limit.stiffness == 0.0) {
            const double value = world.joint_value(id, limit.axis);
            beyond = std::max({beyond, limit.lower - value, value - limit.upper});
        }
    }
    return beyond;
}

bool velocity_steps(const IslandView& island) {
    return island.method->needs == MethodNeeds::VelocityStep || island.report.velocity_steps.iterations > 0 ||
           island.report.velocity_steps.contacts > 0;
}

std::string broken_by_island(const World& world, const IslandView& island, double dt, std::int64_t sampled) {
    const StepReport& report = island.report;
    const std::string method(island.method->name);
    const int budget = island.settings->budget;
    if (budget > 0 && report.evaluations > budget + sampled) {
        return sentence("An island made ", report.evaluations, " evaluations under ", method, " where ", budget,
                        " were allowed; it says: ", to_string(report.status), ", ", report.message);
    }
    if (!succeeded(report.status) && !is_sentence(report.message)) {
        return sentence("An island ended with ", to_string(report.status), " under ", method,
                        " and does not say why in a sentence: \"", report.message, "\".");
    }
    const double round_off = 8.0 * std::numeric_limits<double>::epsilon() * (world.time() + dt);
    if (!(report.simulated >= 0.0) || report.simulated > dt + round_off) {
        return sentence("An island was simulated for ", report.simulated, " s in a step of ", dt, " s.");
    }
    if (report.status == StepStatus::ReachedTarget && report.simulated < dt - round_off) {
        return sentence("An island reached its target under ", method, " after ", report.simulated, " s of ", dt,
                        " s.");
    }
    return {};
}

} // namespace

std::string broken_after_step(const World& world, const StepReport& report, double t0, double dt, std::int64_t sampled,
                              bool joints_hold) {
    // States.
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        if (body.motion() != MotionType::Dynamic) {
            continue; // a path is its author's
        }
        const Pose pose = body.pose();
        if (!is_finite(pose.position) || !is_finite(pose.orientation) || !is_finite(body.linear_velocity()) ||
            !is_finite(body.angular_momentum())) {
            return sentence("A body's state is not finite after a step with status ", to_string(report.status), ".");
        }
        if (std::abs(glm::dot(pose.orientation, pose.orientation) - 1.0) > 1e-12) {
            return sentence("A body's orientation has the squared length ",
                            glm::dot(pose.orientation, pose.orientation), ".");
        }
        const glm::dvec3 spin = body.angular_velocity() * glm::mat3_cast(pose.orientation); // about its own axes
        const glm::dmat3& inertia = body.mass_properties().inertia;
        for (int axis = 0; axis < 3; ++axis) {
            if (std::isinf(inertia[axis][axis]) && !(std::abs(spin[axis]) <= 1e-12 * glm::length(spin))) {
                return sentence("A body turns at ", spin[axis], " rad/s about an axis of infinite moment.");
            }
        }
    }

    // Time.
    const double round_off = 8.0 * std::numeric_limits<double>::epsilon() * (t0 + dt);
    if (std::abs(world.time() - (t0 + dt)) > round_off) {
        return sentence("A step of ", dt, " s from ", t0, " s ends at ", world.time(), " s.");
    }

    // Islands, one by one and together.
    std::int64_t spent = 0, bodies = 0;
    for (const IslandView& island : world.islands()) {
        if (island.asleep) {
            continue;
        }
        if (std::string broken = broken_by_island(world, island, dt, sampled); !broken.empty()) {
            return broken;
        }
        spent += island.report.evaluations * static_cast<std::int64_t>(island.bodies.size());
        bodies += static_cast<std::int64_t>(island.bodies.size());
        if (static_cast<int>(island.report.status) > static_cast<int>(report.status)) {
            return sentence("The step says ", to_string(report.status), ", one of its islands ",
                            to_string(island.report.status), ".");
        }
    }
    const int budget = world.settings().shared_budget;
    if (budget > 0 && spent > budget + sampled * bodies) {
        return sentence("A step made ", spent, " evaluations times bodies where ", budget, " were allowed.");
    }

    if (!joints_hold || has_blown_up(world)) {
        return {};
    }

    // Joints: closed as far as places of that size can be, if nothing was said of their island.
    for (const JointId id : world.joints()) {
        const JointDesc& joint = world.joint(id);
        const auto moves = [&](BodyId body) {
            return world.is_valid(body) && world.body(body).motion() == MotionType::Dynamic;
        };
        const BodyId mover = moves(joint.body_a) ? joint.body_a : joint.body_b;
        for (const IslandView& island : world.islands()) {
            if (std::ranges::find(island.bodies, mover) == island.bodies.end() || island.asleep ||
                island.report.status != StepStatus::ReachedTarget || !island.report.message.empty() ||
                island.report.degraded || island.report.unstable || velocity_steps(island) ||
                island.report.accepted == 0) {
                continue;
            }
            const double error = world.joint_error(id), size = size_of(world, island);
            if (!(error <= 1e-9 * size)) {
                return sentence("A joint among places of ", size, " m is ", error, " m open after a good step under ",
                                island.method->name, ".");
            }
            if (const double beyond = beyond_limits(world, id); beyond > 1e-6 * size) {
                return sentence("A joint among places of ", size, " m (or rad) is ", beyond,
                                " beyond a hard limit after a good step under ", island.method->name, ".");
            }
        }
    }
    return {};
}

bool refuses_joints(const World& world) {
    return std::ranges::any_of(world.islands(), [](const IslandView& island) {
        return island.report.message.find("cannot be closed") != std::string_view::npos;
    });
}

bool has_blown_up(const World& world) {
    constexpr double kBlownUp = 1e30;
    const auto beyond = [](const glm::dvec3& v) { return !(glm::length(v) < kBlownUp); };
    return std::ranges::any_of(world.bodies(), [&](BodyId id) {
        const Body body = world.body(id);
        return body.motion() == MotionType::Dynamic &&
               (beyond(body.pose().position) || beyond(body.linear_velocity()) || beyond(body.angular_velocity()));
    });
}

std::string broken_answer(World& world) {
    try {
        for (const BodyId id : world.bodies()) {
            const Body body = std::as_const(world).body(id);
            if (body.motion() != MotionType::Dynamic) {
                continue;
            }
            const Pose pose = world.pose(id);
            if (!is_finite(pose.position) || !is_finite(pose.orientation)) {
                return "A pose is not finite.";
            }
        }
        for (const JointId id : world.joints()) {
            world.joint_force(id); // not finite where the forces are not
            if (!std::isfinite(world.joint_error(id))) {
                return "A joint's error is not finite.";
            }
        }
        for (const Contact& contact : world.contacts()) {
            const auto is_placed = [&](BodyId body) {
                return world.is_valid(body) && is_finite(world.pose(body).position); // some paths end
            };
            if (!is_placed(contact.body_a) || !is_placed(contact.body_b)) {
                continue;
            }
            if (!is_finite(contact.point) || std::abs(glm::length(contact.normal) - 1.0) > 1e-9) {
                return "A contact has no place or no normal.";
            }
        }
        for (const Impact& impact : world.impacts()) {
            if (!is_finite(impact.impulse) || impact.t > world.time() || !std::isfinite(impact.approach_speed)) {
                return sentence("An impact makes no sense: impulse (", impact.impulse.x, ", ", impact.impulse.y, ", ",
                                impact.impulse.z, ") N s at ", impact.t, " s, ", impact.approach_speed, " m/s before.");
            }
        }
        if (!(world.energy().kinetic >= 0.0)) {
            return "The kinetic energy is no number, or negative.";
        }
        for (const SubstepAttempt& attempt : world.substep_attempts()) {
            if (!std::isfinite(attempt.h)) {
                return "An attempt at a substep has no length.";
            }
        }
        if (const auto limiting = world.limiting_quantity(); limiting && !world.is_valid(limiting->body)) {
            return "The limiting quantity is that of no body.";
        }
        world.snapshot();
        if (world.settings().energy_ledger) {
            world.energy_ledger();
        }
    } catch (const std::exception& refusal) {
        return std::string("A question was refused: ") + refusal.what();
    }
    return {};
}

double allowed_remainder(const World& world, const EnergyLedger& before, const EnergyLedger& after, double tolerance,
                         std::int64_t substeps) {
    // Energies that were added up, and what moved: each is known to round-off and to the tolerance.
    double moved = 0.0, size = 0.0;
    const auto add = [&](double from, double to) {
        moved += std::abs(to - from);
        size = std::max({size, std::abs(from), std::abs(to)});
    };
    add(before.kinetic, after.kinetic);
    add(before.gravity, after.gravity);
    add(before.drives, after.drives);
    add(before.friction, after.friction);
    add(before.restitution, after.restitution);
    add(before.applied, after.applied);
    add(before.prescribed, after.prescribed);
    add(before.joints, after.joints);
    for (std::size_t i = 0; i < std::min(before.fields.size(), after.fields.size()); ++i) {
        add(before.fields[i].potential, after.fields[i].potential);
        add(before.fields[i].work, after.fields[i].work);
    }
    // A substep's error: tolerance (1 + size of the body's own motion) in metres over 0.1 s.
    double slack = 0.0;
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        if (body.motion() == MotionType::Dynamic) {
            const double speed = glm::length(body.linear_velocity()) + glm::length(body.angular_velocity());
            slack += body.mass_properties().mass * (speed + 1.0) * (speed + 1.0);
        }
    }
    const double count = static_cast<double>(std::max<std::int64_t>(substeps, 1));
    return 100.0 * tolerance * count * (moved + slack) + 1e-12 * size;
}

} // namespace hostile
