// What a service remembers between two advances that end where they should, and the rules by which it makes one, for
// hosts of thousands of small systems that make the substeps themselves, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "substep/integrators/integration_method.h"
#include "substep/integrators/step_controller.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

struct IntegratorSettings;

/// All that an IntegratorService remembers behind an advance under Boundary::Exact that reached its end, of a system
/// without events under a method whose stages are all its own, beside the state that it handed out.
struct AdvanceMemory {
    double t_handed = 0.0;             ///< s, of the state handed out
    double h_next = 0.0;               ///< s: the substep that the controller wants next; 0: not known
    StepController::History history{}; ///< what the controller looks back at
    std::uint8_t calm = 0;             ///< advances since the last change from outside, as far as they are counted
    bool has_memory = false;           ///< there was an advance
    bool settings_changed = true;      ///< since that
};

/// Writes the bytes that a service of this method and size would save of such a memory to the front of `room`, if it
/// suffices, and returns how many these are; `restore` takes them from the front of `bytes`. It returns false, with
/// both as they were, where they are of another method or size, or tell of more.
std::size_t save(const AdvanceMemory& memory, const MethodInfo& method, std::size_t components,
                 std::span<std::byte> room) noexcept;
bool restore(AdvanceMemory& memory, const MethodInfo& method, std::size_t components,
             std::span<const std::byte>& bytes) noexcept;

/// Whether a service that is given other settings of the same method goes on along the same trajectory: where not, its
/// next advance starts anew at the state handed out last.
bool is_same_trajectory(const IntegratorSettings& before, const IntegratorSettings& now) noexcept;

/// Whether an advance may be made by the rules below: under Boundary::Exact, with nothing that may cut it short or
/// coarsen it.
bool is_plain(const IntegratorSettings& settings) noexcept;

/// The choice of a first substep's length where nothing is known: an Euler step of length `probe` shows how fast the
/// derivative changes. Sizes are in units of the tolerance. Source: Hairer, Norsett & Wanner I, II.4.
struct FirstLength {
    double remaining = 0.0; ///< s, of the interval
    double unit = 1.0;      ///< s, of the model's times: powers of them are added

    /// Length (s) of the Euler step, from the sizes of state and derivative (1/s).
    double probe(double of_state, double of_rate) const noexcept;
    /// The substep's length (s), with the size (1/s) of what the derivative changes by along the probe: a tenth of the
    /// interval where that is not finite.
    double length(double probe, double of_rate, double of_change, int error_order) const noexcept;
};

/// One advance from t0 to t1 > t0 as IntegratorService makes it under plain settings, told what becomes of attempts
/// instead of making them. Adaptive methods call `begin_substep`, `next_length` and `judge` until nothing remains;
/// fixed methods make their substeps themselves, between `begin` and `end`.
class ExactAdvance {
public:
    /// Takes up a memory, for an advance of which nothing is told yet. `untouched`: state and model are as they were
    /// left.
    void begin(const AdvanceMemory& memory, double t0, double t1, bool untouched) noexcept;

    bool has_restarted() const noexcept { return has_restarted_; }        ///< a memory was dropped
    double t() const noexcept { return t_end_; }                          ///< s, how far it came
    double remaining() const noexcept { return (t1_ - t_end_) - carry_; } ///< s
    bool knows_length() const noexcept { return h_next_ > 0.0; }          ///< of the next substep

    /// Begins a substep; `first` (s) is its length where none is known.
    void begin_substep(double first) noexcept;
    /// Returns the length of the next attempt at it, at most h_max (s) and evenly fitted to the end, or clipped to it;
    /// 0 where no length is long enough for time to go on.
    double next_length(double h_max, bool clip_last) noexcept;

    enum class Verdict : std::uint8_t {
        Accepted,
        Rejected,
        GaveUp ///< the error is no number, or there were too many attempts
    };
    /// Judges the attempt of the length returned last by its error, in units of the tolerance.
    Verdict judge(const StepController& controller, double error) noexcept;

    /// The memory behind the advance.
    AdvanceMemory end() const noexcept { return {t1_, h_next_, history_, calm_, true, false}; }

    std::int32_t accepted = 0;
    std::int32_t accepted_after_retry = 0;
    std::int32_t rejected = 0;
    double h_smallest = 0.0;    ///< s, accepted
    double h_largest = 0.0;     ///< s, accepted
    double h_last = 0.0;        ///< s, of the last attempt
    double largest_error = 0.0; ///< accepted, in units of the tolerance

private:
    void accept(double h) noexcept;

    double t1_ = 0.0;
    double t_end_ = 0.0;
    double carry_ = 0.0; ///< of a compensated sum
    double h_next_ = 0.0;
    double natural_ = 0.0; ///< s: what the controller wants
    double h_shortest_ = 0.0;
    StepController::History history_{};
    int attempt_ = 0;
    std::uint8_t calm_ = 0;
    bool has_restarted_ = false;
};

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
