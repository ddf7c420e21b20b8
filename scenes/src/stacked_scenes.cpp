// What stands on one another without a joint: a tower, a wall that narrows, dominoes, and an arch of wedges.
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kCube = 0.25; // m, half of a cube's side

Scene begin_stack(double friction) {
    Scene scene;
    scene.world = World(smooth_settings(1e-6));
    add_plane(scene, 0.0, {.friction = friction});
    scene.frames = 180;
    return scene;
}

BodyDesc stone_of(const Shape& shape, const glm::dvec3& place, double friction) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = shape;
    desc.pose.position = place;
    desc.material.friction = friction;
    return desc;
}

Scene make_tower_scene(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    Scene scene = begin_stack(values[1]);
    for (int i = 0; i < count; ++i) {
        add_body(scene, "cube", stone_of(Box{glm::dvec3(kCube)}, {0.0, kCube * (2 * i + 1), 0.0}, values[1]));
    }
    const double height = 2.0 * kCube * count;
    scene.energy_scale = 0.5 * kGravity * height * count;
    scene.energy_scale_meaning = "work of building the tower";
    scene.view = {{0.0, 0.5 * height, 0.0}, 1.4 * height + 2.0, 0.5, 0.15};
    return scene;
}

Scene make_pyramid_scene(std::span<const double> values) {
    const int rows = static_cast<int>(values[0]);
    Scene scene = begin_stack(values[1]);
    const double side = 2.0 * kCube;
    double lifted = 0.0; // m, of all together
    for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < rows - row; ++i) {
            const double height = side * row + kCube;
            const double aside = 1.1 * side * (i - 0.5 * (rows - row - 1));
            add_body(scene, "cube", stone_of(Box{glm::dvec3(kCube)}, {aside, height, 0.0}, values[1]));
            lifted += height;
        }
    }
    scene.energy_scale = kGravity * lifted;
    scene.energy_scale_meaning = "work of building the wall";
    scene.view = {{0.0, 0.4 * side * rows, 0.0}, 1.3 * side * rows + 2.0, 0.4, 0.2};
    return scene;
}

Scene make_dominoes(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    const double apart = values[1];
    const double push = values[2];
    constexpr double kFriction = 0.4;
    const glm::dvec3 half{0.04, 0.25, 0.125}; // m
    Scene scene = begin_stack(kFriction);
    for (int i = 0; i < count; ++i) {
        BodyDesc stone = stone_of(Box{half}, {apart * (i - 0.5 * (count - 1)), half.y, 0.0}, kFriction);
        if (i == 0) { // it turns about its lower edge
            stone.angular_velocity = {0.0, 0.0, -push};
            stone.linear_velocity = glm::cross(stone.angular_velocity, glm::dvec3(-half.x, half.y, 0.0));
        }
        add_body(scene, "domino", stone);
    }
    scene.energy_scale = kGravity * half.y * count;
    scene.energy_scale_meaning = "work of lifting all stones by half of their height";
    scene.frames = 300;
    scene.view = {{half.y, half.y, 0.0}, 1.3 * apart * count + 2.0, 0.5, 0.3}; // the last one falls farther
    return scene;
}

// A wedge of an arch with its centre in the middle of the ground: from one angle to the other, about its own middle.
std::shared_ptr<const ConvexHull> wedge(double from, double to, double inner, double outer, const glm::dvec3& middle) {
    constexpr double kHalfDepth = 0.2; // m
    std::vector<glm::dvec3> corners;
    for (const double angle : {from, to}) {
        for (const double radius : {inner, outer}) {
            for (const double z : {-kHalfDepth, kHalfDepth}) {
                corners.push_back(glm::dvec3(radius * std::cos(angle), radius * std::sin(angle), z) - middle);
            }
        }
    }
    return ConvexHull::make(corners);
}

