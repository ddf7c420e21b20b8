// Which pairs of shapes meet, and how.
#include "substep/collision/shape_pairs.h"

#include <variant>

#include "substep/collision/feature.h"
#include "substep/collision/manifold.h"

namespace substep::detail {
namespace {

template <class Kind>
bool is(const Shape& shape) noexcept {
    return std::holds_alternative<Kind>(shape);
}

bool has_points_beside_planes(const Shape& shape) noexcept {
    return is<Sphere>(shape) || is<Capsule>(shape) || is<TaperedCapsule>(shape) || is<Box>(shape);
}

} // namespace

bool can_collide(const Shape& a, const Shape& b) noexcept { return !is<Plane>(a) || !is<Plane>(b); }

bool have_fixed_features(const Shape& a, const Shape& b) noexcept {
    return (is<Sphere>(a) && is<Sphere>(b)) || (is<Plane>(a) && has_points_beside_planes(b)) ||
           (is<Plane>(b) && has_points_beside_planes(a));
}

std::uint32_t point_count(const Shape& a, const Shape& b) noexcept {
    if (have_fixed_features(a, b)) {
        return feature_count(a) * feature_count(b); // a plane and a sphere have one each
    }
    return is<Sphere>(a) || is<Sphere>(b) ? 1u : std::uint32_t{Manifold::kMaxPoints};
}

bool is_reversed(const Shape& a, const Shape& b) noexcept {
    const auto place = [](const Shape& shape) {
        const bool is_flat = is<Box>(shape) || is<ScaledHull>(shape) || is<Rectangle>(shape);
        return is<Sphere>(shape) ? 0 : is<Plane>(shape) ? 3 : is_flat ? 2 : 1;
    };
    return place(a) > place(b);
}

bool have_same_parts(const Shape& a, const Shape& b) noexcept {
    if (a.index() != b.index()) {
        return false;
    }
    if (const ScaledHull* const hull = std::get_if<ScaledHull>(&a)) {
        return hull->hull == std::get<ScaledHull>(b).hull;
    }
    return !is<TaperedCapsule>(a) && !is<TaperedCylinder>(a);
}

} // namespace substep::detail
