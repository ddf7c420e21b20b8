// Edges of the service: what happens around events, stops, copies and changes of system that nobody plans for.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "substep/integrators/integrator_service.h"
#include "test_systems.h"

using namespace substep;
using substep_test::EventSystem;

namespace {

using State = std::array<double, 2>;

/// A pendulum that is watched where it passes the bottom.
EventSystem<2, 1> watched_pendulum() {
    EventSystem<2, 1> system;
    system.f = [](double, const auto& y) { return std::array{y[1], -9.8 * sine(y[0])}; };
    system.g = [](double, const auto& y) { return std::array{y[0]}; };
    return system;
}

IntegratorSettings settings_of(std::string_view method, double tolerance, Boundary boundary) {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = tolerance;
    settings.rtol = tolerance;
    settings.boundary = boundary;
    return settings;
}

static_assert(!std::is_copy_constructible_v<IntegratorService> && std::is_move_constructible_v<IntegratorService>);

} // namespace

TEST_CASE("repeated shorter, an event's state is the state at the event, wherever the substeps ended") {
    std::mt19937_64 random(5);
    const auto uniform = [&](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
    for (int run = 0; run < 500; ++run) {
        const State start{uniform(0.1, 1.0), uniform(-2.0, 2.0)};
        const Boundary boundary = run % 2 == 0 ? Boundary::Exact : Boundary::RunAhead;
        State ends[2]{};
        double times[2]{};
        for (const EventLocation location : {EventLocation::DenseOutput, EventLocation::RepeatShorter}) {
            EventSystem<2, 1> system = watched_pendulum();
            IntegratorService service;
            IntegratorSettings settings = settings_of("dormand_prince853", 1e-11, boundary);
            settings.event_location = location;
            service.configure(system, settings);
            const auto i = static_cast<std::size_t>(location);
            ends[i] = start;
            times[i] = service.advance(system, 0.0, 3.0, ends[i]).simulated;
        }
        // Both located to 1e-11 of tolerance, amplified a hundredfold over a second at most.
        REQUIRE(std::fabs(times[0] - times[1]) < 1e-9);
        REQUIRE(std::fabs(ends[0][1] - ends[1][1]) < 1e-8);
        REQUIRE(std::fabs(ends[1][0]) < 1e-9);
    }
}

TEST_CASE("the same advance from the same start gives the same event as often as it is asked") {
    EventSystem<2, 1> system = watched_pendulum();
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-9, Boundary::Exact));
    for (int i = 0; i < 6; ++i) {
        State y{1.0, 0.0};
        CHECK(service.advance(system, 0.0, 1.0, y).status == StepStatus::EventLocated);
    }
}

TEST_CASE("an event that changes the list of event functions is not met again at once") {
    class Toggling final : public substep::OdeSystem, public EventFunctions {
    public:
        std::size_t count = 1;
        int fired = 0;
        EventSide side = EventSide::After;
        std::size_t size() const noexcept override { return 2; }
        void derivative(double, std::span<const double> y, std::span<double> dydt) override {
            dydt[0] = y[1];
            dydt[1] = -9.81;
        }
        EventFunctions* event_functions() noexcept override { return this; }
        std::size_t event_count() const override { return count; }
        EventTraits event_traits(std::size_t) const override { return {EventDirection::Both, side}; }
        void event_values(double, std::span<const double> y, std::span<double> g) override {
            for (double& value : g) {
                value = y[0];
            }
        }
        EventAction on_event(double, std::span<const std::size_t>, std::span<double> y) override {
            ++fired;
            count = 3 - count;
            y[1] = std::fabs(y[1]);
            return EventAction::Restart;
        }
    };
    for (const EventSide side : {EventSide::Before, EventSide::After}) {
        Toggling system;
        system.side = side;
        IntegratorService service;
        service.configure(system, settings_of("dormand_prince54", 1e-9, Boundary::Exact));
        State y{1.0, 0.0};
        const StepReport report = service.advance(system, 0.0, 3.0, y);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(system.fired == 3); // at 0.45 s, and every 0.90 s from then on
    }
}

