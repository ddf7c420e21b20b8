// A joint as the solver sees it: numbers in the principal frames of its bodies.
#pragma once

#include <array>

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "substep/engine/joint.h"

namespace substep::detail {

struct Model;
struct JointRecord;

/// What a joint remembers: the angles about x, y and z with their whole turns, the parameter of its curve, and which of
/// its rows others imply. Part of the state where something depends on it, integrated like everything else, but only
/// used to choose among angles that differ by whole turns, among points of a curve, or among rows that say the same.
inline constexpr int kJointMemory = 5;
inline constexpr int kCurveMemory = 3;
inline constexpr int kRedundantMemory = 4; ///< a bit for each row, as a whole number

/// Returns the place of what a coordinate needs remembered in JointRecord::memory, -1 for nothing.
int memory_of(JointAxis axis) noexcept;

/// What the joints need of a body's place and mass. Bodies that no force moves have zero inverses.
struct BodyFrame {
    glm::dvec3 position{0.0};        ///< m, centre of mass
    glm::dmat3 rotation{1.0};        ///< principal axes to world
    glm::dmat3 inverse_inertia{0.0}; ///< world axes
    double inverse_mass = 0.0;
};

/// A joint between two bodies of an island.
struct IslandJoint {
    std::array<int, 2> body{};                                        ///< indices into the island's bodies
    std::array<glm::dvec3, 2> anchor{};                               ///< m, from the centre of mass
    std::array<glm::dmat3, 2> axes{glm::dmat3(1.0), glm::dmat3(1.0)}; ///< of its frames, by columns
    std::array<bool, 3> locked_translation{true, true, true};         ///< along the axes of frame 0
    std::array<bool, 3> locked_rotation{false, false, false};
    double distance = 0.0;        ///< m, locked if positive
    const Curve* curve = nullptr; ///< in frame 0
    /// Where the island's state keeps what the joint remembers (JointRecord::memory), -1 for what it does not need.
    std::array<int, kJointMemory> memory{-1, -1, -1, -1, -1};
};

/// One row: coordinates of two joints, value_0 + ratio value_1 = sum.
struct IslandCoupling {
    std::array<IslandJoint, 2> joint;
    std::array<JointAxis, 2> axis{};
    double ratio = 1.0;
    double sum = 0.0;
};

/// Returns frames as anchors and axes in the principal frames of the bodies, which the island numbers a and b.
IslandJoint make_island_joint(const Model& model, const JointDesc& desc, int body_a, int body_b);

/// Returns the coupling with the joints that the island has made, which must know what they remember.
IslandCoupling make_island_coupling(const JointCoupling& coupling, const IslandJoint& joint_1,
                                    const IslandJoint& joint_2);

/// Makes the record of a new joint, its frames normalised. Throws std::invalid_argument if it does not fit the bodies
/// and joints that it names.
JointRecord make_joint(Model& model, const JointDesc& desc);

/// Throws std::invalid_argument unless a joint has the coordinate.
void require_coordinate(const JointDesc& joint, JointAxis axis);

/// Returns the largest violation of a joint now: m, or the sine of an angle.
double joint_error(Model& model, const JointRecord& joint);

struct CoordinateState {
    double value = 0.0; ///< m or rad, with the turns that the joint remembers
    double rate = 0.0;
};
/// Returns a coordinate now. Throws std::invalid_argument if the joint does not have it.
CoordinateState joint_coordinate(Model& model, const JointRecord& joint, JointAxis axis);

} // namespace substep::detail
