// What a world is asked about its bodies: rays against all shapes, where they are now; what a shape overlaps.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../sanitized.h"
#include "counting_allocator.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kWithoutEnd = std::numeric_limits<double>::infinity();

BodyDesc shaped(const Shape& shape, const glm::dvec3& place) {
    return {.motion = MotionType::Kinematic, .pose = {.position = place}, .shape = shape};
}

const std::vector<Shape>& bounded_shapes() {
    static const std::vector<Shape> shapes{Sphere{0.4}, Box{{0.2, 0.4, 0.3}}, Capsule{0.2, 0.3}, Cylinder{0.3, 0.4},
                                           ThinRod{0.6, 0.05}};
    return shapes;
}

glm::dvec3 unit_vector(std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    const double x = normal(random);
    const double y = normal(random);
    return glm::normalize(glm::dvec3(x, y, normal(random)));
}

Ray towards(const glm::dvec3& target, const glm::dvec3& direction, double away) {
    return {target - away * direction, direction};
}

// A heap of bodies of all shapes, at every motion, above a floor.
World heap_of_shapes(int count) {
    World world({.gravity = {0.0, -1.0, 0.0}});
    std::mt19937_64 random(5);
    for (int i = 0; i < count; ++i) {
        BodyDesc desc = shaped(bounded_shapes()[static_cast<std::size_t>(i) % bounded_shapes().size()],
                               2.0 * unit_vector(random) + glm::dvec3(0.0, 4.0, 0.0));
        const glm::dvec3 axis = unit_vector(random);
        desc.pose.orientation = detail::quaternion(0.6, 0.8 * axis);
        desc.motion = i % 3 == 0 ? MotionType::Static : i % 3 == 1 ? MotionType::Kinematic : MotionType::Dynamic;
        desc.collides = false;
        if (desc.motion != MotionType::Static) {
            desc.linear_velocity = unit_vector(random);
            desc.angular_velocity = 3.0 * unit_vector(random);
        }
        if (desc.motion == MotionType::Dynamic) { // with a centre of mass beside the shape's
            desc.mass_properties = mass_properties(*desc.shape, 1.0);
            desc.mass_properties->centre_of_mass = {0.1, -0.05, 0.2};
        }
        world.create_body(desc);
    }
    world.create_body({.motion = MotionType::Static, .shape = Plane{}});
    return world;
}

// All hits by the cast against one shape at the pose that the world gives.
std::vector<RayCastHit> hits_one_by_one(const World& world, const Ray& ray) {
    std::vector<RayCastHit> hits;
    for (const BodyId id : world.bodies()) {
        const Pose pose = world.pose(id);
        const auto& shape = world.body(id).shape();
        if (!shape) continue;
        if (const auto hit = cast_ray(ray, *shape, pose.position, pose.orientation)) {
            hits.push_back(
                {id, hit->distance, ray.origin + hit->distance * glm::normalize(ray.direction), hit->normal});
        }
    }
    std::ranges::stable_sort(hits, {}, &RayCastHit::distance);
    return hits;
}

bool only_static(BodyId body) { return body.index % 3 == 0; } // as heap_of_shapes makes them

} // namespace

