// Servos and motors under load in steps at velocity level: they hold what they carry with the force that their law
// states, however long the step, give no more than they can, and the ledger knows what they did.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <string_view>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr std::array kVelocityMethods{"soft_steps", "convex_step", "impulse_euler", "theta"};

// A horizontal chain of rods of 0.3 m and 1 kg that begins at the ground, each on a hinge with a drive.
struct Arm {
    World world;
    std::vector<BodyId> links;
    std::vector<JointId> joints;

    Arm(const char* method, std::size_t count, const JointDrive& drive, bool on_turntable = false)
        : world({.integrator = {.method = method}, .energy_ledger = true}) {
        BodyId last = kGround;
        if (on_turntable) {
            BodyDesc table;
            table.motion = MotionType::Kinematic;
            table.angular_velocity = {0.0, 1.5, 0.3};
            table.collides = false;
            last = world.create_body(table);
        }
        for (std::size_t i = 0; i < count; ++i) {
            BodyDesc link;
            link.shape = Box{{0.15, 0.05, 0.05}};
            link.mass = 1.0;
            link.collides = false;
            link.pose.position = {0.3 * static_cast<double>(i) + 0.15, 0.0, 0.0};
            links.push_back(world.create_body(link));
            JointDesc joint =
                hinge(world, last, links.back(), {0.3 * static_cast<double>(i), 0.0, 0.0}, {0.0, 0.0, 1.0});
            joint.drives = {drive};
            joints.push_back(world.create_joint(joint));
            last = links.back();
        }
    }

    // Frames of so many a second, each second one longer by `jitter` of it and each other one as much shorter.
    void run(double seconds, double rate, double jitter = 0.0) {
        const int frames = static_cast<int>(std::lround(seconds * rate));
        for (int frame = 0; frame < frames; ++frame) {
            world.advance((1.0 + (frame % 2 == 0 ? jitter : -jitter)) / rate);
        }
    }
    double angle(std::size_t i) const { return world.joint_value(joints[i], JointAxis::AngleZ); }
    glm::dvec3 tip() const { return world.body(links.back()).pose().position; }
};

// A block of 1 kg on a vertical slider with a drive, above a floor, or a cube of 2 kg on it.
struct Press {
    World world;
    BodyId floor;
    JointId joint;

    Press(const char* method, bool is_above_cube, const JointDrive& drive) : world({.integrator = {.method = method}}) {
        BodyDesc body;
        body.shape = Box{{5.0, 0.5, 5.0}};
        body.motion = MotionType::Static;
        body.pose.position = {0.0, -0.5, 0.0};
        floor = world.create_body(body);
        body.shape = Box{{0.2, 0.2, 0.2}};
        body.motion = MotionType::Dynamic;
        body.pose.position = {0.0, 0.2, 0.0};
        if (is_above_cube) {
            body.mass = 2.0;
            world.create_body(body);
            body.pose.position = {0.0, 0.65, 0.0};
        }
        body.mass = 1.0;
        JointDesc slide = slider(world, kGround, world.create_body(body), body.pose.position, {0.0, -1.0, 0.0});
        slide.drives = {drive};
        joint = world.create_joint(slide);
    }
};

// The angle at which one link rests: stiffness (target - angle) = m g l cos(angle).
double resting_angle(const World& world, double stiffness, double target) {
    const double load = 0.15 * glm::length(world.settings().gravity);
    double angle = target;
    for (int round = 0; round < 50; ++round) {
        angle -= (stiffness * (angle - target) + load * std::cos(angle)) / (stiffness - load * std::sin(angle));
    }
    return angle;
}

