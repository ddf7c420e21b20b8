// What the tests of the energy ledger have in common.
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include "test_worlds.h"

namespace engine_tests {

inline WorldSettings with_ledger(const IntegratorSettings& integrator, const glm::dvec3& gravity = glm::dvec3(0.0)) {
    WorldSettings settings;
    settings.gravity = gravity;
    settings.integrator = integrator;
    settings.energy_ledger = true;
    return settings;
}

inline IntegratorSettings precise(Boundary boundary = Boundary::RunAhead) {
    IntegratorSettings settings = adaptive(1e-12, boundary);
    settings.method = "dormand_prince853";
    return settings;
}

inline void run(World& world, double seconds, double dt = kFrame) {
    for (int frame = 0; frame < std::lround(seconds / dt); ++frame) {
        REQUIRE(world.advance(dt).status == StepStatus::ReachedTarget);
    }
}

// At tolerances of 1e-12 a hundred steps add up to less; energies here are of some joules.
inline constexpr double kPrecise = 1e-9;

} // namespace engine_tests
