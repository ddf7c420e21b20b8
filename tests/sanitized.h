// Says whether a sanitizer watches the program that is tested.
#pragma once

/// True under a sanitizer, where a run takes ten times as long. Sweeps that only measure skip it there: whatever they
/// execute, other tests execute too, and their figures are those of the optimised build. Others take fewer seeds, rates
/// or frames of the same there. No constant expression, since the sanitized program is linked from tests that were
/// compiled for the optimised one (SUBSTEP_COMPILED_TESTS).
extern const bool kSanitized;
