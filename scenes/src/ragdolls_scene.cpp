// Ragdolls: dolls of twelve bodies, on ball joints and hinges with limits, fall on a few boxes and on one another.
//
// No exact solution is known. What is checked instead: joints stay closed, limits are kept, nobody gets into the ground
// by more than contacts give way, and energy does not rise.
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "mixed_shapes.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

// Parts of a doll, as it stands upright with its arms hanging down; y from its soles, x to its left.
struct Part {
    const char* name;
    glm::dvec3 place; ///< m
    Shape shape;
    double mass; ///< kg
};

enum PartNumber : std::size_t {
    kPelvis,
    kBelly,
    kChest,
    kHead,
    kArm,
    kForearm = 6,
    kThigh = 8,
    kShin = 10,
    kParts = 12
};

std::array<Part, kParts> parts_of_doll() {
    const Shape arm = Capsule{0.045, 0.10};
    const Shape forearm = Capsule{0.04, 0.11};
    const Shape thigh = Capsule{0.07, 0.15};
    const Shape shin = Capsule{0.055, 0.16};
    return {{{"pelvis", {0.0, 0.98, 0.0}, Box{{0.15, 0.075, 0.1}}, 10.0},
             {"belly", {0.0, 1.14, 0.0}, Box{{0.13, 0.075, 0.085}}, 9.0},
             {"chest", {0.0, 1.34, 0.0}, Box{{0.17, 0.115, 0.11}}, 16.0},
             {"head", {0.0, 1.62, 0.0}, Sphere{0.12}, 5.0},
             {"arm", {-0.23, 1.28, 0.0}, arm, 2.5},
             {"arm", {0.23, 1.28, 0.0}, arm, 2.5},
             {"forearm", {-0.23, 0.98, 0.0}, forearm, 2.0},
             {"forearm", {0.23, 0.98, 0.0}, forearm, 2.0},
             {"thigh", {-0.1, 0.69, 0.0}, thigh, 8.0},
             {"thigh", {0.1, 0.69, 0.0}, thigh, 8.0},
             {"shin", {-0.1, 0.24, 0.0}, shin, 4.0},
             {"shin", {0.1, 0.24, 0.0}, shin, 4.0}}};
}

// Poses are given in the doll's frame, which is `at` in the world.
void add_doll(Scene& scene, const Pose& at, double friction) {
    std::array<BodyId, kParts> bodies;
    const std::array<Part, kParts> parts = parts_of_doll();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        BodyDesc desc;
        desc.name = parts[i].name;
        desc.mass = parts[i].mass;
        desc.shape = parts[i].shape;
        desc.pose = {at.position + at.orientation * parts[i].place, at.orientation};
        desc.material.friction = friction;
        const auto role = i == kHead ? NodeAppearance::Role::Bob : NodeAppearance::Role::Body;
        bodies[i] = add_body(scene, parts[i].name, desc, role);
    }
    const auto world_point = [&](const glm::dvec3& place) { return at.position + at.orientation * place; };
    const auto cone = [&](std::size_t a, std::size_t b, const glm::dvec3& point, const glm::dvec3& axis, double swing,
                          double twist) {
        scene.world.create_joint(cone_twist(scene.world, bodies[a], bodies[b], world_point(point),
                                            at.orientation * axis,
                                            {.swing = swing, .twist_lower = -twist, .twist_upper = twist}));
    };
    // Elbows bend forwards and knees backwards, both about x.
    const auto bend = [&](std::size_t a, std::size_t b, const glm::dvec3& point, double lower, double upper) {
        JointDesc desc =
            hinge(scene.world, bodies[a], bodies[b], world_point(point), at.orientation * glm::dvec3{1.0, 0.0, 0.0});
        desc.limits.push_back({.axis = JointAxis::AngleZ, .lower = lower, .upper = upper});
        scene.world.create_joint(desc);
    };
    const glm::dvec3 up{0.0, 1.0, 0.0};
    cone(kPelvis, kBelly, {0.0, 1.06, 0.0}, up, 0.4, 0.3);
    cone(kBelly, kChest, {0.0, 1.22, 0.0}, up, 0.4, 0.3);
    cone(kChest, kHead, {0.0, 1.48, 0.0}, up, 0.6, 0.8);
    for (std::size_t side = 0; side < 2; ++side) {
        const double x = side == 0 ? -1.0 : 1.0;
        cone(kChest, kArm + side, {0.23 * x, 1.42, 0.0}, -up, 1.6, 0.8);
        bend(kArm + side, kForearm + side, {0.23 * x, 1.13, 0.0}, -2.4, 0.05);
        cone(kPelvis, kThigh + side, {0.1 * x, 0.9, 0.0}, -up, 1.2, 0.5);
        bend(kThigh + side, kShin + side, {0.1 * x, 0.46, 0.0}, -0.05, 2.4);
    }
}

Scene make_ragdolls(std::span<const double> values) {
    const auto count = static_cast<std::size_t>(values[0]);
    const double friction = values[1];
    Scene scene;
    scene.world = World(smooth_settings(1e-4));
    add_plane(scene, 0.0, {.friction = friction});

    // A few boxes to fall on.
    for (std::size_t i = 0; i < 4; ++i) {
        BodyDesc box;
        box.mass = 40.0;
        box.shape = Box{{0.3, 0.3, 0.3}};
        box.pose.position = {i % 2 == 0 ? -0.7 : 0.7, 0.3, i < 2 ? -0.7 : 0.7};
        box.pose.orientation = turn_about_y(0.4 * static_cast<double>(i));
        box.material.friction = friction;
        add_body(scene, "box", box);
    }

    // Dolls in layers of four, each turned in its own way about its middle.
    double lifted = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const glm::dvec3 middle{i % 2 == 0 ? -0.75 : 0.75, 1.9 + 1.9 * static_cast<double>(i / 4),
                                i % 4 < 2 ? -0.75 : 0.75};
        const glm::dquat turn = scattered_turn(i);
        add_doll(scene, {middle - turn * glm::dvec3{0.0, 0.9, 0.0}, turn}, friction);
        lifted += 73.0 * middle.y;
    }
    scene.energy_scale = kGravity * lifted;
    scene.energy_scale_meaning = "work of lifting the dolls from the ground";
    scene.frames = 180;
    const double top = 1.9 + 1.9 * static_cast<double>((count + 3) / 4);
    scene.view = {{0.0, 0.35 * top, 0.0}, 5.0 + 0.8 * top, 0.6, 0.3};
    return scene;
}

} // namespace

SceneInfo ragdolls_scene() {
    return {
        .name = "ragdolls",
        .title = "Ragdolls",
        .description = "Dolls of twelve bodies, on joints with limits, fall on boxes and on one another.",
        .group = "piles",
        .contacts = true,
        .is_large = true,
        .parameters = {{.name = "dolls",
                        .label = "dolls",
                        .unit = "",
                        .value = 3.0,
                        .minimum = 1.0,
                        .maximum = 40.0,
                        .meaning = "Dolls of 73 kg, with eleven joints each; a frame costs more than in proportion.",
                        .integer = true},
                       {.name = "friction",
                        .label = "friction",
                        .unit = "",
                        .value = 0.5,
                        .minimum = 0.0,
                        .maximum = 2.0,
                        .meaning = "Between all surfaces."}},
        .make = make_ragdolls};
}

} // namespace substep::detail
