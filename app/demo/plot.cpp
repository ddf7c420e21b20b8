// A plot of several curves over time, drawn with Dear ImGui's draw list.
#include "plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace substep {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Values to pixels, in one place.
struct Frame {
    ImVec2 low;  // upper left corner of the plotting area
    ImVec2 high; // lower right corner
    double x_from, x_to, y_from, y_to;
    bool log;

    float x(double value) const {
        return low.x + static_cast<float>((value - x_from) / (x_to - x_from)) * (high.x - low.x);
    }
    float y(double value) const {
        const double part =
            log ? std::log(value / y_from) / std::log(y_to / y_from) : (value - y_from) / (y_to - y_from);
        // Far outside is as good as just outside, and fits into a float.
        return high.y - static_cast<float>(std::clamp(part, -10.0, 10.0)) * (high.y - low.y);
    }
    double x_at(float pixel) const { return x_from + (pixel - low.x) / (high.x - low.x) * (x_to - x_from); }
    bool shows(double value) const { return std::isfinite(value) && (!log || value > 0.0); }
};

// Points of a curve within [from, to], with one neighbour on each side so that lines reach the edges.
std::span<const PlotPoint> visible(std::span<const PlotPoint> points, double from, double to) {
    const auto before = [](const PlotPoint& point, double x) { return point.x < x; };
    const auto after = [](double x, const PlotPoint& point) { return x < point.x; };
    auto first = std::lower_bound(points.begin(), points.end(), from, before);
    auto last = std::upper_bound(first, points.end(), to, after);
    if (first != points.begin()) --first;
    if (last != points.end()) ++last;
    return {first, last};
}

// Limits of the vertical axis.
void fit_y(const PlotDesc& plot, Frame& frame) {
    double low = kNoLimit;
    double high = -kNoLimit;
    if (plot.y.fit) {
        for (const PlotCurve& curve : plot.curves) {
            for (const PlotPoint& point : visible(curve.points, plot.x_from, plot.x_to)) {
                if (!frame.shows(point.y)) continue;
                low = std::min(low, point.y);
                high = std::max(high, point.y);
            }
        }
    }
    if (plot.y.log) {
        // Whole decades, at least three.
        const double least = plot.y.least > 0.0 ? plot.y.least : 1e-300;
        low = std::isfinite(low) ? std::max(low, least) : 1e-3;
        high = std::isfinite(high) ? std::max(high, low) : 1.0;
        const double lower = std::floor(std::log10(low) + 1e-9);
        const double upper = std::max(std::ceil(std::log10(high) - 1e-9), lower + 3.0);
        frame.y_from = std::pow(10.0, lower);
        frame.y_to = std::pow(10.0, upper);
        return;
    }
    if (plot.y.least < plot.y.most) {
        low = std::min(low, plot.y.least);
        high = std::max(high, plot.y.most);
    }
    if (!std::isfinite(low) || !std::isfinite(high)) {
        low = 0.0;
        high = 1.0;
    }
    const double span =
        std::max({high - low, plot.y.smallest_span, 1e-12 * std::max(std::abs(low), std::abs(high)), 1e-300});
    const double middle = 0.5 * (low + high);
    const bool from_zero = low == 0.0 && high > 0.0; // bars stand on the axis
    frame.y_from = from_zero ? 0.0 : middle - 0.56 * span;
    frame.y_to = from_zero ? 1.12 * span : middle + 0.56 * span;
}

// Power of ten as 10 with a raised exponent; returns its width.
float draw_power(ImDrawList& list, const Fonts& fonts, ImVec2 right_middle, int exponent, ImU32 colour, bool measure) {
    char text[8];
    std::snprintf(text, sizeof text, "%d", exponent);
    const float size = fonts.small->FontSize;
    const float raised = std::round(size * 0.78f);
    const ImVec2 base = fonts.small->CalcTextSizeA(size, FLT_MAX, 0.0f, "10");
    const ImVec2 power = fonts.small->CalcTextSizeA(raised, FLT_MAX, 0.0f, text);
    const float width = base.x + power.x;
    if (measure) return width;
    const ImVec2 at{std::round(right_middle.x - width), std::round(right_middle.y - 0.5f * size)};
    list.AddText(fonts.small, size, at, colour, "10");
    list.AddText(fonts.small, raised, {at.x + base.x, at.y - 0.22f * size}, colour, text);
    return width;
}

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

