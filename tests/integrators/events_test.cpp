// Events: located on dense output or by repeating the substep, in whatever way the frames cut the time.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "substep/integrators/integrator_service.h"
#include "test_systems.h"

using namespace substep;
using substep_test::EventSystem;

namespace {

constexpr double kGravity = 9.81;
constexpr double kFrame = 1.0 / 60.0;

/// Height and velocity under gravity; the ground is y = 0.
EventSystem<2, 1> thrown() {
    EventSystem<2, 1> system;
    system.f = [](double, const auto& y) { return std::array{y[1], -kGravity}; };
    system.g = [](double, const auto& y) { return std::array{y[0]}; };
    system.traits[0].direction = EventDirection::Falling;
    return system;
}

IntegratorSettings settings_of(std::string_view method, double tolerance, Boundary boundary = Boundary::RunAhead) {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = tolerance;
    settings.rtol = tolerance;
    settings.boundary = boundary;
    return settings;
}

/// Advances by frames until `t_end` or a status that is not ReachedTarget.
template <class System, class State>
StepReport run(IntegratorService& service, System& system, State& y, double t_end, double frame) {
    StepReport total;
    double t = 0.0;
    for (int i = 1; t < t_end; ++i) {
        const double t1 = std::fmin(t_end, i * frame);
        const StepReport report = service.advance(system, t, t1, y);
        total.merge(report);
        total.simulated = t + report.simulated;
        if (report.status != StepStatus::ReachedTarget) {
            return total;
        }
        t = t1;
    }
    return total;
}

/// All methods that need nothing but a derivative and reproduce a parabola exactly.
std::vector<std::string_view> methods_of_order_two() {
    std::vector<std::string_view> names;
    for (const auto* method : method_catalogue()) {
        if (method->info().needs == MethodNeeds::Derivative && method->info().order >= 2) {
            names.push_back(method->info().name);
        }
    }
    return names;
}

} // namespace

TEST_CASE("a ball thrown from the ground lands at 2 v / g, whatever the method, boundary and frame rate") {
    for (const std::string_view method : methods_of_order_two()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            for (const double frame : {kFrame, 0.37, 10.0}) {
                CAPTURE(method);
                CAPTURE(frame);
                EventSystem<2, 1> system = thrown();
                IntegratorService service;
                service.configure(system, settings_of(method, 1e-9, boundary));
                std::array<double, 2> y{0.0, 13.0};
                const StepReport report = run(service, system, y, 10.0, frame);
                REQUIRE(report.status == StepStatus::EventLocated);
                CHECK(report.events == 1);
                // The parabola is exact for these methods and their dense output: what is left is the window of 100 ulp
                // and the rounding of a few hundred substeps.
                CHECK(std::fabs(report.simulated - 26.0 / kGravity) < 2e-12);
                CHECK(std::fabs(y[1] + 13.0) < 2e-11);
                CHECK(y[0] <= 0.0);
            }
        }
    }
}

TEST_CASE("a ball that hops within one substep lands at 2 v / g by repeating the substep, too") {
    for (const auto* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.needs != MethodNeeds::Derivative || info.order < 2) {
            continue;
        }
        for (const double hop : {0.9, 0.3, 1e-2, 1e-4}) { // of the substep
            CAPTURE(info.name);
            CAPTURE(hop);
            EventSystem<2, 1> system = thrown();
            IntegratorSettings settings = settings_of(info.name, 1e-9, Boundary::Exact);
            settings.event_location = EventLocation::RepeatShorter;
            settings.h_initial = 0.5;
            IntegratorService service;
            service.configure(system, settings);
            const double flight = 0.5 * hop;
            const double speed = 0.5 * kGravity * flight;
            std::array<double, 2> y{0.0, speed};
            const StepReport report = service.advance(system, 0.0, 0.5, y);
            REQUIRE(report.status == StepStatus::EventLocated);
            // Methods of order two and more make a parabola exactly: what is left is the window of 100 ulp, and the
            // rounding of coefficients of up to 123.
            CHECK(std::fabs(report.simulated - flight) < 1e-12);
            CHECK(std::fabs(y[1] + speed) < 1e-11);
        }
    }
}

