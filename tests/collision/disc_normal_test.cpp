// The normal of a disc: of a cylinder's or a cone's flat end, and what meets it within its rim.
#include <array>
#include <cmath>
#include <random>
#include <utility>

#include <doctest/doctest.h>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;

namespace {

double number(std::mt19937_64& random, double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
}

glm::dmat3 turned(double angle, const glm::dvec3& axis) {
    return glm::mat3_cast(glm::angleAxis(angle, glm::normalize(axis)));
}

Placement placement(std::mt19937_64& random) {
    const glm::dvec3 axis(number(random, -1.0, 1.0), number(random, -1.0, 1.0), number(random, -1.0, 1.0));
    return {axis, turned(number(random, 0.0, 3.0), axis)};
}

} // namespace

TEST_CASE("what touches a disc with a corner, a tip or its rim has the disc's axis for a normal, to the last digits") {
    // From one core to the other there is next to nothing to take a direction from: the disc itself knows it.
    std::mt19937_64 random(3);
    const std::array<TaperedCylinder, 3> with_discs{TaperedCylinder{0.4, 0.4, 0.2}, TaperedCylinder{0.4, 0.1, 0.2},
                                                    TaperedCylinder{0.4, 0.0, 0.2}};
    const Box box{{0.3, 0.2, 0.1}};
    const TaperedCylinder tip{0.2, 0.0, 0.3};
    const TaperedCylinder coin{0.15, 0.15, 0.05};
    for (const TaperedCylinder& disc : with_discs) { // whose lower disc looks along -y
        for (int i = 0; i < 40; ++i) {
            const Placement at_disc = placement(random);
            // In the frame of the disc, seen from it: the other one's highest point, whichever way that is turned.
            const double tilt = number(random, 0.2, 1.3);
            const glm::dmat3 turn = turned(number(random, 0.0, 6.0), {0.0, 1.0, 0.0}) * turned(tilt, {1.0, 0.0, 0.3});
            const glm::dvec3 up = glm::dvec3(0.0, 1.0, 0.0) * turn;
            const glm::dvec3 corner = glm::sign(up) * box.half_sizes;
            const glm::dvec3 rim = coin.radius_top * glm::normalize(glm::dvec3(up.x, 0.0, up.z));
            const std::array<std::pair<Convex, glm::dvec3>, 3> others{
                std::pair<Convex, glm::dvec3>{box, corner},
                {tip, {0.0, tip.half_length, 0.0}},
                {coin, rim + glm::dvec3(0.0, coin.half_length, 0.0)}};
            for (const auto& [other, highest] : others) {
                const bool is_tip = highest.x == 0.0 && highest.z == 0.0;
                if (is_tip && tilt > 0.9) {
                    continue; // its base comes higher
                }
                for (const double gap : {-1e-8, -1e-12, 0.0, 1e-12, 1e-10, 1e-8}) {
                    CAPTURE(disc.radius_top);
                    CAPTURE(other.index());
                    CAPTURE(tilt);
                    CAPTURE(gap);
                    const glm::dvec3 meets(number(random, -0.2, 0.2), -disc.half_length - gap,
                                           number(random, -0.2, 0.2));
                    const glm::dvec3 place = meets - turn * highest;
                    const Placement at_other{at_disc.position + at_disc.rotation * place, at_disc.rotation * turn};
                    const glm::dvec3 axis = at_disc.rotation * glm::dvec3(0.0, 1.0, 0.0);
                    const Separation found = distance(disc, at_disc, other, at_other);
                    CHECK(glm::length(found.normal - axis) < 1e-14);
                    CHECK(std::fabs(found.distance - gap) < 1e-14);
                    SeparatingAxis none;
                    const Separation reversed = distance(other, at_other, disc, at_disc);
                    CHECK(glm::length(reversed.normal + axis) < 1e-14);
                    CHECK(glm::length(collide(disc, at_disc, other, at_other, 1e-3, none).normal - axis) < 1e-14);
                }
            }
        }
    }
}
