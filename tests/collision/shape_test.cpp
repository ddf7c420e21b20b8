// Extents of shapes, and which of them collide.
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>

#include "substep/collision/convex.h"
#include "substep/collision/feature.h"
#include "substep/collision/mass_properties.h"
#include "substep/collision/narrow_phase.h"
#include "substep/collision/ray_cast.h"
#include "substep/collision/shape.h"
#include "substep/collision/shape_pairs.h"

using namespace substep;

namespace {

std::shared_ptr<const ConvexHull> tetrahedron() {
    return ConvexHull::make(
        std::vector<glm::dvec3>{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 3.0}});
}

} // namespace

TEST_CASE("the bounding radius of a shape reaches its farthest point and no further") {
    CHECK(bounding_radius(Sphere{0.7}) == 0.7);
    CHECK(bounding_radius(Box{{2.0, 3.0, 6.0}}) == 7.0);
    CHECK(bounding_radius(Capsule{0.25, 1.0}) == 1.25);
    CHECK(bounding_radius(Cylinder{3.0, 4.0}) == 5.0);
    CHECK(bounding_radius(ThinRod{4.0, 3.0}) == 5.0);
    CHECK(bounding_radius(Plane{}) == std::numeric_limits<double>::infinity());
    CHECK(bounding_radius(TaperedCapsule{0.25, 0.75, 1.0}) == 1.75);
    CHECK(bounding_radius(TaperedCapsule{0.75, 0.25, 1.0}) == 1.75);
    CHECK(bounding_radius(TaperedCylinder{3.0, 0.0, 4.0}) == 5.0);
    CHECK(bounding_radius(TaperedCylinder{1.0, 3.0, 4.0}) == 5.0);
    CHECK(bounding_radius(ScaledHull{tetrahedron()}) == 3.0);
    CHECK(bounding_radius(ScaledHull{tetrahedron(), glm::dvec3(2.0)}) == 6.0);
    CHECK(bounding_radius(ScaledHull{tetrahedron(), {5.0, 2.0, 0.5}}) == 5.0); // the farthest vertex is another
    CHECK(bounding_radius(Rectangle{3.0, 4.0}) == 5.0);
}

TEST_CASE("a plane alone has no end; a plane and a rectangle have no volume") {
    for (const Shape& shape : {Shape(Sphere{}), Shape(Box{}), Shape(Capsule{}), Shape(Cylinder{}), Shape(ThinRod{}),
                               Shape(TaperedCapsule{}), Shape(TaperedCylinder{}), Shape(ScaledHull{tetrahedron()})}) {
        CHECK(is_bounded(shape));
        CHECK(is_solid(shape));
        CHECK(std::isfinite(bounding_radius(shape)));
        CHECK(volume(shape) > 0.0);
    }
    CHECK_FALSE(is_bounded(Plane{}));
    CHECK_FALSE(is_solid(Plane{}));
    CHECK(is_bounded(Rectangle{}));
    CHECK_FALSE(is_solid(Rectangle{}));
    CHECK(volume(Rectangle{}) == 0.0);
}

TEST_CASE("a hull that is missing has no volume and no extent, and no ray meets it") {
    CHECK(volume(ScaledHull{}) == 0.0);
    CHECK(bounding_radius(ScaledHull{}) == 0.0);
    CHECK_FALSE(cast_ray({}, ScaledHull{}, {0.0, 0.0, 1.0}, glm::dquat(1.0, 0.0, 0.0, 0.0)).has_value());
}

TEST_CASE("parts keep their names on another shape of the kind, but not on another hull or between tapered shapes") {
    const auto hull = tetrahedron();
    CHECK(detail::have_same_parts(Sphere{0.1}, Sphere{0.2}));
    CHECK(detail::have_same_parts(Box{}, Box{{1.0, 2.0, 3.0}}));
    CHECK_FALSE(detail::have_same_parts(Box{}, Sphere{}));
    CHECK(detail::have_same_parts(ScaledHull{hull}, ScaledHull{hull, glm::dvec3(2.0)}));
    CHECK_FALSE(detail::have_same_parts(ScaledHull{hull}, ScaledHull{tetrahedron()}));
    CHECK_FALSE(detail::have_same_parts(TaperedCylinder{}, TaperedCylinder{}));
    CHECK_FALSE(detail::have_same_parts(TaperedCapsule{}, TaperedCapsule{}));
}

