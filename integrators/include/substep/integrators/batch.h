// Many independent copies of one small system, integrated side by side in SIMD lanes: fixed steps, or each with its
// own.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "substep/integrators/integrate.h"
#include "substep/numerics/pack.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

/// The states of `count` systems of the same size, as a structure of arrays: component c of system i is
/// data[c * stride + i]. stride >= count; there is nothing to align or to pad.
struct BatchView {
    std::span<double> data;
    std::size_t count = 0;
    std::size_t stride = 0;
};

namespace detail {

/// Throws std::invalid_argument unless `batch` holds states of n components, there is a result for each system, and a
/// substep to make.
void check_batch(const BatchView& batch, std::size_t n, std::size_t results, std::int64_t substeps);

/// States of kPackWidth<Scalar> systems.
template <class Scalar, std::size_t N>
using PackState = std::array<Scalar, N>;

/// Reads systems first, first + 1, ...; lanes past the last one repeat it, so that they compute nothing unusual.
template <class Scalar, std::size_t N>
PackState<Scalar, N> load_state(const BatchView& batch, std::size_t first) {
    constexpr std::size_t kLanes = kPackWidth<Scalar>;
    PackState<Scalar, N> y;
    for (std::size_t c = 0; c < N; ++c) {
        const double* from = batch.data.data() + c * batch.stride;
        if (first + kLanes <= batch.count) {
            y[c] = load<Scalar>(from + first);
        } else {
            double lanes[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i) {
                lanes[i] = from[first + i < batch.count ? first + i : batch.count - 1];
            }
            y[c] = load<Scalar>(lanes);
        }
    }
    return y;
}

/// Packs that are integrated in turns: enough to overlap, few enough for the first-level cache.
inline constexpr std::size_t kPacksPerBlock = 16;

/// Integrates systems first ... first + kPackWidth<Scalar> * B - 1 of a batch. Their states stay in the first-level
/// cache for all substeps; packs that follow each other do not depend on each other, so the processor overlaps them.
template <const auto& kTableau, class Scalar, std::size_t N, class System>
[[gnu::flatten]] void integrate_block_fixed(const System& f, double t0, double h, std::int64_t n,
                                            const BatchView& batch, std::size_t first, std::size_t packs,
                                            std::span<StepStatus> statuses) {
    constexpr std::size_t kLanes = kPackWidth<Scalar>;
    PackState<Scalar, N> y[kPacksPerBlock];
    for (std::size_t p = 0; p < packs; ++p) {
        y[p] = load_state<Scalar, N>(batch, first + p * kLanes);
    }
    // As runge_kutta_step, which would copy each state once more.
    constexpr std::size_t kCount = kTableau.kStages - (kTableau.first_same_as_last() ? 1 : 0);
    const ScaledTableau<kTableau> scaled_h(h);
    const auto derivative = [&f](const Scalar& time, const PackState<Scalar, N>& at, PackState<Scalar, N>& dydt) {
        dydt = f(time, at);
    };
    for (std::int64_t i = 0; i < n; ++i) {
        const Scalar t = Scalar(t0 + static_cast<double>(i) * h);
        for (std::size_t p = 0; p < packs; ++p) {
            std::array<PackState<Scalar, N>, kTableau.kStages> k;
            PackState<Scalar, N> stage;
            runge_kutta_stages<kTableau, kCount>(derivative, t, scaled_h, y[p], k, stage);
            runge_kutta_solution<kTableau>(y[p], scaled_h, k, y[p]);
        }
    }

    // Each lane has its own end: where it is not finite, or was not at the start, the state stays as it was.
    for (std::size_t p = 0; p < packs; ++p) {
        double lanes[N][kLanes];
        for (std::size_t c = 0; c < N; ++c) {
            store(y[p][c], lanes[c]);
        }
        for (std::size_t i = 0; i < kLanes && first + p * kLanes + i < batch.count; ++i) {
            const std::size_t system = first + p * kLanes + i;
            double end = 0.0;
            double start = 0.0;
            for (std::size_t c = 0; c < N; ++c) {
                end += lanes[c][i] * 0.0;
                start += batch.data[c * batch.stride + system] * 0.0;
            }
            statuses[system] = start != 0.0 ? StepStatus::InvalidInput
                                            : (end != 0.0 ? StepStatus::NonFinite : StepStatus::ReachedTarget);
            if (statuses[system] == StepStatus::ReachedTarget) {
                for (std::size_t c = 0; c < N; ++c) {
                    batch.data[c * batch.stride + system] = lanes[c][i];
                }
            }
        }
    }
}

/// Adaptive integration of a batch: each lane works on a system of its own, with its own time and step; a lane that has
/// finished takes the next system, and one for which none is left idles.
template <const auto& kTableau, class Scalar, std::size_t N, class System>
class AdaptiveLanes {
public:
    AdaptiveLanes(const System& system, double t0, double t1, const BatchView& batch, const IntegrateSettings& settings,
                  std::span<IntegrateReport> reports)
        : system_(system), t0_(t0), t1_(t1), batch_(batch), settings_(settings), reports_(reports),
          controller_(make_controller(settings, kErrorOrder)) {}

