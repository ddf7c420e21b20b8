// Work and precision panel: what every method would make of what comes next, in the background.
#include <algorithm>
#include <cmath>

#include "actions.h"
#include "figure.h"
#include "panel.h"

namespace substep {

namespace {

constexpr double kLeastError = 1e-15; // below it points lie on the axis

// What a point stands for, beside the mouse.
void show_point(const TrialPoint& point, const std::string& unit) {
    const MethodInfo& method = method_info_at(point.method);
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(std::string(method.label).c_str());
    if (method.adaptive) {
        ImGui::Text("tolerance %.0e", point.settings.rtol);
    } else {
        ImGui::Text("%d substeps per frame", point.settings.substeps);
    }
    ImGui::Text("%s evaluations a frame", number(point.result.evaluations, 2).c_str());
    ImGui::Text("error %s %s", number(point.result.error, 2).c_str(), unit.c_str());
    ImGui::TextDisabled("click to use it");
    ImGui::EndTooltip();
}

// "trial/rk4/10" is where that point is, for scripts.
void name_points(Widgets& widgets, const PlotFrame& frame, const std::vector<TrialPoint>& points) {
    for (const TrialPoint& point : points) {
        const bool adaptive = method_info_at(point.method).adaptive;
        const std::string setting = adaptive ? shortest(point.settings.rtol) : std::to_string(point.settings.substeps);
        const ImVec2 at{frame.x(point.result.evaluations), frame.y(std::max(point.result.error, kLeastError))};
        widgets.remember_area("trial/" + point.settings.method + "/" + setting, at, at);
    }
}

void plot_points(PanelContext& context, const std::vector<TrialPoint>& points) {
    // One curve a method, its points in order of their cost; what is too bad or too good lies at the edge.
    std::vector<std::vector<PlotPoint>> curves(method_catalogue().size());
    std::vector<std::vector<std::size_t>> owners(curves.size());
    std::vector<PlotPoint> all;
    std::vector<std::size_t> order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return points[i].result.evaluations; });
    PlotExtent seen;
    for (const std::size_t i : order) {
        const TrialResult& result = points[i].result;
        if (!std::isfinite(result.error) || result.error > 1e3) continue;
        const PlotPoint at{result.evaluations, std::max(result.error, kLeastError)};
        curves[points[i].method].push_back(at);
        owners[points[i].method].push_back(i);
        all.push_back(at);
        seen.add(at.x);
    }

    PlotDesc plot;
    plot.id = "plot.work_precision";
    plot.title = "error";
    plot.y.unit = context.exhibition.work_precision().unit();
    plot.y.log = true;
    plot.y.least = kLeastError;
    plot.x_log = true;
    plot.x_unit.clear();
    plot.x_name = "evaluations a frame";
    plot.size.y = context.plots.height(4.2f);
    plot.read_out = PlotReadOut::NearestPoint;
    plot.empty_text = "no run came to its end yet";
    const PlotRange range = fit_x_range(true, seen);
    plot.x_from = range.from;
    plot.x_to = range.to;
    const std::vector<PlotPoint> front = pareto_front(all);
    plot.curves.push_back({"best of all", front, faded(context.theme.muted, 0.45f), 5.0f});
    std::vector<std::size_t> rows{0};
    for (std::size_t row = 0; row < curves.size(); ++row) {
        if (curves[row].empty()) continue;
        PlotCurve& curve = plot.curves.emplace_back();
        curve.label = method_info_at(row).name;
        curve.in_legend = false; // there are too many; the mouse tells
        curve.points = curves[row];
        curve.colour = context.theme.method(row);
        curve.width = 1.2f;
        curve.marker = marker_of(row);
        rows.push_back(row);
    }
    const PlotOutcome drawn = show_plot(context, plot);
    const bool clicked = ImGui::IsItemClicked();
    name_points(context.widgets, drawn.frame, points);
    if (!drawn.pick || drawn.pick->curve == 0) return;
    const TrialPoint& point = points[owners[rows[drawn.pick->curve]][drawn.pick->point]];
    show_point(point, plot.y.unit);
    if (!clicked) return;

    // Only what the trial varied; the rest stays as the user has it.
    Experiment& experiment = *context.exhibition.experiment();
    IntegratorSettings settings = experiment.integrator();
    settings.method = point.settings.method;
    settings.atol = point.settings.atol;
    settings.rtol = point.settings.rtol;
    settings.substeps = point.settings.substeps;
    change_integrator(experiment, context.view, settings);
}

} // namespace

void work_precision_panel(PanelContext& context) {
    WorkPrecision& trials = context.exhibition.work_precision();
    Widgets& widgets = context.widgets;
    const bool running = trials.is_running();
    const std::vector<TrialPoint> points = trials.points();
    const float width = ImGui::GetContentRegionAvail().x;

    // Start, or progress and cancel.
    if (!running) {
        if (widgets.button({"work_precision", points.empty() ? "run every method from here" : "run again from here",
                            "Runs what comes next with every method and several tolerances, in the background, and "
                            "plots the error against the evaluations. A click on a point uses its settings.",
                            ""},
                           {width, 0.0f})) {
            trials.start(*context.exhibition.experiment());
        }
    } else {
        const float part =
            static_cast<float>(trials.done()) / static_cast<float>(std::max<std::size_t>(trials.total(), 1));
        ImGui::PushStyleColor(ImGuiCol_PlotHistogram, context.theme.accent_strong);
        const std::string text = std::to_string(trials.done()) + " of " + std::to_string(trials.total()) + " runs";
        ImGui::ProgressBar(part, {0.72f * width, ImGui::GetFrameHeight()}, text.c_str());
        ImGui::PopStyleColor();
        ImGui::SameLine();
        if (widgets.button({"work_precision_cancel", "cancel", "Ends the runs; what was found stays.", ""},
                           {ImGui::GetContentRegionAvail().x, 0.0f})) {
            trials.cancel();
        }
    }
    if (points.empty() && !running) return;
    plot_points(context, points);
    widgets.note("Largest distance from a converged run over " + trials.span() + "; the mouse names points.");
}

} // namespace substep
