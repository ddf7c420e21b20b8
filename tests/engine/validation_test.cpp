// Everything from outside is checked; a refusal is one sentence and loses nothing.
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <string>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Expects std::invalid_argument with one sentence that contains `part`, and the world as it was.
template <class Action>
void refuse(World& world, const std::string& part, Action action) {
    const std::uint64_t hash = world.hash();
    const std::size_t bodies = world.bodies().size();
    const std::size_t joints = world.joints().size();
    CAPTURE(part);
    try {
        action();
        FAIL_CHECK("nothing was refused");
    } catch (const std::invalid_argument& error) {
        const std::string message = error.what();
        CAPTURE(message);
        CHECK(message.find(part) != std::string::npos);
        CHECK(message.back() == '.');
        CHECK(message.find('\n') == std::string::npos);
    }
    CHECK(world.hash() == hash);
    CHECK(world.bodies().size() == bodies);
    CHECK(world.joints().size() == joints);
}

template <class Change>
void refuse_body(World& world, const std::string& part, Change change) {
    refuse(world, part, [&] {
        BodyDesc desc;
        desc.shape = Sphere{0.5};
        desc.mass = 1.0;
        change(desc);
        world.create_body(desc);
    });
}

} // namespace

TEST_CASE("create_body refuses what cannot be a body") {
    World world;
    world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    refuse_body(world, "mass is -1 kg", [](BodyDesc& d) { d.mass = -1.0; });
    refuse_body(world, "mass is 0 kg", [](BodyDesc& d) { d.mass = 0.0; });
    refuse_body(world, "mass is nan", [](BodyDesc& d) { d.mass = kNan; });
    refuse_body(world, "mass is inf kg", [](BodyDesc& d) { d.mass = kInfinity; }); // that is what static bodies are
    refuse_body(world, "radius is -2 m", [](BodyDesc& d) { d.shape = Sphere{-2.0}; });
    refuse_body(world, "half size along y is 0 m", [](BodyDesc& d) { d.shape = Box{{1.0, 0.0, 1.0}}; });
    refuse_body(world, "half length is inf m", [](BodyDesc& d) { d.shape = Capsule{1.0, kInfinity}; });
    refuse_body(world, "radius is 0 m", [](BodyDesc& d) { d.shape = Cylinder{0.0, 1.0}; });
    refuse_body(world, "half length is -1 m", [](BodyDesc& d) { d.shape = ThinRod{-1.0, 0.1}; });
    refuse_body(world, "position is (0, nan, 0)", [](BodyDesc& d) { d.pose.position.y = kNan; });
    refuse_body(world, "orientation", [](BodyDesc& d) { d.pose.orientation = glm::dquat(0.0, 0.0, 0.0, 0.0); });
    refuse_body(world, "orientation", [](BodyDesc& d) { d.pose.orientation.w = kNan; });
    refuse_body(world, "linear velocity is (inf, 0, 0)", [](BodyDesc& d) { d.linear_velocity.x = kInfinity; });
    refuse_body(world, "angular velocity", [](BodyDesc& d) { d.angular_velocity.z = kNan; });
    refuse_body(world, "motion of a body is number 9", [](BodyDesc& d) { d.motion = static_cast<MotionType>(9); });
    refuse_body(world, "static", [](BodyDesc& d) {
        d.motion = MotionType::Static;
        d.linear_velocity.x = 1.0;
    });
    refuse_body(world, "principal moments", [](BodyDesc& d) {
        d.mass.reset();
        d.mass_properties = MassProperties{1.0, glm::dvec3(0.0), {1, 0, 0, 0, 1, 0, 0, 0, 0}};
    });
    refuse_body(world, "principal moments", [](BodyDesc& d) {
        d.mass.reset();
        d.mass_properties = MassProperties{1.0, glm::dvec3(0.0), {1, 2, 0, 2, 1, 0, 0, 0, 1}};
    });
    refuse_body(world, "symmetric", [](BodyDesc& d) {
        d.mass.reset();
        d.mass_properties = MassProperties{1.0, glm::dvec3(0.0), {1, 0.5, 0, 0, 1, 0, 0, 0, 1}};
    });
    refuse_body(world, "mass is -3 kg", [](BodyDesc& d) {
        d.mass.reset();
        d.mass_properties = MassProperties{-3.0};
    });
    refuse_body(world, "no body has such", [](BodyDesc& d) {
        d.mass.reset();
        d.mass_properties = MassProperties{1.0, glm::dvec3(0.0), {1, 0, 0, 0, 1, 0, 0, 0, 5}};
    });
    refuse_body(world, "more than one of a mass, a density and mass properties", [](BodyDesc& d) { d.density = 1.0; });
    refuse_body(world, "was given no mass", [](BodyDesc& d) { d.mass.reset(); });
    refuse_body(world, "no shape to spread it over", [](BodyDesc& d) { d.shape.reset(); });
    refuse_body(world, "density is 0 kg/m^3", [](BodyDesc& d) {
        d.mass.reset();
        d.density = 0.0;
    });
    refuse_body(world, "centre of mass", [](BodyDesc& d) {
        d.mass.reset();
        d.mass_properties = MassProperties{1.0, {kNan, 0.0, 0.0}};
    });
}

