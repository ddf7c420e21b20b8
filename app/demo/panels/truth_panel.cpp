// Truth panel: the simulated motion against the exact one, and how it drifts.
#include <algorithm>
#include <cmath>
#include <cstdio>

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
        if (!channel.reference.points().empty()) {
            plot.curves.push_back({"reference", channel.reference.points(), faded(context.theme.exact, 0.6f), 4.0f});
            plot.curves[0].in_legend = false;
        }
        if (context.simulation.has_twin()) {
            plot.curves.push_back({"twin", channel.twin.points(), faded(context.theme.twin, 0.8f), 1.5f});
        }
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

// Of scenes whose bodies lie on one another: how far some have come down, and the twin's, on one scale.
void sink_plot(PanelContext& context, float weight) {
    const Sinking& sinking = context.simulation.recording().sinking();
    PlotDesc plot;
    plot.id = "plot.sink";
    plot.title = "most that came down";
    plot.size.y = context.plots.height(weight);
    show_moment(context, plot, plot_window(context));
    plot.y.log = true;
    plot.y.least = 1e-9;
    plot.y.unit = "m";
    plot.empty_text = "nothing has come down yet";
    if (context.simulation.has_twin()) {
        plot.curves.push_back({"twin", sinking.twin().points(), context.theme.twin, 1.5f});
    }
    plot.curves.push_back({"simulated", sinking.own().points(), context.theme.simulated, 1.5f});
    show_plot(context, plot);
}

std::string millimetres(const RollingSeries& series, const Fonts& fonts) {
    return series.points().empty() ? dash(fonts) : number(1e3 * series.points().back().y) + " mm";
}

// What two methods make of the same pile.
void compare_sink(PanelContext& context) {
    const Sinking& sinking = context.simulation.recording().sinking();
    std::string both = millimetres(sinking.own(), context.fonts);
    if (context.simulation.has_twin()) both += ",  " + millimetres(sinking.twin(), context.fonts);
    context.widgets.read_out(context.simulation.has_twin() ? "came down; twin" : "came down", both);
    context.widgets.remember({.name = "sink",
                              .label = {},
                              .tip =
                                  "How far below its height at the start the body is now that has come down most. Of "
                                  "what stands it is how much its contacts give way: the sink of a tower's top.",
                              .reason = {}});
    if (!context.simulation.has_twin()) return;
    context.widgets.read_out("twin apart by", millimetres(sinking.apart(), context.fonts), context.theme.twin);
    context.widgets.remember({.name = "twin_apart",
                              .label = {},
                              .tip = "The largest distance between the centres of a body and of its twin.",
                              .reason = {}});
}

void drift_plot(PanelContext& context) {
    const Simulation& simulation = context.simulation;
    const Recording& recording = simulation.recording();
    const Theme& theme = context.theme;
    PlotDesc plot;
    plot.id = "plot.drift";
    plot.title = "error";
    plot.size.y = context.plots.height(2.0f);
    plot.y.log = true;
    plot.y.least = 1e-17;
    plot.y.unit = simulation.error_unit();
    plot.empty_text = "no error above 1e-17 yet";

    // Earlier runs first, dimmed.
    double longest = plot_window(context);
    for (const DriftCurve& curve : recording.drift()) {
        const bool earlier = curve.run != recording.run();
        if (!curve.points.points().empty()) longest = std::max(longest, curve.points.points().back().x);
        const bool is_run = curve.of == DriftOf::Run && (curve.is_mixed || curve.is_touched);
        const ImU32 colour = curve.of == DriftOf::Twin ? theme.twin : is_run ? theme.text : theme.method(curve.method);
        PlotCurve drawn;
        drawn.points = curve.points.points();
        drawn.colour = earlier ? faded(colour, 0.4f) : colour;
        drawn.width = earlier ? 1.0f : 1.8f;
        // In the legend once: for the latest of several curves.
        drawn.label = drift_label(curve);
        for (PlotCurve& before : plot.curves) before.in_legend &= before.label != drawn.label;
        // Of what methods added since they were chosen only the present one's is named.
        const bool is_past = curve.of == DriftOf::Method && (earlier || curve.method != simulation.method());
        drawn.in_legend = !drawn.points.empty() && !is_past;
        plot.curves.push_back(std::move(drawn));
    }
    plot.x_to = longest;
    mark_moment(context, plot);
    for (const MethodSwitch& change : recording.switches()) {
        plot.marks.push_back(
            {change.time, std::string(method_info_at(change.method).name), theme.method(change.method)});
    }
    for (const double touch : recording.touches()) plot.marks.push_back({touch, "touched", theme.exact});
    if (const Truth* truth = simulation.scene().truth.get()) {
        plot.levels.push_back({truth->visible_error(), "visibly wrong", faded(theme.warning, 0.6f)});
    }
    show_plot(context, plot);
}

