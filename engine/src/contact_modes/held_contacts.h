// What contacts that hold transmit, kept as the derivative found it: looking for their events costs next to nothing
// then.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact/contact_regime.h"
#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"

namespace substep::detail {

/// Event functions of each constraint, of which those that its mode has are alive; all count when they fall through
/// zero. One that is not alive is 1. Of a slide kCone is the guard: its friction is about to press it together harder
/// than it pushes apart (Painleve), where no force is right.
enum ContactSurface : std::size_t { kGap, kPressure, kSlip, kCone, kSurfaces };

/// What a contact that holds transmits.
struct HeldContact {
    double pressure = 0.0;        ///< N, along the normal
    double painleve_margin = 1.0; ///< of a slide
    double friction = 0.0;        ///< N, size of the force across it
    glm::dvec3 force{0.0};        ///< N on the first body
    glm::dvec3 slip{0.0};         ///< m/s
    double rate = 0.0;            ///< of the first tangent: of a joint's coordinate, m/s or rad/s
};

/// Event functions that follow from it.
struct HeldSurfaces {
    double pressure = 1.0;
    double cone = 1.0;
    double slip = 1.0;
};

/// Between which bounds the event functions of a contact that holds stayed over the stages of a substep, its start
/// included, and what they were at the latest time.
struct StageRange {
    HeldSurfaces least;
    HeldSurfaces most;
    HeldSurfaces last;
    double last_t = 0.0; ///< s
    void widen(const HeldSurfaces& by) noexcept;
    bool is_far() const noexcept;
};

/// Of all constraints in contact, in their order. What was found is forgotten where constraints or modes have become
/// others, or by `forget`.
class HeldContacts {
public:
    HeldContacts(Configuration& configuration, Accelerations& accelerations, ContactRegime& regime) noexcept
        : c_(&configuration), accelerations_(&accelerations), regime_(&regime) {}

    /// Makes room for the configuration's contacts and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);

    /// Forgets what evaluations found: the state has become another one, or what acts on it.
    void forget() noexcept;

    /// Keeps what an evaluation of the derivative has just found at (t, y) of model `revision`.
    void keep(double t, std::span<const double> y, std::uint64_t revision) noexcept;

    /// What the contacts transmit at (t, y): as the last derivative found it, or as another one would.
    std::span<const HeldContact> at(double t, std::span<const double> y, std::uint64_t revision) noexcept;

    /// Whether (t, y) is within a substep of which every stage and the end found all surfaces of contacts far away.
    /// Then they are at most as in `stage_range`, and nothing looks like a dip.
    bool are_surfaces_far(double t, std::span<const double> y, std::uint64_t revision) noexcept;
    /// How many the last derivative found.
    std::size_t size() const noexcept { return held_.size(); }
    const StageRange& stage_range(std::size_t k) const noexcept { return stage_ranges_[k]; }

    static HeldSurfaces surfaces_of(const UnilateralConstraint& contact, const HeldContact& held) noexcept;

private:
    void forget_where_outdated() noexcept;
    void write(std::vector<HeldContact>& held) const;
    void note_stage(double t, std::span<const HeldContact> held) noexcept;

    Configuration* c_;
    Accelerations* accelerations_;
    ContactRegime* regime_;

    // What the last derivative found, with the bits that it was found for: where events are looked for at a substep's
    // end, and where contacts are reported, it need not be found again.
    std::uint64_t held_modes_version_ = 0; ///< of the contacts
    bool is_known_ = false;
    double held_time_ = 0.0;
    std::vector<double> held_state_;
    std::uint64_t held_revision_ = 0;
    std::vector<HeldContact> held_;
    std::vector<HeldContact> held_elsewhere_; ///< as asked for last

    // Over the stages of the substep being made, its start included.
    std::vector<StageRange> stage_ranges_;
    std::vector<double> stage_times_; ///< s, of the evaluations
    std::size_t stage_count_ = 0;
    std::vector<HeldSurfaces> substep_start_surfaces_; ///< what the end of the substep before found
    double substep_start_time_ = 0.0;                  ///< s
    bool is_start_known_ = false;
};

} // namespace substep::detail