TEST_CASE("a ray meets a body of every shape where it is, and stops at the nearest") {
    for (const Shape& shape : bounded_shapes()) {
        World world;
        const BodyId far = world.create_body(shaped(shape, {5.0, 0.0, 0.0}));
        const BodyId near = world.create_body(shaped(shape, {2.0, 0.0, 0.0}));
        world.create_body(shaped(shape, {2.0, 10.0, 0.0}));
        const auto hit = world.cast_ray({{-1.0, 0.0, 0.0}, {10.0, 0.0, 0.0}});
        REQUIRE(hit);
        CHECK(hit->body == near);
        CHECK(hit->distance > 2.0);
        CHECK(hit->distance < 3.0);
        CHECK(glm::length(hit->point - glm::dvec3(hit->distance - 1.0, 0.0, 0.0)) < 1e-14);
        CHECK(glm::length(hit->normal + glm::dvec3(1.0, 0.0, 0.0)) < 1e-12);
        const auto all = world.cast_ray_all({{-1.0, 0.0, 0.0}, {10.0, 0.0, 0.0}});
        REQUIRE(all.size() == 2);
        CHECK(all[0].body == near);
        CHECK(all[1].body == far);
        CHECK(std::fabs(all[1].distance - all[0].distance - 3.0) < 1e-13);
        CHECK(world.cast_ray_any({{-1.0, 0.0, 0.0}, {10.0, 0.0, 0.0}}));
        CHECK_FALSE(world.cast_ray({{-1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}}));
        CHECK_FALSE(world.cast_ray_any({{-1.0, 5.0, 0.0}, {1.0, 0.0, 0.0}}));
        CHECK_FALSE(world.cast_ray({{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 2.0}));
        CHECK(world.cast_ray({{2.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0})->distance == 0.0); // begins inside
    }
}

TEST_CASE("a floor is met from above, at any distance, and a body without a shape never") {
    World world;
    const BodyId floor = world.create_body({.motion = MotionType::Static, .shape = Plane{}});
    world.create_body({.motion = MotionType::Static, .pose = {.position = {0.0, 1.0, 0.0}}});
    const auto hit = world.cast_ray({{1e6, 3.0, 0.0}, {-4.0, -3e-3, 0.0}});
    REQUIRE(hit);
    CHECK(hit->body == floor);
    CHECK(std::fabs(hit->point.y) < 1e-9);
    CHECK(hit->normal == glm::dvec3(0.0, 1.0, 0.0));
    CHECK_FALSE(world.cast_ray({{0.0, 3.0, 0.0}, {1.0, 0.0, 0.0}}));
}

TEST_CASE("rays meet bodies where they are after each step, and queries agree with casts one by one") {
    World world = heap_of_shapes(30);
    std::mt19937_64 random(6);
    std::size_t most = 0;
    for (int step = 0; step < 10; ++step) {
        world.advance(kFrame);
        for (int i = 0; i < 200; ++i) {
            const glm::dvec3 target = glm::dvec3(0.0, 4.0, 0.0) + 2.0 * unit_vector(random);
            Ray ray = towards(target, unit_vector(random), i % 5 == 0 ? 1e3 : 6.0);
            ray.length = i % 3 == 0 ? 6.0 : kWithoutEnd;
            const auto expected = hits_one_by_one(world, ray);
            const auto all = world.cast_ray_all(ray);
            REQUIRE(all.size() == expected.size());
            for (std::size_t k = 0; k < all.size(); ++k) {
                CHECK(all[k].body == expected[k].body);
                CHECK(std::fabs(all[k].distance - expected[k].distance) < 1e-12 * (1.0 + all[k].distance));
                CHECK(glm::length(all[k].normal - expected[k].normal) < 1e-9);
            }
            const auto nearest = world.cast_ray(ray);
            REQUIRE(nearest.has_value() == !all.empty());
            CHECK(world.cast_ray_any(ray) == !all.empty());
            if (nearest) {
                CHECK(nearest->body == all[0].body);
                CHECK(nearest->distance == all[0].distance);
            }
            most = std::max(most, all.size());
        }
    }
    CHECK(most > 4);
}

TEST_CASE("of bodies met at the same distance the first created comes first") {
    World world;
    std::vector<BodyId> bodies;
    for (int i = 0; i < 5; ++i) {
        bodies.push_back(world.create_body(shaped(Box{{0.5, 0.5, 0.5}}, {0.0, 0.0, 0.0})));
    }
    world.destroy_body(bodies[0]);
    bodies.push_back(world.create_body(shaped(Box{{0.5, 0.5, 0.5}}, {0.0, 0.0, 0.0}))); // in the first one's slot
    bodies.erase(bodies.begin());
    const Ray ray{{0.0, 0.0, -5.0}, {0.0, 0.0, 1.0}};
    CHECK(world.cast_ray(ray)->body == bodies[0]);
    const auto all = world.cast_ray_all(ray);
    REQUIRE(all.size() == bodies.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i].body == bodies[i]);
    }
    CHECK(world.overlapping(Sphere{0.1}, {}) == bodies);
}

