// Rays against solids: where they enter, by how far points are outside, which is convex along a line.
//
// SUBSTEP_RAYS=100000 draws so many for every kind, and prints the worst; by default it is two thousand.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "solid_truth.h"
#include "substep/collision/ray_cast.h"

using namespace substep;
using namespace substep::detail;
using namespace substep_test;

namespace {

constexpr double kOn = 1e-9;    // of the size: as promised of points on the surface
constexpr double kClear = 1e-8; // of the size: what passes or is cut by more is decided

int rays() {
    const char* const asked = std::getenv("SUBSTEP_RAYS");
    return asked != nullptr ? std::max(2000, std::atoi(asked)) : 2000;
}

bool is_full_run() { return std::getenv("SUBSTEP_RAYS") != nullptr; }

double size_of(const Convex& solid) { return std::isinf(reach(solid)) ? 1.0 : reach(solid); }

glm::dvec3 point_at(const Ray& ray, double s) { return ray.origin + s * glm::normalize(ray.direction); }

// What is known of a ray from `outside` alone.
struct RayTruth {
    double deepest = 0.0; // m, how far outside its best point is
    double enter = 0.0;   // m, where it gets inside, if it does
};

// `outside` is convex along a line: the least by golden section, the entry by bisection.
RayTruth truth_of(const Placed& placed, const Ray& ray, double end) {
    const auto f = [&](double s) { return outside(placed, point_at(ray, s)); };
    double low = 0.0;
    double high = end;
    for (int i = 0; i < 70; ++i) {
        const double a = high - 0.6180339887498949 * (high - low);
        const double b = low + 0.6180339887498949 * (high - low);
        (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
    }
    RayTruth truth{f(low), 0.0};
    if (f(0.0) <= 0.0 || truth.deepest > 0.0) {
        return truth;
    }
    double before = 0.0;
    double inside = low;
    for (int i = 0; i < 70; ++i) {
        const double middle = 0.5 * (before + inside);
        (f(middle) > 0.0 ? before : inside) = middle;
    }
    truth.enter = inside;
    return truth;
}

// A solid with a ray that is aimed at or near a point inside it, from `away` sizes.
struct Shot {
    Placed placed;
    Ray ray;
};

Shot draw_shot(SolidDraws& draws, std::size_t kind, double away, bool is_stout) {
    Shot shot{is_stout ? draws.stout_solid(kind) : draws.solid(kind), {}};
    const double size = size_of(shot.placed.solid);
    // Supports and their mean are where needles and plates are.
    glm::dvec3 target = shot.placed.at.position;
    if (kind != kHalfSpace) {
        const glm::dvec3 along = draws.direction();
        target += draws.number(-1.3, 1.3) * farthest({shot.placed.solid, {}, nullptr}, along) * along;
    }
    target += 0.01 * draws.number(0.0, 1.0) * size * draws.direction();
    shot.ray.direction = draws.size() * draws.direction();
    shot.ray.origin = target - away * size * glm::normalize(shot.ray.direction);
    return shot;
}

// Whether a normal is one of the surface at a point: nothing of the solid is beyond the plane there.
double beyond_plane(const Placed& placed, const glm::dvec3& point, const glm::dvec3& normal) {
    return farthest(placed, normal) - glm::dot(normal, point);
}

glm::dvec3 nudged_towards(const glm::dvec3& from, const glm::dvec3& to, double share) {
    return from + share * (to - from);
}

} // namespace

TEST_CASE("rays enter solids of every kind where they first are inside, and miss where they never are") {
    SolidDraws draws(20);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        CAPTURE(kind);
        int hits = 0;
        int misses = 0;
        double worst = 0.0;
        double worst_normal = 0.0;
        for (int i = 0; i < rays(); ++i) {
            Shot shot = draw_shot(draws, kind, draws.number(0.0, 4.0), i % 2 == 0);
            const double size = size_of(shot.placed.solid);
            shot.ray.length = 20.0 * size;
            const RayTruth truth = truth_of(shot.placed, shot.ray, shot.ray.length);
            const std::optional<RayHit> hit = detail::cast_ray(shot.ray, shot.placed.solid, shot.placed.at);
            CAPTURE(i);
            if (truth.deepest > kClear * size) {
                CHECK_FALSE(hit);
                ++misses;
                continue;
            }
            if (!hit) {
                CHECK(truth.deepest > -kClear * size);
                continue;
            }
            ++hits;
            const glm::dvec3 direction = glm::normalize(shot.ray.direction);
            CHECK(std::fabs(glm::length(hit->normal) - 1.0) < 1e-14);
            if (outside(shot.placed, shot.ray.origin) < -kOn * size) {
                CHECK(hit->distance == 0.0);
                CHECK(glm::length(hit->normal + direction) < 1e-15);
                continue;
            }
            const glm::dvec3 point = point_at(shot.ray, hit->distance);
            worst = std::max(worst, std::fabs(outside(shot.placed, point)) / size);
            // Not later than the first point inside, nor before: what lies up to it is outside.
            CHECK(outside(shot.placed, point_at(shot.ray, 0.5 * hit->distance)) > -kOn * size);
            if (hit->distance > 0.0) {
                CHECK(glm::dot(hit->normal, direction) < 1e-9);
                if (kind != kHalfSpace) {
                    worst_normal = std::max(worst_normal, beyond_plane(shot.placed, point, hit->normal) / size);
                }
                if (truth.deepest < -1e-3 * size) { // then the place is well defined
                    CHECK(std::fabs(hit->distance - truth.enter) < 1e-6 * size);
                }
            }
        }
        CHECK(worst < kOn);
        CHECK(worst_normal < kClear);
        CHECK(hits > 500);
        if (kind != kHalfSpace) {
            CHECK(misses > 50);
        }
        if (is_full_run()) {
            std::printf("kind %zu: %d hits, %d misses, off the surface by %.1e of the size, planes by %.1e\n", kind,
                        hits, misses, worst, worst_normal);
        }
    }
}

