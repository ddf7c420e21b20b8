// Union-find over joints, ties and contacts, and the hand-over from old islands to new ones.
#include "islands.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace substep::detail {
namespace {

/// Disjoint sets of body indices; a set is represented by its smallest.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

    std::uint32_t find(std::uint32_t i) noexcept {
        while (parent_[i] != i) {
            i = parent_[i] = parent_[parent_[i]]; // path halving
        }
        return i;
    }
    void unite(std::uint32_t a, std::uint32_t b) noexcept {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::uint32_t> parent_;
};

struct Members {
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;
    std::vector<ForceFieldId> fields; ///< those that tie its bodies
};

bool is_dynamic(const Model& model, BodyId id) noexcept {
    const BodyRecord* const body = model.bodies.find(id);
    return body != nullptr && body->is_dynamic();
}

// The first dynamic body that a field ties; kWorldBody for a field that ties none.
BodyId first_tied(const Model& model, const ForceField& field) noexcept {
    const std::span<const BodyId> bodies = field.bodies();
    const auto first = std::ranges::find_if(bodies, [&](BodyId id) { return is_dynamic(model, id); });
    return first == bodies.end() ? kWorldBody : *first;
}

// A joint has at least one dynamic body.
BodyId first_dynamic(const Model& model, std::span<const BodyId> bodies) noexcept {
    return *std::find_if(bodies.begin(), bodies.end(), [&](BodyId id) { return is_dynamic(model, id); });
}

// Groups bodies that joints or fields connect or that could touch, in order of creation. Static and kinematic bodies
// connect nothing.
std::vector<Members> find_members(const Model& model) {
    DisjointSets sets(model.bodies.index_limit());
    for (const JointId id : model.joints.ids()) {
        const std::span<const BodyId> ends = model.joints[id].ends();
        const BodyId first = first_dynamic(model, ends);
        for (const BodyId body : ends) {
            if (is_dynamic(model, body)) {
                sets.unite(first.index, body.index);
            }
        }
    }
    for (const ForceFieldId id : model.fields.ids()) {
        const ForceField& field = *model.fields[id];
        const BodyId first = first_tied(model, field);
        for (const BodyId body : field.bodies()) {
            if (is_dynamic(model, body)) {
                sets.unite(first.index, body.index);
            }
        }
    }
    for (const ContactRecord& contact : model.contacts.records()) {
        if (is_dynamic(model, contact.a) && is_dynamic(model, contact.b)) {
            sets.unite(contact.a.index, contact.b.index);
        }
    }
    std::vector<std::size_t> group_of(model.bodies.index_limit(), kNoIsland);
    std::vector<Members> groups;
    for (const BodyId id : model.bodies.ids()) {
        if (is_dynamic(model, id)) {
            std::size_t& group = group_of[sets.find(id.index)];
            if (group == kNoIsland) {
                group = groups.size();
                groups.emplace_back();
            }
            groups[group].bodies.push_back(id);
        }
    }
    for (const JointId id : model.joints.ids()) {
        const BodyId moved = first_dynamic(model, model.joints[id].ends());
        groups[group_of[sets.find(moved.index)]].joints.push_back(id);
    }
    for (const ForceFieldId id : model.fields.ids()) {
        const BodyId first = first_tied(model, *model.fields[id]);
        if (first != kWorldBody) {
            groups[group_of[sets.find(first.index)]].fields.push_back(id);
        }
    }
    return groups;
}

// A new island with the smallest step that its bodies remember; 0 means that none does.
std::unique_ptr<Island> make_island(const Model& model, Members members) {
    double step = 0.0;
    for (const BodyId id : members.bodies) {
        const double remembered = model.bodies[id].remembered_step;
        if (remembered > 0.0 && (step == 0.0 || remembered < step)) {
            step = remembered;
        }
    }
    auto island = std::make_unique<Island>(model, std::move(members.bodies), std::move(members.joints),
                                           std::move(members.fields));
    island->configure(model.settings);
    island->set_remembered_step(step);
    return island;
}

} // namespace

void Islands::update(Model& model) {
    if (!outdated_) {
        return;
    }
    std::vector<std::unique_ptr<Island>> updated;
    for (Members& members : find_members(model)) {
        const std::size_t before = model.bodies[members.bodies.front()].island;
        const bool known = before < islands_.size() && islands_[before] != nullptr &&
                           islands_[before]->consists_of(members.bodies, members.joints, members.fields);
        if (known) {
            islands_[before]->refresh_fields();
        }
        updated.push_back(known ? std::move(islands_[before]) : make_island(model, std::move(members)));
    }
    islands_ = std::move(updated);
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        for (const BodyId id : islands_[i]->bodies()) {
            model.bodies[id].island = i;
        }
    }
    outdated_ = false;
}

void Islands::distribute_contacts(const Model& model) {
    const std::span<const ContactRecord> records = model.contacts.records();
    if (records.empty() && !have_contacts_) {
        return;
    }
    for (const auto& island : islands_) {
        island->forget_contacts();
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
        const BodyId moved = is_dynamic(model, records[i].a) ? records[i].a : records[i].b;
        islands_[model.bodies[moved].island]->add_contact(i);
    }
    have_contacts_ = !records.empty();
}

void Islands::forget_contacts_of(BodyId body) {
    for (const auto& island : islands_) {
        island->forget_contacts_of(body);
    }
}

void Islands::configure(const Model& model) {
    for (const auto& island : islands_) {
        island->configure(model.settings);
    }
}

void Islands::model_changed() noexcept {
    for (const auto& island : islands_) {
        island->model_changed();
    }
}

} // namespace substep::detail
