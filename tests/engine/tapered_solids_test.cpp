// Cones, capsules with two radii, hulls and rectangles as shapes of bodies: hits, throws, rest, and balls on them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <glm/matrix.hpp>

#include "solid_worlds.h"

using namespace engine_tests;

namespace {

IntegratorSettings exact() { return to_tolerance("dormand_prince853", 1e-12); }

// Of no symmetry: its inertia has products, and its middle is not its origin.
std::shared_ptr<const ConvexHull> stone() {
    static const auto hull = ConvexHull::make(std::vector<glm::dvec3>{{0.4, 0.1, 0.0},
                                                                      {-0.3, 0.2, 0.1},
                                                                      {0.0, 0.5, -0.2},
                                                                      {0.1, -0.3, 0.3},
                                                                      {-0.2, -0.2, -0.4},
                                                                      {0.3, 0.3, 0.4},
                                                                      {0.2, -0.4, -0.2}});
    return hull;
}

// The corners of a pyramid on a square, apex up.
std::shared_ptr<const ConvexHull> pyramid() {
    static const auto hull = ConvexHull::make(std::vector<glm::dvec3>{
        {0.5, 0.0, 0.5}, {-0.5, 0.0, 0.5}, {0.5, 0.0, -0.5}, {-0.5, 0.0, -0.5}, {0.0, 0.8, 0.0}});
    return hull;
}

struct Named {
    const char* name;
    Shape shape;
};

const std::vector<Named>& solids() {
    static const std::vector<Named> all{{"cone", TaperedCylinder{0.4, 0.0, 0.5}},
                                        {"truncated cone", TaperedCylinder{0.2, 0.45, 0.3}},
                                        {"tapered capsule", TaperedCapsule{0.3, 0.15, 0.4}},
                                        {"hull", ScaledHull{stone()}},
                                        {"scaled hull", ScaledHull{stone(), {1.4, 0.6, 1.0}}},
                                        {"pyramid", ScaledHull{pyramid()}}};
    return all;
}

// The lowest point (m) of a shape whose axes have been turned, from its origin.
glm::dvec3 lowest_point(const Shape& shape, const glm::dmat3& axes) {
    std::vector<glm::dvec3> points;
    const glm::dvec3 down = -glm::dvec3(axes[0].y, axes[1].y, axes[2].y); // in the shape's frame
    if (const auto* const cone = std::get_if<TaperedCylinder>(&shape)) {
        const double across = std::sqrt(down.x * down.x + down.z * down.z);
        const glm::dvec3 side = across > 0.0 ? glm::dvec3(down.x, 0.0, down.z) / across : glm::dvec3(0.0);
        points = {cone->radius_bottom * side - glm::dvec3(0.0, cone->half_length, 0.0),
                  cone->radius_top * side + glm::dvec3(0.0, cone->half_length, 0.0)};
    } else if (const auto* const capsule = std::get_if<TaperedCapsule>(&shape)) {
        points = {capsule->radius_bottom * down - glm::dvec3(0.0, capsule->half_length, 0.0),
                  capsule->radius_top * down + glm::dvec3(0.0, capsule->half_length, 0.0)};
    } else {
        const auto& hull = std::get<ScaledHull>(shape);
        for (const glm::dvec3& vertex : hull.hull->vertices()) {
            points.push_back(hull.scale * vertex);
        }
    }
    return axes * *std::ranges::max_element(points, {}, [&](const glm::dvec3& p) { return glm::dot(p, down); });
}

glm::dmat3 cross_matrix(const glm::dvec3& r) { return {0.0, r.z, -r.y, -r.z, 0.0, r.x, r.y, -r.x, 0.0}; }

// The impulse (N s) at a point that sends it off a level plane with `restitution` times the speed that it came with.
// Friction is against the slip that is left: it stops the point, or its direction is that of the slip behind.
glm::dvec3 point_impulse(const glm::dmat3& k, const glm::dvec3& u, double restitution, double friction) {
    const glm::dvec3 stopped = glm::inverse(k) * (glm::dvec3(0.0, -restitution * u.y, 0.0) - u);
    if (stopped.x * stopped.x + stopped.z * stopped.z <= friction * friction * stopped.y * stopped.y) {
        return stopped;
    }
    const auto along = [&](double angle) {
        const glm::dvec3 direction(-friction * std::cos(angle), 1.0, -friction * std::sin(angle));
        return -(1.0 + restitution) * u.y / (k * direction).y * direction;
    };
    // How much the slip behind turns away from the direction that was taken for it.
    const auto turn = [&](double angle) {
        const glm::dvec3 behind = u + k * along(angle);
        return std::cos(angle) * behind.z - std::sin(angle) * behind.x;
    };
    const auto slips_along = [&](double angle) {
        const glm::dvec3 behind = u + k * along(angle);
        return std::cos(angle) * behind.x + std::sin(angle) * behind.z > 0.0;
    };
    constexpr int kParts = 720;
    const double part = 2.0 * std::acos(-1.0) / kParts;
    for (int i = 0; i < kParts; ++i) {
        double low = i * part;
        double high = low + part;
        if ((turn(low) < 0.0) == (turn(high) < 0.0) || !slips_along(low)) {
            continue;
        }
        for (int halving = 0; halving < 60; ++halving) {
            const double middle = 0.5 * (low + high);
            ((turn(middle) < 0.0) == (turn(low) < 0.0) ? low : high) = middle;
        }
        return along(0.5 * (low + high));
    }
    FAIL("no direction of slip");
    return {};
}

const Shape kBlock = Box{{10.0, 0.5, 10.0}};
const Pose kBlockPlace{{0.0, -0.5, 0.0}, glm::dquat(1.0, 0.0, 0.0, 0.0)};

double energy_of(const World& world, BodyId id, const glm::dmat3& inertia) {
    const Body body = world.body(id);
    const glm::dvec3 v = body.linear_velocity();
    const glm::dvec3 rate = glm::conjugate(world.pose(id).orientation) * body.angular_velocity();
    return 0.5 * glm::dot(v, v) + 0.5 * glm::dot(rate, inertia * rate) + kGravity * body.centre_of_mass().y;
}

glm::dquat random_turn(std::mt19937& random) {
    std::normal_distribution<double> normal;
    return glm::normalize(glm::dquat(normal(random), normal(random), normal(random), normal(random)));
}

int throws_of_each() {
    const char* const asked = std::getenv("SUBSTEP_THROWS");
    return asked != nullptr ? std::atoi(asked) : 6;
}

} // namespace

