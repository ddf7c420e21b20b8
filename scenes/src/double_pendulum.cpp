// Scene `double_pendulum`: two boxes hinged end to end, beside an independent solution in two angles.
//
// With angles from hanging, D = theta1 - theta2 and c, l a box's centre and end from its hinge, Lagrange's equations
// (Landau & Lifshitz, Mechanics, section 5, problem 1, with the moments of the boxes) are
//     A theta1'' + B cos D theta2'' = -B sin D theta2'^2 - (m1 c1 + m2 l1) g sin theta1,
//     B cos D theta1'' + C theta2'' =  B sin D theta1'^2 - m2 c2 g sin theta2,
// A = I1 + m1 c1^2 + m2 l1^2, B = m2 l1 c2, C = I2 + m2 c2^2. There is no closed form, and errors grow some 300 times
// in 10 s. The truth is DoublePendulumMotion: solved in these two angles alone by cash_karp54 at a tolerance of 1e-18,
// with compensated sums, and stored every 0.1 s. At ten times that tolerance it differs by less than 1e-12.
#include <cmath>
#include <memory>
#include <numbers>

#include <glm/geometric.hpp>

#include "double_pendulum_table.h"
#include "hinged_pendulum.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg
const Box kBox{{0.5, 0.05, 0.05}};

Pose box_pose(const glm::dvec3& hinge_point, double angle) {
    const double half_length = kBox.half_sizes.x;
    const double turn = 0.5 * (angle - 0.5 * std::numbers::pi); // the box lies along +x when it is not turned
    return {hinge_point + half_length * glm::dvec3{std::sin(angle), -std::cos(angle), 0.0},
            {std::cos(turn), 0.0, 0.0, std::sin(turn)}};
}

glm::dvec3 end_of(const Pose& box) { return box.position + box.orientation * glm::dvec3{kBox.half_sizes.x, 0.0, 0.0}; }

/// Distance of the second box's end from where the stored solution has it.
class DoublePendulumTruth final : public Truth {
public:
    DoublePendulumTruth(BodyId first, BodyId second) : first_(first), second_(second) {}

    std::string quantity() const override { return "tip position"; }
    std::string unit() const override { return "m"; }
    double visible_error() const override { return 0.05; } // half a box's thickness: the ghost then shows beside it
    double threshold() const override { return 2e-9; }     // 1.1e-10: the motion multiplies errors by some 300 in 10 s
    double known_until() const override { return kDoublePendulumInterval * (kDoublePendulumNodes - 1); }

    double error(const World& world) const override {
        std::array<Pose, 2> exact;
        poses(world.time(), exact);
        return glm::length(end_of(world.pose(second_)) - end_of(exact[1]));
    }

    std::vector<Channel> channels(const World& world) const override {
        const DoublePendulumMotion::State exact = at(world.time());
        return {angle_channel(world, "theta 1", first_, exact[0]),
                angle_channel(world, "theta 2", second_, exact[1]),
                {"omega 1", "rad/s", exact[2], world.body(first_).angular_velocity().z},
                {"omega 2", "rad/s", exact[3], world.body(second_).angular_velocity().z}};
    }

    void poses(double t, std::span<Pose> out) const override {
        const DoublePendulumMotion::State exact = at(t);
        const Pose first = box_pose(glm::dvec3{0.0}, exact[0]);
        const Pose second = box_pose(end_of(first), exact[1]);
        if (out.size() >= 2) {
            out[0] = first;
            out[1] = second;
        }
    }

private:
    static DoublePendulumMotion::State at(double t) {
        return double_pendulum_motion().between(double_pendulum_table(), kDoublePendulumInterval, t);
    }

    static Channel angle_channel(const World& world, const char* name, BodyId body, double exact) {
        const glm::dvec3 along = world.pose(body).orientation * glm::dvec3{1.0, 0.0, 0.0};
        const double difference = std::remainder(std::atan2(along.x, -along.y) - exact, 2.0 * std::numbers::pi);
        return {name, "rad", exact, exact + difference};
    }

    BodyId first_;
    BodyId second_;
};

// Adds a box along +x whose left end is hinged to `parent` at `hinge_point`.
BodyId add_box(Scene& scene, const char* name, BodyId parent, const glm::dvec3& hinge_point,
               NodeAppearance::Role role) {
    BodyDesc box;
    box.collides = false; // its shape is a picture
    box.pose = {hinge_point + glm::dvec3{kBox.half_sizes.x, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    box.shape = kBox;
    box.mass = kMass;
    const BodyId body = scene.world.create_body(box);
    scene.world.create_joint(hinge(scene.world, parent, body, hinge_point, {0.0, 0.0, 1.0}));
    scene.graph.add({name, kNoNode, box.pose, NodeAppearance{*box.shape, role}, body});
    return body;
}

Scene make_double_pendulum(std::span<const double>) {
    Scene scene;
    scene.world = World(smooth_settings(1e-10));
    add_hinge_pin(scene, glm::dvec3{0.0});
    using Role = NodeAppearance::Role;
    const BodyId first = add_box(scene, "upper box", kGround, glm::dvec3{0.0}, Role::Body);
    const BodyId second = add_box(scene, "lower box", first, {2.0 * kBox.half_sizes.x, 0.0, 0.0}, Role::Bob);

    scene.truth = std::make_unique<DoublePendulumTruth>(first, second);
    scene.energy_scale = 2.0 * kMass * kGravity * 2.0 * kBox.half_sizes.x;
    scene.energy_scale_meaning = "work of lifting both boxes from hanging to horizontal";
    scene.view = {{0.0, -0.6, 0.0}, 5.5, 0.25, 0.1};
    scene.trails = {second};
    return scene;
}

} // namespace

DoublePendulumMotion double_pendulum_motion() {
    const glm::dvec3 half = kBox.half_sizes;
    const double inertia = kMass * (half.x * half.x + half.y * half.y) / 3.0; // of a box, about its z axis
    const PendulumLink link{kMass, inertia, half.x, 2.0 * half.x};
    return DoublePendulumMotion(link, link, kGravity);
}

DoublePendulumMotion::State double_pendulum_start() {
    return {0.5 * std::numbers::pi, 0.5 * std::numbers::pi, 0.0, 0.0};
}

SceneInfo double_pendulum_scene() {
    return {.name = "double_pendulum",
            .title = "Double pendulum",
            .description = "Two hinged boxes released from the horizontal, against an independent solution to 10 s.",
            .group = "pendulums",
            .has_truth = true,
            .parameters = {},
            .make = make_double_pendulum};
}

} // namespace substep::detail
