// Principal axes of inertia tensors, and bodies whose axes are tilted.
#include <doctest/doctest.h>

#include "linear/principal_axes.h"
#include "test_worlds.h"

using namespace engine_tests;

TEST_CASE("principal axes rebuild the tensor they came from, and leave a diagonal one alone") {
    const glm::dmat3 turn = glm::mat3_cast(glm::angleAxis(1.1, glm::normalize(glm::dvec3(1.0, -2.0, 0.5))));
    const glm::dmat3 tensor = turn * glm::dmat3(1, 0, 0, 0, 2, 0, 0, 0, 3) * glm::transpose(turn);
    const detail::PrincipalAxes axes = detail::principal_axes(tensor);
    const glm::dmat3 r = glm::mat3_cast(axes.to_body);
    const glm::dmat3 moments(axes.moments.x, 0, 0, 0, axes.moments.y, 0, 0, 0, axes.moments.z);
    const glm::dmat3 rebuilt = r * moments * glm::transpose(r);
    for (int i = 0; i < 3; ++i) {
        CHECK(glm::length(rebuilt[i] - tensor[i]) < 1e-14); // a few eps of the largest moment
    }
    const detail::PrincipalAxes same = detail::principal_axes(glm::dmat3(3, 0, 0, 0, 1, 0, 0, 0, 2));
    CHECK(same.moments == glm::dvec3(3.0, 1.0, 2.0));
    CHECK(same.to_body == glm::dquat(1.0, 0.0, 0.0, 0.0));
}

TEST_CASE(
    "a body with tilted principal axes and a shifted centre of mass tumbles like the same body described straight") {
    const glm::dquat tilt = glm::angleAxis(0.8, glm::normalize(glm::dvec3(1.0, 1.0, 0.3)));
    const glm::dmat3 r = glm::mat3_cast(tilt);
    const glm::dmat3 straight_inertia(1, 0, 0, 0, 2, 0, 0, 0, 3);
    World world({.gravity = glm::dvec3(0.0), .integrator = fixed("rk4", 4)});
    BodyDesc straight;
    straight.collides = false; // two bodies in one place
    straight.mass_properties = MassProperties{1.0, glm::dvec3(0.0), straight_inertia};
    straight.angular_velocity = {1.0, 0.5, 2.0};
    BodyDesc tilted = straight; // its body frame is turned by tilt^-1, so its tensor reads R I R^T; same axes in space
    tilted.mass_properties = MassProperties{1.0, {0.3, -0.2, 0.1}, r * straight_inertia * glm::transpose(r)};
    tilted.pose.orientation = glm::conjugate(tilt);
    const BodyId a = world.create_body(straight);
    const BodyId b = world.create_body(tilted);
    const glm::dvec3 centre = world.body(b).centre_of_mass();
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
    }
    CHECK(angle_between(world.pose(b).orientation, world.pose(a).orientation * glm::conjugate(tilt)) < 1e-12);
    CHECK(glm::length(world.body(b).centre_of_mass() - centre) < 1e-12);             // no force: it stays
    CHECK(glm::length(world.body(b).pose().position - tilted.pose.position) > 0.01); // the origin circles it
}
