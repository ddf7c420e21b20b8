// A plot of several curves, drawn with Dear ImGui's draw list.
#include "plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot_curves.h"
#include "plot_grid.h"

namespace substep {

namespace {

using detail::PlotCanvas;
using detail::visible;

// The vertical axis, around the points that the horizontal one shows.
PlotRange fit_y(const PlotDesc& plot) {
    const PlotRange range{0.0, 1.0, plot.y.log};
    // What is above a log axis' limit leaves the picture without stretching it.
    const double most = plot.y.log && plot.y.most > 0.0 ? plot.y.most : std::numeric_limits<double>::infinity();
    PlotExtent seen;
    if (plot.y.fit) {
        for (const PlotCurve& curve : plot.curves) {
            for (const PlotPoint& point : visible(curve.points, plot.x_from, plot.x_to)) {
                if (range.shows(point.y) && point.y <= most) seen.add(point.y);
            }
        }
    }
    return fit_range(plot.y, seen);
}

bool in_legend(const PlotCurve& curve) { return !curve.label.empty() && curve.in_legend; }

// The sample of a curve that stands before its name.
void draw_legend_sample(const PlotCanvas& canvas, const PlotCurve& curve, float x, float middle) {
    const float scale = canvas.scale;
    if (curve.width > 0.0f) {
        canvas.list.AddLine({x, middle}, {x + 12.0f * scale, middle}, curve.colour, 2.0f * scale);
    }
    detail::draw_marker(canvas, curve.marker, {x + 6.0f * scale, middle}, 3.4f * scale, curve.colour);
}

std::string heading_of(const PlotDesc& plot) {
    return plot.y.unit.empty() ? plot.title : plot.title + "  [" + plot.y.unit + "]";
}

// Names of curves beside and below the title, line by line; what has no room is counted.
struct HeadingLegend {
    struct Entry {
        const PlotCurve* curve = nullptr; // null: words alone
        std::string words;
        float width = 0.0f; // with the sample before the words and the gap behind them
    };
    std::vector<std::vector<Entry>> lines;

