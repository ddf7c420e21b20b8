// Scene `rotating_hoop`: beads on hoops that spin at three rates, below and above the bifurcation.
//
// A bead on a hoop of radius R that spins at Omega about its vertical diameter obeys
// (m R^2 + I) theta'' = m R^2 Omega^2 sin theta cos theta - m g R sin theta. The bottom is stable while Omega^2 < g/R;
// above, the bead swings about cos theta = g/(R Omega^2): a pitchfork bifurcation (Strogatz, Nonlinear Dynamics and
// Chaos, 2nd ed., 3.5). SpinningHoop solves it to 12 digits.
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <glm/geometric.hpp>

#include "driven_pendulums.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0;        // kg
constexpr double kBeadRadius = 0.06; // m
constexpr double kRadius = 0.5;      // m, of the hoop
constexpr double kUntil = 20.0;      // s
constexpr int kRingPieces = 36;

// The picture of a hoop: a ring of rods below its node, in the plane of x and y.
void add_ring(Scene& scene, NodeIndex hoop) {
    const double step = 2.0 * std::numbers::pi / kRingPieces;
    const ThinRod piece{kRadius * std::tan(0.5 * step), 0.012};
    for (int i = 0; i < kRingPieces; ++i) {
        const double angle = i * step;
        const Pose pose{kRadius * glm::dvec3{std::sin(angle), -std::cos(angle), 0.0}, turn_about_z(angle)};
        scene.graph.add({"ring", hoop, pose, NodeAppearance{piece, NodeAppearance::Role::Support}, kGround});
    }
}

void add_hoop(Scene& scene, PoseTruthDesc& truth, double x, double rate, double angle) {
    const glm::dvec3 centre{x, 0.0, 0.0};

    // The hoop: prescribed, turning about y.
    BodyDesc frame;
    frame.motion = MotionType::Kinematic;
    frame.pose.position = centre;
    frame.angular_velocity = {0.0, rate, 0.0};
    frame.shape = ThinRod{kRadius, 0.012};
    frame.collides = false;
    const BodyId hoop = scene.world.create_body(frame);
    const NodeIndex node = scene.graph.add({"hoop", kNoNode, frame.pose, {}, hoop});
    add_ring(scene, node);

    // The bead: at the end of an arm whose hinge, across the hoop, turns with it.
    const auto bead_pose = [centre, rate](double t, double theta) {
        const glm::dquat turn = turn_about_y(rate * t) * turn_about_z(theta);
        return Pose{centre + turn * glm::dvec3{0.0, -kRadius, 0.0}, turn};
    };
    BodyDesc bead;
    bead.pose = bead_pose(0.0, angle);
    bead.angular_velocity = frame.angular_velocity;
    bead.linear_velocity = glm::cross(bead.angular_velocity, bead.pose.position - centre);
    bead.shape = Sphere{kBeadRadius};
    bead.mass = kMass;
    bead.collides = false;
    const BodyId body = add_body(scene, "bead", bead, NodeAppearance::Role::Bob);
    scene.world.create_joint(hinge(scene.world, hoop, body, centre, {0.0, 0.0, 1.0}));
    scene.trails.push_back(body);

    const SpinningHoop equations{kRadius, rate, kGravity, kMass, mass_properties(*bead.shape, kMass).inertia[0][0]};
    const auto motion = std::make_shared<ReferenceMotion>(equations.motion(angle, 0.0, kUntil));
    truth.bodies.push_back({hoop, [centre, rate](double t) { return Pose{centre, turn_about_y(rate * t)}; }});
    truth.bodies.push_back({body, [motion, bead_pose](double t) { return bead_pose(t, motion->at(t)[0]); }});
    truth.channels.push_back({"height " + std::to_string(truth.bodies.size() / 2), "m", truth.bodies.size() - 1,
                              [](const Pose& where) { return where.position.y; }});
}

Scene make_rotating_hoop(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    PoseTruthDesc truth;
    const double critical = SpinningHoop{.radius = kRadius}.critical_rate();
    double x = -1.5;
    for (const double ratio : {0.8, 1.2, values[0]}) {
        add_hoop(scene, truth, x, ratio * critical, values[1]);
        x += 1.5;
    }
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.lever = kRadius;
    // dormand_prince853 at 1e-13 was measured to leave at most 3.4e-12 rad in ten seconds.
    truth.threshold = 5e-11;
    truth.known_until = kUntil;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 3.0 * kMass * kGravity * kRadius;
    scene.energy_scale_meaning = "work of lifting three beads to their hoops' centres; what keeps the hoops turning "
                                 "gives and takes energy";
    scene.view = {{0.0, 0.0, 0.0}, 5.2, 0.2, 0.2};
    return scene;
}

} // namespace

SceneInfo rotating_hoop_scene() {
    return {.name = "rotating_hoop",
            .title = "Bead on a spinning hoop",
            .description = "Spun faster than sqrt(g/R), the bottom of a hoop no longer holds its bead.",
            .group = "pendulums",
            .has_truth = true,
            .parameters = {{.name = "rate",
                            .label = "third hoop",
                            .unit = "",
                            .value = 1.8,
                            .minimum = 0.0,
                            .maximum = 5.0,
                            .meaning = "Its rate over the critical rate; the others spin at 0.8 and 1.2 of it."},
                           {.name = "start_angle",
                            .label = "start angle",
                            .unit = "rad",
                            .value = 0.5,
                            .minimum = 0.0,
                            .maximum = 3.1,
                            .meaning = "Angle from the bottom at the start; near 0 the way out takes long, and every "
                                       "error grows."}},
            .make = make_rotating_hoop};
}

} // namespace substep::detail
