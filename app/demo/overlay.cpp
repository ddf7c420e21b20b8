// What is drawn over the picture: joints, forces, islands, the selected body, and the spring that drags a body.
#include "overlay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat4x4.hpp>

#include "mesh.h"

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

constexpr int kArcPieces = 28;

void line(const OverlayContext& c, const glm::dvec3& from, const glm::dvec3& to, ImU32 colour, float width) {
    const auto a = c.frame.pixel(from);
    const auto b = c.frame.pixel(to);
    if (a && b) c.list.AddLine(*a, *b, colour, width * c.scale);
}

void arrow(const OverlayContext& c, const glm::dvec3& from, const glm::dvec3& to, ImU32 colour, float width) {
    const auto a = c.frame.pixel(from);
    const auto b = c.frame.pixel(to);
    if (!a || !b) return;
    const ImVec2 along{b->x - a->x, b->y - a->y};
    const float length = std::hypot(along.x, along.y);
    if (length < 2.0f * c.scale) return;
    const ImVec2 unit{along.x / length, along.y / length};
    const float head = std::min(8.0f * c.scale, 0.6f * length);
    const ImVec2 neck{b->x - head * unit.x, b->y - head * unit.y};
    c.list.AddLine(*a, neck, colour, width * c.scale);
    c.list.AddTriangleFilled(*b, {neck.x - 0.45f * head * unit.y, neck.y + 0.45f * head * unit.x},
                             {neck.x + 0.45f * head * unit.y, neck.y - 0.45f * head * unit.x}, colour);
}

// An arc of a circle about `centre`, in the plane of two unit vectors.
void arc(const OverlayContext& c, const glm::dvec3& centre, const glm::dvec3& u, const glm::dvec3& v, double radius,
         double from, double to, ImU32 colour, float width) {
    glm::dvec3 last(0.0);
    for (int i = 0; i <= kArcPieces; ++i) {
        const double angle = from + (to - from) * i / kArcPieces;
        const glm::dvec3 point = centre + radius * (std::cos(angle) * u + std::sin(angle) * v);
        if (i > 0) line(c, last, point, colour, width);
        last = point;
    }
}

Pose pose_of(const Simulation& simulation, BodyId body) {
    return body == kWorldBody ? Pose{} : simulation.scene().world.pose(body);
}

Pose compose(const Pose& a, const Pose& b) {
    return {a.position + a.orientation * b.position, a.orientation * b.orientation};
}

// A joint: a ring where it is, an arc about each free axis of rotation, an arrow both ways along each free axis of
// translation.
void draw_joint(const OverlayContext& c, const JointDesc& joint) {
    const Pose a = compose(pose_of(c.simulation, joint.body_a), joint.frame_a);
    const Pose b = compose(pose_of(c.simulation, joint.body_b), joint.frame_b);
    const ImU32 colour = c.theme.accent_strong;
    const double size = 0.07 * c.stage_radius;
    if (const auto at = c.frame.pixel(a.position)) c.list.AddCircle(*at, 4.5f * c.scale, colour, 20, 1.8f * c.scale);
    if (glm::length(a.position - b.position) > 1e-3 * c.stage_radius) {
        line(c, a.position, b.position, faded(colour, 0.6f), 1.2f);
    }
    for (int k = 0; k < 3; ++k) {
        glm::dvec3 e(0.0), f(0.0), g(0.0);
        e[k] = f[(k + 1) % 3] = g[(k + 2) % 3] = 1.0;
        const glm::dvec3 axis = a.orientation * e, u = a.orientation * f, v = a.orientation * g;
        const auto row = static_cast<std::size_t>(k);
        if (!joint.locked_translation[row]) {
            arrow(c, a.position, a.position + 1.6 * size * axis, colour, 1.6f);
            arrow(c, a.position, a.position - 1.6 * size * axis, colour, 1.6f);
        }
        const bool all_free = !joint.locked_rotation[0] && !joint.locked_rotation[1] && !joint.locked_rotation[2];
        if (!joint.locked_rotation[row] && !all_free) {
            line(c, a.position - 1.3 * size * axis, a.position + 1.3 * size * axis, colour, 1.4f);
            arc(c, a.position, u, v, 0.8 * size, 0.4, 5.4, colour, 1.4f);
        }
    }
}

