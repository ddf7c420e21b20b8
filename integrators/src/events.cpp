// Locating events: samples along the dense output, dips followed to their bottom, crossings narrowed in time. Falls of
// functions with bounds are found in event_falls.cpp.
#include "substep/integrators/events.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tolerances.h"

namespace substep {

namespace {

/// How many events of a function have followed each other too closely, if it has another one at t.
double crowded_at(const EventLocator::Watch& watch, double t) noexcept {
    const bool crowds = std::fabs(t - watch.t_event) <= kCrowdedWindows * kEventWindow * std::fabs(t);
    return crowds ? watch.crowded + 1.0 : 0.0;
}

double sign_of(double x) noexcept { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

/// Three points of a function, the lowest between the others, and the parabola through them.
struct Parabola {
    double x[3];
    double g[3];

    /// Place of the extremum; NaN if the points are on a line.
    double vertex() const noexcept {
        const double left = (x[1] - x[0]) * (g[1] - g[2]);
        const double right = (x[1] - x[2]) * (g[1] - g[0]);
        return x[1] - 0.5 * ((x[1] - x[0]) * left - (x[1] - x[2]) * right) / (left - right);
    }

    double value(double at) const noexcept {
        const double slope = (g[1] - g[0]) / (x[1] - x[0]);
        const double bend = ((g[2] - g[1]) / (x[2] - x[1]) - slope) / (x[2] - x[0]);
        return g[0] + (at - x[0]) * (slope + (at - x[1]) * bend);
    }

    bool bends_towards_zero() const noexcept { return (g[1] - g[0]) < (g[2] - g[1]); }

    bool holds_its_lowest() const noexcept { return g[1] <= g[0] && g[1] <= g[2]; }

    /// Takes a fourth point, between the outer two, and drops the one that is no longer a neighbour of the lowest.
    void take(double at, double height) noexcept {
        const bool lower = height < g[1];
        const bool left = at < x[1];
        const int moved = left == lower ? 2 : 0; // the end that comes nearer
        x[moved] = lower ? x[1] : at;
        g[moved] = lower ? g[1] : height;
        if (lower) {
            x[1] = at;
            g[1] = height;
        }
    }
};

} // namespace

void EventLocator::resize(std::size_t n, std::size_t size) {
    if (n != watch_.size()) {
        watch_.assign(n, {});
        begun_.assign(n, {});
        traits_.resize(n);
        bounds_.resize(n);
        probe_.assign(n, 0.0);
        g_.assign(n, 0.0);
        residue_.assign(n, 0.0);
        samples_.assign(n * (kIntervals + 1), 0.0);
        events_.clear();
        events_.reserve(n);
    }
    y_.resize(size);
}

void EventLocator::set_watch(std::span<const Watch> watch) { std::ranges::copy(watch, watch_.begin()); }

// True if leaving the side `side` of zero is an event of function i.
bool EventLocator::may_cross(std::size_t i, double side) const noexcept {
    const EventDirection direction = traits_[i].direction;
    return side != 0.0 && (direction == EventDirection::Both || (direction == EventDirection::Falling) == (side > 0.0));
}

bool EventLocator::begin(EventFunctions& functions, double t, std::span<const double> y) {
    functions.event_values(t, y, g_);
    for (std::size_t i = 0; i < watch_.size(); ++i) {
        if (!std::isfinite(g_[i])) {
            return false;
        }
        traits_[i] = functions.event_traits(i);
        watch_[i].side = std::fabs(g_[i]) > watch_[i].band ? sign_of(g_[i]) : 0.0;
        watch_[i].largest = std::max(watch_[i].largest, std::fabs(g_[i]));
    }
    events_.clear();
    begun_ = watch_;
    from_ = t;
    return true;
}

bool EventLocator::resume(EventFunctions& functions, double t, std::span<const double> y) {
    // What was left of g at the event is zero to rounding, and so is what is left behind it, unless the model has moved
    // far away: then the function watches from there. Beyond the surface the round-off of a projection is no way: from
    // there the function may hop back and come again before the next sample.
    functions.event_values(t, y, g_);
    for (const std::size_t i : events_) {
        const double left = std::fabs(g_[i]);
        const bool is_beyond = !may_cross(i, sign_of(g_[i])) && left <= kClearSign * watch_[i].largest;
        const bool is_far = left > kFarAway * residue_[i] && !is_beyond;
        watch_[i].band = is_far ? 0.0 : 2.0 * std::max(left, residue_[i]);
        watch_[i].crowded = crowded_at(watch_[i], t);
        watch_[i].t_event = t;
    }
    return begin(functions, t, y);
}

bool EventLocator::resume_with(EventFunctions& functions, std::size_t n, double t, std::span<const double> y) {
    double left = 0.0;
    double crowded = 0.0;
    for (const std::size_t i : events_) {
        left = std::max(left, residue_[i]);
        crowded = std::max(crowded, crowded_at(watch_[i], t));
    }
    resize(n, y_.size());
    functions.event_values(t, y, probe_);
    for (std::size_t i = 0; i < n; ++i) {
        if (std::fabs(probe_[i]) <= 2.0 * left) {
            watch_[i] = {.band = 2.0 * left, .t_event = t, .crowded = crowded};
        }
    }
    return begin(functions, t, y);
}

void EventLocator::forget_times() noexcept {
    for (Watch& watch : watch_) {
        watch.t_event = -std::numeric_limits<double>::infinity();
        watch.crowded = 0.0;
    }
}

EventLocator::Outcome EventLocator::scan(EventFunctions& functions, const Interpolant& path, double from, double to,
                                         std::span<const double> y_to, const WorkLimit& limit) {
    const std::size_t n = watch_.size();
    limit_ = limit;
    begun_ = watch_;
    from_ = from;
    sign_ = to >= from ? 1.0 : -1.0;
    length_ = std::fabs(to - from);

    bool any_sampled = false;
    for (std::size_t i = 0; i < n; ++i) {
        const bool falls = traits_[i].direction == EventDirection::Falling;
        bounds_[i] = falls ? functions.bounds_along(i, path, from) : EventBounds{};
        any_sampled = any_sampled || !bounds_[i].is_known();
    }
    if ((any_sampled && !sample(functions, path)) || !take_end(functions, to, y_to)) {
        return stopped();
    }

    // The first crossing of each function; the earliest of all is the event, with those that share its window.
    events_.clear();
    const double window = this->window();
    Bracket first;
    first.after = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        Bracket bracket;
        const bool is_told = bounds_[i].is_known()
                                 ? first_fall(functions, path, i, std::min(length_, first.after + window), bracket)
                                 : first_crossing(functions, path, i, bracket);
        if (!is_told) {
            return stopped();
        }
        if (!(bracket.after > bracket.before) || bracket.before > first.after + window) {
            continue;
        }
        if (!narrow(functions, path, i, bracket)) {
            return stopped();
        }
        if (bracket.after > first.after + window) {
            continue;
        }
        if (bracket.after < first.after - window) {
            events_.clear();
            first = bracket;
        }
        residue_[i] = std::max(std::fabs(bracket.g_before), std::fabs(bracket.g_after));
        first.before = std::min(first.before, bracket.before);
        first.after = std::max(first.after, bracket.after);
        events_.push_back(i);
    }
    if (events_.empty()) {
        go_to(std::span(samples_).subspan(kIntervals * n, n));
        return Outcome::Nothing;
    }