TEST_CASE("any two shapes collide but two planes; what is round comes first, and planes last") {
    const std::vector<Shape> all{Sphere{},
                                 Box{},
                                 Capsule{},
                                 Cylinder{},
                                 ThinRod{},
                                 Plane{},
                                 TaperedCapsule{},
                                 TaperedCylinder{},
                                 ScaledHull{tetrahedron()},
                                 Rectangle{}};
    REQUIRE(all.size() == std::variant_size_v<Shape>);
    const auto place = [](const Shape& shape) { // in the order of the variant
        constexpr std::array kPlaces{0, 2, 1, 1, 1, 3, 1, 1, 2, 2};
        return kPlaces[shape.index()];
    };
    const auto meets_planes_by_features = [](const Shape& shape) {
        return shape.index() <= 2 || std::holds_alternative<TaperedCapsule>(shape);
    };
    for (const Shape& a : all) {
        for (const Shape& b : all) {
            const bool planes = std::holds_alternative<Plane>(a) && std::holds_alternative<Plane>(b);
            CHECK(detail::can_collide(a, b) == !planes);
            CHECK(detail::is_reversed(a, b) == (place(a) > place(b)));
            const bool spheres = std::holds_alternative<Sphere>(a) && std::holds_alternative<Sphere>(b);
            const bool with_plane = (std::holds_alternative<Plane>(b) && meets_planes_by_features(a)) ||
                                    (std::holds_alternative<Plane>(a) && meets_planes_by_features(b));
            CHECK(detail::have_fixed_features(a, b) == (spheres || with_plane));
            const bool has_sphere = std::holds_alternative<Sphere>(a) || std::holds_alternative<Sphere>(b);
            if (!detail::have_fixed_features(a, b) && !planes) {
                CHECK(detail::point_count(a, b) == (has_sphere ? 1u : 4u));
            }
        }
    }
}

TEST_CASE("a box has its corners for features, capsules both ends of their middle line, and pairs as many points") {
    const glm::dvec3 centre(1.0, -2.0, 0.5);
    const glm::dquat turn(std::sqrt(0.5), std::sqrt(0.5), 0.0, 0.0); // a quarter about x: y becomes z, and z -y
    const Shape box = Box{{1.0, 2.0, 3.0}};
    REQUIRE(detail::feature_count(box) == 8);
    glm::dvec3 sum(0.0);
    for (std::uint32_t i = 0; i < 8; ++i) {
        const detail::Feature corner = detail::feature_of(box, i, centre, turn);
        CHECK(corner.kind == detail::FeatureKind::Point);
        CHECK(corner.radius == 0.0);
        const glm::dvec3 from = corner.point - centre;
        CHECK(glm::length(glm::abs(from) - glm::dvec3(1.0, 3.0, 2.0)) < 1e-14);
        for (std::uint32_t j = 0; j < i; ++j) {
            CHECK(corner.point != detail::feature_of(box, j, centre, turn).point);
        }
        sum += from;
    }
    CHECK(glm::length(sum) < 1e-14);
    const Shape capsule = Capsule{0.2, 0.5};
    REQUIRE(detail::feature_count(capsule) == 2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        const detail::Feature end = detail::feature_of(capsule, i, centre, turn);
        CHECK(end.radius == 0.2);
        CHECK(glm::length(end.point - centre - glm::dvec3(0.0, 0.0, i == 0 ? -0.5 : 0.5)) < 1e-15);
    }
    const Shape tapered = TaperedCapsule{0.2, 0.3, 0.5};
    REQUIRE(detail::feature_count(tapered) == 2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        const detail::Feature end = detail::feature_of(tapered, i, centre, turn);
        CHECK(end.radius == (i == 0 ? 0.2 : 0.3));
        CHECK(glm::length(end.point - centre - glm::dvec3(0.0, 0.0, i == 0 ? -0.5 : 0.5)) < 1e-15);
    }
    CHECK(detail::feature_count(Cylinder{}) == 0);
    CHECK(detail::feature_count(TaperedCylinder{}) == 0);
    CHECK(detail::feature_count(ScaledHull{tetrahedron()}) == 0);
    CHECK(detail::point_count(box, Plane{}) == 8);
    CHECK(detail::point_count(Plane{}, capsule) == 2);
    CHECK(detail::point_count(Sphere{}, Sphere{}) == 1);
}

