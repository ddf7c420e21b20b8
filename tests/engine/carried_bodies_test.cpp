// What lifts, turntables and belts carry.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <substep/numerics/elementary_functions.h>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

const Material kGrips{.friction = 0.5, .restitution = 0.0};

BodyDesc platform(const glm::dvec3& half_sizes, const glm::dvec3& top, const Material& material) {
    BodyDesc desc;
    desc.motion = MotionType::Kinematic;
    desc.shape = Box{half_sizes};
    desc.pose.position = top - glm::dvec3(0.0, half_sizes.y, 0.0);
    desc.material = material;
    return desc;
}

BodyDesc load(const Shape& shape, const glm::dvec3& position, const Material& material) {
    BodyDesc desc;
    desc.shape = shape;
    desc.mass = 2.0;
    desc.pose.position = position;
    desc.material = material;
    return desc;
}

/// Up and down by 0.5 m, in 4 s.
class Lift final : public BodyPath {
public:
    explicit Lift(double height) : height_(height) {}
    Point at(double t) const override {
        const double omega = 0.5 * std::acos(-1.0);
        Point point;
        point.pose.position = {0.0, height_ + 0.5 - 0.5 * cosine(omega * t), 0.0};
        point.linear_velocity = {0.0, 0.5 * omega * sine(omega * t), 0.0};
        point.linear_acceleration = {0.0, 0.5 * omega * omega * cosine(omega * t), 0.0};
        return point;
    }

private:
    double height_;
};

/// Beside all others, and from some time on nowhere: a host's path may end so.
class Vanishing final : public BodyPath {
public:
    explicit Vanishing(double end) : end_(end) {}
    Point at(double t) const override {
        Point point;
        point.pose.position = glm::dvec3(t < end_ ? -50.0 : std::nan(""));
        return point;
    }

private:
    double end_; // s
};

} // namespace

TEST_CASE("carried: others meet beside a body whose path ends in no numbers, as if it were not there") {
    const auto live = [](int count, bool has_path, int place) {
        World world(contact_settings(to_tolerance("dormand_prince853", 1e-12)));
        std::vector<BodyId> balls;
        for (int i = 0; i < count; ++i) {
            if (has_path && i == place) {
                BodyDesc desc = platform({0.5, 0.5, 0.5}, glm::dvec3(0.0), kGrips);
                desc.path = std::make_shared<Vanishing>(0.01);
                world.create_body(desc);
            }
            BodyDesc ball = load(Sphere{0.1}, {0.3 * i, 0.0, 0.0}, {.friction = 0.0, .restitution = 1.0});
            ball.linear_velocity = {i == 0 ? 1.0 : 0.0, 0.0, 0.0}; // each hits the next one
            balls.push_back(world.create_body(ball));
        }
        const WorldSnapshot start = world.snapshot();
        std::array<std::vector<glm::dvec3>, 2> ends; // a replay has the same bits
        for (std::vector<glm::dvec3>& places : ends) {
            for (int frame = 0; frame < 60; ++frame) {
                world.advance(1.0 / 60.0);
            }
            for (const BodyId id : balls) {
                places.push_back(world.pose(id).position);
            }
            world.restore(start);
        }
        CHECK(ends[0] == ends[1]);
        return ends[0];
    };
    for (const int count : {3, 4, 5, 6, 8}) {
        CAPTURE(count);
        const std::vector<glm::dvec3> alone = live(count, false, 0);
        CHECK(std::abs(alone.back().x - (0.3 * (count - 1) + 1.0 - 0.1 * (count - 1))) < 1e-9); // went off in its turn
        for (int place = 0; place < count; ++place) {
            CAPTURE(place);
            const std::vector<glm::dvec3> beside = live(count, true, place);
            for (std::size_t i = 0; i < alone.size(); ++i) {
                CHECK(glm::length(beside[i] - alone[i]) < 1e-11);
            }
        }
    }
}

