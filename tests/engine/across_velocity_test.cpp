// Forces across the velocity (magnetic fields, rotating frames) and free rotation: turned, not kicked, under methods
// that split forces from motion. What is compared with is exact: circles, lines in the inertial frame, energies.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

const glm::dvec3 kUp(0.0, 0.0, 1.0);

// Every method that splits forces from motion, with substeps of a fixed length.
std::vector<std::string> splitting_methods() {
    std::vector<std::string> names;
    for (const IntegrationMethod* method : method_catalogue()) {
        if (method->info().needs != MethodNeeds::Derivative && !method->info().adaptive) {
            names.emplace_back(method->info().name);
        }
    }
    return names;
}

BodyDesc ball_of(double mass, double moment) {
    BodyDesc desc;
    desc.mass_properties = MassProperties{mass, glm::dvec3(0.0), glm::dmat3(moment)};
    desc.collides = false;
    return desc;
}

void run(World& world, double seconds, double dt = kFrame) {
    for (int step = 0; step < std::lround(seconds / dt); ++step) {
        const StepReport report = world.advance(dt);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE_FALSE(report.unstable);
    }
}

WorldSettings weightless(const IntegratorSettings& integrator, bool ledger = false) {
    return {.gravity = glm::dvec3(0.0), .integrator = integrator, .energy_ledger = ledger};
}

// The force of a magnetic field that says nothing of itself.
std::unique_ptr<ForceField> untold(double tesla) {
    return std::make_unique<CustomField>([tesla](double, const BodyMotion& body) {
        return Wrench{glm::cross(body.velocity, tesla * kUp), {}};
    });
}
std::unique_ptr<ForceField> magnetic(double tesla) {
    return std::make_unique<Lorentz>(LorentzDesc{.magnetic_field = tesla * kUp});
}

// log2 of the ratio of the errors with n and 2 n substeps of a step.
double order_of(const std::function<double(int)>& error, int n) { return std::log2(error(n) / error(2 * n)); }

} // namespace

TEST_CASE("a charge keeps its kinetic energy in a magnetic field of any strength, and goes in circles") {
    for (const std::string& method : splitting_methods()) {
        for (const double tesla : {10.0, 1e4, 1e7}) {
            CAPTURE(method);
            CAPTURE(tesla);
            World world(weightless(fixed(method, 1)));
            BodyDesc desc = ball_of(1.0, 0.1);
            desc.linear_velocity = {1.0, 0.0, 0.3};
            const BodyId body = world.create_body(desc);
            world.add_force_field(magnetic(tesla));
            run(world, 5.0);
            const glm::dvec3 v = world.body(body).linear_velocity();
            CHECK(std::abs(glm::dot(v, v) / 1.09 - 1.0) < 1e-12); // of 300 steps' roundings
            // It was turned by -q B / m times the time, exactly.
            const double angle = -5.0 * tesla;
            CHECK(std::abs(v.x - std::cos(angle)) < 1e-12 * (1.0 + 5.0 * tesla));
            CHECK(std::abs(v.y - std::sin(angle)) < 1e-12 * (1.0 + 5.0 * tesla));
            CHECK(v.z == 0.3);
        }
    }
}

TEST_CASE("what flies straight in the inertial frame is followed in one that turns, by methods of their order") {
    const glm::dvec3 rate(1.0, -3.0, 4.0); // 5.1 rad/s
    const double seconds = 2.0;
    const auto error = [&](const std::string& method, int substeps) {
        World world(weightless(fixed(method, substeps)));
        BodyDesc desc = ball_of(2.0, 0.1);
        desc.pose.position = {0.3, 0.4, 0.5};
        desc.linear_velocity = {1.0, -0.5, 0.2};
        desc.angular_velocity = {0.5, 0.3, -1.0};
        const BodyId body = world.create_body(desc);
        world.add_force_field(std::make_unique<RotatingFrame>(RotatingFrameDesc{.rate = rate}));
        run(world, seconds);
        const glm::dvec3 straight =
            desc.pose.position + seconds * (desc.linear_velocity + glm::cross(rate, desc.pose.position));
        const glm::dquat turn = glm::angleAxis(seconds * glm::length(rate), glm::normalize(rate));
        const glm::dvec3 spin = desc.angular_velocity + rate; // of a sphere, constant
        const glm::dquat turned = glm::angleAxis(seconds * glm::length(spin), glm::normalize(spin));
        const Pose seen = world.pose(body);
        return std::max(glm::length(turn * seen.position - straight), angle_between(turn * seen.orientation, turned));
    };
    for (const std::string& method : splitting_methods()) {
        const int order = find_method(method)->order;
        CAPTURE(method);
        const int n = order >= 6 ? 1 : 4;
        CHECK(order_of([&](int substeps) { return error(method, substeps); }, n) > order - 0.15);
    }
    CHECK(error("sofroniou_spaletta6", 2) < 1e-8);
}

