// The demo's command line.
#include "demo_options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace substep {

namespace {

constexpr int kSmallestSide = 320;
constexpr int kLargestSide = 8192;
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
    if (!text) throw std::invalid_argument("--script: cannot read the file " + file);
    return {read_script(text, file), file};
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
    program.add_option("--scene", scene,
                       "scene to open with (see: substep list), an equation of the gallery, or move_tool");
    add_settings_options(program, words);
    std::string frames;
    program.add_option("--frames", frames, "stop after so many frames");
    program.add_option("--fps", words.fps, "frames per second of simulated time");
    program.add_option("--theme", theme, "dark or light");
    program.add_option("--size", size, "size of the window or picture in pixels, as WIDTHxHEIGHT");
    program.add_option("--speed", speed, "simulated seconds per second, 0.05 to 4");
    program.add_flag("--paused", paused, "open at rest");
    program.add_flag("--twin", options.app.twin, "add the twin under impulse_euler");
    program.add_flag("--no-ghost", no_ghost, "hide the exact solution");
    program.add_flag("--headless", options.headless, "need no display: run --frames frames and stop");
    program.add_option("--screenshot", options.screenshot, "save the last picture as this PNG file");
    program.add_option("--script", script, "play a scripted user from this file; see app/demo/script.h");
    program.add_flag("--fps-report", options.fps_report, "draw every frame and print how long frames take");
    program.add_option("--print-widgets", options.widgets_file,
                       "keep writing name and rectangle of every control to this file");
    program.add_option("--state-file", options.state_file, "keep writing the demo's state to this file");
    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        program.exit(help);
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        throw std::invalid_argument(error.what());
    }

    // Equations and the move tool are opened over a scene that waits behind them; their settings are in their panels.
    const auto& exhibits = exhibit_list();
    const auto exhibit = std::ranges::find(exhibits, scene, &ExhibitInfo::name);
    if (exhibit == exhibits.end()) {
        std::vector<std::string_view> names;
        for (const ExhibitInfo& each : exhibits) names.push_back(each.name);
        throw_unknown("scene", scene, names);
    }
    const bool is_scene = exhibit->kind == ExhibitKind::Scene;
    if (!is_scene) options.app.exhibit = scene;
    options.run = make_run(is_scene ? scene : "pendulum", is_scene ? words : RunWords{});
    if (!frames.empty()) options.frames = read_integer("--frames", frames, 1, kMostFrames);
    if (!size.empty()) options.size = read_size(size);
    if (!theme.empty()) options.app.theme = read_theme(theme);
    if (!speed.empty()) options.app.speed = read_number("--speed", speed, kSlowestSpeed, kFastestSpeed);
    if (!script.empty()) options.script = open_script(script);
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
