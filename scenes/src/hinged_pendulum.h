// A body that swings about a fixed horizontal hinge: in the world, in the picture, and exactly.
#pragma once

#include <string>
#include <vector>

#include "substep/scenes/pendulum_motion.h"
#include "substep/scenes/scene.h"

namespace substep::detail {

/// One pendulum of a scene. It swings about the z axis through `pivot`; angle zero is hanging.
struct HingedPendulum {
    BodyId body;
    glm::dvec3 pivot{0.0};
    double distance = 1.0; ///< m, from the pivot to the centre of mass, which is the body's origin
    PendulumMotion motion;
};

/// What a pendulum is made of and how it starts.
struct HingedPendulumDesc {
    std::string name;
    glm::dvec3 pivot{0.0};
    double distance = 1.0; ///< m, as above
    Shape shape;
    MassProperties mass;      ///< with the centre of mass at the body's origin
    double start_angle = 0.0; ///< rad
    double start_rate = 0.0;  ///< rad/s
    bool has_rod = false;     ///< draws a thin rod from the pivot to the body
};

/// Adds a body, its hinge and its nodes to the scene. Its exact motion has Omega0^2 = m g d / (I + m d^2).
HingedPendulum add_hinged_pendulum(Scene& scene, const HingedPendulumDesc& desc);

/// Adds the pin of a hinge along z at `pivot` to the picture.
void add_hinge_pin(Scene& scene, const glm::dvec3& pivot);

/// Truth of a scene of pendulums: the largest difference of angle among them, wrapped to half a turn.
class PendulumTruth final : public Truth {
public:
    explicit PendulumTruth(std::vector<HingedPendulum> pendulums);

    std::string quantity() const override;
    std::string unit() const override { return "rad"; }
    double visible_error() const override;
    double threshold() const override;
    double error(const World& world) const override;
    double lever() const override;
    std::vector<Channel> channels(const World& world) const override;
    void poses(double t, std::span<Pose> out) const override;

private:
    std::vector<HingedPendulum> pendulums_;
};

} // namespace substep::detail
