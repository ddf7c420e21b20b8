// Bodies that are pressed into what nothing moves.
#pragma once

#include <span>
#include <vector>

#include "soft_steps/contact_set.h"

namespace substep::detail {

/// Soft contacts give way to whatever weighs on them: under a thousand times its own mass a body sinks into its floor
/// and through it. Nobody gets deeper into a prescribed body than a quarter of his own smallest extent; who was born
/// deeper gets no deeper than that. What presses him sinks into him instead, which is reported as its penetration.
class DeepStops {
public:
    /// Looks at the pairs of the contact set with prescribed bodies, where any is that deep. States are those of the
    /// interval's end, `begin` where it began.
    void hold(const PileStep& step, const Pile& pile, const ContactSet& set, std::span<const PlacedBody> begin,
              PileResult& result);

private:
    std::vector<PlacedBody> end_; ///< scratch space: bodies where the interval ends
};

} // namespace substep::detail
