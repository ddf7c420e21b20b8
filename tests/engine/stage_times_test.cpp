// What the stages of a step take, as a world tells.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "pile_worlds.h"

using namespace engine_tests;

namespace {

bool is_zero(const StageTimes& times) {
    return times.search == 0.0 && times.islands == 0.0 && times.collision == 0.0 && times.solver == 0.0 &&
           times.methods == 0.0 && times.rest == 0.0;
}

} // namespace

TEST_CASE("stage times: on one thread they are parts of the step's time, and nearly all of it") {
    std::vector<BodyId> bodies;
    World world = columns(4, 10, contact_settings({}), bodies);
    CHECK(is_zero(world.stage_times()));
    double largest_part = 0.0;
    for (int frame = 0; frame < 60; ++frame) {
        const auto begin = std::chrono::steady_clock::now();
        world.advance(kFrame);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        const StageTimes& times = world.stage_times();
        for (const double stage :
             {times.search, times.islands, times.collision, times.solver, times.methods, times.rest}) {
            CHECK(stage >= 0.0);
        }
        CHECK(times.total() <= took.count() * (1.0 + 1e-9)); // sums of differences of the same clock
        largest_part = std::max(largest_part, times.total() / took.count());
    }
    CHECK(largest_part > 0.95); // of the quietest frame: whoever else runs may come between two looks at the clock
    const StageTimes& last = world.stage_times();
    CHECK(last.solver > last.methods); // a pile is made by its solver
    CHECK(last.collision > last.methods);
}

TEST_CASE("stage times: few bodies that touch have a solver too, what modes hold has none, in any number of threads") {
    std::vector<BodyId> bodies;
    World tower = columns(1, 10, contact_settings({}), bodies);
    for (int frame = 0; frame < 30; ++frame) {
        tower.advance(kFrame);
    }
    REQUIRE(has_regime(tower, IslandRegime::ConvexStep));
    CHECK(tower.stage_times().solver > 0.0);

    World falling(contact_settings({}));
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = Sphere{0.5};
    for (int i = 0; i < 40; ++i) {
        desc.pose.position = {3.0 * i, 10.0, 0.0};
        falling.create_body(desc);
    }
    falling.advance(kFrame);
    CHECK(falling.stage_times().solver == 0.0);
    CHECK(falling.stage_times().methods > 0.0);

    WorldSettings settings = contact_settings({});
    settings.threads = 2;
    World threaded = columns(4, 10, settings, bodies);
    threaded.advance(kFrame);
    CHECK(threaded.stage_times().solver > 0.0);
    CHECK(threaded.stage_times().total() > 0.0);
}

TEST_CASE("stage times: nothing is told of a step that was refused or taken back, and nothing of them is kept") {
    std::vector<BodyId> bodies;
    World world = columns(4, 10, contact_settings({}), bodies);
    world.advance(kFrame);
    const WorldSnapshot snapshot = world.snapshot();
    const std::uint64_t hash = world.hash();
    CHECK(world.stage_times().total() > 0.0);
    world.restore(snapshot);
    CHECK(is_zero(world.stage_times()));
    CHECK(world.hash() == hash);
    CHECK(world.snapshot().bytes == snapshot.bytes);
    world.advance(kFrame);
    CHECK(world.stage_times().total() > 0.0);
    CHECK(world.advance(-1.0).status == StepStatus::InvalidInput);
    CHECK(is_zero(world.stage_times()));
}
