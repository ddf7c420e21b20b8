// The service's contract: boundaries, budgets, statuses, memory.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "../sanitized.h"
#include "substep/integrators/pile_methods.h"
#include "test_systems.h"

using namespace substep;
using namespace substep_test;

namespace {

using State = std::array<double, 2>;
using Bits = std::array<std::uint64_t, 2>;

constexpr double kFrame = 1.0 / 60.0;

IntegratorSettings adaptive(double tolerance, Boundary boundary, int budget = 0) {
    IntegratorSettings settings;
    settings.method = "cash_karp54";
    settings.atol = tolerance;
    settings.rtol = tolerance;
    settings.boundary = boundary;
    settings.budget = budget;
    return settings;
}

/// Frames [first, last) of 1/60 s; returns all reports merged.
StepReport run_frames(IntegratorService& service, OdeSystem& system, State& y, int first, int last) {
    StepReport total;
    for (int i = first; i < last; ++i) {
        total.merge(service.advance(system, i * kFrame, (i + 1) * kFrame, y));
    }
    return total;
}

/// The pendulum from (0, -2) at time t, to about 1e-12.
State pendulum_at(double t) {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-14, Boundary::Exact));
    State y{0.0, -2.0};
    REQUIRE(service.advance(pendulum, 0.0, t, y).status == StepStatus::ReachedTarget);
    return y;
}

double distance(const State& a, const State& b) { return std::fmax(std::fabs(a[0] - b[0]), std::fabs(a[1] - b[1])); }

} // namespace

TEST_CASE("under Exact the interval is split evenly and the natural step is remembered") {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-12, Boundary::Exact));
    State y{0.0, -2.0};
    run_frames(service, pendulum, y, 0, 20);
    const StepReport report = service.advance(pendulum, 20 * kFrame, 21 * kFrame, y);
    // No sliver: the shortest substep is the longest but for the controller's own changes.
    CHECK(report.accepted >= 2);
    CHECK(report.h_smallest > 0.7 * report.h_largest);
    // A tiny interval makes a tiny substep and leaves the memory alone.
    const double remembered = service.remembered_step();
    service.advance(pendulum, 21 * kFrame, 21 * kFrame + 1e-6, y);
    CHECK(service.remembered_step() >= remembered);
}

TEST_CASE("under RunAhead the local error follows the tolerance; clipped at every frame it does not") {
    const State exact = pendulum_at(600 * kFrame);
    const auto error = [&](double tolerance, Boundary boundary) {
        Pendulum pendulum;
        IntegratorService service;
        IntegratorSettings settings = adaptive(tolerance, boundary);
        settings.h_initial = kFrame; // chosen by the service, the first substep would depend on the tolerance
        service.configure(pendulum, settings);
        State y{0.0, -2.0};
        run_frames(service, pendulum, y, 0, 600);
        return distance(y, exact);
    };
    // Five decades of tolerance: slope 1 with local extrapolation, 0.1 a decade for the dead band.
    const double slope = std::log10(error(1e-5, Boundary::RunAhead) / error(1e-10, Boundary::RunAhead)) / 5.0;
    CHECK(slope == doctest::Approx(1.0).epsilon(0.15));
    CHECK(error(1e-5, Boundary::Exact) == error(1e-8, Boundary::Exact));
}

TEST_CASE("RunAhead costs a fraction of Exact at a loose tolerance") {
    const auto evaluations = [](Boundary boundary) {
        Pendulum pendulum;
        IntegratorService service;
        service.configure(pendulum, adaptive(1e-6, boundary));
        State y{0.0, -2.0};
        const StepReport report = run_frames(service, pendulum, y, 0, 600);
        CHECK(report.evaluations == pendulum.calls);
        return static_cast<double>(report.evaluations) / 600.0;
    };
    CHECK(evaluations(Boundary::Exact) == doctest::Approx(6.0).epsilon(0.02));
    CHECK(evaluations(Boundary::RunAhead) < 3.0);
}

