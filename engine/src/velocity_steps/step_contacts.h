// Contacts of bodies within a velocity step: projected Gauss-Seidel, one contact after the other.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "contact/friction_threshold.h"
#include "dynamics/configuration.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// A contact that may close within the interval of a velocity step.
struct StepContact {
    std::size_t number = 0;            ///< of the constraint
    ConstraintPlace place;             ///< at the step's start
    std::array<double, 3> stiffness{}; ///< velocity along each row by a unit impulse
    double approach = 0.0;             ///< m/s, at the start
    double allowed = 0.0;              ///< m/s: closing that is no impact yet
    glm::dvec3 impulse{0.0};           ///< N s, on the first body
    glm::dvec3 applied{0.0};           ///< the part of it that momenta have already
    glm::dvec3 turning{0.0};           ///< N m s, on the first body, against rolling and spinning
    glm::dvec3 applied_turning{0.0};   ///< likewise
    double pushed_to = 0.0;            ///< m, 0 or less: the gap that pushing apart leaves at the step's end

    bool rebounds() const noexcept { return allowed < 0.0; }
};

/// The contacts of one interval, found once, and their impulses in a step.
class StepContacts {
public:
    explicit StepContacts(Configuration& configuration) noexcept : c_(&configuration) {}

    /// Forgets the interval's contacts, and makes room for the configuration's. Allocates to grow.
    void resize();
    void clear() noexcept { contacts_.clear(); }
    /// Assumes `count` contacts, so that everything sized by `memory_size` has room for them.
    void assume(std::size_t count) { contacts_.resize(count); }

    std::span<StepContact> all() noexcept { return contacts_; }
    std::span<const StepContact> all() const noexcept { return contacts_; }
    bool empty() const noexcept { return contacts_.empty(); }
    const UnilateralConstraint& constraint(const StepContact& contact) const noexcept {
        return c_->contacts()[contact.number];
    }

    /// Finds contacts that may close within h (s) from the last places and velocities, under gravity (m/s^2).
    void find(double h, double gravity);

    /// Number of forces that a step remembers: one per contact.
    std::size_t memory_size() const noexcept { return contacts_.size(); }
    /// The forces that the pairs remember, in the order of their keys.
    void recall(std::vector<RememberedForce>& memory) const;
    /// Begins a step: responses of each contact's rows, and the remembered force as an impulse to start from.
    void begin_step(const VelocityStepRequest& request, VelocityStepResult& result) noexcept;
    /// Warm start: gives the remembered impulses to the bodies' velocities. Each contact may close its gap within h
    /// (s).
    void start_from_memory(double h) noexcept;
    /// Writes the momenta of bodies that impulses have changed; `sweep` does so too.
    void write_momenta(std::span<double> y) noexcept;
    /// Treats one contact after the other: along the normal until it does not close faster than allowed, then friction
    /// within the cone. Pairs that are further apart than kFarPair and pass one another within h (s) are left alone.
    /// Returns the largest change of a velocity (m/s), and gives the impulses to the momenta.
    double sweep(double h, std::span<double> y) noexcept;
    /// Whether some contact penetrates at time t.
    bool any_penetrates(double t, std::span<const double> y) const noexcept;
    /// Moves bodies apart along the normals of contacts that penetrate at time t, one contact after the other, at the
    /// end of a step of length h (s): no body, and no contact point of it, at more than kPushSpeed.
    void push_apart(double t, double h, std::span<double> y) noexcept;
    /// The part of the step's impulses (0 to 1) that would go on taking energy in a next one of h (s), under `wrenches`
    /// on dynamic bodies, where all of them would give some. Behind it contacts allow nothing.
    double part_that_lasts(double h, std::span<const Wrench> wrenches) noexcept;
    /// Ends a step of length h (s) at time t: forces to remember, of the impulses the part that is `lasting`, and the
    /// deepest penetration.
    void end_step(double t, double h, double lasting, std::span<const double> y, std::span<RememberedForce> memory,
                  VelocityStepResult& result) noexcept;

    /// Velocity along a row, m/s.
    double rate(const StepContact& contact, std::size_t row) const noexcept;
    /// How the first body turns to the second, rad/s.
    glm::dvec3 turning_rate(const StepContact& contact) const noexcept;

private:
    double resist(StepContact& contact, double normal) noexcept;
    void carry(StepContact& contact, double t, double h) noexcept;
    double push_all() noexcept;
    double sweep(StepContact& contact, double h) noexcept;
    bool could_meet(const StepContact& contact, double h) const noexcept;
    void push(const StepContact& contact, const glm::dvec3& impulse) noexcept;
    void hold_back(double most, std::span<const Twist> moved, std::span<double> y) noexcept;

    Configuration* c_;
    std::vector<StepContact> contacts_;
    std::vector<Wrench> reactions_;      ///< scratch space
    std::vector<Twist> kept_velocities_; ///< likewise
};

} // namespace substep::detail
