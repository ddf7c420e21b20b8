// Values, rows and biases of joint stops, from those of the coordinates.
#include "contact/joint_stops.h"

#include <algorithm>
#include <cmath>

#include "joints/joint_coordinates.h"

namespace substep::detail {
namespace {

double unit_of(const IslandJoint& joint, JointAxis axis) noexcept { return is_angle(axis) ? joint.length : 1.0; }

double gap_of(const JointStop& stop, const JointGeometry& geometry, std::span<const double> memory) noexcept {
    double value = coordinate_value(stop.joint, stop.axis, geometry);
    if (is_turning(stop.axis)) {
        const auto slot = static_cast<std::size_t>(memory_of(stop.axis));
        value = unwrapped(value, memory[static_cast<std::size_t>(stop.joint.memory[slot])]);
    }
    return stop.unit * stop.side * (value - stop.bound);
}

} // namespace

void append_stops(JointId id, int number, const JointDesc& desc, const IslandJoint& joint,
                  std::vector<JointStop>& stops) {
    const std::array<BodyId, 2> ends{desc.body_b, desc.body_a};
    const auto add_end = [&](const JointLimit& limit, double side, double bound) {
        if (is_hard(limit) && std::isfinite(bound)) {
            stops.push_back({id, number, joint, limit.axis, ConstraintKind::Limit, side, bound,
                             unit_of(joint, limit.axis), limit.restitution, ends});
        }
    };
    for (const JointLimit& limit : desc.limits) {
        add_end(limit, 1.0, limit.lower);
        add_end(limit, -1.0, limit.upper);
    }
    // All dry friction along one coordinate is one stop.
    const std::size_t first = stops.size();
    for (const JointFriction& friction : desc.friction) {
        const auto same = std::find_if(stops.begin() + static_cast<std::ptrdiff_t>(first), stops.end(),
                                       [&](const JointStop& stop) { return stop.axis == friction.axis; });
        if (same != stops.end()) {
            same->bound += friction.dry;
        } else if (friction.dry > 0.0) {
            stops.push_back({id, number, joint, friction.axis, ConstraintKind::Friction, 1.0, friction.dry,
                             unit_of(joint, friction.axis), 0.0, ends});
        }
    }
}

UnilateralConstraint make_stop_constraint(const JointStop& stop, std::span<const BodyInertia> inertias) noexcept {
    UnilateralConstraint constraint;
    constraint.kind = stop.kind;
    constraint.stop = &stop;
    constraint.id = stop.ends;
    double reach = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        const auto body = static_cast<std::size_t>(stop.joint.body[1 - e]);
        const bool is_dynamic = body < inertias.size();
        constraint.end[e] = {body, is_dynamic};
        if (is_dynamic) {
            const double r = inertias[body].gyration_radius;
            reach = std::max(reach, std::sqrt(r * r + glm::dot(stop.joint.anchor[1 - e], stop.joint.anchor[1 - e])));
        }
    }
    if (is_turning(stop.axis) && reach > 0.0) {
        constraint.lever = reach / stop.unit;
    }
    if (stop.kind == ConstraintKind::Limit) {
        constraint.surface = {.friction = 0.0, .static_friction = 0.0, .restitution = stop.restitution};
    } else {
        constraint.surface = {.friction = 1.0, .static_friction = 1.0, .restitution = 0.0}; // of the load `bound`
    }
    return constraint;
}

double stop_gap(const JointStop& stop, const BodyFrame& a, const BodyFrame& b,
                std::span<const double> memory) noexcept {
    return gap_of(stop, geometry_of(stop.joint, a, b, memory), memory);
}

ConstraintPlace place_of_stop(const JointStop& stop, const BodyFrame& a, const BodyFrame& b,
                              std::span<const double> memory, JointGeometry& geometry) noexcept {
    geometry = geometry_of(stop.joint, a, b, memory);
    ConstraintPlace place;
    place.arm = {geometry.arm[1], geometry.arm[0]};
    place.point = b.position + geometry.arm[1];
    const bool is_limit = stop.kind == ConstraintKind::Limit;
    place.gap = is_limit ? gap_of(stop, geometry, memory) : 0.0;
    const std::array<Twist, 2> jacobian = coordinate_jacobian(stop.joint, stop.axis, geometry);
    ConstraintRow& row = place.row[is_limit ? 0 : 1];
    const double factor = stop.unit * stop.side;
    row.linear = factor * jacobian[1].linear; // that of the first body is its opposite
    row.angular = {factor * jacobian[1].angular, -factor * jacobian[0].angular};
    return place;
}

double stop_bias(const JointStop& stop, const JointGeometry& geometry, const Twist& a, const Twist& b) noexcept {
    return stop.unit * stop.side * coordinate_bias(stop.joint, stop.axis, geometry, a, b);
}

Wrench stop_wrench(const ConstraintPlace& place, double x, const ConstraintRow& row) noexcept {
    return {x * row.linear, x * (row.angular[0] - glm::cross(place.arm[0], row.linear))};
}

} // namespace substep::detail
