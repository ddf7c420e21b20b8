// The record that a world keeps of each body between steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "archive/prefetch.h"
#include "bodies/colliders.h"
#include "bodies/handle_table.h"
#include "bodies/prescribed_motions.h"
#include "bodies/rigid_motion.h"
#include "substep/collision/feature.h"
#include "substep/engine/body.h"

namespace substep::detail {

inline constexpr std::size_t kNoIsland = std::numeric_limits<std::size_t>::max();

/// A body. The solver's frame has its origin at the centre of mass and its axes along the principal axes; the user's
/// frame is the one that its colliders are placed in. `pose` and `state_at` convert.
struct BodyRecord {
    // What each step looks at lies side by side. Snapshots save the members from `motion` to `step_end` of dynamic
    // bodies; the states of the last step, for samples inside it, ignore later edits.
    BodyInertia inertia;
    double gravity_factor = 1.0;
    double remembered_step = 0.0; ///< s: the substep that its island would take next
    MotionType motion = MotionType::Dynamic;
    bool edited = true;   ///< since the last step: joints have yet to answer
    BodyState now;        ///< of dynamic bodies
    BodyState step_begin; ///< of the last step
    Wrench step_wrench;   ///< applied during the next step only
    BodyState step_end;   ///< of the last step: `now`, unless edited

    std::size_t island = kNoIsland; ///< index of its island
    std::size_t slot = 0;           ///< its number in that island

    std::string name;
    std::uint64_t user_data = 0;
    ColliderList colliders;
    MassProperties mass_properties;
    glm::dquat principal_to_body = detail::quaternion(1.0, 0.0, 0.0, 0.0);

    PrescribedMotions motions;                            ///< of a body that is not dynamic
    std::shared_ptr<const BodyPath> path;                 ///< the path that it follows, or null
    std::shared_ptr<const IntegratorSettings> integrator; ///< its own, if it has any

    bool is_dynamic() const noexcept { return motion == MotionType::Dynamic; }
    // The motion of a body that is not dynamic, since its last edit and during the last step.
    const PrescribedMotion& prescribed() const noexcept { return motions.now(); }
    const PrescribedMotion& step_motion() const noexcept { return motions.in_step(); }
};

/// Asks the processor to fetch what a step looks at of a body.
inline void prefetch_record(const BodyRecord& body) noexcept {
    const auto* const begin = reinterpret_cast<const std::byte*>(&body.inertia);
    prefetch(begin, static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&body.step_end + 1) - begin));
}

using BodyTable = HandleTable<BodyRecord, BodyId>;

/// Returns the record of a body. Throws std::invalid_argument for a stale handle.
BodyRecord& require_body(BodyTable& bodies, BodyId id);
const BodyRecord& require_body(const BodyTable& bodies, BodyId id);

/// Says that `newer`, another state of the table, has been in use since: no number that it gave to a collider of a body
/// will be given out again.
void outlive_colliders(BodyTable& bodies, const BodyTable& newer) noexcept;

/// Makes the record of a new body at time t. Throws std::invalid_argument for any value out of range.
BodyRecord make_body(const BodyDesc& desc, double t);

/// Gives a body another mass, centre of mass and inertia at time t. Its origin stays, and every point of it keeps its
/// velocity. Throws std::invalid_argument for values out of range.
void change_mass(BodyRecord& body, const MassProperties& properties, double t);

/// Pose of the user's frame where the solver's frame stands at (x, q), and back.
Pose pose_at(const BodyRecord& body, const glm::dvec3& x, const glm::dquat& q) noexcept;

/// Where a collider is in the principal axes of its body, from the centre of mass.
Pose in_principal_axes(const BodyRecord& body, const ColliderDesc& collider) noexcept;
/// Returns a feature of a collider by its number, placed likewise.
Feature feature_of(const BodyRecord& body, const ColliderDesc& collider, std::uint32_t number) noexcept;
glm::dvec3 centre_of_mass_at(const BodyRecord& body, const Pose& pose) noexcept;
glm::dquat principal_orientation_at(const BodyRecord& body, const Pose& pose) noexcept;

/// Place at time t of a body that was not edited since:
glm::dvec3 position_of(const BodyRecord& body, double t) noexcept;    ///< of the centre of mass
glm::dquat orientation_of(const BodyRecord& body, double t) noexcept; ///< of the principal axes
Twist velocity_of(const BodyRecord& body, double t) noexcept;

} // namespace substep::detail
