// Scene `physical_pendulum`: a box hung at its end, whose inertia lengthens the period.
//
// A rigid body on a hinge at the distance d from its centre of mass obeys (I + m d^2) theta'' = -m g d sin theta: it is
// a pendulum of length l = d + I/(m d), which reaches to the centre of oscillation (Huygens, Horologium oscillatorium,
// 1673, part IV). So theta(t) is that of scene `pendulum`: sin(theta/2) = k sn(Omega0 t + phase, k), Omega0^2 = g/l, by
// PendulumMotion. For a box of height 2 d and width 2 a, I = m (a^2 + d^2)/3 and l = 4 d/3 + a^2/(3 d): a third longer
// than the point pendulum for which one might take it.
#include <memory>

#include "hinged_pendulum.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg
constexpr double kGrip = 0.5; // m, from the hinge at the middle of the upper face to the centre of mass
const Box kBox{{0.1, kGrip, 0.05}};

Scene make_physical_pendulum(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));

    HingedPendulumDesc desc;
    desc.name = "box";
    desc.distance = kGrip;
    desc.shape = kBox;
    desc.mass = mass_properties(kBox, kMass);
    desc.start_angle = values[0];
    desc.start_rate = values[1];

    add_hinge_pin(scene, desc.pivot);
    const HingedPendulum pendulum = add_hinged_pendulum(scene, desc);

    scene.truth = std::make_unique<PendulumTruth>(std::vector{pendulum});
    scene.energy_scale = kMass * kGravity * kGrip;
    scene.energy_scale_meaning = "work of lifting the box from hanging to horizontal";
    scene.view = {{0.0, -0.45, 0.0}, 3.2, 0.35, 0.12};
    scene.trails = {pendulum.body};
    return scene;
}

} // namespace

SceneInfo physical_pendulum_scene() {
    return {
        .name = "physical_pendulum",
        .title = "Physical pendulum",
        .description =
            "A box swinging from its end: taking it for a point at its centre of mass would look like drift.",
        .group = "pendulums",
        .has_truth = true,
        .parameters = {{.name = "start_angle",
                        .label = "start angle",
                        .unit = "rad",
                        .value = 1.0,
                        .minimum = -3.2,
                        .maximum = 3.2,
                        .meaning = "Angle from hanging at the start; near 3.14 it balances, and every error grows."},
                       {.name = "start_rate",
                        .label = "start rate",
                        .unit = "rad/s",
                        .value = 0.0,
                        .minimum = -50.0,
                        .maximum = 50.0,
                        .meaning = "Rate at the start; far above 8 rad/s one frame is many turns."}},
        .make = make_physical_pendulum};
}

} // namespace substep::detail
