// Velocity steps that take over, and when they give back.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>

#include "islands/velocity_takeover.h"

using namespace substep;
using namespace substep::detail;

namespace {

// x' = v: all that a step needs to be one.
class Coasting final : public OdeSystem, private VelocityStep, private KickDriftSplit {
public:
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = y[1];
        dydt[1] = 0.0;
    }
    VelocityStep* velocity_step() noexcept override { return this; }
    KickDriftSplit* kick_drift_split() noexcept override { return this; }

private:
    void find_contacts(double, double, std::span<const double>) override {}
    VelocityStepResult velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                     std::span<RememberedForce>) override {
        y[0] += request.h * y[1];
        return {};
    }
    void force(double, std::span<const double>, std::span<double> dydt) override { dydt[0] = dydt[1] = 0.0; }
    bool drift(double, double h, std::span<double> y) override {
        y[0] += h * y[1];
        return true;
    }
    void project_momenta(double, std::span<double>) override {}
};

// The first step after a take-over from `method`, of at most `budget` evaluations.
StepReport step_after(const std::string& method, int substeps, int budget, bool* to_tolerance = nullptr) {
    Coasting system;
    IntegratorService own;
    IntegratorSettings settings;
    settings.method = method;
    settings.substeps = substeps;
    own.configure(system, settings);
    VelocityTakeover takeover;
    REQUIRE(takeover.prepare());
    CHECK_FALSE(takeover.prepare()); // once
    takeover.configure(system, own, 10.0, {.budget = budget});
    std::array<double, 2> y{0.0, 1.0};
    const StepReport report = takeover.advance(system, 0.0, 0.5, y);
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(y[0] == doctest::Approx(0.5).epsilon(1e-15)); // a sum of up to seven parts
    if (to_tolerance != nullptr) {
        *to_tolerance = takeover.paid_for_tolerance();
    }
    return report;
}

} // namespace

TEST_CASE("methods that take derivatives are followed by at least four velocity steps, others keep their own way") {
    CHECK(step_after("rk4", 1, 0).accepted == 4);
    CHECK(step_after("rk4", 7, 0).accepted == 7);
    CHECK(step_after("rk4", 7, 0).method == "impulse_euler");
    CHECK(step_after("cash_karp54", 7, 0).accepted == 4);
    CHECK(step_after("symplectic_euler_doubling", 1, 0).method == "impulse_euler_doubling");
    // A pair and its whole step take three evaluations.
    for (const int budget : {VelocityTakeover::budget_that(false), 2, 3, VelocityTakeover::budget_that(true)}) {
        bool to_tolerance = false;
        const StepReport report = step_after("symplectic_euler_doubling", 1, budget, &to_tolerance);
        CHECK(to_tolerance == (budget == 0 || budget > 2));
        CHECK(report.method == (to_tolerance ? "impulse_euler_doubling" : "impulse_euler"));
    }
}

TEST_CASE("a report's sentence names the cause, and which constraints modes could not hold") {
    using enum Overwhelming;
    CHECK(sentence_of(TakeoverCause::BeyondModes, Contacts).starts_with("Contacts beyond"));
    CHECK(sentence_of(TakeoverCause::BeyondModes, JointStops).starts_with("Limits or dry friction of joints beyond"));
    CHECK(sentence_of(TakeoverCause::BudgetSpent, Both).starts_with("The budget was spent among contacts, and limits"));
    CHECK(sentence_of(TakeoverCause::Painleve, Both) == sentence_of(TakeoverCause::Painleve, Contacts));
}
