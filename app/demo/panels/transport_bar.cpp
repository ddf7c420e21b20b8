// Transport bar: time (back and forth within the last two minutes), reset, single frames, play or pause, speed, a kept
// state, theme, help.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "actions.h"
#include "panel.h"

namespace substep {

namespace {

enum class Icon { Reset, Back, Step, Play, Pause, Keep, Return, Theme, Help };

// Draws an icon over the last item, from strokes: the fonts have none.
void draw_icon(Icon icon, ImU32 colour, const Fonts& fonts, float scale) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 low = ImGui::GetItemRectMin();
    const ImVec2 high = ImGui::GetItemRectMax();
    const ImVec2 c{std::round(0.5f * (low.x + high.x)), std::round(0.5f * (low.y + high.y))};
    const float r = 6.0f * scale;
    switch (icon) {
    case Icon::Play:
        list.AddTriangleFilled({c.x - 0.7f * r, c.y - r}, {c.x - 0.7f * r, c.y + r}, {c.x + r, c.y}, colour);
        break;
    case Icon::Pause:
        list.AddRectFilled({c.x - 0.85f * r, c.y - r}, {c.x - 0.25f * r, c.y + r}, colour, scale);
        list.AddRectFilled({c.x + 0.25f * r, c.y - r}, {c.x + 0.85f * r, c.y + r}, colour, scale);
        break;
    case Icon::Step:
        list.AddTriangleFilled({c.x - r, c.y - r}, {c.x - r, c.y + r}, {c.x + 0.4f * r, c.y}, colour);
        list.AddRectFilled({c.x + 0.5f * r, c.y - r}, {c.x + r, c.y + r}, colour, scale);
        break;
    case Icon::Back:
        list.AddTriangleFilled({c.x + r, c.y - r}, {c.x - 0.4f * r, c.y}, {c.x + r, c.y + r}, colour);
        list.AddRectFilled({c.x - r, c.y - r}, {c.x - 0.5f * r, c.y + r}, colour, scale);
        break;
    case Icon::Keep: // a pin
        list.AddCircleFilled({c.x, c.y - 0.35f * r}, 0.6f * r, colour, 20);
        list.AddTriangleFilled({c.x - 0.5f * r, c.y}, {c.x + 0.5f * r, c.y}, {c.x, c.y + 1.1f * r}, colour);
        break;
    case Icon::Return: // a bent arrow, back to the pin
        list.PathArcTo({c.x + 0.1f * r, c.y + 0.1f * r}, 0.75f * r, -2.6f, 1.9f, 20);
        list.PathStroke(colour, 0, 1.7f * scale);
        list.AddTriangleFilled({c.x - 1.1f * r, c.y - 0.75f * r}, {c.x + 0.05f * r, c.y - 0.75f * r},
                               {c.x - 0.55f * r, c.y + 0.25f * r}, colour);
        break;
    case Icon::Reset: // to the very beginning: a bar and two arrows
        list.AddRectFilled({c.x - 1.2f * r, c.y - r}, {c.x - 0.8f * r, c.y + r}, colour, scale);
        list.AddTriangleFilled({c.x + 0.2f * r, c.y - r}, {c.x - 0.8f * r, c.y}, {c.x + 0.2f * r, c.y + r}, colour);
        list.AddTriangleFilled({c.x + 1.2f * r, c.y - r}, {c.x + 0.2f * r, c.y}, {c.x + 1.2f * r, c.y + r}, colour);
        break;
    case Icon::Theme:
        list.AddCircle(c, r, colour, 24, 1.5f * scale);
        list.PathArcTo(c, r, -1.5708f, 1.5708f, 16);
        list.PathFillConvex(colour);
        break;
    case Icon::Help: {
        const float size = fonts.strong->FontSize;
        const ImVec2 extent = fonts.strong->CalcTextSizeA(size, FLT_MAX, 0.0f, "?");
        list.AddText(fonts.strong, size, {c.x - 0.5f * extent.x, c.y - 0.5f * extent.y}, colour, "?");
        break;
    }
    }
}

// Sizes of the bar, pixels: what there is room for.
struct BarSizes {
    float side = 30.0f; // of a button
    float slider = 150.0f;
    float gap = 8.0f;
    float width = 0.0f;
};

// The slider gives way first, then the buttons do.
BarSizes fit_bar(float buttons, float gaps, float room, float scale) {
    BarSizes sizes{30.0f * scale, 150.0f * scale, ImGui::GetStyle().ItemSpacing.x, 0.0f};
    const auto rest = [&] { return room - buttons * sizes.side - gaps * sizes.gap; };
    const float least = 64.0f * scale;
    if (rest() < least) sizes.gap = 2.0f * scale;
    if (rest() < least) sizes.side = std::max(1.0f, (room - least - gaps * sizes.gap) / buttons);
    sizes.slider = std::clamp(rest(), std::min(least, room), sizes.slider);
    sizes.width = buttons * sizes.side + gaps * sizes.gap + sizes.slider;
    return sizes;
}

bool icon_button(PanelContext& context, float side, Icon icon, const ControlText& control, bool highlighted = false) {
    const bool clicked =
        context.widgets.button(control, {highlighted ? 1.5f * side : side, 30.0f * context.scale}, highlighted);
    draw_icon(icon, highlighted ? context.theme.on_accent : context.theme.text, context.fonts, context.scale);
    ImGui::SameLine();
    return clicked;
}

// Where in the last two minutes the scene is.
void time_slider(PanelContext& context, float width) {
    Simulation& simulation = context.simulation;
    const History& history = simulation.history();
    double back = std::min(0.0, simulation.time() - history.end());
    char reach[160];
    std::snprintf(reach, sizeof reach,
                  "Goes back within the last two minutes, and pauses; playing on from there makes another future. "
                  "Kept: %.1f s. Keys: , and . (one frame).",
                  history.end() - history.begin());
    ImGui::SetNextItemWidth(width);
    const std::string nothing = history.end() > history.begin() ? "" : "Nothing was simulated yet.";
    const double earliest = std::min(-1e-3, history.begin() - history.end());
    if (context.widgets.slider({"history", "", reach, nothing}, back,
                               {earliest, 0.0, false, back < 0.0 ? "%.2f s" : "now"})) {
        go_to(simulation, context.view, history.end() + back);
    }
}

} // namespace