TEST_CASE(
    "a substep that runs ahead is at most 32 calls long, or whole calls within the time that the model names, and no "
    "longer than it can be read") {
    class Falling final : public OdeSystem, public ErrorMeasure {
    public:
        Falling(double named, double readable) : named_(named), readable_(readable) {}
        std::size_t size() const noexcept override { return 2; }
        void derivative(double, std::span<const double> y, std::span<double> dydt) noexcept override {
            dydt[0] = y[1];
            dydt[1] = -9.8;
        }
        ErrorMeasure* error_measure() noexcept override { return this; }
        double measure(std::span<const double>, std::span<const double> error, double atol, double) noexcept override {
            return std::fmax(std::fabs(error[0]), std::fabs(error[1])) / atol;
        }
        double longest_segment() const override { return named_; }
        double longest_readable_by_stages(std::span<const double>) override { return readable_; }

    private:
        double named_;
        double readable_;
    };
    constexpr double kAny = std::numeric_limits<double>::infinity();
    const auto longest_at = [](double named, double dt, double readable = std::numeric_limits<double>::infinity()) {
        Falling system(named, readable);
        IntegratorService service;
        service.configure(system, adaptive(1e-8, Boundary::RunAhead));
        State y{0.0, 0.0};
        double longest = 0.0;
        for (int i = 0; i < 2000; ++i) {
            const StepReport report = service.advance(system, i * dt, (i + 1) * dt, y);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            longest = std::fmax(longest, report.h_largest);
        }
        return longest;
    };
    for (const double dt : {1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0, 0.1, 3.0, 86400.0}) {
        CAPTURE(dt);
        if (kSanitized && dt > 10.0) {
            continue; // days a call take nearly all of the time
        }
        CHECK(longest_at(kAny, dt) == doctest::Approx(32.0 * dt).epsilon(1e-9));
        const double calls = std::floor(0.5 / dt + 1e-6);
        CHECK(longest_at(0.5, dt) == doctest::Approx((calls >= 1.0 ? calls : 32.0) * dt).epsilon(1e-9));
    }
    CHECK(longest_at(0.5, 1.0 / 240.0) == doctest::Approx(longest_at(0.5, 0.1)).epsilon(1e-9));
    // What cannot be read ends with the call.
    CHECK(longest_at(0.5, 1.0 / 240.0, 0.05) == doctest::Approx(0.05).epsilon(1e-9));
    CHECK(longest_at(0.5, 0.1, 0.05) == doctest::Approx(0.1).epsilon(1e-9));
}

TEST_CASE("results do not depend on the frame pattern under RunAhead") {
    constexpr double kTolerance = 1e-8;
    std::mt19937_64 random(3);
    const auto run = [&](auto next_length) {
        Pendulum pendulum;
        IntegratorService service;
        service.configure(pendulum, adaptive(kTolerance, Boundary::RunAhead));
        State y{0.0, -2.0};
        double t = 0.0;
        while (t < 5.0) {
            const double end = std::fmin(5.0, t + next_length());
            service.advance(pendulum, t, end, y);
            t = end;
        }
        return y;
    };
    const State reference = run([] { return 1.0 / 60; });
    const State patterns[] = {run([] { return 1.0 / 30; }), run([] { return 1.0 / 144; }),
                              run([&] { return std::uniform_real_distribution<double>(1e-4, 0.05)(random); })};
    for (const State& y : patterns) {
        CHECK(distance(y, reference) < 20 * kTolerance);
    }
}

