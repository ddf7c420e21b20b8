// Trails: they lie where the bodies were, and their ribbons have round corners.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <glm/geometric.hpp>

#include "simulation.h"
#include "trail_ribbon.h"

using namespace substep;

namespace {

// Seen from ten metres in front of the origin, 0.1 m to each side.
constexpr TrailSight kSight{{0.0f, 0.0f, 10.0f}, {0.0f, 0.0f, 0.0f}, 100.0f, 0.1f};

std::vector<TrailVertex> ribbon(const std::vector<glm::vec3>& points) {
    std::vector<TrailVertex> vertices{TrailVertex{}}; // to be thrown away
    make_trail_ribbon(points, kSight, vertices);
    return vertices;
}

// Where the vertex shader puts it, for a ribbon that does not thin.
glm::vec3 place(const TrailVertex& vertex) {
    const glm::vec3 across = glm::cross(vertex.along, kSight.eye - vertex.position);
    return vertex.position + vertex.side_age.x * kSight.half_width * glm::normalize(across);
}

} // namespace

TEST_CASE("trails lie on the exact path, to within half their width, in every scene that has one") {
    for (const SceneInfo& info : scene_list()) {
        Simulation simulation(make_run(info.name, RunWords{}));
        const Truth* truth = simulation.scene().truth.get();
        if (truth == nullptr) continue;
        const auto bodies = simulation.scene().world.bodies();
        std::vector<Pose> exact(bodies.size());
        double worst = 0.0; // m
        // Two seconds hold the first impacts, which a curve through the steps' ends cuts short, and are enough of the
        // fastest motion: a pivot shaken 16 times a second, of which four points a step miss 1 mm.
        for (int i = 0; i < 120 && simulation.time() < truth->known_until() - 0.1; ++i) {
            simulation.step_once();
            for (const Trail& trail : simulation.trails()) {
                const auto body = static_cast<std::size_t>(std::ranges::find(bodies, trail.body) - bodies.begin());
                for (std::size_t k = 0; k < 4; ++k) {
                    truth->poses(simulation.time() - 0.25 * static_cast<double>(k) * simulation.step_length(), exact);
                    const glm::dvec3 point = trail.points[trail.points.size() - 1 - k];
                    worst = std::max(worst, glm::length(point - exact[body].position));
                }
            }
        }
        CAPTURE(info.name);
        CHECK(worst < 0.0045 * simulation.scene().view.distance); // the renderer's half width
    }
}

TEST_CASE("a trail's ribbon has two vertices a point where it runs smoothly, and begins after what cannot be shown") {
    std::vector<glm::vec3> points;
    for (float angle = 0.0f; angle < 4.0f; angle += 0.1f) points.push_back({std::cos(angle), std::sin(angle), 0.0f});
    const std::vector<TrailVertex> smooth = ribbon(points);
    REQUIRE(smooth.size() == 2 * points.size());
    CHECK(smooth.front().side_age == glm::vec2{-1.0f, 1.0f});
    CHECK(smooth.back().side_age == glm::vec2{1.0f, 0.0f});

    points[9] = {1e9f, 0.0f, 0.0f};
    points[5].y = NAN;
    CHECK(ribbon(points).size() == 2 * (points.size() - 10));
    CHECK(ribbon(points).front().position == points[10]);
    CHECK(ribbon({{0.0f, 0.0f, 0.0f}}).empty());
    CHECK(ribbon(std::vector<glm::vec3>(50)).size() == 4); // a body at rest: its first point and its last
}

TEST_CASE("where a trail turns sharply, the outside of its ribbon is round") {
    for (const glm::vec3 end : {glm::vec3{0.0f, 1.0f, 0.0f}, glm::vec3{0.0f, -1.0f, 0.0f}, glm::vec3{-1.0f, 0.1f, 0.0f},
                                glm::vec3{-1.0f, -0.1f, 0.5f}}) {
        // Along x to the origin, and from there to `end`.
        const std::vector<TrailVertex> vertices = ribbon({{-1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, end});
        const float outside = end.y > 0.0f ? 1.0f : -1.0f; // of a turn to the left that is the right edge
        std::vector<glm::vec3> edge;
        for (const TrailVertex& vertex : vertices) {
            if (vertex.position == glm::vec3{0.0f} && vertex.side_age.x == outside) edge.push_back(place(vertex));
        }
        REQUIRE(edge.size() > 3);
        CAPTURE(end.x);
        CAPTURE(end.y);
        for (std::size_t i = 0; i < edge.size(); ++i) {
            CHECK(glm::length(edge[i]) == doctest::Approx(kSight.half_width));
            // Corners of at most half a radian: neighbours are no farther apart than that arc.
            CHECK((i == 0 || glm::length(edge[i] - edge[i - 1]) <= 0.501f * kSight.half_width));
        }
        // From where the first stretch ends to where the second begins.
        CHECK(glm::length(edge.front() - place(vertices[outside > 0.0f ? 1 : 0])) == doctest::Approx(1.0f));
        const glm::vec3 last = place(vertices[vertices.size() - (outside > 0.0f ? 1 : 2)]);
        CHECK(glm::length(edge.back() - last) ==
              doctest::Approx(glm::length(end)).epsilon(0.02)); // seen askew in depth
    }
}
