// Impacts located in time: bounces, restitution, the guard against infinitely many.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

#include "../sanitized.h"
#include "contact_worlds.h"

using namespace engine_tests;

namespace {

// Scene S8: a sphere of 0.1 m and 1 kg, its centre 1 m above the ground.
struct Bounce {
    World world;
    BodyId ball;
    double first_impact = std::sqrt(2.0 * 0.9 / kGravity);
    double first_speed = kGravity * std::sqrt(2.0 * 0.9 / kGravity);

    Bounce(double restitution, const IntegratorSettings& settings) : world(contact_settings(settings)) {
        add_ground(world, {.restitution = restitution});
        ball = add_sphere(world, {0.0, 1.0, 0.0}, 0.1, {.restitution = restitution});
    }
    // Time of impact number n (0, 1, ...): each flight takes 2 v / g.
    double impact_time(int n, double e) const {
        double t = first_impact;
        for (int k = 1; k <= n; ++k) {
            t += 2.0 * first_speed * std::pow(e, k) / kGravity;
        }
        return t;
    }
};

IntegratorSettings eighth_order() {
    IntegratorSettings settings;
    settings.method = "dormand_prince853";
    settings.atol = settings.rtol = 1e-10;
    return settings;
}

} // namespace

TEST_CASE("an elastic sphere bounces a hundred times to the same height, on time, at any frame rate") {
    for (const double rate : {24.0, 60.0, 144.0}) {
        CAPTURE(rate);
        Bounce s(1.0, eighth_order());
        int impacts = 0;
        double worst_time = 0.0;
        double worst_apex = 0.0;
        while (impacts < 100) {
            REQUIRE(s.world.advance(1.0 / rate).status == StepStatus::ReachedTarget);
            for (const Impact& impact : s.world.impacts()) {
                worst_time = std::max(worst_time, std::abs(impact.t - s.impact_time(impacts++, 1.0)));
                CHECK(impact.impulse.y == doctest::Approx(2.0 * s.first_speed).epsilon(1e-11));
            }
            const double v = s.world.body(s.ball).linear_velocity().y;
            const double apex = s.world.pose(s.ball).position.y + v * v / (2.0 * kGravity);
            worst_apex = std::max(worst_apex, std::abs(apex - 1.0));
        }
        CHECK(worst_time <= 1e-9); // 100 windows of 100 ulp of a minute and a half are 1.4e-10 s
        CHECK(worst_apex <= 1e-9); // 4.2 m/s times round-off of the impact's place, added up
    }
}

TEST_CASE("every bounce before the guard is on time; then the sphere rests within a frame, and does not creep") {
    for (const double e : {0.5, 0.8}) {
        CAPTURE(e);
        Bounce s(e, eighth_order());
        const double zeno = s.first_impact + 2.0 * s.first_speed / kGravity * e / (1.0 - e);
        int impacts = 0;
        double rest = -1.0;
        double deepest = 0.0;
        for (int frame = 0; frame < 60 * 65; ++frame) {
            REQUIRE(s.world.advance(kFrame).status == StepStatus::ReachedTarget);
            for (const Impact& impact : s.world.impacts()) {
                CHECK(std::abs(impact.t - s.impact_time(impacts++, e)) <= 1e-9);
            }
            if (rest < 0.0 && s.world.contacts().size() == 1 && s.world.contacts()[0].mode == ContactMode::Stick) {
                rest = s.world.time();
            }
            if (rest >= 0.0) {
                deepest = std::max(deepest, std::abs(s.world.pose(s.ball).position.y - 0.1));
            }
        }
        // The guard stops bounces of which all that remain fit into a frame, at one of them.
        CHECK(std::abs(rest - zeno) <= kFrame);
        CHECK(impacts >= (e == 0.5 ? 6 : 20));
        const glm::dvec3 p = s.world.pose(s.ball).position;
        CHECK(deepest <= 1e-9);
        CHECK(std::hypot(p.x, p.z) <= 1e-9);
        CHECK(s.world.contacts()[0].force.y == doctest::Approx(kGravity).epsilon(1e-12));
    }
}