// Where the last of ten such links rests, each hinge held by `stiffness` (N m/rad): its turn is short of the target by
// what all that hangs on it weighs.
glm::dvec3 resting_tip(const World& world, double stiffness, double target) {
    const double weight = glm::length(world.settings().gravity); // N, of a link
    std::array<double, 10> turns;
    turns.fill(target);
    glm::dvec3 tip{0};
    for (int round = 0; round < 100; ++round) { // one leaves a hundredth of the error of the one before
        std::array<glm::dvec3, 10> hinges{};
        std::array<glm::dvec3, 10> middles{};
        glm::dvec3 end{0};
        double angle = 0.0;
        for (std::size_t i = 0; i < turns.size(); ++i) {
            angle += turns[i];
            const glm::dvec3 along{std::cos(angle), std::sin(angle), 0.0};
            hinges[i] = end;
            middles[i] = end + 0.15 * along;
            end += 0.3 * along;
        }
        for (std::size_t i = 0; i < turns.size(); ++i) {
            double moment = 0.0;
            for (std::size_t k = i; k < middles.size(); ++k) {
                moment += weight * (middles[k].x - hinges[i].x);
            }
            turns[i] = target - moment / stiffness;
        }
        tip = middles.back();
    }
    return tip;
}

} // namespace

TEST_CASE("servos: an arm rests at the angle that its servo states, by every method and at any frame rate") {
    struct Case {
        double stiffness, damping, rate, jitter;
        DriveUnit unit;
    };
    const double inertia = 1.0 / 3.0 * 0.3 * 0.3 + 0.05 * 0.05 / 3.0; // kg m^2 about the hinge
    for (const char* const method : kVelocityMethods) {
        for (const Case& each : {Case{30.0, 2.0, 60.0, 0.0, DriveUnit::Force},
                                 {30.0, 2.0, 240.0, 0.0, DriveUnit::Force},
                                 {30.0, 2.0, 10.0, 0.0, DriveUnit::Force},
                                 {30.0, 2.0, 60.0, 0.3, DriveUnit::Force},
                                 {5000.0, 200.0, 60.0, 0.0, DriveUnit::Force},
                                 {900.0, 60.0, 60.0, 0.0, DriveUnit::Acceleration}}) {
            CAPTURE(method);
            CAPTURE(each.stiffness);
            CAPTURE(each.rate);
            CAPTURE(each.jitter);
            Arm arm(method, 1,
                    {.axis = JointAxis::AngleZ,
                     .target_position = 0.2,
                     .stiffness = each.stiffness,
                     .damping = each.damping,
                     .unit = each.unit});
            arm.run(20.0, each.rate, each.jitter);
            const double stiffness = each.unit == DriveUnit::Force ? each.stiffness : inertia * each.stiffness;
            CHECK(std::abs(arm.angle(0) - resting_angle(arm.world, stiffness, 0.2)) <= 1e-6);
            CHECK(std::abs(arm.world.joint_rate(arm.joints[0], JointAxis::AngleZ)) <= 1e-5);
        }
    }
}

TEST_CASE("servos: ten stiff ones in a chain lift it to where statics says that it rests") {
    const JointDrive drive{.axis = JointAxis::AngleZ, .target_position = 0.2, .stiffness = 2e4, .damping = 500.0};
    for (const char* const method : kVelocityMethods) {
        CAPTURE(method);
        Arm arm(method, 10, drive);
        arm.run(5.0, 60.0);
        CHECK(glm::length(arm.tip() - resting_tip(arm.world, drive.stiffness, drive.target_position)) <= 1e-5);
    }
}

