// Scene `pendulum`: a bob on a rod of effective length 1 m, beside its exact solution.
//
// theta'' = -Omega0^2 sin theta with Omega0^2 = m g d/(I + m d^2) = g/l, theta from hanging. k^2 = sin^2(theta/2) +
// (theta'/(2 Omega0))^2 stays. Where k < 1 it swings, sin(theta/2) = k sn(Omega0 t + phase, k), and its period is
// 4 K(k)/Omega0; where k > 1 it goes over the top, theta/2 = am(k Omega0 t + phase, 1/k), once in 2 K(1/k)/(k Omega0)
// (Landau & Lifshitz, Mechanics, section 11, problem 1; Lawden, Elliptic Functions and Applications, 1989, 5.1).
// PendulumMotion computes both in long double, from any start. The bob is a sphere: what is 1 m is l = d + I/(m d).
#include <cmath>
#include <memory>

#include "hinged_pendulum.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0;         // kg
constexpr double kBobRadius = 0.05;   // m
constexpr double kBobInertia = 0.001; // kg m^2, of that sphere: 0.4 m r^2

Scene make_pendulum(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));

    // d + I/(m d), the length of the equivalent point pendulum, is 1 m.
    HingedPendulumDesc desc;
    desc.name = "bob";
    desc.distance = 0.5 * (1.0 + std::sqrt(1.0 - 4.0 * kBobInertia / kMass));
    desc.shape = Sphere{kBobRadius};
    desc.mass = {kMass, glm::dvec3{0.0}, glm::dmat3{kBobInertia}};
    desc.start_angle = values[0];
    desc.start_rate = values[1];
    desc.has_rod = true;

    add_hinge_pin(scene, desc.pivot);
    const HingedPendulum pendulum = add_hinged_pendulum(scene, desc);

    scene.truth = std::make_unique<PendulumTruth>(std::vector{pendulum});
    scene.energy_scale = 2.0;
    scene.energy_scale_meaning = "kinetic energy of 1 kg at 2 m/s, the default start";
    scene.view = {{0.0, -0.5, 0.0}, 3.2, 0.35, 0.12};
    scene.trails = {pendulum.body};
    return scene;
}

} // namespace

SceneInfo pendulum_scene() {
    return {
        .name = "pendulum",
        .title = "Pendulum",
        .description = "A bob on a hinged rod, swinging beside its exact solution in elliptic functions.",
        .group = "pendulums",
        .has_truth = true,
        .parameters = {{.name = "start_angle",
                        .label = "start angle",
                        .unit = "rad",
                        .value = 0.0,
                        .minimum = -3.2,
                        .maximum = 3.2,
                        .meaning = "Angle from hanging at the start; near 3.14 it balances, and every error grows."},
                       {.name = "start_rate",
                        .label = "start rate",
                        .unit = "rad/s",
                        .value = -2.0,
                        .minimum = -50.0,
                        .maximum = 50.0,
                        .meaning = "Rate at the start; from angle 0 it goes over the top above 6.26 rad/s, and far "
                                   "above that one frame is many turns."}},
        .make = make_pendulum};
}

} // namespace substep::detail
