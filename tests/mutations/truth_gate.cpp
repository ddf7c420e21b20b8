// Runs every scene against its truth once and prints which of them fail: what a mutation must turn red.
#include <cmath>
#include <cstdio>
#include <exception>

#include "substep/scenes/truth_check.h"

int main() {
    using namespace substep;
    // A broken engine may ask for ever smaller substeps; a sound one makes some hundred evaluations in a frame.
    IntegratorSettings settings = truth_settings();
    settings.budget = 20'000;
    int red = 0;
    for (const SceneInfo& info : scene_list()) {
        if (!info.has_truth) {
            continue;
        }
        SceneTrials trials(info);
        double error = 0.0;
        try {
            error = trials.run(settings, 60.0, trials.truth()->until()).error;
        } catch (const std::exception& failure) {
            std::printf("%.*s: %s\n", static_cast<int>(info.name.size()), info.name.data(), failure.what());
            error = INFINITY;
        }
        if (!(error <= trials.truth()->threshold())) {
            ++red;
            std::printf("red %.*s %.2g\n", static_cast<int>(info.name.size()), info.name.data(), error);
            std::fflush(stdout);
        }
    }
    return red > 0 ? 1 : 0;
}