TEST_CASE("tapered solids: behind a hit of a point on a plane or a box velocities are those of the law of impacts") {
    std::mt19937 random(5);
    int all = 0;
    int gaining = 0;
    double worst = 0.0;
    for (const Named& each : solids()) {
        const MassProperties mass = mass_properties(each.shape, 1.0);
        for (int i = 0; i < 8; ++i) {
            const glm::dquat orientation = random_turn(random);
            const glm::dmat3 axes = glm::mat3_cast(orientation);
            const glm::dvec3 lowest = lowest_point(each.shape, axes);
            const glm::dvec3 r = lowest - axes * mass.centre_of_mass;
            const glm::dmat3 of_cross = cross_matrix(r);
            const glm::dmat3 inverse = axes * glm::inverse(mass.inertia) * glm::transpose(axes);
            const glm::dmat3 k = glm::dmat3(1.0) - of_cross * inverse * of_cross;
            const double friction = i % 4 == 0 ? 0.0 : i % 4 == 1 ? 0.05 : i % 4 == 2 ? 0.4 : 2.0;
            const bool on_plane = i < 4;
            CAPTURE(std::string(each.name));
            CAPTURE(i);
            const Material material{.friction = friction, .restitution = 0.6};
            World world(contact_settings(exact()));
            if (on_plane) {
                add_ground(world, material);
            } else {
                add_still(world, kBlock, kBlockPlace, material);
            }
            BodyDesc desc{.shape = each.shape, .mass = 1.0};
            desc.material = material;
            desc.pose = {{0.0, 1.0 - lowest.y, 0.0}, orientation}; // its lowest point falls from 1 m
            desc.linear_velocity = {1.0, -0.5, 0.3};
            const BodyId body = world.create_body(desc);
            const double speed = std::sqrt(0.25 + 2.0 * kGravity);
            const double time = (speed - 0.5) / kGravity;
            const glm::dvec3 before(1.0, -speed, 0.3);
            const glm::dvec3 impulse = point_impulse(k, before, 0.6, friction);
            const glm::dvec3 after = before + impulse;
            const glm::dvec3 spin = glm::cross(r, impulse); // kg m^2/s
            const double gain =
                0.5 * (glm::dot(after, after) + glm::dot(spin, inverse * spin) - glm::dot(before, before));
            ++all;
            if (gain > 0.0) { // Newton's law may; the engine gives less
                ++gaining;
                continue;
            }
            for (int frame = 1; world.impacts().empty(); ++frame) {
                REQUIRE(frame < 2000);
                CHECK(world.advance(1e-3).velocity_steps.contacts == 0);
            }
            CHECK(std::abs(world.impacts()[0].t - time) < 1e-10);
            glm::dvec3 v = world.body(body).linear_velocity();
            v.y += kGravity * (world.time() - time);
            worst = std::max({worst, glm::length(v - after), glm::length(world.body(body).angular_momentum() - spin)});
            CHECK(glm::length(v - after) < 1e-9);
            CHECK(glm::length(world.body(body).angular_momentum() - spin) < 1e-9);
        }
    }
    MESSAGE(all << " hits, " << gaining << " that would gain, error at most " << worst);
    CHECK(gaining * 4 < all);
}