// One curve as lines, broken where it has no value.
void draw_line(ImDrawList& list, const Frame& frame, const PlotCurve& curve, float scale) {
    static std::vector<ImVec2> pixels; // kept between calls: plots are drawn every frame
    pixels.clear();
    const std::span<const PlotPoint> points = visible(curve.points, frame.x_from, frame.x_to);
    for (std::size_t i = 0; i <= points.size(); ++i) {
        if (i < points.size() && frame.shows(points[i].y)) {
            pixels.push_back({frame.x(points[i].x), frame.y(points[i].y)});
            continue;
        }
        thin_out(pixels);
        if (pixels.size() > 1) {
            list.AddPolyline(pixels.data(), static_cast<int>(pixels.size()), curve.colour, 0, curve.width * scale);
        } else if (pixels.size() == 1) {
            list.AddCircleFilled(pixels[0], curve.width * scale, curve.colour, 8);
        }
        pixels.clear();
    }
}

// Bars of the width between points.
void draw_bars(ImDrawList& list, const Frame& frame, const PlotCurve& curve) {
    const std::span<const PlotPoint> points = visible(curve.points, frame.x_from, frame.x_to);
    if (points.size() < 2) return;
    const double width = (points.back().x - points.front().x) / static_cast<double>(points.size() - 1);
    for (const PlotPoint& point : points) {
        if (!frame.shows(point.y) || point.y == 0.0) continue;
        const float left = frame.x(point.x - width);
        const float right = std::max(frame.x(point.x) - 1.0f, left + 1.0f);
        list.AddRectFilled({left, frame.y(point.y)}, {right, frame.high.y}, curve.colour);
    }
}

std::string value_text(double value, const std::string& unit) {
    char text[32];
    const double size = std::abs(value);
    std::snprintf(text, sizeof text, size != 0.0 && (size < 1e-3 || size >= 1e5) ? "%.2e" : "%.4g", value);
    return unit.empty() ? text : std::string(text) + " " + unit;
}

// What the curves are at the mouse, in a tooltip.
void read_out(const PlotDesc& plot, const Frame& frame, const Theme& theme, ImDrawList& list) {
    const double at = frame.x_at(ImGui::GetIO().MousePos.x);
    if (at < frame.x_from || at > frame.x_to) return;
    list.AddLine({frame.x(at), frame.low.y}, {frame.x(at), frame.high.y}, faded(theme.muted, 0.7f));
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(value_text(at, plot.x_unit).c_str());
    for (const PlotCurve& curve : plot.curves) {
        // The nearest point, unless the curve ended before.
        if (curve.label.empty() || curve.points.empty()) continue;
        if (at < curve.points.front().x || at > curve.points.back().x + 0.02 * (frame.x_to - frame.x_from)) continue;
        const auto right = std::lower_bound(curve.points.begin(), curve.points.end(), at,
                                            [](const PlotPoint& point, double x) { return point.x < x; });
        auto nearest = right == curve.points.end() ? right - 1 : right;
        if (right != curve.points.begin() && right != curve.points.end() && at - (right - 1)->x < right->x - at)
            --nearest;
        list.AddCircleFilled({frame.x(nearest->x), frame.y(nearest->y)}, 3.0f, curve.colour);
        ImGui::PushStyleColor(ImGuiCol_Text, curve.colour);
        ImGui::Text("%s  %s", curve.label.c_str(), value_text(nearest->y, plot.y.unit).c_str());
        ImGui::PopStyleColor();
    }
    ImGui::EndTooltip();
}

} // namespace

