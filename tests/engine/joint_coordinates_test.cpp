// Coordinates of joints, and couplings of two of them.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "joint_cases.h"

using namespace engine_tests;

namespace {

constexpr JointAxis kAxes[]{JointAxis::X,      JointAxis::Y,        JointAxis::Z,
                            JointAxis::AngleX, JointAxis::AngleY,   JointAxis::AngleZ,
                            JointAxis::Swing,  JointAxis::Distance, JointAxis::Curve};

bool has(const World& world, JointId joint, JointAxis axis) {
    try {
        world.joint_value(joint, axis);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

BodyId add_wheel(World& world, const glm::dvec3& centre, double moment, double mass = 1.0) {
    BodyDesc desc;
    desc.collides = false;
    desc.pose.position = centre;
    desc.mass_properties = MassProperties{mass, glm::dvec3(0.0), glm::dmat3(moment)};
    return world.create_body(desc);
}

constexpr glm::dvec3 kZ{0.0, 0.0, 1.0};

} // namespace

TEST_CASE("the rate of every coordinate of every joint is its value's derivative") {
    for (const JointCase& joint_case : joint_cases()) {
        for (const Carrier carrier : kCarriers) {
            JointWorld w(joint_case, carrier, fixed("dormand_prince853", 1), 5);
            w.world.advance(0.25);
            constexpr double h = 1e-3;
            for (const JointAxis axis : kAxes) {
                if (!has(w.world, w.joint, axis)) {
                    continue;
                }
                CAPTURE(joint_case.name);
                CAPTURE(static_cast<int>(carrier));
                CAPTURE(static_cast<int>(axis));
                // Five values around the middle one; the step is as short as the rows' rates are long.
                const WorldSnapshot start = w.world.snapshot();
                std::array<double, 5> value{};
                double rate = 0.0;
                for (std::size_t i = 0; i < 5; ++i) {
                    value[i] = w.world.joint_value(w.joint, axis);
                    rate = i == 2 ? w.world.joint_rate(w.joint, axis) : rate;
                    w.world.advance(h);
                }
                w.world.restore(start);
                const bool wraps = std::abs(value[4] - value[0]) > 1.0;
                const double difference = (value[0] - 8.0 * value[1] + 8.0 * value[3] - value[4]) / (12.0 * h);
                // h^4 / 30 of a fifth derivative of up to 1e4 (rates of order 5 rad/s), and round-off 1e-16 / h.
                CHECK((wraps || std::abs(difference - rate) < 1e-8 * (1.0 + std::abs(rate))));
            }
        }
    }
}

TEST_CASE("a gear turns two wheels as the ratio says, over many turns, and shares inertia with its square") {
    // Wheel 1 of 2 kg m^2 drives wheel 2 of 0.5 at -3 times the rate: a constant torque M on wheel 1 gives
    // alpha_1 = M / (2 + 0.5 * 9).
    World world({.gravity = glm::dvec3(0.0), .integrator = fixed("dormand_prince853", 4)});
    const BodyId wheel_1 = add_wheel(world, {0.0, 0.0, 0.0}, 2.0);
    const BodyId wheel_2 = add_wheel(world, {1.0, 0.0, 0.0}, 0.5);
    const JointId hinge_1 = world.create_joint(hinge(world, kGround, wheel_1, {0.0, 0.0, 0.0}, kZ));
    const JointId hinge_2 = world.create_joint(hinge(world, kGround, wheel_2, {1.0, 0.0, 0.0}, kZ));
    const CouplingId teeth = world.create_coupling(gear(world, hinge_1, hinge_2, 1.0 / 3.0));
    CHECK(world.island_count() == 1);
    const double alpha = 6.5 / (2.0 + 0.5 * 9.0);
    double worst = 0.0;
    for (int frame = 0; frame < 600; ++frame) {
        world.body(wheel_1).apply_torque({0.0, 0.0, 6.5});
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        worst = std::max(worst, world.coupling_error(teeth));
    }
    const double angle = 0.5 * alpha * 100.0;
    CHECK(std::abs(world.joint_value(hinge_1, JointAxis::AngleZ) - angle) <
          1e-10); // of 50 rad; quaternions at 30 rad/s and 240 Hz
    CHECK(std::abs(world.joint_value(hinge_2, JointAxis::AngleZ) + 3.0 * angle) < 1e-10);
    CHECK(worst < 1e-12); // round-off of 150 rad is 3e-14
}

TEST_CASE("Atwood's machine of two ropes over a pulley accelerates as its closed form, under every method") {
    // m_1 = 3 kg and m_2 = 1 kg on ropes from two points of the ceiling: a = g (m_1 - m_2) / (m_1 + m_2) = 4.9 m/s^2.
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        World world({.integrator = fixed(std::string(info.name), 4)});
        const BodyId heavy = add_wheel(world, {0.0, -2.0, 0.0}, 1.0, 3.0);
        const BodyId light = add_wheel(world, {1.0, -2.0, 0.0}, 1.0, 1.0);
        const JointId rope_1 = world.create_joint(gauge(world, kGround, heavy, {0.0, 0.0, 0.0}, {0.0, -2.0, 0.0}));
        const JointId rope_2 = world.create_joint(gauge(world, kGround, light, {1.0, 0.0, 0.0}, {1.0, -2.0, 0.0}));
        world.create_coupling(pulley(world, rope_1, rope_2));
        for (int frame = 0; frame < 30; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        const double fallen = 0.5 * 4.9 * 0.25;
        // A parabola: first-order methods are off by a h t / 2, all others are exact.
        const double bound = info.order == 1 ? 0.51 * 4.9 * 0.5 * kFrame / 4.0 : 1e-12;
        CHECK(std::abs(world.pose(heavy).position.y + 2.0 + fallen) < bound);
        CHECK(std::abs(world.pose(light).position.y + 2.0 - fallen) < bound);
    }
}

TEST_CASE("a rack moves by the radius times the angle") {
    World world({.gravity = {9.8, 0.0, 0.0}, .integrator = fixed("dormand_prince853", 1)});
    const BodyId wheel = add_wheel(world, {0.0, 0.0, 0.0}, 0.3);
    const BodyId bar = add_wheel(world, {0.0, -0.5, 0.0}, 1.0, 2.0);
    const JointId axle = world.create_joint(hinge(world, kGround, wheel, {0.0, 0.0, 0.0}, kZ));
    const JointId way = world.create_joint(slider(world, kGround, bar, {0.0, -0.5, 0.0}, {1.0, 0.0, 0.0}));
    world.create_coupling(rack(world, way, axle, 0.5));
    for (int frame = 0; frame < 120; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }
    // (m + I / r^2) a = m g, 2 s.
    const double way_gone = 0.5 * 2.0 * 9.8 / (2.0 + 0.3 / 0.25) * 4.0;
    CHECK(std::abs(world.joint_value(way, JointAxis::Z) - way_gone) < 1e-10); // round-off of 120 frames
    CHECK(std::abs(world.joint_value(axle, JointAxis::AngleZ) - way_gone / 0.5) < 1e-10);
}

TEST_CASE("couplings keep the order of every method, between moving bodies of four joints") {
    // Two double pendulums; the outer hinges are geared to one another.
    const auto end = [](const IntegratorSettings& settings, double dt) {
        World world({.integrator = settings});
        std::vector<JointId> outer;
        BodyId last{};
        for (int side = 0; side < 2; ++side) {
            BodyId parent = kGround;
            for (int link = 0; link < 2; ++link) {
                BodyDesc desc;
                desc.mass = 1.0;
                desc.collides = false;
                desc.shape = Box{{0.25, 0.05, 0.05}};
                desc.pose.position = {0.25 + 0.5 * link, 0.0, 1.0 * side};
                last = world.create_body(desc);
                const JointId id = world.create_joint(hinge(world, parent, last, {0.5 * link, 0.0, 1.0 * side}, kZ));
                if (link == 1) {
                    outer.push_back(id);
                }
                parent = last;
            }
        }
        world.create_coupling(gear(world, outer[0], outer[1], 0.5));
        CHECK(world.island_count() == 1);
        for (int step = 0; step < std::lround(0.5 / dt); ++step) {
            CHECK(world.advance(dt).status == StepStatus::ReachedTarget);
        }
        CHECK(worst_joint_error(world) < (settings.method == "impulse_euler" ? 1e-9 : 1e-12));
        return world.pose(last).position;
    };
    const glm::dvec3 reference = end(fixed("dormand_prince853", 32), kFrame);
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.adaptive) {
            continue; // their order is measured with single joints
        }
        CAPTURE(info.name);
        const double dt = info.order >= 5 ? 0.0625 : kFrame;
        const int n = info.order <= 2 ? 8 : 1;
        const double coarse = glm::length(end(fixed(std::string(info.name), n), dt) - reference);
        const double fine = glm::length(end(fixed(std::string(info.name), 2 * n), dt) - reference);
        CAPTURE(coarse);
        CAPTURE(fine);
        CHECK((std::log2(coarse / fine) > info.order - 0.75 || fine < 1e-13));
    }
}

