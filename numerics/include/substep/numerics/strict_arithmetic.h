// Arithmetic as it is written, in the headers that compute, whatever a host's flags allow.
//
// Under -ffast-math a compiler may take NaN for impossible and reorder sums: a check for a number that is not finite
// would be removed, and a reduced angle would be the angle itself. Headers whose functions are compiled by their users
// therefore stand between these two macros, which take that licence back for what they enclose and leave the user's own
// code as it is. Without such flags they are empty: GCC inlines no function with options of its own into one without.
#pragma once

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#if defined(__clang__)
#define SUBSTEP_BEGIN_STRICT_ARITHMETIC _Pragma("float_control(precise, on, push)")
#define SUBSTEP_END_STRICT_ARITHMETIC _Pragma("float_control(pop)")
#else
#define SUBSTEP_BEGIN_STRICT_ARITHMETIC _Pragma("GCC push_options") _Pragma("GCC optimize(\"no-fast-math\")")
#define SUBSTEP_END_STRICT_ARITHMETIC _Pragma("GCC pop_options")
#endif
#else
#define SUBSTEP_BEGIN_STRICT_ARITHMETIC
#define SUBSTEP_END_STRICT_ARITHMETIC
#endif
