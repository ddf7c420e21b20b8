// Two boxes are compiled once for each instruction set, and all of these give the same bits.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "box_kernels.h"
#include "substep/numerics/simd_level.h"

using namespace substep;
using namespace substep::detail;

namespace {

// Boxes near one another in any attitude, level on one another, turned by little, of the same size and of others.
std::vector<CorePair> some_boxes() {
    std::mt19937_64 engine{11};
    const auto number = [&](double low, double high) { return std::uniform_real_distribution(low, high)(engine); };
    const auto any_turn = [&] {
        return glm::normalize(glm::dquat(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0)));
    };
    std::vector<CorePair> pairs;
    for (int i = 0; i < 4000; ++i) {
        const glm::dvec3 other(number(0.1, 1.0), number(0.1, 1.0), number(0.1, 1.0));
        const Box a{glm::dvec3(0.5)};
        const Box b{i % 2 == 0 ? a.half_sizes : other};
        const double by = i % 5 == 0 ? 0.0 : i % 5 == 1 ? 1e-9 : i % 5 == 2 ? 1e-3 : 1.0;
        const glm::dquat turn =
            i % 5 > 2 ? any_turn() : glm::normalize(glm::dquat(1.0, 0.0, 0.0, 0.0) + by * any_turn());
        const double height = a.half_sizes.y + b.half_sizes.y;
        const glm::dvec3 position = i % 3 == 0 ? glm::dvec3(number(-1.0, 1.0), height, number(-1.0, 1.0))
                                               : glm::dvec3(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
        pairs.push_back({core_of(a), core_of(b), {position, glm::mat3_cast(turn)}});
    }
    return pairs;
}

bool same_point(const PatchPoint& p, const PatchPoint& q) {
    const auto bits = [](const PatchPoint& point) {
        const std::array<double, 7> numbers{point.on_a.x, point.on_a.y, point.on_a.z, point.on_b.x,
                                            point.on_b.y, point.on_b.z, point.gap};
        return std::bit_cast<std::array<std::uint64_t, 7>>(numbers);
    };
    return bits(p) == bits(q) && p.parts == q.parts;
}

std::vector<PatchPoint> points_of(const BoxKernels& kernels, const CorePair& pair, const glm::dvec3& normal,
                                  double most) {
    PatchPoints points;
    kernels.overlap_faces(pair, normal, most, points);
    return {points.points.begin(), points.points.begin() + points.count};
}

} // namespace

TEST_CASE("two boxes have the same axis and the same points, bit for bit, under every instruction set") {
    std::size_t points_seen = 0;
    for (const CorePair& pair : some_boxes()) {
        for (const double margin : {0.02, std::numeric_limits<double>::infinity()}) {
            const BoxAxis axis = box_kernels(SimdLevel::Baseline).best_axis(pair, margin);
            const std::vector<PatchPoint> points =
                points_of(box_kernels(SimdLevel::Baseline), pair, axis.normal, margin);
            points_seen += points.size();
            for (const SimdLevel level : simd_levels()) {
                const BoxAxis other = box_kernels(level).best_axis(pair, margin);
                REQUIRE(other.index == axis.index);
                REQUIRE(std::bit_cast<std::uint64_t>(other.distance) == std::bit_cast<std::uint64_t>(axis.distance));
                REQUIRE(other.normal == axis.normal);
                REQUIRE(
                    std::ranges::equal(points_of(box_kernels(level), pair, axis.normal, margin), points, same_point));
            }
        }
    }
    CHECK(points_seen > 10000);
}

TEST_CASE("of two boxes the points that are farther apart than is asked for are left out, and no others") {
    constexpr double kMost = 0.02; // m
    std::size_t left_out = 0;
    for (const CorePair& pair : some_boxes()) {
        const glm::dvec3 normal = box_kernels().best_axis(pair, std::numeric_limits<double>::infinity()).normal;
        std::vector<PatchPoint> all = points_of(box_kernels(), pair, normal, std::numeric_limits<double>::infinity());
        left_out += std::erase_if(all, [](const PatchPoint& point) { return point.gap > kMost; });
        REQUIRE(std::ranges::equal(points_of(box_kernels(), pair, normal, kMost), all, same_point));
    }
    CHECK(left_out > 1000);
}
