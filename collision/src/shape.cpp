// Extents of shapes.
#include "substep/collision/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>

namespace substep {
namespace {

double extent(const Sphere& s) noexcept { return s.radius; }
double extent(const Box& b) noexcept { return glm::length(b.half_sizes); }
double extent(const Capsule& c) noexcept { return c.radius + c.half_length; }
double extent(const Cylinder& c) noexcept { return std::sqrt(c.radius * c.radius + c.half_length * c.half_length); }
double extent(const ThinRod& r) noexcept { return std::sqrt(r.radius * r.radius + r.half_length * r.half_length); }
double extent(const Plane&) noexcept { return std::numeric_limits<double>::infinity(); }
double extent(const TaperedCapsule& c) noexcept { return c.half_length + std::max(c.radius_bottom, c.radius_top); }
double extent(const TaperedCylinder& c) noexcept {
    const double radius = std::max(c.radius_bottom, c.radius_top);
    return std::sqrt(radius * radius + c.half_length * c.half_length);
}
double extent(const ScaledHull& h) noexcept {
    if (h.hull == nullptr) {
        return 0.0;
    }
    if (h.scale.x == h.scale.y && h.scale.y == h.scale.z) {
        return h.scale.x * h.hull->reach();
    }
    double most = 0.0; // squared
    for (const glm::dvec3& vertex : h.hull->vertices()) {
        const glm::dvec3 place = h.scale * vertex;
        most = std::max(most, glm::dot(place, place));
    }
    return std::sqrt(most);
}
double extent(const Rectangle& r) noexcept { return std::sqrt(r.half_x * r.half_x + r.half_z * r.half_z); }

} // namespace

bool is_bounded(const Shape& shape) noexcept { return !std::holds_alternative<Plane>(shape); }

bool is_solid(const Shape& shape) noexcept { return is_bounded(shape) && !std::holds_alternative<Rectangle>(shape); }

double bounding_radius(const Shape& shape) noexcept {
    return std::visit([](const auto& each) { return extent(each); }, shape);
}

} // namespace substep
