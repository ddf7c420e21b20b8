// A camera that orbits a point.
#include "camera.h"

#include <algorithm>
#include <cmath>

#include <glm/gtc/matrix_transform.hpp>

namespace substep {

Camera::Camera(const SceneView& view)
    : target_(view.target), distance_(static_cast<float>(view.distance)), first_distance_(distance_),
      azimuth_(static_cast<float>(view.azimuth)), elevation_(static_cast<float>(view.elevation)) {}

void Camera::orbit(float azimuth, float elevation) noexcept {
    azimuth_ = std::remainder(azimuth_ + azimuth, 6.2831853f);
    elevation_ = std::clamp(elevation_ + elevation, -0.05f, 1.55f);
}

void Camera::zoom(float factor) noexcept {
    distance_ = std::clamp(distance_ * factor, first_distance_ / 8.0f, first_distance_ * 8.0f);
}

void Camera::pan(float right, float up) noexcept {
    // At the target, the picture's smaller side is this long.
    const float side = 2.0f * distance_ * std::tan(kOpening / 2.0f);
    const glm::mat4 to_view = view();
    const glm::vec3 right_axis{to_view[0][0], to_view[1][0], to_view[2][0]};
    const glm::vec3 up_axis{to_view[0][1], to_view[1][1], to_view[2][1]};
    target_ += (right_axis * right + up_axis * up) * side;
}

bool Camera::sees(const glm::vec3& point, float aspect, float margin) const noexcept {
    const glm::vec4 clip = projection(aspect) * view() * glm::vec4(point, 1.0f);
    const float limit = (1.0f - margin) * clip.w;
    return clip.w > 0.0f && std::abs(clip.x) <= limit && std::abs(clip.y) <= limit;
}

glm::vec3 Camera::eye() const noexcept {
    const glm::vec3 outward{std::sin(azimuth_) * std::cos(elevation_), std::sin(elevation_),
                            std::cos(azimuth_) * std::cos(elevation_)};
    return target_ + outward * distance_;
}

glm::mat4 Camera::view() const noexcept { return glm::lookAt(eye(), target_, glm::vec3{0.0f, 1.0f, 0.0f}); }

glm::mat4 Camera::projection(float aspect) const noexcept {
    // tan(vertical / 2) = tan(opening / 2) where the picture is wide, / aspect where it is tall.
    const float vertical = 2.0f * std::atan(std::tan(kOpening / 2.0f) / std::min(aspect, 1.0f));
    return glm::perspective(vertical, aspect, distance_ * 0.05f, distance_ * 60.0f);
}

} // namespace substep
