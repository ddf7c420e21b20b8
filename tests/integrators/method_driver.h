// Mechanical systems that offer every capability, and a driver that makes substeps with a method alone, without
// service.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "substep/integrators/integration_method.h"

namespace substep_test {

/// q'' = F(q, q') as the state (q, q'), with N coordinates.
template <std::size_t N, class Force>
class MechanicalSystem final : public substep::OdeSystem,
                               public substep::KickDriftSplit,
                               public substep::VelocityStep,
                               public substep::LinearlyImplicitStep {
public:
    explicit MechanicalSystem(Force force) : force_(force) {}

    std::size_t size() const noexcept override { return 2 * N; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        force(t, y, dydt);
        std::copy(y.begin() + N, y.end(), dydt.begin());
    }
    substep::KickDriftSplit* kick_drift_split() noexcept override { return this; }
    substep::VelocityStep* velocity_step() noexcept override { return this; }
    substep::LinearlyImplicitStep* linearly_implicit_step() noexcept override { return this; }

    void force(double, std::span<const double> y, std::span<double> dydt) override {
        ++calls;
        std::array<double, N> q{};
        std::array<double, N> v{};
        std::copy(y.begin(), y.begin() + N, q.begin());
        std::copy(y.begin() + N, y.end(), v.begin());
        const std::array<double, N> a = force_(q, v);
        std::fill(dydt.begin(), dydt.begin() + N, 0.0);
        std::copy(a.begin(), a.end(), dydt.begin() + N);
    }
    bool drift(double, double h, std::span<double> y) override {
        for (std::size_t i = 0; i < N; ++i) {
            y[i] += h * y[N + i];
        }
        return true;
    }
    void project_momenta(double, std::span<double>) override {}
    void find_contacts(double, double, std::span<const double>) override {}
    substep::VelocityStepResult velocity_step(const substep::VelocityStepRequest& request, std::span<double> y,
                                              std::span<substep::RememberedForce>) override {
        std::array<double, 2 * N> rate{};
        force(request.t, y, rate);
        for (std::size_t i = 0; i < N; ++i) {
            y[N + i] += request.h * rate[N + i];
        }
        return {.ok = drift(request.t, request.h, y)};
    }

    /// (1 - theta h F_v - theta^2 h^2 F_q) dv = h F + theta h^2 F_q v, q += h (v + theta dv), v += dv, with F_q and F_v
    /// by central differences and Gauss without pivoting: the matrix is the identity and what is small or dominant.
    bool linearly_implicit_step(double t, double h, double theta, std::span<double> y) override {
        std::array<double, 2 * N> rate{};
        force(t, y, rate);
        std::array<double, N> q{};
        std::array<double, N> v{};
        std::copy(y.begin(), y.begin() + N, q.begin());
        std::copy(y.begin() + N, y.end(), v.begin());
        std::array<std::array<double, N>, N> matrix{};
        std::array<double, N> dv{};
        for (std::size_t i = 0; i < N; ++i) {
            matrix[i][i] = 1.0;
            dv[i] = h * rate[N + i];
        }
        for (std::size_t j = 0; j < N; ++j) {
            const std::array<double, N> by_q = slope(q, v, q[j]);
            const std::array<double, N> by_v = slope(q, v, v[j]);
            for (std::size_t i = 0; i < N; ++i) {
                matrix[i][j] -= theta * h * by_v[i] + theta * theta * h * h * by_q[i];
                dv[i] += theta * h * h * by_q[i] * v[j];
            }
        }
        for (std::size_t k = 0; k < N; ++k) {
            for (std::size_t i = k + 1; i < N; ++i) {
                const double factor = matrix[i][k] / matrix[k][k];
                for (std::size_t j = k; j < N; ++j) {
                    matrix[i][j] -= factor * matrix[k][j];
                }
                dv[i] -= factor * dv[k];
            }
        }
        for (std::size_t i = N; i-- > 0;) {
            for (std::size_t j = i + 1; j < N; ++j) {
                dv[i] -= matrix[i][j] * dv[j];
            }
            dv[i] /= matrix[i][i];
        }
        for (std::size_t i = 0; i < N; ++i) {
            y[i] += h * (v[i] + theta * dv[i]);
            y[N + i] += dv[i];
        }
        return true;
    }

    int calls = 0;

private:
    /// Change of the force with one of its arguments, `x`, which stays as it was.
    std::array<double, N> slope(const std::array<double, N>& q, const std::array<double, N>& v, double& x) const {
        constexpr double kStep = 1e-5;
        const double middle = x;
        x = middle + kStep;
        std::array<double, N> result = force_(q, v);
        x = middle - kStep;
        const std::array<double, N> below = force_(q, v);
        x = middle;
        for (std::size_t i = 0; i < N; ++i) {
            result[i] = (result[i] - below[i]) / (2.0 * kStep);
        }
        return result;
    }

    Force force_;
};

template <std::size_t N, class Force>
MechanicalSystem<N, Force> mechanical_system(Force force) {
    return MechanicalSystem<N, Force>(force);
}

/// theta'' = -9.8 sin theta.
inline auto pendulum() {
    return mechanical_system<1>(
        [](const std::array<double, 1>& q, const std::array<double, 1>&) { return std::array{-9.8 * std::sin(q[0])}; });
}
inline constexpr std::array kPendulumStart{0.3, -2.0};

/// The plane Kepler problem with unit constant.
inline auto kepler() {
    return mechanical_system<2>([](const std::array<double, 2>& q, const std::array<double, 2>&) {
        const double square = q[0] * q[0] + q[1] * q[1];
        const double cube = 1.0 / (square * std::sqrt(square));
        return std::array{-q[0] * cube, -q[1] * cube};
    });
}

/// The pericentre of an orbit of unit major axis and eccentricity e; its period is 2 pi.
inline std::array<double, 4> kepler_start(double e) { return {1.0 - e, 0.0, 0.0, std::sqrt((1.0 + e) / (1.0 - e))}; }

inline double kepler_energy(std::span<const double> y) {
    return 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1.0 / std::sqrt(y[0] * y[0] + y[1] * y[1]);
}

/// Henon and Heiles' potential: two nonlinear oscillators, coupled.
inline auto henon_heiles() {
    return mechanical_system<2>([](const std::array<double, 2>& q, const std::array<double, 2>&) {
        return std::array{-q[0] - 2.0 * q[0] * q[1], -q[1] - q[0] * q[0] + q[1] * q[1]};
    });
}
inline constexpr std::array kHenonHeilesStart{0.1, 0.2, 0.3, 0.25};

/// Substeps of a method from (0, y), one after the other, as the service makes them: the last stage is handed on where
/// the method says that it can be.
class MethodDriver {
public:
    MethodDriver(const substep::IntegrationMethod& method, substep::OdeSystem& system, std::span<const double> y)
        : method_(&method), system_(&system) {
        w.resize(system.size(), method.stage_slots());
        std::copy(y.begin(), y.end(), w.y1.begin());
    }

