// Mass properties of homogeneous solids.
#include "substep/collision/mass_properties.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "convex_mass.h"
#include "polyhedron_sums.h"
#include "substep/numerics/number_checks.h"

namespace substep {
namespace {

using detail::properties_of;
using detail::require_positive;
using detail::require_sizes;
using detail::volume_of;

glm::dmat3 diagonal(double x, double y, double z) { return {x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z}; }

void require_sizes(const Sphere& s) { require_positive("The sphere's radius", s.radius, "m"); }
void require_sizes(const Box& b) {
    require_positive("The box's half size along x", b.half_sizes.x, "m");
    require_positive("The box's half size along y", b.half_sizes.y, "m");
    require_positive("The box's half size along z", b.half_sizes.z, "m");
}
void require_sizes(const Capsule& c) {
    require_positive("The capsule's radius", c.radius, "m");
    require_positive("The capsule's half length", c.half_length, "m");
}
void require_sizes(const Cylinder& c) {
    require_positive("The cylinder's radius", c.radius, "m");
    require_positive("The cylinder's half length", c.half_length, "m");
}
void require_sizes(const ThinRod& r) {
    require_positive("The rod's half length", r.half_length, "m");
    require_positive("The rod's radius", r.radius, "m");
}
void require_sizes(const Plane&) {}
void require_sizes(const Rectangle& r) {
    require_positive("The rectangle's half size along x", r.half_x, "m");
    require_positive("The rectangle's half size along z", r.half_z, "m");
}

// About the origin, where the centre of mass is.
glm::dmat3 inertia(const Sphere& s, double m) noexcept {
    const double i = 0.4 * m * s.radius * s.radius;
    return diagonal(i, i, i);
}
glm::dmat3 inertia(const Box& b, double m) noexcept {
    const glm::dvec3 squared = b.half_sizes * b.half_sizes;
    return diagonal(m * (squared.y + squared.z) / 3.0, m * (squared.z + squared.x) / 3.0,
                    m * (squared.x + squared.y) / 3.0);
}
glm::dmat3 inertia(const Capsule& c, double m) noexcept {
    const double r = c.radius;
    const double l = c.half_length;
    // Volumes over pi: cylinder 2 l r^2, both hemispheres 4/3 r^3.
    const double cylinder = m * 2.0 * l / (2.0 * l + 4.0 / 3.0 * r);
    const double ends = m - cylinder;
    const double along = 0.5 * cylinder * r * r + 0.4 * ends * r * r;
    // A hemisphere's centroid lies 3/8 r beyond the cylinder: 2/5 r^2 about the sphere's centre, moved by l.
    const double across = cylinder * (0.25 * r * r + l * l / 3.0) + ends * (0.4 * r * r + l * l + 0.75 * l * r);
    return diagonal(across, along, across);
}
glm::dmat3 inertia(const Cylinder& c, double m) noexcept {
    const double across = m * (0.25 * c.radius * c.radius + c.half_length * c.half_length / 3.0);
    return diagonal(across, 0.5 * m * c.radius * c.radius, across);
}
glm::dmat3 inertia(const ThinRod& r, double m) noexcept {
    const double across = m * r.half_length * r.half_length / 3.0;
    return diagonal(0.5 * m * r.radius * r.radius, across, across);
}
glm::dmat3 inertia(const Plane&, double m) noexcept { return diagonal(m, m, m); }
glm::dmat3 inertia(const Rectangle& r, double m) noexcept { return inertia(Box{{r.half_x, 0.0, r.half_z}}, m); }

template <class Solid>
MassProperties properties_of(const Solid& solid, double mass) noexcept {
    return {mass, glm::dvec3(0.0), inertia(solid, mass)};
}

double volume_of(const Sphere& s) noexcept { return 4.0 / 3.0 * std::numbers::pi * s.radius * s.radius * s.radius; }
double volume_of(const Box& b) noexcept { return 8.0 * b.half_sizes.x * b.half_sizes.y * b.half_sizes.z; }
double volume_of(const Capsule& c) noexcept {
    return std::numbers::pi * c.radius * c.radius * (2.0 * c.half_length + 4.0 / 3.0 * c.radius);
}
double volume_of(const Cylinder& c) noexcept { return 2.0 * std::numbers::pi * c.radius * c.radius * c.half_length; }
double volume_of(const ThinRod& r) noexcept { return 2.0 * std::numbers::pi * r.radius * r.radius * r.half_length; }
double volume_of(const Plane&) noexcept { return std::numeric_limits<double>::infinity(); }
double volume_of(const Rectangle&) noexcept { return 0.0; }

// Every edge of a closed surface has a triangle on either side, which run along it in opposite directions.
void require_closed(std::span<const glm::dvec3> vertices, std::span<const std::array<std::uint32_t, 3>> triangles) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> forth;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> back;
    for (const std::array<std::uint32_t, 3>& triangle : triangles) {
        for (std::size_t i = 0; i < 3; ++i) {
            if (triangle[i] >= vertices.size()) {
                throw std::invalid_argument("A triangle of the mesh names vertex " + std::to_string(triangle[i]) +
                                            "; there are " + std::to_string(vertices.size()) + ".");
            }
            forth.emplace_back(triangle[i], triangle[(i + 1) % 3]);
            back.emplace_back(triangle[(i + 1) % 3], triangle[i]);
        }
    }
    std::ranges::sort(forth);
    std::ranges::sort(back);
    const auto [edge, reverse] = std::ranges::mismatch(forth, back);
    if (edge != forth.end()) {
        const auto& open = std::min(*edge, *reverse);
        throw std::invalid_argument("The mesh's edge from vertex " + std::to_string(open.first) + " to " +
                                    std::to_string(open.second) +
                                    " has no triangle on its other side; it must be closed.");
    }
}

} // namespace

MassProperties mass_properties(const Shape& shape, double mass) {
    std::visit([](const auto& solid) { require_sizes(solid); }, shape); // first: a mass may come from a density
    require_positive("The mass", mass, "kg");
    return std::visit([&](const auto& solid) { return properties_of(solid, mass); }, shape);
}

double volume(const Shape& shape) noexcept {
    return std::visit([](const auto& solid) { return volume_of(solid); }, shape);
}

MassProperties mass_properties(const ConvexHull& hull, double mass) {
    require_positive("The mass", mass, "kg");
    return detail::polyhedron_sums(hull, glm::dvec3(1.0)).of_mass(mass);
}

double volume(const ConvexHull& hull) noexcept { return detail::polyhedron_sums(hull, glm::dvec3(1.0)).volume; }

MassProperties mass_properties(std::span<const glm::dvec3> vertices,
                               std::span<const std::array<std::uint32_t, 3>> triangles, double mass) {
    require_positive("The mass", mass, "kg");
    require_closed(vertices, triangles);
    const detail::PolyhedronSums sums = detail::polyhedron_sums(vertices, triangles);
    require_positive("The mesh's volume", sums.volume, "m^3");
    return sums.of_mass(mass);
}

} // namespace substep
