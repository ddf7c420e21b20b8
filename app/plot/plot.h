// A plot of several curves, drawn with Dear ImGui's draw list.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "plot_axes.h"
#include "series.h"
#include "theme.h"

namespace substep {

enum class CurveStyle { Line, Bars, Area };

/// What stands at each point of a curve.
enum class PlotMarker { None, Circle, Square, Diamond, Triangle, Cross };

/// The markers in turn, so that as many curves as there are markers times colours can be told apart.
PlotMarker marker_of(std::size_t row) noexcept;

/// One curve. Points in order of x; what is not finite, or not positive on a log axis, leaves a gap.
struct PlotCurve {
    std::string label; ///< in the read-out and the legend; empty: in neither
    std::span<const PlotPoint> points;
    ImU32 colour = 0;
    float width = 1.5f; ///< pixels at scale 1; 0: markers alone
    CurveStyle style = CurveStyle::Line;
    bool in_legend = true;
    PlotMarker marker = PlotMarker::None;
    std::span<const PlotPoint> base{}; ///< of an area: its lower edge, at the same x; what is read is the height
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

/// Where curves are named: beside the title, and in lines below it where that has no room, or one below the other
/// beside the plot.
enum class PlotLegend { Heading, Column };

/// What the mouse reads: the curves at its x, or the marker nearest to it.
enum class PlotReadOut { AtX, NearestPoint };

/// Everything about one plot. Plain data, made anew each frame.
struct PlotDesc {
    std::string id;
    std::string title;   ///< at the upper left
    ImVec2 size{0, 0};   ///< pixels; 0: what there is
    double x_from = 0.0; ///< s
    double x_to = 1.0;
    bool x_log = false; ///< x_from and x_to are positive
    std::string x_unit = "s";
    std::string x_name; ///< below the horizontal axis; empty: none
    PlotAxis y;
    std::vector<PlotCurve> curves;
    std::vector<PlotMark> marks;
    std::vector<PlotLevel> levels;
    std::optional<double> moment; ///< x that is looked at; what lies behind it is dimmed
    std::string empty_text;       ///< shown while no curve has a point to show
    bool x_labels = true;
    PlotLegend legend = PlotLegend::Heading;
    PlotReadOut read_out = PlotReadOut::AtX;
};

/// A point of a plot.
struct PlotPick {
    std::size_t curve = 0;
    std::size_t point = 0;
};

/// Where a plot was drawn, and what the mouse points at.
struct PlotOutcome {
    PlotFrame frame;
    std::optional<PlotPick> pick; ///< the marker under the mouse, where the plot reads the nearest
};

/// Draws a plot at the cursor and makes it the last item.
PlotOutcome draw_plot(const PlotDesc& plot, const Theme& theme, const Fonts& fonts, float scale);

} // namespace substep
