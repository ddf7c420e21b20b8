// Events: zeros of functions of time and state, located in time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "substep/integrators/interpolant.h"
#include "substep/integrators/ode_system.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// How an event is located in time.
enum class EventLocation {
    DenseOutput,  ///< on the interpolant of the substep that crossed: no further substeps, double roots are found
    RepeatShorter ///< a substep that ends beyond is repeated shorter until it meets the surface: for models undefined
                  ///< there (NaN counts as beyond) and methods with a poorer dense output; dips between are not seen
};

/// An event of the last `advance`.
struct LocatedEvent {
    double t = 0.0;        ///< time, s
    std::size_t event = 0; ///< number of the event function
};

/// How much work a model may do besides evaluations, by its own counts.
struct WorkLimit {
    const OdeSystem* system = nullptr; ///< null: any amount
    std::int64_t most = 0;             ///< of its `work_count`
    std::int64_t most_in_all = 0;      ///< of that and `inner_work_count` together
    bool is_passed() const noexcept {
        return system != nullptr &&
               (system->work_count() > most || system->work_count() + system->inner_work_count() > most_in_all);
    }
};

/// Watches event functions along a trajectory: remembers on which side of zero each one is, and finds the first
/// crossing within a substep. The service owns one; nothing else needs it.
class EventLocator {
public:
    /// What remains between substeps, per event function.
    struct Watch {
        double side = 0.0;    ///< sign of g, +1 or -1; 0: disarmed until |g| > band
        double band = 0.0;    ///< |g| up to which a disarmed function counts as zero
        double largest = 0.0; ///< largest |g| seen
        double t_event = -std::numeric_limits<double>::infinity(); ///< time of its last event
        double crowded = 0.0;                                      ///< its events in a row that time hardly told apart
    };

    enum class Outcome {
        Nothing,
        Found,      ///< see `time` and `events`
        NotANumber, ///< an event function is NaN or infinite
        Spent       ///< the limit on work was passed: only `from` is known to lie before every event
    };

    /// Makes room for n functions of a state of `size` components. Forgets what it watched if n changes.
    void resize(std::size_t n, std::size_t size);

    std::size_t count() const noexcept { return watch_.size(); }

    /// Begins at (t, y). Functions that are zero there are disarmed; so are those that were and have not left their
    /// band. Returns false if one is not finite.
    bool begin(EventFunctions& functions, double t, std::span<const double> y);

    /// Looks for the first event in (from, to] along `path`; `y_to` is the state at `to`. Where there is none, `to` is
    /// the new beginning. A crossing is narrowed to 100 ulp of time by the ITP method (Oliveira & Takahashi, ACM Trans.
    /// Math. Softw. 47, 5, 2020). Of functions with bounds (EventFunctions::bounds_along) no fall is missed; they are
    /// looked at one by one. Of others dips between samples are followed to their bottom, so that double roots are
    /// found.
    Outcome scan(EventFunctions& functions, const Interpolant& path, double from, double to,
                 std::span<const double> y_to, const WorkLimit& limit = {});

    /// Returns whether `y`, made from the path's state at t, is beyond a surface that the path is before, by more than
    /// 1e-9 of the largest |g| seen. `t` lies behind what was looked at last, and before the event found there.
    bool has_passed(EventFunctions& functions, double t, std::span<const double> on_path, std::span<const double> y);

    /// Begins again behind the event found last, at (t, y): its functions are disarmed there. False if one is not
    /// finite.
    bool resume(EventFunctions& functions, double t, std::span<const double> y);

    /// True if the events of one function follow each other faster than time resolves (a ball that comes to rest).
    bool accumulates() const noexcept;

    /// Begins again behind the event found last after the list of functions changed to n: those that are as near zero
    /// as the event's were are disarmed. False if one is not finite.
    bool resume_with(EventFunctions& functions, std::size_t n, double t, std::span<const double> y);

    /// Forgets when events happened: time has jumped.
    void forget_times() noexcept;

    /// For EventLocation::RepeatShorter: how far (t, y) is from the nearest event, as the smallest quotient of |g| and
    /// the largest |g| seen. Negative or zero: beyond it. Infinite: no function is armed. NaN if a function is not
    /// finite.
    double margin(EventFunctions& functions, double t, std::span<const double> y);

    /// The same at the point from which the next scan starts.
    double margin_at_begin() const noexcept;

    /// True if a disarmed function is beyond its event where `margin` looked last: it may have left zero to the other
    /// side first, and come back.
    bool may_have_hopped() const noexcept;

    /// Then, with the substep's start, its derivative f there and its signed length (s): returns how long after the
    /// start such a function is seen on the other side, along the tangent y + s f; 0 if none is.
    double find_hop(EventFunctions& functions, double t, double length, std::span<const double> y,
                    std::span<const double> f);

