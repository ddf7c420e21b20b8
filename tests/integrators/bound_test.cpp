// The bound on what an advance costs, and work that a model counts besides evaluations.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "substep/integrators/integrator_service.h"
#include "substep/integrators/work_of_bound.h"

using namespace substep;

namespace {

/// y' = -rate y, which offers nothing but itself.
class Decay final : public OdeSystem {
public:
    explicit Decay(double rate) : rate_(rate) {}
    std::size_t size() const noexcept override { return 1; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override { dydt[0] = -rate_ * y[0]; }

private:
    double rate_; ///< 1/s
};

/// The same, with work within each evaluation that costs as much as so many more.
class InnerWork final : public OdeSystem {
public:
    InnerWork(double rate, std::int64_t cost) : decay_(rate), cost_(cost) {}
    std::size_t size() const noexcept override { return 1; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        decay_.derivative(t, y, dydt);
        work_ += cost_;
    }
    std::int64_t inner_work_count() const noexcept override { return work_; }

private:
    Decay decay_;
    std::int64_t cost_;
    std::int64_t work_ = 0;
};

/// A point falls from 1 m onto a floor. Each look at its height costs as much as so many evaluations.
class Falling final : public OdeSystem, public EventFunctions {
public:
    explicit Falling(std::int64_t cost) : cost_(cost) {}
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = y[1];
        dydt[1] = -9.8;
    }
    EventFunctions* event_functions() noexcept override { return this; }
    std::int64_t work_count() const noexcept override { return work_; }

    std::size_t event_count() const override { return 1; }
    EventTraits event_traits(std::size_t) const override { return {EventDirection::Falling, EventSide::After}; }
    void event_values(double, std::span<const double> y, std::span<double> g) override {
        work_ += cost_;
        g[0] = y[0];
    }
    EventAction on_event(double, std::span<const std::size_t>, std::span<double> y) override {
        y[0] = 0.0;
        y[1] = -y[1];
        return EventAction::Restart;
    }

private:
    std::int64_t cost_;
    std::int64_t work_ = 0;
};

IntegratorSettings with(const std::string& method, int budget = 0) {
    IntegratorSettings settings;
    settings.method = method;
    settings.budget = budget;
    return settings;
}

std::vector<std::string> adaptive_methods() {
    std::vector<std::string> names;
    for (const IntegrationMethod* method : method_catalogue()) {
        if (method->info().adaptive && method->info().needs == MethodNeeds::Derivative) {
            names.emplace_back(method->info().name);
        }
    }
    return names;
}

} // namespace

TEST_CASE("a bound ends an advance of a decay of 1e9 1/s, and says how far it came") {
    for (const std::string& method : adaptive_methods()) {
        CAPTURE(method);
        Decay decay(1e9);
        IntegratorService service;
        service.configure(decay, with(method));
        service.set_bound(1000);
        std::array<double, 1> y{1.0};
        double t = 0.0;
        for (int i = 0; i < 10; ++i) {
            const StepReport report = service.advance(decay, t, 1.0, y);
            CHECK(report.evaluations <= 1000);
            CHECK(report.evaluations > 1000 - 40);
            CHECK(report.met_bound);
            CHECK(report.degraded);
            CHECK(report.status == StepStatus::BudgetExhausted);
            CHECK(report.simulated > 0.0);
            CHECK(std::abs(y[0]) <= 1.0);
            t += report.simulated;
        }
    }
}

TEST_CASE("a bound of what an advance needs, and of any more, changes no bit of it") {
    for (const std::string& method : adaptive_methods()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method);
            std::int64_t most = 0;
            const auto run = [&](std::int64_t bound) {
                Decay decay(50.0);
                IntegratorService service;
                IntegratorSettings settings = with(method);
                settings.boundary = boundary;
                service.configure(decay, settings);
                service.set_bound(bound);
                std::vector<double> path;
                std::array<double, 1> y{1.0};
                for (int frame = 0; frame < 60; ++frame) {
                    const StepReport report = service.advance(decay, frame / 60.0, (frame + 1) / 60.0, y);
                    most = std::max(most, report.evaluations);
                    path.push_back(y[0]);
                }
                return path;
            };
            const auto free = run(0);
            CHECK(run(most + 20) == free); // an attempt, and its dense output
            CHECK(run(1'000'000) == free);
        }
    }
}

