// From values to pixels: the two axes of a plot, where their ticks are, and what these say.
#include "plot_axes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace substep {

double PlotRange::part(double value) const {
    const double raw = log ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
    return std::clamp(raw, -10.0, 10.0);
}

double PlotRange::value(double part) const {
    return log ? from * std::pow(to / from, part) : from + part * (to - from);
}

bool PlotRange::shows(double value) const { return std::abs(value) < 1e300 && (!log || value > 0.0); }

PlotExtent::PlotExtent() : low(std::numeric_limits<double>::infinity()), high(-low) {}

void PlotExtent::add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
}

PlotRange fit_range(const PlotAxis& axis, PlotExtent seen) {
    if (axis.log) {
        const double least = axis.least > 0.0 ? axis.least : 1e-300;
        const double most = axis.most > 0.0 ? axis.most : 1e300;
        const double low = seen.empty() ? 1e-3 : std::clamp(seen.low, least, most);
        const double high = seen.empty() ? 1.0 : std::clamp(seen.high, low, most);
        const double lower = std::floor(std::log10(low) + 1e-9);
        const double upper = std::max(std::ceil(std::log10(high) - 1e-9), lower + 3.0);
        return {std::pow(10.0, lower), std::pow(10.0, upper), true};
    }
    if (axis.least < axis.most) {
        seen.add(axis.least);
        seen.add(axis.most);
    }
    if (seen.empty()) {
        seen.add(0.0);
        seen.add(1.0);
    }
    // At least a thousandth of what is plotted, so that ticks differ in digits that can be read.
    const double span = std::max(
        {seen.high - seen.low, axis.smallest_span, 1e-3 * std::max(std::abs(seen.low), std::abs(seen.high)), 1e-300});
    const double middle = 0.5 * (seen.low + seen.high);
    if (seen.low == 0.0 && seen.high > 0.0) return {0.0, 1.12 * span, false}; // bars stand on the axis
    return {middle - 0.56 * span, middle + 0.56 * span, false};
}

PlotRange fit_x_range(bool log, const PlotExtent& seen) {
    if (seen.empty()) return {log ? 1.0 : 0.0, log ? 1000.0 : 1.0, log};
    if (!log) {
        // A single value has a thousandth of it beside it, so that ticks differ in digits that can be read.
        const double least = std::max(1e-3 * std::abs(seen.low), 1e-9);
        return {seen.low, seen.high > seen.low ? seen.high : seen.low + least, false};
    }
    const double air = std::pow(std::max(seen.high / seen.low, 10.0), 0.04);
    return {seen.low / air, seen.high * air, true};
}

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

std::vector<double> fine_log_ticks(double from, double to) {
    std::vector<double> ticks;
    if (!(from > 0.0) || !(to > from)) return ticks;
    for (double power = std::pow(10.0, std::floor(std::log10(from))); power <= to; power *= 10.0) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            if (factor * power >= from && factor * power <= to) ticks.push_back(factor * power);
        }
    }
    return ticks;
}

std::vector<double> few_decades_ticks(double from, double to, int count) {
    std::vector<double> ticks = fine_log_ticks(from, to);
    return ticks.size() < 3 ? linear_ticks(from, to, count) : ticks;
}

std::string tick_text(double value, double step) {
    if (std::abs(value) < 1e-9 * step) value = 0.0;
    std::array<char, 40> text{};
    const double largest = std::max(std::abs(value), step);
    const int last = static_cast<int>(std::floor(std::log10(step) + 1e-6)); // exponent of the last digit that matters
    if (largest >= 1e6 || largest < 1e-4) {
        const int first = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
        std::snprintf(text.data(), text.size(), "%.*g", std::clamp(first - last + 1, 1, 17), value);
    } else {
        std::snprintf(text.data(), text.size(), "%.*f", std::clamp(-last, 0, 17), value);
    }
    return text.data();
}

TickLabels short_labels(std::span<const double> ticks) {
    TickLabels labels;
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    const auto write = [&](double unit) {
        labels.texts.clear();
        for (const double tick : ticks) labels.texts.push_back(tick_text(tick / unit, step / unit));
    };
    write(1.0);
    const auto is_long = [](const std::string& text) { return text.size() > kMostTickLetters; };
    if (std::ranges::none_of(labels.texts, is_long)) return labels;
    const double largest = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
    labels.power = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
    write(std::pow(10.0, labels.power));
    return labels;
}

std::string value_text(double value, const std::string& unit) {
    std::array<char, 32> text{};
    const double size = std::abs(value);
    std::snprintf(text.data(), text.size(), size != 0.0 && (size < 1e-3 || size >= 1e5) ? "%.2e" : "%.4g", value);
    return unit.empty() ? text.data() : std::string(text.data()) + " " + unit;
}

} // namespace substep
