// Sustained contact: sliding, rolling, sticking, and the transitions between them.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "contact_worlds.h"
#include "substep/numerics/elementary_functions.h"

using namespace engine_tests;

namespace {

IntegratorSettings method(const char* name, double tolerance = 1e-12, int substeps = 1) {
    IntegratorSettings settings;
    settings.method = name;
    settings.atol = settings.rtol = tolerance;
    settings.substeps = substeps;
    return settings;
}

constexpr double kRadius = 0.1;

/// Goes round a horizontal circle, without turning.
class Shaken final : public BodyPath {
public:
    Point at(double t) const noexcept override {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(kRate * t, s, c);
        Point point;
        point.pose.position = kReach * glm::dvec3(c, 0.0, s);
        point.linear_velocity = kRate * kReach * glm::dvec3(-s, 0.0, c);
        point.linear_acceleration = -kRate * kRate * kReach * glm::dvec3(c, 0.0, s);
        return point;
    }
    static constexpr double kRate = 8.0;  // rad/s
    static constexpr double kReach = 0.3; // m
};

} // namespace

TEST_CASE("a sphere thrown without spin rolls at 5/7 of its speed, from the right moment, for the right energy") {
    constexpr double kSpeed = 2.0;
    constexpr double kFriction = 0.3;
    World world(contact_settings(method("dormand_prince54")));
    add_ground(world, {.friction = kFriction});
    BodyDesc desc = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = kFriction});
    desc.linear_velocity = {kSpeed, 0.0, 0.0};
    const BodyId ball = world.create_body(desc);
    const double energy = world.energy().total();
    const double rolls_at = 2.0 * kSpeed / (7.0 * kFriction * kGravity);

    // The moment: the shortest step from the frame's start behind which it rolls.
    const auto last_frame_before = static_cast<int>(rolls_at / kFrame);
    const auto find_moment = [&] {
        const WorldSnapshot snapshot = world.snapshot();
        double slides = 0.0;
        double rolls = kFrame;
        while (rolls - slides > 1e-12) {
            const double dt = 0.5 * (slides + rolls);
            world.advance(dt);
            (world.contacts()[0].mode == ContactMode::Stick ? rolls : slides) = dt;
            world.restore(snapshot);
        }
        return world.time() + rolls;
    };
    for (int frame = 0; frame < 120; ++frame) {
        if (frame == last_frame_before) {
            CHECK(std::abs(find_moment() - rolls_at) <= 1e-9);
        }
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        const double t = world.time();
        const bool rolls = t > rolls_at;
        const double sliding = std::min(t, rolls_at);
        const double x = kSpeed * sliding - 0.5 * kFriction * kGravity * sliding * sliding +
                         5.0 / 7.0 * kSpeed * std::max(0.0, t - rolls_at);
        CHECK(world.contacts()[0].mode == (rolls ? ContactMode::Stick : ContactMode::Slide));
        CHECK(std::abs(world.pose(ball).position.x - x) <= 1e-9);
        CHECK(std::abs(world.pose(ball).position.y - kRadius) <= 1e-12);
        const double v = world.body(ball).linear_velocity().x;
        CHECK(std::abs(v - (rolls ? 5.0 / 7.0 * kSpeed : kSpeed - kFriction * kGravity * t)) <= 1e-9);
    }
    // Slip energy: half of v^2 times the reduced mass 2/7.
    CHECK(std::abs(energy - world.energy().total() - kSpeed * kSpeed / 7.0) <= 1e-9);
}

