// Scene panel: which scene, from which parameters, and what is drawn of it.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "actions.h"
#include "panel.h"

namespace substep {

namespace {

constexpr const char* kParameterKeys = "asd"; // see command_list.cpp

void choose_exhibit(PanelContext& context) {
    std::vector<ChoiceItem> items;
    std::size_t chosen = 0;
    for (const ExhibitInfo& info : exhibit_list()) {
        if (info.name == context.exhibition.info().name) chosen = items.size();
        ChoiceItem& item = items.emplace_back(ChoiceItem{info.name, info.title, "", ""});
        item.group = info.group;
        item.line = info.description;
    }
    const ControlText control{"scene", "scene",
                              "What is simulated. Each scene brings its recommended settings. Keys: n, N.", ""};
    if (context.widgets.combo(control, items, chosen, &context.view.scene_search))
        choose_exhibit(context.exhibition, context.view, items[chosen].value);
}

void parameters(PanelContext& context) {
    const SceneInfo& info = context.simulation.info();
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        const SceneParameter& parameter = info.parameters[i];
        char range[96];
        std::snprintf(range, sizeof range, " From %g to %g%s%s; the scene starts again.", parameter.minimum,
                      parameter.maximum, parameter.unit.empty() ? "" : " ", parameter.unit.c_str());
        std::string tip = parameter.meaning + range + " Ctrl+click to type.";
        if (i < 3) tip += std::string(" Keys: ") + kParameterKeys[i] + ", Shift+" + kParameterKeys[i] + ".";
        const ControlText control{parameter.name, parameter.label, tip, ""};

        double value = context.simulation.values()[i];
        SliderRange sliding{parameter.minimum, parameter.maximum, false,
                            parameter.integer ? "%.0f" : "%.3g" + (parameter.unit.empty() ? "" : " " + parameter.unit)};
        if (!context.widgets.slider(control, value, sliding)) continue;
        change_value(context.simulation, context.view, i, parameter.integer ? std::round(value) : value);
    }
}

// Everything in the world that can be looked at and edited.
void choose_selection(PanelContext& context) {
    constexpr std::size_t kMostListed = 200; // of a kind: what is not listed can be clicked in the picture
    const Simulation& simulation = context.simulation;
    const World& world = simulation.scene().world;
    std::vector<ChoiceItem> items{{"none", "nothing", "Closes the card.", ""}};
    const auto add = [&](const Selection& each, const char* group, const std::string& label) {
        ChoiceItem& item = items.emplace_back(ChoiceItem{word_of(world, each), label, "", ""});
        item.group = group;
    };
    const auto add_all = [&](const auto& ids, const char* group) {
        for (std::size_t i = 0; i < std::min(ids.size(), kMostListed); ++i)
            add(ids[i], group, name_of(simulation, ids[i]));
    };
    add_all(world.bodies(), "bodies");
    add_all(world.joints(), "joints");
    add_all(world.couplings(), "couplings");
    add(WorldGravity{}, "forces", "gravity");
    add_all(world.force_fields(), "forces");
    const std::string present = word_of(world, context.view.selected);
    const auto found = std::ranges::find(items, present, &ChoiceItem::value);
    std::size_t chosen = found == items.end() ? 0 : static_cast<std::size_t>(found - items.begin());
    const ControlText control{
        "edit", "edit",
        "The body, joint, coupling or force whose card is open. A click on a body in the picture opens its "
        "card, too, and on a joint while joints are drawn.",
        ""};
    if (context.widgets.combo(control, items, chosen, &context.view.selection_search)) {
        context.view.selected = selection_of(world, items[chosen].value);
    }
}

// What is drawn of an equation, and whether it repeats.
void equation_toggles(PanelContext& context) {
    const float row = ImGui::GetContentRegionAvail().x;
    const float left = ImGui::GetCursorPosX();
    context.widgets.toggle({"ghost", "converged", "Shows the whole path of a converged run. Key: g.", ""},
                           context.view.ghost);
    ImGui::SameLine(left + 0.38f * row);
    context.widgets.toggle(
        {"trails", "whole path", "Shows the path from its start, not its last part alone. Key: p.", ""},
        context.view.trails);
    ImGui::SameLine(left + 0.76f * row);
    context.widgets.toggle({"repeat", "repeat", "Starts again at the end.", ""}, context.view.repeat);
}

// The twin: by which method, how many steps it takes, and the button that makes its cost ours.
void twin_section(PanelContext& context, float left, float row) {
    Widgets& widgets = context.widgets;
    Simulation& simulation = context.simulation;
    bool twin = simulation.has_twin();
    if (widgets.toggle({"twin", "twin",
                        "Adds the same scene by another method, at first impulse_euler, that of other game engines; it "
                        "starts where the simulated one is now. Key: t.",
                        ""},
                       twin)) {
        change_twin(simulation, context.view, twin);
    }
    const char* const equal = "equal cost";
    const float button = ImGui::CalcTextSize(equal).x + 2.0f * ImGui::GetStyle().FramePadding.x;
    const std::string no_twin = simulation.has_twin() ? "" : "There is no twin.";
    const bool is_adaptive = method_info_at(row_of(simulation.twin_method())).adaptive;
    const std::string no_steps = !no_twin.empty() ? no_twin : is_adaptive ? "The tolerance decides its substeps." : "";
    ImGui::SameLine(left + 0.25f * row);
    ImGui::SetNextItemWidth(0.75f * row - button - ImGui::GetStyle().ItemSpacing.x);
    int substeps = simulation.twin_substeps();
    if (widgets.slider(
            {"twin_substeps", "",
             "Steps per frame of the twin, 1 to 1000. Game engines take 1 to 4. More are more accurate, in "
             "proportion. Of a pile, by other methods than impulse_euler: soft steps, at least 8, at most 16.",
             no_steps},
            substeps, {1, kMostTwinSubsteps, true, "%d per frame"})) {
        simulation.set_twin_substeps(substeps);
    }
    ImGui::SameLine();
    if (widgets.button({"equal_cost", equal,
                        "Has the twin take as many steps a frame as cost what the simulated scene cost over the last "
                        "second, in evaluations.",
                        no_steps})) {
        equal_cost(simulation, context.view);
    }
    // Beside what has a truth the twin is that of game engines: the panels of small windows have no room for more.
    if (!simulation.has_twin() || simulation.scene().truth != nullptr || !simulation.info().contacts) return;
    std::vector<ChoiceItem> items;
    for (std::size_t i = 0; i <= method_catalogue().size(); ++i) {
        const MethodInfo& info = method_info_at(i);
        items.push_back(
            {std::string(info.name), std::string(info.label), std::string(info.promise), short_label(info)});
    }
    std::size_t chosen = row_of(simulation.twin_method());
    if (widgets.combo({"twin_method", "twin by",
                       "The twin's method; it goes on from where it is. What adapts does so by the tolerance of the "
                       "simulated scene.",
                       ""},
                      items, chosen)) {
        change_twin_method(simulation, context.view, items[chosen].value);
    }
}

} // namespace

