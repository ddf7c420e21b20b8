// Joints of all scenes under tolerances so coarse that substeps take several frames.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "substep/engine/automatic.h"
#include "substep/scenes/truth_check.h"

using namespace substep;

TEST_CASE("the joints of every scene are closed to 1e-12 after every frame that ran ahead at coarse tolerances" *
          doctest::skip(kSanitized)) {
    constexpr int kFrames = 90;
    for (const SceneInfo& info : scene_list()) {
        if (make_scene(info).world.joints().empty()) {
            continue;
        }
        SceneTrials trials(info);
        std::vector<std::string> methods{std::string(kAutoMethod)};
        for (const IntegrationMethod* method : method_catalogue()) {
            if (method->info().adaptive && trials.takes(method->info())) {
                methods.emplace_back(method->info().name);
            }
        }
        for (const std::string& method : methods) {
            for (const double tolerance : {1e-2, 1e-3}) {
                CAPTURE(info.name);
                CAPTURE(method);
                CAPTURE(tolerance);
                Scene scene = make_scene(info);
                WorldSettings settings = scene.world.settings();
                settings.integrator = truth_settings();
                settings.integrator.method = method;
                settings.integrator.atol = settings.integrator.rtol = tolerance;
                scene.world.set_settings(settings);
                double worst = 0.0; // m or rad, of scenes of metres
                bool reached = true;
                for (int frame = 0; frame < kFrames; ++frame) {
                    reached = scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget && reached;
                    for (const JointId joint : scene.world.joints()) {
                        worst = std::max(worst, scene.world.joint_error(joint));
                    }
                }
                CHECK(reached);
                CHECK(worst <= 1e-12);
            }
        }
    }
}

TEST_CASE("frames between the substeps of Bennett's loop are as right as their ends, whatever rows these left out") {
    for (const char* method : {"dormand_prince54", "tsitouras54", "dormand_prince853", "verner87"}) {
        CAPTURE(method);
        IntegratorSettings settings = truth_settings();
        settings.method = method;
        settings.atol = settings.rtol = 1e-3;
        // A tolerance a substep, of which there are up to 150 in ten seconds.
        CHECK(run_scene(*find_scene("bennett"), settings, 60.0, 10.0).error < 0.15);
    }
}

TEST_CASE("velocity steps keep Bennett's loop moving and closed, whatever their length") {
    for (const int substeps : {1, 2, 4, 8, 16}) {
        CAPTURE(substeps);
        Scene scene = make_scene(*find_scene("bennett"));
        WorldSettings settings = scene.world.settings();
        settings.integrator.method = "impulse_euler";
        settings.integrator.substeps = substeps;
        scene.world.set_settings(settings);
        double worst = 0.0; // m or rad
        bool reached = true;
        for (int frame = 0; frame < 300; ++frame) {
            reached = scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget && reached;
            for (const JointId joint : scene.world.joints()) {
                worst = std::max(worst, scene.world.joint_error(joint));
            }
        }
        CHECK(reached);
        CHECK(worst <= 1e-12);
    }
}