TEST_CASE("from a million sizes away a ray ends on the surface to a billionth of the size") {
    SolidDraws draws(21);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        CAPTURE(kind);
        int hits = 0;
        double worst = 0.0;
        for (int i = 0; i < rays(); ++i) {
            const Shot shot = draw_shot(draws, kind, 1e6, true);
            const double size = size_of(shot.placed.solid);
            const std::optional<RayHit> hit = detail::cast_ray(shot.ray, shot.placed.solid, shot.placed.at);
            // What the ray does near the solid, known by a ray of its own from nearby.
            const Ray near{point_at(shot.ray, (1e6 - 4.0) * size), shot.ray.direction};
            const RayTruth truth = truth_of(shot.placed, near, 20.0 * size);
            if (kind != kHalfSpace && truth.deepest > kClear * size) {
                CHECK_FALSE(hit);
            } else if (kind != kHalfSpace && truth.deepest < -kClear * size) {
                CHECK(hit);
            }
            if (hit && hit->distance > 0.0) {
                ++hits;
                worst = std::max(worst, std::fabs(outside(shot.placed, point_at(shot.ray, hit->distance))) / size);
            }
        }
        CHECK(hits > 500);
        CHECK(worst < kOn);
        if (is_full_run()) {
            std::printf("kind %zu: %d hits from far away, off the surface by %.1e of the size\n", kind, hits, worst);
        }
    }
}

TEST_CASE("rays along the axes of a solid, through its middle and beside it, have components of zero") {
    SolidDraws draws(22);
    for (std::size_t kind = 0; kind < kHalfSpace; ++kind) {
        CAPTURE(kind);
        for (int i = 0; i < 300; ++i) {
            Placed placed = draws.solid(kind);
            placed.at = {};
            const double size = size_of(placed.solid);
            const glm::dvec3 inside =
                kind == 4 ? std::get<HullView>(placed.solid).scale * placed.hull->middle() : glm::dvec3(0.0);
            for (int axis = 0; axis < 3; ++axis) {
                for (const double sign : {-1.0, 1.0}) {
                    CAPTURE(axis);
                    glm::dvec3 direction(0.0);
                    direction[axis] = sign;
                    const Ray ray{inside - 3.0 * size * direction, 7.0 * direction};
                    const std::optional<RayHit> hit = detail::cast_ray(ray, placed.solid, placed.at);
                    REQUIRE(hit);
                    CHECK(std::fabs(outside(placed, point_at(ray, hit->distance))) < kOn * size);
                    CHECK(beyond_plane(placed, point_at(ray, hit->distance), hit->normal) < kClear * size);
                    // Beside it by a little more than it reaches.
                    glm::dvec3 beside(0.0);
                    beside[(axis + 1) % 3] = sign;
                    Ray passing = ray;
                    passing.origin +=
                        (farthest(placed, beside) + 1e-6 * size) * beside - glm::dot(inside, beside) * beside;
                    CHECK_FALSE(detail::cast_ray(passing, placed.solid, placed.at));
                }
            }
        }
    }
}

