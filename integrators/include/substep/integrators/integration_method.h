// How one substep is made, and the row that describes a method to people and programs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "substep/integrators/interpolant.h"
#include "substep/integrators/ode_system.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// What a method needs a system to offer beyond its derivative.
enum class MethodNeeds { Derivative, KickDriftSplit, VelocityStep, LinearlyImplicitStep };

/// One row of the table of methods: everything that GUI, command line, documents and tests know of a method.
struct MethodInfo {
    std::string_view name;           ///< the one lower-case name used everywhere
    std::string_view label;          ///< for people, e.g. "Cash-Karp 5(4)"
    int order = 1;                   ///< global order of convergence on smooth problems
    int error_order = 0;             ///< order of the embedded formula that estimates the error; 0: none
    int stages = 1;                  ///< evaluations of one substep among others of constant length
    bool first_same_as_last = false; ///< its last stage is the next substep's first; alone it costs stages + 1
    bool two_estimates = false;      ///< error_order is that of E^2 / sqrt(E^2 + 0.01 C^2), E and C the two norms
    bool adaptive = false;           ///< has an error estimate, so a tolerance applies; otherwise `substeps` does
    bool symplectic = false;         ///< keeps the energy of a conservative system bounded
    int dense_order = 1;             ///< a sample inside a substep has local error O(h^(dense_order + 1))
    int dense_evaluations = 0;       ///< that dense output takes beyond the derivatives at both ends
    double real_limit = 0.0;         ///< largest x with |R(-z)| <= 1 for all z in [0, x]: damping is stable to k h = x
    double imaginary_limit = 0.0;    ///< the same with |R(iz)|: undamped oscillations are stable to omega h = y. Where
                                     ///< no y is (|R| > 1 from 0 on), the practical limit, where |R(iy)| = 1 + 1e-3.
                                     ///< Infinite: stable at any h, for stiffness that the system linearises
    MethodNeeds needs = MethodNeeds::Derivative;
    VelocityStepKind velocity_step = VelocityStepKind::Impulses; ///< of methods built on one: which
    int iterations = 0;                                          ///< of its solver, at most; 1 or more there
    // Of methods that make all substeps of an advance in one go (0: others): at least, at most, and where the settings
    // leave it at 1.
    int fewest_substeps = 0;
    int most_substeps = 0;
    int usual_substeps = 0;
    std::string_view promise; ///< one line: what it is and promises
    std::string_view caution; ///< one line: what it does not promise, and what it is bad for
    std::string_view source;  ///< citation
};

/// Memory of one substep: its two ends, the stages between, and the error estimate. Sized once, by `resize`.
class StepWorkspace {
public:
    std::span<double> y0;           ///< state at the substep's start
    std::span<double> y1;           ///< state at its end, written by IntegrationMethod::step
    std::span<double> error;        ///< error estimate of y1, for adaptive methods
    std::span<double> coarse_error; ///< a second estimate, of lower order, for methods with MethodInfo::two_estimates
    std::span<double> scratch;      ///< argument of the stage being evaluated
    double theta = 1.0;             ///< of a linearly implicit step
    bool k0_ready = false;          ///< k(0) belongs to (t, y0) already: it need not be evaluated again

    /// Derivative (for splittings: force) at stage i; k(0) belongs to (t, y0).
    std::span<double> k(std::size_t i) const noexcept { return {stages_ + i * y0.size(), y0.size()}; }

    std::size_t size() const noexcept { return y0.size(); }      ///< components of a state
    std::size_t stages() const noexcept { return stage_count_; } ///< derivatives that there is room for

    /// What the velocity step that led to y0, or y1, remembers; empty for other methods. It belongs to the state.
    std::vector<RememberedForce> memory0, memory1;
    double velocity_tolerance = 0.0; ///< m/s: what a velocity step's error may be
    int substeps = 1;                ///< of a method that makes all of an advance in one go

    /// Makes the end the start: of the next substep, or of the last one again.
    void swap_ends() noexcept {
        std::swap(y0, y1);
        std::swap(memory0, memory1);
    }

    /// Makes room for states of n components and a method of s stages, and forgets what it held.
    void resize(std::size_t n, std::size_t s);

private:
    std::vector<double> storage_;
    double* stages_ = nullptr;
    std::size_t stage_count_ = 0;
};

/// What one call of IntegrationMethod::step did.
struct StepOutcome {
    int evaluations = 0;
    bool ok = true;                ///< false: a constraint solve inside the step failed, y1 cannot be used
    VelocityStepResult velocity{}; ///< of methods built on a velocity step
};

/// How one substep of length h is made. Immutable and shared: all memory is in the workspace.
class IntegrationMethod {
public:
    virtual ~IntegrationMethod() = default;

    /// The method's row in the table.
    virtual const MethodInfo& info() const noexcept = 0;

    /// Number of derivatives that the workspace must have room for: the stages, and those that only dense output needs.
    virtual std::size_t stage_slots() const noexcept {
        return static_cast<std::size_t>(info().stages) + (info().first_same_as_last ? 1 : 0);
    }

    /// Makes a trial substep from (t, w.y0) to w.y1, of length h (s), with w.error where the method is adaptive.
    /// Leaves w.y0 as it was, so that the substep can be repeated shorter; k[0] is reused then.
    virtual StepOutcome step(OdeSystem& system, double t, double h, StepWorkspace& w) const = 0;

    /// Adds the method's own terms to `interpolant`, which holds the cubic through the ends of the step just made, from
    /// t of length h; `f1` is the derivative at its end. Returns the evaluations it took,
    /// MethodInfo::dense_evaluations. May overwrite w.scratch.
    virtual int extend_interpolant(OdeSystem& system, double t, double h, StepWorkspace& w, std::span<const double> f1,
                                   Interpolant& interpolant) const = 0;

    /// Estimates omega (rad/s), the fastest oscillation that the step just made, of length h, excited; negative if the
    /// method's stages do not tell.
    virtual double stage_frequency(const StepWorkspace&, double /*h*/) const noexcept { return -1.0; }
};

/// All methods, in the order in which they are shown. The table is method_catalogue.cpp: add a row there,
/// nowhere else.
std::span<const IntegrationMethod* const> method_catalogue() noexcept;

/// The name by which a world chooses a method for each island (substep/engine/automatic.h); no method by itself.
inline constexpr std::string_view kAutoMethod = "auto";

/// Returns the row that describes a method by name, also that of "auto"; null for an unknown name.
const MethodInfo* find_method(std::string_view name) noexcept;

namespace detail {

/// Returns what makes the substeps of the method of that name, or null: for "auto" too.
const IntegrationMethod* integration_method(std::string_view name) noexcept;

} // namespace detail

} // namespace substep

#pragma GCC visibility pop
