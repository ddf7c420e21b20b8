// Rows of joints from first principles; the solver has faster forms of the commonest.
#include "joint_rows.h"

#include <algorithm>
#include <cmath>

namespace substep::detail {

JointRows rows_of(const IslandJoint& joint) noexcept {
    JointRows rows;
    const auto add = [&](RowKind kind, int i, int j = 0) {
        rows.row[rows.count++] = {kind, static_cast<std::uint8_t>(i % 3), static_cast<std::uint8_t>(j % 3)};
    };

    const bool whole_point = joint.locked_translation == std::array{true, true, true};
    for (int k = 0; k < 3; ++k) {
        if (joint.locked_translation[k]) {
            add(whole_point ? RowKind::Point : RowKind::Along, k);
        }
    }

    // Axis k is the one that is different from the other two: the only one locked, or the only one free.
    const int locked = static_cast<int>(std::count(joint.locked_rotation.begin(), joint.locked_rotation.end(), true));
    const bool different = locked == 1;
    const int k =
        locked == 3
            ? 2
            : static_cast<int>(std::find(joint.locked_rotation.begin(), joint.locked_rotation.end(), different) -
                               joint.locked_rotation.begin());
    if (locked >= 2) { // the axes k are parallel
        add(RowKind::Across, k, k + 1);
        add(RowKind::Across, k, k + 2);
    }
    if (locked == 1 || locked == 3) { // no turn about k, where the axes k are parallel or both other axes are hinges
        add(RowKind::Across, k + 1, k + 2);
    }
    return rows;
}

JointGeometry geometry_of(const IslandJoint& joint, const BodyFrame& a, const BodyFrame& b) noexcept {
    JointGeometry g;
    g.arm = {a.rotation * joint.anchor[0], b.rotation * joint.anchor[1]};
    g.axes = {a.rotation * joint.axes[0], b.rotation * joint.axes[1]};
    g.offset = b.position + g.arm[1] - a.position - g.arm[0];
    return g;
}

double row_value(const JointRow& row, const JointGeometry& g) noexcept {
    switch (row.kind) {
    case RowKind::Point:
        return -g.offset[row.i];
    case RowKind::Along:
        return -glm::dot(g.offset, g.axes[0][row.i]);
    case RowKind::Across:
        return glm::dot(g.axes[0][row.i], g.axes[1][row.j]);
    }
    return 0.0;
}

std::array<Twist, 2> row_jacobian(const JointRow& row, const JointGeometry& g) noexcept {
    // A force along u at a point with arm r: v + w x r, times u, is v . u + w . (r x u).
    const auto at_points = [&](const glm::dvec3& u, const glm::dvec3& arm_a) -> std::array<Twist, 2> {
        return {Twist{u, glm::cross(arm_a, u)}, Twist{-u, -glm::cross(g.arm[1], u)}};
    };
    switch (row.kind) {
    case RowKind::Point: {
        glm::dvec3 u(0.0);
        u[row.i] = 1.0;
        return at_points(u, g.arm[0]);
    }
    case RowKind::Along: // a_i turns with body a, so its lever reaches to frame b
        return at_points(g.axes[0][row.i], g.arm[0] + g.offset);
    case RowKind::Across: {
        const glm::dvec3 u = glm::cross(g.axes[0][row.i], g.axes[1][row.j]);
        return {Twist{glm::dvec3(0.0), u}, Twist{glm::dvec3(0.0), -u}};
    }
    }
    return {};
}

double row_bias(const JointRow& row, const JointGeometry& g, const Twist& a, const Twist& b) noexcept {
    // d' and the part of d'' that velocities make.
    const auto offset_rate = [&] {
        return b.linear + glm::cross(b.angular, g.arm[1]) - a.linear - glm::cross(a.angular, g.arm[0]);
    };
    const auto centripetal = [&] {
        return glm::cross(b.angular, glm::cross(b.angular, g.arm[1])) -
               glm::cross(a.angular, glm::cross(a.angular, g.arm[0]));
    };
    switch (row.kind) {
    case RowKind::Point:
        return -centripetal()[row.i];
    case RowKind::Along: { // -(d'' . a + 2 d' . a' + d . a'')
        const glm::dvec3& axis = g.axes[0][row.i];
        const glm::dvec3 axis_rate = glm::cross(a.angular, axis);
        return -(glm::dot(centripetal(), axis) + 2.0 * glm::dot(offset_rate(), axis_rate) +
                 glm::dot(g.offset, glm::cross(a.angular, axis_rate)));
    }
    case RowKind::Across: { // (w_a - w_b) . (a x b)'
        const glm::dvec3& u = g.axes[0][row.i];
        const glm::dvec3& n = g.axes[1][row.j];
        return glm::dot(a.angular - b.angular,
                        glm::cross(glm::cross(a.angular, u), n) + glm::cross(u, glm::cross(b.angular, n)));
    }
    }
    return 0.0;
}

double worst_violation(const IslandJoint& joint, const BodyFrame& a, const BodyFrame& b) noexcept {
    const JointGeometry g = geometry_of(joint, a, b);
    const JointRows rows = rows_of(joint);
    double worst = 0.0;
    for (int k = 0; k < rows.count; ++k) {
        worst = std::max(worst, std::abs(row_value(rows.row[k], g)));
    }
    return worst;
}

} // namespace substep::detail
