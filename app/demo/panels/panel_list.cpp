// THE list of panels: add a line here, nowhere else. And what several of them use.
#include "panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace substep {

std::span<const Panel> panel_list() {
    static constexpr std::array kPanels{
        Panel{"Scene", PanelPlace::Left, scene_panel, true, true, true},
        Panel{"Integrator", PanelPlace::Left, integrator_panel, true, true},
        Panel{"Cost", PanelPlace::Left, cost_panel, true, true},
        Panel{"Brush", PanelPlace::Left, brush_panel, false, false, true},
        Panel{"Truth", PanelPlace::Right, truth_panel},
        Panel{"Energy", PanelPlace::Right, energy_panel},
        Panel{"Error", PanelPlace::Right, equation_panel, false, true},
        Panel{"Work and precision", PanelPlace::Right, work_precision_panel, true, true},
        Panel{"Stroke", PanelPlace::Right, stroke_panel, false, false, true},
    };
    return kPanels;
}

float PlotSpace::height(float weight) noexcept {
    asked += weight;
    const float pixels = std::floor(unit * weight);
    used += pixels;
    return pixels;
}

double recorded_until(const PanelContext& context) {
    const Experiment& experiment = *context.exhibition.experiment();
    const bool is_scene = context.exhibition.kind() == ExhibitKind::Scene;
    return is_scene ? std::max(experiment.time(), context.simulation.history().end()) : experiment.time();
}

double plot_window(const PanelContext& context) {
    constexpr double kUsual = 10.0;
    const Scene& scene = context.simulation.scene();
    const double ends = scene.frames / scene.fps;
    return context.view.repeat && recorded_until(context) <= ends + 1e-6 ? std::min(kUsual, ends) : kUsual;
}

void mark_moment(const PanelContext& context, PlotDesc& plot) {
    const double moment = context.exhibition.experiment()->time();
    if (moment < recorded_until(context) - 1e-9) plot.moment = moment;
}

void show_moment(const PanelContext& context, PlotDesc& plot, double window) {
    // The end of the recording as long as the moment is in its later half, else the moment in the middle.
    const double moment = context.exhibition.experiment()->time();
    plot.x_to = std::max(window, std::min(recorded_until(context), moment + 0.5 * window));
    plot.x_from = plot.x_to - window;
    mark_moment(context, plot);
}

PlotOutcome show_plot(PanelContext& context, const PlotDesc& plot) {
    const PlotOutcome drawn = draw_plot(plot, context.theme, context.fonts, context.scale);
    context.widgets.remember({.name = plot.id, .label = {}, .tip = {}, .reason = {}});
    return drawn;
}

std::string short_label(const MethodInfo& method) {
    return std::string(method.label.substr(0, method.label.find(" (")));
}

std::string drift_label(const DriftCurve& curve) {
    const std::string method = short_label(method_info_at(curve.method));
    switch (curve.of) {
    case DriftOf::Twin:
        return "twin";
    case DriftOf::Method:
        return method + " alone";
    case DriftOf::Run:
        break;
    }
    return curve.is_touched ? "since touched" : curve.is_mixed ? "whole run" : method;
}

std::string number(double value, int digits) {
    if (!std::isfinite(value)) return std::isnan(value) ? "-" : value > 0 ? "infinite" : "-infinite";
    char text[32];
    const double size = std::abs(value);
    if (size == 0.0) value = 0.0; // without a sign
    if (size != 0.0 && (size < 1e-3 || size >= 1e6)) {
        std::snprintf(text, sizeof text, "%.*e", std::max(digits - 1, 0), value);
    } else {
        // Below 1 as many digits from the first one on that is not 0.
        const int zeros = size != 0.0 && size < 1.0 ? static_cast<int>(std::floor(-std::log10(size))) : 0;
        std::snprintf(text, sizeof text, "%.*f", digits + zeros, value);
    }
    return text;
}

const char* dash(const Fonts& fonts) noexcept { return fonts.greek ? "\xe2\x80\x93" : "-"; }

} // namespace substep
