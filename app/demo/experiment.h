// What the panels of method, cost and precision see of whatever is integrated: a scene of bodies or a plain equation.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "recording.h"
#include "step_runner.h"
#include "substep/engine/automatic.h"
#include "substep/integrators/integrator_service.h"

namespace substep {

/// What a trial run did.
struct TrialResult {
    double evaluations = 0.0; ///< per frame
    double error = 0.0;       ///< largest distance from a converged run, in Trials::unit
};

/// Runs the future of an experiment from one moment on, with other settings. Owns copies of everything, so that `run`
/// may be called on another thread while the experiment goes on; one call at a time.
struct Trials {
    std::string span; ///< what is run, for people
    std::string unit; ///< of the error
    /// Nothing where the settings do not suit the system, the run failed, or a stop was requested.
    std::function<std::optional<TrialResult>(const IntegratorSettings&, const std::stop_token&)> run;
};

/// Something that advances in time under an integrator service.
class Experiment {
public:
    virtual ~Experiment() = default;

    // --- settings

    virtual const IntegratorSettings& integrator() const noexcept = 0;
    /// Takes effect at the next step, where the state is. Throws std::invalid_argument, nothing changed.
    virtual void set_integrator(const IntegratorSettings& settings) = 0;
    /// Row of the present method in the table of methods.
    std::size_t method() const noexcept;
    /// Why a method cannot be used here, in one sentence; empty where it can.
    virtual std::string unsuitable(const MethodInfo& method) const = 0;

    // --- time

    /// Takes the steps that `elapsed` seconds (of scaled wall time) ask for.
    virtual void advance(double elapsed) = 0;
    virtual void step_once() = 0;
    /// Starts again; the curves of this run are kept as those of an earlier one.
    virtual void reset() = 0;
    /// Most seconds that a frame waits for its steps; infinite at first. A step that takes longer is made beside the
    /// frame thread while everything stands at its start, which `advance` looks after.
    void set_limit(double seconds) { runner_.set_limit(seconds); }
    /// Asked while a step is made: true ends it.
    void set_end(std::function<bool()> asked_to_end) { runner_.set_end(std::move(asked_to_end)); }
    bool is_stepping() const noexcept { return runner_.is_running(); } ///< a step is being made beside
    double stepping_for() const noexcept { return runner_.seconds(); } ///< s, that it has taken so far
    /// Ends a step that is being made beside. It is as if it had never begun.
    virtual void stop_step() = 0;
    virtual double time() const noexcept = 0;        ///< s, or the problem's unit
    virtual double step_length() const noexcept = 0; ///< of one frame, in the same unit
    /// Whether the recommended length of a run is over.
    virtual bool is_over() const noexcept = 0;
    /// Why it cannot go on, in one sentence; empty while it can.
    virtual const std::string& failure() const noexcept = 0;

    // --- measurements

    virtual const StepReport& report() const noexcept = 0; ///< of the last step
    virtual const Recording& recording() const noexcept = 0;
    /// What limited the last substep, for people; empty where nothing is known of it.
    virtual std::string limited_by() const = 0;

    /// Its future from now on, to be run with other settings.
    virtual Trials trials() const = 0;

protected:
    Experiment() = default;

    StepRunner runner_;
};

/// Row of a method in the table of methods; its size if there is none of that name. Those of piles come behind.
std::size_t row_of(std::string_view method) noexcept;

/// Returns what describes the method of a row; one past the last of the table is `auto`.
const MethodInfo& method_info_at(std::size_t row) noexcept;

/// The number of rows, `auto` and those of piles among them.
std::size_t method_rows() noexcept;

} // namespace substep
