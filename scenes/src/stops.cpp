// Scene `stops`: a cart, a door and a stick bounce between the limits of their joints, weightless.
//
// Between stops nothing pushes: the cart moves and the door turns at a constant rate, to and fro. The stick, slender
// and held at one end, turns along a great circle; at the cone of its swing only the rate away from the axis is
// reversed, so that its tip is a billiard ball on a spherical cap: every arc is as long as the first, and each begins
// as far around the axis from the last (Tabachnikov, Geometry and Billiards, 2005, chapter 2, has the flat disc).
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg, of each
constexpr double kQuarter = 0.5 * std::numbers::pi;
const glm::dvec3 kUp{0.0, 1.0, 0.0};
const glm::dvec3 kAlong{1.0, 0.0, 0.0};

const Box kCart{{0.12, 0.1, 0.1}};
const glm::dvec3 kRail{-1.35, 0.0, 0.0}; // its middle
constexpr double kTravel = 0.5;          // m, to either side
constexpr double kCartSpeed = 0.8;       // m/s

const Box kDoor{{0.3, 0.4, 0.02}};
const glm::dvec3 kHinge{-0.2, 0.0, 0.0};
constexpr double kOpening = 1.1;  // rad, to either side
constexpr double kDoorRate = 1.3; // rad/s

const ThinRod kStick{0.4, 0.025};
const glm::dvec3 kSocket{1.25, -0.4, 0.0};
constexpr double kStickRate = 1.8; // rad/s
constexpr double kNearest = 0.25;  // rad, of the stick's path to the axis; at the axis the swing has no direction

/// A number that goes from zero at a constant rate, to and fro between -reach and reach.
double to_and_fro(double reach, double rate, double t) {
    const double phase = std::fmod(rate * t / reach + 1.0, 4.0); // 0 at -reach, 2 at reach, 4 at -reach again
    return reach * (phase < 2.0 ? phase - 1.0 : 3.0 - phase);
}

/// The stick's attitude: great circles between bounces off the cone.
class CapBilliard {
public:
    CapBilliard(double cone, double rate) : rate_(rate) {
        // It begins where its path is nearest to the axis, and turns about a fixed direction to the cone.
        const glm::dvec3 about = turn_about_z(kNearest) * kAlong;
        first_ = turn_about_z(kQuarter + kNearest);
        axis_ = about;
        // cos cone = cos(nearest) cos(arc)
        half_arc_ = std::acos(std::cos(cone) / std::cos(kNearest));
    }

    glm::dvec3 start_rate() const { return rate_ * axis_; }

    glm::dquat at(double t) const {
        // Each bounce turns the arc about the vertical: its end is where the next one begins.
        const double angle = rate_ * t + half_arc_;
        const double arcs = std::floor(angle / (2.0 * half_arc_));
        const double within = angle - 2.0 * half_arc_ * arcs - half_arc_; // from the middle of this arc
        glm::dquat attitude = first_;
        glm::dvec3 about = axis_;
        for (int i = 0; i < static_cast<int>(arcs); ++i) {
            const glm::dquat end = glm::angleAxis(half_arc_, about) * attitude;
            about = bounced(end * kAlong, about);
            attitude = glm::angleAxis(half_arc_, about) * end;
        }
        return glm::angleAxis(within, about) * attitude;
    }

private:
    /// The axis of the turn after a bounce where the stick points to `tip`.
    static glm::dvec3 bounced(const glm::dvec3& tip, const glm::dvec3& about) {
        const glm::dvec3 velocity = glm::cross(about, tip);
        const glm::dvec3 outward = glm::normalize(glm::dot(tip, kUp) * tip - kUp); // along the cap, off the axis
        return glm::normalize(glm::cross(tip, velocity - 2.0 * glm::dot(velocity, outward) * outward));
    }

    double rate_;
    double half_arc_ = 0.0; // rad
    glm::dquat first_ = detail::quaternion(1.0, 0.0, 0.0, 0.0);
    glm::dvec3 axis_{1.0, 0.0, 0.0};
};

Pose door_pose(double angle) {
    const glm::dquat turn = turn_about_y(angle);
    return {kHinge + turn * glm::dvec3{kDoor.half_sizes.x, 0.0, 0.0}, turn};
}

Pose stick_pose(const glm::dquat& attitude) {
    return {kSocket + attitude * glm::dvec3{kStick.half_length, 0.0, 0.0}, attitude};
}

// What one sees of the stops.
void add_rail(Scene& scene) {
    const double half = kTravel + kCart.half_sizes.x;
    add_support(scene, "rail", {kRail - 0.12 * kUp, kNoTurn}, Box{{half + 0.06, 0.02, 0.04}});
    for (const double side : {-1.0, 1.0}) {
        add_support(scene, "stop", {kRail + side * (half + 0.03) * kAlong, kNoTurn}, Box{{0.03, 0.14, 0.12}});
    }
}

void add_door_posts(Scene& scene) {
    add_support(scene, "post", {kHinge, kNoTurn}, Cylinder{0.035, kDoor.half_sizes.y + 0.06});
    constexpr double kPin = 0.025;
    constexpr double kArm = 0.5;
    for (const double side : {-1.0, 1.0}) {
        const double angle = side * (kOpening + (kDoor.half_sizes.z + kPin) / kArm);
        const glm::dvec3 place = kHinge + turn_about_y(angle) * glm::dvec3{kArm, -kDoor.half_sizes.y, 0.0};
        add_support(scene, "stop", {place, kNoTurn}, Cylinder{kPin, 0.14});
    }
}

