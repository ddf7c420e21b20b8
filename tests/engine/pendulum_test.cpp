// The pendulum on a hinge against its exact angle: what each method's error and energy change should be, row by row,
// what the adaptive method costs, and what a budget does.
#include <doctest/doctest.h>

#include <algorithm>

#include "../sanitized.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

struct Outcome {
    double max_error = 0.0;         ///< rad
    double max_energy_change = 0.0; ///< the one of largest size, signed
    double final_energy_change = 0.0;
    double max_joint_error = 0.0;
    std::int64_t evaluations = 0;
    int frames = 0;
    int degraded_frames = 0;
    int unstable_frames = 0;
    bool all_reached = true;
    double evaluations_per_frame() const { return static_cast<double>(evaluations) / frames; }
};

Outcome run(const IntegratorSettings& settings, int frames = 10000,
            JointCorrection correction = JointCorrection::PositionProjection) {
    Pendulum pendulum(settings, correction);
    const Energy start = pendulum.world.energy();
    const std::vector<double>& exact = pendulum_angles();
    Outcome outcome;
    outcome.frames = frames;
    for (int frame = 1; frame <= frames; ++frame) {
        const StepReport report = pendulum.world.advance(kFrame);
        outcome.evaluations += report.evaluations;
        outcome.degraded_frames += report.degraded;
        outcome.unstable_frames += report.unstable;
        outcome.all_reached &= report.status == StepStatus::ReachedTarget;
        outcome.max_error = std::max(outcome.max_error, angle_between(pendulum.angle(), exact[frame]));
        outcome.max_joint_error = std::max(outcome.max_joint_error, pendulum.world.joint_error(pendulum.joint));
        outcome.final_energy_change = pendulum.energy_change(start);
        if (std::abs(outcome.final_energy_change) > std::abs(outcome.max_energy_change)) {
            outcome.max_energy_change = outcome.final_energy_change;
        }
    }
    return outcome;
}

// The project's table was measured with another prototype: a factor of 2 either way.
void check_near(double measured, double table) {
    CHECK(measured >= 0.5 * table);
    CHECK(measured <= 2.0 * table);
}

} // namespace

TEST_CASE("fixed methods have the errors and energy changes of the joints table on the hinged pendulum" *
          doctest::skip(kSanitized)) {
    struct Row {
        const char* method;
        int substeps;
        double error;  ///< rad
        double energy; ///< relative, largest over the run; 0: the table gives none
    };
    constexpr Row kTable[] = {
        {"symplectic_euler", 1, 0.05, 0.026},
        {"symplectic_euler", 4, 3.2e-3, 0.0},
        {"symplectic_euler", 20, 1.3e-4, 0.0013},
        {"velocity_verlet", 1, 0.051, 7e-4},
        {"velocity_verlet", 4, 3.2e-3, 0.0},
        {"velocity_verlet", 20, 1.3e-4, 2e-6},
        {"heun2", 1, 0.052, 0.02},
        {"heun2", 20, 3.3e-4, 3e-6},
        {"rk4", 1, 6.0e-6, 2.6e-6},
        {"rk4", 4, 5.8e-8, 0.0},
        {"rk4", 20, 1.1e-10, 1.5e-12},
        {"explicit_euler", 20, 2.0, 3.5},
    };
    for (const Row& row : kTable) {
        CAPTURE(row.method);
        CAPTURE(row.substeps);
        const Outcome outcome = run(fixed(row.method, row.substeps));
        check_near(outcome.max_error, row.error);
        if (row.energy > 0.0) {
            check_near(std::abs(outcome.max_energy_change), row.energy);
        }
        CHECK(outcome.all_reached);
        CHECK(outcome.max_joint_error <= 1e-12);
    }
}

TEST_CASE("rk4 at 20 substeps follows the exact pendulum to 3e-10 rad for 10 000 frames" * doctest::skip(kSanitized)) {
    CHECK(run(fixed("rk4", 20)).max_error <= 3e-10);
}

