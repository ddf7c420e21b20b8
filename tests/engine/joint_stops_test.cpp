// Hard limits and dry friction of joints against closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kG = 9.8;

IntegratorSettings precise(const char* method = "dormand_prince853", double tolerance = 1e-12) {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = settings.rtol = tolerance;
    return settings;
}

WorldSettings with_ledger(const IntegratorSettings& integrator, const glm::dvec3& gravity = {0.0, -kG, 0.0}) {
    WorldSettings settings;
    settings.gravity = gravity;
    settings.integrator = integrator;
    settings.energy_ledger = true;
    return settings;
}

// A body of 2 kg on a slider along `axis` through the origin; its coordinate is Z.
struct Slide {
    World world;
    BodyId body;
    JointId joint;

    Slide(const WorldSettings& settings, const glm::dvec3& axis, double rate, auto change) : world(settings) {
        BodyDesc desc;
        desc.mass_properties = MassProperties{2.0, glm::dvec3(0.0), glm::dmat3(0.1)};
        desc.linear_velocity = rate * glm::normalize(axis);
        desc.collides = false;
        body = world.create_body(desc);
        JointDesc description = slider(world, kGround, body, glm::dvec3(0.0), axis);
        change(description);
        joint = world.create_joint(description);
    }
    void run(int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            const StepReport report = world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            REQUIRE(report.order == world.islands()[0].method->order); // nothing was handed over
        }
    }
    double value() const { return world.joint_value(joint, JointAxis::Z); }
    double rate() const { return world.joint_rate(joint, JointAxis::Z); }
};

constexpr double kMass = 2.0;
constexpr double kLength = 0.5;
constexpr double kInertia = 0.1 + kMass * kLength * kLength; // about the hinge

// A pendulum of 2 kg on a hinge along z, released level at a rate; its angle is that of its arm against +x.
struct Arm {
    World world;
    BodyId body;
    JointId joint;

    Arm(const WorldSettings& settings, double rate, auto change) : world(settings) {
        BodyDesc desc;
        desc.mass_properties = MassProperties{kMass, glm::dvec3(0.0), glm::dmat3(0.1)};
        desc.pose.position = {kLength, 0.0, 0.0};
        desc.angular_velocity = {0.0, 0.0, rate};
        desc.linear_velocity = {0.0, kLength * rate, 0.0};
        desc.collides = false;
        body = world.create_body(desc);
        JointDesc description = hinge(world, kGround, body, glm::dvec3(0.0), {0.0, 0.0, 1.0});
        change(description);
        joint = world.create_joint(description);
    }
};

// Rate of the pendulum at an angle, from that at another: energy.
double rate_at(double angle, double from, double rate) {
    return std::sqrt(rate * rate - 2.0 * kMass * kG * kLength / kInertia * (std::sin(angle) - std::sin(from)));
}

// Time between two angles of a motion that does not turn round: Simpson's rule for dt = d angle / rate. With 4000
// intervals its error is below 1e-13 s here (it falls with their fourth power).
double time_between(double from, double to, double rate) {
    constexpr int kIntervals = 4000;
    const double step = (to - from) / kIntervals;
    double sum = 0.0;
    for (int i = 0; i <= kIntervals; ++i) {
        const double weight = i == 0 || i == kIntervals ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        sum += weight / rate_at(from + i * step, from, rate);
    }
    return std::abs(step) / 3.0 * sum;
}

} // namespace

