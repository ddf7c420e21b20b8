// Many islands: two threads against one on 1000 pendulums, the cost of a free body, and of saving and restoring worlds.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <sched.h>

#include "bench.h"
#include "report.h"
#include "substep/substep.h"

namespace {

using namespace substep;

constexpr double kFrame = 1.0 / 60.0;
constexpr int kBodies = 1000;

double now_us() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The shortest of many runs: what other programs take only adds to it.
double shortest_us(int runs, const std::function<void()>& run) {
    double shortest = 1e300;
    for (int i = 0; i < runs; ++i) {
        const double start = now_us();
        run();
        shortest = std::min(shortest, now_us() - start);
    }
    return shortest;
}

// Lets the process use a second core besides the one that it was pinned to. Returns false if there is none.
bool pin_to_two_cores() {
    cpu_set_t one;
    if (sched_getaffinity(0, sizeof one, &one) != 0) {
        return false;
    }
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(core, &one)) {
            cpu_set_t two = one;
            CPU_SET(core, &two);
            cpu_set_t got;
            if (sched_setaffinity(0, sizeof two, &two) == 0 && sched_getaffinity(0, sizeof got, &got) == 0 &&
                CPU_COUNT(&got) == 2) {
                return true;
            }
            sched_setaffinity(0, sizeof one, &one);
        }
    }
    return false;
}

World free_bodies(Boundary boundary, int count) {
    WorldSettings settings;
    settings.integrator.boundary = boundary;
    World world(settings);
    for (int i = 0; i < count; ++i) {
        BodyDesc desc;
        desc.mass = 1.0;
        desc.collides = false;
        desc.shape = Box{{0.1, 0.2, 0.3}};
        desc.pose.position = {1.0 * i, 0.3, 0.1};
        desc.angular_velocity = {1.0, 2.0 + 1e-3 * i, 3.0};
        world.create_body(desc);
    }
    return world;
}

World pendulums(int threads, Boundary boundary = Boundary::Exact) {
    WorldSettings settings;
    settings.threads = threads;
    settings.integrator.boundary = boundary;
    World world(settings);
    for (int i = 0; i < kBodies; ++i) {
        BodyDesc desc;
        desc.mass = 1.0;
        desc.collides = false;
        desc.shape = Box{{0.1, 0.5, 0.1}};
        desc.pose.position = {1.0 * i + 0.5, 0.0, 0.0};
        desc.angular_velocity = {0.0, 0.0, 1e-3 * i};
        const BodyId body = world.create_body(desc);
        world.create_joint(hinge(world, kGround, body, {1.0 * i, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    }
    return world;
}

std::string us(double value) { return substep_bench::formatted("%.1f us", value); }

// Frames of both worlds alternate, so that whatever else the machine does meets both.
void race_threads(substep_bench::Report& report) {
    const std::string what = "1000 pendulums, a frame, two threads on two cores";
    if (!pin_to_two_cores()) {
        report.skipped_goal(what, "only one core is available");
        return;
    }
    World one = pendulums(1);
    World two = pendulums(2);
    double us_one = 1e300;
    double us_two = 1e300;
    for (int frame = 0; frame < 600; ++frame) {
        us_one = std::min(us_one, shortest_us(1, [&] { one.advance(kFrame); }));
        us_two = std::min(us_two, shortest_us(1, [&] { two.advance(kFrame); }));
    }
    report.speed_up_goal(what, us(us_two), us(us_one), us_one / us_two, 1.7);
    if (one.hash() != two.hash()) {
        report.text("The two worlds differ: that is a bug.");
    }
}

struct Times {
    double median = 0.0; ///< us
    double least = 0.0;
};

// Times of `run`, each after a call of `prepare` that is not counted.
Times times_us(int runs, const std::function<void()>& prepare, const std::function<void()>& run) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        prepare();
        times.push_back(shortest_us(1, run));
    }
    std::ranges::sort(times);
    return {times[times.size() / 2], times.front()};
}

std::string both(const Times& times) { return us(times.median) + ", " + us(times.least); }

// Saved again and again a world lies in the cache; after a step it is where the step has left it, as in a game that
// saves every frame. Returns the medians of the two.
std::array<double, 2> time_snapshots_of(substep_bench::Report& report, const std::string& what, World world) {
    for (int frame = 0; frame < 31; ++frame) {
        world.advance(kFrame);
    }
    WorldSnapshot snapshot = world.snapshot();
    const auto nothing = [] {};
    const auto save = [&] { snapshot = world.snapshot(); };
    const Times again = times_us(200, nothing, save);
    const Times stepped = times_us(
        100, [&] { world.advance(kFrame); }, save);
    const Times restored = times_us(100, nothing, [&] { world.restore(snapshot); });
    report.row({what, both(again), both(stepped),
                substep_bench::formatted("%.0f", static_cast<double>(snapshot.bytes.size()) / kBodies),
                both(restored)});
    return {again.median, stepped.median};
}

void time_snapshots(substep_bench::Report& report) {
    constexpr double kGoal = 100.0; // us
    constexpr std::array kBoundaries = {Boundary::Exact, Boundary::RunAhead};
    report.table(
        {"1000 of them, cash_karp54: median, least", "save again", "save after a step", "bytes of each", "restore"});
    std::array<std::array<double, 2>, 2> medians{};
    for (std::size_t i = 0; i < kBoundaries.size(); ++i) {
        medians[i] = time_snapshots_of(report, "free bodies, " + std::string(to_string(kBoundaries[i])),
                                       free_bodies(kBoundaries[i], kBodies));
    }
    for (const Boundary boundary : kBoundaries) {
        time_snapshots_of(report, "pendulums, " + std::string(to_string(boundary)), pendulums(1, boundary));
    }
    report.goals();
    for (std::size_t i = 0; i < kBoundaries.size(); ++i) {
        const std::string which = ", " + std::string(to_string(kBoundaries[i]));
        report.goal("1000 free bodies saved again" + which, us(medians[i][0]), us(kGoal), medians[i][0] / kGoal, 1.0);
        report.goal("1000 free bodies saved after a step" + which, us(medians[i][1]), us(kGoal), medians[i][1] / kGoal,
                    1.0);
    }
}

void time_free_bodies(substep_bench::Report& report) {
    report.table({"free bodies, cash_karp54", "ns per body and frame"});
    for (const int count : {100, 1000, 10000}) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            World world = free_bodies(boundary, count);
            double total = 1e300;
            for (int run = 0; run < 5; ++run) {
                const double start = now_us();
                for (int frame = 0; frame < 20; ++frame) {
                    world.advance(kFrame);
                }
                total = std::min(total, (now_us() - start) / 20);
            }
            report.row({std::to_string(count) + ", " + std::string(to_string(boundary)),
                        substep_bench::formatted("%.0f", 1e3 * total / count)});
        }
    }
}

} // namespace

void substep_bench::run_islands() {
    Report report;
    report.section("Islands and snapshots");
    time_free_bodies(report);
    time_snapshots(report);
    race_threads(report);
}
