// What a curve over time shows of a scene, whether it has a truth or not.
#pragma once

#include <string>

#include "substep/scenes/scene.h"

namespace substep {

/// The meter's error where there is a truth, else the size of the relative energy change.
double drift_of(const Meter& meter) noexcept;

/// Its name with the unit, e.g. "angle error (rad)".
std::string drift_name(const Scene& scene);

} // namespace substep
