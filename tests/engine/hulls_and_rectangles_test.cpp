// Worlds of hulls and rectangles: both sides of a rectangle, shapes that are exchanged, snapshots.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "solid_worlds.h"

using namespace engine_tests;

namespace {

IntegratorSettings exact() { return to_tolerance("dormand_prince853", 1e-12); }

std::shared_ptr<const ConvexHull> wedge(double height) {
    return ConvexHull::make(std::vector<glm::dvec3>{{0.3, -0.2, 0.3},
                                                    {-0.3, -0.2, 0.3},
                                                    {0.3, -0.2, -0.3},
                                                    {-0.3, -0.2, -0.3},
                                                    {0.3, height, 0.0},
                                                    {-0.3, height, 0.0}});
}

/// A heap of hulls that share one, and of what has two radii, on a rectangle.
World heap(const std::shared_ptr<const ConvexHull>& hull, const glm::dvec3& scale, int threads) {
    WorldSettings settings = contact_settings(to_tolerance("auto", 1e-6));
    settings.threads = threads;
    World world(settings);
    const Material rough{.friction = 0.6, .restitution = 0.3};
    BodyDesc floor;
    floor.motion = MotionType::Static;
    floor.shape = Rectangle{3.0, 3.0};
    floor.material = rough;
    world.create_body(floor);
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 9; ++i) {
        BodyDesc desc;
        if (i % 3 == 0) {
            desc.shape = TaperedCylinder{0.25, 0.0, 0.2};
        } else if (i % 3 == 1) {
            desc.shape = TaperedCapsule{0.2, 0.1, 0.2};
        } else {
            desc.shape = ScaledHull{hull, scale};
        }
        desc.density = 10.0;
        desc.material = rough;
        desc.pose = {{0.7 * (i % 3) - 0.7, 0.5 + 0.3 * i, 0.02 * i},
                     glm::normalize(glm::dquat(normal(random), normal(random), normal(random), normal(random)))};
        world.create_body(desc);
    }
    return world;
}

} // namespace

TEST_CASE("rectangles: a ball dropped on either side returns, and one beside it falls on") {
    const Material elastic{.friction = 0.0, .restitution = 1.0};
    const double period = 2.0 * std::sqrt(2.0 / kGravity);
    for (const bool upside_down : {false, true}) {
        CAPTURE(upside_down);
        World world(contact_settings(exact()));
        BodyDesc sheet;
        sheet.motion = MotionType::Static;
        sheet.shape = Rectangle{0.5, 0.25};
        sheet.material = elastic;
        if (upside_down) {
            sheet.pose.orientation = glm::angleAxis(std::acos(-1.0), glm::dvec3(0.0, 0.0, 1.0));
        }
        world.create_body(sheet);
        const BodyId over = add_sphere(world, {0.45, 1.1, 0.2}, 0.1, elastic);
        const BodyId beside = add_sphere(world, {0.2, 1.1, 0.36}, 0.1, elastic);
        for (int frame = 0; frame < 60; ++frame) {
            const StepReport report = world.advance(period / 60.0);
            CHECK(report.velocity_steps.contacts == 0);
        }
        CHECK(std::abs(world.body(over).centre_of_mass().y - 1.1) < 1e-9);
        CHECK(std::abs(world.body(beside).centre_of_mass().y - (1.1 - 0.5 * kGravity * period * period)) < 1e-9);
    }
}

