// Running ahead on a manifold: what is handed out lies on it, also where the dense output is too far away to be
// projected, and behind no surface of which no event told.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "substep/integrators/integration_method.h"
#include "substep/integrators/integrator_service.h"
#include "test_systems.h"

using namespace substep;

namespace {

constexpr double kFrame = 0.05; // s
constexpr int kNarrowFrame = 40;

/// A turn about a circle at 1 rad/s, to which a projection finds back from anywhere; but at one time only from very
/// near.
class Circle final : public OdeSystem, private Projection {
public:
    explicit Circle(double narrow) : narrow_(narrow) {}
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = -y[1];
        dydt[1] = y[0];
    }
    Projection* projection() noexcept override { return this; }

private:
    bool project(double t, std::span<double> y) override {
        const double r = std::hypot(y[0], y[1]);
        if (t == kNarrowFrame * kFrame && std::fabs(r - 1.0) > narrow_) {
            return false;
        }
        y[0] /= r;
        y[1] /= r;
        return true;
    }

    double narrow_;
};

IntegratorSettings running_ahead(std::string_view method) {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = settings.rtol = 1e-2; // substeps of many frames, whose dense output is far from the circle
    settings.boundary = Boundary::RunAhead;
    return settings;
}

struct Run {
    Circle circle{1e-8};
    IntegratorService service;
    std::vector<double> y{1.0, 0.0};
    int frame = 0;
    double t = 0.0;

    StepReport advance() {
        const StepReport report = service.advance(circle, t, (frame + 1) * kFrame, y);
        frame += report.status == StepStatus::ReachedTarget ? 1 : 0;
        t = report.status == StepStatus::ReachedTarget ? frame * kFrame : t + report.simulated;
        return report;
    }
};

} // namespace

TEST_CASE(
    "where dense output cannot be projected the substep is made again to end there, and the next ones run ahead") {
    int tried = 0;
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive || info.needs != MethodNeeds::Derivative) {
            continue;
        }
        CAPTURE(info.name);
        Run run;
        run.service.configure(run.circle, running_ahead(info.name));
        while (run.frame < 80) {
            // A service restored before the frame makes the same of it.
            std::vector<std::byte> bytes;
            run.service.save(bytes);
            Run again;
            again.service.configure(again.circle, running_ahead(info.name));
            again.y = run.y;
            again.frame = run.frame;
            again.t = run.t;
            std::span<const std::byte> rest = bytes;
            REQUIRE(again.service.restore(again.circle, rest));
            const StepReport copy = again.advance();

            const StepReport report = run.advance();
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK(report.simulated == run.frame * kFrame - (run.frame - 1) * kFrame);
            CHECK_FALSE(report.degraded);
            CHECK(again.y == run.y);
            CHECK(copy.evaluations == report.evaluations);
            CHECK(std::fabs(std::hypot(run.y[0], run.y[1]) - 1.0) < 1e-15); // a root and a division
            CHECK((report.boundary == Boundary::Exact) == (run.frame == kNarrowFrame));
            tried += run.frame == kNarrowFrame && report.rejected > 0 ? 1 : 0;
        }
        // Nothing but the tolerance limits the error: four radians of it.
        CHECK(std::hypot(run.y[0] - std::cos(4.0), run.y[1] - std::sin(4.0)) < 0.1);
    }
    CHECK(tried > 0); // some had to be shortened further on the way there
}

TEST_CASE("a budget that does not pay for all of that way is kept, and the next call goes on where it ended") {
    Run run;
    run.circle = Circle(1e-12); // so that the way there is cut in two
    IntegratorSettings settings = running_ahead("dormand_prince54");
    settings.budget = 14; // two attempts
    run.service.configure(run.circle, settings);
    int stopped = 0;
    for (int call = 0; call < 90; ++call) {
        const double before = run.t;
        const StepReport report = run.advance();
        CHECK(report.evaluations <= settings.budget);
        CHECK(std::fabs(std::hypot(run.y[0], run.y[1]) - 1.0) < 1e-15);
        CHECK(run.t > before);
        if (report.status != StepStatus::ReachedTarget) {
            CHECK(report.status == StepStatus::BudgetExhausted);
            CHECK(run.frame == kNarrowFrame - 1);
            ++stopped;
        }
        CHECK(std::hypot(run.y[0] - std::cos(run.t), run.y[1] - std::sin(run.t)) < 0.1);
    }
    CHECK(stopped == 1);
    CHECK(run.frame == 89);
}

