// Scenes of orbits: `kepler`, `two_stars` and `figure_eight`.
//
// A planet about a fixed sun keeps to an ellipse: with the eccentric anomaly u, u - e sin u = n t (Kepler 1609),
// x = a (cos u - e), z = -a sqrt(1 - e^2) sin u, n^2 a^3 = G M. `kepler` has nine of them, e = 0.1 to 0.9, with one
// major axis and so one period: they meet in line at every pericentre. Two bodies that pull each other run on ellipses
// about their common centre, as if their separation were such a planet about the sum of their masses (`two_stars`).
// Three equal bodies can follow one another along a figure of eight (Chenciner & Montgomery, Annals of Mathematics 152,
// 881 (2000); start values by Simo, quoted there). It has no closed form: the truth is a reference in the positions of
// two of them relative to the common centre, the third being minus their sum.
#include "orbits.h"

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <glm/geometric.hpp>

#include "pose_truth.h"
#include "smooth_settings.h"
#include "substep/engine/forces.h"
#include "substep/engine/springs.h"
#include "substep/scenes/reference_motion.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

using std::numbers::pi;

/// Position on a Kepler ellipse about the origin, in the plane y = 0, with the pericentre on the x axis.
struct KeplerOrbit {
    double semi_major_axis = 1.0; // m
    double eccentricity = 0.0;
    double mean_motion = 1.0; // rad/s

    glm::dvec3 position(double t) const {
        const long double e = eccentricity;
        const long double u = eccentric_anomaly(t);
        const long double minor = std::sqrt((1.0L - e) * (1.0L + e));
        const long double x = std::cos(u) - e, z = -minor * std::sin(u);
        return {static_cast<double>(semi_major_axis * x), 0.0, static_cast<double>(semi_major_axis * z)};
    }

    // At the pericentre, where u' = n/(1 - e).
    glm::dvec3 start_velocity() const {
        const double e = eccentricity;
        return {0.0, 0.0, -semi_major_axis * mean_motion * std::sqrt((1.0 + e) / (1.0 - e))};
    }

private:
    // u - e sin u = n t, by Newton's method from Danby's start (Celestial Mechanics 40, 303 (1987)), within half a
    // turn.
    long double eccentric_anomaly(double t) const {
        const long double e = eccentricity;
        const long double mean = static_cast<long double>(mean_motion) * t;
        const long double turns = std::round(mean / (2.0L * std::numbers::pi_v<long double>));
        const long double rest = mean - turns * 2.0L * std::numbers::pi_v<long double>;
        long double u = rest + std::copysign(0.85L * e, rest);
        for (int i = 0; i < 12; ++i) {
            u -= (u - e * std::sin(u) - rest) / (1.0L - e * std::cos(u));
        }
        return u;
    }
};

Scene weightless_scene(double tolerance) {
    Scene scene;
    WorldSettings settings = smooth_settings(tolerance);
    settings.gravity = glm::dvec3{0.0};
    scene.world = World(settings);
    return scene;
}

BodyId add_planet(Scene& scene, const std::string& name, double radius, double mass, const glm::dvec3& position,
                  const glm::dvec3& velocity) {
    BodyDesc body;
    body.shape = Sphere{radius};
    body.mass = mass;
    body.pose.position = position;
    body.linear_velocity = velocity;
    body.collides = false; // a planet stands for a point
    const BodyId id = scene.world.create_body(body);
    scene.graph.add({name, kNoNode, body.pose, NodeAppearance{*body.shape, NodeAppearance::Role::Bob}, id});
    scene.trails.push_back(id);
    return id;
}

Pose at(const glm::dvec3& position) { return {position, {1.0, 0.0, 0.0, 0.0}}; }

PoseChannel coordinate(const char* name, std::size_t body, int axis) {
    return {name, "m", body, [axis](const Pose& pose) { return pose.position[axis]; }};
}

