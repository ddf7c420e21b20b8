// Converged convex steps on piles and joints written by hand: how little they sink, what stands and what falls, what
// friction holds to the last nanometre, that energy never rises, and that no copy changes a bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bodies/rigid_motion.h"
#include "convex_driver.h"
#include "counting_allocator.h"

using namespace substep;
using namespace substep::detail;
using namespace substep::test;

namespace {

ConvexResult run_convex(ConvexDriver& pile, int frames) {
    ConvexResult result;
    for (int i = 0; i < frames; ++i) {
        result = pile.advance();
        REQUIRE(result.has_converged);
    }
    return result;
}

double energy_of(const ConvexDriver& pile) { return pile.kinetic_energy() + pile.potential_energy(); }

double sink_of_convex_tower(double length, const glm::dvec3& at) {
    ConvexDriver pile;
    add_tower(pile, 10);
    const double time = std::sqrt(length);
    pile.step.scale = WorldScale(length, time);
    pile.step.dt *= time;
    for (PileBody& body : pile.bodies) {
        body.position = length * body.position + at;
        body.inverse_moments /= length * length;
        body.smallest_extent *= length;
    }
    for (PileSolid& solid : pile.solids) {
        if (Box* const box = std::get_if<Box>(&solid.carried.solid)) {
            box->half_sizes *= length;
            solid.carried.reach *= length;
        }
    }
    const std::vector<PileBody> before = pile.bodies;
    run_convex(pile, 300);
    return deepest_sink(pile, before) / length;
}

/// A block on an incline, whose friction is `part` of what would just hold it.
void add_incline(ConvexDriver& pile, double friction, double tangent) {
    const glm::dquat tilt = glm::angleAxis(std::atan(tangent), glm::dvec3(0.0, 0.0, 1.0));
    pile.add(Plane{}, glm::dvec3(0.0), 0.0, tilt);
    pile.add(Box{{0.5, 0.25, 0.5}}, tilt * glm::dvec3(0.0, 0.25, 0.0), 2.0, tilt);
    pile.surface.friction = pile.surface.static_friction = friction;
}

/// Cubes and balls that fall on one another.
void add_convex_mixture(ConvexDriver& pile, double heavy) {
    add_pit(pile, 1.5);
    PileNumbers numbers(9);
    for (int i = 0; i < 24; ++i) {
        const glm::dvec3 at(0.9 * (i % 3 - 1), 0.6 + 0.9 * (i / 9), 0.9 * (i / 3 % 3 - 1));
        const Shape shape = i % 2 == 0 ? Shape(Sphere{0.35}) : Shape(Box{glm::dvec3(0.3)});
        pile.add(shape, at, i % 3 == 0 ? heavy : 1.0,
                 glm::normalize(detail::quaternion(1.0, numbers.next(), numbers.next(), 0.3)));
        PileBody& body = pile.bodies.back();
        body.velocity = {numbers.between(-3.0, 3.0), 0.0, numbers.between(-3.0, 3.0)};
        body.angular_momentum = glm::dvec3(0.02, 0.01, 0.0) * numbers.between(-1.0, 1.0) / body.inverse_mass;
        body.angular_velocity = angular_velocity(body.rotation, body.inverse_moments, body.angular_momentum);
    }
}

/// A ball joint between two bodies, at arms in their axes.
struct BallJoint {
    std::array<std::uint32_t, 2> body;
    std::array<glm::dvec3, 2> at;
};

/// Bodies and ball joints, whose rows are written anew for every step.
struct ConvexChain {
    ConvexDriver pile;
    std::vector<BallJoint> joints;

