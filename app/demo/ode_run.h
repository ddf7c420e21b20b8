// A plain differential equation of the gallery, advanced by the same service as scenes are.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiment.h"
#include "substep/integrators/integrator_service.h"
#include "substep/scenes/ode_problem.h"

namespace substep {

/// One curve of a problem, the points of the path in its two components.
struct OdePath {
    OdeCurve axes;
    std::vector<PlotPoint> converged; ///< the whole of it, from a converged run
    std::vector<PlotPoint> simulated; ///< as far as time has come
};

/// An equation, the service that advances it, and where it is.
struct OdeSolver {
    std::unique_ptr<OdeSystem> system;
    IntegratorService service;
    std::vector<double> y;

    OdeSolver(const OdeProblem& problem, const IntegratorSettings& settings, std::vector<double> start);
    /// One of its own that goes on alike, to the bit.
    OdeSolver clone(const OdeProblem& problem) const;
};

/// The solvers that take the same steps, and what a step of them did.
struct OdeLockstep {
    OdeSolver shown;
    OdeSolver converged;             ///< from the run's start
    std::optional<OdeSolver> method; ///< converged, from where the present method was chosen

    StepReport report; ///< of `shown`; its message is below
    std::string message;
    double microseconds = 0.0;
    double end = 0.0;         ///< where the step ended
    bool is_compared = false; ///< the converged run came there, too
    bool method_is_compared = false;

    /// Takes a step. False where it was interrupted: the state means nothing then.
    bool advance(double from, double to, const std::atomic<bool>& interrupt);
    OdeLockstep clone(const OdeProblem& problem) const;
};

/// A problem in motion. A run takes kRunSeconds of wall time at speed 1, whatever the problem's own time is.
class OdeRun final : public Experiment {
public:
    static constexpr double kRunSeconds = 15.0;

    /// `problem` must outlive it.
    explicit OdeRun(const OdeProblem& problem);
    ~OdeRun() override { runner_.stop(); }

    const OdeProblem& problem() const noexcept { return *problem_; }
    std::span<const OdePath> paths() const noexcept { return paths_; }
    std::span<const double> state() const noexcept { return solvers_->shown.y; }
    /// Of the present method alone, since it was chosen; nothing where the whole run is its own.
    std::optional<double> method_error() const noexcept { return method_error_; }
    double error() const noexcept { return error_; }         ///< now, against a converged run beside it
    double max_error() const noexcept { return max_error_; } ///< of this run

    const IntegratorSettings& integrator() const noexcept override { return settings_; }
    void set_integrator(const IntegratorSettings& settings) override;
    std::string unsuitable(const MethodInfo& method) const override;

    void advance(double elapsed) override;
    void step_once() override;
    void stop_step() override;
    void reset() override;
    double time() const noexcept override { return t_; }
    double step_length() const noexcept override { return step_; }
    bool is_over() const noexcept override { return over_; }
    const std::string& failure() const noexcept override { return failure_; }

    const StepReport& report() const noexcept override { return report_; }
    const Recording& recording() const noexcept override { return recording_; }
    std::string limited_by() const override;
    Trials trials() const override;

private:
    void start();
    bool step();
    double next_time() const noexcept;
    void finish_step(double begin);
    void add_points();
    void draw_converged();

    const OdeProblem* problem_;
    IntegratorSettings settings_;
    std::optional<OdeLockstep> solvers_;
    std::unique_ptr<OdeLockstep> beside_; // the step that is made there
    bool is_slow_ = false;                // the last step took longer than a frame may wait
    double t_ = 0.0;
    int steps_ = 0;        // made since the start
    double step_ = 0.0;    // of problem time per frame
    double waiting_ = 0.0; // s of wall time not made into steps yet
    bool over_ = false;
    double error_ = 0.0;
    double max_error_ = 0.0;
    std::optional<double> method_error_;

    std::vector<OdePath> paths_;
    StepReport report_;
    Recording recording_;
    std::string failure_;
};

/// The problems of the gallery, in the order in which they are shown.
std::span<const OdeProblem* const> ode_gallery();

} // namespace substep