TEST_CASE("a system whose size changes is taken as it is") {
    class Sized final : public substep::OdeSystem, public EventFunctions {
    public:
        std::size_t n = 2;
        std::size_t size() const noexcept override { return n; }
        void derivative(double, std::span<const double> y, std::span<double> dydt) override {
            for (std::size_t i = 0; i < n; ++i) {
                dydt[i] = -y[i];
            }
        }
        EventFunctions* event_functions() noexcept override { return this; }
        std::size_t event_count() const override { return 1; }
        EventTraits event_traits(std::size_t) const override { return {}; }
        void event_values(double, std::span<const double> y, std::span<double> g) override {
            REQUIRE(y.size() == n);
            g[0] = 1.0 + y[n - 1];
        }
        EventAction on_event(double, std::span<const std::size_t>, std::span<double>) override {
            return EventAction::Continue;
        }
    };
    Sized system;
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince853", 1e-9, Boundary::RunAhead));
    for (const std::size_t n : {std::size_t{2}, std::size_t{6}, std::size_t{1}}) {
        system.n = n;
        std::vector<double> y(n, 1.0);
        REQUIRE(service.advance(system, 0.0, 1.0, y).status == StepStatus::ReachedTarget);
        CHECK(y[n - 1] == doctest::Approx(std::exp(-1.0)).epsilon(1e-7));
    }
}

TEST_CASE("after a failure the service works again as soon as the model does") {
    EventSystem<2, 1> system = watched_pendulum();
    system.g = [](double, const auto&) { return std::array{1.0}; };
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-9, Boundary::Exact));
    const auto healthy = system.f;
    std::mt19937_64 random(1);
    system.f = [&](double, const auto&) { // noise: no substep is short enough
        return std::array{1e18 * static_cast<double>(random() % 1000), 0.0};
    };
    State y{1.0, 0.0};
    CHECK(service.advance(system, 0.0, 1.0, y).status == StepStatus::StepTooSmall);
    system.f = healthy;
    y = {1.0, 0.0};
    CHECK(service.advance(system, 5.0, 6.0, y).status == StepStatus::ReachedTarget);
    service.set_remembered_step(1e-20);
    CHECK(service.advance(system, 6.0, 7.0, y).status == StepStatus::ReachedTarget);
}

TEST_CASE("a system at rest advances at any time of day") {
    auto system = substep_test::plain_system<1>([](double, const auto&) { return std::array{0.0}; });
    for (const auto* method : method_catalogue()) {
        if (method->info().needs == MethodNeeds::Derivative) {
            IntegratorService service;
            service.configure(system, settings_of(method->info().name, 1e-9, Boundary::Exact));
            std::array<double, 1> y{1.0};
            CAPTURE(method->info().name);
            CHECK(service.advance(system, 1.7e9, 1.7e9 + 1.0, y).status == StepStatus::ReachedTarget);
        }
    }
}

TEST_CASE("a method with more stages may be chosen at any moment, and looked at before it steps") {
    EventSystem<2, 1> system = watched_pendulum();
    system.g = [](double, const auto&) { return std::array{1.0}; };
    for (const char* first : {"rk4", "dormand_prince54", "velocity_verlet"}) {
        if (find_method(first)->needs != MethodNeeds::Derivative) {
            continue;
        }
        IntegratorService service;
        service.configure(system, settings_of(first, 1e-6, Boundary::RunAhead));
        State y{1.0, 0.0};
        service.advance(system, 0.0, 0.1, y);
        service.configure(system, settings_of("verner87", 1e-9, Boundary::RunAhead));
        State between{7.0, 7.0};
        const double middle = 0.5 * (service.segment_begin() + service.segment_end());
        if (!service.sample(system, middle, between)) {
            CHECK(between == State{7.0, 7.0});
        } else {
            CHECK(std::fabs(between[0]) <= 1.0);
        }
        std::vector<std::byte> bytes;
        service.save(bytes);
        CHECK(service.advance(system, 0.1, 0.2, y).status == StepStatus::ReachedTarget);
    }
}

TEST_CASE("a model that throws leaves the caller's state, and an event is not lost by it") {
    EventSystem<2, 1> system;
    system.f = [](double, const auto& y) { return std::array{y[1], -9.81}; };
    system.g = [](double, const auto& y) { return std::array{y[0]}; };
    system.traits[0].direction = EventDirection::Falling;
    for (const EventLocation location : {EventLocation::DenseOutput, EventLocation::RepeatShorter}) {
        bool broken = true;
        int bounces = 0;
        system.at_event = [&](double, auto, auto& y) {
            if (broken) {
                throw std::runtime_error("no sound card");
            }
            ++bounces;
            y[1] = -y[1];
            return EventAction::Restart;
        };
        IntegratorService service;
        IntegratorSettings settings = settings_of("dormand_prince54", 1e-9, Boundary::Exact);
        settings.event_location = location;
        service.configure(system, settings);
        State y{1.0, 0.0};
        const StepReport report = service.advance(system, 0.0, 1.0, y);
        CHECK(report.status == StepStatus::ModelThrew);
        CHECK(y[0] >= 0.0); // in front of the event
        broken = false;
        CHECK(service.advance(system, report.simulated, 1.0, y).status == StepStatus::ReachedTarget);
        CHECK(bounces == 1);
        CHECK(y[0] > 0.0);
    }
}

