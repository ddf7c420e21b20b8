// Equations of the gallery, and trials of what comes next: nothing of the experiment itself changes.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "exhibition.h"
#include "ode_run.h"
#include "work_precision.h"

using namespace substep;

namespace {

constexpr double kFrame = 1.0 / 60.0;

// Until it ends, in frames of that length.
void run_to_end(OdeRun& run, double frame) {
    for (int i = 0; i < 2000 && !run.is_over() && run.failure().empty(); ++i) run.advance(frame);
}

void set_tolerance(Experiment& experiment, double tolerance) {
    IntegratorSettings settings = experiment.integrator();
    settings.atol = settings.rtol = tolerance;
    experiment.set_integrator(settings);
}

void wait_for(const WorkPrecision& trials) {
    for (int i = 0; i < 12'000 && trials.is_running(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    REQUIRE_FALSE(trials.is_running());
}

} // namespace

TEST_CASE(
    "every equation of the gallery runs to its end or its event, and a finer tolerance brings it nearer to the truth") {
    REQUIRE(ode_gallery().size() >= 6);
    for (const OdeProblem* problem : ode_gallery()) {
        CAPTURE(std::string(problem->id));
        double coarse = 0.0;
        for (const double tolerance : {1e-5, 1e-9}) {
            OdeRun run(*problem);
            set_tolerance(run, tolerance);
            run_to_end(run, kFrame);
            REQUIRE(run.failure().empty());
            CHECK(run.is_over());
            const bool stops = !problem->event_times.empty() && run.time() < problem->t1;
            // An event is met to the tolerance times what its surface makes of it; 1e-3 is far from missing it.
            CHECK(run.time() == doctest::Approx(stops ? problem->event_times.front() : problem->t1).epsilon(1e-3));
            if (tolerance == 1e-5) coarse = run.max_error();
            // Four decades of tolerance are worth at least one of error, even in chaos.
            if (tolerance == 1e-9) CHECK(run.max_error() < 0.1 * coarse);
            REQUIRE(!run.paths().empty());
            CHECK(run.paths()[0].simulated.size() > 100);
            CHECK(run.paths()[0].converged.size() > 100);
        }
    }
}

TEST_CASE("an equation takes the same steps however wall time is cut into frames, and again after a reset") {
    const OdeProblem& problem = *find_ode_problem("arenstorf");
    OdeRun whole(problem);
    OdeRun halves(problem);
    for (int i = 0; i < 100; ++i) whole.advance(2.0 * kFrame);
    for (int i = 0; i < 200; ++i) halves.advance(kFrame);
    CHECK(whole.time() == halves.time());
    CHECK(std::ranges::equal(whole.state(), halves.state()));
    const std::vector<double> before(whole.state().begin(), whole.state().end());
    whole.reset();
    CHECK(whole.time() == problem.t0);
    for (int i = 0; i < 100; ++i) whole.advance(2.0 * kFrame);
    CHECK(std::ranges::equal(whole.state(), before));
    CHECK(std::ranges::find(problem.components, whole.limited_by()) != problem.components.end());
}

TEST_CASE("methods that an equation cannot use are refused by name, with the reason, and nothing changes") {
    for (const OdeProblem* problem : ode_gallery()) {
        OdeRun run(*problem);
        for (const IntegrationMethod* method : method_catalogue()) {
            CAPTURE(std::string(problem->id));
            CAPTURE(std::string(method->info().name));
            IntegratorSettings settings = run.integrator();
            settings.method = method->info().name;
            if (run.unsuitable(method->info()).empty()) {
                CHECK_NOTHROW(run.set_integrator(settings));
            } else {
                const std::string before = run.integrator().method;
                CHECK_THROWS_AS(run.set_integrator(settings), std::invalid_argument);
                CHECK(run.integrator().method == before);
            }
        }
    }
}

TEST_CASE(
    "trials leave the experiment as it is, and a finer tolerance has a smaller error for every method that has one") {
    Simulation scene(make_run("pendulum", RunWords{}));
    OdeRun equation(*find_ode_problem("arenstorf"));
    for (Experiment* experiment : {static_cast<Experiment*>(&scene), static_cast<Experiment*>(&equation)}) {
        for (int i = 0; i < 30; ++i) experiment->advance(kFrame);
        const std::uint64_t hash = scene.scene().world.hash();
        const std::vector<double> state(equation.state().begin(), equation.state().end());
        WorkPrecision trials;
        trials.start(*experiment);
        CHECK(trials.total() > 50);
        wait_for(trials);
        CHECK(trials.done() == trials.total());
        CHECK(scene.scene().world.hash() == hash);
        CHECK(std::ranges::equal(equation.state(), state));

        std::map<std::size_t, TrialPoint> coarsest;
        std::map<std::size_t, TrialPoint> finest;
        for (const TrialPoint& point : trials.points()) {
            coarsest.try_emplace(point.method, point);
            finest.insert_or_assign(point.method, point);
        }
        for (const auto& entry : coarsest) {
            const MethodInfo& info = method_catalogue()[entry.first]->info();
            if (!info.adaptive) continue;
            CAPTURE(std::string(info.name));
            const TrialPoint& first = entry.second;
            const TrialPoint& last = finest.at(entry.first);
            REQUIRE(last.settings.rtol < 1e-3 * first.settings.rtol);
            CHECK(last.result.error < 0.2 * first.result.error);
            CHECK(last.result.evaluations > first.result.evaluations);
        }

        // The same trial twice has the same result; a stop that was requested has none.
        const Trials again = experiment->trials();
        const TrialPoint point = trials.points().front();
        const std::optional<TrialResult> result = again.run(point.settings, std::stop_token{});
        REQUIRE(result);
        CHECK(result->error == point.result.error);
        CHECK(result->evaluations == point.result.evaluations);
        std::stop_source stop;
        stop.request_stop();
        CHECK_FALSE(again.run(point.settings, stop.get_token()));
    }
}

TEST_CASE("trials end when they are cancelled, and the list of exhibits names each once") {
    OdeRun run(*find_ode_problem("pleiades"));
    WorkPrecision trials;
    trials.start(run);
    trials.cancel();
    CHECK_FALSE(trials.is_running());
    trials.clear();
    CHECK(trials.points().empty());
    CHECK(trials.total() == 0);

    std::map<std::string, int> names;
    for (const ExhibitInfo& info : exhibit_list()) CHECK(++names[info.name] == 1);
    Exhibition exhibition(make_run("pendulum", RunWords{}));
    CHECK_THROWS_AS(exhibition.choose("pendulun"), std::invalid_argument);
    CHECK(exhibition.info().name == "pendulum");
    exhibition.choose("arenstorf");
    CHECK(exhibition.experiment() == exhibition.equation());
}
