// A plot of several curves over time, drawn with Dear ImGui's draw list.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "series.h"
#include "theme.h"

namespace substep {

enum class CurveStyle { Line, Bars };

/// One curve. Points in order of x; what is not finite, or not positive on a log axis, leaves a gap.
struct PlotCurve {
    std::string label; ///< in the read-out and the legend; empty: in neither
    std::span<const PlotPoint> points;
    ImU32 colour = 0;
    float width = 1.5f; ///< pixels at scale 1
    CurveStyle style = CurveStyle::Line;
    bool in_legend = true;
};

/// A vertical mark, with its label at the bottom.
struct PlotMark {
    double x = 0.0;
    std::string label;
    ImU32 colour = 0;
};

/// A horizontal line, with its label at its end.
struct PlotLevel {
    double y = 0.0;
    std::string label;
    ImU32 colour = 0;
};

/// A vertical axis. Without limits of its own it fits what is seen.
struct PlotAxis {
    std::string unit;
    bool log = false;
    double least = 0.0; ///< linear: limits that are always seen; log: the axis never goes below
    double most = 0.0;
    bool fit = true;            ///< widen to fit the curves
    double smallest_span = 0.0; ///< linear: the axis covers at least this
};

/// Everything about one plot. Plain data, made anew each frame.
struct PlotDesc {
    std::string id;
    std::string title;   ///< at the upper left
    ImVec2 size{0, 0};   ///< pixels; 0: what there is
    double x_from = 0.0; ///< s
    double x_to = 1.0;
    std::string x_unit = "s";
    PlotAxis y;
    std::vector<PlotCurve> curves;
    std::vector<PlotMark> marks;
    std::vector<PlotLevel> levels;
    std::string empty_text; ///< shown while no curve has a point to show
    bool x_labels = true;
};

/// Draws a plot at the cursor and makes it the last item.
void draw_plot(const PlotDesc& plot, const Theme& theme, const Fonts& fonts, float scale);

/// Positions of ticks: multiples of 1, 2 or 5 times a power of ten within [from, to], at most about `count`.
std::vector<double> linear_ticks(double from, double to, int count);

/// Exponents of ten within [from, to] (both positive), thinned to at most about `count`.
std::vector<int> log_ticks(double from, double to, int count);

/// Writes a number with the digits that its distance to the neighbouring tick needs.
std::string tick_text(double value, double step);

} // namespace substep
