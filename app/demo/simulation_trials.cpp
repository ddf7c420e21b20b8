// The future of a scene, run with other settings: what the work-precision plot of a scene is made of.
#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include <glm/geometric.hpp>

#include "simulation.h"

namespace substep {

namespace {

constexpr double kTrialSeconds = 3.0;
constexpr double kConvergedTolerance = 1e-13;

using Path = std::vector<glm::dvec3>; // positions of all bodies, frame after frame

// A scene at one moment.
struct Moment {
    WorldSnapshot world; // each run is made by a world of its own
    IntegratorSettings settings;
    double dt;
    int frames;
    Path converged; // made by the first trial

    // Runs from the moment on; false if it was stopped or did not get there.
    bool run(const IntegratorSettings& integrator, const std::stop_token& stop, Path& path, double& evaluations) const {
        World run(world);
        WorldSettings changed = run.settings();
        changed.integrator = integrator;
        run.set_settings(changed);
        std::atomic<bool> interrupt{false};
        run.set_interrupt(&interrupt);
        const std::stop_callback raise(stop, [&] { interrupt = true; });
        for (int frame = 0; frame < frames; ++frame) {
            if (stop.stop_requested()) return false;
            const StepReport report = run.advance(dt);
            if (report.status != StepStatus::ReachedTarget) return false;
            evaluations += static_cast<double>(report.evaluations);
            for (const BodyId body : run.bodies()) path.push_back(run.pose(body).position);
        }
        return true;
    }
};

IntegratorSettings converged_settings(IntegratorSettings settings) {
    settings.method = find_method("dormand_prince853") != nullptr ? "dormand_prince853" : "cash_karp54";
    settings.atol = settings.rtol = kConvergedTolerance;
    settings.boundary = Boundary::Exact;
    settings.budget = 0;
    settings.controller = {};
    return settings;
}

} // namespace

Trials Simulation::trials() const {
    const auto moment = std::make_shared<Moment>(Moment{scene_.world.snapshot(),
                                                        scene_.world.settings().integrator,
                                                        clock_.dt(),
                                                        static_cast<int>(kTrialSeconds * fps_),
                                                        {}});
    const auto run = [moment](const IntegratorSettings& settings,
                              const std::stop_token& stop) -> std::optional<TrialResult> {
        try {
            double ignored = 0.0;
            if (moment->converged.empty()) {
                Path converged;
                if (!moment->run(converged_settings(moment->settings), stop, converged, ignored)) {
                    return std::nullopt;
                }
                moment->converged = std::move(converged);
            }
            Path path;
            TrialResult result;
            if (!moment->run(settings, stop, path, result.evaluations)) return std::nullopt;
            result.evaluations /= moment->frames;
            for (std::size_t i = 0; i < path.size(); ++i) {
                result.error = std::max(result.error, glm::length(path[i] - moment->converged[i]));
            }
            return result;
        } catch (const std::invalid_argument&) {
            return std::nullopt; // the method does not suit the scene
        }
    };
    return {"the next 3 s", "m", run};
}

} // namespace substep
