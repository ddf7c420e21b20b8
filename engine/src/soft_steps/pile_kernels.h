// The code of one instruction set, as templates over the four.
#pragma once

#include "soft_steps/body_kernels.h"
#include "soft_steps/manifold_kernels.h"

namespace substep::detail {

/// `Two` is the pack of two blocks at a time, or void; so are others of which the name begins with it.
template <class Two, class One, int N>
inline constexpr ManifoldKernels<N> kManifoldKernels{&prepare_manifolds<Two, One, N>, &apply_manifolds<Two, One, N>,
                                                     &solve_manifolds<Two, One, N>,   &relax_manifolds<Two, One, N>,
                                                     &book_manifolds<Two, One, N>,    &forget_impacts<One, N>,
                                                     &rebound_manifolds<One, N>};

template <class T, class TwoOf4 = void, class TwoOf1 = void, class TwoOfBodies = void>
constexpr PileKernels pile_kernels_of(const char* name) {
    return {name,
            kManifoldKernels<TwoOf4, T, 4>,
            kManifoldKernels<TwoOf1, T, 1>,
            &begin_substep<TwoOfBodies, T>,
            &move_bodies<TwoOfBodies, T>,
            &end_interval<T>};
}

#undef SUBSTEP_LANES
#undef SUBSTEP_ONE_BLOCK

} // namespace substep::detail
