// Scenes of spheres in contact: bouncing, sliding and rolling, on a slope, and colliding.
//
// All are compared with closed forms (contact_motions.h has them and their sources): the bounce with its geometric
// series, rolling with Coulomb's law and the sphere's 2/5 m r^2, collisions with Newton's restitution and Coulomb's
// cone at one impulse.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec2.hpp>

#include "contact_motions.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

// Events are located within 100 units in the last place of time, and rates of some m/s turn that into 1e-13 m each.
// dormand_prince853 at 1e-13 was measured to leave at most 3.0e-12 (m or rad) until the truth's end at 30, 60 and 120
// frames a second.
constexpr double kThreshold = 2e-11;

// --- bounces ---------------------------------------------------------------------------------------------------------

constexpr double kBallRadius = 0.1;   // m
constexpr double kDropHeight = 0.9;   // m, of the lowest point
constexpr double kSlowest = 1.0 / 30; // s: the longest frame at which the guard is compared

/// Height of a bouncing ball. World ends bounces where all that remain fit into a frame; from there to the Zeno limit,
/// where the exact ball still hops by less than a millimetre, rest is as good as the exact height.
class BouncingTruth final : public Truth {
public:
    BouncingTruth(BodyId ball, const BouncingBall& motion) : ball_(ball), motion_(motion) {}

    std::string quantity() const override { return "position"; }
    std::string unit() const override { return "m"; }
    double threshold() const override { return kThreshold; }
    double visible_error() const override { return 0.02; }

    double error(const World& world) const override {
        const double t = world.time();
        const glm::dvec3 where = world.pose(ball_).position;
        const double exact = glm::length(where - place(motion_.at(t).height));
        const bool guarded = t >= motion_.guard_time(kSlowest) && t < motion_.rest_time();
        return guarded ? std::min(exact, glm::length(where - place(0.0))) : exact;
    }

    std::vector<Channel> channels(const World& world) const override {
        const BouncingBall::State exact = motion_.at(world.time());
        return {{"height", "m", exact.height, world.pose(ball_).position.y - kBallRadius},
                {"speed", "m/s", exact.rate, world.body(ball_).linear_velocity().y}};
    }

    void poses(double t, std::span<Pose> out) const override {
        if (out.size() >= 2) {
            out[0] = {};
            out[1] = {place(motion_.at(t).height), kNoTurn};
        }
    }

private:
    static glm::dvec3 place(double height) { return {0.0, kBallRadius + height, 0.0}; }

    BodyId ball_;
    BouncingBall motion_;
};

Scene make_bouncing_ball(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const Material material{.restitution = values[0]};
    add_plane(scene, 0.0, material);
    BodyDesc ball;
    ball.mass = 1.0;
    ball.pose.position = {0.0, kBallRadius + kDropHeight, 0.0};
    ball.shape = Sphere{kBallRadius};
    ball.material = material;
    const BodyId body = add_body(scene, "ball", ball, NodeAppearance::Role::Bob);
    scene.truth = std::make_unique<BouncingTruth>(body, BouncingBall(kDropHeight, kGravity, values[0]));
    scene.energy_scale = *ball.mass * kGravity * kDropHeight;
    scene.energy_scale_meaning = "potential energy of the drop; impacts take 1 - e^2 of what is left";
    scene.frames = 300;
    scene.view = {{0.0, 0.5, 0.0}, 3.0, 0.3, 0.15};
    scene.trails = {body};
    return scene;
}

// --- rolling ---------------------------------------------------------------------------------------------------------

// Adds a sphere on the slope, and its exact motion from `start`: distance down the slope, turning about -z as it rolls.
void add_rolling(Scene& scene, PoseTruthDesc& truth, const glm::dvec2& start, double radius,
                 const RoundBodyOnSlope::Desc& desc) {
    const glm::dquat tilt = turn_about_z(-desc.slope);
    const auto pose = [=](const RoundBodyOnSlope::State& state) {
        return Pose{tilt * glm::dvec3{start.x + state.distance, radius, start.y},
                    turn_about_z(-state.rim_path / radius)};
    };
    const RoundBodyOnSlope motion(desc);
    BodyDesc ball;
    ball.mass = 1.0;
    ball.pose = pose(motion.at(0.0));
    ball.linear_velocity = tilt * glm::dvec3{desc.speed, 0.0, 0.0};
    ball.angular_velocity = {0.0, 0.0, -desc.rim_speed / radius};
    ball.shape = Sphere{radius};
    ball.material = rough(desc.friction);
    ball.locks_rotation = desc.lightness == 0.0;
    const BodyId body = add_body(scene, "ball", ball, NodeAppearance::Role::Bob);
    const auto number = std::to_string(truth.bodies.size());
    truth.bodies.push_back({body, [=](double t) { return pose(motion.at(t)); }});
    truth.channels.push_back({"distance " + number, "m", truth.bodies.size() - 1, [tilt, start](const Pose& where) {
                                  return (glm::conjugate(tilt) * where.position).x - start.x;
                              }});
    scene.trails.push_back(body);
}