    void run() {
        for (std::size_t i = 0; i < kLanes; ++i) {
            system_of_[i] = kNone;
            t_[i] = t0_;
            carry_[i] = 0.0;
            h_[i] = 0.0;
        }
        y_ = load_state<Scalar, N>(batch_, 0); // idle lanes compute something, and nobody looks
        refill();
        while (busy_ > 0) {
            attempt();
        }
    }

private:
    static constexpr std::size_t kLanes = kPackWidth<Scalar>;
    static constexpr std::size_t kStages = kTableau.kStages;
    static constexpr bool kShared = kTableau.first_same_as_last();
    static constexpr int kErrorOrder = measured_error_order(kTableau);
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    using State = PackState<Scalar, N>;

    /// One attempt in every lane.
    void attempt() {
        // Natural steps, except near a lane's end.
        const Scalar t = load<Scalar>(t_);
        const Scalar carry = load<Scalar>(carry_);
        Scalar step = load<Scalar>(h_);
        bool last[kLanes] = {};
        const bool quiet = busy_ == kLanes && --quiet_attempts_left_ > 0 &&
                           !any(absolute((Scalar(t1_) - t) - carry) < 2.0 * absolute(step));
        if (!quiet) [[unlikely]] {
            step = next_steps(last);
        }
        const auto f = [this](const Scalar& time, const State& at, State& dydt) { dydt = system_(time, at); };
        State y1;
        runge_kutta_attempt<kTableau>(f, t, step, y_, k_, y1, kShared);
        const Scalar error = attempt_error<kTableau>(step, y_, y1, k_, settings_.atol, settings_.rtol);

        // All in the dead band: only time goes on, by the operations of Progress::accept.
        if (quiet && all(controller_.keeps(error))) [[likely]] {
            ++quiet_attempts_;
            const Scalar added = step + carry;
            const Scalar sum = t + added;
            store(added - (sum - t), carry_);
            store(sum, t_);
            y_ = y1;
            if constexpr (kShared) {
                k_[0] = k_[kStages - 1];
            }
        } else {
            judge(error, step, last, y1);
        }
    }

    /// The next step of each lane; zero where there is nothing to do.
    [[gnu::cold, gnu::noinline]] Scalar next_steps(bool (&last)[kLanes]) {
        catch_up();
        double steps[kLanes] = {};
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (system_of_[i] != kNone) {
                steps[i] = progress_[i].next_step(last[i]);
            }
        }
        return load<Scalar>(steps);
    }

    /// Tells each lane's Progress of the quiet attempts since it was asked last.
    void catch_up() {
        for (std::size_t i = 0; i < kLanes; ++i) {
            progress_[i].accept_elsewhere(quiet_attempts_, t_[i], carry_[i]);
        }
        quiet_attempts_ = 0;
    }