TEST_CASE("on an incline a sphere rolls while tan a < 7/2 mu, and slips above") {
    for (const char* name : {"dormand_prince54", "dormand_prince853", "rk4", "heun2", "cash_karp54"}) {
        for (const double tilt : {0.2, 0.5, 0.9, 1.2}) {
            for (const double mu : {0.1, 0.3, 0.6}) {
                CAPTURE(name);
                CAPTURE(tilt);
                CAPTURE(mu);
                World world(contact_settings(method(name)));
                add_ground(world, {.friction = mu}, -tilt);
                const glm::dvec3 normal(std::sin(tilt), std::cos(tilt), 0.0);
                const glm::dvec3 downhill(std::cos(tilt), -std::sin(tilt), 0.0);
                const BodyId ball = add_sphere(world, kRadius * normal, kRadius, {.friction = mu});
                for (int frame = 0; frame < 60; ++frame) {
                    REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
                }
                const bool rolls = std::tan(tilt) < 3.5 * mu;
                const double a =
                    rolls ? 5.0 / 7.0 * kGravity * std::sin(tilt) : kGravity * (std::sin(tilt) - mu * std::cos(tilt));
                CHECK(world.contacts()[0].mode == (rolls ? ContactMode::Stick : ContactMode::Slide));
                // Constant acceleration is exact for every method; sums of round-off remain.
                CHECK(std::abs(glm::dot(world.pose(ball).position, downhill) - 0.5 * a) <= 1e-11);
            }
        }
    }
}

TEST_CASE("with rotation locked a sphere sticks just below tan a = mu and slides just above") {
    for (const double beside : {-1e-6, 1e-6}) {
        constexpr double kFriction = 0.4;
        const double tilt = std::atan(kFriction) + beside;
        World world(contact_settings(method("dormand_prince54")));
        add_ground(world, {.friction = kFriction}, -tilt);
        BodyDesc desc =
            sphere(kRadius * glm::dvec3(std::sin(tilt), std::cos(tilt), 0.0), kRadius, {.friction = kFriction});
        desc.locks_rotation = true;
        const BodyId block = world.create_body(desc);
        const glm::dvec3 start = world.pose(block).position;
        for (int frame = 0; frame < 600; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        const double moved = glm::length(world.pose(block).position - start);
        const double expected =
            beside < 0.0 ? 0.0 : 0.5 * kGravity * (std::sin(tilt) - kFriction * std::cos(tilt)) * 100.0;
        CHECK(std::abs(moved - expected) <= 1e-9);
        CHECK(world.body(block).angular_velocity() == glm::dvec3(0.0));
    }
}

TEST_CASE("a sphere between two planes that form a groove comes to rest on both") {
    for (const double e : {0.0, 0.4}) {
        World world(contact_settings(method("dormand_prince853", 1e-9)));
        add_ground(world, {.friction = 0.5}, 0.7);
        add_ground(world, {.friction = 0.5}, -0.6);
        const BodyId ball = add_sphere(world, {0.05, 0.5, 0.0}, kRadius, {.friction = 0.5, .restitution = e});
        for (int frame = 0; frame < 600; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        const glm::dvec3 rest = world.pose(ball).position;
        for (int frame = 0; frame < 3600; ++frame) {
            world.advance(kFrame);
        }
        CHECK(glm::length(world.pose(ball).position - rest) <= 1e-9);
        REQUIRE(world.contacts().size() == 2);
        glm::dvec3 force(0.0);
        for (const Contact& contact : world.contacts()) {
            CHECK(contact.mode != ContactMode::Separate); // how the load is shared is not unique, and neither are modes
            CHECK(std::abs(contact.gap) <= 1e-12);
            force += contact.force;
        }
        CHECK(glm::length(force - glm::dvec3(0.0, kGravity, 0.0)) <= 1e-9);
    }
}

namespace {

// A wind along x, linear in the speed: with it neither the slide nor the roll is a polynomial in time.
class Wind final : public ForceField {
public:
    static constexpr double kDrag = 0.5; // kg/s
    Wrench at(double, const BodyMotion& body) const noexcept override {
        return {glm::dvec3(-kDrag * body.velocity.x, 0.0, 0.0), glm::dvec3(0.0)};
    }
};

// How far a sphere thrown at 2 m/s into the wind is from the closed form after a second of sliding, then rolling.
double error_through_transition(const IntegratorSettings& settings) {
    constexpr double kFriction = 0.3;
    constexpr double kSpeed = 2.0;
    World world(contact_settings(settings));
    add_ground(world, {.friction = kFriction});
    world.add_force_field(std::make_unique<Wind>());
    BodyDesc desc = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = kFriction});
    desc.linear_velocity = {kSpeed, 0.0, 0.0};
    const BodyId ball = world.create_body(desc);
    for (int frame = 0; frame < 60; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }

    // Sliding v' = -mu g - c v, omega' r = 5/2 mu g; rolling 7/5 v' = -c v (1 kg).
    const double c = Wind::kDrag;
    const double braking = kFriction * kGravity;
    const auto v = [&](double t) { return (kSpeed + braking / c) * std::exp(-c * t) - braking / c; };
    double before = 0.0;
    double after = 1.0;
    for (int halving = 0; halving < 100; ++halving) {
        const double t = 0.5 * (before + after);
        (v(t) > 2.5 * braking * t ? before : after) = t;
    }
    const double slid = (kSpeed + braking / c) / c * (1.0 - std::exp(-c * before)) - braking / c * before;
    const double rate = c * 5.0 / 7.0;
    const double rolled = v(before) / rate * (1.0 - std::exp(-rate * (1.0 - before)));
    return std::abs(world.pose(ball).position.x - slid - rolled);
}

} // namespace

