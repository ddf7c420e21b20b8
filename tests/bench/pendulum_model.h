// The pendulum of 1 m under 9.8 m/s^2 that most races run on: angle 0, rate -2 rad/s, 10 000 frames of 1/60 s.
#pragma once

#include <array>

#include "problem_models.h"
#include "solver.h"
#include "substep/integrators/ode_system.h"

namespace substep_bench {

inline constexpr std::array<double, 2> kPendulumStart{0.0, -2.0}; // rad, rad/s
inline constexpr double kPendulumEnd = 10000.0 / 60.0;            // s
inline constexpr std::array<double, 2> kPendulumExact{0.530077798104947758, -1.14466050513173661};

/// The pendulum behind OdeSystem, with the event theta = 0.
class PendulumSystem final : public substep::OdeSystem, public substep::EventFunctions {
public:
    explicit PendulumSystem(bool with_events = false) : with_events_(with_events) {}
    std::size_t size() const noexcept override { return 2; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        PendulumModel::rate(t, y, dydt);
    }
    substep::EventFunctions* event_functions() noexcept override { return with_events_ ? this : nullptr; }
    std::size_t event_count() const override { return 1; }
    substep::EventTraits event_traits(std::size_t) const override { return {}; }
    void event_values(double, std::span<const double> y, std::span<double> g) override { g[0] = y[0]; }
    substep::EventAction on_event(double t, std::span<const std::size_t>, std::span<double>) override {
        if (zeros != nullptr) {
            zeros->push_back(t);
        }
        return substep::EventAction::Continue;
    }

    std::vector<double>* zeros = nullptr; ///< receives the times of events

private:
    bool with_events_;
};

inline InitialValueProblem pendulum_problem() {
    return {0.0, kPendulumEnd, {kPendulumStart.begin(), kPendulumStart.end()}, rate_of<PendulumModel>};
}

} // namespace substep_bench
