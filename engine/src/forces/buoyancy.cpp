// Submerged volumes and their lift.
#include "substep/engine/buoyancy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "bodies/validation.h"

namespace substep {
namespace {

Liquid require_liquid(Liquid liquid) {
    liquid.up = detail::require_direction("The direction up of a liquid", liquid.up);
    detail::require_finite("The surface of a liquid", liquid.surface, "m");
    detail::require_not_negative("The density of a liquid", liquid.density, "kg/m^3");
    detail::require_not_negative("The gravity in a liquid", liquid.gravity, "m/s^2");
    return liquid;
}

Wrench lift(const Liquid& liquid, const SubmergedPart& part, const BodyMotion& body) noexcept {
    const glm::dvec3 force = liquid.density * liquid.gravity * part.volume * liquid.up;
    return {force, glm::cross(part.centroid - body.position, force)};
}

// The integral of the depth over the volume, times the weight: its derivative is the lift, because the depth is zero
// where the surface cuts.
double lift_potential(const Liquid& liquid, const SubmergedPart& part) noexcept {
    const double depth = liquid.surface - glm::dot(liquid.up, part.centroid);
    return liquid.density * liquid.gravity * part.volume * depth;
}

/// A convex polygon of at most six corners, and their heights above the surface.
struct Polygon {
    std::array<glm::dvec3, 6> corner{};
    std::size_t count = 0;
    void add(const glm::dvec3& p) noexcept { corner[count++] = p; }
};

// The part of a face below the surface (Sutherland & Hodgman, Comm. ACM 17 (1974) 32). Positions relative to a point in
// the surface.
Polygon below(const std::array<glm::dvec3, 4>& face, const glm::dvec3& up) noexcept {
    Polygon part;
    for (std::size_t i = 0; i < face.size(); ++i) {
        const glm::dvec3& a = face[i];
        const glm::dvec3& b = face[(i + 1) % face.size()];
        const double height_a = glm::dot(up, a);
        const double height_b = glm::dot(up, b);
        if (height_a <= 0.0) {
            part.add(a);
        }
        if ((height_a < 0.0 && height_b > 0.0) || (height_a > 0.0 && height_b < 0.0)) {
            part.add(a + height_a / (height_a - height_b) * (b - a));
        }
    }
    return part;
}

} // namespace

SphereBuoyancy::SphereBuoyancy(const Liquid& liquid, double radius, const glm::dvec3& centre)
    : liquid_(require_liquid(liquid)), radius_(radius), centre_(centre) {
    detail::require_positive("The radius of a buoyant sphere", radius, "m");
    detail::require_finite("The centre of a buoyant sphere", centre);
}

SubmergedPart SphereBuoyancy::submerged(const BodyMotion& body) const noexcept {
    const glm::dvec3 centre = body.point(centre_);
    const double r = radius_;
    const double height = glm::dot(liquid_.up, centre) - liquid_.surface;
    const double h = std::clamp(r - height, 0.0, 2.0 * r); // of the cap
    const double volume = std::numbers::pi * h * h * (3.0 * r - h) / 3.0;
    const double below_centre = 0.75 * (2.0 * r - h) * (2.0 * r - h) / (3.0 * r - h);
    return {volume, centre - below_centre * liquid_.up};
}

Wrench SphereBuoyancy::at(double, const BodyMotion& body) const noexcept {
    return lift(liquid_, submerged(body), body);
}

double SphereBuoyancy::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    return lift_potential(liquid_, submerged(bodies[0]));
}

BoxBuoyancy::BoxBuoyancy(const Liquid& liquid, const glm::dvec3& half_sizes, const Pose& frame)
    : liquid_(require_liquid(liquid)), half_sizes_(half_sizes), frame_(frame) {
    for (int axis = 0; axis < 3; ++axis) {
        detail::require_positive("The half size of a buoyant box", half_sizes[axis], "m");
    }
    detail::require_finite("The position of a buoyant box", frame.position);
    frame_.orientation = detail::require_orientation("The orientation of a buoyant box", frame.orientation);
}

SubmergedPart BoxBuoyancy::submerged(const BodyMotion& body) const noexcept {
    // The tip of all tetrahedra is in the surface, so that the face that the surface cuts has no volume under it; it is
    // as near the box as possible, so that little cancels.
    const glm::dvec3 centre = body.point(frame_.position);
    const glm::dvec3 tip = centre - (glm::dot(liquid_.up, centre) - liquid_.surface) * liquid_.up;
    const glm::dquat q = body.orientation * frame_.orientation;
    std::array<glm::dvec3, 3> axis;
    for (int k = 0; k < 3; ++k) {
        glm::dvec3 unit(0.0);
        unit[k] = half_sizes_[k];
        axis[static_cast<std::size_t>(k)] = q * unit;
    }

    double volume = 0.0;
    glm::dvec3 moment(0.0);
    for (std::size_t k = 0; k < 3; ++k) {
        for (const double side : {1.0, -1.0}) {
            // Corners counterclockwise as seen from outside.
            const glm::dvec3 middle = centre - tip + side * axis[k];
            const glm::dvec3& u = axis[(k + 1) % 3];
            const glm::dvec3 v = side * axis[(k + 2) % 3];
            const Polygon face = below({middle - u - v, middle + u - v, middle + u + v, middle - u + v}, liquid_.up);
            for (std::size_t i = 2; i < face.count; ++i) {
                const glm::dvec3& a = face.corner[0];
                const glm::dvec3& b = face.corner[i - 1];
                const glm::dvec3& c = face.corner[i];
                const double tetrahedron = glm::dot(a, glm::cross(b, c)) / 6.0;
                volume += tetrahedron;
                moment += 0.25 * tetrahedron * (a + b + c);
            }
        }
    }
    return volume > 0.0 ? SubmergedPart{volume, tip + moment / volume} : SubmergedPart{};
}

Wrench BoxBuoyancy::at(double, const BodyMotion& body) const noexcept { return lift(liquid_, submerged(body), body); }

double BoxBuoyancy::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    return lift_potential(liquid_, submerged(bodies[0]));
}

} // namespace substep
