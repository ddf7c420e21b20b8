// Mass properties of polyhedra and of solids of revolution against closed forms.
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

#include "substep/collision/convex_hull.h"
#include "substep/collision/mass_properties.h"

using namespace substep;

namespace {

constexpr double kExact = 1e-12; // relative: some hundred additions of rounded products

void check_inertia(const glm::dmat3& inertia, const glm::dmat3& expected) {
    const double size = expected[0][0] + expected[1][1] + expected[2][2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            CHECK(std::fabs(inertia[i][j] - expected[i][j]) < kExact * size);
        }
    }
}

glm::dmat3 diagonal(double x, double y, double z) { return {x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z}; }

std::vector<glm::dvec3> cuboid(const glm::dvec3& half) {
    std::vector<glm::dvec3> points;
    for (int i = 0; i < 8; ++i) {
        points.push_back(half * glm::dvec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    }
    return points;
}

const glm::dmat3 kTurn = glm::mat3_cast(glm::normalize(glm::dquat(0.3, 0.5, -0.7, 0.2)));
const glm::dvec3 kAway(3.0, -1.0, 2.0);

} // namespace

TEST_CASE("mass properties of a turned and moved cuboid's hull are those of the box") {
    const Box box{{0.2, 0.5, 0.3}};
    std::vector<glm::dvec3> points = cuboid(box.half_sizes);
    for (glm::dvec3& p : points) {
        p = kTurn * p + kAway;
    }
    const auto hull = ConvexHull::make(points);
    const MassProperties found = mass_properties(*hull, 2.0);
    CHECK(volume(*hull) == doctest::Approx(volume(Shape(box))).epsilon(kExact));
    CHECK(found.mass == 2.0);
    CHECK(glm::length(found.centre_of_mass - kAway) < kExact);
    check_inertia(found.inertia, kTurn * mass_properties(Shape(box), 2.0).inertia * glm::transpose(kTurn));
}