    /// Writes the rows; returns the greatest gap (m).
    double write_rows() {
        double worst = 0.0;
        pile.joints.clear();
        pile.rows.resize(3 * joints.size());
        for (std::size_t j = 0; j < joints.size(); ++j) {
            ConvexJoint joint;
            joint.body = joints[j].body;
            joint.first_row = static_cast<std::uint32_t>(3 * j);
            joint.rows = 3;
            for (std::size_t e = 0; e < 2; ++e) {
                joint.arm[e] = pile.bodies[joint.body[e]].rotation * joints[j].at[e];
            }
            const glm::dvec3 gap = (pile.bodies[joint.body[0]].position + joint.arm[0]) -
                                   (pile.bodies[joint.body[1]].position + joint.arm[1]);
            worst = std::max(worst, glm::length(gap));
            for (int k = 0; k < 3; ++k) {
                ConvexRow& row = pile.rows[joint.first_row + static_cast<std::size_t>(k)];
                glm::dvec3 axis(0.0);
                axis[k] = 1.0;
                row.jacobian = {Twist{axis, glm::cross(joint.arm[0], axis)},
                                Twist{-axis, -glm::cross(joint.arm[1], axis)}};
                row.gap = gap[k];
            }
            pile.joints.push_back(joint);
        }
        return worst;
    }
};

/// S9: ten links of 1 kg and a ball of 1000 kg, from 45 degrees.
void add_heavy_chain(ConvexChain& chain) {
    const glm::dvec3 along = glm::dvec3(1.0, -1.0, 0.0) / std::sqrt(2.0);
    const glm::dquat turn = glm::angleAxis(std::atan(-1.0), glm::dvec3(0.0, 0.0, 1.0));
    chain.pile.bodies.emplace_back(); // the ground
    for (std::uint32_t i = 0; i <= 10; ++i) {
        PileBody body;
        body.rotation = turn;
        body.position = (i < 10 ? 0.25 + 0.5 * i : 5.5) * along;
        body.inverse_mass = i < 10 ? 1.0 : 1e-3;
        const glm::dvec3 half(0.25, 0.05, 0.05);
        const glm::dvec3 squares = half * half;
        body.inverse_moments =
            i < 10 ? 3.0 / glm::dvec3(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y)
                   : glm::dvec3(0.01);
        chain.pile.bodies.push_back(body);
        chain.joints.push_back(
            {{i, i + 1},
             {i == 0 ? glm::dvec3(0.0) : glm::dvec3(0.25, 0.0, 0.0), glm::dvec3(i < 10 ? -0.25 : -0.5, 0.0, 0.0)}});
    }
}

/// A carriage of 2 kg on a rail along x: one body, one row.
void add_carriage(ConvexDriver& pile, const ConvexRow& row) {
    pile.gravity = glm::dvec3(0.0);
    pile.bodies.emplace_back();
    PileBody body;
    body.inverse_mass = 0.5;
    pile.bodies.push_back(body);
    pile.joints.push_back({{0, 1}, {glm::dvec3(0.0), glm::dvec3(0.0)}, 0, 1});
    pile.rows.push_back(row);
    pile.rows[0].jacobian[1].linear = {1.0, 0.0, 0.0};
}

} // namespace

TEST_CASE("convex step: a tower of ten sinks 0.08 mm, far from the origin and in small and large worlds too") {
    const double sink = sink_of_convex_tower(1.0, glm::dvec3(0.0));
    MESSAGE("sinks by " << sink << " m");
    CHECK(sink < 0.1e-3);
    CHECK(sink > 0.05e-3);
    CHECK(std::abs(sink_of_convex_tower(1.0, {1e6, 0.0, -1e6}) - sink) < 1e-6);
    CHECK(std::abs(sink_of_convex_tower(1e-3, glm::dvec3(0.0)) - sink) < 1e-9);
    CHECK(std::abs(sink_of_convex_tower(100.0, glm::dvec3(0.0)) - sink) < 1e-9);
}

TEST_CASE("convex step: towers of 40 and of 100, and a pyramid of 210, stand") {
    for (const int count : {40, 100}) {
        ConvexDriver pile;
        add_tower(pile, count);
        run_convex(pile, 1);
        pile.bodies.back().velocity.x = 0.01; // a push
        run_convex(pile, 300);
        CHECK(pile.fastest() < 1e-3); // it still sways
        for (const PileBody& body : pile.bodies) {
            CHECK(std::abs(body.position.x) < 0.01);
        }
    }
    ConvexDriver pile;
    add_pyramid(pile, 20);
    const std::vector<PileBody> before = pile.bodies;
    run_convex(pile, 200);
    CHECK(deepest_sink(pile, before) < 0.3e-3);
    CHECK(pile.fastest() < 1e-6);
}

TEST_CASE("convex step: 100 kg on nine cubes of 1 kg sink by 3 mm at most") {
    ConvexDriver pile;
    add_tower(pile, 9);
    pile.add(Box{glm::dvec3(0.5)}, {0.0, 9.5, 0.0}, 100.0);
    const std::vector<PileBody> before = pile.bodies;
    run_convex(pile, 300);
    CHECK(deepest_sink(pile, before) < 3e-3);
    CHECK(pile.fastest() < 1e-6);
}

