// How two surfaces combine.
#include "substep/engine/material.h"

#include <algorithm>
#include <cmath>

namespace substep {

SurfacePair combine(const Material& a, const Material& b) noexcept {
    const double at_rest = a.static_friction.value_or(a.friction) * b.static_friction.value_or(b.friction);
    return {std::sqrt(a.friction * b.friction), std::sqrt(at_rest), std::max(a.restitution, b.restitution)};
}

} // namespace substep
