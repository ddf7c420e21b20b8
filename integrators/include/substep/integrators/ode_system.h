// What an integration method may ask of a model: its derivative, and the capabilities it chooses to offer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "substep/integrators/tolerances.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Splits a mechanical system into kick (forces change momenta) and drift (momenta move positions).
///
/// Symplectic methods are built from it. The state holds positions and momenta (or velocities: anything in
/// which a force acts linearly).
class KickDriftSplit {
public:
    /// Writes the rates of the momenta at (t, y) and zero for every position. Counts as one evaluation. Pure.
    virtual void force(double t, std::span<const double> y, std::span<double> dydt) = 0;

    /// Turns the momenta of `y` at constant positions by forces that do no work because they are across the velocity,
    /// as those of a magnetic field are: for a time h (s), as they are at time t. Such forces are left out of `force`:
    /// kicks would add energy at every step. A turn by -h takes one by h back. No evaluation. Default: there are none.
    virtual void turn(double /*t*/, double /*h*/, std::span<double> /*y*/) {}

    /// Moves the positions of `y` from t to t + h at constant momenta. A constrained system adds impulses along
    /// the constraint directions of the *start*, such that the constraints hold at the end (RATTLE's first half).
    /// Returns false, leaving `y` in an unspecified finite or non-finite state, if no such impulses were found.
    virtual bool drift(double t, double h, std::span<double> y) = 0;

    /// Removes the part of the momenta that would violate the constraints at (t, y) (RATTLE's second half).
    virtual void project_momenta(double t, std::span<double> y) = 0;

    /// Ends a kick of length h (s) by `force`, the one evaluated last, where its momenta have been projected: makes
    /// what depends on momenta and acts on nothing (its powers, whose works are integrated beside the motion) that of
    /// (t, y) in `force`, and moves `y` by h times the difference. Changes no position, no momentum and none of their
    /// rates. No evaluation. Default: there is nothing of the kind.
    virtual void correct_works(double /*t*/, double /*h*/, std::span<double> /*force*/, std::span<double> /*y*/) {}

protected:
    ~KickDriftSplit() = default;
};

/// Returns a state to the manifold on which the model lives (joints closed, quaternions of unit length).
class Projection {
public:
    /// Moves `y` onto the manifold at time t. Returns false if the iteration did not converge.
    virtual bool project(double t, std::span<double> y) = 0;

    /// The same for a state read from the dense output of the last substep, which does not end there: what the model
    /// keeps of that substep's end stays. Default: `project`.
    virtual bool project_within(double t, std::span<double> y) { return project(t, y); }

protected:
    ~Projection() = default;
};

/// Turns an error estimate into one number in the model's own units, for states whose components cannot be
/// compared one by one (a quaternion's four numbers are one angle).
class ErrorMeasure {
public:
    /// Returns max over the model of |error| / (atol + rtol scale); the step is accepted when it is <= 1.
    /// `y0` is the state at the step's start, `error` the estimated difference of the state at its end.
    virtual double measure(std::span<const double> y0, std::span<const double> error, double atol, double rtol) = 0;

    /// Returns how long (s) a substep from `y0` may be for its dense output, the cubic through its ends, to keep to the
    /// tolerance where a splitting's own error, and so its estimate, is zero at any length: a free body that turns.
    /// Default: any.
    virtual double longest_readable(std::span<const double>, double /*atol*/, double /*rtol*/) {
        return std::numeric_limits<double>::infinity();
    }

    /// The same for methods whose dense output is made of stages: their error within a substep may be beyond what its
    /// end, and so the estimate, tells. Default: any.
    virtual double longest_readable_by_stages(std::span<const double>) {
        return std::numeric_limits<double>::infinity();
    }

    /// Returns the time (s) that is to this model what a second is to things of everyday size, positive. First lengths
    /// of substeps are guessed by it, and velocity steps are solved to the length that their error becomes in a tenth
    /// of it. Default: 1.
    virtual double time_unit() const { return 1.0; }

    /// Returns how long (s) a substep that runs ahead of the time asked for may be, where nothing else limits it and
    /// calls of `advance` are no longer than that: what such a substep costs in a second does then not depend on how
    /// many calls a second has. Default: any, which is 32 calls.
    virtual double longest_segment() const { return std::numeric_limits<double>::infinity(); }

