// From values to pixels: the two axes of a plot, where their ticks are, and what these say.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "series.h"

namespace substep {

/// One axis. Without limits of its own it fits what is seen.
struct PlotAxis {
    std::string unit;
    bool log = false;
    double least =
        0.0;           ///< linear: limits that are always seen; log: the axis never goes below and, where positive, ...
    double most = 0.0; ///< ... above them
    bool fit = true;   ///< widen to fit the curves
    double smallest_span = 0.0; ///< linear: the axis covers at least this
};

/// Values of one axis from end to end; on a log axis both are positive.
struct PlotRange {
    double from = 0.0;
    double to = 1.0;
    bool log = false;

    /// Where a value lies: 0 at `from`, 1 at `to`. Far outside is as good as just outside, and fits into a float.
    double part(double value) const;
    /// The value at that part.
    double value(double part) const;
    /// Whether the axis has a place for the value; larger than any axis can span counts as no value.
    bool shows(double value) const;
};

/// The plotting area in pixels, with its axes.
struct PlotFrame {
    ImVec2 low;  ///< upper left corner
    ImVec2 high; ///< lower right corner
    PlotRange x_range;
    PlotRange y_range;

    float x(double value) const { return low.x + static_cast<float>(x_range.part(value)) * (high.x - low.x); }
    float y(double value) const { return high.y - static_cast<float>(y_range.part(value)) * (high.y - low.y); }
    double x_at(float pixel) const { return x_range.value((pixel - low.x) / (high.x - low.x)); }
    bool shows(const PlotPoint& point) const { return x_range.shows(point.x) && y_range.shows(point.y); }
};

/// Widest of the values that an axis must show.
struct PlotExtent {
    double low;
    double high;

    PlotExtent();
    void add(double value);
    bool empty() const { return !(low <= high); }
};

/// A vertical axis around `seen`: whole decades, at least three, or some air above and below.
PlotRange fit_range(const PlotAxis& axis, PlotExtent seen);

/// A horizontal axis around `seen`, with a little air.
PlotRange fit_x_range(bool log, const PlotExtent& seen);

/// Positions of ticks: multiples of 1, 2 or 5 times a power of ten within [from, to], at most about `count`.
std::vector<double> linear_ticks(double from, double to, int count);

/// Exponents of ten within [from, to] (both positive), thinned to at most about `count`.
std::vector<int> log_ticks(double from, double to, int count);

/// 1, 2 and 5 times powers of ten within [from, to] (both positive): for log axes of few decades.
std::vector<double> fine_log_ticks(double from, double to);

/// Positions of ticks of a log axis of few decades: 1, 2 and 5 times powers of ten; where fewer than three of these lie
/// within [from, to] (both positive), multiples of 1, 2 or 5 times a lower power of ten, at most about `count`.
std::vector<double> few_decades_ticks(double from, double to, int count);

/// Writes a number with the digits that its distance to the neighbouring tick needs.
std::string tick_text(double value, double step);

/// What stands at ticks that have little room beside them.
struct TickLabels {
    std::vector<std::string> texts; ///< one a tick
    int power = 0;                  ///< exponent of the ten that all are to be multiplied by
};

/// Writes all of an axis' ticks in at most kMostTickLetters letters each, where need be as multiples of one power of
/// ten.
TickLabels short_labels(std::span<const double> ticks);
inline constexpr std::size_t kMostTickLetters = 8;

/// Writes a value with four digits and its unit.
std::string value_text(double value, const std::string& unit);

} // namespace substep
