// Rays and overlaps by a tree: they find what asking every collider in turn finds, bit for bit, whatever was edited,
// advanced or restored since the last one.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <glm/gtc/quaternion.hpp>

#include "bodies/colliders.h"
#include "bodies/rigid_motion.h"
#include "bodies/validation.h"
#include "substep/collision/narrow_phase.h"
#include "substep/collision/shape_pairs.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kWithoutEnd = std::numeric_limits<double>::infinity();

// A path that swings, and throws from a moment on.
class Swing final : public BodyPath {
public:
    explicit Swing(double throws_at = kWithoutEnd) : throws_at_(throws_at) {}
    Point at(double t) const override {
        if (t >= throws_at_) {
            throw std::runtime_error("no way from here");
        }
        Point point;
        point.pose.position = {t * (1.0 - t), 1.0, 0.3};
        point.linear_velocity = {1.0 - 2.0 * t, 0.0, 0.0};
        point.linear_acceleration = {-2.0, 0.0, 0.0};
        return point;
    }

private:
    double throws_at_;
};

struct Draws {
    std::mt19937_64 random;

    double between(double low, double high) { return std::uniform_real_distribution(low, high)(random); }
    int below(std::size_t count) { return static_cast<int>(random() % count); }
    glm::dvec3 vector(double within) {
        const double x = between(-within, within);
        const double y = between(-within, within);
        return {x, y, between(-within, within)};
    }
    glm::dquat turn() {
        const glm::dvec3 axis = glm::normalize(vector(1.0) + glm::dvec3(1e-3, 0.0, 0.0));
        return below(3) == 0 ? detail::quaternion(1.0, 0.0, 0.0, 0.0) : detail::quaternion(0.6, 0.8 * axis);
    }

    Shape shape(bool may_be_flat) {
        static const auto hull = ConvexHull::make(std::vector<glm::dvec3>{
            {0.5, 0.0, 0.0}, {-0.4, 0.1, 0.0}, {0.0, 0.6, 0.1}, {0.1, -0.3, 0.2}, {0.0, 0.1, 0.7}});
        const double size = std::pow(10.0, between(-2.0, 0.7));
        switch (below(may_be_flat ? 11 : 8)) {
        case 0:
            return Sphere{size};
        case 1:
            return Box{size * glm::dvec3(0.3, 1.0, 0.05)};
        case 2:
            return Capsule{0.3 * size, size};
        case 3:
            return Cylinder{size, 0.2 * size};
        case 4:
            return ThinRod{3.0 * size, 0.01 * size};
        case 5:
            return TaperedCapsule{0.5 * size, 0.2 * size, size};
        case 6:
            return TaperedCylinder{size, 0.0, size};
        case 7:
            return ScaledHull{hull, size * glm::dvec3(1.0, 2.0, 0.5)};
        case 8:
            return Rectangle{4.0 * size, size};
        case 9:
            return Box{glm::dvec3(10.0 * size, 0.1, 8.0 * size)};
        default:
            return Plane{};
        }
    }

    ColliderDesc collider(bool may_be_flat) {
        ColliderDesc desc;
        desc.shape = shape(may_be_flat);
        if (below(2) == 0) {
            desc.offset = {vector(1.0), turn()};
        }
        desc.is_enabled = below(4) != 0;
        desc.is_trigger = below(6) == 0;
        return desc;
    }

    BodyDesc body() {
        BodyDesc desc;
        desc.motion = static_cast<MotionType>(below(3));
        const bool is_dynamic = desc.motion == MotionType::Dynamic;
        desc.pose = {vector(below(5) == 0 ? 40.0 : 6.0), turn()};
        for (int i = below(4); i > 0; --i) {
            desc.colliders.push_back(collider(!is_dynamic));
        }
        if (is_dynamic) {
            desc.mass_properties = MassProperties{1.0, vector(0.2), glm::dmat3(0.1)};
        }
        if (desc.motion != MotionType::Static) {
            desc.linear_velocity = vector(3.0);
            desc.angular_velocity = vector(2.0);
        }
        return desc;
    }