TEST_CASE("work besides evaluations is reported, and spent from a budget") {
    for (const std::string& method : adaptive_methods()) {
        CAPTURE(method);
        for (const std::int64_t cost : {0, 1, 200}) {
            Falling falling(cost);
            IntegratorService service;
            service.configure(falling, with(method, 2000));
            std::array<double, 2> y{1.0, 0.0};
            const StepReport report = service.advance(falling, 0.0, 1.0, y);
            CHECK(report.contact_work == falling.work_count());
            CHECK(report.evaluations + report.contact_work <= 2000 + cost);
            CHECK((report.status == StepStatus::BudgetExhausted) == (cost == 200));
            CHECK(report.evaluations < 500);
        }
    }
}

TEST_CASE("where work has spent a budget or a bound, time ends before any surface that was not seen") {
    for (const std::string& method : adaptive_methods()) {
        for (const bool by_bound : {false, true}) {
            for (int most = 5; most < 400; most += 7) {
                CAPTURE(method);
                CAPTURE(by_bound);
                CAPTURE(most);
                Falling falling(4);
                IntegratorService service;
                service.configure(falling, with(method, by_bound ? 0 : most));
                service.set_bound(by_bound ? most : 0);
                std::array<double, 2> y{1.0, -3.0};
                const StepReport report = service.advance(falling, 0.0, 1.0, y);
                CHECK(y[0] >= -1e-12);
                CHECK(report.evaluations <= most);
                // Three looks are made before the limit is asked.
                const std::int64_t spent = report.evaluations + report.contact_work / (by_bound ? kWorkOfBound : 1);
                CHECK(spent <= most + 12);
                const double fallen = report.simulated;
                if (report.events == 0) {
                    CHECK(y[0] == doctest::Approx(1.0 - 3.0 * fallen - 4.9 * fallen * fallen));
                }
                CHECK(report.met_bound == (by_bound && report.status == StepStatus::BudgetExhausted));
            }
        }
    }
}

TEST_CASE("work within evaluations counts against a bound, and against nothing else") {
    for (const std::string& method : adaptive_methods()) {
        CAPTURE(method);
        constexpr std::int64_t kCost = 10 * kWorkOfBound; // ten evaluations, against a bound
        const auto run = [&](std::int64_t bound, int budget) {
            InnerWork decay(1e9, kCost);
            IntegratorService service;
            service.configure(decay, with(method, budget));
            service.set_bound(bound);
            std::array<double, 1> y{1.0};
            const StepReport report = service.advance(decay, 0.0, 1.0, y);
            CHECK(report.contact_work == 0);
            return report.evaluations;
        };
        const std::int64_t bounded = run(1100, 0);
        CHECK(bounded <= 100 + 13); // what an attempt adds to itself shows behind it
        CHECK(bounded > 60);
        CHECK(run(0, 1100) > 1000);
    }
}

TEST_CASE("a look for events ends within itself where it has spent a bound or a budget") {
    for (const std::string& method : adaptive_methods()) {
        for (const bool by_bound : {false, true}) {
            CAPTURE(method);
            CAPTURE(by_bound);
            const std::int64_t cost =
                by_bound ? 44 * kWorkOfBound : 44; // more than two fifths of it: six looks a substep are too many
            Falling falling(cost);
            IntegratorService service;
            service.configure(falling, with(method, by_bound ? 0 : 100));
            service.set_bound(by_bound ? 100 : 0);
            std::array<double, 2> y{1.0, -3.0};
            const StepReport report = service.advance(falling, 0.0, 1.0, y);
            CHECK(report.status == StepStatus::BudgetExhausted);
            CHECK(report.contact_work >= 2 * cost);
            CHECK(report.contact_work <= 4 * cost);
        }
    }
}
