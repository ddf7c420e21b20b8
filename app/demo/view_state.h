// What the user has chosen of the view: everything that is not the simulation's.
#pragma once

#include <cstddef>
#include <string>

#include "camera.h"
#include "selection.h"
#include "theme.h"

namespace substep {

/// Plain data, edited by panels and keys.
struct ViewState {
    bool playing = true;
    double speed = 1.0;  ///< simulated seconds per second, kSlowestSpeed to kFastestSpeed
    bool repeat = false; ///< start again after the scene's recommended length
    bool ghost = true;
    bool trails = true;
    bool joints = false;  ///< draw joints over the picture
    bool forces = false;  ///< draw forces of contacts and joints
    bool islands = false; ///< draw which bodies are integrated together, and how
    bool regimes = false; ///< colour bodies by how their contacts are stepped, and whether they sleep
    bool panels = true;
    bool help = false;
    ThemeChoice theme = ThemeChoice::Dark;
    Camera camera;
    bool step_colours = true;     ///< move tool: colour vertices by the steps they took
    bool show_controller = false; ///< integrator panel: the controller's settings
    Selection selected;           ///< what was clicked, or chosen from the list
    std::string selection_search; ///< what the user typed above the list of bodies, joints and forces
    std::string scene_search;     ///< what the user typed above the list of scenes
    std::string method_search;    ///< what the user typed above the list of methods
    std::size_t channel = 0;      ///< plotted channel, where a scene has more than two
    std::size_t energy_plot = 0;  ///< 0: energies, 1: relative change, 2: ledger
    bool wall_times = true;       ///< show what differs between two runs; false: a dash instead
    double frame_rate = 0.0;      ///< pictures per second

    std::string problem;       ///< what went wrong, shown over the picture until it is dismissed
    std::string message;       ///< shown for a while over the picture
    double message_left = 0.0; ///< s

    void say(std::string text) {
        message = std::move(text);
        message_left = 4.0;
    }
};

} // namespace substep
