// How two surfaces combine.
#include "substep/engine/material.h"

#include <algorithm>

namespace substep {
namespace {

double combined(CombineRule rule, double a, double b) noexcept {
    switch (rule) {
    case CombineRule::Minimum:
        return std::min(a, b);
    case CombineRule::Maximum:
        return std::max(a, b);
    case CombineRule::Multiply:
        return a * b;
    case CombineRule::Average:
        break;
    }
    return 0.5 * (a + b);
}

} // namespace

SurfacePair combine(const Material& a, const Material& b) noexcept {
    const CombineRule friction = std::min(a.friction_combine, b.friction_combine);
    const CombineRule restitution = std::min(a.restitution_combine, b.restitution_combine);
    return {combined(friction, a.friction, b.friction),
            combined(friction, a.static_friction.value_or(a.friction), b.static_friction.value_or(b.friction)),
            combined(restitution, a.restitution, b.restitution), std::max(a.rolling_resistance, b.rolling_resistance),
            std::max(a.spinning_resistance, b.spinning_resistance)};
}

} // namespace substep
