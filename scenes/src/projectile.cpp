// Scene `projectile`: a ball thrown without drag.
#include <memory>

#include <glm/geometric.hpp>

#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg

/// x(t) = v t + g t^2 / 2.
class ProjectileTruth final : public Truth {
public:
    ProjectileTruth(BodyId body, const glm::dvec3& velocity) : body_(body), velocity_(velocity) {}

    std::string quantity() const override { return "position"; }
    std::string unit() const override { return "m"; }
    double visible_error() const override {
        return 0.1;
    }                                                   // a third of the ball's radius: the ghost then shows beside it
    double threshold() const override { return 1e-10; } // rounding alone: up to 7e-12 at 340 m
    double error(const World& world) const override {
        return glm::length(world.body(body_).centre_of_mass() - position(world.time()));
    }

    std::vector<Channel> channels(const World& world) const override {
        const glm::dvec3 exact = position(world.time());
        const glm::dvec3 simulated = world.body(body_).centre_of_mass();
        return {{"x", "m", exact.x, simulated.x}, {"y", "m", exact.y, simulated.y}};
    }

    void poses(double t, std::span<Pose> out) const override {
        if (!out.empty()) {
            out[0] = {position(t), {1.0, 0.0, 0.0, 0.0}};
        }
    }

private:
    glm::dvec3 position(double t) const { return velocity_ * t + glm::dvec3{0.0, -0.5 * kGravity * t * t, 0.0}; }

    BodyId body_;
    glm::dvec3 velocity_;
};

Scene make_projectile(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));

    BodyDesc ball;
    ball.shape = Sphere{0.3};
    ball.mass = kMass;
    ball.linear_velocity = {values[0], values[1], 0.0};
    const BodyId body = scene.world.create_body(ball);
    scene.graph.add({"ball", kNoNode, {}, NodeAppearance{*ball.shape, NodeAppearance::Role::Bob}, body});

    scene.truth = std::make_unique<ProjectileTruth>(body, ball.linear_velocity);
    scene.energy_scale = 0.5 * kMass * glm::dot(ball.linear_velocity, ball.linear_velocity);
    scene.energy_scale_meaning = "kinetic energy at launch";
    scene.frames = 120;
    scene.view = {{10.0, 5.0, 0.0}, 30.0, 0.0, 0.1};
    scene.trails = {body};
    return scene;
}

} // namespace

SceneInfo projectile_scene() {
    return {.name = "projectile",
            .title = "Projectile",
            .description = "A ball thrown without drag: game engines miss its parabola by g h t / 2.",
            .group = "flight",
            .has_truth = true,
            .parameters = {{.name = "speed_along",
                            .label = "speed along",
                            .unit = "m/s",
                            .value = 10.0,
                            .minimum = -100.0,
                            .maximum = 100.0,
                            .meaning = "Horizontal speed at launch."},
                           {.name = "speed_up",
                            .label = "speed up",
                            .unit = "m/s",
                            .value = 15.0,
                            .minimum = 0.1,
                            .maximum = 100.0,
                            .meaning = "Upward speed at launch; the flight lasts 0.2 s per m/s."}},
            .make = make_projectile};
}

} // namespace substep::detail
