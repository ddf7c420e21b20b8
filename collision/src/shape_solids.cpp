// Shapes as the narrow phase sees them.
#include "substep/collision/convex.h"

namespace substep::detail {
namespace {

// The solids of cylinders and cones lie along y, a rod along x: the turn takes y to x.
const glm::dmat3 kYToX{glm::dvec3(0.0, -1.0, 0.0), glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(0.0, 0.0, 1.0)};

struct Maker {
    ShapeSolid operator()(const Sphere& ball) const noexcept { return {ball}; }
    ShapeSolid operator()(const Box& box) const noexcept { return {box}; }
    ShapeSolid operator()(const Capsule& c) const noexcept {
        return {TaperedCapsule{c.radius, c.radius, c.half_length}};
    }
    ShapeSolid operator()(const Cylinder& c) const noexcept {
        return {TaperedCylinder{c.radius, c.radius, c.half_length}};
    }
    ShapeSolid operator()(const ThinRod& rod) const noexcept {
        return {TaperedCylinder{rod.radius, rod.radius, rod.half_length}, kYToX};
    }
    ShapeSolid operator()(const Plane&) const noexcept { return {HalfSpace{}}; }
    ShapeSolid operator()(const TaperedCapsule& capsule) const noexcept { return {capsule}; }
    ShapeSolid operator()(const TaperedCylinder& cylinder) const noexcept { return {cylinder}; }
    ShapeSolid operator()(const ScaledHull& h) const noexcept { return {HullView{h.hull.get(), h.scale}}; }
    ShapeSolid operator()(const Rectangle& r) const noexcept { return {Box{{r.half_x, 0.0, r.half_z}}}; }
};

} // namespace

ShapeSolid solid_of(const Shape& shape) noexcept { return std::visit(Maker{}, shape); }

bool is_ball(const Shape& shape) noexcept { return std::holds_alternative<Sphere>(shape); }
bool is_ball(const Convex& solid) noexcept { return std::holds_alternative<Sphere>(solid); }

} // namespace substep::detail
