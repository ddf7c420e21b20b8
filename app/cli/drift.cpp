// What a curve over time shows of a scene, whether it has a truth or not.
#include "drift.h"

#include <cmath>

namespace substep {

double drift_of(const Meter& meter) noexcept {
    return meter.has_truth() ? meter.error() : std::abs(meter.relative_energy_change());
}

std::string drift_name(const Scene& scene) {
    return scene.truth ? scene.truth->quantity() + " error (" + scene.truth->unit() + ")" : "relative energy change";
}

} // namespace substep
