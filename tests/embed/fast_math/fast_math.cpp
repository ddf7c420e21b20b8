// What becomes of numbers that are not finite, and of arithmetic that must not be reordered, in a program that was
// compiled with -ffast-math. Prints what went wrong; nothing did if it only says "every answer was right".
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>

#include <substep/integrators/batch.h>
#include <substep/integrators/integrate.h>
#include <substep/integrators/tableaux.h>
#include <substep/numerics/elementary_functions.h>
#include <substep/substep.h>

namespace {

int failures = 0;

void expect(bool right, const std::string& what) {
    if (!right) {
        std::cout << "wrong: " << what << '\n';
        ++failures;
    }
}

/// A NaN that the compiler does not see coming.
double hidden_nan() {
    const unsigned long long bits = 0x7ff8000000000000u;
    double x = 0.0;
    std::memcpy(&x, &bits, sizeof x);
    volatile double out = x;
    return out;
}

using State = std::array<double, 2>;

} // namespace

int main() {
    using namespace substep;
    const double nan = hidden_nan();
    const auto swing = [](double, const State& y) { return State{y[1], -9.8 * sine(y[0])}; };
    const auto breaks = [nan](double t, const State& y) { return State{y[1], t > 0.5 ? nan : -y[0]}; };

    // One system by the header alone.
    State y{1.0, 0.0};
    expect(integrate<kDormandPrince54>(breaks, 0.0, 1.0, y).status == StepStatus::NonFinite,
           "a derivative becomes NaN");
    y = {1.0, nan};
    expect(integrate<kDormandPrince54>(swing, 0.0, 1.0, y).status == StepStatus::InvalidInput, "a state is NaN");
    y = {1.0, 0.0};
    expect(integrate<kDormandPrince54>(swing, 0.0, nan, y).status == StepStatus::InvalidInput, "a time is NaN");
    expect(integrate_fixed<kRk4>(breaks, 0.0, 1.0, 60, y) == StepStatus::NonFinite, "fixed steps meet NaN");
    expect(integrate_fixed<kRk4>(swing, 0.0, 1.0, 60, y) == StepStatus::ReachedTarget, "fixed steps go on");

    // Batches: one of four systems is NaN.
    std::array<double, 8> states{1.0, 0.5, nan, 0.25, 0.0, 0.0, 0.0, 0.0};
    std::array<IntegrateReport, 4> reports;
    const auto spring = [](const auto&, const auto& x) { return std::array{x[1], -x[0]}; };
    integrate_batch<kDormandPrince54, 2>(spring, 0.0, 1.0, {}, {states, 4, 4}, reports);
    expect(reports[2].status == StepStatus::InvalidInput && reports[3].status == StepStatus::ReachedTarget,
           "one of a batch is NaN");
    std::array<StepStatus, 4> statuses;
    integrate_batch_fixed<kRk4, 2>(spring, 0.0, 1.0, 10, {states, 4, 4}, statuses);
    expect(statuses[2] != StepStatus::ReachedTarget && statuses[3] == StepStatus::ReachedTarget,
           "one of a batch in fixed steps is NaN");

    // A sum that is reordered would take the multiple of pi/2 from no angle.
    for (const double angle : {2.3, 100.25, 12345.5, 1e6}) {
        expect(std::fabs(sine(angle) - std::sin(angle)) < 1e-12, "the sine of " + std::to_string(angle));
    }

    // The world refuses and reports as ever.
    World world;
    const auto refuses = [](const std::function<void()>& call) {
        try {
            call();
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    expect(refuses([&] { world.create_body({.shape = Sphere{0.1}, .mass = nan}); }), "a mass is NaN");
    expect(refuses([&] {
               world.create_body({.pose = {.position = {nan, 0, 0}}, .shape = Sphere{0.1}, .mass = 1.0});
           }),
           "a place is NaN");
    world.create_body({.shape = Sphere{0.1}, .mass = 1.0});
    expect(world.advance(nan).status == StepStatus::InvalidInput, "the world is advanced by NaN");
    expect(world.advance(0.01).status == StepStatus::ReachedTarget, "the world goes on");

    std::cout << (failures == 0 ? "every answer was right" : "some answers were wrong") << '\n';
    return failures == 0 ? 0 : 1;
}
