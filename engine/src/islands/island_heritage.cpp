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
    if (other.pile_count > 0) {
        pile_count = pile_count == 0 ? other.pile_count : std::min(pile_count, other.pile_count);
    }
    if (other.choice && other.bodies > bodies) {
        choice = other.choice;
        bodies = other.bodies;
    }
}

} // namespace substep::detail
