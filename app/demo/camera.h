// A camera that orbits a point.
#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>

#include "substep/scenes/scene.h"

namespace substep {

/// Looks at a target from a distance. Angles in radians, lengths in metres, y up.
class Camera {
public:
    Camera() = default;
    explicit Camera(const SceneView& view);

    /// Turns about the target; elevation stays between slightly below the horizon and straight above.
    void orbit(float azimuth, float elevation) noexcept;
    /// Multiplies the distance, within 1/8 and 8 times the one that the camera was made with.
    void zoom(float factor) noexcept;
    /// Whether a point (m) is seen, at least `margin` (of the picture's half side) away from its edges.
    bool sees(const glm::vec3& point, float aspect, float margin) const noexcept;
    /// Moves the target in the picture's plane, in fractions of the picture's smaller side.
    void pan(float right, float up) noexcept;

    glm::vec3 target() const noexcept { return target_; }
    float distance() const noexcept { return distance_; }
    glm::vec3 eye() const noexcept;
    glm::mat4 view() const noexcept;
    /// Perspective whose opening along the picture's smaller side is `kOpening`; aspect = width / height.
    glm::mat4 projection(float aspect) const noexcept;

    static constexpr float kOpening = 0.70f; ///< rad, 40 degrees

private:
    glm::vec3 target_{0.0f};
    float distance_ = 4.0f;
    float first_distance_ = 4.0f;
    float azimuth_ = 0.0f;
    float elevation_ = 0.15f;
};

} // namespace substep