// A ring around the selected body, and its velocity.
void draw_selection(const OverlayContext& c, BodyId selected) {
    const World& world = c.simulation.scene().world;
    const Body body = world.body(selected);
    const glm::dvec3 centre = body.centre_of_mass();
    const auto at = c.frame.pixel(centre);
    if (!at) return;
    const double radius = std::min(bounding_radius(body.shape()), 0.4 * static_cast<double>(c.stage_radius));
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

// Forces grow without bound, arrows do not: f/(1 + f) of a third of the stage, f in units of the heaviest body's
// weight.
double arrow_length(const OverlayContext& c, double force, double unit) {
    const double relative = force / unit;
    return 0.35 * c.stage_radius * relative / (1.0 + relative);
}

double force_unit(const World& world) {
    double heaviest = 1e-12;
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        if (body.motion() == MotionType::Dynamic) heaviest = std::max(heaviest, body.mass_properties().mass);
    }
    return heaviest * std::max(1.0, glm::length(world.settings().gravity));
}

// Contacts as points, filled where they stick, and the forces on what they carry.
void draw_forces(const OverlayContext& c) {
    const World& world = c.simulation.scene().world;
    const double unit = force_unit(world);
    for (const Contact& contact : world.contacts()) {
        if (contact.mode == ContactMode::Separate) continue;
        if (const auto at = c.frame.pixel(contact.point)) {
            if (contact.mode == ContactMode::Stick) {
                c.list.AddCircleFilled(*at, 4.0f * c.scale, c.theme.warning, 16);
            } else {
                c.list.AddCircle(*at, 4.0f * c.scale, c.theme.warning, 16, 1.6f * c.scale);
            }
        }
        const double force = glm::length(contact.force);
        if (force > 0.0) {
            const glm::dvec3 along = contact.force * (arrow_length(c, force, unit) / force);
            arrow(c, contact.point, contact.point + along, c.theme.warning, 2.0f);
        }
    }
}

// Each island in a colour of its own: a ring around each of its bodies, and how it is integrated beside the first.
void draw_islands(const OverlayContext& c) {
    constexpr std::size_t kMostLabels = 12;
    const World& world = c.simulation.scene().world;
    const std::vector<IslandView> islands = world.islands();
    for (std::size_t i = 0; i < islands.size(); ++i) {
        const IslandView& island = islands[i];
        const ImU32 colour = faded(c.theme.method(i), island.asleep ? 0.4f : 1.0f);
        for (const BodyId id : island.bodies) {
            const Body body = world.body(id);
            const glm::dvec3 centre = body.centre_of_mass();
            const auto at = c.frame.pixel(centre);
            if (!at) continue;
            const double radius = std::min(bounding_radius(body.shape()), 0.3 * static_cast<double>(c.stage_radius));
            const float ring = std::max(5.0f * c.scale, static_cast<float>(radius) * c.frame.pixels_per_metre(centre));
            c.list.AddCircle(*at, ring, colour, 40, 2.0f * c.scale);
        }
        if (i >= kMostLabels || island.bodies.empty() || island.method == nullptr) continue;
        const auto at = c.frame.pixel(world.body(island.bodies.front()).centre_of_mass());
        if (!at) continue;
        char text[96];
        const std::string method(island.handed_over ? "velocity steps" : island.method->name);
        if (island.asleep) {
            std::snprintf(text, sizeof text, "asleep");
        } else {
            std::snprintf(text, sizeof text, "%s  %.2f ms", method.c_str(), 1e3 * island.last_substep);
        }
        const float size = c.fonts.small->FontSize;
        c.list.AddText(c.fonts.small, size, {at->x + 10.0f * c.scale, at->y - 1.6f * size}, colour, text);
    }
}

} // namespace

void draw_overlay(const OverlayContext& c) {
    const World& world = c.simulation.scene().world;
    if (c.view.joints) {
        for (const JointId id : world.joints()) draw_joint(c, world.joint(id));
    }
    if (c.view.islands) draw_islands(c);
    if (c.view.forces) draw_forces(c);
    if (world.is_valid(c.view.selected)) draw_selection(c, c.view.selected);
    if (const std::optional<Drag> drag = c.simulation.drag()) draw_drag(c, drag->point, drag->target);
}

} // namespace substep
