// Energy panel: where the energy is, and what the method did to it.
#include <algorithm>
#include <array>
#include <cmath>

#include "ledger_picture.h"
#include "panel.h"

namespace substep {

namespace {

// The zero of potential energy means nothing: it counts from its value at the start, by its letter where there is one.
std::string potential_name(const Fonts& fonts) { return fonts.greek ? "\xce\x94 potential" : "potential change"; }

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
            "Kinetic energy, potential energy from its value at the start, and their sum, over the last seconds.", ""},
        ChoiceItem{"change", "change",
                   "Change of the total over the whole run, in parts of the scene's scale, without "
                   "its sign.",
                   ""},
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
    const std::string scale = value_text(meter.energy_scale(), "J");
    if (context.view.energy_plot == 0) {
        show_moment(context, plot, plot_window(context));
        plot.title = simulation.has_twin() ? "" : "energy"; // four names fill the line
        plot.y.unit = "J";
        plot.y.smallest_span = (recording.total().points().size() < 2 ? 1.0 : 1e-6) * meter.energy_scale();
        plot.curves = {{"kinetic", recording.kinetic().points(), theme.method(2)},
                       {potential_name(context.fonts), recording.potential().points(), theme.method(5)},
                       {"total", recording.total().points(), theme.text, 2.0f}};
        if (simulation.has_twin()) {
            plot.curves.push_back({"twin", recording.twin_total().points(), theme.twin});
        }
    } else {
        plot.x_to = std::max(plot_window(context), recorded_until(context));
        mark_moment(context, plot);
        plot.title = "change of the total, in parts of " + scale;
        plot.y.log = true;
        plot.y.least = 1e-17;
        plot.empty_text = "no change above 1e-17 yet";
        plot.curves = {{"", recording.energy_change().points(), theme.method(simulation.method())}};
    }
    show_plot(context, plot);

    // As the curves have them.
    const Energy& energy = meter.energy();
    const double start = recording.start_potential();
    context.widgets.read_out("kinetic, " + potential_name(context.fonts) + ", total",
                             number(energy.kinetic) + ",  " + number(energy.potential - start) + ",  " +
                                 number(energy.total() - start) + " J");
    context.widgets.remember({.name = "energies",
                              .label = {},
                              .tip = "The zero of potential energy means nothing: it counts from its value at the "
                                     "start, which is " +
                                     number(start) + " J as the scene counts it.",
                              .reason = {}});
    context.widgets.read_out("change, largest; in parts of " + scale,
                             number(meter.relative_energy_change(), 2) + ",  " +
                                 number(meter.max_relative_energy_change(), 2));
    context.widgets.remember({.name = "energy_change",
                              .label = {},
                              .tip = "How far the total is from that at the start, and was at most, in parts of " +
                                     scale + ": " + simulation.scene().energy_scale_meaning + ".",
                              .reason = {}});
}

} // namespace substep
