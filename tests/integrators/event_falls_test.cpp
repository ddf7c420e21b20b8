// Event functions with bounds: no fall is missed, few looks are made, and each is at one function alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "substep/integrators/events.h"
#include "substep/integrators/integrator_service.h"
#include "substep/integrators/interpolant.h"

using namespace substep;

namespace {

/// Distances of points of the plane from circles about the origin. Each point has two components of the state.
class Circles final : public EventFunctions {
public:
    std::vector<double> radii;
    std::vector<int> looks;   ///< at each circle by itself
    bool knows_bounds = true; ///< else they are sampled
    double centre = 0.0;      ///< of all circles, in x and y: far away distances are known to rounding of places
    int samples = 0;

    explicit Circles(std::vector<double> all) : radii(std::move(all)), looks(radii.size()) {}

    std::size_t event_count() const override { return radii.size(); }
    EventTraits event_traits(std::size_t) const override { return {EventDirection::Falling, EventSide::After}; }
    void event_values(double, std::span<const double> y, std::span<double> g) override {
        for (std::size_t i = 0; i < radii.size(); ++i) {
            g[i] = std::hypot(y[2 * i] - centre, y[2 * i + 1] - centre) - radii[i];
        }
    }
    EventBounds bounds_along(std::size_t i, const Interpolant& path, double) override {
        if (!knows_bounds) {
            return {};
        }
        const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * centre;
        EventBounds bounds{.rate = 0.0, .bend = 0.0, .shallow = 1e-10 * radii[i] + rounding};
        for (std::size_t k = 0; k < path.order(); ++k) {
            const std::span<const double> c = path.coefficients(k).subspan(2 * i, 2);
            bounds.rate += Interpolant::kSteepest[k] * std::hypot(c[0], c[1]) / std::fabs(path.length());
            bounds.bend += Interpolant::kSharpest[k] * std::hypot(c[0], c[1]) / (path.length() * path.length());
        }
        return bounds;
    }
    EventCourse course_along(std::size_t i, const Interpolant& path, double t) override {
        ++looks[i];
        std::array<double, 2> x{};
        std::array<double, 2> v{};
        path.follow(t, 2 * i, x, v);
        const double right = x[0] - centre;
        const double up = x[1] - centre;
        const double distance = std::hypot(right, up);
        return {distance - radii[i], (right * v[0] + up * v[1]) / distance};
    }
    void sampled_values(double t, std::span<const double> y, std::span<double> g) override {
        ++samples;
        event_values(t, y, g);
    }
    EventAction on_event(double, std::span<const std::size_t>, std::span<double>) override {
        return EventAction::Continue;
    }
};

/// A path of one substep, and a locator that looks along it.
struct Flight {
    std::vector<double> y0, y1;
    Interpolant path;
    EventLocator locator;

    /// Straight lines, with bends of the given sizes: of the cubic, then of the terms of higher degree.
    Flight(std::vector<double> from, std::vector<double> to, double h, double bend, double more, std::mt19937& random)
        : y0(std::move(from)), y1(std::move(to)) {
        std::uniform_real_distribution<double> part(-1.0, 1.0);
        const std::size_t n = y0.size();
        std::vector<double> f0(n);
        std::vector<double> f1(n);
        for (std::size_t k = 0; k < n; ++k) {
            f0[k] = (y1[k] - y0[k] + bend * part(random)) / h;
            f1[k] = (y1[k] - y0[k] + bend * part(random)) / h;
        }
        path.resize(n);
        path.set(0.0, h, y0, f0, y1, f1);
        if (more > 0.0) {
            path.set_terms(Interpolant::kMaxTerms);
            for (std::size_t j = 0; j < Interpolant::kMaxTerms; ++j) {
                for (double& q : path.term(j)) {
                    q = more * part(random);
                }
            }
        }
        locator.resize(n / 2, n);
    }
    EventLocator::Outcome scan(Circles& circles) {
        REQUIRE(locator.begin(circles, 0.0, y0));
        return locator.scan(circles, path, 0.0, path.length(), y1);
    }
};

/// A flight past one circle, at a distance between 0 and `most` radii if the line is straight, anywhere in the substep.
Flight random_flight(double radius, double most, double length, double bend, double more, std::mt19937& random) {
    std::uniform_real_distribution<double> part(0.0, 1.0);
    const double angle = 6.283185307179586 * part(random);
    const double miss = most * radius * part(random);
    const double ahead = 1.001 * radius + length * part(random);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const std::vector<double> from{-ahead * c - miss * s, -ahead * s + miss * c};
    return {from, {from[0] + length * c, from[1] + length * s}, 1.0 / 60.0, bend, more, random};
}

} // namespace

