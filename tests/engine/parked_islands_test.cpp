// Islands of free bodies that are made only while they are advanced: to the bit what islands that stay are.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "contact_worlds.h"
#include "counting_allocator.h"
#include "loose_bodies.h"
#include "substep/integrators/pile_methods.h"

using namespace engine_tests;

namespace {

// So many islands that those of free bodies are parked; of the first ones alone they are not.
constexpr int kMany = 2100;

/// All methods that bodies without contact can be advanced by, with and without substeps that run ahead.
std::vector<IntegratorSettings> all_settings() {
    std::vector<IntegratorSettings> all;
    const auto add = [&](const std::string& method) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            all.push_back(of(method, 1e-7));
            all.back().boundary = boundary;
        }
    };
    for (const auto rows : {method_catalogue(), pile_method_catalogue()}) {
        for (const IntegrationMethod* const row : rows) {
            add(std::string(row->info().name));
        }
    }
    add("auto");
    all.push_back(of("dormand_prince54", 1e-9));
    all.back().budget = 40; // less than fast ones need
    all.push_back(of("tsitouras54", 1e-9));
    all.back().h_max = 0.004;
    return all;
}

/// Loose bodies, and so many others that nobody asks for.
World among_many(const IntegratorSettings& settings, int threads) {
    World world = loose_bodies(settings, false, threads);
    for (int i = kBodies; i < kMany; ++i) {
        BodyDesc other = loose_body(i % kBodies);
        other.integrator = of("rk4", 1e-3); // in lanes
        world.create_body(other);
    }
    return world;
}

std::string report_of(const StepReport& report) {
    return std::string(report.method) + " " + std::string(report.reason) + " " + std::string(report.message) + " " +
           std::to_string(report.accepted) + " " + std::to_string(report.rejected) + " " +
           std::to_string(report.evaluations) + " " + std::to_string(report.h_smallest) + " " +
           std::to_string(report.achieved_tolerance) + " " + std::to_string(report.degraded) +
           std::to_string(report.restarted) + std::to_string(static_cast<int>(report.boundary));
}

/// Compares the first bodies of both worlds, and what is told of their islands. Returns how many are sampled alike.
int check_first_bodies(const World& parked, const World& staying) {
    int same_samples = 0;
    const std::vector<IslandView> of_parked = parked.islands();
    const std::vector<IslandView> of_staying = staying.islands();
    REQUIRE(of_parked.size() == kMany);
    for (int i = 0; i < kBodies; ++i) {
        CAPTURE(i);
        const auto n = static_cast<std::size_t>(i);
        const Body a = parked.body(parked.bodies()[n]);
        const Body b = staying.body(staying.bodies()[n]);
        REQUIRE(a.pose().position == b.pose().position);
        REQUIRE(a.pose().orientation == b.pose().orientation);
        REQUIRE(a.linear_velocity() == b.linear_velocity());
        REQUIRE(a.angular_velocity() == b.angular_velocity());
        // Where the segment ends with the step, an island that stays still has it: it is off the cubic through the ends
        // of what turns by a radian about a point 0.2 m away.
        const double within = parked.time() - 0.4 * kFrame;
        const glm::dvec3 at = parked.sample(parked.bodies()[n], within).position;
        const double off = glm::length(at - staying.sample(staying.bodies()[n], within).position);
        CHECK(off < 1e-3);
        same_samples += off == 0.0 ? 1 : 0;
        CHECK(report_of(of_parked[n].report) == report_of(of_staying[n].report));
        CHECK(of_parked[n].last_substep == of_staying[n].last_substep);
        if (parked.settings().shared_budget == 0) { // each gets his share of it
            CHECK(*of_parked[n].settings == *of_staying[n].settings);
        }
        CHECK(of_parked[n].method == of_staying[n].method);
        CHECK(of_parked[n].asleep == of_staying[n].asleep);
        CHECK(of_parked[n].regime == of_staying[n].regime);
    }
    return same_samples;
}

} // namespace