TEST_CASE("carried: a lift takes a ball and a box up and down, and they stay where they stand") {
    for (const char* const method : {"cash_karp54", "rk4", "auto"}) {
        for (const bool has_path : {false, true}) {
            CAPTURE(method);
            CAPTURE(has_path);
            World world(contact_settings(to_tolerance(method, 1e-9)));
            BodyDesc lift = platform({1.0, 0.1, 1.0}, {0.0, 0.0, 0.0}, kGrips);
            if (has_path) {
                lift.path = std::make_shared<Lift>(-0.1);
            } else {
                lift.linear_velocity = {0.0, 0.4, 0.0};
            }
            const BodyId deck = world.create_body(lift);
            const BodyId ball = world.create_body(load(Sphere{0.2}, {-0.5, 0.2, 0.0}, kGrips));
            const BodyId box = world.create_body(load(Box{{0.2, 0.2, 0.2}}, {0.5, 0.2, 0.0}, kGrips));
            double aside = 0.0;
            for (int frame = 0; frame < 360; ++frame) {
                REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
                const double top = world.pose(deck).position.y + 0.1;
                for (const BodyId id : {ball, box}) {
                    const glm::dvec3 from(id == ball ? -0.5 : 0.5, top + 0.2, 0.0);
                    aside = std::max(aside, glm::length(world.pose(id).position - from));
                }
            }
            MESSAGE(std::string(method) << std::string(has_path ? " along a path: " : " evenly: ") << aside);
            CHECK(aside < 1e-6);
        }
    }
}

TEST_CASE("carried: a turntable takes what stands on it round, until friction gives no more") {
    // Friction holds omega^2 r up to mu g. The table speeds up slowly, by steps of 1 %.
    const double radius = 0.8;
    const double lets_go = std::sqrt(kGrips.friction * kGravity / radius);
    for (const bool is_box : {false, true}) {
        CAPTURE(is_box);
        World world(contact_settings(to_tolerance("cash_karp54", 1e-9)));
        BodyDesc table;
        table.motion = MotionType::Kinematic;
        table.shape = Cylinder{2.0, 0.1};
        table.pose.position = {0.0, -0.1, 0.0};
        table.material = kGrips;
        table.angular_velocity = {0.0, 0.9 * lets_go, 0.0};
        const BodyId turntable = world.create_body(table);
        // A ball that may not turn slides as a block does.
        BodyDesc desc = load(is_box ? Shape(Box{{0.1, 0.05, 0.1}}) : Shape(Sphere{0.05}), {radius, 0.05, 0.0}, kGrips);
        desc.locks_rotation = !is_box;
        desc.linear_velocity = {0.0, 0.0, -0.9 * lets_go * radius};
        if (is_box) {
            desc.angular_velocity = {0.0, 0.9 * lets_go, 0.0};
        }
        const BodyId body = world.create_body(desc);
        double omega = 0.9 * lets_go;
        double slid_at = 0.0;
        while (slid_at == 0.0 && omega < 1.2 * lets_go) {
            omega += 0.002 * lets_go;
            world.body(turntable).set_angular_velocity({0.0, omega, 0.0});
            for (int frame = 0; frame < 30; ++frame) {
                REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            }
            const glm::dvec3 at = world.pose(body).position;
            if (std::sqrt(at.x * at.x + at.z * at.z) > radius + 0.01) {
                slid_at = omega;
            }
        }
        MESSAGE(std::string(is_box ? "a box" : "a ball that does not turn") << " slides at " << slid_at / lets_go);
        CHECK(std::abs(slid_at / lets_go - 1.0) < 0.01);
    }
}

// In frames of 1/60 s they left it by a fifth of their radius within ten seconds: surfaces went straight on in a step.
TEST_CASE("carried: steps of piles take round what stands on a turntable, stacks too") {
    for (const char* method : {"soft_steps", "convex_step"}) {
        for (const double fps : {10.0, 60.0}) {
            CAPTURE(method);
            CAPTURE(fps);
            const double omega = 1.5;
            WorldSettings settings = contact_settings(fixed(method, std::string(method) == "soft_steps" ? 8 : 1));
            settings.energy_ledger = true;
            World world(settings);
            BodyDesc table = platform({3.0, 0.5, 3.0}, {0.0, 0.0, 0.0}, {.friction = 0.3});
            table.angular_velocity = {0.0, omega, 0.0};
            world.create_body(table);
            std::vector<BodyId> riders;
            for (int i = 0; i < 4; ++i) { // the last one on the third; friction gives 1.3 times what holds these
                const double radius = std::min(0.5 * (i + 1), 1.0);
                BodyDesc desc =
                    load(Box{{0.1, 0.1, 0.1}}, {i == 1 ? -radius : radius, i == 3 ? 0.3 : 0.1, 0.0}, {.friction = 0.3});
                desc.linear_velocity = glm::cross(glm::dvec3(0.0, omega, 0.0), desc.pose.position);
                desc.angular_velocity = {0.0, omega, 0.0};
                riders.push_back(world.create_body(desc));
            }
            const double seconds = 10.0;
            for (int frame = 0; frame < std::lround(seconds * fps); ++frame) {
                REQUIRE(world.advance(1.0 / fps).status == StepStatus::ReachedTarget);
            }
            double worst = 0.0;
            for (int i = 0; i < 4; ++i) {
                const glm::dvec3 at = world.pose(riders[static_cast<std::size_t>(i)]).position;
                const double radius = std::min(0.5 * (i + 1), 1.0);
                worst = std::max(worst, std::abs(std::hypot(at.x, at.z) / radius - 1.0));
            }
            MESSAGE(std::string(method), " at ", fps, " fps: farther or nearer by ", worst);
            CHECK(worst < (fps < 20.0 ? 0.06 : 5e-4));
            const EnergyLedger ledger = world.energy_ledger();
            CHECK(std::abs(ledger.remainder()) < 1e-3);
            CHECK(ledger.friction <= 1e-3);
        }
    }
}

