// A plain differential equation of the gallery, advanced by the same service as scenes are.
#include "ode_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

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

OdeSolver::OdeSolver(const OdeProblem& problem, const IntegratorSettings& settings, std::vector<double> start)
    : system(make_ode_system(problem)), y(std::move(start)) {
    service.configure(*system, settings);
}

OdeSolver OdeSolver::clone(const OdeProblem& problem) const {
    OdeSolver copy(problem, service.settings(), y);
    std::vector<std::byte> bytes;
    service.save(bytes);
    std::span<const std::byte> rest = bytes;
    copy.service.restore(*copy.system, rest);
    return copy;
}

OdeLockstep OdeLockstep::clone(const OdeProblem& problem) const {
    OdeLockstep copy{shown.clone(problem), converged.clone(problem), {}, {}, {}};
    if (method) copy.method.emplace(method->clone(problem));
    return copy;
}

bool OdeLockstep::advance(double from, double to, const std::atomic<bool>& interrupt) {
    const auto step = [&](OdeSolver& solver, double target) {
        solver.service.set_interrupt(&interrupt);
        const StepReport made = solver.service.advance(*solver.system, from, target, solver.y);
        solver.service.set_interrupt(nullptr);
        return made;
    };
    const auto wall = std::chrono::steady_clock::now();
    report = step(shown, to);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - wall;
    if (report.status == StepStatus::Interrupted) return false;
    microseconds = spent.count();
    message = report.message;
    report.message = {};
    end = report.status == StepStatus::ReachedTarget ? to : from + report.simulated;

    // The same stretch, converged.
    const auto follow = [&](OdeSolver& solver, bool& compared) {
        const StepReport made = step(solver, end);
        compared = succeeded(made.status) && std::abs(made.simulated - (end - from)) <= 1e-9 * std::abs(to - from);
        return made.status != StepStatus::Interrupted;
    };
    return follow(converged, is_compared) && (!method || follow(*method, method_is_compared));
}

OdeRun::OdeRun(const OdeProblem& problem)
    : problem_(&problem), settings_(first_settings(problem)), step_((problem.t1 - problem.t0) / kStepsPerRun) {
    for (const OdeCurve& axes : problem.curves) paths_.push_back({axes, {}, {}});
    draw_converged();
    start();
}

void OdeRun::draw_converged() {
    // The whole path in advance, so that the picture's frame does not change.
    OdeSolver converged(*problem_, converged_settings(*problem_), problem_->y0);
    double t = problem_->t0;
    for (int i = 0; i <= kPathPoints; ++i) {
        for (OdePath& path : paths_) {
            path.converged.push_back(
                {component(path.axes.across, t, converged.y), component(path.axes.up, t, converged.y)});
        }
        const double next = problem_->t0 + (problem_->t1 - problem_->t0) * (i + 1) / kPathPoints;
        const StepReport report = converged.service.advance(*converged.system, t, next, converged.y);
        if (report.status != StepStatus::ReachedTarget) break;
        t = next;
    }
}

void OdeRun::start() {
    stop_step();
    solvers_.emplace(OdeLockstep{OdeSolver(*problem_, settings_, problem_->y0),
                                 OdeSolver(*problem_, converged_settings(*problem_), problem_->y0),
                                 {},
                                 {},
                                 {}});
    t_ = problem_->t0;
    steps_ = 0;
    waiting_ = 0.0;
    over_ = is_slow_ = false;
    error_ = max_error_ = 0.0;
    method_error_.reset();
    report_ = {};
    failure_.clear();
    recording_.begin_run(method());
    for (OdePath& path : paths_) path.simulated.clear();
    add_points();
}

void OdeRun::reset() { start(); }

void OdeRun::stop_step() {
    runner_.stop();
    beside_.reset();
}

