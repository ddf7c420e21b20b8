// Scene `pendulum_wave`: pendulums whose periods divide one cycle by consecutive integers.
//
// The i-th pendulum (i = 0, 1, ...) makes 51 + i swings in the cycle T: all are in step again at T, and neighbours are
// opposite at T/2 (Berg, "Pendulum waves: A demonstration of wave motion using pendula", Am. J. Phys. 59, 186 (1991);
// Flaten & Parendo, "Pendulum waves: A lesson in aliasing", Am. J. Phys. 69, 778 (2001)). Both take the period of small
// swings; here it is the exact one, T/(51 + i) = 4 K(k) sqrt(l/g), k = sin(theta0/2) (Landau & Lifshitz, Mechanics,
// section 11, problem 1), which gives each length l. Each pendulum's truth is that of scene `pendulum`,
// sin(theta/2) = k sn(Omega0 t + K, k), Omega0^2 = g/l.
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "hinged_pendulum.h"
#include "smooth_settings.h"
#include "substep/scenes/elliptic.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 0.1;           // kg
constexpr double kBobRadius = 0.025;    // m
constexpr double kSpacing = 0.08;       // m, between neighbours
constexpr int kSwingsOfTheLongest = 51; // in one cycle; each neighbour makes one more

Scene make_pendulum_wave(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const int count = static_cast<int>(values[0]);
    const double start_angle = values[1];
    const double cycle = values[2];

    const Sphere bob{kBobRadius};
    const MassProperties mass = mass_properties(bob, kMass);
    const double half_width = 0.5 * kSpacing * (count - 1);
    const Box beam{{0.02, 0.02, half_width + 0.06}};
    scene.graph.add({"beam", kNoNode, {}, NodeAppearance{beam, NodeAppearance::Role::Support}, kGround});

    std::vector<HingedPendulum> pendulums;
    double lifting_work = 0.0;
    for (int i = 0; i < count; ++i) {
        // At this amplitude the period is 4 K sqrt(l/g), k = sin(angle/2): l follows from the period wanted, and d from
        // l = d + I/(m d).
        const double half_cosine = std::cos(0.5 * start_angle);
        const double quarter = cycle / (kSwingsOfTheLongest + i) / 4.0;
        const double root = quarter / static_cast<double>(elliptic_k(half_cosine * half_cosine));
        const double length = kGravity * root * root;
        const double distance = 0.5 * (length + std::sqrt(length * length - 4.0 * mass.inertia[2][2] / kMass));

        HingedPendulumDesc desc;
        desc.name = "bob " + std::to_string(i + 1);
        desc.pivot = {0.0, 0.0, half_width - i * kSpacing};
        desc.distance = distance;
        desc.shape = bob;
        desc.mass = mass;
        desc.start_angle = start_angle;
        desc.has_rod = true;
        pendulums.push_back(add_hinged_pendulum(scene, desc));
        lifting_work += kMass * kGravity * distance;
    }

    scene.truth = std::make_unique<PendulumTruth>(pendulums);
    scene.energy_scale = lifting_work;
    scene.energy_scale_meaning = "work of lifting every bob from hanging to horizontal";
    scene.frames = static_cast<int>(std::lround(cycle * scene.fps));
    scene.view = {{0.0, -0.2, 0.0}, 1.9, 0.6, 0.2};
    return scene;
}

} // namespace

SceneInfo pendulum_wave_scene() {
    return {.name = "pendulum_wave",
            .title = "Pendulum wave",
            .description =
                "Pendulums that fall out of step and meet again after one cycle; each has its exact solution.",
            .group = "pendulums",
            .has_truth = true,
            .parameters = {{.name = "count",
                            .label = "pendulums",
                            .unit = "",
                            .value = 15.0,
                            .minimum = 1.0,
                            .maximum = 30.0,
                            .meaning = "Number of pendulums; cost grows in proportion.",
                            .integer = true},
                           {.name = "start_angle",
                            .label = "start angle",
                            .unit = "rad",
                            .value = 0.5,
                            .minimum = -1.5,
                            .maximum = 1.5,
                            .meaning = "Angle from hanging from which all are released; lengths are chosen so that the "
                                       "cycle is exact at this amplitude."},
                           {.name = "cycle",
                            .label = "cycle",
                            .unit = "s",
                            .value = 60.0,
                            .minimum = 40.0,
                            .maximum = 120.0,
                            .meaning = "Time after which all are in step again; shorter cycles need shorter rods."}},
            .make = make_pendulum_wave};
}

} // namespace substep::detail
