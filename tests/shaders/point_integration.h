// The solvers of shaders/ in C++: the same algorithm from the same tableaux, in single precision by default.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

// In single precision a coefficient of the tableau meets a float: the product is rounded, and meant to be.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#include "substep/integrators/runge_kutta.h"
#pragma GCC diagnostic pop

namespace substep {

template <class Scalar>
using Point = std::array<Scalar, 3>;

/// What became of one point, as Integration in shaders/integration.glsl.
template <class Scalar>
struct PointRun {
    Point<Scalar> y{};
    int steps = 0;
    int rejected = 0;
    int evaluations = 0;
    bool finite = true;
};

namespace detail {

template <class Scalar>
bool is_finite(const Point<Scalar>& p) {
    return std::isfinite(p[0] + p[1] + p[2]);
}

template <class Scalar>
Scalar step_factor(Scalar err, Scalar tolerance, int order) {
    const Scalar ratio = std::sqrt(tolerance / std::max(err, Scalar(1e-6) * tolerance));
    return std::clamp(Scalar(0.9) * (order == 4 ? std::sqrt(ratio) : ratio), Scalar(0.1), Scalar(5.0));
}

} // namespace detail

/// Twin of adaptive_solver.glsl. `velocity(t, y)` returns a Point.
template <const auto& kTableau, class Scalar, class Velocity>
PointRun<Scalar> integrate_point(const Velocity& velocity, int error_order, const Point<Scalar>& start, Scalar t0,
                                 Scalar t1, Scalar tolerance, Scalar h_min) {
    constexpr bool kReusesLast = kTableau.first_same_as_last();
    const auto f = [&](Scalar t, const Point<Scalar>& y, Point<Scalar>& dydt) { dydt = velocity(t, y); };
    const Scalar direction = t1 < t0 ? Scalar(-1) : Scalar(1);
    Scalar left = std::abs(t1 - t0);
    Scalar h = Scalar(0.1) * left;
    const Scalar h_floor = std::max(h_min, Scalar(1e-6) * left);
    bool retried = false;
    std::array<Point<Scalar>, kTableau.kStages> k;
    k[0] = velocity(t0, start);
    PointRun<Scalar> run{start, 0, 0, 1, true};
    while (left > Scalar(0)) {
        const Scalar wanted = std::max(h, h_floor);
        const Scalar used = wanted >= left ? left : std::min(wanted, Scalar(0.5) * left);
        const bool shortest = used <= h_floor;

        Point<Scalar> end;
        Point<Scalar> error;
        runge_kutta_attempt<kTableau>(f, t1 - direction * left, direction * used, run.y, k, end, true);
        runge_kutta_error<kTableau>(direction * used, k, error);
        run.evaluations += static_cast<int>(kTableau.kStages) - 1;
        const Scalar err = std::sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2]) / used;
        const bool finite = std::isfinite(err) && detail::is_finite(end);

        if (!finite && shortest) {
            run.finite = false;
            break;
        }
        if (!finite || (err > tolerance && !shortest)) {
            h = used * (finite ? detail::step_factor(err, tolerance, error_order) : Scalar(0.1));
            retried = true;
            ++run.rejected;
            continue;
        }
        run.y = end;
        ++run.steps;
        left = used == left ? Scalar(0) : left - used;
        const Scalar factor = detail::step_factor(err, tolerance, error_order);
        h = used * (retried ? std::min(factor, Scalar(1)) : factor);
        retried = false;
        if (kReusesLast) {
            k[0] = k[kTableau.kStages - 1];
        } else if (left > Scalar(0)) {
            k[0] = velocity(t1 - direction * left, run.y);
            ++run.evaluations;
        }
    }
    return run;
}

/// Twin of fixed_solver.glsl.
template <const auto& kTableau, class Scalar, class Velocity>
PointRun<Scalar> integrate_point(const Velocity& velocity, const Point<Scalar>& start, Scalar t0, Scalar t1,
                                 int steps) {
    const Scalar h = (t1 - t0) / static_cast<Scalar>(steps);
    PointRun<Scalar> run{start, 0, 0, 0, true};
    for (int i = 0; i < steps; ++i) {
        const Point<Scalar> end = runge_kutta_step<kTableau>(velocity, t0 + static_cast<Scalar>(i) * h, h, run.y);
        run.evaluations += static_cast<int>(kTableau.kStages);
        if (!detail::is_finite(end)) {
            run.finite = false;
            break;
        }
        run.y = end;
        ++run.steps;
    }
    return run;
}

} // namespace substep
