// The force fields of a world, and bodies as fields read them.
#pragma once

#include <memory>

#include "bodies/body_store.h"
#include "bodies/handle_table.h"
#include "substep/engine/force_field.h"

namespace substep::detail {

using FieldTable = HandleTable<std::shared_ptr<const ForceField>, ForceFieldId>;

/// The motion that force fields see of one body at time t; that of the world itself for kWorldBody.
BodyMotion motion_of(const BodyTable& bodies, BodyId id, double t) noexcept;

} // namespace substep::detail
