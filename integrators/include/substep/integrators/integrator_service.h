// The integrator as a service: a method, a controller and their memory behind one call.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "substep/integrators/error_norm.h"
#include "substep/integrators/events.h"
#include "substep/integrators/exact_advance.h"
#include "substep/integrators/integration_method.h"
#include "substep/integrators/interpolant.h"
#include "substep/integrators/ode_system.h"
#include "substep/integrators/step_controller.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

namespace detail {

struct MemoryHeader;

/// A member that knows whether the object that it is part of was moved from, and whether a call of it is under way.
/// That finds a mistake, a call within a call or beside one of another thread; it keeps no threads apart.
class UseMark {
public:
    UseMark() = default;
    UseMark(UseMark&& other) noexcept : whole_(std::exchange(other.whole_, false)) {}
    UseMark& operator=(UseMark&& other) noexcept {
        whole_ = std::exchange(other.whole_, false);
        return *this;
    }

    bool is_whole() const noexcept { return whole_; }
    bool is_in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }
    void set_in_use(bool in_use) noexcept { in_use_.store(in_use, std::memory_order_relaxed); }

private:
    bool whole_ = true;
    std::atomic<bool> in_use_ = false;
};

} // namespace detail

/// Where a step ends.
enum class Boundary {
    Exact,   ///< substeps end exactly at t1; the interval is split evenly
    RunAhead ///< substeps keep their natural length, the last one passes t1, and t1 is read from the dense output
};

/// The method of a service that was told none.
inline constexpr std::string_view kDefaultMethod = "cash_karp54";

/// Everything a user may set. Plain data; may be changed between any two calls of `advance`.
struct IntegratorSettings {
    /// Name of a row of the table of methods (`substep list`). Empty: `kDefaultMethod`; "auto" in a World, and in a
    /// body that has settings of its own the world's.
    std::string method{};

    /// Substeps per call of `advance`, for methods without error estimate; adaptive methods ignore it. 1 to 1e6; for
    /// `soft_steps` 4 to 16, where 1 stands for 8.
    int substeps = 1;

    /// Of the method `theta`: 1 damps what a substep does not resolve and is stable, 1/2 keeps more of the energy and
    /// may blow up where joints whip. 1/2 to 1.
    double theta = 1.0;

    /// Has `theta` make every substep that would be unstable under a method with a given number of them, not only those
    /// that a budget made longer. For systems that offer a frequency bound and a linearly implicit step.
    bool stabilise = false;

    /// Absolute and relative tolerance of a substep's *local* error, in the units of the error norm: metres (and
    /// radians times the body's radius of gyration) for bodies. Positive. Far below 1e-13 round-off answers. Where
    /// slips and bounces of bodies come to rest, atol alone counts, under fixed methods too.
    double atol = 1e-8;
    double rtol = 1e-8;

    /// Bounds and first value of the substep length in seconds. At h_min a substep is accepted whatever its error, and
    /// the report says degraded. h_initial = 0: chosen from the derivative and how fast it changes, for one evaluation
    /// (Hairer, Norsett & Wanner I, II.4); where that cannot be had, a tenth of the first interval.
    double h_min = 0.0;
    double h_max = std::numeric_limits<double>::infinity();
    double h_initial = 0.0;

    /// Evaluations that one `advance` may make, those for dense output included; 0: no limit. What a model does besides
    /// (StepReport::contact_work) is spent from it too, but for the last velocity step of an advance. One fifth of it
    /// is a reserve: an adaptive method notices nothing before only that is left, or before substeps that grow as fast
    /// as its controller allows would not arrive with the rest. From there on substeps are stretched, up to what is
    /// left of the interval over the substeps that the budget pays for, and accepted although their error is above the
    /// tolerance, which the report says. What is not finite, or whose error is larger than the state itself, is not
    /// accepted: where no longer substep is good, the advance ends with BudgetExhausted. Five quarters of what an
    /// advance needs without a budget change no bit of it.
    int budget = 0;

