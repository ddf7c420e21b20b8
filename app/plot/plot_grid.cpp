// The grid of a plot and what stands at its ticks.
#include "plot_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace substep::detail {

namespace {

constexpr double kFewDecades = 400.0; // from end to end of a log axis, below which 2 and 5 times powers of ten help

// Size of a raised exponent.
float raised_height(const PlotCanvas& canvas) { return std::round(canvas.text_height() * 0.78f); }

// A label below the plot.
struct Label {
    float left;
    float right;
    std::string text;
};

// Labels centred below their ticks, none beyond the right edge; the unit at the last one.
std::vector<Label> labels_below(const PlotCanvas& canvas, const std::vector<double>& ticks) {
    // On a log axis steps may differ.
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    const bool is_even =
        ticks.size() > 2 ? std::abs(ticks[2] - ticks[1] - step) < 1e-6 * step : !canvas.frame.x_range.log;
    std::vector<Label> labels;
    for (const double tick : ticks) {
        std::string text = is_even ? tick_text(tick, step) : value_text(tick, "");
        if (tick == ticks.back() && !canvas.plot.x_unit.empty()) text += " " + canvas.plot.x_unit;
        const float width = canvas.width_of(text);
        const float left = std::min(canvas.frame.x(tick) - 0.5f * width, canvas.frame.high.x - width);
        labels.push_back({left, left + width, std::move(text)});
    }
    return labels;
}

int tick_count_up(const PlotCanvas& canvas) {
    return std::max(2, static_cast<int>((canvas.frame.high.y - canvas.frame.low.y) / (canvas.text_height() * 1.7f)));
}

std::vector<double> linear_ticks_up(const PlotCanvas& canvas) {
    const PlotRange& range = canvas.frame.y_range;
    const int count = tick_count_up(canvas);
    std::vector<double> ticks = linear_ticks(range.from, range.to, count);
    // One number alone tells no scale.
    return ticks.size() < 2 ? linear_ticks(range.from, range.to, 2 * count) : ticks;
}

// Labels of powers of ten.
void draw_decades(const PlotCanvas& canvas, int count) {
    const PlotFrame& frame = canvas.frame;
    const float text = canvas.text_height();
    float covered = -std::numeric_limits<float>::infinity(); // by the last label
    for (const int exponent : log_ticks(frame.x_range.from, frame.x_range.to, count)) {
        const float x = std::round(frame.x(std::pow(10.0, exponent)));
        canvas.vertical(x, canvas.theme.grid);
        // Centred below its line, but not beyond the right edge.
        const float width = power_width(canvas, exponent);
        const float right = std::min(x + 0.5f * width, frame.high.x + 2.0f * canvas.scale);
        if (!canvas.plot.x_labels || right - width < covered) continue;
        write_power(canvas, right, frame.high.y + 3.0f * canvas.scale + 0.6f * text, exponent);
        covered = right + 0.3f * text;
    }
}

} // namespace

float power_width(const PlotCanvas& canvas, int exponent) {
    return canvas.width_of("10") +
           canvas.fonts.small->CalcTextSizeA(raised_height(canvas), FLT_MAX, 0.0f, std::to_string(exponent).c_str()).x;
}

void write_power(const PlotCanvas& canvas, float right, float middle, int exponent) {
    const std::string power = std::to_string(exponent);
    const float size = canvas.text_height();
    ImFont* font = canvas.fonts.small;
    const ImVec2 at{std::round(right - power_width(canvas, exponent)), std::round(middle - 0.5f * size)};
    canvas.list.AddText(font, size, at, canvas.theme.muted, "10");
    canvas.list.AddText(font, raised_height(canvas), {at.x + canvas.width_of("10"), at.y - 0.22f * size},
                        canvas.theme.muted, power.c_str());
}

float legend_line(const PlotCanvas& canvas) { return std::round(1.25f * canvas.text_height()); }

int y_power(const PlotCanvas& canvas) {
    return canvas.frame.y_range.log ? 0 : short_labels(linear_ticks_up(canvas)).power;
}

int draw_y_grid(const PlotCanvas& canvas) {
    const PlotFrame& frame = canvas.frame;
    const PlotRange& range = frame.y_range;
    const float text = canvas.text_height();
    const float right = frame.low.x - 5.0f * canvas.scale;
    if (range.log) {
        for (const int exponent : log_ticks(range.from, range.to, tick_count_up(canvas))) {
            const float y = std::round(frame.y(std::pow(10.0, exponent)));
            canvas.horizontal(y, canvas.theme.grid);
            write_power(canvas, right, y, exponent);
        }
        return 0;
    }
    const std::vector<double> ticks = linear_ticks_up(canvas);
    const TickLabels labels = short_labels(ticks);
    float below = std::numeric_limits<float>::infinity(); // the last label, of a plot that is very low
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const float y = std::round(frame.y(ticks[i]));
        if (y - frame.low.y < 0.2f * text) continue;
        canvas.horizontal(y, canvas.theme.grid);
        if (below - y < 0.95f * text) continue;
        below = y;
        canvas.write({right - canvas.width_of(labels.texts[i]), y - 0.55f * text}, canvas.theme.muted, labels.texts[i]);
    }
    return labels.power;
}

void draw_x_grid(const PlotCanvas& canvas) {
    const PlotFrame& frame = canvas.frame;
    const PlotRange& range = frame.x_range;
    int count = std::max(2, static_cast<int>((frame.high.x - frame.low.x) / (canvas.text_height() * 4.5f)));
    if (range.log && range.to >= kFewDecades * range.from) {
        draw_decades(canvas, count);
        return;
    }
    // Of equal steps as many as their labels have room.
    const float gap = 0.5f * canvas.text_height();
    const auto touch = [gap](const Label& a, const Label& b) { return a.right + gap > b.left; };
    std::vector<double> ticks =
        range.log ? few_decades_ticks(range.from, range.to, count) : linear_ticks(range.from, range.to, count);
    std::vector<Label> labels = labels_below(canvas, ticks);
    while (!range.log && --count > 0 && std::ranges::adjacent_find(labels, touch) != labels.end()) {
        ticks = linear_ticks(range.from, range.to, count);
        labels = labels_below(canvas, ticks);
    }
    float covered = -std::numeric_limits<float>::infinity(); // by the last label
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        canvas.vertical(std::round(frame.x(ticks[i])), canvas.theme.grid);
        if (!canvas.plot.x_labels || labels[i].left < covered) continue;
        canvas.write({labels[i].left, frame.high.y + 3.0f * canvas.scale}, canvas.theme.muted, labels[i].text);
        covered = labels[i].right + gap;
    }
}

} // namespace substep::detail