    Ray ray() {
        Ray ray{vector(8.0), vector(1.0) + glm::dvec3(1e-6, 0.0, 0.0)};
        for (int axis = 0; axis < 3; ++axis) { // some along axes and planes of the world
            if (below(4) == 0 && glm::length(ray.direction) > std::fabs(ray.direction[axis])) {
                ray.direction[axis] = below(2) == 0 ? 0.0 : -0.0;
            }
        }
        ray.direction *= std::pow(10.0, between(-3.0, 3.0));
        if (below(8) == 0) { // from far away
            ray.origin -= std::pow(10.0, between(2.0, 9.0)) * glm::normalize(ray.direction);
        }
        ray.length = below(2) == 0 ? kWithoutEnd : between(0.0, 12.0);
        return ray;
    }
};

// Every collider in turn.
std::vector<RayCastHit> all_in_turn(const World& world, Ray ray, const BodyFilter& filter) {
    ray.direction = detail::require_direction("The direction", ray.direction);
    std::vector<RayCastHit> hits;
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        for (const ColliderId collider : body.colliders()) {
            const ColliderDesc& desc = body.collider(collider);
            const Pose pose = detail::placed(world.pose(id), desc);
            if (desc.is_trigger || !filter(id)) {
                continue;
            }
            if (const auto hit = cast_ray(ray, desc.shape, pose.position, pose.orientation)) {
                hits.push_back({id, hit->distance, ray.origin + hit->distance * ray.direction, hit->normal, collider});
            }
        }
    }
    std::ranges::stable_sort(hits, {}, &RayCastHit::distance);
    return hits;
}

std::vector<BodyId> overlapping_in_turn(const World& world, const Shape& shape, const Pose& pose,
                                        const BodyFilter& filter) {
    const auto solid_at = [](const Shape& each, const Pose& place) {
        const detail::ShapeSolid solid = detail::solid_of(each);
        return std::pair(solid.solid, detail::Placement{place.position,
                                                        detail::rotation_matrix(place.orientation) * solid.rotation});
    };
    const Pose at{pose.position, detail::require_orientation("The orientation", pose.orientation)};
    const auto asked = solid_at(shape, at);
    std::vector<BodyId> found;
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        const std::vector<ColliderId> colliders = body.colliders();
        const bool overlaps = std::ranges::any_of(colliders, [&](const ColliderId& collider) {
            const ColliderDesc& desc = body.collider(collider);
            if (desc.is_trigger || !detail::can_collide(desc.shape, shape)) {
                return false;
            }
            const auto other = solid_at(desc.shape, detail::placed(world.pose(id), desc));
            return detail::distance(asked.first, asked.second, other.first, other.second).distance <= 0.0;
        });
        if (overlaps && filter(id)) {
            found.push_back(id);
        }
    }
    return found;
}

bool same(const RayCastHit& a, const RayCastHit& b) {
    return a.body == b.body && a.distance == b.distance && a.point == b.point && a.normal == b.normal &&
           a.collider == b.collider;
}

bool only_even(BodyId body) { return body.index % 2 == 0; }

// Asks a world some things, and counts what rays met.
void check_queries(const World& world, Draws& draw, int count, std::size_t& met, std::size_t& overlaps) {
    for (int i = 0; i < count; ++i) {
        const BodyFilter filter = i % 3 == 0 ? BodyFilter(only_even) : BodyFilter();
        const Ray ray = draw.ray();
        const std::vector<RayCastHit> expected = all_in_turn(world, ray, filter);
        const std::vector<RayCastHit> all = world.cast_ray_all(ray, filter);
        REQUIRE(all.size() == expected.size());
        CHECK(std::ranges::equal(all, expected, same));
        const std::optional<RayCastHit> nearest = world.cast_ray(ray, filter);
        REQUIRE(nearest.has_value() == !expected.empty());
        CHECK((!nearest || same(*nearest, expected.front())));
        CHECK(world.cast_ray_any(ray, filter) == !expected.empty());
        met += expected.size();

        const Shape shape = draw.shape(true);
        const Pose pose{draw.vector(6.0), draw.turn()};
        const std::vector<BodyId> found = world.overlapping(shape, pose, filter);
        CHECK(found == overlapping_in_turn(world, shape, pose, filter));
        overlaps += found.size();
    }
}

