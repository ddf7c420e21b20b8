// What is drawn over the picture: joints, forces, islands, the selected body, and the spring that drags a body.
#include "overlay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <glm/geometric.hpp>
#include <glm/mat4x4.hpp>

#include "mesh.h"
#include "overlay_parts.h"

namespace substep {

PictureFrame::PictureFrame(const Camera& camera, ImVec2 corner, ImVec2 size)
    : to_clip_(camera.projection(size.x / std::max(size.y, 1.0f)) * camera.view()), to_view_(camera.view()),
      corner_(corner), size_(size) {}

std::optional<ImVec2> PictureFrame::pixel(const glm::dvec3& point) const {
    const glm::vec4 clip = to_clip_ * glm::vec4(glm::vec3(point), 1.0f);
    if (clip.w <= 1e-6f) return std::nullopt;
    return ImVec2{corner_.x + 0.5f * size_.x * (1.0f + clip.x / clip.w),
                  corner_.y + 0.5f * size_.y * (1.0f - clip.y / clip.w)};
}

float PictureFrame::pixels_per_metre(const glm::dvec3& point) const {
    const float depth = -(to_view_ * glm::vec4(glm::vec3(point), 1.0f)).z;
    const float side = std::min(size_.x, size_.y);
    return side / (2.0f * std::tan(Camera::kOpening / 2.0f) * std::max(depth, 1e-3f));
}

namespace {

// A body's centre of mass at the picture's time.
glm::dvec3 centre_of(const Simulation& simulation, const Body& body) {
    const Pose pose = simulation.pose(body.id());
    return pose.position + pose.orientation * body.mass_properties().centre_of_mass;
}

// A ring around the selected body, and its velocity.
void draw_selection(const OverlayContext& c, BodyId selected) {
    const World& world = c.simulation.scene().world;
    const Body body = world.body(selected);
    const glm::dvec3 centre = centre_of(c.simulation, body);
    const auto at = c.frame.pixel(centre);
    if (!at) return;
    const double radius = std::min(drawn_radius(body), 0.4 * static_cast<double>(c.stage_radius));
    const float ring = std::max(10.0f * c.scale, static_cast<float>(radius) * c.frame.pixels_per_metre(centre) * 1.15f);
    c.list.AddCircle(*at, ring, c.theme.accent_strong, 48, 2.0f * c.scale);
    const glm::dvec3 velocity = body.linear_velocity();
    const double speed = glm::length(velocity);
    if (speed > 1e-6) {
        // Longer for faster, but within the stage: s/(1 + s) of a third of it.
        const double length = 0.35 * c.stage_radius * speed / (speed + c.stage_radius);
        arrow(c, centre, centre + velocity * (length / speed), c.theme.simulated, 2.0f);
    }
}

// The spring between the pointer and the point of the body that it holds: a zigzag.
void draw_drag(const OverlayContext& c, const glm::dvec3& from, const glm::dvec3& to) {
    const auto a = c.frame.pixel(from);
    const auto b = c.frame.pixel(to);
    if (!a || !b) return;
    const ImVec2 along{b->x - a->x, b->y - a->y};
    const float length = std::hypot(along.x, along.y);
    const ImU32 colour = c.theme.accent_strong;
    c.list.AddCircleFilled(*a, 3.5f * c.scale, colour, 16);
    c.list.AddCircleFilled(*b, 3.5f * c.scale, colour, 16);
    if (length < 12.0f * c.scale) return;
    constexpr int kTurns = 12;
    const ImVec2 across{-along.y / length * 5.0f * c.scale, along.x / length * 5.0f * c.scale};
    c.list.PathLineTo(*a);
    for (int i = 1; i < kTurns; ++i) {
        const float s = static_cast<float>(i) / kTurns;
        const float side = i % 2 == 0 ? 1.0f : -1.0f;
        c.list.PathLineTo({a->x + s * along.x + side * across.x, a->y + s * along.y + side * across.y});
    }
    c.list.PathLineTo(*b);
    c.list.PathStroke(colour, 0, 1.6f * c.scale);
}

// The number of each island beside its first body; the picture colours its bodies.
void draw_islands(const OverlayContext& c) {
    constexpr std::size_t kMostNumbers = 40;
    const World& world = c.simulation.scene().world;
    const std::vector<IslandView> islands = world.islands();
    for (std::size_t i = 0; i < std::min(islands.size(), kMostNumbers); ++i) {
        if (islands[i].bodies.empty()) continue;
        const auto at = c.frame.pixel(centre_of(c.simulation, world.body(islands[i].bodies.front())));
        if (!at) continue;
        const std::string number = std::to_string(i + 1);
        const float size = c.fonts.small->FontSize;
        const float half = 0.5f * c.fonts.small->CalcTextSizeA(size, FLT_MAX, 0.0f, number.c_str()).x;
        const ImVec2 below{std::round(at->x), std::round(at->y + 1.9f * size)}; // where it hides no small body
        c.list.AddCircleFilled(below, 0.75f * size, faded(c.theme.card, 0.9f), 24);
        c.list.AddText(c.fonts.small, size, {below.x - half, std::round(below.y - 0.55f * size)}, c.theme.text,
                       number.c_str());
    }
}

} // namespace

void draw_overlay(const OverlayContext& c) {
    const World& world = c.simulation.scene().world;
    if (c.view.joints) draw_joints(c);
    if (c.view.forces) draw_forces(c);
    if (c.view.islands) draw_islands(c);
    if (const BodyId body = selected_body(c.view.selected); world.is_valid(body)) draw_selection(c, body);
    if (const auto* const joint = std::get_if<JointId>(&c.view.selected)) {
        if (world.is_valid(*joint)) draw_selected_joint(c, *joint);
    }
    if (const auto* const coupling = std::get_if<CouplingId>(&c.view.selected)) {
        if (world.is_valid(*coupling)) draw_selected_coupling(c, *coupling);
    }
    if (const auto* const field = std::get_if<ForceFieldId>(&c.view.selected)) {
        if (world.is_valid(*field)) draw_selected_force(c, *field);
    }
    if (const std::optional<Grip> drag = c.simulation.drag()) draw_drag(c, drag->point, drag->target);
}

} // namespace substep
