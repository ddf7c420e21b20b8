// Balls that solids hold: by modes at the method's full order, from one part of a surface to the next.
#include <doctest/doctest.h>

#include <cmath>

#include "solid_worlds.h"

using namespace engine_tests;

namespace {

const double kQuarter = 0.5 * std::acos(-1.0);
constexpr double kBall = 0.1; // m

IntegratorSettings exact(const char* method) { return to_tolerance(method, 1e-12); }

/// A ball that slides from rest off a cylinder of radius R - r at an angle from its top: with y = R cos(angle), it is
/// at v^2 = 2 g R (cos(start) - cos(angle)) and parts where cos(angle) = 2/3 cos(start); then it flies.
struct SlidesOff {
    double radius = 0.0; // m, of the centre's way
    double start = 0.3;  // rad
    double parts_at() const { return std::acos(2.0 / 3.0 * std::cos(start)); }
    double speed() const { return std::sqrt(2.0 * kGravity * radius * (std::cos(start) - std::cos(parts_at()))); }
    // s; with angle = start + u^2 the integrand is smooth, and the midpoint rule converges at second order.
    double parts_after() const {
        constexpr int kParts = 200000;
        const double step = std::sqrt(parts_at() - start) / kParts;
        double sum = 0.0;
        for (int i = 0; i < kParts; ++i) {
            const double u = (i + 0.5) * step;
            sum += 2.0 * u * step / std::sqrt(2.0 * kGravity / radius * (std::cos(start) - std::cos(start + u * u)));
        }
        return sum;
    }
    glm::dvec2 at(double t) const { // behind parting
        const double angle = parts_at();
        const double dt = t - parts_after();
        const double v = speed();
        return {radius * std::sin(angle) + v * std::cos(angle) * dt,
                radius * std::cos(angle) - v * std::sin(angle) * dt - 0.5 * kGravity * dt * dt};
    }
};

} // namespace

TEST_CASE("balls slide off capsules, cylinders and edges as off a cylinder, and part where they must") {
    constexpr double kRadius = 0.5; // m
    const glm::dquat lying = glm::angleAxis(kQuarter, glm::dvec3(1.0, 0.0, 0.0));
    const struct {
        const char* name;
        Shape shape;
        Pose pose;
        double radius;
    } cases[] = {{"side of a capsule", Capsule{kRadius, 1.0}, {{}, lying}, kRadius},
                 {"end of a capsule", Capsule{kRadius, 1.0}, {{0.0, -1.0, 0.0}, glm::dquat(1, 0, 0, 0)}, kRadius},
                 {"side of a cylinder", Cylinder{kRadius, 1.0}, {{}, lying}, kRadius},
                 {"edge of a box", Box{{1.0, 0.5, 1.0}}, {{-1.0, -0.5, 0.0}, glm::dquat(1, 0, 0, 0)}, 0.0}};
    const Material smooth{.friction = 0.0, .restitution = 0.0};
    for (const auto& each : cases) {
        const SlidesOff truth{.radius = each.radius + kBall};
        for (const char* method : {"dormand_prince853", "cash_karp54"}) {
            for (const double fps : {10.0, 60.0, 240.0}) {
                CAPTURE(each.name);
                CAPTURE(method);
                CAPTURE(fps);
                World world(contact_settings(exact(method)));
                add_still(world, each.shape, each.pose, smooth);
                const BodyId ball = add_sphere(
                    world, truth.radius * glm::dvec3(std::sin(truth.start), std::cos(truth.start), 0.0), kBall, smooth);
                const int frames = static_cast<int>(std::ceil((truth.parts_after() + 0.2) * fps));
                for (int frame = 0; frame < frames; ++frame) {
                    const StepReport report = world.advance(1.0 / fps);
                    REQUIRE(report.status == StepStatus::ReachedTarget);
                    CHECK(report.velocity_steps.contacts == 0);
                    CHECK_FALSE(report.degraded);
                }
                const glm::dvec2 expected = truth.at(frames / fps);
                const glm::dvec3 found = world.body(ball).centre_of_mass();
                CHECK(std::abs(found.x - expected.x) < 1e-9);
                CHECK(std::abs(found.y - expected.y) < 1e-9);
                CHECK(std::abs(found.z) < 1e-12);
            }
        }
    }
}

