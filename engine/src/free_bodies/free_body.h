// A body that nothing ties: what it remembers from step to step, and how many of them are advanced side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bodies/body_step.h"
#include "bodies/body_store.h"
#include "free_bodies/lane_block.h"
#include "substep/integrators/exact_advance.h"
#include "substep/integrators/integrator_service.h"

namespace substep::detail {

/// How bodies with the same settings are advanced.
class FreeBodyRule {
public:
    /// Whether there is a kernel for such settings, and nothing in them that may cut an advance short.
    static bool suits_lanes(const IntegratorSettings& settings) noexcept;

    /// In lanes: settings that suit these.
    FreeBodyRule(const IntegratorSettings& settings, bool in_lanes);

    const IntegratorSettings& settings() const noexcept { return settings_; }
    bool has_lanes() const noexcept { return lanes_.has_value(); }

    // Of rules with lanes.
    const MethodInfo& method() const noexcept { return *lanes_->method; }
    const StepController& controller() const noexcept { return lanes_->controller; }
    const LaneKernel& kernel() const noexcept { return *lanes_->kernel; }

private:
    struct Lanes {
        const MethodInfo* method;
        StepController controller;
        const LaneKernel* kernel;
    };

    IntegratorSettings settings_;
    std::optional<Lanes> lanes_;
};

/// A body of an island of its own, without joint, contact or field: all that the next step depends on beside the body's
/// record, and what the last step did. It is advanced as that island would advance it, to the bit. Where its rule has
/// no lanes, what it remembers is kept elsewhere (ParkedIsland).
struct FreeBody {
    BodyId body;
    const FreeBodyRule* rule = nullptr; ///< null once it has got an Island since it was listed
    AdvanceMemory memory;
    AdvanceMemory before;         ///< where the last step began
    Wrench step_wrench;           ///< applied during the last step
    bool model_changed = true;    ///< since the last step: its forces are others
    bool has_stepped = false;     ///< since it was made or restored: there is a last step to tell of
    bool was_edited = false;      ///< where the last step began
    bool retired = false;         ///< the last step was taken back, and is made by an island
    bool was_left_out = false;    ///< the last step could not be made here
    bool has_restarted = false;   ///< in the last step, as in a StepReport
    bool is_unstable = false;     ///< likewise
    std::uint32_t demand = 0;     ///< of a world's budget, as islands remember it
    std::int32_t evaluations = 0; ///< of the last step, like the following ones
    std::int32_t accepted = 0;
    std::int32_t accepted_after_retry = 0;
    std::int32_t rejected = 0;
    double h_smallest = 0.0;    ///< s
    double h_largest = 0.0;     ///< s
    double h_last = 0.0;        ///< s, of the last attempt
    double largest_error = 0.0; ///< accepted, in units of the tolerance

    FreeBody() = default;
    FreeBody(BodyId id, const FreeBodyRule& by, double step) noexcept : body(id), rule(&by) { memory.h_next = step; }

    bool has_step_forces() const noexcept { return acts(step_wrench); }
};

/// The step that free bodies are advanced by.
struct FreeStep {
    double t0 = 0.0;                   ///< s
    double t1 = 0.0;                   ///< s
    glm::dvec3 gravity{0.0};           ///< m/s^2
    std::int64_t most_evaluations = 0; ///< of a body; 0: any number
    double time_unit = 1.0;            ///< s: ErrorMeasure::time_unit
};

/// What a step of bodies by one rule came to.
struct FreeTotals {
    std::int64_t evaluations = 0;
    std::int64_t accepted = 0;
    std::int64_t accepted_after_retry = 0;
    std::int64_t rejected = 0;
    double h_smallest = 0.0;    ///< s
    double h_largest = 0.0;     ///< s
    double largest_error = 0.0; ///< accepted, in units of the tolerance
    bool is_unstable = false;
    bool has_restarted = false;

    void add(const FreeBody& body) noexcept;
    StepReport report(const FreeBodyRule& rule, double requested) const noexcept;
};

/// The report of the last step of one body, which asked for `requested` (s): an empty one before there was any.
StepReport report_of(const FreeBody& body, double requested) noexcept;

/// What became of a few bodies.
struct FreeAdvance {
    StepReport report; ///< of those that were advanced
    bool left_some_out = false;
};

/// Advances bodies, each with its record and its way through the step, by the list of their numbers in `free`. Writes
/// to these alone. What could not be made here is left as it was, and says so: a state that is not finite, steps that
/// get too short or too many.
FreeAdvance advance_free_bodies(const FreeStep& step, std::span<FreeBody> free, std::span<const std::uint32_t> numbers,
                                BodyTable& bodies, BodySteps& steps) noexcept;

} // namespace substep::detail