TEST_CASE("tapered solids: dropped straight on a face, a side or an edge they return without a turn") {
    const double quarter = 0.5 * std::acos(-1.0);
    const auto about_z = [](double angle) { return glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0)); };
    const struct {
        const char* name;
        Shape shape;
        glm::dquat orientation;
    } cases[] = {
        {"cone on its base", TaperedCylinder{0.4, 0.0, 0.5}, about_z(0.0)},
        {"cone on its side", TaperedCylinder{0.4, 0.0, 0.5}, about_z(quarter + std::atan(0.4))},
        {"truncated cone on its top", TaperedCylinder{0.2, 0.45, 0.3}, about_z(2.0 * quarter)},
        {"tapered capsule on its side", TaperedCapsule{0.3, 0.15, 0.4}, about_z(quarter + std::asin(0.15 / 0.8))},
        {"pyramid on its base", ScaledHull{pyramid()}, about_z(0.0)},
        {"pyramid on a side", ScaledHull{pyramid()}, about_z(-quarter - std::atan(0.5 / 0.8))}};
    for (const auto& each : cases) {
        for (const bool on_plane : {false, true}) {
            CAPTURE(std::string(each.name));
            CAPTURE(on_plane);
            const Material material{.friction = 0.0, .restitution = 1.0};
            World world(contact_settings(exact()));
            if (on_plane) {
                add_ground(world, material);
            } else {
                add_still(world, kBlock, kBlockPlace, material);
            }
            BodyDesc desc{.shape = each.shape, .mass = 1.0};
            desc.material = material;
            const glm::dvec3 lowest = lowest_point(each.shape, glm::mat3_cast(each.orientation));
            desc.pose = {{0.0, 1.0 - lowest.y, 0.0}, each.orientation};
            const BodyId body = world.create_body(desc);
            const double height = world.body(body).centre_of_mass().y;
            const double fall = std::sqrt(2.0 / kGravity);
            std::size_t hits = 0;
            double worst = 0.0;
            for (int frame = 1; frame <= 120; ++frame) {
                CHECK(world.advance(1.0 / 60.0).velocity_steps.contacts == 0);
                hits += world.impacts().size();
                const double since = std::abs(std::remainder(world.time(), 2.0 * fall));
                worst = std::max(
                    worst, std::abs(world.body(body).centre_of_mass().y - height + 0.5 * kGravity * since * since));
            }
            CHECK(hits >= 2);
            CHECK(worst < 1e-9);
            CHECK(glm::length(world.body(body).angular_velocity()) < 1e-9);
        }
    }
}

TEST_CASE("tapered solids: thrown at random they keep their energy without friction and loss, hit for hit") {
    std::mt19937 random(9);
    std::normal_distribution<double> normal;
    for (const Named& each : solids()) {
        CAPTURE(std::string(each.name));
        const MassProperties mass = mass_properties(each.shape, 1.0);
        std::size_t hits = 0;
        int by_velocity_steps = 0;
        double worst = 0.0;
        const int throws = throws_of_each();
        for (int i = 0; i < throws; ++i) {
            CAPTURE(i);
            const Material smooth{.friction = 0.0, .restitution = 1.0};
            World world(contact_settings(exact()));
            if (i % 2 == 0) {
                add_ground(world, smooth);
            } else {
                add_still(world, kBlock, kBlockPlace, smooth);
            }
            BodyDesc desc{.shape = each.shape, .mass = 1.0};
            desc.material = smooth;
            desc.pose = {{0.0, 1.5, 0.0}, random_turn(random)};
            desc.linear_velocity = glm::dvec3(normal(random), normal(random), normal(random));
            desc.angular_velocity = 4.0 * glm::dvec3(normal(random), normal(random), normal(random));
            const BodyId body = world.create_body(desc);
            const double before = energy_of(world, body, mass.inertia);
            bool kept = true;
            for (int frame = 0; frame < 90; ++frame) {
                const StepReport report = world.advance(1.0 / 60.0);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                kept &= report.velocity_steps.contacts == 0;
                hits += world.impacts().size();
            }
            by_velocity_steps += kept ? 0 : 1;
            if (kept) {
                const double change = std::abs(energy_of(world, body, mass.inertia) / before - 1.0);
                worst = std::max(worst, change);
                CHECK(change < 1e-9);
            }
        }
        MESSAGE(each.name << ": " << throws << " throws, " << hits << " hits, energy to " << worst << ", "
                          << by_velocity_steps << " with velocity steps");
        CHECK(hits >= static_cast<std::size_t>(throws));
        CHECK(by_velocity_steps == 0);
    }
}

