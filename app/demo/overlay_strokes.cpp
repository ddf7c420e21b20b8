// The strokes that are drawn over the picture.
#include <algorithm>
#include <array>
#include <cmath>

#include "overlay_parts.h"

namespace substep {

namespace {

constexpr int kArcPieces = 28;

glm::dvec3 on_circle(const glm::dvec3& centre, const glm::dvec3& u, const glm::dvec3& v, double radius, double angle) {
    return centre + radius * (std::cos(angle) * u + std::sin(angle) * v);
}

} // namespace

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

void dot(const OverlayContext& c, const glm::dvec3& at, float radius, ImU32 colour) {
    if (const auto pixel = c.frame.pixel(at)) c.list.AddCircleFilled(*pixel, radius * c.scale, colour, 20);
}

void arc(const OverlayContext& c, const glm::dvec3& centre, const glm::dvec3& u, const glm::dvec3& v, double radius,
         double from, double to, ImU32 colour, float width) {
    std::array<ImVec2, kArcPieces + 1> pixels;
    for (int i = 0; i <= kArcPieces; ++i) {
        const auto at = c.frame.pixel(on_circle(centre, u, v, radius, from + (to - from) * i / kArcPieces));
        if (!at) return;
        pixels[static_cast<std::size_t>(i)] = *at;
    }
    c.list.AddPolyline(pixels.data(), kArcPieces + 1, colour, 0, width * c.scale);
}

void sector(const OverlayContext& c, const glm::dvec3& centre, const glm::dvec3& u, const glm::dvec3& v, double radius,
            double from, double to, ImU32 colour) {
    const auto middle = c.frame.pixel(centre);
    for (int i = 0; middle && i < kArcPieces; ++i) {
        const auto a = c.frame.pixel(on_circle(centre, u, v, radius, from + (to - from) * i / kArcPieces));
        const auto b = c.frame.pixel(on_circle(centre, u, v, radius, from + (to - from) * (i + 1) / kArcPieces));
        // Not smoothed: the edges of neighbouring triangles would show.
        const ImDrawListFlags flags = c.list.Flags;
        c.list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
        if (a && b) c.list.AddTriangleFilled(*middle, *a, *b, colour);
        c.list.Flags = flags;
    }
}

} // namespace substep