TEST_CASE("a fall of a function with bounds is found however short, and where it happens first") {
    std::mt19937 random(1);
    int hits = 0;
    int missed_by_samples = 0;
    std::array<std::vector<int>, 2> looks; // at what passes by, and at what hits
    for (int i = 0; i < 6000; ++i) {
        // Straight, bent a little, bent as much as it is long: in lengths of 1 to 1000 radii.
        const double length = std::pow(10.0, i % 4);
        const double bend = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.3 : length;
        Flight flight =
            random_flight(1.0, i % 5 == 0 ? 1.2 : 10.0, length, bend, i % 2 == 0 ? 0.0 : 3.0 * bend, random);
        Circles circles({1.0});
        const bool found = flight.scan(circles) == EventLocator::Outcome::Found;
        looks[found ? 1 : 0].push_back(circles.looks[0]);

        // Where it first is inside, by very many samples; grazes may lie between them.
        const int kSamples = 20 * static_cast<int>(length) + 2000;
        std::array<double, 2> y{};
        double inside = -1.0;
        double lowest = 1.0;
        for (int k = 0; k <= kSamples && inside < 0.0; ++k) {
            const double t = flight.path.length() * k / kSamples;
            flight.path.evaluate(t, y);
            const double g = std::hypot(y[0], y[1]) - 1.0;
            lowest = std::min(lowest, g);
            inside = g < 0.0 ? t : inside;
        }
        CAPTURE(i);
        if (inside >= 0.0) {
            ++hits;
            REQUIRE(found);
            CHECK(flight.locator.time() <= inside + 1e-15);
            CHECK(flight.locator.time() > inside - 1.01 * flight.path.length() / kSamples);
            Circles sampled({1.0});
            sampled.knows_bounds = false;
            missed_by_samples += flight.scan(sampled) == EventLocator::Outcome::Found ? 0 : 1;
        } else {
            CHECK((!found || lowest < 0.01)); // a graze, between two samples
        }
    }
    CHECK(hits > 1000);
    CHECK(missed_by_samples > 50); // what there would be to miss
    for (std::vector<int>& of : looks) {
        std::ranges::sort(of);
        MESSAGE(of.size(), ": ", of[of.size() / 2], ", at most ", of.back());
        CHECK(of.back() <= 40);
    }
    CHECK(looks[0][looks[0].size() / 2] <= 4);
    CHECK(looks[1][looks[1].size() / 2] <= 8);
}

TEST_CASE("a function that is far from zero is not looked at, and one that grazes or rests costs few looks") {
    std::mt19937 random(2);
    // Two points fly far from their circles, one through its own.
    Flight far({-10.0, 50.0, -10.0, 0.5, 20.0, -60.0}, {10.0, 50.0, 10.0, 0.5, 20.0, -60.0}, 0.1, 0.1, 0.0, random);
    Circles three({1.0, 1.0, 1.0});
    CHECK(far.scan(three) == EventLocator::Outcome::Found);
    CHECK(three.looks[0] == 0);
    CHECK(three.looks[1] > 0);
    CHECK(three.looks[2] == 0);
    CHECK(three.samples == 0);
    CHECK(std::vector<std::size_t>(far.locator.events().begin(), far.locator.events().end()) ==
          std::vector<std::size_t>{1});

    for (const double depth : {1e-2, 1e-6, 1e-9, 1e-12, 0.0, -1e-15, -1e-12, -1e-9, -1e-6, -1e-2}) {
        for (const double at : {1e-6, 1e-3, 0.1, 1.0 / 3.0, 0.5, 0.9, 0.9999}) {
            CAPTURE(depth);
            CAPTURE(at);
            const double length = 100.0;
            const double ahead = 0.2 + (length - 0.4) * at;
            Flight graze({-ahead, 1.0 - depth}, {length - ahead, 1.0 - depth}, 0.1, 0.0, 0.0, random);
            Circles circle({1.0});
            const EventLocator::Outcome outcome = graze.scan(circle);
            CHECK(circle.looks[0] <= 40);
            if (depth > 1e-10 || depth < -1e-15) {
                CHECK((outcome == EventLocator::Outcome::Found) == (depth > 0.0));
            }
        }
    }
    for (const double gap : {1e-12, 1e-9, 1e-3}) {
        Flight resting({1.0 + gap, 0.0}, {1.0 + gap, 0.0}, 0.1, 1e-14, 0.0, random);
        Circles circle({1.0});
        CHECK(resting.scan(circle) == EventLocator::Outcome::Nothing);
        CHECK(circle.looks[0] <= 2);
    }
}

TEST_CASE("no pair costs more than 40 looks: hit or passed by a hair, at the origin or millions of radii away") {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> part(0.0, 1.0);
    int most = 0;
    int hits = 0;
    for (int i = 0; i < 40000; ++i) {
        const double length = std::pow(10.0, i % 5 - 1);
        const double hair = std::pow(10.0, -12.0 * part(random)) * (i % 2 == 0 ? 1.0 : -1.0);
        const double miss = i % 3 == 0 ? 1.2 * part(random) : 1.0 + hair;
        const double angle = 6.283185307179586 * part(random);
        const double ahead = 1.001 + length * part(random);
        const double c = std::cos(angle);
        const double s = std::sin(angle);
        Circles circles({1.0});
        circles.centre = i % 4 == 0 ? 4e6 : 0.0;
        const std::vector<double> from{circles.centre - ahead * c - miss * s, circles.centre - ahead * s + miss * c};
        Flight flight(from, {from[0] + length * c, from[1] + length * s}, 1.0 / 60.0, i % 7 == 0 ? 1e-3 : 0.0, 0.0,
                      random);
        hits += flight.scan(circles) == EventLocator::Outcome::Found ? 1 : 0;
        most = std::max(most, circles.looks[0]);
    }
    CHECK(hits > 5000);
    CHECK(most <= 40);
}