TEST_CASE("a service awaits the events of what it goes on with: not of another state, time, model or setting") {
    EventSystem<2, 1> system = thrown();
    system.at_event = [](double, auto, auto& y) {
        y[1] = -y[1];
        return EventAction::Restart;
    };
    const IntegratorSettings settings = settings_of("dormand_prince54", 1e-9);
    constexpr double kStep = 0.01; // s
    constexpr double t = 4 * kStep;
    const auto begun = [&](IntegratorService& service, std::array<double, 2>& y) {
        system.revisions = 0;
        service.reset();
        service.configure(system, settings);
        y = {0.02, 0.0}; // it lands at 0.064 s
        for (int i = 0; i < 4; ++i) {
            REQUIRE(service.advance(system, i * kStep, (i + 1) * kStep, y).events == 0);
        }
        REQUIRE(service.segment_end() > 0.06); // the landing is still ahead
    };
    std::array<double, 2> y{};
    IntegratorService service;
    begun(service, y);
    CHECK(service.awaits_event(system, t, y, 0));
    CHECK_FALSE(service.awaits_event(system, t, y, 1)); // there is none
    CHECK_FALSE(service.awaits_event(system, 0.5 * t, y, 0));
    CHECK_FALSE(service.awaits_event(system, t, std::array{y[0], std::nextafter(y[1], 0.0)}, 0));
    system.revisions = 1;
    CHECK_FALSE(service.awaits_event(system, t, y, 0));
    system.revisions = 0;
    CHECK(service.awaits_event(system, t, y, 0));
    IntegratorSettings other = settings;
    other.atol *= 2.0;
    service.configure(system, other);
    CHECK_FALSE(service.awaits_event(system, t, y, 0));
    begun(service, y);
    service.allow_run_ahead(false); // the next advance cuts the segment off
    CHECK_FALSE(service.awaits_event(system, t, y, 0));
    service.allow_run_ahead(true);
    service.drop_segment();
    CHECK_FALSE(service.awaits_event(system, t, y, 0));

    // Behind the event it is watched again; below its surface from the start nothing will come.
    begun(service, y);
    const StepReport report = service.advance(system, t, 7 * kStep, y);
    REQUIRE(report.events == 1);
    CHECK(service.awaits_event(system, 7 * kStep, y, 0));
    IntegratorService below;
    below.configure(system, settings);
    std::array<double, 2> sunk{-1.0, 0.0};
    REQUIRE(below.advance(system, 0.0, t, sunk).status == StepStatus::ReachedTarget);
    CHECK_FALSE(below.awaits_event(system, t, sunk, 0));
    IntegratorService unused;
    CHECK_FALSE(unused.awaits_event(system, t, y, 0));
}

TEST_CASE("events are asked for before or after the crossing") {
    for (const EventLocation location : {EventLocation::DenseOutput, EventLocation::RepeatShorter}) {
        for (const EventSide side : {EventSide::Before, EventSide::After}) {
            EventSystem<2, 1> system = thrown();
            system.traits[0].side = side;
            IntegratorService service;
            IntegratorSettings settings = settings_of("dormand_prince54", 1e-9);
            settings.event_location = location;
            service.configure(system, settings);
            std::array<double, 2> y{0.0, 13.0};
            REQUIRE(run(service, system, y, 10.0, 10.0).status == StepStatus::EventLocated);
            CHECK((side == EventSide::Before ? y[0] >= 0.0 : y[0] <= 0.0));
            CHECK(std::fabs(y[0]) < 1e-11); // 100 ulp of time at 13 m/s
        }
    }
}

TEST_CASE("both roots within one substep are found") {
    // x' = 1, g = (x - 2.5)(x - 5): one substep covers [0, 10], and g is positive at both its ends.
    for (const std::string_view method : methods_of_order_two()) {
        CAPTURE(method);
        EventSystem<1, 1> system;
        std::vector<double> times;
        system.f = [](double, const auto&) { return std::array{1.0}; };
        system.g = [](double, const auto& y) { return std::array{(y[0] - 2.5) * (y[0] - 5.0)}; };
        system.at_event = [&](double t, auto, auto&) {
            times.push_back(t);
            return EventAction::Continue;
        };
        IntegratorService service;
        IntegratorSettings settings = settings_of(method, 1e-6, Boundary::Exact);
        settings.h_initial = 10.0;
        service.configure(system, settings);
        std::array<double, 1> y{0.0};
        const StepReport report = service.advance(system, 0.0, 10.0, y);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(report.accepted == 1);
        CHECK(y[0] == doctest::Approx(10.0));
        REQUIRE(times.size() == 2);
        CHECK(std::fabs(times[0] - 2.5) < 1e-12);
        CHECK(std::fabs(times[1] - 5.0) < 1e-12);
        REQUIRE(service.located_events().size() == 2);
        CHECK(service.located_events()[1].t == times[1]);
    }
}