TEST_CASE(
    "a pendulum meets its stops at the times and speeds of its energy integral, and loses what restitution says") {
    const double e = 0.8;
    for (const char* method : {"dormand_prince853", "dormand_prince54"}) {
        CAPTURE(method);
        Arm arm(with_ledger(precise(method)), 9.0, [&](JointDesc& joint) {
            joint.limits = {{.axis = JointAxis::AngleZ, .lower = -0.4, .upper = 0.6, .restitution = e}};
        });
        std::vector<Impact> impacts;
        for (int frame = 0; frame < 60; ++frame) {
            const StepReport report = arm.world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK(report.order > 1);
            impacts.insert(impacts.end(), arm.world.impacts().begin(), arm.world.impacts().end());
        }
        double t = 0.0;
        double from = 0.0;
        double rate = 9.0;
        double lost = 0.0;
        REQUIRE(impacts.size() >= 4);
        for (std::size_t i = 0; i < 4; ++i) {
            const double to = i % 2 == 0 ? 0.6 : -0.4;
            t += time_between(from, to, rate);
            rate = rate_at(to, from, rate);
            CHECK(impacts[i].joint == arm.joint);
            CHECK(std::abs(impacts[i].t - t) < 1e-9);
            CHECK(std::abs(impacts[i].approach_speed - rate) < 1e-9);
            CHECK(std::abs(impacts[i].impulse.z - (i % 2 == 0 ? -1.0 : 1.0) * kInertia * (1.0 + e) * rate) < 1e-9);
            lost += 0.5 * kInertia * rate * rate * (1.0 - e * e);
            CHECK(std::abs(impacts[i].restitution_loss - 0.5 * kInertia * rate * rate * (1.0 - e * e)) < 1e-8);
            rate *= e;
            from = to;
        }
        double booked = 0.0;
        for (const Impact& impact : impacts) {
            booked += impact.restitution_loss;
        }
        const EnergyLedger ledger = arm.world.energy_ledger();
        CHECK(std::abs(ledger.restitution + booked) < 1e-12 * booked);
        CHECK(std::abs(ledger.remainder()) < 1e-9); // of some 30 J, at a tolerance of 1e-12
    }
}

TEST_CASE("a slider falls onto its stop, bounces as a ball does, rests on it, and the joint carries its weight") {
    const double e = 0.5;
    Slide slide(with_ledger(precise()), {0.0, 1.0, 0.0}, 0.0,
                [&](JointDesc& joint) { joint.limits = {{.axis = JointAxis::Z, .lower = -1.0, .restitution = e}}; });
    std::vector<double> times;
    for (int frame = 0; frame < 120; ++frame) {
        slide.run(1);
        for (const Impact& impact : slide.world.impacts()) {
            times.push_back(impact.t);
            CHECK(impact.normal.y == doctest::Approx(1.0));
        }
    }
    const double fall = std::sqrt(2.0 / kG);
    const double limit = fall * (1.0 + e) / (1.0 - e); // Zeno's: all bounces
    REQUIRE(times.size() >= 5);
    double t = fall;
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(std::abs(times[i] - t) < 1e-9);
        t += 2.0 * fall * std::pow(e, static_cast<double>(i + 1));
    }
    CHECK(times.back() < limit + kFrame); // at rest within a frame of it
    CHECK(std::abs(slide.value() + 1.0) < 1e-12);
    CHECK(std::abs(slide.rate()) < 1e-12);
    const Wrench force = slide.world.joint_force(slide.joint);
    CHECK(std::abs(force.force.y - 2.0 * kG) < 1e-9);

    // At rest it stays: no creep, and nothing is booked any more.
    const double lost = slide.world.energy_ledger().restitution;
    slide.run(600);
    CHECK(std::abs(slide.value() + 1.0) < 1e-12);
    CHECK(slide.world.energy_ledger().restitution == lost);
    CHECK(std::abs(lost + 2.0 * kG * 1.0) < 1e-9); // all that it had
    CHECK(std::abs(slide.world.energy_ledger().remainder()) < 1e-9);
}

namespace {

// Lifted off its stop by a force that grows: m x'' = A sin(w t) - k x - m g from rest at x = 0, free from where the
// right-hand side is zero.
constexpr double kPull = 40.0;   // N
constexpr double kSwing = 3.0;   // rad/s
constexpr double kSpring = 50.0; // N/m

double lifted(double t) {
    const double omega = std::sqrt(kSpring / 2.0);
    const double release = std::asin(2.0 * kG / kPull) / kSwing;
    const double amplitude = kPull / 2.0 / (omega * omega - kSwing * kSwing); // of the forced oscillation
    const double rest = -kG / (omega * omega);
    const auto forced = [&](double s) { return amplitude * std::sin(kSwing * s) + rest; };
    const double x = -forced(release);
    const double v = -amplitude * kSwing * std::cos(kSwing * release);
    const double since = t - release;
    return forced(t) + x * std::cos(omega * since) + v / omega * std::sin(omega * since);
}

double error_of_lift(const IntegratorSettings& integrator, std::int64_t* evaluations = nullptr) {
    Slide slide(with_ledger(integrator), {0.0, 1.0, 0.0}, 0.0,
                [](JointDesc& joint) { joint.limits = {{.axis = JointAxis::Z, .lower = 0.0}}; });
    slide.world.add_force_field(std::make_unique<CustomField>([](double t, const BodyMotion& body) {
        return Wrench{{0.0, kPull * std::sin(kSwing * t) - kSpring * body.position.y, 0.0}, {}};
    }));
    for (int frame = 0; frame < 30; ++frame) {
        const StepReport report = slide.world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        if (evaluations != nullptr) {
            *evaluations += report.evaluations;
        }
    }
    return std::abs(slide.value() - lifted(0.5));
}

} // namespace

