// A plain differential equation of the gallery, advanced by the same service as scenes are.
#include "ode_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace substep {

namespace {

constexpr int kStepsPerRun = static_cast<int>(OdeRun::kRunSeconds * 60.0);
constexpr int kPathPoints = 4000;
constexpr std::array<std::string_view, 7> kGallery{"lorenz_t10", "arenstorf",   "detest_D5_kepler", "detest_E2_vdp",
                                                   "pleiades",   "white_dwarf", "brusselator"};

// Where a problem has events its model may be undefined beyond them: the last step is then repeated shorter.
EventLocation location_for(const OdeProblem& problem) {
    return problem.events.empty() ? EventLocation::DenseOutput : EventLocation::RepeatShorter;
}

IntegratorSettings converged_settings(const OdeProblem& problem) {
    IntegratorSettings settings;
    settings.event_location = location_for(problem);
    settings.method = find_method("dormand_prince853") != nullptr ? "dormand_prince853" : "cash_karp54";
    settings.atol = settings.rtol = 1e-14;
    return settings;
}

IntegratorSettings first_settings(const OdeProblem& problem) {
    IntegratorSettings settings;
    settings.event_location = location_for(problem);
    settings.method = find_method("dormand_prince54") != nullptr ? "dormand_prince54" : "cash_karp54";
    settings.atol = settings.rtol = 1e-6;
    settings.boundary = problem.events.empty() ? Boundary::RunAhead : Boundary::Exact;
    return settings;
}

// Largest difference of a component, absolute below 1 and relative above.
double difference(std::span<const double> y, std::span<const double> exact) {
    double largest = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        largest = std::max(largest, std::abs(y[i] - exact[i]) / std::max(1.0, std::abs(exact[i])));
    }
    return largest;
}

double component(int index, double t, std::span<const double> y) {
    return index == OdeCurve::kTime ? t : y[static_cast<std::size_t>(index)];
}

} // namespace

std::span<const OdeProblem* const> ode_gallery() {
    static const std::vector<const OdeProblem*> gallery = [] {
        std::vector<const OdeProblem*> found;
        for (const std::string_view id : kGallery) {
            if (const OdeProblem* problem = find_ode_problem(id)) found.push_back(problem);
        }
        return found;
    }();
    return gallery;
}

OdeRun::OdeRun(const OdeProblem& problem)
    : problem_(&problem), system_(make_ode_system(problem)), settings_(first_settings(problem)),
      step_((problem.t1 - problem.t0) / kStepsPerRun), converged_system_(make_ode_system(problem)) {
    service_.configure(*system_, settings_);
    for (const OdeCurve& axes : problem.curves) paths_.push_back({axes, {}, {}});
    draw_converged();
    start();
}

void OdeRun::draw_converged() {
    // The whole path in advance, so that the picture's frame does not change.
    converged_.configure(*converged_system_, converged_settings(*problem_));
    std::vector<double> y = problem_->y0;
    double t = problem_->t0;
    for (int i = 0; i <= kPathPoints; ++i) {
        for (OdePath& path : paths_) {
            path.converged.push_back({component(path.axes.across, t, y), component(path.axes.up, t, y)});
        }
        const double next = problem_->t0 + (problem_->t1 - problem_->t0) * (i + 1) / kPathPoints;
        const StepReport report = converged_.advance(*converged_system_, t, next, y);
        if (report.status != StepStatus::ReachedTarget) break;
        t = next;
    }
}

void OdeRun::start() {
    y_ = problem_->y0;
    converged_y_ = problem_->y0;
    t_ = problem_->t0;
    steps_ = 0;
    waiting_ = 0.0;
    over_ = false;
    error_ = max_error_ = 0.0;
    report_ = {};
    failure_.clear();
    service_.reset();
    converged_.reset();
    recording_.begin_run(method());
    for (OdePath& path : paths_) path.simulated.clear();
    add_points();
}

void OdeRun::reset() { start(); }

void OdeRun::set_integrator(const IntegratorSettings& settings) {
    service_.configure(*system_, settings);
    const std::size_t before = method();
    settings_ = settings;
    if (method() != before) recording_.change_method(t_, method());
}

std::string OdeRun::unsuitable(const MethodInfo& method) const {
    if (method.needs == MethodNeeds::VelocityStep) return "Equations without bodies have no joints to step.";
    if (method.name == kAutoMethod) return "Chooses among islands of bodies, and equations have none.";
    if (method.needs == MethodNeeds::LinearlyImplicitStep) return "Needs a model that linearises its own stiffness.";
    if (method.needs == MethodNeeds::KickDriftSplit && !problem_->separable) {
        return "Needs accelerations that depend on positions alone.";
    }
    return {};
}