TEST_CASE(
    "through the transition from sliding to rolling rk4 keeps order four and heun2 two; impulse_euler is first order") {
    struct Case {
        const char* name;
        double order;
    };
    for (const Case& c : {Case{"rk4", 4.0}, Case{"heun2", 2.0}, Case{"impulse_euler", 1.0}}) {
        CAPTURE(c.name);
        const double coarse = error_through_transition(method(c.name, 1e-10, 1));
        const double fine = error_through_transition(method(c.name, 1e-10, 4));
        // Two halvings; rk4's error of 1.9e-13 then is still well above round-off.
        CHECK(std::abs(0.5 * std::log2(coarse / fine) - c.order) <= 0.2);
    }
}

TEST_CASE(
    "every method brings a sphere that bounces to rest on the ground, and says first order where it steps velocities") {
    for (const IntegrationMethod* each : method_catalogue()) {
        const MethodInfo& info = each->info();
        CAPTURE(info.name);
        for (const double rate : {30.0, 60.0, 120.0}) {
            World world(contact_settings(method(std::string(info.name).c_str(), 1e-8, 4)));
            add_ground(world, {.friction = 0.5});
            const BodyId ball = add_sphere(world, {0.0, 1.0, 0.0}, kRadius, {.friction = 0.5, .restitution = 0.5});
            StepReport report;
            for (int frame = 0; frame < static_cast<int>(5.0 * rate); ++frame) {
                report = world.advance(1.0 / rate);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                CHECK(world.pose(ball).position.y - kRadius >= -1e-9);
            }
            CHECK(std::abs(world.pose(ball).position.y - kRadius) <= 1e-9);
            CHECK(glm::length(world.body(ball).linear_velocity()) <= 1e-9);
            const bool holds_modes = info.needs == MethodNeeds::Derivative;
            CHECK(report.order == (holds_modes ? info.order : 1));
            CHECK(report.message.empty() == (holds_modes || info.needs == MethodNeeds::VelocityStep));
        }
    }
}

TEST_CASE(
    "more contacts than modes can hold are handed over to velocity steps, and taken back when they are few and calm") {
    WorldSettings settings = contact_settings(method("dormand_prince54", 1e-8));
    settings.gravity += glm::dvec3(-1.0, 0.0, -1.0);
    World world(settings);
    add_trench(world, 0.4, {.friction = 0.0});
    std::vector<BodyId> balls;
    const auto place = [](std::size_t i) {
        return glm::dvec3(0.2 * static_cast<double>(i % 4) - 0.3, kRadius, 0.2 * static_cast<double>(i / 4) - 0.3);
    };
    // A square of 16 that leans into a corner: 24 contacts among them, 16 with the ground, and those with the walls.
    for (std::size_t i = 0; i < 16; ++i) {
        balls.push_back(add_sphere(world, place(i), kRadius, {.friction = 0.0}));
    }
    StepReport report;
    for (int frame = 0; frame < 60; ++frame) {
        report = world.advance(kFrame);
        CHECK(report.status == StepStatus::ReachedTarget);
    }
    CHECK(report.order == 1);
    CHECK(report.velocity_steps.contacts >= 16);
    CHECK(report.velocity_steps.deepest_penetration <= 1e-5); // as far as convex steps let weight sink
    CHECK(!report.message.empty());
    for (std::size_t i = 3; i < balls.size(); ++i) {
        world.destroy_body(balls[i]);
    }
    for (int frame = 0; frame < 10; ++frame) {
        report = world.advance(kFrame);
    }
    CHECK(report.order == 5);
    CHECK(report.message.empty());
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(glm::length(world.pose(balls[i]).position - place(i)) <= 1e-4);
    }
}

