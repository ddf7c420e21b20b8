// Hostile hosts: bodies of their own under BodyIntegrator, with input that is not always good.
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "ingredients.h"
#include "life.h"

namespace hostile {

using namespace substep;

namespace {

bool is_finite(const RigidState& state) {
    return std::isfinite(glm::dot(state.position, state.position)) &&
           std::isfinite(glm::dot(state.velocity, state.velocity)) &&
           std::isfinite(glm::dot(state.orientation, state.orientation)) &&
           std::isfinite(glm::dot(state.angular_velocity, state.angular_velocity));
}

bool same(const RigidState& a, const RigidState& b) {
    return a.position == b.position && a.orientation == b.orientation && a.velocity == b.velocity &&
           a.angular_velocity == b.angular_velocity;
}

RigidState any_state(Draws draw) {
    RigidState state;
    state.position = draw.vector("position", 3.0);
    state.orientation = draw.orientation("orientation");
    state.velocity = draw.vector("velocity", 3.0);
    state.angular_velocity = draw.vector("angular_velocity", 10.0);
    return state;
}

} // namespace

std::string broken_by_host_bodies(Draws draw) {
    IntegratorSettings settings = any_integrator(draw.part("integrator"));
    BodyIntegrator bodies, again;
    try {
        bodies.set_settings(settings);
        again.set_settings(settings);
    } catch (const std::invalid_argument&) {
        settings = {.budget = 100}; // unlimited, bodies of such inertias may take a day
        bodies.set_settings(settings);
        again.set_settings(settings);
    }

    std::vector<RigidState> states;
    std::vector<RigidMass> masses;
    for (Draws body : draw.list("bodies", [](Random& random) { return 1 + random.one_of(4); })) {
        states.push_back(any_state(body));
        const double mass = body.decade("mass", -5.0, 5.0);
        // Of masses spread along three axes: any others no body has.
        const glm::dvec3 along = body.three_decades("inertia", -5.0, 5.0);
        masses.push_back({mass, {along.y + along.z, along.z + along.x, along.x + along.y}});
    }
    const double strength = draw.decade("strength", -1.0, 3.0);
    const double edge = draw.number("edge", [](Random& random) {
        return random.chance(0.2) ? random.between(0.0, 4.0) : std::numeric_limits<double>::infinity();
    });
    const auto forces = [&](double t, std::span<const RigidState> at, std::span<Wrench> wrenches) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            wrenches[i] = {strength * masses[i].mass * (glm::dvec3(0.0, t, 0.0) - at[i].position), {}};
            if (at[i].position.x > edge) {
                wrenches[i].force.y = std::numeric_limits<double>::quiet_NaN();
            }
        }
    };

    double t = draw.between("t", -1.0, 1.0);
    struct Frame {
        double dt;
        std::optional<std::size_t> kicked;
        glm::dvec3 velocity;
        bool refuses; // bad input: nothing may be done
    };
    std::vector<Frame> frames;
    for (Draws one : draw.list("frames", 6)) {
        Frame frame{};
        frame.dt =
            one.number("dt", [](Random& random) { return random.chance(0.8) ? 1.0 / 60.0 : random.decade(-6.0, 0.0); });
        if (one.chance("is_kicked", 0.2)) {
            frame.velocity = one.vector("velocity", 10.0);
            frame.kicked = one.one_of("kicked", states.size());
        }
        frame.refuses = one.chance("is_bad", 0.1);
        frames.push_back(frame);
    }
    for (const auto& [dt, kicked, velocity, refuses] : frames) {
        if (kicked) {
            states[*kicked].velocity = velocity;
        }
        std::vector<RigidState> bad = states;
        if (refuses) {
            bad[0].velocity.y = std::numeric_limits<double>::infinity();
        }
        std::vector<RigidState> others = bad;
        const std::vector<RigidState> start = bad;
        const StepReport report = bodies.advance(bad, masses, t, dt, forces);
        again.advance(others, masses, t, dt, forces);
        for (std::size_t i = 0; i < bad.size(); ++i) {
            if (refuses ? !same(bad[i], start[i]) : !is_finite(bad[i])) {
                return refuses ? "A host's bad input changed its bodies." : "A host's body is not finite after a step.";
            }
            if (!refuses && !same(bad[i], others[i])) {
                return "Two hosts that do the same get other bits under " + settings.method + ".";
            }
        }
        if (refuses != (report.status == StepStatus::InvalidInput)) {
            return "A host's input was good and refused, or bad and taken.";
        }
        if (!succeeded(report.status) && (report.message.empty() || report.message.back() != '.')) {
            return "A host's step ended with " + std::string(to_string(report.status)) + " and says no sentence.";
        }
        if (settings.budget > 0 && report.evaluations > settings.budget) {
            return "A host's budget was exceeded under " + settings.method + ".";
        }
        if (!refuses) {
            states = bad;
            t += dt;
        }
    }
    return {};
}