void add_rim(Scene& scene, double cone) {
    add_support(scene, "socket", {kSocket, kNoTurn}, Sphere{0.05});
    constexpr int kBeads = 40;
    constexpr double kBead = 0.014;
    const double angle = cone + (kBead + kStick.radius) / (2.0 * kStick.half_length);
    for (int i = 0; i < kBeads; ++i) {
        const double turn = 2.0 * std::numbers::pi * i / kBeads;
        const glm::dvec3 out{std::cos(turn), 0.0, std::sin(turn)};
        const glm::dvec3 place = kSocket + 2.0 * kStick.half_length * (std::cos(angle) * kUp + std::sin(angle) * out);
        add_support(scene, "rim", {place, kNoTurn}, Sphere{kBead});
    }
}

Scene make_stops(std::span<const double> values) {
    Scene scene;
    WorldSettings settings = smooth_settings(1e-8);
    settings.gravity = glm::dvec3{0.0};
    scene.world = World(settings);
    const double pace = values[0];
    const double cone = values[1];
    PoseTruthDesc truth;
    const auto add = [&](const char* name, const Shape& shape, std::function<Pose(double)> pose,
                         const glm::dvec3& velocity, const glm::dvec3& rate) {
        BodyDesc desc;
        desc.pose = pose(0.0);
        desc.linear_velocity = velocity;
        desc.angular_velocity = rate;
        desc.shape = shape;
        desc.mass = kMass;
        desc.collides = false;
        const BodyId body = add_body(scene, name, desc, NodeAppearance::Role::Bob);
        truth.bodies.push_back({body, std::move(pose)});
        scene.trails.push_back(body);
        return body;
    };

    const double speed = pace * kCartSpeed;
    const BodyId cart = add(
        "cart", kCart,
        [speed](double t) {
            return Pose{kRail + to_and_fro(kTravel, speed, t) * kAlong, kNoTurn};
        },
        speed * kAlong, glm::dvec3{0.0});
    JointDesc rail = slider(scene.world, kGround, cart, kRail, kAlong);
    rail.limits = {{.axis = JointAxis::Z, .lower = -kTravel, .upper = kTravel, .restitution = 1.0}};
    scene.world.create_joint(rail);

    const double opening_rate = pace * kDoorRate;
    const auto door_at = [opening_rate](double t) { return door_pose(to_and_fro(kOpening, opening_rate, t)); };
    const BodyId door =
        add("door", kDoor, door_at, glm::cross(opening_rate * kUp, glm::dvec3{kDoor.half_sizes.x, 0.0, 0.0}),
            opening_rate * kUp);
    JointDesc hinges = hinge(scene.world, kGround, door, kHinge, kUp);
    hinges.limits = {{.axis = JointAxis::AngleZ, .lower = -kOpening, .upper = kOpening, .restitution = 1.0}};
    scene.world.create_joint(hinges);

    const CapBilliard billiard(cone, pace * kStickRate);
    const glm::dvec3 turning = billiard.start_rate();
    const auto stick_at = [billiard](double t) { return stick_pose(billiard.at(t)); };
    const BodyId stick = add("stick", kStick, stick_at, glm::cross(turning, stick_at(0.0).position - kSocket), turning);
    // Both frames are made where the stick stands upright: swings are measured from there.
    JointDesc socket = cone_twist(scene.world, kGround, stick, kSocket, kUp, {.swing = cone, .restitution = 1.0});
    socket.frame_b.orientation = glm::conjugate(turn_about_z(kQuarter)) * socket.frame_a.orientation;
    scene.world.create_joint(socket);

    truth.channels = {{"cart x", "m", 0, [](const Pose& where) { return where.position.x - kRail.x; }},
                      {"door angle", "rad", 1,
                       [](const Pose& where) { return 2.0 * std::atan2(where.orientation.y, where.orientation.w); }},
                      {"stick swing", "rad", 2, [](const Pose& where) {
                           const glm::dvec3 tip = where.orientation * kAlong;
                           return std::atan2(glm::length(glm::cross(kUp, tip)), tip.y);
                       }}};
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.threshold = 2e-10; // 1.4e-11: each bounce of the stick off its cone adds what the last one left
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = scene.world.energy().total();
    scene.energy_scale_meaning = "kinetic energy, of which no stop takes any";
    add_rail(scene);
    add_door_posts(scene);
    add_rim(scene, cone);
    scene.view = {{0.0, -0.05, 0.0}, 4.6, 0.2, 0.35};
    return scene;
}

} // namespace

SceneInfo stops_scene() {
    return {.name = "stops",
            .title = "Stops",
            .description = "A cart, a door and a stick bounce between the limits of their joints, weightless.",
            .group = "mechanisms",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "pace",
                            .label = "pace",
                            .unit = "",
                            .value = 1.0,
                            .minimum = 0.1,
                            .maximum = 10.0,
                            .meaning = "Factor on all speeds; the path stays the same, fast ones blur."},
                           {.name = "cone",
                            .label = "cone",
                            .unit = "rad",
                            .value = 0.7,
                            .minimum = 0.4,
                            .maximum = 1.5,
                            .meaning = "How far the stick may swing from upright; wide ones make longer arcs."}},
            .make = make_stops};
}

} // namespace substep::detail