    /// Returns `error` as a part of the state itself: of the larger of the norms of `y0` and `y1`, the states at the
    /// substep's ends. Above 1 nothing is known of the state any more, and a budget does not make the substep good.
    /// Default: by `measure` with a relative tolerance of 1, and kSmallestNorm where the state is smaller.
    virtual double part_of_state(std::span<const double> y0, std::span<const double> y1,
                                 std::span<const double> error) {
        const double at_start = measure(y0, error, kSmallestNorm, 1.0);
        const double at_end = measure(y1, error, kSmallestNorm, 1.0);
        return at_end < at_start ? at_end : at_start;
    }

protected:
    ~ErrorMeasure() = default;
};

/// How a velocity step solves for velocities.
enum class VelocityStepKind {
    Impulses,  ///< joints exactly and contacts by impulses one after the other, in turns: as game engines do
    Soft,      ///< contacts as stiff, strongly damped springs, in several substeps with one set of contacts
    ConvexStep ///< contacts and joints all at once, as the minimum of one convex potential
};

/// A force that a velocity step ended with, for the next one to start from: a force and no impulse, because that one
/// may be of another length.
struct RememberedForce {
    /// Names what the force belongs to, within an advance: whatever two integers the model chooses. A model that writes
    /// them in rising order finds them again in one pass.
    struct Key {
        std::uint64_t pair = 0;
        std::uint64_t feature = 0; ///< of the pair
        auto operator<=>(const Key&) const = default;
    };
    Key key{};
    std::array<double, 3> force{}; ///< N
};

/// What a velocity step is given besides the state.
struct VelocityStepRequest {
    VelocityStepKind kind = VelocityStepKind::Impulses;
    double t = 0.0;                          ///< s
    double h = 0.0;                          ///< s
    std::span<const double> guess;           ///< a state whose velocities are the first guess of those at the end
    std::span<const RememberedForce> memory; ///< what a step ended with that led here; empty where there was none
    double tolerance = 0.0;                  ///< error of the velocities that is small enough: m/s for bodies
    int iterations = 1;                      ///< of the solver, at most; 1 or more
    int substeps = 1;                        ///< that the step is made of, where its kind makes them itself
    /// Other steps may begin at the same time within the advance: tried again, or as two halves. Each of them starts
    /// from all that the model remembered where the first of them did.
    bool may_begin_again = false;
};

/// What a velocity step did.
struct VelocityStepResult {
    bool ok = true;         ///< false: the state cannot be used
    bool converged = true;  ///< false: the iterations ran out. Such a step says nothing about the error of a length h
    int iterations = 0;     ///< of the solver
    double residual = 0.0;  ///< what the last iteration changed of the velocities, in the units of the tolerance
    double deepest = 0.0;   ///< m: deepest penetration at the end
    int contacts = 0;       ///< that the step had
    int fresh_contacts = 0; ///< those of them that the memory did not know
};

/// Makes one first-order velocity-level step with forces, joints and contacts together, as game engines do. Methods
/// built on it are baselines and robust fallbacks, never high order.
///
/// What such a step remembers (forces of contacts, to start from) is given by value: within an advance the caller keeps
/// it with the state that it belongs to, so that a step can be repeated, compared with two halves of it, and taken
/// back. Each force is named by what it belongs to, so that the contacts may be others at the next step. From one
/// advance to the next the model keeps the forces, with whatever else it knows of its contacts.
class VelocityStep {
public:
    /// Finds the contacts of a step from (t, y) of length h, with a margin of what can close within it. All steps
    /// within that interval use them: a full one and its halves see the same contacts.
    virtual void find_contacts(double t, double h, std::span<const double> y) = 0;

    /// Forces that a step with the contacts found remembers.
    virtual std::size_t memory_size() const { return 0; }

    /// Replaces `memory` by the forces to start an advance from: those that the last step of the one before ended with.
    virtual void recall(std::vector<RememberedForce>& memory) const { memory.clear(); }

    /// Advances `y` in place from request.t by request.h, and writes memory_size() forces to `memory`. Counts as one
    /// evaluation.
    virtual VelocityStepResult velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                             std::span<RememberedForce> memory) = 0;

protected:
    ~VelocityStep() = default;
};

/// Makes one linearly implicit step: forces that stiffen with the displacement are taken at its end to first order, for
/// one linear solve (a Rosenbrock method of one stage: Hairer & Wanner II, IV.7). Any stiffness that the model
/// linearises is then stable at any length; what it does not linearise keeps the limits of an explicit step.
class LinearlyImplicitStep {
public:
    /// Advances `y` in place from t to t + h, h > 0, by the theta method, theta in [1/2, 1]: 1 damps what h does not
    /// resolve, 1/2 does not. Leaves the return to the manifold to `Projection`. Counts as one evaluation, which is
    /// made at (t, y) if theta = 1. Returns false if the linear system has no solution.
    virtual bool linearly_implicit_step(double t, double h, double theta, std::span<double> y) = 0;

protected:
    ~LinearlyImplicitStep() = default;
};

