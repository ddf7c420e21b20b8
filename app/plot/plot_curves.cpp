// The curves of a plot: lines, bars and markers.
#include "plot_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace substep {

PlotMarker marker_of(std::size_t row) noexcept {
    constexpr std::array kMarkers{PlotMarker::Circle, PlotMarker::Square, PlotMarker::Diamond, PlotMarker::Triangle,
                                  PlotMarker::Cross};
    return kMarkers[row % kMarkers.size()];
}

namespace detail {

namespace {

constexpr float kMarkerRadius = 3.4f; // pixels at scale 1

// Where points are denser than pixels: of each column of pixels only the lowest and the highest point, in their order.
void thin_out(std::vector<ImVec2>& pixels) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pixels.size();) {
        std::size_t low = i;
        std::size_t high = i;
        const float column = std::floor(pixels[i].x);
        for (; i < pixels.size() && std::floor(pixels[i].x) == column; ++i) {
            if (pixels[i].y < pixels[low].y) low = i;
            if (pixels[i].y > pixels[high].y) high = i;
        }
        const ImVec2 first = pixels[std::min(low, high)];
        const ImVec2 last = pixels[std::max(low, high)];
        pixels[kept++] = first;
        if (low != high) pixels[kept++] = last;
    }
    pixels.resize(kept);
}

// Lines through pixels. At a sharp turn a new line begins: Dear ImGui's joints become thin there.
void draw_path(const PlotCanvas& canvas, std::span<const ImVec2> pixels, ImU32 colour, float width) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i < pixels.size(); ++i) {
        const bool last = i + 1 == pixels.size();
        if (!last) {
            const ImVec2 in{pixels[i].x - pixels[i - 1].x, pixels[i].y - pixels[i - 1].y};
            const ImVec2 out{pixels[i + 1].x - pixels[i].x, pixels[i + 1].y - pixels[i].y};
            if (in.x * out.x + in.y * out.y >= 0.0f) continue;
        }
        canvas.list.AddPolyline(&pixels[begin], static_cast<int>(i - begin + 1), colour, 0, width);
        begin = i;
    }
}

// One curve as lines, broken where it has no value.
void draw_line(const PlotCanvas& canvas, const PlotCurve& curve) {
    const PlotFrame& frame = canvas.frame;
    const float width = curve.width * canvas.scale;
    static std::vector<ImVec2> pixels; // kept between calls: plots are drawn every frame
    pixels.clear();
    const std::span<const PlotPoint> points = visible(curve.points, frame.x_range.from, frame.x_range.to);
    for (std::size_t i = 0; i <= points.size(); ++i) {
        if (i < points.size() && frame.shows(points[i])) {
            pixels.push_back({frame.x(points[i].x), frame.y(points[i].y)});
            continue;
        }
        thin_out(pixels);
        if (pixels.size() == 1) canvas.list.AddCircleFilled(pixels[0], width, curve.colour, 8);
        draw_path(canvas, pixels, curve.colour, width);
        pixels.clear();
    }
}

// Bars of the width between points.
void draw_bars(const PlotCanvas& canvas, const PlotCurve& curve) {
    const PlotFrame& frame = canvas.frame;
    const std::span<const PlotPoint> points = visible(curve.points, frame.x_range.from, frame.x_range.to);
    if (points.size() < 2) return;
    const double width = (points.back().x - points.front().x) / static_cast<double>(points.size() - 1);
    for (const PlotPoint& point : points) {
        if (!frame.shows(point) || point.y == 0.0) continue;
        const float left = frame.x(point.x - width);
        const float right = std::max(frame.x(point.x) - 1.0f, left + 1.0f);
        canvas.list.AddRectFilled({left, frame.y(point.y)}, {right, frame.high.y}, curve.colour);
    }
}

// What lies between a curve and its base, one column of pixels at a time where points are dense.
void draw_area(const PlotCanvas& canvas, const PlotCurve& curve) {
    const PlotFrame& frame = canvas.frame;
    const std::span<const PlotPoint> points = visible(curve.points, frame.x_range.from, frame.x_range.to);
    if (points.empty() || curve.base.size() != curve.points.size()) return;
    const std::size_t first = static_cast<std::size_t>(points.data() - curve.points.data());
    const auto edge = [&](std::size_t i) { return ImVec2{frame.x(points[i].x), frame.y(points[i].y)}; };
    const auto foot = [&](std::size_t i) { return ImVec2{frame.x(points[i].x), frame.y(curve.base[first + i].y)}; };
    // Without smoothed edges: seams would show between the pieces.
    const ImDrawListFlags flags = canvas.list.Flags;
    canvas.list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
    for (std::size_t last = 0, i = 1; i < points.size(); ++i) {
        if (i + 1 < points.size() && std::floor(edge(i).x) == std::floor(edge(last).x)) continue;
        canvas.list.AddQuadFilled(edge(last), edge(i), foot(i), foot(last), curve.colour);
        last = i;
    }
    canvas.list.Flags = flags;
}

} // namespace

