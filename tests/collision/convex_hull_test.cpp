// Convex hulls: they hold their points, are closed and convex, have polygons for faces, and refuse what has no hull.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "substep/collision/convex_hull.h"

using namespace substep;

namespace {

class Draws {
public:
    double number(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
    glm::dvec3 vector() { return {number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0)}; }
    glm::dmat3 turn() {
        const glm::dvec3 v = vector();
        return glm::mat3_cast(glm::normalize(glm::dquat(number(-1.0, 1.0), v.x, v.y, v.z)));
    }
    std::vector<glm::dvec3> on_ball(int count) {
        std::vector<glm::dvec3> points;
        for (int i = 0; i < count; ++i) {
            points.push_back(glm::normalize(vector()));
        }
        return points;
    }

private:
    std::mt19937_64 random_{31};
};

std::vector<glm::dvec3> grid(int side) {
    std::vector<glm::dvec3> points;
    for (int i = 0; i < side * side * side; ++i) {
        points.push_back(glm::dvec3(i % side, i / side % side, i / (side * side)) / (side - 1.0));
    }
    return points;
}

// Closed, convex, with every point inside: to within a share of the points' extent.
void check_hull(const ConvexHull& hull, const std::vector<glm::dvec3>& points, double tolerance) {
    double extent = 0.0;
    for (const glm::dvec3& p : points) {
        extent = std::max(extent, glm::length(p - points[0]));
    }
    CHECK(hull.vertices().size() + hull.faces().size() == hull.edges().size() + 2); // Euler
    for (std::uint32_t f = 0; f < hull.faces().size(); ++f) {
        const ConvexHull::Face& face = hull.faces()[f];
        CHECK(face.count >= 3);
        CHECK(glm::length(face.normal) == doctest::Approx(1.0).epsilon(1e-15));
        for (const glm::dvec3& p : points) {
            CHECK(glm::dot(face.normal, p) - face.offset <= tolerance * extent);
        }
        for (std::uint32_t i = 0; i < face.count; ++i) {
            const std::uint32_t from = hull.loop(face)[i];
            const std::uint32_t to = hull.loop(face)[(i + 1) % face.count];
            CHECK(std::fabs(glm::dot(face.normal, hull.vertices()[from]) - face.offset) <= tolerance * extent);
            const ConvexHull::Edge& edge = hull.edges()[hull.edges_of(face)[i]];
            const std::size_t side = edge.faces[0] == f ? 0 : 1;
            CHECK(edge.faces[side] == f);
            CHECK(edge.faces[1 - side] != f);
            CHECK(edge.vertices[side] == from);
            CHECK(edge.vertices[1 - side] == to);
            CHECK(std::ranges::count(hull.faces_at(from), f) == 1);
        }
    }
}

} // namespace

TEST_CASE("the hull of points on a ball has all of them as vertices and is closed and convex") {
    Draws draws;
    for (const int count : {4, 5, 8, 30, 200}) {
        CAPTURE(count);
        const std::vector<glm::dvec3> points = draws.on_ball(count);
        const auto hull = ConvexHull::make(points);
        CHECK(hull->vertices().size() == points.size());
        check_hull(*hull, points, 1e-12);
    }
}

TEST_CASE("the hull of a turned grid of points has six squares, whatever rounding does to points in one plane") {
    Draws draws;
    for (int i = 0; i < 20; ++i) {
        const glm::dmat3 turn = draws.turn();
        const glm::dvec3 away = 100.0 * draws.vector(); // rounds the points to 1e-14 of their extent
        std::vector<glm::dvec3> points = grid(5);
        for (glm::dvec3& p : points) {
            p = turn * p + away;
        }
        const auto hull = ConvexHull::make(points);
        CHECK(hull->vertices().size() == 8);
        CHECK(hull->faces().size() == 6);
        CHECK(std::ranges::all_of(hull->faces(), [](const auto& face) { return face.count == 4; }));
        check_hull(*hull, points, 1e-12);
    }
}

TEST_CASE("hulls of prisms have polygons for ends, and flat and needle shapes have hulls") {
    Draws draws;
    for (const glm::dvec3& size : {glm::dvec3(1.0), glm::dvec3(1.0, 1e-6, 1.0), glm::dvec3(1e-3, 1e3, 1e-3)}) {
        for (const int sides : {3, 7, 24}) {
            const glm::dmat3 turn = draws.turn();
            std::vector<glm::dvec3> points;
            for (int i = 0; i < 2 * sides; ++i) {
                const double angle = 2.0 * std::acos(-1.0) * (i / 2) / sides;
                points.push_back(turn * (size * glm::dvec3(std::cos(angle), i % 2, std::sin(angle))));
            }
            const auto hull = ConvexHull::make(points);
            CHECK(hull->vertices().size() == points.size());
            CHECK(hull->faces().size() == static_cast<std::size_t>(sides + 2));
            check_hull(*hull, points, 1e-11); // a side's plane is known as well as its shorter edge is long
        }
    }
}

TEST_CASE("equal points make equal hulls, and another bit another hash") {
    Draws draws;
    std::vector<glm::dvec3> points = draws.on_ball(40);
    const auto hull = ConvexHull::make(points);
    const auto again = ConvexHull::make(points);
    CHECK(hull->content_hash() == again->content_hash());
    points[7].x = std::nextafter(points[7].x, 2.0);
    CHECK(ConvexHull::make(points)->content_hash() != hull->content_hash());
}

TEST_CASE("points without a hull are refused in one sentence with the value") {
    const std::vector<glm::dvec3> three{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    CHECK_THROWS_WITH_AS(ConvexHull::make(three), "The convex hull has 3 points; it must have at least 4.",
                         std::invalid_argument);
    std::vector<glm::dvec3> flat = three;
    flat.emplace_back(1.0, 1.0, 0.0);
    CHECK_THROWS_WITH_AS(ConvexHull::make(flat), "The convex hull is 0 m thick; its points must not lie in one plane.",
                         std::invalid_argument);
    CHECK_THROWS_AS(ConvexHull::make(std::vector(5, glm::dvec3(2.0))), std::invalid_argument);
    CHECK_THROWS_AS(ConvexHull::make(std::vector{three[0], three[1], 2.0 * three[1], 3.0 * three[1]}),
                    std::invalid_argument);
    flat[3].z = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(ConvexHull::make(flat), "Point 3 of the convex hull is (1, 1, nan) m; it must be finite.",
                         std::invalid_argument);
    flat[3].z = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(ConvexHull::make(flat), std::invalid_argument);
}
