// A monkey at the demo: clicks, drags, types numbers from 0 to 1e300, presses keys, turns the wheel and resizes the
// window, all by a seed, over every control of every exhibit. Nothing is drawn.
//
// usage: substep_monkey INPUTS [SEED [FOLDER]]
//
// What it does is written to FOLDER/monkey.txt as a script, from the last start of the demo on: where the demo ends, or
// a frame takes too long, that script shows it again. Exit status 0, or 1 where a frame took too long.
#include <ctime>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "app.h"
#include "command_list.h"
#include "headless_egl.h"
#include "script.h"

using namespace substep;

namespace {

constexpr int kInputsOfALife = 400;   // then the demo starts anew, with the next exhibit
constexpr double kFrameLimit = 0.01;  // s, that a frame waits for steps
constexpr double kMostOfAFrame = 0.1; // s of the frame thread's processor time

// CPU time of this thread, s: others run on the machine too.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What the monkey does next. The same seed does the same as long as the demo shows the same.
class Monkey {
public:
    explicit Monkey(unsigned long seed) : random_(seed) {}

    std::vector<std::string> next(App& app) {
        const double what = uniform();
        if (what < 0.12) return {"key", key()};
        if (what < 0.14) return {"resize", size(), size()};
        std::vector<std::string> names;
        for (const WidgetRect& rect : app.widgets().rects()) {
            const ImVec2 window = ImGui::GetIO().DisplaySize;
            const ImVec2 middle{0.5f * (rect.low.x + rect.high.x), 0.5f * (rect.low.y + rect.high.y)};
            const bool on_screen = middle.x >= 0.0f && middle.y >= 0.0f && middle.x < window.x && middle.y < window.y;
            if (rect.enabled && rect.visible && on_screen && rect.name.find(' ') == std::string::npos) {
                names.push_back(rect.name);
            }
        }
        if (names.empty()) return {"wait", "1"};
        // What was never used has the better chance.
        const std::string exhibit = app.exhibition().info().name + " ";
        std::vector<std::string> unused;
        for (const std::string& name : names) {
            if (seen_.insert(exhibit + name).second || !used_.contains(exhibit + name)) unused.push_back(name);
        }
        const std::vector<std::string>& from = !unused.empty() && uniform() < 0.5 ? unused : names;
        const std::string name = from[below(from.size())];
        used_.insert(exhibit + name);
        const double how = uniform();
        if (how < 0.45) return {"click", name};
        if (how < 0.75) return {"set", name, number()};
        if (how < 0.90) return {"drag", name, pixels(), pixels()};
        if (how < 0.95) return {"scroll", name, std::to_string(static_cast<int>(below(11)) - 5)};
        return {"wait", std::to_string(1 + below(20))};
    }

    std::size_t seen() const noexcept { return seen_.size(); } ///< controls, of all exhibits
    std::size_t used() const noexcept { return used_.size(); }

    std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

private:
    double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }
    std::string size() { return std::to_string(64 + below(uniform() < 0.3 ? 400 : 1600)); }
    std::string pixels() { return std::to_string(static_cast<int>(below(800)) - 400); }
    std::string key() {
        const auto commands = command_list();
        const std::string keys(commands[below(commands.size())].keys);
        return keys.substr(0, keys.find(' '));
    }
    std::string number() {
        constexpr std::array kOdd{"0",   "-0",  "1", "-1", "1e300", "-1e300", "1e-300",
                                  "inf", "nan", "-", "x",  "1e9",   "1e12"};
        if (uniform() < 0.4) return kOdd[below(kOdd.size())];
        std::array<char, 40> text{};
        const double exponent = uniform() < 0.5 ? 600.0 * uniform() - 300.0 : 8.0 * uniform() - 4.0;
        std::snprintf(text.data(), text.size(), "%.3g", (uniform() < 0.3 ? -1.0 : 1.0) * std::pow(10.0, exponent));
        return text.data();
    }

    std::mt19937_64 random_;
    std::set<std::string> seen_; // exhibit and control
    std::set<std::string> used_;
};

