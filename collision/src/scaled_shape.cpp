// What a scale makes of each shape.
#include "substep/collision/scaled_shape.h"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace substep {
namespace {

// Of the larger: what files of single precision, whose factors come out of a matrix, are off by.
constexpr double kSame = 1e-5;

[[noreturn]] void refuse(const glm::dvec3& scale, std::string_view why) {
    std::ostringstream sentence;
    sentence << "The scale of a shape is (" << scale.x << ", " << scale.y << ", " << scale.z << "); " << why << '.';
    throw std::invalid_argument(sentence.str());
}

bool is_same(double a, double b) noexcept { return std::abs(a - b) <= kSame * std::max(a, b); }

/// The factors of one scale, all positive, by what a shape needs of them.
struct Factors {
    glm::dvec3 given;
    glm::dvec3 size = glm::abs(given);

    double of_all(std::string_view why) const {
        if (!is_same(size.x, size.y) || !is_same(size.y, size.z) || !is_same(size.x, size.z)) {
            refuse(given, why);
        }
        return (size.x + size.y + size.z) / 3.0;
    }
    double of_both(double a, double b, std::string_view why) const {
        if (!is_same(a, b)) {
            refuse(given, why);
        }
        return 0.5 * (a + b);
    }
};

constexpr std::string_view kBall = "a ball stays round under one factor for all axes alone";
constexpr std::string_view kEnds = "the ends of a capsule stay round under one factor for all axes alone";
constexpr std::string_view kAcross = "a cylinder stays round under one factor for x and z alone";
constexpr std::string_view kRod = "a rod stays round under one factor for y and z alone";

struct Scaling {
    Factors by;

    Shape operator()(const Sphere& ball) const { return Sphere{ball.radius * by.of_all(kBall)}; }
    Shape operator()(const Box& box) const { return Box{box.half_sizes * by.size}; }
    Shape operator()(const Capsule& capsule) const {
        const double s = by.of_all(kEnds);
        return Capsule{capsule.radius * s, capsule.half_length * s};
    }
    Shape operator()(const Cylinder& cylinder) const {
        const double across = by.of_both(by.size.x, by.size.z, kAcross);
        return Cylinder{cylinder.radius * across, cylinder.half_length * by.size.y};
    }
    Shape operator()(const ThinRod& rod) const {
        const double across = by.of_both(by.size.y, by.size.z, kRod);
        return ThinRod{rod.half_length * by.size.x, rod.radius * across};
    }
    Shape operator()(const Plane& plane) const { return plane; }
    Shape operator()(const TaperedCapsule& capsule) const {
        const double s = by.of_all(kEnds);
        return TaperedCapsule{capsule.radius_bottom * s, capsule.radius_top * s, capsule.half_length * s};
    }
    Shape operator()(const TaperedCylinder& cylinder) const {
        const double across = by.of_both(by.size.x, by.size.z, kAcross);
        return TaperedCylinder{cylinder.radius_bottom * across, cylinder.radius_top * across,
                               cylinder.half_length * by.size.y};
    }
    Shape operator()(const ScaledHull& hull) const {
        if (by.given == by.size || hull.hull == nullptr) {
            return ScaledHull{hull.hull, hull.scale * by.size};
        }
        std::vector<glm::dvec3> mirrored;
        for (const glm::dvec3& vertex : hull.hull->vertices()) {
            mirrored.push_back(vertex * glm::sign(by.given));
        }
        return ScaledHull{ConvexHull::make(mirrored), hull.scale * by.size};
    }
    Shape operator()(const Rectangle& rectangle) const {
        return Rectangle{rectangle.half_x * by.size.x, rectangle.half_z * by.size.z};
    }
};

} // namespace

std::optional<Shape> scaled(const Shape& shape, const glm::dvec3& scale) {
    if (!std::isfinite(scale.x) || !std::isfinite(scale.y) || !std::isfinite(scale.z)) {
        refuse(scale, "it must be finite");
    }
    if (scale == glm::dvec3(0.0)) {
        return {};
    }
    if (scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0) {
        refuse(scale, "a factor of zero makes a shape flat, and is taken only along all axes: no shape then");
    }
    return std::visit(Scaling{{scale}}, shape);
}

} // namespace substep