TEST_CASE("convex step: a ball on three of 1 kg stands where friction holds it and falls where not, up to 100 t") {
    // The least is 0.318. A light ball stands at 0.34; a heavy one gives way by a millimetre before friction holds.
    for (const double mass : {1.0, 10.0, 100.0, 1000.0, 1e5}) {
        for (const double friction : {0.30, mass > 10.0 ? 0.5 : 0.34}) {
            ConvexDriver pile;
            add_floor(pile);
            pile.surface.friction = pile.surface.static_friction = friction;
            const double from_centre = 1.0 / std::sqrt(3.0);
            for (int k = 0; k < 3; ++k) {
                const double angle = 2.0 * 3.14159265358979 * k / 3.0;
                pile.add(Sphere{0.5}, {from_centre * std::cos(angle), 0.5, from_centre * std::sin(angle)}, 1.0);
            }
            const double height = 0.5 + std::sqrt(1.0 - from_centre * from_centre);
            pile.add(Sphere{0.5}, {0.0, height, 0.0}, mass);
            int unconverged = 0; // where friction still lags as a heavy one begins to press
            for (int i = 0; i < 600; ++i) {
                unconverged += pile.advance().has_converged ? 0 : 1;
            }
            CHECK(unconverged <= (mass > 10.0 ? 5 : 0));
            CAPTURE(mass);
            CAPTURE(friction);
            if (friction < 0.32) {
                CHECK(pile.bodies[4].position.y < 0.51);
            } else {
                CHECK(pile.bodies[4].position.y > height - 0.01);
                CHECK(pile.fastest() < 1e-3);
            }
        }
    }
}

TEST_CASE("convex step: a block on an incline creeps by no 1e-7 m in ten minutes, and slides by the closed form") {
    ConvexDriver holds;
    add_incline(holds, 0.5, 0.99 * 0.5);
    run_convex(holds, 60);
    const glm::dvec3 before = holds.bodies[1].position;
    run_convex(holds, 36000);
    CHECK(glm::length(holds.bodies[1].position - before) < 1e-7);

    ConvexDriver slides;
    add_incline(slides, 0.5, 1.01 * 0.5);
    const glm::dvec3 begin = slides.bodies[1].position;
    run_convex(slides, 3600);
    CHECK(glm::length(slides.bodies[1].position - begin) == doctest::Approx(78.73).epsilon(0.01));
}

TEST_CASE("convex step: static friction holds what slides on once it has begun to") {
    ConvexDriver pile;
    add_incline(pile, 0.5, 0.55);
    pile.surface.static_friction = 0.6;
    run_convex(pile, 60);
    CHECK(glm::length(pile.bodies[1].velocity) < 1e-6);
    pile.bodies[1].velocity = pile.bodies[1].rotation * glm::dvec3(-0.1, 0.0, 0.0);
    run_convex(pile, 60);
    CHECK(glm::length(pile.bodies[1].velocity) > 0.4);
}

TEST_CASE("convex step: a block that slides at 5 m/s stops where it should, to first order in the step") {
    const auto error = [](int per_frame) {
        ConvexDriver pile;
        add_floor(pile);
        pile.add(Box{glm::dvec3(0.5)}, {0.0, 0.5, 0.0}, 1.0);
        pile.bodies[1].velocity = {5.0, 0.0, 0.0};
        pile.step.dt /= per_frame;
        run_convex(pile, 90 * per_frame);
        CHECK(pile.fastest() < 1e-9);
        return pile.bodies[1].position.x - 2.5510;
    };
    const double coarse = error(1);
    CHECK(std::abs(coarse) < 0.05);
    CHECK(error(2) / coarse == doctest::Approx(0.5).epsilon(0.05));
    CHECK(error(8) / coarse == doctest::Approx(0.125).epsilon(0.05));
}

TEST_CASE("convex step: a cube born 1 cm deep leaves slowly, and deep overlaps are pushed apart at 3 m/s at most") {
    for (const double depth : {0.01, 0.4}) {
        ConvexDriver pile;
        add_floor(pile);
        pile.add(Box{glm::dvec3(0.5)}, {0.0, 0.5 - depth, 0.0}, 1.0);
        double fastest = 0.0;
        for (int i = 0; i < 120; ++i) {
            pile.advance();
            fastest = std::max(fastest, pile.bodies[1].velocity.y);
        }
        CHECK(fastest < (depth < 0.1 ? 1.0 : 3.0 + 1e-6));
        CHECK(pile.bodies[1].position.y == doctest::Approx(0.5).epsilon(1e-4));
    }
}

