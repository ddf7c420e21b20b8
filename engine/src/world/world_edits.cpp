// Edits between steps: bodies, joints and force fields created, changed and destroyed.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bodies/validation.h"
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
    const auto make = [&] { return detail::make_body(desc, time()); };
    const BodyId id = editable(impl_).model.bodies.insert(detail::refused_by_name("body", desc.name, make));
    editable(impl_).bodies_changed();
    return id;
}

void World::destroy_body(BodyId id) {
    detail::require_body(editable(impl_).model.bodies, id);
    // Backwards: destroying a joint closes the gap behind it.
    const std::span<const JointId> all = editable(impl_).model.joints.ids();
    for (std::size_t i = all.size(); i-- > 0;) {
        const std::span<const BodyId> ends = editable(impl_).model.joints[all[i]].ends();
        if (std::find(ends.begin(), ends.end(), id) != ends.end()) {
            edit_where_taut(*impl_, all[i]);
            editable(impl_).model.joints.erase(all[i]);
        }
    }
    const std::span<const ForceFieldId> fields = editable(impl_).model.fields.ids();
    for (std::size_t i = fields.size(); i-- > 0;) {
        const std::span<const BodyId> tied = editable(impl_).model.fields[fields[i]]->bodies();
        if (std::ranges::find(tied, id) != tied.end()) {
            editable(impl_).model.ledger.remove(fields[i]);
            editable(impl_).model.fields.erase(fields[i]);
        }
    }
    editable(impl_).islands.wake_attached(id);
    editable(impl_).model.contacts.forget(id);
    editable(impl_).model.triggers.forget(id);
    editable(impl_).islands.forget_contacts_of(id);
    editable(impl_).model.bodies.erase(id);
    editable(impl_).list_rows();
    editable(impl_).bodies_changed();
}

JointId World::create_joint(const JointDesc& desc) {
    const auto make = [&] { return detail::make_joint(editable(impl_).model.bodies, desc, time()); };
    return editable(impl_).add_row(detail::refused_by_name("joint", desc.name, make));
}

CouplingId World::create_coupling(const CouplingDesc& desc) {
    const auto make = [&] { return detail::make_coupling(editable(impl_).model.joints, desc); };
    return detail::coupling_of(editable(impl_).add_row(detail::refused_by_name("coupling", desc.name, make)));
}

JointId World::Impl::add_row(detail::JointRecord row) {
    const JointId id = model.joints.insert(row);
    edited_ends(row);
    list_rows();
    structure_changed();
    return id;
}

void World::set_joint(JointId id, const JointDesc& desc) {
    Model& model = editable(impl_).model;
    const detail::JointRecord& record = detail::require_joint(model.joints, id);
    detail::JointRecord changed =
        detail::refused_by_name("joint", desc.name, [&] { return detail::make_joint(model.bodies, desc, time()); });
    if (!std::ranges::equal(changed.ends(), record.ends())) {
        throw std::invalid_argument("The joint was given other bodies than it has; they must be the same. For others, "
                                    "destroy it and create one.");
    }
    for (const CouplingId other : editable(impl_).couplings) {
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
    editable(impl_).replace_row(id, std::move(changed));
}

void World::set_coupling(CouplingId id, const CouplingDesc& desc) {
    const detail::JointRecord& record = detail::require_coupling(editable(impl_).model.joints, id);
    detail::JointRecord changed = detail::make_coupling(editable(impl_).model.joints, desc);
    if (!std::ranges::equal(changed.ends(), record.ends())) {
        throw std::invalid_argument("The coupling was given joints of other bodies than it has; they must be the same. "
                                    "For others, destroy it and create one.");
    }
    changed.memory = record.memory;
    editable(impl_).replace_row(detail::row_of(id), std::move(changed));
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
    const std::vector<CouplingId> all = editable(impl_).couplings;
    for (const CouplingId each : all) {
        const CouplingDesc& coupling = *editable(impl_).model.joints[detail::row_of(each)].coupling;
        if (coupling.joint_1 == id || coupling.joint_2 == id) {
            editable(impl_).model.joints.erase(detail::row_of(each));
        }
    }
    editable(impl_).remove_row(id);
}

void World::destroy_coupling(CouplingId id) {
    coupling(id);
    editable(impl_).remove_row(detail::row_of(id));
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
    detail::JointRecord& record = detail::require_joint(editable(impl_).model.joints, id);
    if (drive >= record.desc.drives.size()) {
        throw std::invalid_argument("The joint has no drive " + std::to_string(drive) + "; it has " +
                                    std::to_string(record.desc.drives.size()) + ", counted from 0.");
    }
    JointDesc changed = record.desc;
    changed.drives[drive] = value;
    detail::refused_by_name("joint", changed.name, [&] { detail::require_actuators(changed); });
    record.desc.drives[drive] = value;
    editable(impl_).structure_changed();
    editable(impl_).islands.refresh_actuators(editable(impl_).model);
    editable(impl_).islands.model_changed(); // and sleeping islands wake
}

void World::assemble() {
    editable(impl_).islands.update(editable(impl_).model);
    if (const std::string_view refusal = editable(impl_).islands.assemble(editable(impl_).model, time());
        !refusal.empty()) {
        throw std::invalid_argument(std::string(refusal));
    }
    editable(impl_).queries.all_moved();
    editable(impl_).islands.wake_all();
}

void World::set_pair_rule(std::shared_ptr<const PairRule> rule) {
    editable(impl_).model.pair_rule = std::move(rule);
    editable(impl_).model.contacts.forget_answers();
    editable(impl_).structure_changed();
    editable(impl_).islands.model_changed(); // and sleeping islands wake
}

ForceFieldId World::add_force_field(std::unique_ptr<ForceField> field, FieldTag tag) {
    require_field(editable(impl_).model, field.get());
    const ForceFieldId id = editable(impl_).model.fields.insert({std::move(field), std::move(tag)});
    editable(impl_).structure_changed();
    editable(impl_).islands.model_changed();
    return id;
}

void World::set_force_field(ForceFieldId id, std::unique_ptr<ForceField> field) {
    force_field(id);
    require_field(editable(impl_).model, field.get());
    detail::FieldRecord& present = editable(impl_).model.fields[id];
    renew(editable(impl_).islands, editable(impl_).model, present->bodies());
    renew(editable(impl_).islands, editable(impl_).model, field->bodies());
    present.field = std::move(field);
    editable(impl_).structure_changed();
    editable(impl_).islands.model_changed();
}

void World::set_field_tag(ForceFieldId id, FieldTag tag) {
    field_tag(id);
    editable(impl_).model.fields[id].tag = std::move(tag);
    editable(impl_).structure.reset();
}

void World::remove_force_field(ForceFieldId id) {
    force_field(id);
    editable(impl_).model.ledger.remove(id);
    editable(impl_).model.fields.erase(id);
    editable(impl_).structure_changed();
    editable(impl_).islands.model_changed();
}

} // namespace substep
