// Memory of pairs, kept and given back.
#include "velocity_steps/remembered_start.h"

#include <cstddef>
#include <cstdint>

namespace substep::detail {

void RememberedStart::begin(double t, const Pile& pile) {
    const bool is_again = is_kept_ && t == t_;
    memory_.resize(pile.pairs.size());
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        PairMemory& now = pile.memory_of(static_cast<std::uint32_t>(i));
        if (is_again) {
            now = memory_[i];
        } else {
            memory_[i] = now;
        }
    }
    t_ = t;
    is_kept_ = true;
}

} // namespace substep::detail