// What was seen of a run.
struct Findings {
    int inputs = 0;
    int frames = 0;
    int missed = 0;       // inputs to what was not there any more
    double longest = 0.0; // s
    int too_long = 0;
    std::map<std::string, int> problems; // lines that a frame's exceptions became
};

// One start of the demo with one exhibit, until its inputs are used up.
void live(Monkey& monkey, const std::string& exhibit, int inputs, const std::string& file, Findings& findings) {
    std::FILE* const script = std::fopen(file.c_str(), "w");
    if (script == nullptr) throw std::runtime_error("cannot write " + file);
    const HeadlessContext context({1280, 720}); // of its own: drivers keep memory of programs that are gone
    AppOptions options;
    options.frame_limit = kFrameLimit;
    options.wall_times = false;
    App app(make_run("pendulum", RunWords{}), options);
    ScriptPlayer player({}, "monkey");
    GuiInput input;
    glm::ivec2 size{1280, 720};
    const auto play = [&](const std::vector<std::string>& words, int line) {
        std::string text;
        for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
        std::fprintf(script, "%s\n", text.c_str());
        std::fflush(script); // it is read after a crash
        try {
            player.add({line, words});
            while (!player.finished()) {
                ImGuiIO& io = ImGui::GetIO();
                io.DeltaTime = 1.0f / 60.0f;
                player.before_frame(app, input);
                size = player.size().value_or(size);
                io.DisplaySize = {static_cast<float>(size.x), static_cast<float>(size.y)};
                input.apply();
                const std::string shown = app.exhibition().info().name;
                const std::string problem = app.view().problem;
                const double begin = cpu_seconds();
                app.frame(1.0 / 60.0);
                const double took = cpu_seconds() - begin;
                ++findings.frames;
                if (app.view().problem != problem && !app.view().problem.empty())
                    ++findings.problems[app.view().problem];
                findings.longest = std::max(findings.longest, took);
                if (took > kMostOfAFrame) {
                    ++findings.too_long;
                    std::printf("a frame of %.0f ms in %s after \"%s\"\n", 1e3 * took, shown.c_str(), text.c_str());
                    std::fprintf(script, "# this frame took %.0f ms\n", 1e3 * took);
                }
            }
        } catch (const std::runtime_error&) {
            ++findings.missed;
            player.abandon();
            input = GuiInput{};
        }
    };
    app.exhibition().choose(exhibit);
    std::fprintf(script, "# --scene %s\n", exhibit.c_str());
    play({"wait", "3"}, 1);
    for (int i = 0; i < inputs; ++i, ++findings.inputs) play(monkey.next(app), i + 2);
    std::fclose(script);
}

} // namespace

int main(int argc, char** argv) {
    try {
        const long inputs = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
        const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
        const std::string folder = argc > 3 ? argv[3] : ".";
        if (inputs < 1) {
            std::fprintf(stderr, "usage: substep_monkey INPUTS [SEED [FOLDER]]\n");
            return 2;
        }
        Monkey monkey(seed);
        Findings findings;
        const auto& exhibits = exhibit_list();
        // Fewer inputs are fewer a life, so that every exhibit has its turn.
        const int each = std::clamp(static_cast<int>(inputs / static_cast<long>(exhibits.size())), 1, kInputsOfALife);
        for (std::size_t life = 0; findings.inputs < inputs; ++life) {
            const int left = static_cast<int>(std::min<long>(each, inputs - findings.inputs));
            live(monkey, exhibits[(life + seed) % exhibits.size()].name, left, folder + "/monkey.txt", findings);
        }
        std::printf("%d inputs, %d of them to what was gone, %d frames, the longest %.0f ms\n", findings.inputs,
                    findings.missed, findings.frames, 1e3 * findings.longest);
        std::printf("%zu of the %zu controls that were seen were used\n", monkey.used(), monkey.seen());
        for (const auto& [problem, count] : findings.problems) std::printf("%6d x %s\n", count, problem.c_str());
        return findings.too_long > 0 ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "substep_monkey: %s\n", error.what());
        return 1;
    }
}
