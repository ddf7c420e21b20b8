// Features of the shapes that collide.
#include "substep/collision/feature.h"

namespace substep::detail {
namespace {

/// A feature in the frame of its shape.
Feature rounded_point(const glm::dvec3& place, double radius) noexcept {
    Feature feature;
    feature.point = place;
    feature.radius = radius;
    return feature;
}

Feature local_feature(const Sphere& sphere, std::uint32_t) noexcept {
    return rounded_point(glm::dvec3(0.0), sphere.radius);
}

Feature local_feature(const Capsule& capsule, std::uint32_t number) noexcept {
    return rounded_point({0.0, number == 0 ? -capsule.half_length : capsule.half_length, 0.0}, capsule.radius);
}

Feature local_feature(const TaperedCapsule& c, std::uint32_t number) noexcept {
    return number == 0 ? rounded_point({0.0, -c.half_length, 0.0}, c.radius_bottom)
                       : rounded_point({0.0, c.half_length, 0.0}, c.radius_top);
}

// The bits of a corner's number say on which side it lies, along x, y and z.
Feature local_feature(const Box& box, std::uint32_t number) noexcept {
    const auto along = [&](std::uint32_t axis, double half) { return (number >> axis & 1u) != 0 ? half : -half; };
    return rounded_point({along(0, box.half_sizes.x), along(1, box.half_sizes.y), along(2, box.half_sizes.z)}, 0.0);
}

Feature local_feature(const Plane&, std::uint32_t) noexcept {
    Feature feature;
    feature.kind = FeatureKind::Face;
    feature.normal = {0.0, 1.0, 0.0};
    return feature;
}

template <class Solid>
Feature local_feature(const Solid&, std::uint32_t) noexcept {
    return {};
}

std::uint32_t count_of(const Sphere&) noexcept { return 1; }
std::uint32_t count_of(const Capsule&) noexcept { return 2; }
std::uint32_t count_of(const TaperedCapsule&) noexcept { return 2; }
std::uint32_t count_of(const Box&) noexcept { return 8; }
std::uint32_t count_of(const Plane&) noexcept { return 1; }
template <class Solid>
std::uint32_t count_of(const Solid&) noexcept {
    return 0;
}

} // namespace

std::uint32_t feature_count(const Shape& shape) noexcept {
    return std::visit([](const auto& solid) { return count_of(solid); }, shape);
}

Feature feature_of(const Shape& shape, std::uint32_t number, const glm::dvec3& centre,
                   const glm::dquat& axes) noexcept {
    Feature feature = std::visit([&](const auto& solid) { return local_feature(solid, number); }, shape);
    feature.point = feature.point == glm::dvec3(0.0) ? centre : centre + axes * feature.point;
    if (feature.kind == FeatureKind::Face) {
        feature.normal = axes * feature.normal;
    }
    return feature;
}

} // namespace substep::detail
