// Which regime holds a contact: modes and events, or the velocity steps that take over, and when.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../sanitized.h"
#include "contact_worlds.h"

using namespace engine_tests;

namespace {

IntegratorSettings method(std::string_view name, double tolerance = 1e-9, int substeps = 1, int budget = 0) {
    IntegratorSettings settings;
    settings.method = name;
    settings.atol = settings.rtol = tolerance;
    settings.substeps = substeps;
    settings.budget = budget;
    return settings;
}

// When velocity steps took over in the last step: they are the attempts that the world tells of.
double handed_over_at(const World& world) {
    double t = world.time();
    for (const SubstepAttempt& attempt : world.substep_attempts()) {
        t -= attempt.h;
    }
    return t;
}

// A rod, hinged at a carriage, whose tip, a small sphere, is pushed ahead along a rough plane. The carriage rises, so
// that the rod comes to stand more and more upright. Of the tip's normal force N the torque about the hinge is
// N (a - mu H), with a how far the contact is ahead of the hinge, and H how far below it: where the rod is as steep as
// the friction cone, N has grown beyond all bounds (Painleve 1895; Genot & Brogliato, Eur. J. Mech. A 18, 653, 1999).
struct PushedRod {
    static constexpr double kLength = 1.0;   // m, hinge to tip
    static constexpr double kTip = 0.05;     // m, radius of the sphere
    static constexpr double kFriction = 0.8; // of the pair
    static constexpr double kAngle = 1.0;    // rad from the vertical, at the start
    static constexpr double kGuard = 1e-3;   // of a: a - mu H where the guard trips
    static constexpr double kSpeed = 2.0;    // m/s, of the carriage, along the plane
    static constexpr double kRise = 0.4;     // m/s

    World world;
    BodyId carriage;
    BodyId rod;

    static WorldSettings across_the_rail(const IntegratorSettings& integrator) {
        WorldSettings settings = contact_settings(integrator);
        settings.gravity = kGravity * glm::normalize(glm::dvec3(kRise, -kSpeed, 0.0));
        return settings;
    }

    // `mass` of a carriage that coasts along a straight rail; 0: it moves as it must.
    PushedRod(const IntegratorSettings& settings, double mass) : world(across_the_rail(settings)) {
        add_ground(world, {.friction = kFriction});
        const double height = kTip + kLength * std::cos(kAngle);
        const glm::dvec3 velocity(kSpeed, kRise, 0.0);
        BodyDesc base;
        base.shape = Sphere{0.5};
        base.motion = mass > 0.0 ? MotionType::Dynamic : MotionType::Kinematic;
        base.mass = mass > 0.0 ? mass : 1.0;
        base.collides = false;
        base.pose.position = {0.0, height, 0.0};
        base.linear_velocity = velocity;
        carriage = world.create_body(base);

        const double rate = -kRise / (kLength * std::sin(kAngle)); // keeps the tip's height
        BodyDesc desc = sphere({kLength * std::sin(kAngle), kTip, 0.0}, kTip, {.friction = kFriction});
        desc.mass.reset();
        desc.mass_properties = MassProperties{1.0, {0.0, 0.5 * kLength, 0.0}, glm::dmat3(kLength * kLength / 12.0)};
        desc.pose.orientation = glm::angleAxis(kAngle, glm::dvec3(0.0, 0.0, 1.0));
        desc.linear_velocity = velocity + 0.5 * kLength * rate * glm::dvec3(std::cos(kAngle), std::sin(kAngle), 0.0);
        desc.angular_velocity = {0.0, 0.0, rate};
        rod = world.create_body(desc);
        world.create_joint(hinge(world, carriage, rod, base.pose.position, {0.0, 0.0, 1.0}));
        if (mass > 0.0) {
            world.create_joint(slider(world, kGround, carriage, base.pose.position, velocity));
        }
    }

