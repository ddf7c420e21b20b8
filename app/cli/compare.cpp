// `substep compare`: several methods and tolerances on one scene.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "drift.h"
#include "interruption.h"
#include "measured_run.h"
#include "plot_option.h"

namespace substep {
namespace {

using Json = nlohmann::ordered_json;

struct CompareCommand {
    std::string scene;
    std::string methods;    // words separated by commas; empty: all
    std::string tolerances; // likewise; empty: the scene's
    RunWords words;
    bool as_json = false;
    PlotWords plot;
    std::string plot_over; // one of kPlotOver; empty: the first
};

constexpr std::array<std::string_view, 3> kPlotOver{"evaluations", "us", "time"};

// One run of the table.
struct Row {
    std::string method;
    bool adaptive = false;
    double tolerance = 0.0;
    int substeps = 0;
    double max_error = 0.0;
    double max_energy_change = 0.0;
    double evaluations_per_frame = 0.0;
    RunResult result;
    PeakSeries drift; // over time
};

Row measure_row(const std::string& scene, const RunWords& words) {
    Run run = make_run(scene, words);
    Meter meter(run.scene.world, run.scene.truth.get(), run.scene.energy_scale);
    PeakSeries drift;
    const RunResult result = measure_run(
        run, meter, [&](const FrameRecord& record) { drift.push(record.world.time(), drift_of(record.meter)); });
    const IntegratorSettings& settings = run.scene.world.settings().integrator;
    return {settings.method,
            method_named(settings.method).adaptive,
            settings.atol,
            settings.substeps,
            meter.max_error(),
            meter.max_relative_energy_change(),
            static_cast<double>(result.evaluations) / std::max(result.frames, 1),
            result,
            drift};
}

// Runs that did not reach their target come last, then the larger error, or the larger energy change where the scene
// has no truth. Not a number is larger than any.
bool better(const Row& a, const Row& b, bool has_truth) {
    const bool a_reached = a.result.status == StepStatus::ReachedTarget;
    const bool b_reached = b.result.status == StepStatus::ReachedTarget;
    if (a_reached != b_reached) {
        return a_reached;
    }
    const double x = has_truth ? a.max_error : a.max_energy_change;
    const double y = has_truth ? b.max_error : b.max_energy_change;
    return std::isnan(y) ? !std::isnan(x) : x < y;
}

// Says where no method of the table looks at an option.
void say_idle(const CompareCommand& command, const std::vector<std::string>& methods) {
    const auto adaptive = [](const std::string& method) { return method_named(method).adaptive; };
    if (!command.tolerances.empty() && std::ranges::none_of(methods, adaptive)) {
        std::fputs("substep: no method of these looks at --tolerances: their substeps are fixed.\n", stderr);
    }
    if (!command.words.substeps.empty() && std::ranges::all_of(methods, adaptive)) {
        std::fputs("substep: no method of these looks at --substeps: tolerances decide their substeps.\n", stderr);
    }
}

// One row per method, and per tolerance for methods that have an error estimate.
std::vector<Row> measure_rows(const CompareCommand& command) {
    std::vector<std::string> methods;
    if (command.methods.empty()) {
        for (const IntegrationMethod* method : method_catalogue()) {
            methods.emplace_back(method->info().name);
        }
        methods.emplace_back(kAutoMethod);
    } else {
        methods = read_list("--methods", command.methods);
    }
    std::vector<std::string> tolerances{""};
    if (!command.tolerances.empty()) {
        tolerances = read_list("--tolerances", command.tolerances);
    }

    // Every word is checked before the first run begins.
    std::vector<RunWords> runs;
    for (const std::string& tolerance : tolerances) {
        if (!tolerance.empty()) {
            read_tolerance("--tolerances", tolerance);
        }
    }
    for (const std::string& method : methods) {
        const std::size_t count = method_named(method).adaptive ? tolerances.size() : 1;
        for (std::size_t i = 0; i < count; ++i) {
            RunWords words = command.words;
            words.method = method;
            words.tolerance = tolerances[i];
            make_run(command.scene, words);
            runs.push_back(words);
        }
    }

    say_idle(command, methods);
    std::vector<Row> rows;
    note_interruptions();
    for (const RunWords& words : runs) {
        Row row = measure_row(command.scene, words);
        if (row.result.interrupted) {
            break; // it went less far than the others
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

// JSON has no infinity and no NaN: null stands for both.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_json(const Run& run, const std::vector<Row>& rows) {
    Json list = Json::array();
    for (const Row& row : rows) {
        list.push_back({{"method", row.method},
                        {"tolerance", row.adaptive ? Json(row.tolerance) : Json()},
                        {"substeps", row.adaptive ? Json() : Json(row.substeps)},
                        {"max_error", run.scene.truth ? number(row.max_error) : Json()},
                        {"max_energy_change", number(row.max_energy_change)},
                        {"evaluations_per_frame", row.evaluations_per_frame},
                        {"us_per_frame", row.result.mean_us},
                        {"degraded_frames", row.result.degraded_frames},
                        {"unstable_frames", row.result.unstable_frames},
                        {"status", to_string(row.result.status)}});
    }
    return {{"scene", run.info->name},
            {"frames", run.scene.frames},
            {"fps", run.scene.fps},
            {"quantity", run.scene.truth ? Json(run.scene.truth->quantity()) : Json()},
            {"unit", run.scene.truth ? Json(run.scene.truth->unit()) : Json()},
            {"known_until", run.scene.truth ? number(run.scene.truth->known_until()) : Json()},
            {"energy_scale", run.scene.energy_scale},
            {"interrupted", is_interrupted()},
            {"rows", list}};
}

void print_text(const Run& run, const std::vector<Row>& rows) {
    const Truth* const truth = run.scene.truth.get();
    std::printf("%s, %d frames at %s fps; energy change is relative to %g J\n", std::string(run.info->name).c_str(),
                run.scene.frames, shortest(run.scene.fps).c_str(), run.scene.energy_scale);
    if (truth && truth->known_until() < run.scene.frames / run.scene.fps - 1e-9) {
        std::printf("errors are those up to %.6g s, where the exact solution ends\n", truth->known_until());
    }
    const std::string error_title = truth ? "max error (" + truth->unit() + ")" : "max error";
    std::printf("%-26s %-19s %16s %14s %12s %10s  %s\n", "method", "setting", error_title.c_str(), "energy change",
                "evals/frame", "us/frame", "remark");
    for (const Row& row : rows) {
        const std::string setting =
            row.adaptive ? "tolerance " + shortest(row.tolerance) : substeps_a_frame(row.substeps);
        char error[32] = "-";
        if (truth) {
            std::snprintf(error, sizeof error, "%.3g", row.max_error);
        }
        std::string remark =
            row.result.status == StepStatus::ReachedTarget ? "" : std::string(to_string(row.result.status));
        if (row.result.degraded_frames > 0) {
            remark += (remark.empty() ? "" : ", ") + std::to_string(row.result.degraded_frames) + " frames degraded";
        }
        if (row.result.unstable_frames > 0) {
            remark += (remark.empty() ? "" : ", ") + std::to_string(row.result.unstable_frames) + " frames unstable";
        }
        for (const MethodUse& use : row.result.chosen) {
            remark += (remark.empty() ? "" : ", ") + std::string(use.method);
        }
        std::printf("%-26s %-19s %16s %14.3g %12.4g %10.3g  %s\n", row.method.c_str(), setting.c_str(), error,
                    row.max_energy_change, row.evaluations_per_frame, row.result.mean_us, remark.c_str());
    }
}

// Work against precision: a curve for each method, a point for each tolerance. Over time: a curve for each row.
Figure make_figure(const CompareCommand& command, const Run& run, const std::vector<Row>& rows) {
    const bool over_time = command.plot_over == "time";
    const bool has_truth = run.scene.truth != nullptr;
    Figure figure;
    figure.title = run.info->title;
    figure.subtitle = std::to_string(run.scene.frames) + " frames at " + shortest(run.scene.fps) + " fps";
    figure.y_name = (over_time ? "" : "largest ") + drift_name(run.scene);
    figure.x_name = over_time ? "time (s)" : command.plot_over == "us" ? "microseconds a frame" : "evaluations a frame";
    figure.x_log = !over_time;
    figure.join_lower_left = !over_time;
    const std::vector<std::string_view> methods = method_names();
    for (std::size_t method = 0; method < methods.size(); ++method) {
        const MethodInfo& info = method_named(methods[method]);
        FigureSeries curve{.name = std::string(info.name), .points = {}, .markers = true, .row = method};
        for (const Row& row : rows) {
            if (row.method != info.name) {
                continue;
            }
            if (over_time) {
                const std::string setting = row.adaptive ? ", " + shortest(row.tolerance) : "";
                figure.series.push_back({row.method + setting, {row.drift.points().begin(), row.drift.points().end()}});
                figure.series.back().row = method;
            } else {
                curve.points.push_back({command.plot_over == "us" ? row.result.mean_us : row.evaluations_per_frame,
                                        has_truth ? row.max_error : row.max_energy_change});
            }
        }
        if (!curve.points.empty()) {
            figure.series.push_back(curve);
        }
    }
    return figure;
}

int execute(const CompareCommand& command) {
    check_plot(command.plot);
    if (!command.plot_over.empty() && command.plot.file.empty()) {
        throw std::invalid_argument("--plot-over needs a picture: name its file with --plot");
    }
    if (!command.plot_over.empty() && std::ranges::find(kPlotOver, command.plot_over) == kPlotOver.end()) {
        throw_unknown("--plot-over", command.plot_over, kPlotOver);
    }
    std::vector<Row> rows = measure_rows(command);
    const Run run = make_run(command.scene, command.words); // for what all rows share
    const bool has_truth = run.scene.truth != nullptr;
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return better(a, b, has_truth); });
    if (command.as_json) {
        std::puts(to_json(run, rows).dump(2).c_str());
    } else {
        print_text(run, rows);
    }
    std::fflush(stdout);
    std::vector<StepStatus> explained{StepStatus::ReachedTarget};
    for (const Row& row : rows) {
        const StepStatus status = row.result.status;
        if (std::ranges::find(explained, status) == explained.end()) {
            explained.push_back(status);
            std::fprintf(stderr, "substep: %s: %s\n", std::string(to_string(status)).c_str(),
                         std::string(explain(status)).c_str());
        }
    }
    if (!rows.empty()) {
        draw_plot_file(command.plot, make_figure(command, run, rows));
    }
    if (is_interrupted()) {
        std::fputs("substep: interrupted: runs that had not ended are left out\n", stderr);
        return kExitInterrupted;
    }
    const bool all_reached = std::all_of(rows.begin(), rows.end(),
                                         [](const Row& row) { return row.result.status == StepStatus::ReachedTarget; });
    return all_reached ? kExitSuccess : kExitNotReached;
}

} // namespace

void add_compare_command(CLI::App& program, int& exit_status) {
    CLI::App* const app = program.add_subcommand("compare", "run a scene with several methods and tolerances");
    const auto command = std::make_shared<CompareCommand>();
    app->add_option("scene", command->scene, "scene (see: substep list)")->required()->type_name("NAME");
    add_word_option(*app, "--methods", "NAMES", command->methods, "methods, separated by commas; all if left out");
    add_word_option(*app, "--tolerances", "LIST", command->tolerances,
                    "tolerances, separated by commas, for methods with error control");
    add_settings_options(*app, command->words);
    add_length_options(*app, command->words);
    // The lists take the place of the single choices.
    app->remove_option(app->get_option("--method"));
    app->remove_option(app->get_option("--tolerance"));
    app->add_flag("--json", command->as_json, "print one JSON object");
    add_plot_options(*app, command->plot, "the largest error against the cost, with the best of all joined,");
    add_word_option(*app, "--plot-over", "WORD", command->plot_over,
                    "evaluations (default) or us, a frame; time: the error of each run over time");
    app->footer(kSettingsFooter);
    app->callback([command, &exit_status] { exit_status = execute(*command); });
}

} // namespace substep