TEST_CASE("a ray that begins inside hits at once, one that leads away or is too short does not") {
    SolidDraws draws(23);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        CAPTURE(kind);
        for (int i = 0; i < 500; ++i) {
            const Shot shot = draw_shot(draws, kind, 3.0, true);
            const double size = size_of(shot.placed.solid);
            const std::optional<RayHit> hit = detail::cast_ray(shot.ray, shot.placed.solid, shot.placed.at);
            if (!hit || !(hit->distance > 1e-3 * size)) {
                continue;
            }
            Ray ray = shot.ray;
            ray.length = hit->distance * (1.0 + 1e-12);
            CHECK(detail::cast_ray(ray, shot.placed.solid, shot.placed.at));
            ray.length = hit->distance * (1.0 - 1e-12);
            CHECK_FALSE(detail::cast_ray(ray, shot.placed.solid, shot.placed.at));
            ray = shot.ray;
            ray.direction = -ray.direction;
            CHECK_FALSE(detail::cast_ray(ray, shot.placed.solid, shot.placed.at));
            if (kind != kHalfSpace && kind != 4) {
                ray.origin = nudged_towards(shot.placed.at.position, point_at(shot.ray, hit->distance), 0.5);
                ray.length = 0.0;
                const std::optional<RayHit> within = detail::cast_ray(ray, shot.placed.solid, shot.placed.at);
                REQUIRE(within);
                CHECK(within->distance == 0.0);
                CHECK(glm::length(within->normal + glm::normalize(ray.direction)) < 1e-15);
            }
        }
    }
}

TEST_CASE("rays against shapes whose hits are known by heart") {
    const glm::dquat upright = detail::quaternion(1.0, 0.0, 0.0, 0.0);
    const auto check = [&](const Shape& shape, const Ray& ray, double distance, const glm::dvec3& normal) {
        const std::optional<RayHit> hit = substep::cast_ray(ray, shape, {1.0, 2.0, 3.0}, upright);
        REQUIRE(hit);
        CHECK(std::fabs(hit->distance - distance) < 1e-14);
        CHECK(glm::length(hit->normal - normal) < 1e-14);
    };
    const auto from = [](const glm::dvec3& place, const glm::dvec3& direction) {
        return Ray{glm::dvec3(1.0, 2.0, 3.0) + place, direction};
    };
    check(Sphere{0.5}, from({-2.0, 0.3, 0.0}, {4.0, 0.0, 0.0}), 1.6, {-0.8, 0.6, 0.0});
    check(Box{{0.5, 0.25, 0.75}}, from({0.1, 3.0, 0.2}, {0.0, -1.0, 0.0}), 2.75, {0.0, 1.0, 0.0});
    check(Capsule{0.5, 1.0}, from({-2.0, 0.9, 0.0}, {1.0, 0.0, 0.0}), 1.5, {-1.0, 0.0, 0.0});
    check(Capsule{0.5, 1.0}, from({-2.0, 1.3, 0.0}, {1.0, 0.0, 0.0}), 1.6, {-0.8, 0.6, 0.0});
    check(Cylinder{0.5, 1.0}, from({0.3, 4.0, 0.3}, {0.0, -2.0, 0.0}), 3.0, {0.0, 1.0, 0.0});
    check(Cylinder{0.5, 1.0}, from({0.3, 0.5, -5.0}, {0.0, 0.0, 1.0}), 4.6, {0.6, 0.0, -0.8});
    check(ThinRod{2.0, 0.1}, from({1.9, 1.0, 0.0}, {0.0, -1.0, 0.0}), 0.9, {0.0, 1.0, 0.0});
    check(ThinRod{2.0, 0.1}, from({3.0, 0.05, 0.0}, {-1.0, 0.0, 0.0}), 1.0, {1.0, 0.0, 0.0});
    check(Plane{}, from({100.0, 3.0, 0.0}, {3.0, -4.0, 0.0}), 3.75, {0.0, 1.0, 0.0});
    CHECK_FALSE(substep::cast_ray(from({0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}), Plane{}, {1.0, 2.0, 3.0}, upright));
    CHECK_FALSE(substep::cast_ray(from({0.0, 1.0, 0.0}, {1.0, 1e-300, 0.0}), Plane{}, {1.0, 2.0, 3.0}, upright));
}