TEST_CASE("parked islands have the bits, reports and samples of islands that stay, under any method") {
    int number = 0;
    for (const IntegratorSettings& settings : all_settings()) {
        CAPTURE(settings.method);
        CAPTURE(static_cast<int>(settings.boundary));
        if (kSanitized && number++ % 5 != 0) {
            continue;
        }
        World parked = among_many(settings, 3);
        World staying = loose_bodies(settings, false);
        int same_samples = 0;
        for (int frame = 0; frame < 26; ++frame) {
            CAPTURE(frame);
            disturb(parked, frame);
            disturb(staying, frame);
            const double dt = kFrame * (frame < 22 ? 1.0 : 0.3 + 0.2 * (frame % 4));
            parked.advance(dt);
            staying.advance(dt);
            same_samples += check_first_bodies(parked, staying);
        }
        CHECK(same_samples > 26 * kBodies * 3 / 4);
    }
}

TEST_CASE("parked islands go on as they did behind other settings, lanes, fields and a restore") {
    World parked = among_many(of("auto", 1e-7), 1);
    World staying = loose_bodies(of("auto", 1e-7), false);
    const auto with = [](World& world, const auto& change) {
        WorldSettings settings = world.settings();
        change(settings);
        world.set_settings(settings);
    };
    WorldSnapshot kept;
    for (int frame = 0; frame < 60; ++frame) {
        CAPTURE(frame);
        for (World* const world : {&parked, &staying}) {
            Body body = world->body(world->bodies()[static_cast<std::size_t>(frame % kBodies)]);
            switch (frame) {
            case 6:
                with(*world, [](WorldSettings& s) { s.integrator.method = "verner87"; });
                break;
            case 10:
                with(*world, [](WorldSettings& s) { s.integrator.method = "cash_karp54"; });
                break;
            case 14:
                with(*world, [](WorldSettings& s) { s.integrator = of("dormand_prince54", 1e-6); });
                break;
            case 18:
                with(*world, [](WorldSettings& s) { s.integrator.boundary = Boundary::RunAhead; });
                break;
            case 22:
                with(*world, [](WorldSettings& s) { s.energy_ledger = true; });
                break;
            case 26:
                body.set_mass_properties(body.mass_properties()); // islands are found anew, and settings are told then
                with(*world, [](WorldSettings& s) {
                    s.energy_ledger = false;
                    s.integrator = of("cash_karp54", 1e-7);
                });
                break;
            case 28:
                with(*world, [](WorldSettings& s) { s.shared_budget = 1'000'000'000; });
                break;
            case 29:
                body.set_mass_properties(body.mass_properties()); // islands are found anew, and settings are told then
                with(*world, [](WorldSettings& s) {
                    s.shared_budget = 0;
                    s.integrator = of("dormand_prince853", 1e-7);
                    s.integrator.boundary = Boundary::RunAhead;
                });
                break;
            case 30:
                world->add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.3}));
                break;
            case 34:
                body.set_integrator(of("rk4", 1e-6));
                break;
            case 38:
                body.set_mass_properties({5.0, {0.0, 0.1, 0.0}, glm::dmat3(2.0)});
                break;
            case 44:
                with(*world, [](WorldSettings& s) { s.integrator.method = "auto"; });
                break;
            default:
                break;
            }
            world->advance(kFrame);
        }
        check_first_bodies(parked, staying);
        if (frame == 20 || frame == 50) {
            const WorldSnapshot there = parked.snapshot();
            const std::uint64_t hash = parked.hash();
            parked.advance(kFrame);
            const std::uint64_t next = parked.hash();
            parked.restore(there);
            CHECK(parked.hash() == hash);
            CHECK(parked.snapshot().hash() == there.hash());
            parked.advance(kFrame);
            CHECK(parked.hash() == next);
            parked.restore(there);
        }
    }
}

