// The pendulum's closed form: published digits, its own differential equation, and its limits.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "substep/scenes/pendulum_motion.h"

using namespace substep;
using std::numbers::pi;

namespace {

struct Start {
    double angle, rate;
};

// Libration small and large, rotation both ways, close to the separatrix on both sides, on it, beyond a turn, at rest.
constexpr Start kStarts[] = {{0.0, -2.0}, {0.3, 0.0},  {2.8, 0.0},  {-1.0, 3.0},      {1.0, -3.0},      {0.0, 7.0},
                             {2.0, -9.0}, {0.0, 2e-9}, {3.1, 0.01}, {0.0, 6.2609903}, {0.0, 6.2609904}, {7.0, 1.0},
                             {-9.0, 8.0}, {0.0, 0.0},  {pi, 0.0},   {0.0, -40.0}};

} // namespace

TEST_CASE("the pendulum of origin 1 agrees with its published digits after 10000 frames") {
    const PendulumMotion motion(std::sqrt(9.8L), 0.0, -2.0);
    const PendulumMotion::State end = motion.at(10000.0 / 60.0);
    // Two units in the last place; where long double is double, Omega0 t = 521 is rounded by 1e-13.
    const double rounding = std::numeric_limits<long double>::digits > 53 ? 4e-16 : 1e-13;
    CHECK(std::abs(end.angle - 0.530077798104947758) < rounding);
    CHECK(std::abs(end.rate - -1.14466050513173661) < rounding);
    CHECK(std::abs(motion.period() - 2.06145603790998415) < 1e-15);
    CHECK(motion.kind() == PendulumMotion::Kind::Libration);
}

TEST_CASE("from rest at 160 degrees the closed form agrees with published digits at t = 50") {
    const PendulumMotion::State state = PendulumMotion(1.0L, 160.0 * pi / 180.0, 0.0).at(50.0);
    // 160 degrees in double is off by 2e-16 rad, which the motion multiplies by about ten.
    CHECK(std::abs(state.angle - 2.756681501742288830) < 4e-15);
    CHECK(std::abs(state.rate - 0.160379699684127417) < 4e-15);
}

TEST_CASE("the separatrix agrees with published digits at t = 5") {
    const PendulumMotion motion(1.0L, 0.0, 2.0);
    CHECK(motion.kind() == PendulumMotion::Kind::Separatrix);
    CHECK(std::abs(motion.at(5.0).angle - 3.114641273452102044) < 1e-15);
    CHECK(std::abs(motion.at(5.0).rate - 0.0269505644426091) < 1e-15);
    CHECK(std::isinf(motion.period()));
}

TEST_CASE("the closed form starts where it was told to") {
    for (const Start& start : kStarts) {
        CAPTURE(start.angle);
        CAPTURE(start.rate);
        const PendulumMotion::State state = PendulumMotion(std::sqrt(9.8L), start.angle, start.rate).at(0.0);
        CHECK(std::abs(state.angle - start.angle) <= 1e-15 * (1.0 + std::abs(start.angle)));
        CHECK(std::abs(state.rate - start.rate) <= 1e-15 * (1.0 + std::abs(start.rate)));
    }
}

TEST_CASE("the closed form satisfies theta'' = -Omega0^2 sin theta and keeps its energy, from any start") {
    constexpr double kSquare = 9.8; // Omega0^2
    for (const Start& start : kStarts) {
        CAPTURE(start.angle);
        CAPTURE(start.rate);
        const PendulumMotion motion(std::sqrt(9.8L), start.angle, start.rate);
        const double scale = kSquare + start.rate * start.rate;
        const double energy = 0.5 * start.rate * start.rate - kSquare * std::cos(start.angle);
        for (double t = 0.013; t < 20.0; t += 0.37) {
            CAPTURE(t);
            // Central differences: h^2/6 times the third derivative (at most about scale^1.5), and rounding over h.
            constexpr double h = 1e-5;
            const PendulumMotion::State before = motion.at(t - h), now = motion.at(t), after = motion.at(t + h);
            const double bound = h * h * std::pow(scale, 2.0) + 1e-15 * (1.0 + std::abs(now.angle) + scale) / h;
            CHECK(std::abs((after.angle - before.angle) / (2.0 * h) - now.rate) < bound);
            CHECK(std::abs((after.rate - before.rate) / (2.0 * h) + kSquare * std::sin(now.angle)) < bound);
            CHECK(std::abs(0.5 * now.rate * now.rate - kSquare * std::cos(now.angle) - energy) < 2e-14 * scale);
        }
    }
}

TEST_CASE("rotation is unwrapped and periodic: one turn per period, either way") {
    for (const double rate : {7.0, -7.0}) {
        const PendulumMotion motion(std::sqrt(9.8L), 0.5, rate);
        CHECK(motion.kind() == PendulumMotion::Kind::Rotation);
        const PendulumMotion::State later = motion.at(12.0 * motion.period());
        CHECK(std::abs(later.angle - (0.5 + std::copysign(24.0 * pi, rate))) < 1e-13); // 12 T is rounded by 1e-15 s
        CHECK(std::abs(later.rate - rate) < 1e-13);
    }
}

TEST_CASE("a start at rest at the bottom stays, and a start angle of whole turns only shifts the motion") {
    const PendulumMotion::State rest = PendulumMotion(1.0L, 0.0, 0.0).at(123.0);
    CHECK(rest.angle == 0.0);
    CHECK(rest.rate == 0.0);
    const double shifted = PendulumMotion(1.0L, 1.0 + 4.0 * pi, 0.5).at(3.0).angle;
    CHECK(std::abs(shifted - 4.0 * pi - PendulumMotion(1.0L, 1.0, 0.5).at(3.0).angle) < 1e-14); // 4 pi in double
}

TEST_CASE("a pendulum without a rate or with a start that is not finite is refused") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(PendulumMotion(0.0L, 0.0, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(PendulumMotion(-1.0L, 0.0, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(PendulumMotion(1.0L, nan, 1.0), std::invalid_argument);
    CHECK_THROWS_AS(PendulumMotion(1.0L, 0.0, 1.0 / 0.0), std::invalid_argument);
}
