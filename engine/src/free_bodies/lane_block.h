// Bodies side by side, number by number: what the kernels of free bodies read and write. Plain arrays, so that the code
// for wider registers shares no function with the rest.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace substep::detail {

/// Bodies of a block: as many as the widest pack holds.
inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kLaneNumbers = 13; ///< of a body's state, as in state_layout.h

using Lanes = std::array<double, kLanes>;

/// Bodies that no joint, contact or field ties, one a lane; lanes beyond their number repeat a body.
struct LaneBlock {
    // Inputs.
    alignas(64) std::array<Lanes, kLaneNumbers> y; ///< where the substep begins
    std::array<Lanes, 3> inverse_moments;          ///< 1/(kg m^2)
    std::array<Lanes, 3> acceleration;             ///< m/s^2
    std::array<Lanes, 3> torque;                   ///< N m
    Lanes gyration;                                ///< m, radius
    Lanes h;                                       ///< s, of the attempt

    // Outputs.
    std::array<Lanes, kLaneNumbers> y1; ///< where the attempt ends, quaternions of unit length
    Lanes error;                        ///< of an adaptive method, in units of the tolerance; NaN where it is none
    Lanes frequency;                    ///< rad/s, of a fixed method: IntegrationMethod::stage_frequency
    Lanes doubt;                        ///< 0 where y1 is finite, and no quaternion outgrew what a double squares
};

/// What errors are measured by: tolerances, and the time (s) in which an error of a velocity becomes a length.
struct LaneNorm {
    double atol = 0.0;
    double rtol = 0.0;
    double rate_time = 0.0;
};

/// An attempt at a substep in every lane, by one method and one set of registers. Each lane has the bits that
/// IslandSystem and the method give a single body.
struct LaneKernel {
    std::string_view method;
    void (*attempt)(LaneBlock& block, std::size_t count, const LaneNorm& norm) noexcept;
};

// All methods, in the same order for every instruction set.
std::span<const LaneKernel> baseline_lane_kernels() noexcept;
std::span<const LaneKernel> avx2_lane_kernels() noexcept;
std::span<const LaneKernel> avx512_lane_kernels() noexcept;

/// The kernels for the widest registers that this processor has.
std::span<const LaneKernel> lane_kernels() noexcept;

} // namespace substep::detail