TEST_CASE("an infinite event value is refused like a NaN, every time it is met") {
    EventSystem<2, 1> system = watched_pendulum();
    system.g = [](double, const auto&) { return std::array{std::numeric_limits<double>::infinity()}; };
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-9, Boundary::RunAhead));
    for (int i = 0; i < 3; ++i) {
        State y{1.0, 0.0};
        CHECK(service.advance(system, 0.0, 1.0, y).status == StepStatus::NonFinite);
        CHECK(y == State{1.0, 0.0});
    }
}

TEST_CASE(
    "memory restores bit for bit where substeps end at the frame but for rounding, and forged bytes are refused") {
    EventSystem<2, 1> system = watched_pendulum();
    system.g = [](double, const auto&) { return std::array{1.0}; };
    IntegratorSettings settings = settings_of("dormand_prince54", 1e-5, Boundary::RunAhead);
    settings.h_max = 0.1;
    IntegratorService service, copy;
    service.configure(system, settings);
    copy.configure(system, settings);
    State y{1.0, 0.0};
    for (int i = 0; i < 200; ++i) {
        std::vector<std::byte> bytes;
        service.save(bytes);
        std::span<const std::byte> rest(bytes);
        REQUIRE(copy.restore(system, rest));
        State z = y;
        service.advance(system, i * 0.1, (i + 1) * 0.1, y);
        copy.advance(system, i * 0.1, (i + 1) * 0.1, z);
        REQUIRE(y == z);
    }
    // A last stage that the method does not have.
    IntegratorService other;
    other.configure(system, settings_of("rk4", 1e-5, Boundary::Exact));
    other.advance(system, 0.0, 0.1, y);
    std::vector<std::byte> bytes;
    other.save(bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::vector<std::byte> forged = bytes;
        forged[i] = std::byte{1};
        forged.resize(forged.size() + 64);
        std::span<const std::byte> rest(forged);
        IntegratorService reader;
        reader.configure(system, settings_of("rk4", 1e-5, Boundary::Exact));
        (void)reader.restore(system, rest); // true or false, but nothing out of bounds: the sanitizers watch
    }
}

namespace {

/// A mass that drifts freely, of which nobody finds out where it drifts to if h is long: joints that a step too long
/// cannot close.
class ShortDrifts final : public OdeSystem, private KickDriftSplit, private Projection {
public:
    explicit ShortDrifts(double longest, bool projects = false) : longest_(longest), projects_(projects) {}
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = y[1];
        dydt[1] = -y[0];
    }
    KickDriftSplit* kick_drift_split() noexcept override { return this; }
    Projection* projection() noexcept override { return projects_ ? this : nullptr; }

private:
    void force(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = 0.0;
        dydt[1] = -y[0];
    }
    bool drift(double, double h, std::span<double> y) override {
        y[0] += h * y[1];
        return h <= longest_;
    }
    void project_momenta(double, std::span<double>) override {}
    // Of a Runge-Kutta step it sees where it ends, and remembers where it began.
    bool project(double t, std::span<double>) override {
        const bool ok = t - begin_ <= longest_ * (1.0 + 1e-9);
        begin_ = ok ? t : begin_;
        return ok;
    }

    double longest_;
    bool projects_;
    double begin_ = 0.0;
};

// Where no length of a substep works, the state stays and the report says so.
void check_no_length_works(const IntegratorSettings& settings, bool projects) {
    State still{1.0, 0.5};
    ShortDrifts stuck(-1.0, projects);
    IntegratorService service;
    service.configure(stuck, settings);
    const StepReport failed = service.advance(stuck, 0.0, 0.1, still);
    CHECK(failed.status == StepStatus::StepTooSmall);
    CHECK_FALSE(failed.message.empty());
    CHECK(failed.simulated == 0.0);
    CHECK(still == State{1.0, 0.5});
    CHECK(failed.rejected < 20);
}

} // namespace

TEST_CASE("a fixed substep that leaves the manifold is made again, shorter, and never handed out as it was") {
    for (const char* name : {"symplectic_euler", "velocity_verlet", "rk4"}) {
        CAPTURE(name);
        const bool projects = std::string_view(name) == "rk4";
        IntegratorSettings settings;
        settings.method = name;
        settings.substeps = 2;
        State y{1.0, 0.0};

        // Halved until it works, and what is left of the grid's interval likewise.
        ShortDrifts careful(0.013, projects);
        IntegratorService service;
        service.configure(careful, settings);
        const StepReport report = service.advance(careful, 0.0, 0.1, y);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(report.simulated == 0.1);
        CHECK(report.h_largest <= 0.013);
        CHECK(report.accepted == 8); // 0.05 is 4 of 0.0125
        CHECK(report.rejected > 0);
        CHECK(report.degraded);
        CHECK(std::fabs(y[0] - std::cos(0.1)) < 2e-3); // first order: h / 2 times 0.1

        check_no_length_works(settings, projects);

        // A budget that does not pay for shorter ones says so.
        settings.budget = 9;
        State still{1.0, 0.5};
        ShortDrifts poor(0.001, projects);
        IntegratorService other;
        other.configure(poor, settings);
        const StepReport spent = other.advance(poor, 0.0, 0.1, still);
        CHECK(spent.status == StepStatus::BudgetExhausted);
        CHECK(spent.evaluations <= 9);
    }
}