TEST_CASE("convex step: energy grows by no more than push-out gives, with e = 1 and with masses of 1e4 to 1 too") {
    for (const double heavy : {1.0, 1e4}) {
        for (const double restitution : {0.0, 1.0}) {
            for (const double friction : {0.0, 0.5}) {
                ConvexDriver pile;
                add_convex_mixture(pile, heavy);
                pile.surface.restitution = restitution;
                pile.surface.friction = pile.surface.static_friction = friction;
                pile.step.keeps_books = true;
                const double begin = energy_of(pile);
                double energy = begin;
                double worst = 0.0; // J, in a step
                for (int i = 0; i < 200; ++i) {
                    const ConvexResult result = pile.advance();
                    REQUIRE(result.pile.is_finite);
                    CHECK(result.pile.works.softness <= 0.0);
                    CHECK(result.pile.works.push_out >= 0.0);
                    const double now = energy_of(pile);
                    worst = std::max(worst, now - energy - result.pile.works.push_out);
                    energy = now;
                }
                CAPTURE(heavy);
                CAPTURE(restitution);
                CAPTURE(friction);
                CHECK(worst < 1e-5 * begin);
                CHECK(energy < begin);
            }
        }
    }
}

TEST_CASE("convex step: books close to first order in the step, and from rest to rest") {
    const auto remainder = [](int per_frame, double seconds) {
        ConvexDriver pile;
        add_tower(pile, 5);
        for (PileBody& body : pile.bodies) {
            body.position.y += body.is_prescribed() ? 0.0 : 0.3 * body.position.y;
        }
        pile.step.keeps_books = true;
        pile.step.dt /= per_frame;
        const double before = energy_of(pile);
        double booked = 0.0;
        for (int i = 0; i < static_cast<int>(60.0 * seconds) * per_frame; ++i) {
            const PileWorks works = pile.advance().pile.works;
            booked += works.normal + works.friction + works.restitution + works.softness + works.push_out;
        }
        return std::array<double, 2>{energy_of(pile) - before - booked, booked};
    };
    const std::array<double, 2> falling = remainder(1, 0.3);
    CHECK(std::abs(falling[0]) > 1e-3);
    CHECK(remainder(2, 0.3)[0] / falling[0] == doctest::Approx(0.5).epsilon(0.05));
    const std::array<double, 2> whole = remainder(8, 3.0);
    MESSAGE("of " << whole[1] << " J " << whole[0] << " J are not booked");
    CHECK(std::abs(whole[0]) < 0.05 * std::abs(whole[1]));
}

TEST_CASE("convex step: a pile in free space keeps its momentum to what is left unsolved") {
    ConvexDriver pile;
    PileNumbers numbers(3);
    pile.gravity = glm::dvec3(0.0);
    for (int i = 0; i < 27; ++i) {
        const glm::dvec3 at(1.3 * (i % 3 - 1), 1.3 * (i / 3 % 3 - 1), 1.3 * (i / 9 - 1));
        pile.add(Box{{0.5, 0.4, 0.3}}, at, 1.0 + i % 4,
                 glm::normalize(detail::quaternion(1.0, numbers.next(), numbers.next(), numbers.next())));
        pile.bodies.back().velocity = -2.0 * at + glm::dvec3(0.5 * at.y, -0.5 * at.x, 0.0);
    }
    const auto momentum = [&] {
        glm::dvec3 sum(0.0);
        for (const PileBody& body : pile.bodies) {
            sum += body.velocity / body.inverse_mass;
        }
        return sum;
    };
    const glm::dvec3 before = momentum();
    int touching = 0;
    for (int i = 0; i < 120; ++i) {
        touching += static_cast<int>(pile.advance().pile.touching.size());
    }
    CHECK(touching > 900);
    CHECK(glm::length(momentum() - before) < 1e-9);
}

TEST_CASE("convex step: a ball with e = 1 bounces on, and one with e = 0.5 by half of its speed") {
    for (const double restitution : {1.0, 0.5}) {
        const double highest = height_of_bounce<ConvexDriver>(restitution);
        CHECK(highest - 0.1 == doctest::Approx(0.9 * restitution * restitution).epsilon(0.1));
        CHECK(highest < 1.0);
    }
}

