// What the panels plot: the curves of a simulation over time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ledger_history.h"
#include "series.h"
#include "substep/scenes/scene.h"

namespace substep {

/// Drift over time of one stretch of a run, made with one method: the error against the truth, or the relative energy
/// change of a scene without truth.
struct DriftCurve {
    std::size_t method = 0; ///< row of the table of methods
    bool twin = false;
    int run = 0; ///< counts restarts; less than Recording::run(): kept from an earlier run
    PeakSeries points;
};

/// A change of method while running.
struct MethodSwitch {
    double time = 0.0;      ///< s
    std::size_t method = 0; ///< row of the table of methods
};

/// One quantity, exact and simulated, over the last seconds.
struct ChannelHistory {
    std::string name;
    std::string unit;
    RollingSeries exact;
    RollingSeries simulated;
};

/// What one step cost.
struct StepCost {
    double time = 0.0; ///< s, at the step's end
    StepReport report;
    double microseconds = 0.0;
    int degraded_steps = 0; ///< of the run so far, this one included
};

/// One attempt at a substep on the time axis.
struct SubstepSpan {
    double begin = 0.0; ///< s
    double end = 0.0;   ///< s
    bool accepted = true;
    bool even = false; ///< every other accepted one, for shading
};

/// Records a run step by step, and keeps the drift curves of earlier runs of the same scene for comparison.
class Recording {
public:
    /// Forgets everything: another scene.
    void clear();
    /// A new run of the same scene: curves become those of an earlier run. Of `kept_steps` steps everything is kept.
    void begin_run(std::size_t method, std::size_t kept_steps = 600);
    /// The method changed at `time`: a new drift curve begins there.
    void change_method(double time, std::size_t method);
    /// The twin was made or made again: it gets a curve of its own.
    void begin_twin(std::size_t method);

    /// Forgets what this run recorded behind `time` (s): it goes on from there. Curves of earlier runs stay.
    void cut_after(double time);

    /// Records the state at the start of a run.
    void add_start(const Scene& scene, const Meter& meter) { add_state(scene, meter); }
    /// Records the step that `scene` just made from `begin` (s).
    void add_step(const Scene& scene, const Meter& meter, double begin, const StepReport& report, double microseconds);
    void add_twin_step(double time, const Meter& meter);

    /// Records a step of a plain equation: its error, and what it cost.
    void add_error(double time, double error) { add_drift(time, error, false); }
    void add_cost(double begin, double end, const StepReport& report, double microseconds,
                  std::span<const SubstepAttempt> attempts);

    int run() const noexcept { return run_; }
    const std::vector<DriftCurve>& drift() const noexcept { return drift_; }
    const std::vector<MethodSwitch>& switches() const noexcept { return switches_; }
    const std::vector<ChannelHistory>& channels() const noexcept { return channels_; }
    const RollingSeries& kinetic() const noexcept { return kinetic_; }
    /// Potential and total energy count from the potential at the run's start: its zero is fixed, and means nothing.
    const RollingSeries& potential() const noexcept { return potential_; }
    const RollingSeries& total() const noexcept { return total_; }
    double start_potential() const noexcept { return start_potential_; }        ///< J, as the scene counts it
    std::span<const LedgerPoint> ledger() const noexcept { return ledger_; }    ///< of the last two minutes of this run
    const PeakSeries& energy_change() const noexcept { return energy_change_; } ///< relative, without sign
    std::span<const StepCost> costs() const noexcept { return costs_; }         ///< of the last steps, oldest first
    std::span<const StepCost> costs_until(double time) const noexcept;          ///< those of them up to then (s)
    std::span<const SubstepSpan> substeps() const noexcept { return substeps_; } ///< the last attempts, oldest first

private:
    void add_state(const Scene& scene, const Meter& meter);
    void add_drift(double time, double drift, bool twin);
    void add_channels(const Scene& scene);
    void add_substeps(double begin, double end, const StepReport& report, std::span<const SubstepAttempt> attempts);

    int run_ = 0;
    std::size_t kept_steps_ = 600;
    std::vector<DriftCurve> drift_;
    std::vector<MethodSwitch> switches_;
    std::vector<ChannelHistory> channels_;
    RollingSeries kinetic_;
    RollingSeries potential_;
    RollingSeries total_;
    double start_potential_ = 0.0;
    std::vector<LedgerPoint> ledger_;
    PeakSeries energy_change_;
    std::vector<StepCost> costs_;
    std::vector<SubstepSpan> substeps_;
    double last_substep_ = 0.0; // end of the last accepted one, s
};

} // namespace substep