TEST_CASE("setters of a body refuse what is not finite") {
    World world;
    const BodyId id = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    Body body = world.body(id);
    const glm::dvec3 bad(0.0, kNan, 0.0);
    refuse(world, "position", [&] { body.set_pose({bad, {1.0, 0.0, 0.0, 0.0}}); });
    refuse(world, "orientation", [&] { body.set_pose({{}, {0.0, 0.0, 0.0, 0.0}}); });
    refuse(world, "linear velocity", [&] { body.set_linear_velocity(bad); });
    refuse(world, "angular velocity", [&] { body.set_angular_velocity(bad); });
    refuse(world, "force", [&] { body.apply_force(bad); });
    refuse(world, "force", [&] { body.apply_force_at(bad, {}); });
    refuse(world, "point", [&] { body.apply_force_at({}, bad); });
    refuse(world, "torque", [&] { body.apply_torque(bad); });
    refuse(world, "impulse", [&] { body.apply_impulse(bad); });
    refuse(world, "point", [&] { body.apply_impulse_at({}, bad); });
    // Finite values whose sum is not.
    body.apply_force({1.7e308, 0.0, 0.0});
    refuse(world, "sum of forces", [&] { body.apply_force({1.7e308, 0.0, 0.0}); });
}

TEST_CASE("static and kinematic bodies refuse what only dynamic ones answer to") {
    World world;
    BodyDesc desc;
    desc.motion = MotionType::Static;
    Body fixed_body = world.body(world.create_body(desc));
    desc.motion = MotionType::Kinematic;
    Body carrier = world.body(world.create_body(desc));
    refuse(world, "static", [&] { fixed_body.set_linear_velocity({1.0, 0.0, 0.0}); });
    refuse(world, "static", [&] { fixed_body.set_angular_velocity({1.0, 0.0, 0.0}); });
    refuse(world, "static", [&] { fixed_body.apply_force({1.0, 0.0, 0.0}); });
    refuse(world, "kinematic", [&] { carrier.apply_impulse({1.0, 0.0, 0.0}); });
    refuse(world, "kinematic", [&] { carrier.apply_torque({1.0, 0.0, 0.0}); });
    carrier.set_linear_velocity({1.0, 0.0, 0.0}); // but it moves
    world.advance(0.5);
    CHECK(carrier.pose().position.x == 0.5);
}

TEST_CASE("create_joint refuses joints to itself, between bodies that never move, and locks that exclude one another") {
    World world;
    const BodyId a = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    BodyDesc desc;
    desc.motion = MotionType::Static;
    const BodyId wall = world.create_body(desc);
    refuse(world, "same body", [&] { world.create_joint(ball(world, a, a, {})); });
    refuse(world, "dynamic", [&] { world.create_joint(ball(world, wall, kGround, {})); });
    refuse(world, "same body", [&] { world.create_joint(ball(world, kGround, kGround, {})); });
    refuse(world, "axis", [&] { hinge(world, kGround, a, {}, {0.0, 0.0, 0.0}); });
    refuse(world, "axis", [&] { hinge(world, kGround, a, {}, {0.0, kNan, 0.0}); });
    refuse(world, "point", [&] { ball(world, kGround, a, {kNan, 0.0, 0.0}); });
    JointDesc joint = ball(world, kGround, a, {});
    joint.point_lock = DistanceLock{-1.0};
    refuse(world, "distance", [&] { world.create_joint(joint); });
    joint.point_lock = CurveLock{};
    refuse(world, "curve that the joint follows is null", [&] { world.create_joint(joint); });
    refuse(world, "curve is null", [&] { point_on_curve(world, kGround, a, {}, nullptr, {}); });
    refuse(world, "perpendicular", [&] { universal(world, kGround, a, {}, {1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}); });
    joint = ball(world, kGround, a, {});
    joint.frame_a.position.x = kInfinity;
    refuse(world, "frame", [&] { world.create_joint(joint); });
}