TEST_CASE("rk4 keeps its order through the release of a limit") {
    const double coarse = error_of_lift(fixed("rk4", 2));
    const double fine = error_of_lift(fixed("rk4", 4));
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(std::log2(coarse / fine) > 3.5);
    CHECK(std::log2(coarse / fine) < 4.8);
    CHECK(error_of_lift(precise()) < 1e-11);
}

TEST_CASE("dry friction holds a slider on a slope up to its bound, and takes just that beyond") {
    const double tilt = 0.5;
    const double along = 2.0 * kG * std::sin(tilt); // N, the weight's part down the slope
    const glm::dvec3 down(std::cos(tilt), -std::sin(tilt), 0.0);
    for (const char* method : {"dormand_prince853", "rk4", "dormand_prince54"}) {
        CAPTURE(method);
        Slide stuck(with_ledger(precise(method)), down, 0.0,
                    [&](JointDesc& joint) { joint.friction = {{.axis = JointAxis::Z, .dry = along * (1.0 + 1e-9)}}; });
        stuck.run(60);
        CHECK(std::abs(stuck.value()) < 1e-14);
        CHECK(std::abs(glm::dot(stuck.world.joint_force(stuck.joint).force, down) + along) < 1e-9);
        CHECK(std::abs(stuck.world.energy_ledger().friction) < along * 1e-14); // J, over the way above at most

        Slide sliding(with_ledger(precise(method)), down, 0.0,
                      [&](JointDesc& joint) { joint.friction = {{.axis = JointAxis::Z, .dry = along * 0.75}}; });
        sliding.run(60);
        const double a = 0.25 * along / 2.0;
        CHECK(std::abs(sliding.value() - 0.5 * a) < 1e-10);
        CHECK(std::abs(sliding.rate() - a) < 1e-10);
        CHECK(std::abs(sliding.world.energy_ledger().friction + 0.75 * along * 0.5 * a) < 1e-9);
        CHECK(std::abs(sliding.world.energy_ledger().remainder()) < 1e-9);

        // Just above it creeps: (1 - 1e-6) of the weight is held.
        Slide creeping(with_ledger(precise(method)), down, 0.0, [&](JointDesc& joint) {
            joint.friction = {{.axis = JointAxis::Z, .dry = along * (1.0 - 1e-6)}};
        });
        creeping.run(60);
        CHECK(std::abs(creeping.value() - 0.5 * 1e-6 * along / 2.0) < 1e-11);
    }
}