void transport_bar(PanelContext& context, float room) {
    ViewState& view = context.view;
    Experiment* const experiment = context.exhibition.experiment();
    MoveTool* const tool = context.exhibition.move_tool();
    const bool scene = context.exhibition.kind() == ExhibitKind::Scene;
    // Seven buttons, of which play is half as wide again, or four; and the slider.
    const BarSizes sizes = scene ? fit_bar(8.5f, 8.0f, room, context.scale) : fit_bar(5.5f, 5.0f, room, context.scale);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{sizes.gap, ImGui::GetStyle().ItemSpacing.y});
    if (scene) time_slider(context, sizes.width);
    const float top = ImGui::GetCursorPosY();
    const std::string no_time = experiment != nullptr ? "" : "The clay moves with the brush, not with time.";
    if (icon_button(context, sizes.side, Icon::Reset,
                    {"reset", "", "Starts again; drift curves stay for comparison. Key: r.", ""})) {
        if (experiment != nullptr) experiment->reset();
        if (tool != nullptr) tool->reset();
    }
    if (scene && icon_button(context, sizes.side, Icon::Back,
                             {"back", "", "Goes one frame back and pauses. Key: , (comma)", ""})) {
        frame_back(context.simulation, view);
    }
    if (icon_button(context, sizes.side, Icon::Step,
                    {"step", "", "Takes one frame and pauses. Key: . (full stop)", no_time})) {
        single_frame(*experiment, view);
    }
    if (icon_button(context, sizes.side, view.playing ? Icon::Pause : Icon::Play,
                    {"play", "", view.playing ? "Pauses. Key: space." : "Plays. Key: space.", no_time}, true)) {
        view.playing = !view.playing;
    }
    ImGui::SetNextItemWidth(sizes.slider);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + 0.5f * (30.0f * context.scale - ImGui::GetFrameHeight()));
    context.widgets.slider(
        {"speed", "",
         "Simulated seconds per second, 0.05 to 4. Physics still takes frames of 1/60 s: slow motion is "
         "read from the dense output. Equations take 15 s for a run at 1. Keys: + and -.",
         no_time},
        view.speed, {kSlowestSpeed, kFastestSpeed, true, "speed %.2fx"});
    ImGui::SameLine();
    ImGui::SetCursorPosY(top);
    if (scene) {
        if (icon_button(context, sizes.side, Icon::Keep, {"keep", "", "Keeps this state to return to. Key: k.", ""})) {
            keep_state(context.simulation, view);
        }
        const std::string none = context.simulation.has_kept_state() ? "" : "No state was kept.";
        if (icon_button(context, sizes.side, Icon::Return,
                        {"return", "", "Returns to the kept state. Key: Shift+k.", none})) {
            return_to_kept(context.simulation, view);
        }
    }
    if (icon_button(context, sizes.side, Icon::Theme, {"theme", "", "Changes between dark and light. Key: l.", ""})) {
        change_theme(view);
    }
    if (icon_button(context, sizes.side, Icon::Help, {"help", "", "Lists keys and mouse. Keys: F1 or ?.", ""}))
        view.help = !view.help;
    ImGui::PopStyleVar();
}

} // namespace substep
