// Copies of worlds in other units, and what is told of them without units.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <variant>
#include <vector>

#include <substep/substep.h>

#include "test_worlds.h"

namespace engine_tests {

/// What a metre, a second and a kilogram of one world are in another.
struct Units {
    double length = 1.0;
    double time = 1.0;
    double mass = 1.0;

    double speed() const { return length / time; }
    double acceleration() const { return length / (time * time); }
    double force() const { return mass * acceleration(); }
};

/// Those of a scene of this length (m): the same gravity, in metres, and the same density.
inline Units smaller_or_larger(double length) { return {length, std::sqrt(length), length * length * length}; }

inline WorldSettings scaled(WorldSettings settings, const Units& units) {
    settings.gravity *= units.acceleration();
    settings.length *= units.length;
    settings.integrator.atol *= units.length;
    settings.integrator.h_initial *= units.time;
    return settings;
}

inline Shape scaled(Shape shape, double length) {
    const auto scale = [&](auto& of) {
        if constexpr (requires { of.radius; }) {
            of.radius *= length;
        }
        if constexpr (requires { of.half_length; }) {
            of.half_length *= length;
        }
        if constexpr (requires { of.half_sizes; }) {
            of.half_sizes *= length;
        }
    };
    std::visit(scale, shape);
    return shape;
}

/// The unit of a force along a coordinate times the coordinate is that of an energy.
inline JointDesc scaled(JointDesc joint, const Units& units, const std::map<BodyId, BodyId>& bodies) {
    const auto length_of = [&](JointAxis axis) {
        return axis >= JointAxis::AngleX && axis <= JointAxis::Swing ? 1.0 : units.length;
    };
    const auto force_along = [&](JointAxis axis) { return units.force() * units.length / length_of(axis); };
    joint.body_a = joint.body_a == kGround ? kGround : bodies.at(joint.body_a);
    joint.body_b = joint.body_b == kGround ? kGround : bodies.at(joint.body_b);
    joint.frame_a.position *= units.length;
    joint.frame_b.position *= units.length;
    if (auto* const lock = std::get_if<DistanceLock>(&joint.point_lock)) {
        lock->distance *= units.length;
    }
    for (JointLimit& limit : joint.limits) {
        limit.lower *= length_of(limit.axis);
        limit.upper *= length_of(limit.axis);
        limit.stiffness *= force_along(limit.axis) / length_of(limit.axis);
        limit.damping *= force_along(limit.axis) * units.time / length_of(limit.axis);
    }
    for (JointDrive& drive : joint.drives) {
        const double force = drive.unit == DriveUnit::Force ? force_along(drive.axis) / length_of(drive.axis)
                                                            : 1.0 / (units.time * units.time);
        drive.target_position *= length_of(drive.axis);
        drive.target_rate *= length_of(drive.axis) / units.time;
        drive.stiffness *= force;
        drive.damping *= force * units.time;
        drive.maximum_force *= force_along(drive.axis);
    }
    for (JointFriction& friction : joint.friction) {
        friction.viscous *= force_along(friction.axis) * units.time / length_of(friction.axis);
        friction.dry *= force_along(friction.axis);
    }
    return joint;
}

/// The same bodies, joints and couplings in other units. Without fields, paths and curves.
inline World scaled(const World& world, const Units& units) {
    World copy(scaled(world.settings(), units));
    std::map<BodyId, BodyId> bodies;
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        BodyDesc desc;
        desc.motion = body.motion();
        desc.pose = body.pose();
        desc.pose.position *= units.length;
        desc.material = body.material();
        desc.collides = body.collides();
        if (body.shape()) {
            desc.shape = scaled(*body.shape(), units.length);
        }
        if (body.motion() != MotionType::Static) {
            desc.linear_velocity = units.speed() * body.linear_velocity();
            desc.angular_velocity = body.angular_velocity() / units.time;
        }
        if (body.motion() == MotionType::Dynamic) {
            MassProperties properties = body.mass_properties();
            properties.mass *= units.mass;
            properties.centre_of_mass *= units.length;
            properties.inertia *= units.mass * units.length * units.length;
            desc.mass_properties = properties;
        }
        bodies.emplace(id, copy.create_body(desc));
    }
    std::map<JointId, JointId> joints;
    for (const JointId id : world.joints()) {
        joints.emplace(id, copy.create_joint(scaled(world.joint(id), units, bodies)));
    }
    for (const CouplingId id : world.couplings()) {
        CouplingDesc desc = world.coupling(id);
        const bool turns = desc.axis_1 >= JointAxis::AngleX && desc.axis_1 <= JointAxis::Swing;
        const bool turns_2 = desc.axis_2 >= JointAxis::AngleX && desc.axis_2 <= JointAxis::Swing;
        desc.joint_1 = joints.at(desc.joint_1);
        desc.joint_2 = joints.at(desc.joint_2);
        desc.sum *= turns ? 1.0 : units.length;
        desc.ratio *= (turns ? 1.0 : units.length) / (turns_2 ? 1.0 : units.length);
        copy.create_coupling(desc);
    }
    return copy;
}

/// Lengths, speeds and counts of a motion, frame by frame, in units of the world.
inline std::vector<double> figures_of(World& world, const Units& units, int frames, double frame = 1.0 / 64.0) {
    std::vector<double> figures;
    const auto add = [&](const glm::dvec3& v, double unit) {
        for (int k = 0; k < 3; ++k) {
            figures.push_back(v[k] / unit);
        }
    };
    for (int i = 0; i < frames; ++i) {
        const StepReport report = world.advance(frame * units.time);
        for (const double count :
             {static_cast<double>(report.status), static_cast<double>(report.evaluations),
              static_cast<double>(report.contact_work), static_cast<double>(report.degraded),
              static_cast<double>(report.velocity_steps.iterations), static_cast<double>(world.impacts().size()),
              static_cast<double>(world.island_count()), report.velocity_steps.deepest_penetration / units.length}) {
            figures.push_back(count);
        }
        for (const IslandView& island : world.islands()) {
            figures.push_back(island.asleep ? 1.0 : 0.0);
            figures.push_back(island.handed_over ? 1.0 : 0.0);
        }
        for (const BodyId id : world.bodies()) {
            const Body body = world.body(id);
            add(body.pose().position, units.length);
            add(body.linear_velocity(), units.speed());
            add(body.angular_velocity(), 1.0 / units.time);
        }
        for (const Contact& contact : world.contacts()) {
            figures.push_back(static_cast<double>(contact.mode));
            add(contact.force, units.force());
        }
    }
    return figures;
}

/// The largest difference, or infinity where there are not as many.
inline double difference(std::span<const double> a, std::span<const double> b) {
    double largest = a.size() == b.size() ? 0.0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

} // namespace engine_tests
