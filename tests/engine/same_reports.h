// Reports of two worlds that must have done the same.
#pragma once

#include <doctest/doctest.h>

#include "substep/substep.h"

namespace engine_tests {

inline void check_same(const substep::StepReport& a, const substep::StepReport& b) {
    CHECK(a.status == b.status);
    CHECK(a.message == b.message);
    CHECK(a.simulated == b.simulated);
    CHECK(a.evaluations == b.evaluations);
    CHECK(a.accepted == b.accepted);
    CHECK(a.accepted_after_retry == b.accepted_after_retry);
    CHECK(a.rejected == b.rejected);
    CHECK(a.h_smallest == b.h_smallest);
    CHECK(a.h_largest == b.h_largest);
    CHECK(a.achieved_tolerance == b.achieved_tolerance);
    CHECK(a.order == b.order);
    CHECK(a.method == b.method);
    CHECK(a.projections == b.projections);
    CHECK(a.restarted == b.restarted);
    CHECK(a.unstable == b.unstable);
}

} // namespace engine_tests