// The times at which g(t) is zero, found in one substep that covers [0, 10].
std::vector<double> times_in_one_substep(const std::function<double(double)>& g) {
    EventSystem<1, 1> system;
    std::vector<double> times;
    system.f = [](double, const auto&) { return std::array{1.0}; };
    system.g = [&](double, const auto& y) { return std::array{g(y[0])}; };
    system.at_event = [&](double t, auto, auto&) {
        times.push_back(t);
        return EventAction::Continue;
    };
    IntegratorService service;
    IntegratorSettings settings = settings_of("dormand_prince54", 1e-6, Boundary::Exact);
    settings.h_initial = 10.0;
    service.configure(system, settings);
    std::array<double, 1> y{0.0};
    service.advance(system, 0.0, 10.0, y);
    return times;
}

TEST_CASE("a dip through zero between two samples is found down to a hundredth of the substep") {
    // Each is negative from c - w / 2 to c + w / 2 only: a parabola, which the search is told exactly by its samples,
    // and what no parabola tells well: a kink, and a smooth round bottom far narrower than the samples are apart.
    const auto parabola = [](double x, double w) { return x * x - 0.25 * w * w; };
    const auto kink = [](double x, double w) { return std::fabs(x) - 0.5 * w; };
    const auto round = [](double x, double w) { return std::hypot(x, 0.2) - std::hypot(0.5 * w, 0.2); };
    const std::array<std::function<double(double, double)>, 3> shapes{parabola, kink, round};
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
        for (const double width : {0.3, 0.1, 0.03, 0.01}) {
            for (int shift = 0; shift < 40; ++shift) {
                const double margin = shape == 0 ? 0.35 : 1.0;
                const double centre = margin + (10.0 - 2.0 * margin) * shift / 39.0;
                CAPTURE(shape);
                CAPTURE(width);
                CAPTURE(centre);
                const std::vector<double> times =
                    times_in_one_substep([&](double t) { return shapes[shape](t - centre, width); });
                REQUIRE(times.size() == 2);
                CHECK(std::fabs(times[0] - (centre - 0.5 * width)) < 1e-11);
                CHECK(std::fabs(times[1] - (centre + 0.5 * width)) < 1e-11);
            }
        }
    }
}

TEST_CASE("a dip that stays well above zero costs a few probes") {
    // Seven samples, the beginning among them, and three probes where parabolas told the bottom; three samples to the
    // left of it tell it, and three to the right.
    for (const double height : {0.5, 2.0, 20.0}) {
        for (int shift = 0; shift < 40; ++shift) {
            const double centre = 0.35 + 9.3 * shift / 39.0;
            int calls = 0;
            CHECK(times_in_one_substep([&](double t) {
                      ++calls;
                      return height + (t - centre) * (t - centre);
                  }).empty());
            CAPTURE(height);
            CAPTURE(centre);
            CHECK(calls <= 7 + 2 * 3);
        }
    }
}

TEST_CASE("direction masks count rising, falling or both crossings of a roof") {
    constexpr double kUp = 0.4668487488268752778294;
    constexpr double kDown = 2.183508029970270491793;
    const auto times = [&](EventDirection direction) {
        EventSystem<2, 1> system = thrown();
        system.g = [](double, const auto& y) { return std::array{y[0] - 5.0}; };
        system.traits[0].direction = direction;
        std::vector<double> found;
        system.at_event = [&](double t, auto, auto&) {
            found.push_back(t);
            return EventAction::Continue;
        };
        IntegratorService service;
        service.configure(system, settings_of("tsitouras54", 1e-9));
        std::array<double, 2> y{0.0, 13.0};
        run(service, system, y, 2.5, 0.1);
        return found;
    };
    const auto close = [](double a, double b) { return std::fabs(a - b) < 1e-12; };
    const auto both = times(EventDirection::Both);
    REQUIRE(both.size() == 2);
    CHECK((close(both[0], kUp) && close(both[1], kDown)));
    const auto rising = times(EventDirection::Rising);
    REQUIRE(rising.size() == 1);
    CHECK(close(rising[0], kUp));
    const auto falling = times(EventDirection::Falling);
    REQUIRE(falling.size() == 1);
    CHECK(close(falling[0], kDown));
}

