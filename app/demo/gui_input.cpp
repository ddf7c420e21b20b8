// Mouse and keyboard of a scripted user, handed to Dear ImGui as a window would.
#include "gui_input.h"

namespace substep {

#if IMGUI_VERSION_NUM >= 18700

void GuiInput::apply() {
    ImGuiIO& io = ImGui::GetIO();
    io.AddMousePosEvent(mouse.x, mouse.y);
    for (int i = 0; i < 2; ++i) io.AddMouseButtonEvent(i, buttons[i]);
    if (wheel != 0.0f) io.AddMouseWheelEvent(0.0f, wheel);
    io.AddKeyEvent(ImGuiMod_Ctrl, control);
    io.AddKeyEvent(ImGuiKey_Enter, enter);
    io.AddInputCharactersUTF8(typed.c_str());
    wheel = 0.0f;
    typed.clear();
}

#else // before 1.87 the devices' state is written directly

void GuiInput::apply() {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyMap[ImGuiKey_Enter] = ImGuiKey_Enter;
    io.MousePos = mouse;
    for (int i = 0; i < 2; ++i) io.MouseDown[i] = buttons[i];
    io.MouseWheel += wheel;
    io.KeyCtrl = control;
    io.KeysDown[ImGuiKey_Enter] = enter;
    io.AddInputCharactersUTF8(typed.c_str());
    wheel = 0.0f;
    typed.clear();
}

#endif

} // namespace substep
