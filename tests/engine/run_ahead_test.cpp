// RunAhead: results that do not depend on the frame rate, and dense samples.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

// Angles of the pendulum at whole seconds, stepped by the given frame lengths over and over.
std::vector<double> angles_at_seconds(double tolerance, const std::vector<double>& frames, int seconds) {
    Pendulum pendulum(adaptive(tolerance, Boundary::RunAhead));
    std::vector<double> angles;
    std::size_t next = 0;
    for (int second = 1; second <= seconds; ++second) {
        while (pendulum.world.time() < second - 1e-9) {
            pendulum.world.advance(std::min(frames[next], second - pendulum.world.time()));
            next = (next + 1) % frames.size();
        }
        angles.push_back(pendulum.angle());
    }
    return angles;
}

} // namespace

TEST_CASE("under RunAhead 30, 60, 144 fps and irregular frames agree within 20 tolerances over a swing") {
    for (const double tolerance : {1e-6, 1e-8}) {
        CAPTURE(tolerance);
        const auto reference = angles_at_seconds(tolerance, {1.0 / 60.0}, 5);
        std::mt19937 random(1);
        std::uniform_real_distribution<double> length(0.004, 0.05);
        std::vector<double> irregular(97);
        std::generate(irregular.begin(), irregular.end(), [&] { return length(random); });
        for (const auto& frames : {std::vector{1.0 / 30.0}, std::vector{1.0 / 144.0}, irregular}) {
            const auto angles = angles_at_seconds(tolerance, frames, 5);
            for (std::size_t i = 0; i < angles.size(); ++i) {
                CHECK(angle_between(angles[i], reference[i]) < 20.0 * tolerance);
            }
        }
    }
}

TEST_CASE("a pendulum costs and errs alike at 10 to 240 frames a second, under every adaptive method that runs ahead") {
    constexpr int kSeconds = 6;
    struct Cost {
        double evaluations = 0.0; // a second
        double error = 0.0;       // rad, where frames of all rates meet
    };
    const auto cost_of = [&](std::string_view method, double tolerance, int fps) {
        IntegratorSettings settings = adaptive(tolerance, Boundary::RunAhead);
        settings.method = method;
        Pendulum pendulum(settings);
        Cost cost;
        for (int frame = 1; frame <= kSeconds * fps; ++frame) {
            const StepReport report = pendulum.world.advance(1.0 / fps);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK(report.boundary == Boundary::RunAhead);
            cost.evaluations += static_cast<double>(report.evaluations) / kSeconds;
            if (2 * frame % fps == 0) {
                const double exact = pendulum_angles()[static_cast<std::size_t>(60 * frame / fps)];
                cost.error = std::max(cost.error, angle_between(pendulum.angle(), exact));
            }
        }
        return cost;
    };
    int methods = 0;
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive || info.needs != MethodNeeds::Derivative) {
            continue; // splittings are read from a cubic, for which frames may be short enough or not
        }
        ++methods;
        CAPTURE(std::string(info.name));
        for (const double tolerance : {1e-6, 1e-8}) {
            CAPTURE(tolerance);
            const Cost at_60 = cost_of(info.name, tolerance, 60);
            for (const int fps : {10, 30, 144, 240}) {
                CAPTURE(fps);
                const Cost cost = cost_of(info.name, tolerance, fps);
                CHECK(std::max(cost.evaluations, at_60.evaluations) <=
                      1.3 * std::min(cost.evaluations, at_60.evaluations));
                CHECK(cost.error < 100.0 * tolerance);
            }
        }
    }
    CHECK(methods >= 8);
}