    /// Scheduled hard stop, s: the model is never evaluated beyond it (but by compositions with a negative substep
    /// inside, such as yoshida4), and an `advance` that would pass it ends there with StepStatus::ReachedStop. For
    /// inputs that change at a known time, and data that ends.
    double t_stop = std::numeric_limits<double>::infinity();

    EventLocation event_location = EventLocation::DenseOutput; ///< for systems with event functions
    Boundary boundary = Boundary::Exact;
    ErrorNorm norm = ErrorNorm::Mixed; ///< for systems without an error measure of their own
    ControllerSettings controller{};

    bool operator==(const IntegratorSettings&) const = default;
};

/// The settings of origin "nr": Cash-Karp as Press et al. drive it (Numerical Recipes in C, 2nd ed., 16.2), with
/// relative tolerance `eps` and first substep `h_initial` (s).
IntegratorSettings nr_settings(double eps, double h_initial);

/// The settings of origin "simbody": semi-explicit Euler with step doubling and hysteresis, as Simbody drives it
/// (SimTK::SemiExplicitEuler2Integrator), with accuracy `accuracy` and first pair of steps `h_initial` (s).
IntegratorSettings simbody_settings(double accuracy, double h_initial);

/// The settings of origin "medium": `method` with Euclidean error per unit step below `tolerance`, a first substep of a
/// tenth of `interval` (s), and completion guaranteed by accepting whatever error at a thousandth of it. Differs from
/// the original in the root, which fits error per unit step.
IntegratorSettings medium_settings(std::string_view method, double tolerance, double interval);

/// The settings of origin "garcia": fourth-order Runge-Kutta by step doubling with relative error `error` between the
/// two results (Garcia, Numerical Methods for Physics, 3.2), with first substep `h_initial` (s).
IntegratorSettings garcia_settings(double error, double h_initial);

/// Throws std::invalid_argument, naming the value and the allowed range, unless every setting is usable.
void validate(const IntegratorSettings& settings);

/// Returns "exact" or "runahead".
std::string_view to_string(Boundary boundary) noexcept;

/// Why `advance` returned. Declared from best to worst.
enum class StepStatus {
    ReachedTarget,   ///< the state is at t1
    EventLocated,    ///< an event asked to stop: the state is at the event
    ReachedStop,     ///< t1 lies beyond IntegratorSettings::t_stop: the state is there
    BudgetExhausted, ///< the budget pays for no further substep, or none short enough: the state is where simulated
                     ///< time ended
    StepTooSmall,    ///< the substep fell below what time can resolve, and its error is still too large
    NonFinite,       ///< the model or an event function returned NaN or infinity: the state is the last good one
    ModelThrew,      ///< the model threw an exception: the state is the last good one
    InvalidInput,    ///< nothing was done: a time or state is not finite, or a size does not fit
    Interrupted      ///< the flag of `set_interrupt` was raised: how far the state came depended on when
};

/// Returns true for the statuses that are not failures: ReachedTarget, EventLocated and ReachedStop.
bool succeeded(StepStatus status) noexcept;

/// Returns the status as one lower-case word, e.g. "reached_target".
std::string_view to_string(StepStatus status) noexcept;

/// What velocity steps did in one `advance`; all zero where there were none.
struct VelocityStepsReport {
    std::int64_t iterations = 0;      ///< of their solver
    std::int64_t unconverged = 0;     ///< steps whose iterations ran out
    double residual = 0.0;            ///< m/s, the most that a step's last iteration changed
    double deepest_penetration = 0.0; ///< m
    int contacts = 0;                 ///< most that a step had
    std::int64_t fresh_contacts = 0;  ///< met for the first time

    void add(const VelocityStepResult& step) noexcept;
    void merge(const VelocityStepsReport& other) noexcept; ///< as StepReport::merge
};

