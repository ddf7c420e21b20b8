// Names and user data, what a world takes where it is told nothing, and ropes that hold.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

TEST_CASE("names and user data stay with bodies, joints, couplings and fields, also across a restore") {
    World world;
    const BodyId wheel = world.create_body({.name = "wheel", .user_data = 7, .shape = Sphere{0.2}, .mass = 1.0});
    const BodyId other =
        world.create_body({.name = "other", .pose = {.position = {1.0, 0.0, 0.0}}, .shape = Sphere{0.2}, .mass = 1.0});
    JointDesc axle = hinge(world, kGround, wheel, {}, {0.0, 0.0, 1.0});
    axle.name = "axle";
    axle.user_data = 8;
    const JointId joint = world.create_joint(axle);
    const JointId second = world.create_joint(hinge(world, kGround, other, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    CouplingDesc teeth = gear(world, joint, second, 2.0);
    teeth.name = "teeth";
    const CouplingId coupling = world.create_coupling(teeth);
    const ForceFieldId field =
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1}), {.name = "oil", .user_data = 9});
    const WorldSnapshot before = world.snapshot();
    const std::uint64_t hash = world.hash();

    world.body(wheel).set_name("flywheel");
    world.body(wheel).set_user_data(70);
    world.set_field_tag(field, {.name = "grease"});
    CHECK(world.hash() == hash); // they are no part of the motion
    CHECK(world.body(wheel).name() == "flywheel");
    CHECK(world.field_tag(field).name == "grease");
    world.set_force_field(field, std::make_unique<Drag>(DragDesc{.linear = 0.2}));
    CHECK(world.field_tag(field).name == "grease");
    world.destroy_coupling(coupling);

    world.restore(before);
    CHECK(world.body(wheel).name() == "wheel");
    CHECK(world.body(wheel).user_data() == 7);
    CHECK(world.joint(joint).name == "axle");
    CHECK(world.joint(joint).user_data == 8);
    CHECK(world.coupling(coupling).name == "teeth");
    CHECK(world.field_tag(field).name == "oil");
    CHECK(world.field_tag(field).user_data == 9);
    const World copy = world.clone();
    CHECK(copy.body(wheel).name() == "wheel");
    CHECK(copy.coupling(coupling).ratio == 2.0);
}

