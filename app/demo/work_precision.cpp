// Work against precision: the future of an experiment with every method and several settings, on another thread.
#include "work_precision.h"

#include <array>
#include <exception>
#include <optional>
#include <utility>

namespace substep {

std::vector<IntegratorSettings> trial_settings(const IntegratorSettings& base) {
    constexpr std::array kTolerances{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10};
    constexpr std::array kSubsteps{1, 2, 5, 10, 20, 50};
    std::vector<IntegratorSettings> all;
    for (const IntegrationMethod* method : method_catalogue()) {
        IntegratorSettings settings = base;
        settings.method = method->info().name;
        settings.budget = 0;
        if (method->info().adaptive) {
            for (const double tolerance : kTolerances) {
                settings.atol = settings.rtol = tolerance;
                all.push_back(settings);
            }
        } else {
            for (const int substeps : kSubsteps) {
                settings.substeps = substeps;
                all.push_back(settings);
            }
        }
    }
    return all;
}

void WorkPrecision::start(const Experiment& experiment) {
    clear();
    Trials trials = experiment.trials();
    span_ = trials.span;
    unit_ = trials.unit;
    std::vector<IntegratorSettings> settings = trial_settings(experiment.integrator());
    std::erase_if(settings, [&](const IntegratorSettings& each) {
        return !experiment.unsuitable(*find_method(each.method)).empty();
    });
    total_ = settings.size();
    running_ = true;
    thread_ =
        std::jthread([this, trials = std::move(trials), settings = std::move(settings)](const std::stop_token& stop) {
            for (const IntegratorSettings& each : settings) {
                if (stop.stop_requested()) break;
                std::optional<TrialResult> result;
                try {
                    result = trials.run(each, stop);
                } catch (const std::exception&) {
                    // A run that failed is no point of the plot.
                }
                const std::lock_guard lock(mutex_);
                ++done_;
                if (result) points_.push_back({row_of(each.method), each, *result});
            }
            const std::lock_guard lock(mutex_);
            running_ = false;
        });
}

void WorkPrecision::cancel() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

void WorkPrecision::clear() {
    cancel();
    total_ = done_ = 0;
    points_.clear();
}

bool WorkPrecision::is_running() const {
    const std::lock_guard lock(mutex_);
    return running_;
}

std::size_t WorkPrecision::done() const {
    const std::lock_guard lock(mutex_);
    return done_;
}

std::vector<TrialPoint> WorkPrecision::points() const {
    const std::lock_guard lock(mutex_);
    return points_;
}

} // namespace substep
