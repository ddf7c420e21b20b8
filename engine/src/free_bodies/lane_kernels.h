// The code of one instruction set: the motion of a free body as a template over its scalar, and an attempt at a substep
// of it. The operations are those of BodyFrames, IslandDerivative, MotionError and ManifoldProjection, in their order.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "free_bodies/lane_block.h"
#include "substep/integrators/runge_kutta.h"
#include "substep/integrators/tableaux.h"
#include "substep/numerics/pack.h"

namespace substep::detail {

template <class Scalar>
using LaneState = std::array<Scalar, kLaneNumbers>;
template <class Scalar>
using LaneVector = std::array<Scalar, 3>;
/// Columns, as those of glm.
template <class Scalar>
using LaneMatrix = std::array<LaneVector<Scalar>, 3>;

// Inlined always: each function is called with a dozen registers of arguments, and what is not inlined keeps them in
// memory.
template <class Scalar>
[[gnu::always_inline]] inline Scalar lane_dot(const Scalar* a, const Scalar* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The square of a quaternion's length, q as w, x, y, z.
template <class Scalar>
[[gnu::always_inline]] inline Scalar squared_length(const Scalar* q) {
    return (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
}

/// rotation_matrix of rigid_motion.h.
template <class Scalar>
[[gnu::always_inline]] inline LaneMatrix<Scalar> lane_rotation(const Scalar* quaternion) {
    const Scalar one = 1.0;
    const Scalar w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    const Scalar s = Scalar(2.0) / squared_length(quaternion);
    const Scalar sx = s * x, sy = s * y, sw = s * w;
    const Scalar xx = sx * x, yy = sy * y, zz = (s * z) * z;
    const Scalar xy = sx * y, xz = sx * z, yz = sy * z;
    const Scalar wx = sw * x, wy = sw * y, wz = sw * z;
    return {{{one - yy - zz, xy + wz, xz - wy}, {xy - wz, one - xx - zz, yz + wx}, {xz + wy, yz - wx, one - xx - yy}}};
}

/// normalised of rigid_motion.h, but for lengths whose square overflows.
template <class Scalar>
[[gnu::always_inline]] inline void lane_normalise(Scalar* q) {
    constexpr double kBand = 4.0 * std::numeric_limits<double>::epsilon();
    const Scalar length = squared_length(q);
    const auto is_unit = absolute(length - Scalar(1.0)) <= Scalar(kBand);
    const Scalar factor = Scalar(1.0) / square_root(length);
    for (int i = 0; i < 4; ++i) {
        q[i] = select(is_unit, q[i], q[i] * factor);
    }
}

/// A body that gravity, and the force and torque of one step, move.
template <class Scalar>
struct FreeMotion {
    LaneVector<Scalar> inverse_moments;
    LaneVector<Scalar> acceleration;
    LaneVector<Scalar> torque;

    [[gnu::always_inline]] inline void operator()(const Scalar&, const LaneState<Scalar>& y,
                                                  LaneState<Scalar>& rate) const {
        const LaneMatrix<Scalar> r = lane_rotation(&y[3]);
        LaneMatrix<Scalar> scaled; // world_inverse_inertia of rigid_motion.h
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t i = 0; i < 3; ++i) {
                scaled[k][i] = r[k][i] * inverse_moments[k];
            }
        }
        const auto entry = [&](std::size_t i, std::size_t j) {
            return scaled[0][i] * r[0][j] + scaled[1][i] * r[1][j] + scaled[2][i] * r[2][j];
        };
        const Scalar xx = entry(0, 0), yy = entry(1, 1), zz = entry(2, 2);
        const Scalar xy = entry(0, 1), xz = entry(0, 2), yz = entry(1, 2);
        const Scalar* const L = &y[10];
        const Scalar half = 0.5;
        const Scalar a = half * (xx * L[0] + xy * L[1] + xz * L[2]);
        const Scalar b = half * (xy * L[0] + yy * L[1] + yz * L[2]);
        const Scalar c = half * (xz * L[0] + yz * L[1] + zz * L[2]);
        const Scalar w = y[3], x = y[4], v = y[5], z = y[6];
        for (std::size_t i = 0; i < 3; ++i) {
            rate[i] = y[7 + i];
            rate[7 + i] = acceleration[i];
            rate[10 + i] = torque[i];
        }
        rate[3] = -a * x - b * v - c * z;
        rate[4] = a * w + b * z - c * v;
        rate[5] = b * w + c * x - a * z;
        rate[6] = c * w + a * v - b * x;
    }
};

/// MotionError::measure for one body a lane, by modes.
template <class Scalar>
[[gnu::always_inline]] inline Scalar lane_error(const LaneState<Scalar>& y0, const LaneState<Scalar>& error,
                                                const LaneVector<Scalar>& inverse_moments, const Scalar& r,
                                                const LaneNorm& norm) {
    std::array<Scalar, 4> q{y0[3], y0[4], y0[5], y0[6]};
    lane_normalise(q.data());
    const LaneMatrix<Scalar> axes = lane_rotation(q.data());
    const auto squared_rate = [&](const Scalar* L) {
        LaneVector<Scalar> rate;
        for (std::size_t k = 0; k < 3; ++k) {
            rate[k] = inverse_moments[k] * (axes[k][0] * L[0] + axes[k][1] * L[1] + axes[k][2] * L[2]);
        }
        return lane_dot(rate.data(), rate.data());
    };
    const Scalar dx = lane_dot(&error[0], &error[0]);
    const Scalar dtheta = Scalar(4.0) * r * r * squared_length(&error[3]);
    const Scalar dv = lane_dot(&error[7], &error[7]);
    const Scalar domega = r * r * squared_rate(&error[10]);
    const Scalar v = square_root(lane_dot(&y0[7], &y0[7]));
    const Scalar omega = square_root(squared_rate(&y0[10]));
    const Scalar place_unit = Scalar(norm.atol) + Scalar(norm.rtol) * r;
    const Scalar rate_unit =
        (Scalar(norm.atol) + Scalar(norm.rtol * norm.rate_time) * (v + r * omega)) / Scalar(norm.rate_time);
    const Scalar per_rate = Scalar(1.0) / (rate_unit * rate_unit);
    const Scalar any = dx + dtheta + dv + domega + rate_unit;
    const Scalar worst = larger(larger(dx, dtheta) / (place_unit * place_unit), larger(dv, domega) * per_rate);
    return select(any >= any, square_root(worst), any); // NaN is not
}

/// IntegrationMethod::stage_frequency; -1 where it tells none.
template <const auto& kTableau, class Scalar, class Stages>
[[gnu::always_inline]] inline Scalar lane_frequency(const Stages& k, const Scalar& h) {
    if constexpr (kTableau.kStages >= 3) {
        constexpr double kRatio = kTableau.c[2] / kTableau.c[1];
        constexpr double kScale = kTableau.a[2][1] * kTableau.c[1];
        Scalar second = 0.0;
        Scalar first = 0.0;
        for (std::size_t e = 0; e < kLaneNumbers; ++e) {
            const Scalar difference = k[2][e] - Scalar(kRatio) * k[1][e] + Scalar(kRatio - 1.0) * k[0][e];
            second = second + difference * difference;
            first = first + k[0][e] * k[0][e];
        }
        const Scalar found = square_root(square_root(second / first) / Scalar(kScale)) / absolute(h);
        return select(first > Scalar(0.0), found, Scalar(-1.0));
    } else {
        return -1.0;
    }
}

template <class Scalar, std::size_t N>
std::array<Scalar, N> load_lanes(const std::array<Lanes, N>& from, std::size_t lane) {
    std::array<Scalar, N> to;
    for (std::size_t c = 0; c < N; ++c) {
        to[c] = load<Scalar>(from[c].data() + lane);
    }
    return to;
}

template <const auto& kTableau, class Scalar>
[[gnu::flatten]] void attempt_in_lanes(LaneBlock& block, std::size_t count, const LaneNorm& norm) noexcept {
    for (std::size_t lane = 0; lane < count; lane += kPackWidth<Scalar>) {
        const FreeMotion<Scalar> motion{load_lanes<Scalar>(block.inverse_moments, lane),
                                        load_lanes<Scalar>(block.acceleration, lane),
                                        load_lanes<Scalar>(block.torque, lane)};
        const LaneState<Scalar> y0 = load_lanes<Scalar>(block.y, lane);
        const Scalar h = load<Scalar>(block.h.data() + lane);
        std::array<LaneState<Scalar>, kTableau.kStages> k;
        LaneState<Scalar> y1;
        runge_kutta_attempt<kTableau>(motion, Scalar(0.0), h, y0, k, y1);
        Scalar doubt = 0.0;
        for (const Scalar& number : y1) {
            doubt = doubt + number * Scalar(0.0);
        }
        if constexpr (kTableau.has_error_estimate()) {
            LaneState<Scalar> error;
            runge_kutta_error<kTableau>(h, k, error);
            const Scalar r = load<Scalar>(block.gyration.data() + lane);
            store(lane_error(y0, error, motion.inverse_moments, r, norm), block.error.data() + lane);
        } else {
            store(lane_frequency<kTableau>(k, h), block.frequency.data() + lane);
        }
        doubt = doubt + squared_length(&y1[3]) * Scalar(0.0);
        lane_normalise(&y1[3]);
        for (std::size_t c = 0; c < kLaneNumbers; ++c) {
            doubt = doubt + y1[c] * Scalar(0.0);
            store(y1[c], block.y1[c].data() + lane);
        }
        store(doubt, block.doubt.data() + lane);
    }
}

template <class Scalar>
inline constexpr LaneKernel kLaneKernels[] = {
    {"explicit_euler", &attempt_in_lanes<kExplicitEuler, Scalar>},
    {"heun2", &attempt_in_lanes<kHeun2, Scalar>},
    {"rk4", &attempt_in_lanes<kRk4, Scalar>},
    {"cash_karp54", &attempt_in_lanes<kCashKarp54, Scalar>},
};

} // namespace substep::detail
