// Many pairs in one call have the manifolds and the axes, bit for bit, that they have one by one.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "box_kernels.h"
#include "manifold_bits.h"
#include "pairs.h"
#include "solid_truth.h"
#include "substep/collision/narrow_phase.h"
#include "substep/numerics/simd_level.h"

using namespace substep;
using namespace substep::detail;
using namespace substep_test;

namespace {

struct Pair {
    Placed a;
    Placed b;
    SeparatingAxis axis;
};

// Boxes of one size and of others, needles and plates among them, in any attitude and level on one another, nearby and
// far from the origin; how near they are is any share of where they would part.
Pair two_boxes(SolidDraws& draws, int kind) {
    const auto size = [&] {
        return kind % 3 == 0 ? 0.5 : kind % 3 == 1 ? draws.number(0.1, 1.0) : std::exp(draws.number(-6.0, 4.0));
    };
    Pair pair;
    pair.a.solid = Box{{size(), size(), size()}};
    pair.b.solid = kind % 2 == 0 ? pair.a.solid : Convex(Box{{size(), size(), size()}});
    pair.a.at = {kind % 7 == 6 ? glm::dvec3(1e6, -3e5, 2e6) : draws.direction(), glm::mat3_cast(draws.turn())};
    const double by = kind % 5 == 0 ? 0.0 : kind % 5 == 1 ? 1e-9 : kind % 5 == 2 ? 1e-3 : 1.0;
    pair.b.at = pair.a.at;
    if (by == 1.0) {
        pair.b.at.rotation = glm::mat3_cast(draws.turn());
    } else if (by > 0.0) {
        const glm::dvec3 axis = draws.direction();
        for (int k = 0; k < 3; ++k) {
            pair.b.at.rotation[k] += by * glm::cross(axis, pair.b.at.rotation[k]);
        }
    }
    if (by < 1.0 && kind % 4 == 0) { // on its top, moved aside
        const glm::dvec3& half_a = std::get<Box>(pair.a.solid).half_sizes;
        const glm::dvec3& half_b = std::get<Box>(pair.b.solid).half_sizes;
        pair.b.at.position += pair.a.at.rotation * glm::dvec3(draws.number(-1.0, 1.0) * half_a.x,
                                                              (half_a.y + half_b.y) * (1.0 + draws.number(-1e-3, 1e-3)),
                                                              draws.number(-1.0, 1.0) * half_a.z);
    } else {
        draws.bring_near(pair.a, pair.b, draws.number(0.6, 1.1));
    }
    return pair;
}

} // namespace

TEST_CASE("many pairs touch as they do one by one, whoever waits for whom") {
    SolidDraws draws(3);
    std::size_t touching_seen = 0;
    for (const std::size_t count : {0u, 1u, 3u, 4u, 5u, 7u, 8u, 9u, 16u, 29u, 300u}) {
        for (const double margin : {0.02, 0.0, 1.0}) {
            std::vector<Pair> pairs;
            for (std::size_t i = 0; i < count; ++i) {
                if (i % 3 == 2) {
                    const std::size_t kind = i / 3 % kKinds;
                    Pair& pair = pairs.emplace_back(
                        Pair{draws.stout_solid(kind), draws.stout_solid((kind + i) % kHalfSpace), {}});
                    if (kind != kHalfSpace) {
                        draws.bring_near(pair.a, pair.b, draws.number(0.6, 1.1));
                    }
                } else {
                    pairs.push_back(two_boxes(draws, static_cast<int>(i)));
                }
                if (i % 11 == 10) {
                    pairs.back().axis.direction = draws.direction();
                }
                if (i % 13 == 12) { // a rectangle
                    pairs.back().a.solid = Box{{0.5, 0.0, 0.4}};
                }
            }
            // Twice: what is found apart is told by its axis from then on.
            std::vector<Pair> alone = pairs;
            for (int round = 0; round < 2; ++round) {
                std::vector<PlacedSolids> told;
                for (Pair& pair : pairs) {
                    told.push_back({&pair.a.solid, &pair.a.at, &pair.b.solid, &pair.b.at, &pair.axis});
                }
                std::vector<TouchingSolids> touching(count);
                touching.resize(collide(told, margin, touching));
                std::ranges::sort(touching, {}, &TouchingSolids::pair);
                auto next = touching.cbegin();
                for (std::size_t i = 0; i < count; ++i) {
                    CAPTURE(i);
                    Pair& pair = alone[i];
                    const Manifold one = collide(pair.a.solid, pair.a.at, pair.b.solid, pair.b.at, margin, pair.axis);
                    REQUIRE(pairs[i].axis.direction == pair.axis.direction);
                    if (one.count > 0) {
                        REQUIRE(next != touching.cend());
                        REQUIRE(next->pair == i);
                        REQUIRE(same_bits(next->manifold, one));
                        ++next;
                        ++touching_seen;
                    }
                }
                REQUIRE(next == touching.cend());
            }
        }
    }
    CHECK(touching_seen > 500);
}

TEST_CASE("boxes that are looked at side by side are what they are alone, under every instruction set") {
    SolidDraws draws(4);
    for (const SimdLevel level : simd_levels()) {
        const BoxKernels& kernels = box_kernels(level);
        std::size_t known = 0;
        std::size_t far = 0;
        std::size_t unknown = 0;
        for (int batch = 0; batch < 2000; ++batch) {
            const double margin = batch % 3 == 0 ? 0.0 : batch % 3 == 1 ? 0.02 : 0.5; // m
            std::vector<Pair> pairs;
            BoxPairs boxes;
            for (int i = 0; i < kernels.lanes; ++i) {
                pairs.push_back(two_boxes(draws, batch + 3 * i));
            }
            for (int i = 0; i < kernels.lanes; ++i) {
                const Pair& pair = pairs[static_cast<std::size_t>(i)];
                boxes.at_a[i] = &pair.a.at;
                boxes.at_b[i] = &pair.b.at;
                for (int k = 0; k < 3; ++k) {
                    boxes.sizes_a[k][i] = std::get<Box>(pair.a.solid).half_sizes[k];
                    boxes.sizes_b[k][i] = std::get<Box>(pair.b.solid).half_sizes[k];
                }
            }
            kernels.meet_pairs(boxes, margin);
            for (int i = 0; i < kernels.lanes; ++i) {
                Pair& pair = pairs[static_cast<std::size_t>(i)];
                CAPTURE(batch);
                CAPTURE(i);
                const Manifold one = collide(pair.a.solid, pair.a.at, pair.b.solid, pair.b.at, margin, pair.axis);
                if ((boxes.is_far >> i & 1u) != 0) {
                    ++far;
                    const double(&normal)[4] = boxes.faces[i].normal;
                    REQUIRE(pair.axis.direction == glm::dvec3(normal[0], normal[1], normal[2]));
                    REQUIRE(one.count == 0);
                } else if ((boxes.is_known >> i & 1u) != 0) {
                    ++known;
                    REQUIRE(pair.axis.direction == glm::dvec3(0.0));
                    Manifold manifold;
                    const FoundBoxes found{boxes.at_a[i], boxes.distance[i], kSameDistance * boxes.size[i]};
                    if (boxes.distance[i] > margin) {
                        REQUIRE(one.count == 0);
                    } else if (kernels.write_manifold(boxes.faces[i], found, margin, manifold)) {
                        REQUIRE(same_bits(manifold, one));
                    }
                } else {
                    ++unknown;
                }
            }
        }
        // Those that are looked at alone are few: closest at corners, just touching, or parted by two axes alike.
        CHECK(known > 8 * unknown);
        CHECK(far > 100);
        CHECK(unknown > 10);
    }
}
