// Rows of joints from first principles; the solver has faster forms of the commonest.
#include "joints/joint_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/host_call.h"
#include "joints/joint_work.h"

namespace substep::detail {
namespace {

Curve::Point point_of(const Curve& curve, double s) noexcept {
    return call_host([&] { return curve.at(s); },
                     [] {
                         const glm::dvec3 nowhere(std::numeric_limits<double>::quiet_NaN());
                         return Curve::Point{nowhere, nowhere, nowhere};
                     });
}

// The parameter where a curve is nearest to a point, from a first guess: Newton for (p - c(s)) . c'(s) = 0. Adds to
// `calls` how often the curve was asked.
double nearest_parameter(const Curve& curve, const glm::dvec3& point, double s, std::int64_t& calls) noexcept {
    constexpr int kMaxIterations = 40; // from afar; on the way two or three serve
    constexpr double kRoundOff = 1e-15;
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
        const Curve::Point at = point_of(curve, s);
        ++calls;
        const glm::dvec3 gap = point - at.position;
        const double square = glm::dot(at.tangent, at.tangent);
        // Beyond the centre of curvature Newton would climb to the farthest point: then as if the curve were straight.
        const double slope = square - glm::dot(gap, at.curvature);
        double change = glm::dot(gap, at.tangent) / (slope > 0.1 * square ? slope : square);
        // Along a straight tangent it goes no further than the point is away. Where the tangent vanishes, at a cusp,
        // it would land on a far part of the curve: with half |c''| s^2 it may go four times as far, no more.
        const double farthest = 8.0 * glm::length(gap);
        const double bend = glm::length(at.curvature);
        if (bend * change * change > farthest) {
            change = std::copysign(std::sqrt(farthest / bend), change);
        }
        s += change;
        if (!(std::abs(change) > kRoundOff * (1.0 + std::abs(s)))) {
            break;
        }
    }
    return s;
}

CurvePlace place_on(const Curve& curve, const JointGeometry& g, double guess, int helper,
                    std::int64_t& calls) noexcept {
    const glm::dmat3& axes = g.axes[0];
    const glm::dvec3 local = g.offset * axes; // A^T d
    CurvePlace place;
    place.parameter = nearest_parameter(curve, local, guess, calls);
    const Curve::Point at = point_of(curve, place.parameter);
    ++calls;
    place.gap = g.offset - axes * at.position;
    place.tangent = axes * at.tangent;
    place.curvature = axes * at.curvature;
    place.slope = glm::dot(at.tangent, at.tangent) - glm::dot(place.gap, place.curvature);

    // Across the tangent, from the axis of frame a that it follows least.
    const glm::dvec3 size = glm::abs(at.tangent);
    const int least = size.x <= size.y ? (size.x <= size.z ? 0 : 2) : (size.y <= size.z ? 1 : 2);
    place.helper = helper < 0 ? least : helper;
    place.normals[0] = glm::normalize(glm::cross(place.tangent, axes[place.helper]));
    place.normals[1] = glm::normalize(glm::cross(place.tangent, place.normals[0]));
    return place;
}

} // namespace

JointRows rows_of(const IslandJoint& joint) noexcept {
    JointRows rows;
    const auto add = [&](RowKind kind, int i, int j = 0) {
        rows.row[rows.count++] = {kind, static_cast<std::uint8_t>(i % 3), static_cast<std::uint8_t>(j % 3)};
    };

    if (joint.distance > 0.0) {
        add(RowKind::Distance, 0);
    } else if (joint.curve != nullptr) {
        add(RowKind::Curve, 0);
        add(RowKind::Curve, 1);
    }
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

JointGeometry geometry_of(const IslandJoint& joint, const BodyFrame& a, const BodyFrame& b,
                          std::span<const double> memory, int helper) noexcept {
    JointGeometry g;
    g.arm = {a.rotation * joint.anchor[0], b.rotation * joint.anchor[1]};
    g.axes = {a.rotation * joint.axes[0], b.rotation * joint.axes[1]};
    g.offset = b.position + g.arm[1] - a.position - g.arm[0];
    g.distance = joint.distance;
    g.length = joint.length;
    std::int64_t calls = 0;
    if (joint.curve != nullptr) {
        g.curve = place_on(*joint.curve, g, memory[joint.memory[kCurveMemory]], helper, calls);
    }
    if (joint.work != nullptr) {
        *joint.work += kWorkOfGeometry + kWorkOfCurveCall * calls;
    }
    return g;
}

glm::dvec3 offset_rate(const JointGeometry& g, const Twist& a, const Twist& b) noexcept {
    return b.linear + glm::cross(b.angular, g.arm[1]) - a.linear - glm::cross(a.angular, g.arm[0]);
}

glm::dvec3 offset_bias(const JointGeometry& g, const Twist& a, const Twist& b) noexcept {
    return glm::cross(b.angular, glm::cross(b.angular, g.arm[1])) -
           glm::cross(a.angular, glm::cross(a.angular, g.arm[0]));
}

double offset_bias_along(const glm::dvec3& u, const JointGeometry& g, const Twist& a, const Twist& b) noexcept {
    const glm::dvec3 u_rate = glm::cross(a.angular, u); // d'' . u + 2 d' . u' + d . u''
    return glm::dot(offset_bias(g, a, b), u) + 2.0 * glm::dot(offset_rate(g, a, b), u_rate) +
           glm::dot(g.offset, glm::cross(a.angular, u_rate));
}

double curve_rate(const JointGeometry& g, const Twist& a, const Twist& b) noexcept {
    const glm::dvec3 seen_from_a = offset_rate(g, a, b) - glm::cross(a.angular, g.offset);
    return glm::dot(seen_from_a, g.curve.tangent) / g.curve.slope;
}

double row_value(const JointRow& row, const JointGeometry& g) noexcept {
    switch (row.kind) {
    case RowKind::Point:
        return -g.offset[row.i];
    case RowKind::Along:
        return -glm::dot(g.offset, g.axes[0][row.i]);
    case RowKind::Across:
        return g.length * glm::dot(g.axes[0][row.i], g.axes[1][row.j]);
    case RowKind::Distance:
        return glm::length(g.offset) - g.distance;
    case RowKind::Curve:
        return -glm::dot(g.curve.gap, g.curve.normals[row.i]);
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
        const glm::dvec3 u = g.length * glm::cross(g.axes[0][row.i], g.axes[1][row.j]);
        return {Twist{glm::dvec3(0.0), u}, Twist{glm::dvec3(0.0), -u}};
    }
    case RowKind::Distance: // |d|' = d' . d / |d|
        return at_points(-glm::normalize(g.offset), g.arm[0]);
    case RowKind::Curve:
        return at_points(g.curve.normals[row.i], g.arm[0] + g.offset);
    }
    return {};
}