TEST_CASE("the feature of a sphere is its centre with its radius, that of a plane its face") {
    const glm::dvec3 centre(1.0, -2.0, 0.5);
    const glm::dquat turn(std::sqrt(0.5), std::sqrt(0.5), 0.0, 0.0); // a quarter about x: y becomes z
    const detail::Feature of_sphere = detail::feature_of(Sphere{0.3}, 0, centre, turn);
    CHECK(of_sphere == detail::Feature{detail::FeatureKind::Point, centre, glm::dvec3(0.0), 0.3});
    const detail::Feature of_plane = detail::feature_of(Plane{}, 0, centre, turn);
    CHECK(of_plane.kind == detail::FeatureKind::Face);
    CHECK(of_plane.point == centre);
    CHECK(of_plane.radius == 0.0);
    CHECK(glm::length(of_plane.normal - glm::dvec3(0.0, 0.0, 1.0)) < 1e-15); // round-off of one rotation
    CHECK(of_sphere.turns());
    CHECK(of_plane.turns());
    CHECK(detail::feature_of(Plane{}, 0, glm::dvec3(0.0), turn).turns());
    CHECK_FALSE(detail::feature_of(Sphere{0.3}, 0, glm::dvec3(0.0), turn).turns());
}

TEST_CASE("the solid of a shape lies where the shape does") {
    const detail::Convex ball = Sphere{0.1};
    const auto gap_along = [&](const Shape& shape, const glm::dvec3& place) {
        const detail::ShapeSolid solid = detail::solid_of(shape);
        return detail::distance(ball, {place}, solid.solid, {{}, solid.rotation}).distance;
    };
    const glm::dvec3 x(1.0, 0.0, 0.0);
    const glm::dvec3 y(0.0, 1.0, 0.0);
    CHECK(std::abs(gap_along(Sphere{0.4}, x) - 0.5) < 1e-14);
    CHECK(std::abs(gap_along(Box{{0.4, 0.2, 0.1}}, x) - 0.5) < 1e-14);
    CHECK(std::abs(gap_along(Box{{0.4, 0.2, 0.1}}, y) - 0.7) < 1e-14);
    CHECK(std::abs(gap_along(Capsule{0.2, 0.3}, y) - 0.4) < 1e-14);
    CHECK(std::abs(gap_along(Capsule{0.2, 0.3}, x) - 0.7) < 1e-14);
    CHECK(std::abs(gap_along(Cylinder{0.2, 0.3}, y) - 0.6) < 1e-14);
    CHECK(std::abs(gap_along(Cylinder{0.2, 0.3}, x) - 0.7) < 1e-14);
    CHECK(std::abs(gap_along(ThinRod{0.5, 0.01}, x) - 0.4) < 1e-14);
    CHECK(std::abs(gap_along(ThinRod{0.5, 0.01}, y) - 0.89) < 1e-14);
    CHECK(std::abs(gap_along(Plane{}, y) - 0.9) < 1e-14);
    CHECK(std::abs(gap_along(TaperedCapsule{0.3, 0.1, 0.4}, y) - 0.4) < 1e-14);
    CHECK(std::abs(gap_along(TaperedCapsule{0.3, 0.1, 0.4}, -y) - 0.2) < 1e-14);
    CHECK(std::abs(gap_along(TaperedCylinder{0.3, 0.0, 0.4}, y) - 0.5) < 1e-14);
    CHECK(std::abs(gap_along(TaperedCylinder{0.3, 0.3, 0.4}, x) - 0.6) < 1e-14);
    CHECK(std::abs(gap_along(ScaledHull{tetrahedron(), {0.5, 0.1, 0.2}}, x) - 0.4) < 1e-14);
    CHECK(std::abs(gap_along(ScaledHull{tetrahedron(), {0.5, 0.1, 0.2}}, y) - 0.7) < 1e-14);
    CHECK(std::abs(gap_along(Rectangle{0.4, 0.2}, x) - 0.5) < 1e-14);
    CHECK(std::abs(gap_along(Rectangle{0.4, 0.2}, -y) - 0.9) < 1e-14);
    CHECK(std::abs(gap_along(Rectangle{0.4, 0.2}, {0.0, 0.0, 1.0}) - 0.7) < 1e-14);
}