/// What one `advance` did. Everything counted since the call began.
struct StepReport {
    StepStatus status = StepStatus::ReachedTarget;
    double requested = 0.0;                ///< t1 - t0, s
    double simulated = 0.0;                ///< time by which the state advanced, s
    std::int64_t accepted = 0;             ///< accepted substeps
    std::int64_t accepted_after_retry = 0; ///< those of them that had been rejected before
    std::int64_t rejected = 0;             ///< rejected attempts
    std::int64_t contact_work = 0;         ///< spent besides evaluations, in evaluations: OdeSystem::work_count
    std::int64_t evaluations = 0;          ///< calls of `derivative` (or force, or velocity_step)
    std::int64_t sampling_evaluations = 0; ///< made besides by `sample` since the last `advance`
    std::int64_t projections = 0;          ///< calls of `project`
    std::int64_t fallback_substeps = 0;    ///< accepted ones that `theta` made: the method would have been unstable
    std::int64_t events = 0;               ///< located events, simultaneous ones counted singly
    int order = 0;                   ///< global order of this result: the method's, or less where the model forbids it
    double h_smallest = 0.0;         ///< shortest accepted substep, s; 0 if none was made
    double h_largest = 0.0;          ///< longest accepted substep, s
    double achieved_tolerance = 0.0; ///< largest accepted error times the tolerance asked for; 0 for fixed methods.
                                     ///< Or by more: the length, m, that contacts gave up for their number
    bool degraded = false;  ///< the budget, h_min or most bounces overruled the tolerance, the substeps or the time; or
                            ///< velocity steps did not converge, or left bodies in one another
    bool met_bound = false; ///< the bound on the step's cost was met, or would have been for certain
    bool unstable = false;  ///< omega h passed the method's stability limit
    VelocityStepsReport velocity_steps{};
    bool restarted = false;              ///< memory was dropped: something outside changed the state or the model
    Boundary boundary = Boundary::Exact; ///< the one used: RunAhead waits for a few steps behind a change

    std::string_view method{}; ///< that the substeps were made with; "several" where islands differ
    std::string_view reason{}; ///< why `auto` chose it, in a few words; empty where nothing was chosen

    /// What went wrong, in one sentence; empty where nothing did. Belongs to the service, until its next `advance`.
    std::string_view message{};

    /// Adds the report of another island of the same step: counts are summed, of the rest the worst is kept.
    /// `requested` and `simulated` stay.
    void merge(const StepReport& other) noexcept;
};

/// One attempt at a substep.
struct SubstepAttempt {
    double h = 0.0;     ///< s
    double error = 0.0; ///< in units of the tolerance; 0 for fixed methods
    bool accepted = true;
};

/// Advances a system in time with a chosen method, tolerance and budget.
///
/// `advance` allocates nothing after the first call for a given method and size, throws nothing, and gives the
/// same bits for the same calls. Not thread-safe; one service per system. A call from within a call, by the model or by
/// another thread, is found and refused: by `advance` as invalid input, by `configure` with std::logic_error. So is
/// what was moved from, which may only be destroyed or assigned to; it restores nothing and saves no bytes.
class IntegratorService {
public:
    IntegratorService();
    IntegratorService(IntegratorService&&) = default;
    IntegratorService& operator=(IntegratorService&&) = default;
    IntegratorService(const IntegratorService&) = delete; ///< `save` and `restore` copy memory
    IntegratorService& operator=(const IntegratorService&) = delete;

    /// Takes over settings, effective from the next `advance`. Step memory (the remembered h, a segment that ran
    /// ahead) is kept where it still means something: a new method starts a new segment at the state handed out
    /// last and keeps h. Throws std::invalid_argument naming the value and the allowed range, or the capability
    /// that `system` lacks; the service is then as before.
    void configure(OdeSystem& system, const IntegratorSettings& settings);

    /// Changes the budget alone, effective from the next `advance`; 0: no limit.
    void set_budget(int budget) noexcept { settings_.budget = budget; }