TEST_CASE("a bouncing ball meets the ground at every time that the closed form gives") {
    // The times are those of the reference problem bouncing_ball: dropped from 10 m, v -> -0.8 v.
    constexpr double kTimes[] = {1.427843122927064466967, 3.712392119610367614115, 5.540031316957010131833,
                                 7.002142674834324146008, 8.171831761136175357347, 9.107583030177656326419,
                                 9.856184045410841101676, 10.45506485759738892188};
    for (const std::string_view method : methods_of_order_two()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            for (const double frame : {kFrame, 10.5}) {
                EventSystem<2, 1> system = thrown();
                std::vector<double> found;
                system.at_event = [&](double t, auto, auto& y) {
                    found.push_back(t);
                    y[1] *= -0.8;
                    return EventAction::Restart;
                };
                IntegratorService service;
                service.configure(system, settings_of(method, 1e-9, boundary));
                std::array<double, 2> y{10.0, 0.0};
                run(service, system, y, 10.5, frame);
                CAPTURE(method);
                CAPTURE(frame);
                REQUIRE(found.size() == std::size(kTimes));
                for (std::size_t i = 0; i < found.size(); ++i) {
                    // One substep may cover all ten seconds: it falls 500 m, and weights of an eighth-order method are
                    // up to 1e3, so rounding is 1e-10 m at impacts of 1 to 14 m/s.
                    CHECK(std::fabs(found[i] - kTimes[i]) < 1e-9);
                }
            }
        }
    }
}

TEST_CASE("bounces that accumulate end with a status, not without end") {
    EventSystem<2, 1> system = thrown();
    system.at_event = [](double, auto, auto& y) {
        y[1] *= -0.8;
        return EventAction::Restart;
    };
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-9));
    std::array<double, 2> y{10.0, 0.0};
    const StepReport report = service.advance(system, 0.0, 20.0, y);
    CHECK(report.status == StepStatus::StepTooSmall);
    CHECK(report.message ==
          "Events follow each other faster than time resolves, as bounces do that never end; on_event must end them "
          "once they are small.");
    CHECK(std::fabs(report.simulated - 12.85058810634358020271) < 1e-6); // the Zeno limit
    CHECK(std::isfinite(y[0]));
}

TEST_CASE("simultaneous events are reported together") {
    EventSystem<2, 3> system;
    system.f = [](double, const auto& y) { return std::array{y[1], -kGravity}; };
    system.g = [](double t, const auto& y) { return std::array{y[0], y[0] * (1.0 + t), y[0] + 1.0}; };
    std::vector<std::size_t> together;
    system.at_event = [&](double, auto events, auto&) {
        together.assign(events.begin(), events.end());
        return EventAction::Stop;
    };
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-9));
    std::array<double, 2> y{0.0, 13.0};
    const StepReport report = service.advance(system, 0.0, 10.0, y);
    CHECK(report.status == StepStatus::EventLocated);
    CHECK(report.events == 2);
    CHECK(together == std::vector<std::size_t>{0, 1});
}

TEST_CASE("starting on the surface, or stopped there, does not fire again") {
    for (const EventSide side : {EventSide::Before, EventSide::After}) {
        EventSystem<2, 1> system = thrown();
        system.traits[0] = {EventDirection::Both, side};
        IntegratorService service;
        service.configure(system, settings_of("dormand_prince54", 1e-9));
        std::array<double, 2> y{0.0, 13.0};
        StepReport report = service.advance(system, 0.0, 10.0, y);
        REQUIRE(report.status == StepStatus::EventLocated);
        CHECK(report.simulated > 2.0);
        // Going on below ground: the same crossing is not an event twice, though it is still ahead where the state
        // before it was asked for.
        const double t = report.simulated;
        report = service.advance(system, t, t + 1.0, y);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(report.events == 0);
    }
}

