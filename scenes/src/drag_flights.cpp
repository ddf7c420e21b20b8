// Scenes of bodies in air: `linear_drag`, `quadratic_drag` and `terminal_speed`.
//
// Drag c v: the velocity nears the terminal one, v(t) = w + (v0 - w) exp(-t/tau), tau = m/c, w = g tau, and the path
// follows by integration. Drag c |v| v of a body that falls from rest: y = -(w^2/g) ln cosh(g t/w), w^2 = m g/c. Thrown
// at an angle that has no closed form in time; the truth is a reference in speed s and slope angle theta, s' = -g sin
// theta - k s^2, theta' = -g cos theta/s, k = c/m, which keeps the hodograph 1/(s cos theta)^2 + (k/g) (sec theta tan
// theta + asinh tan theta) (Johann Bernoulli 1719; Synge & Griffith, Principles of Mechanics, 6.2).
#include "drag_flights.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <glm/geometric.hpp>

#include "pose_truth.h"
#include "smooth_settings.h"
#include "substep/engine/forces.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg

Scene air_scene(const DragDesc& drag) {
    Scene scene;
    scene.world = World(smooth_settings(1e-10));
    scene.world.add_force_field(std::make_unique<Drag>(drag));
    return scene;
}

BodyId add_ball(Scene& scene, const std::string& name, double radius, double mass, const glm::dvec3& position,
                const glm::dvec3& velocity) {
    BodyDesc ball;
    ball.shape = Sphere{radius};
    ball.mass = mass;
    ball.pose.position = position;
    ball.linear_velocity = velocity;
    const BodyId id = scene.world.create_body(ball);
    scene.graph.add({name, kNoNode, ball.pose, NodeAppearance{*ball.shape, NodeAppearance::Role::Bob}, id});
    scene.trails.push_back(id);
    return id;
}

Pose at(const glm::dvec3& position) { return {position, {1.0, 0.0, 0.0, 0.0}}; }

PoseChannel coordinate(const char* name, std::size_t body, int axis) {
    return {name, "m", body, [axis](const Pose& pose) { return pose.position[axis]; }};
}

