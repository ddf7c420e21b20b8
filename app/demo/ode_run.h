// A plain differential equation of the gallery, advanced by the same service as scenes are.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "experiment.h"
#include "substep/scenes/ode_problem.h"

namespace substep {

/// One curve of a problem, the points of the path in its two components.
struct OdePath {
    OdeCurve axes;
    std::vector<PlotPoint> converged; ///< the whole of it, from a converged run
    std::vector<PlotPoint> simulated; ///< as far as time has come
};

/// A problem in motion. A run takes kRunSeconds of wall time at speed 1, whatever the problem's own time is.
class OdeRun final : public Experiment {
public:
    static constexpr double kRunSeconds = 15.0;

    /// `problem` must outlive it.
    explicit OdeRun(const OdeProblem& problem);

    const OdeProblem& problem() const noexcept { return *problem_; }
    std::span<const OdePath> paths() const noexcept { return paths_; }
    std::span<const double> state() const noexcept { return y_; }
    double error() const noexcept { return error_; }         ///< now, against a converged run beside it
    double max_error() const noexcept { return max_error_; } ///< of this run

    const IntegratorSettings& integrator() const noexcept override { return settings_; }
    void set_integrator(const IntegratorSettings& settings) override;
    std::string unsuitable(const MethodInfo& method) const override;

    void advance(double elapsed) override;
    void step_once() override;
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
    void step();
    void add_points();
    void draw_converged();

    const OdeProblem* problem_;
    std::unique_ptr<OdeSystem> system_;
    IntegratorSettings settings_;
    IntegratorService service_;
    std::vector<double> y_;
    double t_ = 0.0;
    int steps_ = 0;        // made since the start
    double step_ = 0.0;    // of problem time per frame
    double waiting_ = 0.0; // s of wall time not made into steps yet
    bool over_ = false;

    // Beside it, the converged run.
    std::unique_ptr<OdeSystem> converged_system_;
    IntegratorService converged_;
    std::vector<double> converged_y_;
    double error_ = 0.0;
    double max_error_ = 0.0;

    std::vector<OdePath> paths_;
    StepReport report_;
    Recording recording_;
    std::string failure_;
};

/// The problems of the gallery, in the order in which they are shown.
std::span<const OdeProblem* const> ode_gallery();

} // namespace substep