TEST_CASE("contacts that touch idly are no matter of how many there are") {
    World world(contact_settings(method("dormand_prince54", 1e-8)));
    add_ground(world, {.friction = 0.5});
    std::vector<BodyId> balls;
    // A square of 36, each touching its neighbours: 60 contacts among them that nothing presses.
    for (int i = 0; i < 36; ++i) {
        balls.push_back(add_sphere(world, {0.2 * (i % 6), kRadius, 0.2 * (i / 6)}, kRadius, {.friction = 0.5}));
    }
    const auto advance = [&](int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            const StepReport report = world.advance(kFrame);
            CHECK(report.status == StepStatus::ReachedTarget);
            CHECK(report.velocity_steps.contacts == 0);
            CHECK(report.message.empty());
        }
    };
    advance(60);
    for (std::size_t i = 0; i < balls.size(); ++i) {
        CHECK(glm::length(world.body(balls[i]).linear_velocity()) <= 1e-12);
    }
    // A ball pushed off rolls away, and its neighbours stay.
    world.body(balls.back()).set_linear_velocity({0.0, 0.0, 0.1});
    advance(60);
    CHECK(world.body(balls.back()).linear_velocity().z > 0.0);
    for (std::size_t i = 0; i + 1 < balls.size(); ++i) {
        CHECK(glm::length(world.body(balls[i]).linear_velocity()) <= 1e-9);
    }
}

TEST_CASE("a snapshot in mid-bounce, mid-slide, rolling or handed over continues with the same bits") {
    for (const char* name : {"dormand_prince54", "dormand_prince853", "rk4", "impulse_euler", "velocity_verlet"}) {
        CAPTURE(name);
        const auto build = [&](World& world) {
            add_ground(world, {.friction = 0.2});
            add_ground(world, {.friction = 0.2}, 0.8);
            for (int i = 0; i < 5; ++i) {
                BodyDesc desc =
                    sphere({-0.5 + 0.5 * i, 0.8 + 0.2 * i, 0.0}, kRadius, {.friction = 0.2, .restitution = 0.6});
                desc.linear_velocity = {-1.0 - i, 0.0, 0.1 * i};
                world.create_body(desc);
            }
        };
        World world(contact_settings(method(name, 1e-8, 2)));
        build(world);
        int modes = 0;
        for (int frame = 0; frame < 240; ++frame) {
            if (frame % 7 == 0) {
                World other(contact_settings(method(name, 1e-8, 2)));
                build(other);
                const WorldSnapshot saved = world.snapshot();
                other.restore(saved);
                REQUIRE(other.hash() == world.hash());
                World straight = std::move(world);
                for (int more = 0; more < 9; ++more) {
                    straight.advance(kFrame);
                    other.advance(kFrame);
                    REQUIRE(other.hash() == straight.hash());
                }
                straight.restore(saved); // and rolls back
                world = std::move(straight);
            }
            world.advance(kFrame);
            for (const Contact& contact : world.contacts()) {
                modes |= 1 << static_cast<int>(contact.mode);
            }
        }
        CHECK(modes == 7); // it has been in all of them
    }
}

