// Impacts of all that touches, at one moment.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "contact/contact_regime.h"
#include "contact_modes/bounce_trains.h"
#include "contact_modes/touching_contacts.h"
#include "dynamics/manifold_projection.h"
#include "dynamics/works.h"
#include "substep/engine/contact.h"

namespace substep::detail {

/// Makes impacts, one after the other where one leads to the next (Newton's restitution, Coulomb's cone, joints obeyed)
/// and lists them for the step's report.
class ContactImpact {
public:
    ContactImpact(Configuration& configuration, Works& works, ManifoldProjection& projection,
                  const ContactRegime& regime, TouchingContacts& touching, const BounceTrains& trains) noexcept
        : c_(&configuration), works_(&works), projection_(&projection), regime_(&regime), touching_(&touching),
          trains_(&trains) {}

    /// Makes room for the configuration's contacts. Allocates to grow.
    void resize();

    /// Changes the velocities of `y` where something closes, and lists the impacts. Returns false if impulses that obey
    /// the laws were not found.
    bool collide(double t, std::span<double> y) noexcept;

    /// Rates of the touching constraints before the impacts of this moment, three numbers each.
    std::span<const double> approach_rates() const noexcept { return approach_rates_; }

    /// Books the impact made last, from `before` to `y`, as works.
    void book(std::span<const double> before, std::span<double> y) const noexcept;

    /// Impacts of the step, oldest first.
    std::span<const Impact> impacts() const noexcept { return impacts_; }
    /// Forgets all but the first `count` of them.
    void forget_impacts(std::size_t count) noexcept { impacts_.resize(std::min(count, impacts_.size())); }

private:
    bool find_closing(bool in_sequence) noexcept;
    bool collide_once() noexcept;
    bool solve(double restitution_part) noexcept;
    double energy_lost() const noexcept;
    double velocity_behind(std::size_t row) const noexcept;
    void record(double t) noexcept;

    Configuration* c_;
    Works* works_;
    ManifoldProjection* projection_;
    const ContactRegime* regime_;
    TouchingContacts* touching_;
    const BounceTrains* trains_;
    std::vector<Impact> impacts_;
    std::array<double, 2> losses_{};     ///< J, along and across the normals of the impact being made
    std::vector<double> approach_rates_; ///< rates before it: of each constraint, where it closed first
    std::vector<double> rates_before_;   ///< rates before the impact being made, where several follow at once
    std::vector<char> takes_part_;       ///< in that
    std::vector<double> restitution_;
    std::vector<double> rebound_rates_; ///< the rebound e v- along normals that close
};

} // namespace substep::detail
