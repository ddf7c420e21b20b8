// The strokes that are drawn over the picture, and its parts.
#pragma once

#include "overlay.h"

namespace substep {

/// Strokes between points of the scene (m); widths in pixels at scale 1. What lies behind the eye is left out.
void line(const OverlayContext& c, const glm::dvec3& from, const glm::dvec3& to, ImU32 colour, float width);
void arrow(const OverlayContext& c, const glm::dvec3& from, const glm::dvec3& to, ImU32 colour, float width);
void dot(const OverlayContext& c, const glm::dvec3& at, float radius, ImU32 colour);
/// An arc of a circle about `centre`, in the plane of two unit vectors; angles in rad.
void arc(const OverlayContext& c, const glm::dvec3& centre, const glm::dvec3& u, const glm::dvec3& v, double radius,
         double from, double to, ImU32 colour, float width);
/// The same, filled to the centre.
void sector(const OverlayContext& c, const glm::dvec3& centre, const glm::dvec3& u, const glm::dvec3& v, double radius,
            double from, double to, ImU32 colour);

void draw_joints(const OverlayContext& c);
void draw_selected_joint(const OverlayContext& c, JointId joint);
void draw_selected_coupling(const OverlayContext& c, CouplingId coupling);
void draw_forces(const OverlayContext& c);
void draw_selected_force(const OverlayContext& c, ForceFieldId field);

/// A joint's frames now.
Pose frame_a_of(const Simulation& simulation, const JointDesc& joint);
Pose frame_b_of(const Simulation& simulation, const JointDesc& joint);

} // namespace substep
