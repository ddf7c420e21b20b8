// What carries what stands on it: a lift, and a turntable until friction gives no more.
//
// On the lift everything keeps its place as long as the deck falls no faster than bodies do. On a turntable that speeds
// up evenly from rest, omega = a t, a block at radius r goes round with it until sqrt((omega^2 r)^2 + (a r)^2) is mu g.
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

/// Up by twice the amplitude and down again, as a cosine.
class LiftPath final : public BodyPath {
public:
    LiftPath(const glm::dvec3& lowest, double amplitude, double rate)
        : lowest_(lowest), amplitude_(amplitude), rate_(rate) {}

    Point at(double t) const noexcept override {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(rate_ * t, s, c);
        Point point;
        point.pose.position = lowest_ + glm::dvec3{0.0, amplitude_ - amplitude_ * c, 0.0};
        point.linear_velocity.y = amplitude_ * rate_ * s;
        point.linear_acceleration.y = amplitude_ * rate_ * rate_ * c;
        return point;
    }

private:
    glm::dvec3 lowest_; // m
    double amplitude_;  // m
    double rate_;       // rad/s
};

/// About the vertical, faster and faster.
class SpinPath final : public BodyPath {
public:
    SpinPath(const glm::dvec3& centre, double gain) : centre_(centre), gain_(gain) {}

    Point at(double t) const noexcept override {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(0.25 * gain_ * t * t, s, c);
        Point point;
        point.pose = {centre_, {c, 0.0, s, 0.0}};
        point.angular_velocity.y = gain_ * t;
        point.angular_acceleration.y = gain_;
        return point;
    }

private:
    glm::dvec3 centre_; // m
    double gain_;       // rad/s^2
};

BodyId add_carrier(Scene& scene, PoseTruthDesc& truth, const std::string& name, const Shape& shape,
                   std::shared_ptr<const BodyPath> path) {
    BodyDesc desc;
    desc.motion = MotionType::Kinematic;
    desc.shape = shape;
    desc.path = std::move(path);
    desc.pose = desc.path->at(0.0).pose;
    desc.material = rough(1.0);
    const BodyId body = add_body(scene, name, desc, NodeAppearance::Role::Support);
    truth.bodies.push_back({body, [path = desc.path](double t) { return path->at(t).pose; }});
    return body;
}

// Adds a body that keeps its place on the carrier, given in the carrier's frame.
void add_load(Scene& scene, PoseTruthDesc& truth, const std::string& name, const Shape& shape, const Pose& on_carrier,
              double friction, std::shared_ptr<const BodyPath> path) {
    const auto pose = [=](double t) {
        const Pose carrier = path->at(t).pose;
        return Pose{carrier.position + carrier.orientation * on_carrier.position,
                    carrier.orientation * on_carrier.orientation};
    };
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = shape;
    desc.pose = pose(0.0);
    desc.material = rough(friction);
    const BodyId body = add_body(scene, name, desc);
    truth.bodies.push_back({body, pose});
    scene.trails.push_back(body);
}

// --- a lift ----------------------------------------------------------------------------------------------------------

Scene make_lift(std::span<const double> values) {
    constexpr glm::dvec3 kDeck{1.5, 0.06, 0.5}; // m, half sizes
    const double amplitude = 0.5 * values[0];
    const double rate = 2.0 * std::numbers::pi / values[1];
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    PoseTruthDesc truth;
    const auto path = std::make_shared<const LiftPath>(glm::dvec3{0.0, 0.2, 0.0}, amplitude, rate);
    add_carrier(scene, truth, "deck", Box{kDeck}, path);
    const auto add = [&](const std::string& name, const Shape& shape, double x, double height) {
        add_load(scene, truth, name, shape, {{x, kDeck.y + height, 0.0}, kNoTurn}, 0.5, path);
    };
    add("box", Box{{0.2, 0.2, 0.2}}, -1.1, 0.2);
    add("ball", Sphere{0.22}, -0.4, 0.22);
    add("cylinder", Cylinder{0.18, 0.25}, 0.35, 0.25);
    add("cone", TaperedCylinder{0.25, 0.0, 0.3}, 1.1, 0.3);
    truth.channels = {{"height of the box", "m", 1, [](const Pose& at) { return at.position.y; }},
                      {"height of the ball", "m", 2, [](const Pose& at) { return at.position.y; }}};
    // What stands on several points is held by velocity steps: 2.2e-8 m were measured.
    truth.threshold = 1e-6;
    truth.visible_error = 0.02;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 4.0 * kGravity * 2.0 * amplitude;
    scene.energy_scale_meaning = "work of lifting all four bodies";
    scene.frames = 480;
    scene.view = {{0.0, 0.3 + amplitude, 0.0}, 5.0, 0.4, 0.2};
    return scene;
}

