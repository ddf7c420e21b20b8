// Assembling worlds whose joints are open, the forces that joints carry, and closed loops.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "joint_cases.h"

using namespace engine_tests;

namespace {

constexpr glm::dvec3 kZ{0.0, 0.0, 1.0};

BodyId add_ball(World& world, const glm::dvec3& centre, double mass = 1.0) {
    BodyDesc desc;
    desc.collides = false;
    desc.pose.position = centre;
    desc.mass_properties = MassProperties{mass, glm::dvec3(0.0), glm::dmat3(0.1)};
    return world.create_body(desc);
}

// A closed loop of n bodies on n hinges whose Denavit-Hartenberg parameters repeat: each body is a link of length a
// with twist alpha between its hinges' axes, along x; hinge k turns by theta_k.
struct Loop {
    World world;
    std::vector<BodyId> links;

    Loop(const IntegratorSettings& settings, const std::vector<double>& length, const std::vector<double>& twist,
         const std::vector<double>& angle)
        : world({.gravity = glm::dvec3(0.0), .integrator = settings}) {
        glm::dvec3 origin(0.0);
        glm::dmat3 axes(1.0);
        std::vector<glm::dvec3> point;
        std::vector<glm::dvec3> axis;
        std::vector<BodyId> bodies;
        for (std::size_t k = 0; k < length.size(); ++k) {
            point.push_back(origin);
            axis.push_back(axes[2]);
            const double c = std::cos(angle[k]), s = std::sin(angle[k]);
            axes = axes * glm::dmat3(c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0);
            const glm::dvec3 end = origin + length[k] * axes[0];
            bodies.push_back(k == 0 ? kGround : add_ball(world, 0.5 * (origin + end)));
            origin = end;
            const double ct = std::cos(twist[k]), st = std::sin(twist[k]);
            axes = axes * glm::dmat3(1.0, 0.0, 0.0, 0.0, ct, st, 0.0, -st, ct);
        }
        CHECK(glm::length(origin) < 1e-12); // the loop closes
        for (std::size_t k = 0; k < length.size(); ++k) {
            const BodyId before = bodies[(k + length.size() - 1) % length.size()];
            world.create_joint(hinge(world, before, bodies[k], point[k], axis[k]));
        }
        links.assign(bodies.begin() + 1, bodies.end());
    }
};

} // namespace

TEST_CASE("every joint is assembled from places and velocities that violate it") {
    for (const JointCase& joint_case : joint_cases()) {
        for (unsigned seed = 1; seed <= 3; ++seed) {
            CAPTURE(joint_case.name);
            CAPTURE(seed);
            JointWorld w(joint_case, Carrier::Free, fixed("rk4", 4), seed);
            Pose pose = w.world.pose(w.body_b);
            pose.position += glm::dvec3(0.3, -0.2, 0.4);
            pose.orientation = glm::normalize(glm::dquat(0.5, 0.3, -0.2, 0.1) * pose.orientation); // 97 degrees
            w.world.body(w.body_b).set_pose(pose);
            w.world.assemble();
            CHECK(worst_joint_error(w.world) < 1e-12);
            const Pose assembled = w.world.pose(w.body_b);
            const glm::dvec3 velocity = w.world.body(w.body_b).linear_velocity();
            w.world.assemble(); // nothing left to do
            CHECK(w.world.pose(w.body_b).position == assembled.position);
            CHECK(w.world.pose(w.body_b).orientation == assembled.orientation);
            CHECK(glm::length(w.world.body(w.body_b).linear_velocity() - velocity) < 1e-13); // round-off of 1 m/s
            CHECK(w.world.advance(kFrame).message.empty());
        }
    }
}

TEST_CASE("a hinge that stands the wrong way round is turned, not taken for closed") {
    World world({.integrator = fixed("rk4", 4)});
    const BodyId body = add_ball(world, {0.0, -1.0, 0.0});
    JointDesc desc = hinge(world, kGround, body, {0.0, 0.0, 0.0}, kZ);
    desc.frame_b.orientation = glm::dquat(0.0, 1.0, 0.0, 0.0) * desc.frame_b.orientation; // half a turn about x
    const JointId id = world.create_joint(desc);
    CHECK(world.joint_error(id) > 1.9);
    world.assemble();
    CHECK(world.joint_error(id) < 1e-12);
}

