// The code of one instruction set, as templates over the four.
#pragma once

#include "soft_steps/body_kernels.h"
#include "soft_steps/manifold_kernels.h"

namespace substep::detail {

template <class T, int N>
inline constexpr ManifoldKernels<N> kManifoldKernels{
    &prepare_manifolds<T, N>, &apply_manifolds<T, N>, &solve_manifolds<T, N>,  &relax_manifolds<T, N>,
    &book_manifolds<T, N>,    &forget_impacts<T, N>,  &rebound_manifolds<T, N>};

template <class T>
constexpr PileKernels pile_kernels_of(const char* name) {
    return {name, kManifoldKernels<T, 4>, kManifoldKernels<T, 1>, &begin_substep<T>, &move_bodies<T>, &end_interval<T>};
}

#undef SUBSTEP_LANES

} // namespace substep::detail