std::string broken_by_held_forces(Draws draw) {
    BodyIntegrator bodies;
    std::vector<RigidState> states;
    std::vector<RigidMass> masses;
    for (Draws body : draw.list("bodies", [](Random& random) { return 1 + random.one_of(3); })) {
        states.push_back(any_state(body));
        const double mass = body.decade("mass", -3.0, 3.0);
        masses.push_back({mass, glm::dvec3(body.decade("inertia", -3.0, 3.0))});
    }
    struct Frame {
        IntegratorSettings settings;
        std::optional<double> mass;
        bool moves;
        std::vector<Wrench> wrenches;
        bool bad, too_few;
        double dt;
    };
    std::vector<Frame> frames;
    for (Draws one : draw.list("frames", 8)) {
        Frame frame{};
        frame.settings = any_integrator(one.part("integrator"));
        if (one.chance("has_controller", 0.3)) {
            frame.settings.controller = any_controller(one.part("controller"));
        }
        if (one.chance("changes_mass", 0.2)) {
            frame.mass = one.decade("mass", -3.0, 3.0);
        }
        frame.moves = one.chance("moves", 0.1);
        for (Draws held : one.list("wrenches", states.size())) {
            const glm::dvec3 force = held.vector_of_decade("force", -2.0, 3.0);
            frame.wrenches.push_back({force, held.vector_of_decade("torque", -2.0, 2.0)});
        }
        frame.bad = one.chance("is_bad", 0.1);
        frame.too_few = one.chance("has_too_few", 0.05);
        frame.dt =
            one.number("dt", [](Random& random) { return random.chance(0.1) ? random.decade(-7.0, 0.0) : 1.0 / 60.0; });
        frames.push_back(frame);
    }
    double t = 0.0;
    for (auto& [settings, mass, moves, wrenches, bad, too_few, dt] : frames) {
        try {
            bodies.set_settings(settings);
        } catch (const std::invalid_argument&) {
            bodies.set_settings({.budget = 100});
        }
        if (mass) {
            masses[0].mass = *mass;
            bodies.model_changed();
        }
        if (moves) {
            BodyIntegrator elsewhere(std::move(bodies));
            bodies = std::move(elsewhere);
        }
        wrenches.back().torque.x = bad ? std::numeric_limits<double>::quiet_NaN() : wrenches.back().torque.x;
        const std::vector<RigidState> start = states;
        const auto given = std::span<const Wrench>(wrenches).first(wrenches.size() - (too_few ? 1 : 0));
        const StepReport report = bodies.advance_constant(states, masses, t, dt, given);
        if (too_few && report.status != StepStatus::InvalidInput) {
            return "Forces for fewer bodies than there are were taken.";
        }
        if (bad && report.status == StepStatus::ReachedTarget) {
            return "A step under a torque that is no number is called good.";
        }
        for (std::size_t i = 0; i < states.size(); ++i) {
            if (!is_finite(states[i]) || (report.status == StepStatus::InvalidInput && !same(states[i], start[i]))) {
                return "A host's body is not finite, or was moved by a step that was refused.";
            }
        }
        if (!succeeded(report.status) && (report.message.empty() || report.message.back() != '.')) {
            return "A host's step ended with " + std::string(to_string(report.status)) + " and says no sentence.";
        }
        t += dt;
    }
    return {};
}

std::string broken_by_frame_clock(Draws draw) {
    const double dt =
        draw.number("dt", [](Random& random) { return random.chance(0.5) ? 1.0 / 60.0 : random.decade(-6.0, 3.0); });
    const int most = 1 + static_cast<int>(draw.one_of("more_steps", 20));
    FrameClock clock(dt, most);
    double given = 0.0, told = 0.0, remainder = 0.0;
    const auto any_times = [&](Random& random) {
        std::vector<double> times(50);
        for (double& elapsed : times) {
            elapsed = random.chance(0.1)   ? std::numeric_limits<double>::quiet_NaN()
                      : random.chance(0.1) ? -random.decade(-3.0, 3.0)
                                           : random.decade(-4.0, 1.5) * dt;
        }
        return times;
    };
    for (const double elapsed : draw.numbers("elapsed", any_times)) {
        given += elapsed > 0.0 ? elapsed : 0.0;
        const FrameClock::Tick result = clock.tick(elapsed);
        told += result.steps * dt + result.lost;
        remainder = result.remainder;
        if (result.steps < 0 || result.steps > most || !(remainder >= 0.0 && remainder < dt) || !(result.lost >= 0.0)) {
            return "A frame clock asks for more steps than it may, or keeps more than a step.";
        }
    }
    // Every tick rounds a few times, at the size of what was given.
    if (!(std::abs(told + remainder - given) <= 1e-12 * given)) {
        return "A frame clock loses time.";
    }
    return {};
}

} // namespace hostile
