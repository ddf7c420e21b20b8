// Brush and stroke panels: the move tool's settings, and what the last stroke took.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "panel.h"

namespace substep {

namespace {

// Sliders are of doubles, and print what they are given: the float's own digits, not those of its neighbour in double.
bool slider(Widgets& widgets, const ControlText& control, float& value, const SliderRange& range) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.3g", static_cast<double>(value));
    double wide = std::strtod(digits.data(), nullptr);
    if (!widgets.slider(control, wide, range)) return false;
    std::snprintf(digits.data(), digits.size(), "%.3g", wide);
    value = std::strtof(digits.data(), nullptr);
    return true;
}

bool brush_section(Widgets& widgets, MoveToolSettings& settings) {
    const std::array items{ChoiceItem{"grab", "grab", "Drags the clay along with the pointer.", ""},
                           ChoiceItem{"twist", "twist", "Turns it about the line of sight.", ""},
                           ChoiceItem{"scale", "scale", "Swells it; a negative strength shrinks it.", ""},
                           ChoiceItem{"pinch", "pinch", "Stretches it along the stroke and thins it across.", ""}};
    auto brush = static_cast<std::size_t>(settings.brush);
    bool changed = widgets.choices({"brush", "brush", "", ""}, items, brush);
    settings.brush = kBrushes[brush];
    changed |= slider(widgets, {"radius", "radius", "Of the brush, m. What is farther away moves less and less.", ""},
                      settings.radius, {0.05, 0.6, false, "%.2f m"});
    changed |= slider(widgets,
                      {"strength", "strength",
                       "Grab: part of the pointer's motion that the clay follows. Others: radians, or factors e, for a "
                       "stroke as long as the radius. Negative: the other way round.",
                       ""},
                      settings.strength, {-2.0, 2.0, false, "%.2f"});
    changed |=
        slider(widgets, {"poisson", "Poisson ratio", "Of the clay. 0.5 keeps its volume, 0 lets it be compressed.", ""},
               settings.poisson, {0.0, 0.5, false, "%.2f"});
    return changed;
}

bool solver_section(Widgets& widgets, MoveToolSettings& settings) {
    std::vector<ChoiceItem> items;
    std::size_t chosen = 0;
    for (const std::string_view name : point_methods()) {
        const MethodInfo& info = *find_method(name);
        if (name == settings.method) chosen = items.size();
        ChoiceItem& item = items.emplace_back(
            ChoiceItem{std::string(name), std::string(info.label), std::string(info.promise), short_label(info)});
        item.group = info.adaptive ? "adaptive" : "fixed steps";
    }
    bool changed = widgets.combo({"solver", "solver",
                                  "Runs in a vertex shader, made from the same coefficients as the library's methods. "
                                  "The last stroke is made again.",
                                  ""},
                                 items, chosen);
    settings.method = items[chosen].value;
    const MethodInfo& info = *find_method(settings.method);
    const std::string is_fixed = info.adaptive ? "" : short_label(info) + " does not estimate its error.";
    const std::string is_adaptive = info.adaptive ? short_label(info) + " chooses its steps from the tolerance." : "";
    changed |= slider(widgets,
                      {"tolerance", "tolerance",
                       "Bound of the estimated error per unit step, m. The default is a tenth of a voxel of 1.3 mm.",
                       is_fixed},
                      settings.solver.tolerance, {1e-6, 1e-1, true, "%.14g m"});
    changed |= slider(widgets,
                      {"smallest_step", "smallest step",
                       "Part of a piece of the stroke. A step as short as this is accepted whatever its error, so "
                       "that every vertex arrives.",
                       is_fixed},
                      settings.solver.smallest_step, {1e-3, 0.5, true, "%.3f"});
    changed |= widgets.slider(
        {"fixed_steps", "steps", "Steps for each piece of the stroke, all of the same length.", is_adaptive},
        settings.solver.fixed_steps, {1, 100, true, "%d"});
    return changed;
}

std::string micrometres(const std::optional<double>& metres, const std::string& none) {
    return metres ? number(1e6 * *metres, 2) + " \xc2\xb5m" : none;
}

// "being made, 40 %": what is under way, and how much of it is done.
std::string under_way(const char* what, const MoveTool& tool) {
    const std::size_t percent = 100 * tool.vertices_done() / Sculpture::kVertices;
    return std::string(what) + ", " + std::to_string(percent) + " %";
}

} // namespace