// A throw of one ball whose path is `pose`.
void finish_throw(Scene& scene, const glm::dvec3& velocity, double threshold, std::function<Pose(double)> pose,
                  double known_until) {
    PoseTruthDesc truth;
    truth.threshold = threshold;
    truth.known_until = known_until;
    truth.bodies = {{add_ball(scene, "ball", 0.3, kMass, glm::dvec3{0.0}, velocity), std::move(pose)}};
    truth.channels = {coordinate("x", 0, 0), coordinate("y", 0, 1)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * kMass * glm::dot(velocity, velocity);
    scene.energy_scale_meaning = "kinetic energy at launch";
    scene.frames = 120;
    scene.view = {{9.0, 4.0, 0.0}, 27.0, 0.0, 0.1};
}

Scene make_linear_drag(std::span<const double> values) {
    const glm::dvec3 velocity{values[0], values[1], 0.0};
    const double time = values[2]; // m/c
    Scene scene = air_scene({.linear = kMass / time});
    const auto pose = [velocity, time](double t) {
        const glm::dvec3 terminal{0.0, -kGravity * time, 0.0};
        return at(terminal * t - time * std::expm1(-t / time) * (velocity - terminal));
    };
    // 1.5e-13: drag takes errors away.
    finish_throw(scene, velocity, 1e-11, pose, std::numeric_limits<double>::infinity());
    return scene;
}

/// Speed, slope angle, x and y of a body with drag k |v| v per mass.
class Flight final : public OdeSystem {
public:
    explicit Flight(double k) : k_(k) {}
    std::size_t size() const noexcept override { return 4; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) noexcept override {
        const double sine = std::sin(y[1]), cosine = std::cos(y[1]);
        dydt[0] = -kGravity * sine - k_ * y[0] * y[0];
        dydt[1] = -kGravity * cosine / y[0];
        dydt[2] = y[0] * cosine;
        dydt[3] = y[0] * sine;
    }

private:
    double k_;
};

Scene make_quadratic_drag(std::span<const double> values) {
    const glm::dvec3 velocity{values[0], values[1], 0.0};
    const double terminal = values[2];
    Scene scene = air_scene({.quadratic = kMass * kGravity / (terminal * terminal)});
    const auto motion = std::make_shared<const ReferenceMotion>(drag_flight_motion(velocity.x, velocity.y, terminal));
    const auto pose = [motion](double t) {
        const std::vector<double> y = motion->at(t);
        return at({y[2], y[3], 0.0});
    };
    // 5e-13: drag takes errors away.
    finish_throw(scene, velocity, 1e-11, pose, motion->until());
    return scene;
}

// Balls of 1, 2, 4 ... kg with the same drag.
Scene make_terminal_speed(std::span<const double> values) {
    const double slowest = values[0];
    Scene scene = air_scene({.quadratic = kMass * kGravity / (slowest * slowest)});
    PoseTruthDesc truth;
    truth.threshold = 2e-10; // 1.2e-11: rounding of 140 m fallen, and dense output between long substeps
    double mass = kMass;
    for (int i = 0; i < 4; ++i, mass *= 2.0) {
        const glm::dvec3 start{2.0 * i, 0.0, 0.0};
        const BodyId ball =
            add_ball(scene, "ball " + std::to_string(i + 1), 0.3 + 0.1 * i, mass, start, glm::dvec3{0.0});
        const long double terminal = slowest * std::sqrt(static_cast<long double>(mass / kMass));
        truth.bodies.push_back({ball, [start, terminal](double t) {
                                    // ln cosh x = x + ln(1 + exp(-2 x)) - ln 2, which does not overflow.
                                    const long double x = kGravity * t / terminal;
                                    const long double logarithm = x + std::log1p(std::exp(-2.0L * x)) - std::log(2.0L);
                                    const auto fallen = static_cast<double>(terminal * terminal / kGravity * logarithm);
                                    return at(start - glm::dvec3{0.0, fallen, 0.0});
                                }});
    }
    truth.channels = {coordinate("height of the lightest", 0, 1), coordinate("height of the heaviest", 3, 1)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * kMass * slowest * slowest;
    scene.energy_scale_meaning = "kinetic energy of the lightest at its terminal speed";
    // Where the heaviest is not yet after the recommended time.
    const NodeAppearance board{Box{{5.0, 0.1, 2.0}}, NodeAppearance::Role::Support};
    scene.graph.add({"board", kNoNode, at({3.0, -20.0, 0.0}), board, kGround});
    scene.frames = 120;
    scene.view = {{3.0, -9.0, 0.0}, 30.0, 0.0, 0.1};
    return scene;
}

SceneParameter speed(const char* name, const char* label, double value, double minimum, double maximum,
                     const char* meaning) {
    return {name, label, "m/s", value, minimum, maximum, meaning};
}

} // namespace

ReferenceMotion drag_flight_motion(double speed_along, double speed_up, double terminal_speed) {
    const double k = kGravity / (terminal_speed * terminal_speed);
    return ReferenceMotion(std::make_unique<Flight>(k),
                           {std::hypot(speed_along, speed_up), std::atan2(speed_up, speed_along), 0.0, 0.0}, 30.0);
}

SceneInfo linear_drag_scene() {
    return {.name = "linear_drag",
            .title = "Throw in oil",
            .description = "A ball thrown against drag in proportion to its speed, beside the closed form.",
            .group = "flight",
            .has_truth = true,
            .velocity_forces = true,
            .parameters = {speed("speed_along", "speed along", 12.0, -100.0, 100.0, "Horizontal speed at launch."),
                           speed("speed_up", "speed up", 15.0, 0.1, 100.0, "Upward speed at launch."),
                           {.name = "time",
                            .label = "decay time",
                            .unit = "s",
                            .value = 2.0,
                            .minimum = 0.05,
                            .maximum = 100.0,
                            .meaning = "Time in which drag takes all but 1/e of the speed; short ones make the problem "
                                       "stiff."}},
            .make = make_linear_drag};
}

SceneInfo quadratic_drag_scene() {
    return {.name = "quadratic_drag",
            .title = "Throw in air",
            .description = "A ball thrown against drag as the square of its speed, against a reference to 30 s.",
            .group = "flight",
            .has_truth = true,
            .velocity_forces = true,
            .parameters = {speed("speed_along", "speed along", 16.0, 1.0, 100.0, "Horizontal speed at launch."),
                           speed("speed_up", "speed up", 20.0, 0.1, 100.0, "Upward speed at launch."),
                           speed("terminal_speed", "terminal speed", 15.0, 3.0, 300.0,
                                 "Speed at which drag carries the weight; small ones brake the launch at once.")},
            .make = make_quadratic_drag};
}

SceneInfo terminal_speed_scene() {
    return {.name = "terminal_speed",
            .title = "Terminal speed",
            .description = "Balls of 1, 2, 4 and 8 kg dropped in air each reach a speed of their own.",
            .group = "flight",
            .has_truth = true,
            .velocity_forces = true,
            .parameters = {speed("terminal_speed", "terminal speed", 6.0, 1.0, 100.0,
                                 "Speed of the lightest ball at which drag carries its weight.")},
            .make = make_terminal_speed};
}

} // namespace substep::detail
