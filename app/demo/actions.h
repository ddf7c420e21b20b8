// What a user can do in more than one way: by a button and by a key.
#pragma once

#include <functional>
#include <string>

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
/// Makes the twin go on by another method, or says why it cannot.
void change_twin_method(Simulation& simulation, ViewState& view, const std::string& method);

/// Pauses and takes one frame.
void single_frame(Experiment& experiment, ViewState& view);

/// Ends a step that is being made beside the picture, and says what makes the next one shorter.
void stop_step(Experiment& experiment, ViewState& view);

/// What makes steps of an experiment shorter, in one sentence.
std::string remedy(const Experiment& experiment);

/// What a budget that is too small does to the last step, in one sentence; empty where it suffices.
std::string starved(const Experiment& experiment);

/// Has the twin take as many steps as cost what the simulated scene cost over the last second, or says what it can.
void equal_cost(Simulation& simulation, ViewState& view);

/// The number of so many decimal digits that is nearest: 3e-8, not 3.0000000000000004e-8.
double rounded(double value, int digits);

/// Edits the world, or one body of it, or says why that was refused. The exact solution no longer applies then.
void edit_world(Simulation& simulation, ViewState& view, const std::function<void(World&)>& edit);
void edit_body(Simulation& simulation, ViewState& view, BodyId body, const std::function<void(Body&)>& edit);

/// Pauses and goes to another time of the last two minutes, s.
void go_to(Simulation& simulation, ViewState& view, double time);

/// Pauses and goes one frame back.
void frame_back(Simulation& simulation, ViewState& view);

/// Keeps the present state; returns to the one that was kept.
void keep_state(Simulation& simulation, ViewState& view);
void return_to_kept(Simulation& simulation, ViewState& view);

/// Changes between dark and light.
void change_theme(ViewState& view);

/// Put the present run on the clipboard, as a command line or as C++.
void copy_command_line(const Simulation& simulation, ViewState& view);
void copy_cpp(const Simulation& simulation, ViewState& view);

} // namespace substep
