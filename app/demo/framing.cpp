// How far back the camera must stand so that the picture holds a scene.
#include "framing.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "mesh.h"

namespace substep {

namespace {

constexpr int kTimes = 120;       // of the exact motion that are looked at
constexpr double kLongest = 20.0; // s of it: what a scene does later it has done before
constexpr float kNearest = 0.85f; // of the distance that the scene recommends
constexpr float kStep = 1.01f;

// What a picture's half sides leave free: to the sides and above a little, below the controls.
constexpr float kSide = 0.93f;
constexpr float kAbove = 0.90f;
constexpr float kBelow = 0.70f;

} // namespace

std::vector<glm::vec3> corners_of(const SceneGraph& graph, bool with_supports) {
    std::vector<glm::vec3> corners;
    for (NodeIndex index = 0; index < graph.nodes().size(); ++index) {
        const NodeAppearance* const appearance = graph.visible(index);
        if (appearance == nullptr || std::holds_alternative<Plane>(appearance->shape)) continue;
        if (!with_supports && graph.body_of(index) == kGround) continue;
        const Pose pose = graph.world_pose(index);
        const glm::dvec3 half = half_sizes(appearance->shape);
        for (int corner = 0; corner < 8; ++corner) {
            const auto side = [corner](int bit) { return (corner >> bit) % 2 == 0 ? -1.0 : 1.0; };
            corners.emplace_back(pose.position + pose.orientation * (half * glm::dvec3{side(0), side(1), side(2)}));
        }
    }
    return corners;
}

std::vector<glm::vec3> corners_to_come(const Scene& scene) {
    if (!scene.view.holds_all) return {};
    std::vector<glm::vec3> corners = corners_of(scene.graph, true);
    if (scene.truth == nullptr) return corners;
    SceneGraph graph = scene.graph;
    std::vector<Pose> poses(scene.world.bodies().size());
    const double end = std::min({scene.frames / scene.fps, scene.truth->known_until(), kLongest});
    for (int i = 0; i <= kTimes; ++i) {
        scene.truth->poses(end * i / kTimes, poses);
        graph.place(scene.world, poses);
        const std::vector<glm::vec3> now = corners_of(graph, false);
        corners.insert(corners.end(), now.begin(), now.end());
    }
    return corners;
}

bool holds(const Camera& camera, std::span<const glm::vec3> points, float aspect) {
    const glm::mat4 to_clip = camera.projection(aspect) * camera.view();
    return std::ranges::all_of(points, [&](const glm::vec3& point) {
        const glm::vec4 clip = to_clip * glm::vec4(point, 1.0f);
        return clip.w > 0.0f && std::abs(clip.x) <= kSide * clip.w && clip.y <= kAbove * clip.w &&
               clip.y >= -kBelow * clip.w;
    });
}

void fit(Camera& camera, std::span<const glm::vec3> points, float aspect) {
    constexpr int kMost = 250; // steps: to the camera's limit
    camera.zoom(kNearest);
    for (int i = 0; i < kMost && !holds(camera, points, aspect); ++i) camera.zoom(kStep);
}

} // namespace substep