namespace {

/// The same turn, on which passing x = wall downwards is an event, of two walls; of which some places can be projected
/// at one time only from very near.
class WalledCircle final : public OdeSystem, private Projection, private EventFunctions {
public:
    WalledCircle(double wall, double next, EventDirection direction, double narrow_time = -1.0)
        : walls_{wall, next}, direction_(direction), narrow_time_(narrow_time) {}
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = -y[1];
        dydt[1] = y[0];
    }
    Projection* projection() noexcept override { return this; }
    EventFunctions* event_functions() noexcept override { return this; }

private:
    bool project(double t, std::span<double> y) override {
        const double r = std::hypot(y[0], y[1]);
        if (t == narrow_time_ && std::fabs(r - 1.0) > 1e-9) {
            return false;
        }
        y[0] /= r;
        y[1] /= r;
        return true;
    }
    std::size_t event_count() const override { return walls_.size(); }
    EventTraits event_traits(std::size_t) const override { return {direction_, EventSide::After}; }
    void event_values(double, std::span<const double> y, std::span<double> g) override {
        g[0] = y[0] - walls_[0];
        g[1] = y[0] - walls_[1];
    }
    EventAction on_event(double, std::span<const std::size_t>, std::span<double>) override {
        return EventAction::Continue;
    }

    std::array<double, 2> walls_;
    EventDirection direction_;
    double narrow_time_;
};

struct Told {
    int made_again = 0;
    int lost = 0;  ///< walls that the state is behind, and no event told of
    int early = 0; ///< announced later than the time handed out
};

// A quarter turn and more, frame by frame.
Told pass_walls(WalledCircle& circle, const std::array<double, 2>& walls, int budget = 0) {
    IntegratorService service;
    IntegratorSettings settings = running_ahead("dormand_prince54");
    settings.budget = budget;
    service.configure(circle, settings);
    std::vector<double> y{1.0, 0.0};
    std::array<bool, 2> told{};
    Told result;
    double t = 0.0;
    for (int frame = 0; frame < 60;) {
        const StepReport report = service.advance(circle, t, (frame + 1) * kFrame, y);
        const bool reached = report.status == StepStatus::ReachedTarget;
        REQUIRE((reached || report.status == StepStatus::BudgetExhausted));
        frame += reached ? 1 : 0;
        t = reached ? frame * kFrame : t + report.simulated;
        for (const LocatedEvent& event : service.located_events()) {
            told[event.event] = true;
            result.early += event.t > t ? 1 : 0;
        }
        result.made_again += frame > 10 && report.boundary == Boundary::Exact ? 1 : 0;
        for (std::size_t i = 0; i < walls.size(); ++i) {
            result.lost += !told[i] && y[0] < walls[i] - 1e-8 ? 1 : 0;
        }
    }
    return result;
}

} // namespace

TEST_CASE("nothing is handed out behind a surface of which no event told, wherever projection moves it") {
    // Walls about where the frames end: on the path, off the circle, they are ahead still, and on the circle passed.
    int made_again = 0;
    for (const EventDirection direction : {EventDirection::Falling, EventDirection::Both}) {
        for (int place = 0; place < 400; ++place) {
            CAPTURE(place);
            const std::array<double, 2> walls{std::cos(0.4 + 0.005 * place), -2.0};
            WalledCircle circle(walls[0], walls[1], direction);
            const Told told = pass_walls(circle, walls);
            CHECK(told.lost == 0);
            made_again += told.made_again;
        }
    }
    CHECK(made_again > 0);
}

TEST_CASE("a segment made again behind an event that was announced on it begins there, and loses no other") {
    // Two walls within a frame, and one beside a time at which the path cannot be projected.
    int made_again = 0;
    for (int place = 0; place < 400; ++place) {
        CAPTURE(place);
        for (const double apart : {0.005, 0.02, 0.04}) {
            const std::array<double, 2> walls{std::cos(0.4 + 0.005 * place), std::cos(0.4 + 0.005 * place + apart)};
            const double narrow_time = std::ceil((0.4 + 0.005 * place) / kFrame) * kFrame;
            WalledCircle circle(walls[0], walls[1], EventDirection::Falling, narrow_time);
            const Told told = pass_walls(circle, walls);
            CHECK(told.lost == 0);
            CHECK(told.early == 0);
            made_again += told.made_again;
            WalledCircle again(walls[0], walls[1], EventDirection::Falling, narrow_time);
            CHECK(pass_walls(again, walls, 16).early == 0);
        }
    }
    CHECK(made_again > 0);
}
