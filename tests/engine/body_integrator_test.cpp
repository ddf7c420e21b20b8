// The form for hosts that keep their own bodies and forces.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

// A spring to the origin, and a torque that depends on the attitude.
Wrench pull(const glm::dvec3& x, const glm::dquat& q) { return {-4.0 * x, q * glm::dvec3(0.0, 0.1, 0.0)}; }

class Pull final : public ForceField {
public:
    Wrench at(double, const BodyMotion& body) const noexcept override { return pull(body.position, body.orientation); }
};

const auto kPull = [](double, std::span<const RigidState> states, std::span<Wrench> wrenches) {
    for (std::size_t i = 0; i < states.size(); ++i) {
        wrenches[i] = pull(states[i].position, states[i].orientation);
    }
};

// x'' = -4 x from x = 1 at rest.
std::array<RigidState, 1> spring_start() {
    std::array<RigidState, 1> state{};
    state[0].position = {1.0, 0.0, 0.0};
    return state;
}
constexpr std::array<RigidMass, 1> kMass{{{1.0, {1.0, 2.0, 3.0}}}};

} // namespace

TEST_CASE("BodyIntegrator gives the bits of a World with the same body and forces") {
    for (const IntegrationMethod* method : method_catalogue()) {
        CAPTURE(method->info().name);
        const IntegratorSettings settings = fixed(std::string(method->info().name), 3);
        World world({.gravity = glm::dvec3(0.0), .integrator = settings});
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), {1, 0, 0, 0, 2, 0, 0, 0, 3}};
        desc.pose.position = {1.0, 0.0, 0.0};
        const BodyId body = world.create_body(desc);
        world.add_force_field(std::make_unique<Pull>());

        BodyIntegrator integrator(settings);
        std::array<RigidState, 1> states = spring_start();
        constexpr double dt = 1.0 / 64.0; // exact in binary: n dt + dt is (n + 1) dt
        for (int frame = 0; frame < 100; ++frame) {
            world.advance(dt);
            integrator.advance(states, kMass, frame * dt, dt, kPull);
        }
        CHECK(states[0].position == world.pose(body).position);
        CHECK(states[0].velocity == world.body(body).linear_velocity());
        CHECK(states[0].orientation == world.pose(body).orientation);
        CHECK(states[0].angular_velocity == world.body(body).angular_velocity());
    }
}

TEST_CASE("the callback is shown orientations of unit length, in every stage of every method") {
    for (const IntegrationMethod* method : method_catalogue()) {
        CAPTURE(method->info().name);
        BodyIntegrator integrator(fixed(std::string(method->info().name), 1));
        std::array<RigidState, 1> states = spring_start();
        states[0].angular_velocity = {3.0, 20.0, 1.0}; // a third of a radian a frame: stages leave the unit sphere
        double worst = 0.0;
        int calls = 0;
        for (int frame = 0; frame < 10; ++frame) {
            integrator.advance(states, kMass, frame * kFrame, kFrame,
                               [&](double t, std::span<const RigidState> at, std::span<Wrench> wrenches) {
                                   worst = std::max(worst, std::abs(glm::length(at[0].orientation) - 1.0));
                                   ++calls;
                                   kPull(t, at, wrenches);
                               });
        }
        CHECK(calls >= 10);
        CHECK(worst < 1e-15); // round-off of four squares and two roots; a stage of rk4 is off by 1e-2 here
    }
}

TEST_CASE("BodyIntegrator runs ahead on untouched states and stays true to a spring") {
    BodyIntegrator integrator(adaptive(1e-9, Boundary::RunAhead));
    std::array<RigidState, 1> states = spring_start();
    std::int64_t evaluations = 0;
    for (int frame = 0; frame < 600; ++frame) {
        const StepReport report = integrator.advance(states, kMass, frame * kFrame, kFrame, kPull);
        CHECK(report.status == StepStatus::ReachedTarget);
        evaluations += report.evaluations;
    }
    CHECK(states[0].position.x == doctest::Approx(std::cos(20.0)).epsilon(1e-6)); // 1e-9 a substep, some 100 of them
    CHECK(evaluations < 6 * 600); // six a frame is what clipping at every frame costs at the least
}