TEST_CASE("an event at the end of an advance belongs to that advance") {
    EventSystem<2, 1> system = thrown();
    system.g = [](double t, const auto&) { return std::array{1.0 - t}; };
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-9, Boundary::Exact));
    std::array<double, 2> y{0.0, 13.0};
    const StepReport report = service.advance(system, 0.0, 1.0, y);
    CHECK(report.status == StepStatus::EventLocated);
    CHECK(report.events == 1);
    CHECK(report.simulated == 1.0);
}

TEST_CASE("what a model changes of itself at an event is no change from outside: substeps run ahead as before") {
    const auto evaluations_of = [](bool changes) {
        EventSystem<2, 1> system = thrown();
        system.at_event = [&](double, auto, auto& y) {
            system.revisions += changes ? 1 : 0;
            y[1] = std::fabs(y[1]);
            return EventAction::Restart;
        };
        IntegratorService service;
        service.configure(system, settings_of("dormand_prince54", 1e-9));
        std::array<double, 2> y{0.0, 13.0};
        const StepReport report = run(service, system, y, 10.0, kFrame);
        CHECK(report.events == 3); // every 2.65 s
        return report.evaluations;
    };
    CHECK(evaluations_of(true) == evaluations_of(false));
}

TEST_CASE("an event waits inside a segment that ran ahead until time reaches it") {
    EventSystem<2, 1> system = thrown();
    IntegratorService service;
    service.configure(system, settings_of("dormand_prince54", 1e-6));
    std::array<double, 2> y{0.0, 13.0};
    StepReport report;
    double t = 0.0;
    for (int i = 1; report.status == StepStatus::ReachedTarget; ++i) {
        report = service.advance(system, t, i * kFrame, y);
        t = report.status == StepStatus::ReachedTarget ? i * kFrame : t + report.simulated;
        CHECK(t <= 26.0 / kGravity + 1e-9);
        CHECK(service.segment_end() <= 26.0 / kGravity + 1e-9); // no prediction behind it
    }
    CHECK(report.status == StepStatus::EventLocated);
    CHECK(std::fabs(t - 26.0 / kGravity) < 1e-12);
}

TEST_CASE("continuing events change no bit of the trajectory") {
    const auto end_of = [](bool watched) {
        EventSystem<2, 1> system;
        system.f = [](double, const auto& y) { return std::array{y[1], -9.8 * sine(y[0])}; };
        system.g = [=](double, const auto& y) { return std::array{watched ? y[0] : 1.0}; };
        system.at_event = [](double, auto, auto&) { return EventAction::Continue; };
        IntegratorService service;
        service.configure(system, settings_of("dormand_prince54", 1e-9));
        std::array<double, 2> y{0.0, -2.0};
        const StepReport report = run(service, system, y, 20.0, kFrame);
        CHECK(report.events == (watched ? 19 : 0)); // a half period is 1.0307 s, and the start does not count
        return y;
    };
    CHECK(end_of(true) == end_of(false));
}

TEST_CASE("a switched system keeps its method's order through the switch") {
    // y'' = -y for y > 0, y'' = -4 y for y < 0, with the switch an event: periods pi and pi/2. Without the event the
    // substep that straddles the switch would leave an error of second order.
    const auto error = [](std::string_view method, int substeps) {
        EventSystem<2, 1> system;
        double stiffness = 1.0;
        system.f = [&](double, const auto& y) { return std::array{y[1], -stiffness * y[0]}; };
        system.g = [](double, const auto& y) { return std::array{y[0]}; };
        system.at_event = [&](double, auto, auto& y) {
            stiffness = y[1] < 0.0 ? 4.0 : 1.0;
            return EventAction::Restart;
        };
        IntegratorService service;
        IntegratorSettings settings = settings_of(method, 1e-9);
        settings.substeps = substeps;
        service.configure(system, settings);
        std::array<double, 2> y{0.0, 1.0};
        const double t = 3.14159265358979323846 + 0.5;
        service.advance(system, 0.0, t, y);
        return std::fabs(y[0] + 0.5 * std::sin(1.0));
    };
    const double order = std::log2(error("rk4", 100) / error("rk4", 400)) / 2.0;
    CHECK(order == doctest::Approx(4.0).epsilon(0.15));
    CHECK(error("dormand_prince853", 1) < 1e-8);
}

