// The record that a world keeps of each joint between steps.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "bodies/handle_table.h"
#include "substep/engine/joint.h"

namespace substep::detail {

/// Size of a joint's memory: the angles about x, y and z with their whole turns, the parameter of its curve, and which
/// of its rows are redundant. It is part of the state where something depends on it, and integrated; but it only serves
/// to choose among angles that differ by whole turns, among points of a curve, or among redundant rows.
inline constexpr int kJointMemory = 5;
inline constexpr int kCurveMemory = 3;
inline constexpr int kRedundantMemory = 4; ///< a bit for each row, as a whole number

/// Returns the place of a coordinate's number in JointRecord::memory, -1 if it needs none.
int memory_of(JointAxis axis) noexcept;

/// A joint, the bodies that it ties together, and its memory.
struct JointRecord {
    JointDesc desc;
    std::array<BodyId, 4> bodies{}; ///< two, or those of both joints of a coupling
    std::size_t body_count = 2;
    std::array<double, kJointMemory> memory{};

    std::span<const BodyId> ends() const noexcept { return std::span(bodies).first(body_count); }
};

using JointTable = HandleTable<JointRecord, JointId>;

/// Returns the record of a joint. Throws std::invalid_argument for a stale handle.
JointRecord& require_joint(JointTable& joints, JointId id);
const JointRecord& require_joint(const JointTable& joints, JointId id);

} // namespace substep::detail
