// Small systems with known solutions, and a driver that makes substeps of a given length with any method.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "substep/integrators/elementary_functions.h"
#include "substep/integrators/integrator_service.h"

namespace substep_test {

/// The plain pendulum of origin 1, theta'' = -9.8 sin theta, with every capability that a method may need.
class Pendulum final : public substep::OdeSystem, public substep::KickDriftSplit, public substep::VelocityStep {
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
    bool velocity_step(double, double h, std::span<double> y) noexcept override {
        ++calls;
        y[1] -= h * kGravity * substep::sine(y[0]);
        y[0] += h * y[1];
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
