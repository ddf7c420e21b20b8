// The numbering of bodies, joints and the joints' memory, step by step.
#include "islands/island_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "joints/joint_rows.h"

namespace substep::detail {
namespace {

// Whether joints connect some bodies in more than one way; all bodies that no force moves count as one.
bool has_loop(std::span<const IslandJoint> joints, int dynamic_count) {
    if (joints.size() < 2) {
        return false; // without allocating: contacts make such islands in mid-run
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

PrescribedMotion motion_of_end(const Model& model, BodyId id) noexcept {
    const BodyRecord* const record = model.bodies.find(id);
    return record != nullptr ? record->prescribed() : PrescribedMotion{};
}

// Numbers parts in the order in which its steps are called: each step's numbers depend on those given before.
class Planner {
public:
    Planner(const Model& model, IslandParts& parts, IslandPlan& plan) noexcept
        : model_(model), parts_(parts), plan_(plan) {}

    void take_members(const IslandMembers& members);
    void plan_joints();
    void remember_curves();
    void remember_redundant_rows();
    void plan_couplings();
    void number_ends_of_fields();
    void plan_actuators();
    void plan_stops();

private:
    int number_of(BodyId id);
    std::size_t planned(JointId id) const noexcept;
    const IslandJoint& remembering(std::size_t joint, int place);
    /// Joints but for couplings, in the order of plan_.joints.
    std::span<const JointId> joint_ids() const noexcept {
        return std::span(parts_.row_owners).first(plan_.joints.size());
    }
    const JointDesc& desc_of(JointId id) const noexcept { return model_.joints[id].desc; }

    const Model& model_;
    IslandParts& parts_;
    IslandPlan& plan_;
};

void Planner::take_members(const IslandMembers& members) {
    parts_.numbered.assign(members.bodies.begin(), members.bodies.end());
    parts_.body_count = members.bodies.size();
    parts_.prescribed_by_index.clear();
    parts_.joints.assign(members.joints.begin(), members.joints.end());
    parts_.fields.assign(members.fields.begin(), members.fields.end());
    parts_.row_owners.clear();
    parts_.row_names.clear();
    parts_.remembered.clear();
    plan_.inertias.clear();
    plan_.motions.clear();
    plan_.joints.clear();
    plan_.couplings.clear();
    plan_.actuators.clear();
    plan_.stops.clear();
    for (const BodyId id : members.bodies) {
        plan_.inertias.push_back(model_.bodies[id].inertia);
    }
}

// Returns the number of a body; an end that is not one of the dynamic bodies gets the next one.
int Planner::number_of(BodyId id) {
    if (const BodyRecord* const record = model_.bodies.find(id)) {
        if (const int number = parts_.number_of(id, *record); number >= 0) {
            return number;
        }
    }
    if (const int number = parts_.prescribed_number_of(id); number >= 0) {
        return number;
    }
    plan_.motions.push_back(motion_of_end(model_, id));
    return parts_.add_prescribed(id);
}

// Returns the number of a joint by which a coupling names it.
std::size_t Planner::planned(JointId id) const noexcept {
    return static_cast<std::size_t>(std::ranges::find(joint_ids(), id) - joint_ids().begin());
}

// Returns a joint that remembers the number at `place` of JointRecord::memory; -1: nothing.
const IslandJoint& Planner::remembering(std::size_t joint, int place) {
    IslandJoint& planned = plan_.joints[joint];
    if (place >= 0 && planned.memory[static_cast<std::size_t>(place)] < 0) {
        const int index = static_cast<int>(parts_.remembered.size());
        planned.memory[static_cast<std::size_t>(place)] = index;
        parts_.remembered.push_back({parts_.row_owners[joint], place, index});
    }
    return planned;
}

void Planner::plan_joints() {
    for (const JointId id : parts_.joints) {
        const JointDesc& desc = desc_of(id);
        if (!model_.joints[id].coupling) {
            const int body_a = number_of(desc.body_a);
            const int body_b = number_of(desc.body_b);
            plan_.joints.push_back(make_island_joint(model_.bodies, desc, body_a, body_b));
            plan_.joints.back().length = model_.settings.length;
            parts_.row_owners.push_back(id);
            parts_.row_names.push_back(desc.name);
        }
    }
}

void Planner::remember_curves() {
    for (std::size_t i = 0; i < plan_.joints.size(); ++i) {
        if (desc_of(parts_.row_owners[i]).curve_lock() != nullptr) {
            remembering(i, kCurveMemory);
        }
    }
}

void Planner::remember_redundant_rows() {
    if (has_loop(plan_.joints, static_cast<int>(parts_.body_count))) {
        for (std::size_t i = 0; i < plan_.joints.size(); ++i) {
            remembering(i, kRedundantMemory);
        }
    }
}

// Couplings come after the joints, which must have the memory of their angles.
void Planner::plan_couplings() {
    for (const JointId id : parts_.joints) {
        if (const std::optional<CouplingDesc>& coupling = model_.joints[id].coupling) {
            const IslandJoint& second = remembering(planned(coupling->joint_2), memory_of(coupling->axis_2));
            const IslandJoint& first = remembering(planned(coupling->joint_1), memory_of(coupling->axis_1));
            plan_.couplings.push_back(make_island_coupling(*coupling, first, second));
            parts_.row_owners.push_back(id);
            parts_.row_names.push_back(coupling->name);
        }
    }
}

void Planner::number_ends_of_fields() {
    for (const ForceFieldId id : parts_.fields) {
        for (const BodyId body : model_.fields[id]->bodies()) {
            number_of(body);
        }
    }
}

// All joints first need the memory of their angles: actuators and stops copy them.
void Planner::plan_actuators() {
    for (std::size_t i = 0; i < plan_.joints.size(); ++i) {
        for (const JointAxis axis : actuated_axes(desc_of(parts_.row_owners[i]))) {
            remembering(i, memory_of(axis));
        }
    }
    for (std::size_t i = 0; i < plan_.joints.size(); ++i) {
        const JointId id = parts_.row_owners[i];
        for (const JointAxis axis : actuated_axes(desc_of(id))) {
            JointActuator actuator = make_actuator(id, desc_of(id), plan_.joints[i], axis);
            if (actuator.acts()) {
                plan_.actuators.push_back(std::move(actuator));
            }
        }
    }
}

void Planner::plan_stops() {
    for (std::size_t i = 0; i < plan_.joints.size(); ++i) {
        append_stops(parts_.row_owners[i], static_cast<int>(i), desc_of(parts_.row_owners[i]), plan_.joints[i],
                     plan_.stops);
    }
}

} // namespace

bool IslandParts::consist_of(const IslandMembers& members) const noexcept {
    return std::ranges::equal(members.bodies, bodies()) && std::ranges::equal(members.joints, joints) &&
           std::ranges::equal(members.fields, fields);
}

int IslandParts::prescribed_number_of(BodyId id) const noexcept {
    const auto index_of = [&](std::size_t number) { return numbered[number].index; };
    auto place = std::ranges::lower_bound(prescribed_by_index, id.index, {}, index_of);
    while (place != prescribed_by_index.end() && index_of(*place) == id.index && numbered[*place] != id) {
        ++place; // a body that was destroyed may have had the same index
    }
    return place != prescribed_by_index.end() && numbered[*place] == id ? static_cast<int>(*place) : -1;
}

int IslandParts::add_prescribed(BodyId id) {
    const auto index_of = [&](std::size_t number) { return numbered[number].index; };
    const auto behind = std::ranges::upper_bound(prescribed_by_index, id.index, {}, index_of);
    prescribed_by_index.insert(behind, numbered.size());
    numbered.push_back(id);
    return static_cast<int>(numbered.size()) - 1;
}

bool IslandParts::name(BodyId body) const noexcept { return std::ranges::find(numbered, body) != numbered.end(); }

void number_bodies(BodyTable& bodies, std::span<const BodyId> island) noexcept {
    for (std::size_t i = 0; i < island.size(); ++i) {
        bodies[island[i]].slot = i;
    }
}

void plan_island(const Model& model, const IslandMembers& members, IslandParts& parts, IslandPlan& plan) {
    Planner planner(model, parts, plan);
    planner.take_members(members);
    planner.plan_joints();
    planner.remember_curves();
    planner.remember_redundant_rows();
    planner.plan_couplings();
    planner.number_ends_of_fields();
    planner.plan_actuators();
    planner.plan_stops();
}

void plan_motions(const Model& model, const IslandParts& parts, IslandPlan& plan) {
    plan.motions.clear();
    for (const BodyId id : parts.prescribed()) {
        plan.motions.push_back(motion_of_end(model, id));
    }
}

} // namespace substep::detail
