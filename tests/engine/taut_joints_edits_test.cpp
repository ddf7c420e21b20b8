// What taut joints do when something is done to them, and mechanisms that only look as if they were taut.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <glm/gtc/matrix_transform.hpp>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr std::string_view kTaut =
    "Joints are taut: the bodies between them are held where they are until their anchors move.";

WorldSettings by(const std::string& method) {
    WorldSettings settings;
    settings.integrator.method = method;
    return settings;
}

BodyDesc ball_at(const glm::dvec3& position, double mass = 1.0) {
    BodyDesc desc;
    desc.mass_properties = MassProperties{mass, glm::dvec3(0.0), glm::dmat3(0.01 * mass)};
    desc.pose.position = position;
    return desc;
}

/// Balls in a row between the ground and an anchor, on rods of given lengths (m).
struct Rope {
    World world;
    glm::dvec3 from;
    glm::dvec3 along;
    double length = 0.0;
    std::vector<BodyId> bodies;
    BodyId anchor;

    Rope(const WorldSettings& settings, const std::vector<double>& rods, const std::vector<double>& masses,
         const glm::dvec3& start = glm::dvec3(0.0), const glm::dvec3& direction = {1.0, 0.0, 0.0},
         MotionType motion = MotionType::Static)
        : world(settings), from(start), along(glm::normalize(direction)) {
        BodyId last = kGround;
        for (std::size_t i = 0; i < rods.size(); ++i) {
            const glm::dvec3 begin = place(length);
            length += rods[i];
            BodyDesc desc = ball_at(place(length), i < masses.size() ? masses[i] : 1.0);
            desc.motion = i < masses.size() ? MotionType::Dynamic : motion;
            const BodyId body = world.create_body(desc);
            world.create_joint(rod(world, last, body, begin, place(length)));
            i < masses.size() ? bodies.push_back(body) : void(anchor = body);
            last = body;
        }
    }
    glm::dvec3 place(double at) const { return from + at * along; }
    void move_anchor(double by) { world.body(anchor).set_pose({place(length + by)}); }
    /// m, across the rope.
    double sag(std::size_t body) const {
        const glm::dvec3 r = world.pose(bodies[body]).position - from;
        return glm::length(r - glm::dot(r, along) * along);
    }
};

} // namespace

TEST_CASE("ropes in any direction, of any masses and lengths, let go at 1e-9 m and are held again from their sag") {
    struct Case {
        std::vector<double> rods;
        std::vector<double> masses;
    };
    const std::vector<Case> cases{{{1.0, 1.0}, {1e-3}}, {{1.0, 1.0}, {1e3}},           {{1.0, 0.3}, {1.0}},
                                  {{0.5, 5.0}, {1.0}},  {{1.0, 1.0, 1.0}, {1.0, 1.0}}, {{1.0, 0.3, 2.0}, {1.0, 3.0}}};
    for (const Case& each : cases) {
        for (const double far : {0.0, 100.0}) {
            CAPTURE(each.rods);
            CAPTURE(each.masses);
            CAPTURE(far);
            Rope rope(by("auto"), each.rods, each.masses, far * glm::dvec3(1.0, -0.6, 0.3), {1.0, 0.7, -0.3});
            REQUIRE(rope.world.advance(kFrame).message == kTaut);
            CHECK(rope.sag(0) < 1e-12 * (1.0 + far));

            rope.move_anchor(-1e-9);
            const StepReport report = rope.world.advance(kFrame);
            CHECK(report.status == StepStatus::ReachedTarget);
            CHECK(report.message.empty());
            CHECK(rope.sag(0) > 1e-5);
            CHECK(worst_joint_error(rope.world) < 1e-10);
            const glm::dvec3 down = rope.world.pose(rope.bodies[0]).position - rope.place(each.rods[0]);
            CHECK(down.y < -0.5 * rope.sag(0)); // where loads bring it

            rope.move_anchor(0.0);
            CHECK(rope.world.advance(kFrame).message == kTaut);
            CHECK(worst_joint_error(rope.world) < 1e-9);
            rope.move_anchor(1e-9);
            CHECK(rope.world.advance(kFrame).message.find("cannot be closed") != std::string_view::npos);
            rope.move_anchor(0.0);
            CHECK(rope.world.advance(kFrame).message == kTaut);
        }
    }
}

