// Bodies that follow a path, joints to them, and hubs of many joints.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>

#include "joint_cases.h"
#include "joints/joint_elimination.h"
#include "joints/joint_solver.h"

using namespace engine_tests;

namespace {

constexpr glm::dvec3 kZ{0.0, 0.0, 1.0};

/// y = a cos(w t), with the body turned by a fixed angle.
class Shaken final : public BodyPath {
public:
    Shaken(double amplitude, double rate) : a_(amplitude), w_(rate) {}
    Point at(double t) const noexcept override {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(w_ * t, s, c);
        Point point;
        point.pose.position = {0.0, a_ * c, 0.0};
        point.linear_velocity = {0.0, -a_ * w_ * s, 0.0};
        point.linear_acceleration = {0.0, -a_ * w_ * w_ * c, 0.0};
        return point;
    }

private:
    double a_, w_;
};

/// Turns about z by 0.3 sin(2 t) + t, and carries its origin on a circle.
class Crank final : public BodyPath {
public:
    Point at(double t) const noexcept override {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(2.0 * t, s, c);
        const double angle = 0.3 * s + t;
        const double rate = 0.6 * c + 1.0;
        const double change = -1.2 * s;
        double sine = 0.0;
        double cosine = 0.0;
        sine_cosine(0.5 * angle, sine, cosine);
        Point point;
        point.pose.orientation = glm::dquat(cosine, 0.0, 0.0, sine);
        const glm::dvec3 arm = point.pose.orientation * glm::dvec3(0.2, 0.0, 0.0);
        point.pose.position = arm;
        point.angular_velocity = rate * kZ;
        point.angular_acceleration = change * kZ;
        point.linear_velocity = rate * glm::cross(kZ, arm);
        point.linear_acceleration = change * glm::cross(kZ, arm) - rate * rate * arm;
        return point;
    }
};

BodyId add_body(World& world, const glm::dvec3& centre, double mass = 1.0) {
    BodyDesc desc;
    desc.collides = false;
    desc.pose.position = centre;
    desc.mass_properties = MassProperties{mass, glm::dvec3(0.0), {0.05, 0.0, 0.0, 0.0, 0.07, 0.0, 0.0, 0.0, 0.1}};
    return world.create_body(desc);
}

BodyId add_path(World& world, std::shared_ptr<const BodyPath> path) {
    BodyDesc desc;
    desc.collides = false;
    desc.motion = MotionType::Kinematic;
    desc.mass_properties = MassProperties{1.0, {0.1, -0.05, 0.02}, glm::dmat3(0.1)}; // its centre is off the origin
    desc.path = std::move(path);
    return world.create_body(desc);
}

// n equal substeps in a frame, for every method.
IntegratorSettings with_substeps(const MethodInfo& method, int n, double dt) {
    IntegratorSettings settings = fixed(std::string(method.name), n);
    if (method.adaptive) { // a tolerance that accepts all
        settings.atol = settings.rtol = 1e3;
        settings.h_max = settings.h_initial = dt / n * (1.0 + 1e-9); // not below: ceil would add a substep
    }
    return settings;
}

// Where a link and a pendulum on its end are after half a second on a driven crank.
glm::dvec3 driven(const IntegratorSettings& settings, double dt) {
    World world({.integrator = settings});
    const BodyId crank = add_path(world, std::make_shared<Crank>());
    const BodyId link = add_body(world, {0.9, 0.0, 0.0});
    const BodyId last = add_body(world, {1.4, -0.5, 0.1});
    world.create_joint(hinge(world, crank, link, {0.5, 0.0, 0.0}, kZ));
    world.create_joint(ball(world, link, last, {1.4, 0.0, 0.0}));
    for (int step = 0; step < std::lround(0.5 / dt); ++step) {
        CHECK(world.advance(dt).status == StepStatus::ReachedTarget);
    }
    CHECK(worst_joint_error(world) < (settings.method == "impulse_euler" ? 1e-9 : 1e-12));
    return world.pose(last).position;
}

// One body in the middle with d arms of n links on balls around it, the middle one held where `held` says so.
struct Star {
    World world;
    BodyId hub;
    std::vector<BodyId> ends;

