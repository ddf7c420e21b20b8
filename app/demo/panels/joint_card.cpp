// Selection card of a joint: its gap and load, and along each coordinate that it leaves free its limit, drive and
// friction.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "actions.h"
#include "joint_axes.h"
#include "mesh.h"
#include "selection_card.h"

namespace substep {

namespace {

constexpr double kUnlimited = 1e9; // N or N m: what is typed above it means no limit
constexpr const char* kWhen = " Takes effect at the next step. Drag, or Ctrl+click to type.";

// What a coordinate moves, roughly: sizes of springs and forces follow from it.
struct Inertia {
    double value = 1.0; // kg or kg m^2
    double reach = 0.1; // m or rad, of a new limit
    double rate(double hertz) const { return value * 2.0 * std::numbers::pi * hertz; }
    double stiffness(double hertz) const { return rate(hertz) * 2.0 * std::numbers::pi * hertz; }
};

Inertia inertia_of(const World& world, const JointDesc& joint, JointAxis axis) {
    Inertia inertia;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [id, frame] : {std::pair(joint.body_a, &joint.frame_a), std::pair(joint.body_b, &joint.frame_b)}) {
        if (id == kGround || world.body(id).motion() != MotionType::Dynamic) continue;
        const Body body = world.body(id);
        const Pose pose = body.pose();
        const double lever = glm::length(pose.position + pose.orientation * frame->position - body.centre_of_mass());
        const double reach = std::max(lever, 0.5 * drawn_radius(body));
        const double mass = body.mass_properties().mass;
        const double moved = is_angle(axis) ? mass * reach * reach : mass;
        if (moved >= least) continue;
        least = moved;
        inertia = {moved, is_angle(axis) ? 0.5 : reach};
    }
    return inertia;
}

// The first of a list that is along an axis.
template <class Part>
auto along(std::vector<Part>& parts, JointAxis axis) {
    return std::ranges::find(parts, axis, &Part::axis);
}

// One coordinate of the joint on the card.
struct AxisEditor {
    PanelContext& context;
    JointAxis axis;
    Inertia inertia;
    double value;
    std::string word = word_of(axis);
    std::string unit = is_angle(axis) ? "rad" : "m";
    std::string force = is_angle(axis) ? "N m" : "N";

    bool number(const char* name, const char* label, const char* tip, double& edited, const QuantityRange& range) {
        return context.widgets.quantity({word + "_" + name, label, std::string(tip) + kWhen, ""}, edited, range);
    }

    // Adds or takes away what acts along the axis.
    template <class Part>
    bool toggle(const char* name, const char* tip, std::vector<Part>& parts, const Part& fresh) {
        const auto present = along(parts, axis);
        bool is_on = present != parts.end();
        if (!context.widgets.toggle({word + "_" + name, name, tip, ""}, is_on)) return false;
        if (is_on) {
            parts.push_back(fresh);
        } else {
            parts.erase(present);
        }
        return true;
    }

    bool limit(JointLimit& limit) {
        context.widgets.note("limit");
        const QuantityRange place{unit, -std::numeric_limits<double>::infinity(), limit.upper, inertia.reach};
        bool changed = number("lower", "lower end", "Below it the limit pushes back.", limit.lower, place);
        changed |= number("upper", "upper end", "Beyond it the limit pushes back.", limit.upper,
                          {unit, limit.lower, std::numeric_limits<double>::infinity(), inertia.reach});
        changed |= number("limit_stiffness", "stiffness", "0: a hard limit, never passed. Above: a soft one.",
                          limit.stiffness, {force + "/" + unit, 0.0, 1e12, inertia.stiffness(1.0)});
        if (limit.stiffness > 0.0) {
            changed |= number("limit_damping", "damping", "Of the limit, while beyond.", limit.damping,
                              {force + " s/" + unit, 0.0, 1e12, inertia.rate(1.0)});
        } else {
            changed |= number("limit_restitution", "restitution", "Rate after meeting the limit over rate before.",
                              limit.restitution, {"", 0.0, 1.0, 0.1});
        }
        return changed;
    }

    bool drive(JointDrive& drive) {
        context.widgets.note("drive");
        bool changed = number("target", "target", "Where a servo goes to; it needs stiffness.", drive.target_position,
                              {unit, -1e9, 1e9, inertia.reach});
        changed |= number("target_rate", "rate", "Of a motor, or of a servo on its way.", drive.target_rate,
                          {unit + "/s", -1e9, 1e9, 1.0});
        const bool by_force = drive.unit == DriveUnit::Force;
        changed |= number(
            "drive_stiffness", "stiffness", "0: a motor. Above: a servo.", drive.stiffness,
            {by_force ? force + "/" + unit : "1/s\xc2\xb2", 0.0, 1e12, by_force ? inertia.stiffness(1.0) : 40.0});
        changed |= number("drive_damping", "damping", "Force against the difference of rates.", drive.damping,
                          {by_force ? force + " s/" + unit : "1/s", 0.0, 1e12, by_force ? inertia.rate(1.0) : 6.0});
        if (number("drive_force", "most force", "What the drive can do at most; 1e9 and more: no limit.",
                   drive.maximum_force,
                   {force, 0.0, std::numeric_limits<double>::infinity(), inertia.stiffness(1.0)})) {
            changed = true;
            if (drive.maximum_force >= kUnlimited) drive.maximum_force = std::numeric_limits<double>::infinity();
        }
        return changed;
    }