TEST_CASE("a time that differs from the last one by rounding alone goes on, one that differs by more begins anew") {
    for (const double dt : {1.0 / 30.0, kFrame, 1.0 / 144.0, 0.1}) {
        CAPTURE(dt);
        Pendulum pendulum;
        IntegratorService service;
        service.configure(pendulum, adaptive(1e-8, Boundary::RunAhead));
        State y{0.0, -2.0};
        int rounded = 0;
        double last = 0.0;
        for (int i = 0; i < 600; ++i) {
            const double t = i * dt;
            rounded += t != last ? 1 : 0;
            last = t + dt;
            const StepReport report = service.advance(pendulum, t, last, y);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            REQUIRE(report.boundary == Boundary::RunAhead);
            REQUIRE_FALSE(report.restarted);
        }
        CHECK(rounded > 50);
        CHECK(distance(y, pendulum_at(last)) < 1e-4);
        const StepReport report = service.advance(pendulum, last + 1e-12, last + dt, y);
        CHECK(report.restarted);
        CHECK(report.boundary == Boundary::Exact);
    }
}

TEST_CASE("a change from outside truncates the segment and suspends RunAhead for eight steps") {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-6, Boundary::RunAhead));
    State y{0.0, -2.0};
    run_frames(service, pendulum, y, 0, 30);
    REQUIRE(service.segment_end() > 30 * kFrame);
    y[1] += 0.5;
    for (int i = 30; i < 40; ++i) {
        const StepReport report = service.advance(pendulum, i * kFrame, (i + 1) * kFrame, y);
        CHECK(report.restarted == (i == 30));
        CHECK(report.boundary == (i < 38 ? Boundary::Exact : Boundary::RunAhead));
    }
    // A model that says it changed is noticed as well, though the state is the same.
    ++pendulum.revisions;
    CHECK(service.advance(pendulum, 40 * kFrame, 41 * kFrame, y).restarted);
}

TEST_CASE("an edited state continues exactly like a fresh start from it") {
    Pendulum pendulum;
    IntegratorService edited;
    edited.configure(pendulum, adaptive(1e-8, Boundary::RunAhead));
    State y{0.0, -2.0};
    run_frames(edited, pendulum, y, 0, 30);
    y[0] += 0.1;
    State fresh = y;
    run_frames(edited, pendulum, y, 30, 60);
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-12, Boundary::Exact));
    run_frames(service, pendulum, fresh, 30, 60);
    CHECK(distance(y, fresh) < 1e-6);
}

TEST_CASE("no budget is ever exceeded, and what it cost is said") {
    std::mt19937_64 random(20261121);
    const auto methods = method_catalogue();
    int degraded = 0;
    for (int round = 0; round < 4000; ++round) {
        const auto& info = methods[random() % methods.size()]->info();
        IntegratorSettings settings;
        settings.method = info.name;
        settings.substeps = 1 + static_cast<int>(random() % 30);
        settings.atol = settings.rtol = std::pow(10.0, -1.0 - static_cast<double>(random() % 14));
        settings.boundary = random() % 2 == 0 ? Boundary::Exact : Boundary::RunAhead;
        settings.budget = 1 + static_cast<int>(random() % 40);
        Pendulum pendulum;
        IntegratorService service;
        service.configure(pendulum, settings);
        State y{0.1 * static_cast<double>(random() % 30), -2.0};
        double t = 0.0;
        for (int frame = 0; frame < 6; ++frame) {
            const double end = t + std::uniform_real_distribution<double>(1e-4, 0.3)(random);
            const std::int64_t before = pendulum.calls;
            const StepReport report = service.advance(pendulum, t, end, y);
            REQUIRE(report.evaluations == pendulum.calls - before);
            REQUIRE(report.evaluations <= settings.budget);
            REQUIRE(std::isfinite(y[0] + y[1]));
            if (report.status == StepStatus::ReachedTarget) {
                const bool fewer = !info.adaptive && report.accepted < settings.substeps;
                const bool looser = info.adaptive && report.achieved_tolerance > settings.rtol;
                REQUIRE(report.degraded == (fewer || looser));
                degraded += report.degraded ? 1 : 0;
                t = end;
            } else {
                REQUIRE(report.status == StepStatus::BudgetExhausted);
                t += report.simulated;
            }
        }
    }
    CHECK(degraded > 1000); // the settings do reach the limit
}

