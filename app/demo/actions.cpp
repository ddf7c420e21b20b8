// What a user can do in more than one way: by a button and by a key.
#include "actions.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <imgui.h>

namespace substep {

namespace {

// Does what the user asked for, or says in the picture why it cannot be done.
template <class Action>
void attempt(ViewState& view, Action&& action) {
    try {
        action();
    } catch (const std::exception& error) {
        view.say(error.what());
    }
}

// The same, and says so where the twin could not come along.
template <class Action>
void attempt_with_twin(const Simulation& simulation, ViewState& view, Action&& action) {
    const bool had_twin = simulation.has_twin();
    attempt(view, action);
    if (had_twin && !simulation.has_twin()) view.say("The twin could not follow the edits and was removed.");
}

} // namespace

void change_settings(Simulation& simulation, ViewState& view, const WorldSettings& settings) {
    attempt(view, [&] { simulation.set_settings(settings); });
}

void change_integrator(Experiment& experiment, ViewState& view, const IntegratorSettings& settings) {
    attempt(view, [&] { experiment.set_integrator(settings); });
}

void choose_exhibit(Exhibition& exhibition, ViewState& view, std::string_view name) {
    attempt(view, [&] { exhibition.choose(name); });
}

void change_value(Simulation& simulation, ViewState& view, std::size_t parameter, double value) {
    attempt(view, [&] { simulation.set_value(parameter, value); });
}

void change_twin(Simulation& simulation, ViewState& view, bool on) {
    attempt(view, [&] { simulation.set_twin(on); });
}

void change_twin_method(Simulation& simulation, ViewState& view, const std::string& method) {
    attempt(view, [&] { simulation.set_twin_method(method); });
}

void stop_step(Experiment& experiment, ViewState& view) {
    experiment.stop_step();
    view.playing = false;
    view.problem = "The step was stopped, and everything is as it was at its start. " + remedy(experiment);
}

std::string remedy(const Experiment& experiment) {
    const MethodInfo& method = method_info_at(experiment.method());
    if (!method.adaptive) return "Fewer substeps make it shorter.";
    if (!experiment.unsuitable(*find_method("theta")).empty()) {
        return "A larger tolerance, a method of higher order or a budget makes it shorter.";
    }
    return "A budget bounds what a step may spend, theta steps over stiff forces, and the way back (,) takes an edit "
           "back.";
}

std::string starved(const Experiment& experiment) {
    const StepReport& report = experiment.report();
    const int budget = experiment.integrator().budget;
    if (report.status != StepStatus::BudgetExhausted || budget == 0) return {};
    char text[160];
    const double part = report.requested > 0.0 ? report.simulated / report.requested : 0.0;
    if (part <= 0.0) {
        std::snprintf(text, sizeof text,
                      "A budget of %d pays for no substep of %s: bodies stand still while time goes on.", budget,
                      experiment.integrator().method.c_str());
    } else {
        std::snprintf(text, sizeof text, "A budget of %d pays for %.0f %% of a frame: bodies lag behind.", budget,
                      100.0 * part);
    }
    return text;
}

void equal_cost(Simulation& simulation, ViewState& view) {
    const int substeps = simulation.equal_cost_substeps();
    if (substeps == 0) return;
    attempt(view, [&] { simulation.set_twin_substeps(substeps); });
    if (substeps > kMostTwinSubsteps) {
        view.say("The twin takes at most " + std::to_string(kMostTwinSubsteps) + " steps a frame.");
    }
}

double rounded(double value, int digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*e", std::max(digits - 1, 0), value);
    return std::strtod(text, nullptr);
}

void single_frame(Experiment& experiment, ViewState& view) {
    view.playing = false;
    experiment.step_once();
}

void edit_world(Simulation& simulation, ViewState& view, const std::function<void(World&)>& edit) {
    attempt_with_twin(simulation, view, [&] { simulation.edit(edit); });
}

void edit_body(Simulation& simulation, ViewState& view, BodyId body, const std::function<void(Body&)>& edit) {
    edit_world(simulation, view, [&](World& world) {
        Body edited = world.body(body);
        edit(edited);
    });
}

void go_to(Simulation& simulation, ViewState& view, double time) {
    view.playing = false;
    attempt_with_twin(simulation, view, [&] { simulation.go_to(time); });
}

void frame_back(Simulation& simulation, ViewState& view) {
    go_to(simulation, view, simulation.time() - simulation.step_length());
}

void keep_state(Simulation& simulation, ViewState& view) {
    simulation.keep_state();
    char said[96];
    std::snprintf(said, sizeof said, "The state at %.2f s is kept; Shift+k returns to it.", simulation.time());
    view.say(said);
}

void return_to_kept(Simulation& simulation, ViewState& view) {
    if (!simulation.has_kept_state()) {
        view.say("No state was kept; k keeps the present one.");
        return;
    }
    attempt_with_twin(simulation, view, [&] { simulation.return_to_kept(); });
}

void change_theme(ViewState& view) {
    view.theme = view.theme == ThemeChoice::Dark ? ThemeChoice::Light : ThemeChoice::Dark;
}

void copy_command_line(const Simulation& simulation, ViewState& view) {
    const std::string line = to_command_line(simulation.info(), simulation.values(), simulation.settings(),
                                             simulation.fps(), simulation.scene().frames);
    ImGui::SetClipboardText(line.c_str());
    const bool edited = simulation.was_edited() || simulation.gravity_was_edited();
    view.say(edited ? "The command line is on the clipboard; what was edited by hand is not in it, for it has no words."
                    : "The command line is on the clipboard.");
}

void copy_cpp(const Simulation& simulation, ViewState& view) {
    ImGui::SetClipboardText(to_cpp(simulation.settings()).c_str());
    view.say("The settings are on the clipboard as C++.");
}

} // namespace substep