TEST_CASE("tapered solids: dropped in any attitude they come to rest on a plane and on a box, not deep") {
    std::mt19937 random(2);
    for (const Named& each : solids()) {
        for (int i = 0; i < 4; ++i) {
            CAPTURE(std::string(each.name));
            CAPTURE(i);
            const Material rough{.friction = 0.5, .restitution = 0.3};
            World world(contact_settings(to_tolerance("auto", 1e-6)));
            if (i % 2 == 0) {
                add_ground(world, rough);
            } else {
                add_still(world, kBlock, kBlockPlace, rough);
            }
            BodyDesc desc{.shape = each.shape, .mass = 1.0};
            desc.material = rough;
            desc.pose = {{0.0, 1.2, 0.0}, random_turn(random)};
            const BodyId body = world.create_body(desc);
            const Watched fall = advance_and_watch(world, 600);
            REQUIRE(fall.arrived);
            CHECK(fall.deepest < 1e-3);
            const glm::dvec3 rest = world.body(body).centre_of_mass();
            const double speed = glm::length(world.body(body).linear_velocity());
            // What is round rolls in circles; it may, but it neither rises nor sinks.
            const bool is_round = !std::holds_alternative<ScaledHull>(each.shape);
            CHECK((is_round || speed < 1e-6));
            REQUIRE(advance_and_watch(world, 120).arrived);
            const glm::dvec3 moved = world.body(body).centre_of_mass() - rest;
            CHECK(std::abs(moved.y) < 1e-4);
            CHECK((is_round || glm::length(moved) < 1e-6));
        }
    }
}

TEST_CASE("balls roll on the face of a hull by modes, as down a slope, and bounce on its edges and vertices") {
    // The side of the pyramid that faces x is a slope; rolling without slip a = 5/7 g sin(slope).
    const Material rough{.friction = 5.0, .restitution = 0.0};
    const double slope = std::atan(0.8 / 0.5);
    const glm::dvec3 out(std::sin(slope), std::cos(slope), 0.0);
    const glm::dvec3 down(std::cos(slope), -std::sin(slope), 0.0);
    for (const glm::dvec3& scale : {glm::dvec3(2.0), glm::dvec3(4.0, 4.0, 3.0)}) {
        CAPTURE(scale.z);
        const double size = scale.x;
        World world(contact_settings(exact()));
        add_still(world, ScaledHull{pyramid(), scale}, {}, rough);
        const glm::dvec3 begin = size * glm::dvec3(0.1, 0.64, 0.0) + 0.1 * out;
        const BodyId ball = add_sphere(world, begin, 0.1, rough);
        for (int frame = 0; frame < 24; ++frame) {
            const StepReport report = world.advance(1.0 / 60.0);
            CHECK(report.velocity_steps.contacts == 0);
        }
        const double way = 0.5 * 5.0 / 7.0 * kGravity * std::sin(slope) * 0.4 * 0.4;
        CHECK(glm::length(world.body(ball).centre_of_mass() - (begin + way * down)) < 1e-9);
    }
    // Straight above its apex, and above the middle of an edge along z: they return.
    const Material elastic{.friction = 0.0, .restitution = 1.0};
    const glm::dquat edge_up = glm::angleAxis(-2.08, glm::dvec3(0.0, 0.0, 1.0));
    for (const bool on_edge : {false, true}) {
        CAPTURE(on_edge);
        const glm::dquat turn = on_edge ? edge_up : glm::dquat(1.0, 0.0, 0.0, 0.0);
        const glm::dvec3 top = on_edge ? turn * glm::dvec3(-0.5, 0.0, 0.0) : glm::dvec3(0.0, 0.8, 0.0);
        World world(contact_settings(exact()));
        add_still(world, ScaledHull{pyramid()}, {{}, turn}, elastic);
        const BodyId ball = add_sphere(world, top + glm::dvec3(0.0, 1.1, 0.0), 0.1, elastic);
        const double height = world.body(ball).centre_of_mass().y;
        const double period = 2.0 * std::sqrt(2.0 / kGravity);
        for (int frame = 0; frame < 60; ++frame) {
            CHECK(world.advance(period / 60.0).velocity_steps.contacts == 0);
        }
        CHECK(std::abs(world.body(ball).centre_of_mass().y - height) < 1e-9);
    }
}
