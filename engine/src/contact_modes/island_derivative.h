// The derivative of an island: y' = f(t, y) with joints and contacts obeyed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contact_modes/held_contacts.h"
#include "dynamics/accelerations.h"
#include "dynamics/works.h"

namespace substep::detail {

/// With F and tau from fields, actuators, joints and contacts (see Accelerations), of each dynamic body:
///   x' = v,  q' = 1/2 (0, omega) q,  v' = F / m,  L' = tau,  omega = R I^-1 R^T L.
/// After the bodies come the rates of the joints' memory, then the powers of works.
class IslandDerivative {
public:
    IslandDerivative(Configuration& configuration, Works& works, Accelerations& accelerations, HeldContacts& held,
                     ContactRegime& regime) noexcept
        : c_(&configuration), works_(&works), accelerations_(&accelerations), held_(&held), regime_(&regime) {}

    /// Sizes scratch space for states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size) { state_ahead_.resize(accelerations_->actuators().empty() ? 0 : state_size); }

    /// Writes f(t, y); not finite where friction presses a contact together harder than it lets go.
    void evaluate(double t, std::span<const double> y, std::span<double> dydt) noexcept;

    /// Counts changes of f: of a force, a mass, a prescribed motion.
    std::uint64_t revision() const noexcept { return revision_; }
    void change() noexcept { ++revision_; }
    void start_anew(std::uint64_t changes) noexcept { revision_ = changes; }

    /// Takes the sides of the actuators' switches from (t, y). Returns whether one changed.
    bool find_actuator_sides(double t, std::span<const double> y) noexcept;

private:
    std::uint64_t revision_ = 0; ///< first: a snapshot of the island looks at it
    Configuration* c_;
    Works* works_;
    Accelerations* accelerations_;
    HeldContacts* held_;
    ContactRegime* regime_;
    std::vector<double> state_ahead_; ///< scratch space: y a moment later
};

} // namespace substep::detail
