// Events of contacts that hold: found where they are, and free where they are not.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kRadius = 0.1;

IntegratorSettings method(const char* name, double tolerance) {
    IntegratorSettings settings;
    settings.method = name;
    settings.atol = settings.rtol = tolerance;
    return settings;
}

/// A light drag that counts how often it is asked.
class CountingDrag final : public ForceField {
public:
    explicit CountingDrag(std::atomic<int>& calls) : calls_(calls) {}
    Wrench at(double, const BodyMotion& body) const noexcept override {
        ++calls_;
        return {-0.01 * body.velocity, glm::dvec3(0.0)};
    }

private:
    std::atomic<int>& calls_;
};

} // namespace

TEST_CASE(
    "while a sphere slides or rolls, events are looked for where no stage has been, and reports ask for no force") {
    // Sixths of a substep without a stage within a twentieth: of rk4 all but the middle and one at its dense output's;
    // of the fifth orders 1/2 and 2/3; 1/2 of the eighth.
    const std::pair<const char*, int> looks[] = {
        {"rk4", 3}, {"dormand_prince54", 2}, {"cash_karp54", 2}, {"dormand_prince853", 1}};
    for (const auto& [chosen, sixths] : looks) {
        const char* const name = chosen;
        for (const double spin : {0.0, -20.0}) {
            CAPTURE(std::string(name));
            CAPTURE(spin);
            World world(contact_settings(method(name, 1e-8)));
            add_ground(world, {.friction = 0.05});
            BodyDesc desc = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = 0.05});
            desc.linear_velocity = {spin == 0.0 ? 5.0 : -spin * kRadius, 0.0, 0.0};
            desc.angular_velocity = {0.0, 0.0, spin};
            world.create_body(desc);
            std::atomic<int> calls{0};
            world.add_force_field(std::make_unique<CountingDrag>(calls));
            for (int frame = 0; frame < 5; ++frame) {
                world.advance(kFrame);
            }
            calls = 0;
            std::int64_t evaluations = 0;
            std::int64_t substeps = 0;
            for (int frame = 0; frame < 40; ++frame) { // it slides for 2 s
                const StepReport report = world.advance(kFrame);
                evaluations += report.evaluations;
                substeps += report.accepted;
                REQUIRE(world.contacts()[0].mode == (spin == 0.0 ? ContactMode::Slide : ContactMode::Stick));
            }
            CHECK(evaluations >= 160);
            CHECK(calls.load() == evaluations + sixths * substeps);
        }
    }
}

TEST_CASE("a sphere that slides over a field sharper than a substep is lifted, wherever in the substep that is") {
    // A bell of 1.6 cm to each side that lifts with three times the weight, at 5 m/s two fifths of a frame's path. No
    // stage of Dormand and Prince's fifth order lies between 0.3 and 0.8 of a substep: all may be outside of it.
    constexpr double kHalfWidth = 0.016;
    constexpr double kSpeed = 5.0;
    for (const char* name : {"cash_karp54", "dormand_prince54", "dormand_prince853"}) {
        for (int phase = 0; phase < 8; ++phase) {
            CAPTURE(std::string(name));
            CAPTURE(phase);
            World world(contact_settings(method(name, 1e-6)));
            add_ground(world, {.friction = 0.0});
            BodyDesc desc = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = 0.0});
            desc.linear_velocity = {kSpeed, 0.0, 0.0};
            const BodyId ball = world.create_body(desc);
            const double centre = 0.3 + phase * kSpeed * kFrame / 8.0;
            world.add_force_field(std::make_unique<CustomField>([centre](double, const BodyMotion& body) {
                const double u = (body.position.x - centre) / kHalfWidth;
                const double bell = std::abs(u) < 1.0 ? (1.0 - u * u) * (1.0 - u * u) : 0.0;
                return Wrench{{0.0, 3.0 * kGravity * body.mass * bell, 0.0}, glm::dvec3(0.0)};
            }));
            double top = 0.0;
            for (int frame = 0; frame < 8; ++frame) {
                REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
                top = std::max(top, world.pose(ball).position.y - kRadius);
            }
            CHECK(top > 1e-8); // seen at the ends of frames; without an event it is held to round-off
        }
    }
}

TEST_CASE(
    "a sphere that is pulled up harder and harder leaves the ground at the right moment, in steps of any length") {
    // N = m g - A t is zero at t* = m g / A; from there on y = A / 6 m (t - t*)^3.
    constexpr double kRamp = 20.0; // N/s
    const double leaves = kGravity / kRamp;
    for (const char* name : {"rk4", "dormand_prince54", "dormand_prince853"}) {
        for (const double dt : {kFrame, 0.1, 0.4}) {
            CAPTURE(std::string(name));
            CAPTURE(dt);
            World world(contact_settings(method(name, 1e-10)));
            add_ground(world, {.friction = 0.3});
            const BodyId ball = add_sphere(world, {0.0, kRadius, 0.0}, kRadius, {.friction = 0.3});
            world.add_force_field(std::make_unique<CustomField>([](double t, const BodyMotion&) {
                return Wrench{{0.0, kRamp * t, 0.0}, glm::dvec3(0.0)};
            }));
            while (world.time() < 0.79) {
                REQUIRE(world.advance(dt).status == StepStatus::ReachedTarget);
                const double t = world.time();
                const double height = t > leaves ? kRamp / 6.0 * std::pow(t - leaves, 3) : 0.0;
                CHECK(std::abs(world.pose(ball).position.y - kRadius - height) <= 1e-9);
            }
        }
    }
}

TEST_CASE("what rests on an incline is held by static friction, what slides is braked by the lesser one of motion") {
    const double tilt = std::atan(0.3);
    const glm::dvec3 normal(std::sin(tilt), std::cos(tilt), 0.0);
    const glm::dvec3 downhill(std::cos(tilt), -std::sin(tilt), 0.0);
    for (const double speed : {0.0, 1.0}) {
        CAPTURE(speed);
        const Material material{.friction = 0.2, .static_friction = 0.4};
        World world(contact_settings(method("dormand_prince54", 1e-10)));
        add_ground(world, material, -tilt);
        BodyDesc desc = sphere(kRadius * normal, kRadius, material);
        desc.locks_rotation = true;
        desc.linear_velocity = speed * downhill;
        const BodyId block = world.create_body(desc);
        for (int frame = 0; frame < 60; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        const double braked = kGravity * (std::sin(tilt) - 0.2 * std::cos(tilt));
        const double expected = speed == 0.0 ? 0.0 : speed + 0.5 * braked;
        CHECK(std::abs(glm::dot(world.pose(block).position, downhill) - expected) <= 1e-9);
    }
}
