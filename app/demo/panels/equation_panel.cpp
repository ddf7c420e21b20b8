// Error panel of an equation: how far it is from a converged run, over the run and beside earlier ones.
#include <algorithm>
#include <array>
#include <cmath>

#include "panel.h"

namespace substep {

void equation_panel(PanelContext& context) {
    const OdeRun& run = *context.exhibition.equation();
    const OdeProblem& problem = run.problem();

    // Error over time, earlier runs dimmed.
    PlotDesc plot;
    plot.id = "plot.drift";
    plot.title = "error against a converged run";
    plot.size.y = context.plots.height(3.0f);
    plot.x_from = problem.t0;
    plot.x_to = problem.t1;
    plot.x_unit.clear();
    plot.y.log = true;
    plot.y.least = 1e-14;
    plot.empty_text = "no error above 1e-14 yet";
    for (const DriftCurve& curve : run.recording().drift()) {
        const bool earlier = curve.run != run.recording().run();
        PlotCurve& drawn = plot.curves.emplace_back();
        drawn.points = curve.points.points();
        const bool mixed = curve.of == DriftOf::Run && curve.is_mixed;
        drawn.colour = faded(mixed ? context.theme.text : context.theme.method(curve.method), earlier ? 0.4f : 1.0f);
        // In the legend once: for the latest of several curves.
        drawn.label = drift_label(curve);
        for (PlotCurve& before : plot.curves) before.in_legend &= &before == &drawn || before.label != drawn.label;
        drawn.in_legend = !drawn.points.empty();
    }
    for (const MethodSwitch& change : run.recording().switches()) {
        plot.marks.push_back({change.time, "", context.theme.muted});
    }
    show_plot(context, plot);
    context.widgets.read_out("error now, largest", number(run.error(), 2) + ",  " + number(run.max_error(), 2));
    context.widgets.remember({.name = "error",
                              .label = {},
                              .tip = "Largest difference of a component: absolute below 1, relative above.",
                              .reason = {}});

    if (const std::optional<double> own = run.method_error()) {
        context.widgets.read_out(short_label(method_info_at(run.method())) + " alone", number(*own, 2),
                                 context.theme.method(run.method()));
    }

    // The state, as far as it is short.
    const std::span<const double> y = run.state();
    const std::size_t shown = std::min<std::size_t>(y.size(), 4);
    for (std::size_t i = 0; i < shown; ++i) {
        std::array<char, 48> value{};
        std::snprintf(value.data(), value.size(), "%.10g", y[i]);
        const std::string name = i < problem.components.size() ? std::string(problem.components[i])
                                                               : std::string("y").append(std::to_string(i));
        context.widgets.read_out(name, value.data());
    }
    if (shown < y.size()) context.widgets.note("and " + std::to_string(y.size() - shown) + " more components");
    context.widgets.note(problem.source);
}

} // namespace substep