TEST_CASE("parked islands have the same bits for any number of threads, and weigh what they weigh") {
    const auto make = [](int threads, int bodies = kMany) {
        World world({.integrator = of("auto", 1e-8), .threads = threads});
        for (int i = 0; i < bodies; ++i) {
            BodyDesc ball;
            ball.shape = Sphere{0.5};
            ball.mass = 1.0;
            ball.pose.position = {3.0 * (i % 16), 3.0 * (i / 16 % 16), 3.0 * (i / 256)};
            ball.angular_velocity = {0.1 * (i % 7), 1.0, 2.0};
            world.create_body(ball);
        }
        return world;
    };
    World one = make(1);
    World eight = make(8);
    World staying = make(1, 7);
    for (int frame = 0; frame < 20; ++frame) {
        const StepReport report = one.advance(kFrame);
        eight.advance(kFrame);
        REQUIRE(one.hash() == eight.hash());
        const StepReport of_staying = staying.advance(kFrame); // every seventh ball moves alike
        CHECK(report.boundary == of_staying.boundary);
        CHECK(report.method == of_staying.method);
        CHECK(report.h_largest == of_staying.h_largest);
        CHECK(report.achieved_tolerance == of_staying.achieved_tolerance);
    }
    const std::size_t before = allocation_count();
    for (int frame = 0; frame < 5; ++frame) {
        one.advance(kFrame);
    }
    CHECK(allocation_count() == before);

    const std::size_t without = allocated_bytes();
    World weighed = make(1);
    weighed.advance(kFrame);
    weighed.advance(kFrame);
    const std::size_t each = (allocated_bytes() - without) / kMany;
    CAPTURE(each);
    CHECK(each < 3300); // 2740 of 10 000: what jobs lend is shared by fewer
}

TEST_CASE("parked islands that come near a contact, or to rest, are islands again") {
    WorldSettings settings;
    settings.integrator = of("auto", 1e-9);
    settings.sleep.enabled = true;
    settings.gravity = glm::dvec3(0.0);
    World world(settings);
    BodyDesc wall;
    wall.motion = MotionType::Static;
    wall.shape = Plane{};
    wall.material.restitution = 1.0;
    world.create_body(wall);
    constexpr int kBalls = kMany;
    for (int i = 0; i < kBalls; ++i) {
        BodyDesc ball;
        ball.shape = Sphere{0.1};
        ball.mass = 1.0;
        ball.material.restitution = 1.0;
        ball.pose.position = {1.0 * (i % 30), 1.1 + 0.001 * i, 1.0 * (i / 30)};
        ball.linear_velocity.y = i % 7 == 0 ? 0.0 : -2.0;
        world.create_body(ball);
    }
    double off = 0.0;
    for (int frame = 0; frame < (kSanitized ? 45 : 90); ++frame) {
        CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
        for (int i = 0; i < kBalls; ++i) {
            // To the wall, and back from it.
            const double way = i % 7 == 0 ? 0.0 : 2.0 * world.time();
            const double y = 0.1 + std::abs(1.0 + 0.001 * i - way);
            off = std::max(off, std::abs(world.pose(world.bodies()[static_cast<std::size_t>(i) + 1]).position.y - y));
        }
    }
    CHECK(off < 1e-9);
    std::size_t asleep = 0;
    for (const IslandView& island : world.islands()) {
        asleep += island.asleep ? 1 : 0;
    }
    CHECK(asleep == kBalls / 7);
}

