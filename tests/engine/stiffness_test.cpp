// Stiffness: what `theta` does with chains and mass ratios that a frame does not resolve.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

IntegratorSettings theta(double value, int substeps = 1) {
    IntegratorSettings settings = fixed("theta", substeps);
    settings.theta = value;
    return settings;
}

World chain(const IntegratorSettings& settings, int links, bool hinges = false) {
    World world({.integrator = settings});
    const std::vector<BodyId> bodies = add_chain(world, links);
    if (hinges) {
        const std::vector<JointId> joints(world.joints().begin(), world.joints().end());
        for (std::size_t i = 0; i < joints.size(); ++i) {
            world.destroy_joint(joints[i]);
            world.create_joint(hinge(world, i == 0 ? kWorldBody : bodies[i - 1], bodies[i],
                                     {0.5 * static_cast<double>(i), 0.0, 0.0}, {0.0, 0.0, 1.0}));
        }
    }
    return world;
}

struct Run {
    double highest_energy = 0.0; // J, above the start
    double gap = 0.0;            // m
    double energy_change = 0.0;  // J, at the end
    bool arrived = true;
    bool unstable = false;
};

Run run(World world, int frames) {
    const double start = world.energy().total();
    Run run;
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport report = world.advance(kFrame);
        run.arrived &= report.status == StepStatus::ReachedTarget;
        run.unstable |= report.unstable;
        run.energy_change = world.energy().total() - start;
        run.highest_energy = std::max(run.highest_energy, run.energy_change);
        run.gap = std::max(run.gap, worst_joint_error(world));
    }
    return run;
}

} // namespace

TEST_CASE("theta holds long chains and 1000 kg on ten links at one step a frame: nothing gained, no gap") {
    for (const double value : {1.0, 0.5}) {
        CAPTURE(value);
        std::vector<std::pair<double, Run>> runs{
            {15800.0, run(mass_ratio_world(theta(value)), 600)}, // J: what each falls through at most
            {245.0, run(chain(theta(value), 10), 600)},
            {2450.0, run(chain(theta(value), 32, true), 600)},
        };
        // A whipping chain of 100 is beyond 1/2, which damps nothing: of 60 runs that differ by 1e-13 in gravity, 41
        // blew up.
        if (value == 1.0) {
            runs.emplace_back(24500.0, run(chain(theta(value), 100), 600));
        }
        for (const auto& [scale, result] : runs) {
            CAPTURE(scale);
            CHECK(result.arrived);
            CHECK_FALSE(result.unstable);
            CHECK(result.gap < 1e-12); // m, projected: of positions of 50 m
            // Damped for 1; what 1/2 adds is of second order, and was 9e-3 J at most.
            CHECK(result.highest_energy < 1e-5 * scale);
        }
    }
}

TEST_CASE("theta = 1/2 keeps the energy of 1000 kg on ten links to 1e-5 at one step a frame, theta = 1 loses a third") {
    CHECK(std::abs(run(mass_ratio_world(theta(0.5)), 600).energy_change) < 1e-5 * 15800.0); // measured 4e-7
    const double lost = -run(mass_ratio_world(theta(1.0)), 600).energy_change;
    CHECK(lost > 0.1 * 15800.0); // so a fallback, not a default: measured 0.35
    CHECK(lost < 0.5 * 15800.0);
}

TEST_CASE("theta = 1 damps a swing by 1 / sqrt(1 + omega^2 h^2) a step, as backward Euler does, and 1/2 does not") {
    // A pendulum of 1 mrad and omega^2 = 9.8: what is left after a minute. Cubic terms are of relative size 1e-7.
    for (const double value : {1.0, 0.5}) {
        CAPTURE(value);
        World world({.integrator = theta(value)});
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.001)};
        const double d = (1.0 + std::sqrt(0.996)) / 2.0; // d + I / (m d) = 1
        desc.pose.position = d * glm::dvec3(std::sin(1e-3), -std::cos(1e-3), 0.0);
        const BodyId body = world.create_body(desc);
        world.create_joint(ball(world, kWorldBody, body, glm::dvec3(0.0)));
        const auto amplitude = [&] {
            const double rate = glm::length(world.body(body).linear_velocity()) / d;
            const double angle = world.pose(body).position.x / d;
            return std::sqrt(angle * angle + rate * rate / 9.8);
        };
        const double start = amplitude();
        for (int frame = 0; frame < 600; ++frame) {
            world.advance(kFrame);
        }
        const double damped = std::pow(1.0 + 9.8 * kFrame * kFrame, -300.0);
        // The discrete swing conserves a quantity that differs from this one by omega h / 2 at most.
        CHECK(amplitude() / start == doctest::Approx(value == 1.0 ? damped : 1.0).epsilon(0.05));
    }
}

TEST_CASE("theta keeps fast spinning bodies on joints bounded: 100 boxes of any shape at up to 1000 rad/s") {
    std::mt19937_64 random(7);
    const auto uniform = [&](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
    for (int i = 0; i < 100; ++i) {
        World world({.integrator = theta(1.0)});
        BodyDesc desc;
        desc.shape = Box{{uniform(0.05, 0.5), uniform(0.05, 0.5), uniform(0.05, 0.5)}};
        desc.pose.position = {0.0, -0.5, 0.0};
        const double rate = std::pow(10.0, uniform(0.0, 3.0));
        desc.angular_velocity = rate * glm::normalize(glm::dvec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)));
        desc.linear_velocity = glm::cross(desc.angular_velocity, desc.pose.position);
        const BodyId body = world.create_body(desc);
        world.create_joint(ball(world, kWorldBody, body, glm::dvec3(0.0)));
        const double start = world.energy().kinetic;
        double highest = 0.0;
        for (int frame = 0; frame < 300; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            highest = std::max(highest, world.energy().kinetic);
        }
        CAPTURE(rate);
        // Half a turn and more a step: where it points is lost, but the momentum about the pivot is all that the step
        // can give back, about the axis of least inertia at worst. The weight adds 2 m g l.
        CHECK(highest < 150.0 * start + 2.0 * 9.8);
        CHECK(world.joint_error(world.joints().front()) < 1e-12);
    }
}

