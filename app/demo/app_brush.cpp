// The pointer of the demo on the picture: the brush of the move tool, and the hand that selects and drags bodies.
#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "app.h"

namespace substep {

glm::vec3 App::ray(ImVec2 pixel) const {
    // Through the pixel, from the eye.
    const glm::vec2 at{2.0f * (pixel.x - picture_corner_.x) / picture_size_.x - 1.0f,
                       1.0f - 2.0f * (pixel.y - picture_corner_.y) / picture_size_.y};
    const glm::mat4 unproject =
        glm::inverse(view_.camera.projection(picture_size_.x / picture_size_.y) * view_.camera.view());
    const glm::vec4 far_point = unproject * glm::vec4(at, 1.0f, 1.0f);
    return glm::normalize(glm::vec3(far_point) / far_point.w - view_.camera.eye());
}

bool App::move_brush(bool over) {
    // A left drag that begins on the clay is a stroke, in the plane through its first point that faces the eye.
    MoveTool* tool = exhibition_.move_tool();
    if (tool == nullptr) return false;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const glm::vec3 eye = view_.camera.eye();
    const glm::vec3 forward = glm::normalize(view_.camera.target() - eye);
    if (over && ImGui::IsMouseClicked(0)) {
        const std::optional<glm::vec3> point = tool->pick(eye, ray(mouse));
        if (!point) return false;
        brush_depth_ = glm::dot(*point - eye, forward);
        tool->begin_stroke(*point, -forward);
        return true;
    }
    if (!tool->is_drawing()) return false;
    if (!ImGui::IsMouseDown(0)) {
        tool->end_stroke();
        return true;
    }
    const glm::vec3 direction = ray(mouse);
    if (ImGui::GetIO().MouseDelta.x != 0.0f || ImGui::GetIO().MouseDelta.y != 0.0f) {
        tool->move_to(eye + direction * (brush_depth_ / glm::dot(direction, forward)));
    }
    return true;
}

bool App::move_body(bool over) {
    // A click on a joint that is drawn or on a body selects it, one beside everything selects nothing; a drag that
    // begins on a body pulls it, in the plane through the point it began at that faces the eye.
    if (exhibition_.kind() != ExhibitKind::Scene) return false;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const glm::vec3 eye = view_.camera.eye();
    const glm::vec3 forward = glm::normalize(view_.camera.target() - eye);
    if (over && ImGui::IsMouseClicked(0)) {
        const std::optional<Picked> picked = pick(simulation().graph(), eye, ray(mouse));
        const PictureFrame frame(view_.camera, picture_corner_, picture_size_);
        const std::optional<JointId> joint =
            view_.joints ? joint_at(simulation(), frame, mouse, 8.0f * scale_) : std::nullopt;
        view_.selected = joint ? Selection(*joint) : picked ? Selection(picked->body) : Selection();
        pressed_ = picked;
        return picked || joint;
    }
    if (!ImGui::IsMouseDown(0)) {
        pressed_.reset();
        if (simulation().drag()) simulation().let_go();
        return false;
    }
    if (!pressed_) return false;
    if (!simulation().drag()) {
        if (!ImGui::IsMouseDragging(0)) return true; // a click so far
        hold_depth_ = glm::dot(glm::vec3(pressed_->point) - eye, forward);
        simulation().take_hold(pressed_->body, pressed_->point);
    }
    const glm::vec3 direction = ray(mouse);
    simulation().drag_to(eye + direction * (hold_depth_ / glm::dot(direction, forward)));
    return true;
}

void App::draw_brush() {
    // A ring of the brush's radius where the pointer meets the clay.
    const MoveTool* tool = exhibition_.move_tool();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool over = !ImGui::GetIO().WantCaptureMouse && mouse.x >= picture_corner_.x &&
                      mouse.y >= picture_corner_.y && mouse.x < picture_corner_.x + picture_size_.x &&
                      mouse.y < picture_corner_.y + picture_size_.y;
    if (tool == nullptr || !over || turning_) return;
    const glm::vec3 eye = view_.camera.eye();
    const glm::vec3 direction = ray(mouse);
    float depth = brush_depth_;
    if (!tool->is_drawing()) {
        const std::optional<glm::vec3> point = tool->pick(eye, direction);
        if (!point) return;
        depth = glm::dot(*point - eye, glm::normalize(view_.camera.target() - eye));
    }
    const float side = std::min(picture_size_.x, picture_size_.y);
    const float radius = tool->settings().radius / (2.0f * std::tan(Camera::kOpening / 2.0f) * depth) * side;
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list.AddCircle(mouse, radius, faded(theme_.text, 0.8f), 64, 1.5f * scale_);
    list.AddCircleFilled(mouse, 2.5f * scale_, theme_.text, 16);
}

} // namespace substep
