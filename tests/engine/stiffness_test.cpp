// Stiffness: what `theta` does with chains, mass ratios, springs and rods that a frame does not resolve.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>

#include "../sanitized.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

IntegratorSettings theta(double value, int substeps = 1) {
    IntegratorSettings settings = fixed("theta", substeps);
    settings.theta = value;
    return settings;
}

World chain(const IntegratorSettings& settings, int links, bool hinges = false) {
    World world({.integrator = settings});
    const std::vector<BodyId> bodies = add_chain(world, links);
    if (hinges) {
        const std::vector<JointId> joints(world.joints().begin(), world.joints().end());
        for (std::size_t i = 0; i < joints.size(); ++i) {
            world.destroy_joint(joints[i]);
            world.create_joint(hinge(world, i == 0 ? kGround : bodies[i - 1], bodies[i],
                                     {0.5 * static_cast<double>(i), 0.0, 0.0}, {0.0, 0.0, 1.0}));
        }
    }
    return world;
}

struct Run {
    double highest_energy = 0.0; // J, above the start
    double gap = 0.0;            // m
    double energy_change = 0.0;  // J, at the end
    bool arrived = true;
    bool unstable = false;
};

Run run(World world, int frames) {
    const double start = world.energy().total();
    Run run;
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport report = world.advance(kFrame);
        run.arrived &= report.status == StepStatus::ReachedTarget;
        run.unstable |= report.unstable;
        run.energy_change = world.energy().total() - start;
        run.highest_energy = std::max(run.highest_energy, run.energy_change);
        run.gap = std::max(run.gap, worst_joint_error(world));
    }
    return run;
}

} // namespace

TEST_CASE("theta holds long chains and 1000 kg on ten links at one step a frame: nothing gained, no gap") {
    for (const double value : {1.0, 0.75, 0.5}) {
        CAPTURE(value);
        std::vector<std::pair<double, Run>> runs{
            {15800.0, run(mass_ratio_world(theta(value)), 600)}, // J: what each falls through at most
            {245.0, run(chain(theta(value), 10), 600)},
            {2450.0, run(chain(theta(value), 32, true), 600)},
        };
        // A whipping chain of 100 is beyond 1/2, which damps nothing: of 60 runs that differ by 1e-13 in gravity, 41
        // blew up.
        if (value == 1.0) {
            runs.emplace_back(24500.0, run(chain(theta(value), 100), 600));
        }
        for (const auto& [size, result] : runs) {
            const double scale = size;
            CAPTURE(scale);
            CHECK(result.arrived);
            CHECK_FALSE(result.unstable);
            CHECK(result.gap < 1e-12); // m, projected: of positions of 50 m
            // Damped for 1; what 1/2 adds is of second order, and was 9e-3 J at most.
            CHECK(result.highest_energy < 1e-5 * scale);
        }
    }
}

TEST_CASE("theta = 1/2 keeps the energy of 1000 kg on ten links to 1e-5 at one step a frame, theta = 1 loses a third") {
    CHECK(std::abs(run(mass_ratio_world(theta(0.5)), 600).energy_change) < 1e-5 * 15800.0); // measured 4e-7
    const double lost = -run(mass_ratio_world(theta(1.0)), 600).energy_change;
    CHECK(lost > 0.1 * 15800.0); // so a fallback, not a default: measured 0.35
    CHECK(lost < 0.5 * 15800.0);
}

TEST_CASE("theta = 1 damps a swing by 1 / sqrt(1 + omega^2 h^2) a step, as backward Euler does, and 1/2 does not") {
    // A pendulum of 1 mrad and omega^2 = 9.8: what is left after a minute. Cubic terms are of relative size 1e-7.
    for (const double value : {1.0, 0.5}) {
        CAPTURE(value);
        World world({.integrator = theta(value)});
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.001)};
        const double d = (1.0 + std::sqrt(0.996)) / 2.0; // d + I / (m d) = 1
        desc.pose.position = d * glm::dvec3(std::sin(1e-3), -std::cos(1e-3), 0.0);
        const BodyId body = world.create_body(desc);
        world.create_joint(ball(world, kGround, body, glm::dvec3(0.0)));
        const auto amplitude = [&] {
            const double rate = glm::length(world.body(body).linear_velocity()) / d;
            const double angle = world.pose(body).position.x / d;
            return std::sqrt(angle * angle + rate * rate / 9.8);
        };
        const double start = amplitude();
        for (int frame = 0; frame < 600; ++frame) {
            world.advance(kFrame);
        }
        const double damped = std::pow(1.0 + 9.8 * kFrame * kFrame, -300.0);
        // The discrete swing conserves a quantity that differs from this one by omega h / 2 at most.
        CHECK(amplitude() / start == doctest::Approx(value == 1.0 ? damped : 1.0).epsilon(0.05));
    }
}

