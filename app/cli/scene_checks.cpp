// Every scene with a truth: at three frame rates to its threshold, and every suitable method by its order.
#include <cstdio>
#include <string>

#include "run_options.h"
#include "substep/scenes/truth_check.h"
#include "verification.h"

namespace substep {
namespace {

// What the truth states, at every frame rate.
CheckRow check_threshold(SceneTrials& trials) {
    const Truth& truth = *trials.truth();
    const IntegratorSettings settings = truth_settings();
    std::vector<double> rates, errors, evaluations;
    bool passed = true;
    for (const double fps : kTruthFrameRates) {
        const TruthRun run = trials.run(settings, fps, truth.until());
        rates.push_back(fps);
        errors.push_back(run.error);
        evaluations.push_back(static_cast<double>(run.evaluations));
        passed = passed && run.error <= truth.threshold();
    }
    return {{cell(settings.method), cell(std::string(kFrameRateSetting)), cell(rates, "%.0f"), cell(errors, "%.1e"),
             cell("at most " + shortest(truth.threshold())), cell(evaluations, "%.0f")},
            passed};
}

CheckRow check_row(SceneTrials& trials, const MethodInfo& method, double seconds) {
    const MethodCheck check = trials.check(method, seconds);
    std::string measured = check.at_rounding
                               ? "below the threshold"
                               : (method.adaptive ? "tolerance^" : "order ") + cell(check.measured, "%.2f").text +
                                     " of " + cell(check.expected, "%.3g").text;
    if (check.seconds < seconds) {
        measured += ", first " + shortest(check.seconds) + " s";
    }
    return {{cell(std::string(method.name)), cell(std::string(method.adaptive ? "tolerance" : "substeps")),
             cell(check.values, method.adaptive ? "%.0e" : "%.0f"), cell(check.errors, "%.1e"), cell(measured),
             cell(check.evaluations, "%.0f")},
            check.passed};
}

CheckTable check_scene(const SceneInfo& info) {
    SceneTrials trials(info);
    const Truth* const truth = trials.truth();
    CheckTable table;
    char note[200];
    std::snprintf(note, sizeof note,
                  "largest error of %s in %s; truth.threshold %g (dormand_prince853 at tolerance %g), truth.until %g s",
                  truth->quantity().c_str(), truth->unit().c_str(), truth->threshold(), kTruthTolerance,
                  truth->until());
    table.note = note;
    table.columns = {"method", "setting", "values", "error", "measured", "evaluations"};
    table.rows.push_back(check_threshold(trials));
    for (const IntegrationMethod* method : method_catalogue()) {
        if (trials.takes(method->info())) {
            table.rows.push_back(check_row(trials, method->info(), truth->until()));
        }
    }
    return table;
}

} // namespace

std::vector<VerifyEntry> scene_entries() {
    std::vector<VerifyEntry> entries;
    for (const SceneInfo& info : scene_list()) {
        if (info.has_truth) {
            entries.push_back({std::string(info.name), std::string(info.title) + " against its exact solution",
                               [&info] { return check_scene(info); }});
        }
    }
    return entries;
}

} // namespace substep
