// `substep-demo`: opens a window, or renders without one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "demo_options.h"
#include "headless_egl.h"
#include "interruption.h"
#include "quality_governor.h"
#include "screenshot.h"
#include "whole_file.h"
#include "window_glfw.h"

namespace substep {

namespace {

constexpr double kGoalSeconds = 1.0 / 33.0; // slower than this, and the picture's resolution is lowered
constexpr int kReportInterval = 10;         // frames between two writings of the widgets and state files

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// The number of the frame, then one line a control: name, left, top, width, height in pixels of the window, and whether
// it can be used.
void write_widgets(const App& app, int frame, const std::string& path) {
    std::string text = "frame " + std::to_string(frame) + "\n";
    for (const WidgetRect& rect : app.widgets().rects()) {
        char line[256];
        std::snprintf(line, sizeof line, "%s %.0f %.0f %.0f %.0f %s\n", rect.name.c_str(), rect.low.x, rect.low.y,
                      rect.high.x - rect.low.x, rect.high.y - rect.low.y, rect.enabled ? "enabled" : "greyed");
        text += line;
    }
    write_whole_file(path, text);
}

// One line a word of the state: name, value.
void write_state(const App& app, const std::string& path) {
    std::string text;
    for (const auto& [name, value] : app.state()) text.append(name).append(" ").append(value).append("\n");
    write_whole_file(path, text);
}

void write_reports(const App& app, int frame, const DemoOptions& options) {
    if (!options.widgets_file.empty()) write_widgets(app, frame, options.widgets_file);
    if (!options.state_file.empty()) write_state(app, options.state_file);
}

// What --fps-report prints.
void print_fps(std::vector<double> seconds, App& app, glm::ivec2 size) {
    if (seconds.empty()) return;
    // The first second goes into making shaders and choosing the quality.
    if (seconds.size() > 120) seconds.erase(seconds.begin(), seconds.begin() + 60);
    const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
    std::ranges::sort(seconds);
    const double p99 = seconds[seconds.size() * 99 / 100];
    const RenderQuality& quality = app.renderer().quality();
    std::printf("%.1f frames/s (mean %.2f ms, 99 %% below %.2f ms, %zu frames) at %d x %d, picture scale %.2f, "
                "multisampling %d, edges smoothed %s, shadow map %d, renderer %s\n",
                1.0 / mean, mean * 1e3, p99 * 1e3, seconds.size(), size.x, size.y, quality.scale, quality.samples,
                quality.smooth_edges ? "yes" : "no", quality.shadow_size,
                reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
}

RenderQuality interactive_quality() {
    return is_software_renderer(reinterpret_cast<const char*>(glGetString(GL_RENDERER))) ? RenderQuality::software()
                                                                                         : RenderQuality::hardware();
}

// Lowers the picture's resolution where the processor draws and cannot keep up.
void govern_quality(App& app, QualityGovernor& governor, double frame_seconds) {
    RenderQuality quality = app.renderer().quality();
    if (!quality.smooth_edges) return;
    const float scale = governor.judge(frame_seconds, quality.scale);
    if (scale == quality.scale) return;
    quality.scale = scale;
    app.renderer().set_quality(quality);
}

// Runs frames of 1/60 s as fast as they go, and draws those that somebody will see.
// A file that cannot be written is the fault of the script's line.
void save_picture_of(const ScriptPlayer& script, const std::string& file, unsigned framebuffer, glm::ivec2 size) {
    try {
        save_screenshot(framebuffer, size, file);
    } catch (const std::runtime_error& error) {
        script.refuse(error.what());
    }
}

int run_headless(DemoOptions& options) {
    HeadlessContext context(options.size);
    options.app.quality = options.fps_report ? interactive_quality() : RenderQuality::picture();
    const int frames = options.frames.value_or(options.script ? 0 : options.run.scene.frames);
    App app(std::move(options.run), options.app);
    GuiInput input;
    QualityGovernor governor(kGoalSeconds);
    std::vector<double> durations;

    const auto draw = [&] { app.draw(context.framebuffer(), context.size()); };
    int frame = 0;
    for (; frame < frames || (options.script && !options.script->finished()); ++frame) {
        if (frame > 0 && is_interrupted()) break; // there is a picture after the first frame
        const Clock::time_point begin = Clock::now();
        ImGuiIO& io = ImGui::GetIO();
        io.DeltaTime = 1.0f / 60.0f;
        if (options.script) options.script->before_frame(app, input);
        const glm::ivec2 size = options.script && options.script->size() ? *options.script->size() : options.size;
        io.DisplaySize = {static_cast<float>(size.x), static_cast<float>(size.y)};
        input.apply();
        app.frame(1.0 / 60.0);
        if (options.script) {
            if (const auto file = options.script->take_screenshot_request()) {
                draw();
                save_picture_of(*options.script, *file, context.framebuffer(), context.size());
            }
        }
        if (!options.fps_report) continue;
        draw();
        glFinish();
        durations.push_back(seconds_since(begin));
        govern_quality(app, governor, durations.back());
    }
    if (!options.screenshot.empty()) {
        draw();
        save_screenshot(context.framebuffer(), context.size(), options.screenshot);
    }
    write_reports(app, frame, options);
    if (options.fps_report) print_fps(std::move(durations), app, options.size);
    return 0;
}

// Takes the window from Dear ImGui before the app takes that away.
struct Disconnect {
    Window& window;
    ~Disconnect() { window.disconnect(); }
};

// Runs in a window until it is closed, or after --frames frames, or at the script's end.
int run_window(DemoOptions& options) {
    Window window(options.size);
    options.app.quality = interactive_quality();
    App app(std::move(options.run), options.app);
    window.connect(app);
    const Disconnect disconnect{window};
    GuiInput input;
    QualityGovernor governor(kGoalSeconds);
    std::vector<double> durations;
    Clock::time_point last = Clock::now();

    const bool ends = options.frames || options.script;
    int frame = 0;
    for (; !window.should_close(); ++frame) {
        if (frame > 0 && is_interrupted()) break; // there is a picture after the first frame
        const bool script_runs = options.script && !options.script->finished();
        if (ends && !script_runs && frame >= options.frames.value_or(0)) break;
        window.begin_frame();
        if (script_runs) {
            options.script->before_frame(app, input);
            input.apply();
        }
        const double elapsed = seconds_since(last);
        last = Clock::now();
        durations.push_back(elapsed);
        if (!options.fps_report && durations.size() > 60) durations.erase(durations.begin());
        const auto recent = std::span(durations).last(std::min<std::size_t>(durations.size(), 30));
        app.view().frame_rate =
            static_cast<double>(recent.size()) / std::accumulate(recent.begin(), recent.end(), 1e-9);

        app.frame(elapsed);
        const glm::ivec2 size = window.framebuffer_size();
        if (size.x > 0 && size.y > 0) app.draw(0, size);
        if (options.script) {
            const auto file = options.script->take_screenshot_request();
            if (file) save_picture_of(*options.script, *file, 0, size);
        }
        window.end_frame();
        govern_quality(app, governor, elapsed);
        // Not before the second frame: only then everything is where it belongs.
        if (frame % kReportInterval == kReportInterval - 1) write_reports(app, frame, options);
    }
    if (!options.screenshot.empty()) {
        app.draw(0, window.framebuffer_size());
        save_screenshot(0, window.framebuffer_size(), options.screenshot);
    }
    write_reports(app, frame, options);
    if (options.fps_report) print_fps(std::move(durations), app, options.size);
    return 0;
}

} // namespace

} // namespace substep

int main(int argc, char** argv) {
    try {
        std::optional<substep::DemoOptions> options = substep::read_options(argc, argv);
        if (!options) return 0;
        options->app.asked_to_end = substep::is_interrupted;
        substep::note_interruptions(); // the loop ends after its frame, and what is written at the end is written
        return options->headless ? substep::run_headless(*options) : substep::run_window(*options);
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "substep-demo: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "substep-demo: %s\n", error.what());
        return 1;
    }
}
