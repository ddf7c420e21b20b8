// The free asymmetric top: published digits, both branches, Euler's equations and the fixed angular momentum.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include <glm/geometric.hpp>

#include "substep/scenes/asymmetric_top.h"

using namespace substep;

namespace {

const glm::dvec3 kInertia{1.0, 2.0, 3.0};
const glm::dquat kIdentity{1.0, 0.0, 0.0, 0.0};

double distance(const glm::dquat& a, const glm::dquat& b) {
    // q and -q are the same orientation.
    const glm::dquat plus = a + b, minus = a + (-b);
    return std::fmin(glm::length(plus), glm::length(minus));
}

} // namespace

TEST_CASE("a tumbling body agrees with published digits at t = 10") {
    const AsymmetricTop::State state = AsymmetricTop(kInertia, {1.0, 0.5, 2.0}, kIdentity).at(10.0);
    // Two units in the last place of rates up to 2 rad/s.
    CHECK(glm::length(state.rates - glm::dvec3{0.314985781916865958, 1.07274598912800441, 1.92347047831168783}) <
          1e-15);
    CHECK(distance(state.orientation, {-0.353669006322646229, -0.133741490221527005, -0.258165852171717016,
                                       -0.889034217863704262}) < 1e-15);
}

TEST_CASE("a flip about the middle axis agrees with published digits at t = 20") {
    const AsymmetricTop top(kInertia, {0.001, 2.0, 0.001}, kIdentity);
    const AsymmetricTop::State state = top.at(20.0);
    // The start rate 0.001 is rounded by 1e-19, which the instability multiplies by 2000.
    CHECK(glm::length(state.rates - glm::dvec3{0.122332997256644472, -1.99625540394564889, 0.0706337082366820661}) <
          2e-15);
    CHECK(distance(state.orientation, {0.0308128978562932203, -0.809487986220999815, 0.00303599188853481842,
                                       0.586319493316417722}) < 2e-15);
    CHECK(std::abs(top.period() - 29.931990271191961671) < 1e-14); // four units in the last place of 30
}

TEST_CASE(
    "the closed form satisfies Euler's equations, q' = q omega / 2 and keeps L, in both branches and either sense") {
    const glm::dquat tilted = glm::normalize(glm::dquat{0.3, 0.5, -0.2, 0.8});
    for (const glm::dvec3& rates :
         {glm::dvec3{1.0, 0.5, 2.0}, glm::dvec3{1.0, 0.5, -2.0}, glm::dvec3{3.0, 0.5, 0.2}, glm::dvec3{-3.0, 0.5, 0.2},
          glm::dvec3{0.01, 5.0, 0.01}, glm::dvec3{0.02, -5.0, -0.01}, glm::dvec3{0.0, 0.0, 3.0},
          glm::dvec3{-2.0, 0.0, 0.0}, glm::dvec3{0.01, -0.02, -4.0}}) {
        CAPTURE(rates.x);
        CAPTURE(rates.y);
        CAPTURE(rates.z);
        const AsymmetricTop top(kInertia, rates, tilted);
        CHECK(glm::length(top.at(0.0).rates - rates) < 2e-15 * glm::length(rates));
        CHECK(distance(top.at(0.0).orientation, tilted) < 1e-15);
        const glm::dvec3 momentum = tilted * (kInertia * rates);
        for (double t = 0.11; t < 30.0; t += 0.83) {
            CAPTURE(t);
            const AsymmetricTop::State now = top.at(t);
            CHECK(glm::length(now.orientation * (kInertia * now.rates) - momentum) < 4e-15 * glm::length(momentum));

            // Central differences: h^2/6 times third derivatives below (2 x 5)^3, and rounding over h.
            constexpr double h = 1e-5;
            constexpr double kBound = h * h * 1e3 + 2e-15 * 10.0 / h;
            const AsymmetricTop::State before = top.at(t - h), after = top.at(t + h);
            const glm::dvec3 torque = glm::cross(kInertia * now.rates, now.rates);
            CHECK(glm::length((after.rates - before.rates) / (2.0 * h) - torque / kInertia) < kBound);
            glm::dquat turned = after.orientation;
            if (glm::dot(turned, before.orientation) < 0.0) {
                turned = -turned;
            }
            const glm::dquat slope = (turned + (-before.orientation)) * (1.0 / (2.0 * h));
            const glm::dquat omega{0.0, now.rates.x, now.rates.y, now.rates.z};
            glm::dquat expected = (now.orientation * omega) * 0.5;
            if (glm::dot(now.orientation, before.orientation) < 0.0) {
                expected = -expected;
            }
            CHECK(glm::length(slope + (-expected)) < kBound);
        }
    }
}

TEST_CASE("rates repeat after a period") {
    for (const glm::dvec3& rates : {glm::dvec3{1.0, 0.5, 2.0}, glm::dvec3{3.0, 0.5, 0.2}}) {
        const AsymmetricTop top(kInertia, rates, kIdentity);
        CHECK(glm::length(top.at(7.0 * top.period()).rates - rates) < 1e-13); // 7 T is rounded by 1e-14 s
    }
}

TEST_CASE("a body without a periodic closed form is refused") {
    CHECK_THROWS_AS(AsymmetricTop(kInertia, {0.0, 5.0, 0.0}, kIdentity), std::invalid_argument);
    CHECK_THROWS_AS(AsymmetricTop(kInertia, {0.0, 0.0, 0.0}, kIdentity), std::invalid_argument);
    CHECK_THROWS_AS(AsymmetricTop({1.0, 1.0, 3.0}, {1.0, 1.0, 1.0}, kIdentity), std::invalid_argument);
    CHECK_THROWS_AS(AsymmetricTop({0.0, 1.0, 3.0}, {1.0, 1.0, 1.0}, kIdentity), std::invalid_argument);
    CHECK_THROWS_AS(AsymmetricTop(kInertia, {std::nan(""), 1.0, 1.0}, kIdentity), std::invalid_argument);
    CHECK_THROWS_AS(AsymmetricTop(kInertia, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0, 0.0}), std::invalid_argument);
}
