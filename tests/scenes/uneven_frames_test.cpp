// Frames of uneven lengths: what runs ahead goes by time, not by frames.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "substep/integrators/integration_method.h"
#include "substep/scenes/scene.h"

using namespace substep;

namespace {

/// Largest error of a scene in its first seconds; seed 0: steady frames of 1/60 s, others: frames of 1/240 to 1/30 s.
double error_of(std::string_view name, std::string_view method, double tolerance, unsigned seed) {
    constexpr double kSeconds = 3.9; // until there all exact solutions are known
    Scene scene = make_scene(*find_scene(name));
    WorldSettings settings = scene.world.settings();
    settings.integrator.method = method;
    settings.integrator.atol = settings.integrator.rtol = tolerance;
    settings.integrator.boundary = Boundary::RunAhead;
    scene.world.set_settings(settings);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> length(1.0 / 240.0, 1.0 / 30.0);
    double error = 0.0;
    while (scene.world.time() < kSeconds) {
        const StepReport report = scene.world.advance(seed == 0 ? 1.0 / 60.0 : length(random));
        REQUIRE(report.status == StepStatus::ReachedTarget);
        CHECK_FALSE(report.degraded);
        error = std::max(error, scene.truth->error(scene.world));
    }
    return error;
}

} // namespace

TEST_CASE("frames of uneven lengths give the errors of steady ones where limits, bounces and slides are met") {
    struct Row {
        const char* scene;
        double tolerances; ///< that errors may be large: what rests on the impact before it grows with each
    };
    constexpr double kTolerance = 1e-8;
    int methods = 0;
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive || info.needs != MethodNeeds::Derivative) {
            continue;
        }
        ++methods;
        CAPTURE(std::string(info.name));
        for (const Row row : {Row{"stops", 500.0}, Row{"bouncing_ball", 1.0}, Row{"slide_to_roll", 500.0}}) {
            CAPTURE(std::string(row.scene));
            const double steady = error_of(row.scene, info.name, kTolerance, 0);
            CHECK(steady < row.tolerances * kTolerance);
            for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
                CAPTURE(seed);
                CHECK(error_of(row.scene, info.name, kTolerance, seed) < std::max(4.0 * steady, kTolerance));
            }
        }
    }
    CHECK(methods >= 8);
}
