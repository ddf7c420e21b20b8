// A joint as the solver sees it: numbers in the principal frames of its bodies.
#pragma once

#include <array>
#include <cstdint>

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "bodies/body_frame.h"
#include "bodies/body_store.h"
#include "joints/joint_record.h"
#include "substep/engine/joint.h"

namespace substep::detail {

/// A joint between two bodies of an island.
struct IslandJoint {
    std::array<int, 2> body{};                                        ///< indices into the island's bodies
    std::array<glm::dvec3, 2> anchor{};                               ///< m, from the centre of mass
    std::array<glm::dmat3, 2> axes{glm::dmat3(1.0), glm::dmat3(1.0)}; ///< of its frames, by columns
    std::array<bool, 3> locked_translation{true, true, true};         ///< along the axes of frame 0
    std::array<bool, 3> locked_rotation{false, false, false};
    double distance = 0.0;        ///< m, locked if positive
    double length = 1.0;          ///< m, of the world: rows of rotations are sines times it
    const Curve* curve = nullptr; ///< in frame 0
    /// Places of the joint's memory (JointRecord::memory) in the island's state, -1 for numbers that it does not need.
    std::array<int, kJointMemory> memory{-1, -1, -1, -1, -1};
    std::int64_t* work = nullptr; ///< where it counts what it takes (joint_work.h), null: nobody asks
};

/// One row: coordinates of two joints, value_0 + ratio value_1 = sum.
struct IslandCoupling {
    std::array<IslandJoint, 2> joint;
    std::array<JointAxis, 2> axis{};
    double ratio = 1.0;
    double sum = 0.0;
};

/// Returns frames as anchors and axes in the principal frames of the bodies, which the island numbers a and b.
IslandJoint make_island_joint(const BodyTable& bodies, const JointDesc& desc, int body_a, int body_b);

/// Returns the coupling with the joints that the island has made, which must have their memory.
IslandCoupling make_island_coupling(const CouplingDesc& coupling, const IslandJoint& joint_1,
                                    const IslandJoint& joint_2);

} // namespace substep::detail
