// Every method keeps its order inside a World: with joints, and on a tumbling body.
#include <doctest/doctest.h>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

// A method with n equal substeps in a frame of length dt: adaptive ones are held there by h_max and a tolerance that
// accepts all.
IntegratorSettings with_substeps(const MethodInfo& method, int n, double dt) {
    IntegratorSettings settings = fixed(std::string(method.name), n);
    if (method.adaptive) {
        settings.atol = settings.rtol = 1e3;
        settings.h_max = settings.h_initial = dt / n * (1.0 + 1e-9); // not below: ceil would add a substep
    }
    return settings;
}

// Where a chain of two links with a hinge between them and a third on a ball is after half a second.
glm::dvec3 end_of_chain(const IntegratorSettings& settings, double dt) {
    World world({.integrator = settings});
    const std::vector<BodyId> bodies = add_chain(world, 2);
    BodyDesc desc;
    desc.mass = 1.0;
    desc.collides = false;
    desc.shape = Box{{0.25, 0.1, 0.05}};
    desc.pose.position = {1.25, 0.0, 0.0};
    desc.angular_velocity = {0.0, 0.0, 0.5};
    desc.linear_velocity = {0.0, 0.125, 0.0};
    const BodyId last = world.create_body(desc);
    world.create_joint(hinge(world, bodies.back(), last, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    world.body(bodies.front()).apply_impulse({0.0, 0.0, 0.2}); // out of the plane
    for (int frame = 0; frame < std::lround(0.5 / dt); ++frame) {
        CHECK(world.advance(dt).status == StepStatus::ReachedTarget);
    }
    CHECK(worst_joint_error(world) < (settings.method == "impulse_euler" ? 1e-9 : 1e-12));
    return world.pose(last).position;
}

// Attitude after one second of torque-free tumbling.
glm::dquat tumbled(const IntegratorSettings& settings, double dt) {
    World world({.gravity = glm::dvec3(0.0), .integrator = settings});
    BodyDesc desc;
    desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), {1, 0, 0, 0, 2, 0, 0, 0, 3}};
    desc.angular_velocity = {1.0, 0.5, 2.0};
    const BodyId body = world.create_body(desc);
    for (int frame = 0; frame < std::lround(1.0 / dt); ++frame) {
        world.advance(dt);
    }
    return world.pose(body).orientation;
}

// Measured order from errors at n and 2 n substeps.
double order(double coarse, double fine) { return std::log2(coarse / fine); }

} // namespace

TEST_CASE("every method converges at its order on a jointed chain") {
    const glm::dvec3 reference = end_of_chain(fixed("rk4", 64), kFrame);
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        // First-order methods need small steps to be in their asymptotic range, high ones large steps to stay above
        // round-off.
        const double dt = info.order >= 8 ? 5.0 * kFrame : kFrame;
        const int n = info.order <= 2 ? 16 : 1;
        const double coarse = glm::length(end_of_chain(with_substeps(info, n, dt), dt) - reference);
        const double fine = glm::length(end_of_chain(with_substeps(info, 2 * n, dt), dt) - reference);
        CAPTURE(coarse);
        CAPTURE(fine);
        CHECK(order(coarse, fine) > info.order - 0.25);
    }
}

TEST_CASE("every method converges at its order on a torque-free tumbling body") {
    const glm::dquat reference = tumbled(fixed("rk4", 64), kFrame);
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        const double dt = info.order >= 8 ? 15.0 * kFrame : info.order >= 6 ? 5.0 * kFrame : kFrame;
        const int n = info.order <= 2 ? 8 : 1;
        const double coarse = angle_between(tumbled(with_substeps(info, n, dt), dt), reference);
        const double fine = angle_between(tumbled(with_substeps(info, 2 * n, dt), dt), reference);
        CAPTURE(coarse);
        CAPTURE(fine);
        CHECK(order(coarse, fine) > info.order - 0.25);
    }
}

TEST_CASE("torque-free tumbling matches the closed form with the errors of the rotation table") {
    // I = (1, 2, 3), omega = (1, 0.5, 2), t = 10: Jacobi elliptic functions and a quadrature, to 18 digits.
    const glm::dquat exact(-.353669006322646229, -.133741490221527005, -.258165852171717016, -.889034217863704262);
    const auto error = [&](const IntegratorSettings& settings) {
        World world({.gravity = glm::dvec3(0.0), .integrator = settings});
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), {1, 0, 0, 0, 2, 0, 0, 0, 3}};
        desc.angular_velocity = {1.0, 0.5, 2.0};
        const BodyId body = world.create_body(desc);
        for (int frame = 0; frame < 600; ++frame) {
            world.advance(kFrame);
        }
        return angle_between(world.pose(body).orientation, exact);
    };
    // Measured with a prototype: 5.0e-7 and 1.2e-10 with q and L as state, 4.3e-4 and 6.7e-6 by the splitting; twice
    // that.
    CHECK(error(fixed("rk4", 1)) < 1.0e-6);
    CHECK(error(fixed("rk4", 8)) < 2.4e-10);
    CHECK(error(fixed("velocity_verlet", 1)) < 8.6e-4);
    CHECK(error(fixed("velocity_verlet", 8)) < 1.4e-5);
    CHECK(error(adaptive(1e-10, Boundary::RunAhead)) < 1e-7);
}
