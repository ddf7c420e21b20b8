// Integrator panel: the method and its settings, changed while the simulation runs.
#include <algorithm>
#include <array>
#include <cmath>

#include "actions.h"
#include "panel.h"

namespace substep {

namespace {

const char* group_of(const MethodInfo& method) {
    if (method.name == kAutoMethod) return "automatic: chosen for each island";
    if (method.velocity_step != VelocityStepKind::Impulses) return "for bodies in contact";
    if (method.needs == MethodNeeds::VelocityStep) return "game engines";
    if (method.needs == MethodNeeds::LinearlyImplicitStep) return "implicit: stable at any step";
    if (method.adaptive) return "adaptive: a tolerance decides";
    return method.symplectic ? "symplectic: energy stays bounded" : "fixed steps";
}

// Rows of the table by group, in the order in which the groups appear in the table.
std::vector<ChoiceItem> method_items(const Experiment& experiment) {
    std::vector<ChoiceItem> items;
    for (std::size_t row = 0; row < method_rows(); ++row) {
        const MethodInfo& info = method_info_at(row);
        ChoiceItem& item = items.emplace_back(
            ChoiceItem{std::string(info.name), std::string(info.label),
                       std::string(info.caution) + "\nSource: " + std::string(info.source), short_label(info)});
        item.group = group_of(info);
        item.line = info.promise;
        item.reason = experiment.unsuitable(info);
    }
    std::vector<std::string> groups;
    for (const ChoiceItem& item : items) {
        if (std::ranges::find(groups, item.group) == groups.end()) groups.push_back(item.group);
    }
    std::ranges::stable_sort(items, {}, [&](const ChoiceItem& item) { return std::ranges::find(groups, item.group); });
    return items;
}

void copy_buttons(PanelContext& context) {
    const ImVec2 size{0.5f * (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x), 0.0f};
    if (context.widgets.button(
            {"copy_command", "copy as command",
             "Puts a `substep run` command with the present scene and settings on the clipboard. Key: c.", ""},
            size)) {
        copy_command_line(context.simulation, context.view);
    }
    ImGui::SameLine();
    if (context.widgets.button(
            {"copy_cpp", "copy as C++", "Puts the present settings as C++ on the clipboard. Key: C.", ""}, size)) {
        copy_cpp(context.simulation, context.view);
    }
}

// At the right of the panel's title: whether its controls of the controller are shown.
void controller_toggle(PanelContext& context, const MethodInfo& info) {
    const std::string reason = info.adaptive ? "" : short_label(info) + " has nothing to control.";
    const char* const label = "controller";
    ImGui::PushFont(context.fonts.small);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2{4.0f * context.scale, 1.0f * context.scale});
    const float width = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(label).x;
    ImGui::SameLine(ImGui::GetContentRegionMax().x - width);
    context.widgets.toggle({"show_controller", label, "How the next substep's length follows from the error.", reason},
                           context.view.show_controller);
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

// How h follows from the error: shown on demand.
bool controller_section(PanelContext& context, IntegratorSettings& integrator, const MethodInfo& info) {
    Widgets& widgets = context.widgets;
    ControllerSettings& controller = integrator.controller;
    if (!context.view.show_controller || !info.adaptive) return false;

    bool changed = false;
    const std::array kinds{ControllerKind::I, ControllerKind::PI, ControllerKind::H211b};
    const std::array items{
        ChoiceItem{"i", "I", "h follows the last error alone.", ""},
        ChoiceItem{"pi", "PI", "The error before damps it: smoother where stability limits h (Gustafsson 1991).", ""},
        ChoiceItem{"h211b", "H211b",
                   "A digital filter: the smoothest h, few rejections (S\xc3\xb6"
                   "derlind 2003).",
                   ""}};
    auto kind = static_cast<std::size_t>(std::ranges::find(kinds, controller.kind) - kinds.begin());
    if (widgets.choices({"controller", "law", "", ""}, items, kind)) {
        controller.kind = kinds[kind];
        changed = true;
    }
    // Three to a row: they are set rarely, and rows are what a low window lacks.
    const float width = (ImGui::GetContentRegionAvail().x - 2.0f * ImGui::GetStyle().ItemSpacing.x) / 3.0f;
    const auto limit = [&](const ControlText& control, double& value, const SliderRange& range) {
        ImGui::SetNextItemWidth(width);
        changed |= widgets.slider(control, value, range);
    };
    limit({"safety", "",
           "Safety: aims under the tolerance by this factor. Near 1: many rejections; small: short substeps.", ""},
          controller.safety, {0.5, 0.99, false, "safety %.2f"});
    ImGui::SameLine();
    limit({"growth_limit", "", "Most growth: the largest factor from one substep to the next.", ""},
          controller.growth_limit, {1.2, 10.0, false, "growth %.1f"});
    ImGui::SameLine();
    limit({"shrink_limit", "", "Most shrinking: the smallest factor after a rejection.", ""}, controller.shrink_limit,
          {0.05, 0.9, false, "shrink %.2f"});
    return changed;
}

// What the method of game engines does about gaps in joints.
void joint_section(PanelContext& context, const MethodInfo& info) {
    WorldSettings settings = context.simulation.settings();
    const std::array corrections{JointCorrection::PositionProjection, JointCorrection::Baumgarte};
    std::vector<ChoiceItem> items;
    for (const JointCorrection each : corrections) {
        const std::string word(to_string(each));
        items.push_back({word, std::string(substep::label(each)), "", word});
    }
    std::size_t correction = settings.impulse_euler.joint_correction == JointCorrection::Baumgarte ? 1 : 0;
    const bool has_joints = !context.simulation.scene().world.joints().empty();
    const bool is_twins = context.simulation.has_twin() && has_joints;
    if (info.needs != MethodNeeds::VelocityStep && !is_twins) return; // joints close by themselves
    if (context.widgets.combo(
            {"joint_correction", "joint gaps",
             "How impulse_euler closes the gaps that its steps leave in joints, as engines of two kinds do. Now: " +
                 std::string(substep::label(settings.impulse_euler.joint_correction)) + ".",
             ""},
            items, correction)) {
        settings.impulse_euler.joint_correction = corrections[correction];
        change_settings(context.simulation, context.view, settings);
    }
}

} // namespace

void integrator_panel(PanelContext& context) {
    Widgets& widgets = context.widgets;
    Experiment& experiment = *context.exhibition.experiment();
    IntegratorSettings integrator = experiment.integrator();
    const MethodInfo info = method_info_at(experiment.method());
    const std::string label = short_label(info);
    bool changed = false;
    controller_toggle(context, info);

    // The method, and what it is and promises.
    const std::vector<ChoiceItem> items = method_items(experiment);
    auto chosen =
        static_cast<std::size_t>(std::ranges::find(items, integrator.method, &ChoiceItem::value) - items.begin());
    if (widgets.combo({"method", "method",
                       "How one substep is made. Takes effect at the next frame; the state stays where it is. Type to "
                       "search. Keys: m, M.",
                       ""},
                      items, chosen, &context.view.method_search)) {
        integrator.method = items[chosen].value;
        changed = true;
    }
    const StepReport& report = experiment.report();
    if (!report.reason.empty()) {
        // Islands may have several methods, and each its own reason.
        const bool one = find_method(report.method) != nullptr;
        widgets.note(one ? "now " + std::string(report.method) + ": " + std::string(report.reason)
                         : "now several methods: \"islands\" lists which where",
                     context.theme.text);
    }
    // Where the window is low the caution waits in the list of methods, so that the panels below have room; so do both
    // while the controller's settings take it.
    const bool is_low = ImGui::GetIO().DisplaySize.y <= 760.0f * context.scale;
    const bool has_controller = context.view.show_controller && info.adaptive;
    if (!is_low || !has_controller) widgets.note(info.promise, context.theme.text);
    if (!is_low && !has_controller) widgets.note(info.caution);
    ImGui::Spacing();

    // Accuracy: a tolerance for methods that estimate their error, substeps for the others.
    double tolerance = integrator.rtol;
    if (!info.adaptive) {
        changed |= widgets.slider(
            {"substeps", "substeps",
             label + " does not estimate its error: it takes so many substeps per frame, all of the same length. Too "
                     "few: large errors, or an unstable motion; cost grows in proportion. Keys: [ and ].",
             ""},
            integrator.substeps, {1, 100, true, "%d per frame"});
    } else if (widgets.slider({"tolerance", "tolerance",
                               "Bound of a substep's local error: metres, and the same number relative. " + label +
                                   " chooses its substeps by it. Errors of substeps add up. Too small wastes "
                                   "evaluations on round-off, too large lets the motion drift. Keys: [ and ].",
                               ""},
                              tolerance, {1e-13, 1e-1, true, "%.14g"})) {
        integrator.atol = integrator.rtol = std::clamp(rounded(tolerance, 1), 1e-13, 1e-1);
        changed = true;
    }

    // Where substeps end, and what they may cost.
    const std::array boundaries{
        ChoiceItem{"exact", "exact", "Substeps end exactly with the frame. A change from outside costs nothing extra.",
                   ""},
        ChoiceItem{
            "runahead", "run ahead",
            "Substeps keep their natural length and pass the frame's end; the frame is read from the dense output. "
            "Fewer evaluations, and the tolerance then decides.",
            ""}};
    std::size_t boundary = integrator.boundary == Boundary::RunAhead ? 1 : 0;
    if (widgets.choices({"boundary", "boundary", "",
                         info.adaptive ? "" : label + " takes substeps of equal length within the frame."},
                        boundaries, boundary)) {
        integrator.boundary = boundary == 1 ? Boundary::RunAhead : Boundary::Exact;
        changed = true;
    }
    changed |=
        widgets.slider({"budget", "budget",
                        "Most evaluations per frame; 0: no limit. At the limit steps are accepted whatever their "
                        "error, and the cost panel says degraded.",
                        ""},
                       integrator.budget, {0, 120, false, integrator.budget == 0 ? "%d (no limit)" : "%d evaluations"});

    changed |= controller_section(context, integrator, info);

    if (changed) change_integrator(experiment, context.view, integrator);
    if (context.exhibition.kind() != ExhibitKind::Scene) return;
    joint_section(context, info);
    copy_buttons(context);
}

} // namespace substep