TEST_CASE("a body that rests among the stars gains nothing in a frame that turns at 5 rad/s") {
    for (const std::string& method : splitting_methods()) {
        CAPTURE(method);
        World world(weightless(fixed(method, 1)));
        BodyDesc desc = ball_of(1.0, 0.1);
        desc.pose.position = {1.0, 0.0, 0.0};
        desc.linear_velocity = {0.0, -5.0, 0.0}; // goes round against the frame
        const BodyId body = world.create_body(desc);
        world.add_force_field(std::make_unique<RotatingFrame>(RotatingFrameDesc{.rate = 5.0 * kUp}));
        const double start = world.energy().total(); // of Jacobi: it goes round in the frame, and stays where it is
        run(world, 5.0);
        const glm::dvec3 v = world.body(body).linear_velocity();
        // The centrifugal force alone would carry it off, and only with the Coriolis force it goes round: an error of
        // the splitting tips that balance, at the rate h Omega^2 / sqrt(12), 0.12 / s, which is below 2 within the
        // time. A kick that goes before what it belongs to, as in methods of first order, begins half a kick beside the
        // circle.
        const int order = find_method(method)->order;
        CHECK(0.5 * glm::dot(v, v) / 12.5 < (order == 1 ? 6.0 : order == 2 ? 1.5 : 1.02));
        CHECK(0.5 * glm::dot(v, v) / 12.5 > (order <= 2 ? 0.2 : 0.98));
        CHECK(std::abs(world.energy().total() - start) / 12.5 < (order <= 2 ? 1.0 : 0.02));
    }
}

TEST_CASE("a free box that tumbles at 10 rad/s keeps its energy within the splitting's error, under any splitting") {
    for (const std::string& method : splitting_methods()) {
        CAPTURE(method);
        World world(weightless(fixed(method, 1)));
        BodyDesc desc;
        desc.mass = 1.0;
        desc.shape = Box{{0.5, 0.3, 0.1}};
        desc.angular_velocity = {0.5, 10.0, 0.3}; // about the middle axis
        desc.collides = false;
        const BodyId body = world.create_body(desc);
        const double start = world.energy().kinetic;
        double worst = 0.0;
        for (int second = 0; second < 60; ++second) {
            run(world, 1.0);
            worst = std::max(worst, std::abs(world.energy().kinetic / start - 1.0));
        }
        CAPTURE(world.body(body).angular_velocity().y);
        CHECK(worst < 0.02); // (h omega)^2 is 0.028; it does not grow
    }
}

