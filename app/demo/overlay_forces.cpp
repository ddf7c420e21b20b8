// Forces over the picture, as arrows on one linear scale: those of contacts, joints and force fields.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <glm/geometric.hpp>

#include "overlay_parts.h"

namespace substep {

namespace {

constexpr std::size_t kMostJoints = 64; // each one's force is an evaluation of its island
constexpr std::size_t kMostBodies = 256;
constexpr double kFullLength = 0.45; // radii of the stage

BodyMotion motion_of(const World& world, BodyId id) {
    BodyMotion motion;
    motion.id = id;
    if (id == kGround) return motion;
    const Body body = world.body(id);
    motion.mass = body.mass_properties().mass;
    motion.position = body.centre_of_mass();
    motion.orientation = body.pose().orientation;
    motion.velocity = body.linear_velocity();
    motion.angular_velocity = body.angular_velocity();
    motion.centre_of_mass = body.mass_properties().centre_of_mass;
    return motion;
}

// On which side of its switches a field is.
void find_sides(const ForceField& field, double t, std::span<BodyMotion> bodies) {
    const FieldSwitches* const switches = field.capabilities().switches;
    if (switches == nullptr) return;
    std::array<double, 32> values{};
    const std::size_t count = std::min(switches->switch_count(), values.size());
    switches->switch_values(t, bodies, std::span(values).first(count));
    for (BodyMotion& body : bodies) {
        for (std::size_t i = 0; i < count; ++i) body.sides |= values[i] > 0.0 ? 1u << i : 0u;
    }
}

struct ForceAt {
    glm::dvec3 point; // m
    glm::dvec3 force; // N
};

// Forces of a field on what moves, at the centres of mass.
std::vector<ForceAt> forces_of(const World& world, ForceFieldId id) {
    std::vector<ForceAt> forces;
    const ForceField& field = world.force_field(id);
    const double t = world.time();
    const auto moves = [&](BodyId body) { return body != kGround && world.body(body).motion() == MotionType::Dynamic; };
    if (!field.bodies().empty()) {
        std::vector<BodyMotion> motions;
        for (const BodyId body : field.bodies()) motions.push_back(motion_of(world, body));
        find_sides(field, t, motions);
        std::vector<Wrench> wrenches(motions.size());
        field.write_wrenches(t, motions, wrenches);
        for (std::size_t i = 0; i < motions.size(); ++i) {
            if (moves(motions[i].id)) forces.push_back({motions[i].position, wrenches[i].force});
        }
        return forces;
    }
    for (const BodyId body : world.bodies()) {
        if (!moves(body) || !field.acts_on(body) || forces.size() == kMostBodies) continue;
        std::array motion{motion_of(world, body)};
        find_sides(field, t, motion);
        forces.push_back({motion[0].position, field.at(t, motion[0]).force});
    }
    return forces;
}

// Forces of joints on their second bodies, the first ones feel the opposite.
std::vector<ForceAt> joint_forces(const Simulation& simulation) {
    const World& world = simulation.scene().world;
    std::vector<ForceAt> forces;
    for (const JointId id : world.joints()) {
        const JointDesc& joint = world.joint(id);
        if (forces.size() == kMostJoints) break;
        forces.push_back({frame_b_of(simulation, joint).position, world.joint_force(id).force});
    }
    return forces;
}

void draw_force(const OverlayContext& c, const ForceAt& each, ImU32 colour) {
    const glm::dvec3 along = each.force * (kFullLength * c.stage_radius / c.full_force);
    arrow(c, each.point, each.point + along, colour, 2.2f);
}

} // namespace

double largest_force(const Simulation& simulation) {
    const World& world = simulation.scene().world;
    double largest = 0.0;
    const auto look_at = [&](const glm::dvec3& force) {
        const double size = glm::length(force);
        if (std::isfinite(size)) largest = std::max(largest, size);
    };
    for (const Contact& contact : world.contacts()) look_at(contact.force);
    for (const ForceAt& each : joint_forces(simulation)) look_at(each.force);
    for (const ForceFieldId id : world.force_fields()) {
        for (const ForceAt& each : forces_of(world, id)) look_at(each.force);
    }
    return largest;
}

double round_force(double force) {
    const double power = std::pow(10.0, std::floor(std::log10(force) + 1e-9));
    for (const double factor : {5.0, 2.0}) {
        if (factor * power <= force * (1.0 + 1e-9)) return factor * power;
    }
    return power;
}

void ForceScale::follow(double largest) {
    if (largest <= 0.0 || (largest <= full && largest >= 0.1 * full)) return;
    full = round_force(largest);
    while (full < largest) full = round_force(2.5 * full); // 1, 2, 5, 10
}

double ForceScale::length(float stage_radius) const { return kFullLength * stage_radius; }

void draw_forces(const OverlayContext& c) {
    const World& world = c.simulation.scene().world;
    for (const ForceFieldId id : world.force_fields()) {
        for (const ForceAt& each : forces_of(world, id)) draw_force(c, each, c.theme.exact);
    }
    for (const ForceAt& each : joint_forces(c.simulation)) draw_force(c, each, c.theme.simulated);

    // Contacts as points, filled where they stick.
    for (const Contact& contact : world.contacts()) {
        if (contact.mode == ContactMode::Separate) continue;
        if (const auto at = c.frame.pixel(contact.point)) {
            if (contact.mode == ContactMode::Stick) {
                c.list.AddCircleFilled(*at, 4.0f * c.scale, c.theme.warning, 16);
            } else {
                c.list.AddCircle(*at, 4.0f * c.scale, c.theme.warning, 16, 1.6f * c.scale);
            }
        }
        draw_force(c, {contact.point, contact.force}, c.theme.warning);
    }
}

void draw_selected_force(const OverlayContext& c, ForceFieldId field) {
    for (const ForceAt& each : forces_of(c.simulation.scene().world, field)) {
        draw_force(c, each, c.theme.exact);
        dot(c, each.point, 4.0f, c.theme.accent_strong);
    }
    // What it ties, as a line through its bodies.
    const auto bodies = c.simulation.scene().world.force_field(field).bodies();
    for (std::size_t i = 1; i < bodies.size() && bodies.size() == 2; ++i) {
        if (bodies[i] == kGround || bodies[i - 1] == kGround) continue;
        line(c, c.simulation.pose(bodies[i - 1]).position, c.simulation.pose(bodies[i]).position,
             faded(c.theme.accent_strong, 0.7f), 1.4f);
    }
}

} // namespace substep
