// Which instruction sets this build has code for, and this processor can run.
#include "substep/numerics/simd_level.h"

#include <array>
#include <cstddef>

namespace substep {

namespace {

// True if this processor has everything that the sources of `level` are compiled for.
bool processor_has(SimdLevel level) {
#if defined(SUBSTEP_WIDE_SIMD)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    return level < SimdLevel::Avx2 || (level == SimdLevel::Avx2 ? avx2 : avx512);
#else
    return level < SimdLevel::Avx2;
#endif
}

} // namespace

std::string_view to_string(SimdLevel level) noexcept {
    switch (level) {
    case SimdLevel::Baseline:
        return "baseline";
    case SimdLevel::Avx2:
        return "avx2";
    case SimdLevel::Avx512:
        return "avx512";
    }
    return "unknown";
}

std::span<const SimdLevel> simd_levels() noexcept {
    static constexpr std::array kInBuild {
        SimdLevel::Baseline,
#if defined(SUBSTEP_WIDE_SIMD)
            SimdLevel::Avx2, SimdLevel::Avx512
#endif
    };
    static const std::size_t usable = [] {
        std::size_t n = 1;
        while (n < kInBuild.size() && processor_has(kInBuild[n])) {
            ++n;
        }
        return n;
    }();
    return std::span(kInBuild).first(usable);
}

} // namespace substep