void OdeRun::advance(double elapsed) {
    waiting_ = std::min(waiting_ + elapsed, 0.5); // what the machine cannot keep up with is not made up for
    const double seconds = kRunSeconds / kStepsPerRun;
    for (; waiting_ > 0.999 * seconds; waiting_ -= seconds) {
        if (!over_ && failure_.empty()) step();
    }
}

void OdeRun::step_once() {
    if (!over_ && failure_.empty()) step();
}

void OdeRun::step() {
    // Times are whole multiples of the step, not sums of it.
    const double begin = t_;
    ++steps_;
    const double end = steps_ >= kStepsPerRun ? problem_->t1 : problem_->t0 + steps_ * step_;
    const auto wall = std::chrono::steady_clock::now();
    report_ = service_.advance(*system_, begin, end, y_);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - wall;
    t_ = report_.status == StepStatus::ReachedTarget ? end : begin + report_.simulated;

    // The same stretch, converged.
    const StepReport beside = converged_.advance(*converged_system_, begin, t_, converged_y_);
    const bool comparable = succeeded(beside.status) && std::abs(beside.simulated - (t_ - begin)) <= 1e-9 * step_;
    error_ = comparable ? difference(y_, converged_y_) : std::nan("");
    if (comparable) max_error_ = std::max(max_error_, error_);
    recording_.add_error(t_, error_);
    recording_.add_cost(begin, t_, report_, spent.count(), service_.attempts());
    add_points();

    over_ = steps_ >= kStepsPerRun || (report_.status != StepStatus::ReachedTarget && succeeded(report_.status));
    if (!succeeded(report_.status)) {
        failure_ = "Stopped at the last good state: " + std::string(to_string(report_.status)) +
                   ". Choose another method or smaller substeps, and reset.";
    }
}

void OdeRun::add_points() {
    for (OdePath& path : paths_) {
        path.simulated.push_back({component(path.axes.across, t_, y_), component(path.axes.up, t_, y_)});
    }
}

std::string OdeRun::limited_by() const {
    const std::size_t index = service_.limiting_component(*system_);
    if (index >= y_.size()) return {};
    return index < problem_->components.size() ? std::string(problem_->components[index])
                                               : std::string("y").append(std::to_string(index));
}

Trials OdeRun::trials() const {
    // From now to the end, in at most as many frames as the gallery itself makes of it.
    struct Moment {
        const OdeProblem* problem;
        std::vector<double> y0;
        double t0;
        std::vector<double> times;
        std::vector<std::vector<double>> converged;
    };
    const auto moment = std::make_shared<Moment>(Moment{problem_, y_, t_, {}, {}});
    for (int i = steps_ + 1; i <= kStepsPerRun; ++i) {
        moment->times.push_back(i == kStepsPerRun ? problem_->t1 : problem_->t0 + i * step_);
    }
    const auto path = [](const Moment& from, const IntegratorSettings& settings, const std::stop_token& stop,
                         double& evaluations) {
        std::vector<std::vector<double>> states;
        const std::unique_ptr<OdeSystem> system = make_ode_system(*from.problem);
        IntegratorService service;
        service.configure(*system, settings);
        std::vector<double> y = from.y0;
        double t = from.t0;
        for (const double next : from.times) {
            if (stop.stop_requested()) return std::vector<std::vector<double>>{};
            const StepReport report = service.advance(*system, t, next, y);
            evaluations += static_cast<double>(report.evaluations);
            if (!succeeded(report.status)) return std::vector<std::vector<double>>{};
            states.push_back(y);
            if (report.status != StepStatus::ReachedTarget) break;
            t = next;
        }
        return states;
    };
    const auto run = [moment, path](const IntegratorSettings& settings,
                                    const std::stop_token& stop) -> std::optional<TrialResult> {
        try {
            double ignored = 0.0;
            if (moment->converged.empty())
                moment->converged = path(*moment, converged_settings(*moment->problem), stop, ignored);
            TrialResult result;
            const std::vector<std::vector<double>> states = path(*moment, settings, stop, result.evaluations);
            if (states.empty() || moment->converged.empty()) return std::nullopt;
            // Where an event ends both runs, their last frames are compared as the states at their events.
            const std::size_t frames = std::min(states.size(), moment->converged.size());
            for (std::size_t i = 0; i < frames; ++i) {
                result.error = std::max(result.error, difference(states[i], moment->converged[i]));
            }
            result.evaluations /= static_cast<double>(frames);
            return result;
        } catch (const std::invalid_argument&) {
            return std::nullopt;
        }
    };
    return {"the rest of the run", "", run};
}

} // namespace substep
