// What of a world the user chose to look at and to edit, and what bodies, joints and forces are called on the screen.
#include "selection.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace substep {

namespace {

template <class Id>
std::string counted(const char* word, std::span<const Id> all, Id id) {
    return word + std::to_string(std::ranges::find(all, id) - all.begin() + 1);
}

// The one that a word with a number means; nothing for another word or a number out of range.
template <class Id>
Selection find_counted(const std::string& prefix, std::span<const Id> all, const std::string& word) {
    std::size_t number = 0;
    if (!word.starts_with(prefix)) return {};
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + prefix.size(), end, number);
    if (error != std::errc{} || stop != end || number < 1 || number > all.size()) return {};
    return all[number - 1];
}

} // namespace

bool is_there(const World& world, const Selection& selection) {
    if (const auto* const body = std::get_if<BodyId>(&selection)) return world.is_valid(*body);
    if (const auto* const joint = std::get_if<JointId>(&selection)) return world.is_valid(*joint);
    if (const auto* const coupling = std::get_if<CouplingId>(&selection)) return world.is_valid(*coupling);
    if (const auto* const field = std::get_if<ForceFieldId>(&selection)) return world.is_valid(*field);
    return std::holds_alternative<WorldGravity>(selection);
}

BodyId selected_body(const Selection& selection) {
    const auto* const body = std::get_if<BodyId>(&selection);
    return body != nullptr ? *body : kGround;
}

std::string word_of(const World& world, const Selection& selection) {
    if (!is_there(world, selection)) return "none";
    if (const auto* const body = std::get_if<BodyId>(&selection)) return counted("body", world.bodies(), *body);
    if (const auto* const joint = std::get_if<JointId>(&selection)) return counted("joint", world.joints(), *joint);
    if (const auto* const coupling = std::get_if<CouplingId>(&selection))
        return counted("coupling", world.couplings(), *coupling);
    if (std::holds_alternative<WorldGravity>(selection)) return "gravity";
    return counted("force", world.force_fields(), std::get<ForceFieldId>(selection));
}

Selection selection_of(const World& world, const std::string& word) {
    if (word == "gravity") return WorldGravity{};
    for (const Selection& found :
         {find_counted("body", world.bodies(), word), find_counted("joint", world.joints(), word),
          find_counted("coupling", world.couplings(), word), find_counted("force", world.force_fields(), word)}) {
        if (found.index() != 0) return found;
    }
    return {};
}

std::string kind_of(const JointDesc& joint) {
    if (joint.curve_lock()) return "on a curve";
    if (joint.distance_lock()) return "rod";
    const auto translations = std::ranges::count(joint.locked_translation(), true);
    const auto rotations = std::ranges::count(joint.locked_rotation, true);
    struct Kind {
        long translations, rotations;
        const char* name;
    };
    static constexpr Kind kKinds[] = {{3, 0, "ball"},   {3, 1, "universal"}, {3, 2, "hinge"},
                                      {3, 3, "fixed"},  {2, 3, "slider"},    {2, 2, "cylindrical"},
                                      {1, 2, "planar"}, {2, 0, "on a line"}, {0, 0, "free"}};
    for (const Kind& kind : kKinds) {
        if (kind.translations == translations && kind.rotations == rotations) return kind.name;
    }
    return "six-axis";
}

std::string name_of(const Simulation& simulation, BodyId body) {
    if (body == kGround) return "ground";
    const auto& nodes = simulation.graph().nodes();
    const auto is_own = [&](const Node& node) { return node.body == body && !node.name.empty(); };
    const auto own = std::ranges::find_if(nodes, is_own);
    if (own == nodes.end()) return counted("body ", simulation.scene().world.bodies(), body);
    // Numbered where others have the same name.
    int before = 0;
    int all = 0;
    for (auto node = nodes.begin(); node != nodes.end(); ++node) {
        if (node->name != own->name || node->body == kGround) continue;
        before += node <= own ? 1 : 0;
        ++all;
    }
    return all > 1 ? own->name + " " + std::to_string(before) : own->name;
}

std::string name_of(const Simulation& simulation, JointId joint) {
    const JointDesc& desc = simulation.scene().world.joint(joint);
    return kind_of(desc) + ": " + name_of(simulation, desc.body_a) + ", " + name_of(simulation, desc.body_b);
}

std::string name_of(const Simulation& simulation, CouplingId coupling) {
    const World& world = simulation.scene().world;
    const CouplingDesc& desc = world.coupling(coupling);
    return "coupling: " + counted("joint ", world.joints(), desc.joint_1) + ", " +
           counted("joint ", world.joints(), desc.joint_2);
}

std::string name_of(const Simulation& simulation, ForceFieldId field) {
    constexpr std::size_t kMostNamed = 3;
    const ForceField& force = simulation.scene().world.force_field(field);
    std::string name(force.name());
    for (std::size_t i = 0; i < force.bodies().size(); ++i) {
        if (i == kMostNamed) return name + ", ...";
        name += (i == 0 ? ": " : ", ") + name_of(simulation, force.bodies()[i]);
    }
    return name;
}

std::vector<JointId> joints_of(const World& world, BodyId body) {
    std::vector<JointId> found;
    std::ranges::copy_if(world.joints(), std::back_inserter(found), [&](JointId id) {
        const JointDesc& joint = world.joint(id);
        return joint.body_a == body || joint.body_b == body;
    });
    return found;
}

std::vector<ForceFieldId> forces_on(const World& world, BodyId body) {
    std::vector<ForceFieldId> found;
    std::ranges::copy_if(world.force_fields(), std::back_inserter(found), [&](ForceFieldId id) {
        const ForceField& field = world.force_field(id);
        const auto tied = field.bodies();
        return tied.empty() ? field.acts_on(body) : std::ranges::find(tied, body) != tied.end();
    });
    return found;
}

} // namespace substep