TEST_CASE("far from the origin a rope is held, as far as numbers resolve a sag") {
    Rope rope(by("auto"), {1.0, 1.0}, {1.0}, 1e4 * glm::dvec3(1.0, -0.6, 0.3), {1.0, 0.7, -0.3});
    CHECK(rope.world.advance(kFrame).message == kTaut);
    rope.move_anchor(-1e-9);
    CHECK(rope.world.advance(kFrame).message.empty());
    CHECK(rope.sag(0) > 1e-5);
    rope.move_anchor(1e-9);
    CHECK(rope.world.advance(kFrame).message.find("cannot be closed") != std::string_view::npos);
}

TEST_CASE("what is held stands still whatever acts on it, at any frame rate, and turns where its joints let it") {
    for (const std::string method : {"auto", "rk4", "verner87", "theta", "impulse_euler", "symplectic_euler"}) {
        CAPTURE(method);
        Rope rope(by(method), {1.0, 1.0}, {1.0});
        World& world = rope.world;
        const BodyId body = rope.bodies[0];
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 1e3}));
        world.add_force_field(std::make_unique<Spring>(SpringDesc{.body_a = kGround,
                                                                  .body_b = body,
                                                                  .anchor_a = {1.0, 1.0, 0.0},
                                                                  .stiffness = 1e6,
                                                                  .rest_length = 0.1,
                                                                  .damping = 1e3}));
        world.body(body).set_angular_velocity({1.0, 2.0, 3.0});
        CHECK(world.advance(kFrame).message == kTaut);
        world.body(body).set_linear_velocity({0.0, 1.0, 0.0});
        CHECK(world.advance(0.1).message.empty());
        world.body(body).apply_impulse({0.0, -5.0, 2.0});
        for (int frame = 0; frame < 20; ++frame) {
            world.body(body).apply_force({0.0, 1e6, 0.0});
            const StepReport report = world.advance(frame % 3 == 0 ? 0.1 : frame % 3 == 1 ? 1.0 / 240.0 : kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            REQUIRE(report.message.empty());
            REQUIRE(report.evaluations <= 50);
        }
        CHECK(world.pose(body).position == glm::dvec3(1.0, 0.0, 0.0));
        CHECK(glm::length(world.body(body).angular_velocity() - glm::dvec3(1.0, 2.0, 3.0)) < 1e-12);
        world.destroy_body(body);
        CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }
}