    /// Judges the attempt lane by lane, as a single trajectory does.
    [[gnu::cold, gnu::noinline]] void judge(const Scalar& error, const Scalar& step, const bool (&last)[kLanes],
                                            const State& y1) {
        catch_up();
        double errors[kLanes];
        double steps[kLanes];
        double accepted[kLanes] = {};
        double start[kLanes] = {}; // zero, or NaN where the first stage is not finite
        store(error, errors);
        store(step, steps);
        Scalar sum = 0.0;
        for (std::size_t c = 0; c < N; ++c) {
            sum = sum + k_[0][c] * 0.0;
        }
        store(sum, start);
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (system_of_[i] != kNone) {
                const bool taken =
                    progress_[i].judge(controller_, settings_, errors[i], steps[i], last[i], start[i] == 0.0);
                accepted[i] = taken ? 1.0 : 0.0;
            }
        }
        const auto taken = load<Scalar>(accepted) > Scalar(0.0);
        for (std::size_t c = 0; c < N; ++c) {
            y_[c] = select(taken, y1[c], y_[c]);
            if constexpr (kShared) {
                k_[0][c] = select(taken, k_[kStages - 1][c], k_[0][c]);
            }
        }
        retire();
        take_over();
    }

    /// Hands out the lanes that have finished, and gives them new work.
    [[gnu::cold, gnu::noinline]] void retire() {
        bool retired = false;
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (system_of_[i] == kNone || !progress_[i].finished()) {
                continue;
            }
            for (std::size_t c = 0; c < N; ++c) {
                double lanes[kLanes];
                store(y_[c], lanes);
                batch_.data[c * batch_.stride + system_of_[i]] = lanes[i];
            }
            reports_[system_of_[i]] = progress_[i].report(kStages, kShared);
            system_of_[i] = kNone;
            progress_[i] = Progress(t0_, t1_);
            --busy_;
            retired = true;
        }
        if (retired) {
            refill();
        }
    }

    /// Gives idle lanes the next systems: state, first stage, first substep.
    [[gnu::cold, gnu::noinline]] void refill() {
        double fresh[kLanes] = {};
        double y[N][kLanes];
        bool any_fresh = false;
        for (std::size_t c = 0; c < N; ++c) {
            store(y_[c], y[c]);
        }
        for (std::size_t i = 0; i < kLanes; ++i) {
            while (system_of_[i] == kNone && next_ < batch_.count) {
                const std::size_t candidate = next_++;
                double sum = 0.0;
                for (std::size_t c = 0; c < N; ++c) {
                    sum += batch_.data[c * batch_.stride + candidate] * 0.0;
                }
                if (sum != 0.0) {
                    reports_[candidate].status = StepStatus::InvalidInput;
                    continue;
                }
                for (std::size_t c = 0; c < N; ++c) {
                    y[c][i] = batch_.data[c * batch_.stride + candidate];
                }
                system_of_[i] = candidate;
                progress_[i] = Progress(t0_, t1_);
                fresh[i] = 1.0;
                any_fresh = true;
                ++busy_;
            }
        }
        if (any_fresh) {
            begin(fresh, y);
        }
        take_over();
    }

    /// Starts the fresh lanes, whose states are in y with those of the others.
    [[gnu::cold, gnu::noinline]] void begin(const double (&fresh)[kLanes], const double (&y)[N][kLanes]) {
        for (std::size_t c = 0; c < N; ++c) {
            y_[c] = load<Scalar>(y[c]);
        }
        const Scalar t = t0_;
        const State f0 = system_(t, y_);
        const auto is_fresh = load<Scalar>(fresh) > Scalar(0.0);
        for (std::size_t c = 0; c < N; ++c) {
            k_[0][c] = select(is_fresh, f0[c], k_[0][c]);
        }
        if (settings_.h_initial > 0.0) {
            for (std::size_t i = 0; i < kLanes; ++i) {
                if (fresh[i] != 0.0) {
                    progress_[i].start(settings_);
                }
            }
            return;
        }

        // Each fresh lane's probe, and what the derivative is at its end.
        double rates[N][kLanes];
        double probes[kLanes] = {};
        double at[N];
        double rate[N];
        double end_rate[N];
        for (std::size_t c = 0; c < N; ++c) {
            store(f0[c], rates[c]);
        }
        const auto gather = [](const double(&from)[N][kLanes], std::size_t i, double(&to)[N]) {
            for (std::size_t c = 0; c < N; ++c) {
                to[c] = from[c][i];
            }
        };
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (fresh[i] != 0.0) {
                gather(y, i, at);
                gather(rates, i, rate);
                probes[i] = progress_[i].probe_step({at, N}, {rate, N}, settings_);
            }
        }
        const Scalar probe = load<Scalar>(probes);
        State ahead;
        for (std::size_t c = 0; c < N; ++c) {
            ahead[c] = y_[c] + probe * f0[c];
        }
        const State f1 = system_(t + probe, ahead);
        double end_rates[N][kLanes];
        for (std::size_t c = 0; c < N; ++c) {
            store(f1[c], end_rates[c]);
        }
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (fresh[i] != 0.0) {
                gather(y, i, at);
                gather(rates, i, rate);
                gather(end_rates, i, end_rate);
                progress_[i].start(probes[i], {at, N}, {rate, N}, {end_rate, N}, settings_, kErrorOrder);
            }
        }
    }

    /// Copies times and steps to where packs are read from.
    void take_over() {
        quiet_attempts_left_ = settings_.max_attempts;
        for (std::size_t i = 0; i < kLanes; ++i) {
            t_[i] = progress_[i].t;
            carry_[i] = progress_[i].carry;
            h_[i] = progress_[i].h;
            const std::int64_t left = progress_[i].attempts_left(settings_);
            quiet_attempts_left_ = left < quiet_attempts_left_ ? left : quiet_attempts_left_;
        }
    }

    const System& system_;
    double t0_;
    double t1_;
    const BatchView& batch_;
    const IntegrateSettings& settings_;
    std::span<IntegrateReport> reports_;
    StepController controller_;

    std::size_t next_ = 0; ///< first system that no lane has taken
    std::size_t busy_ = 0; ///< lanes at work
    std::size_t system_of_[kLanes];
    Progress progress_[kLanes];
    std::int64_t quiet_attempts_ = 0;
    std::int64_t quiet_attempts_left_ = 0; ///< until a lane makes the last attempt it may make
    alignas(64) double t_[kLanes];
    alignas(64) double carry_[kLanes];
    alignas(64) double h_[kLanes];
    State y_;
    std::array<State, kStages> k_{};
};

} // namespace detail

