// Edits between steps: bodies, joints and force fields created, changed and destroyed.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "joints/joint_actuators.h"
#include "joints/joint_query.h"
#include "joints/joint_solver.h"
#include "substep/engine/world.h"
#include "world/world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::Model;

namespace {

// Checks a field and the bodies that it ties together.
void require_field(const Model& model, const ForceField* object) {
    if (object == nullptr) {
        throw std::invalid_argument("The force field is null; it must be an object.");
    }
    const ForceField& field = *object;
    const std::span<const BodyId> bodies = field.bodies();
    bool any_dynamic = bodies.empty();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const BodyRecord* const body = model.bodies.find(bodies[i]);
        if (body == nullptr && bodies[i] != kGround) {
            detail::refuse_stale(model.bodies, "body", bodies[i]);
        }
        if (std::ranges::find(bodies.first(i), bodies[i]) != bodies.first(i).end()) {
            throw std::invalid_argument("The force field '" + std::string(field.name()) +
                                        "' names a body twice; its bodies must be different ones.");
        }
        any_dynamic |= body != nullptr && body->is_dynamic();
    }
    if (!any_dynamic) {
        throw std::invalid_argument("None of the bodies of the force field '" + std::string(field.name()) +
                                    "' is dynamic; at least one must be.");
    }
}

// Marks the islands of dynamic bodies to be built anew.
void renew(detail::Islands& islands, const Model& model, std::span<const BodyId> bodies) {
    for (const BodyId id : bodies) {
        const BodyRecord* const body = model.bodies.find(id);
        if (body != nullptr && body->is_dynamic()) {
            islands.renew(id);
        }
    }
}

// A joint that is about to go may have held bodies taut: those at its ends have to be looked at again.
template <class Impl>
void edit_where_taut(Impl& impl, JointId id) {
    const detail::JointRecord& joint = impl.model.joints[id];
    if (joint.memory[detail::kRedundantMemory] > detail::kRowBits) {
        impl.edited_ends(joint);
    }
}

} // namespace

BodyId World::create_body(const BodyDesc& desc) {
    const BodyId id = live(impl_).model.bodies.insert(detail::make_body(desc, time()));
    live(impl_).structure_changed();
    return id;
}

void World::destroy_body(BodyId id) {
    detail::require_body(live(impl_).model.bodies, id);
    // Backwards: destroying a joint closes the gap behind it.
    const std::span<const JointId> all = live(impl_).model.joints.ids();
    for (std::size_t i = all.size(); i-- > 0;) {
        const std::span<const BodyId> ends = live(impl_).model.joints[all[i]].ends();
        if (std::find(ends.begin(), ends.end(), id) != ends.end()) {
            edit_where_taut(*impl_, all[i]);
            live(impl_).model.joints.erase(all[i]);
        }
    }
    const std::span<const ForceFieldId> fields = live(impl_).model.fields.ids();
    for (std::size_t i = fields.size(); i-- > 0;) {
        const std::span<const BodyId> tied = live(impl_).model.fields[fields[i]]->bodies();
        if (std::ranges::find(tied, id) != tied.end()) {
            live(impl_).model.ledger.remove(fields[i]);
            live(impl_).model.fields.erase(fields[i]);
        }
    }
    live(impl_).islands.wake_attached(id);
    live(impl_).model.contacts.forget(id);
    live(impl_).islands.forget_contacts_of(id);
    live(impl_).model.bodies.erase(id);
    live(impl_).list_rows();
    live(impl_).structure_changed();
}

JointId World::create_joint(const JointDesc& desc) {
    return live(impl_).add_row(detail::make_joint(live(impl_).model.bodies, desc, time()));
}

CouplingId World::create_coupling(const CouplingDesc& desc) {
    return detail::coupling_of(live(impl_).add_row(detail::make_coupling(live(impl_).model.joints, desc)));
}

JointId World::Impl::add_row(detail::JointRecord row) {
    const JointId id = model.joints.insert(row);
    edited_ends(row);
    list_rows();
    structure_changed();
    return id;
}

void World::set_joint(JointId id, const JointDesc& desc) {
    Model& model = live(impl_).model;
    const detail::JointRecord& record = detail::require_joint(model.joints, id);
    detail::JointRecord changed = detail::make_joint(model.bodies, desc, time());
    if (!std::ranges::equal(changed.ends(), record.ends())) {
        throw std::invalid_argument("The joint was given other bodies than it has; they must be the same. For others, "
                                    "destroy it and create one.");
    }
    for (const CouplingId other : live(impl_).couplings) {
        const CouplingDesc& coupling = *model.joints[detail::row_of(other)].coupling;
        if (coupling.joint_1 == id) {
            detail::require_coordinate(changed.desc, coupling.axis_1);
        }
        if (coupling.joint_2 == id) {
            detail::require_coordinate(changed.desc, coupling.axis_2);
        }
    }
    const CurveLock* const now = changed.desc.curve_lock();
    const CurveLock* const before = record.desc.curve_lock();
    if ((now != nullptr ? now->curve : nullptr) == (before != nullptr ? before->curve : nullptr)) {
        changed.memory = record.memory;
    }
    live(impl_).replace_row(id, std::move(changed));
}

