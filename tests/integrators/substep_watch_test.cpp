// Substeps that a model does not let stand: they are taken back and made again shorter.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "substep/integrators/integrator_service.h"

using namespace substep;

namespace {

// y' = -rate y. One event function, which falls through zero at `event_time`, and changes nothing there.
class Watched final : public OdeSystem, public EventFunctions, public SubstepWatch {
public:
    std::function<bool(double length)> holds = [](double) { return true; };
    std::function<bool()> begins = [] { return false; };
    double rate = 1.0;
    double event_time = std::numeric_limits<double>::infinity();
    double begun = 0.0;   ///< s, where the substep being made began
    double longest = 0.0; ///< s, of the substeps that stood
    int refused = 0;
    int events = 0;
    int attempts = 0;
    bool at_substeps_start = true; ///< all attempts so far

    std::size_t size() const noexcept override { return 1; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override { dydt[0] = -rate * y[0]; }
    EventFunctions* event_functions() noexcept override { return this; }
    SubstepWatch* substep_watch() noexcept override { return this; }

    std::size_t event_count() const override { return 1; }
    EventTraits event_traits(std::size_t) const override { return {EventDirection::Falling, EventSide::After}; }
    void event_values(double t, std::span<const double>, std::span<double> g) override {
        g[0] = std::min(event_time - t, 1.0);
    }
    EventAction on_event(double, std::span<const std::size_t>, std::span<double>) override {
        ++events;
        return EventAction::Continue;
    }

    bool begin_substep(double t, std::span<const double>) override {
        begun = t;
        return begins();
    }
    void begin_attempt(double t, double length) override {
        if (length == 0.0) { // integration starts
            return;
        }
        ++attempts;
        at_substeps_start &= t == begun && length > 0.0;
    }
    bool holds_until(double t, std::span<const double>) override {
        const bool stands = holds(t - begun);
        longest = stands ? std::max(longest, t - begun) : longest;
        refused += stands ? 0 : 1;
        return stands;
    }
};

IntegratorSettings settings_of(std::string_view method, EventLocation location, double tolerance = 1e-6) {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = settings.rtol = tolerance;
    settings.event_location = location;
    return settings;
}

constexpr std::array kMethods{"rk4", "heun2", "dormand_prince54", "verner87", "dormand_prince853"};
constexpr std::array kLocations{EventLocation::DenseOutput, EventLocation::RepeatShorter};

} // namespace

TEST_CASE("no substep is longer than the model lets stand, and what was taken back leaves no trace") {
    for (const char* method : kMethods) {
        for (const EventLocation location : kLocations) {
            CAPTURE(method);
            CAPTURE(static_cast<int>(location));
            Watched system;
            system.holds = [](double length) { return length <= 0.011; };
            IntegratorService service;
            service.configure(system, settings_of(method, location));
            std::array y{1.0};
            for (int frame = 0; frame < 4; ++frame) {
                const StepReport report = service.advance(system, 0.1 * frame, 0.1 * (frame + 1), y);
                CHECK(report.status == StepStatus::ReachedTarget);
                CHECK_FALSE(report.degraded);
                CHECK(report.rejected > 0);
                CHECK(report.accepted >= 9);
            }
            CHECK(system.longest > 0.0);
            CHECK(system.attempts > system.refused);
            CHECK(system.at_substeps_start);
            CHECK(system.refused > 0);
            CHECK(std::abs(y[0] - std::exp(-0.4)) <= 1e-5);
        }
    }
}

TEST_CASE("an event in a substep that was taken back did not happen, and happens once in those that stand") {
    for (const char* method : kMethods) {
        CAPTURE(method);
        Watched system;
        system.event_time = 0.05;
        system.holds = [](double length) { return length <= 0.03; };
        IntegratorService service;
        service.configure(system, settings_of(method, EventLocation::DenseOutput));
        std::array y{1.0};
        const StepReport report = service.advance(system, 0.0, 0.2, y);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(report.events == 1);
        CHECK(system.events == 1);
        REQUIRE(service.located_events().size() == 1);
        CHECK(std::abs(service.located_events()[0].t - 0.05) <= 1e-14);
        CHECK(std::abs(y[0] - std::exp(-0.2)) <= 1e-4); // of the second order's 0.03 s
    }
}

TEST_CASE("a model may change its derivative before it refuses a substep, and where one begins") {
    for (const char* method : kMethods) {
        CAPTURE(method);
        Watched refusing;
        refusing.rate = 5.0;
        refusing.holds = [&](double) { return std::exchange(refusing.rate, 1.0) == 1.0; };
        Watched beginning;
        beginning.rate = 5.0;
        beginning.begins = [&] { return std::exchange(beginning.rate, 1.0) != 1.0; };
        for (Watched* const system : {&refusing, &beginning}) {
            IntegratorService service;
            service.configure(*system, settings_of(method, EventLocation::DenseOutput));
            std::array y{1.0};
            CHECK(service.advance(*system, 0.0, 0.01, y).status == StepStatus::ReachedTarget);
            CHECK(std::abs(y[0] - std::exp(-0.01)) <= 1e-6);
        }
    }
}

TEST_CASE("a substep stays, degraded, where the budget or time does not let it be made shorter") {
    for (const char* method : kMethods) {
        for (const EventLocation location : kLocations) {
            CAPTURE(method);
            CAPTURE(static_cast<int>(location));
            Watched stubborn;
            stubborn.holds = [](double) { return false; };
            IntegratorSettings settings = settings_of(method, location);
            settings.budget = 60;
            IntegratorService service;
            service.configure(stubborn, settings);
            std::array y{1.0};
            for (int frame = 0; frame < 3; ++frame) {
                const StepReport report = service.advance(stubborn, 0.1 * frame, 0.1 * (frame + 1), y);
                CHECK(report.evaluations <= 60);
                CHECK(report.degraded);
            }

            Watched brief;
            brief.holds = [&](double) { return brief.begun > 0.0; };
            settings.budget = 0;
            IntegratorService unlimited;
            unlimited.configure(brief, settings);
            std::array z{1.0};
            const StepReport report = unlimited.advance(brief, 0.0, 1e-13, z);
            CHECK(report.status == StepStatus::ReachedTarget);
            CHECK(report.degraded);
        }
    }
}