TEST_CASE("carried: a belt brings what is put on it to its speed, and the ledger knows where that comes from") {
    // mu g t until it goes with the belt: s = v^2 / (2 mu g) by then. In modes (a ball that does not turn) and by
    // velocity steps (a box).
    const double speed = 1.5;
    for (const MotionType motion : {MotionType::Static, MotionType::Kinematic}) {
        for (const bool is_box : {false, true}) {
            CAPTURE(static_cast<int>(motion));
            CAPTURE(is_box);
            WorldSettings settings = contact_settings(to_tolerance("cash_karp54", 1e-9));
            settings.energy_ledger = true;
            World world(settings);
            BodyDesc belt = platform({20.0, 0.1, 1.0}, {0.0, 0.0, 0.0}, kGrips);
            belt.motion = motion;
            belt.material.surface_velocity = {speed, 0.3, 0.0}; // what points upwards does nothing
            world.create_body(belt);
            BodyDesc desc = load(is_box ? Shape(Box{{0.2, 0.1, 0.2}}) : Shape(Sphere{0.1}), {0.0, 0.1, 0.0}, kGrips);
            desc.locks_rotation = !is_box;
            const BodyId body = world.create_body(desc);
            const double before = world.energy().total();
            for (int frame = 0; frame < 120; ++frame) {
                REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            }
            const double speeds_up = speed / (kGrips.friction * kGravity);
            const double x = speed * (2.0 - 0.5 * speeds_up);
            const double within = is_box ? 0.03 : 1e-7;
            MESSAGE(std::string(is_box ? "box: " : "ball: ") << world.pose(body).position.x - x);
            CHECK(std::abs(world.pose(body).position.x - x) < within);
            CHECK(std::abs(world.body(body).linear_velocity().x - speed) < within);
            CHECK(std::abs(world.pose(body).position.y - 0.1) < 1e-6);
            REQUIRE(world.contacts(body).size() >= 1);
            CHECK(glm::length(world.contacts(body)[0].slip) < (is_box ? 1e-3 : 1e-9));
            const double gained = world.energy().total() - before;
            CHECK(std::abs(gained - 0.5 * 2.0 * speed * speed) < (is_box ? 0.1 : 1e-6));
            const EnergyLedger ledger = world.energy_ledger();
            CHECK(std::abs(ledger.remainder()) < (is_box ? 0.02 : 1e-6) * gained);
        }
    }
    // A rolling ball on a belt at rest relative to it: its middle goes at 2/7 of the belt's speed.
    World world(contact_settings(to_tolerance("cash_karp54", 1e-10)));
    BodyDesc belt = platform({20.0, 0.1, 1.0}, {0.0, 0.0, 0.0}, kGrips);
    belt.motion = MotionType::Static;
    belt.material.surface_velocity = {speed, 0.0, 0.0};
    const BodyId id = world.create_body(belt);
    const BodyId ball = world.create_body(load(Sphere{0.1}, {0.0, 0.1, 0.0}, kGrips));
    advance_and_watch(world, 120);
    CHECK(std::abs(world.body(ball).linear_velocity().x - speed * 2.0 / 7.0) < 1e-8);
    // The belt stops: the ball rolls on.
    Material still = world.body(id).material();
    still.surface_velocity = glm::dvec3(0.0);
    world.body(id).set_material(still);
    advance_and_watch(world, 120);
    const double rolls = speed * 2.0 / 7.0; // and its spin, - (speed - rolls) / r, brakes it: (5 v - 2 w r) / 7
    CHECK(std::abs(world.body(ball).linear_velocity().x - (5.0 * rolls - 2.0 * (speed - rolls)) / 7.0) < 1e-7);
    still.surface_velocity.x = std::nan("");
    CHECK_THROWS_WITH_AS(world.body(id).set_material(still),
                         "The surface velocity is (nan, 0, 0); it and its square must be finite.",
                         std::invalid_argument);
}