    Star(int d, int n, bool held, const char* method = "dormand_prince853", int last_extra = 0)
        : world({.integrator = fixed(method, 2)}) {
        hub = add_body(world, {0.0, 0.0, 0.0}, 3.0);
        for (int k = 0; k < d; ++k) {
            const double angle = 6.283185307179586 * k / d;
            const glm::dvec3 along(std::cos(angle), std::sin(angle), 0.2);
            BodyId before = hub;
            for (int i = 0; i < n; ++i) {
                const BodyId body = add_body(world, (0.6 + 0.4 * i) * along);
                const glm::dvec3 point = (0.4 + 0.4 * i) * along;
                world.create_joint(k % 2 == 0 ? ball(world, before, body, point)
                                              : hinge(world, before, body, point, kZ));
                before = body;
            }
            ends.push_back(before);
        }
        if (held) {
            world.create_joint(ball(world, kGround, hub, {0.0, 0.1, 0.0}));
        }
        for (int k = 0; k < last_extra; ++k) { // arms held twice: loops through the hub
            world.create_joint(ball(world, kGround, ends[static_cast<std::size_t>(k)],
                                    world.pose(ends[static_cast<std::size_t>(k)]).position));
        }
    }
};

} // namespace

TEST_CASE("every method keeps its order on a driven crank") {
    const glm::dvec3 reference = driven(fixed("dormand_prince853", 32), kFrame);
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        const double dt = info.order >= 8 ? 0.125 : info.order >= 5 ? 0.0625 : kFrame;
        const int n = info.order <= 2 ? 8 : 1;
        const auto error = [&](int substeps) {
            return glm::length(driven(with_substeps(info, substeps, dt), dt) - reference);
        };
        const double coarse = error(n);
        const double fine = error(2 * n);
        const double finest = error(4 * n);
        CAPTURE(coarse);
        CAPTURE(fine);
        CAPTURE(finest);
        const double order = std::max(std::log2(coarse / fine), std::log2(fine / finest));
        CHECK((order > info.order - 0.75 || finest < 1e-13));
    }
}

TEST_CASE("Kapitza's pendulum stands on its head: the angle follows its equation to 1e-10") {
    // theta from upright: (I + m l^2) theta'' = m l (g + y'') sin theta, y = a cos w t (a w)^2 > 2 g l_eff: stable.
    constexpr double a = 0.05, w = 150.0, l = 0.3, moment = 0.1;
    IntegratorSettings settings = fixed("dormand_prince853", 1);
    settings.atol = settings.rtol = 1e-12;
    World world({.integrator = settings});
    const BodyId pivot = add_path(world, std::make_shared<Shaken>(a, w));
    const double theta_0 = 0.1;
    const glm::dvec3 from_pivot(l * std::sin(theta_0), l * std::cos(theta_0), 0.0);
    const BodyId body = add_body(world, glm::dvec3(0.0, a, 0.0) + from_pivot);
    world.create_joint(hinge(world, pivot, body, {0.0, a, 0.0}, kZ));

    double theta = theta_0;
    double rate = 0.0;
    double t = 0.0;
    double worst = 0.0;
    double farthest = 0.0;
    const auto f = [&](double time, double angle) {
        return l / (moment + l * l) * (9.8 - a * w * w * std::cos(w * time)) * std::sin(angle);
    };
    for (int frame = 0; frame < 60; ++frame) {
        constexpr int kSteps = 400; // rk4 at 24 kHz: (w h)^4 / 120 of 0.1 rad, 1e-13
        const double h = kFrame / kSteps;
        for (int i = 0; i < kSteps; ++i) {
            const double k1 = rate, m1 = f(t, theta);
            const double k2 = rate + 0.5 * h * m1, m2 = f(t + 0.5 * h, theta + 0.5 * h * k1);
            const double k3 = rate + 0.5 * h * m2, m3 = f(t + 0.5 * h, theta + 0.5 * h * k2);
            const double k4 = rate + h * m3, m4 = f(t + h, theta + h * k3);
            theta += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            rate += h / 6.0 * (m1 + 2.0 * m2 + 2.0 * m3 + m4);
            t = kFrame * frame + h * (i + 1);
        }
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        const glm::dvec3 arm = world.pose(body).position - world.pose(pivot).position;
        worst = std::max(worst, std::abs(std::atan2(arm.x, arm.y) - theta));
        farthest = std::max(farthest, std::abs(theta));
    }
    CHECK(worst < 1e-10); // a hundred times the tolerance, for a second of 24 periods
    CHECK(farthest < 0.2);
}

