// What a body's surface is made of: friction and restitution, and how two surfaces combine.
#pragma once

#include <optional>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Surface of a body. Plain data.
struct Material {
    double friction = 0.5;                   ///< Coulomb's coefficient of a sliding contact; 0 or more
    std::optional<double> static_friction{}; ///< of one that sticks, at least `friction`; nothing: the same
    double restitution = 0.0;                ///< speed after an impact over speed before (Newton); 0 to 1
};

/// Two surfaces in contact.
struct SurfacePair {
    double friction = 0.0;
    double static_friction = 0.0;
    double restitution = 0.0;
};

/// Combines two surfaces: the geometric mean of the frictions, the larger restitution. A surface without friction
/// slides on everything.
SurfacePair combine(const Material& a, const Material& b) noexcept;

} // namespace substep

#pragma GCC visibility pop