    /// Evaluations after which the next `advance` and later ones make no further substep, if `bound` is positive; 0:
    /// none. No small budget: nothing knows of it until the next substep may pass it. What is left of the interval is
    /// then made in one substep, by `theta` where the model offers it, or by a velocity step under methods made of
    /// these, if that throws nothing far; else the advance ends there with BudgetExhausted. Not saved.
    void set_bound(std::int64_t bound) noexcept { bound_ = bound; }

    /// Changes the scheduled stop alone, effective from the next `advance`: a step that ran ahead past it is made
    /// again.
    void set_stop(double t_stop) noexcept {
        settings_changed_ = settings_changed_ || t_stop != settings_.t_stop;
        settings_.t_stop = t_stop;
    }

    const IntegratorSettings& settings() const noexcept { return settings_; }
    const MethodInfo& method_info() const noexcept { return *info_; }

    /// While `*interrupt` is true, `advance` begins no further substep and returns StepStatus::Interrupted: for hosts
    /// that have to end a step from another thread, or from a signal. Where it ends is not reproducible: go back to a
    /// state from before the call. A flag that is not raised changes no bit. It must outlive the service, or be
    /// replaced; null: there is none.
    void set_interrupt(const std::atomic<bool>* interrupt) noexcept { interrupt_ = interrupt; }

    /// Advances `y` in place from t0 to t1; backwards if t1 < t0, which velocity and linearly implicit steps refuse. On
    /// any status but ReachedTarget, `y` is the last good state, at t0 + report.simulated. A t0 that differs from the
    /// last t1 by rounding alone, as `frame * dt` does from a sum, goes on from there.
    StepReport advance(OdeSystem& system, double t0, double t1, std::span<double> y) noexcept;

    /// Writes the state at time t, within the last substep, to `y` (dense output, unprojected). Returns false if t lies
    /// outside [segment_begin(), segment_end()], or the model throws. May evaluate the system up to four times per
    /// segment; the next `advance` reports those evaluations beside its own. Changes nothing that the future depends
    /// on.
    bool sample(OdeSystem& system, double t, std::span<double> y) noexcept {
        if (interpolant_.is_set() && use_mark_.is_whole() && t != t_end_ && y.size() == workspace_.size() &&
            t >= segment_begin() && t <= segment_end()) {
            interpolant_.evaluate(t, y);
            return true;
        }
        return begin_sampling(system, t, y);
    }

    /// Whether an `advance` from (t, y) would go on from the last one, and event function `event` is watched there on
    /// its way to an event, or behind its last one. A state read within a segment that ran ahead may be an ulp beyond a
    /// surface that the segment has still ahead: what its zero means there is answered at the event.
    bool awaits_event(const OdeSystem& system, double t, std::span<const double> y, std::size_t event) const noexcept;

    /// Events of the last `advance`, oldest first (the last 64 of them).
    std::span<const LocatedEvent> located_events() const noexcept { return located_; }

    /// Component of the state whose error was largest, compared with its tolerance, in the last attempt at a substep:
    /// what limits h. Returns system.size() if there was none, or the method estimates no error.
    std::size_t limiting_component(OdeSystem& system) const;

    double segment_begin() const noexcept { return direction_ > 0.0 ? t_begin_ : trusted_end(); }
    /// The state at segment_begin(), where the segment has a length.
    std::span<const double> segment_start() const noexcept {
        return use_mark_.is_whole() ? std::span<const double>(workspace_.y0) : std::span<const double>();
    }
    double segment_end() const noexcept { return direction_ > 0.0 ? trusted_end() : t_begin_; }

    /// Forgets the segment and remembered derivatives, keeps h: the next `advance` starts from the state it is given.
    void drop_segment() noexcept;

    /// Forgets on which sides of zero event functions were: the model has others now. They are watched anew from where
    /// the next `advance` starts, and the segment ends there.
    void forget_events() noexcept;

    /// Whether Boundary::RunAhead may be used, where it is set: false suspends it until it is allowed again.
    void allow_run_ahead(bool allowed) noexcept { run_ahead_allowed_ = allowed; }

