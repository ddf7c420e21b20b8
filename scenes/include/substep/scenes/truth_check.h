// How closely methods follow the truth of a scene: what the tests and `substep verify` share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "substep/integrators/integration_method.h"
#include "substep/scenes/scene.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// The frame rates at which a truth must hold.
inline constexpr std::array<double, 3> kTruthFrameRates{30.0, 60.0, 120.0};

/// Returns what Truth::threshold is stated for: dormand_prince853 at kTruthTolerance, run-ahead.
IntegratorSettings truth_settings();

/// What one run of a scene did.
struct TruthRun {
    StepStatus status = StepStatus::ReachedTarget; ///< of the frame that ended the run
    double error = 0.0; ///< largest of all frames; of a scene without a truth, the relative energy change
    std::int64_t evaluations = 0;
};

/// Returns RunAhead, but Exact for methods that take no derivatives where bodies touch: between impacts they move and
/// turn a sphere exactly, whatever the length, and only the dense output of so long a substep would be wrong.
Boundary suitable_boundary(const MethodInfo& method, const SceneInfo& info);

/// Returns the order at which a method's error must vanish in a scene: its own, but 1 for kick-drift methods where
/// forces depend on velocity, and for methods that take no derivatives where bodies touch.
int expected_order(const MethodInfo& method, const SceneInfo& info);

/// The power of the tolerance to which a run's error is proportional: 1 with local extrapolation, q/(q + 1) without,
/// where the propagated result has the order q of its estimate.
double tolerance_power(const MethodInfo& method);

/// How a method came closer to the truth of a scene as it was made finer.
struct MethodCheck {
    double seconds = 0.0;       ///< length of the runs; a part of what was asked for if only that showed the order
    std::vector<double> values; ///< tolerances, or substeps a frame of 1/60 s
    std::vector<double> errors;
    std::vector<double> evaluations;
    double measured = 0.0;    ///< order over the last doubling, or power of the tolerance over the whole range
    double expected = 0.0;    ///< what it should be
    bool at_rounding = false; ///< the last error is below the truth's threshold, whatever was measured
    bool passed = false;
};

/// A scene with its default parameters, run as often as one likes, each time from its start and in its own world. Its
/// truth is made once: some are integrated to the last digits.
class SceneTrials {
public:
    explicit SceneTrials(const SceneInfo& info);

    const Truth* truth() const noexcept { return scene_.truth.get(); } ///< null where none is known

    /// Returns whether a method can run the scene: whether its world accepts it.
    bool takes(const MethodInfo& method);

    /// Runs the scene at `fps` frames a second over `seconds` rounded to whole frames. Stops at the first frame that
    /// does not reach its end; the error is then infinite.
    TruthRun run(const IntegratorSettings& settings, double fps, double seconds);

    /// Runs the scene over `seconds` at 60 frames a second with ever finer settings, until the method shows its order
    /// (less 0.4; power of the tolerance: likewise, or errors of at most ten tolerances to that power) with an error
    /// that is not visible, or until its error is below the truth's threshold. Methods whose error grows beyond that
    /// show it on the first quarter of the time, or on a quarter of that; but not where a run stopped, nor before
    /// bodies have touched.
    MethodCheck check(const MethodInfo& method, double seconds);

private:
    MethodCheck check_adaptive(const MethodInfo& method, double seconds);
    MethodCheck check_fixed(const MethodInfo& method, double seconds);

    const SceneInfo* info_;
    Scene scene_;
    WorldSnapshot start_;
};

/// One run of a scene.
TruthRun run_scene(const SceneInfo& info, const IntegratorSettings& settings, double fps, double seconds);

} // namespace substep

#pragma GCC visibility pop