// "1.2e-09 rad = 1.2e-06 mm": the unit itself, and what it is at the lever's end.
std::string error_text(const Simulation& simulation, double error, const Fonts& fonts) {
    if (std::isnan(error)) return dash(fonts);
    std::string text = number(error) + " " + simulation.error_unit();
    if (simulation.error_unit() == "m" && simulation.lever() == 1.0) return text;
    return text + "  =  " + number(error * simulation.lever() * 1000.0) + " mm";
}

// Against what, since when, and how good that is.
void say_against_what(PanelContext& context, const Deviation& deviation) {
    const Theme& theme = context.theme;
    if (deviation.from == Deviation::From::Exact) {
        if (!deviation.end.empty()) context.widgets.note("Nothing is measured: " + deviation.end + ".", theme.warning);
        return;
    }
    const char* const name = "Reference";
    if (!deviation.end.empty()) {
        context.widgets.note(std::string(name) + " ended: " + deviation.end + ".", theme.warning);
        return;
    }
    context.widgets.read_out("reference's own error",
                             error_text(context.simulation, deviation.own_error, context.fonts));
    context.widgets.remember({.name = "reference",
                              .label = {},
                              .tip =
                                  "The same world by dormand_prince853 at 1e-12, with the same pushes, from where it "
                                  "was touched: no exact solution speaks of this motion. Its own error is its "
                                  "distance from a run at 1e-10.",
                              .reason = {}});
}

} // namespace

void truth_panel(PanelContext& context) {
    const Simulation& simulation = context.simulation;
    const Deviation deviation = simulation.deviation();
    const bool is_exact = deviation.from == Deviation::From::Exact;
    if (simulation.scene().truth != nullptr) {
        channel_plots(context);
    } else {
        context.widgets.note("No exact solution of this scene is known: a reference run is the meter.");
    }
    // Piles are beyond every reference: how they sink is all that there is to see.
    const auto has_points = [](const DriftCurve& curve) { return !curve.points.points().empty(); };
    const bool is_measured =
        is_exact || deviation.end.empty() || std::ranges::any_of(simulation.recording().drift(), has_points);
    if (simulation.scene().truth == nullptr && simulation.info().contacts)
        sink_plot(context, is_measured ? 1.2f : 2.8f);
    if (is_measured) drift_plot(context);

    char since[48] = "";
    if (!is_exact) std::snprintf(since, sizeof since, "off the reference since %.2f s", deviation.since);
    const std::string what = is_exact ? "error of " + simulation.scene().truth->quantity() + " now" : since;
    if (is_measured) {
        context.widgets.read_out(what, error_text(simulation, deviation.error, context.fonts), context.theme.simulated);
        context.widgets.read_out("largest so far", error_text(simulation, deviation.largest, context.fonts));
    }
    if (const std::optional<Deviation> own = simulation.method_deviation()) {
        char name[96];
        std::snprintf(name, sizeof name, "%s since %.2f s", short_label(method_info_at(simulation.method())).c_str(),
                      own->since);
        context.widgets.read_out(name, error_text(simulation, own->error, context.fonts),
                                 context.theme.method(simulation.method()));
        context.widgets.remember({.name = "method_error",
                                  .label = {},
                                  .tip = own->end.empty()
                                             ? "What the present method has added since it was chosen: its "
                                               "distance from a reference run from there."
                                             : "Its reference ended: " + own->end + ".",
                                  .reason = {}});
    }
    if (simulation.scene().truth == nullptr && simulation.info().contacts) compare_sink(context);
    if (simulation.has_twin() && is_measured) {
        context.widgets.read_out("twin now", error_text(simulation, simulation.twin_error(), context.fonts),
                                 context.theme.twin);
    }
    say_against_what(context, deviation);
}

} // namespace substep
