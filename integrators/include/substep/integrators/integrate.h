// Small systems of fixed size, integrated in one call: the system is a lambda, the state a std::array or a struct of
// doubles; everything is inlined and nothing allocated.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "substep/integrators/integrator_service.h"
#include "substep/integrators/runge_kutta.h"
#include "substep/integrators/scaled_tableau.h"
#include "substep/integrators/step_controller.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/numerics/number_checks.h"
#include "substep/numerics/pack.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

/// What `integrate` may be told. Plain data.
struct IntegrateSettings {
    /// Absolute and relative tolerance of a substep's local error, by ErrorNorm::Mixed. Positive.
    double atol = 1e-8;
    double rtol = 1e-8;

    double h_initial = 0.0; ///< length of the first substep, s; 0: chosen as Hairer, Norsett & Wanner I, II.4 do
    double h_min = 0.0; ///< at this length a substep is accepted whatever its error, and the report says degraded, s
    double h_max = std::numeric_limits<double>::infinity(); ///< s

    std::int64_t max_attempts = 100'000'000; ///< accepted and rejected substeps together

    /// The dead band is wider than the service's. Along an oscillation the error estimate varies by orders of
    /// magnitude, and a step length that follows it is never the best one for long: with Dormand & Prince's 8(5,3) this
    /// band saves a sixth of the evaluations on the pendulum and on Lorenz' attractor, and costs a tenth on very
    /// eccentric orbits.
    ControllerSettings controller{.keep_from = 0.9, .keep_to = 1.75};
};

/// Throws std::invalid_argument, naming the value and the allowed range, unless every setting is usable.
void validate(const IntegrateSettings& settings);

/// What `integrate` did.
struct IntegrateReport {
    StepStatus status = StepStatus::ReachedTarget;
    bool degraded = false;        ///< a substep of length h_min was accepted although its error was too large
    double simulated = 0.0;       ///< time by which the state advanced, s
    std::int64_t accepted = 0;    ///< accepted substeps
    std::int64_t rejected = 0;    ///< rejected attempts
    std::int64_t evaluations = 0; ///< calls of the derivative
    double h_next = 0.0;          ///< length that the controller would choose next, s: h_initial of a call that goes on
};

namespace detail {

/// True if a State can be initialised with a double for every eight bytes of it.
template <class State, std::size_t... I>
consteval bool holds_doubles_only(std::index_sequence<I...>) {
    return requires { State{(static_cast<void>(I), std::declval<double>())...}; };
}

} // namespace detail

/// A state of fixed size: an aggregate of nothing but doubles, nested or not. std::array<double, N> is one, and so is
/// struct { double theta, omega; }.
template <class State>
concept FixedSizeState = std::is_trivially_copyable_v<State> && std::is_aggregate_v<State> &&
                             alignof(State) == alignof(double) &&
                         sizeof(State) % sizeof(double) == 0 &&
                         detail::holds_doubles_only<State>(std::make_index_sequence<sizeof(State) / sizeof(double)>{});