TEST_CASE("carried: what bounces on a belt takes its share at each hit, by Coulomb's law") {
    // J_n = (1 + e) m v_n, friction at most mu J_n, toward the belt's velocity; enough to stop the slip where it can.
    for (const double speed : {0.2, 20.0}) {
        CAPTURE(speed);
        World world(contact_settings(to_tolerance("dormand_prince853", 1e-12)));
        BodyDesc belt = platform({20.0, 0.1, 20.0}, {0.0, 0.0, 0.0}, {.friction = 0.3, .restitution = 0.5});
        belt.motion = MotionType::Static;
        belt.material.surface_velocity = {0.0, 0.0, speed};
        world.create_body(belt);
        BodyDesc desc = load(Sphere{0.1}, {0.0, 0.6, 0.0}, {.friction = 0.3, .restitution = 0.5});
        const BodyId ball = world.create_body(desc);
        advance_and_watch(world, 24); // one hit, at 0.319 s
        const double fall = std::sqrt(2.0 * kGravity * 0.5);
        const double most = 0.3 * 1.5 * fall;
        const double sticks = speed * 2.0 / 7.0;
        CHECK(std::abs(world.body(ball).linear_velocity().z - std::min(most, sticks)) < 1e-9);
    }
}

TEST_CASE("carried: a platform that starts wakes its riders, and one that is put elsewhere leaves them") {
    WorldSettings settings = contact_settings(to_tolerance("cash_karp54", 1e-9));
    settings.sleep.enabled = true;
    World world(settings);
    const BodyId deck = world.create_body(platform({1.0, 0.1, 1.0}, {0.0, 0.0, 0.0}, kGrips));
    const BodyId box = world.create_body(load(Box{{0.2, 0.2, 0.2}}, {0.0, 0.2, 0.0}, kGrips));
    advance_and_watch(world, 180);
    REQUIRE(world.islands()[0].asleep);
    world.body(deck).set_linear_velocity({0.0, 0.5, 0.0});
    advance_and_watch(world, 60);
    CHECK_FALSE(world.islands()[0].asleep);
    CHECK(std::abs(world.pose(box).position.y - 0.7) < 1e-5);

    world.body(deck).set_linear_velocity(glm::dvec3(0.0));
    advance_and_watch(world, 240);
    const double rests = world.pose(box).position.y;
    world.body(deck).set_pose({{5.0, -0.1, 0.0}}); // moving is not teleporting: nothing is dragged along
    advance_and_watch(world, 12);
    CHECK(std::abs(world.pose(box).position.x) < 1e-6);
    CHECK(world.pose(box).position.y < rests - 0.15);
}

TEST_CASE("carried: a door without a mass turns about its hinge, wherever its leaf is, and hits on time") {
    for (const double omega : {1.0, 60.0}) {
        CAPTURE(omega);
        WorldSettings settings = contact_settings(to_tolerance("dormand_prince853", 1e-12));
        settings.gravity = glm::dvec3(0.0);
        World world(settings);
        ColliderDesc leaf;
        leaf.shape = Box{{0.5, 1.0, 0.02}};
        leaf.offset.position = {2.5, 0.0, 0.0};
        leaf.material = {.friction = 0.0, .restitution = 1.0};
        BodyDesc door;
        door.motion = MotionType::Kinematic;
        door.colliders = {leaf};
        door.angular_velocity = {0.0, omega, 0.0};
        const BodyId hinged = world.create_body(door);
        CHECK(world.body(hinged).centre_of_mass() == glm::dvec3(0.0));
        const double ahead = 1.2; // rad, of the ball's middle
        BodyDesc ball = load(Sphere{0.05}, {2.5 * std::cos(ahead), 0.0, -2.5 * std::sin(ahead)}, leaf.material);
        const BodyId id = world.create_body(ball);
        while (world.impacts().empty() && world.time() < 2.0) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        REQUIRE(world.impacts().size() == 1);
        const double turned = ahead - std::asin((0.05 + 0.02) / 2.5);
        CHECK(std::abs(world.impacts()[0].t - turned / omega) < 1e-9);
        // Twice the speed of the leaf where it is hit.
        const double arm = std::sqrt(2.5 * 2.5 - 0.07 * 0.07);
        CHECK(std::abs(glm::length(world.body(id).linear_velocity()) - 2.0 * omega * arm) < 1e-8 * omega);
    }
}
