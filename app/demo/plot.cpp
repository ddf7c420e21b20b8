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
    double x_from = 0.0;
    double x_to = 1.0;
    double y_from = 0.0;
    double y_to = 1.0;
    bool log = false;

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
    // Larger than any axis can span counts as no value.
    bool shows(double value) const { return std::abs(value) < 1e300 && (!log || value > 0.0); }
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

// What one plot is drawn with and on.
struct Canvas {
    const PlotDesc& plot;
    const Theme& theme;
    const Fonts& fonts;
    float scale;
    ImDrawList& list;
    Frame frame;

    float text_height() const { return fonts.small->FontSize; }
    float width_of(const std::string& words) const {
        return fonts.small->CalcTextSizeA(text_height(), FLT_MAX, 0.0f, words.c_str()).x;
    }
    void write(ImVec2 at, ImU32 colour, const std::string& words) const {
        list.AddText(fonts.small, text_height(), {std::round(at.x), std::round(at.y)}, colour, words.c_str());
    }
    void horizontal(float y, ImU32 colour, float width = 1.0f) const {
        list.AddLine({frame.low.x, y}, {frame.high.x, y}, colour, width);
    }
    void vertical(float x, ImU32 colour, float width = 1.0f) const {
        list.AddLine({x, frame.low.y}, {x, frame.high.y}, colour, width);
    }
};

// Title and unit at the left, legend at the right as far as there is room; the last curves go first.
void draw_heading(const Canvas& canvas, float top) {
    const PlotDesc& plot = canvas.plot;
    const float scale = canvas.scale;
    const std::string heading = plot.y.unit.empty() ? plot.title : plot.title + "  [" + plot.y.unit + "]";
    canvas.write({canvas.frame.low.x, top}, canvas.theme.muted, heading);
    const float begin = canvas.frame.low.x + canvas.width_of(heading) + 12.0f * scale;
    float x = canvas.frame.high.x;
    for (auto curve = plot.curves.rbegin(); curve != plot.curves.rend(); ++curve) {
        if (curve->label.empty() || !curve->in_legend) continue;
        x -= canvas.width_of(curve->label) + 20.0f * scale;
        if (x < begin) return;
        const float middle = top + 0.55f * canvas.text_height();
        canvas.list.AddLine({x, middle}, {x + 10.0f * scale, middle}, curve->colour, 2.0f * scale);
        canvas.write({x + 14.0f * scale, top}, canvas.theme.muted, curve->label);
    }
}

// A power of ten as 10 with a raised exponent, ending at `right`.
void write_power(const Canvas& canvas, float right, float middle, int exponent) {
    const std::string power = std::to_string(exponent);
    const float size = canvas.text_height();
    const float raised = std::round(size * 0.78f);
    ImFont* font = canvas.fonts.small;
    const float base_width = canvas.width_of("10");
    const float power_width = font->CalcTextSizeA(raised, FLT_MAX, 0.0f, power.c_str()).x;
    const ImVec2 at{std::round(right - base_width - power_width), std::round(middle - 0.5f * size)};
    canvas.list.AddText(font, size, at, canvas.theme.muted, "10");
    canvas.list.AddText(font, raised, {at.x + base_width, at.y - 0.22f * size}, canvas.theme.muted, power.c_str());
}

// Horizontal grid with its labels at the left.
void draw_y_grid(const Canvas& canvas) {
    const Frame& frame = canvas.frame;
    const float text = canvas.text_height();
    const float right = frame.low.x - 5.0f * canvas.scale;
    const int count = std::max(2, static_cast<int>((frame.high.y - frame.low.y) / (text * 1.7f)));
    if (frame.log) {
        for (const int exponent : log_ticks(frame.y_from, frame.y_to, count)) {
            const float y = std::round(frame.y(std::pow(10.0, exponent)));
            canvas.horizontal(y, canvas.theme.grid);
            write_power(canvas, right, y, exponent);
        }
        return;
    }
    // One number alone tells no scale.
    std::vector<double> ticks = linear_ticks(frame.y_from, frame.y_to, count);
    if (ticks.size() < 2) ticks = linear_ticks(frame.y_from, frame.y_to, 2 * count);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    for (const double tick : ticks) {
        const float y = std::round(frame.y(tick));
        if (y - frame.low.y < 0.2f * text) continue;
        canvas.horizontal(y, canvas.theme.grid);
        const std::string label = tick_text(tick, step);
        canvas.write({right - canvas.width_of(label), y - 0.55f * text}, canvas.theme.muted, label);
    }
}

// Vertical grid with its labels below, the unit at the last one.
void draw_x_grid(const Canvas& canvas) {
    const Frame& frame = canvas.frame;
    const int count = std::max(2, static_cast<int>((frame.high.x - frame.low.x) / (canvas.text_height() * 4.5f)));
    const std::vector<double> ticks = linear_ticks(frame.x_from, frame.x_to, count);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    for (const double tick : ticks) {
        const float x = std::round(frame.x(tick));
        canvas.vertical(x, canvas.theme.grid);
        if (!canvas.plot.x_labels) continue;
        std::string label = tick_text(tick, step);
        if (tick == ticks.back()) label += " " + canvas.plot.x_unit;
        const float width = canvas.width_of(label);
        canvas.write({std::min(x - 0.5f * width, frame.high.x - width), frame.high.y + 3.0f * canvas.scale},
                     canvas.theme.muted, label);
    }
}