namespace detail {

template <FixedSizeState State>
using ComponentsOf = std::array<double, sizeof(State) / sizeof(double)>;

/// A system on State as one on arrays.
template <FixedSizeState State, class Derivative>
constexpr auto on_components(Derivative& f) {
    using Components = ComponentsOf<State>;
    return [&f](double t, const Components& y) {
        return std::bit_cast<Components>(static_cast<State>(f(t, std::bit_cast<State>(y))));
    };
}

/// Order q of what the error norm of a method measures: the first power of h that its error rows do not cancel is q
/// + 1. They are taken at the conditions sum_i e_i c_i^(k-1) = 0. Two estimates E and C combine to E^2 / C.
template <std::size_t S>
constexpr int measured_error_order(const ButcherTableau<S>& tableau) {
    const auto order = [&](const std::array<double, S>& row) {
        std::array<double, S> terms = row;
        for (int k = 1; k <= 16; ++k) {
            double sum = 0.0;
            for (std::size_t i = 0; i < S; ++i) {
                sum += terms[i];
                terms[i] *= tableau.c[i];
            }
            if (!(sum < 1e-9 && sum > -1e-9)) {
                return k - 1;
            }
        }
        return 0;
    };
    const int fine = order(tableau.b_error);
    return tableau.has_two_estimates() ? 2 * fine - order(tableau.b_coarse_error) : fine;
}

/// Zero times every component: zero, or NaN where one is not finite.
template <std::size_t N>
constexpr double nothing_of(const std::array<double, N>& y) {
    double sum = 0.0;
    for (const double x : y) {
        sum += x * 0.0;
    }
    return sum;
}

/// The error of an attempt in units of the tolerance, ErrorNorm::Mixed; NaN if the attempt is not finite. Scalar is
/// double or a SIMD pack.
template <const auto& kTableau, class Scalar, class Step, std::size_t N, std::size_t S>
constexpr Scalar attempt_error(const Step& h, const std::array<Scalar, N>& y0, const std::array<Scalar, N>& y1,
                               const std::array<std::array<Scalar, N>, S>& k, double atol, double rtol) {
    constexpr auto kAll = std::make_index_sequence<S>{};
    Scalar error = 0.0;
    Scalar coarse = 0.0;
    Scalar all = 0.0; // of what must be finite
    for (std::size_t e = 0; e < N; ++e) {
        const Scalar scale = atol + rtol * larger(absolute(y0[e]), absolute(y1[e]));
        const Scalar quotient = absolute(weighted_sum<kErrorRow<kTableau>>(h, k, e, kAll)) / scale;
        error = larger(error, quotient);
        all = all + (scale + quotient);
        if constexpr (kTableau.has_two_estimates()) {
            coarse = larger(coarse, absolute(weighted_sum<kCoarseErrorRow<kTableau>>(h, k, e, kAll)) / scale);
        }
    }
    if constexpr (kTableau.has_two_estimates()) {
        // Hairer, Norsett & Wanner I, II.10: E^2 / sqrt(E^2 + 0.01 C^2); the last number keeps 0 / 0 away.
        const Scalar square = error * error;
        error = square / square_root(square + 0.01 * (coarse * coarse) + 1e-300);
    }
    // A stage that reaches neither y1 nor the error may hide a NaN that the model swallowed when it came back.
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (
            [&] {
                if constexpr (kTableau.b[I] == 0.0 && kTableau.b_error[I] == 0.0) {
                    for (std::size_t e = 0; e < N; ++e) {
                        all = all + k[I][e];
                    }
                }
            }(),
            ...);
    }
    (kAll);
    return error + all * 0.0;
}

/// Where a trajectory under error control stands, and the rules by which it goes on. The stage loop is elsewhere: one
/// trajectory has it inlined, a batch runs it for several at once.
class Progress {
public:
    double t = 0.0;
    double carry = 0.0; ///< what rounding took from the sum of many h (Kahan)
    double h = 0.0;     ///< signed, s

    Progress() = default;
    Progress(double t0, double t1) : t(t0), t0_(t0), t1_(t1), direction_(t1 < t0 ? -1.0 : 1.0) {}

    /// The next substep: a natural one, or what is left in one piece (`last`) or in two equal ones, so that no sliver
    /// remains.
    [[gnu::always_inline]] double next_step(bool& last) const {
        const double left = (t1_ - t) - carry;
        last = false;
        if (std::fabs(left) < 2.0 * std::fabs(h)) [[unlikely]] {
            last = std::fabs(left) <= std::fabs(h);
            return last ? left : 0.5 * left;
        }
        return h;
    }

    /// Accepts an attempt that changes nothing but time.
    [[gnu::always_inline]] void accept(double error, double step) {
        ++accepted_;
        retried_ = false;
        non_finite_ = 0;
        history_ = {error, std::fabs(step)};
        const double added = step + carry;
        const double sum = t + added;
        carry = added - (sum - t);
        t = sum;
    }