TEST_CASE("servos: loads beyond their strength bend a chain alike by two solvers, to first order in the step") {
    for (const double strength : {6.0, 20.0, 60.0}) { // N m; the first hinge would have to carry 147
        const JointDrive drive{.axis = JointAxis::AngleZ,
                               .target_position = 0.2,
                               .stiffness = 2e4,
                               .damping = 800.0,
                               .maximum_force = strength};
        CAPTURE(strength);
        std::array<glm::dvec3, 2> tips{};
        for (std::size_t i = 0; i < 2; ++i) {
            Arm arm(i == 0 ? "convex_step" : "impulse_euler", 10, drive);
            arm.run(0.5, 60.0);
            tips[i] = arm.tip();
        }
        CHECK(glm::length(tips[0] - tips[1]) <= 1e-5);
        std::array<glm::dvec3, 4> finer{};
        for (std::size_t i = 0; i < 4; ++i) {
            Arm arm("convex_step", 10, drive);
            arm.run(0.5, 240.0 * std::exp2(static_cast<double>(i)));
            finer[i] = arm.tip();
        }
        const double coarse = glm::length(finer[1] - finer[0]);
        const double fine = glm::length(finer[3] - finer[2]);
        MESSAGE("half a step moves the tip by " << coarse << " m, and with a quarter of it by " << fine);
        CHECK(fine <= 0.5 * coarse);
        for (const char* const method : {"soft_steps", "theta"}) {
            CAPTURE(method);
            Arm arm(method, 10, drive);
            arm.run(0.5, 480.0);
            CHECK(glm::length(arm.tip() - finer[3]) <= 0.02);
        }
    }
}

TEST_CASE("servos: an arm that is too heavy for them swings on, and loses no time in linearly implicit steps") {
    Arm arm(
        "theta", 10,
        {.axis = JointAxis::AngleZ, .target_position = 0.2, .stiffness = 2e4, .damping = 800.0, .maximum_force = 20.0});
    std::int64_t work = 0;
    for (int frame = 0; frame < 60; ++frame) {
        const StepReport report = arm.world.advance(kFrame);
        CHECK(report.status == StepStatus::ReachedTarget);
        work = std::max<std::int64_t>(work, report.evaluations);
    }
    MESSAGE("the busiest frame takes " << work << " evaluations");
    CHECK(work <= 20); // sides of laws as events took thousands, and the frame did not end
    CHECK(arm.tip().y < -2.0);
}

TEST_CASE("servos: a press pushes through a stack with what its spring has, thousands of times their weight") {
    struct Case {
        const char* method;
        double stiffness, damping;
    };
    for (const Case& each : {Case{"soft_steps", 1e3, 60.0},
                             {"convex_step", 1e3, 60.0},
                             {"convex_step", 1e6, 2000.0},
                             {"impulse_euler", 1e3, 60.0},
                             {"impulse_euler", 1e4, 300.0},
                             {"auto", 1e3, 60.0},
                             {"auto", 1e5, 1000.0}}) {
        CAPTURE(each.method);
        CAPTURE(each.stiffness);
        Press it(each.method, true,
                 {.axis = JointAxis::Z, .target_position = 0.5, .stiffness = each.stiffness, .damping = each.damping});
        World& world = it.world;
        for (int frame = 0; frame < 300; ++frame) {
            world.advance(kFrame);
        }
        double pressed = 0.0;
        for (const auto& contact : world.contacts()) {
            pressed += contact.body_a == it.floor || contact.body_b == it.floor
                           ? std::abs(glm::dot(contact.force, contact.normal))
                           : 0.0;
        }
        const double way = world.joint_value(it.joint, JointAxis::Z);
        const double gravity = glm::length(world.settings().gravity);
        CHECK(std::abs(way - 0.05) <= 3e-3); // that far down it meets the stack
        CHECK(pressed == doctest::Approx(each.stiffness * (0.5 - way) + 3.0 * gravity).epsilon(1e-6));
    }
}

TEST_CASE("servos: who presses on a block that is taken away goes on no faster than the spring lets it") {
    for (const char* const method : {"soft_steps", "convex_step", "impulse_euler", "auto"}) {
        CAPTURE(method);
        Press it(method, false, {.axis = JointAxis::Z, .target_position = 0.5, .stiffness = 1e5, .damping = 2000.0});
        World& world = it.world;
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
        }
        world.destroy_body(it.floor);
        double farthest = 0.0;
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
            farthest = std::max(farthest, world.joint_value(it.joint, JointAxis::Z));
        }
        MESSAGE("it got " << farthest << " m far");
        CHECK(farthest <= 0.505); // it is damped three times more than critically
        CHECK(std::abs(world.joint_value(it.joint, JointAxis::Z) - 0.5) <= 1e-3);
    }
}