TEST_CASE("a budget below one substep is exhausted, and the state stays where simulated time ended") {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-8, Boundary::Exact, 5));
    State y{0.0, -2.0};
    const StepReport report = service.advance(pendulum, 0.0, kFrame, y);
    CHECK(report.status == StepStatus::BudgetExhausted);
    CHECK(report.simulated == 0.0);
    CHECK(report.evaluations == 0);
    CHECK(y == State{0.0, -2.0});
}

TEST_CASE("a floor substep past the stability limit is said to be unstable") {
    auto stiff = plain_system<2>([](double, const State& y) { return State{y[1], -1e6 * y[0]}; });
    IntegratorService service;
    service.configure(stiff, adaptive(1e-6, Boundary::Exact, 14));
    State y{1.0, 0.0};
    const StepReport lost = service.advance(stiff, 0.0, kFrame, y); // omega h = 8.3: its error is larger than the state
    CHECK(lost.status == StepStatus::BudgetExhausted);
    CHECK(lost.evaluations <= 14);
    auto fast = plain_system<2>([](double, const State& z) { return State{z[1], -2.5e4 * z[0]}; });
    IntegratorService other;
    other.configure(fast, adaptive(1e-6, Boundary::Exact, 14));
    y = {1.0, 0.0};
    const StepReport report = other.advance(fast, 0.0, kFrame, y); // omega h = 158/120 = 1.32, beyond 1.25
    CHECK(report.degraded);
    CHECK(report.unstable);
    CHECK(report.evaluations <= 14);
    // Within the limit (1.25) it is degraded and nothing worse.
    auto softer = plain_system<2>([](double, const State& z) { return State{z[1], -1e4 * z[0]}; });
    IntegratorService calm;
    calm.configure(softer, adaptive(1e-9, Boundary::Exact, 14));
    y = {1.0, 0.0};
    const StepReport bounded = calm.advance(softer, 0.0, kFrame, y); // omega h = 0.83
    CHECK(bounded.degraded);
    CHECK_FALSE(bounded.unstable);
}

TEST_CASE("h_min is a floor at which substeps are accepted and degraded") {
    Pendulum pendulum;
    IntegratorService service;
    IntegratorSettings settings = adaptive(1e-13, Boundary::Exact);
    settings.h_min = 0.01;
    service.configure(pendulum, settings);
    State y{0.0, -2.0};
    const StepReport report = service.advance(pendulum, 0.0, 1.0, y);
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(report.degraded);
    CHECK(report.h_smallest >= 0.0099);
    CHECK(report.achieved_tolerance > 1e-13);
}

TEST_CASE("methods switched a thousand times at random leave the state bit-equal at the switch under Exact") {
    std::mt19937_64 random(5);
    Pendulum pendulum;
    IntegratorService service;
    State y{0.0, -2.0};
    const auto methods = method_catalogue();
    for (int i = 0; i < 1000; ++i) {
        IntegratorSettings settings = adaptive(1e-7, Boundary::Exact);
        settings.method = methods[random() % methods.size()]->info().name;
        settings.substeps = 4;
        const State before = y;
        service.configure(pendulum, settings);
        REQUIRE(y == before);
        // An empty step hands the state out again: nothing moved it.
        REQUIRE(service.advance(pendulum, i * kFrame, i * kFrame, y).status == StepStatus::ReachedTarget);
        REQUIRE(y == before);
        REQUIRE(service.advance(pendulum, i * kFrame, (i + 1) * kFrame, y).status == StepStatus::ReachedTarget);
    }
}