TEST_CASE("a function with bounds that has just been an event leaves zero, and falls again within the substep") {
    std::mt19937 random(3);
    // From the circle out and back in: a parabola over x, at rates that let it hop for a part of the substep.
    for (const double part : {1e-6, 1e-3, 0.01, 0.1, 0.5, 0.9}) {
        CAPTURE(part);
        const double h = 0.1;
        const double fall = 9.8;
        const double rise = 0.5 * fall * part * h;
        Flight hop({0.0, 1.0}, {0.0, 1.0 + rise * h - 0.5 * fall * h * h}, h, 0.0, 0.0, random);
        const std::array<double, 2> f0{0.0, rise};
        const std::array<double, 2> f1{0.0, rise - fall * h};
        hop.path.set(0.0, h, hop.y0, f0, hop.y1, f1);
        Circles circle({1.0});
        REQUIRE(hop.scan(circle) == EventLocator::Outcome::Found);
        CHECK(hop.locator.time() == doctest::Approx(part * h).epsilon(1e-9));
        CHECK(circle.looks[0] <= 40);
    }
    // From inside out, which is no event, and on: it is watched from there.
    Flight leaves({0.0, 0.5}, {10.0, 0.5}, 0.1, 0.0, 0.0, random);
    Circles circle({1.0});
    CHECK(leaves.scan(circle) == EventLocator::Outcome::Nothing);
    CHECK(leaves.locator.watch()[0].side == 1.0);
}

TEST_CASE("functions without bounds are sampled as before beside others that have them, also backwards in time") {
    std::mt19937 random(4);
    for (const double h : {0.1, -0.1}) {
        CAPTURE(h);
        Flight flight({-3.0, 0.2}, {7.0, 0.2}, h, 0.0, 0.0, random);
        Circles known({1.0});
        REQUIRE(flight.scan(known) == EventLocator::Outcome::Found);
        const double time = flight.locator.time();
        CHECK(time == doctest::Approx(h * (3.0 - std::sqrt(0.96)) / 10.0).epsilon(1e-12));
        CHECK(known.samples == 0);
        Circles sampled({1.0});
        sampled.knows_bounds = false;
        REQUIRE(flight.scan(sampled) == EventLocator::Outcome::Found);
        CHECK(flight.locator.time() == doctest::Approx(time).epsilon(1e-12));
        CHECK(sampled.samples >= 5);
        CHECK(sampled.looks[0] == 0);
    }
}

namespace {

/// Two points that move along a line without force. The event is the lower one's: it has a kink where they change
/// places, and one bounce turns round one point alone.
class TwoPoints final : public OdeSystem, private EventFunctions {
public:
    int bounces = 0;

    std::size_t size() const noexcept override { return 4; } // heights (m), velocities (m/s)
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = dydt[3] = 0.0;
    }
    EventFunctions* event_functions() noexcept override { return this; }

private:
    std::size_t event_count() const override { return 1; }
    EventTraits event_traits(std::size_t) const override { return {EventDirection::Falling, EventSide::After}; }
    void event_values(double, std::span<const double> y, std::span<double> g) override { g[0] = std::min(y[0], y[1]); }
    EventBounds bounds_along(std::size_t, const Interpolant& path, double) override {
        EventBounds bounds{.rate = 0.0};
        for (std::size_t k = 0; k < path.order(); ++k) {
            const std::span<const double> c = path.coefficients(k);
            bounds.rate += Interpolant::kSteepest[k] * std::max(std::fabs(c[0]), std::fabs(c[1])) / path.length();
        }
        return bounds;
    }
    EventCourse course_along(std::size_t, const Interpolant& path, double t) override {
        std::array<double, 2> x{};
        std::array<double, 2> v{};
        path.follow(t, 0, x, v);
        return x[0] < x[1] ? EventCourse{x[0], v[0]} : EventCourse{x[1], v[1]};
    }
    EventAction on_event(double, std::span<const std::size_t>, std::span<double> y) override {
        ++bounces;
        double& velocity = y[0] < y[1] ? y[2] : y[3];
        velocity = std::fabs(velocity);
        return EventAction::Restart;
    }
};

} // namespace

TEST_CASE("a function that is the least of two has its next event where the other one falls out of the first's band") {
    for (const double above : {0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9}) { // m
        CAPTURE(above);
        TwoPoints points;
        IntegratorService service;
        service.configure(points, {.method = "cash_karp54", .atol = 1e-10, .rtol = 1e-10});
        std::array<double, 4> y{0.25, 0.25 + above, -20.0, -20.0};
        const StepReport report = service.advance(points, 0.0, 0.1, y);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(points.bounces == 2);
        CHECK(y[0] == doctest::Approx(1.75).epsilon(1e-12));
        CHECK(y[1] == doctest::Approx(1.75).epsilon(1e-9));
    }
}