    // The side that is asked for; where several events differ, behind all of them.
    const double at = wants_before() ? first.before : first.after;
    time_ = from_ + sign_ * at;
    time_ = at >= length_ || sign_ * (time_ - to) > 0.0 ? to : time_; // be it by rounding
    return Outcome::Found;
}

// Values between the scan's ends; the beginning is known. Returns false if they are not to be had.
bool EventLocator::sample(EventFunctions& functions, const Interpolant& path) {
    const std::size_t n = watch_.size();
    std::ranges::copy(g_, samples_.begin());
    for (std::size_t j = 1; j < kIntervals; ++j) {
        if (!values_at(functions, path, length_ * static_cast<double>(j) / kIntervals)) {
            return false;
        }
        std::ranges::copy(probe_, samples_.begin() + static_cast<std::ptrdiff_t>(j * n));
    }
    return true;
}

// Values at the scan's end, which is the state itself. Between, a model may say less exactly how far zero is.
bool EventLocator::take_end(EventFunctions& functions, double to, std::span<const double> y_to) {
    const std::size_t n = watch_.size();
    const std::span<double> values = std::span(samples_).subspan(kIntervals * n, n);
    functions.event_values(to, y_to, values);
    for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(values[i])) {
            return false;
        }
        watch_[i].largest = std::max(watch_[i].largest, std::fabs(values[i]));
    }
    return true;
}