    /// Forgets everything: the next `advance` is like the first.
    void reset() noexcept;

    /// Substep length that the controller would choose next, s; 0 before the first step. Settable, for islands
    /// that merge: the new island takes the smallest of its bodies.
    double remembered_step() const noexcept { return h_next_; }
    void set_remembered_step(double h) noexcept;

    /// Attempts of the last `advance`, oldest first (the last 64 of them).
    std::span<const SubstepAttempt> attempts() const noexcept { return {attempts_.data(), attempt_count_}; }

    /// Appends everything the future depends on to `bytes`; never coefficients: `restore` re-evaluates them. Where
    /// `known`, a state that the caller keeps itself, is the state handed out last, that is not written again.
    void save(std::vector<std::byte>& bytes, std::span<const double> known = {}) const;

    /// Writes the same to the front of `room`, if it suffices, and returns how many bytes it takes. A caller that knows
    /// `known` to be `handed_out` says so by `is_handed_out`: its numbers are not looked at then.
    std::size_t save(std::span<std::byte> room, std::span<const double> known, bool is_handed_out) const noexcept;

    /// The state handed out last; empty before there was one.
    std::span<const double> handed_out() const noexcept {
        return has_memory_ ? std::span<const double>(handed_) : std::span<const double>();
    }

    /// Takes memory back from the front of `bytes`, and removes it there. Returns false, with the service reset, if
    /// the bytes are not such a memory. `system` and `known` must be as they were when they were saved.
    bool restore(OdeSystem& system, std::span<const std::byte>& bytes, std::span<const double> known = {});

    /// What is remembered, where that is no more than an AdvanceMemory tells beside the state handed out; and a service
    /// of a system that remembers that, with the state `handed` out last.
    std::optional<AdvanceMemory> advance_memory() const noexcept;
    void set_advance_memory(OdeSystem& system, const AdvanceMemory& memory, std::span<const double> handed);

    /// Returns the bytes of this object that `save` looks at, for hosts that save many: they may be fetched ahead.
    std::span<const std::byte> saved_part() const noexcept {
        // From the two lists that the locator ends with to the list that the workspace begins with.
        constexpr std::size_t kOfLocator = 2 * sizeof(std::vector<EventLocator::Watch>);
        constexpr std::size_t kOfWorkspace = sizeof(std::vector<double>);
        const auto* const begin = reinterpret_cast<const std::byte*>(&locator_) + sizeof locator_ - kOfLocator;
        const auto* const end = reinterpret_cast<const std::byte*>(&workspace_) + kOfWorkspace;
        return {begin, end};
    }

private:
    // One advance, in the order in which it happens.
    const char* why_unusable() const noexcept;
    StepReport advance_alone(OdeSystem& system, double t0, double t1, std::span<double> y) noexcept;
    bool is_valid(OdeSystem& system, double t0, double t1, std::span<const double> y, StepReport& report) noexcept;
    void prepare(OdeSystem& system);
    bool is_handed_time(double t) const noexcept;
    bool is_untouched(const OdeSystem& system, double t, std::span<const double> y) const noexcept;
    bool adopt(OdeSystem& system, double& t0, std::span<const double> y, StepReport& report);
    void restart(double t0, std::span<const double> y) noexcept;
    void run_fixed(OdeSystem& system, double t0, double t1, StepReport& report);
    int affordable_of_all(int wanted, StepReport& report) const noexcept;
    bool make_fixed_substep(OdeSystem& system, double t_target, double h, StepReport& report);
    bool finish_grid_interval(OdeSystem& system, double t_target, StepReport& report);
    void run_adaptive(OdeSystem& system, double t1, StepReport& report);
    bool make_substep(OdeSystem& system, double t1, StepReport& report);
    void hand_out(OdeSystem& system, double t0, double t1, std::span<double> y, StepReport& report);
    bool is_interrupted(StepReport& report) const noexcept;
    bool passes_surface(OdeSystem& system, double t1);
    void remake_segment(OdeSystem& system, double t0, double t1, std::span<const double> y, StepReport& report);
    void recover(double t0, double t1, std::span<double> y, const char* what, StepReport& report) noexcept;

