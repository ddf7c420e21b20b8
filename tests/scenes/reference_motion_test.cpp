// Reference solutions: as good as they say, and able to say when they are not.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

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
