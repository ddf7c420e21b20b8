// A drum that turns about its level axis, and bodies that tumble in it: nothing here ever comes to rest, so that a pile
// is stirred for as long as one looks.
//
// No exact solution is known. What is checked instead: nobody gets out, and the drum's work is what friction and
// impacts took, and what the bodies have gained. (A chain wound on a drum is a scene of joints; this one is of piles.)
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "mixed_shapes.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kDrumRadius = 2.0; // m, inside
constexpr double kHalfDepth = 1.0;  // m, half of the inside
constexpr double kStave = 0.12;     // m, half of what staves are thick
constexpr int kStaves = 12;
constexpr int kLifters = 3;
constexpr double kLifter = 0.22;        // m, half of what they stand into the drum
constexpr double kTumblerRadius = 0.16; // m, of the ball that holds a body

void add_drum(Scene& scene, const glm::dvec3& centre, double rate, const Material& material) {
    BodyDesc drum;
    drum.motion = MotionType::Kinematic;
    drum.pose.position = centre;
    drum.angular_velocity = {0.0, 0.0, rate};
    const auto around = [](double angle, double radius, double z) {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(angle, s, c);
        return Pose{{radius * c, radius * s, z}, turn_about_z(angle)};
    };
    // Staves overlap at their edges; lifters stand on some of them.
    const double half_angle = std::numbers::pi / kStaves;
    const double stave_length = (kDrumRadius + 2.0 * kStave) * std::tan(half_angle);
    for (int i = 0; i < kStaves; ++i) {
        drum.colliders.push_back({.shape = Box{{kStave, stave_length, kHalfDepth}},
                                  .offset = around(2.0 * half_angle * i, kDrumRadius + kStave, 0.0)});
    }
    for (int i = 0; i < kLifters; ++i) {
        drum.colliders.push_back({.shape = Box{{kLifter, 0.08, kHalfDepth}},
                                  .offset = around(2.0 * std::numbers::pi * i / kLifters, kDrumRadius - kLifter, 0.0)});
    }
    for (ColliderDesc& part : drum.colliders) {
        part.material = material;
    }
    const BodyId body = scene.world.create_body(drum);
    const NodeIndex group = scene.graph.add({"drum", kNoNode, drum.pose, std::nullopt, body});
    for (const ColliderDesc& part : drum.colliders) {
        scene.graph.add(
            {"drum", group, part.offset, NodeAppearance{part.shape, NodeAppearance::Role::Support}, kGround});
    }
}

// The lids stand still, and are not seen: half spaces cost least.
void add_lids(Scene& scene, const Material& material) {
    for (const double side : {-1.0, 1.0}) {
        BodyDesc lid;
        lid.motion = MotionType::Static;
        lid.pose = {{0.0, 0.0, side * kHalfDepth}, turn_about_x(-side * 0.5 * std::numbers::pi)};
        lid.shape = Plane{};
        lid.material = material;
        scene.graph.add({"lid", kNoNode, lid.pose, std::nullopt, scene.world.create_body(lid)});
    }
}

Scene make_drum(std::span<const double> values) {
    const auto count = static_cast<std::size_t>(values[0]);
    const Material material{.friction = values[2]};
    Scene scene;
    scene.world = World(smooth_settings(1e-4));
    const glm::dvec3 centre{0.0, kDrumRadius + 2.0 * kStave + 0.3, 0.0};
    add_drum(scene, centre, values[1], material);
    add_lids(scene, material);

    // In layers across the lower half of the drum, between the lifters where it begins.
    constexpr double kPitch = 2.0 * kTumblerRadius + 0.02;
    const auto deep = static_cast<std::size_t>(2.0 * kHalfDepth / kPitch);
    std::size_t made = 0;
    for (int row = 0; made < count; ++row) {
        const double y = -1.45 + kPitch * row;
        const double reach = std::sqrt(std::fmax(1.55 * 1.55 - y * y, 0.0));
        const auto wide = static_cast<std::size_t>(2.0 * reach / kPitch);
        for (std::size_t i = 0; i < wide * deep && made < count; ++i, ++made) {
            BodyDesc desc;
            desc.mass = 1.0;
            desc.shape = mixed_shape(made, kTumblerRadius);
            desc.pose.position =
                centre + glm::dvec3{kPitch * (static_cast<double>(i % wide) - 0.5 * static_cast<double>(wide - 1)), y,
                                    kPitch * (static_cast<double>(i / wide) - 0.5 * static_cast<double>(deep - 1))};
            desc.pose.orientation = scattered_turn(made);
            desc.material = material;
            const bool is_left = desc.pose.position.x < centre.x; // two colours show how they mix
            add_body(scene, mixed_name(made), desc, is_left ? NodeAppearance::Role::Bob : NodeAppearance::Role::Body);
        }
    }
    scene.energy_scale = kGravity * kDrumRadius * static_cast<double>(count);
    scene.energy_scale_meaning = "work of lifting all bodies from the drum's lowest point to its axis";
    scene.frames = 240;
    scene.view = {centre, 7.5, 0.35, 0.12};
    return scene;
}

} // namespace

SceneInfo drum_scene() {
    return {.name = "drum",
            .title = "Tumbling drum",
            .description = "Bodies of all shapes tumble in a drum that turns: a pile that never rests.",
            .group = "piles",
            .contacts = true,
            .is_large = true,
            .parameters = {{.name = "bodies",
                            .label = "bodies",
                            .unit = "",
                            .value = 200.0,
                            .minimum = 1.0,
                            .maximum = 300.0,
                            .meaning = "Bodies of 1 kg, of six shapes; 300 fill half of the drum.",
                            .integer = true},
                           {.name = "rate",
                            .label = "rate",
                            .unit = "rad/s",
                            .value = 0.9,
                            .minimum = -3.0,
                            .maximum = 3.0,
                            .meaning = "Of the drum; above 2.2 rad/s what lies at its wall goes round with it."},
                           {.name = "friction",
                            .label = "friction",
                            .unit = "",
                            .value = 0.5,
                            .minimum = 0.0,
                            .maximum = 2.0,
                            .meaning = "Between all bodies, and of them on the drum."}},
            .make = make_drum};
}

} // namespace substep::detail
