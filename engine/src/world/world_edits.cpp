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
        if (body == nullptr && bodies[i] != kWorldBody) {
            detail::refuse_stale("body", bodies[i]);
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
        for (const BodyId end : joint.ends()) {
            if (BodyRecord* const body = impl.model.bodies.find(end)) {
                impl.edited(end, *body);
            }
        }
    }
}

} // namespace

BodyId World::create_body(const BodyDesc& desc) {
    const BodyId id = impl_->model.bodies.insert(detail::make_body(desc, time()));
    impl_->structure_changed();
    return id;
}

void World::destroy_body(BodyId id) {
    detail::require_body(impl_->model.bodies, id);
    // Backwards: destroying a joint closes the gap behind it.
    const std::span<const JointId> all = impl_->model.joints.ids();
    for (std::size_t i = all.size(); i-- > 0;) {
        const std::span<const BodyId> ends = impl_->model.joints[all[i]].ends();
        if (std::find(ends.begin(), ends.end(), id) != ends.end()) {
            edit_where_taut(*impl_, all[i]);
            impl_->model.joints.erase(all[i]);
        }
    }
    const std::span<const ForceFieldId> fields = impl_->model.fields.ids();
    for (std::size_t i = fields.size(); i-- > 0;) {
        const std::span<const BodyId> tied = impl_->model.fields[fields[i]]->bodies();
        if (std::ranges::find(tied, id) != tied.end()) {
            impl_->model.ledger.remove(fields[i]);
            impl_->model.fields.erase(fields[i]);
        }
    }
    impl_->islands.wake_attached(id);
    impl_->model.contacts.forget(id);
    impl_->islands.forget_contacts_of(id);
    impl_->model.bodies.erase(id);
    impl_->structure_changed();
}

JointId World::create_joint(const JointDesc& desc) {
    detail::JointRecord joint = detail::make_joint(impl_->model.bodies, impl_->model.joints, desc, time());
    const JointId id = impl_->model.joints.insert(joint);
    for (const BodyId end : joint.ends()) {
        if (BodyRecord* const body = impl_->model.bodies.find(end)) {
            impl_->edited(end, *body);
        }
    }
    impl_->structure_changed();
    return id;
}

void World::set_joint(JointId id, const JointDesc& desc) {
    Model& model = impl_->model;
    detail::JointRecord& record = detail::require_joint(model.joints, id);
    detail::JointRecord changed = detail::make_joint(model.bodies, model.joints, desc, time());
    if (!std::ranges::equal(changed.ends(), record.ends())) {
        throw std::invalid_argument("The joint was given other bodies than it has; they must be the same. For others, "
                                    "destroy it and create one.");
    }
    for (const JointId other : model.joints.ids()) {
        const std::optional<JointCoupling>& coupling = model.joints[other].desc.coupling;
        if (coupling && coupling->joint_1 == id) {
            detail::require_coordinate(changed.desc, coupling->axis_1);
        }
        if (coupling && coupling->joint_2 == id) {
            detail::require_coordinate(changed.desc, coupling->axis_2);
        }
    }
    if (desc.curve == record.desc.curve) {
        changed.memory = record.memory;
    }
    record = std::move(changed);
    for (const BodyId end : record.ends()) {
        if (BodyRecord* const body = model.bodies.find(end)) {
            impl_->edited(end, *body);
        }
    }
    renew(impl_->islands, model, record.ends());
    impl_->structure_changed();
}

void World::destroy_joint(JointId id) {
    joint(id);
    // Backwards, as above: couplings go with the joints that they tie.
    const std::span<const JointId> all = impl_->model.joints.ids();
    for (std::size_t i = all.size(); i-- > 0;) {
        const std::optional<JointCoupling>& coupling = impl_->model.joints[all[i]].desc.coupling;
        if (coupling && (coupling->joint_1 == id || coupling->joint_2 == id)) {
            impl_->model.joints.erase(all[i]);
        }
    }
    edit_where_taut(*impl_, id);
    impl_->model.joints.erase(id);
    impl_->structure_changed();
}

void World::set_drive(JointId id, std::size_t drive, const JointDrive& value) {
    detail::JointRecord& record = detail::require_joint(impl_->model.joints, id);
    if (drive >= record.desc.drives.size()) {
        throw std::invalid_argument("The joint has no drive " + std::to_string(drive) + "; it has " +
                                    std::to_string(record.desc.drives.size()) + ", counted from 0.");
    }
    JointDesc changed = record.desc;
    changed.drives[drive] = value;
    detail::require_actuators(changed);
    record.desc.drives[drive] = value;
    impl_->structure_changed();
    impl_->islands.refresh_actuators(impl_->model);
    impl_->islands.model_changed(); // and sleeping islands wake
}

void World::finalize() {
    impl_->islands.update(impl_->model);
    for (const auto& island : impl_->islands) {
        if (const std::string_view refusal = island->assemble(impl_->model, time()); !refusal.empty()) {
            throw std::invalid_argument(std::string(refusal));
        }
    }
    for (const auto& island : impl_->islands) {
        island->keep(impl_->model);
    }
    impl_->islands.wake_all();
}

ForceFieldId World::add_force_field(std::unique_ptr<ForceField> field) {
    require_field(impl_->model, field.get());
    const ForceFieldId id = impl_->model.fields.insert(std::move(field));
    impl_->structure_changed();
    impl_->islands.model_changed();
    return id;
}

void World::set_force_field(ForceFieldId id, std::unique_ptr<ForceField> field) {
    force_field(id);
    require_field(impl_->model, field.get());
    std::shared_ptr<const ForceField>& present = impl_->model.fields[id];
    renew(impl_->islands, impl_->model, present->bodies());
    renew(impl_->islands, impl_->model, field->bodies());
    present = std::move(field);
    impl_->structure_changed();
    impl_->islands.model_changed();
}

void World::remove_force_field(ForceFieldId id) {
    force_field(id);
    impl_->model.ledger.remove(id);
    impl_->model.fields.erase(id);
    impl_->structure_changed();
    impl_->islands.model_changed();
}

} // namespace substep
