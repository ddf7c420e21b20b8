// Energy panel: where the energy is, and what the method did to it.
#include <algorithm>
#include <array>
#include <cmath>

#include "ledger_picture.h"
#include "panel.h"

namespace substep {

namespace {

constexpr double kWindow = 10.0; // s

// The zero of potential energy is arbitrary; curves are raised so that they can be compared with the kinetic one.
std::vector<PlotPoint> raised(const RollingSeries& series, double by) {
    std::vector<PlotPoint> points(series.points().begin(), series.points().end());
    for (PlotPoint& point : points) point.y += by;
    return points;
}

} // namespace

void energy_panel(PanelContext& context) {
    const Simulation& simulation = context.simulation;
    const Recording& recording = simulation.recording();
    const Meter& meter = simulation.meter();
    const Theme& theme = context.theme;

    // Either the energies over the last seconds, or the relative change over the whole run.
    const std::array views{
        ChoiceItem{
            "energies", "energies",
            "Kinetic, potential and total energy over the last 10 s; the potential counts from its lowest value.", ""},
        ChoiceItem{"change", "change", "Relative change of the total over the whole run, without its sign.", ""},
        ChoiceItem{"ledger", "ledger", "Where the energy went since the start, source by source.", ""}};
    ImGui::SameLine(0.32f * ImGui::GetContentRegionAvail().x);
    ImGui::PushFont(context.fonts.small);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2{4.0f * context.scale, 1.0f * context.scale});
    context.widgets.choices({"energy_plot", "", "", ""}, views, context.view.energy_plot);
    ImGui::PopStyleVar();
    ImGui::PopFont();
    if (context.view.energy_plot == 2) {
        draw_ledger(context);
        return;
    }
    PlotDesc plot;
    plot.id = "plot.energy";
    plot.size.y = context.plots.height(1.3f);
    plot.empty_text = "nothing recorded yet";
    std::vector<PlotPoint> potential;
    std::vector<PlotPoint> total;
    if (context.view.energy_plot == 0) {
        plot.x_to = std::max(kWindow, simulation.time());
        plot.x_from = plot.x_to - kWindow;
        plot.title = "energy";
        plot.y.unit = "J";
        plot.y.smallest_span = (recording.total().points().size() < 2 ? 1.0 : 1e-6) * meter.energy_scale();
        potential = raised(recording.potential(), -recording.lowest_potential());
        total = raised(recording.total(), -recording.lowest_potential());
        plot.curves = {{"kinetic", recording.kinetic().points(), theme.method(2)},
                       {"potential", potential, theme.method(5)},
                       {"total", total, theme.text, 2.0f}};
    } else {
        plot.x_to = std::max(kWindow, simulation.time());
        plot.title = "relative change of the total";
        plot.y.log = true;
        plot.y.least = 1e-17;
        plot.empty_text = "no change above 1e-17 yet";
        plot.curves = {{"", recording.energy_change().points(), theme.method(simulation.method())}};
    }
    show_plot(context, plot);

    // As the curves have them: the potential from its lowest value.
    const Energy& energy = meter.energy();
    const double lowest = recording.lowest_potential();
    context.widgets.read_out("kinetic, potential, total", number(energy.kinetic) + ",  " +
                                                              number(energy.potential - lowest) + ",  " +
                                                              number(energy.total() - lowest) + " J");
    context.widgets.read_out("relative change now, largest", number(meter.relative_energy_change(), 2) + ",  " +
                                                                 number(meter.max_relative_energy_change(), 2));
    context.widgets.remember(
        {.name = "energy_change",
         .label = {},
         .tip = "Relative to " + number(meter.energy_scale()) + " J: " + simulation.scene().energy_scale_meaning + ".",
         .reason = {}});
}

} // namespace substep
