// Mouse and keyboard of a scripted user, handed to Dear ImGui as a window would.
#pragma once

#include <string>

#include <imgui.h>

namespace substep {

/// State of the input devices. `apply` is called right before ImGui::NewFrame.
struct GuiInput {
    ImVec2 mouse{-1.0f, -1.0f}; ///< pixels
    bool buttons[2] = {false, false};
    float wheel = 0.0f; ///< notches; used up by `apply`
    bool control = false;
    bool enter = false;
    std::string typed; ///< characters; used up by `apply`

    void apply();
};

} // namespace substep
