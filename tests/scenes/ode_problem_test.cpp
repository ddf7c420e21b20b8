// The list of initial value problems: that what it claims of each is so.
#include <doctest/doctest.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "substep/scenes/ode_problem.h"

using namespace substep;

namespace {

double parsed(const nlohmann::json& decimal) {
    const std::string text = decimal.get<std::string>();
    double value = 0.0;
    REQUIRE(std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{});
    return value;
}

// True to what rounding t1 and y0 to double may change: the longest run's t1 moves by 9e-15, at rates of up to 6.
bool agrees(double a, double b) { return std::fabs(a - b) <= 5e-14 * (1.0 + std::fabs(b)); }

} // namespace

TEST_CASE("problems have distinct names, and everything a reader needs") {
    std::set<std::string_view> ids;
    for (const OdeProblem& problem : ode_problem_list()) {
        CAPTURE(problem.id);
        CHECK(ids.insert(problem.id).second);
        CHECK(find_ode_problem(problem.id) == &problem);
        CHECK_FALSE(problem.title.empty());
        CHECK_FALSE(problem.equations.empty());
        CHECK_FALSE(problem.source.empty());
        CHECK_FALSE(problem.curves.empty());
        CHECK(problem.components.size() == problem.y0.size());
        CHECK((problem.y1.empty() || problem.y1.size() == problem.y0.size()));
        CHECK(problem.t1 > problem.t0);
        CHECK((!problem.exact || !problem.exact_text.empty()));
        CHECK((!problem.y1.empty() || !problem.event_times.empty())); // something is known of its end
        const int components = static_cast<int>(problem.y0.size());
        for (const OdeCurve& curve : problem.curves) {
            CHECK((curve.across >= OdeCurve::kTime && curve.across < components));
            CHECK((curve.up >= 0 && curve.up < components));
        }
    }
    CHECK(find_ode_problem("no_such_problem") == nullptr);
}

TEST_CASE("closed forms begin at y0, end at y1 and satisfy the equations in between") {
    int checked = 0;
    for (const OdeProblem& problem : ode_problem_list()) {
        if (!problem.exact) {
            continue;
        }
        CAPTURE(problem.id);
        ++checked;
        const std::size_t n = problem.y0.size();
        std::vector<double> y(n), before(n), after(n), rate(n);
        problem.exact(problem.t0, y);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(agrees(y[i], problem.y0[i]));
        }
        if (!problem.y1.empty()) {
            problem.exact(problem.t1, y);
            for (std::size_t i = 0; i < n; ++i) {
                CHECK(agrees(y[i], problem.y1[i]));
            }
        }
        // Central differences: error h^2 y'''/6 with y''' up to 1e3 of Kepler's e = 0.9 near the Sun, plus 1e-15/h.
        constexpr double h = 1e-5;
        for (const double fraction : {0.13, 0.5, 0.87}) {
            const double t = problem.t0 + fraction * (problem.t1 - problem.t0);
            problem.exact(t, y);
            problem.exact(t - h, before);
            problem.exact(t + h, after);
            problem.derivative(t, y, rate);
            for (std::size_t i = 0; i < n; ++i) {
                CAPTURE(i);
                const double difference = (after[i] - before[i]) / (2.0 * h);
                CHECK(std::fabs(difference - rate[i]) <= 1e-8 * (1.0 + std::fabs(rate[i])));
            }
        }
    }
    CHECK(checked >= 20);
}

TEST_CASE("a separable problem's force and drift add up to its derivative") {
    int checked = 0;
    for (const OdeProblem& problem : ode_problem_list()) {
        const auto system = make_ode_system(problem);
        CAPTURE(problem.id);
        CHECK((system->kick_drift_split() != nullptr) == problem.separable);
        CHECK((system->event_functions() != nullptr) == !problem.events.empty());
        if (!problem.separable) {
            continue;
        }
        ++checked;
        const std::size_t n = problem.y0.size();
        std::vector<double> rate(n), force(n), moved = problem.y0;
        system->derivative(problem.t0, problem.y0, rate);
        KickDriftSplit& split = *system->kick_drift_split();
        split.force(problem.t0, problem.y0, force);
        constexpr double h = 0.5; // a power of two: the drift below is exact
        REQUIRE(split.drift(problem.t0, h, moved));
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(std::fabs(force[i] + (moved[i] - problem.y0[i]) / h - rate[i]) <= 1e-14);
        }
        // Accelerations do not depend on velocities.
        std::vector<double> faster = problem.y0, other(n);
        for (std::size_t i = n / 2; i < n; ++i) {
            faster[i] += 1.0;
        }
        split.force(problem.t0, faster, other);
        CHECK(other == force);
    }
    CHECK(checked >= 9);
}

TEST_CASE("event functions vanish at the exact times of events") {
    int checked = 0;
    for (const OdeProblem& problem : ode_problem_list()) {
        if (problem.events.empty() || !problem.exact) {
            continue;
        }
        CAPTURE(problem.id);
        ++checked;
        std::vector<double> y(problem.y0.size());
        for (const double t : problem.event_times) {
            problem.exact(t, y);
            // Times are rounded to double: 2e-16 t, times the slope of g, at most 13.
            CHECK(std::fabs(problem.events[0].value(t, y)) <= 2e-14);
        }
    }
    CHECK(checked >= 4);
}

TEST_CASE("embedded values are those of the reference file") {
    const auto path = std::filesystem::path(SUBSTEP_SOURCE_DIR) / "../shared/reference/ivp_reference.json";
    std::ifstream file(path);
    if (!file) {
        MESSAGE("skipped: there is no " << path.lexically_normal().string());
        return;
    }
    const nlohmann::json reference = nlohmann::json::parse(file);
    for (const auto& row : reference.at("problems")) {
        const std::string id = row.at("id");
        CAPTURE(id);
        const OdeProblem* problem = find_ode_problem(id);
        REQUIRE(problem != nullptr);
        CHECK(problem->t0 == parsed(row.at("t0")));
        CHECK(problem->t1 == parsed(row.at("t1")));
        REQUIRE(row.at("y0").size() == problem->y0.size());
        for (std::size_t i = 0; i < problem->y0.size(); ++i) {
            CHECK(std::fabs(problem->y0[i] - parsed(row.at("y0")[i])) <= 5e-16); // products of pi are rounded twice
            CHECK(agrees(problem->y1[i], parsed(row.at("y1")[i])));
        }
    }
    for (const auto& row : reference.at("events")) {
        CHECK(find_ode_problem(row.at("id").get<std::string>()) != nullptr);
    }
}