TEST_CASE("cones are met on their side, disc and tip, and not by the cone that mirrors them") {
    const TaperedCylinder cone{1.0, 0.0, 1.0}; // half angle 26.6 degrees, tip at y = 1
    const auto cast = [&](const glm::dvec3& origin, const glm::dvec3& direction) {
        return detail::cast_ray({origin, direction}, cone, {});
    };
    const auto side = cast({-3.0, 0.0, 0.0}, {1.0, 0.0, 0.0});
    REQUIRE(side);
    CHECK(std::fabs(side->distance - 2.5) < 1e-14);
    CHECK(glm::length(side->normal - glm::normalize(glm::dvec3(-2.0, 1.0, 0.0))) < 1e-14);
    const auto tip = cast({0.0, 3.0, 0.0}, {0.0, -1.0, 0.0});
    REQUIRE(tip);
    CHECK(std::fabs(tip->distance - 2.0) < 1e-14);
    CHECK(tip->normal == glm::dvec3(0.0, 1.0, 0.0));
    const auto beside_tip = cast({0.25, 3.0, 0.0}, {0.0, -1.0, 0.0}); // steeper than the side
    REQUIRE(beside_tip);
    CHECK(std::fabs(beside_tip->distance - 2.5) < 1e-14);
    const auto disc = cast({0.5, -3.0, 0.0}, {0.0, 1.0, 0.0});
    REQUIRE(disc);
    CHECK(std::fabs(disc->distance - 2.0) < 1e-14);
    CHECK(disc->normal == glm::dvec3(0.0, -1.0, 0.0));
    CHECK_FALSE(cast({-3.0, 1.5, 0.0}, {1.0, 0.0, 0.0}));                     // through the mirrored cone
    CHECK_FALSE(cast({-3.0, 1.01, 0.0}, {1.0, 0.001, 0.0}));                  // over the tip
    CHECK(cast({-1.5, 0.0, 0.0}, glm::dvec3(1.0, 2.0, 0.0)) == std::nullopt); // along the side, outside
}

TEST_CASE("a rectangle is met from both sides, and on its edge by what lies in it") {
    const Box sheet{{1.0, 0.0, 2.0}};
    for (const double side : {-1.0, 1.0}) {
        const auto hit = detail::cast_ray({{0.5, 3.0 * side, 1.0}, {0.0, -side, 0.0}}, sheet, {});
        REQUIRE(hit);
        CHECK(hit->distance == 3.0);
        CHECK(hit->normal == glm::dvec3(0.0, side, 0.0));
    }
    const auto within = detail::cast_ray({{-3.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}, sheet, {});
    REQUIRE(within);
    CHECK(within->distance == 2.0);
    CHECK_FALSE(detail::cast_ray({{0.5, 3.0, 2.1}, {0.0, -1.0, 0.0}}, sheet, {}));
}

TEST_CASE("directions of any length are the same ray; without one, or from nowhere, nothing is hit") {
    const Sphere ball{1.0};
    for (const double length : {1e-320, 1e-200, 1e-3, 1e200, 1.7e308}) {
        const auto hit = detail::cast_ray({{-3.0, 0.0, 0.0}, {length, 0.0, 0.0}}, ball, {});
        REQUIRE(hit);
        CHECK(hit->distance == 2.0);
    }
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    CHECK_FALSE(detail::cast_ray({{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, ball, {}));
    CHECK_FALSE(detail::cast_ray({{0.0, 0.0, 0.0}, {kNan, 1.0, 0.0}}, ball, {}));
    CHECK_FALSE(detail::cast_ray({{0.0, 0.0, 0.0}, {kInfinity, 1.0, 0.0}}, ball, {}));
    CHECK_FALSE(detail::cast_ray({{kNan, 0.0, 0.0}, {1.0, 0.0, 0.0}}, ball, {}));
    CHECK_FALSE(detail::cast_ray({{1e308, 1e308, 1e308}, {-1.0, -1.0, -1.0}}, ball, {}));
}
