// Tops and spherical pendulums on ball joints.
#include "pivoted_top.h"

#include <cmath>
#include <numbers>

#include <glm/geometric.hpp>

#include "smooth_settings.h"

namespace substep::detail {
namespace {

// Lays a rod, which is along x, upright.
const glm::dquat kQuarterTurnAboutZ{std::numbers::sqrt2 / 2.0, 0.0, 0.0, std::numbers::sqrt2 / 2.0};

Pose pose_at(const glm::dvec3& pivot, double distance, const glm::dquat& orientation) {
    return {pivot + orientation * glm::dvec3{0.0, distance, 0.0}, orientation};
}

} // namespace

SymmetricTopDesc symmetric_top_desc(const PivotedTopDesc& desc) {
    const MassProperties mass = mass_properties(desc.shape, desc.mass);
    return {.transverse_inertia = mass.inertia[0][0] + desc.mass * desc.distance * desc.distance,
            .axial_inertia = mass.inertia[1][1],
            .moment = desc.mass * kGravity * desc.distance,
            .tilt = desc.tilt,
            .spin = desc.spin,
            .precession = desc.precession};
}

PivotedTop add_pivoted_top(Scene& scene, const PivotedTopDesc& desc) {
    const SymmetricTop motion(symmetric_top_desc(desc));

    // The centre of mass moves at omega x arm.
    BodyDesc body;
    body.pose = pose_at(desc.pivot, desc.distance, motion.at(0.0).orientation);
    body.angular_velocity = motion.start_angular_velocity();
    body.linear_velocity = glm::cross(body.angular_velocity, body.pose.position - desc.pivot);
    body.shape = desc.shape;
    body.collides = false; // its shape is a picture
    body.mass = desc.mass;
    const BodyId id = scene.world.create_body(body);
    scene.world.create_joint(ball(scene.world, kGround, id, desc.pivot));

    // The body's node with its rod, and the ball of the joint.
    const NodeAppearance look{desc.shape, desc.role};
    const NodeIndex node = scene.graph.add({desc.name, kNoNode, body.pose, look, id});
    const NodeAppearance rod{ThinRod{0.5 * desc.distance, 0.02 * desc.distance}, NodeAppearance::Role::Support};
    scene.graph.add({"rod", node, {{0.0, -0.5 * desc.distance, 0.0}, kQuarterTurnAboutZ}, rod, kGround});
    const NodeAppearance joint{Sphere{0.04 * desc.distance}, NodeAppearance::Role::Support};
    scene.graph.add({"pivot", kNoNode, {desc.pivot, {1.0, 0.0, 0.0, 0.0}}, joint, kGround});

    const auto exact = [motion, pivot = desc.pivot, distance = desc.distance](double t) {
        return pose_at(pivot, distance, motion.at(t).orientation);
    };
    return {{id, exact}, motion};
}

PoseChannel tilt_channel(std::size_t body, const char* name) {
    return {name, "rad", body, [](const Pose& pose) {
                const glm::dvec3 axis = pose.orientation * glm::dvec3{0.0, 1.0, 0.0};
                return std::atan2(std::hypot(axis.x, axis.z), axis.y);
            }};
}

PoseChannel position_channel(std::size_t body, int axis, const char* name) {
    return {name, "m", body, [axis](const Pose& pose) { return pose.position[axis]; }};
}

} // namespace substep::detail