// Horizontal lines, their labels at the right: above the line where there is room.
void draw_levels(const Canvas& canvas) {
    const Frame& frame = canvas.frame;
    const float text = canvas.text_height();
    for (const PlotLevel& level : canvas.plot.levels) {
        if (level.y < frame.y_from || level.y > frame.y_to) continue;
        const float y = std::round(frame.y(level.y));
        canvas.horizontal(y, level.colour, canvas.scale);
        const bool above = y - frame.low.y > 1.3f * text;
        canvas.write(
            {frame.high.x - canvas.width_of(level.label) - 4.0f * canvas.scale, above ? y - 1.15f * text : y + 1.0f},
            level.colour, level.label);
    }
}

// Vertical marks, their labels at the bottom: one line higher where the last one would be covered.
void draw_marks(const Canvas& canvas) {
    const Frame& frame = canvas.frame;
    const float line = canvas.text_height() + 2.0f;
    float covered = frame.low.x;
    for (const PlotMark& mark : canvas.plot.marks) {
        const float x = std::round(frame.x(mark.x));
        canvas.vertical(x, faded(mark.colour, 0.75f), canvas.scale);
        const bool crowded = x < covered;
        canvas.write({x + 3.0f * canvas.scale, frame.high.y - (crowded ? 2.0f : 1.0f) * line}, mark.colour, mark.label);
        if (!crowded) covered = x + canvas.width_of(mark.label) + 8.0f * canvas.scale;
    }
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
void draw_line(const Canvas& canvas, const PlotCurve& curve) {
    const Frame& frame = canvas.frame;
    const float width = curve.width * canvas.scale;
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
            canvas.list.AddPolyline(pixels.data(), static_cast<int>(pixels.size()), curve.colour, 0, width);
        } else if (pixels.size() == 1) {
            canvas.list.AddCircleFilled(pixels[0], width, curve.colour, 8);
        }
        pixels.clear();
    }
}

// Bars of the width between points.
void draw_bars(const Canvas& canvas, const PlotCurve& curve) {
    const Frame& frame = canvas.frame;
    const std::span<const PlotPoint> points = visible(curve.points, frame.x_from, frame.x_to);
    if (points.size() < 2) return;
    const double width = (points.back().x - points.front().x) / static_cast<double>(points.size() - 1);
    for (const PlotPoint& point : points) {
        if (!frame.shows(point.y) || point.y == 0.0) continue;
        const float left = frame.x(point.x - width);
        const float right = std::max(frame.x(point.x) - 1.0f, left + 1.0f);
        canvas.list.AddRectFilled({left, frame.y(point.y)}, {right, frame.high.y}, curve.colour);
    }
}

std::string value_text(double value, const std::string& unit) {
    char text[32];
    const double size = std::abs(value);
    std::snprintf(text, sizeof text, size != 0.0 && (size < 1e-3 || size >= 1e5) ? "%.2e" : "%.4g", value);
    return unit.empty() ? text : std::string(text) + " " + unit;
}

// What the curves are at the mouse, in a tooltip.
void read_out(const Canvas& canvas) {
    const PlotDesc& plot = canvas.plot;
    const Frame& frame = canvas.frame;
    const double at = frame.x_at(ImGui::GetIO().MousePos.x);
    if (at < frame.x_from || at > frame.x_to) return;
    canvas.vertical(frame.x(at), faded(canvas.theme.muted, 0.7f));
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
        canvas.list.AddCircleFilled({frame.x(nearest->x), frame.y(nearest->y)}, 3.0f, curve.colour);
        ImGui::PushStyleColor(ImGuiCol_Text, curve.colour);
        ImGui::Text("%s  %s", curve.label.c_str(), value_text(nearest->y, plot.y.unit).c_str());
        ImGui::PopStyleColor();
    }
    ImGui::EndTooltip();
}

} // namespace

std::vector<double> linear_ticks(double from, double to, int count) {
    std::vector<double> ticks;
    if (!(to > from) || !std::isfinite(to - from) || count < 1) return ticks;
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

    // Its parts: heading above, labels at the left and below, the plotting area in the rest.
    const float text = fonts.small->FontSize;
    const float below = plot.x_labels ? text + 5.0f * scale : 3.0f * scale;
    Canvas canvas{plot, theme, fonts, scale, *ImGui::GetWindowDrawList(), {}};
    Frame& frame = canvas.frame;
    frame.low = {std::round(corner.x + 44.0f * scale), std::round(corner.y + text + 5.0f * scale)};
    frame.high = {std::round(corner.x + size.x - 4.0f * scale), std::round(corner.y + size.y - below)};
    frame.x_from = plot.x_from;
    frame.x_to = std::max(plot.x_to, plot.x_from + 1e-9);
    frame.log = plot.y.log;
    fit_y(plot, frame);
    canvas.list.AddRectFilled(frame.low, frame.high, theme.well, 3.0f * scale);
    draw_heading(canvas, corner.y);
    draw_y_grid(canvas);
    draw_x_grid(canvas);

    // Data, clipped to the plotting area.
    canvas.list.PushClipRect(frame.low, frame.high, true);
    draw_levels(canvas);
    bool empty = true;
    for (const PlotCurve& curve : plot.curves) {
        for (const PlotPoint& point : visible(curve.points, frame.x_from, frame.x_to)) empty &= !frame.shows(point.y);
        if (curve.style == CurveStyle::Bars) {
            draw_bars(canvas, curve);
        } else {
            draw_line(canvas, curve);
        }
    }
    draw_marks(canvas);
    if (hovered && !empty) read_out(canvas);
    canvas.list.PopClipRect();

    if (empty && !plot.empty_text.empty()) {
        const float x = 0.5f * (frame.low.x + frame.high.x - canvas.width_of(plot.empty_text));
        canvas.write({std::max(x, frame.low.x + 4.0f), 0.5f * (frame.low.y + frame.high.y - text)}, theme.muted,
                     plot.empty_text);
    }
}

} // namespace substep
