// Words to a run, and a run back to words.
#include "run_options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "command_line.h"
#include "substep/integrators/pile_methods.h"
#include "substep/integrators/unknown_name.h"

namespace substep {
namespace {

constexpr int kMostSubsteps = 1'000'000;
constexpr int kMostEvaluations = 1'000'000'000;
constexpr int kMostFrames = 100'000'000;
constexpr double kMostFps = 1e6;
constexpr double kFewestFps = 1.0; // a world's longest step is one second

constexpr std::array kBoundaries{Boundary::Exact, Boundary::RunAhead};
constexpr std::array kControllers{ControllerKind::I, ControllerKind::PI, ControllerKind::H211b};
constexpr std::array kCorrections{JointCorrection::PositionProjection, JointCorrection::Baumgarte};

std::string in_quotes(std::string_view word) { return '"' + std::string(word) + '"'; }

std::vector<std::string_view> scene_names() {
    std::vector<std::string_view> names;
    for (const SceneInfo& info : scene_list()) {
        names.push_back(info.name);
    }
    return names;
}

std::vector<std::string_view> parameter_names(const SceneInfo& info) {
    std::vector<std::string_view> names;
    for (const SceneParameter& parameter : info.parameters) {
        names.push_back(parameter.name);
    }
    return names;
}

// Returns the one of `choices` whose word this is.
template <class Choice, std::size_t n>
Choice read_choice(std::string_view what, std::string_view word, const std::array<Choice, n>& choices) {
    std::vector<std::string_view> names;
    for (const Choice choice : choices) {
        if (word == to_string(choice)) {
            return choice;
        }
        names.push_back(to_string(choice));
    }
    throw_unknown(what, word, names);
}

// Reads the whole word as a number of that type; false for anything else.
template <class Number>
bool parse(std::string_view word, Number& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size();
}

// Puts "name=value" words in the place of default values.
void apply_values(const SceneInfo& info, const std::vector<std::string>& words, std::vector<double>& values) {
    std::vector<std::string> given;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) {
            throw std::invalid_argument("--set " + in_quotes(word) + " must have the form name=value");
        }
        const std::string_view name = std::string_view(word).substr(0, equals);
        const auto found = std::find_if(info.parameters.begin(), info.parameters.end(),
                                        [&](const SceneParameter& parameter) { return parameter.name == name; });
        if (found == info.parameters.end()) {
            if (info.parameters.empty()) {
                throw std::invalid_argument("--set " + in_quotes(word) + ": scene " + std::string(info.name) +
                                            " has no parameters");
            }
            throw_unknown("parameter of scene " + std::string(info.name), name, parameter_names(info));
        }
        if (std::ranges::find(given, found->name) != given.end()) {
            throw std::invalid_argument("--set " + found->name + " is given twice");
        }
        given.push_back(found->name);
        values[static_cast<std::size_t>(found - info.parameters.begin())] = read_number(
            "--set " + found->name, std::string_view(word).substr(equals + 1), found->minimum, found->maximum);
    }
}

// Puts what was said of the controller in the place of the scene's recommendation.
void read_controller(const RunWords& words, ControllerSettings& controller) {
    if (!words.controller.empty()) {
        controller.kind = read_choice("controller", words.controller, kControllers);
    }
    if (!words.safety.empty()) {
        controller.safety = read_number("--safety", words.safety, 0.1, 0.99);
    }
    if (!words.growth_limit.empty()) {
        controller.growth_limit = read_number("--growth-limit", words.growth_limit, 1.2, 100.0);
    }
    if (!words.shrink_limit.empty()) {
        controller.shrink_limit = read_number("--shrink-limit", words.shrink_limit, 0.01, 0.99);
    }
}

} // namespace

void throw_unknown(std::string_view what, std::string_view word, std::span<const std::string_view> valid) {
    throw std::invalid_argument(detail::unknown_name(what, word, valid));
}

