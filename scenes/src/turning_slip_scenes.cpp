// Scenes of a sphere thrown with spin: its slip keeps its direction on the level, turns on a slope, and goes round with
// a plate that is shaken too hard for it to roll.
//
// All are compared with the equations of sliding_sphere.h. On the level the motion is a parabola until the slip ends
// after 2 u/(7 mu g) (MacMillan, Dynamics of Rigid Bodies, sections 106 and 107); on a slope steeper than
// tan s = 7/2 mu, and on a plate of greater acceleration than 7/2 mu g, it never does.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "pose_truth.h"
#include "scene_parts.h"
#include "sliding_sphere.h"
#include "smooth_settings.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kRadius = 0.5; // m

/// Along a horizontal circle, from the side of +x on towards +z.
class CirclingPath final : public BodyPath {
public:
    CirclingPath(double radius, double rate) : radius_(radius), rate_(rate) {}

    Point at(double t) const noexcept override {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(rate_ * t, s, c);
        Point point;
        point.pose.position = {radius_ * c, 0.0, radius_ * s};
        point.linear_velocity = {-radius_ * rate_ * s, 0.0, radius_ * rate_ * c};
        point.linear_acceleration = -rate_ * rate_ * point.pose.position;
        return point;
    }

private:
    double radius_; // m
    double rate_;   // rad/s
};

/// A plane, and the sphere that slides on it.
struct SlideDesc {
    double slope = 0.0; ///< rad, falls towards +x
    double friction = 0.1;
    glm::dvec2 velocity{0.0}; ///< m/s, down the slope and across it
    glm::dvec2 slip{0.0};     ///< m/s
    double shake_radius = 0.0;
    double shake_rate = 0.0; ///< rad/s
    double until = 20.0;     ///< s, as far as it is known
};

Scene make_slide(const SlideDesc& desc) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const glm::dquat tilt = turn_about_z(-desc.slope);

    BodyDesc plane;
    plane.shape = Plane{};
    plane.material = {.friction = desc.friction};
    const bool is_shaken = desc.shake_rate > 0.0;
    if (is_shaken) {
        plane.motion = MotionType::Kinematic;
        plane.path = std::make_shared<CirclingPath>(desc.shake_radius, desc.shake_rate);
        plane.pose = plane.path->at(0.0).pose;
    } else {
        plane.motion = MotionType::Static;
        plane.pose.orientation = tilt;
    }
    const BodyId ground = add_body(scene, "ground", plane, NodeAppearance::Role::Support);

    const double weight = kGravity * std::cos(desc.slope);
    const SlidingSphere equations{.radius = kRadius,
                                  .friction_deceleration = desc.friction * weight,
                                  .pull = {kGravity * std::sin(desc.slope), 0.0},
                                  .shake_radius = desc.shake_radius,
                                  .shake_rate = desc.shake_rate,
                                  .velocity = desc.velocity,
                                  .slip = desc.slip};
    const auto place = [tilt](const glm::dvec2& way) { return tilt * glm::dvec3(way.x, kRadius, way.y); };
    BodyDesc ball;
    ball.mass = 1.0;
    ball.pose = {place({0.0, 0.0}), tilt};
    ball.linear_velocity = tilt * glm::dvec3(desc.velocity.x, 0.0, desc.velocity.y);
    ball.angular_velocity = tilt * equations.angular_velocity(desc.velocity, desc.slip, equations.plane_velocity(0.0L));
    ball.shape = Sphere{kRadius};
    ball.material = {.friction = desc.friction};
    const BodyId body = add_body(scene, "ball", ball, NodeAppearance::Role::Bob);

    // Only the level lets the slip end. From then on the sphere rolls.
    const double slides =
        desc.slope == 0.0 && !is_shaken ? glm::length(desc.slip) / (3.5 * equations.friction_deceleration) : desc.until;
    const auto motion = std::make_shared<ReferenceMotion>(equations.motion(slides));
    const auto ball_pose = [=](double t) {
        const SlidingSphere::State state = SlidingSphere::state_of(motion->at(std::min(t, slides)));
        if (t <= slides) {
            return Pose{place(state.way), tilt * state.orientation};
        }
        const glm::dvec3 spin = equations.angular_velocity(state.velocity, {0.0, 0.0}, {0.0, 0.0});
        const double rate = glm::length(spin);
        const glm::dquat turn = rate > 0.0 ? glm::angleAxis(rate * (t - slides), spin / rate) : kNoTurn;
        return Pose{place(state.way + (t - slides) * state.velocity), tilt * turn * state.orientation};
    };
    PoseTruthDesc truth;
    truth.bodies.push_back({ground, [plane](double t) { return plane.path ? plane.path->at(t).pose : plane.pose; }});
    truth.bodies.push_back({body, ball_pose});
    const auto along = [tilt](const Pose& pose) { return glm::conjugate(tilt) * pose.position; };
    truth.channels = {{"x", "m", 1, [along](const Pose& pose) { return along(pose).x; }},
                      {"z", "m", 1, [along](const Pose& pose) { return along(pose).z; }}};
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.lever = kRadius;
    // dormand_prince853 at 1e-13 was measured to leave at most 5.5e-13 rad at 30, 60 and 120 frames a second.
    truth.threshold = 1e-11;
    truth.until = std::min(desc.until, 10.0);
    truth.known_until = desc.until;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.trails = {body};
    return scene;
}

