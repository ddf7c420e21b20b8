// Worlds that no scene shows: heaps, islands that meet and part, stops and contacts together, what is prescribed, what
// is stiff, closed chains of joints.
#pragma once

#include <span>

#include "substep/scenes/scene.h"

namespace baseline {

/// Worlds that differ from scenes only in that nobody shows them. They compute nothing with the C library.
std::span<const substep::SceneInfo> extra_scenes();

} // namespace baseline
