// Budgets over every kind of method: never exceeded, the same bits from restored memory, and the better the larger.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "substep/integrators/integrator_service.h"
#include "test_systems.h"

using namespace substep;
using substep_test::EventSystem;
using substep_test::Pendulum;

namespace {

using State = std::array<double, 2>;
using Rate = State (*)(double, const State&);

// Each for two numbers: predator and prey, a reaction that oscillates, one that stiffens, a decay of 1e6 per second.
constexpr std::array<Rate, 4> kRates{[](double, const State& y) -> State {
                                         return {y[0] * (1.5 - y[1]), y[1] * (y[0] - 3.0)};
                                     },
                                     [](double, const State& y) -> State {
                                         return {1.0 + y[0] * (y[0] * y[1] - 4.0), y[0] * (3.0 - y[0] * y[1])};
                                     },
                                     [](double, const State& y) -> State {
                                         return {y[1], 20.0 * (1.0 - y[0] * y[0]) * y[1] - y[0]};
                                     },
                                     [](double t, const State& y) -> State {
                                         return {-1e6 * (y[0] - std::cos(t)), y[0] - y[1]};
                                     }};

} // namespace

TEST_CASE("restored in the midst of frames that a budget degrades, every method goes on with the same bits") {
    std::mt19937_64 random(7);
    const auto catalogue = method_catalogue();
    int degraded = 0;
    int exhausted = 0;
    for (int draw = 0; draw < 4000; ++draw) {
        const MethodInfo& info = catalogue[random() % catalogue.size()]->info();
        const std::size_t kind = info.needs == MethodNeeds::Derivative ? random() % 6 : 5;
        Pendulum pendulum;
        auto plain = substep_test::plain_system<2>([&](double t, const State& y) { return kRates[kind](t, y); });
        EventSystem<2, 1> bouncing;
        bouncing.f = [](double, const auto& y) { return State{y[1], -9.8}; };
        bouncing.g = [](double, const auto& y) { return std::array{y[0]}; };
        bouncing.traits[0].direction = EventDirection::Falling;
        bouncing.at_event = [](double, std::span<const std::size_t>, State& at) {
            at[1] *= -0.9;
            return EventAction::Restart;
        };
        OdeSystem& system = kind == 5   ? static_cast<OdeSystem&>(pendulum)
                            : kind == 4 ? static_cast<OdeSystem&>(bouncing)
                                        : plain;
        IntegratorSettings settings;
        settings.method = info.name;
        settings.atol = settings.rtol = std::pow(10.0, -1.0 - static_cast<double>(random() % 10));
        settings.boundary = random() % 2 == 0 ? Boundary::Exact : Boundary::RunAhead;
        settings.budget = 1 + static_cast<int>(random() % 120);
        settings.substeps = 1 + static_cast<int>(random() % 20);
        IntegratorService service, copy;
        service.configure(system, settings);
        State y{1.0, 0.5};
        State z = y;
        const double frame = std::pow(10.0, -3.0 + 0.5 * static_cast<double>(random() % 7));
        const int saved_at = 1 + static_cast<int>(random() % 30);
        double t = 0.0;
        for (int i = 0; i < 40; ++i) {
            CAPTURE(info.name);
            CAPTURE(kind);
            CAPTURE(settings.budget);
            CAPTURE(settings.atol);
            CAPTURE(frame);
            CAPTURE(i);
            if (i == saved_at) {
                std::vector<std::byte> bytes;
                service.save(bytes);
                std::span<const std::byte> rest(bytes);
                copy.configure(system, settings);
                REQUIRE(copy.restore(system, rest));
                z = y;
            }
            const StepReport report = service.advance(system, t, t + frame, y);
            REQUIRE(report.evaluations <= settings.budget);
            REQUIRE((std::isfinite(y[0]) && std::isfinite(y[1])));
            if (i >= saved_at) {
                const StepReport again = copy.advance(system, t, t + frame, z);
                REQUIRE(z == y);
                REQUIRE(again.evaluations == report.evaluations);
                REQUIRE(again.status == report.status);
                REQUIRE(again.simulated == report.simulated);
                REQUIRE(again.achieved_tolerance == report.achieved_tolerance);
            }
            degraded += report.degraded ? 1 : 0;
            exhausted += report.status == StepStatus::BudgetExhausted ? 1 : 0;
            if (!(report.simulated > 0.0) || !succeeded(report.status)) {
                if (report.status != StepStatus::BudgetExhausted || !(report.simulated > 0.0)) {
                    break;
                }
            }
            t += report.simulated;
        }
    }
    CHECK(degraded > 2000);
    CHECK(exhausted > 500);
}