    // Distributes entries over a first line of some width and at most `more` others; false if they have no room.
    bool fill(const std::vector<Entry>& entries, float first, float others, std::size_t more) {
        lines.assign(1, {});
        float left = first;
        for (const Entry& entry : entries) {
            if (entry.width > left) {
                if (lines.size() > more || entry.width > others) return false;
                lines.emplace_back();
                left = others;
            }
            left -= entry.width;
            lines.back().push_back(entry);
        }
        return true;
    }
};

// Width of the title, and of the power of ten behind it that labels leave out.
float title_width(const PlotCanvas& canvas, int power) {
    const std::string heading = heading_of(canvas.plot);
    float width = heading.empty() ? 0.0f : canvas.width_of(heading) + 12.0f * canvas.scale;
    if (power != 0) width += canvas.width_of("\u00d7 ") + detail::power_width(canvas, power) + 12.0f * canvas.scale;
    return width;
}

HeadingLegend heading_legend(const PlotCanvas& canvas, int power) {
    HeadingLegend legend;
    std::vector<HeadingLegend::Entry> entries;
    for (const PlotCurve& curve : canvas.plot.curves) {
        if (canvas.plot.legend == PlotLegend::Heading && in_legend(curve))
            entries.push_back({&curve, curve.label, canvas.width_of(curve.label) + 22.0f * canvas.scale});
    }
    // The plot itself keeps most of the height.
    const float width = canvas.frame.high.x - canvas.frame.low.x;
    const float height = canvas.frame.high.y - canvas.frame.low.y;
    const auto more = static_cast<std::size_t>(std::max(0.0f, 0.35f * height / detail::legend_line(canvas)));
    const float first = width - title_width(canvas, power);
    std::size_t left_out = 0;
    while (!legend.fill(entries, first, width, more)) {
        entries.resize(entries.size() - std::min<std::size_t>(entries.size(), left_out == 0 ? 1 : 2));
        ++left_out;
        const std::string words = "and " + std::to_string(left_out) + " more";
        if (entries.empty()) {
            legend.lines.assign(1, {});
            break;
        }
        entries.push_back({nullptr, words, canvas.width_of(words) + 6.0f * canvas.scale});
    }
    return legend;
}

// Title and unit at the left, with the power of ten that the labels leave out; legend at the right and below.
void draw_heading(const PlotCanvas& canvas, float top, int power, const HeadingLegend& legend) {
    const float scale = canvas.scale;
    const std::string heading = heading_of(canvas.plot);
    canvas.write({canvas.frame.low.x, top}, canvas.theme.muted, heading);
    if (power != 0) {
        const float begin = canvas.frame.low.x + canvas.width_of(heading) + 12.0f * scale;
        canvas.write({begin, top}, canvas.theme.muted, "\u00d7");
        detail::write_power(canvas, begin + canvas.width_of("\u00d7 ") + detail::power_width(canvas, power),
                            top + 0.5f * canvas.text_height(), power);
    }
    for (const std::vector<HeadingLegend::Entry>& line : legend.lines) {
        float x = canvas.frame.high.x;
        for (const HeadingLegend::Entry& entry : line) x -= entry.width;
        for (const HeadingLegend::Entry& entry : line) {
            const float words = entry.curve != nullptr ? 16.0f * scale : 0.0f;
            if (entry.curve != nullptr) draw_legend_sample(canvas, *entry.curve, x, top + 0.55f * canvas.text_height());
            canvas.write({x + words, top}, canvas.theme.muted, entry.words);
            x += entry.width;
        }
        top += detail::legend_line(canvas);
    }
}

// Width in pixels that a legend beside the plot needs.
float legend_column_width(const PlotCanvas& canvas) {
    if (canvas.plot.legend != PlotLegend::Column) return 0.0f;
    float widest = 0.0f;
    for (const PlotCurve& curve : canvas.plot.curves) {
        if (in_legend(curve)) widest = std::max(widest, canvas.width_of(curve.label));
    }
    return widest > 0.0f ? widest + 32.0f * canvas.scale : 0.0f;
}

// One name below the other at the right of the plot; what does not fit is counted.
void draw_legend_column(const PlotCanvas& canvas) {
    if (canvas.plot.legend != PlotLegend::Column) return;
    const float line = 1.35f * canvas.text_height();
    const float x = canvas.frame.high.x + 10.0f * canvas.scale;
    const auto count = std::ranges::count_if(canvas.plot.curves, in_legend);
    const auto room = std::max(1, static_cast<int>((canvas.frame.high.y - canvas.frame.low.y) / line));
    const auto shown = count > room ? room - 1 : count;
    int row = 0;
    for (const PlotCurve& curve : canvas.plot.curves) {
        if (!in_legend(curve) || row == shown) continue;
        const float y = canvas.frame.low.y + static_cast<float>(row++) * line;
        draw_legend_sample(canvas, curve, x, y + 0.55f * canvas.text_height());
        canvas.write({x + 18.0f * canvas.scale, y}, canvas.theme.text, curve.label);
    }
    if (shown < count) {
        canvas.write({x + 18.0f * canvas.scale, canvas.frame.low.y + static_cast<float>(row) * line},
                     canvas.theme.muted, "and " + std::to_string(count - shown) + " more");
    }
}

// Horizontal lines, below the curves; their labels, above them, at the right: over the line where there is room.
void draw_levels(const PlotCanvas& canvas) {
    for (const PlotLevel& level : canvas.plot.levels) {
        if (canvas.frame.y_range.from <= level.y && level.y <= canvas.frame.y_range.to)
            canvas.horizontal(std::round(canvas.frame.y(level.y)), level.colour, canvas.scale);
    }
}

void name_levels(const PlotCanvas& canvas) {
    const PlotFrame& frame = canvas.frame;
    const float text = canvas.text_height();
    for (const PlotLevel& level : canvas.plot.levels) {
        if (level.label.empty() || level.y < frame.y_range.from || level.y > frame.y_range.to) continue;
        const float y = std::round(frame.y(level.y));
        const bool above = y - frame.low.y > 1.3f * text;
        const ImVec2 low{frame.high.x - canvas.width_of(level.label) - 4.0f * canvas.scale,
                         above ? y - 1.15f * text : y + 1.0f};
        canvas.list.AddRectFilled({low.x - 2.0f, low.y}, {frame.high.x, low.y + 1.1f * text},
                                  faded(canvas.theme.well, 0.8f), 2.0f * canvas.scale);
        canvas.write(low, level.colour, level.label);
    }
}

// Vertical marks, their labels at the bottom: one line higher where the last one would be covered.
void draw_marks(const PlotCanvas& canvas) {
    const PlotFrame& frame = canvas.frame;
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

// The moment that is looked at, with what lies behind it dimmed.
void draw_moment(const PlotCanvas& canvas) {
    const PlotFrame& frame = canvas.frame;
    const std::optional<double> moment = canvas.plot.moment;
    if (!moment || *moment < frame.x_range.from || *moment > frame.x_range.to) return;
    const float x = std::round(frame.x(*moment));
    const float head = 4.0f * canvas.scale;
    canvas.list.AddRectFilled({x, frame.low.y}, frame.high, faded(canvas.theme.well, 0.6f));
    canvas.vertical(x, canvas.theme.text, canvas.scale);
    canvas.list.AddTriangleFilled({x - head, frame.low.y}, {x + head, frame.low.y}, {x, frame.low.y + 1.5f * head},
                                  canvas.theme.text);
}

// What the curves are at the mouse, in a tooltip.
void read_out_at_x(const PlotCanvas& canvas) {
    const PlotDesc& plot = canvas.plot;
    const PlotFrame& frame = canvas.frame;
    const double at = frame.x_at(ImGui::GetIO().MousePos.x);
    if (at < plot.x_from || at > plot.x_to) return;
    canvas.vertical(frame.x(at), faded(canvas.theme.muted, 0.7f));
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(value_text(at, plot.x_unit).c_str());
    for (const PlotCurve& curve : plot.curves) {
        // The nearest point, unless the curve ended before.
        if (curve.label.empty() || curve.points.empty()) continue;
        if (at < curve.points.front().x || at > curve.points.back().x + 0.02 * (plot.x_to - plot.x_from)) continue;
        const auto right = std::lower_bound(curve.points.begin(), curve.points.end(), at,
                                            [](const PlotPoint& point, double x) { return point.x < x; });
        auto nearest = right == curve.points.end() ? right - 1 : right;
        if (right != curve.points.begin() && right != curve.points.end() && at - (right - 1)->x < right->x - at)
            --nearest;
        canvas.list.AddCircleFilled({frame.x(nearest->x), frame.y(nearest->y)}, 3.0f, curve.colour);
        ImGui::PushStyleColor(ImGuiCol_Text, curve.colour);
        const auto index = static_cast<std::size_t>(nearest - curve.points.begin());
        const double base = index < curve.base.size() ? curve.base[index].y : 0.0;
        ImGui::Text("%s  %s", curve.label.c_str(), value_text(nearest->y - base, plot.y.unit).c_str());
        ImGui::PopStyleColor();
    }
    ImGui::EndTooltip();
}

// The marker nearest to the mouse, ringed.
std::optional<PlotPick> read_out_nearest(const PlotCanvas& canvas) {
    const std::optional<PlotPick> pick = detail::nearest_marker(canvas, ImGui::GetIO().MousePos);
    if (!pick) return pick;
    const PlotCurve& curve = canvas.plot.curves[pick->curve];
    const PlotPoint& point = curve.points[pick->point];
    canvas.list.AddCircle({canvas.frame.x(point.x), canvas.frame.y(point.y)}, 7.0f * canvas.scale, canvas.theme.text, 0,
                          1.5f * canvas.scale);
    return pick;
}

} // namespace

PlotOutcome draw_plot(const PlotDesc& plot, const Theme& theme, const Fonts& fonts, float scale) {
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
    const bool has_heading = !plot.title.empty() || plot.legend == PlotLegend::Heading;
    const float above = has_heading ? text + 5.0f * scale : 0.5f * text;
    const float below =
        (plot.x_labels ? text + 5.0f * scale : 3.0f * scale) + (plot.x_name.empty() ? 0.0f : text + 3.0f * scale);
    PlotCanvas canvas{plot, theme, fonts, scale, *ImGui::GetWindowDrawList(), {}};
    PlotFrame& frame = canvas.frame;
    frame.low = {std::round(corner.x + 44.0f * scale), std::round(corner.y + above)};
    frame.high = {std::round(corner.x + size.x - 4.0f * scale - legend_column_width(canvas)),
                  std::round(corner.y + size.y - below)};
    const double shortest = plot.x_log ? plot.x_from * (1.0 + 1e-9) : plot.x_from + 1e-9;
    frame.x_range = {plot.x_from, std::max(plot.x_to, shortest), plot.x_log};
    frame.y_range = fit_y(plot);
    const HeadingLegend legend = heading_legend(canvas, detail::y_power(canvas));
    frame.low.y += std::round(static_cast<float>(legend.lines.size() - 1) * detail::legend_line(canvas));
    canvas.list.AddRectFilled(frame.low, frame.high, theme.well, 3.0f * scale);
    const int power = detail::draw_y_grid(canvas);
    detail::draw_x_grid(canvas);
    if (has_heading) draw_heading(canvas, corner.y, power, legend);
    draw_legend_column(canvas);
    if (!plot.x_name.empty()) {
        canvas.write({frame.high.x - canvas.width_of(plot.x_name), corner.y + size.y - text - 1.0f * scale},
                     theme.muted, plot.x_name);
    }

    // Data, clipped to the plotting area.
    canvas.list.PushClipRect(frame.low, frame.high, true);
    draw_levels(canvas);
    bool empty = true;
    for (const PlotCurve& curve : plot.curves) {
        for (const PlotPoint& point : visible(curve.points, plot.x_from, plot.x_to)) empty &= !frame.shows(point);
        detail::draw_curve(canvas, curve);
    }
    name_levels(canvas);
    draw_marks(canvas);
    draw_moment(canvas);
    std::optional<PlotPick> pick;
    if (hovered && !empty) {
        if (plot.read_out == PlotReadOut::NearestPoint) {
            pick = read_out_nearest(canvas);
        } else {
            read_out_at_x(canvas);
        }
    }
    canvas.list.PopClipRect();

    if (empty && !plot.empty_text.empty()) {
        const float x = 0.5f * (frame.low.x + frame.high.x - canvas.width_of(plot.empty_text));
        canvas.write({std::max(x, frame.low.x + 4.0f), 0.5f * (frame.low.y + frame.high.y - text)}, theme.muted,
                     plot.empty_text);
    }
    return {frame, pick};
}

} // namespace substep
