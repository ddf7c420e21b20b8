// What hostile worlds are made of: bodies, joints, force fields and settings of every kind, drawn at random.
//
// Found worlds depend on how many numbers each function draws, and in which order: what a function draws stays as it
// is, and something new gets a function and an action of its own.
#pragma once

#include <functional>
#include <memory>

#include "random.h"
#include "substep/substep.h"

namespace hostile {

/// Returns the handle of some body: alive, gone, or the ground.
using PickBody = std::function<substep::BodyId()>;

/// A solid of any shape and proportions, its mass and moments over ten decades; or a half space.
substep::BodyDesc any_solid(Random& random);

/// Of any shape, on a prescribed path, with an integrator of its own, locked: what `any_solid` leaves out.
substep::BodyDesc any_special_body(Random& random);

/// Any shape but a half space.
substep::Shape any_shape(Random& random);

/// Mass, centre and moments over ten decades; one time in twenty they cannot be.
substep::MassProperties any_mass(Random& random);

/// Settings of an integrator that end in reasonable time: a budget, or steps of a bounded number.
substep::IntegratorSettings any_integrator(Random& random);

/// A controller with any constants; one time in ten they cannot be.
substep::ControllerSettings any_controller(Random& random);

/// The joints that lock by axes, between two bodies at a point.
substep::JointDesc any_plain_joint(const substep::World& world, Random& random, substep::BodyId a, substep::BodyId b,
                                   const glm::dvec3& point);

/// Rods, ropes, curves and joints that measure.
substep::JointDesc any_special_joint(const substep::World& world, Random& random, substep::BodyId a, substep::BodyId b,
                                     const glm::dvec3& point);

/// Adds soft limits, drives and viscous friction along coordinates that the joint mostly has.
void add_actuators(substep::JointDesc& joint, Random& random);

/// A drive that mostly can be.
substep::JointDrive any_drive(Random& random, substep::JointAxis axis);

/// Adds hard limits, dry friction and drives at their limit along coordinates that the joint has.
void add_stops(substep::JointDesc& joint, Random& random);

/// A cone with hard or soft limits of swing and twist.
substep::JointDesc any_cone(const substep::World& world, Random& random, substep::BodyId a, substep::BodyId b,
                            const glm::dvec3& point);

/// A point on a curve of any kind, now and then with stops.
substep::JointDesc any_curve_joint(const substep::World& world, Random& random, substep::BodyId a, substep::BodyId b,
                                   const glm::dvec3& point);

/// A field that depends on time and place, and is not kind.
std::unique_ptr<substep::ForceField> swirl(double strength, double rate);

/// Any field of the library, with bodies of `pick`'s choice; or one with a switch; or one that is NaN somewhere.
std::unique_ptr<substep::ForceField> any_library_field(Random& random, const PickBody& pick);

/// A field of a user's own that uses all that fields may offer: stiffness, switches between two bodies, jumps in time.
std::unique_ptr<substep::ForceField> any_own_field(Random& random, const PickBody& pick);

} // namespace hostile
