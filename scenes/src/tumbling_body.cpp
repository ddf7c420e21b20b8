// Scene `tumbling_body`: a free body that turns over and over about its middle axis.
//
// Euler's equations I1 w1' = (I2 - I3) w2 w3 and so on, I1 < I2 < I3, keep 2 T = I1 w1^2 + I2 w2^2 + I3 w3^2 and
// L^2 = (I1 w1)^2 + (I2 w2)^2 + (I3 w3)^2. Where L^2 > 2 T I2, as from the default start,
//     w1 = a1 cn(u, k), w2 = a2 sn(u, k), w3 = a3 dn(u, k), u = p t + u0,
//     p^2 = (I3 - I2)(L^2 - 2 T I1)/(I1 I2 I3), k^2 = (I2 - I1)(2 T I3 - L^2)/((I3 - I2)(L^2 - 2 T I1)),
// and where L^2 is less, axes 1 and 3 change places (Landau & Lifshitz, Mechanics, section 37). The body turns over
// every 2 K(k)/p, the longer the nearer k is to 1. Its orientation takes one quadrature more: AsymmetricTop has both.
#include <cmath>
#include <memory>
#include <utility>

#include <glm/geometric.hpp>

#include "smooth_settings.h"
#include "substep/scenes/asymmetric_top.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0;             // kg
const glm::dvec3 kInertia{1.0, 2.0, 3.0}; // kg m^2: I1 + I2 = I3, a flat plate
const Box kPlate{{2.45, 1.73, 0.03}};     // m: sqrt 6 and sqrt 3, the plate of 1 kg that has this inertia

/// Attitude error: the angle of the rotation between simulated and exact orientation.
class TumblingTruth final : public Truth {
public:
    TumblingTruth(BodyId body, AsymmetricTop top) : body_(body), top_(std::move(top)) {}

    std::string quantity() const override { return "attitude"; }
    std::string unit() const override { return "rad"; }
    double visible_error() const override { return 0.1; } // as for a pendulum: the ghost then clearly points elsewhere
    double threshold() const override { return 5e-7; }    // 5e-8: each flip multiplies errors by some hundreds
    double lever() const override { return kPlate.half_sizes.x; }

    double error(const World& world) const override {
        // The vector part is sin(angle/2): accurate for small angles, where the scalar part is not.
        const glm::dquat exact = top_.at(world.time()).orientation;
        const glm::dquat difference = glm::conjugate(exact) * world.pose(body_).orientation;
        const double s = glm::length(glm::dvec3{difference.x, difference.y, difference.z});
        return 2.0 * std::atan2(s, std::abs(difference.w));
    }

    std::vector<Channel> channels(const World& world) const override {
        const glm::dvec3 exact = top_.at(world.time()).rates;
        const glm::dvec3 rates = glm::conjugate(world.pose(body_).orientation) * world.body(body_).angular_velocity();
        return {{"omega 1", "rad/s", exact.x, rates.x},
                {"omega 2", "rad/s", exact.y, rates.y},
                {"omega 3", "rad/s", exact.z, rates.z}};
    }

    void poses(double t, std::span<Pose> out) const override {
        if (!out.empty()) {
            out[0] = {glm::dvec3{0.0}, top_.at(t).orientation};
        }
    }

private:
    BodyId body_;
    AsymmetricTop top_;
};

Scene make_tumbling_body(std::span<const double> values) {
    Scene scene;
    WorldSettings settings = smooth_settings(1e-10);
    settings.gravity = glm::dvec3{0.0};
    scene.world = World(settings);

    BodyDesc plate;
    plate.shape = kPlate;
    plate.collides = false; // its shape is a picture
    plate.angular_velocity = {values[0], values[1], values[2]};
    glm::dmat3 inertia{0.0};
    for (int axis = 0; axis < 3; ++axis) {
        inertia[axis][axis] = kInertia[axis];
    }
    plate.mass_properties = MassProperties{kMass, glm::dvec3{0.0}, inertia};
    AsymmetricTop top(kInertia, plate.angular_velocity, plate.pose.orientation);
    const BodyId body = scene.world.create_body(plate);

    // A handle on one side and a knob on the other tell the faces and ends apart.
    const glm::dquat straight = detail::quaternion(1.0, 0.0, 0.0, 0.0);
    const NodeAppearance look{kPlate, NodeAppearance::Role::Body};
    const NodeAppearance handle{ThinRod{0.75, 0.12}, NodeAppearance::Role::Support};
    const NodeAppearance knob{Sphere{0.25}, NodeAppearance::Role::Bob};
    const NodeIndex node = scene.graph.add({"plate", kNoNode, {}, look, body});
    scene.graph.add({"handle", node, {{3.2, 0.0, 0.0}, straight}, handle, kGround});
    scene.graph.add({"knob", node, {{-1.2, 0.0, 0.2}, straight}, knob, kGround});

    scene.truth = std::make_unique<TumblingTruth>(body, std::move(top));
    scene.energy_scale = 0.5 * glm::dot(kInertia * plate.angular_velocity, plate.angular_velocity);
    scene.energy_scale_meaning = "kinetic energy at the start";
    scene.view = {glm::dvec3{0.0}, 12.0, 0.5, 0.3};
    return scene;
}

SceneParameter rate(const char* name, const char* label, double value, const char* meaning) {
    return {name, label, "rad/s", value, -20.0, 20.0, meaning};
}

} // namespace

SceneInfo tumbling_body_scene() {
    return {
        .name = "tumbling_body",
        .title = "Tumbling body",
        .description = "A free plate spun about its middle axis flips over and over, as its closed form says.",
        .group = "spinning bodies",
        .has_truth = true,
        .parameters =
            {rate("rate_1", "rate about axis 1", 0.01,
                  "Start rate about the axis of smallest inertia; with both outer rates 0 there is no flip "
                  "and no closed form, and the scene is refused."),
             rate("rate_2", "rate about axis 2", 5.0, "Start rate about the middle axis, where rotation is unstable."),
             rate("rate_3", "rate about axis 3", 0.01,
                  "Start rate about the axis of largest inertia; small values make long pauses between flips.")},
        .make = make_tumbling_body};
}

} // namespace substep::detail
