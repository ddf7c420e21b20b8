// The demo's command line.
#include "demo_options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "command_line.h"

namespace substep {

namespace {

constexpr int kSmallestSide = 320;
constexpr int kLargestSide = 8192;
constexpr double kFrameLimit = 0.03; // s: pictures come thirty times a second, however long a step takes
constexpr int kMostFrames = 1'000'000'000;

// "1280x720" to numbers.
glm::ivec2 read_size(const std::string& word) {
    const std::size_t cross = word.find('x');
    if (cross == std::string::npos)
        throw std::invalid_argument("--size \"" + word + "\" must have the form WIDTHxHEIGHT");
    return {read_integer("--size: width", word.substr(0, cross), kSmallestSide, kLargestSide),
            read_integer("--size: height", word.substr(cross + 1), kSmallestSide, kLargestSide)};
}

ThemeChoice read_theme(const std::string& word) {
    for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
        if (word == name(choice)) return choice;
    }
    throw std::invalid_argument("--theme \"" + word + "\" must be dark or light");
}

ScriptPlayer open_script(const std::string& file) {
    std::ifstream text(file);
    if (!text || std::filesystem::is_directory(file))
        throw std::invalid_argument("--script: cannot read the file " + file);
    return {read_script(text, file), file};
}

// Refuses now what could not be written at the end of the run.
void check_place(const std::string& option, const std::string& file) {
    if (!file.empty() && !can_be_made(file)) {
        throw std::invalid_argument(option + " \"" + file +
                                    "\" must be a file in a folder that exists and can be written");
    }
}

// Equations and the move tool have no such settings on the command line: theirs are in their panels.
void check_unused(const std::string& exhibit, const RunWords& words, bool twin) {
    const std::array<std::pair<const char*, bool>, 14> given{{{"--method", !words.method.empty()},
                                                              {"--substeps", !words.substeps.empty()},
                                                              {"--tolerance", !words.tolerance.empty()},
                                                              {"--boundary", !words.boundary.empty()},
                                                              {"--budget", !words.budget.empty()},
                                                              {"--bound", !words.bound.empty()},
                                                              {"--controller", !words.controller.empty()},
                                                              {"--safety", !words.safety.empty()},
                                                              {"--growth-limit", !words.growth_limit.empty()},
                                                              {"--shrink-limit", !words.shrink_limit.empty()},
                                                              {"--joint-correction", !words.joint_correction.empty()},
                                                              {"--set", !words.values.empty()},
                                                              {"--fps", !words.fps.empty()},
                                                              {"--twin", twin}}};
    for (const auto& [name, is_given] : given) {
        if (is_given)
            throw std::invalid_argument(std::string(name) + " is for scenes; " + exhibit + " is set in its panels");
    }
}

// "lorenz, arenstorf, move_tool": what --scene knows beyond the scenes of `substep list`.
std::string other_exhibits() {
    std::string names;
    for (const ExhibitInfo& each : exhibit_list()) {
        if (each.kind != ExhibitKind::Scene) names += (names.empty() ? "" : ", ") + each.name;
    }
    return names;
}

} // namespace

std::optional<DemoOptions> read_options(int argc, char** argv) {
    DemoOptions options;
    RunWords words;
    std::string scene = "pendulum";
    std::string size;
    std::string theme;
    std::string speed;
    std::string script;
    bool paused = false;
    bool no_ghost = false;

    CLI::App program("Substep's demo: rigid bodies beside their exact motion, with the integrator switched live.",
                     "substep-demo");
    program.set_version_flag("--version", "substep-demo " SUBSTEP_VERSION, "print the version and exit");
    add_word_option(program, "--scene", "NAME", scene,
                    "what to open with: a scene (see: substep list), or one of " + other_exhibits());
    add_settings_options(program, words);
    std::string frames;
    add_word_option(program, "--frames", "N", frames, "stop after so many frames");
    add_word_option(program, "--fps", "RATE", words.fps, "frames per second of simulated time");
    add_word_option(program, "--theme", "THEME", theme, "dark (default) or light");
    add_word_option(program, "--size", "SIZE", size, "window or picture in pixels (default: 1280x720)");
    add_word_option(program, "--speed", "F", speed, "simulated seconds per second, 0.05 to 4");
    program.add_flag("--paused", paused, "open at rest");
    program.add_flag("--twin", options.app.twin, "add the twin, under impulse_euler at first");
    program.add_flag("--no-ghost", no_ghost, "hide the exact solution");
    program.add_flag("--headless", options.headless,
                     "need no display: run --frames frames (default: the scene's) and stop");
    add_word_option(program, "--screenshot", "FILE.png", options.screenshot, "save the last picture");
    add_word_option(program, "--script", "FILE", script, "play a scripted user; see app/demo/script.h");
    std::string frame_limit;
    add_word_option(program, "--frame-limit", "MS", frame_limit,
                    "longest that a picture waits for a step of the simulation, in ms (default: 30; --headless: none)");
    program.add_flag("--fps-report", options.fps_report, "draw every frame and print how long frames take");
    add_word_option(program, "--print-widgets", "FILE", options.widgets_file,
                    "keep writing name and rectangle of every control to this file");
    add_word_option(program, "--state-file", "FILE", options.state_file, "keep writing the demo's state to this file");
    program.footer(kSettingsFooter);
    if (!read_command_line(program, argc, argv)) return std::nullopt;

    // Equations and the move tool are opened over a scene that waits behind them; their settings are in their panels.
    const auto& exhibits = exhibit_list();
    const auto exhibit = std::ranges::find(exhibits, scene, &ExhibitInfo::name);
    if (exhibit == exhibits.end()) {
        std::vector<std::string_view> names;
        for (const ExhibitInfo& each : exhibits) names.push_back(each.name);
        throw_unknown("scene", scene, names);
    }
    const bool is_scene = exhibit->kind == ExhibitKind::Scene;
    if (!is_scene) {
        check_unused(scene, words, options.app.twin);
        options.app.exhibit = scene;
    }
    options.run = make_run(is_scene ? scene : "pendulum", is_scene ? words : RunWords{});
    const std::string idle = idle_options(words, method_named(options.run.scene.world.settings().integrator.method));
    if (is_scene && !idle.empty()) std::fprintf(stderr, "substep-demo: %s\n", idle.c_str());
    if (!frames.empty()) options.frames = read_integer("--frames", frames, 1, kMostFrames);
    if (!size.empty()) options.size = read_size(size);
    if (!theme.empty()) options.app.theme = read_theme(theme);
    if (!speed.empty()) options.app.speed = read_number("--speed", speed, kSlowestSpeed, kFastestSpeed);
    if (!script.empty()) options.script = open_script(script);
    check_place("--screenshot", options.screenshot);
    check_place("--print-widgets", options.widgets_file);
    check_place("--state-file", options.state_file);
    options.app.frame_limit = options.headless ? std::numeric_limits<double>::infinity() : kFrameLimit;
    if (!frame_limit.empty()) options.app.frame_limit = 1e-3 * read_number("--frame-limit", frame_limit, 1.0, 1e6);
    options.app.playing = !paused;
    options.app.ghost = !no_ghost;
    options.app.wall_times = !options.headless;
    if (options.headless && options.screenshot.empty() && options.state_file.empty() && !options.script &&
        !options.fps_report) {
        throw std::invalid_argument(
            "--headless needs --screenshot, --script, --state-file or --fps-report: nothing would be seen of the run");
    }
    return options;
}

} // namespace substep