TEST_CASE("joints and couplings are listed apart, each in order of creation") {
    World world;
    const BodyId a = world.create_body({.shape = Sphere{0.2}, .mass = 1.0});
    const BodyId b = world.create_body({.pose = {.position = {1.0, 0.0, 0.0}}, .shape = Sphere{0.2}, .mass = 1.0});
    const JointId first = world.create_joint(hinge(world, kGround, a, {}, {0.0, 0.0, 1.0}));
    const JointId second = world.create_joint(hinge(world, kGround, b, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    const CouplingId teeth = world.create_coupling(gear(world, first, second, 2.0));
    const JointId third = world.create_joint(gauge(world, a, b, {}, {1.0, 0.0, 0.0}));
    CHECK(std::ranges::equal(world.joints(), std::vector{first, second, third}));
    CHECK(std::ranges::equal(world.couplings(), std::vector{teeth}));
    CHECK_FALSE(world.is_valid(JointId{teeth.index, teeth.generation, teeth.world}));
    CHECK_FALSE(world.is_valid(CouplingId{first.index, first.generation, first.world}));
    world.destroy_joint(first);
    CHECK(world.couplings().empty());
    CHECK(std::ranges::equal(world.joints(), std::vector{second, third}));
}

TEST_CASE("the contacts of one body are those of the world that name it") {
    World world;
    const BodyId floor = world.create_body({.motion = MotionType::Static, .shape = Plane{}});
    std::vector<BodyId> balls;
    for (int i = 0; i < 3; ++i) {
        balls.push_back(
            world.create_body({.pose = {.position = {1.0 * i, 0.1, 0.0}}, .shape = Sphere{0.1}, .mass = 1.0}));
    }
    world.advance(kFrame);
    REQUIRE(world.contacts().size() == 3);
    CHECK(world.contacts(floor).size() == 3);
    for (const BodyId ball : balls) {
        REQUIRE(world.contacts(ball).size() == 1);
        CHECK(world.contacts(ball)[0].body_a == ball);
        CHECK(world.contacts(ball)[0].force.y == doctest::Approx(9.8).epsilon(1e-9));
    }
    CHECK_THROWS_AS(world.contacts(BodyId{}), std::invalid_argument);
}

TEST_CASE("a rope holds what falls, and gives way inwards") {
    for (const char* method : {"cash_karp54", "rk4", "impulse_euler", "auto"}) {
        CAPTURE(std::string(method));
        World world({.integrator = {.method = method}});
        const BodyId bob = world.create_body({.shape = Sphere{0.1}, .mass = 1.0});
        const JointId line = world.create_joint(rope(world, kGround, bob, {0.0, 2.0, 0.0}, {}));
        for (int frame = 0; frame < 60; ++frame) {
            world.advance(kFrame);
        }
        CHECK(std::abs(world.pose(bob).position.y) < 1e-3); // without it: 4.9 m down
        world.body(bob).apply_impulse({0.0, 3.0, 0.0});     // slack for 0.6 s
        for (int frame = 0; frame < 15; ++frame) {
            world.advance(kFrame);
        }
        CHECK(world.joint_value(line, JointAxis::Distance) < 1.6);
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
        }
        CHECK(world.joint_value(line, JointAxis::Distance) < 2.0 + 1e-3);
    }
}

TEST_CASE("a world that is told no method chooses, whatever else it is told; a body's own settings follow the world") {
    CHECK(World().settings().integrator.method == "auto");
    World world({.integrator = {.atol = 1e-9, .rtol = 1e-9}});
    CHECK(world.settings().integrator.method == "auto");
    CHECK(IntegratorService().settings().method == kDefaultMethod);
    CHECK(BodyIntegrator({.atol = 1e-6}).settings().method == kDefaultMethod);
    BodyDesc desc{.shape = Sphere{0.2}, .mass = 1.0};
    desc.integrator = IntegratorSettings{.atol = 1e-11};
    world.create_body(desc);
    world.advance(kFrame);
    CHECK_FALSE(world.islands()[0].report.reason.empty()); // that `auto` chose
    WorldSettings settings = world.settings();
    settings.integrator.method = "rk4";
    world.set_settings(settings);
    world.advance(kFrame);
    CHECK(world.islands()[0].settings->method == "rk4");
    CHECK(world.islands()[0].settings->atol == 1e-11);
    CHECK(find_method("auto")->name == "auto");
    CHECK(find_method("rk4")->stages == 4);
    CHECK(find_method("") == nullptr);
}

TEST_CASE("a density gives the mass of the solid") {
    World world;
    const auto mass_of = [&](const Shape& shape) {
        const BodyId id = world.create_body({.shape = shape, .density = 2.0, .collides = false});
        return world.body(id).mass_properties().mass;
    };
    constexpr double kPi = std::numbers::pi;
    CHECK(mass_of(Sphere{0.5}) == doctest::Approx(2.0 * 4.0 / 3.0 * kPi * 0.125));
    CHECK(mass_of(Box{{0.5, 1.0, 2.0}}) == doctest::Approx(2.0 * 8.0));
    CHECK(mass_of(Cylinder{0.5, 1.0}) == doctest::Approx(2.0 * kPi * 0.25 * 2.0));
    CHECK(mass_of(Capsule{0.5, 1.0}) == doctest::Approx(2.0 * kPi * (0.25 * 2.0 + 4.0 / 3.0 * 0.125)));
    CHECK(mass_of(ThinRod{1.0, 0.1}) == doctest::Approx(2.0 * kPi * 0.01 * 2.0));
}

TEST_CASE("an exception of a callback ends the step at the last good state, and the next step goes on") {
    for (const char* method : {"cash_karp54", "rk4", "symplectic_euler", "impulse_euler", "theta"}) {
        CAPTURE(std::string(method));
        for (const int threads : {1, 4}) {
            World world({.integrator = {.method = method}, .threads = threads});
            bool throws = false;
            const auto wind = [&throws](double, const BodyMotion& body) {
                if (throws && body.position.x > 0.5) {
                    throw std::runtime_error("no wind here");
                }
                return Wrench{{0.1, 0.0, 0.0}, {}};
            };
            const BodyId left = world.create_body({.shape = Sphere{0.1}, .mass = 1.0});
            const BodyId right =
                world.create_body({.pose = {.position = {2.0, 0.0, 0.0}}, .shape = Sphere{0.1}, .mass = 1.0});
            world.add_force_field(std::make_unique<CustomField>(wind));
            world.advance(kFrame);
            const glm::dvec3 here = world.pose(right).position;
            throws = true;
            const StepReport report = world.advance(kFrame);
            CHECK(report.status == StepStatus::ModelThrew);
            CHECK(report.message == "The model threw: no wind here");
            CHECK(world.pose(right).position == here);
            CHECK(world.pose(left).position.x > 0.0); // the other island has moved
            throws = false;
            CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
            CHECK(world.pose(right).position != here);
            CHECK(std::isfinite(world.pose(right).position.y));
        }
    }
}

TEST_CASE("a magnetic field or frame that throws where methods turn velocities by it ends the step") {
    for (const auto& [method, is_frame] :
         {std::pair("theta", false), std::pair("velocity_verlet", false), std::pair("impulse_euler", false),
          std::pair("theta", true), std::pair("velocity_verlet", true), std::pair("rk4", true)}) {
        CAPTURE(std::string(method));
        CAPTURE(is_frame);
        World world({.integrator = {.method = method}, .energy_ledger = is_frame});
        world.create_body({.shape = Sphere{0.1}, .mass = 1.0});
        const auto no_map = []() -> glm::dvec3 { throw std::runtime_error("no map of this place"); };
        if (is_frame) {
            world.add_force_field(std::make_unique<RotatingFrame>(RotatingFrameDesc{.rotation = [=](double) {
                return FrameRotation{no_map(), {}};
            }}));
        } else {
            world.add_force_field(std::make_unique<Lorentz>(
                LorentzDesc{.magnetic_field_at = [=](double, const glm::dvec3&) { return no_map(); }}));
        }
        const StepReport report = world.advance(kFrame);
        CHECK(report.status == StepStatus::ModelThrew);
        CHECK(report.message == "The model threw: no map of this place");
    }
}
