// Extents of shapes.
#include "substep/collision/shape.h"

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

} // namespace

bool is_bounded(const Shape& shape) noexcept { return !std::holds_alternative<Plane>(shape); }

double bounding_radius(const Shape& shape) noexcept {
    return std::visit([](const auto& each) { return extent(each); }, shape);
}

} // namespace substep