TEST_CASE(
    "impulse_euler is the honest baseline: about 1.02 and 0.74 rad with projection, 1.14 and 7e-4 with Baumgarte" *
    doctest::skip(kSanitized)) {
    const Outcome projected = run(fixed("impulse_euler", 1));
    check_near(projected.max_error, 1.02);
    check_near(-projected.final_energy_change, 0.76);
    const Outcome projected20 = run(fixed("impulse_euler", 20));
    check_near(projected20.max_error, 0.74);
    check_near(-projected20.final_energy_change, 0.13);
    check_near(run(fixed("impulse_euler", 1), 10000, JointCorrection::Baumgarte).max_error, 1.14);
    check_near(run(fixed("impulse_euler", 20), 10000, JointCorrection::Baumgarte).max_error, 7e-4);
}

TEST_CASE("explicit_euler at 1 substep blows up on the pendulum, and the reports say unstable before it does") {
    Pendulum pendulum(fixed("explicit_euler", 1));
    const Energy start = pendulum.world.energy();
    int first_unstable = -1;
    int first_above_doubled = -1;
    for (int frame = 0; frame < 2000; ++frame) {
        const StepReport report = pendulum.world.advance(kFrame);
        if (report.unstable && first_unstable < 0) {
            first_unstable = frame;
        }
        if (std::abs(pendulum.energy_change(start)) > 1.0 && first_above_doubled < 0) {
            first_above_doubled = frame;
        }
    }
    CHECK(first_above_doubled > 0);
    CHECK(first_unstable >= 0);
    CHECK(first_unstable < first_above_doubled);
}

TEST_CASE("cash_karp54 under Exact costs six evaluations a frame and stays within 4e-7 rad at any loose tolerance") {
    for (const double tolerance : {1e-3, 1e-6, 1e-8}) {
        CAPTURE(tolerance);
        const Outcome outcome = run(adaptive(tolerance, Boundary::Exact));
        CHECK(outcome.max_error <= 4e-7);
        CHECK(outcome.evaluations_per_frame() == doctest::Approx(6.0).epsilon(0.01)); // one substep is always enough
        CHECK(outcome.max_joint_error <= 1e-12);
    }
}

TEST_CASE(
    "cash_karp54 under RunAhead obeys its tolerance: under 3 evaluations a frame at 1e-6, 100 times better at 1e-11") {
    const Outcome loose = run(adaptive(1e-6, Boundary::RunAhead));
    const Outcome tight = run(adaptive(1e-11, Boundary::RunAhead));
    CHECK(loose.evaluations_per_frame() < 3.0);
    CHECK(tight.max_error < loose.max_error / 100.0);
    CHECK(loose.max_joint_error <= 1e-12); // states handed out are projected
    CHECK(tight.max_joint_error <= 1e-12);
}

TEST_CASE("the error under RunAhead is proportional to the tolerance, with local extrapolation") {
    // Slope 1 expected; the dead band keeps h in factors of 1.2, and two decades leave some room.
    const double at_1e7 = run(adaptive(1e-7, Boundary::RunAhead), 3000).max_error;
    const double at_1e9 = run(adaptive(1e-9, Boundary::RunAhead), 3000).max_error;
    const double slope = std::log10(at_1e7 / at_1e9) / 2.0;
    CHECK(slope > 0.8);
    CHECK(slope < 1.3);
}

TEST_CASE("a budget of 12 evaluations is never exceeded, and frames that it degrades are counted") {
    IntegratorSettings settings = adaptive(1e-13, Boundary::Exact);
    settings.budget = 12;
    Pendulum pendulum(settings);
    int degraded = 0;
    std::int64_t evaluations = 0;
    for (int frame = 0; frame < 600; ++frame) {
        const StepReport report = pendulum.world.advance(kFrame);
        CHECK(report.evaluations <= 12);
        evaluations += report.evaluations;
        degraded += report.degraded;
    }
    CHECK(evaluations <= 7200);
    CHECK(degraded > 0);
}