TEST_CASE("fixed methods make of a budget as many equal substeps as it pays for, and are the better the larger it is") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.adaptive) {
            continue;
        }
        CAPTURE(info.name);
        Pendulum pendulum;
        const auto run = [&](int budget) {
            IntegratorSettings settings;
            settings.method = info.name;
            settings.substeps = 64;
            settings.budget = budget;
            IntegratorService service;
            service.configure(pendulum, settings);
            State y{0.5, 0.0};
            const StepReport report = service.advance(pendulum, 0.0, 1.0, y);
            if (budget > 0) {
                CHECK(report.evaluations <= budget);
            }
            return std::pair(y, report);
        };
        const auto [whole, free] = run(0);
        CHECK(run(static_cast<int>(free.evaluations)).first == whole);
        CHECK_FALSE(run(static_cast<int>(free.evaluations)).second.degraded);
        double before = 1e300;
        for (const double part : {0.2, 0.5, 0.9}) {
            CAPTURE(part);
            const auto [y, report] = run(static_cast<int>(part * static_cast<double>(free.evaluations)));
            CHECK(report.status == StepStatus::ReachedTarget);
            CHECK(report.degraded);
            const double error = std::hypot(y[0] - whole[0], y[1] - whole[1]);
            CHECK(error < before);
            before = error;
        }
    }
}

TEST_CASE("what a budget left too long does not carry the state to where the model has no future") {
    // Robertson's reactions: an amount that a stretched substep makes negative grows beyond all bounds in finite time.
    auto reactions = substep_test::plain_system<3>([](double, const std::array<double, 3>& y) -> std::array<double, 3> {
        const double a = -0.04 * y[0] + 1e4 * y[1] * y[2];
        const double c = 3e7 * y[1] * y[1];
        return {a, -a - c, c};
    });
    IntegratorSettings settings;
    settings.atol = settings.rtol = 1e-6;
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive || info.needs != MethodNeeds::Derivative || info.name == "rk4_doubling") {
            continue; // rk4_doubling leaves the positive amounts at this tolerance whatever the budget
        }
        settings.method = info.name;
        const auto run = [&](int budget, std::array<double, 3>& y) {
            settings.budget = budget;
            IntegratorService service;
            service.configure(reactions, settings);
            StepReport report = service.advance(reactions, 0.0, 40.0, y);
            report.message = {};
            return report;
        };
        std::array<double, 3> y{1.0, 0.0, 0.0};
        const auto needed = static_cast<double>(run(0, y).evaluations);
        for (const double part : {0.5, 0.7, 0.8, 0.85, 0.95}) {
            CAPTURE(info.name);
            CAPTURE(part);
            y = {1.0, 0.0, 0.0};
            const StepReport report = run(static_cast<int>(part * needed), y);
            CHECK((report.status == StepStatus::BudgetExhausted || report.status == StepStatus::ReachedTarget));
            CHECK(report.degraded);
            for (const double amount : y) {
                CHECK(std::fabs(amount) < 1.1);
            }
        }
    }
}

TEST_CASE("five quarters of what it needs change no bit of any adaptive method that steps in kicks or velocities") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive || info.needs == MethodNeeds::Derivative) {
            continue;
        }
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            for (const double frame : {0.003, 0.1, 2.0}) {
                CAPTURE(info.name);
                CAPTURE(frame);
                std::int64_t costliest = 0;
                const auto run = [&](int budget) {
                    Pendulum pendulum;
                    IntegratorSettings settings;
                    settings.method = info.name;
                    settings.atol = settings.rtol = 1e-4;
                    settings.boundary = boundary;
                    settings.budget = budget;
                    IntegratorService service;
                    service.configure(pendulum, settings);
                    std::vector<State> path;
                    State y{0.0, -2.0};
                    for (int i = 0; i < 30; ++i) {
                        const StepReport report = service.advance(pendulum, i * frame, (i + 1) * frame, y);
                        CHECK((budget == 0 || report.evaluations <= budget));
                        costliest = std::max(costliest, report.evaluations);
                        path.push_back(y);
                    }
                    return path;
                };
                const std::vector<State> free = run(0);
                const int budget = static_cast<int>((5 * costliest + 3) / 4);
                CHECK(run(budget) == free);
                CHECK(run(3 * budget) == free);
            }
        }
    }
}

TEST_CASE("substeps that are a little too long to be stable do not add up, however good each of them looks") {
    auto decay = substep_test::plain_system<2>([](double t, const State& y) { return kRates[3](t, y); });
    IntegratorSettings settings;
    settings.method = "rk4_doubling";
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        settings.atol = settings.rtol = tolerance;
        for (const int budget : {20'000, 30'000, 40'000, 41'000, 45'000}) { // about 51 000 are needed
            CAPTURE(tolerance);
            CAPTURE(budget);
            settings.budget = budget;
            IntegratorService service;
            service.configure(decay, settings);
            State y{2.0, 1.0};
            const StepReport report = service.advance(decay, 0.0, 0.02, y);
            CHECK(report.evaluations <= budget);
            CHECK(report.degraded);
            CHECK(std::fabs(y[0]) < 2.0);
            CHECK(std::fabs(y[1] - 1.0) < 1e-2);
        }
    }
}