TEST_CASE("mass properties of a tetrahedron's hull are its closed forms, and a scale multiplies its coordinates") {
    // The corner of a cube of side 1: V = 1/6, centre (1, 1, 1)/4, moments 3/40 m and products 1/80 m about the centre.
    const std::vector<glm::dvec3> corner{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const auto hull = ConvexHull::make(corner);
    const MassProperties found = mass_properties(*hull, 1.0);
    CHECK(volume(*hull) == doctest::Approx(1.0 / 6.0).epsilon(kExact));
    CHECK(glm::length(found.centre_of_mass - glm::dvec3(0.25)) < kExact);
    constexpr double p = 1.0 / 80.0;
    check_inertia(found.inertia, {6.0 * p, p, p, p, 6.0 * p, p, p, p, 6.0 * p});

    const glm::dvec3 scale(2.0, 3.0, 0.5);
    const ScaledHull scaled{hull, scale};
    std::vector<glm::dvec3> larger = corner;
    for (glm::dvec3& v : larger) {
        v *= scale;
    }
    const auto truth = ConvexHull::make(larger);
    CHECK(volume(scaled) == doctest::Approx(0.5).epsilon(kExact));
    CHECK(glm::length(mass_properties(scaled, 3.0).centre_of_mass - 0.25 * scale) < kExact);
    check_inertia(mass_properties(scaled, 3.0).inertia, mass_properties(*truth, 3.0).inertia);
}

TEST_CASE("mass properties of a closed mesh are those of what it holds, hollows taken out") {
    // A cube of half size 1 with a hollow of half size 0.5, whose surface is turned inside out.
    std::vector<glm::dvec3> vertices;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    for (const bool hollow : {false, true}) {
        const auto hull = ConvexHull::make(cuboid(glm::dvec3(hollow ? 0.5 : 1.0)));
        const auto first = static_cast<std::uint32_t>(vertices.size());
        vertices.insert(vertices.end(), hull->vertices().begin(), hull->vertices().end());
        for (const auto& face : hull->faces()) {
            const auto loop = hull->loop(face);
            for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
                triangles.push_back(
                    {first + loop[0], first + loop[i + (hollow ? 1 : 0)], first + loop[i + (hollow ? 0 : 1)]});
            }
        }
    }
    const MassProperties found = mass_properties(vertices, triangles, 7.0); // of density 1
    CHECK(glm::length(found.centre_of_mass) < kExact);
    const double moment = 8.0 * 2.0 / 3.0 - 1.0 * 2.0 / 3.0 * 0.25;
    check_inertia(found.inertia, diagonal(moment, moment, moment));

    triangles.pop_back();
    CHECK_THROWS_AS(mass_properties(vertices, triangles, 1.0), std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        mass_properties(std::vector<glm::dvec3>(3), std::vector{std::array<std::uint32_t, 3>{0, 1, 5}}, 1.0),
        "A triangle of the mesh names vertex 5; there are 3.", std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        mass_properties(std::vector<glm::dvec3>(3), std::vector{std::array<std::uint32_t, 3>{0, 1, 2}}, 1.0),
        "The mesh's edge from vertex 0 to 1 has no triangle on its other side; it must be closed.",
        std::invalid_argument);
    const std::vector<glm::dvec3> corner{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const std::vector<std::array<std::uint32_t, 3>> inward{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    CHECK_THROWS_AS(mass_properties(corner, inward, 1.0), std::invalid_argument);
}

TEST_CASE("mass properties of cones and truncated cones are their closed forms") {
    // A cone: V = pi r^2 h / 3, its centre h / 4 above the base, 3/10 m r^2 along and 3/80 m (4 r^2 + h^2) across.
    const double r = 0.4;
    const double h = 1.2;
    const TaperedCylinder cone{r, 0.0, 0.5 * h};
    const MassProperties found = mass_properties(cone, 5.0);
    CHECK(volume(cone) == doctest::Approx(std::numbers::pi * r * r * h / 3.0).epsilon(kExact));
    CHECK(found.centre_of_mass.y == doctest::Approx(-0.25 * h).epsilon(kExact));
    const double across = 5.0 * 3.0 / 80.0 * (4.0 * r * r + h * h);
    check_inertia(found.inertia, diagonal(across, 5.0 * 0.3 * r * r, across));
    // Upside down it is the same about its own centre.
    check_inertia(mass_properties(TaperedCylinder{0.0, r, 0.5 * h}, 5.0).inertia, found.inertia);

    const Cylinder cylinder{0.3, 0.7};
    check_inertia(mass_properties(TaperedCylinder{0.3, 0.3, 0.7}, 2.0).inertia,
                  mass_properties(Shape(cylinder), 2.0).inertia);

    // A truncated cone is a cone less its tip; moments about the tip of the whole: 3/5 m h^2 along y^2.
    const TaperedCylinder truncated{0.6, 0.2, 1.0}; // of a cone of height 3, whose tip has height 1
    const double whole = std::numbers::pi * 0.36 * 3.0 / 3.0;
    const double tip = std::numbers::pi * 0.04 * 1.0 / 3.0;
    const double mass = whole - tip;
    const double below = (whole * 0.75 * 3.0 - tip * 0.75 * 1.0) / mass; // of the centre, below the tip of the whole
    const MassProperties rest = mass_properties(truncated, mass);
    CHECK(volume(truncated) == doctest::Approx(mass).epsilon(kExact));
    CHECK(rest.centre_of_mass.y == doctest::Approx(2.0 - below).epsilon(kExact));
    const double along = 0.3 * (whole * 0.36 - tip * 0.04);
    const double side = 0.5 * along + 0.6 * (whole * 9.0 - tip * 1.0) - mass * below * below;
    check_inertia(rest.inertia, diagonal(side, along, side));
}

TEST_CASE("mass properties of capsules with two radii: those with one, a ball, and the sum over slices") {
    const Capsule capsule{0.3, 0.8};
    check_inertia(mass_properties(TaperedCapsule{0.3, 0.3, 0.8}, 2.0).inertia,
                  mass_properties(Shape(capsule), 2.0).inertia);
    const MassProperties ball = mass_properties(TaperedCapsule{0.9, 0.2, 0.1}, 2.0);
    CHECK(ball.centre_of_mass.y == doctest::Approx(-0.1).epsilon(kExact));
    check_inertia(ball.inertia, mass_properties(Shape(Sphere{0.9}), 2.0).inertia);

    // Slices of the profile: the largest ball of those between both ends at each height.
    const TaperedCapsule tapered{0.5, 0.2, 0.6};
    constexpr int kSlices = 4000;
    double volume_over_pi = 0.0;
    double height = 0.0;
    for (int i = 0; i < kSlices; ++i) {
        const double y = -1.1 + (i + 0.5) * 1.9 / kSlices;
        double squared = 0.0;
        for (int k = 0; k <= 400; ++k) {
            const double t = k / 400.0;
            const double radius = 0.5 - 0.3 * t;
            const double apart = y - (-0.6 + 1.2 * t);
            squared = std::fmax(squared, radius * radius - apart * apart);
        }
        volume_over_pi += squared * 1.9 / kSlices;
        height += squared * y * 1.9 / kSlices;
    }
    CHECK(volume(tapered) == doctest::Approx(std::numbers::pi * volume_over_pi).epsilon(1e-5));
    CHECK(mass_properties(tapered, 1.0).centre_of_mass.y == doctest::Approx(height / volume_over_pi).epsilon(1e-5));
}

TEST_CASE("mass properties of a capsule with two radii are the sum of two caps and a truncated cone, in closed form") {
    // Integrals over y of r^2, y r^2, y^2 r^2 and r^4 / 4 from their primitives, about the solid's origin.
    using Real = long double;
    using Sums = std::array<Real, 4>;
    const auto cap = [](Real centre, Real radius, Real low, Real high) { // between two heights above the ball's centre
        const auto at = [&](Real y) {
            const Real squared = radius * radius;
            return Sums{squared * y - y * y * y / 3, squared * y * y / 2 - y * y * y * y / 4,
                        squared * y * y * y / 3 - y * y * y * y * y / 5,
                        (squared * squared * y - 2 * squared * y * y * y / 3 + y * y * y * y * y / 5) / 4};
        };
        const Sums a = at(low);
        const Sums b = at(high);
        const Real volume = b[0] - a[0];
        const Real first = b[1] - a[1];
        return Sums{volume, first + centre * volume, b[2] - a[2] + 2 * centre * first + centre * centre * volume,
                    b[3] - a[3]};
    };
    const auto cone = [](Real low, Real high, Real from, Real to) { // radii at both heights
        const Real length = high - low;
        const Real slope = (to - from) / length;
        const auto power = [](Real x, int n) { // x^n / n, the primitive of x^(n - 1)
            Real product = 1;
            for (int i = 0; i < n; ++i) {
                product *= x;
            }
            return product / n;
        };
        // With r = from + slope u for u from 0 to the length.
        const Real volume =
            from * from * length + 2 * from * slope * power(length, 2) + slope * slope * power(length, 3);
        const Real first =
            from * from * power(length, 2) + 2 * from * slope * power(length, 3) + slope * slope * power(length, 4);
        const Real second =
            from * from * power(length, 3) + 2 * from * slope * power(length, 4) + slope * slope * power(length, 5);
        const Real fourth = (power(to, 5) - power(from, 5)) / slope / 4;
        return Sums{volume, first + low * volume, second + 2 * low * first + low * low * volume, fourth};
    };
    for (const TaperedCapsule& c : {TaperedCapsule{0.5, 0.2, 0.6}, TaperedCapsule{0.1, 0.7, 0.8}}) {
        const Real half = c.half_length;
        const Real lean = (Real{c.radius_bottom} - c.radius_top) / (2 * half);
        const Real across = std::sqrt(1 - lean * lean);
        const Sums bottom = cap(-half, c.radius_bottom, -Real{c.radius_bottom}, lean * c.radius_bottom);
        const Sums top = cap(half, c.radius_top, lean * c.radius_top, c.radius_top);
        const Sums side = cone(-half + lean * c.radius_bottom, half + lean * c.radius_top, across * c.radius_bottom,
                               across * c.radius_top);
        Sums sum{};
        for (std::size_t i = 0; i < 4; ++i) {
            sum[i] = bottom[i] + side[i] + top[i];
        }
        const auto middle = static_cast<double>(sum[1] / sum[0]);
        const auto along = static_cast<double>(2 * 3 * sum[3] / sum[0]); // of 3 kg
        const auto upright =
            static_cast<double>(3 * (sum[2] + sum[3]) / sum[0] - 3 * (sum[1] / sum[0]) * (sum[1] / sum[0]));
        const MassProperties found = mass_properties(c, 3.0);
        CHECK(volume(c) == doctest::Approx(std::numbers::pi * static_cast<double>(sum[0])).epsilon(kExact));
        CHECK(std::fabs(found.centre_of_mass.y - middle) < kExact);
        check_inertia(found.inertia, diagonal(upright, along, upright));
    }
}

TEST_CASE("mass properties of a rectangle are those of a thin plate") {
    const MassProperties plate = mass_properties(Rectangle{2.0, 3.0}, 6.0);
    CHECK(plate.centre_of_mass == glm::dvec3(0.0));
    check_inertia(plate.inertia, diagonal(18.0, 26.0, 8.0));
}

TEST_CASE("sizes that make no solid are refused with their value") {
    CHECK_THROWS_WITH_AS(mass_properties(TaperedCylinder{0.0, 0.0, 1.0}, 1.0),
                         "The tapered cylinder's larger radius is 0 m; it must be positive and finite.",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(mass_properties(TaperedCapsule{0.1, -1.0, 1.0}, 1.0),
                         "The tapered capsule's top radius is -1 m; it must be positive and finite.",
                         std::invalid_argument);
}