TEST_CASE("theta out of its range is refused") {
    for (const double value : {0.49, 1.01, -1.0, std::nan("")}) {
        CHECK_THROWS_AS(World({.integrator = theta(value)}), std::invalid_argument);
    }
}

TEST_CASE("whatever the budget, chains that it cannot resolve are stepped over by theta and do not blow up") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        const bool is_splitting = info.needs == MethodNeeds::KickDriftSplit;
        if (info.needs != MethodNeeds::Derivative && (!is_splitting || info.adaptive)) {
            continue; // an adaptive splitting may find no impulses that close the joints at any length it can pay for
        }
        // What one substep may take: with its own last stage evaluated again behind the projection, and for splittings
        // the evaluation that looks.
        const int one = info.stages + (info.first_same_as_last ? 1 : 0) + 1;
        for (const int substeps : {1, 2}) {
            for (const bool heavy : {true, false}) {
                CAPTURE(info.name);
                CAPTURE(substeps);
                CAPTURE(heavy);
                IntegratorSettings settings = fixed(std::string(info.name), 100);
                settings.atol = settings.rtol = 1e-6;
                settings.budget = substeps * one;
                World world = heavy ? mass_ratio_world(settings) : chain(settings, 30);
                const double scale = heavy ? 15800.0 : 2200.0; // J, that it falls through at most
                const double start = world.energy().total();
                std::int64_t fallen_back = 0;
                for (int frame = 0; frame < 300; ++frame) {
                    const StepReport report = world.advance(kFrame);
                    REQUIRE(report.status == StepStatus::ReachedTarget);
                    REQUIRE(report.evaluations <= settings.budget);
                    REQUIRE(world.energy().total() < start + 0.1 * scale);
                    fallen_back += report.fallback_substeps;
                    if (report.fallback_substeps > 0) {
                        CHECK(report.degraded);
                        CHECK_FALSE(report.message.empty());
                        CHECK(report.order == 1);
                    }
                }
                // 600 rad/s at the bottom: h omega = 10 and 5, within no method's limit but dormand_prince853's.
                CHECK((fallen_back > 0 || !heavy || info.imaginary_limit > 4.0));
            }
        }
    }
}

TEST_CASE("the guard leaves a budget that resolves the chain alone") {
    for (const char* name : {"dormand_prince54", "rk4", "velocity_verlet"}) {
        CAPTURE(name);
        IntegratorSettings settings = fixed(name, 20);
        settings.atol = settings.rtol = 1e-5;
        settings.budget = 1000;
        World world = mass_ratio_world(settings);
        const double start = world.energy().total();
        for (int frame = 0; frame < 300; ++frame) {
            const StepReport report = world.advance(kFrame);
            REQUIRE(report.fallback_substeps == 0);
            REQUIRE_FALSE(report.degraded);
        }
        CHECK(std::abs(world.energy().total() - start) < 1e-3 * 15800.0);
    }
}

TEST_CASE("a world whose substeps theta makes replays bit for bit from a snapshot") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        for (const int budget : {8, 13, 17, 30, 40}) {
            IntegratorSettings settings = adaptive(1e-5, boundary);
            settings.method = "dormand_prince54";
            settings.budget = budget;
            World world = mass_ratio_world(settings);
            std::int64_t fallen_back = 0;
            for (int frame = 0; frame < 60; ++frame) {
                world.advance(kFrame);
                const WorldSnapshot snapshot = world.snapshot();
                World again = mass_ratio_world(settings);
                again.restore(snapshot);
                for (int next = 0; next < 3; ++next) {
                    fallen_back += world.advance(kFrame).fallback_substeps;
                    again.advance(kFrame);
                    REQUIRE(again.hash() == world.hash());
                }
                world.restore(snapshot);
            }
            CAPTURE(budget);
            CHECK((fallen_back > 0 || budget > 20));
        }
    }
}

TEST_CASE("theta keeps a thrown sphere on the plane and makes it slide, then roll at 5/7 of its speed") {
    World world({.integrator = theta(1.0, 8)});
    BodyDesc floor;
    floor.motion = MotionType::Static;
    floor.shape = Plane{};
    floor.material.friction = 0.3;
    world.create_body(floor);
    BodyDesc desc;
    desc.shape = Sphere{0.1};
    desc.pose.position = {0.0, 0.1, 0.0};
    desc.linear_velocity = {1.0, 0.0, 0.0};
    desc.material.friction = 0.3;
    const BodyId ball = world.create_body(desc);
    for (int frame = 0; frame < 60; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        CHECK(std::abs(world.pose(ball).position.y - 0.1) < 1e-9);
    }
    // First order: v0 / (mu g) = 0.34 s of sliding in steps of 2 ms.
    CHECK(world.body(ball).linear_velocity().x == doctest::Approx(5.0 / 7.0).epsilon(0.01));
}