TEST_CASE("a switch in mid run-ahead continues from the sampled state, within the dense error") {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-8, Boundary::RunAhead));
    State y{0.0, -2.0};
    for (int i = 0; i < 1000; ++i) {
        if (i % 10 == 5) {
            service.configure(pendulum, adaptive(i % 20 == 5 ? 1e-9 : 1e-8, Boundary::RunAhead));
        }
        service.advance(pendulum, i * kFrame, (i + 1) * kFrame, y);
    }
    // Local errors of 1e-8 a substep, a hundred restarts and 17 s: 1e-6 leaves a factor of three.
    CHECK(distance(y, pendulum_at(1000 * kFrame)) < 1e-6);
}

TEST_CASE("a method that the system cannot serve is refused in one sentence, and the service stays as it was") {
    auto plain = plain_system<2>([](double, const State& y) { return State{y[1], -y[0]}; });
    IntegratorService service;
    IntegratorSettings settings;
    for (const char* name : {"symplectic_euler", "velocity_verlet", "impulse_euler", "theta"}) {
        settings.method = name;
        CHECK_THROWS_WITH_AS(service.configure(plain, settings),
                             (std::string(name) + " needs a system with " +
                              (name[0] == 'i'   ? "a velocity step"
                               : name[0] == 't' ? "a linearly implicit step"
                                                : "a kick/drift split") +
                              ", which this system does not offer.")
                                 .c_str(),
                             std::invalid_argument);
        CHECK(service.settings().method == "cash_karp54");
    }
}

TEST_CASE("settings out of range are refused by name and value") {
    Pendulum pendulum;
    IntegratorService service;
    const auto message = [&](auto change) -> std::string {
        IntegratorSettings settings;
        change(settings);
        try {
            service.configure(pendulum, settings);
        } catch (const std::invalid_argument& refusal) {
            return refusal.what();
        }
        return "accepted";
    };
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    std::string names;
    for (const auto rows : {method_catalogue(), pile_method_catalogue()}) {
        for (const auto* method : rows) {
            names += (names.empty() ? "" : ", ") + std::string(method->info().name);
        }
    }
    CHECK(message([](auto& s) { s.method = "rk5"; }) ==
          "There is an unknown method \"rk5\": did you mean \"rk4\"? Valid: " + names + ".");
    CHECK(message([&](auto& s) { s.t_stop = kNan; }) == "t_stop is nan; it must be a time in seconds, or infinite.");
    CHECK(message([](auto& s) { s.substeps = 0; }) == "substeps is 0; it must be from 1 to 1000000.");
    CHECK(message([&](auto& s) { s.atol = kNan; }) == "atol is nan; it must be positive and finite.");
    CHECK(message([](auto& s) { s.rtol = -1.0; }) == "rtol is -1; it must be positive and finite.");
    CHECK(message([](auto& s) { s.h_min = -1.0; }) == "h_min is -1; it must be zero or positive, in seconds.");
    CHECK(message([](auto& s) { s.h_max = 0.0; }) ==
          "h_max is 0; it must be positive and not below h_min, in seconds.");
    CHECK(message([](auto& s) { s.budget = -3; }) ==
          "budget is -3; it must be zero (no limit) or a number of evaluations.");
    CHECK(message([](auto& s) { s.controller.safety = 2.0; }) != "accepted");
    CHECK(message([](auto&) {}) == "accepted");
}

TEST_CASE("invalid input does nothing and says so") {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-8, Boundary::Exact));
    State y{0.0, -2.0};
    CHECK(service.advance(pendulum, 0.0, std::nan(""), y).status == StepStatus::InvalidInput);
    CHECK(service.advance(pendulum, 0.0, 1.0, std::span(y).first(1)).status == StepStatus::InvalidInput);
    CHECK(y == State{0.0, -2.0});
    State broken{std::nan(""), 0.0};
    CHECK(service.advance(pendulum, 0.0, 1.0, broken).status == StepStatus::InvalidInput);
    CHECK(service.advance(pendulum, 0.0, 1.0, broken).message == "The state holds a number that is not finite.");
    CHECK(service.advance(pendulum, 0.0, 1.0, std::span<double>()).message == "The state is empty.");
    CHECK(service.advance(pendulum, 0.0, 1.0, std::span(y).first(1)).message ==
          "The state's size is not the system's.");
    CHECK(pendulum.calls == 0);
}

