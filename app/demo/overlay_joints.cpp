// Joints over the picture: where they are, what they leave free, their frames, and where their limits are.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "joint_axes.h"
#include "overlay_parts.h"
#include "panels/panel.h"

namespace substep {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr std::size_t kMostFrames = 24; // more joints than this are drawn without their frames: they would cover all

Pose compose(const Pose& a, const Pose& b) {
    return {a.position + a.orientation * b.position, a.orientation * b.orientation};
}

double size_of(const OverlayContext& c) { return 0.07 * c.stage_radius; }

// An arc about each free axis of rotation, an arrow both ways along each free axis of translation.
void draw_freedoms(const OverlayContext& c, const JointDesc& joint, const Pose& a, ImU32 colour) {
    const double size = size_of(c);
    const bool all_turn = std::ranges::count(joint.locked_rotation, true) == 0;
    for (int k = 0; k < 3; ++k) {
        const glm::dmat3 axes = glm::mat3_cast(a.orientation);
        const glm::dvec3 axis = axes[k];
        const auto row = static_cast<std::size_t>(k);
        if (has_coordinate(joint, kJointAxes[row])) {
            arrow(c, a.position, a.position + 1.6 * size * axis, colour, 1.6f);
            arrow(c, a.position, a.position - 1.6 * size * axis, colour, 1.6f);
        }
        if (!joint.locked_rotation[row] && !all_turn) {
            line(c, a.position - 1.3 * size * axis, a.position + 1.3 * size * axis, colour, 1.4f);
            arc(c, a.position, axes[(k + 1) % 3], axes[(k + 2) % 3], 0.8 * size, 0.4, 5.4, colour, 1.4f);
        }
    }
}

// Three axes: x, y and z from the longest to the shortest.
void draw_frame(const OverlayContext& c, const Pose& frame, ImU32 colour, float width) {
    const glm::dmat3 axes = glm::mat3_cast(frame.orientation);
    for (int k = 0; k < 3; ++k) {
        arrow(c, frame.position, frame.position + (1.5 - 0.3 * k) * size_of(c) * axes[k], colour, width);
    }
}

struct Range {
    double lower, upper;
};

// An angle's range as a sector, with a line where it is now.
void draw_angle_range(const OverlayContext& c, const Pose& a, const AnglePlane& plane, const Range& range) {
    const double radius = 3.2 * size_of(c);
    const ImU32 colour = c.theme.warning;
    const bool bounded_below = std::isfinite(range.lower);
    const bool bounded_above = std::isfinite(range.upper);
    const double from = bounded_below ? range.lower : range.upper - kTurn;
    const double to = std::min(bounded_above ? range.upper : range.lower + kTurn, from + kTurn);
    const auto at = [&](double angle) {
        return a.position + radius * (std::cos(angle) * plane.zero + std::sin(angle) * plane.quarter);
    };
    sector(c, a.position, plane.zero, plane.quarter, radius, from, to, faded(colour, 0.16f));
    arc(c, a.position, plane.zero, plane.quarter, radius, from, to, colour, 1.6f);
    if (bounded_below) line(c, a.position, at(from), colour, 1.6f);
    if (bounded_above) line(c, a.position, at(to), colour, 1.6f);
    line(c, a.position, a.position + 1.12 * radius * plane.now, c.theme.text, 1.8f);
    dot(c, a.position + 1.12 * radius * plane.now, 3.0f, c.theme.text);
}

// A swing's range: the cone that z of frame b may not leave.
void draw_cone(const OverlayContext& c, const Pose& a, const AnglePlane& plane, const Range& range) {
    const double length = 3.2 * size_of(c);
    const glm::dmat3 axes = glm::mat3_cast(a.orientation);
    const ImU32 colour = c.theme.warning;
    for (const double angle : {range.lower, range.upper}) {
        if (!(angle > 0.0 && angle < std::numbers::pi)) continue;
        const glm::dvec3 centre = a.position + length * std::cos(angle) * axes[2];
        const double radius = length * std::sin(angle);
        arc(c, centre, axes[0], axes[1], radius, 0.0, kTurn, colour, 1.6f);
        for (int i = 0; i < 8; ++i) {
            const double turn = kTurn * i / 8.0;
            line(c, a.position, centre + radius * (std::cos(turn) * axes[0] + std::sin(turn) * axes[1]),
                 faded(colour, 0.4f), 1.0f);
        }
    }
    line(c, a.position, a.position + 1.12 * length * plane.now, c.theme.text, 1.8f);
    dot(c, a.position + 1.12 * length * plane.now, 3.0f, c.theme.text);
}

// A length's range as a bar with its ends across, and a dot where it is now.
void draw_length_range(const OverlayContext& c, const glm::dvec3& origin, const glm::dvec3& along, const Range& range,
                       double value) {
    const double size = size_of(c);
    const ImU32 colour = c.theme.warning;
    const double from = std::isfinite(range.lower) ? range.lower : value - 8.0 * size;
    const double to = std::isfinite(range.upper) ? range.upper : value + 8.0 * size;
    const glm::dvec3 other = std::abs(along.y) < 0.9 ? glm::dvec3(0.0, 1.0, 0.0) : glm::dvec3(1.0, 0.0, 0.0);
    const glm::dvec3 across = glm::normalize(glm::cross(along, other));
    line(c, origin + from * along, origin + to * along, colour, 1.6f);
    for (const double end : {range.lower, range.upper}) {
        if (!std::isfinite(end)) continue;
        const glm::dvec3 at = origin + end * along;
        line(c, at - 0.6 * size * across, at + 0.6 * size * across, colour, 2.4f);
    }
    dot(c, origin + value * along, 4.0f, c.theme.text);
}

// A hinge's angle is read where people look for it: at the line from the joint to the body's centre of mass, instead
// of an axis of its frame.
AnglePlane at_the_body(const OverlayContext& c, const JointDesc& joint, JointAxis axis, const Pose& a, const Pose& b) {
    const AnglePlane plane = plane_of(joint, axis, a.orientation, b.orientation);
    if (joint.body_b == kGround || std::ranges::count(joint.locked_rotation, true) != 2) return plane;
    const MassProperties& mass = c.simulation.scene().world.body(joint.body_b).mass_properties();
    const glm::dvec3 about = glm::cross(plane.zero, plane.quarter);
    glm::dvec3 arm = compose(c.simulation.pose(joint.body_b), {mass.centre_of_mass, {}}).position - b.position;
    arm -= glm::dot(arm, about) * about;
    const double length = glm::length(arm);
    if (length < 1e-3 * c.stage_radius) return plane;
    const double value = std::atan2(glm::dot(plane.now, plane.quarter), glm::dot(plane.now, plane.zero));
    const glm::dvec3 now = arm / length;
    const glm::dvec3 zero = std::cos(value) * now - std::sin(value) * glm::cross(about, now);
    return {zero, glm::cross(about, zero), now};
}

void draw_limit(const OverlayContext& c, JointId id, const JointDesc& joint, JointAxis axis, const Range& range) {
    const Pose a = frame_a_of(c.simulation, joint);
    const Pose b = frame_b_of(c.simulation, joint);
    if (is_angle(axis)) {
        if (axis == JointAxis::Swing) {
            draw_cone(c, a, plane_of(joint, axis, a.orientation, b.orientation), range);
        } else {
            draw_angle_range(c, a, at_the_body(c, joint, axis, a, b), range);
        }
        return;
    }
    const double value = c.simulation.scene().world.joint_value(id, axis);
    if (axis == JointAxis::Curve) {
        for (const double end : {range.lower, range.upper}) {
            if (std::isfinite(end))
                dot(c, compose(a, {joint.curve_lock()->curve->at(end).position, {}}).position, 4.0f, c.theme.warning);
        }
    } else if (axis == JointAxis::Distance) {
        const glm::dvec3 apart = b.position - a.position;
        if (value > 0.0) draw_length_range(c, a.position, apart / value, range, value);
    } else {
        const glm::dmat3 axes = glm::mat3_cast(a.orientation);
        const glm::dvec3 along = axes[static_cast<int>(axis)];
        const glm::dvec3 beside = b.position - a.position - value * along; // for a joint that is free across, too
        draw_length_range(c, a.position + beside, along, range, value);
    }
}

// Where a servo goes to.
void draw_target(const OverlayContext& c, const JointDesc& joint, const JointDrive& drive) {
    if (drive.stiffness <= 0.0) return;
    const Pose a = frame_a_of(c.simulation, joint);
    const Pose b = frame_b_of(c.simulation, joint);
    if (is_angle(drive.axis) && drive.axis != JointAxis::Swing) {
        const AnglePlane plane = at_the_body(c, joint, drive.axis, a, b);
        const double angle = drive.target_position;
        const glm::dvec3 to = std::cos(angle) * plane.zero + std::sin(angle) * plane.quarter;
        arrow(c, a.position, a.position + 3.6 * size_of(c) * to, c.theme.exact, 1.8f);
    } else if (drive.axis <= JointAxis::Z) {
        const glm::dmat3 axes = glm::mat3_cast(a.orientation);
        dot(c, a.position + drive.target_position * axes[static_cast<int>(drive.axis)], 4.0f, c.theme.exact);
    }
}

void draw_joint(const OverlayContext& c, JointId id, bool with_frames, ImU32 colour) {
    const JointDesc& joint = c.simulation.scene().world.joint(id);
    const Pose a = frame_a_of(c.simulation, joint);
    const Pose b = frame_b_of(c.simulation, joint);
    if (glm::length(a.position - b.position) > 1e-3 * c.stage_radius) {
        line(c, a.position, b.position, faded(colour, 0.6f), 1.2f);
    }
    if (with_frames) {
        draw_frame(c, a, faded(c.theme.muted, 0.9f), 1.2f);
        draw_frame(c, b, c.theme.text, 1.2f);
    }
    draw_freedoms(c, joint, a, colour);
    if (const auto at = c.frame.pixel(a.position)) {
        c.list.AddCircleFilled(*at, 4.5f * c.scale, faded(c.theme.card, 0.8f), 20);
        c.list.AddCircle(*at, 4.5f * c.scale, colour, 20, 1.8f * c.scale);
    }
    for (const JointLimit& limit : joint.limits) draw_limit(c, id, joint, limit.axis, {limit.lower, limit.upper});
    for (const JointDrive& drive : joint.drives) draw_target(c, joint, drive);
}

void draw_ring(const OverlayContext& c, const glm::dvec3& point) {
    const auto at = c.frame.pixel(point);
    if (at) c.list.AddCircle(*at, 11.0f * c.scale, c.theme.accent_strong, 32, 2.0f * c.scale);
}

} // namespace