// The plane that the spheres roll on, as the first body.
void add_slope(Scene& scene, PoseTruthDesc& truth, double slope) {
    add_plane(scene, slope, rough(1.0));
    truth.bodies.push_back({scene.world.bodies().front(), [slope](double) {
                                return Pose{glm::dvec3{0.0}, turn_about_z(-slope)};
                            }});
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.threshold = kThreshold;
}

Scene make_slide_to_roll(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    constexpr double kRadius = 0.25;
    PoseTruthDesc truth;
    add_slope(scene, truth, 0.0);
    // Thrown without spin; and with so much back spin that it returns.
    const double speed = values[0];
    add_rolling(scene, truth, {-1.8, -0.5}, kRadius, {.friction = values[1], .gravity = kGravity, .speed = speed});
    add_rolling(scene, truth, {-1.8, 0.5}, kRadius,
                {.friction = values[1], .gravity = kGravity, .speed = speed, .rim_speed = -4.0 * speed});
    truth.lever = kRadius;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * speed * speed;
    scene.energy_scale_meaning = "kinetic energy of a thrown sphere; sliding takes 2/7 of it";
    scene.frames = 180;
    scene.view = {{0.0, 0.0, 0.0}, 8.4, 0.4, 0.35};
    return scene;
}

Scene make_incline(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    constexpr double kRadius = 0.2;
    const double slope = values[0];
    PoseTruthDesc truth;
    add_slope(scene, truth, slope);
    // Two that may turn, one with grip and one without, and two that may not.
    double z = -0.9;
    for (const auto& [friction, lightness] : {std::pair{0.5, 2.5}, {0.05, 2.5}, {0.2, 0.0}, {0.9, 0.0}}) {
        add_rolling(scene, truth, {-2.5, z}, kRadius,
                    {.slope = slope, .friction = friction, .gravity = kGravity, .lightness = lightness});
        z += 0.6;
    }
    truth.lever = kRadius;
    truth.until = 4.0; // they are 20 m away by then
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kGravity;
    scene.energy_scale_meaning = "work of lifting one sphere by a metre";
    scene.frames = 120;
    scene.view = {{0.0, -0.2, 0.0}, 8.4, 0.4, 0.3};
    return scene;
}

// --- collisions ------------------------------------------------------------------------------------------------------

Scene make_collision(const BallDesc& first, const BallDesc& second, double restitution, double friction) {
    Scene scene;
    WorldSettings settings = smooth_settings(1e-8);
    settings.gravity = glm::dvec3{0.0};
    scene.world = World(settings);
    const auto hit = std::make_shared<const BallCollision>(first, second, restitution, friction);

    PoseTruthDesc truth;
    for (const bool is_first : {true, false}) {
        const BallDesc& start = is_first ? first : second;
        const auto state = [hit, is_first](double t) { return is_first ? hit->first_at(t) : hit->second_at(t); };
        const auto pose = [hit, state, start](double t) {
            // Turned at the rate before the impact, then at that after it.
            const double before = std::min(t, hit->time());
            const BallDesc now = state(t);
            const auto turn = [](const glm::dvec3& spin, double time) {
                const double rate = glm::length(spin);
                return rate > 0.0 ? glm::angleAxis(rate * time, spin / rate) : kNoTurn;
            };
            return Pose{now.position, turn(now.spin, t - before) * turn(start.spin, before)};
        };
        BodyDesc ball;
        ball.pose = pose(0.0);
        ball.linear_velocity = start.velocity;
        ball.angular_velocity = start.spin;
        ball.shape = Sphere{start.radius};
        ball.mass = start.mass;
        ball.material = {.friction = friction, .restitution = restitution};
        const BodyId body = add_body(scene, "ball", ball, NodeAppearance::Role::Bob);
        truth.bodies.push_back({body, pose});
        truth.channels.push_back({is_first ? "x 1" : "x 2", "m", truth.bodies.size() - 1,
                                  [](const Pose& where) { return where.position.x; }});
        truth.channels.push_back({is_first ? "y 1" : "y 2", "m", truth.bodies.size() - 1,
                                  [](const Pose& where) { return where.position.y; }});
        scene.trails.push_back(body);
    }
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.lever = 0.3;
    truth.threshold = kThreshold;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = scene.world.energy().total();
    scene.energy_scale_meaning = "kinetic energy at the start";
    scene.frames = 180;
    return scene;
}