/// Knows how fast what is stiff in the model moves: the fastest oscillation and the fastest decay.
class FrequencyBound {
public:
    /// Returns an estimate of the highest angular frequency in rad/s near the state where the derivative, force or
    /// velocity step was evaluated last. Allowed to be rough (a factor of 2), not to evaluate anything: it is asked
    /// once per `advance` of a fixed method, for the report only.
    virtual double fastest_frequency() noexcept = 0;

    /// Returns an estimate of the highest rate (1/s) at which damping makes something decay there, on the same terms.
    virtual double fastest_decay() noexcept { return 0.0; }

    /// Returns the highest rate (rad/s) at which forces across the velocity turn it there, on the same terms.
    /// Splittings step over it, see KickDriftSplit::turn, and so do velocity steps and linearly implicit steps.
    virtual double fastest_turn() noexcept { return 0.0; }

    /// Returns false where other forces, of which it knows nothing, may be stiffer: a method's stages are asked too
    /// then.
    virtual bool knows_all() const noexcept { return true; }

protected:
    ~FrequencyBound() = default;
};

/// Which crossings of an event function count, in the direction in which time is integrated.
enum class EventDirection { Both, Rising, Falling };

/// On which side of the crossing the event's state is handed out; the two are at most 100 ulp of time apart.
enum class EventSide { Before, After };

/// What an event does to the integration.
enum class EventAction {
    Continue, ///< nothing: it is only recorded
    Restart,  ///< `on_event` changed the state or the model: integration starts anew from there
    Stop      ///< `advance` returns at the event, with StepStatus::EventLocated
};

/// One event function: which of its zeros are events, and on which side the state is wanted.
struct EventTraits {
    EventDirection direction = EventDirection::Both;
    EventSide side = EventSide::After;
};

class Interpolant;

/// An event function at one time of a path.
struct EventCourse {
    double value = 0.0; ///< g
    double rate = 0.0;  ///< dg/dt along the path, 1/s
};

/// What is known of an event function all along a path, of those whose falls are events. Infinite: nothing. A function
/// with kinks, such as a distance of bodies with corners that turn, has a rate alone.
struct EventBounds {
    double rate = std::numeric_limits<double>::infinity(); ///< 1/s: dg/dt is of no larger size
    double bend = std::numeric_limits<double>::infinity(); ///< 1/s^2: d2g/dt2 is nowhere below minus this
    double shallow = 0.0;                                  ///< dips no further than this below zero do not count

    bool is_known() const noexcept { return rate < std::numeric_limits<double>::infinity(); }
};

/// Surfaces g_i(t, y) = 0 whose crossings are located in time: impacts, limits, switches, stopping criteria.
///
/// An event function that is zero where the integration starts, or has just been an event, is disarmed until it has
/// left zero. Falls of a function with `bounds_along` are all found, however short. Other double roots (a graze that
/// passes through and back within one substep) are found as long as the dense output's samples show the dip; a graze
/// that only touches zero may go unreported.
class EventFunctions {
public:
    /// Number of event functions. May change in `on_event`, or with `OdeSystem::revision`.
    virtual std::size_t event_count() const = 0;

    /// Direction and side of event function i.
    virtual EventTraits event_traits(std::size_t i) const = 0;

    /// Writes all g_i(t, y) to `g`. Pure, like `derivative`; not counted as an evaluation. NaN stops the integration.
    virtual void event_values(double t, std::span<const double> y, std::span<double> g) = 0;

    /// Bounds function i, whose direction is Falling, along the whole `path`; `from` is a time on it. Where both bounds
    /// are finite, the function is looked at by itself, at as many times as it takes to be sure that it stays above
    /// zero: at none where it is far. Pure. Default: nothing is known, and the function is sampled.
    virtual EventBounds bounds_along(std::size_t /*i*/, const Interpolant& /*path*/, double /*from*/) { return {}; }

    /// Function i at time t of `path`, with the value that `event_values` writes for the path's state there. Asked
    /// where it has bounds only. Pure.
    virtual EventCourse course_along(std::size_t /*i*/, const Interpolant& /*path*/, double /*t*/) { return {}; }

