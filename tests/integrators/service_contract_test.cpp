// What the service promises for every method: direction of time, exceptions, budgets, frame patterns, memory.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "substep/integrators/integrator_service.h"
#include "test_systems.h"

using namespace substep;
using substep_test::EventSystem;
using substep_test::Pendulum;

namespace {

constexpr double kFrame = 1.0 / 60.0;

IntegratorSettings settings_of(std::string_view method, double tolerance, Boundary boundary) {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = tolerance;
    settings.rtol = tolerance;
    settings.boundary = boundary;
    return settings;
}

using State = std::array<double, 2>;

double distance(const State& a, const State& b) { return std::fmax(std::fabs(a[0] - b[0]), std::fabs(a[1] - b[1])); }

/// The pendulum from (0, -2) at time t, to about 1e-13.
State pendulum_at(double t) {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, settings_of("dormand_prince853", 1e-14, Boundary::Exact));
    State y{0.0, -2.0};
    REQUIRE(service.advance(pendulum, 0.0, t, y).status == StepStatus::ReachedTarget);
    return y;
}

} // namespace

TEST_CASE("there and back again in time ends where it began, for every method that can") {
    for (const auto* method : method_catalogue()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            const MethodInfo& info = method->info();
            CAPTURE(info.name);
            Pendulum pendulum;
            IntegratorService service;
            IntegratorSettings settings = settings_of(info.name, 1e-9, boundary);
            settings.substeps = 200;
            service.configure(pendulum, settings);
            State y{0.0, -2.0};
            if (info.needs == MethodNeeds::VelocityStep || info.needs == MethodNeeds::LinearlyImplicitStep) {
                const StepReport report = service.advance(pendulum, 1.0, 0.5, y);
                CHECK(report.status == StepStatus::InvalidInput);
                CHECK(report.message == "Velocity steps and linearly implicit steps do not run backwards in time.");
                CHECK(y == State{0.0, -2.0});
                continue;
            }
            for (int i = 0; i < 10; ++i) {
                REQUIRE(service.advance(pendulum, 0.1 * i, 0.1 * (i + 1), y).status == StepStatus::ReachedTarget);
            }
            CHECK(distance(y, {0.0, -2.0}) > 0.1);
            for (int i = 10; i > 0; --i) {
                const StepReport report = service.advance(pendulum, 0.1 * i, 0.1 * (i - 1), y);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                CHECK(report.simulated == doctest::Approx(-0.1));
                CHECK((report.accepted == 0 || report.h_smallest > 0.0));
            }
            // First order at h = 0.5 ms over two seconds, or a hundred substeps at the tolerance.
            CHECK(distance(y, {0.0, -2.0}) < (info.order == 1 ? 2e-2 : info.order == 2 ? 1e-5 : 1e-6));
        }
    }
}

TEST_CASE("backwards, a segment that ran ahead can be sampled and events are met in their own order") {
    EventSystem<2, 1> system;
    system.f = [](double, const auto& y) { return std::array{y[1], -9.81}; };
    system.g = [](double, const auto& y) { return std::array{y[0]}; };
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-9, Boundary::RunAhead));
    // Found in the air at t = 1 s, thrown at 13 m/s from the ground: backwards it meets the ground at t = 0.
    State y{13.0 - 0.5 * 9.81, 13.0 - 9.81};
    double t = 1.0;
    StepReport report;
    for (int i = 1; report.status == StepStatus::ReachedTarget && i < 100; ++i) {
        report = service.advance(system, t, 1.0 - i * kFrame, y);
        t += report.simulated;
        State sampled{};
        if (report.status == StepStatus::ReachedTarget && service.sample(system, t, sampled)) {
            CHECK(distance(sampled, y) < 1e-12);
        }
    }
    CHECK(report.status == StepStatus::EventLocated);
    CHECK(std::fabs(t) < 1e-13);
    CHECK(y[1] == doctest::Approx(13.0).epsilon(1e-12));
}

