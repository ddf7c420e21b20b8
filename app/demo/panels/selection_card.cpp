// Selection card, over the picture: the body, joint or force that was chosen, to look at and to edit.
#include "selection_card.h"

#include <algorithm>
#include <functional>
#include <string>

#include <glm/geometric.hpp>

#include "actions.h"
#include "regimes.h"

namespace substep {

namespace {

constexpr const char* kWhen = " Takes effect at the next step. Drag, or Ctrl+click to type.";

// The joints that hold a body and the forces that act on it, to go on to.
void attached_part(PanelContext& context, BodyId id) {
    const World& world = context.simulation.scene().world;
    Selection& selected = context.view.selected;
    const auto row = [&](const Selection& target, const std::string& label) {
        const std::string word = word_of(world, target);
        if (context.widgets.link({"go_to_" + word, label, "Shows it and its parameters.", ""})) selected = target;
    };
    ImGui::Separator();
    for (const JointId joint : joints_of(world, id)) row(joint, name_of(context.simulation, joint));
    for (const ForceFieldId field : forces_on(world, id)) row(field, name_of(context.simulation, field));
    row(WorldGravity{}, "gravity");
}

void surface_part(PanelContext& context, BodyId id) {
    const Body body = context.simulation.scene().world.body(id);
    Material material = body.material();
    const std::string untouchable = body.collides() ? "" : "This body collides with nothing.";
    bool changed = context.widgets.quantity({"friction", "friction",
                                             std::string("Coulomb's coefficient of its surface; that of a pair is the "
                                                         "mean of both, unless one names another rule.") +
                                                 kWhen,
                                             untouchable},
                                            material.friction, {"", 0.0, 1e3, 0.1});
    changed |= context.widgets.quantity({"restitution", "restitution",
                                         std::string("Speed after an impact over speed before; that of a pair is the "
                                                     "mean of both, unless one names another rule.") +
                                             kWhen,
                                         untouchable},
                                        material.restitution, {"", 0.0, 1.0, 0.1});
    if (!changed) return;
    if (material.static_friction) material.static_friction = std::max(*material.static_friction, material.friction);
    edit_body(context.simulation, context.view, id, [&](Body& edited) { edited.set_material(material); });
}

// The island that the body is in: how its contacts are stepped, and why.
void island_part(PanelContext& context, BodyId id) {
    for (const IslandView& island : context.simulation.scene().world.islands()) {
        if (std::ranges::find(island.bodies, id) == island.bodies.end()) continue;
        const Footing footing = footing_of(island);
        const std::size_t bodies = island.bodies.size();
        context.widgets.read_out("island", std::string(word_of(footing)) + ",  " + std::to_string(bodies) +
                                               (bodies == 1 ? " body" : " bodies"));
        context.widgets.remember({.name = "island_regime",
                                  .label = {},
                                  .tip = "How the contacts of the bodies that are integrated together with this one "
                                         "were stepped in the last frame. \"regimes\" colours all by it.",
                                  .reason = {}});
        context.widgets.note(reason_of(island));
        return;
    }
}

void body_part(PanelContext& context, BodyId id) {
    const Body body = context.simulation.scene().world.body(id);
    Widgets& widgets = context.widgets;
    const auto edit = [&](const std::function<void(Body&)>& change) {
        edit_body(context.simulation, context.view, id, change);
    };
    const bool is_dynamic = body.motion() == MotionType::Dynamic;
    const std::string fixed = body.motion() == MotionType::Static ? "A static body does not move." : "";

    Pose pose = body.pose();
    if (widgets.vector({"position", "position", std::string("Of its origin; joints close the gap.") + kWhen, ""},
                       pose.position, {"m"})) {
        edit([&](Body& edited) { edited.set_pose(pose); });
    }
    glm::dvec3 velocity = body.linear_velocity();
    if (widgets.vector({"velocity", "velocity", std::string("Of its centre of mass.") + kWhen, fixed}, velocity,
                       {"m/s"})) {
        edit([&](Body& edited) { edited.set_linear_velocity(velocity); });
    }
    glm::dvec3 omega = body.angular_velocity();
    if (widgets.vector({"omega", "turning", std::string("Angular velocity, world axes.") + kWhen, fixed}, omega,
                       {"rad/s"})) {
        edit([&](Body& edited) { edited.set_angular_velocity(omega); });
    }
    MassProperties properties = body.mass_properties();
    double mass = properties.mass;
    if (widgets.quantity({"mass", "mass", std::string("Inertia grows with it.") + kWhen,
                          is_dynamic ? "" : "Only what forces move has a mass that counts."},
                         mass, {"kg", 1e-9, 1e12})) {
        properties.inertia *= mass / properties.mass;
        properties.mass = mass;
        edit([&](Body& edited) { edited.set_mass_properties(properties); });
    }
    surface_part(context, id);
    widgets.read_out("speed, rate",
                     number(glm::length(velocity), 3) + " m/s,  " + number(glm::length(omega), 3) + " rad/s");
    if (is_dynamic) island_part(context, id);
    if (widgets.button({"stop_body", "stop", "Sets both velocities to zero.", fixed})) {
        edit([](Body& edited) {
            edited.set_linear_velocity(glm::dvec3(0.0));
            edited.set_angular_velocity(glm::dvec3(0.0));
        });
    }
    ImGui::SameLine();
    if (widgets.button({"delete_body", "delete", "Destroys the body and the joints that hold it.", ""})) {
        edit_world(context.simulation, context.view, [&](World& edited) { edited.destroy_body(id); });
        return;
    }
    attached_part(context, id);
}

void gravity_part(PanelContext& context) {
    WorldSettings settings = context.simulation.settings();
    if (context.widgets.vector({"gravity", "gravity", std::string("Of the whole world.") + kWhen, ""}, settings.gravity,
                               {"m/s\xc2\xb2"})) {
        change_settings(context.simulation, context.view, settings);
    }
}

} // namespace

void selection_card(PanelContext& context) {
    const Selection selected = context.view.selected;
    const auto title = [&](const std::string& name) {
        ImGui::PushFont(context.fonts.strong);
        ImGui::TextUnformatted(name.c_str());
        ImGui::PopFont();
    };
    if (const auto* const body = std::get_if<BodyId>(&selected)) {
        title(name_of(context.simulation, *body));
        body_part(context, *body);
    } else if (const auto* const joint = std::get_if<JointId>(&selected)) {
        title(name_of(context.simulation, *joint));
        joint_card(context, *joint);
    } else if (const auto* const coupling = std::get_if<CouplingId>(&selected)) {
        title(name_of(context.simulation, *coupling));
        coupling_card(context, *coupling);
    } else if (const auto* const field = std::get_if<ForceFieldId>(&selected)) {
        title(name_of(context.simulation, *field));
        force_card(context, *field);
    } else {
        title("gravity");
        gravity_part(context);
    }
}

} // namespace substep