Scene make_level_throw(std::span<const double> values) {
    Scene scene = make_slide({.friction = values[0], .velocity = {2.0, 1.0}, .slip = {0.5, values[1]}});
    scene.energy_scale = 2.5;
    scene.energy_scale_meaning = "kinetic energy of the sphere's flight at the start";
    scene.frames = 120;
    scene.view = {{1.5, 0.0, 0.5}, 8.4, 0.4, 0.5};
    return scene;
}

Scene make_oblique_throw(std::span<const double> values) {
    constexpr double kSlipSpeed = 3.0; // m/s
    const glm::dvec2 slip = kSlipSpeed * glm::dvec2(std::cos(values[2]), std::sin(values[2]));
    Scene scene =
        make_slide({.slope = values[0], .friction = values[1], .velocity = {-3.0, 1.5}, .slip = slip, .until = 4.0});
    scene.energy_scale = kGravity;
    scene.energy_scale_meaning = "work of lifting the sphere by a metre";
    scene.frames = 150;
    scene.view = {{0.0, 0.0, 1.0}, 8.4, 0.4, 0.4};
    return scene;
}

Scene make_shaken_plate(std::span<const double> values) {
    constexpr double kShakeRadius = 0.3; // m
    const double rate = values[0];
    // At rest in space on a plate that moves.
    Scene scene = make_slide(
        {.friction = values[1], .slip = {0.0, -kShakeRadius * rate}, .shake_radius = kShakeRadius, .shake_rate = rate});
    scene.energy_scale = 0.5 * kShakeRadius * rate * kShakeRadius * rate;
    scene.energy_scale_meaning = "kinetic energy of the sphere at the plate's speed; the plate gives and takes it";
    scene.frames = 300;
    scene.view = {{0.0, 0.0, 0.0}, 5.0, 0.4, 0.5};
    return scene;
}

SceneParameter friction_parameter(double value, double maximum, std::string meaning) {
    return {.name = "friction",
            .label = "friction",
            .unit = "",
            .value = value,
            .minimum = 0.02,
            .maximum = maximum,
            .meaning = std::move(meaning)};
}

} // namespace

SceneInfo level_throw_scene() {
    return {.name = "level_throw",
            .title = "Throw with side spin",
            .description = "A sliding sphere runs along a parabola, as a cue ball does, until it rolls straight on.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {friction_parameter(0.08, 2.0, "Coulomb's coefficient; the slide lasts 2 u/(7 mu g)."),
                           {.name = "side_slip",
                            .label = "side slip",
                            .unit = "m/s",
                            .value = 3.0,
                            .minimum = -10.0,
                            .maximum = 10.0,
                            .meaning = "Slip across, besides 0.5 m/s along: the sphere's side spin."}},
            .make = make_level_throw};
}

SceneInfo oblique_throw_scene() {
    return {.name = "oblique_throw",
            .title = "Oblique throw on a slope",
            .description = "Thrown up and across a slope with spin, a sphere never grips: its slip turns downhill.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "slope",
                            .label = "slope",
                            .unit = "rad",
                            .value = 0.4,
                            .minimum = 0.36,
                            .maximum = 1.0,
                            .meaning = "Angle of the slope, too steep to roll on."},
                           friction_parameter(0.1, 0.1, "Coulomb's coefficient; the sphere would grip at 2/7 tan s."),
                           {.name = "turn",
                            .label = "turn of the slip",
                            .unit = "rad",
                            .value = 2.967,
                            .minimum = 0.1,
                            .maximum = 3.0,
                            .meaning = "Angle from downhill at which the slip begins, and by which it turns: 170 "
                                       "degrees."}},
            .make = make_oblique_throw};
}

SceneInfo shaken_plate_scene() {
    return {.name = "shaken_plate",
            .title = "Shaken plate",
            .description = "A plate circles too hard for the sphere on it to roll: the slip goes round and round.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "rate",
                            .label = "rate of shaking",
                            .unit = "rad/s",
                            .value = 6.0,
                            .minimum = 6.0,
                            .maximum = 20.0,
                            .meaning = "Rate at which the plate goes round a circle of 30 cm."},
                           friction_parameter(0.2, 0.25,
                                              "Coulomb's coefficient; the sphere would roll at 2/7 of the plate's "
                                              "acceleration over g.")},
            .make = make_shaken_plate};
}

} // namespace substep::detail
