// The response where contacts meet, part or change: one impact of all that touch, then the modes that hold them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bodies/tolerances.h"
#include "contact/contact_regime.h"
#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"
#include "dynamics/manifold_projection.h"
#include "dynamics/works.h"
#include "substep/engine/contact.h"

namespace substep::detail {

/// The response of touching contacts: first impulses (Newton's restitution, Coulomb's cone), then modes that are
/// consistent with the accelerations.
class ContactResponse {
public:
    ContactResponse(Configuration& configuration, Works& works, Accelerations& accelerations,
                    ManifoldProjection& projection, ContactRegime& regime) noexcept
        : c_(&configuration), works_(&works), accelerations_(&accelerations), projection_(&projection),
          regime_(&regime) {}

    /// Makes room for the configuration's contacts and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);

    /// Lists the constraints that hold and those with a gap no larger than `distance` (m), and all dry friction of
    /// joints. Returns false if they are too many, or penetrate too deep.
    bool find_touching(double t, std::span<const double> y, double distance) noexcept;

    /// Responds for all that `find_touching` has listed: an impact if something closes, then modes. Contacts slower
    /// than `parting_speed` (m/s) do not part. There is no rebound that, with all that follow it, would move nothing by
    /// the resolution. `events` are those that led here, if any. Returns false, with the state and the list of impacts
    /// as they were, where no modes are consistent or the method cannot hold them.
    bool respond(double t, std::span<double> y, double parting_speed, std::span<const std::size_t> events) noexcept;

    /// Whether a contact of bodies that slides would stick at (t, y), if its slip were none there.
    bool would_stick(std::size_t contact, double t, std::span<const double> y) noexcept;

    /// Impacts of the step, oldest first.
    std::span<const Impact> impacts() const noexcept { return impacts_; }
    void forget_impacts() noexcept { impacts_.clear(); }

private:
    using Parting = std::array<bool, kMostConstraints>;

    const UnilateralConstraint& touching(std::size_t k) const noexcept {
        return c_->contacts()[static_cast<std::size_t>(touching_constraints_[k])];
    }
    double still_slip(std::size_t k) const noexcept {
        return accelerations_->friction_threshold().speed(c_->contacts(), k);
    }
    void linearise(double t, std::span<const double> y) noexcept;
    bool collide(double t, std::span<double> y) noexcept;
    bool solve_impact(double restitution_part) noexcept;
    double energy_lost() const noexcept;
    double velocity_behind(std::size_t row) const noexcept;
    void record_impacts(double t) noexcept;
    bool end_trains() noexcept;
    double time_of_train(std::size_t k, double rebound, double approach) const noexcept;
    double length_of_train(std::size_t k, double rebound, double approach) const noexcept;
    double height_of_hop(std::size_t k, double speed, double approach) const noexcept;
    double clear_height(std::size_t k) const noexcept;
    void note_what_is_given_up() noexcept;
    bool select_modes(double t, std::span<double> y, double parting_speed,
                      std::span<const std::size_t> events) noexcept;
    void stop_slow_slips(std::span<double> y, double parting_speed) noexcept;
    bool can_hold_modes() const noexcept;
    void book_impact(std::span<double> y) const noexcept;
    Parting adopt_modes() noexcept;
    double pressure_floor(std::size_t k) const noexcept;
    void watch_gaps_from_below(double t, std::span<const double> y, const Parting& parting,
                               std::span<const std::size_t> events) noexcept;
    void undo(double t, std::span<double> y, std::size_t impacts) noexcept;
    void take_rates() noexcept;

    Configuration* c_;
    Works* works_;
    Accelerations* accelerations_;
    ManifoldProjection* projection_;
    ContactRegime* regime_;
    std::vector<Impact> impacts_;
    std::array<double, 2> impact_losses_{}; ///< J, along and across the normals of the impact being made

    // Of the touching constraints, three numbers each where rows are meant.
    std::vector<int> touching_constraints_;
    std::vector<double> contact_rates_;  ///< gap rate and slips now
    std::vector<double> approach_rates_; ///< the same before an impact
    std::vector<double> restitution_;
    std::array<bool, kMostConstraints> train_ends_{}; ///< it stays on its surface, whatever the impact being made
    std::vector<double> rebound_rates_;               ///< the rebound e v- along normals that close
    std::vector<double> state_before_response_;       ///< y, before the response
};

} // namespace substep::detail
