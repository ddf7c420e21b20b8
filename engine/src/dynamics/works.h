// Works of an island: integrated beside its motion, or booked where an impulse does them.
#pragma once

#include <span>
#include <vector>

#include "bodies/ledger_terms.h"
#include "dynamics/configuration.h"
#include "substep/engine/body.h"

namespace substep::detail {

/// The components after the rest of y whose derivatives are powers, one per term of the island's ledger. There are none
/// where no ledger is kept: then nothing here does anything.
class Works {
public:
    explicit Works(Configuration& configuration) noexcept : c_(&configuration) {}

    /// Keeps `count` works; none where it is 0. Allocates to grow.
    void set_terms(std::size_t count);
    /// Sizes scratch space for the configuration's joints. Allocates to grow.
    void resize();
    std::size_t terms() const noexcept { return powers_.size(); }
    bool is_kept() const noexcept { return !powers_.empty(); }

    /// Work booked so far, J.
    double booked(std::size_t term, std::span<const double> y) const noexcept {
        return y.last(powers_.size())[term] * kLedgerUnit;
    }
    /// Books work (J) that was done at once, by an impulse.
    void book(std::size_t term, double work, std::span<double> y) const noexcept {
        if (is_kept()) {
            y.last(powers_.size())[term] += in_ledger_units(work);
        }
    }

    /// Powers (W) of the forces of one evaluation; the code that writes the forces adds to them.
    std::span<double> powers() noexcept { return powers_; }
    void clear_powers() noexcept;
    /// Notes the power of all forces but those of joints and contacts.
    void take_forces(std::span<const Wrench> wrenches) noexcept;
    /// Writes powers as derivatives, those of joints and contacts among them: `multipliers` and the contacts' solution
    /// are part of `wrenches`.
    void write_rates(std::span<const double> multipliers, std::span<const Wrench> wrenches,
                     std::span<double> dydt) noexcept;
    /// Writes the powers as they are.
    void write_rates(std::span<double> dydt) const noexcept;

    /// Adds the powers of the contacts' solution at the bodies' velocities; `forces` are what it comes to on them.
    void add_contact_powers(std::span<const Wrench> forces) noexcept;
    /// Books the powers for a time h (s).
    void book_powers(double h, std::span<double> y) const noexcept;
    /// Books the losses of an impact's contacts along and across their normals, and the rest of the change in the
    /// bodies' energy: the work of a prescribed body that was hit, else of slips that were stopped.
    void book_impact(std::span<const double, 2> losses, bool hit_moving, std::span<const double> before,
                     std::span<double> y) const noexcept;
    /// Books joint impulses at the mean of the velocities before and after all that acts with them.
    void book_impulses(std::span<const double> multipliers, std::span<const Wrench> reactions,
                       std::span<const double> before, std::span<double> y) noexcept;
    /// Books the joint impulses of a drift that ends at y.
    void book_drift(std::span<const double> multipliers, std::span<const Wrench> reactions,
                    std::span<double> y) noexcept;

    /// Power of joint impulses or forces, lambda . J v: nothing, as far as the joints hold.
    double joint_power(std::span<const double> multipliers) noexcept;
    double power_on_bodies(std::span<const Wrench> wrenches) const noexcept;
    double kinetic_energy(std::span<const double> y) const noexcept; ///< J

private:
    double contact_power() noexcept;

    Configuration* c_;
    std::vector<double> powers_;      ///< W
    double power_of_forces_ = 0.0;    ///< W, of all forces but those of joints and contacts
    std::vector<double> joint_rates_; ///< scratch space
};

} // namespace substep::detail
