// Union-find over joints, ties, contacts and crowds.
#include "islands/island_members.h"

#include <algorithm>
#include <array>

namespace substep::detail {
namespace {

bool is_dynamic(const Model& model, BodyId id) noexcept {
    const BodyRecord* const body = model.bodies.find(id);
    return body != nullptr && body->is_dynamic();
}

// Returns the first dynamic body that a joint or a field connects; kGround for a field that ties none.
BodyId first_dynamic(const Model& model, std::span<const BodyId> bodies) noexcept {
    const auto first = std::ranges::find_if(bodies, [&](BodyId id) { return is_dynamic(model, id); });
    return first == bodies.end() ? kGround : *first;
}

} // namespace

void IslandGrouping::find(const Model& model) {
    sets_.begin(model.bodies.index_limit());
    const auto connect = [&](std::span<const BodyId> bodies) {
        const BodyId first = first_dynamic(model, bodies);
        for (const BodyId body : bodies) {
            if (is_dynamic(model, body)) {
                sets_.unite(first.index, body.index);
            }
        }
    };
    for (const JointId id : model.joints.ids()) {
        connect(model.joints[id].ends());
    }
    for (const ForceFieldId id : model.fields.ids()) {
        connect(model.fields[id]->bodies());
    }
    for (const ContactPair& contact : model.contacts.pairs()) {
        connect(std::array{contact.a, contact.b});
    }
    first_of_crowd_.clear();
    for (const CrowdMember& member : model.crowds.members()) {
        if (is_dynamic(model, member.body)) {
            first_of_crowd_.resize(std::max<std::size_t>(first_of_crowd_.size(), member.crowd), kGround);
            BodyId& first = first_of_crowd_[member.crowd - 1];
            first = first == kGround ? member.body : first;
            sets_.unite(first.index, member.body.index);
        }
    }

    // Each body goes to its group; joints and fields go to that of their first body.
    group_of_.assign(model.bodies.index_limit(), kNoIsland);
    std::size_t count = 0;
    for (const BodyId id : model.bodies.ids()) {
        if (is_dynamic(model, id)) {
            std::size_t& group = group_of_[sets_.representative(id.index)];
            group = group == kNoIsland ? count++ : group;
        }
    }
    const auto group_with = [&](BodyId id) { return group_of_[sets_.representative(id.index)]; };
    const std::size_t most = model.bodies.ids().size();
    bodies_.sort(model.bodies.ids(), count, most,
                 [&](BodyId id) { return is_dynamic(model, id) ? group_with(id) : kNoIsland; });
    joints_.sort(model.joints.ids(), count, most,
                 [&](JointId id) { return group_with(first_dynamic(model, model.joints[id].ends())); });
    fields_.sort(model.fields.ids(), count, most, [&](ForceFieldId id) {
        const BodyId first = first_dynamic(model, model.fields[id]->bodies());
        return first == kGround ? kNoIsland : group_with(first);
    });
}

} // namespace substep::detail