TEST_CASE("dense samples follow the exact pendulum between frames as well as the frames themselves") {
    Pendulum pendulum(adaptive(1e-9, Boundary::RunAhead));
    // The reference at 1/240 s: four times finer frames of the fixed method.
    Pendulum reference(fixed("rk4", 5));
    double worst = 0.0;
    for (int frame = 0; frame < 200; ++frame) {
        pendulum.world.advance(kFrame);
        for (int quarter = 1; quarter <= 4; ++quarter) {
            reference.world.advance(kFrame / 4.0);
            const Pose pose = pendulum.world.sample(pendulum.body, reference.world.time());
            worst = std::max(worst, glm::length(pose.position - reference.world.pose(reference.body).position));
        }
    }
    CHECK(worst < 1e-6); // local 1e-9 a substep, growing over 3 s; the cubic through frames alone would miss 4e-8
    CHECK(worst > 0.0);
}

TEST_CASE("samples under Exact are the cubic through the frame's ends, with its known error") {
    Pendulum pendulum(fixed("rk4", 20));
    Pendulum reference(fixed("rk4", 10));
    double worst = 0.0;
    for (int frame = 0; frame < 200; ++frame) {
        pendulum.world.advance(kFrame);
        reference.world.advance(kFrame / 2.0);
        const Pose middle = pendulum.world.sample(pendulum.body, reference.world.time());
        worst = std::max(worst, glm::length(middle.position - reference.world.pose(reference.body).position));
        reference.world.advance(kFrame / 2.0);
    }
    CHECK(worst > 1e-9);
    CHECK(worst < 4e-7); // h^4 y'''' / 384 with y'''' up to some hundred m/s^4
}

TEST_CASE("sampling changes nothing: the same bits with and without it") {
    Pendulum sampled(adaptive(1e-7, Boundary::RunAhead));
    Pendulum left_alone(adaptive(1e-7, Boundary::RunAhead));
    for (int frame = 0; frame < 200; ++frame) {
        sampled.world.advance(kFrame);
        left_alone.world.advance(kFrame);
        sampled.world.sample(sampled.body, sampled.world.time() - 0.5 * kFrame);
        REQUIRE(sampled.world.hash() == left_alone.world.hash());
    }
}

TEST_CASE("before the first step a sample at any time is the pose") {
    Pendulum pendulum(adaptive(1e-7, Boundary::RunAhead));
    for (const double t : {-1.0, 0.0, 1.0}) {
        CHECK(pendulum.world.sample(pendulum.body, t).position == pendulum.world.pose(pendulum.body).position);
    }
}

TEST_CASE("bodies created or destroyed since the last step do not disturb samples of the others inside it") {
    World world = mixed_world(adaptive(1e-7, Boundary::RunAhead)); // with a force field, which dense output evaluates
    for (int frame = 0; frame < 40; ++frame) {
        world.advance(kFrame);
    }
    const BodyId kept = world.bodies()[0];
    const double t = world.time() - 0.3 * kFrame;
    const Pose before = world.sample(kept, t);
    world.destroy_body(world.bodies()[1]); // of the same island
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.linear_velocity = {5.0, 0.0, 0.0};
    const BodyId fresh = world.create_body(desc);
    CHECK(glm::length(world.sample(kept, t).position - before.position) < 1e-5); // the cubic instead
    CHECK(world.sample(fresh, t).position == glm::dvec3(0.0));
}

TEST_CASE("a chain's budget is never exceeded over random settings, and degraded is said") {
    std::mt19937 random(5);
    int degraded = 0;
    for (int trial = 0; trial < 60; ++trial) {
        IntegratorSettings settings = random() % 2 == 0 ? adaptive(1e-12, Boundary::Exact) : fixed("rk4", 16);
        settings.boundary = random() % 2 == 0 ? Boundary::Exact : Boundary::RunAhead;
        settings.budget = 6 + static_cast<int>(random() % 40);
        World world({.integrator = settings});
        add_chain(world, 1 + static_cast<int>(random() % 4));
        for (int frame = 0; frame < 20; ++frame) {
            const StepReport report = world.advance(kFrame);
            REQUIRE(report.evaluations <= settings.budget); // one island
            REQUIRE(report.status == StepStatus::ReachedTarget);
            degraded += report.degraded;
        }
    }
    CHECK(degraded > 0);
}