void OdeRun::set_integrator(const IntegratorSettings& settings) {
    stop_step();
    solvers_->shown.service.configure(*solvers_->shown.system, settings);
    const std::size_t before = method();
    settings_ = settings;
    is_slow_ = false;
    if (method() == before) return;
    recording_.change_method(t_, method());
    if (recording_.switches().empty()) return; // the run begins here
    solvers_->method.emplace(*problem_, converged_settings(*problem_), solvers_->shown.y);
    method_error_ = 0.0;
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
    runner_.begin_frame();
    if (beside_) {
        if (!runner_.has_ended()) return;
        is_slow_ = runner_.seconds() > runner_.limit();
        const std::unique_ptr<OdeLockstep> made = std::exchange(beside_, nullptr);
        runner_.finish();
        solvers_.emplace(std::move(*made));
        finish_step(t_);
        return;
    }
    waiting_ = std::min(waiting_ + elapsed, 0.5); // what the machine cannot keep up with is not made up for
    const double seconds = kRunSeconds / kStepsPerRun;
    for (; waiting_ > 0.999 * seconds; waiting_ -= seconds) {
        if (over_ || !failure_.empty() || beside_) continue;
        if (runner_.frame_is_over()) {
            waiting_ = 0.0;
            return;
        }
        step();
    }
}

void OdeRun::step_once() {
    runner_.begin_frame();
    if (!over_ && failure_.empty() && !beside_) step();
}

// Times are whole multiples of the step, not sums of it.
double OdeRun::next_time() const noexcept {
    return steps_ + 1 >= kStepsPerRun ? problem_->t1 : problem_->t0 + (steps_ + 1) * step_;
}

// Takes a step. False where it goes on beside.
bool OdeRun::step() {
    const double from = t_;
    const double to = next_time();
    if (!is_slow_) {
        std::optional<OdeLockstep> saved;
        if (runner_.may_interrupt()) saved.emplace(solvers_->clone(*problem_));
        bool whole = false;
        const bool in_time =
            runner_.run([&](const std::atomic<bool>& interrupt) { whole = solvers_->advance(from, to, interrupt); });
        if (in_time && whole) {
            finish_step(from);
            return true;
        }
        solvers_.emplace(std::move(*saved));
    }
    beside_ = std::make_unique<OdeLockstep>(solvers_->clone(*problem_));
    runner_.start([solvers = beside_.get(), from, to](const std::atomic<bool>& interrupt) {
        solvers->advance(from, to, interrupt);
    });
    return false;
}

// Measures and records a step that the solvers have made from `begin`.
void OdeRun::finish_step(double begin) {
    ++steps_;
    OdeLockstep& solvers = *solvers_;
    report_ = solvers.report;
    t_ = solvers.end;
    error_ = solvers.is_compared ? difference(solvers.shown.y, solvers.converged.y) : std::nan("");
    if (solvers.is_compared) max_error_ = std::max(max_error_, error_);
    recording_.add_error(t_, error_);
    if (solvers.method) {
        method_error_ = solvers.method_is_compared ? difference(solvers.shown.y, solvers.method->y) : std::nan("");
        recording_.add_method_error(t_, *method_error_);
    }
    recording_.add_cost(begin, t_, report_, solvers.microseconds, solvers.shown.service.attempts());
    add_points();

    over_ = steps_ >= kStepsPerRun || (report_.status != StepStatus::ReachedTarget && succeeded(report_.status));
    if (!succeeded(report_.status)) {
        failure_ = "Stopped at the last good state: " + std::string(to_string(report_.status)) +
                   ". Choose another method or smaller substeps, and reset.";
    }
}

void OdeRun::add_points() {
    for (OdePath& path : paths_) {
        path.simulated.push_back({component(path.axes.across, t_, state()), component(path.axes.up, t_, state())});
    }
}

std::string OdeRun::limited_by() const {
    const std::size_t index = solvers_->shown.service.limiting_component(*solvers_->shown.system);
    if (index >= state().size()) return {};
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
    const auto moment = std::make_shared<Moment>(Moment{problem_, solvers_->shown.y, t_, {}, {}});
    for (int i = steps_ + 1; i <= kStepsPerRun; ++i) {
        moment->times.push_back(i == kStepsPerRun ? problem_->t1 : problem_->t0 + i * step_);
    }
    const auto path = [](const Moment& from, const IntegratorSettings& settings, const std::stop_token& stop,
                         double& evaluations) {
        std::vector<std::vector<double>> states;
        const std::unique_ptr<OdeSystem> system = make_ode_system(*from.problem);
        IntegratorService service;
        service.configure(*system, settings);
        std::atomic<bool> interrupt{false};
        service.set_interrupt(&interrupt);
        const std::stop_callback raise(stop, [&] { interrupt = true; });
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
