// An avalanche: bodies of all shapes lie behind a gate on a slope, the gate goes up, and they come down.
//
// No exact solution is known. What is checked instead: before the gate opens they rest if friction holds them against
// it; then almost all of them leave, none gets through walls or ground, and no energy comes from anywhere but the gate.
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <string>

#include "mixed_shapes.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kStoneRadius = 0.22; // m, of the ball that holds a stone
constexpr double kSlopeLength = 9.0;  // m
constexpr double kHalfWidth = 1.8;    // m, between the walls
constexpr double kBoard = 0.1;        // m, half of what walls and gate are thick
constexpr double kWallHeight = 1.7;   // m
constexpr double kRunOut = 5.0;       // m, of the level part below
constexpr double kFoot = -2.0;        // m, where the slope ends
constexpr double kGateFromTop = 3.3;  // m, along the slope
constexpr double kOpens = 0.75;       // s, when the gate begins to rise
constexpr double kOpening = 0.4;      // s, how long it takes
constexpr double kGateRises = 2.6;    // m

/// Rises along the slope's normal, smoothly: 10 u^3 - 15 u^4 + 6 u^5 of the way, u the part of the time.
class GatePath final : public BodyPath {
public:
    GatePath(const Pose& closed, const glm::dvec3& way) : closed_(closed), way_(way) {}

    Point at(double t) const noexcept override {
        const double u = std::fmin(std::fmax((t - kOpens) / kOpening, 0.0), 1.0);
        Point point;
        point.pose = closed_;
        point.pose.position += u * u * u * (10.0 + u * (6.0 * u - 15.0)) * way_;
        point.linear_velocity = 30.0 * u * u * (1.0 - u) * (1.0 - u) / kOpening * way_;
        point.linear_acceleration = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / (kOpening * kOpening) * way_;
        return point;
    }

private:
    Pose closed_;
    glm::dvec3 way_; // m
};

void add_board(Scene& scene, const char* name, const Pose& pose, const glm::dvec3& half, const Material& material,
               bool is_seen) {
    BodyDesc board;
    board.motion = MotionType::Static;
    board.pose = pose;
    board.shape = Box{half};
    board.material = material;
    if (is_seen) {
        add_body(scene, name, board, NodeAppearance::Role::Support);
    } else { // or it would hide what it holds
        scene.graph.add({name, kNoNode, pose, std::nullopt, scene.world.create_body(board)});
    }
}

Scene make_avalanche(std::span<const double> values) {
    const auto count = static_cast<std::size_t>(values[0]);
    const double slope = values[1] * std::numbers::pi / 180.0;
    const Material material{.friction = values[2]};
    Scene scene;
    scene.world = World(smooth_settings(1e-4));
    add_plane(scene, 0.0, material);

    // The slope's frame: x down the slope from its upper end, y out of it.
    double s = 0.0;
    double c = 0.0;
    sine_cosine(slope, s, c);
    const glm::dquat turn = turn_about_z(-slope);
    const auto on_slope = [&](double x, double y, double z) {
        return Pose{glm::dvec3{kFoot, 0.0, 0.0} + turn * glm::dvec3{x - kSlopeLength, y, z}, turn};
    };
    const double middle = 0.5 * kSlopeLength;
    const double wall = kHalfWidth + kBoard;
    add_board(scene, "slope", on_slope(middle, -kBoard, 0.0), {middle, kBoard, kHalfWidth + 2.0 * kBoard}, material,
              true);
    for (const double side : {-1.0, 1.0}) {
        add_board(scene, "side", on_slope(middle, 0.5 * kWallHeight, side * wall),
                  {middle + kBoard, 0.5 * kWallHeight, kBoard}, material, side < 0.0);
        add_board(scene, "side", {{kFoot + 0.5 * kRunOut, 0.5 * kWallHeight, side * wall}, kNoTurn},
                  {0.5 * kRunOut + kBoard, 0.5 * kWallHeight, kBoard}, material, side < 0.0);
    }
    add_board(scene, "upper end", on_slope(-kBoard, 0.5 * kWallHeight, 0.0), {kBoard, 0.5 * kWallHeight, kHalfWidth},
              material, true);
    add_board(scene, "lower end", {{kFoot + kRunOut + kBoard, 0.5 * kWallHeight, 0.0}, kNoTurn},
              {kBoard, 0.5 * kWallHeight, kHalfWidth + 2.0 * kBoard}, material, true);

    BodyDesc gate;
    gate.motion = MotionType::Kinematic;
    const Pose closed = on_slope(kGateFromTop, 0.5 * kWallHeight + 0.01, 0.0);
    gate.path = std::make_shared<const GatePath>(closed, turn * glm::dvec3{0.0, kGateRises, 0.0});
    gate.pose = closed;
    gate.shape = Box{{0.5 * kBoard, 0.5 * kWallHeight, kHalfWidth - 0.01}};
    gate.material = {.friction = 0.0, .friction_combine = CombineRule::Multiply}; // it lifts nobody
    add_body(scene, "gate", gate, NodeAppearance::Role::Support);

    // Stones in layers behind the gate, a little above one another.
    constexpr double kPitch = 2.0 * kStoneRadius + 0.01;
    const auto along = static_cast<std::size_t>((kGateFromTop - 0.5 * kBoard) / kPitch);
    const auto across = static_cast<std::size_t>(2.0 * kHalfWidth / kPitch);
    double lifted = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = kPitch * (static_cast<double>(i % along) + 0.5);
        const double z = kPitch * (static_cast<double>(i / along % across) - 0.5 * static_cast<double>(across - 1));
        const double y = kPitch * (static_cast<double>(i / (along * across)) + 0.5);
        BodyDesc desc;
        desc.mass = 1.0;
        desc.shape = mixed_shape(i, kStoneRadius);
        desc.pose = on_slope(x, y, z);
        desc.pose.orientation = scattered_turn(i);
        desc.material = material;
        const bool is_low = x > 0.5 * kGateFromTop; // two colours show who ends where
        add_body(scene, mixed_name(i), desc, is_low ? NodeAppearance::Role::Bob : NodeAppearance::Role::Body);
        lifted += desc.pose.position.y;
    }
    scene.energy_scale = kGravity * lifted;
    scene.energy_scale_meaning = "work of lifting the stones from the ground";
    scene.frames = 300;
    scene.view = {{kFoot + 0.5 * (kRunOut - c * kSlopeLength), 0.35 * s * kSlopeLength, 0.0}, 15.0, 0.35, 0.35};
    return scene;
}

} // namespace

SceneInfo avalanche_scene() {
    return {.name = "avalanche",
            .title = "Avalanche",
            .description = "Stones of all shapes lie behind a gate on a slope; soon the gate goes up.",
            .group = "piles",
            .contacts = true,
            .is_large = true,
            .parameters = {{.name = "stones",
                            .label = "stones",
                            .unit = "",
                            .value = 160.0,
                            .minimum = 1.0,
                            .maximum = 600.0,
                            .meaning = "Stones of 1 kg, of six shapes.",
                            .integer = true},
                           {.name = "slope",
                            .label = "slope",
                            .unit = "deg",
                            .value = 32.0,
                            .minimum = 5.0,
                            .maximum = 45.0,
                            .meaning = "Of the chute; what does not roll stays on it if its tangent is below the "
                                       "friction."},
                           {.name = "friction",
                            .label = "friction",
                            .unit = "",
                            .value = 0.35,
                            .minimum = 0.0,
                            .maximum = 2.0,
                            .meaning = "Between all stones, and of them on chute and ground."}},
            .make = make_avalanche};
}

} // namespace substep::detail