float PlotCanvas::width_of(const std::string& words) const {
    return fonts.small->CalcTextSizeA(text_height(), FLT_MAX, 0.0f, words.c_str()).x;
}

void PlotCanvas::write(ImVec2 at, ImU32 colour, const std::string& words) const {
    list.AddText(fonts.small, text_height(), {std::round(at.x), std::round(at.y)}, colour, words.c_str());
}

void PlotCanvas::horizontal(float y, ImU32 colour, float width) const {
    list.AddLine({frame.low.x, y}, {frame.high.x, y}, colour, width);
}

void PlotCanvas::vertical(float x, ImU32 colour, float width) const {
    list.AddLine({x, frame.low.y}, {x, frame.high.y}, colour, width);
}

std::span<const PlotPoint> visible(std::span<const PlotPoint> points, double from, double to) {
    const auto before = [](const PlotPoint& point, double x) { return point.x < x; };
    const auto after = [](double x, const PlotPoint& point) { return x < point.x; };
    auto first = std::lower_bound(points.begin(), points.end(), from, before);
    auto last = std::upper_bound(first, points.end(), to, after);
    // Where no point is inside, a line shows that goes through from one side to the other.
    if (first == last && (first == points.begin() || last == points.end())) return {first, last};
    if (first != points.begin()) --first;
    if (last != points.end()) ++last;
    return {first, last};
}

void draw_marker(const PlotCanvas& canvas, PlotMarker marker, ImVec2 at, float radius, ImU32 colour) {
    ImDrawList& list = canvas.list;
    switch (marker) {
    case PlotMarker::None:
        return;
    case PlotMarker::Circle:
        list.AddCircleFilled(at, radius, colour);
        return;
    case PlotMarker::Square: {
        const float half = 0.87f * radius;
        list.AddRectFilled({at.x - half, at.y - half}, {at.x + half, at.y + half}, colour);
        return;
    }
    case PlotMarker::Diamond: {
        const float half = 1.25f * radius;
        list.AddQuadFilled({at.x, at.y - half}, {at.x + half, at.y}, {at.x, at.y + half}, {at.x - half, at.y}, colour);
        return;
    }
    case PlotMarker::Triangle:
        list.AddTriangleFilled({at.x, at.y - 1.2f * radius}, {at.x + 1.15f * radius, at.y + 0.8f * radius},
                               {at.x - 1.15f * radius, at.y + 0.8f * radius}, colour);
        return;
    case PlotMarker::Cross: {
        const float half = 0.9f * radius;
        const float width = 0.55f * radius;
        list.AddLine({at.x - half, at.y - half}, {at.x + half, at.y + half}, colour, width);
        list.AddLine({at.x - half, at.y + half}, {at.x + half, at.y - half}, colour, width);
        return;
    }
    }
}

void draw_curve(const PlotCanvas& canvas, const PlotCurve& curve) {
    if (curve.style == CurveStyle::Bars) {
        draw_bars(canvas, curve);
        return;
    }
    if (curve.style == CurveStyle::Area) {
        draw_area(canvas, curve);
        return;
    }
    if (curve.width > 0.0f) draw_line(canvas, curve);
    if (curve.marker == PlotMarker::None) return;
    for (const PlotPoint& point : curve.points) {
        if (!canvas.frame.shows(point)) continue;
        draw_marker(canvas, curve.marker, {canvas.frame.x(point.x), canvas.frame.y(point.y)},
                    kMarkerRadius * canvas.scale, curve.colour);
    }
}

std::optional<PlotPick> nearest_marker(const PlotCanvas& canvas, ImVec2 at) {
    std::optional<PlotPick> nearest;
    float reach = 14.0f * canvas.scale;
    for (std::size_t c = 0; c < canvas.plot.curves.size(); ++c) {
        const PlotCurve& curve = canvas.plot.curves[c];
        if (curve.marker == PlotMarker::None) continue;
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            if (!canvas.frame.shows(curve.points[i])) continue;
            const float distance =
                std::hypot(canvas.frame.x(curve.points[i].x) - at.x, canvas.frame.y(curve.points[i].y) - at.y);
            if (distance >= reach) continue;
            reach = distance;
            nearest = PlotPick{c, i};
        }
    }
    return nearest;
}

} // namespace detail

} // namespace substep
