// Says whether a sanitizer watches this build.
#pragma once

/// True under a sanitizer, where a run takes ten times as long. Sweeps that only measure skip it there: whatever they
/// execute, other tests execute too, and their figures are those of the optimised build.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