TEST_CASE("a filter leaves bodies out; it may be a lambda or a function, and what it throws comes through") {
    World world = heap_of_shapes(30);
    std::mt19937_64 random(7);
    int met = 0;
    for (int i = 0; i < 200; ++i) {
        const Ray ray = towards({0.0, 4.0, 0.0}, unit_vector(random), 6.0);
        const auto all = world.cast_ray_all(ray);
        std::vector<BodyId> kept;
        for (const RayCastHit& hit : all) {
            if (only_static(hit.body)) kept.push_back(hit.body);
        }
        const auto filtered = world.cast_ray_all(ray, only_static);
        REQUIRE(filtered.size() == kept.size());
        for (std::size_t k = 0; k < kept.size(); ++k) CHECK(filtered[k].body == kept[k]);
        CHECK(world.cast_ray_any(ray, only_static) == !kept.empty());
        if (!all.empty()) {
            const BodyId first = all[0].body;
            const auto behind = world.cast_ray(ray, [&](BodyId body) { return body != first; });
            CHECK(behind.has_value() == (all.size() > 1));
            if (behind) CHECK(behind->body == all[1].body);
            ++met;
        }
    }
    CHECK(met > 50);
    CHECK_FALSE(world.cast_ray({{0.0, 9.0, 0.0}, {0.0, -1.0, 0.0}}, [](BodyId) { return false; }));
    CHECK(world.overlapping(Sphere{100.0}, {}, [](BodyId) { return false; }).empty());
    const auto throws = [](BodyId) -> bool { throw std::runtime_error("no opinion"); };
    CHECK_THROWS_WITH(world.cast_ray({{0.0, 9.0, 0.0}, {0.0, -1.0, 0.0}}, throws), "no opinion");
}