TEST_CASE("a joint follows a carrier that rests, begins to move, is put elsewhere, and rests again") {
    for (const bool is_hinge : {false, true}) {
        for (const bool carrier_first : {false, true}) {
            CAPTURE(is_hinge);
            CAPTURE(carrier_first);
            WorldSettings settings;
            settings.integrator.method = "rk4";
            settings.integrator.substeps = 4;
            World world(settings);
            BodyDesc desc;
            desc.shape = Box{{0.1, 0.2, 0.3}};
            desc.collides = false;
            desc.pose.position = {0.3, -0.4, 0.0};
            desc.mass = 1.0;
            const BodyId weight = world.create_body(desc);
            desc.pose.position = {0.0, 0.0, 0.1};
            desc.motion = MotionType::Kinematic;
            const BodyId carrier = world.create_body(desc);
            const glm::dvec3 pivot(0.1, 0.2, 0.0);
            const BodyId a = carrier_first ? carrier : weight;
            const BodyId b = carrier_first ? weight : carrier;
            world.create_joint(is_hinge ? hinge(world, a, b, pivot, kZ) : ball(world, a, b, pivot));
            const auto pivot_of = [&](BodyId id, const Pose& start) {
                const Pose pose = world.pose(id);
                return pose.position +
                       pose.orientation * (glm::conjugate(start.orientation) * (pivot - start.position));
            };
            const Pose weight_start = world.pose(weight);
            const Pose carrier_start = world.pose(carrier);
            const auto run = [&] {
                for (int frame = 0; frame < 10; ++frame) {
                    REQUIRE(world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
                    const glm::dvec3 gap = pivot_of(weight, weight_start) - pivot_of(carrier, carrier_start);
                    CHECK(glm::length(gap) < 1e-13); // round-off of lengths below 1 m
                }
            };
            run();
            world.body(carrier).set_linear_velocity({0.5, 0.0, -0.3});
            world.body(carrier).set_angular_velocity(0.4 * kZ);
            run();
            world.body(carrier).set_linear_velocity(glm::dvec3(0.0));
            world.body(carrier).set_angular_velocity(glm::dvec3(0.0));
            run();
            world.body(carrier).set_pose({{0.1, 0.1, 0.0}, {std::cos(0.2), 0.0, 0.0, std::sin(0.2)}});
            run();
        }
    }
}

TEST_CASE("a path is for kinematic bodies, must be finite, and is for good") {
    World world;
    BodyDesc desc;
    desc.path = std::make_shared<Crank>();
    CHECK_THROWS_AS(world.create_body(desc), std::invalid_argument);
    desc.path = std::make_shared<Shaken>(std::nan(""), 1.0);
    desc.motion = MotionType::Kinematic;
    CHECK_THROWS_AS(world.create_body(desc), std::invalid_argument);
    const BodyId crank = add_path(world, std::make_shared<Crank>());
    CHECK_THROWS_AS(world.body(crank).set_pose({}), std::invalid_argument);
    CHECK_THROWS_AS(world.body(crank).set_linear_velocity({}), std::invalid_argument);
    const WorldSnapshot snapshot = world.snapshot();
    world.advance(0.5);
    const Pose there = world.pose(crank);
    CHECK(glm::length(there.position - Crank().at(0.5).pose.position) < 1e-15);
    world.restore(snapshot);
    world.advance(0.5);
    CHECK(world.pose(crank).position == there.position);
}

TEST_CASE("hubs are found where arms end in the open, and not where they are held elsewhere") {
    const auto plan_elimination = [](const std::vector<std::vector<int>>& bodies_of, int bodies, int rows = 3) {
        return substep::detail::plan_elimination(bodies_of, std::vector<int>(bodies_of.size(), rows), bodies);
    };
    std::vector<std::vector<int>> star;
    for (int k = 1; k <= 10; ++k) {
        star.push_back({0, k});
    }
    CHECK(plan_elimination(star, 11).hubs == std::vector<int>{0});
    star.push_back({0, 11}); // body 11 is the ground
    const auto on_ground = plan_elimination(star, 11);
    CHECK(on_ground.hubs == std::vector<int>{0});
    CHECK(on_ground.waiting[10] == 1);
    CHECK(on_ground.waiting[0] == 0);
    for (int k = 1; k <= 10; ++k) {
        star.push_back({k, 11});
    }
    CHECK(plan_elimination(star, 11).hubs.empty()); // a wheel whose rim is fixed

    // Rows count, not joints: four hinges are as much as six balls.
    const std::vector<std::vector<int>> cross{{0, 1}, {0, 2}, {0, 3}, {0, 4}};
    CHECK(plan_elimination(cross, 5, 3).hubs.empty());
    CHECK(plan_elimination(cross, 5, 5).hubs == std::vector<int>{0});
}

TEST_CASE("stars of many arms keep energy and joints like any other tree, held or not, with loops or without") {
    for (const bool held : {false, true}) {
        for (const int loops : {0, 2}) {
            CAPTURE(held);
            CAPTURE(loops);
            Star star(12, 2, held, "dormand_prince853", loops);
            star.world.advance(kFrame);
            const double energy = star.world.energy().total();
            for (int frame = 0; frame < 60; ++frame) {
                REQUIRE(star.world.advance(kFrame).status == StepStatus::ReachedTarget);
                REQUIRE(worst_joint_error(star.world) < 1e-12);
            }
            CHECK(std::abs(star.world.energy().total() - energy) < 1e-7); // of 250 J of fall
            CHECK(star.world.redundant_joint_rows() == 0);
        }
    }
}

TEST_CASE(
    "multipliers solve J M^-1 J^T exactly with hubs of any number of arms, on the ground, in a row and in loops") {
    using namespace substep::detail;
    std::mt19937 random(11);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    const auto vector = [&] { return glm::dvec3(unit(random), unit(random), unit(random)); };
    for (int variant = 0; variant < 60; ++variant) {
        CAPTURE(variant);
        // Hubs 0 and 1, arms of up to three links on each, all kinds of joints; then ties to the ground, between the
        // hubs and between arms.
        std::vector<std::array<int, 2>> ends;
        int bodies = 2;
        for (int hub = 0; hub < 2; ++hub) {
            for (int arm = 0; arm < 4 + variant % 7; ++arm) {
                int before = hub;
                for (int link = 0; link <= (arm + variant) % 3; ++link) {
                    ends.push_back({before, bodies});
                    before = bodies++;
                }
            }
        }
        const int ground = bodies;
        if (variant % 2 == 1) {
            ends.push_back({0, 1});
        }
        if (variant % 3 == 1) {
            ends.push_back({0, ground});
        }
        if (variant % 5 == 1) {
            ends.push_back({bodies - 1, ground});
        }
        if (variant % 4 == 1) {
            ends.push_back({2, bodies - 1});
        }
        std::vector<BodyFrame> frames(static_cast<std::size_t>(bodies) + 1);
        for (int i = 0; i < bodies; ++i) {
            BodyFrame& frame = frames[static_cast<std::size_t>(i)];
            frame.position = vector();
            frame.rotation = glm::mat3_cast(glm::normalize(glm::dquat(unit(random), vector())));
            frame.inverse_mass = 1.0 + 0.5 * unit(random);
            frame.inverse_inertia = world_inverse_inertia(frame.rotation, glm::dvec3(3.0) + vector());
        }
        std::vector<IslandJoint> joints;
        for (const auto& body : ends) {
            IslandJoint joint;
            joint.body = body;
            joint.anchor = {vector(), vector()};
            joint.axes = {glm::mat3_cast(glm::normalize(glm::dquat(unit(random), vector()))),
                          glm::mat3_cast(glm::normalize(glm::dquat(unit(random), vector())))};
            const std::size_t kind = joints.size() % 4;
            joint.locked_translation = {true, true, kind < 3};
            joint.locked_rotation = {kind == 1, kind == 1, kind == 2};
            joints.push_back(joint);
        }
        JointSolver solver;
        solver.build(joints, {}, bodies);
        solver.linearise(frames, {});
        CHECK(solver.rank_loss() == 0);
        const auto rows = static_cast<std::size_t>(solver.rows());
        std::vector<double> b(rows);
        for (double& value : b) {
            value = unit(random);
        }
        std::vector<double> lambda = b;
        solver.solve(lambda);

        // S lambda = J (M^-1 (J^T lambda)).
        std::vector<Wrench> wrenches(static_cast<std::size_t>(bodies));
        solver.add_forces(lambda, wrenches);
        std::vector<Twist> twists(frames.size());
        for (std::size_t i = 0; i < wrenches.size(); ++i) {
            twists[i] = {frames[i].inverse_mass * wrenches[i].force, frames[i].inverse_inertia * wrenches[i].torque};
        }
        std::vector<double> again(rows);
        solver.rates(twists, again);
        double worst = 0.0;
        for (std::size_t i = 0; i < rows; ++i) {
            worst = std::max(worst, std::abs(again[i] - b[i]));
        }
        CHECK(worst < 1e-9); // round-off times a condition number of up to 1e6 of random joints
    }
}