const SceneInfo& scene_named(std::string_view name) {
    const SceneInfo* const info = find_scene(name);
    if (info == nullptr) {
        throw_unknown("scene", name, scene_names());
    }
    return *info;
}

std::vector<std::string_view> method_names() {
    std::vector<std::string_view> names;
    for (const IntegrationMethod* method : method_catalogue()) {
        names.push_back(method->info().name);
    }
    names.push_back(kAutoMethod);
    for (const IntegrationMethod* method : pile_method_catalogue()) {
        names.push_back(method->info().name);
    }
    return names;
}

const MethodInfo& method_named(std::string_view name) {
    const MethodInfo* const method = find_method(name);
    if (method == nullptr) {
        throw_unknown("method", name, method_names());
    }
    return *method;
}

double read_number(std::string_view what, std::string_view word, double minimum, double maximum) {
    double value = 0.0;
    if (!parse(word, value) || !(value >= minimum && value <= maximum)) {
        throw std::invalid_argument(std::string(what) + ' ' + in_quotes(word) + " must be a number from " +
                                    shortest(minimum) + " to " + shortest(maximum));
    }
    return value;
}

int read_integer(std::string_view what, std::string_view word, int minimum, int maximum) {
    int value = 0;
    if (!parse(word, value) || value < minimum || value > maximum) {
        throw std::invalid_argument(std::string(what) + ' ' + in_quotes(word) + " must be an integer from " +
                                    std::to_string(minimum) + " to " + std::to_string(maximum));
    }
    return value;
}

std::vector<std::string> read_list(std::string_view what, std::string_view words) {
    std::vector<std::string> list;
    for (std::size_t begin = 0; begin <= words.size();) {
        const std::size_t end = std::min(words.find(',', begin), words.size());
        if (end == begin) {
            throw std::invalid_argument(std::string(what) + ' ' + in_quotes(words) +
                                        " must be words separated by single commas");
        }
        list.emplace_back(words.substr(begin, end - begin));
        begin = end + 1;
    }
    return list;
}

double read_tolerance(std::string_view what, std::string_view word) {
    // Below the first, round-off answers instead; above the second it bounds nothing.
    return read_number(what, word, 1e-16, 1.0);
}

void add_settings_options(CLI::App& command, RunWords& words) {
    add_word_option(command, "--method", "NAME", words.method, "integration method (see: substep list)");
    add_word_option(command, "--substeps", "N", words.substeps,
                    "substeps per frame, for methods without error control");
    add_word_option(command, "--tolerance", "T", words.tolerance,
                    "bound on a substep's local error, 1e-16 to 1: atol = T metres and rtol = T");
    add_word_option(command, "--boundary", "WORD", words.boundary,
                    "exact: substeps end with the frame; runahead: they do not");
    add_word_option(command, "--budget", "N", words.budget, "most evaluations per frame and island; 0: no limit");
    add_word_option(command, "--bound", "N", words.bound,
                    "evaluations times bodies, per 1/60 s and island, that end what no budget was given for; 0: none");
    add_word_option(command, "--controller", "LAW", words.controller,
                    "i, pi or h211b: how a substep's length follows errors");
    add_word_option(command, "--safety", "F", words.safety, "aims under the tolerance by this factor, 0.1 to 0.99");
    add_word_option(command, "--growth-limit", "F", words.growth_limit,
                    "largest factor from one substep to the next, 1.2 to 100");
    add_word_option(command, "--shrink-limit", "F", words.shrink_limit, "smallest such factor, 0.01 to 0.99");
    add_word_option(command, "--joint-correction", "WORD", words.joint_correction,
                    "what impulse_euler does about gaps in joints: projection or baumgarte");
    command.add_option("--set", words.values, "parameter of the scene; may be repeated")
        ->take_all()
        ->type_name("NAME=VALUE");
}

