// How an island is made of bodies, joints and force fields, and what follows when they change.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "island.h"
#include "island_joint.h"
#include "island_layout.h"
#include "joint_rows.h"

namespace substep::detail {
namespace {

// Whether joints connect some bodies in more than one way; those that no force moves count as one.
bool has_loop(std::span<const IslandJoint> joints, int dynamic_count) {
    if (joints.size() < 2) {
        return false; // without a look at memory: contacts make such islands in mid-run
    }
    std::vector<int> group(static_cast<std::size_t>(dynamic_count) + 1);
    std::iota(group.begin(), group.end(), 0);
    const auto group_of = [&](int body) {
        body = std::min(body, dynamic_count);
        while (group[body] != body) {
            body = group[body] = group[group[body]];
        }
        return body;
    };
    for (const IslandJoint& joint : joints) {
        const int a = group_of(joint.body[0]);
        const int b = group_of(joint.body[1]);
        if (rows_of(joint).count == 0) {
            continue;
        }
        if (a == b) {
            return true;
        }
        group[a] = b;
    }
    return false;
}

} // namespace

// As a new island is, whatever this one was.
void Island::forget_all() noexcept {
    prescribed_.clear();
    row_owners_.clear();
    remembered_.clear();
    forget_steps();
}

void Island::forget_steps() noexcept {
    contacts_.clear();
    constraints_.clear();
    contact_reports_.clear();
    service_.reset();
    service_.allow_run_ahead(true);
    if (velocity_service_ != nullptr) {
        velocity_service_->reset();
    }
    if (chooser_) {
        chooser_->forget();
    }
    refused_ = {};
    energy_ = {};
    report_ = {};
    handed_over_ = 0;
    demand_ = 0;
    advanced_revision_ = 0;
    still_ = first_speed_ = 0.0;
    ran_ahead_ = has_frame_forces_ = retired_ = asleep_ = sampled_ready_ = y_is_handed_out_ = false;
}

void Island::make(const Model& model, std::span<const BodyId> bodies, std::span<const JointId> joints,
                  std::span<const ForceFieldId> fields, std::size_t contacts) {
    forget_all();
    bodies_.assign(bodies.begin(), bodies.end());
    joints_.assign(joints.begin(), joints.end());
    fields_.assign(fields.begin(), fields.end());
    room_ = std::max(room_, bodies_.size());

    // Bodies are numbered as they come, then the prescribed ends in the order in which joints and fields name them.
    inertias_.clear();
    for (const BodyId id : bodies_) {
        inertias_.push_back(model.bodies[id].inertia);
    }
    motions_.clear();
    const auto number_of = [&](BodyId id) {
        const auto body = std::find(bodies_.begin(), bodies_.end(), id);
        if (body != bodies_.end()) {
            return static_cast<int>(body - bodies_.begin());
        }
        const auto known = std::find(prescribed_.begin(), prescribed_.end(), id);
        const auto index = known - prescribed_.begin();
        if (known == prescribed_.end()) {
            const BodyRecord* const record = model.bodies.find(id);
            prescribed_.push_back(id);
            motions_.push_back(record != nullptr ? record->prescribed : PrescribedMotion{});
        }
        return static_cast<int>(bodies_.size()) + static_cast<int>(index);
    };
    // Joints, then couplings of them, which have to know what their angles are.
    std::vector<IslandJoint> joints_made;
    std::vector<JointId> made_from;
    for (const JointId id : joints_) {
        const JointDesc& desc = model.joints[id].desc;
        if (!desc.coupling) {
            const int body_a = number_of(desc.body_a);
            const int body_b = number_of(desc.body_b);
            joints_made.push_back(make_island_joint(model.bodies, desc, body_a, body_b));
            made_from.push_back(id);
        }
    }
    const auto joint_with = [&](JointId id, int slot) -> const IslandJoint& {
        const auto found = std::find(made_from.begin(), made_from.end(), id) - made_from.begin();
        IslandJoint& joint = joints_made[static_cast<std::size_t>(found)];
        if (slot >= 0 && joint.memory[static_cast<std::size_t>(slot)] < 0) {
            joint.memory[static_cast<std::size_t>(slot)] = static_cast<int>(remembered_.size());
            remembered_.push_back({id, slot, joint.memory[static_cast<std::size_t>(slot)]});
        }
        return joint;
    };
    for (const JointId id : made_from) {
        if (model.joints[id].desc.curve != nullptr) {
            joint_with(id, kCurveMemory);
        }
    }
    if (has_loop(joints_made, static_cast<int>(bodies_.size()))) {
        for (const JointId id : made_from) {
            joint_with(id, kRedundantMemory);
        }
    }
    std::vector<IslandCoupling> couplings_made;
    for (const JointId id : joints_) {
        if (const std::optional<JointCoupling>& coupling = model.joints[id].desc.coupling) {
            couplings_made.push_back(make_island_coupling(*coupling,
                                                          joint_with(coupling->joint_1, memory_of(coupling->axis_1)),
                                                          joint_with(coupling->joint_2, memory_of(coupling->axis_2))));
        }
    }
    for (const ForceFieldId id : fields_) {
        for (const BodyId body : model.fields[id]->bodies()) {
            number_of(body);
        }
    }
    // What acts along coordinates: the joint first has to learn which of its angles are needed.
    std::vector<std::pair<JointId, JointAxis>> actuated;
    for (const JointId id : made_from) {
        for (const JointAxis axis : actuated_axes(model.joints[id].desc)) {
            joint_with(id, memory_of(axis));
            actuated.emplace_back(id, axis);
        }
    }
    std::vector<JointActuator> actuators;
    for (const auto& [id, axis] : actuated) {
        JointActuator actuator = make_actuator(id, model.joints[id].desc, joint_with(id, -1), axis);
        if (actuator.acts()) {
            actuators.push_back(std::move(actuator));
        }
    }
    std::vector<JointStop> stops;
    for (const JointId id : made_from) {
        append_stops(id, model.joints[id].desc, joint_with(id, -1), stops);
    }
    row_owners_ = made_from;
    std::copy_if(joints_.begin(), joints_.end(), std::back_inserter(row_owners_),
                 [&](JointId id) { return model.joints[id].desc.coupling.has_value(); });
    system_.build(inertias_, motions_, joints_made, couplings_made);
    system_.set_actuators(std::move(actuators));
    if (!stops.empty()) {
        system_.set_stops(std::move(stops));
        prepare_velocity_steps();
    }
    numbered_.assign(bodies_.begin(), bodies_.end());
    numbered_.insert(numbered_.end(), prescribed_.begin(), prescribed_.end());
    forces_.build(model.bodies, model.fields, numbered_, bodies_.size());
    system_.refresh_stiffness();
    set_ledger(model.settings.energy_ledger);
    if (contacts > contacts_.capacity()) {
        make_room_for_contacts(model, contacts);
    }
    configure(model);
    choose_contact_handling();
}

void Island::make_again(const Model& model) {
    forget_steps();
    motions_.clear();
    for (const BodyId id : prescribed_) {
        const BodyRecord* const record = model.bodies.find(id);
        motions_.push_back(record != nullptr ? record->prescribed : PrescribedMotion{});
    }
    system_.start_anew(motions_);
    forces_.build(model.bodies, model.fields, numbered_, bodies_.size());
    set_ledger(model.settings.energy_ledger);
    configure(model);
    choose_contact_handling();
}

bool Island::consists_of(std::span<const BodyId> bodies, std::span<const JointId> joints,
                         std::span<const ForceFieldId> fields) const noexcept {
    return !retired_ && std::ranges::equal(bodies, bodies_) && std::ranges::equal(joints, joints_) &&
           std::ranges::equal(fields, fields_);
}

bool Island::has_to_do_with(BodyId body) const noexcept {
    return std::ranges::find(bodies_, body) != bodies_.end() ||
           std::ranges::find(prescribed_, body) != prescribed_.end() ||
           std::ranges::any_of(constraints_, [&](const UnilateralConstraint& contact) {
               return contact.id[0] == body || contact.id[1] == body;
           });
}

void Island::refresh_actuators(const Model& model) {
    for (JointActuator& actuator : system_.actuators().all()) {
        if (const JointRecord* const joint = model.joints.find(actuator.id)) {
            actuator = make_actuator(actuator.id, joint->desc, actuator.joint, actuator.axis);
        }
    }
    if (!system_.actuators().empty()) {
        const std::size_t switches = system_.actuators().switch_count();
        system_.actuators().count_switches();
        if (system_.actuators().switch_count() != switches) {
            service_.forget_events(); // a snapshot tells those of the last step by their number
        }
        system_.model_changed();
    }
    note_extras();
}

void Island::refresh_fields(const Model& model) {
    const auto fields_that_act = [this] {
        std::vector<ForceFieldId> fields;
        for (std::size_t term = kLedgerTerms; term < forces_.ledger_terms(); ++term) {
            fields.push_back(forces_.field_of_term(term));
        }
        return fields;
    };
    const std::vector<ForceFieldId> before = fields_that_act();
    const std::size_t switches = forces_.switch_count();
    forces_.refresh_fields(model.fields);
    service_.set_stop(std::min(stop_, forces_.window().end)); // as a restored snapshot finds it
    system_.refresh_stiffness();
    // Works of the same fields go on: at zero, the service would find a state that somebody touched.
    if (fields_that_act() != before || forces_.switch_count() != switches) {
        set_ledger(system_.ledger_terms() > 0);
    }
    note_extras();
}

// Works start at zero: those booked before are in the world's accounts. Events are watched anew: a snapshot says
// nothing of those of a state that had another size, and the ledger must change no bit.
void Island::set_ledger(bool on) {
    y_is_handed_out_ = false;
    service_.forget_events();
    const std::size_t motion = system_.size() - system_.ledger_terms();
    system_.set_ledger_terms(on ? forces_.ledger_terms() : 0);
    y_.resize(motion);
    y_.resize(system_.size(), 0.0);
    sampled_ = rates_ = y_;
    sampled_ready_ = false;
    booked_.assign(system_.ledger_terms(), 0.0);
}

} // namespace substep::detail