// Width of the window in which the scan's crossings are located.
double EventLocator::window() const noexcept {
    return kEventWindow * (std::max(std::fabs(from_), std::fabs(from_ + sign_ * length_)) + length_);
}

bool EventLocator::has_passed(EventFunctions& functions, double t, std::span<const double> on_path,
                              std::span<const double> y) {
    const std::size_t n = watch_.size();
    const std::span<double> there = std::span(samples_).first(n);
    functions.event_values(t, y, there);
    // The side on which the path is needs a look of its own; but a crossing in any direction would have been an event,
    // so that it is still the one from which the last look began.
    const auto may_be_beyond = [&](std::size_t i) {
        const bool is_clear = std::fabs(there[i]) > kClearSign * watch_[i].largest;
        const bool is_known = traits_[i].direction == EventDirection::Both && begun_[i].side * there[i] > 0.0;
        return is_clear && !is_known && may_cross(i, -sign_of(there[i]));
    };
    bool passed = false;
    for (std::size_t i = 0; i < n && !passed; ++i) {
        passed = may_be_beyond(i);
    }
    if (!passed) {
        return false;
    }
    functions.event_values(t, on_path, probe_);
    for (std::size_t i = 0; i < n; ++i) {
        if (may_be_beyond(i) && probe_[i] * there[i] < 0.0) {
            return true;
        }
    }
    return false;
}

// Evaluates the functions without bounds at a distance from the scan's start, if the limit on work is not passed yet.
bool EventLocator::values_at(EventFunctions& functions, const Interpolant& path, double distance) {
    if (limit_.is_passed()) {
        return false;
    }
    const double t = from_ + sign_ * distance;
    path.evaluate(t, y_);
    functions.sampled_values(t, y_, probe_);
    return std::ranges::all_of(probe_, [](double g) { return std::isfinite(g); });
}

// Finds the first crossing of function i that counts; leaves `found` empty if there is none. Returns false on NaN.
bool EventLocator::first_crossing(EventFunctions& functions, const Interpolant& path, std::size_t i, Bracket& found) {
    const double cut = length_ / kIntervals;
    double side = watch_[i].side;
    Dip dip;
    for (std::size_t j = 1; j <= kIntervals; ++j) {
        double g0 = value(j - 1, i);
        const double g1 = value(j, i);
        double u0 = cut * static_cast<double>(j - 1);
        const double u1 = j == kIntervals ? length_ : cut * static_cast<double>(j);
        if (side == 0.0) {
            // Disarmed. It may have left zero and come back before this sample: a short hop in a long substep.
            side = std::fabs(g1) > watch_[i].band ? sign_of(g1) : 0.0;
            if (side == 0.0) {
                continue;
            }
            for (double u = u0 + 0.25 * (u1 - u0); u - u0 > kShortestLook * length_; u = u0 + 0.25 * (u - u0)) {
                if (!values_at(functions, path, u)) {
                    return false;
                }
                if (std::fabs(probe_[i]) <= watch_[i].band) {
                    break;
                }
                if (sign_of(probe_[i]) != side) {
                    side = -side;
                    g0 = probe_[i];
                    u0 = u;
                    break;
                }
            }
            if (side * g1 > 0.0) {
                continue;
            }
        }
        if (side * g1 <= 0.0) {
            if (may_cross(i, side)) {
                found = {u0, g0, u1, g1};
                return true;
            }
            side = sign_of(g1);
            continue;
        }

        // No change of sign: is there a dip to zero and back? Parabolas through neighbours tell where it would be.
        for (const std::size_t middle : {j - 1, j}) {
            if (middle < 1 || middle + 1 > kIntervals || side * value(middle - 1, i) <= 0.0 ||
                side * value(middle, i) <= 0.0 || side * value(middle + 1, i) <= 0.0) {
                continue;
            }
            const bool is_known = dip.middle == middle && dip.side == side; // from the interval before
            if (!is_known && !follow_dip(functions, path, i, middle, side, dip)) {
                return false;
            }
            if (dip.at > u0 && dip.at < u1) {
                // There and back: whichever of the two crossings counts.
                found = may_cross(i, side) ? Bracket{u0, g0, dip.at, dip.beyond} : Bracket{dip.at, dip.beyond, u1, g1};
                if (may_cross(i, side) || may_cross(i, -side)) {
                    return true;
                }
                found = {};
            }
        }
    }
    return true;
}

