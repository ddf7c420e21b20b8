// Where the bodies of an island are and how they move, from the numbers of a state.
#include <doctest/doctest.h>

#include <vector>

#include "bodies/body_frames.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

constexpr glm::dvec3 kSpin(0.3, -1.1, 0.7);

// A brick that is turned and spins, a second one beside it that never turns, and a kinematic body.
struct TwoBricks {
    Store store;
    BodyFrames frames;
    std::vector<double> y;

    explicit TwoBricks(std::size_t memory = 0, const glm::dvec3& carrier_velocity = glm::dvec3(0.0)) {
        BodyDesc brick;
        brick.collides = false;
        brick.shape = Box{{0.5, 0.2, 0.3}};
        brick.mass = 3.0;
        brick.pose = {{1.0, 2.0, 3.0}, glm::normalize(glm::dquat(0.9, 0.1, -0.3, 0.2))};
        brick.linear_velocity = {0.5, 0.0, -0.25};
        brick.angular_velocity = kSpin;
        store.add(brick);
        brick.angular_velocity = glm::dvec3(0.0);
        brick.locks_rotation = true;
        store.add(brick);
        BodyDesc carrier;
        carrier.motion = MotionType::Kinematic;
        carrier.pose.position = {0.0, 5.0, 0.0};
        carrier.linear_velocity = carrier_velocity;
        if (carrier_velocity != glm::dvec3(0.0)) {
            carrier.angular_velocity = {0.0, 2.0, 0.0};
        }
        store.add(carrier);
        frames.build(store.inertias());
        frames.start_anew(store.motions(), memory);
        frames.set_prescribed(0, store.motions()[0]);
        y = store.state();
        y.resize(y.size() + memory);
    }
};

} // namespace

TEST_CASE("body frames: velocities follow from momenta by the tensor of inertia, whatever length a quaternion has") {
    TwoBricks bricks;
    // The tensor of a homogeneous box in the world, without principal axes.
    const BodyRecord& brick = bricks.store.bodies[bricks.store.dynamic[0]];
    const glm::dmat3 axes = glm::mat3_cast(glm::normalize(glm::dquat(0.9, 0.1, -0.3, 0.2)));
    const glm::dmat3 tensor(glm::dvec3(0.04 + 0.09, 0.0, 0.0), glm::dvec3(0.0, 0.25 + 0.09, 0.0),
                            glm::dvec3(0.0, 0.0, 0.25 + 0.04)); // m / 3 of it is that of half sizes 0.5, 0.2, 0.3
    CHECK(near(brick.now.L, axes * (tensor * (glm::transpose(axes) * kSpin)), 1e-14));

    BodyState longer = brick.now;
    longer.q = 2.0 * brick.now.q;
    write_body(0, longer, bricks.y);
    bricks.frames.place(0.0, bricks.y);
    bricks.frames.set_velocities(bricks.y);
    CHECK(near(bricks.frames.velocities()[0].angular, kSpin, 1e-14));
    CHECK(bricks.frames.velocities()[0].linear == glm::dvec3(0.5, 0.0, -0.25));
    const glm::dmat3& rotation = bricks.frames.frames()[0].rotation;
    CHECK(near(rotation * glm::dvec3(1.0, 0.0, 0.0), brick.now.q * glm::dvec3(1.0, 0.0, 0.0), 1e-15));
    CHECK(near(glm::length(bricks.frames.states()[0].orientation), 1.0, 1e-15));
    CHECK(near(bricks.frames.states()[0].angular_velocity, kSpin, 1e-14));
}

TEST_CASE("body frames: prescribed bodies are where their motion takes them, and places of others are left alone") {
    TwoBricks bricks(0, {1.0, 0.0, 0.5});
    CHECK(bricks.frames.any_prescribed_moves());
    CHECK(bricks.frames.size() == 3);
    CHECK(bricks.frames.states()[2].position == glm::dvec3(0.0, 5.0, 0.0)); // set, and not placed yet
    bricks.frames.place(2.0, bricks.y);
    CHECK(near(bricks.frames.frames()[2].position, {2.0, 5.0, 1.0}));
    CHECK(near(bricks.frames.frames()[2].rotation[0], {std::cos(4.0), 0.0, -std::sin(4.0)})); // 2 rad/s about y
    CHECK(bricks.frames.velocities()[2].linear == glm::dvec3(1.0, 0.0, 0.5));
    CHECK(bricks.frames.velocities()[2].angular == glm::dvec3(0.0, 2.0, 0.0));

    std::vector<BodyFrame> others(bricks.frames.frames().begin(), bricks.frames.frames().end());
    bricks.frames.place_prescribed(3.0, others);
    CHECK(near(others[2].position, {3.0, 5.0, 1.5}));
    CHECK(others[0].position == glm::dvec3(1.0, 2.0, 3.0));
    CHECK(near(bricks.frames.frames()[2].position, {2.0, 5.0, 1.0}));
}