double row_bias(const JointRow& row, const JointGeometry& g, const Twist& a, const Twist& b) noexcept {
    switch (row.kind) {
    case RowKind::Point:
        return -offset_bias(g, a, b)[row.i];
    case RowKind::Along:
        return -offset_bias_along(g.axes[0][row.i], g, a, b);
    case RowKind::Across: { // (w_a - w_b) . (a x b)'
        const glm::dvec3& u = g.axes[0][row.i];
        const glm::dvec3& n = g.axes[1][row.j];
        return g.length * glm::dot(a.angular - b.angular,
                                   glm::cross(glm::cross(a.angular, u), n) + glm::cross(u, glm::cross(b.angular, n)));
    }
    case RowKind::Distance: { // |d|'' = d'' . u + (|d'|^2 - (d' . u)^2) / |d|, u = d / |d|
        const double length = glm::length(g.offset);
        const glm::dvec3 u = g.offset / length;
        const glm::dvec3 rate = offset_rate(g, a, b);
        const double along = glm::dot(rate, u);
        return glm::dot(offset_bias(g, a, b), u) + (glm::dot(rate, rate) - along * along) / length;
    }
    case RowKind::Curve: { // (d - c)'' . n, seen from frame a; s'' has no part across
        const double rate = curve_rate(g, a, b);
        const glm::dvec3& n = g.curve.normals[row.i];
        return -(offset_bias_along(n, g, a, b) - glm::dot(g.curve.curvature, n) * rate * rate);
    }
    }
    return 0.0;
}

bool straighten(const JointRows& rows, const JointGeometry& g, double* values) noexcept {
    int across[3] = {-1, -1, -1};
    int count = 0;
    for (int k = 0; k < rows.count; ++k) {
        if (rows.row[k].kind == RowKind::Across) {
            across[count++] = k;
        }
    }
    if (count < 2) {
        return false; // a ball, or perpendicular axes: right on either side
    }
    const JointRow& first = rows.row[across[0]];
    const int axis = first.i;
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    const glm::dmat3& a = g.axes[0];
    const glm::dmat3& b = g.axes[1];
    bool changed = false;
    if (glm::dot(a[axis], b[axis]) < 0.0) {
        double& u = values[across[0]];
        double& v = values[across[1]];
        const double sine = std::sqrt(u * u + v * v);
        const double most = 2.0 * g.length;
        u = sine > 0.0 ? -u * (most - sine) / sine : most;
        v = sine > 0.0 ? -v * (most - sine) / sine : 0.0;
        changed = true;
    }
    if (count == 3 && glm::dot(a[i], b[i]) + glm::dot(a[j], b[j]) < 0.0) {
        double& u = values[across[2]];
        u = u < 0.0 ? 2.0 * g.length + u : u - 2.0 * g.length;
        changed = true;
    }
    return changed;
}

double worst_violation(const IslandJoint& joint, const JointGeometry& g) noexcept {
    const JointRows rows = rows_of(joint);
    std::array<double, kMostRows> values{};
    for (int k = 0; k < rows.count; ++k) {
        values[k] = row_value(rows.row[k], g);
    }
    straighten(rows, g, values.data());
    double worst = 0.0;
    for (const double value : values) {
        worst = std::isnan(value) ? std::numeric_limits<double>::infinity() : std::max(worst, std::abs(value));
    }
    return worst;
}

} // namespace substep::detail
