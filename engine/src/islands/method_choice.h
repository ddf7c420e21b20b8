// The choice of `auto` for one island, from its last steps.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "substep/integrators/integrator_service.h"

namespace substep::detail {

/// Facts about the step just made, for the next choice.
struct StepFacts {
    double dt = 0.0;        ///< s
    double frequency = 0.0; ///< rad/s, the fastest vibration across joints
    bool has_events = false;
    bool met_bound = false;
};

/// Chooses with hysteresis: another method must be called for in several steps running.
class MethodChooser {
public:
    enum class Choice : std::uint8_t { Smooth, Eventful, Clipped, Stiff, Theta };

    /// All that the next choice depends on: part of a snapshot.
    struct Memory {
        std::int32_t substeps = 1; ///< of rk4 or theta
        std::uint16_t streak = 0;  ///< steps in which `wanted` was called for, running
        Choice choice = Choice::Smooth;
        Choice wanted = Choice::Smooth;
        std::uint8_t bounds_met = 0; ///< times that a method met the bound on a step's cost, after each other
        std::array<std::uint8_t, 3> unused{};
    };

    /// Forgets what it has seen.
    void forget() noexcept { memory_ = {}; }

    /// Takes over the user's settings, with `auto` for the method, in a world of this length (m).
    void configure(const IntegratorSettings& wanted, double length);

    /// Looks at the step just made. Returns true if the next one is to be made with other `settings`.
    bool look(const StepReport& report, const StepFacts& facts) noexcept;

    const IntegratorSettings& settings() const noexcept { return chosen_settings_; }
    std::string_view reason() const noexcept;

    const Memory& memory() const noexcept { return memory_; }
    bool set_memory(const Memory& memory); ///< returns false, unchanged, if it is invalid

private:
    void apply();
    double tolerance() const noexcept;
    bool is_loose() const noexcept;
    int patience_towards(Choice called) const noexcept;
    Choice within_budget(Choice choice, int substeps) const noexcept;

    IntegratorSettings wanted_settings_;
    IntegratorSettings chosen_settings_;
    Memory memory_;
    double length_ = 1.0; ///< m, of the world
};

} // namespace substep::detail
