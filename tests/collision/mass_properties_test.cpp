// Mass properties of shapes: closed forms against numbers found by summing over points.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>

#include "substep/collision/mass_properties.h"

using namespace substep;

namespace {

// Inertia of the points of a grid inside a solid within +-extent, scaled to mass 1.
template <class Inside>
glm::dvec3 summed_inertia(const glm::dvec3& extent, Inside inside) {
    constexpr int kCells = 60;
    glm::dvec3 moments(0.0);
    double points = 0.0;
    for (int i = 0; i < kCells; ++i) {
        for (int j = 0; j < kCells; ++j) {
            for (int k = 0; k < kCells; ++k) {
                const glm::dvec3 p = extent * ((glm::dvec3(i, j, k) + 0.5) * (2.0 / kCells) - 1.0);
                if (inside(p)) {
                    moments += glm::dvec3(p.y * p.y + p.z * p.z, p.z * p.z + p.x * p.x, p.x * p.x + p.y * p.y);
                    points += 1.0;
                }
            }
        }
    }
    return moments / points;
}

void check_moments(const Shape& shape, const glm::dvec3& expected) {
    const glm::dmat3 inertia = mass_properties(shape, 2.0).inertia;
    for (int i = 0; i < 3; ++i) {
        CHECK(inertia[i][i] == doctest::Approx(2.0 * expected[i]).epsilon(0.01)); // 60 cells across, boundary cells
    }
}

} // namespace

TEST_CASE("mass properties of every shape agree with a sum over its points") {
    const auto length_xz = [](const glm::dvec3& p) { return std::hypot(p.x, p.z); };
    check_moments(Sphere{0.7}, summed_inertia(glm::dvec3(0.7), [](auto& p) { return glm::length(p) < 0.7; }));
    check_moments(Box{{0.2, 0.5, 0.3}}, summed_inertia({0.2, 0.5, 0.3}, [](auto&) { return true; }));
    check_moments(Cylinder{0.4, 0.6}, summed_inertia({0.4, 0.6, 0.4}, [&](auto& p) { return length_xz(p) < 0.4; }));
    check_moments(Capsule{0.4, 0.6}, summed_inertia({0.4, 1.0, 0.4}, [](auto& p) {
                      const double beyond = std::max(std::abs(p.y) - 0.6, 0.0);
                      return p.x * p.x + p.z * p.z + beyond * beyond < 0.16;
                  }));
    const glm::dmat3 rod = mass_properties(ThinRod{1.0, 0.1}, 3.0).inertia;
    CHECK(rod[0][0] == doctest::Approx(0.015));
    CHECK(rod[1][1] == doctest::Approx(1.0));
    CHECK(rod[2][2] == doctest::Approx(1.0));
}

TEST_CASE("sizes and masses that are not positive and finite are refused with their value") {
    CHECK_THROWS_WITH_AS(mass_properties(Sphere{-2.0}, 1.0),
                         "The sphere's radius is -2 m; it must be positive and finite.", std::invalid_argument);
    CHECK_THROWS_WITH_AS(mass_properties(Box{{1.0, 0.0, 1.0}}, 1.0),
                         "The box's half size along y is 0 m; it must be positive and finite.", std::invalid_argument);
    CHECK_THROWS_WITH_AS(mass_properties(Plane{}, HUGE_VAL), "The mass is inf kg; it must be positive and finite.",
                         std::invalid_argument);
}