TEST_CASE("theta keeps fast spinning bodies on joints bounded: 100 boxes of any shape at up to 1000 rad/s") {
    std::mt19937_64 random(7);
    const auto uniform = [&](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
    for (int i = 0; i < 100; ++i) {
        World world({.integrator = theta(1.0)});
        BodyDesc desc;
        desc.mass = 1.0;
        desc.collides = false;
        desc.shape = Box{{uniform(0.05, 0.5), uniform(0.05, 0.5), uniform(0.05, 0.5)}};
        desc.pose.position = {0.0, -0.5, 0.0};
        const double rate = std::pow(10.0, uniform(0.0, 3.0));
        desc.angular_velocity = rate * glm::normalize(glm::dvec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)));
        desc.linear_velocity = glm::cross(desc.angular_velocity, desc.pose.position);
        const BodyId body = world.create_body(desc);
        world.create_joint(ball(world, kGround, body, glm::dvec3(0.0)));
        const double start = world.energy().kinetic;
        double highest = 0.0;
        for (int frame = 0; frame < 300; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            highest = std::max(highest, world.energy().kinetic);
        }
        CAPTURE(rate);
        // Half a turn and more a step: where it points is lost, but the momentum about the pivot is all that the step
        // can give back, about the axis of least inertia at worst. The weight adds 2 m g l.
        CHECK(highest < 150.0 * start + 2.0 * 9.8);
        CHECK(world.joint_error(world.joints().front()) < 1e-12);
    }
}

namespace {

constexpr double kStiffRate = 50.0 / kFrame; // rad/s: fifty radians a frame, 25 times what an explicit step bears

BodyId add_ball(World& world, const glm::dvec3& position, double mass = 1.0) {
    BodyDesc desc;
    desc.shape = Sphere{0.1};
    desc.mass = mass;
    desc.pose.position = position;
    desc.collides = false;
    return world.create_body(desc);
}

void tie(World& world, BodyId a, const glm::dvec3& anchor_a, BodyId b, const glm::dvec3& anchor_b, double stiffness,
         double rest_length = 0.0, double damping = 0.0) {
    world.add_force_field(std::make_unique<Spring>(SpringDesc{.body_a = a,
                                                              .body_b = b,
                                                              .anchor_a = anchor_a,
                                                              .anchor_b = anchor_b,
                                                              .stiffness = stiffness,
                                                              .rest_length = rest_length,
                                                              .damping = damping}));
}

} // namespace

TEST_CASE("theta takes a spring as the theta method does: by 2 atan(omega h / 2) a step, or damped by its root") {
    // A point on a spring without rest length is a linear oscillator, whatever its stiffness. For theta = 1/2 a step
    // turns (x, v / omega) by 2 atan(omega h / 2); for 1 it divides its length by sqrt(1 + omega^2 h^2).
    for (const double rate : {3.0, 120.0, kStiffRate}) {
        for (const double value : {1.0, 0.5}) {
            CAPTURE(rate);
            CAPTURE(value);
            World world({.gravity = glm::dvec3(0.0), .integrator = theta(value)});
            const BodyId body = add_ball(world, {0.3, 0.0, 0.0});
            tie(world, kGround, glm::dvec3(0.0), body, glm::dvec3(0.0), rate * rate);
            const double turn = value == 0.5 ? 2.0 * std::atan(0.5 * rate * kFrame) : std::atan(rate * kFrame);
            const double shrink = value == 0.5 ? 1.0 : 1.0 / std::sqrt(1.0 + rate * rate * kFrame * kFrame);
            for (int frame = 1; frame <= 60; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                REQUIRE(report.evaluations == 1);
                const double size = 0.3 * std::pow(shrink, frame);
                // Sixty steps of rounding of v, which is rate times larger than x.
                REQUIRE(std::abs(world.pose(body).position.x - size * std::cos(frame * turn)) < 1e-10);
                REQUIRE(std::abs(world.body(body).linear_velocity().x / rate + size * std::sin(frame * turn)) < 1e-10);
            }
        }
    }
}

