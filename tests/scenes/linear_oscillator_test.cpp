// The driven, damped oscillator's closed form: its differential equation, its limits, resonance.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "linear_oscillator.h"

using namespace substep::detail;
using std::numbers::pi;

namespace {

// Free, weakly damped, critical, overdamped, driven below, at and above resonance, driven without damping, and driven
// without damping at resonance.
constexpr OscillatorDesc kCases[] = {
    {.natural_rate = 3.0, .start = 0.5, .start_rate = -1.0},
    {.natural_rate = 3.0, .damping = 0.3, .start = 0.5, .start_rate = 2.0},
    {.natural_rate = 3.0, .damping = 3.0, .start = 0.5, .start_rate = 2.0},
    {.natural_rate = 3.0, .damping = 9.0, .start = 0.5, .start_rate = -2.0},
    {.natural_rate = 3.0, .damping = 0.2, .drive = 1.5, .drive_rate = 2.0, .drive_phase = 0.4, .start = 0.1},
    {.natural_rate = 3.0, .damping = 0.2, .drive = 1.5, .drive_rate = 3.0, .start = -0.2, .start_rate = 0.7},
    {.natural_rate = 3.0, .damping = 5.0, .drive = 1.5, .drive_rate = 4.0, .drive_phase = -1.0},
    {.natural_rate = 3.0, .drive = 1.5, .drive_rate = 3.5, .start = 0.2},
    {.natural_rate = 3.0, .drive = 1.5, .drive_rate = 3.0, .drive_phase = 0.3, .start = 0.2, .start_rate = 0.1},
};

} // namespace

TEST_CASE("the oscillator satisfies x'' + 2 gamma x' + Omega0^2 x = a cos(w t) and starts where it was told to") {
    for (const OscillatorDesc& desc : kCases) {
        CAPTURE(desc.damping);
        CAPTURE(desc.drive_rate);
        const LinearOscillator motion(desc);
        CHECK(std::abs(motion.at(0.0).position - desc.start) < 1e-15);
        CHECK(std::abs(motion.at(0.0).rate - desc.start_rate) < 1e-15);
        for (double t = 0.01; t < 10.0; t += 0.37) {
            CAPTURE(t);
            // Central differences: h^2/6 times third derivatives of up to 1e4 in the overdamped start, and 1e-14/h.
            constexpr double h = 1e-5;
            const auto before = motion.at(t - h), now = motion.at(t), after = motion.at(t + h);
            const double force = desc.drive * std::cos(desc.drive_rate * t + desc.drive_phase) -
                                 2.0 * desc.damping * now.rate - desc.natural_rate * desc.natural_rate * now.position;
            CHECK(std::abs((after.position - before.position) / (2.0 * h) - now.rate) < 2e-7);
            CHECK(std::abs((after.rate - before.rate) / (2.0 * h) - force) < 2e-7);
        }
    }
}

TEST_CASE("critical damping is the limit of both sides, and undamped resonance that of weak damping") {
    OscillatorDesc desc{.natural_rate = 2.0, .damping = 2.0, .start = 1.0, .start_rate = 0.5};
    const double critical = LinearOscillator(desc).at(1.5).position;
    CHECK(std::abs(critical - std::exp(-3.0) * (1.0 + 2.5 * 1.5)) < 1e-15); // e^(-gamma t)(x0 + (x0' + gamma x0) t)
    for (const double side : {-1e-9, 1e-9}) {
        desc.damping = 2.0 + side;
        CHECK(std::abs(LinearOscillator(desc).at(1.5).position - critical) < 1e-8);
    }

    OscillatorDesc driven{.natural_rate = 2.0, .drive = 1.0, .drive_rate = 2.0};
    const LinearOscillator resonant(driven);
    CHECK(std::abs(resonant.at(pi).position - 0.25 * pi * std::sin(2.0 * pi)) < 1e-15);
    CHECK(std::abs(resonant.at(0.25 * pi).position - 0.25 * 0.25 * pi) < 1e-15); // a t sin(w t)/(2 w)
    CHECK(std::isinf(resonant.steady_amplitude()));
    driven.damping = 1e-9;
    CHECK(std::abs(LinearOscillator(driven).at(5.0).position - resonant.at(5.0).position) < 1e-7);
}

TEST_CASE("long after the start the amplitude is a / |Omega0^2 - w^2 + 2 i gamma w|, largest near resonance") {
    const double gamma = 0.5;
    double best_rate = 0.0, best = 0.0;
    for (double w = 0.5; w < 6.0; w += 0.01) {
        const LinearOscillator motion({.natural_rate = 3.0, .damping = gamma, .drive = 2.0, .drive_rate = w});
        const double amplitude = motion.steady_amplitude();
        CHECK(amplitude == doctest::Approx(2.0 / std::hypot(9.0 - w * w, 2.0 * gamma * w)).epsilon(1e-14));
        if (amplitude > best) {
            best = amplitude;
            best_rate = w;
        }
        // 60 s on, the start is a factor e^-30 down; position and rate a quarter period apart give the amplitude.
        const auto late = motion.at(60.0);
        CHECK(std::hypot(late.position, late.rate / w) == doctest::Approx(amplitude).epsilon(1e-12));
    }
    CHECK(std::abs(best_rate - std::sqrt(9.0 - 2.0 * gamma * gamma)) < 0.011); // the step of the search
}

TEST_CASE("the driving force's work is what damping takes, once the motion is steady") {
    const OscillatorDesc desc{.natural_rate = 3.0, .damping = 0.5, .drive = 2.0, .drive_rate = 2.5};
    const LinearOscillator motion(desc);
    const double period = 2.0 * pi / desc.drive_rate;
    double work = 0.0, loss = 0.0;
    constexpr int kSamples = 64; // the trapezoid rule is exact for trigonometric polynomials
    for (int i = 0; i < kSamples; ++i) {
        const double t = 60.0 * period + period * i / kSamples;
        const double rate = motion.at(t).rate;
        work += desc.drive * std::cos(desc.drive_rate * t) * rate * period / kSamples;
        loss += 2.0 * desc.damping * rate * rate * period / kSamples;
    }
    CHECK(work > 0.1);
    CHECK(work == doctest::Approx(loss).epsilon(1e-12));
}

TEST_CASE("an oscillator without a rate, with negative damping or infinities is refused") {
    CHECK_THROWS_AS(LinearOscillator({.natural_rate = 0.0}), std::invalid_argument);
    CHECK_THROWS_AS(LinearOscillator({.damping = -0.1}), std::invalid_argument);
    CHECK_THROWS_AS(LinearOscillator({.start = std::numeric_limits<double>::infinity()}), std::invalid_argument);
}
