// Four points of many: what they leave out of what two faces have in common.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec2.hpp>

#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;

namespace {

double cross_of(const glm::dvec2& a, const glm::dvec2& b) { return a.x * b.y - a.y * b.x; }

// What of a polygon is on the inner side of a line: |component along `out`| at most `offset`.
std::vector<glm::dvec2> cut(const std::vector<glm::dvec2>& polygon, const glm::dvec2& out, double offset) {
    std::vector<glm::dvec2> left;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const glm::dvec2& here = polygon[i];
        const glm::dvec2& next = polygon[(i + 1) % polygon.size()];
        const double beyond = glm::dot(out, here) - offset;
        const double beyond_next = glm::dot(out, next) - offset;
        if (beyond <= 0.0) {
            left.push_back(here);
        }
        if ((beyond <= 0.0) != (beyond_next <= 0.0)) {
            left.push_back(here + beyond / (beyond - beyond_next) * (next - here));
        }
    }
    return left;
}

// The corners that squares of 1 m have in common, one of which is turned by `yaw` about its centre at `centre`.
std::vector<glm::dvec2> common_corners(const glm::dvec2& centre, double yaw) {
    const glm::dvec2 x(std::cos(yaw), std::sin(yaw));
    const glm::dvec2 y(-x.y, x.x);
    std::vector<glm::dvec2> polygon{centre + 0.5 * (x + y), centre + 0.5 * (y - x), centre - 0.5 * (x + y),
                                    centre + 0.5 * (x - y)};
    for (const glm::dvec2& out : {glm::dvec2(1.0, 0.0), glm::dvec2(0.0, 1.0)}) {
        polygon = cut(polygon, out, 0.5);
        polygon = cut(polygon, -out, 0.5);
    }
    return polygon;
}

double area(const std::vector<glm::dvec2>& polygon) {
    double twice = 0.0;
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
        twice += cross_of(polygon[i] - polygon[0], polygon[i + 1] - polygon[0]);
    }
    return 0.5 * twice;
}

// The largest area of four corners of a convex polygon.
double best_of_four(const std::vector<glm::dvec2>& p) {
    double best = 0.0;
    for (std::size_t a = 0; a < p.size(); ++a) {
        for (std::size_t b = a + 1; b < p.size(); ++b) {
            for (std::size_t c = b + 1; c < p.size(); ++c) {
                for (std::size_t d = c + 1; d < p.size(); ++d) {
                    best = std::max(best, area({p[a], p[b], p[c], p[d]}));
                }
            }
        }
    }
    return best;
}

} // namespace

TEST_CASE("of a cube on a cube four points span what any four of the corners that their faces have in common could") {
    const Convex cube = Box{glm::dvec3(0.5)};
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    int many = 0;
    for (int draw = 0; draw < 2000; ++draw) {
        const glm::dvec2 centre(0.6 * number(random), 0.6 * number(random));
        const double yaw = 0.78 * number(random);
        const std::vector<glm::dvec2> corners = common_corners(centre, yaw);
        // Corners within 0.5 % of a border are kept as they are (docs/collision.md): they are not those of here.
        bool is_near = false;
        for (const double x : {-0.5, 0.5}) {
            for (const double y : {-0.5, 0.5}) {
                const glm::dvec2 own(std::cos(yaw) * x - std::sin(yaw) * y, std::sin(yaw) * x + std::cos(yaw) * y);
                const glm::dvec2 other = glm::dvec2(x, y) - centre;
                const glm::dvec2 turned(std::cos(yaw) * other.x + std::sin(yaw) * other.y,
                                        std::cos(yaw) * other.y - std::sin(yaw) * other.x);
                for (const glm::dvec2& corner : {own + centre, turned}) {
                    const double beyond = std::max(std::fabs(corner.x), std::fabs(corner.y)) - 0.5;
                    is_near = is_near || std::fabs(beyond) < 0.01;
                }
            }
        }
        if (corners.size() < 5 || is_near) {
            continue;
        }
        ++many;
        CAPTURE(centre.x);
        CAPTURE(centre.y);
        CAPTURE(yaw);
        // Turned about -y: from x and z to x and y of the plane of here.
        const Placement at{{centre.x, 1.0, -centre.y}, glm::mat3_cast(glm::angleAxis(yaw, glm::dvec3(0.0, 1.0, 0.0)))};
        SeparatingAxis none;
        const Manifold manifold = collide(cube, at, cube, {}, 0.02, none);
        REQUIRE(manifold.count == 4);
        std::vector<glm::dvec2> chosen;
        for (const ManifoldPoint& point : manifold.points) {
            chosen.emplace_back(point.positions[1].x, -point.positions[1].z);
        }
        const glm::dvec2 middle = 0.25 * (chosen[0] + chosen[1] + chosen[2] + chosen[3]);
        std::ranges::sort(chosen, [&](const glm::dvec2& p, const glm::dvec2& q) {
            return std::atan2(p.y - middle.y, p.x - middle.x) < std::atan2(q.y - middle.y, q.x - middle.x);
        });
        // Of a nearly regular octagon what no exchange of one corner betters need not be best.
        CHECK(area(chosen) > (corners.size() < 7 ? 0.94 : 0.75) * best_of_four(corners));
    }
    CHECK(many > 500);
}

// A high corner far away does not take the place of a low one: what rocked was held by two low corners in turn.
TEST_CASE("of a cube that leans on a cube all low corners are among the four points, where there are no more") {
    const Convex cube = Box{glm::dvec3(0.5)};
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    int looked_at = 0;
    for (int draw = 0; draw < 2000; ++draw) {
        const double yaw = 0.7 + 0.1 * number(random);
        const glm::dvec3 lean = 0.02 * glm::normalize(glm::dvec3(number(random), 0.0, number(random)));
        const glm::dvec2 centre(0.05 * number(random), 0.05 * number(random));
        const std::vector<glm::dvec2> corners = common_corners(centre, yaw);
        // How high the leaning face is over its middle at each corner, to first order.
        std::vector<double> heights;
        for (const glm::dvec2& corner : corners) {
            const glm::dvec2 from = corner - centre;
            heights.push_back(lean.z * from.x + lean.x * from.y);
        }
        const double lowest = *std::ranges::min_element(heights);
        const auto are_within = [&](double height) {
            return std::ranges::count_if(heights, [&](double each) { return each < lowest + height; });
        };
        if (are_within(4e-3) > 4 || are_within(8e-3) != are_within(4e-3)) {
            continue;
        }
        ++looked_at;
        const glm::dmat3 leaning = glm::mat3_cast(glm::angleAxis(glm::length(lean), glm::normalize(lean)));
        const glm::dmat3 turned = glm::mat3_cast(glm::angleAxis(yaw, glm::dvec3(0.0, 1.0, 0.0)));
        const glm::dvec3 middle(centre.x, 0.5 - lowest, -centre.y);
        const Placement at{middle + leaning * glm::dvec3(0.0, 0.5, 0.0), leaning * turned};
        SeparatingAxis none;
        const Manifold manifold = collide(cube, at, cube, {}, 0.05, none);
        REQUIRE(manifold.count == 4);
        for (std::size_t i = 0; i < corners.size(); ++i) {
            if (heights[i] < lowest + 4e-3) {
                double nearest = 1.0;
                for (const ManifoldPoint& point : manifold.points) {
                    const glm::dvec2 there(point.positions[1].x, -point.positions[1].z);
                    nearest = std::min(nearest, glm::distance(there, corners[i]));
                }
                CHECK(nearest < 0.02);
            }
        }
    }
    CHECK(looked_at > 500);
}