// --- a turntable -----------------------------------------------------------------------------------------------------

// When friction no longer holds what goes round at a radius (m), s.
double let_go(double radius, double gain, double friction) {
    const double grip = friction * kGravity;
    const double along = gain * radius; // m/s^2, that the table gives it forwards
    return std::sqrt(std::sqrt(grip * grip - along * along) / radius) / gain;
}

Scene make_turntable(std::span<const double> values) {
    constexpr double kRadius = 1.5;                   // m
    constexpr double kThickness = 0.05;               // m, half
    constexpr double kFloor = 0.5;                    // m, below the table's top
    constexpr std::array kPlaces{0.4, 0.7, 1.0, 1.3}; // m, of the blocks
    const double gain = values[0];
    const double friction = values[1];
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    PoseTruthDesc truth;
    BodyDesc floor; // for what has left the table
    floor.motion = MotionType::Static;
    floor.pose.position.y = -kFloor;
    floor.shape = Plane{};
    floor.material = rough(1.0);
    const BodyId ground = add_body(scene, "floor", floor, NodeAppearance::Role::Support);
    truth.bodies.push_back({ground, [pose = floor.pose](double) { return pose; }});
    const auto path = std::make_shared<const SpinPath>(glm::dvec3{0.0, -kThickness, 0.0}, gain);
    add_carrier(scene, truth, "table", Cylinder{kRadius, kThickness}, path);
    double angle = 0.0;
    for (const double radius : kPlaces) {
        const glm::dquat turn = turn_about_y(angle);
        const glm::dvec3 half_sizes{0.12, 0.06, 0.09};
        add_load(scene, truth, "block", Box{half_sizes},
                 {turn * glm::dvec3{radius, 0.0, 0.0} + glm::dvec3{0.0, kThickness + half_sizes.y, 0.0}, turn},
                 friction, path);
        angle += 0.5 * std::numbers::pi;
    }
    truth.channels.push_back({"outermost block's radius", "m", 1 + kPlaces.size(), [](const Pose& at) {
                                  return std::sqrt(at.position.x * at.position.x + at.position.z * at.position.z);
                              }});
    truth.channels.push_back({"innermost block's x", "m", 2, [](const Pose& at) { return at.position.x; }});
    truth.known_until = let_go(kPlaces.back(), gain, friction);
    truth.until = 0.99 * truth.known_until;
    // Blocks stand on four corners, which velocity steps hold: where friction nearly lets go 2.1e-6 m were measured.
    truth.threshold = 2e-5;
    truth.visible_error = 0.02;
    const double last = let_go(kPlaces.front(), gain, friction);
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kPlaces.size() * friction * kGravity;
    scene.energy_scale_meaning = "work of friction on all blocks over a metre; the table gives what they gain";
    scene.frames = static_cast<int>(60.0 * (last + 0.5));
    scene.view = {{0.0, -0.1, 0.0}, 5.0, 0.5, 0.5};
    return scene;
}

} // namespace

SceneInfo lift_scene() {
    return {.name = "lift",
            .title = "Lift",
            .description = "A deck goes up and down; box, ball, cylinder and cone stay where they stand on it.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "rise",
                            .label = "rise",
                            .unit = "m",
                            .value = 1.0,
                            .minimum = 0.1,
                            .maximum = 2.0,
                            .meaning = "Height from the lowest to the highest place of the deck."},
                           {.name = "period",
                            .label = "period",
                            .unit = "s",
                            .value = 4.0,
                            .minimum = 2.5,
                            .maximum = 20.0,
                            .meaning = "Time of going up and down once; the deck never falls as fast as bodies do."}},
            .make = make_lift};
}

SceneInfo turntable_scene() {
    return {.name = "turntable",
            .title = "Turntable",
            .description =
                "A table turns faster and faster; blocks let go where omega^2 r is mu g, the outermost first.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "gain",
                            .label = "gain",
                            .unit = "rad/s^2",
                            .value = 0.4,
                            .minimum = 0.1,
                            .maximum = 1.0,
                            .meaning = "By how much the table turns faster in a second."},
                           {.name = "friction",
                            .label = "friction",
                            .unit = "",
                            .value = 0.4,
                            .minimum = 0.2,
                            .maximum = 1.0,
                            .meaning = "Coulomb's coefficient of the blocks on the table."}},
            .make = make_turntable};
}

} // namespace substep::detail
