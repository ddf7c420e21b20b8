// Where an island gets its forces from.
#pragma once

#include <span>

#include "substep/engine/body.h"
#include "substep/engine/body_integrator.h"

namespace substep::detail {

/// Where the forces on an island's bodies come from, joints apart.
class ForceModel {
public:
    /// Writes force and torque on every dynamic body at time t. `states` holds the dynamic bodies, then the prescribed
    /// ones; `wrenches` the dynamic ones only. Pure; must not allocate.
    virtual void write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches) noexcept = 0;

protected:
    ~ForceModel() = default;
};

} // namespace substep::detail
