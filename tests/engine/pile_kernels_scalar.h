// The kernels of piles one number after the other: what all registers are compared with.
#pragma once

#include "soft_steps/lane_blocks.h"

namespace substep::test {

const detail::PileKernels& scalar_pile_kernels() noexcept;

} // namespace substep::test