Scene make_head_on_collision(std::span<const double> values) {
    const BallDesc first{1.0, 0.3, {-2.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, glm::dvec3{0.0}};
    const BallDesc second{values[0], 0.3 * std::cbrt(values[0]), {1.0, 0.0, 0.0}, {-0.5, 0.0, 0.0}, glm::dvec3{0.0}};
    Scene scene = make_collision(first, second, values[1], 0.3);
    scene.view = {{-0.8, 0.0, 0.0}, 8.4, 0.0, 0.15};
    return scene;
}

Scene make_oblique_collision(std::span<const double> values) {
    const BallDesc first{1.0, 0.3, {-2.0, 0.3, 0.0}, {2.0, 0.0, 0.0}, {0.0, 0.0, values[1]}};
    const BallDesc second{2.0, 0.4, {0.0, 0.0, 0.0}, glm::dvec3{0.0}, glm::dvec3{0.0}};
    Scene scene = make_collision(first, second, 0.8, values[0]);
    scene.view = {{0.0, 0.3, 0.0}, 8.2, 0.0, 0.15};
    return scene;
}

} // namespace

SceneInfo bouncing_ball_scene() {
    return {.name = "bouncing_ball",
            .title = "Bouncing ball",
            .description = "Each bounce keeps e of the speed: infinitely many in finite time, or none lost for e = 1.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "restitution",
                            .label = "restitution",
                            .unit = "",
                            .value = 0.8,
                            .minimum = 0.0,
                            .maximum = 1.0,
                            .meaning = "Speed after a bounce over speed before; 1 bounces for ever."}},
            .make = make_bouncing_ball};
}

SceneInfo slide_to_roll_scene() {
    return {.name = "slide_to_roll",
            .title = "Sliding, then rolling",
            .description = "Thrown without spin a sphere ends at 5/7 of its speed; with back spin it comes back.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "speed",
                            .label = "speed",
                            .unit = "m/s",
                            .value = 2.0,
                            .minimum = 0.1,
                            .maximum = 20.0,
                            .meaning = "Speed at which the spheres are thrown."},
                           {.name = "friction",
                            .label = "friction",
                            .unit = "",
                            .value = 0.3,
                            .minimum = 0.02,
                            .maximum = 2.0,
                            .meaning = "Coulomb's coefficient; the slide lasts 2 v/(7 mu g)."}},
            .make = make_slide_to_roll};
}

SceneInfo incline_scene() {
    return {.name = "incline",
            .title = "Incline",
            .description = "Rolling, slipping, sliding or stuck: four spheres on a slope and the friction of each.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "slope",
                            .label = "slope",
                            .unit = "rad",
                            .value = 0.3,
                            .minimum = 0.0,
                            .maximum = 1.2,
                            .meaning = "Angle of the slope: a sphere rolls below tan a = 7/2 mu, one that may not "
                                       "turn is stuck below tan a = mu."}},
            .make = make_incline};
}

SceneInfo head_on_collision_scene() {
    return {.name = "head_on_collision",
            .title = "Head-on collision",
            .description = "Two balls on a line exchange momentum as Newton's law of restitution has it.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "mass",
                            .label = "second mass",
                            .unit = "kg",
                            .value = 3.0,
                            .minimum = 0.1,
                            .maximum = 20.0,
                            .meaning = "Mass of the second ball, of the first one's material; the first has 1 kg."},
                           {.name = "restitution",
                            .label = "restitution",
                            .unit = "",
                            .value = 1.0,
                            .minimum = 0.0,
                            .maximum = 1.0,
                            .meaning = "Speed of parting over speed of approach."}},
            .make = make_head_on_collision};
}

SceneInfo oblique_collision_scene() {
    return {.name = "oblique_collision",
            .title = "Oblique collision",
            .description = "A spinning ball strikes another off centre: friction turns spin into deflection.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "friction",
                            .label = "friction",
                            .unit = "",
                            .value = 0.3,
                            .minimum = 0.0,
                            .maximum = 2.0,
                            .meaning = "Coulomb's coefficient; enough of it stops the slip within the impact."},
                           {.name = "spin",
                            .label = "spin",
                            .unit = "rad/s",
                            .value = 8.0,
                            .minimum = -40.0,
                            .maximum = 40.0,
                            .meaning = "Rate at which the first ball turns about the line of sight."}},
            .make = make_oblique_collision};
}

} // namespace substep::detail