Pose frame_a_of(const Simulation& simulation, const JointDesc& joint) {
    return compose(simulation.pose(joint.body_a), joint.frame_a);
}

Pose frame_b_of(const Simulation& simulation, const JointDesc& joint) {
    return compose(simulation.pose(joint.body_b), joint.frame_b);
}

glm::dvec3 joint_point(const Simulation& simulation, JointId id) {
    const World& world = simulation.scene().world;
    return frame_a_of(simulation, world.joint(id)).position;
}

glm::dvec3 coupling_point(const Simulation& simulation, CouplingId id) {
    const CouplingDesc& coupling = simulation.scene().world.coupling(id);
    return 0.5 * (joint_point(simulation, coupling.joint_1) + joint_point(simulation, coupling.joint_2));
}

std::optional<JointId> joint_at(const Simulation& simulation, const PictureFrame& frame, ImVec2 pixel, float reach) {
    std::optional<JointId> nearest;
    for (const JointId id : simulation.scene().world.joints()) {
        const auto at = frame.pixel(joint_point(simulation, id));
        const float distance = at ? std::hypot(at->x - pixel.x, at->y - pixel.y) : reach;
        if (distance >= reach) continue;
        reach = distance;
        nearest = id;
    }
    return nearest;
}

void draw_joints(const OverlayContext& c) {
    const auto joints = c.simulation.scene().world.joints();
    for (const JointId id : joints) draw_joint(c, id, joints.size() <= kMostFrames, c.theme.accent_strong);
}

void draw_selected_joint(const OverlayContext& c, JointId id) {
    draw_joint(c, id, true, c.theme.accent_strong);
    draw_ring(c, joint_point(c.simulation, id));
}

void draw_selected_coupling(const OverlayContext& c, CouplingId id) {
    const CouplingDesc& coupling = c.simulation.scene().world.coupling(id);
    for (const JointId part : {coupling.joint_1, coupling.joint_2}) draw_joint(c, part, true, c.theme.accent_strong);
    draw_ring(c, coupling_point(c.simulation, id));
}

} // namespace substep
