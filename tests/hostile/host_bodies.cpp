// Hostile hosts: bodies of their own under BodyIntegrator, with input that is not always good.
#include <cmath>
#include <limits>
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

} // namespace

std::string broken_by_host_bodies(Random& random) {
    IntegratorSettings settings = any_integrator(random);
    BodyIntegrator bodies, again;
    try {
        bodies.set_settings(settings);
        again.set_settings(settings);
    } catch (const std::invalid_argument&) {
        settings = {.budget = 100}; // unlimited, bodies of such inertias may take a day
        bodies.set_settings(settings);
        again.set_settings(settings);
    }

    std::vector<RigidState> states(1 + random.one_of(4));
    std::vector<RigidMass> masses(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        states[i] = {random.vector(3.0), random.orientation(), random.vector(3.0), random.vector(10.0)};
        masses[i].mass = random.decade(-5.0, 5.0);
        const double x = random.decade(-5.0, 5.0), y = random.decade(-5.0, 5.0), z = random.decade(-5.0, 5.0);
        masses[i].inertia = {x, y, z};
    }
    const double strength = random.decade(-1.0, 3.0);
    const double edge = random.chance(0.2) ? random.between(0.0, 4.0) : std::numeric_limits<double>::infinity();
    const auto forces = [&](double t, std::span<const RigidState> at, std::span<Wrench> wrenches) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            wrenches[i] = {strength * masses[i].mass * (glm::dvec3(0.0, t, 0.0) - at[i].position), {}};
            if (at[i].position.x > edge) {
                wrenches[i].force.y = std::numeric_limits<double>::quiet_NaN();
            }
        }
    };

    double t = random.between(-1.0, 1.0);
    for (int frame = 0; frame < 6; ++frame) {
        const double dt = random.chance(0.8) ? 1.0 / 60.0 : random.decade(-6.0, 0.0);
        if (random.chance(0.2)) {
            states[random.one_of(states.size())].velocity = random.vector(10.0);
        }
        std::vector<RigidState> bad = states;
        bool refuses = false;
        if (random.chance(0.1)) { // bad input: nothing may be done
            bad[0].velocity.y = std::numeric_limits<double>::infinity();
            refuses = true;
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

std::string broken_by_held_forces(Random& random) {
    BodyIntegrator bodies;
    std::vector<RigidState> states(1 + random.one_of(3));
    std::vector<RigidMass> masses(states.size());
    std::vector<Wrench> wrenches(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        states[i] = {random.vector(3.0), random.orientation(), random.vector(3.0), random.vector(10.0)};
        masses[i] = {random.decade(-3.0, 3.0), glm::dvec3(random.decade(-3.0, 3.0))};
    }
    double t = 0.0;
    for (int frame = 0; frame < 8; ++frame) {
        try {
            IntegratorSettings settings = any_integrator(random);
            settings.controller = random.chance(0.3) ? any_controller(random) : settings.controller;
            bodies.set_settings(settings);
        } catch (const std::invalid_argument&) {
            bodies.set_settings({.budget = 100});
        }
        if (random.chance(0.2)) {
            masses[0].mass = random.decade(-3.0, 3.0);
            bodies.model_changed();
        }
        if (random.chance(0.1)) {
            BodyIntegrator elsewhere(std::move(bodies));
            bodies = std::move(elsewhere);
        }
        for (Wrench& wrench : wrenches) {
            wrench = {random.vector(random.decade(-2.0, 3.0)), random.vector(random.decade(-2.0, 2.0))};
        }
        const bool bad = random.chance(0.1), too_few = random.chance(0.05);
        wrenches.back().torque.x = bad ? std::numeric_limits<double>::quiet_NaN() : wrenches.back().torque.x;
        const std::vector<RigidState> start = states;
        const auto given = std::span<const Wrench>(wrenches).first(wrenches.size() - (too_few ? 1 : 0));
        const double dt = random.chance(0.1) ? random.decade(-7.0, 0.0) : 1.0 / 60.0;
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

std::string broken_by_frame_clock(Random& random) {
    constexpr double kFrame = 1.0 / 60.0;
    const double dt = random.chance(0.5) ? kFrame : random.decade(-6.0, 3.0);
    const int most = 1 + static_cast<int>(random.one_of(20));
    FrameClock clock(dt, most);
    double given = 0.0, told = 0.0, remainder = 0.0;
    for (int tick = 0; tick < 50; ++tick) {
        const double elapsed = random.chance(0.1)   ? std::numeric_limits<double>::quiet_NaN()
                               : random.chance(0.1) ? -random.decade(-3.0, 3.0)
                                                    : random.decade(-4.0, 1.5) * dt;
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