TEST_CASE("compositions keep their order in a field, and where joints hold what it turns") {
    // In crossed fields and a pull to the origin, free; and the same charge at the end of a rod of 1 m.
    const auto end_of = [](const std::string& method, int substeps, bool jointed) {
        IntegratorSettings settings = fixed(method, substeps);
        settings.atol = settings.rtol = 1e-13;
        World world(weightless(settings));
        BodyDesc desc = ball_of(1.5, 0.4);
        desc.pose.position = {1.0, 0.0, 0.0};
        desc.linear_velocity = {0.0, 0.7, 0.4};
        const BodyId body = world.create_body(desc);
        if (jointed) {
            world.create_joint(ball(world, kGround, body, {0.0, 0.0, 0.0}));
            world.body(body).set_angular_velocity({0.0, -0.4, 0.7});
        }
        world.add_force_field(std::make_unique<Lorentz>(LorentzDesc{2.0, {0.3, -0.2, 0.5}, {0.5, 1.0, 2.0}, {}, {}}));
        world.add_force_field(std::make_unique<PointGravity>(PointGravityDesc{{0.3, 0.2, -2.0}, 3.0, 0.5}));
        world.add_force_field(std::make_unique<RotatingFrame>(RotatingFrameDesc{.rate = {0.4, -0.3, 0.6}}));
        for (int step = 0; step < 10; ++step) {
            REQUIRE(world.advance(0.1).status == StepStatus::ReachedTarget);
        }
        return world.pose(body).position;
    };
    for (const bool jointed : {false, true}) {
        const glm::dvec3 exact = end_of("dormand_prince853", 1, jointed);
        for (const auto& [name, order, substeps] :
             {std::tuple{"velocity_verlet", 2.0, 4}, {"yoshida4", 4.0, 2}, {"sofroniou_spaletta6", 6.0, 1}}) {
            const std::string method = name;
            CAPTURE(method);
            CAPTURE(jointed);
            const auto error = [&](int n) { return glm::length(end_of(method, n, jointed) - exact); };
            CHECK(std::abs(order_of(error, substeps) - order) < 0.25);
        }
    }
}

TEST_CASE("a bead on a straight wire is not slowed by a field across it, nor a charge on a rod, at any strength") {
    for (const std::string& method : splitting_methods()) {
        for (const double tesla : {10.0, 1e3, 1e6}) {
            CAPTURE(method);
            CAPTURE(tesla);
            World world(weightless(fixed(method, 1)));
            BodyDesc desc = ball_of(1.0, 0.1);
            desc.linear_velocity = {0.5, 0.0, 0.0};
            const BodyId bead = world.create_body(desc);
            world.create_joint(slider(world, kGround, bead, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}));
            world.add_force_field(magnetic(tesla));
            run(world, 3.0);
            CHECK(std::abs(world.body(bead).linear_velocity().x - 0.5) < 1e-9);
            CHECK(std::abs(world.pose(bead).position.x - 1.5) < 1e-9);
        }
        // Round a circle in the plane across the field the rod takes all of the force.
        World world(weightless(fixed(method, 4)));
        BodyDesc desc = ball_of(1.0, 0.1);
        desc.pose.position = {1.0, 0.0, 0.0};
        desc.linear_velocity = {0.0, 1.0, 0.0};
        desc.angular_velocity = {0.0, 0.0, 1.0};
        const BodyId bob = world.create_body(desc);
        world.create_joint(hinge(world, kGround, bob, {0.0, 0.0, 0.0}, kUp));
        world.add_force_field(magnetic(100.0));
        const double start = world.energy().kinetic;
        run(world, 3.0);
        CAPTURE(method);
        CHECK(std::abs(world.energy().kinetic / start - 1.0) < (method == "theta" ? 0.1 : 0.02)); // theta damps
    }
}

