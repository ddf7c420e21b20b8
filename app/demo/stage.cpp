// Where a scene stands: its ground, and the space that its bodies can reach.
#include "stage.h"

#include <algorithm>
#include <vector>

#include <glm/geometric.hpp>

#include "mesh.h"

namespace substep {

Stage stage_of(const Scene& scene) {
    // Points of the ground from which bodies hang.
    const World& world = scene.world;
    std::vector<glm::dvec3> anchors;
    for (const JointId id : world.joints()) {
        const JointDesc& joint = world.joint(id);
        if (joint.body_a == kWorldBody) anchors.push_back(joint.frame_a.position);
        if (joint.body_b == kWorldBody) anchors.push_back(joint.frame_b.position);
    }
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
        const double size = bounding_radius(node.appearance->shape);
        double nearest = 1e300;
        for (const glm::dvec3& anchor : anchors) nearest = std::min(nearest, glm::length(position - anchor));
        reach = std::max(reach, nearest + (node.body == kWorldBody ? 0.0 : size));
        lowest = std::min(lowest, position.y - size);
    }

    Stage stage;
    stage.centre = middle;
    stage.leaves = !hangs && world.settings().gravity != glm::dvec3{0.0};
    if (stage.leaves) {
        // A throw: the ground is where it starts, the space what the camera sees.
        stage.radius = static_cast<float>(0.55 * scene.view.distance);
        stage.ground_height = static_cast<float>(lowest);
        return stage;
    }
    stage.radius = static_cast<float>(1.1 * (reach + spread));
    stage.ground_height = static_cast<float>(middle.y - 1.15 * reach);
    return stage;
}

} // namespace substep