TEST_CASE("a derivative that throws stops at the last good state, with the message") {
    for (const auto* method : method_catalogue()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            if (method->info().needs != MethodNeeds::Derivative) {
                continue;
            }
            EventSystem<1, 1> system;
            bool broken = false;
            system.f = [&](double t, const auto& y) {
                if (broken && t > 0.5) {
                    throw std::runtime_error("no data after 0.5 s");
                }
                return std::array{-y[0]};
            };
            system.g = [](double, const auto&) { return std::array{1.0}; };
            IntegratorService service;
            IntegratorSettings settings = settings_of(method->info().name, 1e-6, boundary);
            settings.substeps = 100;
            service.configure(system, settings);
            std::array<double, 1> y{1.0};
            broken = true;
            StepReport report;
            double t = 0.0;
            for (int i = 1; report.status == StepStatus::ReachedTarget && i < 10; ++i) {
                report = service.advance(system, t, 0.2 * i, y);
                t += report.simulated;
            }
            CAPTURE(method->info().name);
            CHECK(report.status == StepStatus::ModelThrew);
            CHECK(report.message == "The model threw: no data after 0.5 s");
            CHECK(t <= 0.5);
            const double tolerance = method->info().order == 1 ? 1e-2 : 1e-4;
            CHECK(y[0] == doctest::Approx(std::exp(-t)).epsilon(tolerance));
            // Mended, it goes on.
            broken = false;
            report = service.advance(system, t, 1.0, y);
            CHECK(report.status == StepStatus::ReachedTarget);
            CHECK(report.message.empty());
            CHECK(y[0] == doctest::Approx(std::exp(-1.0)).epsilon(tolerance));
        }
    }
}