    // One adaptive substep, in the order in which it happens.
    struct Search;
    struct Trial;
    enum class Verdict { Accepted, Rejected, Incredible, LeftManifold, Failed };
    Search begin_search(OdeSystem& system, double t1, StepReport& report);
    double longest_ahead(OdeSystem& system, double requested) const;
    bool is_free(const Search& search, const StepReport& report) const noexcept;
    void look_under_guard(OdeSystem& system, Search& search, StepReport& report);
    void fit_length(Search& search, std::int64_t affordable, const StepReport& report) const noexcept;
    double stretch(const Search& search, const StepReport& report) const noexcept;
    bool keep_stable(Search& search, std::int64_t affordable) const noexcept;
    bool tells_no_error(const StepOutcome& outcome) const noexcept;
    Trial try_length(OdeSystem& system, const Search& search, StepReport& report);
    Verdict conclude(OdeSystem& system, double t1, const Search& search, const Trial& trial, StepReport& report);
    bool give_up(OdeSystem& system, const Search& search, StepStatus status, const char* sentence, StepReport& report);

    // Parts of a substep.
    void begin_substep() noexcept;
    void abandon_substep() noexcept;
    void accept(double h, double error, StepReport& report) noexcept;
    void record_attempt(double h, double error, bool accepted) noexcept;
    void end_segment(double h, double t1) noexcept;

    // The stability guard: what the budget or h_min would make unstable is made by `theta`.
    bool is_guarded(OdeSystem& system) const noexcept;
    void set_guard(OdeSystem& system) noexcept;
    double frequency_at_start(OdeSystem& system, StepReport& report);
    /// Models may underestimate: a chain's estimate is three quarters of its fastest vibration.
    bool is_stable(double omega, double h) const noexcept { return 1.4 * omega * h <= info_->imaginary_limit; }
    /// Under the guard the first stage is evaluated at the start, for the frequency that comes with it.
    bool evaluates_anew() const noexcept { return guarded_ && info_->needs == MethodNeeds::Derivative; }
    /// Whether a method's last stage is the next substep's first.
    bool reuses_last() const noexcept { return info_->first_same_as_last && !projects_ && !evaluates_anew(); }
    double fastest_rate(FrequencyBound& bound) const noexcept;
    void know_first_stage() noexcept;
    bool make_fallback_substep(OdeSystem& system, double h, StepReport& report);

    // What was spent, and the bound.
    static std::int64_t spent(const StepReport& report) noexcept { return report.evaluations + report.contact_work; }
    void count_work(OdeSystem& system, StepReport& report) const noexcept {
        report.contact_work = system.work_count() - work_at_begin_;
    }
    WorkLimit work_limit(const OdeSystem& system, const StepReport& report) const noexcept;
    bool give_up_scan(OdeSystem& system, StepReport& report);
    bool is_beyond_bound(const OdeSystem& system, const StepReport& report) const noexcept;
    std::int64_t left_of_bound(const OdeSystem& system, const StepReport& report) const noexcept;
    bool foresees_bound(OdeSystem& system, const Search& search, const StepReport& report) const noexcept;
    const IntegrationMethod* finisher(OdeSystem& system) const noexcept;
    bool finish_in_one_substep(OdeSystem& system, double t1, StepReport& report);
    bool is_near(OdeSystem& system);
    bool throws_far(OdeSystem& system);