TEST_CASE("what cannot be assembled is refused by name and amount, and the world stays as it was") {
    // A rod of 1 m to a body that another joint holds 3 m away.
    World world({.integrator = fixed("rk4", 4)});
    const BodyId body = add_ball(world, {3.0, 0.0, 0.0});
    world.create_joint(ball(world, kGround, body, {3.0, 0.0, 0.0}));
    JointDesc desc = rod(world, kGround, body, {0.0, 0.0, 0.0}, {3.0, 0.0, 0.0});
    std::get<DistanceLock>(desc.point_lock).distance = 1.0;
    const JointId id = world.create_joint(desc);
    const std::uint64_t before = world.hash();
    std::string sentence;
    try {
        world.assemble();
    } catch (const std::invalid_argument& refusal) {
        sentence = refusal.what();
    }
    CAPTURE(sentence);
    CHECK(sentence == "The joint with index 1 and generation 0 cannot be closed: its frames stay 2 m apart.");
    CHECK(world.hash() == before);
    const StepReport report = world.advance(kFrame);
    CHECK(std::string(report.message).find("cannot be closed") != std::string::npos);
    CHECK(std::isfinite(world.pose(body).position.x));
    // As long as it holds, not in the first step alone; a snapshot says no less.
    for (int frame = 0; frame < 5; ++frame) {
        world.restore(world.snapshot());
        const StepReport later = world.advance(kFrame);
        CAPTURE(std::string(later.message));
        CHECK(std::string(later.message).find("The joint with index 1 and generation 0") != std::string::npos);
        CHECK(later.degraded);
    }
    world.destroy_joint(id);
    world.assemble();
    CHECK(world.advance(kFrame).message.empty());
}

TEST_CASE("joints that turn a body two ways are refused by the angle between them") {
    World world({.integrator = fixed("rk4", 4)});
    const BodyId body = add_ball(world, glm::dvec3(0.0));
    world.create_joint(substep::fixed(world, kGround, body, glm::dvec3(0.0)));
    BodyDesc desc;
    desc.motion = MotionType::Static;
    const BodyId wall = world.create_body(desc);
    JointDesc askew = substep::fixed(world, wall, body, glm::dvec3(0.0));
    for (const auto& [angle, words] : {std::pair{0.5, "its frames stay 0.5 rad askew."}, {2.0, "2 rad askew."}}) {
        askew.frame_a.orientation = {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)};
        const JointId id = world.create_joint(askew);
        CHECK_THROWS_WITH_AS(world.assemble(), doctest::Contains(words), std::invalid_argument);
        world.destroy_joint(id);
    }
}

TEST_CASE("joint forces match statics: a chain carries what hangs below, a cantilever's root the moment too") {
    World world({.integrator = fixed("rk4", 4)});
    const BodyId upper = add_ball(world, {0.0, -1.0, 0.0}, 2.0);
    const BodyId lower = add_ball(world, {0.0, -2.0, 0.0}, 3.0);
    const JointId top = world.create_joint(ball(world, kGround, upper, {0.0, 0.0, 0.0}));
    const JointId middle = world.create_joint(rod(world, upper, lower, {0.0, -1.0, 0.0}, {0.0, -2.0, 0.0}));
    const BodyId beam = add_ball(world, {5.7, 0.0, 0.0}, 1.5);
    const JointId root = world.create_joint(fixed(world, kGround, beam, {5.0, 0.0, 0.0}));
    world.advance(kFrame);
    const auto close = [](const glm::dvec3& a, const glm::dvec3& b) { return glm::length(a - b) < 1e-11; };
    CHECK(close(world.joint_force(top).force, {0.0, 5.0 * 9.8, 0.0}));
    CHECK(close(world.joint_force(top).torque, glm::dvec3(0.0)));
    CHECK(close(world.joint_force(middle).force, {0.0, 3.0 * 9.8, 0.0}));
    CHECK(close(world.joint_force(root).force, {0.0, 1.5 * 9.8, 0.0}));
    CHECK(close(world.joint_force(root).torque, {0.0, 0.0, 0.7 * 1.5 * 9.8})); // against the beam's weight at 0.7 m
}

