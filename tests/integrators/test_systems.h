// Small systems with known solutions, and a driver that makes substeps of a given length with any method.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "substep/integrators/integrator_service.h"
#include "substep/numerics/elementary_functions.h"

namespace substep_test {

/// The plain pendulum of origin 1, theta'' = -9.8 sin theta, with every capability that a method may need.
class Pendulum final : public substep::OdeSystem,
                       public substep::KickDriftSplit,
                       public substep::VelocityStep,
                       public substep::LinearlyImplicitStep {
public:
    static constexpr double kGravity = 9.8;

    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) noexcept override {
        ++calls;
        dydt[0] = y[1];
        dydt[1] = -kGravity * substep::sine(y[0]);
    }
    std::uint64_t revision() const noexcept override { return revisions; }
    substep::KickDriftSplit* kick_drift_split() noexcept override { return this; }
    substep::VelocityStep* velocity_step() noexcept override { return this; }
    substep::LinearlyImplicitStep* linearly_implicit_step() noexcept override { return this; }

    void force(double, std::span<const double> y, std::span<double> dydt) noexcept override {
        ++calls;
        dydt[0] = 0.0;
        dydt[1] = -kGravity * substep::sine(y[0]);
    }
    bool drift(double, double h, std::span<double> y) noexcept override {
        y[0] += h * y[1];
        return true;
    }
    void project_momenta(double, std::span<double>) noexcept override {}
    void find_contacts(double, double, std::span<const double>) noexcept override {}
    substep::VelocityStepResult velocity_step(const substep::VelocityStepRequest& request, std::span<double> y,
                                              std::span<substep::RememberedForce>) noexcept override {
        ++calls;
        y[1] -= request.h * kGravity * substep::sine(y[0]);
        y[0] += request.h * y[1];
        return {};
    }

    bool linearly_implicit_step(double, double h, double theta, std::span<double> y) noexcept override {
        ++calls;
        const double slope = -kGravity * substep::cosine(y[0]);
        const double change = (-h * kGravity * substep::sine(y[0]) + theta * h * h * slope * y[1]) /
                              (1.0 - theta * theta * h * h * slope);
        y[0] += h * (y[1] + theta * change);
        y[1] += change;
        return true;
    }

    static double energy(std::span<const double> y) { return 0.5 * y[1] * y[1] - kGravity * std::cos(y[0]); }

    std::int64_t calls = 0;
    std::uint64_t revisions = 0;
};

/// A system given by a function of (t, y) that returns the derivative, with nothing but the derivative to offer.
template <std::size_t N, class F>
class PlainSystem final : public substep::OdeSystem {
public:
    explicit PlainSystem(F f) : f_(f) {}
    std::size_t size() const noexcept override { return N; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) noexcept override {
        std::array<double, N> at{};
        std::copy(y.begin(), y.end(), at.begin());
        const std::array<double, N> rate = f_(t, at);
        std::copy(rate.begin(), rate.end(), dydt.begin());
    }

private:
    F f_;
};

template <std::size_t N, class F>
PlainSystem<N, F> plain_system(F f) {
    return PlainSystem<N, F>(f);
}

/// A system of functions: the derivative f(t, y), the event functions g(t, y), and what happens at an event.
template <std::size_t N, std::size_t M>
class EventSystem final : public substep::OdeSystem, public substep::EventFunctions {
public:
    using State = std::array<double, N>;
    using Values = std::array<double, M>;
    using Spans = std::span<const std::size_t>;

    std::function<State(double, const State&)> f;
    std::function<Values(double, const State&)> g;
    std::function<substep::EventAction(double, Spans, State&)> at_event = [](double, Spans, State&) {
        return substep::EventAction::Stop;
    };
    std::array<substep::EventTraits, M> traits{};
    double latest = -std::numeric_limits<double>::infinity(); ///< time of the latest evaluation
    std::int64_t calls = 0;
    std::uint64_t revisions = 0;

    std::size_t size() const noexcept override { return N; }
    std::uint64_t revision() const noexcept override { return revisions; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        ++calls;
        latest = std::max(latest, t);
        std::ranges::copy(f(t, state(y)), dydt.begin());
    }
    substep::EventFunctions* event_functions() noexcept override { return this; }

    std::size_t event_count() const override { return M; }
    substep::EventTraits event_traits(std::size_t i) const override { return traits[i]; }
    void event_values(double t, std::span<const double> y, std::span<double> values) override {
        std::ranges::copy(g(t, state(y)), values.begin());
    }
    substep::EventAction on_event(double t, std::span<const std::size_t> events, std::span<double> y) override {
        State changed = state(y);
        const substep::EventAction action = at_event(t, events, changed);
        std::ranges::copy(changed, y.begin());
        return action;
    }

private:
    static State state(std::span<const double> y) {
        State at{};
        std::ranges::copy(y, at.begin());
        return at;
    }
};

/// Settings under which any method, adaptive ones too, makes substeps of length h exactly.
inline substep::IntegratorSettings fixed_settings(const substep::MethodInfo& method, double h, double interval) {
    substep::IntegratorSettings settings;
    settings.method = method.name;
    settings.substeps = static_cast<int>(std::lround(interval / h));
    settings.atol = 1e6; // adaptive methods accept whatever they made, and h_max holds its length
    settings.rtol = 1e6;
    settings.h_initial = h;
    settings.h_max = h;
    return settings;
}

/// Slope of log |error| against log h between two measurements.
inline double measured_order(double error_coarse, double error_fine, double ratio) {
    return std::log(std::fabs(error_coarse / error_fine)) / std::log(ratio);
}

} // namespace substep_test
