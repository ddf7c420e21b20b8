// What the panels plot: the curves of a simulation over time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ledger_history.h"
#include "series.h"
#include "sinking.h"
#include "substep/scenes/scene.h"

namespace substep {

/// Whose error a curve shows.
enum class DriftOf {
    Run,    ///< of the run, whatever methods had a part in it
    Method, ///< of the present method alone, since it was chosen
    Twin
};

/// Error over time of one stretch of a run.
struct DriftCurve {
    std::size_t method = 0; ///< row of the table of methods: the one that steps are made with
    DriftOf of = DriftOf::Run;
    int run = 0;             ///< counts restarts; less than Recording::run(): kept from an earlier run
    double begin = 0.0;      ///< s
    bool is_mixed = false;   ///< of a run: other methods had a part in its error
    bool is_touched = false; ///< of a run: since it was touched
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
    RollingSeries reference;
    RollingSeries twin;
};

/// What is known of the errors at a step's end.
struct StepErrors {
    double run = 0.0;                 ///< NaN: unknown
    std::optional<double> method{};   ///< since it was chosen
    bool is_exact = true;             ///< the exact solution applies
    const World* reference = nullptr; ///< or this world does
};

/// What one step cost.
struct StepCost {
    double time = 0.0; ///< s, at the step's end
    StepReport report;
    double microseconds = 0.0;
    int degraded_steps = 0; ///< of the run so far, this one included
    StageTimes stages{};    ///< of a scene's step; zero for equations
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
    /// The method changed at `time` (s): the run's error goes on in a curve of several methods, and one of the method's
    /// own begins.
    void change_method(double time, std::size_t method);
    /// From `time` (s) on the run is measured against another reference: its error begins anew.
    void begin_reference(double time);
    /// The twin was made or made again at `time` (s): it gets a curve of its own.
    void begin_twin(double time, std::size_t method);

    /// Forgets what this run recorded behind `time` (s): it goes on from there. Curves of earlier runs stay.
    void cut_after(double time);

    /// Records the state at the start of a run.
    void add_start(const Scene& scene, const Meter& meter);
    /// Records the step that `scene` just made from `begin` (s).
    void add_step(const Scene& scene, const Meter& meter, double begin, const StepReport& report, double microseconds,
                  const StepErrors& errors);
    /// Records the same step of the twin of `scene`, whose truth names the quantities.
    void add_twin_step(const World& twin, const Meter& meter, const StepReport& report, double error,
                       const Scene& scene);

    /// Records a step of a plain equation: its error, that of its method alone, and what it cost.
    void add_error(double time, double error) { add_drift(time, error, DriftOf::Run); }
    void add_method_error(double time, double error) { add_drift(time, error, DriftOf::Method); }
    void add_cost(double begin, double end, const StepReport& report, double microseconds,
                  std::span<const SubstepAttempt> attempts);

    int run() const noexcept { return run_; }
    const std::vector<DriftCurve>& drift() const noexcept { return drift_; }
    const std::vector<MethodSwitch>& switches() const noexcept { return switches_; }
    /// Times (s) at which the run was touched: from then on it is measured against another reference.
    std::span<const double> touches() const noexcept { return touches_; }
    std::size_t method() const noexcept; ///< that the run's latest curve belongs to
    const std::vector<ChannelHistory>& channels() const noexcept { return channels_; }
    const RollingSeries& kinetic() const noexcept { return kinetic_; }
    /// Potential and total energy count from the potential at the run's start: its zero is fixed, and means nothing.
    const RollingSeries& potential() const noexcept { return potential_; }
    const RollingSeries& total() const noexcept { return total_; }
    const RollingSeries& twin_total() const noexcept { return twin_total_; }             ///< J, from the same zero
    const RollingSeries& twin_evaluations() const noexcept { return twin_evaluations_; } ///< of each step
    const Sinking& sinking() const noexcept { return sinking_; }
    double start_potential() const noexcept { return start_potential_; }        ///< J, as the scene counts it
    std::span<const LedgerPoint> ledger() const noexcept { return ledger_; }    ///< of the last two minutes of this run
    const PeakSeries& energy_change() const noexcept { return energy_change_; } ///< relative, without sign
    std::span<const StepCost> costs() const noexcept { return costs_; }         ///< of the last steps, oldest first
    std::span<const StepCost> costs_until(double time) const noexcept;          ///< those of them up to then (s)
    std::span<const SubstepSpan> substeps() const noexcept { return substeps_; } ///< the last attempts, oldest first

private:
    void add_state(const Scene& scene, const Meter& meter, const StepErrors& errors);
    void add_drift(double time, double drift, DriftOf of);
    void add_channels(const Scene& scene, const StepErrors& errors);
    DriftCurve* latest(DriftOf of) noexcept; // of this run; null: there is none
    void add_substeps(double begin, double end, const StepReport& report, std::span<const SubstepAttempt> attempts);

    int run_ = 0;
    std::size_t kept_steps_ = 600;
    std::vector<DriftCurve> drift_;
    std::vector<MethodSwitch> switches_;
    std::vector<double> touches_;
    std::vector<ChannelHistory> channels_;
    RollingSeries kinetic_;
    RollingSeries potential_;
    RollingSeries total_;
    RollingSeries twin_total_;
    RollingSeries twin_evaluations_;
    Sinking sinking_;
    double start_potential_ = 0.0;
    std::vector<LedgerPoint> ledger_;
    PeakSeries energy_change_;
    std::vector<StepCost> costs_;
    std::vector<SubstepSpan> substeps_;
    double last_substep_ = 0.0; // end of the last accepted one, s
};

} // namespace substep
