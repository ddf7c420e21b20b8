// Every force field of the library against what holds for all of them: potentials, powers, momenta, order.
#include <doctest/doctest.h>

#include <algorithm>

#include "field_samples.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kNudge = 1e-4; // m and rad: central differences are off by its square, 1e-8, times third derivatives
constexpr double kDifference = 1e-6; // which are at most about 100 here, against forces of about 1

BodyMotion moved(BodyMotion motion, const glm::dvec3& translation, const glm::dvec3& rotation) {
    motion.position += translation;
    const double angle = glm::length(rotation);
    if (angle > 0.0) {
        motion.orientation = glm::normalize(glm::angleAxis(angle, rotation / angle) * motion.orientation);
    }
    return motion;
}

// All bodies moved on by their velocities for a time s.
std::vector<BodyMotion> carried(std::vector<BodyMotion> motions, double s) {
    for (BodyMotion& motion : motions) {
        motion = moved(motion, s * motion.velocity, s * motion.angular_velocity);
    }
    return motions;
}

} // namespace

TEST_CASE("every force field with a potential is minus its gradient on bodies at rest, torques by the angle") {
    int with_potential = 0;
    for (const FieldSample& sample : field_samples()) {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            std::vector<BodyMotion> motions = random_motions(sample.body_count, seed);
            const auto field = sample.make(ids_of(motions));
            CAPTURE(field->name());
            CAPTURE(seed);
            const FieldPotential* const potential = field->capabilities().potential;
            if (potential == nullptr || !sample.gradient_at_rest) {
                continue;
            }
            ++with_potential;
            for (BodyMotion& motion : motions) {
                motion.velocity = motion.angular_velocity = glm::dvec3(0.0);
            }
            const std::vector<Wrench> wrenches = wrenches_of(*field, 0.3, motions);
            for (std::size_t i = 0; i < motions.size(); ++i) {
                const auto slope = [&](const glm::dvec3& translation, const glm::dvec3& rotation) {
                    std::vector<BodyMotion> ahead = motions;
                    std::vector<BodyMotion> behind = motions;
                    ahead[i] = moved(motions[i], kNudge * translation, kNudge * rotation);
                    behind[i] = moved(motions[i], -kNudge * translation, -kNudge * rotation);
                    return (potential->potential(0.3, ahead) - potential->potential(0.3, behind)) / (2.0 * kNudge);
                };
                for (int axis = 0; axis < 3; ++axis) {
                    glm::dvec3 unit(0.0);
                    unit[axis] = 1.0;
                    CHECK(std::abs(wrenches[i].force[axis] + slope(unit, {})) < kDifference);
                    CHECK(std::abs(wrenches[i].torque[axis] + slope({}, unit)) < kDifference);
                }
            }
        }
    }
    CHECK(with_potential > 0);
}

TEST_CASE("every force field says how much of its power its potential does not account for") {
    for (const FieldSample& sample : field_samples()) {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            const std::vector<BodyMotion> motions = random_motions(sample.body_count, seed);
            const auto field = sample.make(ids_of(motions));
            CAPTURE(field->name());
            const double t = 0.3;
            const std::vector<Wrench> wrenches = wrenches_of(*field, t, motions);
            double total = 0.0;
            for (std::size_t i = 0; i < motions.size(); ++i) {
                total += power(wrenches[i], motions[i]);
            }
            const FieldPotential* const potential = field->capabilities().potential;
            const double rate = potential == nullptr ? 0.0
                                                     : (potential->potential(t + kNudge, carried(motions, kNudge)) -
                                                        potential->potential(t - kNudge, carried(motions, -kNudge))) /
                                                           (2.0 * kNudge);
            CHECK(std::abs(total + rate - power_beyond_potential(potential, t, motions, wrenches)) < kDifference);
        }
    }
}

TEST_CASE("a force field is steady where time changes no bit of it, and nobody else's function is asked") {
    for (const FieldSample& sample : field_samples()) {
        const std::vector<BodyMotion> motions = random_motions(sample.body_count, 5);
        const auto field = sample.make(ids_of(motions));
        CAPTURE(field->name());
        const std::vector<Wrench> first = wrenches_of(*field, 0.0, motions);
        const std::vector<Wrench> later = wrenches_of(*field, 1.7, motions);
        const bool same = std::ranges::equal(
            first, later, [](const Wrench& a, const Wrench& b) { return a.force == b.force && a.torque == b.torque; });
        const bool is_custom = dynamic_cast<const CustomField*>(field.get()) != nullptr;
        CHECK(field->is_steady() == (same && !is_custom));
    }
}