    bool can_fall_back(const StepReport& report) const noexcept {
        return guarded_ && pays_for_fallback(report, finds_on_path_);
    }
    void order_attempts() noexcept;
    double short_of_stop(double h) const noexcept;
    double first_length(OdeSystem& system, double remaining, StepReport& report);
    Projection* manifold_of(OdeSystem& system) const noexcept;
    bool project(Projection* manifold, double t, std::span<double> y, StepReport& report);
    bool project_sample(Projection* manifold, double t, std::span<double> y, StepReport& report);
    double measure(OdeSystem& system, std::span<const double> error, double h) const;
    double measure_error(OdeSystem& system, double h) const;
    bool is_credible(OdeSystem& system) const;
    void remember_overruled() noexcept;
    bool has_diverged(OdeSystem& system) const;
    bool return_to_overruled(StepReport& report) noexcept;
    void watch_stability(OdeSystem& system, double h, StepReport& report) const noexcept;
    int make_interpolant(OdeSystem& system);
    void evaluate_end(OdeSystem& system, double t);
    void know_end_again(OdeSystem& system, double t);
    /// The first stage is evaluated anew, where the substep begins.
    void forget_first_stage() noexcept {
        workspace_.k0_ready = false;
        t_first_ = t_begin_;
    }
    bool begin_sampling(OdeSystem& system, double t, std::span<double> y) noexcept;
    double remaining_to(double t) const noexcept { return direction_ * ((t - t_end_) - t_carry_); }

    // Events.
    void begin_watched_substep(OdeSystem& system);
    StepOutcome attempt_substep(OdeSystem& system, double h);
    void begin_watched_attempt(OdeSystem& system, double t, double h);
    bool begin_to_look(OdeSystem& system, double t, std::span<const double> y);
    bool watch_segment(OdeSystem& system, double t1, StepReport& report);
    bool stands(OdeSystem& system, double t1, StepReport& report);
    void take_back(OdeSystem& system, StepReport& report);
    bool look_for_event(OdeSystem& system, double from, const WorkLimit& limit, StepReport& report);
    bool event_is_due(double t1) const noexcept;
    bool fire_event(OdeSystem& system, StepReport& report);
    bool refuse_event_value(StepReport& report) noexcept;
    enum class Meeting { None, Found, Failed };
    Meeting meet_surface(OdeSystem& system, double& h, StepReport& report);
    double find_hop(OdeSystem& system, double h, StepReport& report);
    bool arrived_at_surface(OdeSystem& system);
    void follow_tangent(double h, std::span<double> end) const noexcept;
    bool leads_beyond_event(OdeSystem& system, double h);
    bool is_undefined_beyond_event(OdeSystem& system, double h, StepReport& report);
    void end_segment_at(double t, std::span<const double> y) noexcept;
    void retreat_before_event(double t) noexcept;
    /// Behind an event that waits to be reached, the segment is no prediction any more.
    double trusted_end() const noexcept { return event_pending_ ? locator_.time() : t_end_; }
    bool repeats_shorter() const noexcept {
        return locator_.count() > 0 && settings_.event_location == EventLocation::RepeatShorter;
    }

    // Memory as bytes, and back.
    static std::uint32_t hash_of(std::string_view method) noexcept;
    bool restore_memory(OdeSystem& system, std::span<const std::byte>& bytes, const detail::MemoryHeader& header,
                        std::span<const double> known);
    bool restore_events(OdeSystem& system, std::span<const std::byte>& bytes, bool has_segment);

    // The budget.
    bool next_stage_is_known() const noexcept;
    std::int64_t substep_cost() const noexcept;
    void say_what_would_pay(StepReport& report) noexcept;
    std::int64_t affordable_substeps(std::int64_t spent, bool stage_known) const noexcept;
    std::int64_t reserve() const noexcept;
    bool pays_for_last_step(const StepReport& report) const noexcept;
    bool pays_for_fallback(const StepReport& report, bool samples) const noexcept;
    int dense_cost() const noexcept;

    detail::UseMark use_mark_;
    IntegratorSettings settings_;
    const IntegrationMethod* method_ = nullptr;
    const IntegrationMethod* fallback_ = nullptr; ///< `theta`
    const std::atomic<bool>* interrupt_ = nullptr;
    StepController controller_;

