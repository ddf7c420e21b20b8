// Frames of random lives in order of their cost.
#include "worst_frames.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "crew.h"
#include "frame_meter.h"
#include "script.h"

namespace hostile {
namespace {

constexpr std::array kBudgets{0, 200}; // evaluations of each body
constexpr double kLongest = 100.0;     // ms
constexpr std::size_t kShown = 5;
constexpr unsigned kMostSeconds = 600; // for one life

struct Row {
    FrameMeter::Frame frame;
    std::uint64_t seed = 0;
};

std::ostream& operator<<(std::ostream& out, const FrameMeter::Frame& frame) {
    return out << frame.milliseconds << ' ' << frame.number << ' ' << frame.bodies << ' ' << frame.evaluations << ' '
               << frame.work << ' ' << frame.met_bound << ' ';
}

std::istream& operator>>(std::istream& in, FrameMeter::Frame& frame) {
    return in >> frame.milliseconds >> frame.number >> frame.bodies >> frame.evaluations >> frame.work >>
           frame.met_bound;
}

std::string measured(std::uint64_t seed, int budget) {
    FrameMeter meter(budget);
    live(make_script(seed), {.meter = &meter});
    std::ostringstream out;
    out << meter.worst() << meter.worst_first() << meter.milliseconds() << ' ' << meter.units();
    return out.str();
}

/// Prints the costliest of the rows. Returns the cost of the first, ms.
double print_worst(std::vector<Row>& rows, const char* which, int budget) {
    std::ranges::sort(rows, [](const Row& a, const Row& b) { return a.frame.milliseconds > b.frame.milliseconds; });
    std::printf("%s, %s:\n", which, budget == 0 ? "by default" : "200 evaluations a body");
    for (std::size_t i = 0; i < std::min(kShown, rows.size()); ++i) {
        const FrameMeter::Frame& frame = rows[i].frame;
        std::printf("  %8.2f ms  seed %llu, advance %d: %zu bodies, %lld evaluations and work for %lld more%s\n",
                    frame.milliseconds, static_cast<unsigned long long>(rows[i].seed), frame.number, frame.bodies,
                    static_cast<long long>(frame.evaluations), static_cast<long long>(frame.work),
                    frame.met_bound ? ", met the bound" : "");
    }
    return rows.empty() ? 0.0 : rows.front().frame.milliseconds;
}

} // namespace

bool measure_frames(unsigned long count, std::uint64_t first, unsigned workers) {
    bool within = true;
    for (const int budget : kBudgets) {
        std::vector<Row> others;
        std::vector<Row> firsts;
        double milliseconds = 0.0;
        double units = 0.0;
        run_in_processes(
            count, workers, kMostSeconds, [&](std::size_t job) { return measured(first + job, budget); },
            [&](std::size_t job, const Answer& answer) {
                const std::uint64_t seed = first + job;
                Row other{.frame = {}, .seed = seed};
                Row one{.frame = {}, .seed = seed};
                std::istringstream in(answer.said);
                double taken = 0.0;
                double counted = 0.0;
                in >> other.frame >> one.frame >> taken >> counted;
                if (!answer.ended.empty() || !in) {
                    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), answer.ended.c_str());
                    within = false;
                    return;
                }
                milliseconds += taken;
                units += counted;
                others.push_back(other);
                firsts.push_back(one);
            });
        within = print_worst(others, "Frames", budget) <= kLongest && within;
        print_worst(firsts, "First frames after an edit", budget);
        std::printf("%.3f us for each evaluation of a body, work on contacts included.\n", 1e3 * milliseconds / units);
    }
    return within;
}

} // namespace hostile
