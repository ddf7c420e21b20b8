// Pendulums about fixed hinges, and the truth that their scenes share.
#include "hinged_pendulum.h"

#include <cmath>
#include <numbers>
#include <utility>

#include <glm/geometric.hpp>

#include "smooth_settings.h"

namespace substep::detail {
namespace {

// Quarter turns that lay a shape's own axis elsewhere: a rod (along x) upright, a cylinder (along y) along z.
const glm::dquat kQuarterTurnAboutZ{std::numbers::sqrt2 / 2.0, 0.0, 0.0, std::numbers::sqrt2 / 2.0};
const glm::dquat kQuarterTurnAboutX{std::numbers::sqrt2 / 2.0, std::numbers::sqrt2 / 2.0, 0.0, 0.0};

Pose pose_at(const HingedPendulum& pendulum, double angle) {
    const glm::dvec3 arm{std::sin(angle), -std::cos(angle), 0.0};
    return {pendulum.pivot + pendulum.distance * arm, {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)}};
}

// sqrt(m g d / (I + m d^2)): a body of finite size swings slower than a point at its centre of mass.
long double natural_rate(double distance, const MassProperties& mass) {
    const long double d = distance;
    const long double moment = mass.inertia[2][2] + mass.mass * d * d;
    return std::sqrt(mass.mass * static_cast<long double>(kGravity) * d / moment);
}

// Simulated minus exact angle, by the direction of the centre of mass, within half a turn.
double angle_error(const World& world, const HingedPendulum& pendulum) {
    const glm::dvec3 arm = world.body(pendulum.body).centre_of_mass() - pendulum.pivot;
    const double exact = pendulum.motion.at(world.time()).angle;
    return std::remainder(std::atan2(arm.x, -arm.y) - exact, 2.0 * std::numbers::pi);
}

} // namespace

HingedPendulum add_hinged_pendulum(Scene& scene, const HingedPendulumDesc& desc) {
    HingedPendulum pendulum{kGround, desc.pivot, desc.distance,
                            PendulumMotion(natural_rate(desc.distance, desc.mass), desc.start_angle, desc.start_rate)};

    // The centre of mass moves at omega x arm.
    BodyDesc body;
    body.collides = false; // its shape is a picture
    body.pose = pose_at(pendulum, desc.start_angle);
    body.angular_velocity = {0.0, 0.0, desc.start_rate};
    body.linear_velocity = glm::cross(body.angular_velocity, body.pose.position - desc.pivot);
    body.shape = desc.shape;
    body.mass_properties = desc.mass;
    pendulum.body = scene.world.create_body(body);
    scene.world.create_joint(hinge(scene.world, kGround, pendulum.body, desc.pivot, {0.0, 0.0, 1.0}));

    // The body's node, and the rod as its child.
    const NodeAppearance look{desc.shape, NodeAppearance::Role::Bob};
    const NodeIndex node = scene.graph.add({desc.name, kNoNode, body.pose, look, pendulum.body});
    if (desc.has_rod) {
        const Pose middle{{0.0, 0.5 * desc.distance, 0.0}, kQuarterTurnAboutZ};
        const NodeAppearance rod{ThinRod{0.5 * desc.distance, 0.008 * desc.distance}, NodeAppearance::Role::Body};
        scene.graph.add({"rod", node, middle, rod, kGround});
    }
    return pendulum;
}

void add_hinge_pin(Scene& scene, const glm::dvec3& pivot) {
    const NodeAppearance pin{Cylinder{0.025, 0.08}, NodeAppearance::Role::Support};
    scene.graph.add({"hinge", kNoNode, {pivot, kQuarterTurnAboutX}, pin, kGround});
}

PendulumTruth::PendulumTruth(std::vector<HingedPendulum> pendulums) : pendulums_(std::move(pendulums)) {}

std::string PendulumTruth::quantity() const { return pendulums_.size() == 1 ? "angle" : "worst angle"; }

// A tenth of a radian: two pendulums that differ by as much no longer look like the same motion.
double PendulumTruth::visible_error() const { return 0.1; }

// Swings do not amplify errors, so that their sum is left: 4e-13 of one pendulum, 1.7e-12 of the worst of fifteen.
double PendulumTruth::threshold() const { return 2e-11; }

double PendulumTruth::error(const World& world) const {
    double largest = 0.0;
    for (const HingedPendulum& pendulum : pendulums_) {
        const double error = std::abs(angle_error(world, pendulum));
        if (!(error <= largest)) { // also where it is not a number
            largest = error;
        }
    }
    return largest;
}

double PendulumTruth::lever() const { return pendulums_.front().distance; }

std::vector<Truth::Channel> PendulumTruth::channels(const World& world) const {
    const HingedPendulum& first = pendulums_.front();
    const PendulumMotion::State exact = first.motion.at(world.time());
    return {{"theta", "rad", exact.angle, exact.angle + angle_error(world, first)},
            {"omega", "rad/s", exact.rate, world.body(first.body).angular_velocity().z}};
}

void PendulumTruth::poses(double t, std::span<Pose> out) const {
    for (std::size_t i = 0; i < pendulums_.size() && i < out.size(); ++i) {
        out[i] = pose_at(pendulums_[i], pendulums_[i].motion.at(t).angle);
    }
}

} // namespace substep::detail