TEST_CASE("contacts restored into a world with other handles go on with the same bits") {
    // Slides, rolls, spheres on spheres, and enough of them to be handed over.
    const auto build = [](World& world, bool other_handles) {
        std::vector<BodyId> holes;
        for (int i = 0; other_handles && i < 8; ++i) {
            holes.push_back(add_sphere(world, {0.0, 100.0, 0.0}, kRadius, {}));
        }
        for (const BodyId hole : holes) {
            world.destroy_body(hole); // the last index given back is the first to be given out
        }
        add_ground(world, {.friction = 0.3});
        for (int i = 0; i < 11; ++i) {
            const int layer = i / 4;
            BodyDesc desc = sphere({-0.5 + 0.21 * (i % 4), kRadius + 0.19 * layer, 0.01 * i}, kRadius,
                                   {.friction = 0.3, .restitution = 0.3});
            desc.linear_velocity = {1.0 - 0.3 * (i % 4), 0.0, 0.2};
            world.create_body(desc);
        }
    };
    for (const char* name : {"dormand_prince54", "impulse_euler"}) {
        CAPTURE(name);
        World world(contact_settings(method(name, 1e-8, 2)));
        build(world, false);
        bool sticks = false;
        bool handed_over = false;
        for (int frame = 0; frame < 60; ++frame) {
            World other(contact_settings(method(name, 1e-8, 2)));
            build(other, true);
            REQUIRE(other.bodies()[0].index > other.bodies()[1].index);
            const WorldSnapshot saved = world.snapshot();
            other.restore({saved.bytes, nullptr});
            REQUIRE(other.hash() == world.hash());
            handed_over |= world.advance(kFrame).order == 1;
            other.advance(kFrame);
            REQUIRE(other.hash() == world.hash());
            REQUIRE(other.contacts().size() == world.contacts().size());
            for (const Contact& contact : world.contacts()) {
                sticks |= contact.mode == ContactMode::Stick;
            }
        }
        CHECK(sticks);
        CHECK(handed_over);
    }
}

TEST_CASE("contacts that velocity steps once handled leave nothing behind that a snapshot does not hold") {
    const Material elastic{.friction = 0.0, .restitution = 1.0};
    WorldSettings settings = contact_settings(fixed("impulse_euler", 4));
    World world(settings);
    add_ground(world, elastic);
    const BodyId ball = add_sphere(world, {0.0, 0.5, 0.0}, 0.5, elastic);
    world.advance(kFrame);

    // Away from the ground, under a method that holds modes.
    world.body(ball).set_pose({{0.0, 100.0, 0.0}, {1.0, 0.0, 0.0, 0.0}});
    world.advance(kFrame);
    settings.integrator = fixed("rk4", 1);
    world.set_settings(settings);
    world.advance(kFrame);

    const WorldSnapshot apart = world.snapshot();
    const auto touch = [&] {
        world.body(ball).set_pose({{0.0, 0.5, 0.0}, {1.0, 0.0, 0.0, 0.0}});
        world.body(ball).set_linear_velocity({0.0, -1.0, 0.0});
        world.advance(kFrame);
        return world.hash();
    };
    const std::uint64_t first = touch();
    CHECK(world.body(ball).linear_velocity().y > 0.5); // it rebounds at 1 m/s, and gravity takes 0.16 of it in a step
    world.restore(apart);
    CHECK(touch() == first);
}

TEST_CASE("a snapshot from before any contact allows running ahead again, though contacts forbade it since") {
    IntegratorSettings integrator = method("dormand_prince853", 1e-6);
    integrator.boundary = Boundary::RunAhead;
    World world(contact_settings(integrator));
    add_ground(world, {});
    BodyDesc ball = sphere({0.0, 2.0, 0.0}, 0.5, {});
    ball.angular_velocity = {1.0, 2.0, 3.0};
    ball.mass.reset();
    ball.mass_properties = MassProperties{1.0, {0.1, 0.0, 0.0}, glm::dmat3(0.1)};
    world.create_body(ball);

    const WorldSnapshot before = world.snapshot();
    std::vector<std::uint64_t> hashes;
    for (int frame = 0; frame < 60; ++frame) { // it falls 1.5 m in 33
        world.advance(kFrame);
        hashes.push_back(world.hash());
    }
    world.restore(before);
    for (const std::uint64_t hash : hashes) {
        world.advance(kFrame);
        CHECK(world.hash() == hash);
    }
}

