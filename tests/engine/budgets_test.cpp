// Budgets of worlds: when they change nothing, what they make of forces that they do not resolve, replays.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

std::vector<glm::dvec3> places(const World& world) {
    std::vector<glm::dvec3> all;
    for (const BodyId body : world.bodies()) {
        all.push_back(world.pose(body).position);
        all.push_back(world.body(body).linear_velocity());
    }
    return all;
}

/// Balls on a floor, a chain that swings into them.
World busy_world(const IntegratorSettings& integrator) {
    World world = mixed_world(integrator);
    BodyDesc floor;
    floor.motion = MotionType::Static;
    floor.shape = Plane{};
    floor.pose.position = {0.0, -1.8, 0.0};
    world.create_body(floor);
    for (int i = 0; i < 3; ++i) {
        BodyDesc ball;
        ball.mass = 1.0;
        ball.shape = Sphere{0.2};
        ball.pose.position = {0.3 * i - 0.3, -1.3 + 0.5 * i, 0.1 * i};
        ball.linear_velocity = {0.5, 0.0, 0.0};
        world.create_body(ball);
    }
    return world;
}

} // namespace

TEST_CASE(
    "a budget of five quarters of what an island's costliest step needs, work on contacts included, changes no bit") {
    for (const bool has_contacts : {false, true}) {
        for (const char* method : {"cash_karp54", "dormand_prince853", "verner87", "bogacki_shampine32"}) {
            for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
                CAPTURE(has_contacts);
                CAPTURE(method);
                std::int64_t costliest = 0;
                const auto run = [&](int budget) {
                    IntegratorSettings settings = adaptive(1e-7, boundary);
                    settings.method = method;
                    settings.budget = budget;
                    World world = has_contacts ? busy_world(settings) : mixed_world(settings);
                    std::vector<std::vector<glm::dvec3>> path;
                    for (int frame = 0; frame < 90; ++frame) {
                        world.advance(kFrame);
                        for (const IslandView& island : world.islands()) {
                            costliest = std::max(costliest, island.report.evaluations + island.report.contact_work);
                        }
                        path.push_back(places(world));
                    }
                    return path;
                };
                const auto free = run(0);
                // Beside contacts one evaluation is kept for a velocity step.
                const int budget = static_cast<int>((5 * costliest + 3) / 4) + (has_contacts ? 1 : 0);
                CHECK(run(budget) == free);
                CHECK(run(2 * budget) == free);
            }
        }
    }
}

TEST_CASE("a force too stiff for its budget, which nobody knows of, leaves the body where it is known to be") {
    for (const char* method : {"cash_karp54", "dormand_prince853", "verner87", "rk4_doubling"}) {
        for (const int budget : {5, 13, 24, 50, 200}) {
            CAPTURE(method);
            CAPTURE(budget);
            IntegratorSettings settings = adaptive(1e-6, Boundary::Exact);
            settings.method = method;
            settings.budget = budget;
            World world({.gravity = {}, .integrator = settings});
            BodyDesc desc;
            desc.shape = Sphere{0.1};
            desc.pose.position = {0.5, 0.0, 0.0};
            desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.004)};
            const BodyId body = world.create_body(desc);
            world.add_force_field(std::make_unique<SilentSpring>(1e8)); // 1e4 rad/s
            for (int frame = 0; frame < 60; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.evaluations <= budget);
                REQUIRE(report.degraded);
                REQUIRE(report.status == StepStatus::BudgetExhausted);
                REQUIRE(glm::length(world.pose(body).position) < 0.6);
                REQUIRE(glm::length(world.body(body).linear_velocity()) < 6e3);
            }
        }
    }
}

TEST_CASE("worlds that their budgets degrade go on from a snapshot with the same bits, and pass no budget") {
    std::mt19937_64 random(4);
    const auto catalogue = method_catalogue();
    for (int draw = 0; draw < 120; ++draw) {
        IntegratorSettings settings = adaptive(std::pow(10.0, -3.0 - static_cast<double>(random() % 7)),
                                               random() % 2 == 0 ? Boundary::Exact : Boundary::RunAhead);
        settings.method = draw % 8 == 0 ? "auto" : std::string(catalogue[random() % catalogue.size()]->info().name);
        constexpr std::array kBudgets{1, 2, 5, 13, 50, 200};
        settings.budget = kBudgets[random() % kBudgets.size()];
        settings.substeps = 1 + static_cast<int>(random() % 4);
        const double frame = std::array{1.0 / 10.0, 1.0 / 60.0, 1.0 / 240.0}[random() % 3];
        CAPTURE(settings.method);
        CAPTURE(settings.budget);
        CAPTURE(settings.atol);
        CAPTURE(frame);
        World world = random() % 2 == 0 ? busy_world(settings) : mixed_world(settings);
        for (int i = 0; i < 20; ++i) {
            world.advance(frame);
        }
        const WorldSnapshot snapshot = world.snapshot();
        const auto go_on = [&] {
            std::vector<std::vector<glm::dvec3>> path;
            for (int i = 0; i < 20; ++i) {
                world.advance(frame);
                for (const IslandView& island : world.islands()) {
                    CHECK(island.report.evaluations <= settings.budget);
                }
                path.push_back(places(world));
                for (const glm::dvec3& each : path.back()) {
                    REQUIRE(glm::length(each) < 1e3);
                }
            }
            return path;
        };
        const auto first = go_on();
        world.restore(snapshot);
        CHECK(go_on() == first);
    }
}

TEST_CASE("settings set once more change nothing that a world remembers, where velocity steps have taken over too") {
    int taken_over = 0; // with what does not pay for velocity steps to a tolerance, or does
    for (const int budget : {5, 13, 50}) {
        CAPTURE(budget);
        IntegratorSettings settings = adaptive(1e-7, Boundary::Exact);
        settings.budget = budget;
        World world = busy_world(settings);
        for (int i = 0; i < 60; ++i) {
            world.advance(1.0 / 60.0);
            const std::vector<IslandView> islands = world.islands();
            taken_over += std::ranges::any_of(islands, &IslandView::handed_over) ? 1 : 0;
            const WorldSnapshot before = world.snapshot();
            world.set_settings(world.settings());
            CHECK(world.snapshot().hash() == before.hash());
        }
    }
    CHECK(taken_over > 20);
}
