// Flights between hits, the first of several corners to hit, and the law of impacts.
#include "corner_flight.h"

#include <cmath>

namespace substep::detail {
namespace {

constexpr Real kTogether = 1e-13L; // s: corners that hit within it hit as one
constexpr Real kLook = 2e-4L;      // s: a corner does not dip for less
constexpr int kHalvings = 80;

Real dot(const RealVector& a, const RealVector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
RealVector cross(const RealVector& a, const RealVector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
RealVector times(const RealMatrix& m, const RealVector& v) { return {dot(m[0], v), dot(m[1], v), dot(m[2], v)}; }
RealVector sum(const RealVector& a, Real factor, const RealVector& b) {
    return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

/// Solves m x = b by Cramer's rule.
RealVector solve(const RealMatrix& m, const RealVector& b) {
    const auto column = [&](std::size_t c) { return RealVector{m[0][c], m[1][c], m[2][c]}; };
    const RealVector c0 = column(0), c1 = column(1), c2 = column(2);
    const Real determinant = dot(c0, cross(c1, c2));
    return {dot(b, cross(c1, c2)) / determinant, dot(c0, cross(b, c2)) / determinant,
            dot(c0, cross(c1, b)) / determinant};
}

} // namespace

std::optional<CornerFlight::Hit> CornerFlight::next(Real most) const {
    const int looks = 1 + static_cast<int>(most / kLook);
    Real before = 0;
    RealVector up_before = up(0);
    for (int look = 1; look <= looks; ++look) {
        const Real t = most * look / looks;
        const RealVector up_now = up(t);
        std::optional<Hit> first;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (gap(i, t, up_now) > 0 || (look > 1 && gap(i, before, up_before) <= 0)) {
                continue;
            }
            Real above = before;
            Real below = t;
            for (int halving = 0; halving < kHalvings; ++halving) {
                const Real middle = (above + below) / 2;
                (gap(i, middle, up(middle)) > 0 ? above : below) = middle;
            }
            if (!first || below < first->t - kTogether) {
                first = Hit{below, {i}};
            } else if (below <= first->t + kTogether) {
                first->points.push_back(i);
            }
        }
        if (first) {
            return first;
        }
        before = t;
        up_before = up_now;
    }
    return std::nullopt;
}

void CornerFlight::fly(Real t) {
    axes = turned(t);
    x = sum(sum(x, t, v), -gravity * t * t / 2, {0, 1, 0});
    v[1] -= gravity * t;
}

void CornerFlight::hit(const std::vector<std::size_t>& together) {
    RealVector arm{};
    for (const std::size_t i : together) {
        arm = sum(arm, Real(1) / static_cast<Real>(together.size()), times(axes, points[i]));
    }
    arm[1] -= radius;
    RealMatrix k{}; // velocity of the point by an impulse there
    for (std::size_t c = 0; c < 3; ++c) {
        RealVector unit{};
        unit[c] = 1;
        const RealVector moved = sum(unit, 1, cross(turn_by(cross(arm, unit)), arm));
        for (std::size_t r = 0; r < 3; ++r) {
            k[r][c] = moved[r];
        }
    }
    const RealVector u = sum(v, 1, cross(omega, arm));
    RealVector impulse = solve(k, {-u[0], -(1 + restitution) * u[1], -u[2]}); // sticks
    if (std::hypot(impulse[0], impulse[2]) > friction * impulse[1]) {
        impulse = slide(k, u);
    }
    v = sum(v, 1, impulse);
    omega = sum(omega, 1, turn_by(cross(arm, impulse)));
}

Real CornerFlight::kinetic_energy() const {
    Real twice = dot(v, v);
    for (std::size_t c = 0; c < 3; ++c) {
        const Real rate = axes[0][c] * omega[0] + axes[1][c] * omega[1] + axes[2][c] * omega[2];
        twice += moments[c] * rate * rate;
    }
    return twice / 2;
}

// Rodrigues' rotation of each column.
RealMatrix CornerFlight::turned(Real t) const {
    const Real rate = std::sqrt(dot(omega, omega));
    if (rate == 0) {
        return axes;
    }
    const RealVector n{omega[0] / rate, omega[1] / rate, omega[2] / rate};
    const Real c = std::cos(rate * t), s = std::sin(rate * t);
    RealMatrix result{};
    for (std::size_t column = 0; column < 3; ++column) {
        const RealVector e{axes[0][column], axes[1][column], axes[2][column]};
        const RealVector aside = cross(n, e);
        for (std::size_t row = 0; row < 3; ++row) {
            result[row][column] = c * e[row] + s * aside[row] + (1 - c) * dot(n, e) * n[row];
        }
    }
    return result;
}

Real CornerFlight::gap(std::size_t i, Real t, const RealVector& up) const {
    return x[1] + v[1] * t - gravity * t * t / 2 + dot(up, points[i]) - radius;
}

// The change of the angular velocity by an angular impulse.
RealVector CornerFlight::turn_by(const RealVector& momentum) const {
    RealVector in_axes{};
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t r = 0; r < 3; ++r) {
            in_axes[c] += axes[r][c] * momentum[r] / moments[c];
        }
    }
    return times(axes, in_axes);
}

// Friction mu of the normal impulse against the slip that it leaves, whose angle is found by looking all around.
RealVector CornerFlight::slide(const RealMatrix& k, const RealVector& u) const {
    const Real whole = 2 * std::acos(Real(-1));
    const auto with = [&](Real angle) {
        const RealVector along{-friction * std::cos(angle), 1, -friction * std::sin(angle)};
        const Real normal = -(1 + restitution) * u[1] / dot(k[1], along);
        return RealVector{normal * along[0], normal, normal * along[2]};
    };
    const auto off = [&](Real angle) {
        const RealVector left = sum(u, 1, times(k, with(angle)));
        return std::remainder(std::atan2(left[2], left[0]) - angle, whole);
    };
    constexpr int kLooks = 720;
    for (int look = 0; look < kLooks; ++look) {
        Real low = whole * look / kLooks;
        Real high = whole * (look + 1) / kLooks;
        const bool falls = off(low) > 0;
        if ((off(high) > 0) == falls || std::abs(off(high) - off(low)) > 1) {
            continue;
        }
        for (int halving = 0; halving < kHalvings; ++halving) {
            const Real middle = (low + high) / 2;
            ((off(middle) > 0) == falls ? low : high) = middle;
        }
        return with(low);
    }
    return {};
}

} // namespace substep::detail
