// Large piles on several threads: the same bits, whoever comes, in whatever order.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "../sanitized.h"
#include "pile_worlds.h"
#include "soft_steps/thread_team.h"
#include "substep/engine/jobs.h"
#include "substep/engine/world.h"
#include "world/thread_pool.h"

using namespace substep;
using namespace engine_tests;
using substep::detail::for_parts;
using substep::detail::ThreadPool;
using substep::detail::ThreadTeam;

namespace {

/// A host's job system that has one thread.
class SerialRunner final : public JobRunner {
public:
    explicit SerialRunner(bool is_reversed) : is_reversed_(is_reversed) {}
    void run(std::size_t count, Job job, void* context) noexcept override {
        for (std::size_t i = 0; i < count; ++i) {
            job(context, is_reversed_ ? count - 1 - i : i);
        }
    }

private:
    bool is_reversed_;
};

/// One whose second thread comes when the first job is long at work, or over.
class LateRunner final : public JobRunner {
public:
    explicit LateRunner(std::chrono::microseconds delay) : delay_(delay) {}
    void run(std::size_t count, Job job, void* context) noexcept override {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < count; i = next++) {
                job(context, i);
            }
        };
        std::thread other([&] {
            std::this_thread::sleep_for(delay_);
            work();
        });
        work();
        other.join();
    }

private:
    std::chrono::microseconds delay_;
};

std::vector<std::unique_ptr<JobRunner>> runners() {
    std::vector<std::unique_ptr<JobRunner>> all;
    all.push_back(std::make_unique<SerialRunner>(false));
    all.push_back(std::make_unique<SerialRunner>(true));
    all.push_back(std::make_unique<LateRunner>(std::chrono::microseconds(300)));
    all.push_back(std::make_unique<ThreadPool>(2));
    all.push_back(std::make_unique<ThreadPool>(8));
    return all;
}

World falling_mess(int threads, std::vector<BodyId>& bodies) {
    WorldSettings settings = contact_settings({});
    settings.threads = threads;
    settings.energy_ledger = true;
    return mess(400, settings, bodies);
}

} // namespace

TEST_CASE("thread team: each part of each stage is made once, behind the stage before, by any runner") {
    constexpr std::size_t kCount = 1000;
    constexpr int kStages = 200;
    for (const std::unique_ptr<JobRunner>& runner : runners()) {
        ThreadTeam team;
        int led = 0;
        bool in_turn = true;
        std::vector<int> made(kCount, 0);
        for (int batch = 0; batch < 3; ++batch) {
            team.run(*runner, 6, [&] {
                ++led;
                for (int stage = 0; stage < kStages; ++stage) {
                    const int before = batch * kStages + stage;
                    std::atomic<bool> all_in_turn = true;
                    for_parts(&team, kCount, 7, [&](std::size_t first, std::size_t last) {
                        for (std::size_t i = first; i < last; ++i) {
                            all_in_turn = made[i]++ == before && all_in_turn;
                        }
                    });
                    in_turn = in_turn && all_in_turn;
                }
            });
        }
        CHECK(led == 3);
        CHECK(in_turn);
        CHECK(std::ranges::all_of(made, [](int times) { return times == 3 * kStages; }));
    }
}

TEST_CASE("thread team: a part is no larger than was asked for, and without a team there is one") {
    std::vector<std::size_t> sizes;
    for_parts(nullptr, 100, 8, [&](std::size_t first, std::size_t last) { sizes.push_back(last - first); });
    CHECK(sizes == std::vector<std::size_t>{100});
    sizes.clear();
    ThreadTeam team;
    SerialRunner runner(false);
    team.run(runner, 2, [&] {
        for_parts(&team, 20, 8, [&](std::size_t first, std::size_t last) { sizes.push_back(last - first); });
    });
    CHECK(sizes == std::vector<std::size_t>{8, 8, 4});
}

TEST_CASE("thread team: a mess has the same bits on one, two and eight threads, and with any runner of a host") {
    std::vector<BodyId> bodies;
    World one = falling_mess(1, bodies);
    World two = falling_mess(2, bodies);
    World eight = falling_mess(8, bodies);
    const std::vector<std::unique_ptr<JobRunner>> all = runners();
    std::vector<World> hosted;
    for (const std::unique_ptr<JobRunner>& runner : all) {
        hosted.push_back(falling_mess(1, bodies));
        hosted.back().set_job_runner(runner.get());
    }
    int soft = 0;
    const int frames = kSanitized ? 40 : 60;
    for (int frame = 0; frame < frames; ++frame) {
        one.advance(kFrame);
        two.advance(kFrame);
        eight.advance(kFrame);
        soft += has_regime(one, IslandRegime::Soft) ? 1 : 0;
        REQUIRE(one.hash() == two.hash());
        REQUIRE(one.hash() == eight.hash());
        for (World& world : hosted) {
            world.advance(kFrame);
            REQUIRE(one.hash() == world.hash());
        }
        const std::span<const Contact> contacts = one.contacts();
        const std::span<const Contact> others = eight.contacts();
        REQUIRE(contacts.size() == others.size());
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            REQUIRE(contacts[i].point == others[i].point);
            REQUIRE(contacts[i].force == others[i].force);
        }
        REQUIRE(one.energy_ledger().friction == two.energy_ledger().friction);
        if (frame == 30) { // taken up in mid-fall by a world with other threads
            eight.restore(one.snapshot());
            one.restore(two.snapshot());
        }
    }
    CHECK(soft > frames - 10);
}

TEST_CASE("thread team: what hits one pile changes no bit of another") {
    const auto make = [](bool is_hit, std::vector<BodyId>& far) {
        std::vector<BodyId> near;
        WorldSettings settings = contact_settings({});
        settings.threads = 2;
        World world = columns(6, 10, settings, near);
        for (int i = 0; i < 350; ++i) {
            far.push_back(world.create_body(
                cube({0.02 * (i % 3) + 1.1 * (i % 7), 0.51 + 1.01 * (i / 49), 200.0 + 1.1 * (i / 7 % 7)})));
        }
        if (is_hit) {
            BodyDesc ball = sphere({0.0, 20.0, 0.0}, 0.5, kRough);
            ball.linear_velocity = {0.0, -40.0, 0.0};
            world.create_body(ball);
        }
        return world;
    };
    std::vector<BodyId> bodies;
    std::vector<BodyId> others;
    World quiet = make(false, bodies);
    World hit = make(true, others);
    for (int frame = 0; frame < (kSanitized ? 40 : 90); ++frame) {
        quiet.advance(kFrame);
        hit.advance(kFrame);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        REQUIRE(quiet.body(bodies[i]).pose().position == hit.body(others[i]).pose().position);
        REQUIRE(quiet.body(bodies[i]).linear_velocity() == hit.body(others[i]).linear_velocity());
    }
}