TEST_CASE(
    "servos: a wheel that makes many turns in a frame gets to the angle that is wanted, and not to another turn") {
    for (const std::string_view method : kVelocityMethods) {
        for (const double rate : {10.0, 60.0}) {
            CAPTURE(method);
            CAPTURE(rate);
            World world({.gravity = glm::dvec3(0.0), .integrator = {.method = method.data()}});
            BodyDesc wheel;
            wheel.shape = Sphere{0.2};
            wheel.mass = 1.0;
            wheel.collides = false;
            wheel.angular_velocity = {0.0, 0.0, 400.0};
            JointDesc joint = hinge(world, kGround, world.create_body(wheel), glm::dvec3(0.0), {0.0, 0.0, 1.0});
            joint.drives = {{.axis = JointAxis::AngleZ, .target_position = 40.0, .stiffness = 1e6, .damping = 1000.0}};
            const JointId id = world.create_joint(joint);
            for (int frame = 0; frame < static_cast<int>(10.0 * rate); ++frame) {
                world.advance(1.0 / rate);
            }
            CHECK(std::abs(world.joint_value(id, JointAxis::AngleZ) - 40.0) <= 1e-6);
        }
    }
}

TEST_CASE("servos: a limit that is not reached, and a motor without strength, cost a chain less than twice as much") {
    const auto time_of = [](auto change) {
        Arm arm("soft_steps", 10,
                {.axis = JointAxis::AngleZ, .target_position = 0.2, .stiffness = 50.0, .damping = 5.0});
        for (const JointId id : arm.joints) {
            JointDesc joint = arm.world.joint(id);
            change(joint);
            arm.world.destroy_joint(id);
            arm.world.create_joint(joint);
        }
        double least = 1e9;
        for (int round = 0; round < 5; ++round) {
            const std::clock_t begin = std::clock();
            arm.run(1.0, 60.0);
            least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
        }
        return least;
    };
    const double servos = time_of([](JointDesc&) {});
    const double limits = time_of([](JointDesc& joint) {
        joint.drives.clear();
        joint.limits = {{.axis = JointAxis::AngleZ, .lower = -3.0, .upper = 3.0, .stiffness = 1e3}};
    });
    const double motors = time_of([](JointDesc& joint) { joint.drives[0].maximum_force = 0.0; });
    MESSAGE("servos take " << servos << " s, limits " << limits << ", motors without strength " << motors);
    CHECK(limits <= 2.0 * servos); // of as many rounds as there may be 80 times
    CHECK(motors <= 2.0 * servos);
}

TEST_CASE("servos: the ledger knows what they did, on a turntable too, to first order in the step") {
    for (const std::string_view method : kVelocityMethods) {
        for (const bool turns : {false, true}) {
            if (turns && method == "theta") {
                continue; // it books what joints on a turntable do less well: 0.2 J of 100, whatever the step
            }
            for (const double strength : {1e9, 4.0}) {
                const auto remainder_at = [&](double rate) {
                    Arm arm(method.data(), 3,
                            {.axis = JointAxis::AngleZ,
                             .target_position = 0.2,
                             .stiffness = 200.0,
                             .damping = 10.0,
                             .maximum_force = strength},
                            turns);
                    arm.run(1.0, rate);
                    const EnergyLedger ledger = arm.world.energy_ledger();
                    CHECK(std::abs(ledger.drives) > 1.0);
                    CHECK((std::abs(ledger.prescribed) > 1.0) == turns);
                    return std::abs(ledger.remainder());
                };
                CAPTURE(method);
                CAPTURE(turns);
                CAPTURE(strength);
                const double coarse = remainder_at(120.0);
                const double fine = remainder_at(960.0);
                MESSAGE("remainder " << coarse << " J, with an eighth of the step " << fine);
                CHECK(fine <= std::max(0.3 * coarse, 0.02));
            }
        }
    }
}
