// The planar chain's equations: against those of one and of two links, and against their energy.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "planar_chain_motion.h"
#include "substep/scenes/pendulum_motion.h"

using namespace substep;
using namespace substep::detail;

namespace {

const PendulumLink kRod{1.0, 1.0 / 12.0, 0.5, 1.0};

} // namespace

TEST_CASE("a chain of one link is the pendulum in closed form") {
    const ReferenceMotion chain = planar_chain_motion(PlanarChainEquations({kRod}, 9.8), {2.0, 0.0}, 5.0);
    const PendulumMotion exact(std::sqrt(9.8L * 0.5L / (1.0L / 12.0L + 0.25L)), 2.0, 0.0);
    for (double t = 0.0; t <= 5.0; t += 0.1) {
        CHECK(std::abs(chain.at(t)[0] - exact.at(t).angle) < 1e-12);
    }
}

TEST_CASE("a chain of two links obeys the double pendulum's equations") {
    const PendulumLink upper{1.5, 0.2, 0.4, 1.1};
    const PendulumLink lower{0.7, 0.05, 0.6, 0.9};
    DoublePendulumMotion pair(upper, lower, 9.8);
    const PlanarChainEquations chain({upper, lower}, 9.8);
    for (const DoublePendulumMotion::State& y :
         {DoublePendulumMotion::State{0.3, -1.2, 0.5, 3.0}, {2.0, 1.0, -4.0, 1.0}, {0.0, 0.1, 0.0, 0.0}}) {
        DoublePendulumMotion::State a{}, b{};
        pair.derivative(0.0, y, a);
        chain.rates(y, b);
        for (std::size_t i = 0; i < y.size(); ++i) {
            CHECK(std::abs(a[i] - b[i]) < 1e-13); // accelerations up to 100 rad/s^2
        }
        CHECK(std::abs(pair.energy(y) - chain.energy(y)) < 1e-14);
    }
}

TEST_CASE("six links keep their energy, and two solutions agree to 12 digits") {
    const PlanarChainEquations equations(std::vector(6, kRod), 9.8);
    std::vector<double> start(12, 0.0);
    for (std::size_t i = 0; i < 6; ++i) {
        start[i] = 0.4 * static_cast<double>(i);
    }
    const ReferenceMotion motion = planar_chain_motion(equations, start, 1.0);
    for (double t = 0.0; t <= 1.0; t += 0.05) {
        const auto y = motion.at(t);
        CHECK(std::abs(equations.energy(y) - equations.energy(start)) < 1e-11); // of some 200 J
    }
    CHECK(motion.disagreement() < 1e-12); // 5e-14 was measured
}

TEST_CASE("the folded chain of four links is known to 12 digits through its whip") {
    const PendulumLink link{0.5, 0.5 * 0.45 * 0.45 / 12.0, 0.225, 0.45};
    const double lower = std::numbers::pi - 0.15;
    const std::vector<double> start{-0.15, -0.15, lower, lower, 0.0, 0.0, 0.0, 0.0};
    const ReferenceMotion motion =
        planar_chain_motion(PlanarChainEquations(std::vector(4, link), 9.8), start, 1.2, 1.0 / 1024.0);
    CHECK(motion.disagreement() < 1e-12); // 5e-14 was measured
}

TEST_CASE("an empty chain and a link without mass are refused") {
    CHECK_THROWS_AS(PlanarChainEquations({}, 9.8), std::invalid_argument);
    CHECK_THROWS_AS(PlanarChainEquations({{0.0, 1.0, 1.0, 1.0}}, 9.8), std::invalid_argument);
}