TEST_CASE("every adaptive method sees the error of a steady turn, whose leading terms may change only lengths, or be "
          "none at all") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive) {
            continue;
        }
        for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
            if (tolerance < 1e-9 && info.order < 5) {
                continue; // thousands of substeps that show the same
            }
            CAPTURE(info.name);
            CAPTURE(tolerance);
            IntegratorSettings settings = adaptive(tolerance, Boundary::RunAhead);
            settings.method = info.name;
            World world({.gravity = glm::dvec3(0.0), .integrator = settings});
            constexpr double kRate = 8.0; // rad/s
            BodyDesc desc;
            desc.mass = 1.0;
            desc.shape = Sphere{0.1};
            desc.angular_velocity = {0.0, 0.0, kRate};
            const BodyId ball = world.create_body(desc);
            const double r = 0.1 * std::sqrt(0.4); // m, of gyration
            std::int64_t substeps = 0;
            double largest = 0.0;
            for (int frame = 1; frame <= 600; ++frame) {
                substeps += world.advance(kFrame).accepted;
                const double half = 0.5 * kRate * frame * kFrame;
                largest = std::max(
                    largest, angle_between(world.pose(ball).orientation, {std::cos(half), 0.0, 0.0, std::sin(half)}));
            }
            // What all of them may do together; dense output adds no more than a hundred substeps' worth. By angles
            // alone dormand_prince853 made 8e-8 at 1e-12, forty times this.
            CHECK(largest < static_cast<double>(substeps + 100) * tolerance * (1.0 + r) / r);
        }
    }
}

TEST_CASE("frames that run ahead are those of Exact within the tolerance, for bodies that turn at any rate") {
    struct Turning {
        const char* name;
        Shape shape;
        glm::dvec3 rate; // rad/s
    };
    const Turning bodies[] = {{"slow ball", Sphere{0.1}, {0.0, 0.0, 0.3}},
                              {"ball", Sphere{0.1}, {3.0, 0.0, 7.0}},
                              {"fast ball", Sphere{0.1}, {0.0, 200.0, 0.0}},
                              {"rod about its length", Capsule{0.02, 0.5}, {0.0, 40.0, 0.0}},
                              {"tumbling box", Box{{0.1, 0.2, 0.3}}, {0.1, 2.0, 0.1}}};
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        for (const double tolerance : {1e-4, 1e-7}) {
            for (const Turning& body : bodies) {
                if (!info.adaptive || (tolerance < 1e-4 && info.order == 1 && body.name == bodies[4].name)) {
                    continue; // substeps by the thousand for the box, at first order
                }
                CAPTURE(info.name);
                CAPTURE(tolerance);
                CAPTURE(std::string(body.name));
                const auto make = [&](Boundary boundary) {
                    IntegratorSettings settings = adaptive(tolerance, boundary);
                    settings.method = info.name;
                    World world({.gravity = glm::dvec3(0.0), .integrator = settings}); // its error would limit h
                    BodyDesc desc;
                    desc.mass = 1.0;
                    desc.collides = false;
                    desc.shape = body.shape;
                    desc.angular_velocity = body.rate;
                    desc.linear_velocity = {1.0, 2.0, 0.0};
                    world.create_body(desc);
                    return world;
                };
                World ahead = make(Boundary::RunAhead);
                World exact = make(Boundary::Exact);
                const BodyId id = ahead.bodies()[0];
                const MassProperties mass = ahead.body(id).mass_properties();
                const double r =
                    std::sqrt(std::max({mass.inertia[0][0], mass.inertia[1][1], mass.inertia[2][2]}) / mass.mass);
                std::int64_t substeps = 0;
                for (int frame = 1; frame <= 120; ++frame) {
                    substeps += ahead.advance(kFrame).accepted + exact.advance(kFrame).accepted;
                    // What all substeps may do together; dense output adds no more than ten substeps' worth.
                    const double may_be = static_cast<double>(substeps + 10) * tolerance * (1.0 + r);
                    REQUIRE(angle_between(ahead.pose(id).orientation, exact.pose(exact.bodies()[0]).orientation) <
                            may_be / r);
                    REQUIRE(glm::length(ahead.pose(id).position - exact.pose(exact.bodies()[0]).position) <
                            may_be + 1e-12);
                }
            }
        }
    }
}

