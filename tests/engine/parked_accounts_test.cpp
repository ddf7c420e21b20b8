// A ledger and a shared budget reach islands that are parked as they reach those that stay.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "counting_allocator.h"
#include "loose_bodies.h"
#include "substep/engine/energy.h"
#include "substep/engine/force_field.h"

using namespace engine_tests;

namespace {

// So many islands that those of free bodies are parked.
constexpr int kMany = 2100;

/// Acts on every body, by nothing: what a field acts on stays an Island.
class NoForce final : public ForceField {};

World many_loose(const IntegratorSettings& integrator, bool stay, int threads = 1) {
    World world = loose_bodies(integrator, false, threads, 1.0, kMany);
    if (stay) {
        world.add_force_field(std::make_unique<NoForce>());
    }
    return world;
}

template <class Change>
void set(World& world, const Change& change) {
    WorldSettings settings = world.settings();
    change(settings);
    world.set_settings(settings);
}

void check_same_motion(const World& parked, const World& staying) {
    for (std::size_t i = 0; i < kMany; ++i) {
        const Body a = parked.body(parked.bodies()[i]);
        const Body b = staying.body(staying.bodies()[i]);
        REQUIRE(a.pose().position == b.pose().position);
        REQUIRE(a.pose().orientation == b.pose().orientation);
        REQUIRE(a.linear_velocity() == b.linear_velocity());
        REQUIRE(a.angular_velocity() == b.angular_velocity());
    }
}

void check_same_ledger(const EnergyLedger& parked, const EnergyLedger& staying) {
    REQUIRE(parked.kinetic == staying.kinetic);
    REQUIRE(parked.start == staying.start);
    REQUIRE(parked.applied == staying.applied);
    REQUIRE(parked.edits == staying.edits);
    REQUIRE(parked.remainder() == staying.remainder());
}

} // namespace

TEST_CASE("the ledger of parked islands is that of islands that stay") {
    const std::vector<const char*> methods =
        kSanitized ? std::vector{"dormand_prince853"}
                   : std::vector{"rk4", "cash_karp54", "symplectic_euler", "dormand_prince853", "auto"};
    for (const char* const method : methods) {
        INFO("method: " << std::string(method));
        IntegratorSettings integrator = of(method, 1e-7);
        integrator.boundary = std::string(method) == "dormand_prince853" ? Boundary::RunAhead : Boundary::Exact;
        World parked = many_loose(integrator, false, 3);
        World staying = many_loose(integrator, true);
        for (World* const world : {&parked, &staying}) {
            set(*world, [](WorldSettings& settings) { settings.energy_ledger = true; });
        }
        WorldSnapshot kept;
        EnergyLedger next;
        for (int frame = 0; frame < 26; ++frame) {
            CAPTURE(frame);
            for (World* const world : {&parked, &staying}) {
                disturb(*world, frame);
                // Switched off, and at once on again, while no works are booked: to an island that stays works that
                // become zero look like an edit.
                if (frame == 1 || frame == 10) {
                    set(*world, [](WorldSettings& settings) { settings.energy_ledger = false; });
                    if (frame == 10) {
                        world->advance(kFrame);
                    }
                    set(*world, [](WorldSettings& settings) { settings.energy_ledger = true; });
                }
                if (frame == 15) {
                    world->reset_energy_ledger();
                }
                world->advance(kFrame);
            }
            check_same_motion(parked, staying);
            check_same_ledger(parked.energy_ledger(), staying.energy_ledger());
            if (frame == 17) {
                kept = parked.snapshot();
            }
            if (frame == 18) {
                next = parked.energy_ledger();
            }
        }
        CHECK(std::abs(parked.energy_ledger().applied) > 1e-3);
        CHECK(std::abs(parked.energy_ledger().edits) > 1.0);
        const auto have_others = [&](bool has_ledger) {
            set(parked, [&](WorldSettings& settings) {
                settings.energy_ledger = has_ledger;
                settings.integrator.method = "tsitouras54";
            });
            parked.advance(kFrame);
        };
        // What is restored has other settings, and books where there are none, or none where there are.
        set(parked, [](WorldSettings& settings) { settings.energy_ledger = false; });
        parked.advance(kFrame);
        const WorldSnapshot without = parked.snapshot();
        const std::uint64_t hash = parked.hash();
        have_others(true);
        parked.restore(without);
        CHECK(parked.hash() == hash);
        have_others(false);
        parked.restore(kept);
        disturb(parked, 18);
        parked.advance(kFrame);
        check_same_ledger(parked.energy_ledger(), next);
    }
}