TEST_CASE(
    "theta steps over springs of fifty radians a frame: off centre, between bodies, in a chain with a mass ratio") {
    const double k = kStiffRate * kStiffRate;
    const auto off_centre = [&](double value) {
        World world({.integrator = theta(value)});
        const BodyId body = add_ball(world, {0.5, 0.0, 0.0});
        tie(world, kGround, glm::dvec3(0.0), body, {-0.1, 0.05, 0.0}, k, 0.35);
        return world;
    };
    const auto pair = [&](double value) {
        World world({.gravity = glm::dvec3(0.0), .integrator = theta(value)});
        const BodyId a = add_ball(world, {0.0, 0.0, 0.0});
        const BodyId b = add_ball(world, {0.5, 0.0, 0.0}, 3.0);
        tie(world, a, {0.0, 0.1, 0.0}, b, {0.0, -0.1, 0.0}, k, 0.4, 10.0);
        world.body(b).set_linear_velocity({0.0, 2.0, 1.0});
        return world;
    };
    const auto chain_of_springs = [&](double value) {
        World world({.integrator = theta(value)});
        BodyId last = kGround;
        for (int i = 1; i <= 8; ++i) {
            const BodyId body = add_ball(world, {0.3 * i, 0.0, 0.0}, i == 8 ? 1000.0 : 1.0);
            tie(world, last, glm::dvec3(0.0), body, glm::dvec3(0.0), k, 0.3);
            last = body;
        }
        return world;
    };
    const auto twisted = [&](double value) {
        World world({.gravity = glm::dvec3(0.0), .integrator = theta(value)});
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.01)};
        const BodyId body = world.create_body(desc);
        world.create_joint(hinge(world, kGround, body, glm::dvec3(0.0), {0.0, 0.0, 1.0}));
        world.add_force_field(std::make_unique<TorsionSpring>(
            TorsionSpringDesc{.body_a = kGround, .body_b = body, .stiffness = 0.01 * k, .rest_angle = 0.5}));
        return world;
    };
    struct Case {
        const char* name;
        double scale; // J: what is in the springs at the start, or what falls
        std::function<World(double)> make;
    };
    const Case cases[] = {{"off centre", 12000.0, off_centre},
                          {"pair", 60000.0, pair},
                          {"chain", 23500.0, chain_of_springs},
                          {"twisted", 11000.0, twisted}};
    for (const auto& [title, scale, make] : cases) {
        const std::string name = title;
        for (const double value : {1.0, 0.75}) {
            CAPTURE(name);
            CAPTURE(value);
            World world = make(value);
            const double start = world.energy().total();
            const bool free = world.settings().gravity == glm::dvec3(0.0) && world.joints().empty();
            glm::dvec3 momentum(0.0);
            const auto momentum_of = [&] {
                glm::dvec3 sum(0.0);
                for (const BodyId body : world.bodies()) {
                    sum += world.body(body).mass_properties().mass * world.body(body).linear_velocity();
                }
                return sum;
            };
            momentum = momentum_of();
            for (int frame = 0; frame < 300; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                // A step across a spring of length l stretches it by (h v)^2 / 2 l, whatever its stiffness makes of
                // that, until the next step damps it.
                REQUIRE(world.energy().total() < start + 1e-2 * scale);
            }
            if (free) {
                CHECK(glm::length(momentum_of() - momentum) < 1e-9); // N s: opposite impulses, of up to 1e4
            }
        }
    }
}

TEST_CASE("theta knows how stiff a rod is across its length: beads on rods that carry 1000 kg at one step a frame") {
    World world({.integrator = theta(1.0)});
    const glm::dvec3 direction = glm::dvec3(1.0, -1.0, 0.0) / std::sqrt(2.0);
    BodyId last = kGround;
    for (int i = 1; i <= 10; ++i) {
        const glm::dvec3 at = 0.5 * i * direction;
        const BodyId body = add_ball(world, at, i == 10 ? 1000.0 : 1.0);
        world.create_joint(rod(world, last, body, 0.5 * (i - 1) * direction, at));
        last = body;
    }
    const double start = world.energy().total();
    for (int frame = 0; frame < 600; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE_FALSE(report.unstable);
        REQUIRE(world.energy().total() < start + 1.0); // J, of the 14 000 that the ball falls through
        REQUIRE(worst_joint_error(world) < 1e-12);
    }
}