std::vector<double> linear_ticks(double from, double to, int count) {
    std::vector<double> ticks;
    if (!(to > from) || count < 1) return ticks;
    const double wanted = (to - from) / count;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= wanted * 0.999) {
            step = factor * power;
            break;
        }
    }
    const auto first = std::llround(std::ceil(from / step - 1e-9));
    const auto last = std::llround(std::floor(to / step + 1e-9));
    for (auto k = first; k <= last; ++k) ticks.push_back(static_cast<double>(k) * step);
    return ticks;
}

std::vector<int> log_ticks(double from, double to, int count) {
    std::vector<int> ticks;
    if (!(from > 0.0) || !(to > from) || count < 1) return ticks;
    const int low = static_cast<int>(std::ceil(std::log10(from) - 1e-9));
    const int high = static_cast<int>(std::floor(std::log10(to) + 1e-9));
    const int step = std::max(1, (high - low + count - 1) / count);
    for (int exponent = low; exponent <= high; ++exponent) {
        if (exponent % step == 0) ticks.push_back(exponent);
    }
    return ticks;
}

std::string tick_text(double value, double step) {
    if (std::abs(value) < 1e-9 * step) value = 0.0;
    char text[32];
    const double largest = std::max(std::abs(value), step);
    if (largest >= 1e5 || largest < 1e-4) {
        std::snprintf(text, sizeof text, "%.3g", value);
    } else {
        const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
        std::snprintf(text, sizeof text, "%.*f", digits, value);
    }
    return text;
}

