// The demo's command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <glm/vec2.hpp>

#include "app.h"
#include "script.h"

namespace substep {

/// Everything that the command line says.
struct DemoOptions {
    Run run;
    AppOptions app;
    glm::ivec2 size{1280, 720};
    bool headless = false;
    std::optional<int> frames; ///< stop after so many; headless without script: the scene's length where not given
    std::string screenshot;    ///< file; empty: none
    std::optional<ScriptPlayer> script;
    bool fps_report = false;
    std::string widgets_file; ///< where to write the widgets' rectangles; empty: nowhere
    std::string state_file;   ///< where to write the state; empty: nowhere
};

/// Reads the command line. Throws std::invalid_argument in one sentence for what cannot be used; returns nothing where
/// help was asked for and given.
std::optional<DemoOptions> read_options(int argc, char** argv);

} // namespace substep