    /// Writes what functions without bounds are at a sample within a substep, and anything finite for others. Default:
    /// `event_values`.
    virtual void sampled_values(double t, std::span<const double> y, std::span<double> g) { event_values(t, y, g); }

    /// Called once for all events located at t, numbers ascending. May change `y` (an impact) and the model, and
    /// returns Restart or Stop then: `y` is handed on as it is left here. Continue keeps no change, and is refused
    /// beside one.
    virtual EventAction on_event(double t, std::span<const std::size_t> events, std::span<double> y) = 0;

protected:
    ~EventFunctions() = default;
};

/// Watches over what a model takes from the beginning of a substep and holds on to along it, such as the direction from
/// which friction tells a slip that has come to rest from one that goes on.
class SubstepWatch {
public:
    /// A substep begins at (t, y): what was accepted last, or where integration starts. The model takes from it what it
    /// holds on to. Returns whether f(t, y) has changed by that.
    virtual bool begin_substep(double t, std::span<const double> y) = 0;

    /// The stages of an attempt at the substep from t (s) follow, of a length in s; those of earlier attempts count no
    /// more. A restored service makes its last substep again, and begins with this. Where integration starts anew
    /// inside the last substep, an attempt of no length says so.
    virtual void begin_attempt(double t, double length) = 0;

    /// Whether that still stands at (t, y), where the substep ends or meets its first event. If not, the substep is
    /// taken back and made again at half its length, unless time does not resolve that or the budget does not pay for
    /// it: then it stays, and the report says degraded. The model may change f before it says no.
    virtual bool holds_until(double t, std::span<const double> y) = 0;

protected:
    ~SubstepWatch() = default;
};

/// A system of first-order ordinary differential equations y' = f(t, y) with optional capabilities.
///
/// Capabilities are queried, never assumed: a method that needs one refuses, in one sentence and at
/// `IntegratorService::configure`, a system that returns null for it.
///
/// A model may throw from any of its functions: `advance` stops, keeps the last good state, and reports the message.
class OdeSystem {
public:
    OdeSystem() = default;
    OdeSystem(const OdeSystem&) = default;
    OdeSystem& operator=(const OdeSystem&) = default;
    virtual ~OdeSystem() = default;

    /// Number of components of the state.
    virtual std::size_t size() const noexcept = 0;

    /// Writes f(t, y) to `dydt`. Both spans have size() components and do not overlap.
    ///
    /// Pure: it may be called at trial states that are later rejected, several times per substep and again after
    /// a restore, and must give the same bits for the same arguments. It must not allocate. Scratch memory of
    /// its own is allowed. Every call counts as one *evaluation*.
    virtual void derivative(double t, std::span<const double> y, std::span<double> dydt) = 0;

    /// A substep begins at (t, y): what was accepted last, or where integration starts. For a model that notes which
    /// way it goes. Default: nothing.
    virtual void substep_begins(double /*t*/, std::span<const double> /*y*/) noexcept {}

    /// Changes whenever f itself changed (a force added, a mass edited): remembered derivatives and segments that
    /// ran ahead are then dropped.
    virtual std::uint64_t revision() const noexcept { return 0; }

    /// Returns what the model has done besides evaluations since it began to count, in evaluations, rounded down: work
    /// on events and contacts. Never falls within an `advance`. By counts of operations, never by a clock: it is spent
    /// from a budget. Default: such work is not worth counting.
    virtual std::int64_t work_count() const noexcept { return 0; }

    /// Returns the same for what evaluations and projections take beyond what most of them do: iterations, systems of
    /// contacts. Spent from a bound, not from a budget, which stays in evaluations.
    virtual std::int64_t inner_work_count() const noexcept { return 0; }

    virtual KickDriftSplit* kick_drift_split() noexcept { return nullptr; }
    virtual Projection* projection() noexcept { return nullptr; }
    virtual ErrorMeasure* error_measure() noexcept { return nullptr; }
    virtual VelocityStep* velocity_step() noexcept { return nullptr; }
    virtual LinearlyImplicitStep* linearly_implicit_step() noexcept { return nullptr; }
    virtual EventFunctions* event_functions() noexcept { return nullptr; }
    virtual FrequencyBound* frequency_bound() noexcept { return nullptr; }
    /// Asked only where there are event functions.
    virtual SubstepWatch* substep_watch() noexcept { return nullptr; }
};

} // namespace substep

#pragma GCC visibility pop
