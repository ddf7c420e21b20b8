// Reference solutions: as good as they say, and able to say when they are not.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "substep/scenes/pendulum_motion.h"
#include "substep/scenes/reference_motion.h"

using namespace substep;

namespace {

/// y'' = rate y as two equations: a swing for a negative rate, growth for a positive one.
class Linear final : public OdeSystem {
public:
    explicit Linear(double rate) : rate_(rate) {}
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = y[1];
        dydt[1] = rate_ * y[0];
    }

private:
    double rate_;
};

} // namespace

TEST_CASE("a reference motion is exact to 13 digits at its nodes, between them and at its end") {
    const ReferenceMotion swing(std::make_unique<Linear>(-9.0), {1.0, 0.0}, 10.0);
    CHECK(swing.until() == 10.0);
    for (const double t : {0.0, 0.05, 0.125, 3.3, 7.77, 10.0}) {
        CAPTURE(t);
        // Rounding of some hundred substeps, of a rate of 3.
        CHECK(std::abs(swing.at(t)[0] - std::cos(3.0 * t)) < 1e-13);
        CHECK(std::abs(swing.at(t)[1] + 3.0 * std::sin(3.0 * t)) < 3e-13);
    }
    CHECK(swing.disagreement() < 1e-12);
    CHECK(swing.at(11.0) == swing.at(10.0)); // held to what is known
}

TEST_CASE("a reference motion agrees with a pendulum's closed form to 12 digits, asked in any order") {
    const auto pendulum = [](long double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = y[1];
        dydt[1] = -9.8 * std::sin(y[0]);
    };
    const ReferenceMotion motion(pendulum, {2.5, 0.0}, 10.0);
    const PendulumMotion exact(std::sqrt(9.8L), 2.5, 0.0);
    std::vector<double> forwards;
    for (int i = 0; i <= 700; ++i) {
        const double t = i / 70.0;
        CAPTURE(t);
        forwards.push_back(motion.at(t)[0]);
        CHECK(std::abs(motion.at(t)[0] - exact.at(t).angle) < 1e-12);
        CHECK(std::abs(motion.at(t)[1] - exact.at(t).rate) < 6e-12); // of 6 rad/s
    }
    for (int i = 700; i >= 0; --i) {
        CHECK(motion.at(i / 70.0)[0] == forwards[static_cast<std::size_t>(i)]);
    }
    CHECK(motion.disagreement() < 1e-12);
}

TEST_CASE("a reference motion that cannot be integrated says so instead of stopping short") {
    const auto runs_away = [](long double, std::span<const double> y, std::span<double> dydt) {
        dydt[0] = std::sqrt(1.0 - y[0]) + 1.0; // not a number from y = 1 on
    };
    CHECK_THROWS_AS(ReferenceMotion(runs_away, {0.0}, 2.0).at(2.0), std::runtime_error);
}

TEST_CASE("a reference motion that multiplies errors says so") {
    // e^30 = 1e13: rounding of the start alone becomes visible.
    const ReferenceMotion growth(std::make_unique<Linear>(9.0), {1.0, -3.0}, 10.0);
    CHECK(growth.disagreement() > 1e-9);
}

TEST_CASE("a reference motion refuses times that are not positive") {
    CHECK_THROWS_AS(ReferenceMotion(std::make_unique<Linear>(-1.0), {1.0, 0.0}, 0.0), std::invalid_argument);
    CHECK_THROWS_AS(ReferenceMotion(std::make_unique<Linear>(-1.0), {1.0, 0.0}, 1.0, -1.0), std::invalid_argument);
    CHECK_THROWS_AS(ReferenceMotion(std::make_unique<Linear>(-1.0), {1.0, 0.0}, std::nan("")), std::invalid_argument);
}