void add_length_options(CLI::App& command, RunWords& words) {
    add_word_option(command, "--frames", "N", words.frames, "frames to simulate");
    add_word_option(command, "--fps", "RATE", words.fps, "frames per second of simulated time, 1 or more");
}

Run make_run(std::string_view scene, const RunWords& words) {
    // The scene from its parameters.
    Run run;
    run.info = &scene_named(scene);
    for (const SceneParameter& parameter : run.info->parameters) {
        run.values.push_back(parameter.value);
    }
    apply_values(*run.info, words.values, run.values);
    run.scene = make_scene(*run.info, run.values);

    // Its settings, with the words in their place.
    WorldSettings settings = run.scene.world.settings();
    if (!words.method.empty()) {
        settings.integrator.method = method_named(words.method).name;
    }
    if (!words.substeps.empty()) {
        settings.integrator.substeps = read_integer("--substeps", words.substeps, 1, kMostSubsteps);
    }
    if (!words.tolerance.empty()) {
        settings.integrator.atol = settings.integrator.rtol = read_tolerance("--tolerance", words.tolerance);
    }
    if (!words.budget.empty()) {
        settings.integrator.budget = read_integer("--budget", words.budget, 0, kMostEvaluations);
    }
    if (!words.bound.empty()) {
        settings.bound = read_integer("--bound", words.bound, 0, kMostEvaluations);
    }
    if (!words.boundary.empty()) {
        settings.integrator.boundary = read_choice("boundary", words.boundary, kBoundaries);
    }
    read_controller(words, settings.integrator.controller);
    if (!words.joint_correction.empty()) {
        settings.impulse_euler.joint_correction = read_choice("joint correction", words.joint_correction, kCorrections);
    }
    run.scene.world.set_settings(settings);

    // Its length.
    if (!words.frames.empty()) {
        run.scene.frames = read_integer("--frames", words.frames, 1, kMostFrames);
    }
    if (!words.fps.empty()) {
        run.scene.fps = read_number("--fps", words.fps, kFewestFps, kMostFps);
    }
    return run;
}

std::string idle_options(const RunWords& words, const MethodInfo& method) {
    using Named = std::pair<const char*, const std::string*>;
    const std::initializer_list<Named> of_fixed{{"--substeps", &words.substeps}};
    const std::initializer_list<Named> of_adaptive{
        {"--tolerance", &words.tolerance},       {"--boundary", &words.boundary},
        {"--controller", &words.controller},     {"--safety", &words.safety},
        {"--growth-limit", &words.growth_limit}, {"--shrink-limit", &words.shrink_limit}};
    std::string idle;
    for (const auto& [name, word] : method.adaptive ? of_fixed : of_adaptive) {
        if (!word->empty()) {
            idle += (idle.empty() ? "" : ", ") + std::string(name);
        }
    }
    std::string said;
    if (!idle.empty()) {
        said = std::string(method.name) + " does not look at " + idle +
               (method.adaptive ? ": a tolerance decides its substeps." : ": its substeps are fixed.");
    }
    if (!words.joint_correction.empty() && method.needs != MethodNeeds::VelocityStep) {
        said += (said.empty() ? "" : " ") + std::string("--joint-correction is for velocity steps, which ") +
                std::string(method.name) + " takes only where contacts or limits are handed over to them.";
    }
    return said;
}

std::string_view to_string(JointCorrection correction) noexcept {
    return correction == JointCorrection::Baumgarte ? "baumgarte" : "projection";
}

std::string shortest(double value) {
    std::array<char, 32> text;
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::string(text.data(), end) : "nan";
}

std::string substeps_a_frame(int substeps) {
    return std::to_string(substeps) + (substeps == 1 ? " substep a frame" : " substeps a frame");
}