TEST_CASE("convex step: a ball of 1000 kg on ten links of 1 kg hangs with gaps below 0.2 mm at one step a frame") {
    ConvexChain chain;
    add_heavy_chain(chain);
    chain.write_rows();
    const double begin = energy_of(chain.pile);
    double energy = begin;
    double gap = 0.0;
    for (int i = 0; i < 600; ++i) {
        const ConvexResult result = chain.pile.solve();
        REQUIRE(result.has_converged);
        gap = std::max(gap, chain.write_rows());
        CHECK(energy_of(chain.pile) < energy + 1e-6 * std::abs(begin));
        energy = energy_of(chain.pile);
    }
    MESSAGE("gap " << gap << " m, energy lost " << begin - energy << " J");
    CHECK(gap < 0.2e-3);
    CHECK(begin - energy < 0.5 * 15788.0); // of what the fall to the lowest point gives
}

TEST_CASE("convex step: rows that are there twice share the load, and a contact works beside a joint") {
    ConvexChain chain;
    chain.pile.bodies.emplace_back();
    add_floor(chain.pile); // a body of its own, and the pendulum comes to lie on it
    chain.pile.add(Box{{0.5, 0.1, 0.1}}, {0.5, 0.5, 0.0}, 1.0);
    // The solids of the driver are counted from the floor on.
    chain.pile.bodies[0].position = {0.0, 0.5, 0.0};
    for (int twice = 0; twice < 2; ++twice) {
        chain.joints.push_back({{0, 2}, {glm::dvec3(0.0), glm::dvec3(-0.5, 0.0, 0.0)}});
    }
    for (int i = 0; i < 300; ++i) {
        chain.write_rows();
        chain.pile.find_pairs();
        REQUIRE(chain.pile.solve().has_converged);
    }
    CHECK(chain.write_rows() < 1e-6);
    CHECK(chain.pile.fastest() < 1e-6);
    CHECK(chain.pile.bodies[2].position.y > 0.1);
    CHECK(chain.pile.rows[1].force == doctest::Approx(chain.pile.rows[4].force));
    CHECK(chain.pile.rows[1].force < 0.0);
}

TEST_CASE(
    "convex step: limits push one way only, drives no harder than they may, and springs and dampers as they are") {
    const auto after = [](const ConvexRow& row, double speed, int frames, double force = 0.0) {
        ConvexDriver pile;
        add_carriage(pile, row);
        pile.bodies[1].velocity.x = speed;
        pile.gravity.x = 0.5 * force;
        for (int i = 0; i < frames; ++i) {
            pile.rows[0].gap = row.gap + pile.bodies[1].position.x;
            REQUIRE(pile.solve().has_converged);
        }
        return std::array<double, 3>{pile.bodies[1].position.x, pile.bodies[1].velocity.x, pile.rows[0].force};
    };
    ConvexRow limit;
    limit.gap = 0.5;
    limit.least = 0.0;
    const auto held = after(limit, 0.0, 120, -10.0); // pressed against a limit half a metre away
    CHECK(held[0] == doctest::Approx(-0.5).epsilon(1e-6));
    CHECK(held[2] == doctest::Approx(10.0).epsilon(1e-6));
    CHECK(after(limit, 1.0, 60)[0] == doctest::Approx(1.0)); // away from it nothing holds

    ConvexRow drive;
    drive.stiffness = 0.0;
    drive.damping = 1e6;
    drive.rate = 3.0;
    drive.least = -4.0;
    drive.most = 4.0;
    CHECK(after(drive, 0.0, 60)[1] == doctest::Approx(2.0)); // 4 N on 2 kg for a second
    CHECK(after(drive, 0.0, 120)[1] == doctest::Approx(3.0).epsilon(1e-4));

    ConvexRow spring;
    spring.stiffness = 100.0;
    spring.damping = 20.0;
    const auto rests = after(spring, 1.0, 600, 10.0);
    CHECK(rests[0] == doctest::Approx(0.1).epsilon(1e-6));
    CHECK(rests[2] == doctest::Approx(-10.0).epsilon(1e-6));
}

