// Piles that fall, stand and come to rest: what a frame costs in every engine, and how well they do it.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bench.h"
#include "frame_times.h"
#include "piles.h"
#include "report.h"

namespace {

using namespace substep_bench;

constexpr int kRuns = 3;
constexpr int kLastFrames = 60;             // in which a pile is looked at, every pair of bodies,
constexpr std::size_t kMostLookedAt = 2000; // of no more than so many

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

/// What is asked of ours in a pile: quotients of means, and the worst of the last frames; what is infinite is not
/// asked.
struct Goals {
    double of_bullet = kNotAsked;
    double of_ode = kNotAsked;
    double overlap = kNotAsked; ///< mm
    double sink = kNotAsked;    ///< mm
    double speed = kNotAsked;   ///< mm/s
    double energy = kNotAsked;  ///< mJ

    static constexpr double kNotAsked = std::numeric_limits<double>::infinity();
};

struct AskedPile {
    Pile pile;
    Goals goals;
};

// A frame that takes much longer than others is seen, whatever their mean.
constexpr double kMostOfP99 = 2.5;
constexpr double kMostOfSlowest = 6.0;

// Of ten times as many bodies each takes longer, for they leave the caches.
constexpr double kMostOfMany = 2.0;

// Boxes and balls in the pit, as good as prototypes without a world around them were; convex steps of a tower are worth
// more time than Bullet's, of whose tower the top sinks by 19 mm.
std::vector<AskedPile> asked_piles() {
    const Goals mess{.of_bullet = 0.5, .of_ode = 0.3, .overlap = 3.0, .energy = 0.1};
    return {{make_tower(), {.of_bullet = 1.1, .of_ode = 0.5, .sink = 6.4}},
            {make_pyramid(), {.of_bullet = 0.45, .of_ode = 0.15, .sink = 7.5, .speed = 1.0}},
            {make_cube_pit(10, 10), {.of_bullet = 0.33, .of_ode = 0.2, .sink = 6.5}},
            {make_ball_pit(10), {.of_bullet = 0.55, .of_ode = 0.35, .overlap = 3.0}},
            {make_mess(MessOf::Cubes, 1000), mess},
            {make_mess(MessOf::Slabs, 1000), mess},
            {make_mess(MessOf::Mixed, 1000), mess},
            {resisting(make_mess(MessOf::Mixed, 1000)), mess}};
}

/// The names of a pile and of one of the same kind with ten times as many bodies, and what a frame costs for each body.
struct Growth {
    std::string few;
    std::string many;
    double of_few;  ///< us
    double of_many; ///< us
};

// Runs repeat each other exactly: the last one is looked at too.
Result run(const Pile& pile, const Engine& engine, int runs) {
    const auto frames = static_cast<std::size_t>(pile.frames);
    std::vector<std::vector<double>> times(frames);
    Result result;
    for (int number = 0; number < runs; ++number) {
        const std::unique_ptr<Simulator> simulator = engine.make(pile);
        std::vector<BodyMotionNow> bodies;
        for (std::size_t frame = 0; frame < frames; ++frame) {
            const double begin = cpu_time_us();
            simulator->advance_frame();
            times[frame].push_back(cpu_time_us() - begin);
            if (pile.bodies.size() <= kMostLookedAt && number + 1 == runs && frame + kLastFrames >= frames) {
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

/// A pile as every engine has left it.
struct MeasuredPile {
    std::string name;
    Goals goals;
    std::vector<std::pair<std::string, Result>> results; ///< by engine, ours first
};

const Result* result_of(const MeasuredPile& pile, const std::string& engine) {
    const auto found = std::ranges::find(pile.results, engine, &std::pair<std::string, Result>::first);
    return found != pile.results.end() ? &found->second : nullptr;
}

void compare_means(const MeasuredPile& pile, const std::string& engine, double limit, Report& report) {
    const std::string what = pile.name + ", against " + engine;
    const double ours = pile.results.front().second.times.mean;
    if (const Result* const theirs = result_of(pile, engine)) {
        report.goal(what, formatted("%.0f us", ours), formatted("%.0f us", theirs->times.mean),
                    ours / theirs->times.mean, limit);
    } else {
        report.skipped_goal(what, "it is not there");
    }
}

double bodies_of(const Pile& pile) { return static_cast<double>(pile.bodies.size() - pile.fixed_count()); }

std::vector<Growth> measure_many(const std::vector<MeasuredPile>& piles, Report& report) {
    report.section("Ten times as many bodies");
    report.text("CPU time of a frame of ours, without sleep, in one run, beside that of a thousand in the runs above.");
    report.table({"pile", "bodies", "mean, us", "a body, us", "a body of a thousand, us"});
    std::vector<Growth> growths;
    const auto measure = [&](const Pile& few, const Pile& many) {
        const auto measured = std::ranges::find(piles, few.name, &MeasuredPile::name);
        const double mean = run(many, engines().front(), 1).times.mean;
        const Growth growth{few.name, many.name, measured->results.front().second.times.mean / bodies_of(few),
                            mean / bodies_of(many)};
        report.row({many.name, formatted("%.0f", bodies_of(many)), formatted("%.0f", mean),
                    formatted("%.2f", growth.of_many), formatted("%.2f", growth.of_few)});
        growths.push_back(growth);
    };
    measure(make_cube_pit(10, 10), make_cube_pit(32, 10));
    measure(make_mess(MessOf::Cubes, 1000), make_mess(MessOf::Cubes, 10000));
    return growths;
}

void judge(const std::vector<MeasuredPile>& piles, const std::vector<Growth>& growths, Report& report) {
    report.section("Goals");
    report.text(
        "Means of a frame, without sleep, against those of the others, and our longest frames against our mean; what "
        "is not compared stands as its own quotient.");
    report.goals();
    for (const MeasuredPile& pile : piles) {
        compare_means(pile, bullet_release(), pile.goals.of_bullet, report);
        compare_means(pile, ode_release(), pile.goals.of_ode, report);
        const auto& [times, last] = pile.results.front().second;
        const std::string mean = formatted("mean %.0f us", times.mean);
        report.goal(pile.name + ", p99", formatted("%.0f us", times.p99), mean, times.p99 / times.mean, kMostOfP99);
        report.goal(pile.name + ", slowest frame", formatted("%.0f us", times.slowest), mean,
                    times.slowest / times.mean, kMostOfSlowest);
        const auto compare_own = [&, name = pile.name](const char* what, const char* format, double value,
                                                       double limit) {
            if (limit != Goals::kNotAsked) {
                report.goal(name + what, formatted(format, value), "-", value, limit);
            }
        };
        compare_own(", overlap", "%.2f mm", 1e3 * last.overlap, pile.goals.overlap);
        compare_own(", sink", "%.2f mm", 1e3 * last.sink, pile.goals.sink);
        compare_own(", speed", "%.2g mm/s", 1e3 * last.speed, pile.goals.speed);
        compare_own(", energy", "%.2g mJ", 1e3 * last.kinetic_energy, pile.goals.energy);
        compare_own(", lost", "%.0f", last.lost, 0.0);
    }
    for (const Growth& growth : growths) {
        report.goal(growth.many + ", a body, against " + growth.few, formatted("%.2f us", growth.of_many),
                    formatted("%.2f us", growth.of_few), growth.of_many / growth.of_few, kMostOfMany);
    }
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
    std::vector<MeasuredPile> measured;
    for (const AskedPile& asked : asked_piles()) {
        const Pile& pile = asked.pile;
        MeasuredPile& now = measured.emplace_back(MeasuredPile{pile.name, asked.goals, {}});
        for (const Engine& engine : engines()) {
            if (pile.bodies.size() > engine.most_bodies) {
                continue;
            }
            const Result result = run(pile, engine, kRuns);
            now.results.emplace_back(engine.name, result);
            report.row({pile.name, engine.name, formatted("%.0f", result.times.mean),
                        formatted("%.0f", result.times.p99), formatted("%.0f", result.times.slowest),
                        formatted("%.2f", 1e3 * result.last.overlap),
                        pile.highest.empty() ? "-" : formatted("%.2f", 1e3 * result.last.sink),
                        formatted("%.1e", result.last.speed), formatted("%.1e", result.last.kinetic_energy),
                        std::to_string(result.last.lost)});
        }
    }
    const std::vector<Growth> growths = measure_many(measured, report);
    judge(measured, growths, report);
    report.finish(document);
}