TEST_CASE("oblique collisions of two spinning spheres keep momentum and angular momentum, and energy but for what they "
          "report") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto vector = [&](double scale) {
        return scale * glm::dvec3(uniform(random), uniform(random), uniform(random));
    };
    int collisions = 0;
    const int trials = kSanitized ? 100 : 1000;
    for (int trial = 0; trial < trials; ++trial) {
        WorldSettings settings = contact_settings(eighth_order());
        settings.gravity = glm::dvec3(0.0);
        World world(settings);
        const double e = trial % 3 == 0 ? 1.0 : 0.5 + 0.5 * uniform(random);
        const double mu = trial % 3 == 0 ? 0.0 : 1.0 + uniform(random);
        const Material material{.friction = mu, .restitution = e};
        const double radius = 0.3 + 0.1 * uniform(random);
        BodyDesc a = sphere({0.0, 0.0, 0.0}, radius, material);
        BodyDesc b = sphere(vector(0.2) + glm::dvec3(1.0, 0.0, 0.0), 0.4, material);
        b.mass = std::pow(10.0, 2.0 * uniform(random));
        a.angular_velocity = vector(20.0);
        b.angular_velocity = vector(20.0);
        a.linear_velocity = glm::dvec3(3.0, 0.0, 0.0) + vector(0.2);
        b.linear_velocity = vector(0.2);
        const std::array ids{world.create_body(a), world.create_body(b)};
        const auto sums = [&] {
            std::array<glm::dvec3, 2> p{};
            for (const BodyId id : ids) {
                const Body body = world.body(id);
                const glm::dvec3 momentum = body.mass_properties().mass * body.linear_velocity();
                p[0] += momentum;
                p[1] += body.angular_momentum() + glm::cross(body.centre_of_mass(), momentum);
            }
            return p;
        };
        const auto before = sums();
        const double energy = world.energy().total();
        double lost = 0.0;
        for (int frame = 0; frame < 30; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            for (const Impact& impact : world.impacts()) {
                ++collisions;
                CHECK(impact.restitution_loss >= -1e-12 * energy);
                CHECK(impact.friction_loss >= -1e-12 * energy);
                lost += impact.restitution_loss + impact.friction_loss;
            }
        }
        const auto after = sums();
        // Round-off of sums of this size; thirty frames.
        CHECK(glm::length(after[0] - before[0]) <= 1e-13 * (1.0 + *b.mass) * 10.0);
        CHECK(glm::length(after[1] - before[1]) <= 1e-13 * (1.0 + *b.mass) * 10.0);
        CHECK(std::abs(energy - lost - world.energy().total()) <= 1e-12 * energy);
        if (trial % 3 == 0) {
            CHECK(std::abs(lost) <= 1e-12 * energy);
        }
    }
    CHECK(collisions > 0.9 * trials);
}

TEST_CASE(
    "a rolling sphere hits one at rest on a rough floor: one impact in time whatever friction and restitution are, "
    "its outcome the same at any frame rate") {
    // Of elastic and half elastic spheres no hop is so low that the settle rule ends it within a frame; of plastic ones
    // there are none.
    for (const double e : {0.0, 0.5, 1.0}) {
        for (const double mu : {0.05, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4}) {
            CAPTURE(e);
            CAPTURE(mu);
            std::array<double, 2> place{}; // at the first frame rate
            for (const double rate : {60.0, 240.0}) {
                CAPTURE(rate);
                WorldSettings settings = contact_settings(eighth_order());
                settings.energy_ledger = true;
                World world(settings);
                const Material material{.friction = mu, .restitution = e};
                add_ground(world, material);
                BodyDesc rolling = sphere({0.0, 0.1, 0.0}, 0.1, material);
                rolling.linear_velocity = {1.0, 0.0, 0.0};
                rolling.angular_velocity = {0.0, 0.0, -10.0};
                const BodyId first = world.create_body(rolling);
                const BodyId second = add_sphere(world, {0.5, 0.1, 0.0}, 0.1, material);
                world.reset_energy_ledger();
                int hits = 0;
                for (int frame = 0; frame < static_cast<int>(rate); ++frame) {
                    REQUIRE(world.advance(1.0 / rate).status == StepStatus::ReachedTarget);
                    for (const IslandView& island : world.islands()) {
                        CHECK_FALSE(island.handed_over);
                    }
                    for (const Impact& impact : world.impacts()) {
                        hits += impact.approach_speed > 0.5 ? 1 : 0;
                    }
                }
                CHECK(hits == 1);
                // The tolerance of 1e-10 of a second's motion.
                CHECK(std::abs(world.energy_ledger().remainder()) <= 1e-9);
                const std::array<double, 2> now{world.pose(first).position.x, world.pose(second).position.x};
                place = rate == 60.0 ? now : place;
                CHECK(std::abs(now[0] - place[0]) <= 1e-10);
                CHECK(std::abs(now[1] - place[1]) <= 1e-10);
            }
        }
    }
}