TEST_CASE("convex step: resistance stops what rolls and what spins, and a belt carries a block") {
    ConvexDriver pile;
    add_floor(pile);
    pile.add(Sphere{0.5}, {0.0, 0.5, 0.0}, 1.0);
    pile.bodies[1].velocity = {1.0, 0.0, 0.0};
    pile.bodies[1].angular_momentum = glm::dvec3(0.0, 0.0, -2.0) / pile.bodies[1].inverse_moments.z;
    pile.surface.rolling_resistance = 0.01;
    run_convex(pile, 60);
    // Rolling: m a (1 + 2/5) = -m g c / r.
    CHECK(pile.bodies[1].velocity.x == doctest::Approx(1.0 - 9.8 * 0.01 / 0.5 / 1.4).epsilon(0.02));
    run_convex(pile, 600);
    CHECK(std::abs(pile.bodies[1].velocity.x) < 1e-6);
    pile.bodies[1].angular_momentum = glm::dvec3(0.0, 2.0, 0.0) / pile.bodies[1].inverse_moments.y;
    pile.surface.spinning_resistance = 0.01;
    run_convex(pile, 30);
    CHECK(pile.bodies[1].angular_velocity.y == doctest::Approx(2.0 - 0.5 * 9.8 * 0.01 * 10.0).epsilon(0.02));

    ConvexDriver belt;
    add_floor(belt);
    belt.add(Box{}, {0.0, 0.5, 0.0}, 1.0);
    belt.surface.surface_velocity = {1.0, 0.0, 0.0}; // of the floor, which is the first body of the pair
    run_convex(belt, 120);
    CHECK(belt.bodies[1].velocity.x == doctest::Approx(1.0).epsilon(1e-3));
}

TEST_CASE("convex step: forces that come from elsewhere stay what they are") {
    ConvexDriver pile;
    add_tower(pile, 10);
    pile.find_pairs();
    pile.solve(); // finds the points
    for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
        // As deep in one another as soft steps leave them.
        pile.bodies[i].position = {0.0, i == 0 ? 0.0 : static_cast<double>(i) - 0.5 - 0.6e-3 * static_cast<double>(i),
                                   0.0};
        pile.bodies[i].velocity = pile.bodies[i].angular_velocity = pile.bodies[i].angular_momentum = glm::dvec3(0.0);
        pile.bodies[i].rotation = detail::quaternion(1.0, 0.0, 0.0, 0.0);
    }
    for (std::size_t p = 0; p < pile.pairs.size(); ++p) {
        PairMemory& memory = pile.memory[p];
        memory.forces_by = ForcesBy::Others;
        memory.friction = memory.turning = glm::dvec3(0.0);
        const std::uint32_t below = pile.pairs[p].solid[0];
        for (std::uint32_t k = 0; k < memory.count; ++k) {
            memory.points[k].force = 9.8 * (10.0 - below) / memory.count;
        }
    }
    double fastest = 0.0;
    for (int i = 0; i < 60; ++i) {
        pile.advance();
        fastest = std::max(fastest, pile.fastest());
    }
    CHECK(fastest < 0.2); // ten offsets that fade at 2 cm/s each, one on the other
    run_convex(pile, 300);
    CHECK(10.0 - 0.5 - pile.bodies[10].position.y < 0.2e-3); // offsets are gone
}

TEST_CASE("convex step: the points that touched tell what presses, where, and how deep") {
    ConvexDriver pile;
    add_tower(pile, 10);
    run_convex(pile, 200);
    const ConvexResult result = pile.advance();
    REQUIRE(result.pile.touching.size() == 40);
    double pressed[10] = {};
    for (const TouchingPoint& touch : result.pile.touching) {
        const std::array<std::uint32_t, 2>& solid = pile.pairs[touch.pair].solid;
        CHECK(std::abs(touch.normal.y + 1.0) < 1e-9);
        CHECK(std::abs(touch.point.y - solid[0]) < 1e-3);
        CHECK(glm::length(touch.slip) < 1e-9);
        CHECK(touch.impulse == doctest::Approx(touch.force.y * -pile.step.dt));
        pressed[solid[0]] -= touch.force.y;
        CHECK(-touch.gap <= result.pile.deepest);
    }
    for (int below = 0; below < 10; ++below) {
        CHECK(pressed[below] == doctest::Approx(9.8 * (10 - below)));
    }
    pile.step.wants_touching = false;
    CHECK(pile.advance().pile.touching.empty());
}