// Their islands were fewer than those that are parked once some had met, so that the others became islands that had not
// been advanced, and moved by two steps at once.
TEST_CASE("parked islands: a step that is made again for others leaves loose bodies as they are, however few") {
    WorldSettings settings;
    settings.gravity = {0.0, -9.81, 0.0};
    World world(settings);
    std::vector<BodyId> loose;
    const auto add_loose = [&](int i) {
        BodyDesc desc = sphere({4.0 * (i % 10), 40.0 + 4.0 * (i / 10), 0.0}, 0.1, {});
        desc.shape = Box{{0.1, 0.2, 0.3}};
        desc.linear_velocity = {0.1 * i, 0.0, 0.0};
        desc.angular_velocity = {1.0, 2.0, 3.0};
        return world.create_body(desc);
    };
    std::vector<BodyId> gone;
    for (int i = 0; i < 57; ++i) {
        loose.push_back(add_loose(i));
    }
    for (int i = 57; i < 140; ++i) {
        gone.push_back(add_loose(i));
    }
    for (int i = 0; i < 4; ++i) { // each strikes a second aside, and that a third one, where nobody expected it
        const glm::dvec3 places[] = {{0.0, 0.0, 0.0}, {0.25, 0.08, 0.0}, {0.6624, 0.26, 0.0}};
        for (int k = 0; k < 3; ++k) {
            BodyDesc ball = sphere(places[k] + glm::dvec3(0.0, 0.0, 10.0 * i), 0.1, {.restitution = 1.0});
            ball.linear_velocity = {k == 0 ? 60.0 : 0.0, 0.0, 0.0};
            world.create_body(ball);
        }
    }
    (void)world.snapshot(); // so many are parked
    for (const BodyId id : gone) {
        world.destroy_body(id);
    }
    std::vector<glm::dvec3> expected;
    for (const BodyId id : loose) {
        expected.push_back(world.pose(id).position + kFrame * world.body(id).linear_velocity() +
                           0.5 * kFrame * kFrame * settings.gravity);
    }
    const std::size_t before = world.islands().size();
    world.advance(kFrame);
    CHECK(before == 69);
    CHECK(world.islands().size() == 61);
    for (std::size_t i = 0; i < loose.size(); ++i) {
        CHECK(glm::length(world.pose(loose[i]).position - expected[i]) < 1e-9);
    }
}

TEST_CASE("parked islands: who is pushed or edited before a step that is made again starts it as he was") {
    const auto struck = [](int loose, std::vector<BodyId>& balls) {
        World world;
        for (int i = 0; i < 4; ++i) { // each strikes a second aside, and that a third one, where nobody expected it
            const glm::dvec3 places[] = {{0.0, 0.0, 0.0}, {0.25, 0.08, 0.0}, {0.6624, 0.26, 0.0}};
            for (int k = 0; k < 3; ++k) {
                BodyDesc ball = sphere(places[k] + glm::dvec3(0.0, 0.0, 10.0 * i), 0.1, {.restitution = 1.0});
                ball.linear_velocity = {k == 0 ? 60.0 : 0.0, 0.0, 0.0};
                balls.push_back(world.create_body(ball));
            }
        }
        for (int i = 0; i < loose; ++i) {
            world.create_body(sphere({4.0 * (i % 10), 40.0 + 4.0 * (i / 10), 0.0}, 0.1, {}));
        }
        return world;
    };
    std::vector<BodyId> balls;
    std::vector<BodyId> others;
    World parked = struck(200, balls);
    World staying = struck(0, others);
    for (World* const world : {&parked, &staying}) {
        const std::vector<BodyId>& all = world == &parked ? balls : others;
        world->body(all[2]).apply_force({3.0, 0.0, 40.0});
        world->body(all[5]).apply_torque({0.0, 0.1, 0.0});
        world->body(all[8]).set_pose({world->pose(all[8]).position, {0.6, 0.8, 0.0, 1e-9}});
        world->body(all[11]).apply_impulse({0.0, 0.0, 0.1});
        for (int frame = 0; frame < 3; ++frame) {
            world->advance(kFrame);
        }
    }
    for (std::size_t i = 0; i < balls.size(); ++i) {
        CAPTURE(i);
        CHECK(parked.pose(balls[i]).position == staying.pose(others[i]).position);
        CHECK(parked.pose(balls[i]).orientation == staying.pose(others[i]).orientation);
        CHECK(parked.body(balls[i]).linear_velocity() == staying.body(others[i]).linear_velocity());
        CHECK(parked.body(balls[i]).angular_velocity() == staying.body(others[i]).angular_velocity());
    }
    CHECK(parked.body(balls[2]).linear_velocity().x > 1.0); // it was met
}