void draw_plot(const PlotDesc& plot, const Theme& theme, const Fonts& fonts, float scale) {
    // The item.
    ImVec2 size = plot.size;
    if (size.x <= 0.0f) size.x = ImGui::GetContentRegionAvail().x;
    if (size.y <= 0.0f) size.y = ImGui::GetContentRegionAvail().y;
    size = {std::max(size.x, 40.0f), std::max(size.y, 30.0f)};
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(plot.id.c_str(), size);
    const bool hovered = ImGui::IsItemHovered();

    // Its parts: title and legend above, labels at the left and below, the plotting area in the rest.
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float text = fonts.small->FontSize;
    const auto width_of = [&](const std::string& words) {
        return fonts.small->CalcTextSizeA(text, FLT_MAX, 0.0f, words.c_str()).x;
    };
    const auto write = [&](ImVec2 at, ImU32 colour, const std::string& words) {
        list.AddText(fonts.small, text, {std::round(at.x), std::round(at.y)}, colour, words.c_str());
    };
    Frame frame{.low = {corner.x + 44.0f * scale, corner.y + text + 5.0f * scale},
                .high = {corner.x + size.x - 4.0f * scale,
                         corner.y + size.y - (plot.x_labels ? text + 5.0f * scale : 3.0f * scale)},
                .x_from = plot.x_from,
                .x_to = std::max(plot.x_to, plot.x_from + 1e-9),
                .y_from = 0.0,
                .y_to = 1.0,
                .log = plot.y.log};
    frame.low = {std::round(frame.low.x), std::round(frame.low.y)};
    frame.high = {std::round(frame.high.x), std::round(frame.high.y)};
    fit_y(plot, frame);
    list.AddRectFilled(frame.low, frame.high, theme.well, 3.0f * scale);

    // Title and unit at the left, legend at the right.
    const std::string heading = plot.y.unit.empty() ? plot.title : plot.title + "  [" + plot.y.unit + "]";
    write({frame.low.x, corner.y}, theme.muted, heading);
    float legend = frame.high.x;
    const float legend_begin = frame.low.x + width_of(heading) + 12.0f * scale;
    for (auto curve = plot.curves.rbegin(); curve != plot.curves.rend(); ++curve) {
        if (curve->label.empty() || !curve->in_legend) continue;
        const float needed = width_of(curve->label) + 20.0f * scale;
        if (legend - needed < legend_begin) break;
        legend -= needed;
        const float middle = corner.y + 0.55f * text;
        list.AddLine({legend, middle}, {legend + 10.0f * scale, middle}, curve->colour, 2.0f * scale);
        write({legend + 14.0f * scale, corner.y}, theme.muted, curve->label);
    }

    // Horizontal grid with its labels.
    const float rows = frame.high.y - frame.low.y;
    const int row_count = std::max(2, static_cast<int>(rows / (text * 1.7f)));
    if (plot.y.log) {
        for (const int exponent : log_ticks(frame.y_from, frame.y_to, row_count)) {
            const float y = std::round(frame.y(std::pow(10.0, exponent)));
            list.AddLine({frame.low.x, y}, {frame.high.x, y}, theme.grid);
            draw_power(list, fonts, {frame.low.x - 5.0f * scale, y}, exponent, theme.muted, false);
        }
    } else {
        std::vector<double> ticks = linear_ticks(frame.y_from, frame.y_to, row_count);
        if (ticks.size() < 2)
            ticks = linear_ticks(frame.y_from, frame.y_to, 2 * row_count); // one number tells no scale
        const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
        for (const double tick : ticks) {
            const float y = std::round(frame.y(tick));
            if (y - frame.low.y < 0.2f * text) continue;
            list.AddLine({frame.low.x, y}, {frame.high.x, y}, theme.grid);
            const std::string label = tick_text(tick, step);
            write({frame.low.x - 5.0f * scale - width_of(label), y - 0.55f * text}, theme.muted, label);
        }
    }

    // Vertical grid with its labels.
    const std::vector<double> x_ticks = linear_ticks(
        frame.x_from, frame.x_to, std::max(2, static_cast<int>((frame.high.x - frame.low.x) / (text * 4.5f))));
    const double x_step = x_ticks.size() > 1 ? x_ticks[1] - x_ticks[0] : 1.0;
    for (const double tick : x_ticks) {
        const float x = std::round(frame.x(tick));
        list.AddLine({x, frame.low.y}, {x, frame.high.y}, theme.grid);
        if (!plot.x_labels) continue;
        std::string label = tick_text(tick, x_step);
        if (tick == x_ticks.back()) label += " " + plot.x_unit;
        const float x_text = std::min(x - 0.5f * width_of(label), frame.high.x - width_of(label));
        write({x_text, frame.high.y + 3.0f * scale}, theme.muted, label);
    }

    // Levels, curves and marks, clipped to the plotting area.
    list.PushClipRect(frame.low, frame.high, true);
    for (const PlotLevel& level : plot.levels) {
        if (level.y < frame.y_from || level.y > frame.y_to) continue;
        const float y = std::round(frame.y(level.y));
        list.AddLine({frame.low.x, y}, {frame.high.x, y}, level.colour, scale);
        write({frame.high.x - width_of(level.label) - 4.0f * scale,
               y + (y - frame.low.y > 1.3f * text ? -1.15f * text : 1.0f)},
              level.colour, level.label);
    }
    bool empty = true;
    for (const PlotCurve& curve : plot.curves) {
        for (const PlotPoint& point : visible(curve.points, frame.x_from, frame.x_to)) empty &= !frame.shows(point.y);
        if (curve.style == CurveStyle::Bars) {
            draw_bars(list, frame, curve);
        } else {
            draw_line(list, frame, curve, scale);
        }
    }
    float label_end = frame.low.x;
    for (const PlotMark& mark : plot.marks) {
        const float x = std::round(frame.x(mark.x));
        list.AddLine({x, frame.low.y}, {x, frame.high.y}, faded(mark.colour, 0.75f), scale);
        // Labels that would cover each other go one line higher.
        const bool crowded = x < label_end;
        write({x + 3.0f * scale, frame.high.y - (crowded ? 2.0f : 1.0f) * (text + 2.0f)}, mark.colour, mark.label);
        if (!crowded) label_end = x + width_of(mark.label) + 8.0f * scale;
    }
    if (hovered && !empty) read_out(plot, frame, theme, list);
    list.PopClipRect();

    if (empty && !plot.empty_text.empty()) {
        const float x = 0.5f * (frame.low.x + frame.high.x - width_of(plot.empty_text));
        write({std::max(x, frame.low.x + 4.0f), 0.5f * (frame.low.y + frame.high.y - text)}, theme.muted,
              plot.empty_text);
    }
}

} // namespace substep