TEST_CASE("repeating the substep reproduces the ballistic figures of a framework that knows nothing else") {
    const auto landing = [](std::string_view method, std::array<double, 2>& y) {
        EventSystem<2, 1> system = thrown();
        IntegratorService service;
        IntegratorSettings settings = settings_of(method, 1e-9, Boundary::Exact);
        settings.substeps = 40; // h = 0.1
        settings.event_location = EventLocation::RepeatShorter;
        service.configure(system, settings);
        y = {0.0, 13.0};
        const StepReport report = service.advance(system, 0.0, 4.0, y);
        CHECK(report.status == StepStatus::EventLocated);
        return report.simulated;
    };
    std::array<double, 2> y{};
    CHECK(std::fabs(landing("explicit_euler", y) - 2.749447616223029584) < 1e-12);
    CHECK(std::fabs(y[1] + 13.97208111514792) < 1e-11);
    CHECK(std::fabs(landing("rk4", y) - 26.0 / kGravity) < 1e-12);
    CHECK(std::fabs(y[1] + 13.0) < 1e-11);
}

TEST_CASE("where the budget ends the search for a surface, the state is that of the time handed out") {
    // A constant force, under which methods of second order and more are exact to rounding.
    int ended = 0;
    for (const std::string_view method : {"rk4", "heun2", "cash_karp54", "dormand_prince54"}) {
        for (int budget = 1; budget < 80; ++budget) {
            CAPTURE(method);
            CAPTURE(budget);
            EventSystem<2, 1> system;
            system.f = [](double, const auto& y) { return std::array{y[1], 400.0}; };
            system.g = [](double, const auto& y) { return std::array{1.0 - y[0]}; };
            IntegratorService service;
            IntegratorSettings settings = settings_of(method, 1e-9, Boundary::Exact);
            settings.event_location = EventLocation::RepeatShorter;
            settings.budget = budget;
            service.configure(system, settings);
            std::array<double, 2> y{0.0, 13.0};
            double t = 0.0;
            for (int call = 0; call < 12; ++call) {
                const StepReport report = service.advance(system, t, t + 0.02, y);
                CHECK(report.evaluations <= budget);
                t += report.simulated;
                CHECK(std::fabs(y[0] - t * (13.0 + 200.0 * t)) < 1e-12);
                ended += report.status == StepStatus::BudgetExhausted && report.simulated > 0.0 ? 1 : 0;
                CHECK((report.status == StepStatus::BudgetExhausted || report.simulated > 0.0));
            }
        }
    }
    CHECK(ended > 0);
}

TEST_CASE("a model that ends at the surface is never needed beyond it") {
    // y' = -sqrt(y): y = (1 - t/2)^2 until t = 2, and NaN for y < 0.
    for (const std::string_view method : methods_of_order_two()) {
        const bool adaptive = find_method(method)->adaptive;
        EventSystem<1, 1> system;
        system.f = [](double, const auto& y) { return std::array{-std::sqrt(y[0])}; };
        system.g = [](double, const auto& y) { return std::array{y[0]}; };
        system.traits[0].side = EventSide::Before;
        IntegratorService service;
        IntegratorSettings settings = settings_of(method, 1e-10, Boundary::Exact);
        settings.event_location = EventLocation::RepeatShorter;
        settings.substeps = 300;
        service.configure(system, settings);
        std::array<double, 1> y{1.0};
        const StepReport report = service.advance(system, 0.0, 3.0, y);
        CAPTURE(method);
        CHECK(report.status == StepStatus::EventLocated);
        // The end is an infinite derivative of f away: tolerance 1e-10 of y is 2e-5 of time.
        CHECK(std::fabs(report.simulated - 2.0) < (adaptive ? 1e-4 : 1e-2));
        CHECK(y[0] >= 0.0);
    }
}

