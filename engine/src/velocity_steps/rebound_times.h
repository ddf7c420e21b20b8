// Rebounds within a velocity step: how fast contacts and limits part that were hit, and when they were hit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynamics/configuration.h"
#include "velocity_steps/step_contacts.h"
#include "velocity_steps/step_stops.h"

namespace substep::detail {

/// When bodies change their velocities by the impacts of a velocity step.
enum class ImpactTime : std::uint8_t {
    StepStart, ///< as plain velocity steps have it. Symplectic Euler keeps the energy of long motions that way: what it
               ///< falls short of while a body falls and rises, it gains at the rebound
    OnTime     ///< where the gap closes. Between two substeps of another method there is nothing to make up for
};

/// Asks for rebounds, and finds how long bodies go on at the velocities that they would have without their impacts.
class ReboundTimes {
public:
    ReboundTimes(const Configuration& configuration, StepContacts& contacts, StepStops& stops) noexcept
        : c_(&configuration), contacts_(&contacts), stops_(&stops) {}

    /// Sizes scratch space for the configuration. Allocates to grow.
    void resize();

    /// Forgets the rebounds of an earlier step.
    void clear() noexcept;

    /// Contacts and limits that closed fast and press at the present velocities, which are those of a plastic impact,
    /// get a rebound as the velocity that is allowed. `unmet` are the velocities of dynamic bodies without contacts
    /// and stops, `h` (s) the step's length, `gravity` (m/s^2) the scene's. Returns whether there are any.
    bool ask(ImpactTime when, double h, double gravity, std::span<const Twist> unmet) noexcept;

    /// How long (s) after the step's start the last impact is that velocities are changed for at the start, 0 or more:
    /// all rebounds unless they are on time, and hits that friction alone acts in. A hit without either is as good as
    /// on time: its approach ends at the gap.
    double late() const noexcept { return late_; }

    /// Notes which velocities rebounds changed by more than `gravity_speed` (m/s), what gravity gives in the step.
    void end(double gravity_speed) noexcept;

    /// How long (s) a body goes on at its unmet velocity: up to its first rebound where these are on time, else 0.
    double time_of(std::size_t body) const noexcept { return times_[body]; }

private:
    /// A contact or limit that rebounds; speeds in m/s, or rad/s of a limit.
    struct Hit {
        const UnilateralConstraint& constraint;
        double gap;            ///< m or rad
        double approach;       ///< at the step's start
        double unmet_approach; ///< at its end, without impacts
        double& allowed;       ///< of the contact or stop
    };
    template <typename F>
    void for_each_hit(std::span<const Twist> unmet, const F& f) const noexcept;
    double time_of(const Hit& hit, double h) const noexcept;
    void find_times(double h, std::span<const Twist> unmet) noexcept;
    double allowed(const Hit& hit, double h) const noexcept;

    const Configuration* c_;
    StepContacts* contacts_;
    StepStops* stops_;
    ImpactTime when_ = ImpactTime::StepStart;
    double late_ = 0.0;
    std::vector<double> times_;  ///< s; of bodies that no rebound changes: 0
    std::vector<Twist> plastic_; ///< velocities before rebounds
};

} // namespace substep::detail