TEST_CASE("no random settings make the budget be passed, a failure look like success, or degradation go unsaid") {
    // Problems: a pendulum, a fast oscillation, one that becomes undefined, and one that blows up in finite time.
    const auto problem = [](int kind, double t, const State& y) -> State {
        switch (kind) {
        case 0:
            return {y[1], -9.8 * sine(y[0])};
        case 1:
            return {y[1], -1e4 * y[0]};
        case 2:
            return {y[1], -std::sqrt(1.0 - t)};
        default:
            return {y[0] * y[0], 1.0};
        }
    };
    std::mt19937_64 random(20);
    const auto uniform = [&](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
    std::int64_t degraded = 0;
    std::int64_t exhausted = 0;
    std::int64_t failed = 0;
    std::int64_t full = 0;
    for (int tuple = 0; tuple < 200'000; ++tuple) {
        const auto catalogue = method_catalogue();
        const MethodInfo& info = catalogue[random() % catalogue.size()]->info();
        const int kind = info.needs == MethodNeeds::Derivative ? static_cast<int>(random() % 4) : 0;
        Pendulum pendulum;
        auto plain = substep_test::plain_system<2>([&](double t, const auto& y) { return problem(kind, t, y); });
        OdeSystem& system = kind == 0 ? static_cast<OdeSystem&>(pendulum) : plain;
        IntegratorSettings settings = settings_of(info.name, std::pow(10.0, uniform(-13.0, -1.0)),
                                                  random() % 2 == 0 ? Boundary::Exact : Boundary::RunAhead);
        settings.budget = 1 + static_cast<int>(random() % 80);
        settings.substeps = 1 + static_cast<int>(random() % 8);
        settings.h_min = random() % 4 == 0 ? std::pow(10.0, uniform(-6.0, -1.0)) : 0.0;
        settings.controller.kind = static_cast<ControllerKind>(random() % 3);
        IntegratorService service;
        service.configure(system, settings);
        State y{kind == 3 ? 1.0 : uniform(-2.0, 2.0), uniform(-2.0, 2.0)};
        double t = 0.0;
        for (int frame = 0; frame < 3; ++frame) {
            const double dt = std::pow(10.0, uniform(-4.0, 0.0));
            const StepReport report = service.advance(system, t, t + dt, y);
            CAPTURE(info.name);
            CAPTURE(settings.budget);
            CAPTURE(settings.atol);
            CAPTURE(kind);
            CAPTURE(dt);
            REQUIRE(report.evaluations <= settings.budget);
            REQUIRE((std::isfinite(y[0]) && std::isfinite(y[1])));
            REQUIRE(report.simulated <= report.requested);
            if (report.status == StepStatus::ReachedTarget) {
                REQUIRE(report.simulated == (t + dt) - t);
                // Degraded is said exactly where an error above the tolerance was accepted, or substeps were saved.
                if (info.adaptive) {
                    REQUIRE(report.degraded == (report.achieved_tolerance > settings.rtol));
                } else if (report.accepted < settings.substeps) {
                    REQUIRE(report.degraded);
                }
            }
            degraded += report.degraded;
            exhausted += report.status == StepStatus::BudgetExhausted;
            failed += report.status == StepStatus::NonFinite || report.status == StepStatus::StepTooSmall;
            full += report.status == StepStatus::ReachedTarget && !report.degraded;
            if (report.status != StepStatus::ReachedTarget) {
                break;
            }
            t += dt;
        }
    }
    // All four fates occur often, or the test would prove little.
    CHECK(degraded > 20'000);
    CHECK(exhausted > 5'000);
    CHECK(failed > 300); // what is not finite is repeated shorter, until the budget ends
    CHECK(full > 20'000);
}

TEST_CASE("results do not depend on how frames cut the time, for every adaptive method") {
    constexpr double kEnd = 6.0;
    constexpr double kTolerance = 1e-7;
    const State exact = pendulum_at(kEnd);
    for (const auto* method : method_catalogue()) {
        if (!method->info().adaptive || method->info().needs != MethodNeeds::Derivative) {
            continue;
        }
        CAPTURE(method->info().name);
        const auto run = [&](auto next_dt) {
            Pendulum pendulum;
            IntegratorService service;
            IntegratorSettings settings = settings_of(method->info().name, kTolerance, Boundary::RunAhead);
            settings.h_initial = 0.01;
            service.configure(pendulum, settings);
            State y{0.0, -2.0};
            double t = 0.0;
            while (t < kEnd) {
                const double t1 = std::fmin(kEnd, t + next_dt());
                REQUIRE(service.advance(pendulum, t, t1, y).status == StepStatus::ReachedTarget);
                t = t1;
            }
            return y;
        };
        std::mt19937_64 random(7);
        const auto irregular = [&] { return std::uniform_real_distribution(0.001, 0.1)(random); };
        const State once = run([] { return 6.0; });
        // Measured against truth: a method's own error at the tolerance, some tens of substeps of it.
        const double error = std::fmax(distance(once, exact), kTolerance);
        for (const double fps : {30.0, 60.0, 144.0, 1000.0}) {
            CHECK(distance(run([&] { return 1.0 / fps; }), once) < 3.0 * error);
        }
        CHECK(distance(run(irregular), once) < 3.0 * error);
        CHECK(run([] { return kFrame; }) == run([] { return kFrame; }));
    }
}

TEST_CASE("memory saved at any frame continues bit for bit, for every method, controller and boundary") {
    for (const auto* method : method_catalogue()) {
        for (const ControllerKind kind : {ControllerKind::I, ControllerKind::PI, ControllerKind::H211b}) {
            for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
                CAPTURE(method->info().name);
                Pendulum pendulum;
                IntegratorService service;
                IntegratorSettings settings = settings_of(method->info().name, 1e-7, boundary);
                settings.substeps = 3;
                settings.controller.kind = kind;
                service.configure(pendulum, settings);
                IntegratorService copy;
                copy.configure(pendulum, settings);
                State y{0.0, -2.0};
                State z{};
                for (int i = 0; i < 60; ++i) {
                    const StepReport report = service.advance(pendulum, i * kFrame, (i + 1) * kFrame, y);
                    if (i % 7 == 3) {
                        std::vector<std::byte> bytes;
                        service.save(bytes);
                        std::span<const std::byte> rest(bytes);
                        REQUIRE(copy.restore(pendulum, rest));
                        REQUIRE(rest.empty());
                        z = y;
                    } else if (i > 3) {
                        const StepReport again = copy.advance(pendulum, i * kFrame, (i + 1) * kFrame, z);
                        REQUIRE(y == z);
                        REQUIRE(report.evaluations == again.evaluations);
                    }
                }
            }
        }
    }
}

// A last stage that is the next substep's first was evaluated at t + h, and what is remembered begins at a compensated
// sum, which may be another number.
TEST_CASE("memory saved at any frame continues bit for bit where forces follow time") {
    auto driven = substep_test::plain_system<2>([](double t, const State& y) {
        return State{y[1], -9.8 * y[0] + substep::sine(82.0 * t)};
    });
    int compared = 0;
    for (const auto* method : method_catalogue()) {
        if (method->info().needs != MethodNeeds::Derivative || !method->info().adaptive) {
            continue;
        }
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method->info().name);
            const IntegratorSettings settings = settings_of(method->info().name, 1e-3, boundary);
            IntegratorService service, copy;
            service.configure(driven, settings);
            copy.configure(driven, settings);
            State y{0.0, -2.0};
            for (int i = 0; i < 300; ++i) {
                std::vector<std::byte> bytes;
                service.save(bytes);
                std::span<const std::byte> rest(bytes);
                REQUIRE(copy.restore(driven, rest));
                REQUIRE(rest.empty());
                State z = y;
                const double t = 1.0 / 3.0 + i * kFrame;
                const StepReport report = service.advance(driven, t, t + kFrame, y);
                const StepReport again = copy.advance(driven, t, t + kFrame, z);
                REQUIRE(y == z);
                REQUIRE(report.evaluations == again.evaluations);
                std::vector<std::byte> of_copy;
                bytes.clear();
                service.save(bytes);
                copy.save(of_copy);
                REQUIRE(bytes == of_copy);
                ++compared;
            }
        }
    }
    CHECK(compared > 3000);
}

TEST_CASE("the first substep is neither rejected nor timid") {
    // Hairer's choice: the first attempt is accepted, and the controller then changes h by less than its growth limit.
    for (const auto* method : method_catalogue()) {
        if (!method->info().adaptive || method->info().needs != MethodNeeds::Derivative) {
            continue;
        }
        for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
            CAPTURE(method->info().name);
            CAPTURE(tolerance);
            Pendulum pendulum;
            IntegratorService service;
            service.configure(pendulum, settings_of(method->info().name, tolerance, Boundary::Exact));
            State y{0.0, -2.0};
            const StepReport report = service.advance(pendulum, 0.0, 10.0, y);
            const auto first = service.attempts();
            REQUIRE(report.status == StepStatus::ReachedTarget);
            if (report.accepted + report.rejected <= 64) {
                CHECK(first[0].accepted);
                CHECK(first[0].h > 0.02 * 10.0 / static_cast<double>(report.accepted));
            }
            CHECK(report.evaluations == pendulum.calls);
        }
    }
}

