// What the pairs of a pile remembered where a step began, for others that begin there again.
#pragma once

#include <vector>

#include "soft_steps/pile.h"

namespace substep::detail {

/// A step is tried again with another length, or compared with two of half the length: each of these has to start from
/// the same memory, which is changed in its place. Kept of one time, the last at which such a step began.
class RememberedStart {
public:
    /// Other pairs come, or what they remember was changed from elsewhere.
    void forget() noexcept { is_kept_ = false; }

    /// Where a step begins at t (s): keeps what the pairs remember, or gives it back where one began at t before.
    /// Allocates to grow.
    void begin(double t, const Pile& pile);

private:
    std::vector<PairMemory> memory_; ///< by the numbers of pairs
    double t_ = 0.0;                 ///< s
    bool is_kept_ = false;
};

} // namespace substep::detail