World random_world(Draws& draw, int bodies) {
    WorldSettings settings{.gravity = {0.0, -1.0, 0.0}};
    settings.bound = 2000; // whatever it is that they do, it need not be exact
    World world(settings);
    for (int i = 0; i < bodies; ++i) {
        world.create_body(draw.body());
    }
    BodyDesc swing;
    swing.motion = MotionType::Kinematic;
    swing.path = std::make_shared<Swing>();
    swing.shape = Box{{0.5, 0.5, 0.5}};
    world.create_body(swing);
    return world;
}

BodyId any_body(const World& world, Draws& draw) {
    return world.bodies()[static_cast<std::size_t>(draw.below(world.bodies().size()))];
}

void move_some(World& world, Draws& draw, int count) {
    for (int i = 0; i < count; ++i) {
        const BodyId id = any_body(world, draw);
        if (id != world.bodies().back()) { // which follows a path
            world.body(id).set_pose({draw.vector(6.0), draw.turn()});
        }
    }
}

} // namespace

TEST_CASE("queries: a tree finds what asking every collider finds, bit for bit, after any edit, step and restore") {
    std::size_t met = 0;
    std::size_t overlaps = 0;
    Draws draw{std::mt19937_64(31)};
    for (int round = 0; round < 12; ++round) {
        CAPTURE(round);
        World world = random_world(draw, round % 4 == 0 ? 3 : 60);
        const auto check = [&](const char* after) {
            CAPTURE(after);
            check_queries(world, draw, 40, met, overlaps);
        };
        check("creation");
        move_some(world, draw, 1);
        check("one was moved");
        move_some(world, draw, 5);
        move_some(world, draw, 5);
        check("some were moved");
        move_some(world, draw, 100); // more than are asked one by one
        check("many were moved");

        const WorldSnapshot before = world.snapshot();
        world.advance(kFrame);
        check("a step");
        move_some(world, draw, 100);
        check("many were moved again");
        world.restore(before);
        check("a restore");
        world.restore(before);
        move_some(world, draw, 3);
        world.advance(kFrame);
        check("an edit and a step");
        for (int step = 0; step < 5; ++step) { // in which boxes go along, grow, and are made anew
            world.advance(kFrame);
            check("some steps");
        }
        const World copy = world.clone();
        check_queries(copy, draw, 40, met, overlaps);

        // Colliders that come, change and go; a trigger becomes one that is met, and the other way round.
        Body body = world.body(world.bodies().front());
        const ColliderId added = body.add_collider(draw.collider(false));
        check("a collider came");
        ColliderDesc changed = draw.collider(false);
        changed.is_trigger = !body.collider(added).is_trigger;
        body.set_collider(added, changed);
        check("a collider changed");
        body.set_pose({draw.vector(3.0), draw.turn()});
        body.remove_collider(added);
        check("a collider went");
        world.destroy_body(world.bodies()[1]);
        check("a body went");
        world.create_body(draw.body());
        check("a body came");
        world.restore(before); // across these edits
        check("a restore across edits");
    }
    CHECK(met > 10000);
    CHECK(overlaps > 5000);
}

