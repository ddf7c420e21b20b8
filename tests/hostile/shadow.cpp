// Handles against what they must name.
#include "shadow.h"

#include <algorithm>

namespace hostile {

using namespace substep;

namespace {

template <class Id>
std::string seen_before(std::set<Id>& seen, Id id, const char* what) {
    return seen.insert(id).second ? std::string() : std::string("A new ") + what + " has the handle of an earlier one.";
}

template <class Id, class Map>
std::string differs_in(const World& world, std::span<const Id> listed, const std::set<Id>& seen, const Map& map,
                       const char* what) {
    const bool same =
        listed.size() == map.size() && std::ranges::all_of(listed, [&](const Id& id) { return map.contains(id); });
    if (!same) {
        return std::string("The world lists other ") + what + " than there must be.";
    }
    for (const Id& id : seen) {
        if (world.is_valid(id) != map.contains(id)) {
            return std::string("A handle among the ") + what + (map.contains(id) ? " is invalid" : " is valid") +
                   ", and must not be.";
        }
    }
    return {};
}

} // namespace

std::string Shadow::created(BodyId id, double mass) {
    now_.masses[id] = mass;
    return seen_before(bodies_seen_, id, "body");
}

std::string Shadow::created(JointId id, const JointDesc& desc) {
    now_.joints[id] = desc;
    return seen_before(joints_seen_, id, "joint");
}

std::string Shadow::created(CouplingId id, const CouplingDesc& desc) {
    now_.couplings[id] = desc;
    return seen_before(couplings_seen_, id, "coupling");
}

std::string Shadow::created(ForceFieldId id, std::span<const BodyId> tied) {
    now_.fields[id].assign(tied.begin(), tied.end());
    return seen_before(fields_seen_, id, "force field");
}

void Shadow::destroyed(BodyId id) {
    now_.masses.erase(id);
    std::vector<JointId> gone;
    for (const auto& [joint, desc] : now_.joints) {
        if (desc.body_a == id || desc.body_b == id) {
            gone.push_back(joint);
        }
    }
    for (const JointId joint : gone) {
        destroyed(joint);
    }
    std::erase_if(now_.fields,
                  [&](const auto& field) { return std::ranges::find(field.second, id) != field.second.end(); });
}

void Shadow::destroyed(JointId id) {
    now_.joints.erase(id);
    std::erase_if(now_.couplings,
                  [&](const auto& each) { return each.second.joint_1 == id || each.second.joint_2 == id; });
}

std::string Shadow::differs(const World& world) const {
    std::string complaint = differs_in(world, world.bodies(), bodies_seen_, now_.masses, "bodies");
    if (complaint.empty()) {
        complaint = differs_in(world, world.joints(), joints_seen_, now_.joints, "joints");
    }
    if (complaint.empty()) {
        complaint = differs_in(world, world.couplings(), couplings_seen_, now_.couplings, "couplings");
    }
    if (complaint.empty()) {
        complaint = differs_in(world, world.force_fields(), fields_seen_, now_.fields, "force fields");
    }
    if (!complaint.empty()) {
        return complaint;
    }
    for (const auto& [id, mass] : now_.masses) {
        if (world.body(id).mass_properties().mass != mass) {
            return "A handle names another body than it did.";
        }
    }
    for (const auto& [id, desc] : now_.joints) {
        const JointDesc& is = world.joint(id);
        if (is.body_a != desc.body_a || is.body_b != desc.body_b) {
            return "A handle names another joint than it did.";
        }
    }
    for (const auto& [id, desc] : now_.couplings) {
        if (world.coupling(id).joint_1 != desc.joint_1) {
            return "A handle names another coupling than it did.";
        }
    }
    for (const auto& [id, tied] : now_.fields) {
        if (!std::ranges::equal(world.force_field(id).bodies(), tied)) {
            return "A handle names another force field than it did.";
        }
    }
    return {};
}

} // namespace hostile