TEST_CASE("a model that turns NaN stops every method at the last good state") {
    // y' = 1, undefined beyond y = 0.5 and swallowing NaN arguments: no method may walk through it unnoticed.
    auto wall = plain_system<1>(
        [](double, const std::array<double, 1>& y) { return std::array{y[0] > 0.5 ? std::nan("") : 1.0}; });
    for (const char* name : {"explicit_euler", "heun2", "rk4", "cash_karp54"}) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(name);
            IntegratorService service;
            IntegratorSettings settings = adaptive(1e-6, boundary);
            settings.method = name;
            settings.substeps = 100;
            service.configure(wall, settings);
            std::array<double, 1> y{0.0};
            const StepReport report = service.advance(wall, 0.0, 1.0, y);
            CHECK((report.status == StepStatus::NonFinite || report.status == StepStatus::StepTooSmall));
            CHECK(std::isfinite(y[0]));
            CHECK(y[0] == doctest::Approx(report.simulated));
            CHECK(y[0] <= 0.52); // one substep past the last good derivative at most
        }
    }
}

TEST_CASE("an unreachable tolerance ends as a step too small, not as an endless loop") {
    // y' = 1/(1 - t) jumps at t = 1: no substep across it is ever good enough.
    auto jump = plain_system<1>([](double t, const std::array<double, 1>&) { return std::array{t < 1.0 ? 0.0 : 1e9}; });
    IntegratorService service;
    IntegratorSettings settings = adaptive(1e-14, Boundary::Exact);
    settings.atol = 1e-30;
    service.configure(jump, settings);
    std::array<double, 1> y{1.0};
    const StepReport report = service.advance(jump, 0.0, 2.0, y);
    CHECK((report.status == StepStatus::StepTooSmall || report.status == StepStatus::ReachedTarget));
    CHECK(report.simulated >= 0.999);
    CHECK(report.evaluations < 100000);
}

TEST_CASE("samples do not change a bit of a run, with a tight budget neither") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        for (const int budget : {0, 11, 17}) {
            Pendulum pendulum;
            IntegratorService plain;
            IntegratorService sampled;
            plain.configure(pendulum, adaptive(1e-12, boundary, budget));
            sampled.configure(pendulum, adaptive(1e-12, boundary, budget));
            State a{0.0, -2.0};
            State b = a;
            for (int i = 0; i < 50; ++i) {
                plain.advance(pendulum, i * kFrame, (i + 1) * kFrame, a);
                sampled.advance(pendulum, i * kFrame, (i + 1) * kFrame, b);
                State unused{};
                REQUIRE(sampled.sample(pendulum, 0.5 * (sampled.segment_begin() + sampled.segment_end()), unused));
            }
            CHECK(a == b);
        }
    }
}

TEST_CASE("samples lie inside the last substep only, and on the trajectory") {
    Pendulum pendulum;
    IntegratorService plain;
    IntegratorService sampled;
    plain.configure(pendulum, adaptive(1e-9, Boundary::RunAhead));
    sampled.configure(pendulum, adaptive(1e-9, Boundary::RunAhead));
    State a{0.0, -2.0};
    State b = a;
    for (int i = 0; i < 200; ++i) {
        plain.advance(pendulum, i * kFrame, (i + 1) * kFrame, a);
        sampled.advance(pendulum, i * kFrame, (i + 1) * kFrame, b);
        State y{};
        const double middle = 0.5 * (sampled.segment_begin() + sampled.segment_end());
        REQUIRE(sampled.sample(pendulum, middle, y));
        REQUIRE(distance(y, pendulum_at(middle)) < 1e-6);
        REQUIRE_FALSE(sampled.sample(pendulum, sampled.segment_end() + 1.0, y));
    }
    CHECK(a == b);
}