TEST_CASE("whole turns are part of a snapshot, and a replay is bit-equal") {
    World world({.gravity = glm::dvec3(0.0), .integrator = fixed("rk4", 1)});
    const BodyId wheel_1 = add_wheel(world, {0.0, 0.0, 0.0}, 2.0);
    const BodyId wheel_2 = add_wheel(world, {1.0, 0.0, 0.0}, 0.5);
    const JointId hinge_1 = world.create_joint(hinge(world, kGround, wheel_1, {0.0, 0.0, 0.0}, kZ));
    const JointId hinge_2 = world.create_joint(hinge(world, kGround, wheel_2, {1.0, 0.0, 0.0}, kZ));
    world.create_coupling(gear(world, hinge_1, hinge_2, 0.7));
    world.body(wheel_1).set_angular_velocity({0.0, 0.0, 30.0});
    const auto run = [&](int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
    };
    run(100);
    const WorldSnapshot snapshot = world.snapshot();
    const double angle = world.joint_value(hinge_1, JointAxis::AngleZ);
    CHECK(angle > 2.0 * std::numbers::pi);
    run(100);
    const std::uint64_t hash = world.hash();
    world.restore(snapshot);
    CHECK(world.joint_value(hinge_1, JointAxis::AngleZ) == angle);
    run(100);
    CHECK(world.hash() == hash);
}

TEST_CASE("couplings refuse what cannot be coupled, and go with their joints") {
    World world;
    const BodyId wheel_1 = add_wheel(world, {0.0, 0.0, 0.0}, 2.0);
    const BodyId wheel_2 = add_wheel(world, {1.0, 0.0, 0.0}, 0.5);
    const JointId hinge_1 = world.create_joint(hinge(world, kGround, wheel_1, {0.0, 0.0, 0.0}, kZ));
    const JointId hinge_2 = world.create_joint(hinge(world, kGround, wheel_2, {1.0, 0.0, 0.0}, kZ));
    CHECK_THROWS_AS(couple(world, hinge_1, JointAxis::X, hinge_2, JointAxis::AngleZ, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(world.create_coupling(gear(world, hinge_1, hinge_1, 1.0)), std::invalid_argument);
    CHECK_THROWS_AS(world.create_coupling(gear(world, hinge_1, hinge_2, 0.0)), std::invalid_argument);
    const CouplingId teeth = world.create_coupling(gear(world, hinge_1, hinge_2, 1.0));
    CHECK(world.island_count() == 1);
    world.destroy_body(wheel_2);
    CHECK_FALSE(world.is_valid(teeth));
    CHECK(world.is_valid(hinge_1));
    CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
}
