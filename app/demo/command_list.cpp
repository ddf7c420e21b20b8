// THE list of commands by key: add a line here, nowhere else.
#include "command_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "actions.h"
#include "app.h"

namespace substep {

namespace {

constexpr float kOrbitStep = 0.09f; // rad, 5 degrees

// Speeds in steps of a factor 1.25, through 1 exactly.
void change_speed(App& app, int steps) {
    const double exponent = std::round(std::log(app.view().speed) / std::log(1.25)) + steps;
    app.view().speed = std::clamp(std::pow(1.25, exponent), kSlowestSpeed, kFastestSpeed);
}

// What is integrated, with its settings edited; nothing for the move tool.
template <class Edit>
void edit_integrator(App& app, Edit&& edit) {
    Experiment* experiment = app.exhibition().experiment();
    if (experiment == nullptr) return;
    IntegratorSettings settings = experiment->integrator();
    edit(*experiment, settings);
    change_integrator(*experiment, app.view(), settings);
}

// The next method that suits.
void change_method(App& app, std::size_t steps) {
    edit_integrator(app, [&](const Experiment& experiment, IntegratorSettings& settings) {
        const auto rows = method_catalogue();
        std::size_t row = experiment.method();
        do {
            row = (row + steps) % rows.size();
        } while (!experiment.unsuitable(rows[row]->info()).empty());
        settings.method = rows[row]->info().name;
    });
}

// Ten times the tolerance or half the substeps, or the other way round: whichever the method takes.
void change_accuracy(App& app, bool finer) {
    edit_integrator(app, [&](const Experiment& experiment, IntegratorSettings& settings) {
        if (method_info_at(experiment.method()).adaptive) {
            const double exponent = std::round(std::log10(settings.rtol)) + (finer ? -1.0 : 1.0);
            settings.atol = settings.rtol = rounded(std::pow(10.0, std::clamp(exponent, -13.0, -1.0)), 1);
        } else {
            settings.substeps = std::clamp(finer ? settings.substeps * 2 : settings.substeps / 2, 1, 100);
        }
    });
}

void change_boundary(App& app) {
    edit_integrator(app, [](const Experiment&, IntegratorSettings& settings) {
        settings.boundary = settings.boundary == Boundary::Exact ? Boundary::RunAhead : Boundary::Exact;
    });
}

void change_scene(App& app, std::size_t steps) {
    const std::vector<ExhibitInfo>& exhibits = exhibit_list();
    const auto present = static_cast<std::size_t>(
        std::ranges::find(exhibits, app.exhibition().info().name, &ExhibitInfo::name) - exhibits.begin());
    choose_exhibit(app.exhibition(), app.view(), exhibits[(present + steps) % exhibits.size()].name);
}

void reset(App& app) {
    if (Experiment* experiment = app.exhibition().experiment()) experiment->reset();
    if (MoveTool* tool = app.exhibition().move_tool()) tool->reset();
}

void single_frame(App& app) {
    if (Experiment* experiment = app.exhibition().experiment()) single_frame(*experiment, app.view());
}

void stop_step(App& app) {
    Experiment* const experiment = app.exhibition().experiment();
    if (experiment != nullptr && experiment->is_stepping()) stop_step(*experiment, app.view());
}

void with_scene(App& app, void (*action)(Simulation&, ViewState&)) {
    if (app.exhibition().kind() == ExhibitKind::Scene) action(app.simulation(), app.view());
}

void change_twin(App& app) {
    if (app.exhibition().kind() == ExhibitKind::Scene)
        change_twin(app.simulation(), app.view(), !app.simulation().has_twin());
}

void copy(App& app, void (*put_on_clipboard)(const Simulation&, ViewState&)) {
    if (app.exhibition().kind() == ExhibitKind::Scene) put_on_clipboard(app.simulation(), app.view());
}

void undo(App& app) {
    if (MoveTool* tool = app.exhibition().move_tool()) tool->undo();
}

// A fiftieth of the range, at least 1 for whole numbers.
void change_parameter(App& app, std::size_t index, double sign) {
    if (app.exhibition().kind() != ExhibitKind::Scene) return;
    const auto& parameters = app.simulation().info().parameters;
    if (index >= parameters.size()) return;
    const SceneParameter& parameter = parameters[index];
    const double range = parameter.maximum - parameter.minimum;
    const double step = parameter.integer ? std::max(1.0, std::round(range / 50.0)) : range / 50.0;
    const double value = app.simulation().values()[index] + sign * step;
    change_value(app.simulation(), app.view(), index, std::clamp(value, parameter.minimum, parameter.maximum));
}

constexpr std::array kCommands{
    Command{"space", "play or pause", [](App& app) { app.view().playing = !app.view().playing; }},
    Command{".", "one frame", single_frame},
    Command{",", "one frame back", [](App& app) { with_scene(app, frame_back); }},
    Command{"k", "keep this state", [](App& app) { with_scene(app, keep_state); }},
    Command{"K", "return to the state that was kept", [](App& app) { with_scene(app, return_to_kept); }},
    Command{"r", "start again", reset},
    Command{"z", "undo a stroke of the move tool", undo},
    Command{"+ =", "faster", [](App& app) { change_speed(app, 1); }},
    Command{"-", "slower", [](App& app) { change_speed(app, -1); }},
    Command{"n", "next scene", [](App& app) { change_scene(app, 1); }},
    Command{"N", "previous scene", [](App& app) { change_scene(app, exhibit_list().size() - 1); }},
    Command{"a", "more of the first parameter", [](App& app) { change_parameter(app, 0, 1.0); }},
    Command{"A", "less of the first parameter", [](App& app) { change_parameter(app, 0, -1.0); }},
    Command{"s", "more of the second parameter", [](App& app) { change_parameter(app, 1, 1.0); }},
    Command{"S", "less of the second parameter", [](App& app) { change_parameter(app, 1, -1.0); }},
    Command{"d", "more of the third parameter", [](App& app) { change_parameter(app, 2, 1.0); }},
    Command{"D", "less of the third parameter", [](App& app) { change_parameter(app, 2, -1.0); }},
    Command{"m", "next method", [](App& app) { change_method(app, 1); }},
    Command{"M", "previous method", [](App& app) { change_method(app, method_catalogue().size() - 1); }},
    Command{"]", "finer: smaller tolerance or more substeps", [](App& app) { change_accuracy(app, true); }},
    Command{"[", "coarser: larger tolerance or fewer substeps", [](App& app) { change_accuracy(app, false); }},
    Command{"b", "boundary: exact or run ahead", change_boundary},
    Command{"c", "copy the settings as a command line", [](App& app) { copy(app, copy_command_line); }},
    Command{"C", "copy the settings as C++", [](App& app) { copy(app, copy_cpp); }},
    Command{"g", "exact ghost", [](App& app) { app.view().ghost = !app.view().ghost; }},
    Command{"t", "engine twin", [](App& app) { change_twin(app); }},
    Command{"j", "joints", [](App& app) { app.view().joints = !app.view().joints; }},
    Command{"f", "forces", [](App& app) { app.view().forces = !app.view().forces; }},
    Command{"i", "islands", [](App& app) { app.view().islands = !app.view().islands; }},
    Command{"I", "colours by regime and sleep", [](App& app) { app.view().regimes = !app.view().regimes; }},
    Command{"p", "trails", [](App& app) { app.view().trails = !app.view().trails; }},
    Command{"l", "light or dark", [](App& app) { change_theme(app.view()); }},
    Command{"h", "hide or show the panels", [](App& app) { app.view().panels = !app.view().panels; }},
    Command{"left", "turn the camera", [](App& app) { app.view().camera.orbit(-kOrbitStep, 0.0f); }},
    Command{"right", "turn the camera", [](App& app) { app.view().camera.orbit(kOrbitStep, 0.0f); }},
    Command{"up", "raise the camera", [](App& app) { app.view().camera.orbit(0.0f, kOrbitStep); }},
    Command{"down", "lower the camera", [](App& app) { app.view().camera.orbit(0.0f, -kOrbitStep); }},
    Command{"page_up", "nearer", [](App& app) { app.view().camera.zoom(0.9f); }},
    Command{"page_down", "farther", [](App& app) { app.view().camera.zoom(1.0f / 0.9f); }},
    Command{"home", "camera of the scene", [](App& app) { app.look_at_scene(); }},
    Command{"f1 ?", "this help", [](App& app) { app.view().help = !app.view().help; }},
    Command{"escape", "close the help, dismiss what went wrong",
            [](App& app) {
                app.view().help = false;
                app.view().problem.clear();
            }},
    Command{"x", "stop a step that takes long", stop_step},
};

} // namespace

std::span<const Command> command_list() { return kCommands; }

const Command* find_command(std::string_view key) {
    // The key is one of the words.
    const auto between_blanks = [](std::string_view text) { return std::string(" ").append(text).append(" "); };
    const auto has_key = [&](const Command& command) {
        return between_blanks(command.keys).find(between_blanks(key)) != std::string::npos;
    };
    const auto* const found = std::ranges::find_if(kCommands, has_key);
    return found == std::end(kCommands) ? nullptr : found;
}

bool run_command(App& app, std::string_view key) {
    const Command* const command = find_command(key);
    if (command == nullptr) return false;
    command->run(app);
    return true;
}

} // namespace substep
