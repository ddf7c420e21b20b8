// Joints that are closed from nearby and from afar, and velocities that obey them.
#include <doctest/doctest.h>

#include <numbers>
#include <vector>

#include "dynamics/joint_closing.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

struct Closing : Placed {
    JointClosing closing{configuration};

    explicit Closing(Store from) : Placed(std::move(from)) { closing.resize(y.size()); }

    double worst_gap() {
        configuration.place(0.0, y);
        std::vector<double> gaps(static_cast<std::size_t>(configuration.joints().rows()));
        return configuration.joints().violation(configuration.bodies().frames(),
                                                configuration.memory(std::span<const double>(y)), gaps);
    }
    double worst_rate() {
        configuration.place_and_move(0.0, y);
        std::vector<double> rates(static_cast<std::size_t>(configuration.joints().rows()));
        configuration.joints().rates(configuration.bodies().velocities(), rates);
        double worst = 0.0;
        for (const double rate : rates) {
            worst = std::max(worst, std::abs(rate));
        }
        return worst;
    }
    void displace(std::size_t body_number, const glm::dvec3& shift, const glm::dvec3& turn) {
        BodyState state = body(body_number);
        state.x += shift;
        state.q = turned(state.q, turn);
        set_body(body_number, state);
    }
};

} // namespace

TEST_CASE("joint closing: joints of free bodies close without a shift of the common centre of mass") {
    Closing boxes(joined_boxes());
    boxes.displace(0, {0.02, -0.03, 0.01}, {0.1, -0.05, 0.2});
    boxes.displace(1, {-0.01, 0.04, 0.02}, {-0.2, 0.1, 0.1});
    const auto centre = [&] { return (1.5 * boxes.body(0).x + 4.0 * boxes.body(1).x) / 5.5; };
    const glm::dvec3 before = centre();
    CHECK(boxes.worst_gap() > 0.05);
    CHECK(boxes.closing.is_open(0.0, boxes.y));
    REQUIRE(boxes.closing.close(0.0, boxes.y));
    CHECK(boxes.worst_gap() < 1e-15);
    CHECK(near(centre(), before));
    CHECK(boxes.body(0).x != read_body(0, boxes.store.state()).x);
    CHECK_FALSE(boxes.closing.is_open(0.0, boxes.y));
    CHECK(near(glm::length(boxes.body(0).q), 1.0, 1e-15));
    boxes.displace(0, {1e-5, 0.0, 0.0}, glm::dvec3(0.0));
    CHECK(boxes.closing.is_open(0.0, boxes.y));
}

TEST_CASE("joint closing: velocities that obey keep both momenta and lose the energy of what they lose") {
    Closing boxes(joined_boxes());
    BodyState body = boxes.body(0);
    body.v = {0.5, -1.0, 2.0};
    body.L = {0.1, 0.2, -0.1};
    boxes.set_body(0, body);
    body = boxes.body(1);
    body.v = {-1.5, 0.5, 0.0};
    body.L = {-0.2, 0.3, 0.4};
    boxes.set_body(1, body);
    Placed lost(boxes.store); // before less after
    const Placed before(boxes.store);
    const glm::dvec3 linear = boxes.momentum();
    const glm::dvec3 angular = boxes.angular_momentum();
    const double energy = boxes.kinetic_energy();
    const std::vector<double> y = boxes.y;
    CHECK(boxes.worst_rate() > 0.5);
    boxes.closing.obey(0.0, boxes.y);
    CHECK(boxes.worst_rate() < 1e-14);
    CHECK(near(boxes.momentum(), linear));
    CHECK(near(boxes.angular_momentum(), angular));
    // The nearest velocities in the metric of the masses: what is taken away is at a right angle to what stays.
    for (std::size_t i = 0; i < 2; ++i) {
        BodyState difference = boxes.body(i);
        difference.v = read_body(i, y).v - difference.v;
        difference.L = read_body(i, y).L - difference.L;
        lost.set_body(i, difference);
    }
    CHECK(lost.kinetic_energy() > 0.1);
    CHECK(near(boxes.kinetic_energy() + lost.kinetic_energy(), energy, 1e-14));
    // The impulses that it gave are those that it tells.
    CHECK(near(boxes.closing.reactions()[0].force, -1.5 * lost.body(0).v));
    CHECK(near(boxes.closing.reactions()[1].torque, -lost.body(1).L));
}