TEST_CASE("an oscillator with dry friction loses 2 F/k of amplitude each half swing, and stops where friction holds") {
    const double k = 80.0;
    const double dry = 4.4;
    const double step = dry / k; // 0.055 m
    const double start = 0.5;
    // Turning points 0.5, -0.39, 0.28, -0.17, 0.06; there the spring pulls with 4.8 N and it moves once more, to 0.05.
    double x = start;
    int swings = 0;
    while (std::abs(x) > step) {
        x = x > 0.0 ? -(x - 2.0 * step) : -(x + 2.0 * step);
        ++swings;
    }
    REQUIRE(swings == 5);
    for (const char* method : {"dormand_prince853", "rk4"}) {
        CAPTURE(method);
        IntegratorSettings integrator = precise(method);
        integrator.substeps = 64;
        Slide slide(with_ledger(integrator, glm::dvec3(0.0)), {1.0, 0.0, 0.0}, 0.0, [&](JointDesc& joint) {
            joint.friction = {{.axis = JointAxis::Z, .dry = dry}};
            joint.drives = {{.axis = JointAxis::Z, .target_position = start, .stiffness = k}};
        });
        // The spring's rest is at `start`: the same swing, seen from there.
        const double half = std::numbers::pi / std::sqrt(k / 2.0);
        const auto expected = [&](double t) {
            double from = -start;
            while (t > half && std::abs(from) > step) {
                t -= half;
                from = from > 0.0 ? -(from - 2.0 * step) : -(from + 2.0 * step);
            }
            const double centre = from > 0.0 ? step : -step;
            return std::abs(from) > step ? start + centre + (from - centre) * std::cos(std::sqrt(k / 2.0) * t)
                                         : start + from;
        };
        for (int i = 1; i <= 20; ++i) {
            slide.run(12);
            CAPTURE(i);
            CHECK(std::abs(slide.value() - expected(0.2 * i)) < 1e-9);
        }
        CHECK(slide.rate() == doctest::Approx(0.0).epsilon(1e-14));
        CHECK(std::abs(slide.value() - (start - x)) < 1e-9);
        const double path = 0.5 + 2.0 * (0.39 + 0.28 + 0.17) + 0.06 + 0.01; // 9.9 J of friction, all but the last 0.1
        CHECK(std::abs(slide.world.energy_ledger().friction + dry * path) < 1e-8);
        CHECK(std::abs(slide.world.energy_ledger().remainder()) < 1e-8);
    }
}

TEST_CASE("what rests on a limit and what dry friction holds come back from a snapshot bit for bit") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        IntegratorSettings integrator = precise("dormand_prince54", 1e-8);
        integrator.boundary = boundary;
        // Two arms in a row: the first falls onto its stop, the second's hinge sticks and slips.
        World world({.integrator = integrator});
        const std::vector<BodyId> links = add_chain(world, 2);
        const JointId old_first = world.joints()[0];
        const JointId old_second = world.joints()[1];
        world.destroy_joint(old_second);
        world.destroy_joint(old_first);
        JointDesc first = hinge(world, kGround, links[0], glm::dvec3(0.0), {0.0, 0.0, 1.0});
        first.limits = {{.axis = JointAxis::AngleZ, .lower = -1.0, .restitution = 0.3}};
        world.create_joint(first);
        JointDesc second = hinge(world, links[0], links[1], {0.5, 0.0, 0.0}, {0.0, 0.0, 1.0});
        second.friction = {{.axis = JointAxis::AngleZ, .dry = 0.9}};
        world.create_joint(second);
        std::vector<std::uint64_t> hashes;
        std::vector<WorldSnapshot> snapshots;
        for (int frame = 0; frame < 120; ++frame) {
            snapshots.push_back(world.snapshot());
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            hashes.push_back(world.hash());
        }
        for (std::size_t from = 0; from < 120; from += 9) {
            world.restore(snapshots[from]);
            for (std::size_t frame = from; frame < std::min<std::size_t>(from + 12, 120); ++frame) {
                world.advance(kFrame);
                REQUIRE(world.hash() == hashes[frame]);
            }
        }
    }
}

