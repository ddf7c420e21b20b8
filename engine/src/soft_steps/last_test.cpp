// A full test, made once more where it was made.
#include "soft_steps/last_test.h"

#include <algorithm>

#include "bodies/tolerances.h"
#include "substep/collision/narrow_phase.h"

namespace substep::detail {
namespace {

// Margins that a test looks farther than pairs are near.
constexpr double kTested = 2.0;

} // namespace

double tested_margin(double length) noexcept { return kTested * kFarPair * length; }

bool find_again(const CarriedSolid& a, const CarriedSolid& b, double length, PairMemory& memory) noexcept {
    const Placement at_b = b.placed({memory.position, glm::mat3_cast(memory.rotation)});
    SeparatingAxis axis;
    const Manifold found = collide(a.solid, a.in_body, b.solid, at_b, tested_margin(length), axis);
    if (found.count != static_cast<int>(memory.count)) {
        return false;
    }
    memory.normal = found.normal;
    memory.axis = axis;
    memory.apart = found.points[0].gap;
    for (std::uint32_t i = 0; i < memory.count; ++i) {
        PairMemory::Point& point = memory.points[i];
        point.feature = found.points[i].parts.key();
        point.place = found.points[i].positions[0];
        point.gap = found.points[i].gap;
        memory.apart = std::min(memory.apart, point.gap);
    }
    return true;
}

} // namespace substep::detail