namespace {

double kinetic_after(World& world, int frames, double& highest) {
    highest = 0.0;
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE(worst_joint_error(world) < 1e-12);
        highest = std::max(highest, world.energy().kinetic);
    }
    return world.energy().kinetic;
}

} // namespace

TEST_CASE("theta damps beads plucked on a string of rods that holds 1000 kg, which vibrate five radians a frame") {
    World world({.integrator = theta(1.0)});
    BodyId last = kGround;
    for (int i = 1; i <= 10; ++i) {
        const BodyId body = add_ball(world, {0.0, -0.5 * i, 0.0}, i == 10 ? 1000.0 : 1.0);
        world.create_joint(rod(world, last, body, {0.0, -0.5 * (i - 1), 0.0}, {0.0, -0.5 * i, 0.0}));
        if (i < 10) {
            world.body(body).set_linear_velocity({i % 2 == 0 ? 0.01 : -0.01, 0.0, 0.0});
        }
        last = body;
    }
    const double start = world.energy().kinetic;
    double highest = 0.0;
    const double end = kinetic_after(world, 120, highest);
    CHECK(highest <= start * (1.0 + 1e-9));
    CHECK(end < 1e-3 * start); // each step divides by 1 + omega^2 h^2; the weight, which hardly moves, swings slowly
}

TEST_CASE("theta damps a bead on a ring that is pressed outwards, which slides to and fro at 16 radians a frame") {
    // omega^2 = F / (m R).
    constexpr double kRadius = 0.01;
    class Ring final : public Curve {
    public:
        Point at(double s) const noexcept override {
            const glm::dvec3 out(std::sin(s / kRadius), -std::cos(s / kRadius), 0.0);
            const glm::dvec3 along(std::cos(s / kRadius), std::sin(s / kRadius), 0.0);
            return {kRadius * out, along, -out / kRadius};
        }
    };
    World world({.gravity = glm::dvec3(0.0), .integrator = theta(1.0)});
    const BodyId bead = add_ball(world, {0.0, -kRadius, 0.0});
    world.create_joint(point_on_curve(world, kGround, bead, Pose{}, std::make_shared<Ring>(), {0.0, -kRadius, 0.0}));
    world.add_force_field(std::make_unique<CustomField>([](double, const BodyMotion&) {
        return Wrench{{0.0, -1e4, 0.0}, {}};
    }));
    world.body(bead).set_linear_velocity({0.01, 0.0, 0.0});
    const double start = world.energy().kinetic;
    double highest = 0.0;
    const double end = kinetic_after(world, 60, highest);
    CHECK(highest <= start * (1.0 + 1e-9));
    CHECK(end < 1e-20 * start); // divided by 1 + 16^2 sixty times, down to rounding
}

TEST_CASE("theta damps a weight of 1000 kg on a flat top that tips under it, at eight radians a frame") {
    // The top, d above the hinge at the centre of mass, lifts the weight by d phi^2 / 2: omega^2 = m g d / I.
    World world({.integrator = theta(1.0)});
    const BodyId tipping = add_ball(world, glm::dvec3(0.0));
    const BodyId weight = add_ball(world, {0.0, 0.1, 0.0}, 1000.0);
    world.create_joint(hinge(world, kGround, tipping, glm::dvec3(0.0), {0.0, 0.0, 1.0}));
    world.create_joint(slider(world, kGround, weight, glm::dvec3(0.0), {0.0, 1.0, 0.0}));
    JointDesc top = ball(world, tipping, weight, {0.0, 0.1, 0.0});
    top.point_lock = AxisLocks{false, true, false};
    world.create_joint(top);
    world.body(tipping).set_angular_velocity({0.0, 0.0, 0.01});
    const double start = world.energy().kinetic;
    double highest = 0.0;
    const double end = kinetic_after(world, 120, highest);
    CHECK(highest <= start * (1.0 + 1e-9));
    CHECK(end < 1e-20 * start);
}

namespace {

World dragged(const IntegratorSettings& settings, const DragDesc& drag, const glm::dvec3& gravity = glm::dvec3(0.0)) {
    World world({.gravity = gravity, .integrator = settings});
    const BodyId body = add_ball(world, glm::dvec3(0.0));
    world.body(body).set_linear_velocity({3.0, 4.0, 0.0});
    world.body(body).set_angular_velocity({0.0, 6.0, 8.0});
    world.add_force_field(std::make_unique<Drag>(drag));
    return world;
}

} // namespace