void brush_panel(PanelContext& context) {
    MoveTool& tool = *context.exhibition.move_tool();
    MoveToolSettings settings = tool.settings();
    bool changed = brush_section(context.widgets, settings);
    ImGui::Spacing();
    changed |= solver_section(context.widgets, settings);
    if (changed) {
        try {
            tool.set_settings(settings);
        } catch (const std::exception& error) {
            context.view.say(error.what());
        }
    }
    ImGui::Spacing();
    const ImVec2 size{0.5f * (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x), 0.0f};
    if (context.widgets.button({"undo", "undo stroke", "Takes back the last stroke, of up to 24. Key: z.",
                                tool.strokes() > 0 ? "" : "There is no stroke to take back."},
                               size)) {
        tool.undo();
    }
    ImGui::SameLine();
    context.widgets.toggle({"step_colours", "colour by steps", "From few steps, blue, to many, red.", ""},
                           context.view.step_colours);
    context.widgets.note("Left drag on the clay: a stroke. Elsewhere: turn. Right drag: move. Wheel: nearer.");
}

void stroke_panel(PanelContext& context) {
    const MoveTool& tool = *context.exhibition.move_tool();
    const StrokeReport& report = tool.report();
    const char* none = dash(context.fonts);

    // How many vertices took how many steps.
    std::vector<PlotPoint> bars;
    for (std::size_t steps = 0; steps < report.vertices_by_steps.size(); ++steps) {
        bars.push_back({static_cast<double>(steps) + 0.5, report.vertices_by_steps[steps] / 1000.0});
    }
    bars.push_back({static_cast<double>(bars.size()) + 0.5, 0.0}); // bars lie left of their points
    PlotDesc plot;
    plot.id = "plot.steps";
    plot.title = "thousands of vertices by their steps in the last stroke";
    plot.size.y = context.plots.height(2.0f);
    plot.x_from = -1.0;
    plot.x_to = std::max(10.0, static_cast<double>(report.most_steps) + 1.0);
    plot.x_unit = "steps";
    plot.y.least = 0.0;
    plot.y.most = 1.0;
    plot.empty_text = "drag the clay";
    if (report.evaluations > 0)
        plot.curves = {{"vertices", bars, context.theme.accent_strong, 1.5f, CurveStyle::Bars, false}};
    show_plot(context, plot);

    context.widgets.read_out("vertices", std::to_string(Sculpture::kVertices));
    context.widgets.read_out("steps a vertex: mean, most",
                             number(report.mean_steps, 2) + ",  " + std::to_string(report.most_steps));
    context.widgets.read_out("evaluations of the field", std::to_string(report.evaluations));
    const std::string time = context.view.wall_times ? number(report.milliseconds, 1) : none;
    context.widgets.read_out("time for the stroke's last piece",
                             tool.is_making() ? under_way("being made", tool) : time + " ms");
    const std::string unknown = tool.is_measuring() ? under_way("being measured", tool) : none;
    context.widgets.read_out("error, largest", micrometres(report.worst_error, unknown), context.theme.text);
    context.widgets.remember({.name = "stroke_error",
                              .label = {},
                              .tip =
                                  "Distance from the same stroke by Dormand-Prince at a tolerance of a thousandth of "
                                  "a millimetre; measured after each stroke.",
                              .reason = {}});
    context.widgets.read_out("error, 99 of 100 vertices below", micrometres(report.usual_error, none));
    if (report.stopped > 0) {
        context.widgets.note(std::to_string(report.stopped) + " vertices met what is not a number, and stopped.",
                             context.theme.warning);
    }
}

} // namespace substep