TEST_CASE("velocity steps hold limits and dry friction too, to first order") {
    Slide rests(with_ledger(fixed("impulse_euler", 4)), {0.0, 1.0, 0.0}, 0.0,
                [](JointDesc& joint) { joint.limits = {{.axis = JointAxis::Z, .lower = -0.2}}; });
    rests.run(120);
    CHECK(std::abs(rests.value() + 0.2) < 1e-6);
    CHECK(std::abs(rests.world.joint_force(rests.joint).force.y - 2.0 * kG) < 1e-6);

    // A bounce: the speed that comes back, to the first order of a step of 1/240 s.
    Slide bounces(with_ledger(fixed("impulse_euler", 4)), {0.0, 1.0, 0.0}, -4.0,
                  [](JointDesc& joint) { joint.limits = {{.axis = JointAxis::Z, .lower = -0.5, .restitution = 0.5}}; });
    double fastest = 0.0;
    for (int frame = 0; frame < 20; ++frame) {
        bounces.run(1);
        fastest = std::max(fastest, bounces.rate());
    }
    CHECK(std::abs(fastest - 0.5 * std::sqrt(16.0 + 2.0 * kG * 0.5)) < 0.2); // within a frame of gravity, 0.16 m/s

    // Friction stops 3 m/s within v^2 m / (2 F), and what it takes is all there was.
    Slide stops(with_ledger(fixed("impulse_euler", 16), glm::dvec3(0.0)), {1.0, 0.0, 0.0}, 3.0,
                [](JointDesc& joint) { joint.friction = {{.axis = JointAxis::Z, .dry = 12.0}}; });
    stops.world.reset_energy_ledger();
    stops.run(60);
    CHECK(std::abs(stops.rate()) < 1e-14);
    CHECK(std::abs(stops.value() - 9.0 * 2.0 / 24.0) < 3.0 * kFrame / 16.0); // the path of one step
    CHECK(std::abs(stops.world.energy_ledger().friction + 9.0) < 1e-9);
}

TEST_CASE("methods that kick and drift locate the impact at a limit, and hand over what rests on it") {
    Slide slide(with_ledger(fixed("velocity_verlet", 8)), {0.0, 1.0, 0.0}, 0.0,
                [](JointDesc& joint) { joint.limits = {{.axis = JointAxis::Z, .lower = -1.0, .restitution = 1.0}}; });
    std::vector<double> times;
    for (int frame = 0; frame < 120; ++frame) {
        slide.run(1);
        for (const Impact& impact : slide.world.impacts()) {
            times.push_back(impact.t);
        }
    }
    REQUIRE(times.size() == 2);
    const double fall = std::sqrt(2.0 / kG);
    CHECK(std::abs(times[0] - fall) < 1e-9); // a parabola: leapfrog and its cubic path are exact
    CHECK(std::abs(times[1] - 3.0 * fall) < 1e-9);

    World resting({.integrator = fixed("velocity_verlet", 8)});
    Slide rests(with_ledger(fixed("velocity_verlet", 8)), {0.0, 1.0, 0.0}, 0.0,
                [](JointDesc& joint) { joint.limits = {{.axis = JointAxis::Z, .lower = -0.1}}; });
    StepReport report;
    for (int frame = 0; frame < 60; ++frame) {
        report = rests.world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
    }
    CHECK(report.order == 1);
    CHECK(!report.message.empty());
    CHECK(std::abs(rests.value() + 0.1) < 1e-5);
}

TEST_CASE("joints that begin beyond a limit are brought to it, the least in the metric of the masses, or refused") {
    Arm arm(with_ledger(precise(), glm::dvec3(0.0)), 0.0,
            [](JointDesc& joint) { joint.limits = {{.axis = JointAxis::AngleZ, .lower = 0.25, .upper = 1.0}}; });
    arm.world.assemble();
    CHECK(std::abs(arm.world.joint_value(arm.joint, JointAxis::AngleZ) - 0.25) < 1e-12);
    CHECK(std::abs(arm.world.pose(arm.body).position.x - kLength * std::cos(0.25)) < 1e-12);
    REQUIRE(arm.world.advance(kFrame).status == StepStatus::ReachedTarget);
    CHECK(std::abs(arm.world.joint_rate(arm.joint, JointAxis::AngleZ)) < 1e-14);

    // Two hinges on one axis that exclude each other.
    Arm torn(with_ledger(precise(), glm::dvec3(0.0)), 0.0, [](JointDesc& joint) {
        joint.limits = {{.axis = JointAxis::AngleZ, .lower = 0.25, .upper = 1.0},
                        {.axis = JointAxis::AngleZ, .lower = -1.0, .upper = 0.1}};
    });
    CHECK_THROWS_WITH_AS(torn.world.assemble(), doctest::Contains("limits"), std::invalid_argument);
}