TEST_CASE("what falls on a taut rope lies on it, and falls with it when it is cut") {
    for (const std::string method : {"auto", "rk4", "impulse_euler"}) {
        CAPTURE(method);
        Rope rope(by(method), {1.0, 1.0}, {1.0});
        rope.world.body(rope.bodies[0]).set_shape(Sphere{0.2}, 1.0);
        BodyDesc desc;
        desc.mass = 1.0;
        desc.shape = Sphere{0.2};
        desc.pose.position = {1.0, 0.6, 0.0};
        const BodyId ball = rope.world.create_body(desc);
        for (int frame = 0; frame < 120; ++frame) {
            REQUIRE(rope.world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        CHECK(std::abs(rope.world.pose(ball).position.y - 0.4) < 1e-6);
        rope.world.destroy_joint(rope.world.joints()[1]);
        for (int frame = 0; frame < 20; ++frame) {
            REQUIRE(rope.world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        CHECK(rope.world.pose(rope.bodies[0]).position.y < -0.1);
        CHECK(rope.world.pose(ball).position.y < 0.3);
    }
}

TEST_CASE("an anchor that begins to move inward takes a taut rope along") {
    for (const std::string method : {"auto", "rk4", "theta", "impulse_euler"}) {
        CAPTURE(method);
        Rope rope(by(method), {1.0, 1.0}, {1.0}, glm::dvec3(0.0), {1.0, 0.0, 0.0}, MotionType::Kinematic);
        CHECK(rope.world.advance(kFrame).message == kTaut);
        rope.world.body(rope.anchor).set_linear_velocity({-0.01, 0.0, 0.0});
        for (int frame = 0; frame < 60; ++frame) {
            REQUIRE(rope.world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        CHECK(std::abs(rope.sag(0) - std::sqrt(1.0 - 0.995 * 0.995)) < 1e-9); // by Pythagoras
        CHECK(worst_joint_error(rope.world) < 1e-12);
    }
}

TEST_CASE("a joint that cannot be closed is told beside others that are taut") {
    Rope rope(by("auto"), {1.0, 1.0}, {1.0});
    // From the held body a rod of 1 m to another one, and from there one of 1 m to a nail 3 m away.
    const BodyId other = rope.world.create_body(ball_at({1.0, -1.0, 0.0}));
    rope.world.create_joint(rod(rope.world, rope.bodies[0], other, {1.0, 0.0, 0.0}, {1.0, -1.0, 0.0}));
    JointDesc too_short = rod(rope.world, other, kGround, {1.0, -1.0, 0.0}, {1.0, -3.0, 0.0});
    std::get<DistanceLock>(too_short.point_lock).distance = 1.0;
    rope.world.create_joint(too_short);
    CHECK(rope.world.advance(kFrame).message.find("cannot be closed") != std::string_view::npos);
}

TEST_CASE("taut ropes are the same on several threads, and replay from a snapshot in every state") {
    const auto live = [](int threads, int restore_at) {
        WorldSettings settings = by("auto");
        settings.threads = threads;
        Rope rope(settings, {1.0, 0.7, 1.3}, {1.0, 3.0});
        for (int i = 0; i < 4; ++i) { // islands of their own
            const double z = 3.0 + i;
            const BodyId body = rope.world.create_body(ball_at({1.0, 0.0, z}));
            rope.world.create_joint(rod(rope.world, kGround, body, {0.0, 0.0, z}, {1.0, 0.0, z}));
            rope.world.create_joint(rod(rope.world, body, kGround, {1.0, 0.0, z}, {2.0, 0.0, z}));
        }
        std::vector<std::uint64_t> hashes;
        for (int frame = 0; frame < 30; ++frame) {
            if (frame == 5 || frame == 15 || frame == 25) {
                rope.move_anchor(frame == 5 ? -1e-9 : frame == 15 ? 0.0 : -0.1);
            }
            if (frame == restore_at) {
                const WorldSnapshot snapshot = rope.world.snapshot();
                rope.world.body(rope.bodies[0]).apply_impulse({0.0, 0.0, 1.0});
                rope.world.advance(kFrame);
                rope.world.restore(snapshot);
            }
            rope.world.advance(kFrame);
            hashes.push_back(rope.world.hash());
        }
        return hashes;
    };
    const std::vector<std::uint64_t> plain = live(1, -1);
    CHECK(live(4, -1) == plain);
    for (const int restore_at : {0, 1, 5, 6, 15, 16, 25, 26}) {
        CAPTURE(restore_at);
        CHECK(live(1, restore_at) == plain);
    }
}

TEST_CASE("loops with redundant rows that move are not held, whatever their masses") {
    // Bricard's loop of six hinges with three planes of symmetry, links of one length twisted by right angles:
    // cos theta + cos phi + cos theta cos phi = 0 (Chen, You & Tarnai, Int. J. Solids Structures 42, 2005).
    const double quarter = 0.5 * std::numbers::pi;
    for (const double cosine : {-0.4, 0.0, 0.6, 0.94}) {
        for (const double spread : {1.0, 10.0, 100.0}) {
            CAPTURE(cosine);
            CAPTURE(spread);
            const std::array<double, 2> turns{std::acos(cosine), std::acos(-cosine / (1.0 + cosine))};
            std::vector<glm::dmat4> axes;
            glm::dmat4 at(1.0);
            for (int i = 0; i < 6; ++i) {
                axes.push_back(at);
                at = glm::rotate(at, turns[static_cast<std::size_t>(i % 2)], glm::dvec3(0.0, 0.0, 1.0));
                at = glm::translate(at, glm::dvec3(1.0, 0.0, 0.0));
                at = glm::rotate(at, i % 2 == 0 ? quarter : -quarter, glm::dvec3(1.0, 0.0, 0.0));
            }
            World world(by("dormand_prince853"));
            std::vector<BodyId> links{kGround};
            for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
                BodyDesc desc;
                desc.shape = Sphere{0.05};
                desc.collides = false;
                desc.mass = i % 2 == 0 ? spread : 1.0 / spread;
                desc.pose.position = 0.5 * glm::dvec3(axes[i][3] + axes[i + 1][3]);
                links.push_back(world.create_body(desc));
            }
            for (std::size_t i = 0; i < axes.size(); ++i) {
                world.create_joint(hinge(world, links[i], links[(i + 1) % links.size()], glm::dvec3(axes[i][3]),
                                         glm::dvec3(axes[i][2])));
            }
            // Twice the same hinge.
            world.create_joint(hinge(world, links[0], links[1], glm::dvec3(axes[0][3]), glm::dvec3(axes[0][2])));
            const double start = world.energy().total();
            double moved = 0.0;
            for (int frame = 0; frame < 30; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.message.empty());
                moved = std::max(moved, glm::length(world.body(links[3]).linear_velocity()));
            }
            CHECK(moved > 1e-3);
            CHECK(std::abs(world.energy().total() - start) < 1e-6 * spread);
        }
    }
}