TEST_CASE("the slip over a body on a path is told as it is, not as if the path stood still") {
    World world(contact_settings(method("dormand_prince853", 1e-10)));
    BodyDesc plate;
    plate.motion = MotionType::Kinematic;
    const auto path = std::make_shared<Shaken>();
    plate.path = path;
    plate.pose = path->at(0.0).pose;
    plate.shape = Plane{};
    plate.material = {.friction = 0.2};
    world.create_body(plate);
    const BodyId ball = add_sphere(world, {0.0, kRadius, 0.0}, kRadius, {.friction = 0.2});
    for (int frame = 0; frame < 60; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(world.contacts().size() == 1);
        const Contact& contact = world.contacts()[0];
        const glm::dvec3 rim = glm::cross(world.body(ball).angular_velocity(), glm::dvec3(0.0, -kRadius, 0.0));
        const glm::dvec3 slip = world.body(ball).linear_velocity() + rim - path->at(world.time()).linear_velocity;
        CHECK(glm::length(contact.slip - (contact.body_a == ball ? slip : -slip)) <= 1e-12);
        CHECK(glm::length(slip) > 0.1);
    }
}

TEST_CASE("what touches and is not pressed lets go when it is pulled, whatever the pull grows from") {
    // A weight falls past a carriage that it touches, held by a spring at rest: it must go as if it could not touch.
    const auto past_carriage = [](const IntegratorSettings& integrator, bool collides) {
        World world(contact_settings(integrator));
        BodyDesc carriage = sphere({0.0, 0.0, 0.0}, 0.5, {});
        carriage.motion = MotionType::Kinematic;
        carriage.linear_velocity = {2.0, 0.5, 0.0};
        carriage.collides = collides;
        BodyDesc weight = sphere({1.0, 0.0, 0.0}, 0.5, {.friction = 0.5});
        weight.linear_velocity = carriage.linear_velocity;
        const BodyId a = world.create_body(carriage);
        const BodyId b = world.create_body(weight);
        world.add_force_field(
            std::make_unique<Spring>(SpringDesc{.body_a = a, .body_b = b, .stiffness = 40.0, .rest_length = 1.0}));
        for (int frame = 0; frame < 40; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            REQUIRE(glm::distance(world.pose(a).position, world.pose(b).position) > 1.0 - 1e-12);
        }
        return world.pose(b).position;
    };
    // Nothing but a pull that grows with the square of time lifts a ball, or a slider, from where it only touches.
    const auto lift = [](double t) { return Wrench{{0.0, 24.0 * t * t, 0.0}, {}}; };
    const auto lifted = [&](const IntegratorSettings& integrator, bool by_limit) {
        WorldSettings settings;
        settings.gravity = glm::dvec3(0.0);
        settings.integrator = integrator;
        World world(settings);
        BodyDesc desc = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = 0.3});
        desc.mass.reset();
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.01)};
        desc.collides = !by_limit;
        const BodyId ball = world.create_body(desc);
        if (by_limit) {
            JointDesc joint = slider(world, kGround, ball, desc.pose.position, {0.0, 1.0, 0.0});
            joint.limits = {{.axis = JointAxis::Z, .lower = 0.0}};
            world.create_joint(joint);
        } else {
            add_ground(world, {.friction = 0.3});
        }
        world.add_force_field(std::make_unique<CustomField>([&](double t, const BodyMotion&) { return lift(t); }));
        for (int frame = 0; frame < 30; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        return world.pose(ball).position.y - kRadius - 2.0 * std::pow(world.time(), 4);
    };
    for (const IntegratorSettings& integrator :
         {method("dormand_prince853", 1e-12), method("cash_karp54", 1e-10), method("verner87", 1e-9), method("rk4")}) {
        CAPTURE(integrator.method);
        // Before it goes it may slip by less than counts as slip at that tolerance, and that is taken for none.
        const double slip = integrator.method == "rk4" ? 1e-6 : std::sqrt(0.2 * 0.5 * kGravity * integrator.rtol);
        CHECK(glm::distance(past_carriage(integrator, true), past_carriage(integrator, false)) <= slip * 40 * kFrame);
        for (const bool by_limit : {false, true}) {
            CAPTURE(by_limit);
            CHECK(std::abs(lifted(integrator, by_limit)) <= 1e-8);
        }
    }
}
