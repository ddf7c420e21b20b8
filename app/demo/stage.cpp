// Where a scene stands: its ground, and the space that its bodies can reach.
#include "stage.h"

#include <algorithm>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "mesh.h"

namespace substep {

namespace {

bool is_short(const Scene& scene) {
    constexpr double kLong = 10.0; // s, what scenes recommend that could go on for ever
    return scene.frames / scene.fps < kLong;
}

// Where bodies rest on planes: the ground lies just below a level one, or below all that the camera sees of a slope.
std::optional<Stage> stage_on_floor(const Scene& scene) {
    constexpr double kBelow = 0.05; // m: thicker than a plane's picture
    for (const BodyId id : scene.world.bodies()) {
        const Body body = scene.world.body(id);
        const std::optional<Shape> shape = body.shape();
        if (!shape || !std::holds_alternative<Plane>(*shape)) continue;
        const Pose pose = body.pose();
        const bool level = (pose.orientation * glm::dvec3(0.0, 1.0, 0.0)).y > 0.999;
        Stage stage;
        stage.ends = is_short(scene);
        stage.centre = scene.view.target;
        stage.radius = static_cast<float>(0.55 * scene.view.distance);
        stage.ground_height =
            static_cast<float>(level ? pose.position.y - kBelow : scene.view.target.y - 1.5 * scene.view.distance);
        return stage;
    }
    return std::nullopt;
}

// The lowest point that a body comes to in the scene's recommended time, as far as its exact motion tells.
double lowest_to_come(const Scene& scene) {
    constexpr int kTimes = 120;
    double lowest = 1e300;
    if (scene.truth == nullptr) return lowest;
    const double end = std::min(scene.frames / scene.fps, scene.truth->known_until());
    const std::span<const BodyId> bodies = scene.world.bodies();
    std::vector<Pose> poses(bodies.size());
    for (int i = 0; i <= kTimes; ++i) {
        scene.truth->poses(end * i / kTimes, poses);
        for (std::size_t body = 0; body < bodies.size(); ++body) {
            lowest = std::min(lowest, poses[body].position.y - drawn_radius(scene.world.body(bodies[body])));
        }
    }
    return lowest;
}

} // namespace

Stage stage_of(const Scene& scene) {
    // Points from which bodies hang: of the ground, or of what is moved.
    const World& world = scene.world;
    std::vector<glm::dvec3> anchors;
    const auto add_anchor = [&](BodyId body, const Pose& frame) {
        if (body == kGround) {
            anchors.push_back(frame.position);
        } else if (world.body(body).motion() != MotionType::Dynamic) {
            const Pose pose = world.pose(body);
            anchors.push_back(pose.position + pose.orientation * frame.position);
        }
    };
    for (const JointId id : world.joints()) {
        const JointDesc& joint = world.joint(id);
        add_anchor(joint.body_a, joint.frame_a);
        add_anchor(joint.body_b, joint.frame_b);
    }
    if (const std::optional<Stage> floor = stage_on_floor(scene)) return *floor;
    const bool hangs = !anchors.empty();
    if (!hangs) anchors.push_back(scene.view.target);
    glm::dvec3 middle{0.0};
    for (const glm::dvec3& anchor : anchors) middle += anchor / static_cast<double>(anchors.size());

    // What hangs can swing to any side, as far from its anchor as it is now.
    double reach = 0.0;
    double spread = 0.0;
    double lowest = middle.y;
    for (const glm::dvec3& anchor : anchors) spread = std::max(spread, glm::length(anchor - middle));
    for (NodeIndex index = 0; index < scene.graph.nodes().size(); ++index) {
        const Node& node = scene.graph.nodes()[index];
        if (!node.appearance) continue;
        const glm::dvec3 position = scene.graph.world_pose(index).position;
        const double size = drawn_radius(node.appearance->shape);
        double nearest = 1e300;
        for (const glm::dvec3& anchor : anchors) nearest = std::min(nearest, glm::length(position - anchor));
        reach = std::max(reach, nearest + (node.body == kGround ? 0.0 : size));
        lowest = std::min(lowest, position.y - size);
    }

    Stage stage;
    stage.ends = is_short(scene);
    stage.centre = middle;
    if (!hangs && world.settings().gravity != glm::dvec3{0.0}) {
        // A throw: the ground is where it starts, the space what the camera sees.
        stage.radius = static_cast<float>(0.55 * scene.view.distance);
        stage.ground_height = static_cast<float>(lowest);
        return stage;
    }
    stage.radius = static_cast<float>(1.1 * (reach + spread));
    stage.ground_height = static_cast<float>(std::min(middle.y - 1.15 * reach, lowest_to_come(scene) - 0.05 * reach));
    return stage;
}

} // namespace substep
