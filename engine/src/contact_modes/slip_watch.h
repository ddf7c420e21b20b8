// Slips that turn: the direction that friction takes them to come from follows them from substep to substep.
#pragma once

#include <span>
#include <vector>

#include "contact_modes/contact_response.h"
#include "contact_modes/held_contacts.h"
#include "contact_modes/island_derivative.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// Friction acts against a slip, and keeps its direction where the slip has come to rest and stages go a little beyond
/// that: which is which is told from the direction that the slip had where the substep began. So a substep in which a
/// slip turns far is made again shorter, and so is one in which a slip seems to come to rest, because it is slow and
/// its friction bent, but would not stay there.
class SlipWatch final : public SubstepWatch {
public:
    SlipWatch(Configuration& configuration, Accelerations& accelerations, IslandDerivative& derivative,
              HeldContacts& held, ContactResponse& response) noexcept
        : c_(&configuration), accelerations_(&accelerations), derivative_(&derivative), held_(&held),
          response_(&response) {}

    /// Makes room for the configuration's contacts. Allocates to grow.
    void resize();

    bool begin_substep(double t, std::span<const double> y) noexcept override;
    void begin_attempt(double t, double length) noexcept override {
        held_->begin_attempt(t);
        length_ = length;
    }
    bool holds_until(double t, std::span<const double> y) noexcept override;

private:
    /// Of a slide, where a substep begins or ends.
    struct Friction {
        double speed = 0.0; ///< m/s, of the slip, at least that which counts as none
        double turn = 0.0;  ///< from the direction noted, FrictionThreshold::turn
    };
    struct Start {
        Friction friction;
        bool is_slow = false;       ///< its slip counts as none
        bool comes_to_rest = false; ///< its slip is slow where the substep ends, and was not before
    };

    bool is_resolved(const Friction& start, const Friction& end, const TurnRange& stages) const noexcept;
    template <class Visit>
    void for_each_slide(double t, std::span<const double> y, const Visit& visit) noexcept;

    Configuration* c_;
    Accelerations* accelerations_;
    IslandDerivative* derivative_;
    HeldContacts* held_;
    ContactResponse* response_;
    double length_ = 0.0;       ///< s, of the attempt being made
    std::vector<Start> starts_; ///< of each contact
};

} // namespace substep::detail
