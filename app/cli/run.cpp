// `substep run`: one scene with one method, measured against its truth.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "command_line.h"
#include "commands.h"
#include "drift.h"
#include "interruption.h"
#include "measured_run.h"
#include "plot_option.h"

namespace substep {
namespace {

using Json = nlohmann::ordered_json;

struct RunCommand {
    std::string scene;
    RunWords words;
    bool as_json = false;
    std::string csv_file;
    PlotWords plot;
};

std::string hash_text(std::uint64_t hash) {
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, hash);
    return text;
}

// JSON has no infinity and no NaN: null stands for both.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

// Times that are sums of frames may miss the truth's end by rounding.
bool is_known_until_end(const Truth& truth, const World& world) { return world.time() <= truth.known_until() + 1e-9; }

Json to_json(const Run& run, const Meter& meter, const RunResult& result) {
    const World& world = run.scene.world;
    const WorldSettings& settings = world.settings();
    Json parameters = Json::object();
    for (std::size_t i = 0; i < run.values.size(); ++i) {
        parameters[run.info->parameters[i].name] = run.values[i];
    }
    Json truth;
    if (const Truth* exact = run.scene.truth.get()) {
        truth = {{"quantity", exact->quantity()},
                 {"unit", exact->unit()},
                 {"max_error", number(meter.max_error())},
                 {"final_error", number(meter.error())},
                 {"visible_error", exact->visible_error()},
                 {"threshold", exact->threshold()},
                 {"until", exact->until()},
                 {"known_until", number(exact->known_until())}};
    }
    Json chosen = Json::array();
    for (const MethodUse& use : result.chosen) {
        chosen.push_back({{"method", use.method}, {"reason", use.reason}, {"frames", use.frames}});
    }
    return {{"scene", run.info->name},
            {"parameters", parameters},
            {"method", settings.integrator.method},
            {"chosen", chosen},
            {"boundary", to_string(effective_boundary(settings.integrator))},
            {"tolerance", settings.integrator.atol},
            {"substeps", settings.integrator.substeps},
            {"budget", settings.integrator.budget},
            {"bound", settings.bound},
            {"joint_correction", to_string(settings.impulse_euler.joint_correction)},
            {"fps", run.scene.fps},
            {"frames", result.frames},
            {"t", world.time()},
            {"evaluations", result.evaluations},
            {"accepted", result.accepted},
            {"rejected", result.rejected},
            {"degraded_frames", result.degraded_frames},
            {"unstable_frames", result.unstable_frames},
            {"achieved_tolerance", number(result.achieved_tolerance)},
            {"truth", truth},
            {"energy",
             {{"initial", number(meter.initial_energy())},
              {"final", number(meter.energy().total())},
              {"scale", meter.energy_scale()},
              {"scale_meaning", run.scene.energy_scale_meaning},
              {"max_relative_change", number(meter.max_relative_energy_change())}}},
            {"hash", hash_text(world.hash())},
            {"us_per_frame", {{"mean", result.mean_us}, {"p99", result.p99_us}, {"max", result.max_us}}},
            {"us_by_stage",
             {{"search", 1e6 * result.stages.search},
              {"islands", 1e6 * result.stages.islands},
              {"collision", 1e6 * result.stages.collision},
              {"solver", 1e6 * result.stages.solver},
              {"methods", 1e6 * result.stages.methods},
              {"rest", 1e6 * result.stages.rest}}},
            {"interrupted", result.interrupted},
            {"status", to_string(result.status)}};
}

void print_text(const Run& run, const Meter& meter, const RunResult& result) {
    const IntegratorSettings& settings = run.scene.world.settings().integrator;
    const MethodInfo& method = method_named(settings.method);
    const std::string choice =
        method.adaptive ? "tolerance " + shortest(settings.atol) + ", " + std::string(to_string(settings.boundary))
                        : substeps_a_frame(settings.substeps);
    std::printf("%s with %s (%s), %d frames at %s fps\n", std::string(run.info->name).c_str(), settings.method.c_str(),
                choice.c_str(), result.frames, shortest(run.scene.fps).c_str());

    // How far from the truth, and from the energy at the start.
    if (const Truth* truth = run.scene.truth.get()) {
        const std::string unit = truth->unit();
        const std::string name = truth->quantity() + " error";
        if (is_known_until_end(*truth, run.scene.world)) {
            std::printf("  %-20s max %.3g %s, at the end %.3g %s (visibly wrong from %g %s)\n", name.c_str(),
                        meter.max_error(), unit.c_str(), meter.error(), unit.c_str(), truth->visible_error(),
                        unit.c_str());
        } else {
            std::printf("  %-20s max %.3g %s up to %.6g s, where the exact solution ends (visibly wrong from %g %s)\n",
                        name.c_str(), meter.max_error(), unit.c_str(), truth->known_until(), truth->visible_error(),
                        unit.c_str());
        }
    }
    std::printf("  %-20s max %.3g, at the end %+.3g of %g J (%s)\n", "energy change",
                meter.max_relative_energy_change(), meter.relative_energy_change(), meter.energy_scale(),
                run.scene.energy_scale_meaning.c_str());

    // What it cost.
    const double frames = std::fmax(result.frames, 1.0);
    std::printf("  %-20s %" PRId64 ", %.3g a frame; %" PRId64 " substeps accepted, %" PRId64 " rejected\n",
                "evaluations", result.evaluations, static_cast<double>(result.evaluations) / frames, result.accepted,
                result.rejected);
    for (const MethodUse& use : result.chosen) {
        std::printf("  %-20s %s (%d of %d frames), %s\n", &use == &result.chosen.front() ? "chosen" : "",
                    std::string(use.method).c_str(), use.frames, result.frames, std::string(use.reason).c_str());
    }
    if (method.adaptive && result.accepted > 0) {
        std::printf("  %-20s %.3g\n", "achieved tolerance", result.achieved_tolerance);
    }
    if (result.degraded_frames > 0) {
        std::printf("  %-20s %d, of them unstable %d\n", "degraded frames", result.degraded_frames,
                    result.unstable_frames);
    }
    std::printf("  %-20s mean %.3g, p99 %.3g, max %.3g\n", "us per frame", result.mean_us, result.p99_us,
                result.max_us);
    const StageTimes& stages = result.stages;
    std::printf("  %-20s search %.3g, islands %.3g, collision %.3g, solver %.3g, methods %.3g, rest %.3g\n",
                "us by stage", 1e6 * stages.search, 1e6 * stages.islands, 1e6 * stages.collision, 1e6 * stages.solver,
                1e6 * stages.methods, 1e6 * stages.rest);
    std::printf("  %-20s t = %.6g s, %s, hash %s\n", "end", run.scene.world.time(),
                std::string(to_string(result.status)).c_str(), hash_text(run.scene.world.hash()).c_str());
}

/// Writes one row per frame, the start included.
class CsvWriter {
public:
    // Throws std::invalid_argument if the file cannot be written.
    explicit CsvWriter(const std::string& path) : path_(path), file_(path) {
        if (!file_) {
            throw std::invalid_argument("--csv \"" + path +
                                        "\" cannot be written: its folder must exist, and both be writable");
        }
        file_
            << "frame,t,error,energy,kinetic,potential,relative_energy_change,evaluations,accepted,rejected,h_smallest,"
               "h_largest,achieved_tolerance,degraded,unstable,method,us\n";
    }

