// What is drawn over the picture: joints, forces, contacts, islands, the selected body and the spring that drags it.
#pragma once

#include <optional>

#include <imgui.h>

#include "camera.h"
#include "simulation.h"
#include "theme.h"
#include "view_state.h"

namespace substep {

/// The part of the window that shows the scene, and how points of the scene get there.
class PictureFrame {
public:
    PictureFrame(const Camera& camera, ImVec2 corner, ImVec2 size);

    /// Pixel of a point (m); nothing where it lies behind the eye.
    std::optional<ImVec2> pixel(const glm::dvec3& point) const;
    /// Pixels that a length of 1 m takes at that point.
    float pixels_per_metre(const glm::dvec3& point) const;

private:
    glm::mat4 to_clip_;
    glm::mat4 to_view_;
    ImVec2 corner_;
    ImVec2 size_;
};

/// Everything that drawing over the picture needs.
struct OverlayContext {
    ImDrawList& list;
    PictureFrame frame;
    const Simulation& simulation;
    const ViewState& view;
    const Theme& theme;
    const Fonts& fonts;
    float scale = 1.0f;
    float stage_radius = 1.0f; ///< m: what lengths of arrows and axes go by
};

void draw_overlay(const OverlayContext& context);

} // namespace substep
