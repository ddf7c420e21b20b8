// Instruction sets for packs of doubles, chosen when the program runs.
#pragma once

#include <span>
#include <string_view>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Instruction sets that the library has code for, narrow to wide. Each gives the same bits.
enum class SimdLevel {
    Baseline, ///< what every processor of the build's target has: two lanes, unless the build asks for more
    Avx2,     ///< four lanes
    Avx512    ///< eight lanes
};

/// Returns "baseline", "avx2" or "avx512".
std::string_view to_string(SimdLevel level) noexcept;

/// Returns the levels that this build contains and this processor has, narrow to wide, beginning with Baseline. The
/// others need an x86-64 processor, and Highway when the library was built.
std::span<const SimdLevel> simd_levels() noexcept;

} // namespace substep

#pragma GCC visibility pop
