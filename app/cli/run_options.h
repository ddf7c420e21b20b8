// What a user chooses of a run, as words: read from a command line, and written back as one or as C++.
// Shared by `substep` and `substep-demo`, so that both understand the same words and refuse them in the same way.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "substep/scenes/scene.h"

namespace CLI {
class App;
}

namespace substep {

/// The choices of a run as they were typed. An empty word leaves the scene's recommendation as it is.
struct RunWords {
    std::string method;
    std::string substeps;
    std::string tolerance;  ///< m: atol = T metres and rtol = T
    std::string budget;     ///< evaluations per frame and island; 0: no limit
    std::string bound;      ///< evaluations times bodies per 1/60 s and island; 0: none
    std::string boundary;   ///< "exact" or "runahead"
    std::string controller; ///< "i", "pi" or "h211b": law for the next substep's length
    std::string safety;
    std::string growth_limit;
    std::string shrink_limit;
    std::string joint_correction; ///< "projection" or "baumgarte": what impulse_euler does about gaps in joints
    std::string frames;
    std::string fps;
    std::vector<std::string> values; ///< scene parameters, each "name=value"
};

/// The last words of the help of a command with such options.
inline constexpr const char* kSettingsFooter = "What is left out is as the scene recommends: substep list --json.";

/// Adds --method, --substeps, --tolerance, --boundary, --budget, --bound, --controller with its constants,
/// --joint-correction and --set to a command.
void add_settings_options(CLI::App& command, RunWords& words);

/// Adds --frames and --fps to a command.
void add_length_options(CLI::App& command, RunWords& words);

/// A scene built as the words ask, ready to be advanced.
struct Run {
    const SceneInfo* info = nullptr;
    std::vector<double> values; ///< of the scene's parameters, in their order
    Scene scene;                ///< its world carries the chosen settings; fps and frames are the chosen ones
};

/// Builds a run. Throws std::invalid_argument with one sentence for whatever cannot be used: an unknown name (with
/// the nearest and the valid ones), or a value that is no number or outside its range.
Run make_run(std::string_view scene, const RunWords& words);

/// Says which options the method does not look at, because its substeps are fixed, or are not, or are no velocity
/// steps; empty if it looks at them all.
std::string idle_options(const RunWords& words, const MethodInfo& method);

/// Returns the scene of that name or the row of that method, "auto" included, or throws as `throw_unknown` does.
const SceneInfo& scene_named(std::string_view name);
const MethodInfo& method_named(std::string_view name);

/// The names of all methods: those of the table, "auto", those of piles. Their places are their colours in figures.
std::vector<std::string_view> method_names();

/// Throws std::invalid_argument: `word` is no `what`, with the nearest of the `valid` words (at least one), if it is
/// near, and all of them.
[[noreturn]] void throw_unknown(std::string_view what, std::string_view word, std::span<const std::string_view> valid);

/// Read a number, an integer, words separated by commas, or a tolerance. All throw std::invalid_argument naming `what`,
/// the word and the allowed range [minimum, maximum].
double read_number(std::string_view what, std::string_view word, double minimum, double maximum);
int read_integer(std::string_view what, std::string_view word, int minimum, int maximum);
std::vector<std::string> read_list(std::string_view what, std::string_view words);
double read_tolerance(std::string_view what, std::string_view word);

/// Returns the word that `--joint-correction` understands.
std::string_view to_string(JointCorrection correction) noexcept;

/// Returns the shortest decimal that reads back as the same double.
std::string shortest(double value);

/// Returns "1 substep a frame", "20 substeps a frame".
std::string substeps_a_frame(int substeps);

/// Returns a command line that repeats a run: `substep run pendulum --method rk4 --substeps 20 ...`. What does not
/// apply to the method is left out.
std::string to_command_line(const SceneInfo& info, std::span<const double> values, const WorldSettings& settings,
                            double fps, int frames);

/// Returns the settings as C++ that compiles with `#include <substep/substep.h>` and leaves a WorldSettings named
/// `settings`.
std::string to_cpp(const WorldSettings& settings);

} // namespace substep
