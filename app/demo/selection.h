// What of a world the user chose to look at and to edit, and what bodies, joints and forces are called on the screen.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "simulation.h"

namespace substep {

/// WorldSettings::gravity, which is no force field.
struct WorldGravity {};

/// Nothing, a body, a joint, a coupling, a force field, or the world's gravity.
using Selection = std::variant<std::monostate, BodyId, JointId, CouplingId, ForceFieldId, WorldGravity>;

/// Says whether there is something selected, and still there.
bool is_there(const World& world, const Selection& selection);

/// The body that is selected; kGround: none, or something else.
BodyId selected_body(const Selection& selection);

/// What scripts call it: "none", or "gravity", "body2", "joint1", "coupling1", "force1", counted from 1 in the order of
/// creation.
std::string word_of(const World& world, const Selection& selection);

/// The other way round; nothing for a word that names nothing.
Selection selection_of(const World& world, const std::string& word);

/// "hinge", "slider" and so on, by what the joint locks.
std::string kind_of(const JointDesc& joint);

/// What people call it: the name of a body's node, "hinge: ground, bob", "spring: bob, ground".
std::string name_of(const Simulation& simulation, BodyId body);
std::string name_of(const Simulation& simulation, JointId joint);
std::string name_of(const Simulation& simulation, CouplingId coupling);
std::string name_of(const Simulation& simulation, ForceFieldId field);

/// Joints that hold a body, and force fields that act on it.
std::vector<JointId> joints_of(const World& world, BodyId body);
std::vector<ForceFieldId> forces_on(const World& world, BodyId body);

} // namespace substep
