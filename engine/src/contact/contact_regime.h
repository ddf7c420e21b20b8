// How the contacts of an island are stepped: the regime, and the counts that change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bodies/tolerances.h"
#include "substep/integrators/integration_method.h"

namespace substep::detail {

/// How contacts and stops of joints are stepped.
enum class Regime : std::uint8_t {
    Modes,   ///< impacts are events, contacts that hold are constraints inside the derivative
    Impulses ///< velocity steps of first order
};

/// The regime of one island, and why modes failed in the present step. Velocity steps take over where modes fail, and
/// give contacts back to modes after enough calm steps in a row:
///   Modes --take_over--> Impulses --kCalmSteps calm steps--> may_return --give_back--> Modes.
class ContactRegime {
public:
    Regime regime() const noexcept { return regime_; }
    bool is_velocity_level() const noexcept { return regime_ == Regime::Impulses; }
    /// Whether the method can hold contacts by modes: one that takes no derivatives can only locate impacts.
    bool holds_modes() const noexcept { return holds_modes_; }

    /// Calm steps in a row before modes take contacts back.
    static constexpr int kCalmSteps = kCalmStepsOfContacts;
    /// Whether velocity steps have taken over from the island's own method.
    bool has_taken_over() const noexcept { return calm_steps_ >= 0; }
    /// Whether enough steps have been calm.
    bool may_return() const noexcept { return calm_steps_ >= kCalmSteps; }
    /// Velocity steps take over. Returns false if they had already.
    bool take_over() noexcept;
    /// Modes take contacts back, or there is nothing left to hold.
    void give_back() noexcept { calm_steps_ = -1; }
    /// Counts a step of the take-over, calm or not.
    void note_step(bool calm) noexcept { calm_steps_ = calm ? calm_steps_ + 1 : 0; }
    /// For snapshots: 0 while modes hold, else one more than the calm steps.
    static constexpr unsigned kLargestCount = kCalmSteps + 1;
    std::uint8_t takeover_count() const noexcept { return static_cast<std::uint8_t>(calm_steps_ + 1); }
    void set_takeover_count(std::uint8_t count) noexcept { calm_steps_ = static_cast<int>(count) - 1; }

    void start_anew() noexcept;
    /// Makes room for so many constraints. Allocates to grow.
    void resize(std::size_t constraints);

    /// Chooses the regime by the needs of the method (velocity steps, derivatives, or neither) and whether velocity
    /// steps have taken over. `in_contact` says that some constraints hold by a mode.
    void choose(MethodNeeds needs, bool has_constraints, bool in_contact) noexcept;

    /// Whether modes must be selected anew: they have taken contacts back, or a new method cannot hold them.
    bool modes_wanted() const noexcept { return modes_wanted_; }
    void want_modes(bool wanted) noexcept { modes_wanted_ = wanted; }

    /// Begins a step of `length` seconds: counts per step start at zero.
    void begin_step(double length) noexcept;
    double step_length() const noexcept { return step_length_; } ///< s

    /// Whether modes cannot hold the contacts: more than can be solved together, or no consistent selection.
    bool modes_failed() const noexcept { return modes_failed_; }
    void set_modes_failed(bool failed) noexcept { modes_failed_ = failed; }
    /// Whether a slide of this step came to where friction presses it together harder than it pushes apart (Painleve),
    /// or a stage went beyond that.
    bool met_painleve_guard() const noexcept { return met_painleve_guard_; }
    void meet_painleve_guard() noexcept { met_painleve_guard_ = true; }

    /// Counts a transition of a constraint. Returns how many it has made in this step.
    int count_transition(std::size_t constraint) noexcept { return ++transition_counts_[constraint]; }
    int transitions(std::size_t constraint) const noexcept { return transition_counts_[constraint]; }
    /// Begins the settle rule: no constraint rebounds any more, transitions are counted anew. Modes fail where it was
    /// applied in this step already.
    void settle() noexcept;

    /// Whether a constraint does not rebound any more in this step.
    bool is_plastic(std::size_t constraint) const noexcept { return plastic_[constraint] != 0; }
    void make_plastic(std::size_t constraint) noexcept { plastic_[constraint] = 1; }
    void make_all_plastic(bool plastic) noexcept;

private:
    Regime regime_ = Regime::Modes;
    int calm_steps_ = -1; ///< running, up to kCalmSteps; -1: velocity steps have not taken over
    bool holds_modes_ = true;
    bool modes_wanted_ = false;
    bool modes_failed_ = false;
    bool met_painleve_guard_ = false;
    bool has_settled_ = false; ///< the settle rule was applied in this step
    double step_length_ = 0.0;
    std::vector<int> transition_counts_; ///< of each constraint, in this step
    std::vector<char> plastic_;
};

} // namespace substep::detail
