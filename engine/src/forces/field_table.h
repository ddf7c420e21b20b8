// The force fields of a world, and bodies as fields read them.
#pragma once

#include <memory>

#include "bodies/body_store.h"
#include "bodies/handle_table.h"
#include "substep/engine/force_field.h"

namespace substep::detail {

using FieldTable = HandleTable<std::shared_ptr<const ForceField>, ForceFieldId>;

/// What the force fields may depend on, of one body as it is at time t; of the world itself for kWorldBody.
BodyMotion motion_of(const BodyTable& bodies, BodyId id, double t) noexcept;

} // namespace substep::detail
