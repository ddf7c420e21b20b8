// What hostile worlds are made of: bodies, joints, force fields and settings of every kind, drawn at random.
//
// Found worlds store these values by their names and read them in any order. A draw that found worlds do not have says
// what it is in them (Draws::has).
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "draws.h"
#include "substep/substep.h"

namespace hostile {

/// Returns the handle of some body, which is drawn under that name: alive, gone, or the ground.
using PickBody = std::function<substep::BodyId(Draws, std::string_view)>;

/// Words for substep::JointAxis.
inline constexpr std::array<std::string_view, 9> kAxes{"x",       "y",     "z",        "angle_x", "angle_y",
                                                       "angle_z", "swing", "distance", "curve"};
static_assert(kAxes.size() == static_cast<std::size_t>(substep::JointAxis::Curve) + 1);

/// A solid of any shape and proportions, its mass and moments over ten decades; or a half space.
substep::BodyDesc any_solid(Draws draw);

/// Of any shape, on a prescribed path, with an integrator of its own, locked: what `any_solid` leaves out.
substep::BodyDesc any_special_body(Draws draw);

/// Any shape that has a volume.
substep::Shape any_shape(Draws draw);

/// A hull of no symmetry about the origin, half a unit wide: always the same, for others to scale.
const std::shared_ptr<const substep::ConvexHull>& rock();

/// Mass, centre and moments over ten decades; one time in twenty they cannot be.
substep::MassProperties any_mass(Draws draw);

/// Makes moments about some of the body's axes infinite: those whose bit is set.
void lock_some_axes(substep::MassProperties& mass, std::size_t axes);
/// The same now and then, about any.
void lock_any_axes(substep::MassProperties& mass, Draws draw);

/// A rule about pairs that meet: it refuses some, says how they rub and bounce, cannot be meant, or throws; or null.
std::shared_ptr<const substep::PairRule> any_pair_rule(Draws draw);

/// Of everybody, or of one of two groups, in both directions.
substep::CollisionFilter any_filter(Draws draw);

/// A part beside others: now and then only watching, or met by nobody.
substep::ColliderDesc any_collider(Draws draw);

/// Masses of so many bodies, kg: 1 each if they are even, else over twice as many decades as given.
std::vector<double> any_masses(Draws draw, std::size_t count, bool even, double decades);

/// Settings of an integrator that end in reasonable time: a budget, or steps of a bounded number.
substep::IntegratorSettings any_integrator(Draws draw);

/// A controller with any constants; one time in ten they cannot be.
substep::ControllerSettings any_controller(Draws draw);

/// The name of any method; with a chance of `auto_chance`, `auto`.
std::string any_method(Draws draw, double auto_chance);

/// Evaluations that a step may make: 1 to `most`, or with that chance no limit.
int any_budget(Draws draw, double unlimited, std::size_t most);

substep::Boundary any_boundary(Draws draw);

/// The joints that lock by axes, between two bodies at a point.
substep::JointDesc any_plain_joint(const substep::World& world, Draws draw, substep::BodyId a, substep::BodyId b,
                                   const glm::dvec3& point);

/// Rods, ropes, curves and joints that measure.
substep::JointDesc any_special_joint(const substep::World& world, Draws draw, substep::BodyId a, substep::BodyId b,
                                     const glm::dvec3& point);

/// Which of three directions are locked.
std::array<bool, 3> any_locks(Draws draw, std::string_view name);

/// Adds soft limits, drives and viscous friction along coordinates that the joint mostly has.
void add_actuators(substep::JointDesc& joint, Draws draw);

/// A drive that mostly can be.
substep::JointDrive any_drive(Draws draw, substep::JointAxis axis);

/// Adds hard limits, dry friction and drives at their limit along coordinates that the joint has.
void add_stops(substep::JointDesc& joint, Draws draw);

/// A cone with hard or soft limits of swing and twist.
substep::JointDesc any_cone(const substep::World& world, Draws draw, substep::BodyId a, substep::BodyId b,
                            const glm::dvec3& point);

/// A point on a curve of any kind, now and then with stops.
substep::JointDesc any_curve_joint(const substep::World& world, Draws draw, substep::BodyId a, substep::BodyId b,
                                   const glm::dvec3& point);

/// A point on that curve, at a parameter from -farthest to farthest; now and then open by up to `open` (m) at the
/// start.
substep::JointDesc joint_on_curve(const substep::World& world, Draws draw, substep::BodyId a, substep::BodyId b,
                                  const glm::dvec3& point, const std::shared_ptr<const substep::Curve>& curve,
                                  double farthest, double open);

/// A field that depends on time and place, and is not kind.
std::unique_ptr<substep::ForceField> swirl(Draws draw);

/// Any field of the library, with bodies of `pick`'s choice; or one with a switch; or one that is NaN somewhere.
std::unique_ptr<substep::ForceField> any_library_field(Draws draw, const PickBody& pick);

/// A field of a user's own that uses all that fields may offer: stiffness, switches between two bodies, jumps in time.
std::unique_ptr<substep::ForceField> any_own_field(Draws draw, const PickBody& pick);

} // namespace hostile
