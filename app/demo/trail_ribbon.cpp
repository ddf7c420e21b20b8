// A path as the vertices of a ribbon that faces the camera.
#include "trail_ribbon.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

namespace substep {

namespace {

constexpr float kLeastStep = 0.1f;   // between points, of the half width
constexpr float kRoundedTurn = 0.5f; // rad: turns sharper than this get round corners, in steps of at most it

float square(const glm::vec3& v) { return glm::dot(v, v); }

// Without roots: it is asked of every point of every trail in every frame.
bool turns_sharply(const glm::vec3& in, const glm::vec3& out) {
    constexpr float kCosine = 0.8776f; // of kRoundedTurn
    const float along = glm::dot(in, out);
    const float most = square(in) * square(out);
    return most > 0.0f && (along < 0.0f || along * along < kCosine * kCosine * most);
}

void add_pair(std::vector<TrailVertex>& vertices, const glm::vec3& point, const glm::vec3& along, float left,
              float right, float age) {
    vertices.push_back({point, along, {left, age}});
    vertices.push_back({point, along, {right, age}});
}

} // namespace

void make_trail_ribbon(std::span<const glm::vec3> points, const TrailSight& sight, std::vector<TrailVertex>& vertices) {
    vertices.clear();
    const std::size_t n = points.size();
    if (n < 2) return;
    const float least_squared = kLeastStep * kLeastStep * sight.half_width * sight.half_width;
    std::size_t before = 0; // the last point that has vertices
    for (std::size_t i = 0; i < n; ++i) {
        // What blew up left points that no picture can hold: the trail begins after them.
        const glm::vec3& point = points[i];
        if (!(square(point - sight.target) < sight.reach * sight.reach)) {
            vertices.clear();
            continue;
        }
        // Points that are hardly apart have no direction between them.
        if (vertices.empty()) before = i;
        if (i != before && i + 1 < n && square(point - points[before]) < least_squared) continue;
        std::size_t after = std::min(i + 1, n - 1);
        while (after + 1 < n && square(points[after] - point) < least_squared) ++after;
        const glm::vec3 in = point - points[before];
        const glm::vec3 out = points[after] - point;
        const float age = 1.0f - static_cast<float>(i) / static_cast<float>(n - 1);
        before = i;
        if (!turns_sharply(in, out)) {
            add_pair(vertices, point, in + out, -1.0f, 1.0f, age);
            continue;
        }

        // The turn as it is seen, positive to the left.
        const glm::vec3 to_eye = glm::normalize(sight.eye - point);
        const glm::vec3 seen_in = in - glm::dot(in, to_eye) * to_eye;
        const glm::vec3 seen_out = out - glm::dot(out, to_eye) * to_eye;
        const float turn = std::atan2(glm::dot(glm::cross(seen_in, seen_out), to_eye), glm::dot(seen_in, seen_out));

        // A fan from the one direction to the other, from the middle to the outer edge.
        add_pair(vertices, point, seen_in, -1.0f, 1.0f, age);
        const int steps = std::max(1, static_cast<int>(std::ceil(std::abs(turn) / kRoundedTurn)));
        for (int k = 0; k <= steps; ++k) {
            const float angle = turn * static_cast<float>(k) / static_cast<float>(steps);
            const glm::vec3 along = std::cos(angle) * seen_in + std::sin(angle) * glm::cross(to_eye, seen_in);
            add_pair(vertices, point, along, turn > 0.0f ? 0.0f : -1.0f, turn > 0.0f ? 1.0f : 0.0f, age);
        }
        add_pair(vertices, point, seen_out, -1.0f, 1.0f, age);
    }
}

} // namespace substep
