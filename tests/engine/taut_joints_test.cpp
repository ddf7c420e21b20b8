// Mechanisms laid straight, whose joints hold at second order what their rows allow.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

BodyDesc ball_at(const glm::dvec3& position) {
    BodyDesc desc;
    desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.01)};
    desc.pose.position = position;
    return desc;
}

BodyDesc link_at(double x) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.collides = false;
    desc.shape = Box{{0.5, 0.05, 0.05}};
    desc.pose.position = {x, 0.0, 0.0};
    return desc;
}

JointDesc rod_of(const World& world, BodyId a, BodyId b, const glm::dvec3& from, const glm::dvec3& to, double slack) {
    JointDesc desc = rod(world, a, b, from, to);
    std::get<DistanceLock>(desc.point_lock).distance += slack;
    return desc;
}

// One body in the middle of two rods, anchors 2 m apart.
void add_rope(World& world, double slack) {
    const BodyId body = world.create_body(ball_at({1.0, 0.0, 0.0}));
    world.create_joint(rod_of(world, kGround, body, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.5 * slack));
    world.create_joint(rod_of(world, body, kGround, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, 0.5 * slack));
}

// Links of 1 m in a row, pinned at both ends; the far pin nearer by the slack.
void add_links(World& world, int count, double slack, bool hinged) {
    const glm::dvec3 z(0.0, 0.0, 1.0);
    const auto pin = [&](BodyId a, BodyId b, double x) {
        const glm::dvec3 point(x, 0.0, 0.0);
        return hinged ? hinge(world, a, b, point, z) : ball(world, a, b, point);
    };
    BodyId last = kGround;
    for (int i = 0; i < count; ++i) {
        const BodyId body = world.create_body(link_at(i + 0.5));
        world.create_joint(pin(last, body, i));
        last = body;
    }
    JointDesc desc = pin(last, kGround, count);
    desc.frame_b.position.x -= slack;
    world.create_joint(desc);
}

// A square cloth of rods of 1 m, hung by two corners at its width. `lies`: it lies level and will swing down. `nailed`:
// its upper edge is nailed to the ground.
std::vector<BodyId> add_cloth(World& world, double slack, bool lies = false, bool nailed = false) {
    constexpr int kWide = 4;
    const auto place = [&](int row, int column) {
        return lies ? glm::dvec3(column, 0.0, row) : glm::dvec3(column, -row, 0.0);
    };
    const auto is_anchor = [&](int row, int column) { return row == 0 && (nailed || column == 0 || column == kWide); };
    std::vector<BodyId> bodies;
    for (int row = 0; row < kWide; ++row) {
        for (int column = 0; column <= kWide; ++column) {
            bodies.push_back(is_anchor(row, column) ? kGround : world.create_body(ball_at(place(row, column))));
        }
    }
    const auto tie = [&](int row, int column, int other_row, int other_column, double longer) {
        const BodyId a = bodies[static_cast<std::size_t>(row * (kWide + 1) + column)];
        const BodyId b = bodies[static_cast<std::size_t>(other_row * (kWide + 1) + other_column)];
        if (a != b) {
            world.create_joint(rod_of(world, a, b, place(row, column), place(other_row, other_column), longer));
        }
    };
    for (int row = 0; row < kWide; ++row) {
        for (int column = 0; column <= kWide; ++column) {
            if (column < kWide) {
                tie(row, column, row, column + 1, row == 0 ? slack / kWide : 0.0);
            }
            if (row + 1 < kWide) {
                tie(row, column, row + 1, column, 0.0);
            }
        }
    }
    return bodies;
}

struct Mechanism {
    std::string name;
    std::function<void(World&, double)> add;
};

const std::vector<Mechanism>& mechanisms() {
    static const std::vector<Mechanism> all{
        {"rope", add_rope},
        {"chain", [](World& world, double slack) { add_links(world, 2, slack, false); }},
        {"four-bar chain", [](World& world, double slack) { add_links(world, 3, slack, true); }},
        {"plank bridge", [](World& world, double slack) { add_links(world, 8, slack, true); }},
        {"cloth", [](World& world, double slack) { add_cloth(world, slack); }},
    };
    return all;
}

double fastest(const World& world) {
    double speed = 0.0;
    for (const BodyId body : world.bodies()) {
        speed = std::max(speed, glm::length(world.body(body).linear_velocity()));
    }
    return speed;
}

double largest_force(const World& world) {
    double largest = 0.0;
    for (const JointId joint : world.joints()) {
        const double force = glm::length(world.joint_force(joint).force);
        largest = std::isfinite(force) ? std::max(largest, force) : std::numeric_limits<double>::infinity();
    }
    return largest;
}

WorldSettings by(const std::string& method) {
    WorldSettings settings;
    settings.integrator.method = method;
    return settings;
}

