// A thousand bodies of one shape, or of all, that fall into a pit.
//
// No exact solution is known. What is checked instead: nobody leaves the pit or gets into floor and walls by more than
// contacts give way, nobody is left hanging, and once all rest, the floor carries their weight.
#include <algorithm>
#include <span>
#include <string>

#include "mixed_shapes.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kBodyRadius = 0.3;   // m, of the ball that holds a body
constexpr double kPitchOfGrid = 0.62; // m: balls do not touch where they begin
constexpr double kWall = 0.25;        // m, half a wall's thickness
constexpr std::size_t kMixedChoice = kMixedKinds;

void add_pit(Scene& scene, double half, double height, const Material& material) {
    add_plane(scene, 0.0, material);
    for (int side = 0; side < 4; ++side) {
        const bool along_x = side < 2;
        const double out = (side % 2 == 0 ? 1.0 : -1.0) * (half + kWall);
        BodyDesc wall;
        wall.motion = MotionType::Static;
        wall.pose.position = {along_x ? out : 0.0, 0.5 * height, along_x ? 0.0 : out};
        const double length = half + 2.0 * kWall;
        wall.shape = along_x ? Box{{kWall, 0.5 * height, length}} : Box{{length, 0.5 * height, kWall}};
        wall.material = material;
        const BodyId body = scene.world.create_body(wall);
        // Its picture is a low rim, or it would hide what it holds.
        const double rim = 0.15;
        Pose low{{0.0, rim - 0.5 * height, 0.0}, kNoTurn};
        const Box shown = along_x ? Box{{kWall, rim, length}} : Box{{length, rim, kWall}};
        const NodeIndex group = scene.graph.add({"wall", kNoNode, wall.pose, std::nullopt, body});
        scene.graph.add({"wall", group, low, NodeAppearance{shown, NodeAppearance::Role::Support}, kGround});
    }
}

Scene make_thousand(std::span<const double> values) {
    const auto count = static_cast<std::size_t>(values[0]);
    const auto choice = static_cast<std::size_t>(values[1]);
    const Material material{.friction = values[2]};
    Scene scene;
    scene.world = World(smooth_settings(1e-4));
    std::size_t across = 1;
    while (across * across * across < count) {
        ++across;
    }
    const std::size_t layer = across * across;
    const double half = 0.5 * kPitchOfGrid * static_cast<double>(across);
    const double top = kPitchOfGrid * (static_cast<double>((count + layer - 1) / layer) + 1.0);
    add_pit(scene, half, 2.0 * top, material);

    double lifted = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t kind = choice == kMixedChoice ? i : choice;
        const auto along = [&](std::size_t place) {
            return kPitchOfGrid * (static_cast<double>(place) - 0.5 * static_cast<double>(across - 1));
        };
        BodyDesc desc;
        desc.mass = 1.0;
        desc.shape = mixed_shape(kind, kBodyRadius);
        desc.pose.position = {along(i % across), kBodyRadius + 0.02 + kPitchOfGrid * static_cast<double>(i / layer),
                              along(i / across % across)};
        desc.pose.position += 0.008 * glm::dvec3{scattered(3 * i), scattered(3 * i + 1), scattered(3 * i + 2)};
        desc.pose.orientation = scattered_turn(i);
        desc.material = material;
        const bool is_odd = i / layer % 2 == 1; // layers in two colours
        add_body(scene, mixed_name(kind), desc, is_odd ? NodeAppearance::Role::Bob : NodeAppearance::Role::Body);
        lifted += desc.pose.position.y;
    }
    scene.energy_scale = kGravity * lifted;
    scene.energy_scale_meaning = "work of lifting all from the floor to where they begin";
    scene.frames = 240;
    scene.view = {{0.0, 0.4 * top, 0.0}, 3.4 * std::max(half, 0.5 * top) + 2.0, 0.6, 0.45};
    return scene;
}

} // namespace

SceneInfo thousand_scene() {
    return {.name = "thousand",
            .title = "A thousand in a pit",
            .description = "Bodies of one shape, or of all, fall into a pit and come to rest: what a pile costs.",
            .group = "piles",
            .contacts = true,
            .is_large = true,
            .parameters = {{.name = "bodies",
                            .label = "bodies",
                            .unit = "",
                            .value = 1000.0,
                            .minimum = 1.0,
                            .maximum = 1000.0,
                            .meaning = "Bodies of 1 kg; a frame costs in proportion.",
                            .integer = true},
                           {.name = "shape",
                            .label = "shape",
                            .unit = "",
                            .value = 0.0,
                            .minimum = 0.0,
                            .maximum = static_cast<double>(kMixedChoice),
                            .meaning = "0 cubes, 1 spheres, 2 capsules, 3 cylinders, 4 cones, 5 hulls, 6 all of them.",
                            .integer = true},
                           {.name = "friction",
                            .label = "friction",
                            .unit = "",
                            .value = 0.5,
                            .minimum = 0.0,
                            .maximum = 2.0,
                            .meaning = "Between all bodies, and of them on floor and walls."}},
            .make = make_thousand};
}

} // namespace substep::detail