TEST_CASE("a hard stop is reached exactly, and the model is not evaluated behind it") {
    for (const auto* method : method_catalogue()) {
        if (method->info().needs != MethodNeeds::Derivative) {
            continue;
        }
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method->info().name);
            EventSystem<2, 1> system = thrown();
            system.g = [](double, const auto&) { return std::array{1.0}; };
            IntegratorService service;
            IntegratorSettings settings = settings_of(method->info().name, 1e-6, boundary);
            settings.t_stop = 0.7;
            settings.substeps = 7;
            service.configure(system, settings);
            std::array<double, 2> y{0.0, 13.0};
            double t = 0.0;
            StepReport report;
            for (int i = 1; report.status == StepStatus::ReachedTarget; ++i) {
                report = service.advance(system, t, 0.11 * i, y);
                t += report.simulated;
                REQUIRE(i < 20);
            }
            CHECK(report.status == StepStatus::ReachedStop);
            CHECK(t == doctest::Approx(0.7).epsilon(1e-15));
            CHECK(system.latest <= 0.7);
            CHECK(service.advance(system, 0.7, 1.0, y).status == StepStatus::ReachedStop); // nothing happens there
            settings.t_stop = std::numeric_limits<double>::infinity();
            service.configure(system, settings);
            CHECK(service.advance(system, 0.7, 1.0, y).status == StepStatus::ReachedTarget);
        }
    }
}

TEST_CASE("an event function that returns NaN stops at the last good state") {
    for (const EventLocation location : {EventLocation::DenseOutput, EventLocation::RepeatShorter}) {
        EventSystem<2, 1> system = thrown();
        system.g = [](double t, const auto&) { return std::array{t < 1.0 ? 1.0 : std::nan("")}; };
        IntegratorService service;
        IntegratorSettings settings = settings_of("dormand_prince54", 1e-9, Boundary::Exact);
        settings.event_location = location;
        settings.h_max = 0.3;
        service.configure(system, settings);
        std::array<double, 2> y{0.0, 13.0};
        const StepReport report = service.advance(system, 0.0, 2.0, y);
        CHECK(report.status == StepStatus::NonFinite);
        CHECK(report.message == "An event function returned a number that is not finite.");
        CHECK(report.simulated < 1.0);
        CHECK(report.simulated > 0.5);
        const double t = report.simulated;
        CHECK(y[0] == doctest::Approx(13.0 * t - 0.5 * kGravity * t * t));
    }
    // From the start.
    EventSystem<2, 1> system = thrown();
    system.g = [](double, const auto&) { return std::array{std::nan("")}; };
    IntegratorService service;
    service.configure(system, settings_of("rk4", 1e-9));
    std::array<double, 2> y{0.0, 13.0};
    CHECK(service.advance(system, 0.0, 2.0, y).status == StepStatus::NonFinite);
    CHECK(y == std::array{0.0, 13.0});
}

TEST_CASE("where the model is undefined beyond an event's surface, what failed names the remedy") {
    // A level that sinks the slower the nearer it comes to a spout at 1, below which its law has no meaning.
    for (const std::string_view method : {"rk4", "heun2", "cash_karp54", "dormand_prince853"}) {
        EventSystem<1, 1> system;
        system.f = [](double, const auto& y) { return std::array{-3.0 - std::sqrt(y[0] - 1.0)}; };
        system.g = [](double, const auto& y) { return std::array{y[0] - 1.0}; };
        IntegratorSettings settings = settings_of(method, 1e-6, Boundary::Exact);
        settings.substeps = 1;
        const auto drain = [&] {
            IntegratorService service;
            service.configure(system, settings);
            std::array<double, 1> y{2.0};
            return run(service, system, y, 10.0, 0.1);
        };
        CAPTURE(method);
        const std::string_view remedy = "set event_location to EventLocation::RepeatShorter.";
        const StepReport failed = drain();
        const bool adaptive = find_method(method)->adaptive;
        CHECK(failed.status == (adaptive ? StepStatus::StepTooSmall : StepStatus::NonFinite));
        CHECK(failed.message.ends_with(remedy));

        settings.event_location = EventLocation::RepeatShorter;
        CHECK(drain().status == StepStatus::EventLocated);

        // Where no surface is near, nothing is said of one.
        system.g = [](double, const auto& y) { return std::array{y[0] + 100.0}; };
        settings.event_location = EventLocation::DenseOutput;
        CHECK(!drain().message.empty());
        CHECK(!drain().message.ends_with(remedy));
    }
}

