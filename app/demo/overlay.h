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
    float stage_radius = 1.0f; ///< m: what lengths of arrows and axes go by, no more than the picture shows
    double full_force = 1.0;   ///< N, of an arrow of full length
};

/// How many newtons a full arrow stands for: a round number that changes seldom.
struct ForceScale {
    double full = 0.0; ///< N; 0 before the first force

    /// Follows the largest force (N) in the picture: when it no longer fits, or has become a tenth.
    void follow(double largest);
    /// Length (m) of a full arrow on a stage.
    double length(float stage_radius) const;
};

/// Returns the nearest of 1, 2 and 5 times a power of ten that is not above a force (N).
double round_force(double force);

/// The largest force (N) that `draw_overlay` would draw.
double largest_force(const Simulation& simulation);

/// Where a joint is drawn (m), and the drawn joint nearest to a pixel, if it is nearer than `reach` pixels.
glm::dvec3 joint_point(const Simulation& simulation, JointId joint);
glm::dvec3 coupling_point(const Simulation& simulation, CouplingId coupling); ///< half-way between its joints
std::optional<JointId> joint_at(const Simulation& simulation, const PictureFrame& frame, ImVec2 pixel, float reach);

void draw_overlay(const OverlayContext& context);

} // namespace substep