TEST_CASE("a ball that rolls off a table flies on from its edge, or around it and keeps its energy") {
    const Material rough{.friction = 5.0};
    for (const char* method : {"dormand_prince853", "rk4"}) {
        for (const double speed : {1.0, 0.3}) { // at the edge, 1 m/s is too fast to go around it: v^2/r = 10 m/s^2
            CAPTURE(method);
            CAPTURE(speed);
            IntegratorSettings settings = exact(method);
            settings.substeps = 8;
            World world(contact_settings(settings));
            add_still(world, Box{{1.0, 0.5, 1.0}}, {{0.0, -0.5, 0.0}, glm::dquat(1, 0, 0, 0)}, rough);
            BodyDesc desc = sphere({1.0 - 0.5 * speed, kBall, 0.0}, kBall, rough);
            desc.linear_velocity = {speed, 0.0, 0.0};
            desc.angular_velocity = {0.0, 0.0, -speed / kBall};
            const BodyId ball = world.create_body(desc);
            const auto energy = [&] {
                const Body body = world.body(ball);
                const glm::dvec3 v = body.linear_velocity();
                const glm::dvec3 w = body.angular_velocity();
                return 0.5 * glm::dot(v, v) + 0.2 * kBall * kBall * glm::dot(w, w) + kGravity * body.centre_of_mass().y;
            };
            const double before = energy();
            for (int frame = 0; frame < 60; ++frame) {
                CHECK(world.advance(1.0 / 60.0).velocity_steps.contacts == 0);
            }
            const glm::dvec3 at = world.body(ball).centre_of_mass();
            if (speed == 1.0) {
                CHECK(std::abs(at.x - 1.5) < 1e-12);
                // The edge holds it for a hair longer (1e-12 m) than it is there.
                CHECK(std::abs(at.y - (kBall - 0.5 * kGravity * 0.25)) < 1e-11);
                CHECK(std::abs(energy() - before) < 1e-11);
            } else { // friction holds almost until it parts, and slips there
                CHECK(at.y < -0.5);
                CHECK(energy() <= before + 1e-9);
                CHECK(energy() > before - 2e-3);
            }
        }
    }
}

TEST_CASE("a ball that slides on from exactly over an edge, or a hair beside it, slides on the face") {
    const Material smooth{.friction = 0.0, .restitution = 0.0};
    for (const double far : {0.0, 1000.0}) {
        for (const double beside : {0.0, 1e-13, -1e-13, 1e-16}) {
            for (const double fps : {10.0, 60.0, 240.0}) {
                for (const double speed : {-0.05, -0.6}) {
                    CAPTURE(far);
                    CAPTURE(beside);
                    CAPTURE(fps);
                    CAPTURE(speed);
                    World world(contact_settings(exact("dormand_prince853")));
                    add_still(world, Box{glm::dvec3(0.5)}, {{far, -0.5, 0.0}, glm::dquat(1, 0, 0, 0)}, smooth);
                    BodyDesc desc = sphere({far + 0.5 + beside, kBall, 0.1}, kBall, smooth);
                    desc.linear_velocity = {speed, 0.0, 0.0};
                    const BodyId ball = world.create_body(desc);
                    for (int frame = 0; frame < static_cast<int>(0.5 * fps); ++frame) {
                        CHECK(world.advance(1.0 / fps).velocity_steps.contacts == 0);
                    }
                    CHECK(std::abs(world.body(ball).linear_velocity().x - speed) < 1e-10);
                    CHECK(std::abs(world.body(ball).centre_of_mass().y - kBall) < 1e-10);
                }
            }
        }
    }
}

TEST_CASE("a ball at rest on a box, a cylinder's end and a capsule's top is held by modes to the last bit") {
    for (const Shape& shape : {Shape(Box{{0.4, 0.5, 0.6}}), Shape(Cylinder{0.3, 0.5})}) {
        CAPTURE(shape.index());
        World world(contact_settings(exact("verner87")));
        add_still(world, shape, {{3.0, -0.5, 1.0}, glm::dquat(1, 0, 0, 0)}, {.friction = 0.5});
        const BodyId ball = add_sphere(world, {3.1, kBall, 1.05}, kBall, {.friction = 0.5});
        for (int frame = 0; frame < 300; ++frame) {
            const StepReport report = world.advance(1.0 / 60.0);
            CHECK(report.velocity_steps.contacts == 0);
        }
        CHECK(glm::length(world.body(ball).centre_of_mass() - glm::dvec3(3.1, kBall, 1.05)) < 1e-14);
        REQUIRE(world.contacts().size() == 1);
        CHECK(world.contacts()[0].mode == ContactMode::Stick);
        CHECK(std::abs(world.contacts()[0].force.y - kGravity) < 1e-12);
    }
}
