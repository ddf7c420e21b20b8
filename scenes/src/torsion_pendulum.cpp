// Scene `torsion_pendulum`: bars on twisted wires, which keep time however far they are turned.
//
// A wire that turns back in proportion, with kappa per radian, gives I phi'' + kappa phi = 0 about the vertical at any
// angle: phi = phi0 cos(sqrt(kappa/I) t), where a pendulum's period grows with its swing (Landau & Lifshitz, Mechanics,
// section 21; Coulomb, Histoire de l'Academie royale 1784, 229, measured forces with it).
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "linear_oscillator.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/engine/springs.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg
const Box kBar{{0.35, 0.03, 0.03}};
const Sphere kWeight{0.06};   // at the bar's ends, for the eye: its mass is the bar's
constexpr double kWire = 1.0; // m
const glm::dvec3 kVertical{0.0, 1.0, 0.0};

Scene make_torsion_pendulum(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const double stiffness = values[0];
    const double largest = values[1];
    const double inertia = mass_properties(kBar, kMass).inertia[1][1];
    const glm::dquat z_upwards = turn_about_x(-0.5 * std::numbers::pi); // springs turn about z of their frames

    PoseTruthDesc truth;
    const std::array<double, 3> parts{1.0, 0.6, 0.2}; // of the largest angle
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const LinearOscillator motion({.natural_rate = std::sqrt(stiffness / inertia), .start = parts[i] * largest});
        const glm::dvec3 place{0.9 * (static_cast<double>(i) - 1.0), -kWire, 0.0};
        BodyDesc desc;
        desc.pose = {place, turn_about_y(motion.at(0.0).position)};
        desc.shape = kBar;
        desc.collides = false; // its shape is a picture
        desc.mass = kMass;
        const BodyId body = add_body(scene, "bar", desc);
        const auto node = static_cast<NodeIndex>(scene.graph.nodes().size() - 1);
        for (const double side : {-1.0, 1.0}) {
            const Pose end{{side * kBar.half_sizes.x, 0.0, 0.0}, kNoTurn};
            scene.graph.add({"weight", node, end, NodeAppearance{kWeight, NodeAppearance::Role::Bob}, kGround});
        }
        add_support(scene, "wire", {place + 0.5 * kWire * kVertical, turn_about_z(0.5 * std::numbers::pi)},
                    ThinRod{0.5 * kWire, 0.006});

        scene.world.create_joint(hinge(scene.world, kGround, body, place, kVertical));
        TorsionSpringDesc wire;
        wire.body_a = kGround;
        wire.body_b = body;
        wire.frame_a = wire.frame_b = z_upwards;
        wire.stiffness = stiffness;
        scene.world.add_force_field(std::make_unique<TorsionSpring>(wire));

        truth.bodies.push_back({body, [motion, place](double t) {
                                    return Pose{place, turn_about_y(motion.at(t).position)};
                                }});
        truth.channels.push_back({"angle " + std::to_string(i + 1), "rad", i, [](const Pose& where) {
                                      return 2.0 * std::atan2(where.orientation.y, where.orientation.w);
                                  }});
    }
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.lever = kBar.half_sizes.x;
    truth.threshold = 4e-11; // 3.9e-12 were measured, of swings through 2.5 rad
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * stiffness * largest * largest;
    scene.energy_scale_meaning = "energy of the wire that is twisted furthest, at the start";
    add_support(scene, "beam", {{0.0, 0.02, 0.0}, kNoTurn}, Box{{1.2, 0.02, 0.06}});
    scene.view = {{0.0, -0.6, 0.0}, 3.8, 0.25, 0.35};
    return scene;
}

} // namespace

SceneInfo torsion_pendulum_scene() {
    return {.name = "torsion_pendulum",
            .title = "Torsion pendulum",
            .description = "Bars on twisted wires: each swing takes the same time, however far they are turned.",
            .group = "oscillators",
            .has_truth = true,
            .parameters = {{.name = "stiffness",
                            .label = "stiffness",
                            .unit = "N m/rad",
                            .value = 0.3,
                            .minimum = 0.01,
                            .maximum = 10.0,
                            .meaning = "Torque of a wire per radian of twist; more of it swings faster."},
                           {.name = "angle",
                            .label = "angle",
                            .unit = "rad",
                            .value = 2.5,
                            .minimum = 0.05,
                            .maximum = 3.1,
                            .meaning = "Angle of the first bar at the start; the others begin at 3/5 and 1/5 of it."}},
            .make = make_torsion_pendulum};
}

} // namespace substep::detail
