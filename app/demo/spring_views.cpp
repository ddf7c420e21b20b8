// Which springs a picture shows.
#include "spring_views.h"

#include <algorithm>
#include <optional>

#include "substep/engine/springs.h"

namespace substep {

namespace {

// Where a graph has a point of a body; nothing if it does not show the body.
std::optional<glm::vec3> point_in(const SceneGraph& graph, BodyId body, const glm::dvec3& point) {
    if (body == kGround) return glm::vec3(point);
    const auto found = std::ranges::find(graph.nodes(), body, &Node::body);
    if (found == graph.nodes().end()) return std::nullopt;
    const Pose pose = graph.world_pose(static_cast<NodeIndex>(found - graph.nodes().begin()));
    return glm::vec3(pose.position + pose.orientation * point);
}

} // namespace

std::vector<SpringView> springs_of(const Simulation& simulation, const SceneGraph& graph, Look look,
                                   float stage_radius) {
    std::vector<SpringView> springs;
    const World& world = simulation.scene().world;
    for (const ForceFieldId id : world.force_fields()) {
        const auto* const spring = dynamic_cast<const Spring*>(&world.force_field(id));
        if (spring == nullptr || id == simulation.drag_spring()) continue;
        const SpringDesc& desc = spring->desc();
        const auto from = point_in(graph, desc.body_a, desc.anchor_a);
        const auto to = point_in(graph, desc.body_b, desc.anchor_b);
        if (!from || !to) continue;
        const float thick = stage_radius / 40.0f;
        const float slender = desc.rest_length > 0.0 ? static_cast<float>(desc.rest_length) / 24.0f : thick;
        springs.push_back({*from, *to, std::min(thick, slender), look});
    }
    return springs;
}

} // namespace substep
