// Normal modes of coupled masses: their equation of motion, known frequencies, beats.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "normal_modes.h"

using namespace substep::detail;
using std::numbers::pi;

namespace {

// Acceleration of each mass by its springs; walls hold both ends.
std::vector<double> acceleration(const std::vector<double>& x, double mass, double wall, double coupling) {
    std::vector<double> a(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double left = i == 0 ? wall * x[i] : coupling * (x[i] - x[i - 1]);
        const double right = i + 1 == x.size() ? wall * x[i] : coupling * (x[i] - x[i + 1]);
        a[i] = -(left + right) / mass;
    }
    return a;
}

void check_equation(const NormalModes& modes, const std::vector<double>& start, double mass, double wall,
                    double coupling) {
    const auto begin = modes.at(0.0, start);
    for (std::size_t i = 0; i < start.size(); ++i) {
        CHECK(std::abs(begin.position[i] - start[i]) < 1e-15);
        CHECK(std::abs(begin.rate[i]) < 1e-15);
    }
    for (double t = 0.1; t < 10.0; t += 0.7) {
        // Central differences: h^2/6 times derivatives up to 1000, and 4e-16 x 10/h.
        constexpr double h = 1e-5;
        const auto before = modes.at(t - h, start), now = modes.at(t, start), after = modes.at(t + h, start);
        const auto a = acceleration(now.position, mass, wall, coupling);
        for (std::size_t i = 0; i < start.size(); ++i) {
            CHECK(std::abs((after.position[i] - before.position[i]) / (2.0 * h) - now.rate[i]) < 5e-8);
            CHECK(std::abs((after.rate[i] - before.rate[i]) / (2.0 * h) - a[i]) < 5e-8);
        }
    }
}

} // namespace

TEST_CASE("sums of modes satisfy the equations of masses and springs") {
    check_equation(NormalModes::of_two(2.0, 30.0, 4.0), {0.3, -0.1}, 2.0, 30.0, 4.0);
    check_equation(NormalModes::of_string(2, 2.0, 30.0), {0.3, -0.1}, 2.0, 30.0, 30.0);
    check_equation(NormalModes::of_string(3, 0.5, 20.0), {0.3, 0.0, -0.2}, 0.5, 20.0, 20.0);
}

TEST_CASE("three equal masses swing at sqrt(2 - sqrt 2), sqrt 2 and sqrt(2 + sqrt 2) times sqrt(k/m)") {
    const NormalModes modes = NormalModes::of_string(3, 1.0, 1.0);
    const double root = std::numbers::sqrt2;
    const double expected[] = {std::sqrt(2.0 - root), root, std::sqrt(2.0 + root)};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(std::abs(static_cast<double>(modes.modes()[i].rate) - expected[i]) < 4e-16);
    }
    // The middle mass rests in the second mode: its shape is (1, 0, -1).
    const auto state = modes.at(1.0, {1.0, 0.0, -1.0});
    CHECK(std::abs(state.position[1]) < 1e-16);
    CHECK(std::abs(state.position[0] - std::cos(root)) < 4e-16);
}

TEST_CASE("weakly coupled, all of the motion wanders from the first mass to the second and back") {
    const NormalModes modes = NormalModes::of_two(1.0, 40.0, 1.0);
    const double slow = static_cast<double>(modes.modes()[0].rate), fast = static_cast<double>(modes.modes()[1].rate);
    CHECK(slow == doctest::Approx(std::sqrt(40.0)).epsilon(1e-15));
    CHECK(fast == doctest::Approx(std::sqrt(42.0)).epsilon(1e-15));
    // x1 = cos((f - s) t/2) cos((f + s) t/2), x2 = sin sin: after pi/(f - s) the first has no more energy of its own.
    const auto half = modes.at(pi / (fast - slow), {1.0, 0.0});
    CHECK(std::abs(half.position[0]) < 1e-13);
    CHECK(std::abs(half.rate[0]) < 0.1 * fast); // the two rates differ by 2.5 %
    CHECK(std::hypot(half.position[1], half.rate[1] / fast) > 0.98);
}