Scene make_kepler(std::span<const double> values) {
    Scene scene = weightless_scene(1e-10);
    const int count = static_cast<int>(values[0]);
    const double mean_motion = 2.0 * pi / values[2];
    scene.world.add_force_field(std::make_unique<PointGravity>(
        PointGravityDesc{.centre = {}, .gravitational_parameter = mean_motion * mean_motion, .softening = 0.0}));
    const NodeAppearance sun{Sphere{0.05}, NodeAppearance::Role::Support};
    scene.graph.add({"sun", kNoNode, {}, sun, kGround});

    PoseTruthDesc truth;
    truth.threshold = 5e-10; // 4e-11: the planet with e = 0.9, two and a half revolutions
    truth.visible_error = 0.03;
    for (int i = 1; i <= count; ++i) {
        const KeplerOrbit orbit{1.0, values[1] * i / count, mean_motion};
        const BodyId planet =
            add_planet(scene, "planet " + std::to_string(i), 0.03, 1.0, orbit.position(0.0), orbit.start_velocity());
        truth.bodies.push_back({planet, [orbit](double t) { return at(orbit.position(t)); }});
    }
    const std::size_t last = truth.bodies.size() - 1;
    truth.channels = {coordinate("x of the last", last, 0), coordinate("z of the last", last, 2)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * mean_motion * mean_motion * count;
    scene.energy_scale_meaning = "kinetic energy of all on circles of the same period";
    scene.view = {{-0.4, 0.0, 0.0}, 4.2, 0.2, 0.9};
    return scene;
}

Scene make_two_stars(std::span<const double> values) {
    Scene scene = weightless_scene(1e-10);
    const double ratio = values[0]; // mass of the second over mass of the first
    const double eccentricity = values[1];
    constexpr double kPeriod = 4.0;     // s
    constexpr double kSeparation = 2.0; // m, semi-major axis of the relative orbit
    const KeplerOrbit relative{kSeparation, eccentricity, 2.0 * pi / kPeriod};
    const double total = 1.0 + ratio;
    const double constant =
        relative.mean_motion * relative.mean_motion * kSeparation * kSeparation * kSeparation / total;

    // Each at its share of the separation, on either side of the centre.
    PoseTruthDesc truth;
    truth.threshold = 3e-10; // 2.3e-11: errors of the period add up over two and a half revolutions
    truth.visible_error = 0.05;
    MutualGravityDesc gravity;
    gravity.gravitational_constant = constant;
    for (const double share : {-ratio / total, 1.0 / total}) {
        const double mass = share < 0.0 ? 1.0 : ratio;
        const BodyId star = add_planet(scene, share < 0.0 ? "first star" : "second star", 0.12 * std::cbrt(mass), mass,
                                       share * relative.position(0.0), share * relative.start_velocity());
        truth.bodies.push_back({star, [relative, share](double t) { return at(share * relative.position(t)); }});
        gravity.bodies.push_back(star);
    }
    scene.world.add_force_field(std::make_unique<MutualGravity>(gravity));
    truth.channels = {coordinate("x of the first", 0, 0), coordinate("x of the second", 1, 0)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * constant * ratio / kSeparation;
    scene.energy_scale_meaning = "the energy that binds the stars";
    scene.view = {{-0.4, 0.0, 0.0}, 5.5, 0.2, 0.9};
    return scene;
}

/// Three bodies of mass one and G = 1 in a plane: positions (x, z) of the first two about the common centre, then their
/// velocities.
class ThreeBodies final : public OdeSystem {
public:
    std::size_t size() const noexcept override { return 8; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) noexcept override {
        const std::array<double, 6> place{y[0], y[1], y[2], y[3], -(y[0] + y[2]), -(y[1] + y[3])};
        for (std::size_t i = 0; i < 4; ++i) {
            dydt[i] = y[4 + i];
        }
        for (std::size_t i = 0; i < 2; ++i) {
            double x = 0.0, z = 0.0;
            for (std::size_t j = 0; j < 3; ++j) {
                if (j != i) {
                    const double dx = place[2 * j] - place[2 * i], dz = place[2 * j + 1] - place[2 * i + 1];
                    const double square = dx * dx + dz * dz;
                    const double cube = square * std::sqrt(square);
                    x += dx / cube;
                    z += dz / cube;
                }
            }
            dydt[4 + 2 * i] = x;
            dydt[5 + 2 * i] = z;
        }
    }
};

// The published start: the third body at the centre, the others on either side of it.
const std::vector<double> kEightStart{0.97000436,       -0.24308753,      -0.97000436,      0.24308753,
                                      0.93240737 / 2.0, 0.86473146 / 2.0, 0.93240737 / 2.0, 0.86473146 / 2.0};

Scene make_figure_eight(std::span<const double>) {
    Scene scene = weightless_scene(1e-10);
    const auto motion = std::make_shared<const ReferenceMotion>(figure_eight_motion());
    const auto place = [](const std::vector<double>& y, std::size_t i) {
        return i < 2 ? glm::dvec3{y[2 * i], 0.0, y[2 * i + 1]} : glm::dvec3{-(y[0] + y[2]), 0.0, -(y[1] + y[3])};
    };
    PoseTruthDesc truth;
    truth.threshold = 3e-10; // 2.0e-11: stable, but errors of the period add up
    truth.visible_error = 0.05;
    truth.known_until = motion->until();
    MutualGravityDesc gravity;
    gravity.gravitational_constant = 1.0;
    const std::vector<double> velocity(kEightStart.begin() + 4, kEightStart.end());
    for (std::size_t i = 0; i < 3; ++i) {
        const BodyId body =
            add_planet(scene, "body " + std::to_string(i + 1), 0.06, 1.0, place(kEightStart, i), place(velocity, i));
        truth.bodies.push_back({body, [motion, place, i](double t) { return at(place(motion->at(t), i)); }});
        gravity.bodies.push_back(body);
    }
    scene.world.add_force_field(std::make_unique<MutualGravity>(gravity));
    truth.channels = {coordinate("x of the first", 0, 0), coordinate("x of the second", 1, 0),
                      coordinate("x of the third", 2, 0)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 1.3;
    scene.energy_scale_meaning = "about the energy that binds the three";
    scene.view = {{0.0, 0.0, 0.0}, 3.6, 0.2, 0.9};
    return scene;
}

} // namespace

ReferenceMotion figure_eight_motion() { return ReferenceMotion(std::make_unique<ThreeBodies>(), kEightStart, 20.0); }

SceneInfo kepler_scene() {
    return {
        .name = "kepler",
        .title = "Kepler orbits",
        .description = "Nine planets with one period, on ellipses from nearly round to nearly straight.",
        .group = "orbits",
        .has_truth = true,
        .parameters = {{.name = "count",
                        .label = "planets",
                        .unit = "",
                        .value = 9.0,
                        .minimum = 1.0,
                        .maximum = 30.0,
                        .meaning = "Number of planets; cost grows in proportion.",
                        .integer = true},
                       {.name = "eccentricity",
                        .label = "eccentricity",
                        .unit = "",
                        .value = 0.9,
                        .minimum = 0.0,
                        .maximum = 0.97,
                        .meaning = "Eccentricity of the last; those of the others lie evenly below. Near one it passes "
                                   "the sun so fast that few methods see it."},
                       {.name = "period",
                        .label = "period",
                        .unit = "s",
                        .value = 4.0,
                        .minimum = 1.0,
                        .maximum = 20.0,
                        .meaning = "Time of one revolution of all; the major axis stays."}},
        .make = make_kepler};
}

SceneInfo two_stars_scene() {
    return {.name = "two_stars",
            .title = "Two stars",
            .description = "Two unequal stars on ellipses about their common centre, by mutual gravity.",
            .group = "orbits",
            .has_truth = true,
            .parameters = {{.name = "mass_ratio",
                            .label = "mass ratio",
                            .unit = "",
                            .value = 0.5,
                            .minimum = 0.01,
                            .maximum = 1.0,
                            .meaning = "Mass of the second star over that of the first."},
                           {.name = "eccentricity",
                            .label = "eccentricity",
                            .unit = "",
                            .value = 0.5,
                            .minimum = 0.0,
                            .maximum = 0.95,
                            .meaning = "Of both ellipses."}},
            .make = make_two_stars};
}

SceneInfo figure_eight_scene() {
    return {.name = "figure_eight",
            .title = "Figure of eight",
            .description = "Three equal bodies chase one another along a figure of eight, against a reference to 20 s.",
            .group = "orbits",
            .has_truth = true,
            .parameters = {},
            .make = make_figure_eight};
}

} // namespace substep::detail
