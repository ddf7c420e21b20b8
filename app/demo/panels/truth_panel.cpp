// Truth panel: the simulated motion against the exact one, and how it drifts.
#include <algorithm>
#include <cmath>

#include "panel.h"

namespace substep {

namespace {

// "theta" and "omega" by their letters, where the font has them.
std::string channel_title(const std::string& name, const Fonts& fonts) {
    if (!fonts.greek) return name;
    for (const auto& [word, letter] : {std::pair{"theta", "\xce\xb8"}, std::pair{"omega", "\xcf\x89"}}) {
        if (name.starts_with(word)) return letter + name.substr(std::string(word).size());
    }
    return name;
}

void channel_plot(PanelContext& context, std::size_t index, float height, bool x_labels) {
    const std::vector<ChannelHistory>& channels = context.simulation.recording().channels();
    PlotDesc plot;
    plot.id = "plot.channel" + std::to_string(index);
    plot.size.y = height;
    show_moment(context, plot, plot_window(context));
    plot.x_labels = x_labels;
    plot.empty_text = "nothing recorded yet";
    if (index < channels.size()) {
        const ChannelHistory& channel = channels[index];
        plot.title = channel_title(channel.name, context.fonts);
        plot.y.unit = channel.unit;
        plot.y.smallest_span = channel.simulated.points().size() < 2 ? 1.0 : 1e-9; // one point has no scale
        // The exact curve is broad and lies below: the simulated one covers its middle while they agree.
        plot.curves.push_back({"exact", channel.exact.points(), faded(context.theme.exact, 0.6f), 4.0f});
        plot.curves.push_back({"simulated", channel.simulated.points(), context.theme.simulated, 1.5f});
    }
    show_plot(context, plot);
}

void channel_plots(PanelContext& context) {
    const std::vector<ChannelHistory>& channels = context.simulation.recording().channels();
    if (channels.size() > 2) {
        std::vector<ChoiceItem> items;
        items.reserve(channels.size());
        for (const ChannelHistory& channel : channels) {
            items.push_back({channel.name, channel_title(channel.name, context.fonts), "", ""});
        }
        context.view.channel = std::min(context.view.channel, items.size() - 1);
        // Buttons in a row as long as all their words fit, else a list.
        const ControlText control{"channel", "", "Which quantity is plotted.", ""};
        float widest = 0.0f;
        for (const ChoiceItem& item : items) widest = std::max(widest, ImGui::CalcTextSize(item.label.c_str()).x);
        const float room = ImGui::GetContentRegionAvail().x / static_cast<float>(items.size());
        if (widest + 8.0f * context.scale <= room) {
            context.widgets.choices(control, items, context.view.channel);
        } else {
            ImGui::SetNextItemWidth(-1.0f);
            context.widgets.combo(control, items, context.view.channel);
        }
        channel_plot(context, context.view.channel, context.plots.height(1.6f), true);
        return;
    }
    channel_plot(context, 0, context.plots.height(1.0f), false);
    channel_plot(context, 1, context.plots.height(1.15f), true);
}

void drift_plot(PanelContext& context) {
    const Simulation& simulation = context.simulation;
    const Recording& recording = simulation.recording();
    const bool truth = simulation.meter().has_truth();
    PlotDesc plot;
    plot.id = "plot.drift";
    plot.title = truth ? "drift" : "energy drift";
    plot.size.y = context.plots.height(2.0f);
    plot.y.log = true;
    plot.y.least = 1e-17;
    plot.y.unit = truth ? simulation.scene().truth->unit() : "";
    plot.empty_text = "no drift above 1e-17 yet";

    // Earlier runs first, dimmed.
    double longest = plot_window(context);
    for (const DriftCurve& curve : recording.drift()) {
        const bool earlier = curve.run != recording.run();
        if (!curve.points.points().empty()) longest = std::max(longest, curve.points.points().back().x);
        const ImU32 colour = curve.twin ? context.theme.twin : context.theme.method(curve.method);
        PlotCurve drawn;
        drawn.points = curve.points.points();
        drawn.colour = earlier ? faded(colour, 0.4f) : colour;
        drawn.width = earlier ? 1.0f : 1.8f;
        // In the legend once: for the latest of several curves.
        drawn.label = curve.twin ? "twin" : short_label(method_info_at(curve.method));
        for (PlotCurve& before : plot.curves) before.in_legend &= before.label != drawn.label;
        drawn.in_legend = !drawn.points.empty();
        plot.curves.push_back(std::move(drawn));
    }
    plot.x_to = longest;
    mark_moment(context, plot);
    for (const MethodSwitch& change : recording.switches()) {
        plot.marks.push_back(
            {change.time, std::string(method_info_at(change.method).name), context.theme.method(change.method)});
    }
    if (truth)
        plot.levels.push_back(
            {simulation.scene().truth->visible_error(), "visibly wrong", faded(context.theme.warning, 0.6f)});
    show_plot(context, plot);
}

// "1.2e-09 rad = 1.2e-06 mm": the unit itself, and what it is at the lever's end.
std::string error_text(double error, const Truth& truth, const Fonts& fonts) {
    if (std::isnan(error)) return dash(fonts);
    return number(error) + " " + truth.unit() + "  =  " + number(error * truth.lever() * 1000.0) + " mm";
}

} // namespace

void truth_panel(PanelContext& context) {
    const Simulation& simulation = context.simulation;
    const Meter& meter = simulation.meter();
    const Truth* truth = simulation.scene().truth.get();
    if (truth == nullptr) {
        context.widgets.note(
            "No exact solution of this scene is known. Its energy is the meter: it should not change.");
        drift_plot(context);
        return;
    }

    channel_plots(context);
    drift_plot(context);
    context.widgets.read_out("error of " + truth->quantity() + " now", error_text(meter.error(), *truth, context.fonts),
                             context.theme.simulated);
    context.widgets.read_out("largest so far", error_text(meter.max_error(), *truth, context.fonts));
    if (const Meter* twin = simulation.twin_meter()) {
        context.widgets.read_out("twin now", error_text(twin->error(), *truth, context.fonts), context.theme.twin);
    }
    if (!meter.knows_bodies()) {
        context.widgets.note("A body of the scene is gone: nothing is compared any more.", context.theme.warning);
    } else if (simulation.was_edited()) {
        context.widgets.note("Edited: the exact solution is that of the scene as it was.", context.theme.warning);
    } else if (simulation.time() > truth->known_until()) {
        context.widgets.note("The exact solution is known up to " + shortest(truth->known_until()) + " s.",
                             context.theme.warning);
    }
}

} // namespace substep