TEST_CASE("a budget holds with events too") {
    for (const auto* method : method_catalogue()) {
        if (method->info().needs != MethodNeeds::Derivative) {
            continue;
        }
        for (const auto& [boundary, location] : {std::pair(Boundary::Exact, EventLocation::DenseOutput),
                                                 std::pair(Boundary::RunAhead, EventLocation::DenseOutput),
                                                 std::pair(Boundary::Exact, EventLocation::RepeatShorter),
                                                 std::pair(Boundary::RunAhead, EventLocation::RepeatShorter)}) {
            for (int budget = 1; budget < 60; ++budget) {
                EventSystem<2, 1> system;
                system.f = [](double, const auto& y) { return std::array{y[1], -9.8 * sine(y[0])}; };
                system.g = [](double, const auto& y) { return std::array{y[0]}; };
                system.at_event = [](double, auto, auto& y) {
                    y[1] *= 0.9;
                    return EventAction::Restart;
                };
                IntegratorService service;
                IntegratorSettings settings = settings_of(method->info().name, 1e-7, boundary);
                settings.event_location = location;
                settings.budget = budget;
                settings.substeps = 3;
                service.configure(system, settings);
                std::array<double, 2> y{0.0, -2.0};
                double t = 0.0;
                for (int frame = 1; frame < 40; ++frame) {
                    const std::int64_t before = system.calls;
                    const StepReport report = service.advance(system, t, t + 0.1, y);
                    CAPTURE(method->info().name);
                    CAPTURE(budget);
                    REQUIRE(report.evaluations <= budget);
                    REQUIRE(report.evaluations == system.calls - before);
                    t += report.simulated;
                }
            }
        }
    }
}

TEST_CASE("memory saved while an event is pending continues bit for bit") {
    for (const EventLocation location : {EventLocation::DenseOutput, EventLocation::RepeatShorter}) {
        for (int saved_at = 1; saved_at < 120; saved_at += 7) {
            EventSystem<2, 1> system = thrown();
            system.at_event = [](double, auto, auto& y) {
                y[1] *= -0.8;
                return EventAction::Restart;
            };
            IntegratorSettings settings = settings_of("dormand_prince54", 1e-6);
            settings.event_location = location;
            IntegratorService service;
            service.configure(system, settings);
            IntegratorService copy;
            copy.configure(system, settings);
            std::array<double, 2> y{1.0, 0.0};
            std::array<double, 2> z{};
            for (int i = 0; i < 150; ++i) {
                const StepReport report = service.advance(system, i * kFrame, (i + 1) * kFrame, y);
                if (i > saved_at) {
                    const StepReport again = copy.advance(system, i * kFrame, (i + 1) * kFrame, z);
                    CAPTURE(i);
                    CAPTURE(saved_at);
                    CAPTURE(static_cast<int>(location));
                    REQUIRE(y == z);
                    REQUIRE(report.evaluations == again.evaluations);
                    REQUIRE(report.events == again.events);
                }
                if (i == saved_at) {
                    std::vector<std::byte> bytes;
                    service.save(bytes);
                    std::span<const std::byte> rest(bytes);
                    REQUIRE(copy.restore(system, rest));
                    CHECK(rest.empty());
                    z = y;
                }
            }
        }
    }
}

TEST_CASE("what a model leaves beyond a surface by round-off is seen to hop and come back, however long the substep") {
    constexpr double kHop = 0.005;    // m/s, upwards from the first event: a hop of 1 ms, between two samples
    constexpr double kBelow = 1e-10;  // m, by which a projection may be off
    constexpr double kDeepest = 1e-4; // m, that is told: below, no parabola through samples bends towards the hop
    for (const std::string_view method : methods_of_order_two()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method);
            EventSystem<2, 1> system = thrown();
            system.g = [](double, const auto& state) {
                const double height = state[0];
                return std::array{height > 0.0 ? height : height / (1.0 - height / kDeepest)};
            };
            int events = 0;
            system.at_event = [&](double, std::span<const std::size_t>, std::array<double, 2>& state) {
                state = {-kBelow, kHop};
                return ++events == 2 ? EventAction::Stop : EventAction::Restart;
            };
            IntegratorService service;
            service.configure(system, settings_of(method, 1e-8, boundary));
            std::array y{1.0, 0.0};
            const StepReport report = run(service, system, y, 2.0, kFrame);
            CHECK(report.status == StepStatus::EventLocated);
            CHECK(events == 2);
            CHECK(std::abs(report.simulated - std::sqrt(2.0 / kGravity) - 2.0 * kHop / kGravity) < 2.0 * kBelow / kHop);
        }
    }
}
