// Forces of held contacts, kept as the derivative found them, so that looking for their events costs next to nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "contact/contact_regime.h"
#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"

namespace substep::detail {

/// Event functions of each constraint; an event is a fall through zero. Functions that a mode does not use are 1. Of a
/// slide kCone is the guard: its friction is about to press it together harder than it pushes apart (Painleve), where
/// no force is right.
enum ContactSurface : std::size_t { kGap, kPressure, kSlip, kCone, kSurfaces };

/// Forces and slip of a held contact.
struct HeldContact {
    double pressure = 0.0;        ///< N, along the normal
    double painleve_margin = 1.0; ///< of a slide
    double friction = 0.0;        ///< N, size of the force across it
    glm::dvec3 force{0.0};        ///< N on the first body
    glm::dvec3 normal{0.0};
    glm::dvec3 slip{0.0}; ///< m/s
    double braking = 0.0; ///< m/s^2, by which friction alone changes the slip
    double rate = 0.0;    ///< of the first tangent: of a joint's coordinate, m/s or rad/s
};

/// Event functions of a held contact.
struct HeldSurfaces {
    double pressure = 1.0;
    double cone = 1.0;
    double slip = 1.0;
};

/// Bounds of a held contact's event functions over the stages of a substep, its start included.
struct StageRange {
    HeldSurfaces least;
    HeldSurfaces most;
    void widen(const HeldSurfaces& by) noexcept;
    bool is_far() const noexcept;
};

/// How the stages of a substep turned the friction of a slide, and how strong it was; nothing yet.
struct TurnRange {
    double least = 1.0; ///< FrictionThreshold::turn
    double most = -1.0;
    double braking = 0.0; ///< m/s^2, the most: HeldContact::braking
};

/// All constraints in contact, in the order in which they are involved. Results are forgotten when constraints or modes
/// change, or by `forget`.
class HeldContacts {
public:
    HeldContacts(Configuration& configuration, Accelerations& accelerations, ContactRegime& regime) noexcept
        : c_(&configuration), accelerations_(&accelerations), regime_(&regime) {}

    /// Makes room for the configuration's contacts and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);

    /// Forgets all results: the state has changed, or the forces on it.
    void forget() noexcept;

    /// A step begins. What is known from the one before costs from here on what a new evaluation would, for a restored
    /// world does not know it, and budgets are spent by what is counted.
    void begin_step() noexcept { is_of_earlier_step_ = is_known_; }

    /// Keeps the results of an evaluation of the derivative at (t, y), of model `revision`.
    void keep(double t, std::span<const double> y, std::uint64_t revision) noexcept;

    /// Returns the held contacts at (t, y): from the last derivative if it was there, else from a new evaluation.
    std::span<const HeldContact> at(double t, std::span<const double> y, std::uint64_t revision) noexcept;

    /// The same where that costs nothing: empty if the last derivative was elsewhere.
    std::span<const HeldContact> known_at(double t, std::span<const double> y, std::uint64_t revision) noexcept;

    /// A substep begins at (t, y) under model `revision`: its surfaces there count among those of its stages.
    void begin_substep(double t, std::span<const double> y, std::uint64_t revision) noexcept;
    /// The stages of an attempt at a substep from t follow. Surfaces at its start are known from `begin_substep`, or
    /// from an evaluation there; what else was evaluated before, in an attempt that was rejected, decides nothing: the
    /// stages of a substep that is made again, in a restored world, tell the same.
    void begin_attempt(double t) noexcept;

    /// Whether (t, y) is within a substep whose stages and end all found the event functions of contacts far from zero.
    /// Then these are at most as in `stage_range`, and nothing looks like a dip.
    bool are_surfaces_far(double t, std::span<const double> y, std::uint64_t revision) noexcept;
    /// Number of contacts held at the last derivative.
    std::size_t size() const noexcept { return held_.size(); }
    const StageRange& stage_range(std::size_t k) const noexcept { return stage_ranges_[k]; }
    /// Of the k-th contact that holds, over the stages of the attempt made last.
    const TurnRange& turn_range(std::size_t k) const noexcept { return turn_ranges_[k]; }

    static HeldSurfaces surfaces_of(const UnilateralConstraint& contact, const HeldContact& held) noexcept;

private:
    void forget_where_outdated() noexcept;
    bool is_within_substep(double t) const noexcept;
    void write(std::vector<HeldContact>& held) const;
    void count_evaluation(std::size_t entries) noexcept;
    void note_start(std::span<const HeldContact> held) noexcept;
    void note_stage(double t, std::span<const HeldContact> held) noexcept;
    void note_turn(std::size_t k, const HeldContact& held) noexcept;

    Configuration* c_;
    Accelerations* accelerations_;
    ContactRegime* regime_;

    // Results of the last derivative with the bits that they belong to. Events at a substep's end and reports of
    // contacts need no other evaluation.
    std::uint64_t held_modes_version_ = 0; ///< of the contacts
    bool is_known_ = false;
    bool is_of_earlier_step_ = false;
    std::size_t held_entries_ = 0; ///< of the problem that was solved
    double held_time_ = 0.0;
    std::vector<double> held_state_;
    std::uint64_t held_revision_ = 0;
    std::vector<HeldContact> held_;
    std::vector<HeldContact> held_elsewhere_; ///< the last answer at another time or state

    // Over the stages of the substep being made, its start included.
    std::vector<StageRange> stage_ranges_;
    std::vector<TurnRange> turn_ranges_;
    std::vector<double> stage_times_; ///< s, of the evaluations behind its start
    std::size_t stage_count_ = 0;
    std::vector<HeldSurfaces> start_surfaces_;
    double start_time_ = 0.0; ///< s
    bool is_start_known_ = false;
};

} // namespace substep::detail
