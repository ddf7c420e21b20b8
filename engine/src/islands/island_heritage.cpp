// How what several islands hand on becomes one.
#include "islands/island_heritage.h"

#include <algorithm>

namespace substep::detail {

void IslandHeritage::add(const IslandHeritage& other) noexcept {
    if (other.step > 0.0 && (step == 0.0 || other.step < step)) {
        step = other.step;
    }
    if (other.takeover_count > 0) {
        takeover_count = takeover_count == 0 ? other.takeover_count : std::min(takeover_count, other.takeover_count);
    }
    if (other.soft_count > 0) {
        soft_count = soft_count == 0 ? other.soft_count : std::min(soft_count, other.soft_count);
    }
    if (other.choice && other.bodies > bodies) {
        choice = other.choice;
        bodies = other.bodies;
    }
}

} // namespace substep::detail
