// Piles that fall, stand and come to rest: what a frame costs in every engine, and how well they do it.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "bench.h"
#include "frame_times.h"
#include "piles.h"
#include "report.h"

namespace {

using namespace substep_bench;

constexpr int kRuns = 3;
constexpr int kLastFrames = 60; // in which a pile is looked at

struct Engine {
    std::string name;
    std::function<std::unique_ptr<Simulator>(const Pile&)> make;
    std::size_t most_bodies; ///< of a pile that it is given
};

/// What a frame costs, in microseconds, and the worst of the last frames.
struct Result {
    FrameTimes times;
    PileState last;
};

// Runs repeat each other exactly: the last one is looked at too.
Result run(const Pile& pile, const Engine& engine) {
    const auto frames = static_cast<std::size_t>(pile.frames);
    std::vector<std::vector<double>> times(frames);
    Result result;
    for (int number = 0; number < kRuns; ++number) {
        const std::unique_ptr<Simulator> simulator = engine.make(pile);
        std::vector<BodyMotionNow> bodies;
        for (std::size_t frame = 0; frame < frames; ++frame) {
            const double begin = cpu_time_us();
            simulator->advance_frame();
            times[frame].push_back(cpu_time_us() - begin);
            if (number + 1 == kRuns && frame + kLastFrames >= frames) {
                simulator->read(bodies);
                const PileState now = state_of(pile, bodies);
                result.last = {std::max(result.last.overlap, now.overlap), std::max(result.last.sink, now.sink),
                               std::max(result.last.speed, now.speed),
                               std::max(result.last.kinetic_energy, now.kinetic_energy),
                               std::max(result.last.lost, now.lost)};
            }
        }
    }
    std::vector<double> medians;
    for (std::vector<double>& of_frame : times) {
        std::ranges::sort(of_frame);
        medians.push_back(of_frame[of_frame.size() / 2]);
    }
    result.times.mean = std::accumulate(medians.begin(), medians.end(), 0.0) / static_cast<double>(frames);
    std::ranges::sort(medians);
    result.times.p99 = medians[(99 * frames - 1) / 100];
    result.times.slowest = medians.back();
    return result;
}

std::vector<Engine> engines() {
    constexpr std::size_t kAny = ~std::size_t{0};
    constexpr std::size_t kFew = 300; // one velocity step a frame is for small piles
    std::vector<Engine> all;
    for (const std::string& method : {std::string("auto"), std::string("impulse_euler")}) {
        all.push_back({"Substep, " + method, [=](const Pile& pile) { return pile_in_world(pile, method); },
                       method == "auto" ? kAny : kFew});
    }
    for (const bool sleeps : {false, true}) {
        const std::string how = sleeps ? ", sleeping" : "";
        if (pile_in_bullet(make_tower(), sleeps) != nullptr) {
            all.push_back(
                {bullet_release() + how, [=](const Pile& pile) { return pile_in_bullet(pile, sleeps); }, kAny});
        }
        if (pile_in_ode(make_tower(), sleeps) != nullptr) {
            all.push_back({ode_release() + how, [=](const Pile& pile) { return pile_in_ode(pile, sleeps); }, kAny});
        }
    }
    return all;
}

} // namespace

void substep_bench::run_piles(const std::string& document) {
    Report report;
    report.begin("piles", "piles",
                 "Opponents: " + bullet_release() + ", in single precision with 10 iterations, and " + ode_release() +
                     ", in double, QuickStep with 20. Frames of 1/60 s: 600, of messes 900.");
    report.section("Frames");
    report.text(
        "CPU time of a frame, and the worst of the last 60 frames: the deepest overlap of two bodies, by our "
        "distances whoever moved them; how far the highest bodies have sunk; the speed of the fastest point; kinetic "
        "energy; bodies out of the pit.");
    report.table({"pile", "engine", "mean, us", "p99, us", "slowest, us", "overlap, mm", "sink, mm", "speed, m/s",
                  "energy, J", "lost"});
    for (const Pile& pile :
         {make_tower(), make_pyramid(), make_cube_pit(10), make_ball_pit(10), make_mess(MessOf::Cubes, 1000),
          make_mess(MessOf::Slabs, 1000), make_mess(MessOf::Mixed, 1000)}) {
        for (const Engine& engine : engines()) {
            if (pile.bodies.size() > engine.most_bodies) {
                continue;
            }
            const Result result = run(pile, engine);
            report.row({pile.name, engine.name, formatted("%.0f", result.times.mean),
                        formatted("%.0f", result.times.p99), formatted("%.0f", result.times.slowest),
                        formatted("%.2f", 1e3 * result.last.overlap),
                        pile.highest.empty() ? "-" : formatted("%.2f", 1e3 * result.last.sink),
                        formatted("%.1e", result.last.speed), formatted("%.1e", result.last.kinetic_energy),
                        std::to_string(result.last.lost)});
        }
    }
    report.finish(document);
}
