// Times things against one another: interleaved repetitions, CPU time, medians or the least.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace substep_bench {

/// Candidates that are timed together. Repetitions are interleaved at random, so that a slow moment of the machine hits
/// all alike; medians are worth comparing within one race.
class Race {
public:
    /// Adds a candidate. One call of `body` does `units` of whatever is counted. Returns its number.
    std::size_t add(std::function<void()> body, double units = 1.0);

    /// Runs all candidates `repetitions` times, for at least `seconds` of CPU time each. Returns the median CPU time of
    /// a unit, in nanoseconds, in the order in which candidates were added; and forgets them.
    std::vector<double> run(int repetitions = 21, double seconds = 0.02) { return run("median", repetitions, seconds); }

    /// The same with the least time: for candidates that other programs slow down unequally, by what they take of the
    /// cache.
    std::vector<double> run_least(int repetitions = 21, double seconds = 0.02) {
        return run("least", repetitions, seconds);
    }

private:
    std::vector<double> run(const char* statistic, int repetitions, double seconds);

    struct Candidate {
        std::function<void()> body;
        double units = 1.0;
    };
    std::vector<Candidate> candidates_;
};

} // namespace substep_bench
