// `substep_bench integrators`: all races of the numerical library, and the document about them.
#include <filesystem>
#include <string>

#include "bench.h"
#include "integrator_races.h"

namespace substep_bench {
namespace {

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
    Report report;
    report.begin("the integrators", "integrators", "Opponents: " + opponents() + ".");
    race_steps(report);
    race_to_errors(report);
    race_batches(report);
    race_events(report);
    race_work_precision(report, document.empty() ? "" : std::filesystem::path(document).parent_path().string());
    report.finish(document);
}

} // namespace substep_bench
