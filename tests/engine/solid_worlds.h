// Solids in small worlds: what stands still, and lives that must be alike.
#pragma once

#include <doctest/doctest.h>

#include "contact_worlds.h"

namespace engine_tests {

inline BodyId add_still(World& world, const Shape& shape, const Pose& pose, const Material& material) {
    BodyDesc desc;
    desc.motion = MotionType::Static;
    desc.shape = shape;
    desc.pose = pose;
    desc.material = material;
    return world.create_body(desc);
}

/// Advances two worlds that differ by their number of threads, and a third that goes on from a snapshot of the first
/// every 15 frames: all have the same bits.
inline void check_same_bits(World one, World two, World taken_up, int frames) {
    for (int frame = 0; frame < frames; ++frame) {
        one.advance(1.0 / 60.0);
        two.advance(1.0 / 60.0);
        REQUIRE(one.hash() == two.hash());
        if (frame % 15 == 14) {
            taken_up.restore(one.snapshot());
            REQUIRE(taken_up.hash() == one.hash());
        } else if (frame > 14) {
            taken_up.advance(1.0 / 60.0);
            REQUIRE(taken_up.hash() == one.hash());
        }
    }
}

} // namespace engine_tests
