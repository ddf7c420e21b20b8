// Scene `atwood`: Atwood's machine, two weights on a rope over a pulley that has inertia of its own.
//
// The rope does not slip, so that one coordinate tells all: the heavier weight, m_1, has risen by s, the lighter one
// has sunk by s, and the pulley has turned by s/r. The weights' difference moves all three, which gives
//     s = v t - a t^2/2,  a = (m_1 - m_2) g / (m_1 + m_2 + I/r^2)
// (Atwood, A Treatise on the Rectilinear Motion and Rotation of Bodies, 1784; Goldstein, Classical Mechanics, 3rd ed.,
// 1.6, with a massless pulley). In the world the weights are sliders, the pulley is a hinge, and a rack ties each
// slider to the hinge.
#include <memory>
#include <utility>

#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kRadius = 0.4; // m, of the pulley
const Cylinder kPulley{kRadius, 0.05};
const Box kWeight{{0.12, 0.15, 0.12}};
constexpr double kRope = 2.2;      // m, from a weight to the pulley's height, at the start
constexpr double kRopeShown = 4.2; // m, where weights come to
const glm::dvec3 kVertical{0.0, 1.0, 0.0};
const glm::dvec3 kAcross{0.0, 0.0, 1.0};

// A cylinder is along its y: upright in the plane of the picture first, then turned by the rope.
glm::dquat pulley_turn(double angle) { return turn_about_z(angle) * turn_about_x(0.5 * std::numbers::pi); }

Scene make_atwood(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const double heavier = values[0];
    const double lighter = values[1];
    const double pulley_mass = values[2];
    const double speed = values[3]; // of the heavier weight, up

    BodyDesc wheel;
    wheel.pose.orientation = pulley_turn(0.0);
    wheel.angular_velocity = speed / kRadius * kAcross;
    wheel.shape = kPulley;
    wheel.mass = pulley_mass;
    wheel.collides = false;
    const BodyId pulley = add_body(scene, "pulley", wheel);
    const auto node = static_cast<NodeIndex>(scene.graph.nodes().size() - 1);
    for (int i = 0; i < 3; ++i) { // so that one sees it turn
        const Pose turned{glm::dvec3{0.0}, turn_about_y(i * std::numbers::pi / 3.0)};
        const ThinRod spoke{kRadius - 0.05, 0.06};
        scene.graph.add({"spoke", node, turned, NodeAppearance{spoke, NodeAppearance::Role::Support}, kGround});
    }
    const JointId axle = scene.world.create_joint(hinge(scene.world, kGround, pulley, glm::dvec3{0.0}, kAcross));

    // The rope runs down on both sides; its right half rises as the pulley turns to the left.
    const auto add_weight = [&](double side, double mass) {
        BodyDesc desc;
        desc.pose.position = {side * kRadius, -kRope, 0.0};
        desc.linear_velocity = side * speed * kVertical;
        desc.shape = kWeight;
        desc.mass = mass;
        desc.collides = false;
        const BodyId weight = add_body(scene, "weight", desc, NodeAppearance::Role::Bob);
        const JointId rail =
            scene.world.create_joint(slider(scene.world, kGround, weight, desc.pose.position, kVertical));
        scene.world.create_coupling(rack(scene.world, rail, axle, side * kRadius));
        const Pose half_way{{side * kRadius, -0.5 * kRopeShown, 0.0}, turn_about_z(0.5 * std::numbers::pi)};
        add_support(scene, "rope", half_way, ThinRod{0.5 * kRopeShown, 0.008});
        return weight;
    };
    const BodyId right = add_weight(1.0, heavier);
    const BodyId left = add_weight(-1.0, lighter);

    const double inertia = mass_properties(kPulley, pulley_mass).inertia[1][1];
    const double acceleration = (heavier - lighter) * kGravity / (heavier + lighter + inertia / (kRadius * kRadius));
    const auto rise = [=](double t) { return speed * t - 0.5 * acceleration * t * t; };
    PoseTruthDesc truth;
    truth.bodies = {{pulley,
                     [=](double t) {
                         return Pose{glm::dvec3{0.0}, pulley_turn(rise(t) / kRadius)};
                     }},
                    {right,
                     [=](double t) {
                         return Pose{{kRadius, rise(t) - kRope, 0.0}, kNoTurn};
                     }},
                    {left, [=](double t) {
                         return Pose{{-kRadius, -rise(t) - kRope, 0.0}, kNoTurn};
                     }}};
    truth.channels = {{"heavier weight y", "m", 1, [](const Pose& where) { return where.position.y; }},
                      {"lighter weight y", "m", 2, [](const Pose& where) { return where.position.y; }}};
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.lever = kRadius;
    truth.threshold = 1e-11; // 5.9e-13 were measured: parabolas, whose error is rounding
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = heavier * kGravity * kRope;
    scene.energy_scale_meaning = "work of lifting the heavier weight to the pulley";
    scene.view = {{0.0, -1.7, 0.0}, 6.0, 0.35, 0.12};
    scene.trails = {right, left};
    return scene;
}

} // namespace

SceneInfo atwood_scene() {
    return {
        .name = "atwood",
        .title = "Atwood's machine",
        .description = "Two weights on a rope slow gravity down, the more so as the pulley has to be turned too.",
        .group = "mechanisms",
        .has_truth = true,
        .parameters = {{.name = "heavier",
                        .label = "heavier weight",
                        .unit = "kg",
                        .value = 1.05,
                        .minimum = 0.1,
                        .maximum = 10.0,
                        .meaning = "Mass of the weight on the right; far from the other one it soon runs away."},
                       {.name = "lighter",
                        .label = "lighter weight",
                        .unit = "kg",
                        .value = 1.0,
                        .minimum = 0.1,
                        .maximum = 10.0,
                        .meaning = "Mass of the weight on the left; it may be the heavier one."},
                       {.name = "pulley",
                        .label = "pulley",
                        .unit = "kg",
                        .value = 2.0,
                        .minimum = 0.01,
                        .maximum = 50.0,
                        .meaning = "Mass of the pulley, a full disc: half of it resists like a weight on the rope."},
                       {.name = "speed",
                        .label = "start speed",
                        .unit = "m/s",
                        .value = 0.7,
                        .minimum = -2.0,
                        .maximum = 2.0,
                        .meaning = "Speed of the heavier weight at the start, upwards; fast, it passes the pulley."}},
        .make = make_atwood};
}

} // namespace substep::detail