    /// Arms the functions that have left zero where `margin` looked last. Returns the margin there, of all.
    double arm_hops() noexcept;

    /// True if all events found want the state before the crossing.
    bool wants_before() const noexcept;

    /// Takes the state of the last `margin` as the new beginning.
    void move_on() noexcept;

    /// Makes the functions whose margin was smallest in the last `margin` the event found, at time t.
    void take_nearest(double t);

    double time() const noexcept { return time_; }
    void set_time(double t) noexcept { time_ = t; }
    std::span<const std::size_t> events() const noexcept { return events_; }

    /// What must be saved: now, and as it was where the last look began, so that the look can be repeated.
    std::span<const Watch> watch() const noexcept { return watch_; }
    std::span<const Watch> watch_at_begin() const noexcept { return begun_; }
    double looked_from() const noexcept { return from_; }

    /// Whether event function i, where it is watched, may still have its event: it is not known to be beyond.
    bool may_come(std::size_t i) const noexcept { return watch_[i].side == 0.0 || may_cross(i, watch_[i].side); }

    /// Takes it back, after `begin`.
    void set_watch(std::span<const Watch> watch);

private:
    /// A crossing between two times, given as distances from the scan's start.
    struct Bracket {
        double before = 0.0, g_before = 0.0;
        double after = 0.0, g_after = 0.0;
    };

    /// One function, with bounds, at one time.
    struct Look {
        double at; ///< distance from the scan's start
        double value;
        double rate; ///< per distance
    };

    /// What a look for a dip around a sample found: where g is on the other side, and how far.
    struct Dip {
        std::size_t middle = 0; ///< the sample
        double side = 0.0;      ///< on which g is there
        double at = 0.0;        ///< distance from the scan's start; 0 if it stays on its side
        double beyond = 0.0;    ///< g there
    };

    bool sample(EventFunctions& functions, const Interpolant& path);
    bool take_end(EventFunctions& functions, double to, std::span<const double> y_to);
    bool values_at(EventFunctions& functions, const Interpolant& path, double distance);
    bool value_at(EventFunctions& functions, const Interpolant& path, std::size_t i, double distance);
    bool look_at(EventFunctions& functions, const Interpolant& path, std::size_t i, double distance, Look& look);
    bool first_fall(EventFunctions& functions, const Interpolant& path, std::size_t i, double until, Bracket& found);
    bool search_between(EventFunctions& functions, const Interpolant& path, std::size_t i, Look left, double until,
                        Bracket& found);
    bool close_in(EventFunctions& functions, const Interpolant& path, std::size_t i, Look before, Look after,
                  Bracket& found);
    bool first_above(EventFunctions& functions, const Interpolant& path, std::size_t i, Look& look, Bracket& found);
    bool search_above(EventFunctions& functions, const Interpolant& path, std::size_t i, Look& look, Bracket& found);
    bool leave_band(EventFunctions& functions, const Interpolant& path, std::size_t i, double within, double below,
                    Bracket& found);
    Outcome stopped() const noexcept { return limit_.is_passed() ? Outcome::Spent : Outcome::NotANumber; }
    bool first_crossing(EventFunctions& functions, const Interpolant& path, std::size_t i, Bracket& found);
    bool follow_dip(EventFunctions& functions, const Interpolant& path, std::size_t i, std::size_t middle, double side,
                    Dip& dip);
    bool narrow(EventFunctions& functions, const Interpolant& path, std::size_t i, Bracket& bracket);
    double window() const noexcept;
    bool may_cross(std::size_t i, double side) const noexcept;
    double smallest_margin(std::span<const double> values) const noexcept;
    void go_to(std::span<const double> values) noexcept;
    double value(std::size_t sample, std::size_t i) const noexcept { return samples_[sample * watch_.size() + i]; }

    std::vector<EventTraits> traits_;
    std::vector<EventBounds> bounds_; ///< along the path of the scan
    std::vector<double> probe_;       ///< values at the point looked at last
    std::vector<double> y_;           ///< state at the point looked at last
    std::vector<double> samples_;     ///< values along the substep, sample by sample
    std::vector<double> g_;           ///< values at the point from which the next scan starts
    std::vector<double> residue_;     ///< per function of the event found: largest |g| at the ends of its window
    std::vector<std::size_t> events_;
    double from_ = 0.0; ///< of the scan: time is from_ + sign_ * distance
    double sign_ = 1.0;
    double length_ = 0.0;
    double time_ = 0.0;
    WorkLimit limit_; ///< of the scan

    // Last, beside what else the service saves.
    std::vector<Watch> watch_; ///< at the point from which the next scan starts
    std::vector<Watch> begun_; ///< at the last `begin` or `resume`, or where the last scan started
};

} // namespace substep

#pragma GCC visibility pop
