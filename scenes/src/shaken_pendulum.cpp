// Scene `shaken_pendulum`: Kapitza's pendulum, upside down on a pivot that is shaken up and down.
//
// With the pivot at y = a cos(w t) the angle from hanging obeys theta'' = -(g - a w^2 cos(w t))/L sin theta with
// L = (I + m d^2)/(m d). It stands where a^2 w^2 > 2 g L, and sways at sqrt(a^2 w^2/(2 L^2) - g/L) (Kapitza 1951;
// Landau & Lifshitz, Mechanics, section 30). ShakenPendulum solves it; two step lengths agree to 12 digits.
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <glm/geometric.hpp>

#include "driven_pendulums.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg
const ThinRod kRod{0.3, 0.015};
constexpr double kDistance = 0.3;   // m, from the pivot to the centre of mass
constexpr double kAmplitude = 0.05; // m
constexpr double kUntil = 20.0;     // s
constexpr double kOnItsHead = std::numbers::pi;

/// y = a cos(w t).
class Shaking final : public BodyPath {
public:
    Shaking(double amplitude, double rate) : amplitude_(amplitude), rate_(rate) {}

    Point at(double t) const noexcept override {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(rate_ * t, s, c);
        Point point;
        point.pose.position.y = amplitude_ * c;
        point.linear_velocity.y = -amplitude_ * rate_ * s;
        point.linear_acceleration.y = -amplitude_ * rate_ * rate_ * c;
        return point;
    }

private:
    double amplitude_;
    double rate_;
};

Scene make_shaken_pendulum(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const double rate = values[0];
    const double angle = kOnItsHead - values[1];

    BodyDesc pivot;
    pivot.motion = MotionType::Kinematic;
    pivot.path = std::make_shared<Shaking>(kAmplitude, rate);
    pivot.pose = pivot.path->at(0.0).pose;
    pivot.shape = Box{{0.06, 0.03, 0.06}};
    pivot.collides = false;
    const BodyId support = add_body(scene, "pivot", pivot, NodeAppearance::Role::Support);

    const auto rod_pose = [rate](double t, double theta) {
        const glm::dvec3 joint{0.0, kAmplitude * std::cos(rate * t), 0.0};
        return Pose{joint + kDistance * glm::dvec3{std::sin(theta), -std::cos(theta), 0.0},
                    turn_about_z(theta - 0.5 * std::numbers::pi)};
    };
    BodyDesc rod;
    rod.pose = rod_pose(0.0, angle);
    rod.shape = kRod;
    rod.mass = kMass;
    rod.collides = false;
    const BodyId body = add_body(scene, "rod", rod, NodeAppearance::Role::Bob);
    scene.world.create_joint(hinge(scene.world, support, body, pivot.pose.position, {0.0, 0.0, 1.0}));
    add_support(scene, "guide", {{0.0, -0.15, 0.0}, kNoTurn}, Box{{0.02, 0.15, 0.02}});

    const double inertia = mass_properties(kRod, kMass).inertia[2][2];
    const ShakenPendulum equations{(inertia + kMass * kDistance * kDistance) / (kMass * kDistance), kAmplitude, rate,
                                   kGravity};
    const auto motion = std::make_shared<ReferenceMotion>(equations.motion(angle, 0.0, kUntil));
    PoseTruthDesc truth;
    truth.bodies.push_back({support, [path = pivot.path](double t) { return path->at(t).pose; }});
    truth.bodies.push_back({body, [motion, rod_pose](double t) { return rod_pose(t, motion->at(t)[0]); }});
    truth.channels = {{"rod x", "m", 1, [](const Pose& where) { return where.position.x; }},
                      {"rod y", "m", 1, [](const Pose& where) { return where.position.y; }}};
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.lever = kDistance;
    // dormand_prince853 at 1e-13 was measured to leave 2e-11 rad in ten seconds at 30, 60 and 120 frames a second.
    truth.threshold = 2e-10;
    truth.known_until = kUntil;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 2.0 * kMass * kGravity * kDistance;
    scene.energy_scale_meaning = "work of turning the rod upside down; the pivot gives and takes energy";
    scene.view = {{0.0, 0.25, 0.0}, 1.8, 0.25, 0.1};
    scene.trails = {body};
    return scene;
}

} // namespace

SceneInfo shaken_pendulum_scene() {
    return {.name = "shaken_pendulum",
            .title = "Kapitza's pendulum",
            .description = "A rod stands on its head as long as its pivot is shaken fast enough.",
            .group = "pendulums",
            .has_truth = true,
            .parameters = {{.name = "rate",
                            .label = "rate of shaking",
                            .unit = "rad/s",
                            .value = 100.0,
                            .minimum = 0.0,
                            .maximum = 150.0,
                            .meaning = "Rate at which the pivot goes up and down by 5 cm; below 56 the rod falls."},
                           {.name = "lean",
                            .label = "lean",
                            .unit = "rad",
                            .value = 0.3,
                            .minimum = 0.0,
                            .maximum = 3.14,
                            .meaning = "Angle from upright at the start; large ones swing instead of standing."}},
            .make = make_shaken_pendulum};
}

} // namespace substep::detail
