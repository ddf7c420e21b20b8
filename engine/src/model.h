// What a world is made of: everything but the islands that advance it. Copyable, so that a restore can be prepared
// aside.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "body_store.h"
#include "contact_table.h"
#include "handle_table.h"
#include "island_joint.h"
#include "island_ledger.h"
#include "substep/engine/body_integrator.h"
#include "substep/engine/world.h"

namespace substep::detail {

/// A joint, the bodies that it ties together, and what it remembers.
struct JointRecord {
    JointDesc desc;
    std::array<BodyId, 4> bodies{}; ///< two, or those of both joints of a coupling
    std::size_t body_count = 2;
    std::array<double, kJointMemory> memory{};

    std::span<const BodyId> ends() const noexcept { return std::span(bodies).first(body_count); }
};

using JointTable = HandleTable<JointRecord, JointId>;
using FieldTable = HandleTable<std::shared_ptr<const ForceField>, ForceFieldId>;

/// Time as a count of equal steps: never the sum of many dt.
struct StepTime {
    double epoch = 0.0;      ///< s, where dt last changed
    double dt = 0.0;         ///< s
    std::uint64_t steps = 0; ///< since epoch

    double now() const noexcept { return epoch + static_cast<double>(steps) * dt; }
    double next() const noexcept { return epoch + static_cast<double>(steps + 1) * dt; }

    /// Begins a new epoch where dt changes.
    void set_dt(double step) noexcept {
        if (step != dt) {
            *this = {now(), step, 0};
        }
    }
};

struct Model {
    WorldSettings settings;
    BodyTable bodies;
    JointTable joints;
    FieldTable fields;
    ContactTable contacts;
    StepTime time;
    double step_begin = 0.0; ///< s, where the last step began
    LedgerAccounts ledger;   ///< where settings ask for one
};

/// What the force fields may depend on, of one body as it is at time t; of the world itself for kWorldBody.
BodyMotion motion_of(const Model& model, BodyId id, double t) noexcept;

} // namespace substep::detail
