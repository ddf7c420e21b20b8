// What a user can do in more than one way: by a button and by a key.
#include "actions.h"

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

void single_frame(Experiment& experiment, ViewState& view) {
    view.playing = false;
    experiment.step_once();
}

void change_theme(ViewState& view) {
    view.theme = view.theme == ThemeChoice::Dark ? ThemeChoice::Light : ThemeChoice::Dark;
}

void copy_command_line(const Simulation& simulation, ViewState& view) {
    const std::string line = to_command_line(simulation.info(), simulation.values(), simulation.settings(),
                                             simulation.fps(), simulation.scene().frames);
    ImGui::SetClipboardText(line.c_str());
    view.say("The command line is on the clipboard.");
}

void copy_cpp(const Simulation& simulation, ViewState& view) {
    ImGui::SetClipboardText(to_cpp(simulation.settings()).c_str());
    view.say("The settings are on the clipboard as C++.");
}

} // namespace substep