TEST_CASE("BodyIntegrator runs ahead whether the host sums times, counts frames or has none alike") {
    struct Run {
        double evaluations = 0.0; // a second
        double error = 0.0;       // m
    };
    enum class Clock { Counts, Sums, Jitters };
    const auto run = [](const char* method, Clock clock, double fps) {
        IntegratorSettings settings = adaptive(1e-9, Boundary::RunAhead);
        settings.method = method;
        BodyIntegrator integrator(settings);
        std::array<RigidState, 1> states = spring_start();
        std::mt19937 random(1);
        std::uniform_real_distribution<double> length(1.0 / 240.0, 1.0 / 30.0);
        Run result;
        double t = 0.0;
        for (int frame = 0; t < 20.0; ++frame) {
            const double dt = clock == Clock::Jitters ? length(random) : 1.0 / fps;
            t = clock == Clock::Counts ? frame * dt : t;
            const StepReport report = integrator.advance(states, kMass, t, dt, kPull);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK(report.boundary == Boundary::RunAhead);
            CHECK_FALSE(report.restarted);
            t += dt;
            result.evaluations += static_cast<double>(report.evaluations) / 20.0;
            result.error = std::max(result.error, std::abs(states[0].position.x - std::cos(2.0 * t)));
        }
        return result;
    };
    for (const char* method : {"cash_karp54", "dormand_prince853"}) {
        CAPTURE(std::string(method));
        const Run at_60 = run(method, Clock::Sums, 60.0);
        for (const Clock clock : {Clock::Counts, Clock::Sums, Clock::Jitters}) {
            for (const double fps : {30.0, 60.0, 144.0, 240.0}) {
                CAPTURE(static_cast<int>(clock));
                CAPTURE(fps);
                const Run other = run(method, clock, fps);
                CHECK(std::max(other.evaluations, at_60.evaluations) <=
                      1.1 * std::min(other.evaluations, at_60.evaluations));
                CHECK(other.error < 1e-7); // 1e-9 a substep, some 100 of them
            }
        }
    }
}

TEST_CASE("the host's edits between two calls are noticed and obeyed") {
    BodyIntegrator integrator(adaptive(1e-9, Boundary::RunAhead));
    std::array<RigidState, 1> states = spring_start();
    for (int frame = 0; frame < 60; ++frame) {
        integrator.advance(states, kMass, frame * kFrame, kFrame, kPull);
    }
    states = spring_start(); // a teleport
    const StepReport report = integrator.advance(states, kMass, 1.0, kFrame, kPull);
    CHECK(report.restarted);
    CHECK(states[0].position.x == doctest::Approx(std::cos(2.0 * kFrame)).epsilon(1e-8));
}

TEST_CASE("constant forces make every method first order, and the report says so") {
    const auto error = [](int frames) {
        BodyIntegrator integrator(fixed("rk4", 1));
        std::array<RigidState, 1> states = spring_start();
        for (int frame = 0; frame < frames; ++frame) {
            const std::array<Wrench, 1> wrench{{{-4.0 * states[0].position, glm::dvec3(0.0)}}};
            const StepReport report =
                integrator.advance_constant(states, kMass, static_cast<double>(frame) / frames, 1.0 / frames, wrench);
            CHECK(report.order == 1);
        }
        return std::abs(states[0].position.x - std::cos(2.0));
    };
    CHECK(std::log2(error(60) / error(120)) == doctest::Approx(1.0).epsilon(0.1));
    BodyIntegrator integrator(fixed("rk4", 1));
    std::array<RigidState, 1> states = spring_start();
    CHECK(integrator.advance(states, kMass, 0.0, kFrame, kPull).order == 4);
}

