// Scene `folded_chain`: a chain whose loose end is let go beside its support, and falls faster than a ball.
//
// Energy that the falling part had is handed to ever fewer links, so that the tip outruns free fall (Calkin & March,
// Am. J. Phys. 57, 154 (1989); Schagerl et al., Acta Mechanica 125, 155 (1997)). The chain of rods obeys Lagrange's
// equations in its angles (PlanarChainEquations), the ball h = -g t^2/2. As the tip whips round errors grow without
// bound; the truth ends before.
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "hinged_pendulum.h"
#include "planar_chain_motion.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr int kLinks = 4;     // more of them multiply rounding: six leave 8 digits of the reference
constexpr double kMass = 0.5; // kg, of a link and of the ball
const ThinRod kLink{0.225, 0.02};
constexpr double kUntil = 1.2; // s
// s: the motion at half of it agrees to 5e-14 (planar_chain_motion_test.cpp).
constexpr double kInterval = 1.0 / 1024.0;
constexpr std::size_t kTip = kLinks - 1;
const glm::dvec3 kBallStart{0.5, 0.0, 0.0};

// Where link `index` is for all angles from hanging.
Pose link_pose(const std::vector<double>& angles, std::size_t index) {
    glm::dvec3 joint{0.0};
    const auto along = [](double angle) { return glm::dvec3{std::sin(angle), -std::cos(angle), 0.0}; };
    for (std::size_t i = 0; i < index; ++i) {
        joint += 2.0 * kLink.half_length * along(angles[i]);
    }
    return {joint + kLink.half_length * along(angles[index]), turn_about_z(angles[index] - 0.5 * std::numbers::pi)};
}

Scene make_folded_chain(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    add_hinge_pin(scene, glm::dvec3{0.0});

    // The first half hangs, the second comes back up beside it.
    const double opening = values[0];
    std::vector<double> start(2 * kLinks, 0.0);
    for (std::size_t i = 0; i < kLinks; ++i) {
        start[i] = i < kLinks / 2 ? -0.5 * opening : std::numbers::pi - 0.5 * opening;
    }
    const double inertia = mass_properties(kLink, kMass).inertia[2][2];
    const PendulumLink link{kMass, inertia, kLink.half_length, 2.0 * kLink.half_length};
    const PlanarChainEquations equations(std::vector(kLinks, link), kGravity);
    const auto motion = std::make_shared<ReferenceMotion>(planar_chain_motion(equations, start, kUntil, kInterval));

    PoseTruthDesc truth;
    BodyId previous = kGround;
    for (std::size_t i = 0; i < kLinks; ++i) {
        BodyDesc desc;
        desc.pose = link_pose(start, i);
        desc.shape = kLink;
        desc.mass = kMass;
        desc.collides = false;
        const BodyId body =
            add_body(scene, "link", desc, i == kTip ? NodeAppearance::Role::Bob : NodeAppearance::Role::Body);
        const glm::dvec3 upper = desc.pose.position - desc.pose.orientation * glm::dvec3{kLink.half_length, 0.0, 0.0};
        scene.world.create_joint(hinge(scene.world, previous, body, upper, {0.0, 0.0, 1.0}));
        truth.bodies.push_back({body, [motion, i](double t) { return link_pose(motion->at(t), i); }});
        previous = body;
    }
    BodyDesc ball;
    ball.pose.position = kBallStart;
    ball.shape = Sphere{0.05};
    ball.mass = kMass;
    ball.collides = false;
    const BodyId falling = add_body(scene, "ball", ball, NodeAppearance::Role::Bob);
    truth.bodies.push_back({falling, [](double t) {
                                return Pose{kBallStart + glm::dvec3{0.0, -0.5 * kGravity * t * t, 0.0}, kNoTurn};
                            }});
    truth.channels = {{"tip link y", "m", kTip, [](const Pose& where) { return where.position.y; }},
                      {"ball y", "m", kLinks, [](const Pose& where) { return where.position.y; }}};
    // dormand_prince853 at 1e-13 was measured to leave at most 1.4e-13 m at 30, 60 and 120 frames a second.
    truth.threshold = 2e-12;
    truth.visible_error = 0.02;
    truth.until = kUntil;
    truth.known_until = kUntil;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * kLinks * kMass * kGravity * kLinks * 2.0 * kLink.half_length;
    scene.energy_scale_meaning = "work of lifting the chain from hanging to horizontal";
    scene.frames = 45; // of 1/60 s: the tip has overtaken the ball, which falls out of reach soon after
    scene.view = {{0.2, -1.3, 0.0}, 4.6, 0.15, 0.1};
    scene.trails = {previous, falling};
    return scene;
}

} // namespace

SceneInfo folded_chain_scene() {
    return {.name = "folded_chain",
            .title = "Falling folded chain",
            .description = "The loose end of a folded chain, let go beside its support, outruns a falling ball.",
            .group = "chains",
            .has_truth = true,
            .parameters = {{.name = "opening",
                            .label = "opening",
                            .unit = "rad",
                            .value = 0.3,
                            .minimum = 0.05,
                            .maximum = 3.0,
                            .meaning = "Angle at the fold; small ones fall straightest, and whip hardest at the end."}},
            .make = make_folded_chain};
}

} // namespace substep::detail