    /// Takes over n attempts of the length h that were accepted elsewhere, at whose end time is at + at_carry.
    void accept_elsewhere(std::int64_t n, double at, double at_carry);

    /// First substep: h_initial, or chosen as Hairer, Norsett & Wanner I, II.4 do: an Euler step of length `probe_step`
    /// from (t, y) along f0 shows how fast the derivative changes; f1 is the derivative at its end.
    void start(const IntegrateSettings& settings);
    double probe_step(std::span<const double> y, std::span<const double> f0, const IntegrateSettings& settings) const;
    void start(double probe, std::span<const double> y, std::span<const double> f0, std::span<const double> f1,
               const IntegrateSettings& settings, int error_order);

    /// Judges any attempt. Returns true if it is accepted; t and h then belong to the next one, otherwise h to a retry.
    /// Afterwards the trajectory may be finished. `start_is_finite`: the derivative at the attempt's start is.
    bool judge(const StepController& controller, const IntegrateSettings& settings, double error, double step,
               bool last, bool start_is_finite);

    [[gnu::always_inline]] bool finished() const { return finished_; }

    /// Attempts that may still be made.
    [[gnu::always_inline]] std::int64_t attempts_left(const IntegrateSettings& settings) const {
        return settings.max_attempts - accepted_ - rejected_;
    }

    /// Ends the trajectory where it is.
    void finish(StepStatus status);

    IntegrateReport report(std::size_t stages, bool first_same_as_last) const;

private:
    double limited(double length, const IntegrateSettings& settings) const;

    double t0_ = 0.0;
    double t1_ = 0.0;
    double direction_ = 1.0;
    StepController::History history_;
    std::int64_t accepted_ = 0;
    std::int64_t rejected_ = 0;
    int start_evaluations_ = 0;
    int non_finite_ = 0; ///< attempts in a row that were not finite
    bool retried_ = false;
    bool degraded_ = false;
    bool finished_ = false;
    StepStatus status_ = StepStatus::ReachedTarget;
};

/// The controller of `settings` for an error estimate of that order.
StepController make_controller(const IntegrateSettings& settings, int error_order);

/// `integrate` on arrays. The trajectory lives in local variables, which the compiler keeps in registers where it can.
template <const auto& kTableau, class System, std::size_t N>
IntegrateReport integrate_adaptive(const System& system, double t0, double t1, std::array<double, N>& result,
                                   const IntegrateSettings& settings) {
    static_assert(kTableau.has_error_estimate(), "a method without error estimate: integrate_fixed is for those");
    constexpr std::size_t kStages = kTableau.kStages;
    constexpr bool kShared = kTableau.first_same_as_last();
    constexpr int kErrorOrder = measured_error_order(kTableau);
    const StepController controller = make_controller(settings, kErrorOrder);
    std::array<double, N> y = result;
    if (!detail::is_finite(t0) || !detail::is_finite(t1) || nothing_of(y) != 0.0) {
        return {.status = StepStatus::InvalidInput};
    }
    if (t0 == t1) {
        return {.h_next = settings.h_initial};
    }

    // The first stage belongs to the state, and serves the choice of the first substep too.
    Progress progress(t0, t1);
    std::array<double, N> y1;
    std::array<std::array<double, N>, kStages> k;
    const auto f = [&system](double time, const auto& at, auto& dydt) { dydt = system(time, at); };
    f(t0, y, k[0]);
    bool k0_ready = true;
    if (settings.h_initial > 0.0) {
        progress.start(settings);
    } else {
        // Copies, so that y and k themselves need not be in memory.
        const std::array<double, N> start = y;
        const std::array<double, N> f0 = k[0];
        const double probe = progress.probe_step(start, f0, settings);
        for (std::size_t e = 0; e < N; ++e) {
            y1[e] = y[e] + probe * k[0][e];
        }
        std::array<double, N> f1;
        f(t0 + probe, y1, f1);
        progress.start(probe, start, f0, f1, settings, kErrorOrder);
    }

    ScaledTableau<kTableau> scaled_h(progress.h);
    const double atol = settings.atol;
    const double rtol = settings.rtol;
    while (!progress.finished()) {
        bool last = false;
        const double step = progress.next_step(last);
        if (step != scaled_h.step()) [[unlikely]] {
            scaled_h.set_step(step);
        }
        runge_kutta_attempt<kTableau>(f, progress.t, scaled_h, y, k, y1, k0_ready);

        // In the dead band there is nothing to decide; the processor predicts that, and goes on.
        const double error = attempt_error<kTableau>(scaled_h, y, y1, k, atol, rtol);
        if (controller.keeps(error) && !last && progress.attempts_left(settings) > 1) [[likely]] {
            progress.accept(error, step);
        } else if (!progress.judge(controller, settings, error, step, last, nothing_of(k[0]) == 0.0)) {
            k0_ready = true;
            continue;
        }

        // The end is the next start; where its derivative is known, it is the next first stage.
        y = y1;
        k0_ready = kShared;
        if constexpr (kShared) {
            k[0] = k[kStages - 1];
        }
    }
    result = y;
    return progress.report(kStages, kShared);
}

} // namespace detail

