// Races are run by Google Benchmark.
#include "race.h"

#include <algorithm>
#include <charconv>

#include <benchmark/benchmark.h>

namespace substep_bench {
namespace {

double least(const std::vector<double>& values) { return *std::ranges::min_element(values); }

/// Keeps one statistic of each benchmark, whose name is its number, and prints nothing.
class Results final : public benchmark::BenchmarkReporter {
public:
    Results(std::size_t count, const char* statistic) : ns(count, 0.0), statistic_(statistic) {}
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Aggregate || run.aggregate_name != statistic_) {
                continue;
            }
            const std::string& name = run.run_name.function_name;
            std::size_t number = 0;
            std::from_chars(name.data(), name.data() + name.size(), number);
            ns[number] = run.GetAdjustedCPUTime();
        }
    }
    std::vector<double> ns;

private:
    std::string statistic_;
};

// Interleaving is a flag of Google Benchmark and nothing else.
void interleave() {
    static const bool done = [] {
        std::string program = "substep_bench";
        std::string flag = "--benchmark_enable_random_interleaving=true";
        char* arguments[] = {program.data(), flag.data()};
        int count = 2;
        benchmark::Initialize(&count, arguments);
        return true;
    }();
    (void)done;
}

} // namespace

std::size_t Race::add(std::function<void()> body, double units) {
    candidates_.push_back({std::move(body), units});
    return candidates_.size() - 1;
}

std::vector<double> Race::run(const char* statistic, int repetitions, double seconds) {
    interleave();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const auto loop = [body = candidates_[i].body](benchmark::State& state) {
            for (auto _ : state) {
                body();
                benchmark::ClobberMemory();
            }
        };
        benchmark::RegisterBenchmark(std::to_string(i).c_str(), loop)
            ->MinTime(seconds)
            ->Repetitions(repetitions)
            ->ComputeStatistics("least", least)
            ->ReportAggregatesOnly();
    }
    Results results(candidates_.size(), statistic);
    benchmark::RunSpecifiedBenchmarks(&results);
    benchmark::ClearRegisteredBenchmarks();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        results.ns[i] /= candidates_[i].units;
    }
    candidates_.clear();
    return results.ns;
}

} // namespace substep_bench
