// What floats over the demo's picture: the card of what is selected, notices, the help.
#include <algorithm>
#include <span>
#include <string>

#include "actions.h"
#include "app.h"
#include "command_list.h"

namespace substep {

void App::lay_out_selection() {
    const float width = 256.0f * scale_;
    // At the side where what was selected is not, decided once.
    const std::string word = word_of(simulation().scene().world, view_.selected);
    if (word != card_of_) {
        const auto at = selected_pixel();
        card_left_ = at && at->x > picture_corner_.x + 0.45f * picture_size_.x;
        card_of_ = word;
    }
    const float x = card_left_ ? 12.0f * scale_ : picture_size_.x - 12.0f * scale_;
    ImGui::SetNextWindowPos({picture_corner_.x + x, card_left_ ? legend_bottom_ + 8.0f * scale_ : 56.0f * scale_},
                            ImGuiCond_Always, {card_left_ ? 0.0f : 1.0f, 0.0f});
    ImGui::SetNextWindowSizeConstraints({width, 0.0f}, {width, 0.72f * picture_size_.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8.0f * scale_);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, faded(theme_.card, 0.92f));
    ImGui::Begin("selection", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    PlotSpace none;
    PanelContext card = context(none);
    selection_card(card);
    ImGui::End();
}

// What the user has to know until it is over or dismissed: a step that takes long, a budget that starves, a failure.
void App::lay_out_notices() {
    constexpr double kLong = 0.25;   // s, before a step that is made beside is spoken of
    constexpr double kStaying = 1.5; // s, for which that stays
    Experiment* const experiment = exhibition_.experiment();
    // Of steps that are long one after the other it is spoken all the time.
    if (experiment != nullptr && experiment->is_stepping() && experiment->stepping_for() > kLong) {
        long_step_at_ = ImGui::GetTime();
    }
    const bool stepping = view_.playing && ImGui::GetTime() - long_step_at_ < kStaying;
    const std::string starves = experiment != nullptr ? starved(*experiment) : std::string();
    if (!stepping && starves.empty() && view_.problem.empty()) return;

    const float width = std::min(460.0f * scale_, picture_size_.x - 24.0f * scale_);
    ImGui::SetNextWindowPos({picture_corner_.x + 0.5f * picture_size_.x, bar_top_ - 8.0f * scale_}, ImGuiCond_Always,
                            {0.5f, 1.0f});
    ImGui::SetNextWindowSizeConstraints({width, 0.0f}, {width, FLT_MAX});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8.0f * scale_);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, faded(theme_.card, 0.94f));
    ImGui::Begin("notices", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize |
                     ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    // Words at the left, the button that answers them at the right.
    const auto row = [&](const std::string& words, ImU32 colour, const ControlText& control) {
        const float button = control.name.empty() ? 0.0f
                                                  : ImGui::CalcTextSize(control.label.c_str()).x +
                                                        2.0f * ImGui::GetStyle().FramePadding.x;
        const float right = ImGui::GetContentRegionMax().x - button;
        const float top = ImGui::GetCursorPosY();
        ImGui::PushTextWrapPos(right - ImGui::GetStyle().ItemSpacing.x);
        ImGui::PushStyleColor(ImGuiCol_Text, colour);
        ImGui::TextUnformatted(words.c_str());
        ImGui::PopStyleColor();
        ImGui::PopTextWrapPos();
        if (control.name.empty()) return false;
        const float bottom = ImGui::GetCursorPosY();
        ImGui::SetCursorPos({right, top});
        const bool clicked = widgets_.button(control);
        ImGui::SetCursorPosY(std::max(bottom, ImGui::GetCursorPosY()));
        return clicked;
    };
    if (stepping) {
        const double seconds = experiment->stepping_for();
        const std::string time = view_.wall_times && seconds > 1.0 ? number(seconds, 0) + " s so far" : "long";
        if (row("This step takes " + time + ". " + remedy(*experiment), theme_.text,
                {"stop_step", "stop", "Ends the step: everything stays as it is at its start. Key: x.", ""})) {
            stop_step(*experiment, view_);
        }
    }
    if (!starves.empty()) row(starves, theme_.warning, {});
    if (!view_.problem.empty() &&
        row(view_.problem, theme_.warning, {"dismiss", "dismiss", "Takes this line away. Key: Escape.", ""})) {
        view_.problem.clear();
    }
    bar_top_ = ImGui::GetWindowPos().y;
    ImGui::End();
}

void App::lay_out_help() {
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0.5f * window.x, 0.5f * window.y}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowFocus();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8.0f * scale_);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{20.0f * scale_, 16.0f * scale_});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1.0f);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme_.card);
    ImGui::Begin("help", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(3);
    ImGui::PushFont(fonts_.strong);
    ImGui::TextUnformatted("Keys and mouse");
    ImGui::PopFont();
    ImGui::Spacing();

    // Two columns of keys, then the mouse.
    const auto row = [&](std::string_view key, std::string_view meaning) {
        std::string shown(key);
        std::ranges::replace(shown, '_', ' ');
        ImGui::TextUnformatted(shown.c_str());
        ImGui::SameLine(96.0f * scale_);
        ImGui::TextDisabled("%.*s", static_cast<int>(meaning.size()), meaning.data());
    };
    const std::span<const Command> commands = command_list();
    const std::size_t half = (commands.size() + 1) / 2;
    if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
        ImGui::TableSetupColumn("", 0, 390.0f * scale_);
        ImGui::TableSetupColumn("", 0, 300.0f * scale_);
        ImGui::TableNextColumn();
        for (const Command& command : commands.first(half)) row(command.keys, command.meaning);
        ImGui::TableNextColumn();
        for (const Command& command : commands.subspan(half)) row(command.keys, command.meaning);
        ImGui::EndTable();
    }
    ImGui::Spacing();
    ImGui::TextDisabled(
        "Drag turns the camera, right drag moves it, the wheel zooms. A body that is dragged is pulled by "
        "a spring;\na click on it opens its card. Ctrl+click on a slider or number to type.");
    ImGui::End();
}

} // namespace substep