    void write(const FrameRecord& record) {
        const Energy& energy = record.meter.energy();
        const StepReport& report = record.report;
        file_ << record.frame;
        for (const double value : {record.world.time(), record.meter.error(), energy.total(), energy.kinetic,
                                   energy.potential, record.meter.relative_energy_change()}) {
            file_ << ',' << field(value);
        }
        file_ << ',' << report.evaluations << ',' << report.accepted << ',' << report.rejected << ','
              << field(report.h_smallest) << ',' << field(report.h_largest) << ',' << field(report.achieved_tolerance)
              << ',' << report.degraded << ',' << report.unstable << ',' << report.method << ',' << field(record.us)
              << '\n';
    }

    // Throws std::runtime_error if something did not reach the file.
    void close() {
        file_.close();
        if (!file_) {
            throw std::runtime_error("--csv \"" + path_ + "\" could not be written to its end: is the disk full?");
        }
    }

private:
    // An empty field where there is no number.
    static std::string field(double value) { return std::isfinite(value) ? shortest(value) : std::string(); }

    std::string path_;
    std::ofstream file_;
};

// The error over time where there is a truth, else the relative change of the energy.
Figure make_figure(const Run& run, const PeakSeries& drift) {
    const IntegratorSettings& settings = run.scene.world.settings().integrator;
    const std::vector<std::string_view> methods = method_names();
    Figure figure;
    const MethodInfo& row = method_named(settings.method);
    figure.title = std::string(run.info->title) + ", " + std::string(row.label);
    figure.subtitle = row.adaptive
                          ? "tolerance " + shortest(settings.atol) + ", " + std::string(to_string(settings.boundary))
                          : substeps_a_frame(settings.substeps);
    figure.x_name = "time (s)";
    figure.y_name = drift_name(run.scene);
    figure.series.push_back({"", {drift.points().begin(), drift.points().end()}});
    figure.series.back().row = static_cast<std::size_t>(std::ranges::find(methods, row.name) - methods.begin());
    return figure;
}

int execute(const RunCommand& command) {
    check_plot(command.plot);
    if (!command.csv_file.empty() && command.csv_file == command.plot.file) {
        throw std::invalid_argument("--csv and --plot name the same file \"" + command.csv_file + '"');
    }
    Run run = make_run(command.scene, command.words);
    const std::string idle = idle_options(command.words, method_named(run.scene.world.settings().integrator.method));
    if (!idle.empty()) {
        std::fprintf(stderr, "substep: %s\n", idle.c_str());
    }
    Meter meter(run.scene.world, run.scene.truth.get(), run.scene.energy_scale);
    std::optional<CsvWriter> csv;
    if (!command.csv_file.empty()) {
        csv.emplace(command.csv_file);
    }
    PeakSeries drift;
    note_interruptions();
    const RunResult result = measure_run(run, meter, [&](const FrameRecord& record) {
        if (csv) {
            csv->write(record);
        }
        drift.push(record.world.time(), drift_of(record.meter));
    });

    // What was measured is printed first: a file that cannot be written to its end takes nothing else with it.
    if (command.as_json) {
        std::puts(to_json(run, meter, result).dump(2).c_str());
    } else {
        print_text(run, meter, result);
    }
    std::fflush(stdout);
    if (csv) {
        csv->close();
    }
    draw_plot_file(command.plot, make_figure(run, drift));
    if (result.status != StepStatus::ReachedTarget) {
        std::fprintf(stderr, "substep: frame %d did not reach its end: %s, %s\n", result.frames + 1,
                     std::string(to_string(result.status)).c_str(), std::string(explain(result.status)).c_str());
        return kExitNotReached;
    }
    if (result.interrupted) {
        std::fprintf(stderr, "substep: interrupted after %d of %d frames\n", result.frames, run.scene.frames);
        return kExitInterrupted;
    }
    return kExitSuccess;
}

} // namespace

void add_run_command(CLI::App& program, int& exit_status) {
    CLI::App* const app = program.add_subcommand("run", "run a scene and measure it");
    const auto command = std::make_shared<RunCommand>();
    app->add_option("scene", command->scene, "scene (see: substep list)")->required()->type_name("NAME");
    add_settings_options(*app, command->words);
    add_length_options(*app, command->words);
    app->add_flag("--json", command->as_json, "print one JSON object");
    add_word_option(*app, "--csv", "FILE", command->csv_file, "write one row per frame to this file");
    add_plot_options(*app, command->plot, "the error over time (without an exact solution: the energy change)");
    app->footer(kSettingsFooter);
    app->callback([command, &exit_status] { exit_status = execute(*command); });
}

} // namespace substep
