// What motion keeps: momenta to round-off, energy bounded by symplectic methods, joints closed.
#include <doctest/doctest.h>

#include <algorithm>

#include "../sanitized.h"
#include "test_worlds.h"

using namespace engine_tests;

TEST_CASE("every method keeps a free body's angular momentum bit for bit, at any rate" * doctest::skip(kSanitized)) {
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const double rate : {1.0, 1000.0}) {
            CAPTURE(method->info().name);
            CAPTURE(rate);
            World world({.gravity = glm::dvec3(0.0), .integrator = fixed(std::string(method->info().name), 1)});
            BodyDesc desc;
            desc.mass = 1.0;
            desc.collides = false;
            desc.shape = Box{{0.5, 0.3, 0.2}};
            desc.angular_velocity = rate * glm::dvec3(0.6, -0.5, 0.62);
            const BodyId body = world.create_body(desc);
            const glm::dvec3 before = world.body(body).angular_momentum();
            for (int frame = 0; frame < 60; ++frame) {
                world.advance(kFrame);
            }
            CHECK(world.body(body).angular_momentum() == before); // its derivative is zero, not small
            CHECK(std::isfinite(world.energy().total()));
        }
    }
}

TEST_CASE("every method leaves an orientation that is a rotation, however absurd the rate") {
    // At 1e60 rad/s four stages make quaternions of 1e230, whose squares no double holds.
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const double rate : {1e30, 1e60, 1e100}) {
            CAPTURE(method->info().name);
            CAPTURE(rate);
            World world({.gravity = glm::dvec3(0.0), .integrator = fixed(std::string(method->info().name), 1)});
            BodyDesc desc;
            desc.mass = 1.0;
            desc.collides = false;
            desc.shape = Box{{0.5, 0.3, 0.2}};
            desc.angular_velocity = rate * glm::dvec3(0.6, -0.5, 0.62);
            const BodyId body = world.create_body(desc);
            for (int frame = 0; frame < 3; ++frame) {
                world.advance(kFrame);
                // A length is four products and a root, each rounded.
                CHECK(std::abs(glm::length(world.pose(body).orientation) - 1.0) < 1e-15);
            }
        }
    }
}

TEST_CASE("bodies joined to one another, but not to the ground, keep their linear momentum to round-off") {
    for (const IntegrationMethod* method : method_catalogue()) {
        CAPTURE(method->info().name);
        World world({.gravity = glm::dvec3(0.0), .integrator = fixed(std::string(method->info().name), 2)});
        const std::vector<BodyId> bodies = add_chain(world, 4);
        world.destroy_joint(world.joints().front()); // from the ground
        world.body(bodies[0]).apply_impulse_at({0.3, 1.0, -0.5}, {0.1, 0.0, 0.0});
        world.body(bodies[2]).apply_impulse({0.0, -0.7, 0.4});
        const auto momentum = [&] {
            glm::dvec3 sum(0.0);
            for (const BodyId body : bodies) {
                sum += world.body(body).mass_properties().mass * world.body(body).linear_velocity();
            }
            return sum;
        };
        const glm::dvec3 before = momentum();
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
        }
        // 120 frames x 2 substeps x up to 20 joint corrections of eps x 1 kg m/s, adding up like a random walk.
        CHECK(glm::length(momentum() - before) < 1e-13);
    }
}

TEST_CASE("symplectic methods keep the total angular momentum of joined bodies to round-off, rk4 to its order") {
    const auto drift = [](const std::string& method, int substeps) {
        World world({.gravity = glm::dvec3(0.0), .integrator = fixed(method, substeps)});
        const std::vector<BodyId> bodies = add_chain(world, 3);
        world.destroy_joint(world.joints().front());
        world.body(bodies[0]).apply_impulse_at({0.3, 1.0, -0.5}, {0.1, 0.0, 0.0});
        world.advance(kFrame);
        const auto total = [&] {
            glm::dvec3 sum(0.0);
            for (const BodyId id : bodies) {
                const Body body = world.body(id);
                sum += body.angular_momentum() +
                       body.mass_properties().mass * glm::cross(body.centre_of_mass(), body.linear_velocity());
            }
            return sum;
        };
        const glm::dvec3 before = total();
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
        }
        return glm::length(total() - before);
    };
    CHECK(drift("velocity_verlet", 1) < 1e-12); // joints are closed to 1e-15 of arms of 1 m, at every substep
    CHECK(drift("symplectic_euler", 1) < 1e-12);
    const double coarse = drift("rk4", 1);
    const double fine = drift("rk4", 4);
    CHECK(fine < std::max(coarse / 64.0, 1e-13)); // h^4 would give 256
}

TEST_CASE(
    "RATTLE keeps the energy of a double pendulum bounded: the second half of a minute is no worse than the first") {
    for (const char* method : {"symplectic_euler", "velocity_verlet"}) {
        CAPTURE(method);
        World world({.integrator = fixed(method, 4)});
        add_chain(world, 2);
        const double start = world.energy().total();
        double halves[2] = {};
        for (int frame = 0; frame < 3600; ++frame) {
            world.advance(kFrame);
            double& worst = halves[frame / 1800];
            worst = std::max(worst, std::abs(world.energy().total() - start));
        }
        CHECK(halves[0] > 0.0);
        CHECK(halves[1] < 2.0 * halves[0]); // chaotic motion visits other places; growth would be 60-fold in rate
        CHECK(worst_joint_error(world) < 1e-12);
    }
}

TEST_CASE("joints stay closed to 1e-12 m under every method that projects, over ten seconds of a whipping chain") {
    for (const char* method : {"rk4", "heun2", "cash_karp54"}) {
        CAPTURE(method);
        IntegratorSettings settings = fixed(method, 8);
        settings.atol = settings.rtol = 1e-6;
        World world({.integrator = settings});
        add_chain(world, 10);
        double worst = 0.0;
        for (int frame = 0; frame < 600; ++frame) {
            CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
            worst = std::max(worst, worst_joint_error(world));
        }
        CHECK(worst < 1e-12);
    }
}

TEST_CASE("the energy meter sees every term: a chain falling from rest keeps its energy to the method's error") {
    World world({.integrator = adaptive(1e-9, Boundary::Exact)});
    add_chain(world, 3);
    const double start = world.energy().total();
    CHECK(start == doctest::Approx(0.0)); // at rest at the origin's height
    double largest_kinetic = 0.0;
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
        largest_kinetic = std::max(largest_kinetic, world.energy().kinetic);
    }
    CHECK(largest_kinetic > 10.0); // J: a meter that shows nothing would keep the energy too
    CHECK(std::abs(world.energy().total() - start) < 1e-6);
}
