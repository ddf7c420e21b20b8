// Every scene against its truth, at every frame rate. That every suitable method comes closer to it, at its own order,
// `substep verify` shows, which tests/documents runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "../sanitized.h"
#include "substep/scenes/truth_check.h"

using namespace substep;

namespace {

// Until when a scene has shown what it is about, s: half a second does for most, and for the loop's cost.
double telling_time(std::string_view scene) {
    struct Row {
        std::string_view scene;
        double seconds;
    };
    constexpr Row kLater[] = {
        {"head_on_collision", 1.1}, // the impact is at 0.91 s
        {"oblique_collision", 0.9}, // at 0.68 s
        {"folded_chain", 1.1},      // the whip
        {"dzhanibekov", 4.0},       // the first flip, half of a period of 6.55 s
    };
    const auto* const row = std::ranges::find(kLater, scene, &Row::scene);
    return row != std::end(kLater) ? row->seconds : 0.5;
}

} // namespace

TEST_CASE("every truth holds to its threshold at 30, 60 and 120 frames a second, until its time") {
    // Under a sanitizer at one rate and not to the end: later frames execute what earlier ones did.
    const auto rates = std::span(kTruthFrameRates).first(kSanitized ? 1 : std::size(kTruthFrameRates));
    for (const SceneInfo& info : scene_list()) {
        if (!info.has_truth) {
            continue;
        }
        SceneTrials trials(info);
        const Truth* const truth = trials.truth();
        REQUIRE(truth != nullptr);
        CHECK(truth->threshold() > 0.0);
        CHECK(truth->threshold() < truth->visible_error());
        CHECK(truth->until() <= truth->known_until());
        for (const double fps : rates) {
            CAPTURE(info.name);
            CAPTURE(fps);
            const TruthRun run = trials.run(
                truth_settings(), fps, kSanitized ? std::min(truth->until(), telling_time(info.name)) : truth->until());
            CHECK(run.error <= truth->threshold());
        }
    }
}

TEST_CASE("adaptive velocity steps keep collisions to their tolerance, and bounces off stops come closer with it" *
          doctest::skip(kSanitized)) {
    IntegratorSettings settings = truth_settings();
    settings.method = "impulse_euler_doubling";
    settings.boundary = Boundary::Exact;
    const auto run_at = [&](const char* scene, double tolerance, double seconds) {
        settings.atol = settings.rtol = tolerance;
        return run_scene(*find_scene(scene), settings, 60.0, seconds);
    };
    for (const char* scene : {"head_on_collision", "oblique_collision"}) {
        const TruthRun before = run_at(scene, 1e-3, 0.5);
        CHECK(before.error <= 1e-13); // nothing has met: every step is exact
        for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
            CAPTURE(scene);
            CAPTURE(tolerance);
            const TruthRun run = run_at(scene, tolerance, 2.0); // they meet at 0.91 and 0.68 s
            // Places are off by what the impact's steps were: of each of the two bodies a tolerance of 1.2 (m, for a
            // metre and its size), as an angle five times that.
            CHECK(run.error <= 20.0 * tolerance);
            CHECK(run.error > 0.0);
            CHECK(run.evaluations <= 3 * 2 * (120 + 40)); // halving no more than time has bits between
        }
    }
    // Six impacts of three bodies. Hinges lose of a velocity what a step's length squared takes, which places do not
    // tell: the error falls with the tolerance's third root, 22 times, of which impacts may spoil a little.
    CHECK(run_at("stops", 1e-9, 3.0).error <= 0.125 * run_at("stops", 1e-5, 3.0).error);
}

TEST_CASE("the times over which methods and frame rates are compared reach the impacts of every scene that has some") {
    for (const char* name : {"head_on_collision", "oblique_collision", "bouncing_ball", "stops"}) {
        CAPTURE(name);
        Scene scene = make_scene(*find_scene(name));
        std::size_t impacts = 0;
        while (scene.world.time() < telling_time(name)) {
            scene.world.advance(1.0 / scene.fps);
            impacts += scene.world.impacts().size();
        }
        CHECK(impacts > 0);
    }
}

TEST_CASE("what a method makes of a scene depends on its substeps, not on how many frames there are") {
    // The same substeps, or the same tolerance, at 30, 60 and 120 frames a second. The error is the largest at any
    // frame, so that more frames see a little more of it, and of the dense output's error between substeps, which few
    // frames may miss (three times, measured with verner87). A force held over a frame would make it double.
    // Under a sanitizer they run at one rate, with fewer substeps and looser tolerances, and nothing is compared.
    const auto rates = std::span(kTruthFrameRates).first(kSanitized ? 1 : std::size(kTruthFrameRates));
    const double kSubstepsPerSecond = kSanitized ? 60.0 : 960.0;
    for (const SceneInfo& info : scene_list()) {
        if (!info.has_truth) {
            continue;
        }
        SceneTrials trials(info);
        const double rounding = trials.truth()->threshold();
        for (const IntegrationMethod* method : method_catalogue()) {
            if (!trials.takes(method->info())) {
                continue;
            }
            CAPTURE(info.name);
            CAPTURE(method->info().name);
            IntegratorSettings settings = truth_settings();
            settings.method = method->info().name;
            settings.boundary = suitable_boundary(method->info(), info);
            // A method of high order at a loose tolerance would make no more substeps than there are frames.
            settings.atol = settings.rtol = kSanitized || method->info().order < 2 ? 1e-4
                                            : method->info().order >= 6            ? 1e-11
                                                                                   : 1e-8;
            double least = INFINITY, largest = 0.0;
            for (const double fps : rates) {
                settings.substeps = static_cast<int>(std::lround(kSubstepsPerSecond / fps));
                const double error = trials.run(settings, fps, telling_time(info.name)).error;
                least = std::min(least, error);
                largest = std::max(largest, error);
            }
            // Between contacts motions are polynomials, exact at any h; what is left is where frames and transitions
            // fall into a substep, within the tolerance at every rate (14 times it at most, measured).
            const double by_chance = info.contacts && method->info().adaptive ? 30.0 * settings.atol : 0.0;
            // Velocity steps end with every frame. Where nothing else bounds them, as of a body that tumbles, a quarter
            // of the frames makes sixteen times the error of turns and moves that are of second order.
            const bool by_frames = method->info().adaptive && method->info().needs == MethodNeeds::VelocityStep;
            const double factor = by_frames ? 20.0 : method->info().adaptive ? 10.0 : 1.5;
            CHECK(largest <= std::max({factor * least, rounding, by_chance}));
        }
    }
}

TEST_CASE("scenes of one group follow one another") {
    std::set<std::string_view> seen;
    std::string_view last;
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        CHECK_FALSE(info.group.empty());
        if (info.group != last) {
            CHECK(seen.insert(info.group).second);
            last = info.group;
        }
    }
}