    /// Makes one substep of length h; its start is w.y0, its end w.y1.
    void step(double h) {
        const substep::MethodInfo& info = method_->info();
        w.swap_ends();
        w.k0_ready = steps_ > 0 && info.first_same_as_last;
        if (w.k0_ready) {
            std::ranges::copy(w.k(static_cast<std::size_t>(info.stages)), w.k(0).begin());
        }
        evaluations += method_->step(*system_, static_cast<double>(steps_) * h, h, w).evaluations;
        ++steps_;
    }

    /// Makes n substeps of length h and returns the state at their end.
    std::span<const double> steps(int n, double h) {
        for (int i = 0; i < n; ++i) {
            step(h);
        }
        return w.y1;
    }

    substep::StepWorkspace w;
    int evaluations = 0;

private:
    const substep::IntegrationMethod* method_;
    substep::OdeSystem* system_;
    int steps_ = 0;
};

/// Largest difference of two states, component by component.
inline double distance(std::span<const double> a, std::span<const double> b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::fmax(largest, std::fabs(a[i] - b[i]));
    }
    return largest;
}

/// The state after time t, by as many substeps of dormand_prince853 as make its error round-off.
inline std::vector<double> reference(substep::OdeSystem& system, std::span<const double> y, double t, int substeps) {
    MethodDriver driver(*substep::detail::integration_method("dormand_prince853"), system, y);
    const std::span<const double> end = driver.steps(substeps, t / substeps);
    return {end.begin(), end.end()};
}

/// p in error = C h^p, from errors at h and h / 2.
inline double order_from(double error_coarse, double error_fine) { return std::log2(error_coarse / error_fine); }

} // namespace substep_test