TEST_CASE("convex step: copies of pile and memory go on with the same bits, by a solver that has seen another one") {
    ConvexDriver first;
    add_convex_mixture(first, 3.0);
    for (int i = 0; i < 60; ++i) {
        first.advance();
    }
    ConvexDriver copy;
    add_tower(copy, 3);
    run_convex(copy, 2);
    copy.bodies = first.bodies;
    copy.solids = first.solids;
    copy.pairs = first.pairs;
    copy.memory = first.memory;
    for (int i = 0; i < 60; ++i) {
        first.advance();
        copy.advance();
    }
    CHECK(same_bits(first, copy));
}

TEST_CASE("convex step: who is hit and meets others within the same step pushes them too") {
    ConvexDriver pile;
    pile.gravity = glm::dvec3(0.0);
    pile.reach = 0.3;
    for (const double x : {-1.01, 0.0, 1.04, 2.08}) { // 4 cm apart, farther than contacts are looked for at rest
        pile.add(Box{{0.5, 0.5, 0.5}}, {x, 0.0, 0.0}, 1.0);
    }
    pile.bodies[0].velocity.x = 12.0; // 20 cm a step
    const ConvexResult result = pile.advance();
    CHECK(result.has_converged);
    CHECK(pile.bodies[2].velocity.x > 1.0);
    double momentum = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        momentum += pile.bodies[i].velocity.x;
        CHECK((i == 0 || pile.bodies[i].position.x > pile.bodies[i - 1].position.x + 1.0 - 1e-3));
    }
    CHECK(momentum == doctest::Approx(12.0));
}

TEST_CASE("convex step: few iterations are told where they do not suffice, and make contacts softer") {
    ConvexDriver pile;
    add_convex_mixture(pile, 100.0);
    pile.effort.most_iterations = 2;
    int unconverged = 0;
    for (int i = 0; i < 120; ++i) {
        const ConvexResult result = pile.advance();
        // Once more where friction was given what presses, and for what those leave with who were pushed apart.
        CHECK(result.iterations <= 5);
        REQUIRE(result.pile.is_finite);
        unconverged += result.has_converged ? 0 : 1;
    }
    CHECK(unconverged > 0);
    for (const PileBody& body : pile.bodies) {
        CHECK(body.position.y > -0.1);
    }
    ConvexDriver tower;
    add_tower(tower, 10);
    const std::vector<PileBody> before = tower.bodies;
    tower.effort.most_iterations = 5;
    for (int i = 0; i < 300; ++i) {
        tower.advance();
    }
    CHECK(deepest_sink(tower, before) == doctest::Approx(1.25e-3).epsilon(0.05));
}

TEST_CASE("convex step: who is fast is stopped where it meets what it would pass") {
    for (int phase = 0; phase < 10; ++phase) {
        ConvexDriver pile;
        pile.gravity = glm::dvec3(0.0);
        pile.reach = 100.0;
        pile.add(Box{{0.005, 2.0, 2.0}}, glm::dvec3(0.0), 0.0);
        pile.add(Sphere{0.05}, {-8.0 + 0.27 * phase, 0.1, 0.0}, 1.0);
        pile.bodies[1].velocity = {300.0, 0.0, 0.0};
        for (int i = 0; i < 30; ++i) {
            pile.advance();
        }
        CHECK(pile.bodies[1].position.x < 0.0);
    }
}

TEST_CASE("convex step: a mess of 48 cubes comes to rest, hardly in one another") {
    ConvexDriver pile;
    add_mess(pile, Box{}, 3, 5, 1);
    ConvexResult result;
    for (int i = 0; i < 600; ++i) {
        result = pile.advance();
        REQUIRE(result.pile.is_finite);
    }
    CHECK(result.pile.deepest < 1e-3);
    CHECK(pile.kinetic_energy() < 1e-8);
    for (const PileBody& body : pile.bodies) {
        CHECK(body.position.y > -0.6);
    }
}

TEST_CASE("convex step: nothing is allocated once there is room") {
    ConvexDriver pile;
    add_convex_mixture(pile, 3.0);
    for (int i = 0; i < 200; ++i) {
        pile.advance();
    }
    pile.find_pairs();
    pile.solve();
    const std::size_t before = engine_tests::allocation_count();
    for (int i = 0; i < 5; ++i) {
        pile.solve();
    }
    CHECK(engine_tests::allocation_count() == before);
}