TEST_CASE("frames of a slender body that turns about a pivot keep to the tolerance, whatever little spin it has") {
    constexpr double kTolerance = 1e-8;
    constexpr double kHalf = 0.4; // m
    const ThinRod rod{kHalf, 0.025};
    const auto make = [&](std::string_view method, double tolerance, Boundary boundary, double spin) {
        IntegratorSettings settings = adaptive(tolerance, boundary);
        settings.method = method;
        settings.h_initial = 0.5; // within the tolerance by the error at its end, for methods of eighth order
        World world({.gravity = glm::dvec3(0.0), .integrator = settings});
        BodyDesc desc;
        desc.mass = 1.0;
        desc.shape = rod;
        desc.collides = false;
        desc.pose.orientation = glm::angleAxis(0.7, glm::normalize(glm::dvec3(0.3, 0.5, -0.8)));
        const glm::dvec3 along = desc.pose.orientation * glm::dvec3(1.0, 0.0, 0.0);
        const glm::dvec3 across = glm::normalize(glm::cross(along, glm::dvec3(0.2, 0.9, 0.4)));
        desc.pose.position = kHalf * along;
        desc.angular_velocity = 1.8 * across + spin * along;
        desc.linear_velocity = glm::cross(desc.angular_velocity, desc.pose.position);
        const BodyId body = world.create_body(desc);
        world.create_joint(ball(world, kGround, body, glm::dvec3(0.0)));
        return world;
    };
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive || info.needs != MethodNeeds::Derivative) {
            continue;
        }
        CAPTURE(std::string(info.name));
        for (const double spin : {0.0, 1e-9, 1e-7, 1e-5}) { // rad/s
            CAPTURE(spin);
            World ahead = make(info.name, kTolerance, Boundary::RunAhead, spin);
            World reference = make("dormand_prince853", 1e-13, Boundary::Exact, spin);
            const BodyId body = ahead.bodies()[0];
            const BodyId same = reference.bodies()[0];
            double place = 0.0; // m
            double rate = 0.0;  // rad/s
            for (int frame = 0; frame < 240; ++frame) {
                CHECK(ahead.advance(kFrame).boundary == Boundary::RunAhead);
                REQUIRE(reference.advance(kFrame).status == StepStatus::ReachedTarget);
                place = std::max(place, glm::length(ahead.pose(body).position - reference.pose(same).position));
                rate = std::max(
                    rate, glm::length(ahead.body(body).angular_velocity() - reference.body(same).angular_velocity()));
            }
            CHECK(place < 100.0 * kTolerance);
            // As the length that the rate makes within a tenth of a second, as the tolerance counts it.
            CHECK(0.1 * kHalf * rate < 100.0 * kTolerance);
        }
    }
}

TEST_CASE("sampling changes nothing in a world whose budget is divided by what islands asked for") {
    const auto make = [] {
        World world({.integrator = adaptive(1e-10, Boundary::RunAhead), .shared_budget = 150});
        for (int i = 0; i < 4; ++i) {
            add_chain(world, 1 + i); // four islands that need different shares
        }
        return world;
    };
    World sampled = make();
    World left_alone = make();
    std::int64_t evaluations = 0;
    for (int frame = 0; frame < 120; ++frame) {
        const StepReport report = sampled.advance(kFrame);
        const StepReport reference = left_alone.advance(kFrame);
        REQUIRE(sampled.hash() == left_alone.hash());
        REQUIRE(report.evaluations == reference.evaluations);
        evaluations += report.sampling_evaluations;
        for (const BodyId body : sampled.bodies()) {
            sampled.sample(body, sampled.time() - 0.4 * kFrame);
        }
        REQUIRE(sampled.snapshot().bytes == left_alone.snapshot().bytes);
    }
    CHECK(evaluations > 0); // where a budget ends substeps at the frame, looking costs some
}
