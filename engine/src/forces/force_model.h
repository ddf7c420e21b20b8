// Where an island gets its forces from.
#pragma once

#include <span>

#include "bodies/stiff_element.h"
#include "substep/engine/body.h"
#include "substep/engine/body_integrator.h"
#include "substep/engine/force_field.h"

namespace substep::detail {

/// The source of the forces on an island's bodies, joints apart.
class ForceModel {
public:
    /// Writes force and torque on every dynamic body at time t. `states` holds the dynamic bodies, then the prescribed
    /// ones; `wrenches` the dynamic ones only. `powers` (W) is empty, or has a zero for each work of the island's
    /// ledger (see LedgerTerm) to add to. Pure; must not allocate.
    virtual void write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches,
                                std::span<double> powers) noexcept = 0;

    /// Writes the powers of the wrenches written last, at the same places and other velocities. These wrenches must
    /// have been written with powers.
    virtual void write_powers(double /*t*/, std::span<const RigidState> /*states*/,
                              std::span<double> /*powers*/) noexcept {}

    /// Potential energy (J) of the forces that have one.
    virtual double potential(double /*t*/, std::span<const RigidState> /*states*/) noexcept { return 0.0; }

    /// Whether the only forces are the same everywhere and all the time.
    virtual bool is_uniform() const noexcept { return false; }

    /// Switches of the forces: see FieldSwitches. Which side each one is on is kept here, and changes in
    /// `flip_switch` only.
    virtual std::size_t switch_count() const noexcept { return 0; }
    virtual void switch_values(double, std::span<const RigidState>, std::span<double>) noexcept {}
    virtual void flip_switch(std::size_t) noexcept {}
    /// Puts switches on their side at time t and the next moment, where they are elsewhere. Returns true if one
    /// changed.
    virtual bool find_sides(double, std::span<const RigidState>) noexcept { return false; }

    /// Forces across the velocity, where they are stated: see FieldRotation. Whether there may be any;
    virtual bool turns_velocities() const noexcept { return false; }
    /// adds those on each dynamic body at time t;
    virtual void write_rotations(double, std::span<const RigidState>, std::span<VelocityRotation>) noexcept {}
    /// and takes their forces out of the wrenches that were written last, at the same time and state.
    virtual void leave_out_rotations(double, std::span<const RigidState>, std::span<Wrench>) noexcept {}

    /// Stiff elements of the forces: their bodies, numbered as in `states`, and their values at time t.
    virtual std::size_t stiffness_count() const noexcept { return 0; }
    virtual void place_stiffness(std::span<StiffElement>) const noexcept {}
    virtual void write_stiffness(double, std::span<const RigidState>, std::span<StiffElement>) noexcept {}

protected:
    ~ForceModel() = default;
};

} // namespace substep::detail