/// Integrates y' = f(t, y) from t0 to t1 (before or after t0) with an adaptive method, `y` in place.
///
///     auto swing = [](double, const std::array<double, 2>& y) { return std::array{y[1], -9.8 * sine(y[0])}; };
///     integrate<kDormandPrince853>(swing, 0.0, 10.0, y, {.atol = 1e-9, .rtol = 1e-9});
///
/// `f(t, y)` returns the derivative in a State. Time is a compensated sum; the derivative at a substep's end is used
/// again where the method has it, and that at its start by every retry. On any status but ReachedTarget, `y` is the
/// last good state, at t0 + report.simulated. Throws std::invalid_argument, naming the value and the allowed range, for
/// settings that cannot be used, and lets exceptions of f through; `y` is then as it was.
template <const auto& kTableau, class Derivative, FixedSizeState State>
IntegrateReport integrate(Derivative&& f, double t0, double t1, State& y, const IntegrateSettings& settings = {}) {
    validate(settings);
    auto at = std::bit_cast<detail::ComponentsOf<State>>(y);
    const IntegrateReport report =
        detail::integrate_adaptive<kTableau>(detail::on_components<State>(f), t0, t1, at, settings);
    y = std::bit_cast<State>(at);
    return report;
}

/// Integrates y' = f(t, y) from t0 to t1 (before or after t0) in n >= 1 equal substeps of any method, `y` in place.
/// Returns NonFinite, with `y` as it was, if the result is not finite, and InvalidInput for n < 1, times or a state
/// that are not finite.
template <const auto& kTableau, class Derivative, FixedSizeState State>
StepStatus integrate_fixed(Derivative&& f, double t0, double t1, std::int64_t n, State& y) {
    using Components = detail::ComponentsOf<State>;
    Components at = std::bit_cast<Components>(y);
    if (n < 1 || !detail::is_finite(t0) || !detail::is_finite(t1) || detail::nothing_of(at) != 0.0) {
        return StepStatus::InvalidInput;
    }
    const auto derivative = detail::on_components<State>(f);
    const double h = (t1 - t0) / static_cast<double>(n);
    const ScaledTableau<kTableau> scaled_h(h);
    for (std::int64_t i = 0; i < n; ++i) {
        at = runge_kutta_step<kTableau>(derivative, t0 + static_cast<double>(i) * h, scaled_h, at);
    }
    if (detail::nothing_of(at) != 0.0) {
        return StepStatus::NonFinite;
    }
    y = std::bit_cast<State>(at);
    return StepStatus::ReachedTarget;
}

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
