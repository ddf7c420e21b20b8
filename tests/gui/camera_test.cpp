// The camera shows what it is pointed at, and stays within its limits.
#include <doctest/doctest.h>

#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include "camera.h"

using namespace substep;

TEST_CASE("the target is in the middle of the picture, whatever the user does") {
    Camera camera(SceneView{{1.0, -2.0, 0.5}, 4.0, 0.3, 0.2});
    camera.orbit(2.0f, 0.7f);
    camera.zoom(0.5f);
    camera.pan(0.2f, -0.1f);
    for (const float aspect : {0.5f, 1.0f, 2.0f}) {
        const glm::vec4 clip = camera.projection(aspect) * camera.view() * glm::vec4(camera.target(), 1.0f);
        CHECK(std::abs(clip.x / clip.w) < 1e-5f);
        CHECK(std::abs(clip.y / clip.w) < 1e-5f);
        CHECK(camera.sees(camera.target(), aspect, 0.1f));
    }
}

TEST_CASE("azimuth and elevation 0 look along -z") {
    const Camera camera(SceneView{{0.0, 0.0, 0.0}, 3.0, 0.0, 0.0});
    CHECK(glm::length(camera.eye() - glm::vec3{0.0f, 0.0f, 3.0f}) < 1e-6f);
}

TEST_CASE("zoom and elevation have limits") {
    Camera camera(SceneView{{0.0, 0.0, 0.0}, 4.0, 0.0, 0.2});
    for (int i = 0; i < 100; ++i) camera.zoom(0.5f);
    CHECK(camera.distance() == doctest::Approx(0.5));
    for (int i = 0; i < 100; ++i) camera.zoom(2.0f);
    CHECK(camera.distance() == doctest::Approx(32.0));
    for (int i = 0; i < 100; ++i) camera.orbit(0.0f, 1.0f);
    CHECK(camera.eye().y < camera.distance()); // never straight above, where "up" would be lost
}

TEST_CASE("a point beside the picture or behind the eye is not seen") {
    const Camera camera(SceneView{{0.0, 0.0, 0.0}, 4.0, 0.0, 0.0});
    CHECK_FALSE(camera.sees({3.0f, 0.0f, 0.0f}, 1.0f, 0.0f));
    CHECK_FALSE(camera.sees({0.0f, 0.0f, 9.0f}, 1.0f, 0.0f));
    CHECK(camera.sees({1.0f, 0.0f, 0.0f}, 1.0f, 0.1f));
}