    std::int64_t bound_ = 0; ///< evaluations of an advance; 0: none
    std::int64_t inner_at_begin_ = 0;
    std::int64_t work_at_begin_ = 0; ///< of this advance, by the model's count
    int finishing_ = 0;              ///< substeps of this advance made beyond its bound
    bool adopted_ = false;           ///< this advance has taken over t0 and y
    bool attempting_ = false;        ///< between begin_substep and accept
    bool guarded_ = false;           ///< the guard is on
    bool guards_reserve_ = false;    ///< it goes on, in this advance, where the budget is noticed
    bool coarsened_ = false;         ///< the budget has made a fixed method's grid coarser
    bool end_moved_ = false;         ///< this substep ends elsewhere than where its last stage was evaluated
    bool projects_ = false; ///< the system has a manifold: derivatives at a substep's end are evaluated anew behind it
    bool run_ahead_allowed_ = true;
    bool taken_back_ = false;    ///< the model did not let the substep just made stand
    bool finds_on_path_ = false; ///< every substep needs its dense output
    double h_standing_ = 0.0;    ///< s: a fixed method's substeps are no longer than the model lets stand
    double floor_limit_ = 0.0;   ///< s: in this advance a budget's floor as long as that was no length for the method
    double t_overruled_ = 0.0;   ///< s: where the first substep of this advance began that the budget overruled, or NaN
    double f1_frequency_ = 0.0;  ///< rad/s, the model's fastest there
    double k0_frequency_ = 0.0;  ///< the same at the substep's start, where k(0) was taken over from f1_
    std::int64_t sampling_evaluations_ = 0; ///< made by `sample` since the last `advance`
    std::uint64_t revision_ = 0;            ///< of the system, when the caller was handed its state

    std::array<SubstepAttempt, 64> attempts_{}; ///< of the last advance
    std::size_t attempt_count_ = 0;
    std::array<char, 256> message_{};

    std::vector<LocatedEvent> located_; ///< of the last advance
    std::vector<double> event_state_;   ///< at an event, for the model to change
    std::vector<double> as_it_was_;     ///< the same before it did; without events before what the budget overruled

    std::vector<double> f1_;     ///< derivative at the segment's end
    std::vector<double> handed_; ///< what the caller was handed last: a difference means that something outside changed

    // What `save` looks at lies side by side, from the end of one to the beginning of the last: of a thousand services
    // it costs what the cache has to fetch.
    EventLocator locator_;
    // The segment: the last substep, from t_begin_ to t_end_ + t_carry_ (compensated sum), its ends in y0 and y1.
    const MethodInfo* info_ = nullptr; ///< the method's row
    std::uint32_t method_hash_ = 0;    ///< of its name
    int calm_ = 0;                     ///< steps since the last change from outside, up to kCalmSteps
    bool has_memory_ = false;
    bool settings_changed_ = false;
    bool by_fallback_ = false;   ///< `theta` made the segment
    bool fsal_ready_ = false;    ///< the workspace's last stage is the next substep's first
    bool f1_ready_ = false;      ///< f1_ is
    bool event_pending_ = false; ///< an event was found in the segment but not reached yet
    double direction_ = 1.0;     ///< +1 forwards in time, -1 backwards; lengths h are positive either way
    double t_handed_ = 0.0;      ///< of the state handed out
    double t_begin_ = 0.0;
    double t_end_ = 0.0;
    double t_carry_ = 0.0;
    double t_first_ = 0.0;   ///< s: where its first stage was evaluated: by rounding not where it begins, if it was the
                             ///< last one of the substep before
    double t_known_ = 0.0;   ///< s: the same of what the next substep's first stage is known by
    double h_segment_ = 0.0; ///< its length, signed, as the method was given it; 0: no segment, just a point
    double h_next_ = 0.0;
    StepController::History history_;
    Interpolant interpolant_; ///< dense output of the segment
    StepWorkspace workspace_;
};

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