void World::set_coupling(CouplingId id, const CouplingDesc& desc) {
    const detail::JointRecord& record = detail::require_coupling(live(impl_).model.joints, id);
    detail::JointRecord changed = detail::make_coupling(live(impl_).model.joints, desc);
    if (!std::ranges::equal(changed.ends(), record.ends())) {
        throw std::invalid_argument("The coupling was given joints of other bodies than it has; they must be the same. "
                                    "For others, destroy it and create one.");
    }
    changed.memory = record.memory;
    live(impl_).replace_row(detail::row_of(id), std::move(changed));
}

void World::Impl::replace_row(JointId id, detail::JointRecord row) {
    detail::JointRecord& record = model.joints[id];
    record = std::move(row);
    edited_ends(record);
    renew(islands, model, record.ends());
    structure_changed();
}

void World::destroy_joint(JointId id) {
    joint(id);
    // Couplings go with the joints that they tie.
    const std::vector<CouplingId> all = live(impl_).couplings;
    for (const CouplingId each : all) {
        const CouplingDesc& coupling = *live(impl_).model.joints[detail::row_of(each)].coupling;
        if (coupling.joint_1 == id || coupling.joint_2 == id) {
            live(impl_).model.joints.erase(detail::row_of(each));
        }
    }
    live(impl_).remove_row(id);
}

void World::destroy_coupling(CouplingId id) {
    coupling(id);
    live(impl_).remove_row(detail::row_of(id));
}

void World::Impl::remove_row(JointId id) {
    edit_where_taut(*this, id);
    model.joints.erase(id);
    list_rows();
    structure_changed();
}

void World::Impl::edited_ends(const detail::JointRecord& row) {
    for (const BodyId end : row.ends()) {
        if (BodyRecord* const body = model.bodies.find(end)) {
            edited(end, *body);
        }
    }
}

void World::Impl::list_rows() {
    joints.clear();
    couplings.clear();
    for (const JointId row : model.joints.ids()) {
        if (model.joints[row].coupling) {
            couplings.push_back(detail::coupling_of(row));
        } else {
            joints.push_back(row);
        }
    }
}

void World::set_drive(JointId id, std::size_t drive, const JointDrive& value) {
    detail::JointRecord& record = detail::require_joint(live(impl_).model.joints, id);
    if (drive >= record.desc.drives.size()) {
        throw std::invalid_argument("The joint has no drive " + std::to_string(drive) + "; it has " +
                                    std::to_string(record.desc.drives.size()) + ", counted from 0.");
    }
    JointDesc changed = record.desc;
    changed.drives[drive] = value;
    detail::require_actuators(changed);
    record.desc.drives[drive] = value;
    live(impl_).structure_changed();
    live(impl_).islands.refresh_actuators(live(impl_).model);
    live(impl_).islands.model_changed(); // and sleeping islands wake
}

void World::assemble() {
    live(impl_).islands.update(live(impl_).model);
    for (const auto& island : live(impl_).islands) {
        if (const std::string_view refusal = island->assemble(live(impl_).model, time()); !refusal.empty()) {
            throw std::invalid_argument(std::string(refusal));
        }
    }
    for (const auto& island : live(impl_).islands) {
        island->keep(live(impl_).model);
    }
    live(impl_).islands.wake_all();
}

ForceFieldId World::add_force_field(std::unique_ptr<ForceField> field, FieldTag tag) {
    require_field(live(impl_).model, field.get());
    const ForceFieldId id = live(impl_).model.fields.insert({std::move(field), std::move(tag)});
    live(impl_).structure_changed();
    live(impl_).islands.model_changed();
    return id;
}

void World::set_force_field(ForceFieldId id, std::unique_ptr<ForceField> field) {
    force_field(id);
    require_field(live(impl_).model, field.get());
    detail::FieldRecord& present = live(impl_).model.fields[id];
    renew(live(impl_).islands, live(impl_).model, present->bodies());
    renew(live(impl_).islands, live(impl_).model, field->bodies());
    present.field = std::move(field);
    live(impl_).structure_changed();
    live(impl_).islands.model_changed();
}

void World::set_field_tag(ForceFieldId id, FieldTag tag) {
    field_tag(id);
    live(impl_).model.fields[id].tag = std::move(tag);
    live(impl_).structure.reset();
}

void World::remove_force_field(ForceFieldId id) {
    force_field(id);
    live(impl_).model.ledger.remove(id);
    live(impl_).model.fields.erase(id);
    live(impl_).structure_changed();
    live(impl_).islands.model_changed();
}

} // namespace substep
