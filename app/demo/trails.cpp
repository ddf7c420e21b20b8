// The paths that bodies leave in the picture.
#include "trails.h"

#include <algorithm>
#include <cmath>

namespace substep {

std::vector<Trail> make_trails(const Scene& scene) {
    std::vector<Trail> trails;
    for (const BodyId body : scene.trails) {
        if (scene.world.is_valid(body)) trails.push_back({body, {glm::vec3(scene.world.pose(body).position)}});
    }
    return trails;
}

std::vector<PointMotion> motions(const World& world, const std::vector<Trail>& trails) {
    std::vector<PointMotion> found;
    for (const Trail& trail : trails) {
        const Body body = world.body(trail.body);
        const glm::dvec3 position = body.pose().position;
        found.push_back({trail.body, position, body.velocity_at(position)});
    }
    return found;
}

void extend(std::vector<Trail>& trails, const std::vector<PointMotion>& from, const std::vector<PointMotion>& to,
            double dt, std::size_t most_points, bool smooth) {
    for (std::size_t i = 0; i < trails.size(); ++i) {
        for (int k = 1; k <= kTrailPointsPerStep; ++k) {
            // Hermite's cubic: h00 a + h10 dt a' + h01 b + h11 dt b'.
            const double s = static_cast<double>(k) / kTrailPointsPerStep;
            const double r = 1.0 - s;
            if (!smooth) {
                trails[i].points.emplace_back(r * from[i].position + s * to[i].position);
                continue;
            }
            const glm::dvec3 point = (1.0 + 2.0 * s) * r * r * from[i].position + s * r * r * dt * from[i].velocity +
                                     s * s * (3.0 - 2.0 * s) * to[i].position - s * s * r * dt * to[i].velocity;
            trails[i].points.emplace_back(point);
        }
        std::vector<glm::vec3>& points = trails[i].points;
        if (points.size() > most_points) {
            points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(most_points));
        }
    }
}

void cut(std::vector<Trail>& trails, const World& world, const StepPath& path, double steps, double t) {
    const auto points = static_cast<std::size_t>(std::ceil(steps * kTrailPointsPerStep - 1e-6));
    if (points == 0) return;
    for (Trail& trail : trails) {
        trail.points.resize(trail.points.size() - std::min(trail.points.size(), points));
        trail.points.emplace_back(path.pose(world, trail.body, t).position);
    }
}

} // namespace substep
