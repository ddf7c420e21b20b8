// When bounces end: by what they would move.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "contact/contact_regime.h"
#include "contact_modes/touching_contacts.h"
#include "dynamics/accelerations.h"

namespace substep::detail {

/// Says which of the touching constraints do not part at an impact: those whose hop, with all that follow it, would
/// move nothing by the resolution.
class BounceTrains {
public:
    BounceTrains(Configuration& configuration, const Accelerations& accelerations, ContactRegime& regime,
                 const TouchingContacts& touching) noexcept
        : c_(&configuration), accelerations_(&accelerations), regime_(&regime), touching_(&touching) {}

    /// A response begins: no train has ended.
    void start_anew() noexcept { ends_ = {}; }

    /// Whether constraint k stays on its surface, whatever the impact being made.
    bool ends(std::size_t k) const noexcept { return ends_[k]; }

    /// Ends trains behind an impact, for which modes have been selected. `approach_rates`: the rates before it, three
    /// numbers a constraint. Returns true if there was any, so that the impact must be made again.
    bool end(std::span<const double> approach_rates) noexcept;

    /// Tells the regime the lengths of rebounds that were kept down because there were too many, where modes have been
    /// selected.
    void note_what_is_given_up(std::span<const double> approach_rates) noexcept;

    /// Returns how far (m) constraint k gets from its surface when it parts at a speed, with approach acceleration.
    double height_of_hop(std::size_t k, double speed, double approach) const noexcept;

    /// Returns the height (m) of the lowest hops of constraint k that are told from round-off.
    double clear_height(std::size_t k) const noexcept;

private:
    double time(std::size_t k, double rebound, double approach) const noexcept;
    double length(std::size_t k, double rebound, double approach,
                  std::span<const double> approach_rates) const noexcept;

    Configuration* c_;
    const Accelerations* accelerations_;
    ContactRegime* regime_;
    const TouchingContacts* touching_;
    std::array<bool, kMostConstraints> ends_{};
};

} // namespace substep::detail
