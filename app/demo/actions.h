// What a user can do in more than one way: by a button and by a key.
#pragma once

#include "exhibition.h"
#include "view_state.h"

namespace substep {

/// Hands settings to the simulation, or says why they were refused.
void change_settings(Simulation& simulation, ViewState& view, const WorldSettings& settings);

/// Hands integrator settings to what is integrated, or says why they were refused.
void change_integrator(Experiment& experiment, ViewState& view, const IntegratorSettings& settings);

/// Shows something else, or says why it cannot be shown.
void choose_exhibit(Exhibition& exhibition, ViewState& view, std::string_view name);

/// Starts the scene again with another value of a parameter, or says why it was refused.
void change_value(Simulation& simulation, ViewState& view, std::size_t parameter, double value);

/// Adds or removes the twin, or says why it could not be made.
void change_twin(Simulation& simulation, ViewState& view, bool on);

/// Pauses and takes one frame.
void single_frame(Experiment& experiment, ViewState& view);

/// Changes between dark and light.
void change_theme(ViewState& view);

/// Put the present run on the clipboard, as a command line or as C++.
void copy_command_line(const Simulation& simulation, ViewState& view);
void copy_cpp(const Simulation& simulation, ViewState& view);

} // namespace substep