void scene_panel(PanelContext& context) {
    Widgets& widgets = context.widgets;
    choose_exhibit(context);
    widgets.note(context.exhibition.info().description);
    if (context.exhibition.kind() == ExhibitKind::Equation) {
        equation_toggles(context);
        return;
    }
    if (context.exhibition.kind() == ExhibitKind::MoveTool) return;
    parameters(context);

    // What is drawn, and whether the scene repeats: in columns as wide as their words.
    const float row = ImGui::GetContentRegionAvail().x;
    const float left = ImGui::GetCursorPosX();
    const auto column = [&](float part) { ImGui::SameLine(left + part * row); };
    widgets.toggle({"ghost", "ghost",
                    "Shows the exact solution, or the reference that takes its place, as a translucent shell. Key: g.",
                    ""},
                   context.view.ghost);
    column(0.25f);
    widgets.toggle({"trails", "trails", "Shows the paths of the last 2.5 s. Key: p.", ""}, context.view.trails);
    column(0.525f);
    widgets.toggle({"repeat", "repeat", "Starts again after the scene's recommended length.", ""}, context.view.repeat);
    column(0.785f);
    const bool no_joints = context.simulation.scene().world.joints().empty();
    widgets.toggle({"joints", "joints",
                    "Draws joints: a ring where each is, its free axes, its frames, limits and targets. Key: j.",
                    no_joints ? "This scene has no joints." : ""},
                   context.view.joints);
    widgets.toggle(
        {"forces", "forces", "Draws contacts, and the forces of contacts, joints and fields on one scale. Key: f.", ""},
        context.view.forces);
    column(0.25f);
    widgets.toggle({"islands", "islands",
                    "Colours bodies that are integrated together alike, with the method and the length of the last "
                    "substep. Key: i.",
                    ""},
                   context.view.islands);
    column(0.525f);
    widgets.toggle({"regimes", "regimes",
                    "Colours bodies by how their contacts are stepped: free, by modes, by impulses, by convex or soft "
                    "steps; or asleep. Key: I.",
                    ""},
                   context.view.regimes);

    choose_selection(context);

    twin_section(context, left, row);
}

} // namespace substep