TEST_CASE("create_joint refuses limits that exclude one another or have no coordinate") {
    World world;
    const BodyId a = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    JointDesc joint = hinge(world, kGround, a, {}, {0.0, 0.0, 1.0});
    joint.limits = {{.axis = JointAxis::X, .lower = -1.0}};
    refuse(world, "no coordinate X", [&] { world.create_joint(joint); });
}

TEST_CASE("stale handles are refused for good, also when their place is taken by another") {
    World world;
    const BodyId id = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    const BodyId other = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    Body view = world.body(id);
    const JointId joint = world.create_joint(ball(world, id, other, {}));
    world.destroy_body(id);
    CHECK_FALSE(world.is_valid(id));
    CHECK_FALSE(world.is_valid(joint)); // it went with its body
    for (int i = 0; i < 10; ++i) {
        const BodyId fresh = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
        CHECK(fresh != id);
        CHECK_FALSE(world.is_valid(id));
        world.destroy_body(fresh);
    }
    refuse(world, "handle", [&] { world.body(id); });
    refuse(world, "handle", [&] { world.pose(id); });
    refuse(world, "handle", [&] { world.destroy_body(id); });
    refuse(world, "handle", [&] { view.apply_force({}); });
    refuse(world, "handle", [&] { world.destroy_joint(joint); });
    refuse(world, "handle", [&] { world.joint_error(joint); });
    refuse(world, "handle", [&] { world.create_joint(ball(world, id, other, {})); });
    refuse(world, "ground", [&] { world.body(kGround); });
    refuse(world, "never set", [&] { world.body({}); });
    refuse(world, "never set", [&] { world.create_joint(ball(world, {}, other, {})); });
    World second;
    const BodyId foreign = second.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    refuse(world, "of another world", [&] { world.body(foreign); });
    refuse(world, "of another world", [&] { world.create_joint(ball(second, kGround, foreign, {})); });
    refuse(world, "handle", [&] { world.remove_force_field({}); });
}

TEST_CASE("settings are refused as a whole") {
    World world;
    const BodyId id = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    world.advance(kFrame);
    const auto refuse_settings = [&](const std::string& part, auto change) {
        WorldSettings settings = world.settings();
        settings.integrator.method = "rk4"; // would be taken over if the rest were good
        change(settings);
        refuse(world, part, [&] { world.set_settings(settings); });
        CHECK(world.settings().integrator.method == "auto");
        CHECK_THROWS_AS(World{settings}, std::invalid_argument);
    };
    refuse_settings("Gravity", [](WorldSettings& s) { s.gravity.x = kNan; });
    refuse_settings("rk5", [](WorldSettings& s) { s.integrator.method = "rk5"; });
    refuse_settings("substeps", [](WorldSettings& s) { s.integrator.substeps = 0; });
    refuse_settings("rtol", [](WorldSettings& s) { s.integrator.rtol = kNan; });
    refuse_settings("budget", [](WorldSettings& s) { s.integrator.budget = -1; });
    refuse_settings("boundary is 9", [](WorldSettings& s) { s.integrator.boundary = static_cast<Boundary>(9); });
    refuse_settings("joint correction is number 7",
                    [](WorldSettings& s) { s.impulse_euler.joint_correction = static_cast<JointCorrection>(7); });
    refuse(world, "force field", [&] { world.add_force_field(nullptr); });
    refuse(world, "finite", [&] { world.sample(id, kNan); });
}