TEST_CASE("a rod that hits a rough plane with its end, whose slip friction may turn back, gains no energy") {
    // Newton's restitution alone would give some of them energy (Kane & Levinson, Dynamics, 1985, section 5.8).
    int impacts = 0;
    for (const double angle : {0.3, 0.6, 0.9}) {
        for (const double mu : {0.2, 0.5, 1.0}) {
            for (const double e : {0.5, 1.0}) {
                for (const double slip : {-3.0, -1.0, -0.3, 0.3, 1.0, 3.0}) {
                    CAPTURE(angle);
                    CAPTURE(mu);
                    CAPTURE(e);
                    CAPTURE(slip);
                    const Material material{.friction = mu, .restitution = e};
                    World world(contact_settings(eighth_order()));
                    add_ground(world, material);
                    BodyDesc desc = sphere({0.0, 0.06, 0.0}, 0.05, material);
                    desc.mass.reset();
                    desc.mass_properties = MassProperties{1.0, {0.0, 0.5, 0.0}, glm::dmat3(1.0 / 12.0)};
                    desc.pose.orientation = glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0));
                    desc.linear_velocity = {slip, -2.0, 0.0};
                    world.create_body(desc);
                    const double energy = world.energy().total();
                    REQUIRE(world.advance(0.01).status == StepStatus::ReachedTarget);
                    impacts += world.impacts().empty() ? 0 : 1;
                    CHECK(world.energy().total() <= energy + 1e-9);
                }
            }
        }
    }
    CHECK(impacts == 3 * 3 * 2 * 6);
}

TEST_CASE("a sphere rebounds from a moving plane at the relative speed") {
    World world(contact_settings(eighth_order()));
    BodyDesc plane;
    plane.motion = MotionType::Kinematic;
    plane.shape = Plane{};
    plane.material.restitution = 0.7;
    plane.linear_velocity = {0.0, 0.8, 0.0};
    world.create_body(plane);
    const BodyId ball = add_sphere(world, {0.0, 1.0, 0.0}, 0.1, {.friction = 0.0, .restitution = 0.7});
    // 0.9 - 0.8 t = g t^2 / 2.
    const double t = (-0.8 + std::sqrt(0.64 + 2.0 * kGravity * 0.9)) / kGravity;
    while (world.impacts().empty()) {
        world.advance(kFrame);
    }
    CHECK(std::abs(world.impacts()[0].t - t) <= 1e-12);
    const double approach = kGravity * t + 0.8;
    CHECK(std::abs(world.impacts()[0].approach_speed - approach) <= 1e-12);
    const double up = 0.8 + 0.7 * approach - kGravity * (world.time() - t);
    CHECK(std::abs(world.body(ball).linear_velocity().y - up) <= 1e-11);
}

TEST_CASE("a pendulum's bob hits another one and both joints stay closed, momentum about the pivots kept") {
    World world(contact_settings(eighth_order()));
    const Material material{.friction = 0.0, .restitution = 1.0};
    const BodyId left = add_sphere(world, {-1.0, 0.0, 0.0}, 0.1, material);
    const BodyId right = add_sphere(world, {0.2, -1.0, 0.0}, 0.1, material);
    const JointId a = world.create_joint(hinge(world, kGround, left, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    const JointId b = world.create_joint(hinge(world, kGround, right, {0.2, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    const double energy = world.energy().total();
    int impacts = 0;
    for (int frame = 0; frame < 300; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        impacts += static_cast<int>(world.impacts().size());
        CHECK(world.joint_error(a) <= 1e-12);
        CHECK(world.joint_error(b) <= 1e-12);
        // The tolerance of 1e-10 a substep, over three hundred.
        CHECK(std::abs(world.energy().total() - energy) <= 1e-7);
        // Equal bobs exchange their velocities: one hangs while the other swings.
        const double slower =
            std::min(glm::length(world.body(left).linear_velocity()), glm::length(world.body(right).linear_velocity()));
        CHECK((impacts == 0 || slower <= 1e-5));
    }
    CHECK(impacts >= 4);
}

TEST_CASE("spheres that a joint connects pass through one another, and so do those that do not collide") {
    World world(contact_settings(eighth_order()));
    const BodyId a = add_sphere(world, {0.0, 0.0, 0.0}, 0.5, {});
    const BodyId b = add_sphere(world, {0.5, 0.0, 0.0}, 0.5, {});
    world.create_joint(ball(world, a, b, {0.25, 0.0, 0.0}));
    BodyDesc ghost = sphere({0.2, 0.3, 0.0}, 0.5, {});
    ghost.collides = false;
    world.create_body(ghost);
    for (int frame = 0; frame < 10; ++frame) {
        world.advance(kFrame);
        CHECK(world.contacts().empty());
    }
}