TEST_CASE("the first substep heeds how fast the derivative changes, not only how large it is") {
    // A derivative of 1 that turns to and fro at 50 rad/s about it: its size alone would suggest twice the length.
    for (const auto* method : method_catalogue()) {
        if (!method->info().adaptive || method->info().needs != MethodNeeds::Derivative) {
            continue;
        }
        CAPTURE(method->info().name);
        auto system =
            substep_test::plain_system<1>([](double t, const auto&) { return std::array{1.0 + std::sin(50.0 * t)}; });
        IntegratorService service;
        service.configure(system, settings_of(method->info().name, 1e-7, Boundary::Exact));
        std::array<double, 1> y{1.0};
        const StepReport report = service.advance(system, 0.0, 0.1, y);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        const double steepest = 50.0 / (2.0 * 1e-7); // of the derivative, in units of the tolerance
        if (report.accepted + report.rejected <= 64) {
            CHECK(service.attempts()[0].h < 1.5 * std::pow(0.01 / steepest, 1.0 / (method->info().error_order + 1)));
        }
    }
}

TEST_CASE("every controller keeps the error below the tolerance and settles") {
    for (const ControllerKind kind : {ControllerKind::I, ControllerKind::PI, ControllerKind::H211b}) {
        for (const char* method : {"cash_karp54", "dormand_prince54", "dormand_prince853"}) {
            CAPTURE(to_string(kind));
            CAPTURE(method);
            Pendulum pendulum;
            IntegratorService service;
            IntegratorSettings settings = settings_of(method, 1e-8, Boundary::Exact);
            settings.controller.kind = kind;
            service.configure(pendulum, settings);
            State y{0.0, -2.0};
            const StepReport report = service.advance(pendulum, 0.0, 100.0, y);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK(report.achieved_tolerance <= 1e-8);
            // At eighth order the estimate changes a hundredfold within a swing: the laws that look at one error alone
            // are then rejected every fourth time, the filter that looks back at h is not.
            const double most = kind == ControllerKind::H211b ? 0.1 : 0.3;
            CHECK(static_cast<double>(report.rejected) < most * static_cast<double>(report.accepted));
            CHECK(distance(y, pendulum_at(100.0)) < 1e-4);
        }
    }
}

TEST_CASE("the component that limits the substep is the one with the largest error") {
    auto system = substep_test::plain_system<3>([](double t, const auto&) {
        return std::array{1.0, std::cos(30.0 * t), 2.0 * t};
    });
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-8, Boundary::Exact));
    std::array<double, 3> y{};
    CHECK(service.limiting_component(system) == 3); // nothing was advanced yet
    service.advance(system, 0.0, 1.0, y);
    CHECK(service.limiting_component(system) == 1);
}
