// `substep_bench integrators`: all races of the numerical library, and the document about them.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "bench.h"
#include "integrator_races.h"

#ifdef __clang__
#define SUBSTEP_BENCH_COMPILER "clang " __clang_version__
#else
#define SUBSTEP_BENCH_COMPILER "g++ " __VERSION__
#endif

namespace substep_bench {
namespace {

// The processor's name, as Linux gives it.
std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown processor";
}

std::string opponents() {
    std::string list;
    const auto add = [&](const char* name, bool installed) {
        list += std::string(list.empty() ? "" : ", ") + name + (installed ? "" : " (not installed)");
    };
#ifdef SUBSTEP_BENCH_ODEINT
    add("Boost.odeint", true);
#else
    add("Boost.odeint", false);
#endif
#ifdef SUBSTEP_BENCH_GSL
    add("GSL", true);
#else
    add("GSL", false);
#endif
#ifdef SUBSTEP_BENCH_SUNDIALS
    add("SUNDIALS", true);
#else
    add("SUNDIALS", false);
#endif
    return list;
}

} // namespace

void run_integrators(const std::string& document) {
    const std::string conditions =
        "One run on one pinned core of: " + processor() +
        ", " SUBSTEP_BENCH_COMPILER ". Medians of interleaved repetitions, CPU time. Opponents: " + opponents() +
        ". Ratios are worth comparing, times only within one run.";
    std::printf("\n%s\n", conditions.c_str());
    Report report;
    race_steps(report);
    race_to_errors(report);
    race_batches(report);
    race_events(report);
    const std::filesystem::path path(document);
    race_work_precision(report, document.empty() ? "" : path.parent_path().string());
    const std::string summary = std::to_string(report.measured() - report.missed()) + " of " +
                                std::to_string(report.measured()) + " goals are met.";
    std::printf("\n%s\n", summary.c_str());

    if (document.empty()) {
        return;
    }
    std::ofstream file(path);
    file << "# Performance of the integrators\n\nWritten by `./dev bench integrators --write docs/performance.md`; do "
            "not "
            "edit.\n\n"
         << conditions << ' ' << summary << '\n'
         << report.markdown();
    file.close();
    if (!file) {
        throw std::runtime_error(document + " could not be written");
    }
}

} // namespace substep_bench
