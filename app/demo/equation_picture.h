// The picture of a plain equation: its curves, in place of a scene.
#pragma once

#include <imgui.h>

#include "ode_run.h"
#include "theme.h"

namespace substep {

/// A part of the window, pixels.
struct PictureArea {
    ImVec2 corner;
    ImVec2 size;
};

/// Draws the problem's curves behind all windows: the converged path, if wanted, and as much of the simulated one as
/// there is; `whole` false leaves of that its last part.
void draw_equation(const OdeRun& run, const PictureArea& area, bool converged, bool whole, const Theme& theme,
                   const Fonts& fonts, float scale);

} // namespace substep