TEST_CASE("body frames: the version tells other places, memories and moving times from those of before") {
    TwoBricks bricks(1);
    bricks.frames.place(0.0, bricks.y);
    const std::uint64_t first = bricks.frames.version();
    bricks.y[kVelocity] += 1.0;
    bricks.y[kNumbersPerBody + kMomentum] += 1.0;
    bricks.frames.place(1.0, bricks.y);
    CHECK(bricks.frames.version() == first); // nothing is elsewhere
    CHECK(bricks.frames.time() == 0.0);
    PrescribedMotion lift; // that contacts touch: from now on the time counts
    lift.velocity.linear = {0.0, 2.0, 0.0};
    bricks.frames.set_touched({&lift, 1}, 1);
    bricks.frames.place(1.0, bricks.y);
    CHECK(near(bricks.frames.all_frames()[bricks.frames.size()].position, {0.0, 2.0, 0.0}));
    CHECK(bricks.frames.velocities()[bricks.frames.size()] == lift.velocity);
    CHECK(bricks.frames.frames().size() == bricks.frames.size());
    const std::uint64_t later = bricks.frames.version();
    CHECK(later != first);
    bricks.y[kNumbersPerBody + kPosition] = std::nextafter(bricks.y[kNumbersPerBody + kPosition], 9.0);
    bricks.frames.place(1.0, bricks.y);
    const std::uint64_t moved = bricks.frames.version();
    CHECK(moved != later);
    bricks.y.back() = 0.5;
    bricks.frames.place(1.0, bricks.y);
    CHECK(bricks.frames.version() != moved);
    CHECK(bricks.frames.memory()[0] == 0.5);

    TwoBricks carried(0, {1.0, 0.0, 0.0});
    carried.frames.place(0.0, carried.y);
    const std::uint64_t before = carried.frames.version();
    carried.frames.place(0.0, carried.y);
    CHECK(carried.frames.version() == before);
    carried.frames.place(0.5, carried.y); // the carrier moves
    CHECK(carried.frames.version() != before);
}

TEST_CASE("body frames: opposite impulses leave the momentum, and do the work of the mean velocities") {
    TwoBricks bricks;
    Placed before(bricks.store);
    Placed after(bricks.store);
    const glm::dvec3 impulse(0.2, -0.4, 0.6);
    const glm::dvec3 turn(0.05, 0.02, -0.01);
    bricks.frames.place(0.0, bricks.y);
    const std::vector<Wrench> impulses{{impulse, turn}, {-impulse, turn}};
    bricks.frames.add_impulses(impulses, after.y);
    CHECK(near(after.momentum(), before.momentum()));
    CHECK(near(after.body(0).v - before.body(0).v, impulse / 3.0));
    CHECK(near(after.body(0).L - before.body(0).L, turn));
    CHECK(after.body(1).L == glm::dvec3(0.0)); // it never turns
    CHECK(bricks.frames.felt_torque(0, turn) == turn);
    CHECK(bricks.frames.felt_torque(1, turn) == glm::dvec3(0.0));
    const double work =
        0.5 * glm::dot(impulse, before.body(0).v + after.body(0).v - before.body(1).v - after.body(1).v) +
        0.5 * glm::dot(turn, before.angular_velocity(0) + after.angular_velocity(0));
    CHECK(near(after.kinetic_energy() - before.kinetic_energy(), work, 1e-13));
}

TEST_CASE("body frames: another inertia answers at once, and a body is found at any time and state without a placing") {
    TwoBricks bricks(0, {1.0, 0.0, 0.5});
    bricks.frames.place(0.0, bricks.y);
    const std::uint64_t before = bricks.frames.version();
    bricks.frames.set_inertia(0, BodyInertia(6.0, glm::dvec3(2.0))); // the same about any axis
    bricks.frames.place(0.0, bricks.y);
    bricks.frames.set_velocities(bricks.y);
    CHECK(bricks.frames.version() != before);
    CHECK(bricks.frames.frames()[0].inverse_mass == 1.0 / 6.0);
    CHECK(near(bricks.frames.velocities()[0].angular, 0.5 * read_body(0, bricks.y).L));

    std::vector<double> elsewhere = bricks.y;
    elsewhere[kPosition] = -7.0;
    const BodyFrame brick = bricks.frames.frame_at(0, 2.0, elsewhere);
    CHECK(brick.position == glm::dvec3(-7.0, 2.0, 3.0));
    CHECK(near(brick.rotation[1], glm::mat3_cast(read_body(0, bricks.y).q)[1]));
    CHECK(near(bricks.frames.frame_at(2, 2.0, elsewhere).position, {2.0, 5.0, 1.0}));
    CHECK(bricks.frames.frames()[0].position == glm::dvec3(1.0, 2.0, 3.0));
}