TEST_CASE("joint closing: a hinge without loops is closed and obeyed at once, at the places where it is closed") {
    Closing bob(Pendulum{.angle = 0.4, .rate = 3.0}.store());
    bob.displace(0, {0.01, 0.02, -0.015}, {0.02, -0.01, 0.03});
    bob.configuration.place(0.0, bob.y);
    REQUIRE(bob.closing.close_tree(0.0, bob.y));
    CHECK(bob.worst_gap() < 1e-15);
    CHECK(bob.worst_rate() < 1e-13);
    // Where the hinge is closed and obeyed the bob is on its circle, with a velocity across and a spin of v / r.
    const BodyState body = bob.body(0);
    CHECK(near(glm::length(body.x), Pendulum::kArm));
    CHECK(near(glm::dot(body.x, body.v), 0.0, 1e-13));
    CHECK(near(body.v, glm::cross(bob.angular_velocity(0), body.x), 1e-13));
    CHECK(near(bob.angular_velocity(0).x, 0.0, 1e-13));
    CHECK(near(body.x.z, 0.0, 1e-15));
    CHECK(near(bob.configuration.memory(std::span<const double>(bob.y))[0], angle_of(bob), 1e-13)); // remembered
}

TEST_CASE("joint closing: what a joint remembers goes on by its rate, and turns whole turns with it") {
    Closing bob(Pendulum{.angle = 0.25, .rate = 1.5}.store());
    bob.configuration.place_and_move(0.0, bob.y);
    bob.closing.advance_memory(0.5, bob.y);
    CHECK(near(bob.y.back(), 0.75));
    bob.y.back() = 6.0 * std::numbers::pi + 0.5;
    REQUIRE(bob.closing.close(0.0, bob.y));
    bob.closing.remember(bob.y);
    CHECK(near(bob.y.back(), 6.0 * std::numbers::pi + 0.25, 1e-13));
}

TEST_CASE("joint closing: from afar it comes near, with the axes the right way; what cannot close is refused") {
    Closing bob(Pendulum{.angle = 0.4}.store());
    bob.displace(0, {1.5, -2.0, 0.7}, {2.5, 0.3, -1.0});
    bob.configuration.place(0.0, bob.y);
    bob.closing.approach(0.0, bob.y, 60);
    CHECK(bob.closing.is_close_enough(bob.closing.assembly_gap(bob.y)));
    REQUIRE(bob.closing.close(0.0, bob.y));
    CHECK(bob.worst_gap() < 1e-14);
    CHECK(near(bob.body(0).q * glm::dvec3(0.0, 0.0, 1.0), {0.0, 0.0, 1.0}, 1e-13));

    // Nearly upside down the sines of the hinge lead to where they are zero too. That is no place to be.
    Closing flipped(Pendulum{.angle = 0.4}.store());
    flipped.displace(0, glm::dvec3(0.0), (std::numbers::pi - 0.3) * glm::normalize(flipped.body(0).x));
    CHECK((flipped.body(0).q * glm::dvec3(0.0, 0.0, 1.0)).z < -0.9);
    CHECK_FALSE(flipped.closing.close(0.0, flipped.y));
    CHECK((flipped.body(0).q * glm::dvec3(0.0, 0.0, 1.0)).z > 0.9);
    CHECK_FALSE(flipped.closing.is_open(0.0, flipped.y));

    Closing torn(rod_between_far_hooks());
    CHECK_FALSE(torn.closing.close(0.0, torn.y));
    torn.closing.approach(0.0, torn.y, 60);
    const double gap = torn.closing.assembly_gap(torn.y);
    CHECK_FALSE(torn.closing.is_close_enough(gap));
    CHECK(gap > 1.0 - 1e-12); // of the 2 m that are left one end has half, or more
}