TEST_CASE("queries: who moves a body and asks, again and again, finds it where it is; so does who assembles") {
    World world;
    std::vector<BodyId> balls;
    for (int i = 0; i < 200; ++i) {
        BodyDesc desc;
        desc.shape = Sphere{0.4};
        desc.mass = 1.0;
        desc.pose.position = {2.0 * i, 0.0, 0.0};
        balls.push_back(world.create_body(desc));
    }
    for (int i = 0; i < 200; ++i) { // each twice, and there and back
        const Ray down{{2.0 * i, 50.0, 0.0}, {0.0, -1.0, 0.0}, 40.0};
        CHECK_FALSE(world.cast_ray_any(down));
        world.body(balls[static_cast<std::size_t>(i)]).set_pose({.position = {2.0 * i, 20.0, 0.0}});
        const auto hit = world.cast_ray(down);
        REQUIRE(hit);
        CHECK(hit->body == balls[static_cast<std::size_t>(i)]);
        CHECK(std::fabs(hit->distance - 29.6) < 1e-12);
        CHECK_FALSE(world.cast_ray_any({{2.0 * i, 5.0, 0.0}, {0.0, -1.0, 0.0}}));
        world.body(balls[static_cast<std::size_t>(i)]).set_pose({.position = {2.0 * i, 0.0, 0.0}});
        CHECK_FALSE(world.cast_ray_any(down));
        CHECK(world.overlapping(Sphere{1.0}, {.position = {2.0 * i, 1.0, 0.0}}) ==
              std::vector{balls[static_cast<std::size_t>(i)]});
    }
    CHECK_FALSE(world.cast_ray_any({{398.9, 5.0, 0.0}, {0.0, -1.0, 0.0}}));
    world.create_joint(ball(world, balls[0], balls[199], {199.0, 0.0, 0.0}));
    world.body(balls[199]).set_pose({.position = {400.9, 0.0, 0.0}});
    const std::vector<BodyId> last{balls[199]};
    CHECK(world.overlapping(Sphere{0.1}, {.position = {400.9, 0.0, 0.0}}) == last);
    world.assemble();
    CHECK(world.overlapping(Sphere{0.1}, {.position = world.pose(balls[199]).position}) == last);
    CHECK(world.overlapping(Sphere{0.1}, {.position = {401.25, 0.0, 0.0}}).empty());
    const glm::dvec3 first = world.pose(balls[0]).position;
    CHECK(first.x > 1.0); // both went half of the way
    CHECK(world.overlapping(Sphere{0.01}, {.position = first - glm::dvec3(0.35, 0.0, 0.0)}) == std::vector{balls[0]});
}

TEST_CASE("queries: a body whose path threw is nowhere, and all others are met") {
    World world;
    BodyDesc lost;
    lost.motion = MotionType::Kinematic;
    lost.path = std::make_shared<Swing>(0.5 * kFrame);
    lost.shape = Sphere{100.0};
    world.create_body(lost);
    lost.shape = Plane{};
    world.create_body(lost);
    BodyDesc ball;
    ball.motion = MotionType::Static;
    ball.shape = Sphere{0.5};
    ball.pose.position = {0.0, 5.0, 0.0};
    const BodyId there = world.create_body(ball);
    CHECK(world.advance(kFrame).status == StepStatus::ModelThrew);
    const auto hit = world.cast_ray({{0.0, 9.0, 0.0}, {0.0, -1.0, 0.0}});
    REQUIRE(hit);
    CHECK(hit->body == there);
    CHECK(hit->distance == 3.5);
    CHECK(world.overlapping(Sphere{50.0}, {}) == std::vector{there});
}

TEST_CASE("queries: several threads may be the first to ask after a step or an edit") {
    Draws draw{std::mt19937_64(32)};
    World world = random_world(draw, 60);
    std::vector<Ray> rays;
    for (int i = 0; i < 50; ++i) {
        rays.push_back(draw.ray());
    }
    for (int round = 0; round < 10; ++round) {
        if (round % 2 == 0) {
            world.advance(kFrame);
        } else {
            move_some(world, draw, 40);
        }
        std::atomic<int> waiting = 4;
        std::atomic<int> differ = 0;
        std::vector<std::jthread> threads;
        for (int k = 0; k < 4; ++k) {
            threads.emplace_back([&] {
                --waiting;
                while (waiting > 0) {
                }
                for (const Ray& ray : rays) {
                    const auto all = world.cast_ray_all(ray);
                    differ += std::ranges::equal(all, all_in_turn(world, ray, {}), same) ? 0 : 1;
                }
            });
        }
        threads.clear();
        CHECK(differ == 0);
    }
}
