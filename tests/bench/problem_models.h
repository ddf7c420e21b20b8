// Right-hand sides of the problems that are raced, written so that a compiler may inline them: the same
// code for every library, which calls it where it cannot inline. Pointers to the state and to its rate.
#pragma once

#include <cmath>
#include <cstddef>

#include "substep/numerics/elementary_functions.h"

namespace substep_bench {

/// The pendulum of 1 m under 9.8 m/s^2: theta' = omega, omega' = -9.8 sin theta, with the same sine for everybody.
struct PendulumModel {
    static constexpr const char* kId = "pendulum_seed000";
    static constexpr std::size_t kSize = 2;
    template <class State, class Rate>
    static void rate(double, const State& y, Rate& dydt) {
        dydt[0] = y[1];
        dydt[1] = -9.8 * substep::sine(y[0]);
    }
};

/// Lorenz's equations with sigma = 10, rho = 28, beta = 8/3.
struct LorenzModel {
    static constexpr const char* kId = "lorenz_t10";
    static constexpr std::size_t kSize = 3;
    template <class State, class Rate>
    static void rate(double, const State& y, Rate& dydt) {
        dydt[0] = 10.0 * (y[1] - y[0]);
        dydt[1] = y[0] * (28.0 - y[2]) - y[1];
        dydt[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    }
};

/// A planet of a fixed sun in the plane: position, velocity.
struct KeplerModel {
    static constexpr const char* kId = "detest_D5_kepler";
    static constexpr std::size_t kSize = 4;
    template <class State, class Rate>
    static void rate(double, const State& y, Rate& dydt) {
        const double r2 = y[0] * y[0] + y[1] * y[1];
        const double inverse = 1.0 / (r2 * std::sqrt(r2));
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = -y[0] * inverse;
        dydt[3] = -y[1] * inverse;
    }
};

/// Earth, Moon and a small body in a frame that turns with them.
struct ArenstorfModel {
    static constexpr const char* kId = "arenstorf";
    static constexpr std::size_t kSize = 4;
    template <class State, class Rate>
    static void rate(double, const State& y, Rate& dydt) {
        constexpr double kMoon = 0.012277471;
        constexpr double kEarth = 1.0 - kMoon;
        const double from_earth = y[0] + kMoon;
        const double from_moon = y[0] - kEarth;
        const double r2 = from_earth * from_earth + y[1] * y[1];
        const double s2 = from_moon * from_moon + y[1] * y[1];
        const double pull_earth = kEarth / (r2 * std::sqrt(r2));
        const double pull_moon = kMoon / (s2 * std::sqrt(s2));
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = y[0] + 2.0 * y[3] - from_earth * pull_earth - from_moon * pull_moon;
        dydt[3] = y[1] - 2.0 * y[2] - y[1] * (pull_earth + pull_moon);
    }
};

/// Seven bodies of masses 1 to 7 in the plane: x1..x7, y1..y7, then the rates in the same order.
struct PleiadesModel {
    static constexpr const char* kId = "pleiades";
    static constexpr std::size_t kBodies = 7;
    static constexpr std::size_t kSize = 4 * kBodies;
    template <class State, class Rate>
    static void rate(double, const State& y, Rate& dydt) {
        for (std::size_t i = 0; i < 2 * kBodies; ++i) {
            dydt[i] = y[2 * kBodies + i];
            dydt[2 * kBodies + i] = 0.0;
        }
        constexpr std::size_t ax = 2 * kBodies;
        constexpr std::size_t ay = 3 * kBodies;
        for (std::size_t i = 0; i < kBodies; ++i) {
            for (std::size_t j = i + 1; j < kBodies; ++j) {
                const double dx = y[j] - y[i];
                const double dy = y[kBodies + j] - y[kBodies + i];
                const double r2 = dx * dx + dy * dy;
                const double inverse = 1.0 / (r2 * std::sqrt(r2));
                const double by_i = static_cast<double>(i + 1) * inverse;
                const double by_j = static_cast<double>(j + 1) * inverse;
                dydt[ax + i] += by_j * dx;
                dydt[ay + i] += by_j * dy;
                dydt[ax + j] -= by_i * dx;
                dydt[ay + j] -= by_i * dy;
            }
        }
    }
};

/// A model as a plain function of pointers.
template <class Model>
void rate_of(double t, const double* y, double* dydt) {
    Model::rate(t, y, dydt);
}

} // namespace substep_bench
