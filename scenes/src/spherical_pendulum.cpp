// Scene `spherical_pendulum`: a bob on a string of fixed length, free in all directions.
//
// A top that hangs and does not spin: SymmetricTop with w3 = 0 and a tilt beyond a right angle (Whittaker, Analytical
// Dynamics, section 55). The height moves between two circles by an elliptic function, the azimuth by quadrature; the
// apsides advance by a little more than half a turn per swing, so that the path is a slowly turning ellipse.
#include <memory>
#include <numbers>

#include "pivoted_top.h"
#include "smooth_settings.h"

namespace substep::detail {
namespace {

constexpr double kLength = 1.0; // m
constexpr double kMass = 1.0;   // kg

Scene make_spherical_pendulum(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-10));
    const PivotedTop bob = add_pivoted_top(scene, {.name = "bob",
                                                   .pivot = {},
                                                   .distance = kLength,
                                                   .shape = Sphere{0.08},
                                                   .role = NodeAppearance::Role::Bob,
                                                   .mass = kMass,
                                                   .tilt = std::numbers::pi - values[0],
                                                   .spin = 0.0,
                                                   .precession = values[1]});
    PoseTruthDesc truth;
    truth.threshold = 1e-11; // 4e-13: swings do not amplify errors
    truth.visible_error = 0.04;
    truth.bodies = {bob.exact};
    truth.channels = {position_channel(0, 0, "x"), position_channel(0, 2, "z"), position_channel(0, 1, "y")};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kMass * kGravity * kLength;
    scene.energy_scale_meaning = "work of lifting the bob from hanging to horizontal";
    scene.view = {{0.0, -0.6, 0.0}, 3.4, 0.5, 0.45};
    scene.trails = {bob.exact.body};
    return scene;
}

} // namespace

SceneInfo spherical_pendulum_scene() {
    return {
        .name = "spherical_pendulum",
        .title = "Spherical pendulum",
        .description = "A bob that swings in all directions draws a slowly turning ellipse, known in closed form.",
        .group = "pendulums",
        .has_truth = true,
        .parameters = {{.name = "angle",
                        .label = "angle",
                        .unit = "rad",
                        .value = 1.0,
                        .minimum = 0.05,
                        .maximum = 3.0,
                        .meaning = "Angle from hanging at the start."},
                       {.name = "sideways",
                        .label = "sideways",
                        .unit = "rad/s",
                        .value = 1.2,
                        .minimum = 0.05,
                        .maximum = 20.0,
                        .meaning = "Rate about the vertical at the start; a small one makes a narrow ellipse, whose "
                                   "turns at the bottom are sharp."}},
        .make = make_spherical_pendulum};
}

} // namespace substep::detail