// Looks for a place where side * g <= 0 near sample `middle`, whose neighbours are all on that side. Leaves `at` zero
// if there is none. Returns false on NaN.
bool EventLocator::follow_dip(EventFunctions& functions, const Interpolant& path, std::size_t i, std::size_t middle,
                              double side, Dip& dip) {
    dip = {.middle = middle, .side = side};
    const double cut = length_ / kIntervals;
    Parabola p{};
    for (std::size_t k = 0; k < 3; ++k) {
        p.x[k] = cut * static_cast<double>(middle - 1 + k);
        p.g[k] = side * value(middle - 1 + k, i);
    }
    const double begin = p.x[0];
    const double end = p.x[2];
    if (!p.bends_towards_zero()) {
        return true;
    }
    int well_told = 0;
    double bottom = p.vertex();
    for (int probe = 0; probe < kDipProbes; ++probe) {
        if (!(bottom > begin && bottom < end)) {
            return true; // the bottom lies in another interval
        }
        const double width = p.x[2] - p.x[0];
        if (width < 1e-7 * length_) {
            return true;
        }
        if (std::fabs(bottom - p.x[1]) < 1e-3 * width) {
            bottom = p.x[1] + (p.x[1] - p.x[0] > p.x[2] - p.x[1] ? -1e-2 : 1e-2) * width;
        }
        const double told = p.value(bottom);
        if (!values_at(functions, path, bottom)) {
            return false;
        }
        const double height = side * probe_[i];
        if (height <= 0.0) {
            dip.at = bottom;
            dip.beyond = probe_[i];
            return true;
        }
        p.take(bottom, height);
        if (!p.holds_its_lowest()) {
            return true; // falls towards an end: no dip here
        }
        bottom = p.vertex();
        well_told = std::fabs(height - told) <= kToldWithin * height ? well_told + 1 : 0;
        if (well_told >= kToldInARow && p.value(bottom) >= kStaysAbove * height) {
            return true;
        }
    }
    return true;
}

// Narrows a crossing to the window. ITP: the secant, moved towards the middle, and held near enough to it that
// bisection is never beaten by more than one step.
bool EventLocator::narrow(EventFunctions& functions, const Interpolant& path, std::size_t i, Bracket& b) {
    const double window = this->window();
    double reach = 0.5 * window;
    while (reach < 0.5 * (b.after - b.before)) {
        reach *= 2.0;
    }
    reach *= 2.0;
    const double truncation = 0.2 / (b.after - b.before);
    while (b.after - b.before > window) {
        const double width = b.after - b.before;
        const double middle = 0.5 * (b.before + b.after);
        const double secant = (b.g_after * b.before - b.g_before * b.after) / (b.g_after - b.g_before);
        const double towards = middle >= secant ? 1.0 : -1.0;
        const double shift = std::max(truncation * width * width, 0.25 * window);
        const double moved = shift <= std::fabs(middle - secant) ? secant + towards * shift : middle;
        const double room = std::max(reach - 0.5 * width, 0.0);
        const double at = std::fabs(moved - middle) <= room ? moved : middle - towards * room;
        reach *= 0.5;
        if (!value_at(functions, path, i, at)) {
            return false;
        }
        const double g = probe_[i];
        if (sign_of(g) == sign_of(b.g_before)) {
            b.before = at;
            b.g_before = g;
        } else {
            b.after = at;
            b.g_after = g;
        }
    }
    return true;
}

