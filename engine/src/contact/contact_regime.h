// How the contacts of an island are stepped: the regime, and the counts that change it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bodies/tolerances.h"
#include "substep/integrators/integration_method.h"

namespace substep::detail {

/// How contacts and stops of joints are stepped.
enum class Regime : std::uint8_t {
    Modes,      ///< impacts are events, contacts that hold are constraints inside the derivative
    Impulses,   ///< velocity steps of first order
    ConvexStep, ///< those of some bodies, with all contacts solved at once: a small pile
    Soft        ///< those of many bodies: a pile
};

/// How an island is a pile: its contacts are pairs of a pile, whatever makes its steps.
enum class PileKind : std::uint8_t { None, ConvexStep, Soft };

/// The regime of one island, and why modes failed in the present step. Velocity steps take over where modes fail, and
/// give contacts back to modes after enough calm steps in a row:
///   Modes --take_over--> Impulses --kCalmSteps calm steps--> may_return --give_back--> Modes.
/// Where more touch than modes could hold, convex steps take over instead of impulses, where many bodies touch soft
/// steps, until for a while there are fewer; then impulses.
class ContactRegime {
public:
    Regime regime() const noexcept { return regime_; }
    bool is_velocity_level() const noexcept { return regime_ != Regime::Modes; }
    PileKind pile() const noexcept { return pile_; }
    bool is_pile() const noexcept { return pile_ != PileKind::None; }
    bool is_soft() const noexcept { return pile_ == PileKind::Soft; }
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

    /// Which steps of piles can be made.
    struct PilesAllowed {
        bool soft = false;
        bool convex = false;
    };
    /// Chooses how the island is a pile, by the numbers of bodies and of points that touch. Returns whether that
    /// changed.
    bool choose_pile(const PilesAllowed& allowed, std::size_t bodies, std::size_t points) noexcept;
    /// The method itself makes piles of a kind, whatever their size; velocity steps have nothing to take over then.
    /// Returns whether that changed anything.
    bool name_pile(PileKind kind) noexcept;
    /// For snapshots: the pile is one by the method's name.
    void set_named(bool named) noexcept { is_named_ = named; }
    /// For snapshots: 0 for no pile, else one more than the steps for which there were few; soft steps, then convex
    /// ones.
    static constexpr unsigned kLargestPileCount = kFewSteps + kSmallSteps;
    std::uint8_t pile_count() const noexcept;
    void set_pile_count(std::uint8_t count) noexcept;

    void start_anew() noexcept;
    /// Makes room for so many constraints. Allocates to grow.
    void resize(std::size_t constraints);

    /// Chooses the regime by the needs of the method (velocity steps, derivatives, or neither) and whether velocity
    /// steps have taken over. `in_contact` says that some constraints hold by a mode.
    void choose(MethodNeeds needs, bool has_constraints, bool in_contact) noexcept;

    /// Whether modes must be selected anew: they have taken contacts back, or a new method cannot hold them.
    bool modes_wanted() const noexcept { return modes_wanted_; }
    void want_modes(bool wanted) noexcept { modes_wanted_ = wanted; }

    /// Begins a step: counts per step start at zero. The island's method cannot tell hops that are over within
    /// `unresolved_time` (s).
    void begin_step(double unresolved_time) noexcept;
    double unresolved_time() const noexcept { return unresolved_time_; }

    /// Whether modes cannot hold the contacts: more than can be solved together, or no consistent selection.
    bool modes_failed() const noexcept { return modes_failed_; }
    void set_modes_failed(bool failed) noexcept { modes_failed_ = failed; }
    /// Whether a slide of this step came to where friction presses it together harder than it pushes apart (Painleve),
    /// or a stage went beyond that.
    bool met_painleve_guard() const noexcept { return met_painleve_guard_; }
    void meet_painleve_guard() noexcept { met_painleve_guard_ = true; }

    /// Whether a body turned so far within a substep of this step that its path says nothing of its attitude: it may
    /// have met something unseen.
    bool lost_sight() const noexcept { return lost_sight_; }
    void lose_sight() noexcept { lost_sight_ = true; }

    /// Counts that a constraint met its surface. Beyond kMostBounces in a step it does not rebound any more in this
    /// step, and is counted anew; returns true where it did not rebound before either.
    bool count_bounce(std::size_t constraint, double t) noexcept;
    /// Counts another transition of a constraint, at time t (s); it crowds if it follows the last one within `moment`
    /// (s). Returns whether there were too many in this step, or too many that crowd.
    bool count_transition(std::size_t constraint, double t, double moment) noexcept;
    int transitions(std::size_t constraint) const noexcept {
        return counts_[constraint].bounces + counts_[constraint].others;
    }
    /// Begins the settle rule for a cluster: none of its constraints rebounds any more, and their transitions are
    /// counted anew. Modes fail where it was applied to one of them in this step already.
    /// What is within `length` (m) is brought together.
    void settle(std::span<const int> cluster, double length) noexcept;

    /// Whether a constraint does not rebound any more in this step.
    bool is_plastic(std::size_t constraint) const noexcept { return plastic_[constraint] != Plastic::No; }
    /// Whether it does not because it, or others, made too many transitions.
    bool is_kept_down(std::size_t constraint) const noexcept { return plastic_[constraint] == Plastic::KeptDown; }
    /// While modes take up what velocity steps have left.
    void make_all_plastic(bool plastic) noexcept;

    /// Notes a length (m) that was given up where bounces were ended for their number.
    void give_up(double length) noexcept { given_up_ = std::max(given_up_, length); }
    /// The largest in this step; 0: none.
    double given_up() const noexcept { return given_up_; }

private:
    enum class Plastic : std::uint8_t { No, Resumed, KeptDown };
    /// Transitions of one constraint in this step.
    struct TransitionCounts {
        int bounces = 0;
        int others = 0;
        int crowded = 0;                                        ///< of the others
        double last = -std::numeric_limits<double>::infinity(); ///< time of the last of all, s
    };
    void forget_transitions() noexcept;

    Regime regime_ = Regime::Modes;
    int calm_steps_ = -1; ///< running, up to kCalmSteps; -1: velocity steps have not taken over
    PileKind pile_ = PileKind::None;
    bool is_named_ = false; ///< by the method, which ends it at once where it is changed
    int small_steps_ = 0;   ///< running, of a pile that would not become one now
    bool holds_modes_ = true;
    bool modes_wanted_ = false;
    bool modes_failed_ = false;
    bool met_painleve_guard_ = false;
    bool lost_sight_ = false;
    double unresolved_time_ = 0.0; ///< s
    double given_up_ = 0.0;        ///< m
    std::vector<TransitionCounts> counts_;
    std::vector<Plastic> plastic_;
    std::vector<char> settled_; ///< the settle rule was applied to them in this step
};

} // namespace substep::detail
