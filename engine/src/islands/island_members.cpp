// Union-find over joints, ties, contacts and crowds.
#include "islands/island_members.h"

#include <algorithm>

namespace substep::detail {

void IslandGrouping::find(const Model& model) {
    sets_.begin(model.bodies.index_limit());
    dynamic_.assign(model.bodies.index_limit(), kGround);
    for (const BodyId id : model.bodies.ids()) {
        dynamic_[id.index] = model.bodies[id].is_dynamic() ? id : kGround;
    }
    const auto is_dynamic = [&](BodyId id) {
        return id != kGround && id.index < dynamic_.size() && dynamic_[id.index] == id;
    };
    // The first dynamic body that a joint or a field connects; kGround for a field that ties none.
    const auto first_dynamic = [&](std::span<const BodyId> bodies) {
        const auto first = std::ranges::find_if(bodies, is_dynamic);
        return first == bodies.end() ? kGround : *first;
    };
    const auto connect = [&](std::span<const BodyId> bodies) {
        const BodyId first = first_dynamic(bodies);
        for (const BodyId body : bodies) {
            if (is_dynamic(body)) {
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
        if (is_dynamic(contact.a) && is_dynamic(contact.b)) {
            sets_.unite(contact.a.index, contact.b.index);
        }
    }
    first_of_crowd_.clear();
    for (const CrowdMember& member : model.crowds.members()) {
        if (is_dynamic(member.body)) {
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
        if (is_dynamic(id)) {
            std::size_t& group = group_of_[sets_.representative(id.index)];
            group = group == kNoIsland ? count++ : group;
        }
    }
    const auto group_with = [&](BodyId id) { return group_of_[sets_.representative(id.index)]; };
    const std::size_t most = model.bodies.ids().size();
    bodies_.sort(model.bodies.ids(), count, most,
                 [&](BodyId id) { return is_dynamic(id) ? group_with(id) : kNoIsland; });
    joints_.sort(model.joints.ids(), count, most,
                 [&](JointId id) { return group_with(first_dynamic(model.joints[id].ends())); });
    fields_.sort(model.fields.ids(), count, most, [&](ForceFieldId id) {
        const BodyId first = first_dynamic(model.fields[id]->bodies());
        return first == kGround ? kNoIsland : group_with(first);
    });
}

} // namespace substep::detail