bool EventLocator::accumulates() const noexcept {
    return std::ranges::any_of(watch_, [](const Watch& watch) { return watch.crowded >= kCrowdedEvents; });
}

double EventLocator::margin(EventFunctions& functions, double t, std::span<const double> y) {
    functions.event_values(t, y, probe_);
    return smallest_margin(probe_);
}

double EventLocator::margin_at_begin() const noexcept { return smallest_margin(g_); }

double EventLocator::smallest_margin(std::span<const double> values) const noexcept {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < watch_.size(); ++i) {
        if (!std::isfinite(values[i])) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        if (may_cross(i, watch_[i].side)) {
            smallest = std::min(smallest, watch_[i].side * values[i] / watch_[i].largest);
        }
    }
    return smallest;
}

bool EventLocator::may_have_hopped() const noexcept {
    for (std::size_t i = 0; i < watch_.size(); ++i) {
        if (watch_[i].side == 0.0 && std::fabs(probe_[i]) > watch_[i].band && may_cross(i, -sign_of(probe_[i]))) {
            return true;
        }
    }
    return false;
}

// From short times to long ones, by quarters: where a function is clear of what was left of it at the start it tells to
// which side it leaves.
double EventLocator::find_hop(EventFunctions& functions, double t, double length, std::span<const double> y,
                              std::span<const double> f) {
    const std::size_t n = watch_.size();
    const std::span<double> ends = std::span(samples_).first(n);
    const std::span<double> sides = std::span(samples_).subspan(n, n);
    std::ranges::copy(probe_, ends.begin());
    std::ranges::fill(sides, 0.0);
    double found = 0.0;
    for (double part = kShortestHop; part < 1.0 && found == 0.0; part *= 4.0) {
        for (std::size_t k = 0; k < y.size(); ++k) {
            y_[k] = y[k] + part * length * f[k];
        }
        functions.event_values(t + part * length, y_, probe_);
        for (std::size_t i = 0; i < n; ++i) {
            if (watch_[i].side == 0.0 && sides[i] == 0.0 && std::fabs(probe_[i]) > kClearOfRest * watch_[i].band) {
                sides[i] = sign_of(probe_[i]);
                if (sides[i] * ends[i] < 0.0 && may_cross(i, sides[i])) {
                    found = part * length;
                }
            }
        }
    }
    std::ranges::copy(ends, probe_.begin());
    return found;
}

double EventLocator::arm_hops() noexcept {
    for (std::size_t i = 0; i < watch_.size(); ++i) {
        if (watch_[i].side == 0.0 && std::fabs(probe_[i]) > watch_[i].band) {
            watch_[i].side = sign_of(probe_[i]);
        }
    }
    return smallest_margin(probe_);
}

void EventLocator::move_on() noexcept {
    begun_ = watch_;
    go_to(probe_);
}

// The values at the point from which the next scan starts, and the sides they establish.
void EventLocator::go_to(std::span<const double> values) noexcept {
    for (std::size_t i = 0; i < watch_.size(); ++i) {
        const double g = values[i];
        if (std::fabs(g) > watch_[i].band) {
            watch_[i].side = sign_of(g);
            watch_[i].band = 0.0;
        }
        watch_[i].largest = std::max(watch_[i].largest, std::fabs(g));
        g_[i] = g;
    }
}

void EventLocator::take_nearest(double t) {
    begun_ = watch_;
    events_.clear();
    time_ = t;
    const double smallest = smallest_margin(probe_);
    for (std::size_t i = 0; i < watch_.size(); ++i) {
        if (may_cross(i, watch_[i].side)) {
            const double margin = watch_[i].side * probe_[i] / watch_[i].largest;
            if (margin <= 0.0 || margin == smallest) {
                residue_[i] = std::fabs(probe_[i]);
                events_.push_back(i);
            }
        }
    }
}

bool EventLocator::wants_before() const noexcept {
    return std::ranges::all_of(events_, [&](std::size_t i) { return traits_[i].side == EventSide::Before; });
}

} // namespace substep
