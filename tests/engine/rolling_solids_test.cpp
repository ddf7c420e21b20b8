// What rolls slowly on its side in a pile: its points go round it, however little it turns in a frame.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "../sanitized.h"
#include "solid_worlds.h"

using namespace engine_tests;

namespace {

/// On a floor whose top is at zero, rolling about the x axis at a rate (rad/s).
BodyDesc rolling(const Shape& shape, double radius, double rate) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = shape;
    desc.pose.orientation = glm::angleAxis(0.5 * std::numbers::pi, glm::dvec3(0.0, 0.0, 1.0));
    desc.pose.position = {0.0, radius, 0.0};
    desc.angular_velocity = {rate, 0.0, 0.0};
    desc.linear_velocity = {0.0, 0.0, rate * radius};
    return desc;
}

/// A cone on its side, which rolls about the place of its tip.
BodyDesc rolling_cone(double radius, double height, double rate) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = TaperedCylinder{radius, 0.0, 0.5 * height};
    const double half_angle = std::atan(radius / height);
    desc.pose.orientation = glm::angleAxis(-0.5 * std::numbers::pi - half_angle, glm::dvec3(0.0, 0.0, 1.0));
    const glm::dvec3 axis = desc.pose.orientation * glm::dvec3(0.0, 1.0, 0.0);
    desc.pose.position = {0.0, -0.5 * height * axis.y, 0.0};
    desc.angular_velocity = {rate, 0.0, 0.0};
    desc.linear_velocity = glm::cross(desc.angular_velocity, -0.75 * height * axis); // of the centre, from the tip
    return desc;
}

} // namespace

TEST_CASE("solids that roll slowly in steps of piles neither gain energy nor lose much, at any frame rate") {
    struct Case {
        const char* name;
        BodyDesc (*make)(double rate);
    };
    const Case cases[] = {
        {"cylinder",
         [](double rate) {
             return rolling(Cylinder{0.45, 0.5}, 0.45, rate);
         }},
        {"capsule",
         [](double rate) {
             return rolling(Capsule{0.35, 0.45}, 0.35, rate);
         }},
        {"cone", [](double rate) { return rolling_cone(0.55, 1.1, rate); }},
    };
    for (const char* const method : {"soft_steps", "convex_step"}) {
        for (const Case& each : cases) {
            for (const double rate : {0.05, 0.2, 0.3}) {
                for (const int fps : {60, 120, 240}) {
                    CAPTURE(std::string(method));
                    CAPTURE(std::string(each.name));
                    CAPTURE(rate);
                    CAPTURE(fps);
                    if (kSanitized && fps != 60) {
                        continue;
                    }
                    IntegratorSettings settings;
                    settings.method = method;
                    World world(contact_settings(settings));
                    BodyDesc floor;
                    floor.motion = MotionType::Static;
                    floor.shape = Box{{50.0, 1.0, 50.0}};
                    floor.pose.position = {0.0, -1.0, 0.0};
                    world.create_body(floor);
                    world.create_body(each.make(rate));
                    const double before = world.energy().kinetic;
                    for (int frame = 0; frame < 5 * fps; ++frame) {
                        world.advance(1.0 / fps);
                    }
                    CHECK(world.energy().kinetic <= 1.0001 * before);
                    CHECK(world.energy().kinetic >= 0.98 * before);
                }
            }
        }
    }
}
