// The table of pairs.
#include "substep/collision/shape_pairs.h"

#include <algorithm>
#include <array>

#include "substep/collision/feature.h"

namespace substep::detail {
namespace {

struct Pair {
    Shape first; // of any size
    Shape second;

    bool has(const Shape& a, const Shape& b) const noexcept {
        return first.index() == a.index() && second.index() == b.index();
    }
};

// The pairs that collide, in the order in which the functions of contacts take them.
constexpr std::array kPairs{Pair{Sphere{}, Sphere{}}, Pair{Sphere{}, Plane{}}, Pair{Capsule{}, Plane{}},
                            Pair{Box{}, Plane{}}};

bool is_listed(const Shape& a, const Shape& b) noexcept {
    return std::ranges::any_of(kPairs, [&](const Pair& pair) { return pair.has(a, b); });
}

} // namespace

const char* name_of(const Shape& shape) noexcept {
    constexpr std::array kNames{"sphere", "box", "capsule", "cylinder", "thin rod", "plane"};
    static_assert(kNames.size() == std::variant_size_v<Shape>);
    return kNames[shape.index()];
}

bool can_collide(const Shape& shape) noexcept {
    return std::ranges::any_of(kPairs, [&](const Pair& pair) {
        return pair.first.index() == shape.index() || pair.second.index() == shape.index();
    });
}

bool can_collide(const Shape& a, const Shape& b) noexcept { return is_listed(a, b) || is_listed(b, a); }

// A plane and a sphere have one feature each.
std::uint32_t point_count(const Shape& a, const Shape& b) noexcept { return feature_count(a) * feature_count(b); }

bool is_reversed(const Shape& a, const Shape& b) noexcept { return !is_listed(a, b) && is_listed(b, a); }

} // namespace substep::detail