    // Of a steadily rising carriage: a^2 = L^2 - (H - r)^2, and a (1 - guard) = mu H.
    static double trips_at() {
        const double mu = kFriction / (1.0 - kGuard);
        const double one = 1.0 + mu * mu;
        const double height = (kTip + std::sqrt(kTip * kTip + one * (kLength * kLength - kTip * kTip))) / one;
        return (height - kTip - kLength * std::cos(kAngle)) / kRise;
    }
};

} // namespace

TEST_CASE("a rod pushed along a rough plane is handed to velocity steps at the instant where friction jams it") {
    for (const char* name :
         {"dormand_prince54", "dormand_prince853", "cash_karp54", "tsitouras54", "bogacki_shampine32"}) {
        CAPTURE(name);
        PushedRod s(method(name), 0.0);
        StepReport report;
        int frames = 0;
        while (!s.world.islands()[0].handed_over) {
            report = s.world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            REQUIRE(++frames < 120);
        }
        // a / H falls at 1.1 / s there, and N' / N = 1e3 times that: what is left of a tolerance of 1e-9 in the angle.
        CHECK(std::abs(handed_over_at(s.world) - PushedRod::trips_at()) <= 1e-8);
        CHECK(report.order == 1);
        CHECK(report.message.find("Painleve") != std::string_view::npos);
    }
}

TEST_CASE(
    "a carriage that jams its rod loses energy, whatever the method, and nothing that is not finite comes of it") {
    for (const IntegrationMethod* each : method_catalogue()) {
        CAPTURE(each->info().name);
        if (each->info().imaginary_limit < 0.1) {
            continue; // explicit Euler gains energy wherever something swings
        }
        if (kSanitized && each->info().adaptive && each->info().order < 2) {
            continue; // a thousand times the evaluations, each like those of the others
        }
        PushedRod s(method(each->info().name, 1e-9, 8), 1e4);
        WorldSettings unbounded = s.world.settings();
        unbounded.bound = 0; // first order to 1e-9 takes 28 000 evaluations a frame, and 30 times that for events
        s.world.set_settings(unbounded);
        double least = s.world.energy().total();
        const double weight = kGravity * PushedRod::kLength; // J, the rod's: that of the carriage does not change
        bool handed_over = false;
        for (int frame = 0; frame < 120; ++frame) {
            const StepReport report = s.world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            handed_over = handed_over || s.world.islands()[0].handed_over;
            const double energy = s.world.energy().total();
            CHECK(energy <= least + 1e-3 * weight);
            least = std::min(least, energy);
        }
        CHECK(handed_over == (each->info().needs != MethodNeeds::VelocityStep));
        CHECK(s.world.pose(s.rod).position.y >= PushedRod::kTip - 1e-3);
    }
}

TEST_CASE(
    "a spent budget hands contacts over to velocity steps, is not exceeded, and gives them back when it suffices") {
    for (const IntegrationMethod* each : method_catalogue()) {
        for (const int budget : {1, 2, 3, 5, 8, 13}) {
            CAPTURE(each->info().name);
            CAPTURE(budget);
            if (each->info().needs == MethodNeeds::VelocityStep && budget < each->info().stages) {
                continue; // is on velocity steps already, and cannot pay for one
            }
            WorldSettings settings = contact_settings(method(each->info().name, 1e-8, 4, budget));
            World world(settings);
            const Material material{.friction = 0.5, .restitution = 0.3};
            add_ground(world, material, 0.4);
            add_ground(world, material, -0.4);
            const double rest = 0.1 / std::cos(0.4); // carried by both planes
            BodyDesc desc = sphere({0.0, rest + 0.002, 0.0}, 0.1, material);
            desc.linear_velocity = {0.0, 0.0, 1.0}; // slides for 0.2 s
            const BodyId ball = world.create_body(desc);
            StepReport report;
            for (int frame = 0; frame < 120; ++frame) {
                report = world.advance(kFrame);
                CHECK(report.evaluations <= budget);
                CHECK(report.status == StepStatus::ReachedTarget);
                CHECK(world.time() == doctest::Approx((frame + 1) * kFrame).epsilon(1e-12));
            }
            CHECK(std::abs(world.pose(ball).position.y - rest) <= 1e-3);
            settings.integrator.budget = 0;
            world.set_settings(settings);
            for (int frame = 0; frame < 20; ++frame) {
                report = world.advance(kFrame);
            }
            const bool holds_modes = each->info().needs == MethodNeeds::Derivative;
            CHECK(world.islands()[0].handed_over == (each->info().needs != MethodNeeds::VelocityStep && !holds_modes));
            CHECK(report.order == (holds_modes ? each->info().order : 1));
            CHECK(report.degraded == (report.velocity_steps.unconverged > 0)); // sweeps between two planes are slow
        }
    }
}