TEST_CASE("BodyIntegrator ends what is too stiff within its bound, and nothing knows of one that is not met") {
    const auto advance = [](std::int64_t bound, double drag) {
        IntegratorSettings settings;
        settings.method = "cash_karp54";
        BodyIntegrator integrator(settings);
        integrator.set_bound(bound);
        std::array<RigidState, 1> states = spring_start();
        states[0].velocity = {1.0, 0.0, 0.0};
        const auto brake = [drag](double, std::span<const RigidState> at, std::span<Wrench> wrenches) {
            wrenches[0] = {-drag * at[0].velocity, glm::dvec3(0.0)};
        };
        const StepReport report = integrator.advance(states, kMass, 0.0, kFrame, brake);
        return std::pair(report, states[0].position.x);
    };
    constexpr std::int64_t kBound = 2000;
    const auto [met, place] = advance(kBound, 1e9);
    CHECK(met.met_bound);
    CHECK(met.degraded);
    CHECK(met.evaluations > kBound - 32);
    CHECK(met.evaluations <= kBound + 16);
    CHECK(std::abs(place - 1.0) <= kFrame); // m, at 1 m/s
    const auto [free, free_place] = advance(0, 1e6);
    const auto [bounded, bounded_place] = advance(100 * kBound, 1e6);
    CHECK(free.evaluations > kBound);
    CHECK(bounded.evaluations == free.evaluations);
    CHECK(bounded_place == free_place);
    CHECK(!bounded.met_bound);
}

TEST_CASE("BodyIntegrator refuses invalid masses, states and sizes and changes nothing") {
    BodyIntegrator integrator(fixed("rk4", 1));
    const auto refused = [&](auto states, auto masses, double dt) {
        const auto before = states;
        const StepReport report =
            integrator.advance(std::span<RigidState>(states), std::span<const RigidMass>(masses), 0.0, dt, kPull);
        CHECK(report.status == StepStatus::InvalidInput);
        CHECK(report.simulated == 0.0);
        for (std::size_t i = 0; i < states.size(); ++i) {
            CHECK(states[i].velocity == before[i].velocity);
        }
    };
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<RigidState> good(1);
    const std::vector<RigidMass> mass(1);
    refused(good, std::vector<RigidMass>(2), kFrame);
    refused(good, std::vector<RigidMass>{{-1.0, glm::dvec3(1.0)}}, kFrame);
    refused(good, std::vector<RigidMass>{{1.0, {1.0, 0.0, 1.0}}}, kFrame);
    refused(good, mass, 0.0);
    refused(good, mass, kNan);
    auto bad = good;
    bad[0].position.y = kNan;
    CHECK(integrator.advance(bad, mass, 0.0, kFrame, kPull).status == StepStatus::InvalidInput);
    bad = good;
    bad[0].orientation = glm::dquat(0.0, 0.0, 0.0, 0.0);
    refused(bad, mass, kFrame);
}

TEST_CASE("BodyIntegrator takes other masses and another number of bodies between calls") {
    BodyIntegrator integrator(fixed("rk4", 4));
    std::vector<RigidState> states(1);
    std::vector<RigidMass> masses(1);
    const auto push = [](double, std::span<const RigidState> s, std::span<Wrench> wrenches) {
        for (std::size_t i = 0; i < s.size(); ++i) {
            wrenches[i] = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        }
    };
    integrator.advance(states, masses, 0.0, 1.0, push);
    CHECK(states[0].velocity.x == doctest::Approx(1.0));
    masses[0].mass = 2.0;
    integrator.advance(states, masses, 1.0, 1.0, push);
    CHECK(states[0].velocity.x == doctest::Approx(1.5));
    states.resize(3);
    masses.resize(3);
    CHECK(integrator.advance(states, masses, 2.0, 1.0, push).status == StepStatus::ReachedTarget);
    CHECK(states[0].velocity.x == doctest::Approx(2.0));
    CHECK(states[2].velocity.x == doctest::Approx(1.0));
}