TEST_CASE("bodies that touch no others are met and overlapped all the same") {
    World world;
    BodyDesc desc = shaped(Sphere{0.5}, {0.0, 0.0, 0.0});
    desc.collides = false;
    const BodyId ghost = world.create_body(desc);
    CHECK(world.cast_ray({{-2.0, 0.0, 0.0}, {1.0, 0.0, 0.0}})->body == ghost);
    CHECK(world.overlapping(Sphere{0.1}, {}) == std::vector{ghost});
    CHECK_FALSE(
        world.cast_ray({{-2.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}, [&](BodyId body) { return world.body(body).collides(); }));
}

TEST_CASE("a shape overlaps what it touches or reaches into, and nothing else") {
    World world;
    const BodyId ball = world.create_body(shaped(Sphere{0.5}, {0.0, 0.0, 0.0}));
    const BodyId crate = world.create_body(shaped(Box{{0.5, 0.5, 0.5}}, {2.0, 0.0, 0.0}));
    const BodyId pole = world.create_body(shaped(ThinRod{1.0, 0.1}, {0.0, 3.0, 0.0}));
    const BodyId floor =
        world.create_body({.motion = MotionType::Static, .pose = {.position = {0.0, -1.0, 0.0}}, .shape = Plane{}});
    const auto found = [&](const Shape& shape, const glm::dvec3& place) {
        return world.overlapping(shape, {.position = place});
    };
    CHECK(found(Sphere{0.25}, {0.75, 0.0, 0.0}) == std::vector{ball}); // touches
    CHECK(found(Sphere{0.25}, {0.7500001, 0.0, 0.0}).empty());
    CHECK(found(Sphere{0.8}, {1.0, 0.0, 0.0}) == std::vector{ball, crate});
    CHECK(found(Box{{0.1, 0.1, 0.1}}, {0.5, 0.5, 0.0}).empty()); // its bounding ball reaches, itself not
    CHECK(found(Box{{0.1, 2.0, 0.1}}, {0.9, 2.0, 0.0}) == std::vector{pole});
    CHECK(found(Capsule{0.25, 0.5}, {3.0, -0.25, 0.0}) == std::vector{floor});
    CHECK(found(Plane{}, {0.0, 2.95, 0.0}) == std::vector{ball, crate, pole}); // but no plane
    CHECK(found(Sphere{50.0}, {0.0, 0.0, 0.0}) == std::vector{ball, crate, pole, floor});
    // A box that is turned by an eighth reaches farther.
    const glm::dquat eighth =
        detail::quaternion(std::cos(0.39269908169872414), 0.0, 0.0, std::sin(0.39269908169872414));
    CHECK(found(Box{{0.5, 0.5, 0.5}}, {3.1, 0.1, 0.0}).empty());
    CHECK(world.overlapping(Box{{0.5, 0.5, 0.5}}, {{3.1, 0.1, 0.0}, eighth}) == std::vector{crate});
    CHECK(world.overlapping(Box{{0.5, 0.5, 0.5}}, {{3.1, 0.1, 0.0}, 7.0 * eighth}) == std::vector{crate});
}

TEST_CASE("rays that are none, and shapes that no body could have, are refused") {
    World world = heap_of_shapes(3);
    const Ray along_x{{}, {1.0, 0.0, 0.0}};
    CHECK_THROWS_AS(world.cast_ray({{0.0, 0.0, kWithoutEnd}, {1.0, 0.0, 0.0}}), std::invalid_argument);
    CHECK_THROWS_AS(world.cast_ray({{}, {0.0, kNoNumber, 0.0}}), std::invalid_argument);
    CHECK_THROWS_AS(world.cast_ray({{}, {1.0, 0.0, 0.0}, -kWithoutEnd}), std::invalid_argument);
    CHECK_NOTHROW(world.cast_ray(along_x));
    CHECK_THROWS_AS(world.cast_ray_all({{}, {0.0, 0.0, 0.0}}), std::invalid_argument);
    CHECK_THROWS_AS(world.cast_ray_any({{}, {0.0, 0.0, 0.0}}), std::invalid_argument);
    CHECK_THROWS_AS(world.overlapping(Sphere{-1.0}, {}), std::invalid_argument);
    CHECK_THROWS_AS(world.overlapping(Box{{1.0, kNoNumber, 1.0}}, {}), std::invalid_argument);
    CHECK_THROWS_AS(world.overlapping(Sphere{}, {.position = {kWithoutEnd, 0.0, 0.0}}), std::invalid_argument);
    CHECK_THROWS_AS(world.overlapping(Sphere{}, {{}, detail::quaternion(0.0, 0.0, 0.0, 0.0)}), std::invalid_argument);
    const World taken = std::move(world);
    CHECK_THROWS_AS(world.cast_ray({}), std::logic_error);
    CHECK_THROWS_AS(world.overlapping(Sphere{}, {}), std::logic_error);
}

TEST_CASE("the nearest hit and whether there is any allocate nothing" * doctest::skip(kSanitized)) {
    const World world = heap_of_shapes(30);
    const Ray ray{{0.0, 9.0, 0.0}, {0.0, -1.0, 0.0}};
    world.cast_ray_any(ray); // the first makes the tree
    const double far = 8.0;
    const std::size_t before = allocation_count();
    const auto hit = world.cast_ray(ray, [&](BodyId body) { return world.pose(body).position.y < far; });
    const bool any = world.cast_ray_any(ray);
    CHECK(allocation_count() == before);
    CHECK(hit.has_value());
    CHECK(any);
}

TEST_CASE("several threads ask at once between two steps, and get what one gets") {
    World world = heap_of_shapes(60);
    for (int step = 0; step < 3; ++step) {
        world.advance(kFrame);
        const std::uint64_t hash = world.hash();
        std::vector<Ray> rays;
        std::vector<std::vector<RayCastHit>> expected;
        std::mt19937_64 random(8);
        for (int i = 0; i < 200; ++i) {
            rays.push_back(towards({0.0, 4.0, 0.0}, unit_vector(random), 6.0));
            expected.push_back(world.cast_ray_all(rays.back()));
        }
        std::atomic<int> differ = 0;
        std::vector<std::jthread> threads;
        for (int k = 0; k < 4; ++k) {
            threads.emplace_back([&] {
                for (std::size_t i = 0; i < rays.size(); ++i) {
                    const auto nearest = world.cast_ray(rays[i]);
                    const auto all = world.cast_ray_all(rays[i]);
                    bool same = nearest.has_value() == !expected[i].empty() && all.size() == expected[i].size() &&
                                world.overlapping(Sphere{0.5}, {.position = rays[i].origin}).size() < 60;
                    for (std::size_t h = 0; same && h < all.size(); ++h) {
                        same = all[h].body == expected[i][h].body && all[h].distance == expected[i][h].distance;
                    }
                    differ += same ? 0 : 1;
                }
            });
        }
        threads.clear();
        CHECK(differ == 0);
        CHECK(world.hash() == hash);
    }
}

TEST_CASE("queries: rays allocate nothing once one was cast, steps and edits of poses between them" *
          doctest::skip(kSanitized)) {
    World world;
    std::vector<BodyId> bodies;
    for (int i = 0; i < 300; ++i) {
        bodies.push_back(world.create_body({.motion = MotionType::Kinematic,
                                            .pose = {.position = {i % 20, i / 20, 0.0}},
                                            .linear_velocity = {i % 3, 1.0, 0.0},
                                            .shape = Sphere{0.2}}));
    }
    const Ray along{{-1.0, 3.0, 0.0}, {1.0, 0.0, 0.0}};
    world.advance(kFrame);
    CHECK(world.cast_ray_any(along));
    world.advance(kFrame);
    const std::size_t before = allocation_count();
    bool all_met = true;
    for (int step = 0; step < 5; ++step) {
        world.advance(kFrame);
        all_met = all_met && world.cast_ray(along).has_value() && world.cast_ray_any(along);
        for (const BodyId id : bodies) {
            world.body(id).set_pose({.position = world.pose(id).position + glm::dvec3(1e-3, 0.0, 0.0)});
            all_met = all_met && world.cast_ray_any(along);
        }
    }
    CHECK(allocation_count() == before);
    CHECK(all_met);
}

TEST_CASE("queries: a hundred times as many bodies cost a ray a few times as much" * doctest::skip(kSanitized)) {
    const auto ray_takes = [](int side) { // s
        World world;
        for (int i = 0; i < side * side * side; ++i) {
            world.create_body({.motion = MotionType::Static,
                               .pose = {.position = 3.0 * glm::dvec3(i % side, i / side % side, i / side / side)},
                               .shape = Sphere{0.5}});
        }
        std::mt19937_64 random(33);
        std::vector<Ray> rays;
        for (int i = 0; i < 1000; ++i) {
            const glm::dvec3 origin = 1.5 * (side - 1) + 1.5 * side * unit_vector(random);
            rays.push_back({origin, unit_vector(random)});
        }
        world.cast_ray_any(rays[0]);
        double least = kWithoutEnd;
        for (int lap = 0; lap < 3; ++lap) {
            const std::clock_t begin = std::clock();
            for (const Ray& ray : rays) {
                world.cast_ray(ray);
            }
            least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
        }
        return least / static_cast<double>(rays.size());
    };
    // A ray through a cube of n^3 bodies passes n of them; the tree takes about log n for each. In turn it would be 91.
    const double ratio = ray_takes(18) / ray_takes(4);
    MESSAGE("a ray among 5832 bodies takes ", ratio, " times as long as among 64");
    CHECK(ratio < 20.0);
}
