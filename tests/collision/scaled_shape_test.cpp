// Shapes at another scale.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include <substep/collision/mass_properties.h>
#include <substep/collision/scaled_shape.h>

using namespace substep;

namespace {

std::shared_ptr<const ConvexHull> wedge() {
    const std::vector<glm::dvec3> points{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.7, 0.0}, {0.0, 0.0, 0.4}};
    return ConvexHull::make(points);
}

} // namespace

TEST_CASE("scaled shapes: volumes go with the product of the factors, signs do not count") {
    const glm::dvec3 even(-2.0, 2.0, -2.0);
    const glm::dvec3 across(3.0, 0.5, -3.0);
    const glm::dvec3 any(0.3, -2.0, 5.0);
    const auto check = [](const Shape& shape, const glm::dvec3& scale) {
        const std::optional<Shape> made = scaled(shape, scale);
        REQUIRE(made);
        REQUIRE(made->index() == shape.index());
        CHECK(volume(*made) == doctest::Approx(volume(shape) * std::abs(scale.x * scale.y * scale.z)).epsilon(1e-12));
    };
    for (const Shape& shape : {Shape(Sphere{0.4}), Shape(Capsule{0.2, 0.3}), Shape(TaperedCapsule{0.2, 0.3, 0.5}),
                               Shape(Box{{1.0, 2.0, 3.0}}), Shape(Cylinder{0.2, 0.3}),
                               Shape(TaperedCylinder{0.2, 0.0, 0.5}), Shape(ScaledHull{wedge(), {1.0, 2.0, 1.0}})}) {
        check(shape, even);
    }
    check(Cylinder{0.2, 0.3}, across);
    check(TaperedCylinder{0.2, 0.1, 0.5}, across);
    check(Box{{1.0, 2.0, 3.0}}, any);
    check(ScaledHull{wedge(), {1.0, 2.0, 1.0}}, any);
    const auto rectangle = std::get<Rectangle>(*scaled(Rectangle{1.0, 2.0}, any));
    CHECK(rectangle.half_x == doctest::Approx(0.3));
    CHECK(rectangle.half_z == doctest::Approx(10.0));
    const auto rod = std::get<ThinRod>(*scaled(ThinRod{1.0, 0.1}, {2.0, 3.0, -3.0}));
    CHECK(rod.half_length == doctest::Approx(2.0));
    CHECK(rod.radius == doctest::Approx(0.3));
    CHECK(std::holds_alternative<Plane>(*scaled(Plane{}, any)));
}

TEST_CASE("scaled shapes: a hull is mirrored, and its centre of mass with it") {
    const ScaledHull hull{wedge(), {1.0, 1.0, 1.0}};
    const glm::dvec3 scale(-2.0, 1.0, 1.0);
    const glm::dvec3 before = mass_properties(Shape(hull), 1.0).centre_of_mass;
    const glm::dvec3 after = mass_properties(*scaled(hull, scale), 1.0).centre_of_mass;
    CHECK(glm::length(after - scale * before) <= 1e-14);
}

TEST_CASE("scaled shapes: zero along all axes is no shape; what is round stays round, or is refused") {
    CHECK_FALSE(scaled(Sphere{}, glm::dvec3(0.0)));
    CHECK(scaled(Sphere{1.0}, {1.0, 1.0 + 1e-7, 1.0 - 1e-7}));
    CHECK_THROWS_WITH_AS(scaled(Sphere{}, {1.0, 2.0, 1.0}),
                         "The scale of a shape is (1, 2, 1); a ball stays round under one factor for all axes alone.",
                         std::invalid_argument);
    CHECK_THROWS_AS(scaled(Capsule{}, {1.0, 2.0, 1.0}), std::invalid_argument);
    CHECK_THROWS_AS(scaled(TaperedCapsule{}, {1.0, 2.0, 1.0}), std::invalid_argument);
    CHECK_THROWS_AS(scaled(Cylinder{}, {1.0, 2.0, 2.0}), std::invalid_argument);
    CHECK_THROWS_AS(scaled(TaperedCylinder{}, {1.0, 2.0, 2.0}), std::invalid_argument);
    CHECK_THROWS_AS(scaled(ThinRod{}, {1.0, 2.0, 1.0}), std::invalid_argument);
    CHECK_THROWS_AS(scaled(Box{}, {1.0, 0.0, 1.0}), std::invalid_argument);
    CHECK_THROWS_AS(scaled(Box{}, {1.0, std::numeric_limits<double>::quiet_NaN(), 1.0}), std::invalid_argument);
    CHECK_THROWS_AS(scaled(Box{}, {1.0, std::numeric_limits<double>::infinity(), 1.0}), std::invalid_argument);
}