TEST_CASE("thirty spheres that are thrown on a heap hardly penetrate, though one hits the next within a step") {
    for (const char* name : {"impulse_euler", "dormand_prince54"}) {
        for (const double e : {0.0, 0.3}) {
            CAPTURE(name);
            CAPTURE(e);
            const Material material{.friction = 0.5, .restitution = e};
            World world(contact_settings(method(name, 1e-8, 4)));
            add_ground(world, material);
            for (const glm::dvec3& axis : {glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(0.0, 0.0, 1.0)}) {
                for (const double tilt : {-0.9, 0.9}) {
                    BodyDesc wall;
                    wall.motion = MotionType::Static;
                    wall.shape = Plane{};
                    wall.material = material;
                    wall.pose.orientation = glm::angleAxis(tilt, axis);
                    world.create_body(wall);
                }
            }
            std::mt19937 random(3);
            std::uniform_real_distribution<double> uniform(-0.2, 0.2);
            for (int i = 0; i < 30; ++i) {
                const double x = uniform(random);
                add_sphere(world, {x, 0.5 + 0.12 * i, uniform(random)}, 0.1, material);
            }
            double deepest = 0.0; // m, beyond what is left of the overlaps of up to 8 cm that they begin with
            for (int frame = 0; frame < 100; ++frame) { // the last one falls onto the heap at 8 m/s, in the 60th
                REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
                const double left = std::max(0.0, 0.08 - 3.0 * (frame + 1) * kFrame);
                for (const Contact& contact : world.contacts()) {
                    deepest = std::max(deepest, -contact.gap - left);
                }
            }
            // 2.6e-5 m were measured, what the solver's sweeps leave; 7e-3 with contacts that only close by themselves.
            // Convex steps, which take over from the other method, give way by 3.3e-4 m; by 1e-2 if they did not look
            // for whom those meet that were hit.
            CHECK(deepest <= (std::string_view(name) == "impulse_euler" ? 1e-4 : 5e-4));
        }
    }
}

TEST_CASE("a velocity step that runs out of iterations says so, and what error of velocities it left") {
    // Towers at rest: the exact velocities are zero, so that what is left is the error.
    const auto tower = [](int spheres, double& speed) {
        World world(contact_settings(fixed("impulse_euler", 1)));
        add_ground(world, {.friction = 0.5});
        for (int i = 0; i < spheres; ++i) {
            add_sphere(world, {0.0, 0.1 + 0.2 * i, 0.0}, 0.1, {.friction = 0.5});
        }
        const StepReport report = world.advance(kFrame);
        speed = 0.0;
        for (const BodyId body : world.bodies()) {
            speed = std::max(speed, glm::length(world.body(body).linear_velocity()));
        }
        return report;
    };
    double speed = 0.0;
    const StepReport one = tower(1, speed);
    CHECK(one.velocity_steps.unconverged == 0);
    CHECK(one.velocity_steps.residual < 1e-9);
    CHECK(speed < 1e-9);
    // Twenty sweeps pass a load on through few spheres; what the last one still changed is what is reported, and of the
    // order of the error: 7e-4 m/s beside 5e-4 for three of them, 0.04 beside 0.13 for twelve.
    for (const int spheres : {3, 12}) {
        CAPTURE(spheres);
        const StepReport report = tower(spheres, speed);
        CHECK(report.velocity_steps.unconverged == 1);
        CHECK(report.velocity_steps.residual > 0.2 * speed);
        CHECK(report.velocity_steps.residual < 2.0 * speed);
    }
}
