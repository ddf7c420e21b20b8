// What a user can do in more than one way: by a button and by a key.
#include "actions.h"

#include <stdexcept>

#include <imgui.h>

namespace substep {

void change_settings(Simulation& simulation, ViewState& view, const WorldSettings& settings) {
    try {
        simulation.set_settings(settings);
    } catch (const std::invalid_argument& error) {
        view.say(error.what());
    }
}

void change_value(Simulation& simulation, ViewState& view, std::size_t parameter, double value) {
    try {
        simulation.set_value(parameter, value);
    } catch (const std::invalid_argument& error) {
        view.say(error.what());
    }
}

void change_twin(Simulation& simulation, ViewState& view, bool on) {
    try {
        simulation.set_twin(on);
    } catch (const std::invalid_argument& error) {
        view.say(error.what());
    }
}

void single_frame(Simulation& simulation, ViewState& view) {
    view.playing = false;
    simulation.step_once();
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