Scene make_arch(std::span<const double> values) {
    const int count = static_cast<int>(values[0]);
    const double thickness = values[1];
    Scene scene = begin_stack(values[2]);
    double lifted = 0.0;
    for (int i = 0; i < count; ++i) {
        const double from = std::numbers::pi * i / count;
        const double to = std::numbers::pi * (i + 1) / count;
        const double middle_angle = 0.5 * (from + to);
        const glm::dvec3 middle(std::cos(middle_angle), std::sin(middle_angle), 0.0);
        const ScaledHull shape{wedge(from, to, 1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness, middle)};
        add_body(scene, "wedge", stone_of(shape, middle, values[2]));
        lifted += middle.y;
    }
    scene.energy_scale = kGravity * lifted;
    scene.energy_scale_meaning = "work of building the arch";
    scene.view = {{0.0, 0.5, 0.0}, 4.0, 0.4, 0.15};
    return scene;
}

SceneParameter friction_of_stones(double value) {
    return {.name = "friction",
            .label = "friction",
            .unit = "",
            .value = value,
            .minimum = 0.0,
            .maximum = 2.0,
            .meaning = "Between all stones, and of them on the ground."};
}

} // namespace

SceneInfo tower_scene() {
    return {.name = "tower",
            .title = "Tower of cubes",
            .description = "Cubes stand on one another; how far the top sinks is what the contacts give way.",
            .group = "stacks",
            .contacts = true,
            .parameters = {{.name = "cubes",
                            .label = "cubes",
                            .unit = "",
                            .value = 10.0,
                            .minimum = 1.0,
                            .maximum = 80.0,
                            .meaning = "Cubes of 0.5 m. Contacts give way: a tower of 90 would buckle.",
                            .integer = true},
                           friction_of_stones(0.5)},
            .make = make_tower_scene};
}

SceneInfo pyramid_scene() {
    return {.name = "pyramid",
            .title = "Wall that narrows",
            .description = "Rows of cubes stand on one another, each of one cube less; from 150 cubes on it is a pile.",
            .group = "stacks",
            .contacts = true,
            .parameters = {{.name = "rows",
                            .label = "rows",
                            .unit = "",
                            .value = 6.0,
                            .minimum = 1.0,
                            .maximum = 30.0,
                            .meaning = "Rows of cubes of 0.5 m: 20 rows are 210 cubes.",
                            .integer = true},
                           friction_of_stones(0.5)},
            .make = make_pyramid_scene};
}

SceneInfo dominoes_scene() {
    return {.name = "dominoes",
            .title = "Dominoes",
            .description = "The first stone of a row is pushed, and each brings down the next.",
            .group = "stacks",
            .contacts = true,
            .parameters = {{.name = "stones",
                            .label = "stones",
                            .unit = "",
                            .value = 12.0,
                            .minimum = 1.0,
                            .maximum = 200.0,
                            .meaning = "Stones of 0.5 m.",
                            .integer = true},
                           {.name = "apart",
                            .label = "apart",
                            .unit = "m",
                            .value = 0.25,
                            .minimum = 0.1,
                            .maximum = 0.7,
                            .meaning = "From stone to stone; beyond 0.58 m they miss one another."},
                           {.name = "push",
                            .label = "push",
                            .unit = "rad/s",
                            .value = 1.5,
                            .minimum = 0.0,
                            .maximum = 6.0,
                            .meaning = "Rate at which the first stone begins to turn over; below 0.9 it falls back."}},
            .make = make_dominoes};
}

SceneInfo arch_scene() {
    return {.name = "arch",
            .title = "Arch of wedges",
            .description = "Wedges without mortar stand as a half circle if it is thick enough: a tenth of its radius.",
            .group = "stacks",
            .contacts = true,
            .parameters = {{.name = "wedges",
                            .label = "wedges",
                            .unit = "",
                            .value = 9.0,
                            .minimum = 3.0,
                            .maximum = 31.0,
                            .meaning = "Wedges of the half circle.",
                            .integer = true},
                           {.name = "thickness",
                            .label = "thickness",
                            .unit = "m",
                            .value = 0.3,
                            .minimum = 0.03,
                            .maximum = 0.6,
                            .meaning = "Of the arch, whose middle line has a radius of 1 m; below about 0.1 it falls."},
                           friction_of_stones(0.8)},
            .make = make_arch};
}

} // namespace substep::detail