TEST_CASE("a pendulum's joint force is that of its true instant") {
    // At angle theta from rest at the side: tension 3 m g cos theta for a point mass (I = 0.1 kg m^2 about its centre
    // changes the rate: omega^2 = 2 m g l cos / (I + m l^2)).
    World world({.integrator = fixed("dormand_prince853", 4)});
    const BodyId body = add_ball(world, {1.0, 0.0, 0.0});
    const JointId pivot = world.create_joint(hinge(world, kGround, body, {0.0, 0.0, 0.0}, kZ));
    for (int frame = 0; frame < 40; ++frame) {
        world.advance(kFrame);
        const glm::dvec3 x = world.pose(body).position;
        const double omega_squared = 2.0 * 9.8 * -x.y / 1.1;
        const glm::dvec3 gravity(0.0, -9.8, 0.0);
        // Along the rod: m (omega^2 l + g cos); across it the part of gravity that does not turn the body: 0.1 / 1.1.
        const glm::dvec3 along = -(omega_squared - glm::dot(gravity, -x)) * x;
        const glm::dvec3 across = -(gravity - glm::dot(gravity, x) * x) * (0.1 / 1.1);
        CHECK(glm::length(world.joint_force(pivot).force - along - across) < 1e-9); // 10 N, 853 at 240 Hz
        CHECK(std::abs(world.joint_force(pivot).torque.z) < 1e-12);
    }
}

TEST_CASE("Bennett's linkage of four skew hinges moves, with three redundant rows") {
    // Opposite links equal, a / sin alpha = b / sin beta: mobile against Gruebler's count. Closure (Hunt, Kinematic
    // Geometry of Mechanisms, 1978, section 10.5): tan(theta_1 / 2) tan(theta_2 / 2) = sin((beta + alpha) / 2) /
    // sin((beta - alpha) / 2), theta_3 = 2 pi - theta_1, theta_4 = 2 pi - theta_2.
    const double alpha = 0.5;
    const double beta = 1.1;
    const double a = std::sin(alpha);
    const double b = std::sin(beta);
    const double theta_1 = 1.2;
    const double theta_2 =
        2.0 * std::atan(std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha)) / std::tan(0.5 * theta_1));
    // theta_k turns before link k here, so the first link follows theta_4's complement.
    Loop loop(fixed("dormand_prince853", 2), {a, b, a, b}, {alpha, beta, alpha, beta},
              {theta_1, theta_2, -theta_1, -theta_2});
    loop.world.body(loop.links[1]).apply_impulse({0.3, 0.5, 0.4});
    loop.world.advance(kFrame);
    const double energy = loop.world.energy().total();
    const glm::dvec3 start = loop.world.pose(loop.links[1]).position;
    REQUIRE(energy > 1e-3);
    double farthest = 0.0;
    for (int frame = 0; frame < 300; ++frame) {
        REQUIRE(loop.world.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(worst_joint_error(loop.world) < 1e-12);
        farthest = std::max(farthest, glm::length(loop.world.pose(loop.links[1]).position - start));
    }
    CHECK(farthest > 0.1);
    CHECK(loop.world.redundant_joint_rows() == 3); // 3 * 6 freedoms, 4 * 5 rows, one freedom left
    CHECK(std::abs(loop.world.energy().total() - energy) < 1e-9 * energy);
}

