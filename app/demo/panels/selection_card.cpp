// Selection card, over the picture: the body that was clicked, its joints, and the forces of its world, to look at and
// to edit.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <glm/geometric.hpp>

#include "actions.h"
#include "panel.h"

namespace substep {

namespace {

std::string name_of(const Simulation& simulation, BodyId body) {
    for (const Node& node : simulation.graph().nodes()) {
        if (node.body == body && !node.name.empty()) return node.name;
    }
    const auto bodies = simulation.scene().world.bodies();
    return "body " + std::to_string(std::ranges::find(bodies, body) - bodies.begin() + 1);
}

std::string with_unit(double value, const char* unit) { return number(value, 3) + " " + unit; }

// Three sliders of a vector.
bool edit_vector(Widgets& widgets, const char* name, const char* label, const char* unit, double reach,
                 const std::string& reason, glm::dvec3& value) {
    bool changed = false;
    for (int k = 0; k < 3; ++k) {
        const std::string axis(1, "xyz"[k]);
        const std::string row = k == 0 ? std::string(label) + " x" : axis;
        double part = value[k];
        const SliderRange range{-reach, reach, false, std::string("%.3g ") + unit};
        const ControlText control{std::string(name) + "_" + axis, row,
                                  "Takes effect at the next step; joints answer to it. Ctrl+click to type.", reason};
        if (widgets.slider(control, part, range)) {
            value[k] = part;
            changed = true;
        }
    }
    return changed;
}

void body_part(PanelContext& context, BodyId id) {
    const World& world = context.simulation.scene().world;
    const Body body = world.body(id);
    Widgets& widgets = context.widgets;
    widgets.read_out("mass", with_unit(body.mass_properties().mass, "kg"));
    widgets.read_out("speed", with_unit(glm::length(body.linear_velocity()), "m/s"));
    widgets.read_out("turning", with_unit(glm::length(body.angular_velocity()), "rad/s"));

    const std::string fixed = body.motion() == MotionType::Static ? "A static body does not move." : "";
    glm::dvec3 velocity = body.linear_velocity();
    if (edit_vector(widgets, "velocity", "velocity", "m/s", 20.0, fixed, velocity)) {
        edit_body(context.simulation, context.view, id, [&](Body& edited) { edited.set_linear_velocity(velocity); });
    }
    glm::dvec3 omega = body.angular_velocity();
    if (edit_vector(widgets, "omega", "turning", "rad/s", 50.0, fixed, omega)) {
        edit_body(context.simulation, context.view, id, [&](Body& edited) { edited.set_angular_velocity(omega); });
    }
    if (widgets.button({"stop_body", "stop", "Sets both velocities to zero.", fixed})) {
        edit_body(context.simulation, context.view, id, [](Body& edited) {
            edited.set_linear_velocity(glm::dvec3(0.0));
            edited.set_angular_velocity(glm::dvec3(0.0));
        });
    }
    ImGui::SameLine();
    if (widgets.button({"delete_body", "delete", "Destroys the body and the joints that hold it.", ""})) {
        edit_world(context.simulation, context.view, [&](World& edited) { edited.destroy_body(id); });
    }
}

void joints_part(PanelContext& context, BodyId id) {
    const World& world = context.simulation.scene().world;
    int row = 0;
    for (const JointId joint : std::vector<JointId>(world.joints().begin(), world.joints().end())) {
        const JointDesc& desc = world.joint(joint);
        if (desc.body_a != id && desc.body_b != id) continue;
        const BodyId other = desc.body_a == id ? desc.body_b : desc.body_a;
        const std::string to = other == kWorldBody ? "ground" : name_of(context.simulation, other);
        ImGui::Separator();
        context.widgets.read_out("joint to " + to, with_unit(world.joint_error(joint), "m open"));
        const std::string name = "delete_joint_" + std::to_string(row++);
        if (context.widgets.button({name, "release", "Destroys the joint.", ""})) {
            edit_world(context.simulation, context.view, [&](World& edited) { edited.destroy_joint(joint); });
        }
    }
}

void forces_part(PanelContext& context) {
    ImGui::Separator();
    WorldSettings settings = context.simulation.settings();
    double weight = settings.gravity.y;
    if (context.widgets.slider({"gravity", "gravity y", "Along y, m/s^2: of the whole world. Ctrl+click to type.", ""},
                               weight, {-30.0, 30.0, false, "%.2f m/s^2"})) {
        settings.gravity.y = weight;
        change_settings(context.simulation, context.view, settings);
    }
}

} // namespace

void selection_card(PanelContext& context) {
    const BodyId id = context.view.selected;
    ImGui::PushFont(context.fonts.strong);
    ImGui::TextUnformatted(name_of(context.simulation, id).c_str());
    ImGui::PopFont();
    body_part(context, id);
    if (!context.simulation.scene().world.is_valid(id)) return; // deleted just now
    joints_part(context, id);
    forces_part(context);
}

} // namespace substep