TEST_CASE("a limit of a joint that other joints lock carries nothing and breaks nothing") {
    // A plate on two hinges with parallel axes cannot turn; a limit touches it where it stands.
    BodyDesc plate;
    plate.mass_properties = MassProperties{2.0, glm::dvec3(0.0), glm::dmat3(0.1)};
    plate.collides = false;
    World world({.integrator = precise("rk4")});
    const BodyId body = world.create_body(plate);
    JointDesc left = hinge(world, kGround, body, {-0.5, 0.0, 0.0}, {0.0, 0.0, 1.0});
    left.limits = {{.axis = JointAxis::AngleZ, .lower = 0.0, .upper = 1.0}};
    left.friction = {{.axis = JointAxis::AngleZ, .dry = 1.0}};
    world.create_joint(left);
    world.create_joint(hinge(world, kGround, body, {0.5, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    for (int frame = 0; frame < 30; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE(report.order == 4);
    }
    CHECK(glm::length(world.pose(body).position) < 1e-12);
}

TEST_CASE("an impact at a limit goes through all joints at once") {
    // Two equal arms in line, turning as one; the first one's stop. With it held, the second goes on about its own
    // hinge, with the impulse that Lagrange's equations give: (I_2 + m r l cos 0) rate / I_2 with both as points of
    // their own inertia I about the hinge between them.
    World world({.gravity = glm::dvec3(0.0), .integrator = precise()});
    const double rate = 2.0;
    std::array<BodyId, 2> arms;
    for (int i = 0; i < 2; ++i) {
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.02)};
        desc.pose.position = {0.25 + 0.5 * i, 0.0, 0.0};
        desc.angular_velocity = {0.0, 0.0, rate};
        desc.linear_velocity = {0.0, rate * (0.25 + 0.5 * i), 0.0};
        desc.collides = false;
        arms[static_cast<std::size_t>(i)] = world.create_body(desc);
    }
    JointDesc first = hinge(world, kGround, arms[0], glm::dvec3(0.0), {0.0, 0.0, 1.0});
    first.limits = {{.axis = JointAxis::AngleZ, .upper = 0.01}};
    const JointId shoulder = world.create_joint(first);
    const JointId elbow = world.create_joint(hinge(world, arms[0], arms[1], {0.5, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
    CHECK(std::abs(world.joint_rate(shoulder, JointAxis::AngleZ)) < 1e-12);
    // Momentum of the second about the elbow stays: I_2 w' = I_2 rate + m r l rate, l the elbow's distance.
    const double about_elbow = 0.02 + 0.25 * 0.25;
    CHECK(std::abs(world.joint_rate(elbow, JointAxis::AngleZ) - (about_elbow + 0.25 * 0.5) / about_elbow * rate) <
          1e-9);
    CHECK(worst_joint_error(world) < 1e-14);
}

TEST_CASE(
    "a light link that carries a heavy one stays within its limits under velocity steps, and is given no energy") {
    // The light one is moved out of its limit as the joint to the heavy one lets it, not by its own mass alone.
    for (const char* method : {"impulse_euler", "theta", "yoshida4"}) {
        for (const double ratio : {1.0, 10.0, 100.0, 1000.0}) {
            CAPTURE(method);
            CAPTURE(ratio);
            World world({.integrator = fixed(method, 4)});
            BodyDesc desc;
            desc.shape = Sphere{0.2};
            desc.mass = 1.0;
            desc.pose.position = {0.5, 0.0, 0.0};
            const BodyId light = world.create_body(desc);
            desc.pose.position = {1.5, 0.0, 0.0};
            desc.mass = ratio;
            const BodyId heavy = world.create_body(desc);
            for (const bool first : {true, false}) {
                JointDesc joint = hinge(world, first ? kGround : light, first ? light : heavy,
                                        {first ? 0.0 : 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
                joint.limits = {{.axis = JointAxis::AngleZ, .lower = -0.4, .upper = 0.4}};
                world.create_joint(joint);
            }
            const double start = world.energy().total();
            double most = 0.0;
            double beyond = 0.0;
            for (int frame = 0; frame < 120; ++frame) {
                REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
                most = std::max(most, world.energy().total() - start);
                for (const JointId joint : world.joints()) {
                    beyond = std::max(beyond, std::abs(world.joint_value(joint, JointAxis::AngleZ)) - 0.4);
                }
            }
            CHECK(most < 1e-3);   // 4.5e-5 J measured, where hundreds fall
            CHECK(beyond < 1e-7); // 1.2e-9 rad measured
        }
    }
}