TEST_CASE("Bricard's loop of six hinges at right angles moves, with one redundant row") {
    // Six equal links, twists of +-90 degrees, threefold symmetry: (cos theta_odd)(...) closes for angles that a search
    // along the one-parameter family finds: theta_1 and theta_2 alternate with
    // cos t1 + cos t2 + cos t1 cos t2 = 0 (Baker, Mech. Mach. Theory 15 (1980) 267).
    const double t1 = 0.9;
    const double t2 = std::acos(-std::cos(t1) / (1.0 + std::cos(t1)));
    const double quarter = 0.5 * std::numbers::pi;
    Loop loop(fixed("dormand_prince853", 2), std::vector<double>(6, 1.0),
              {quarter, -quarter, quarter, -quarter, quarter, -quarter}, {t1, t2, t1, t2, t1, t2});
    loop.world.body(loop.links[2]).apply_impulse({1.0, 0.7, 0.4});
    loop.world.advance(kFrame);
    const double energy = loop.world.energy().total();
    const glm::dvec3 start = loop.world.pose(loop.links[2]).position;
    REQUIRE(energy > 1e-3);
    double farthest = 0.0;
    for (int frame = 0; frame < 300; ++frame) {
        REQUIRE(loop.world.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(worst_joint_error(loop.world) < 1e-12);
        farthest = std::max(farthest, glm::length(loop.world.pose(loop.links[2]).position - start));
    }
    CHECK(farthest > 0.1);
    CHECK(loop.world.redundant_joint_rows() == 1); // 5 * 6 freedoms, 6 * 5 rows, one freedom left
    CHECK(std::abs(loop.world.energy().total() - energy) < 1e-9 * energy);
}

TEST_CASE("a ring of twelve links on balls keeps energy, momentum and its joints") {
    World world({.gravity = glm::dvec3(0.0), .integrator = fixed("dormand_prince853", 2)});
    std::vector<BodyId> ring;
    const auto corner = [](int k) {
        const double angle = 2.0 * std::numbers::pi * k / 12.0;
        return glm::dvec3(std::cos(angle), std::sin(angle), 0.1 * (k % 3));
    };
    for (int k = 0; k < 12; ++k) {
        ring.push_back(add_ball(world, 0.5 * (corner(k) + corner(k + 1))));
    }
    for (std::size_t k = 0; k < 12; ++k) {
        world.create_joint(ball(world, ring[(k + 11) % 12], ring[k], corner(static_cast<int>(k))));
    }
    world.body(ring[3]).apply_impulse({1.0, 2.0, 0.5});
    world.advance(kFrame);
    const double energy = world.energy().total();
    for (int frame = 0; frame < 300; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(worst_joint_error(world) < 1e-12);
    }
    glm::dvec3 momentum(0.0);
    for (const BodyId id : ring) {
        momentum += world.body(id).linear_velocity();
    }
    CHECK(world.redundant_joint_rows() == 0);
    CHECK(glm::length(momentum - glm::dvec3(1.0, 2.0, 0.5)) < 1e-12);
    CHECK(std::abs(world.energy().total() - energy) < 1e-8 * energy);
}

TEST_CASE("an arm with its end on the ground is brought back within the limit of its hinge when it is moved beyond") {
    World world({.gravity = glm::dvec3(0.0, -9.8, 0.0)});
    BodyDesc ground;
    ground.motion = MotionType::Static;
    ground.shape = Plane{};
    world.create_body(ground);
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = Sphere{0.1};
    desc.pose.position = {0.5, 0.1, 0.0};
    const BodyId arm = world.create_body(desc);
    JointDesc joint = hinge(world, kGround, arm, {0.0, 0.1, 0.0}, kZ);
    joint.limits = {{.axis = JointAxis::AngleZ, .lower = -1.0, .upper = 1.0}};
    const JointId shoulder = world.create_joint(joint);
    for (int frame = 0; frame < 3; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }
    REQUIRE(world.contacts().size() == 1);
    const glm::dvec3 beyond(0.5 * std::cos(1.2), 0.1 + 0.5 * std::sin(1.2), 0.0);
    world.body(arm).set_pose({beyond, glm::angleAxis(1.2, kZ)});
    world.assemble();
    CHECK(world.joint_value(shoulder, JointAxis::AngleZ) == doctest::Approx(1.0).epsilon(1e-12));
}