    bool edit(JointDesc& joint) {
        bool changed = false;
        const float row = ImGui::GetContentRegionAvail().x;
        const float left = ImGui::GetCursorPosX();
        changed |= toggle("limit", "Keeps it within a range: hard, or soft as a spring and a damper.", joint.limits,
                          JointLimit{.axis = axis,
                                     .lower = rounded(value - inertia.reach, 2),
                                     .upper = rounded(value + inertia.reach, 2),
                                     .stiffness = rounded(inertia.stiffness(6.0), 2),
                                     .damping = rounded(0.3 * inertia.rate(6.0), 2)});
        ImGui::SameLine(left + 0.33f * row);
        changed |= toggle(
            "drive", "A motor or a servo.", joint.drives,
            JointDrive{.axis = axis, .target_position = rounded(value, 2), .damping = rounded(inertia.rate(2.0), 2)});
        ImGui::SameLine(left + 0.66f * row);
        changed |= toggle("friction", "Resists the motion along it.", joint.friction,
                          JointFriction{.axis = axis, .viscous = rounded(inertia.rate(0.1), 2)});
        if (const auto own = along(joint.limits, axis); own != joint.limits.end()) changed |= limit(*own);
        if (const auto own = along(joint.drives, axis); own != joint.drives.end()) changed |= drive(*own);
        if (const auto own = along(joint.friction, axis); own != joint.friction.end()) {
            context.widgets.note("friction");
            changed |= number("viscous", "viscous", "Force against the rate.", own->viscous,
                              {force + " s/" + unit, 0.0, 1e12, inertia.rate(0.1)});
            changed |= number("dry", "dry", "Force against the motion whatever its rate; at rest it holds.", own->dry,
                              {force, 0.0, 1e12, inertia.rate(1.0)});
        }
        return changed;
    }
};

// What belongs to the joint as a whole.
bool whole_part(PanelContext& context, JointDesc& joint) {
    Widgets& widgets = context.widgets;
    bool changed = false;
    if (auto* const lock = std::get_if<DistanceLock>(&joint.point_lock)) {
        changed |=
            widgets.quantity({"joint_distance", "length", std::string("The distance that it locks.") + kWhen, ""},
                             lock->distance, {"m", 1e-9, 1e9, 0.1});
    }
    return changed;
}

void load_part(PanelContext& context, const Wrench& load, double gap) {
    context.widgets.read_out("gap", number(gap, 2) + " m");
    context.widgets.read_out("force, torque", number(glm::length(load.force), 3) + " N,  " +
                                                  number(glm::length(load.torque), 3) + " N m");
}

} // namespace

void joint_card(PanelContext& context, JointId id) {
    Widgets& widgets = context.widgets;
    const World& world = context.simulation.scene().world;
    JointDesc joint = world.joint(id);
    load_part(context, world.joint_force(id), world.joint_error(id));
    bool changed = whole_part(context, joint);
    for (const JointAxis axis : kJointAxes) {
        if (!has_coordinate(joint, axis)) continue;
        const double value = world.joint_value(id, axis);
        const char* const unit = is_angle(axis) ? "rad" : "m";
        ImGui::Separator();
        widgets.read_out(label_of(joint, axis), number(value, 3) + " " + unit + ",  " +
                                                    number(world.joint_rate(id, axis), 3) + " " + unit + "/s");
        changed |= AxisEditor{context, axis, inertia_of(world, joint, axis), value}.edit(joint);
    }
    if (changed) edit_world(context.simulation, context.view, [&](World& edited) { edited.set_joint(id, joint); });

    ImGui::Separator();
    Selection& selected = context.view.selected;
    for (const BodyId end : {joint.body_a, joint.body_b}) {
        if (end == kGround) continue;
        const std::string word = substep::word_of(world, end);
        if (widgets.link({"go_to_" + word, name_of(context.simulation, end), "Shows the body.", ""})) selected = end;
    }
    if (widgets.button({"delete_joint", "release", "Destroys the joint, and couplings with it.", ""})) {
        edit_world(context.simulation, context.view, [&](World& edited) { edited.destroy_joint(id); });
    }
}

void coupling_card(PanelContext& context, CouplingId id) {
    Widgets& widgets = context.widgets;
    const World& world = context.simulation.scene().world;
    CouplingDesc coupling = world.coupling(id);
    load_part(context, world.coupling_force(id), world.coupling_error(id));
    bool changed = widgets.quantity(
        {"joint_ratio", "ratio", std::string("value 1 + ratio x value 2 stays the same; not zero.") + kWhen, ""},
        coupling.ratio, {"", -1e9, 1e9});
    changed |= widgets.quantity({"joint_sum", "sum", std::string("What the two values come to.") + kWhen, ""},
                                coupling.sum, {"", -1e9, 1e9});
    if (changed) {
        edit_world(context.simulation, context.view, [&](World& edited) { edited.set_coupling(id, coupling); });
    }
    ImGui::Separator();
    Selection& selected = context.view.selected;
    for (const JointId part : {coupling.joint_1, coupling.joint_2}) {
        const std::string word = substep::word_of(world, part);
        if (widgets.link({"go_to_" + word, name_of(context.simulation, part), "Shows the joint.", ""})) selected = part;
    }
    if (widgets.button({"delete_joint", "release", "Destroys the coupling; its joints stay.", ""})) {
        edit_world(context.simulation, context.view, [&](World& edited) { edited.destroy_coupling(id); });
    }
}

} // namespace substep
