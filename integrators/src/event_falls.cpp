// Falls of event functions with bounds: looks at one function alone, until none can be left between them.
#include "substep/integrators/events.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tolerances.h"

namespace substep {

namespace {

/// How far on a function surely falls by less than `height`, from where it rises by `slope`: its rate, as a line, and
/// its bend, as a parabola, do not bring it down before.
double reach_of(const EventBounds& bounds, double height, double slope) noexcept {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    const double by_rate = bounds.rate > 0.0 ? height / bounds.rate : kAny;
    if (!(bounds.bend < kAny)) {
        return by_rate;
    }
    const double root = std::sqrt(std::max(slope * slope + 2.0 * bounds.bend * height, 0.0));
    const double by_bend = slope < 0.0         ? 2.0 * height / (root - slope)
                           : bounds.bend > 0.0 ? (slope + root) / bounds.bend
                                               : kAny;
    return std::max(by_rate, by_bend);
}

/// Where the tangents of two looks meet, of which the first falls and the second rises. If the function is a line there
/// and another one back, that is its bottom.
template <class Look>
double meeting_of_tangents(const Look& left, const Look& right) noexcept {
    return (right.value - left.value + left.rate * left.at - right.rate * right.at) / (left.rate - right.rate);
}

/// Where the cubic through two such looks has its bottom.
template <class Look>
double bottom_of_cubic(const Look& left, const Look& right) noexcept {
    const double width = right.at - left.at;
    const double bend = left.rate + right.rate - 3.0 * (right.value - left.value) / width;
    const double root = std::sqrt(bend * bend - left.rate * right.rate);
    return right.at - width * (right.rate + root - bend) / (right.rate - left.rate + 2.0 * root);
}

/// Where the cubic through a look above zero and a later one that is not comes to zero: by Newton's method, held
/// between the two.
template <class Look>
double zero_of_cubic(const Look& above, const Look& below) noexcept {
    constexpr int kMost = 24;
    const double width = below.at - above.at;
    const double fall = below.value - above.value;
    const double rise = width * above.rate; // of the cubic, per part of the width
    const double square = 3.0 * fall - 2.0 * rise - width * below.rate;
    const double cube = rise + width * below.rate - 2.0 * fall;
    double left = 0.0;
    double right = 1.0;
    double s = above.value / (above.value - below.value);
    for (int k = 0; k < kMost && left < right; ++k) {
        const double height = above.value + s * (rise + s * (square + s * cube));
        (height > 0.0 ? left : right) = s;
        const double slope = rise + s * (2.0 * square + 3.0 * s * cube);
        const double next = s - height / slope;
        const double inside = next > left && next < right ? next : 0.5 * (left + right);
        if (inside == s) {
            break;
        }
        s = inside;
    }
    return above.at + s * width;
}

} // namespace

// One function at a distance from the scan's start, if the limit on work is not passed yet.
bool EventLocator::look_at(EventFunctions& functions, const Interpolant& path, std::size_t i, double distance,
                           Look& look) {
    if (limit_.is_passed()) {
        return false;
    }
    const EventCourse course = functions.course_along(i, path, from_ + sign_ * distance);
    look = {distance, course.value, sign_ * course.rate};
    return std::isfinite(course.value) && std::isfinite(course.rate);
}

// Evaluates function i, by itself if it has bounds.
bool EventLocator::value_at(EventFunctions& functions, const Interpolant& path, std::size_t i, double distance) {
    if (!bounds_[i].is_known()) {
        return values_at(functions, path, distance);
    }
    Look look{};
    const bool is_told = look_at(functions, path, i, distance, look);
    probe_[i] = look.value;
    return is_told;
}

// Finds where function i, with bounds, first falls to zero before `until`, to within the window; leaves `found` empty
// if it does not. Returns false on NaN.
bool EventLocator::first_fall(EventFunctions& functions, const Interpolant& path, std::size_t i, double until,
                              Bracket& found) {
    const EventBounds& bounds = bounds_[i];
    const double end_value = value(kIntervals, i);
    Look left{0.0, g_[i], -bounds.rate};
    if (watch_[i].side > 0.0 && left.value > 0.0) {
        // From either end by its rate alone: most are far away.
        if (end_value > 0.0 && left.value + end_value > bounds.rate * length_) {
            return true;
        }
        if (!look_at(functions, path, i, 0.0, left)) {
            return false;
        }
        left.value = g_[i];
    } else if (!first_above(functions, path, i, left, found)) {
        return false;
    }
    if (left.at >= until || found.after > found.before) {
        return true;
    }

    // From the start, by steps that surely pass over nothing: what falls straight is met at once.
    const double shallow = until < length_ ? 0.0 : bounds.shallow;
    for (int k = 0; k < kMostSteps && left.at + reach_of(bounds, left.value + shallow, left.rate) < until; ++k) {
        const double step = reach_of(bounds, left.value + bounds.shallow, left.rate);
        Look look{};
        if (!look_at(functions, path, i, std::min(left.at + std::max(step, kAcross * window()), until), look)) {
            return false;
        }
        if (look.value <= 0.0) {
            return close_in(functions, path, i, left, look, found);
        }
        const bool is_slow = look.value > kFallsFast * left.value; // it may pass by
        left = look;
        if (is_slow) {
            break;
        }
    }
    return search_between(functions, path, i, left, until, found);
}

// The same where that leads to no end, because the function comes near zero: from both sides.
bool EventLocator::search_between(EventFunctions& functions, const Interpolant& path, std::size_t i, Look left,
                                  double until, Bracket& found) {
    const EventBounds& bounds = bounds_[i];
    const double shallow = until < length_ ? 0.0 : bounds.shallow; // up to another event everything counts
    Look right{until, value(kIntervals, i), bounds.rate};          // nothing is known of its rate yet
    if (left.at + reach_of(bounds, left.value + shallow, left.rate) >= until &&
        (until < length_ || right.value > 0.0)) {
        return true;
    }
    bool is_end_known = until < length_ || right.value <= 0.0;
    if (is_end_known) {
        if (!look_at(functions, path, i, until, right)) {
            return false;
        }
        right.value = until < length_ ? right.value : value(kIntervals, i);
    }
    std::array<Look, kMostLooks> waiting; // ends of stretches to search behind `right`, the nearest last
    std::size_t waiting_count = 0;
    Look above = left; // the nearest look before `right` that is
    for (std::size_t looks = 0; looks < kMostLooks;) {
        above = left.value > 0.0 ? left : above;
        if (right.value <= (right.at < until ? -shallow : 0.0)) {
            // A crossing; whether it is the first one, what lies before it tells.
            if (!close_in(functions, path, i, above, right, found) ||
                !look_at(functions, path, i, found.before, right)) {
                return false;
            }
            is_end_known = true;
            waiting_count = 0;
        }
        const double to = left.at + reach_of(bounds, left.value + shallow, left.rate);
        const double from = right.at - reach_of(bounds, right.value + shallow, -right.rate);
        if (to >= from || right.at - left.at <= window()) {
            left = right;
            if (waiting_count == 0) {
                return true;
            }
            right = waiting[--waiting_count];
            continue;
        }
        ++looks;
        if (!is_end_known && waiting_count == 0) {
            is_end_known = true;
            if (!look_at(functions, path, i, length_, right)) {
                return false;
            }
            right.value = value(kIntervals, i);
            continue;
        }
        const double inside = kInsideStretch * (from - to);
        const double bottom = looks % 2 == 1 ? meeting_of_tangents(left, right) : bottom_of_cubic(left, right);
        const double middle =
            left.rate < 0.0 && right.rate > 0.0 ? std::clamp(bottom, to + inside, from - inside) : 0.5 * (to + from);
        Look look{};
        if (!look_at(functions, path, i, middle, look)) {
            return false;
        }
        if (look.value > -shallow) {
            waiting[waiting_count++] = right;
        }
        right = look;
    }
    return true;
}

// Narrows a crossing of function i, with bounds, between two looks to the window: by the cubic through both, and
// further where rounding keeps that on one side. What rounding leaves of it is halved.
bool EventLocator::close_in(EventFunctions& functions, const Interpolant& path, std::size_t i, Look before, Look after,
                            Bracket& found) {
    const double window = this->window();
    const double rounding = bounds_[i].shallow; // at most
    Look last = std::fabs(after.value) < before.value ? after : before;
    double further = 1.0;
    bool halve = false;
    for (int k = 0; k < kMostSteps && after.at - before.at > window; ++k) {
        const bool is_before = last.at == before.at;
        const double height = std::fabs(last.value);
        const double step = further * std::max(std::fabs(zero_of_cubic(before, after) - last.at), kAcross * window);
        double at = last.at + (is_before ? step : -step);
        if (halve || !(at > before.at && at < after.at)) {
            at = 0.5 * (before.at + after.at);
        }
        if (!look_at(functions, path, i, at, last)) {
            return false;
        }
        (last.value > 0.0 ? before : after) = last;
        const bool is_slow = std::fabs(last.value) >= kFallsFast * height;
        const bool is_held = is_slow && std::fabs(last.value) <= rounding && is_before == (last.value > 0.0);
        further = is_held ? kHeldFurther * further : 1.0;
        halve = is_slow && !is_held && !halve;
    }
    found = {before.at, before.value, after.at, after.value};
    return narrow(functions, path, i, found);
}

// Finds from where on function i, with bounds and not above zero at the scan's start, is above it; the scan's end if it
// never is. Where it falls out of its band instead, that may be `found`. Returns false on NaN.
bool EventLocator::first_above(EventFunctions& functions, const Interpolant& path, std::size_t i, Look& look,
                               Bracket& found) {
    if (watch_[i].side < 0.0) {
        return search_above(functions, path, i, look, found);
    }
    // Disarmed. If it rises fast enough, its bend cannot hold it back from leaving its band at once.
    if (!look_at(functions, path, i, 0.0, look)) {
        return false;
    }
    const double bend = bounds_[i].bend;
    const double top = bend * length_ > look.rate ? look.rate / bend : length_;
    if (look.rate > 0.0 && top > 0.0 && g_[i] + (look.rate - 0.5 * bend * top) * top > watch_[i].band) {
        if (!look_at(functions, path, i, top, look)) {
            return false;
        }
        if (look.value > 0.0) { // but for rounding
            return true;
        }
    }
    return search_above(functions, path, i, look, found);
}

// The same by samples, where bounds do not tell: the function stays near zero, or is below it.
bool EventLocator::search_above(EventFunctions& functions, const Interpolant& path, std::size_t i, Look& look,
                                Bracket& found) {
    double side = watch_[i].side;
    double band = side == 0.0 ? watch_[i].band : 0.0;
    const double cut = length_ / kIntervals;
    for (std::size_t j = 1; j <= kIntervals; ++j) {
        const double begin = cut * static_cast<double>(j - 1);
        const double end = j == kIntervals ? length_ : cut * static_cast<double>(j);
        if (!look_at(functions, path, i, end, look)) {
            return false;
        }
        if (look.value > band) {
            return true;
        }
        if (side == 0.0 && look.value < -band) {
            // It may have been above first, in a short hop.
            for (double u = begin + 0.25 * (end - begin); u - begin > kShortestLook * length_;
                 u = begin + 0.25 * (u - begin)) {
                if (!look_at(functions, path, i, u, look)) {
                    return false;
                }
                if (look.value > band) {
                    return true;
                }
                if (look.value >= -band) {
                    break;
                }
            }
            if (!(bounds_[i].bend < std::numeric_limits<double>::infinity())) {
                // What is not smooth may be the least of several: one of them had its event, another has it now.
                return leave_band(functions, path, i, begin, end, found);
            }
            side = -1.0;
            band = 0.0;
        }
    }
    look = {length_, value(kIntervals, i), 0.0};
    return true;
}

// Halves a stretch in which disarmed function i falls below its band, down to the window.
bool EventLocator::leave_band(EventFunctions& functions, const Interpolant& path, std::size_t i, double within,
                              double below, Bracket& found) {
    while (below - within > window()) {
        const double middle = 0.5 * (within + below);
        Look look{};
        if (!look_at(functions, path, i, middle, look)) {
            return false;
        }
        (look.value < -watch_[i].band ? below : within) = middle;
    }
    found = {within, -watch_[i].band, below, -watch_[i].band};
    return true;
}

} // namespace substep
