// Bodies that are stopped where they meet what they would have passed.
#pragma once

#include <span>
#include <vector>

#include "soft_steps/contact_set.h"

namespace substep::detail {

/// Contacts stop what comes within their reach. Whoever is faster than they see is put back to where it met the other:
/// bodies that went by half of their smallest extent within the interval are looked at along their ways.
class EarlyStops {
public:
    /// Looks at all pairs of such bodies. States are those of the interval's end, `begin` where it began.
    void find(const PileStep& step, const Pile& pile, std::span<const PlacedBody> begin, PileResult& result);

private:
    std::vector<double> part_; ///< of the interval that each body may go
};

} // namespace substep::detail