TEST_CASE("rectangles: what is thrown at one from below comes back, however fast") {
    const Material elastic{.friction = 0.0, .restitution = 1.0};
    for (const double speed : {3.0, 300.0}) {
        for (const Shape& shape :
             {Shape(Sphere{0.02}), Shape(Box{glm::dvec3(0.02)}), Shape(TaperedCylinder{0.02, 0.0, 0.02}),
              Shape(ScaledHull{wedge(0.1), glm::dvec3(0.06)})}) {
            CAPTURE(speed);
            CAPTURE(shape.index());
            WorldSettings settings;
            settings.gravity = glm::dvec3(0.0);
            settings.integrator = exact();
            World world(settings);
            BodyDesc sheet;
            sheet.motion = MotionType::Static;
            sheet.shape = Rectangle{};
            sheet.material = elastic;
            world.create_body(sheet);
            BodyDesc desc{.shape = shape, .mass = 1.0};
            desc.material = elastic;
            desc.pose = {{0.1, -1.0, 0.05}, glm::normalize(glm::dquat(0.8, 0.3, -0.4, 0.2))};
            desc.linear_velocity = {0.0, speed, 0.0};
            const BodyId body = world.create_body(desc);
            std::size_t hits = 0;
            for (int frame = 0; frame < 30; ++frame) {
                REQUIRE(world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
                hits += world.impacts().size();
                CHECK(world.body(body).centre_of_mass().y < 0.0);
            }
            CHECK(hits >= 1);
        }
    }
}

TEST_CASE("hulls: a heap goes on from a snapshot, and on any number of threads, with the same bits") {
    const auto hull = wedge(0.4);
    const glm::dvec3 scale(1.0, 1.2, 0.8);
    // The last one has a hull of its own, of equal contents.
    check_same_bits(heap(hull, scale, 1), heap(hull, scale, 2), heap(wedge(0.4), scale, 1), 120);
}

TEST_CASE("hulls: a snapshot is refused by a world with another hull, or with the same at another scale") {
    const World saved = heap(wedge(0.4), glm::dvec3(1.0), 1);
    const auto bytes = saved.snapshot();
    World same = heap(wedge(0.4), glm::dvec3(1.0), 1);
    CHECK_NOTHROW(same.restore(bytes));
    // Masses that follow from shapes are others too: here they are stated, so that the shape alone tells.
    const auto of_hull = [](const std::shared_ptr<const ConvexHull>& hull, const glm::dvec3& scale) {
        World world;
        BodyDesc desc;
        desc.shape = ScaledHull{hull, scale};
        desc.mass_properties = MassProperties{};
        world.create_body(desc);
        return world;
    };
    const auto of_one = of_hull(wedge(0.4), glm::dvec3(1.0)).snapshot();
    World equal = of_hull(wedge(0.4), glm::dvec3(1.0));
    World other = of_hull(wedge(0.5), glm::dvec3(1.0));
    World scaled = of_hull(wedge(0.4), {1.0, 1.0, 1.5});
    CHECK_NOTHROW(equal.restore(of_one));
    CHECK_THROWS_AS(other.restore(of_one), std::invalid_argument);
    CHECK_THROWS_AS(scaled.restore(of_one), std::invalid_argument);
}

TEST_CASE("hulls: a ball lies on when the hull below it is exchanged for one with fewer parts") {
    const Material rough{.friction = 0.5};
    World world(contact_settings(exact()));
    std::vector<glm::dvec3> many; // of which the level face on top has the highest numbers of edges and vertices
    for (int i = 0; i < 40; ++i) {
        const double angle = 0.1 * i * std::acos(-1.0);
        many.push_back({std::cos(angle), i < 20 ? -0.5 : 0.0, std::sin(angle)});
    }
    BodyDesc table;
    table.motion = MotionType::Static;
    table.shape = ScaledHull{ConvexHull::make(many)};
    const BodyId below = world.create_body(table);
    const BodyId ball = add_sphere(world, {0.2, 0.1, 0.1}, 0.1, rough);
    for (int frame = 0; frame < 10; ++frame) {
        CHECK(world.advance(1.0 / 60.0).velocity_steps.contacts == 0);
    }
    CHECK(std::abs(world.body(ball).centre_of_mass().y - 0.1) < 1e-12);
    const auto few = ConvexHull::make(
        std::vector<glm::dvec3>{{1.0, 0.0, 1.0}, {-1.0, 0.0, 1.0}, {0.0, 0.0, -1.5}, {0.0, -1.0, 0.0}});
    world.body(below).set_shape(ScaledHull{few}, 1.0);
    for (int frame = 0; frame < 10; ++frame) {
        world.advance(1.0 / 60.0);
    }
    CHECK(std::abs(world.body(ball).centre_of_mass().y - 0.1) < 1e-9);
    CHECK(world.contacts().size() == 1);
}