TEST_CASE("an adaptive substep at its floor that leaves the manifold is made again, shorter, and never handed out as "
          "it was") {
    for (const char* name : {"dormand_prince54", "rk4_doubling", "cash_karp54"}) {
        for (const double tolerance : {1e-15, 1e-3}) { // every error is overruled, and none
            CAPTURE(name);
            CAPTURE(tolerance);
            IntegratorSettings settings = settings_of(name, tolerance, Boundary::Exact);
            settings.h_min = 0.05;
            settings.h_initial = 0.05;
            State y{1.0, 0.0};
            ShortDrifts careful(0.013, true);
            IntegratorService service;
            service.configure(careful, settings);
            const StepReport report = service.advance(careful, 0.0, 0.1, y);
            CHECK(report.status == StepStatus::ReachedTarget);
            CHECK(report.h_largest <= 0.013);
            CHECK(report.rejected > 0);
            CHECK(report.degraded);
            CHECK(std::fabs(y[0] - std::cos(0.1)) < 1e-6); // fourth order at h = 0.0125

            check_no_length_works(settings, true);

            // The floor of a budget.
            settings.h_min = 0.0;
            settings.h_initial = 0.0;
            settings.budget = 40;
            State still{1.0, 0.5};
            ShortDrifts poor(0.001, true);
            IntegratorService other;
            other.configure(poor, settings);
            const StepReport spent = other.advance(poor, 0.0, 0.1, still);
            CHECK(spent.status == StepStatus::BudgetExhausted);
            CHECK(spent.evaluations <= 40);
            CHECK(spent.simulated < 0.1);
        }
    }
}

namespace {

/// What falls, by a velocity step whose solver stops early from a time on, and leaves noise that no length takes away.
class NoisySteps final : public OdeSystem, public VelocityStep {
public:
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = y[1];
        dydt[1] = -9.8;
    }
    VelocityStep* velocity_step() noexcept override { return this; }
    void find_contacts(double, double, std::span<const double>) override {}
    VelocityStepResult velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                     std::span<RememberedForce>) override {
        y[1] -= 9.8 * request.h;
        y[0] += y[1] * request.h;
        VelocityStepResult result;
        result.converged = request.t < noisy_from;
        if (!result.converged) {
            y[0] += 1e-3 * (++calls % 3);
        }
        return result;
    }

    double noisy_from = 0.0; // s
    int calls = 0;
};

} // namespace

TEST_CASE("what a convex step that has not converged left feeds no error control: its length stays") {
    StepStatus status{};
    const auto run = [&](std::string_view method, double noisy_from, int& rejected, double& shortest) {
        NoisySteps system;
        system.noisy_from = noisy_from;
        IntegratorService service;
        service.configure(system, settings_of(method, 1e-4, Boundary::Exact));
        State y{0.0, 0.0};
        rejected = 0;
        shortest = 1.0;
        std::int64_t unconverged = 0;
        for (int frame = 0; frame < 20; ++frame) {
            const double t = 0.05 * frame;
            const StepReport report = service.advance(system, t, t + 0.05, y);
            status = report.status;
            rejected += static_cast<int>(report.rejected);
            shortest = std::min(shortest, report.h_smallest);
            unconverged += report.velocity_steps.unconverged;
        }
        return unconverged;
    };
    const auto reached = [&] { return status == StepStatus::ReachedTarget; };
    int rejected = 0;
    double shortest = 0.0;
    double shortest_of_noisy = 0.0;
    CHECK(run("convex_step_doubling", 2.0, rejected, shortest) == 0);
    const int rejected_before = rejected;
    CHECK(run("convex_step_doubling", 0.5, rejected, shortest_of_noisy) > 0);
    CHECK(rejected <= rejected_before + 1);
    CHECK(reached());
    CHECK(shortest_of_noisy >= 0.4 * shortest);
    // Impulses are seldom solved to the end, and what they leave does count: no substep is short enough for this noise.
    run("impulse_euler_doubling", 0.5, rejected, shortest_of_noisy);
    CHECK_FALSE(reached());
}