constexpr std::string_view kTaut =
    "Joints are taut: the bodies between them are held where they are until their anchors move.";

} // namespace

TEST_CASE("a mechanism that is taut stands still under every method, and that is said once") {
    std::vector<std::string> methods{"auto"};
    for (const IntegrationMethod* const method : method_catalogue()) {
        methods.emplace_back(method->info().name);
    }
    for (const Mechanism& mechanism : mechanisms()) {
        for (const std::string& method : methods) {
            for (const double slack : {0.0, 1e-15, 1e-13, 1e-12, 1e-11, 1e-10}) {
                CAPTURE(mechanism.name);
                CAPTURE(method);
                CAPTURE(slack);
                if (kSanitized && slack != 0.0 && slack != 1e-12) {
                    continue;
                }
                World world(by(method));
                mechanism.add(world, slack);
                const double start = world.energy().total();
                for (int frame = 0; frame < 10; ++frame) {
                    const StepReport report = world.advance(kFrame);
                    REQUIRE(report.status == StepStatus::ReachedTarget);
                    REQUIRE(report.message == (frame == 0 ? kTaut : std::string_view{}));
                    REQUIRE_FALSE(report.degraded);
                    REQUIRE(report.evaluations <= 50);
                }
                CHECK(worst_joint_error(world) <= 1e-9);
                CHECK(world.energy().total() <= start + 1e-9);
                CHECK(fastest(world) < 1e-9);
                CHECK(largest_force(world) < 1e3);
            }
        }
    }
}

TEST_CASE("a mechanism with a slack of 1e-9 m or more hangs in its sag") {
    for (const Mechanism& mechanism : mechanisms()) {
        for (const double slack : {1e-9, 1e-8, 1e-6}) {
            CAPTURE(mechanism.name);
            CAPTURE(slack);
            World world(by("dormand_prince54"));
            mechanism.add(world, slack);
            for (int frame = 0; frame < 10; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                REQUIRE(report.message.empty());
            }
            CHECK(worst_joint_error(world) <= 1e-12);
            CHECK(std::isfinite(largest_force(world)));
            CHECK(fastest(world) < 1e-2 * std::sqrt(9.8 * std::sqrt(slack)));
        }
    }
}

TEST_CASE("a taut rope lets go in the frame in which its anchor moves inward by 1e-9 m; outward cannot be closed") {
    World world(by("dormand_prince54"));
    BodyDesc desc = ball_at({2.0, 0.0, 0.0});
    desc.motion = MotionType::Static;
    const BodyId anchor = world.create_body(desc);
    const BodyId body = world.create_body(ball_at({1.0, 0.0, 0.0}));
    world.create_joint(rod(world, kGround, body, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}));
    world.create_joint(rod(world, body, anchor, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}));
    CHECK(world.advance(kFrame).message == kTaut);
    CHECK(world.pose(body).position == glm::dvec3(1.0, 0.0, 0.0));

    SUBCASE("inward") {
        world.body(anchor).set_pose({{2.0 - 1e-9, 0.0, 0.0}});
        const StepReport report = world.advance(kFrame);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(report.message.empty());
        // By Pythagoras: half the span is 1 - 5e-10, so the sag is sqrt(1e-9).
        CHECK(std::abs(world.pose(body).position.y + std::sqrt(1e-9)) < 1e-8);
        CHECK(worst_joint_error(world) < 1e-12);
    }
    SUBCASE("outward") {
        world.body(anchor).set_pose({{2.0 + 1e-9, 0.0, 0.0}});
        CHECK(world.advance(kFrame).message.find("cannot be closed") != std::string_view::npos);
    }
    SUBCASE("inward by a lot") {
        world.body(anchor).set_pose({{1.6, 0.0, 0.0}});
        CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
        CHECK(std::abs(world.pose(body).position.y + 0.6) < 0.01);
        CHECK(worst_joint_error(world) < 1e-12);
    }
    SUBCASE("cut through") {
        world.destroy_joint(world.joints()[0]);
        for (int frame = 0; frame < 30; ++frame) {
            CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        CHECK(world.pose(body).position.y < -0.5);
    }
    SUBCASE("struck") {
        world.body(body).apply_impulse({0.0, -3.0, 1.0});
        const StepReport report = world.advance(kFrame);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(report.message.empty());
        CHECK(world.pose(body).position == glm::dvec3(1.0, 0.0, 0.0));
    }
}