TEST_CASE("the service's memory is saved and restored bit for bit, in the middle of a segment too") {
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method->info().name);
            IntegratorSettings settings = adaptive(1e-6, boundary);
            settings.method = method->info().name;
            settings.substeps = 3;
            Pendulum pendulum;
            IntegratorService original;
            original.configure(pendulum, settings);
            State y{0.0, -2.0};
            run_frames(original, pendulum, y, 0, 32);
            State unused{};
            original.sample(pendulum, 0.5 * (original.segment_begin() + original.segment_end()), unused);
            std::vector<std::byte> bytes;
            original.save(bytes);

            IntegratorService copy;
            copy.configure(pendulum, settings);
            std::span<const std::byte> rest = bytes;
            REQUIRE(copy.restore(pendulum, rest));
            CHECK(rest.empty());
            State z = y;
            for (int i = 32; i < 100; ++i) {
                const StepReport first = original.advance(pendulum, i * kFrame, (i + 1) * kFrame, y);
                const StepReport second = copy.advance(pendulum, i * kFrame, (i + 1) * kFrame, z);
                REQUIRE(std::bit_cast<Bits>(y) == std::bit_cast<Bits>(z));
                REQUIRE(first.evaluations == second.evaluations);
                REQUIRE(first.boundary == second.boundary);
            }
        }
    }
}

TEST_CASE("bytes that are not a memory of this service are refused") {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-6, Boundary::RunAhead));
    State y{0.0, -2.0};
    run_frames(service, pendulum, y, 0, 32);
    std::vector<std::byte> bytes;
    service.save(bytes);
    const auto restored = [&](std::span<const std::byte> from, const char* method = "cash_karp54") {
        IntegratorService other;
        IntegratorSettings settings;
        settings.method = method;
        other.configure(pendulum, settings);
        return other.restore(pendulum, from);
    };
    CHECK(restored(bytes));
    CHECK_FALSE(restored(bytes, "rk4"));
    for (std::size_t length = 0; length < bytes.size(); length += 7) {
        CHECK_FALSE(restored(std::span(bytes).first(length)));
    }
    bytes[0] ^= std::byte{1};
    CHECK_FALSE(restored(bytes));
}

TEST_CASE("attempts are listed oldest first, the last 64 of them") {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, adaptive(1e-10, Boundary::Exact));
    State y{0.0, -2.0};
    const StepReport report = service.advance(pendulum, 0.0, 20.0, y);
    REQUIRE(report.accepted > 64);
    const auto attempts = service.attempts();
    REQUIRE(attempts.size() == 64);
    // The last one ends at t1 and continues in the next advance's list.
    double sum = 0.0;
    for (const SubstepAttempt& attempt : attempts) {
        CHECK(attempt.h > 0.0);
        CHECK(attempt.accepted == (attempt.error <= 1.0));
        sum += attempt.accepted ? attempt.h : 0.0;
    }
    CHECK(attempts.back().h == doctest::Approx(service.segment_end() - service.segment_begin()));
    CHECK(sum < 20.0);
}

TEST_CASE("reports merge into the worst of both and the sum of their work") {
    StepReport a;
    a.accepted = 2;
    a.evaluations = 12;
    a.h_smallest = 0.1;
    a.h_largest = 0.2;
    a.order = 5;
    StepReport b = a;
    b.status = StepStatus::NonFinite;
    b.h_smallest = 0.05;
    b.order = 1;
    b.degraded = true;
    b.achieved_tolerance = 1e-3;
    a.merge(b);
    CHECK(a.status == StepStatus::NonFinite);
    CHECK(a.accepted == 4);
    CHECK(a.evaluations == 24);
    CHECK(a.h_smallest == 0.05);
    CHECK(a.h_largest == 0.2);
    CHECK(a.order == 1);
    CHECK(a.degraded);
    CHECK(a.achieved_tolerance == 1e-3);
}
