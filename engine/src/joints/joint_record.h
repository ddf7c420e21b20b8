// The record that a world keeps of each joint between steps.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
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

/// A joint or a coupling, the bodies that it ties together, and its memory. A world keeps both in one table: to its
/// islands a coupling is one more row of the system that joints make.
struct JointRecord {
    JointDesc desc; ///< of a coupling: nothing is set
    std::optional<CouplingDesc> coupling{};
    std::array<BodyId, 4> bodies{}; ///< two, or those of both joints of a coupling
    std::size_t body_count = 2;
    std::array<double, kJointMemory> memory{};
    std::array<double, kJointMemory> memory_before{}; ///< where the last step began

    std::span<const BodyId> ends() const noexcept { return std::span(bodies).first(body_count); }
};

using JointTable = HandleTable<JointRecord, JointId>;

/// The same place of the table, named as what it is or as a row.
inline JointId row_of(CouplingId id) noexcept { return {id.index, id.generation, id.world}; }
inline CouplingId coupling_of(JointId row) noexcept { return {row.index, row.generation, row.world}; }

/// Returns the record of a joint or coupling. Throws std::invalid_argument for a handle that names none.
JointRecord& require_joint(JointTable& joints, JointId id);
const JointRecord& require_joint(const JointTable& joints, JointId id);
JointRecord& require_coupling(JointTable& joints, CouplingId id);
const JointRecord& require_coupling(const JointTable& joints, CouplingId id);

} // namespace substep::detail