TEST_CASE("a step that the host interrupts books the works of parked islands no second time") {
    World world = many_loose(of("rk4", 1e-7), false);
    set(world, [](WorldSettings& settings) { settings.energy_ledger = true; });
    disturb(world, 1); // a push
    world.advance(kFrame);
    const EnergyLedger before = world.energy_ledger();
    REQUIRE(before.applied != 0.0);
    const std::atomic<bool> interrupt{true};
    world.set_interrupt(&interrupt);
    CHECK(world.advance(kFrame).status == StepStatus::Interrupted);
    world.set_interrupt(nullptr);
    check_same_ledger(world.energy_ledger(), before);
}

TEST_CASE("parked islands share a budget as islands that stay do") {
    const std::vector<const char*> methods =
        kSanitized ? std::vector{"auto"} : std::vector{"cash_karp54", "tsitouras54", "dormand_prince853", "auto"};
    for (const char* const method : methods) {
        INFO("method: " << std::string(method));
        World parked = many_loose(of(method, 1e-8), false, 3);
        World staying = many_loose(of(method, 1e-8), true);
        int spoken = 0;
        for (int frame = 0; frame < 22; ++frame) {
            CAPTURE(frame);
            StepReport reports[2];
            StepReport* report = reports;
            for (World* const world : {&parked, &staying}) {
                if (frame == 0 || frame == 6 || frame == 12 || frame == 18) {
                    set(*world, [&](WorldSettings& settings) {
                        settings.shared_budget = frame == 0 ? 150'000 : frame == 6 ? 40'000 : frame == 12 ? 0 : 1000;
                    });
                }
                disturb(*world, frame);
                *report++ = world->advance(kFrame);
            }
            check_same_motion(parked, staying);
            CHECK(reports[0].evaluations == reports[1].evaluations);
            CHECK(reports[0].status == reports[1].status);
            CHECK(std::string(reports[0].message) == std::string(reports[1].message));
            spoken += reports[0].message.empty() ? 0 : 1;
            const std::vector<IslandView> of_parked = parked.islands();
            const std::vector<IslandView> of_staying = staying.islands();
            REQUIRE(of_parked.size() == of_staying.size());
            for (std::size_t i = 0; i < of_parked.size(); ++i) {
                REQUIRE(std::string(of_parked[i].report.message) == std::string(of_staying[i].report.message));
                REQUIRE(of_parked[i].report.evaluations == of_staying[i].report.evaluations);
                REQUIRE(of_parked[i].report.status == of_staying[i].report.status);
                REQUIRE(*of_parked[i].settings == *of_staying[i].settings);
            }
        }
        CHECK(spoken > 3);
        const WorldSnapshot there = parked.snapshot();
        parked.advance(kFrame);
        const std::uint64_t hash = parked.hash();
        parked.restore(there);
        parked.advance(kFrame);
        CHECK(parked.hash() == hash);
    }
}

TEST_CASE("islands with a ledger or a share of a budget are parked" * doctest::skip(kSanitized)) {
    const auto weigh = [](int budget, bool has_ledger, bool stay) {
        const std::size_t before = allocated_bytes();
        World world = many_loose(of("dormand_prince853", 1e-8), stay);
        set(world, [&](WorldSettings& settings) {
            settings.shared_budget = budget;
            settings.energy_ledger = has_ledger;
        });
        for (int frame = 0; frame < 4; ++frame) {
            disturb(world, frame);
            world.advance(kFrame);
        }
        return (allocated_bytes() - before) / kMany;
    };
    for (const int budget : {0, 50'000}) {
        for (const bool has_ledger : {false, true}) {
            const std::size_t parked = weigh(budget, has_ledger, false);
            const std::size_t staying = weigh(budget, has_ledger, true);
            CAPTURE(budget);
            CAPTURE(has_ledger);
            CAPTURE(parked);
            CAPTURE(staying);
            CHECK(3 * parked < staying);
        }
    }
}

TEST_CASE("islands that had a ledger are in lanes again behind it, and weigh what these do" *
          doctest::skip(kSanitized)) {
    const std::size_t before = live_bytes();
    World world = many_loose(of("rk4", 1e-8), false);
    world.advance(kFrame);
    const std::size_t in_lanes = live_bytes() - before;
    set(world, [](WorldSettings& settings) { settings.energy_ledger = true; });
    world.advance(kFrame);
    set(world, [](WorldSettings& settings) { settings.energy_ledger = false; });
    world.advance(kFrame);
    world.advance(kFrame);
    const std::size_t behind = live_bytes() - before;
    CAPTURE(in_lanes / kMany);
    CAPTURE(behind / kMany);
    CHECK(behind < 12 * in_lanes / 10); // room for what jobs lend stays
}
