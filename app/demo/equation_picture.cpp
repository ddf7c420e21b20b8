// The picture of a plain equation: its curves, in place of a scene.
#include "equation_picture.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "plot_axes.h"

namespace substep {

namespace {

constexpr float kBarHeight = 66.0f; // pixels at scale 1, that the transport bar takes at the bottom

// Values to pixels.
struct Scaling {
    double centre_x;
    double centre_y;
    double pixels_x; // per unit
    double pixels_y;
    ImVec2 middle;

    ImVec2 operator()(const PlotPoint& point) const {
        // What blew up stays near enough for a float.
        const auto limited = [](double value) { return static_cast<float>(std::clamp(value, -1e5, 1e5)); };
        return {middle.x + limited((point.x - centre_x) * pixels_x),
                middle.y - limited((point.y - centre_y) * pixels_y)};
    }
};

// All curves of a problem share one frame, with equal scales unless one axis is time.
Scaling fit(const OdeRun& run, const PictureArea& area, float margin, float below) {
    PlotExtent x;
    PlotExtent y;
    bool over_time = false;
    for (const OdePath& path : run.paths()) {
        over_time |= path.axes.across == OdeCurve::kTime;
        for (const PlotPoint& point : path.converged) {
            x.add(point.x);
            y.add(point.y);
        }
    }
    const double width = std::max(area.size.x - 2.0f * margin, 10.0f);
    const double height = std::max(area.size.y - 2.0f * margin - below, 10.0f);
    Scaling scaling{0.5 * (x.low + x.high),
                    0.5 * (y.low + y.high),
                    width / std::max(x.high - x.low, 1e-12),
                    height / std::max(y.high - y.low, 1e-12),
                    {area.corner.x + 0.5f * area.size.x, area.corner.y + 0.5f * (area.size.y - below)}};
    if (!over_time) scaling.pixels_x = scaling.pixels_y = std::min(scaling.pixels_x, scaling.pixels_y);
    return scaling;
}

// Round values on both axes.
void draw_grid(ImDrawList& list, const Scaling& scaling, const PictureArea& area, const Theme& theme,
               const Fonts& fonts, float scale) {
    const float text = fonts.small->FontSize;
    const ImVec2 high{area.corner.x + area.size.x, area.corner.y + area.size.y};
    const double left = scaling.centre_x + (area.corner.x - scaling.middle.x) / scaling.pixels_x;
    const double right = scaling.centre_x + (high.x - scaling.middle.x) / scaling.pixels_x;
    const double top = scaling.centre_y + (scaling.middle.y - area.corner.y) / scaling.pixels_y;
    const double bottom = scaling.centre_y + (scaling.middle.y - high.y) / scaling.pixels_y;
    const ImU32 label = faded(theme.muted, 0.7f);
    const auto tick_count = [&](float pixels) { return std::max(2, static_cast<int>(pixels / (110.0f * scale))); };
    const std::vector<double> across = linear_ticks(left, right, tick_count(area.size.x));
    for (const double tick : across) {
        const float x = std::round(scaling({tick, 0.0}).x);
        list.AddLine({x, area.corner.y}, {x, high.y}, theme.grid);
        const std::string words = tick_text(tick, across.size() > 1 ? across[1] - across[0] : 1.0);
        list.AddText(fonts.small, text, {x + 4.0f * scale, high.y - kBarHeight * scale - text}, label, words.c_str());
    }
    const std::vector<double> up = linear_ticks(bottom, top, tick_count(area.size.y));
    for (const double tick : up) {
        const float y = std::round(scaling({0.0, tick}).y);
        list.AddLine({area.corner.x, y}, {high.x, y}, theme.grid);
        const std::string words = tick_text(tick, up.size() > 1 ? up[1] - up[0] : 1.0);
        list.AddText(fonts.small, text, {area.corner.x + 6.0f * scale, y - text - 1.0f}, label, words.c_str());
    }
}

// A path as a line; steps shorter than half a pixel are left out.
void draw_path(ImDrawList& list, const Scaling& scaling, std::span<const PlotPoint> points, ImU32 colour, float width) {
    static std::vector<ImVec2> pixels; // kept between calls: drawn every frame
    pixels.clear();
    for (const PlotPoint& point : points) {
        if (!std::isfinite(point.x) || !std::isfinite(point.y)) break;
        const ImVec2 pixel = scaling(point);
        const bool moved =
            pixels.empty() || std::abs(pixel.x - pixels.back().x) + std::abs(pixel.y - pixels.back().y) > 0.7f;
        if (moved) pixels.push_back(pixel);
    }
    if (pixels.size() > 1) list.AddPolyline(pixels.data(), static_cast<int>(pixels.size()), colour, 0, width);
}

} // namespace

void draw_equation(const OdeRun& run, const PictureArea& area, bool converged, bool whole, const Theme& theme,
                   const Fonts& fonts, float scale) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const ImVec2 high{area.corner.x + area.size.x, area.corner.y + area.size.y};
    const Scaling scaling = fit(run, area, 60.0f * scale, kBarHeight * scale);
    list.PushClipRect(area.corner, high, true);
    list.AddRectFilled(area.corner, high, theme.well);
    draw_grid(list, scaling, area, theme, fonts, scale);

    // Several curves take the colours of several methods, so that they can be told apart.
    const std::span<const OdePath> paths = run.paths();
    const auto colour_of = [&](std::size_t i) { return paths.size() == 1 ? theme.simulated : theme.method(i); };
    if (converged) {
        for (const OdePath& path : paths) {
            draw_path(list, scaling, path.converged, faded(theme.exact, paths.size() == 1 ? 0.35f : 0.18f),
                      3.0f * scale);
        }
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
        std::span<const PlotPoint> points = paths[i].simulated;
        if (!whole) points = points.last(std::min<std::size_t>(points.size(), 150));
        draw_path(list, scaling, points, colour_of(i), 1.8f * scale);
        const ImVec2 head = scaling(points.back());
        list.AddCircleFilled(head, 9.0f * scale, faded(colour_of(i), 0.25f), 24);
        list.AddCircleFilled(head, 4.5f * scale, colour_of(i), 24);
    }
    list.PopClipRect();
}

} // namespace substep
