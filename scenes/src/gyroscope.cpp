// Scene `gyroscope`: a floating magnet that spins, turned by a uniform magnetic field.
//
// The field B exerts a torque m x B and no force: a pure couple. So the momentum stays what it was, and the centre of
// mass goes straight on, while the axis precesses and nods as a heavy top's does, V = -m . B = |m| |B| cos(tilt) with
// the field downwards: SymmetricTop about the centre of mass (Jackson, Classical Electrodynamics, 5.7, for the couple).
#include <cmath>
#include <memory>

#include <glm/geometric.hpp>

#include "pivoted_top.h"
#include "smooth_settings.h"
#include "substep/engine/electromagnetism.h"

namespace substep::detail {
namespace {

const Cylinder kRotor{0.4, 0.1};        // m
constexpr double kMass = 1.0;           // kg
const glm::dvec3 kDrift{0.1, 0.0, 0.0}; // m/s
const glm::dvec3 kStart{-0.5, 0.0, 0.0};

Scene make_gyroscope(std::span<const double> values) {
    Scene scene;
    WorldSettings settings = smooth_settings(1e-10);
    settings.gravity = glm::dvec3{0.0};
    scene.world = World(settings);
    const double couple = values[2]; // N m, |m| |B|
    const MassProperties mass = mass_properties(kRotor, kMass);
    const SymmetricTop motion({.transverse_inertia = mass.inertia[0][0],
                               .axial_inertia = mass.inertia[1][1],
                               .moment = couple,
                               .tilt = values[0],
                               .spin = values[1],
                               .precession = 0.0});

    BodyDesc rotor;
    rotor.pose = {kStart, motion.at(0.0).orientation};
    rotor.linear_velocity = kDrift;
    rotor.angular_velocity = motion.start_angular_velocity();
    rotor.shape = kRotor;
    rotor.collides = false; // its shape is a picture
    rotor.mass = kMass;
    const BodyId body = scene.world.create_body(rotor);
    scene.world.add_force_field(
        std::make_unique<DipoleInField>(glm::dvec3{0.0, couple, 0.0}, glm::dvec3{0.0, -1.0, 0.0}));

    const NodeIndex node =
        scene.graph.add({"rotor", kNoNode, rotor.pose, NodeAppearance{kRotor, NodeAppearance::Role::Body}, body});
    const NodeAppearance axle{Cylinder{0.03, 0.45}, NodeAppearance::Role::Support};
    scene.graph.add({"axle", node, {}, axle, kGround});
    const NodeAppearance pole{Sphere{0.07}, NodeAppearance::Role::Bob};
    scene.graph.add({"pole", node, {{0.0, 0.45, 0.0}, {1.0, 0.0, 0.0, 0.0}}, pole, kGround});

    PoseTruthDesc truth;
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.threshold = 1e-10; // 5e-12: nutation does not amplify errors
    truth.lever = kRotor.radius;
    truth.bodies = {{body, [motion](double t) { return Pose{kStart + t * kDrift, motion.at(t).orientation}; }}};
    truth.channels = {tilt_channel(0), position_channel(0, 0, "x")};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = couple;
    scene.energy_scale_meaning = "half the work of turning the magnet over";
    scene.view = {{0.0, 0.0, 0.0}, 3.0, 0.3, 0.35};
    scene.trails = {body};
    return scene;
}

} // namespace

SceneInfo gyroscope_scene() {
    return {.name = "gyroscope",
            .title = "Gyroscope",
            .description = "A spinning magnet in a field: the couple turns its axis and leaves its momentum alone.",
            .group = "charges and magnets",
            .has_truth = true,
            .parameters = {{.name = "tilt",
                            .label = "tilt",
                            .unit = "rad",
                            .value = 1.2,
                            .minimum = 0.1,
                            .maximum = 2.8,
                            .meaning = "Angle between axle and field at the start."},
                           {.name = "spin",
                            .label = "spin",
                            .unit = "rad/s",
                            .value = 20.0,
                            .minimum = 1.0,
                            .maximum = 200.0,
                            .meaning = "Spin about the axle; the faster, the slower it precesses."},
                           {.name = "couple",
                            .label = "couple",
                            .unit = "N m",
                            .value = 1.0,
                            .minimum = 0.1,
                            .maximum = 10.0,
                            .meaning = "Dipole moment times field: the torque across the field."}},
            .make = make_gyroscope};
}

} // namespace substep::detail
