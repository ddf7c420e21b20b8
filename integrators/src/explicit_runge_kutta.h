// Explicit Runge-Kutta methods behind OdeSystem: the stage loop of runge_kutta.h on spans.
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "substep/integrators/integration_method.h"
#include "substep/integrators/runge_kutta.h"

namespace substep::detail {

template <const auto& kTableau>
class ExplicitRungeKutta final : public IntegrationMethod {
public:
    explicit constexpr ExplicitRungeKutta(const MethodInfo& info) : info_(info) {}

    const MethodInfo& info() const noexcept override { return info_; }

    StepOutcome step(OdeSystem& system, double t, double h, StepWorkspace& w) const noexcept override {
        const auto derivative = [&system](double time, std::span<const double> y, std::span<double> dydt) {
            system.derivative(time, y, dydt);
        };
        auto k = stages(w, std::make_index_sequence<kTableau.kStages>{});
        runge_kutta_stages<kTableau>(derivative, t, h, w.y0, k, w.scratch, w.k0_ready);
        runge_kutta_solution<kTableau>(w.y0, h, k, w.y1);
        if constexpr (kTableau.has_error_estimate()) {
            runge_kutta_error<kTableau>(h, k, w.error);
        }
        const int evaluations = static_cast<int>(kTableau.kStages) - (w.k0_ready ? 1 : 0);
        w.k0_ready = true;
        return {.evaluations = evaluations, .ok = unweighted_stages_are_finite(w)};
    }

    double stage_frequency(const StepWorkspace& w, double h) const noexcept override {
        // For y' = J y the first three stages hold k0 = f, k1 = f + c1 h J f and
        // k2 = f + c2 h J f + a21 c1 h^2 J^2 f, so k2 - (c2/c1) k1 + (c2/c1 - 1) k0 = a21 c1 h^2 J^2 f,
        // and |J^2 f| = omega^2 |f| where one oscillation dominates.
        if constexpr (kTableau.kStages >= 3) {
            constexpr double kRatio = kTableau.c[2] / kTableau.c[1];
            constexpr double kScale = kTableau.a[2][1] * kTableau.c[1];
            double second = 0.0;
            double first = 0.0;
            for (std::size_t e = 0; e < w.y0.size(); ++e) {
                const double difference = w.k(2)[e] - kRatio * w.k(1)[e] + (kRatio - 1.0) * w.k(0)[e];
                second += difference * difference;
                first += w.k(0)[e] * w.k(0)[e];
            }
            if (first > 0.0) {
                return std::sqrt(std::sqrt(second / first) / kScale) / h;
            }
        }
        return -1.0;
    }

private:
    template <std::size_t... I>
    static std::array<std::span<double>, sizeof...(I)> stages(const StepWorkspace& w, std::index_sequence<I...>) {
        return {w.k(I)...};
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

    const MethodInfo& info_;
};

} // namespace substep::detail
