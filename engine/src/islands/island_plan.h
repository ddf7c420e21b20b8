// How an island is planned: the numbers of its bodies, and the inputs of its system.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bodies/rigid_motion.h"
#include "contact/joint_stops.h"
#include "islands/island_members.h"
#include "islands/model.h"
#include "joints/island_joint.h"
#include "joints/joint_actuators.h"

namespace substep::detail {

/// One number of the state that a joint remembers.
struct RememberedNumber {
    JointId joint;
    int place = 0; ///< in JointRecord::memory
    int index = 0; ///< after the bodies in the island's state
};

/// Which bodies, joints and force fields make up an island, with the numbers that its system knows them by.
struct IslandParts {
    /// All bodies by their number: the dynamic ones, then the prescribed ends of joints and fields in the order in
    /// which these name them; kGround for the ground.
    std::vector<BodyId> numbered;
    std::size_t body_count = 0; ///< dynamic ones
    std::vector<std::size_t>
        prescribed_by_index; ///< numbers of prescribed ones, in the order of their handles' indices
    std::vector<JointId> joints;
    std::vector<ForceFieldId> fields;   ///< those that tie its bodies
    std::vector<JointId> row_owners;    ///< joints, then couplings, as the system counts them
    std::vector<std::string> row_names; ///< what their hosts call them
    std::vector<RememberedNumber> remembered;

    std::span<const BodyId> bodies() const noexcept { return std::span(numbered).first(body_count); }
    std::span<const BodyId> prescribed() const noexcept { return std::span(numbered).subspan(body_count); }

    /// Returns the number of one of the dynamic bodies, -1 of any other. `record` is that of `id`.
    int number_of(BodyId id, const BodyRecord& record) const noexcept {
        return record.slot < body_count && numbered[record.slot] == id ? static_cast<int>(record.slot) : -1;
    }

    /// Returns the number of one of the prescribed bodies, -1 of any other.
    int prescribed_number_of(BodyId id) const noexcept;
    /// Gives the next number to a prescribed body. Allocates to grow.
    int add_prescribed(BodyId id);

    bool consist_of(const IslandMembers& members) const noexcept;
    /// Whether a body has a number here, or held one of the bodies when they were planned.
    bool name(BodyId body) const noexcept;
};

/// The inputs of an island's system, in the numbering of its parts.
struct IslandPlan {
    std::vector<BodyInertia> inertias;     ///< of dynamic bodies
    std::vector<PrescribedMotion> motions; ///< of prescribed bodies
    std::vector<IslandJoint> joints;       ///< but for couplings
    std::vector<IslandCoupling> couplings;
    std::vector<JointActuator> actuators;
    std::vector<JointStop> stops;
};

/// Writes to the records of an island's bodies which number they have in it.
void number_bodies(BodyTable& bodies, std::span<const BodyId> island) noexcept;

/// Plans the island of these members, whose bodies have been numbered. Allocates for joints, and to grow.
void plan_island(const Model& model, const IslandMembers& members, IslandParts& parts, IslandPlan& plan);

/// Plans anew how the prescribed bodies of an island move.
void plan_motions(const Model& model, const IslandParts& parts, IslandPlan& plan);

} // namespace substep::detail
