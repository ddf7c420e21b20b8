// Explicit Runge-Kutta methods behind OdeSystem: the stage loop of runge_kutta.h on spans.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "substep/integrators/integration_method.h"
#include "substep/integrators/runge_kutta.h"

namespace substep::detail {

/// True if a row of the table says of a tableau what the tableau says of itself.
template <std::size_t S, std::size_t N, std::size_t E, std::size_t T>
constexpr bool describes(const MethodInfo& info, const ButcherTableau<S>& tableau,
                         const ContinuousExtension<N, E, T>& extension) {
    const bool shared = tableau.first_same_as_last();
    const bool raised = T == 0 && info.dense_evaluations == 1;
    return info.needs == MethodNeeds::Derivative && info.first_same_as_last == shared &&
           info.stages == static_cast<int>(S) - (shared ? 1 : 0) && info.adaptive == tableau.has_error_estimate() &&
           info.two_estimates == tableau.has_two_estimates() &&
           (raised || info.dense_evaluations == static_cast<int>(extension.kExtraStages));
}

/// Rows of a continuous extension as constants of their own, which template arguments may refer to.
template <const auto& kExtension, std::size_t kStage>
inline constexpr auto kExtraStageRow = kExtension.a[kStage];
template <const auto& kExtension, std::size_t kTerm>
inline constexpr auto kTermRow = kExtension.d[kTerm];

template <const auto& kTableau, const auto& kInfo, const auto& kExtension = kNoExtension>
class ExplicitRungeKutta final : public IntegrationMethod {
    static_assert(describes(kInfo, kTableau, kExtension), "the row of the table contradicts the tableau");

public:
    const MethodInfo& info() const noexcept override { return kInfo; }

    std::size_t stage_slots() const noexcept override { return kTableau.kStages + kExtension.kExtraStages; }

    StepOutcome step(OdeSystem& system, double t, double h, StepWorkspace& w) const override {
        const auto derivative = [&system](double time, std::span<const double> y, std::span<double> dydt) {
            system.derivative(time, y, dydt);
        };
        auto k = stages(w, std::make_index_sequence<kTableau.kStages>{});
        runge_kutta_attempt<kTableau>(derivative, t, h, w.y0, k, w.y1, w.k0_ready);
        if constexpr (kTableau.has_error_estimate()) {
            runge_kutta_error<kTableau>(h, k, w.error);
        }
        if constexpr (kTableau.has_two_estimates()) {
            runge_kutta_coarse_error<kTableau>(h, k, w.coarse_error);
        }
        const int evaluations = static_cast<int>(kTableau.kStages) - (w.k0_ready ? 1 : 0);
        w.k0_ready = true;
        return {.evaluations = evaluations, .ok = unweighted_stages_are_finite(w)};
    }

    int extend_interpolant(OdeSystem& system, double t, double h, StepWorkspace& w, std::span<const double> f1,
                           Interpolant& interpolant) const override {
        if constexpr (kExtension.kTerms > 0) {
            add_terms(system, t, h, w, f1, interpolant);
        } else if constexpr (kInfo.dense_evaluations > 0) {
            interpolant.raise_order(system);
        }
        return kInfo.dense_evaluations;
    }

    double stage_frequency(const StepWorkspace& w, double h) const noexcept override {
        // For y' = J y the first three stages hold k0 = f, k1 = f + c1 h J f and
        // k2 = f + c2 h J f + a21 c1 h^2 J^2 f, so k2 - (c2/c1) k1 + (c2/c1 - 1) k0 = a21 c1 h^2 J^2 f,
        // and |J^2 f| = omega^2 |f| where one oscillation dominates.
        if constexpr (kTableau.kStages >= 3) {
            constexpr double kRatio = kTableau.c[2] / kTableau.c[1];
            constexpr double kScale = kTableau.a[2][1] * kTableau.c[1];
            static_assert(kScale > 0.0);
            double second = 0.0;
            double first = 0.0;
            for (std::size_t e = 0; e < w.y0.size(); ++e) {
                const double difference = w.k(2)[e] - kRatio * w.k(1)[e] + (kRatio - 1.0) * w.k(0)[e];
                second += difference * difference;
                first += w.k(0)[e] * w.k(0)[e];
            }
            if (first > 0.0) {
                return std::sqrt(std::sqrt(second / first) / kScale) / std::fabs(h);
            }
        }
        return -1.0;
    }

private:
    template <std::size_t... I>
    static std::array<std::span<double>, sizeof...(I)> stages(const StepWorkspace& w, std::index_sequence<I...>) {
        return {w.k(I)...};
    }

    /// Makes the extra stages, then the terms q_j = rise_j (y1 - y0) + h sum_i d_ji k_i.
    static void add_terms(OdeSystem& system, double t, double h, StepWorkspace& w, std::span<const double> f1,
                          Interpolant& interpolant) {
        constexpr std::size_t kEnd = kExtension.kDerivatives - kExtension.kExtraStages - 1;
        std::array<std::span<const double>, kExtension.kDerivatives> k;
        for (std::size_t i = 0; i < kEnd; ++i) {
            k[i] = w.k(i);
        }
        k[kEnd] = f1;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (
                [&] {
                    advance_along<kExtraStageRow<kExtension, I>, kEnd + 1 + I>(w.y0, h, k, w.scratch);
                    system.derivative(t + kExtension.c[I] * h, w.scratch, w.k(kTableau.kStages + I));
                    k[kEnd + 1 + I] = w.k(kTableau.kStages + I);
                }(),
                ...);
        }
        (std::make_index_sequence<kExtension.kExtraStages>{});

        interpolant.set_terms(kExtension.kTerms);
        [&]<std::size_t... J>(std::index_sequence<J...>) {
            (
                [&] {
                    std::span<double> term = interpolant.term(J);
                    sum_along<kTermRow<kExtension, J>, kExtension.kDerivatives>(h, k, term);
                    if constexpr (kExtension.rise[J] != 0.0) {
                        for (std::size_t e = 0; e < term.size(); ++e) {
                            term[e] += kExtension.rise[J] * (w.y1[e] - w.y0[e]);
                        }
                    }
                }(),
                ...);
        }
        (std::make_index_sequence<kExtension.kTerms>{});
    }

    /// A NaN in a stage reaches y1 or the error through its weight. Where both weights are zero it would not, if the
    /// model swallowed it (a comparison does) when it came back as the argument of a later stage.
    static bool unweighted_stages_are_finite(const StepWorkspace& w) {
        double sum = 0.0;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (
                [&] {
                    if constexpr (kTableau.b[I] == 0.0 && kTableau.b_error[I] == 0.0) {
                        for (const double rate : w.k(I)) {
                            sum += rate * 0.0;
                        }
                    }
                }(),
                ...);
        }
        (std::make_index_sequence<kTableau.kStages>{});
        return sum == 0.0;
    }
};

} // namespace substep::detail