TEST_CASE("theta takes linear drag as the theta method does, up to a hundred times what a frame resolves") {
    constexpr double kMoment = 0.4 * 0.1 * 0.1;        // kg m^2
    for (const double strength : {0.01, 1.0, 100.0}) { // rate h
        for (const double value : {1.0, 0.75, 0.5}) {
            CAPTURE(strength);
            CAPTURE(value);
            const double rate = strength / kFrame;
            World world = dragged(theta(value), {.linear = rate, .angular_linear = 2.0 * rate * kMoment});
            const Body body = world.body(world.bodies()[0]);
            const auto factor = [&](double a) { return (1.0 - (1.0 - value) * a) / (1.0 + value * a); };
            double v = 5.0;
            double omega = 10.0;
            for (int frame = 0; frame < 20; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                REQUIRE_FALSE(report.unstable);
                v *= factor(strength);
                omega *= factor(2.0 * strength);
                // Rounding of the force, rate times v.
                REQUIRE(glm::length(body.linear_velocity() - v * glm::dvec3(0.6, 0.8, 0.0)) < 1e-12);
                REQUIRE(glm::length(body.angular_velocity() - omega * glm::dvec3(0.0, 0.6, 0.8)) < 1e-12);
            }
        }
    }
}

TEST_CASE("theta never turns a body round by quadratic drag, and lets it fall at its terminal speed") {
    for (const double strength : {1.0, 100.0}) { // k |v| h / m at the start
        CAPTURE(strength);
        World world = dragged(theta(1.0), {.quadratic = strength / (5.0 * kFrame)});
        const Body body = world.body(world.bodies()[0]);
        double v = 5.0;
        for (int frame = 0; frame < 60; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            const double a = strength * v / 5.0;
            v *= (1.0 + a) / (1.0 + 2.0 * a); // one step of Newton for the theta method
            REQUIRE(glm::length(body.linear_velocity() - v * glm::dvec3(0.6, 0.8, 0.0)) < 1e-12);
        }
        const double k = 1e4; // falls with sqrt(m g / k), which it approaches at 2 sqrt(g k / m) = 63 / s
        World falling = dragged(theta(1.0), {.quadratic = k}, {0.0, -9.8, 0.0});
        for (int frame = 0; frame < 120; ++frame) {
            REQUIRE(falling.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        const glm::dvec3 fall = falling.body(falling.bodies()[0]).linear_velocity();
        CHECK(glm::length(fall - glm::dvec3(0.0, -std::sqrt(9.8 / k), 0.0)) < 1e-9);
    }
}

TEST_CASE("with drag theta is of first order, and of second for 1/2") {
    // v' = -c v - k |v| v along a line: 1/v + k/c grows as exp(c t).
    constexpr double c = 2.0;
    constexpr double k = 0.5;
    const double exact = 1.0 / ((0.2 + k / c) * std::exp(c * 0.5) - k / c);
    for (const double value : {1.0, 0.5}) {
        CAPTURE(value);
        const auto error = [&](int substeps) {
            World world = dragged(theta(value, substeps), {.linear = c, .quadratic = k});
            for (int frame = 0; frame < 30; ++frame) {
                world.advance(kFrame);
            }
            return std::abs(glm::length(world.body(world.bodies()[0]).linear_velocity()) - exact);
        };
        const double order = std::log2(error(2) / error(4));
        CHECK(order == doctest::Approx(value == 1.0 ? 1.0 : 2.0).epsilon(0.05));
    }
}

TEST_CASE(
    "drag that the budget cannot resolve is stepped over by theta, and reports know which methods it is too fast for") {
    for (const char* name : {"dormand_prince54", "rk4", "velocity_verlet"}) {
        for (const double strength : {100.0, 0.1}) {
            CAPTURE(std::string(name));
            CAPTURE(strength);
            IntegratorSettings settings = fixed(name, 100);
            settings.atol = settings.rtol = 1e-4;
            settings.budget = 2 * (find_method(name)->stages + 2);
            World world = dragged(settings, {.linear = strength / kFrame}, {0.0, -9.8, 0.0});
            std::int64_t fallen_back = 0;
            for (int frame = 0; frame < 60; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                REQUIRE(glm::length(world.body(world.bodies()[0]).linear_velocity()) < 20.0);
                fallen_back += report.fallback_substeps;
            }
            CHECK((fallen_back > 0) == (strength > 1.0));
        }
    }
    // On the real axis explicit Euler is stable to 2, rk4 to 2.785.
    for (const auto& [method, times, unstable] : {std::tuple{"explicit_euler", 0.5, false},
                                                  {"explicit_euler", 2.5, true},
                                                  {"rk4", 2.5, false},
                                                  {"rk4", 3.0, true}}) {
        const std::string name = method;
        const double strength = times;
        CAPTURE(name);
        CAPTURE(strength);
        World world = dragged(fixed(name, 1), {.linear = strength / kFrame});
        CHECK(world.advance(kFrame).unstable == unstable);
    }
}

TEST_CASE("one's own field may state what is stiff in it, also among few bodies or for a time") {
    class Honey final : public ForceField, private FieldStiffness {
    public:
        Honey(double rate, bool states) : rate_(rate), states_(states) {}
        Wrench at(double, const BodyMotion& body) const noexcept override {
            return {-rate_ * body.mass * body.velocity, {}};
        }
        FieldCapabilities capabilities() const noexcept override { return {.stiffness = states_ ? this : nullptr}; }
        std::size_t stiffness_count() const noexcept override { return 1; }
        void write_stiffness(double, std::span<const BodyMotion> bodies,
                             std::span<Stiffness> elements) const noexcept override {
            for (int k = 0; k < 3; ++k) {
                Stiffness::Direction& direction = elements[0].directions[static_cast<std::size_t>(k)];
                direction.unit[0].force[k] = 1.0;
                direction.damping = rate_ * bodies[0].mass;
            }
        }

    private:
        double rate_;
        bool states_;
    };
    for (const bool states : {true, false}) {
        for (const int wrapped : {0, 1, 2}) {
            CAPTURE(states);
            CAPTURE(wrapped);
            World world({.gravity = glm::dvec3(0.0), .integrator = theta(1.0)});
            const BodyId body = add_ball(world, glm::dvec3(0.0));
            world.body(body).set_linear_velocity({1.0, 0.0, 0.0});
            std::unique_ptr<ForceField> field = std::make_unique<Honey>(10.0 / kFrame, states);
            if (wrapped == 1) {
                field = std::make_unique<OnBodies>(std::vector{body}, std::move(field));
            } else if (wrapped == 2) {
                field = std::make_unique<TimedField>(0.0, 1.0, std::move(field));
            }
            world.add_force_field(std::move(field));
            for (int frame = 1; frame <= 5; ++frame) {
                world.advance(kFrame);
                const double factor = states ? 1.0 / 11.0 : -9.0; // without, as symplectic Euler does
                CHECK(world.body(body).linear_velocity().x == doctest::Approx(std::pow(factor, frame)).epsilon(1e-12));
            }
        }
    }
}

TEST_CASE("springs that the budget cannot resolve are stepped over by theta, and counted") {
    for (const char* name : {"dormand_prince54", "rk4", "velocity_verlet", "verner87"}) {
        for (const bool stiff : {true, false}) {
            CAPTURE(name);
            CAPTURE(stiff);
            const MethodInfo& info = *find_method(name);
            IntegratorSettings settings = fixed(name, 100);
            settings.atol = settings.rtol = 1e-6;
            settings.budget = 2 * (info.stages + 2);
            World world({.integrator = settings});
            const BodyId body = add_ball(world, {0.0, -0.5, 0.0});
            const double rate = stiff ? kStiffRate : 3.0;
            tie(world, kGround, glm::dvec3(0.0), body, {0.0, 0.05, 0.0}, rate * rate, 0.3);
            const double start = world.energy().total();
            std::int64_t fallen_back = 0;
            for (int frame = 0; frame < 300; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                REQUIRE(report.evaluations <= settings.budget);
                REQUIRE(world.energy().total() < start + 0.1 * std::abs(start));
                fallen_back += report.fallback_substeps;
            }
            CHECK((fallen_back > 0) == stiff);
        }
    }
}

TEST_CASE("theta out of its range is refused") {
    for (const double value : {0.49, 1.01, -1.0, std::nan("")}) {
        CHECK_THROWS_AS(World({.integrator = theta(value)}), std::invalid_argument);
    }
}

TEST_CASE("whatever the budget, chains that it cannot resolve are stepped over by theta and do not blow up" *
          doctest::skip(kSanitized)) {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        const bool is_splitting = info.needs == MethodNeeds::KickDriftSplit;
        if (info.needs != MethodNeeds::Derivative && (!is_splitting || info.adaptive)) {
            continue; // an adaptive splitting may find no impulses that close the joints at any length it can pay for
        }
        // What one substep may take: with its own last stage evaluated again behind the projection, and for splittings
        // the evaluation that looks.
        const int one = info.stages + (info.first_same_as_last ? 1 : 0) + 1;
        for (const int substeps : {1, 2}) {
            for (const bool heavy : {true, false}) {
                CAPTURE(info.name);
                CAPTURE(substeps);
                CAPTURE(heavy);
                IntegratorSettings settings = fixed(std::string(info.name), 100);
                settings.atol = settings.rtol = 1e-6;
                settings.budget = substeps * one;
                World world = heavy ? mass_ratio_world(settings) : chain(settings, 30);
                const double scale = heavy ? 15800.0 : 2200.0; // J, that it falls through at most
                const double start = world.energy().total();
                std::int64_t fallen_back = 0;
                for (int frame = 0; frame < 300; ++frame) {
                    const StepReport report = world.advance(kFrame);
                    REQUIRE(report.status == StepStatus::ReachedTarget);
                    REQUIRE(report.evaluations <= settings.budget);
                    REQUIRE(world.energy().total() < start + 0.1 * scale);
                    fallen_back += report.fallback_substeps;
                    if (report.fallback_substeps > 0) {
                        CHECK(report.degraded);
                        CHECK_FALSE(report.message.empty());
                        CHECK(report.order == 1);
                    }
                }
                // 600 rad/s at the bottom: h omega = 10 and 5, within no method's limit but dormand_prince853's.
                CHECK((fallen_back > 0 || !heavy || info.imaginary_limit > 4.0));
            }
        }
    }
}

TEST_CASE("the guard leaves a budget that resolves the chain alone") {
    for (const char* name : {"dormand_prince54", "rk4", "velocity_verlet"}) {
        CAPTURE(name);
        IntegratorSettings settings = fixed(name, 20);
        settings.atol = settings.rtol = 1e-5;
        settings.budget = 1000;
        World world = mass_ratio_world(settings);
        const double start = world.energy().total();
        for (int frame = 0; frame < 300; ++frame) {
            const StepReport report = world.advance(kFrame);
            REQUIRE(report.fallback_substeps == 0);
            REQUIRE_FALSE(report.degraded);
        }
        CHECK(std::abs(world.energy().total() - start) < 1e-3 * 15800.0);
    }
}

TEST_CASE("a world whose substeps theta makes replays bit for bit from a snapshot") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        for (const int budget : {8, 13, 17, 30, 40}) {
            IntegratorSettings settings = adaptive(1e-5, boundary);
            settings.method = "dormand_prince54";
            settings.budget = budget;
            World world = mass_ratio_world(settings);
            std::int64_t fallen_back = 0;
            for (int frame = 0; frame < 60; ++frame) {
                world.advance(kFrame);
                const WorldSnapshot snapshot = world.snapshot();
                World again = mass_ratio_world(settings);
                again.restore(snapshot);
                for (int next = 0; next < 3; ++next) {
                    fallen_back += world.advance(kFrame).fallback_substeps;
                    again.advance(kFrame);
                    REQUIRE(again.hash() == world.hash());
                }
                world.restore(snapshot);
            }
            CAPTURE(budget);
            CHECK((fallen_back > 0 || budget > 20));
        }
    }
}

TEST_CASE("theta keeps a thrown sphere on the plane and makes it slide, then roll at 5/7 of its speed") {
    World world({.integrator = theta(1.0, 8)});
    BodyDesc floor;
    floor.motion = MotionType::Static;
    floor.shape = Plane{};
    floor.material.friction = 0.3;
    world.create_body(floor);
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = Sphere{0.1};
    desc.pose.position = {0.0, 0.1, 0.0};
    desc.linear_velocity = {1.0, 0.0, 0.0};
    desc.material.friction = 0.3;
    const BodyId ball = world.create_body(desc);
    for (int frame = 0; frame < 60; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        CHECK(std::abs(world.pose(ball).position.y - 0.1) < 1e-9);
    }
    // First order: v0 / (mu g) = 0.34 s of sliding in steps of 2 ms.
    CHECK(world.body(ball).linear_velocity().x == doctest::Approx(5.0 / 7.0).epsilon(0.01));
}