TEST_CASE("the loads of a taut rope are the least ones: a pull along it is shared by both halves") {
    World world(by("dormand_prince54"));
    add_rope(world, 0.0);
    world.set_settings([&] {
        WorldSettings settings = world.settings();
        settings.gravity = {8.0, -9.8, 0.0};
        return settings;
    }());
    world.advance(kFrame);
    CHECK(world.joint_force(world.joints()[0]).force.x == doctest::Approx(-4.0));
    CHECK(world.joint_force(world.joints()[1]).force.x == doctest::Approx(4.0)); // on the ground
    CHECK(std::abs(world.joint_force(world.joints()[0]).force.y) < 1e-6);
}

TEST_CASE("what hangs on a taut edge moves as if the edge were nailed to the ground") {
    World taut(by("dormand_prince54"));
    World nailed(by("dormand_prince54"));
    const std::vector<BodyId> of_taut = add_cloth(taut, 0.0, true);
    const std::vector<BodyId> of_nailed = add_cloth(nailed, 0.0, true, true);
    for (int frame = 0; frame < 20; ++frame) {
        REQUIRE(taut.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(nailed.advance(kFrame).status == StepStatus::ReachedTarget);
    }
    double apart = 0.0;
    double moved = 0.0;
    for (std::size_t i = 0; i < of_taut.size(); ++i) {
        if (of_nailed[i] != kGround) {
            apart = std::max(apart, glm::length(taut.pose(of_taut[i]).position - nailed.pose(of_nailed[i]).position));
            moved = std::max(moved, -taut.pose(of_taut[i]).position.y);
        }
    }
    CHECK(moved > 0.4);
    CHECK(apart < 1e-6);
}

TEST_CASE("a taut mechanism replays bit for bit from a snapshot") {
    World world(by("auto"));
    const std::vector<BodyId> bodies = add_cloth(world, 1e-12, true);
    for (int frame = 0; frame < 5; ++frame) {
        world.advance(kFrame);
    }
    const WorldSnapshot snapshot = world.snapshot();
    std::vector<std::uint64_t> first;
    for (int frame = 0; frame < 5; ++frame) {
        world.advance(kFrame);
        first.push_back(world.hash());
    }
    world.restore(snapshot);
    World other(by("auto"));
    add_cloth(other, 1e-12, true);
    other.restore(snapshot);
    for (int frame = 0; frame < 5; ++frame) {
        world.advance(kFrame);
        other.advance(kFrame);
        CHECK(world.hash() == first[static_cast<std::size_t>(frame)]);
        CHECK(other.hash() == first[static_cast<std::size_t>(frame)]);
    }
}

TEST_CASE("a parallelogram laid flat is not taut: it goes through, and falls from rest") {
    // Two cranks of 1 m, 1 m apart, along +x, with their coupler on the same line.
    for (const double speed : {0.0, 1.0}) {
        CAPTURE(speed);
        World world(by("dormand_prince54"));
        const glm::dvec3 z(0.0, 0.0, 1.0);
        const auto bar = [&](double x) {
            BodyDesc desc = link_at(x);
            return world.create_body(desc);
        };
        const BodyId left = bar(0.5);
        const BodyId right = bar(1.5);
        const BodyId coupler = bar(1.5);
        world.create_joint(hinge(world, kGround, left, {0.0, 0.0, 0.0}, z));
        world.create_joint(hinge(world, kGround, right, {1.0, 0.0, 0.0}, z));
        world.create_joint(hinge(world, left, coupler, {1.0, 0.0, 0.0}, z));
        world.create_joint(hinge(world, right, coupler, {2.0, 0.0, 0.0}, z));
        world.body(coupler).apply_impulse({0.0, speed, 0.0});
        const double start = world.energy().total();
        for (int frame = 0; frame < 30; ++frame) {
            const StepReport report = world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            REQUIRE(report.message.empty());
            REQUIRE(worst_joint_error(world) < 1e-9);
        }
        CHECK(fastest(world) > 0.1);
        CHECK(std::abs(world.energy().total() - start) < 2.0); // the impulse gives at most 1.5 J
    }
}

TEST_CASE("what is taut in itself but stands on nothing is not held: it falls") {
    // Two bodies 2 m apart with a strut between them, and a third in the middle of a rope from one to the other.
    World world(by("dormand_prince54"));
    const BodyId left = world.create_body(ball_at({0.0, 0.0, 0.0}));
    const BodyId right = world.create_body(ball_at({2.0, 0.0, 0.0}));
    const BodyId middle = world.create_body(ball_at({1.0, 0.0, 0.0}));
    world.create_joint(rod(world, left, right, {0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}));
    world.create_joint(rod(world, left, middle, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}));
    world.create_joint(rod(world, middle, right, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}));
    for (int frame = 0; frame < 30; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE(report.message.empty());
    }
    const double t = world.time();
    for (const BodyId body : {left, middle, right}) {
        CHECK(std::abs(world.pose(body).position.y + 0.5 * 9.8 * t * t) < 1e-9);
    }
    CHECK(worst_joint_error(world) <= 1e-9);
}