TEST_CASE("forces between bodies leave their momentum and angular momentum as they are") {
    for (const FieldSample& sample : field_samples()) {
        if (sample.momentum != Momentum::Internal) {
            continue;
        }
        const std::vector<BodyMotion> motions = random_motions(sample.body_count, 7);
        const auto field = sample.make(ids_of(motions));
        CAPTURE(field->name());
        const std::vector<Wrench> wrenches = wrenches_of(*field, 0.3, motions);
        glm::dvec3 force(0.0), torque(0.0);
        double largest = 0.0;
        for (std::size_t i = 0; i < motions.size(); ++i) {
            force += wrenches[i].force;
            torque += wrenches[i].torque + glm::cross(motions[i].position, wrenches[i].force);
            largest = std::max({largest, glm::length(wrenches[i].force), glm::length(wrenches[i].torque)});
        }
        CHECK(largest > 0.1);
        CHECK(glm::length(force) < 1e-14 * largest);  // a few roundings of numbers of this size
        CHECK(glm::length(torque) < 1e-13 * largest); // times arms of metres
    }
}

namespace {

BodyId add_ball(World& world, const glm::dvec3& position, MotionType motion = MotionType::Dynamic) {
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.motion = motion;
    desc.pose.position = position;
    desc.collides = false;
    return world.create_body(desc);
}

} // namespace

TEST_CASE("a spring makes one island of two bodies, and they swing as its closed form says") {
    World world({.gravity = glm::dvec3(0.0), .integrator = adaptive(1e-11, Boundary::RunAhead)});
    const BodyId a = add_ball(world, {0.0, 0.0, 0.0});
    const BodyId b = add_ball(world, {1.5, 0.0, 0.0});
    CHECK(world.island_count() == 2);
    world.add_force_field(std::make_unique<Spring>(SpringDesc{a, b, {}, {}, 8.0, 1.0, 0.0}));
    CHECK(world.island_count() == 1);
    for (int frame = 0; frame < 300; ++frame) {
        world.advance(kFrame);
    }
    // Reduced mass 1/2 kg: the stretch of 0.5 m swings at sqrt(8 / 0.5) = 4 rad/s.
    const double length = world.pose(b).position.x - world.pose(a).position.x;
    CHECK(length == doctest::Approx(1.0 + 0.5 * std::cos(4.0 * world.time())).epsilon(1e-8)); // 300 frames x 1e-11, 3x
    CHECK(std::abs(world.energy().total() - 1.0) < 1e-8);                                     // 1/2 8 0.5^2
}

TEST_CASE("a spring to a kinematic body follows it within a step: forced oscillation to the method's order") {
    const auto error = [](int substeps) {
        World world({.gravity = glm::dvec3(0.0), .integrator = fixed("rk4", substeps)});
        const BodyId carrier = add_ball(world, {0.0, 0.0, 0.0}, MotionType::Kinematic);
        world.body(carrier).set_linear_velocity({0.0, 2.0, 0.0});
        const BodyId body = add_ball(world, {0.0, 0.0, 0.0});
        world.add_force_field(std::make_unique<Spring>(SpringDesc{carrier, body, {}, {}, 25.0, 0.0, 0.0}));
        for (int frame = 0; frame < 60; ++frame) {
            world.advance(kFrame);
        }
        // y'' = 25 (2 t - y) from rest: y = 2 t - (2/5) sin 5 t.
        return std::abs(world.pose(body).position.y - (2.0 - 0.4 * std::sin(5.0)));
    };
    CHECK(error(1) < 1e-5);
    CHECK(error(2) / error(4) > 14.0); // 16 is fourth order, approached from below
}

TEST_CASE("destroying a body takes the fields that tie it along; a field that is refused changes nothing") {
    World world({.gravity = glm::dvec3(0.0)});
    const BodyId a = add_ball(world, {0.0, 0.0, 0.0});
    const BodyId b = add_ball(world, {1.0, 0.0, 0.0});
    const BodyId post = add_ball(world, {2.0, 0.0, 0.0}, MotionType::Static);
    const ForceFieldId spring = world.add_force_field(std::make_unique<Spring>(SpringDesc{a, b}));
    const ForceFieldId drag = world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1}));
    CHECK(world.force_field(spring).name() == "spring");
    const auto refused = [&](const SpringDesc& desc) {
        CHECK_THROWS_AS(world.add_force_field(std::make_unique<Spring>(desc)), std::invalid_argument);
        CHECK(world.force_fields().size() == 2);
    };
    refused({a, a});
    refused({post, kGround});
    refused({a, BodyId{7, 0}});
    CHECK_THROWS_AS(Spring(SpringDesc{.stiffness = -1.0}), std::invalid_argument);
    CHECK_THROWS_AS(Spring(SpringDesc{.anchor_b = {0.0, std::nan(""), 0.0}}), std::invalid_argument);
    CHECK_THROWS_AS(MutualGravity({.bodies = {a}}), std::invalid_argument);
    world.advance(kFrame);

    world.destroy_body(b);
    CHECK_FALSE(world.is_valid(spring));
    CHECK(world.is_valid(drag));
    CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
    CHECK_THROWS_AS(world.force_field(spring), std::invalid_argument);
}
