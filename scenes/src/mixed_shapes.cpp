// Shapes of about one size that heaps are made of.
#include "mixed_shapes.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

namespace substep::detail {
namespace {

constexpr std::array<const char*, kMixedKinds> kNames{"cube", "sphere", "capsule", "cylinder", "cone", "hull"};

// A stone within a ball of radius 1: an icosahedron whose corners were pushed in, each by something else.
std::shared_ptr<const ConvexHull> stone() {
    static const std::shared_ptr<const ConvexHull> made = [] {
        constexpr double kGolden = std::numbers::phi;
        std::vector<glm::dvec3> corners;
        for (const double a : {-1.0, 1.0}) {
            for (const double b : {-kGolden, kGolden}) {
                for (const glm::dvec3& corner : {glm::dvec3{0.0, a, b}, {a, b, 0.0}, {b, 0.0, a}}) {
                    const double pushed = 0.9 + 0.1 * scattered(corners.size());
                    corners.push_back(pushed * glm::normalize(corner));
                }
            }
        }
        return ConvexHull::make(corners);
    }();
    return made;
}

} // namespace

Shape mixed_shape(std::size_t kind, double radius) {
    switch (kind % kMixedKinds) {
    case 0:
        return Box{glm::dvec3(radius / std::numbers::sqrt3)};
    case 1:
        return Sphere{0.75 * radius};
    case 2:
        return Capsule{0.55 * radius, 0.4 * radius};
    case 3:
        return Cylinder{0.65 * radius, 0.6 * radius};
    case 4:
        return TaperedCylinder{0.7 * radius, 0.0, 0.65 * radius};
    default:
        return ScaledHull{stone(), glm::dvec3(0.85 * radius)};
    }
}

const char* mixed_name(std::size_t kind) noexcept { return kNames[kind % kMixedKinds]; }

// A multiplicative congruence: its upper bits look like chance.
double scattered(std::size_t number) noexcept {
    const auto bits = static_cast<std::uint64_t>(number + 1) * 0x9e3779b97f4a7c15u;
    const std::uint64_t mixed = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u;
    return static_cast<double>(mixed >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1.0;
}

glm::dquat scattered_turn(std::size_t number) noexcept {
    const glm::dquat turn{1.1 + scattered(4 * number), scattered(4 * number + 1), scattered(4 * number + 2),
                          scattered(4 * number + 3)};
    return glm::normalize(turn);
}

} // namespace substep::detail
