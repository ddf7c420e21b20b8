// The curves of a plot: lines, bars and markers.
#pragma once

#include <optional>
#include <span>

#include "plot.h"

namespace substep::detail {

/// What one plot is drawn with and on.
struct PlotCanvas {
    const PlotDesc& plot;
    const Theme& theme;
    const Fonts& fonts;
    float scale;
    ImDrawList& list;
    PlotFrame frame;

    float text_height() const { return fonts.small->FontSize; }
    float width_of(const std::string& words) const;
    void write(ImVec2 at, ImU32 colour, const std::string& words) const;
    void horizontal(float y, ImU32 colour, float width = 1.0f) const;
    void vertical(float x, ImU32 colour, float width = 1.0f) const;
};

/// Points of a curve within [from, to], with one neighbour on each side so that lines reach the edges.
std::span<const PlotPoint> visible(std::span<const PlotPoint> points, double from, double to);

/// Draws one curve in its style.
void draw_curve(const PlotCanvas& canvas, const PlotCurve& curve);

/// Draws a marker of that radius in pixels.
void draw_marker(const PlotCanvas& canvas, PlotMarker marker, ImVec2 at, float radius, ImU32 colour);

/// Finds the marker nearest to a pixel, if it is near.
std::optional<PlotPick> nearest_marker(const PlotCanvas& canvas, ImVec2 at);

} // namespace substep::detail
