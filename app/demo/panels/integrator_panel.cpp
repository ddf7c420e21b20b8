// Integrator panel: the method and its settings, changed while the simulation runs.
#include <algorithm>
#include <array>
#include <cmath>

#include "actions.h"
#include "panel.h"

namespace substep {

namespace {

std::vector<ChoiceItem> method_items() {
    std::vector<ChoiceItem> items;
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        items.push_back(
            {std::string(info.name), std::string(info.label),
             std::string(info.promise) + "\n" + std::string(info.caution) + "\nSource: " + std::string(info.source),
             short_label(info)});
    }
    return items;
}

// One significant digit: enough for a tolerance, and readable in a command line.
double rounded(double tolerance) {
    const double power = std::pow(10.0, std::floor(std::log10(tolerance) + 1e-9));
    return std::round(tolerance / power) * power;
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

} // namespace

void integrator_panel(PanelContext& context) {
    Widgets& widgets = context.widgets;
    WorldSettings settings = context.simulation.settings();
    IntegratorSettings& integrator = settings.integrator;
    std::size_t method = context.simulation.method();
    const MethodInfo info = method_catalogue()[method]->info();
    const std::string label = short_label(info);
    bool changed = false;

    // The method, and what it is and promises.
    const std::vector<ChoiceItem> items = method_items();
    if (widgets.combo(
            {"method", "method",
             "How one substep is made. Takes effect at the next frame; bodies stay where they are. Keys: m, M.", ""},
            items, method)) {
        integrator.method = items[method].value;
        changed = true;
    }
    widgets.note(info.promise, context.theme.text);
    widgets.note(info.caution);
    ImGui::Spacing();

    // Accuracy: a tolerance for methods that estimate their error, substeps for the others.
    double tolerance = integrator.rtol;
    if (widgets.slider(
            {"tolerance", "tolerance",
             "Bound of a substep's local error: metres, and the same number relative. Errors of substeps add "
             "up. Too small wastes evaluations on round-off, too large lets the motion drift. Keys: [ and ].",
             info.adaptive ? "" : label + " does not estimate its error: choose substeps instead."},
            tolerance, {1e-13, 1e-1, true, "%.14g"})) {
        integrator.atol = integrator.rtol = std::clamp(rounded(tolerance), 1e-13, 1e-1);
        changed = true;
    }
    changed |=
        widgets.slider({"substeps", "substeps",
                        "Substeps per frame, all of the same length. Too few: large errors, or an unstable motion; "
                        "cost grows in proportion. Keys: [ and ].",
                        info.adaptive ? label + " chooses its substeps from the tolerance." : ""},
                       integrator.substeps, {1, 100, true, "%d per frame"});

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

    // What the method of game engines does about gaps in joints.
    const std::array corrections{JointCorrection::PositionProjection, JointCorrection::Baumgarte};
    std::vector<ChoiceItem> correction_items;
    for (const JointCorrection each : corrections) {
        const std::string word(to_string(each));
        correction_items.push_back({word, std::string(substep::label(each)), "", word});
    }
    std::size_t correction = settings.joint_correction == JointCorrection::Baumgarte ? 1 : 0;
    const bool applies = info.needs == MethodNeeds::VelocityStep || context.simulation.has_twin();
    if (widgets.combo({"joint_correction", "joint gaps",
                       "How impulse_euler closes the gaps that its steps leave in joints, as engines of two kinds do.",
                       applies ? "" : label + " keeps joints closed by itself."},
                      correction_items, correction)) {
        settings.joint_correction = corrections[correction];
        changed = true;
    }

    if (applies) widgets.note(substep::label(settings.joint_correction));

    if (changed) change_settings(context.simulation, context.view, settings);
    ImGui::Spacing();
    copy_buttons(context);
}

} // namespace substep