std::string to_command_line(const SceneInfo& info, std::span<const double> values, const WorldSettings& settings,
                            double fps, int frames) {
    const IntegratorSettings& integrator = settings.integrator;
    const MethodInfo& method = method_named(integrator.method);
    std::string line = "substep run " + std::string(info.name) + " --method " + integrator.method;

    // What applies to the method.
    if (method.adaptive) {
        line +=
            " --tolerance " + shortest(integrator.atol) + " --boundary " + std::string(to_string(integrator.boundary));
        const ControllerSettings& controller = integrator.controller;
        const ControllerSettings usual;
        if (controller.kind != usual.kind) {
            line += " --controller " + std::string(to_string(controller.kind));
        }
        if (controller.safety != usual.safety) {
            line += " --safety " + shortest(controller.safety);
        }
        if (controller.growth_limit != usual.growth_limit) {
            line += " --growth-limit " + shortest(controller.growth_limit);
        }
        if (controller.shrink_limit != usual.shrink_limit) {
            line += " --shrink-limit " + shortest(controller.shrink_limit);
        }
    } else {
        line += " --substeps " + std::to_string(integrator.substeps);
    }
    if (method.needs == MethodNeeds::VelocityStep) {
        line += " --joint-correction " + std::string(to_string(settings.impulse_euler.joint_correction));
    }
    line += " --budget " + std::to_string(integrator.budget);
    if (settings.bound != WorldSettings{}.bound) {
        line += " --bound " + std::to_string(settings.bound);
    }

    // The run, and the parameters that are not the scene's own.
    line += " --frames " + std::to_string(frames) + " --fps " + shortest(fps);
    for (std::size_t i = 0; i < values.size() && i < info.parameters.size(); ++i) {
        if (values[i] != info.parameters[i].value) {
            line += " --set " + info.parameters[i].name + '=' + shortest(values[i]);
        }
    }
    return line;
}

std::string to_cpp(const WorldSettings& settings) {
    const IntegratorSettings& integrator = settings.integrator;
    const MethodInfo& method = method_named(integrator.method);
    std::string code = "substep::WorldSettings settings;\n";
    const auto set = [&](const std::string& field, const std::string& value) {
        code += "settings." + field + " = " + value + ";\n";
    };

    if (settings.gravity != WorldSettings{}.gravity) {
        set("gravity", '{' + shortest(settings.gravity.x) + ", " + shortest(settings.gravity.y) + ", " +
                           shortest(settings.gravity.z) + '}');
    }
    set("integrator.method", in_quotes(integrator.method));
    if (method.adaptive) {
        set("integrator.atol", shortest(integrator.atol));
        set("integrator.rtol", shortest(integrator.rtol));
        set("integrator.boundary",
            integrator.boundary == Boundary::Exact ? "substep::Boundary::Exact" : "substep::Boundary::RunAhead");
        const ControllerSettings& controller = integrator.controller;
        const ControllerSettings usual;
        if (controller.kind != usual.kind) {
            set("integrator.controller.kind", controller.kind == ControllerKind::PI ? "substep::ControllerKind::PI"
                                                                                    : "substep::ControllerKind::H211b");
        }
        if (controller.safety != usual.safety) {
            set("integrator.controller.safety", shortest(controller.safety));
        }
        if (controller.growth_limit != usual.growth_limit) {
            set("integrator.controller.growth_limit", shortest(controller.growth_limit));
        }
        if (controller.shrink_limit != usual.shrink_limit) {
            set("integrator.controller.shrink_limit", shortest(controller.shrink_limit));
        }
    } else {
        set("integrator.substeps", std::to_string(integrator.substeps));
    }
    if (integrator.budget > 0) {
        set("integrator.budget", std::to_string(integrator.budget));
    }
    if (settings.bound != WorldSettings{}.bound) {
        set("bound", std::to_string(settings.bound));
    }
    if (method.needs == MethodNeeds::VelocityStep) {
        set("impulse_euler.joint_correction", settings.impulse_euler.joint_correction == JointCorrection::Baumgarte
                                                  ? "substep::JointCorrection::Baumgarte"
                                                  : "substep::JointCorrection::PositionProjection");
    }
    return code;
}

} // namespace substep