/// Integrates every system of `batch` from t0 to t1 (before or after t0) in n >= 1 equal substeps, in place.
///
///     const auto spring = [](const auto& t, const auto& y) { return std::array{y[1], -y[0]}; };
///     integrate_batch_fixed<kRk4, 2>(spring, 0.0, 1.0, 60, {positions_then_rates, 1000, 1000}, statuses);
///
/// `f(t, y)` returns the derivative; it is a template over its scalar, Pack<kNativePackWidth> unless Scalar says
/// otherwise (double: one system after the other). Each state gets the bits that `integrate_fixed` gives it under the
/// same compiler flags, each status its own value: where it is not ReachedTarget the state is as it was, and no other
/// is disturbed. Allocates nothing. Throws std::invalid_argument if the batch does not fit its size, statuses, or n.
template <const auto& kTableau, std::size_t N, class Scalar = Pack<kNativePackWidth>, class System>
void integrate_batch_fixed(const System& f, double t0, double t1, std::int64_t n, const BatchView& batch,
                           std::span<StepStatus> statuses) {
    detail::check_batch(batch, N, statuses.size(), n);
    if (!detail::is_finite(t0) || !detail::is_finite(t1)) {
        for (std::size_t i = 0; i < batch.count; ++i) {
            statuses[i] = StepStatus::InvalidInput;
        }
        return;
    }
    constexpr std::size_t kLanes = kPackWidth<Scalar>;
    const double h = (t1 - t0) / static_cast<double>(n);
    for (std::size_t first = 0; first < batch.count; first += kLanes * detail::kPacksPerBlock) {
        const std::size_t rest = (batch.count - first + kLanes - 1) / kLanes;
        const std::size_t packs = rest < detail::kPacksPerBlock ? rest : detail::kPacksPerBlock;
        detail::integrate_block_fixed<kTableau, Scalar, N>(f, t0, h, n, batch, first, packs, statuses);
    }
}

/// Integrates every system of `batch` from t0 to t1 (before or after t0) with an adaptive method, each with its own
/// steps, in place. Each state and report is what `integrate` gives for that system alone under the same compiler
/// flags, bit for bit; lanes that have finished take over the next system. Allocates nothing. Throws as
/// `integrate_batch_fixed`, and for settings that cannot be used.
template <const auto& kTableau, std::size_t N, class Scalar = Pack<kNativePackWidth>, class System>
void integrate_batch(const System& f, double t0, double t1, const IntegrateSettings& settings, const BatchView& batch,
                     std::span<IntegrateReport> reports) {
    static_assert(kTableau.has_error_estimate(), "a method without error estimate: integrate_batch_fixed is for those");
    validate(settings);
    detail::check_batch(batch, N, reports.size(), 1);
    const bool valid = detail::is_finite(t0) && detail::is_finite(t1);
    for (std::size_t i = 0; i < batch.count; ++i) {
        reports[i] = {.status = valid ? StepStatus::ReachedTarget : StepStatus::InvalidInput};
        reports[i].h_next = valid && t0 == t1 ? settings.h_initial : 0.0;
        // Where there is nothing to integrate, lanes are still looked at.
        for (std::size_t c = 0; t0 == t1 && c < N; ++c) {
            if (!detail::is_finite(batch.data[c * batch.stride + i])) {
                reports[i].status = StepStatus::InvalidInput;
            }
        }
    }
    if (valid && t0 != t1 && batch.count > 0) {
        detail::AdaptiveLanes<kTableau, Scalar, N, System>(f, t0, t1, batch, settings, reports).run();
    }
}

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