TEST_CASE("the ledger closes in fields across the velocity, also on what is driven across them") {
    // A charge on a rod whose anchor is driven along: the drive works against the field.
    const auto remainder = [](const std::string& method, int substeps, bool driven) {
        World world(weightless(fixed(method, substeps), true));
        BodyDesc anchor;
        anchor.motion = MotionType::Kinematic;
        anchor.linear_velocity = {driven ? 0.7 : 0.0, 0.0, 0.2};
        anchor.collides = false;
        const BodyId platform = world.create_body(anchor);
        BodyDesc desc = ball_of(1.0, 0.1);
        desc.pose.position = {1.0, 0.0, 0.0};
        desc.linear_velocity = anchor.linear_velocity + glm::dvec3(0.0, 1.0, 0.5);
        desc.angular_velocity = {0.0, -0.5, 1.0};
        const BodyId bob = world.create_body(desc);
        world.create_joint(ball(world, platform, bob, {0.0, 0.0, 0.0}));
        world.add_force_field(std::make_unique<Lorentz>(LorentzDesc{1.0, {0.5, 0.2, 0.0}, {0.4, 0.3, 2.0}, {}, {}}));
        world.reset_energy_ledger();
        run(world, 1.0);
        return std::abs(world.energy_ledger().remainder());
    };
    for (const bool driven : {false, true}) {
        CAPTURE(driven);
        for (const std::string& method : splitting_methods()) {
            if (method == "theta") {
                continue; // what the projection behind its step gives and takes at a driven joint it does not book
            }
            CAPTURE(method);
            const double coarse = remainder(method, 4, driven);
            const double fine = remainder(method, 8, driven);
            CAPTURE(coarse);
            CAPTURE(fine);
            const bool second_order = method == "velocity_verlet" || method == "yoshida4";
            CHECK((fine < 1e-10 || fine < (second_order ? 0.3 : 0.6) * coarse));
        }
    }
}

TEST_CASE("a field that only turns velocities does no work in the ledger, whatever else moves what it turns") {
    for (const std::string& method : splitting_methods()) {
        CAPTURE(method);
        World world(weightless(fixed(method, 1), true));
        BodyDesc desc = ball_of(1.0, 0.1);
        desc.linear_velocity = {1.0, 0.0, 0.5};
        world.create_body(desc);
        // Without a potential, which would be asked what its own forces do.
        world.add_force_field(std::make_unique<TimedField>(
            -1.0, 10.0, std::make_unique<Lorentz>(LorentzDesc{.magnetic_field = {0.0, 0.0, 20.0}})));
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 2.0}));
        world.reset_energy_ledger();
        run(world, 1.0);
        CHECK(std::abs(world.energy_ledger().fields[0].work) < 1e-15); // J
        CHECK(world.energy_ledger().fields[1].work < -0.1);
    }
}

TEST_CASE("methods that follow a turn say unstable where a field turns faster than they can, untold if stages tell") {
    for (const char* method : {"explicit_euler", "heun2", "rk4"}) {
        for (const bool told : {true, false}) {
            CAPTURE(std::string(method));
            CAPTURE(told);
            const bool tells = find_method(method)->stages >= 3;
            World world(weightless(fixed(method, 1)));
            BodyDesc desc = ball_of(1.0, 0.1);
            desc.linear_velocity = {1.0, 0.0, 0.0};
            world.create_body(desc);
            world.add_force_field(told ? magnetic(600.0) : untold(600.0)); // 10 rad in a step
            CHECK(world.advance(kFrame).unstable == (told || tells));
        }
    }
}

TEST_CASE("under a small budget in a strong field nothing flies away, and the state stays finite") {
    for (const IntegrationMethod* method : method_catalogue()) {
        if (method->info().needs == MethodNeeds::Derivative && !method->info().adaptive) {
            continue; // makes the substeps that it was asked for, and says unstable
        }
        for (const double tesla : {1e3, 1e4, 1e6}) {
            for (const int budget : {14, 24}) {
                CAPTURE(method->info().name);
                CAPTURE(tesla);
                CAPTURE(budget);
                IntegratorSettings settings = fixed(std::string(method->info().name), 1);
                settings.budget = budget;
                World world(weightless(settings));
                BodyDesc desc = ball_of(1.0, 0.1);
                desc.linear_velocity = {1.0, 0.0, 0.0};
                const BodyId body = world.create_body(desc);
                world.add_force_field(magnetic(tesla));
                for (int frame = 0; frame < 120; ++frame) {
                    const StepReport report = world.advance(kFrame);
                    REQUIRE(report.status != StepStatus::NonFinite);
                }
                const glm::dvec3 v = world.body(body).linear_velocity();
                CHECK(glm::dot(v, v) < 1.1);
            }
        }
    }
}

TEST_CASE("methods that split forces from motion warn of fields that do not state how they turn velocities") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        CHECK((info.caution.find("across the velocity") != std::string_view::npos) ==
              (info.needs != MethodNeeds::Derivative));
    }
}
