// The force fields of a world, and bodies as fields read them.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "bodies/body_store.h"
#include "bodies/handle_table.h"
#include "substep/engine/force_field.h"

namespace substep::detail {

/// A field and what its host says of it. Immutable fields are shared with the structures of snapshots.
struct FieldRecord {
    std::shared_ptr<const ForceField> field;
    FieldTag tag;

    const ForceField& operator*() const noexcept { return *field; }
    const ForceField* operator->() const noexcept { return field.get(); }
    std::string_view name() const noexcept { return tag.name.empty() ? field->name() : std::string_view(tag.name); }
};

using FieldTable = HandleTable<FieldRecord, ForceFieldId>;

/// Returns the record of a field. Throws std::invalid_argument for a stale handle.
const FieldRecord& require_field(const FieldTable& fields, ForceFieldId id);

/// Returns a potential (J), not finite where the field throws.
double potential_of(const FieldPotential& potential, double t, std::span<const BodyMotion> motions) noexcept;

/// The motion that force fields see of one body at time t; that of the world itself for kGround.
BodyMotion motion_of(const BodyTable& bodies, BodyId id, double t) noexcept;

} // namespace substep::detail
