// Worlds that no scene shows.
#include "extra_scenes.h"

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "random.h"
#include "substep/substep.h"

namespace baseline {

using namespace substep;

namespace {

using hostile::Random;

const glm::dvec3 kX{1.0, 0.0, 0.0}, kZ{0.0, 0.0, 1.0};

Scene begin(double tolerance) {
    Scene scene;
    WorldSettings settings;
    settings.integrator.atol = settings.integrator.rtol = tolerance;
    settings.integrator.substeps = 2;
    settings.integrator.budget = 400; // a frame in which everything meets costs no minute
    scene.world.set_settings(settings);
    return scene;
}

BodyId add_floor(World& world, const Material& material) {
    BodyDesc floor;
    floor.motion = MotionType::Static;
    floor.shape = Plane{};
    floor.material = material;
    return world.create_body(floor);
}

BodyDesc ball_at(const glm::dvec3& place, double radius, double mass, const Material& material) {
    BodyDesc desc;
    desc.pose.position = place;
    desc.shape = Sphere{radius};
    desc.mass = mass;
    desc.material = material;
    return desc;
}

/// Balls of several sizes fall on a floor and on one another, and come to rest as a heap.
Scene make_heap(std::span<const double>) {
    Scene scene = begin(1e-4);
    Random random(1);
    add_floor(scene.world, {.friction = 0.6});
    for (int i = 0; i < 27; ++i) {
        const double radius = random.between(0.08, 0.12);
        const glm::ivec3 cell(i % 3, i / 9, i / 3 % 3);
        const glm::dvec3 place(0.22 * cell.x, 0.2 + 0.3 * cell.y, 0.22 * cell.z);
        const Material material{.friction = 0.5, .static_friction = 0.6, .restitution = i % 2 == 0 ? 0.0 : 0.3};
        // One draw a statement: in which order arguments are computed is the compiler's choice.
        const glm::dvec3 beside = random.vector(0.01);
        scene.world.create_body(ball_at(place + beside, radius, random.between(0.5, 2.0), material));
    }
    return scene;
}

/// Balls roll about, hit one another, and fall asleep: islands merge and split, under a budget of the whole world.
Scene make_table(std::span<const double>) {
    Scene scene = begin(1e-5);
    WorldSettings settings = scene.world.settings();
    settings.sleep.enabled = true;
    settings.sleep.linear_speed = 0.1;
    settings.sleep.angular_speed = 0.5;
    settings.sleep.time = 0.1;
    settings.shared_budget = 3000;
    scene.world.set_settings(settings);
    Random random(2);
    add_floor(scene.world, {.friction = 0.3, .restitution = 0.4});
    for (int i = 0; i < 12; ++i) {
        const int row = i / 4;
        const glm::dvec3 place(0.5 * (i % 4), i % 5 == 0 ? 0.4 : 0.1, 0.5 * row);
        BodyDesc ball = ball_at(place, 0.1, random.between(0.5, 2.0), {.friction = 0.3, .restitution = 0.6});
        if (i % 3 != 0) {
            ball.linear_velocity = {random.between(-1.5, 1.5), 0.0, random.between(-1.5, 1.5)};
        }
        scene.world.create_body(ball);
    }
    return scene;
}

/// A chain with limits, dry friction and a servo falls on a ball and the floor: impacts of stops and contacts together.
Scene make_limbs(std::span<const double>) {
    Scene scene = begin(1e-6);
    World& world = scene.world;
    add_floor(world, {.friction = 0.8});
    BodyDesc rock = ball_at({0.45, 0.2, 0.02}, 0.2, 1.0, {});
    rock.motion = MotionType::Static;
    world.create_body(rock);
    std::vector<BodyId> links;
    for (int i = 0; i < 6; ++i) {
        links.push_back(world.create_body(ball_at({0.2 * i, 0.6 + 0.01 * i, 0.0}, 0.08, 0.5, {.restitution = 0.2})));
    }
    for (std::size_t i = 1; i < links.size(); ++i) {
        const glm::dvec3 middle = 0.5 * (world.pose(links[i - 1]).position + world.pose(links[i]).position);
        JointDesc joint = i == 3 ? cone_twist(world, links[i - 1], links[i], middle, kX, {.swing = 0.6})
                                 : hinge(world, links[i - 1], links[i], middle, kZ);
        if (i != 3) {
            joint.limits.push_back({.lower = -0.4, .upper = 0.5, .restitution = i == 1 ? 0.5 : 0.0});
            joint.friction.push_back({.viscous = 0.01, .dry = i % 2 == 0 ? 0.05 : 0.0});
        }
        if (i == 5) {
            joint.drives.push_back({.target_position = 0.3, .stiffness = 2.0, .damping = 0.1, .maximum_force = 0.2});
        }
        world.create_joint(joint);
    }
    return scene;
}

/// Heaves and sways about the origin, along a cubic in time.
class Swell final : public BodyPath {
public:
    Point at(double t) const noexcept override {
        const double s = (t - kMiddle) / kLength;
        const double w = s * (1.0 - s * s), rate = (1.0 - 3.0 * s * s) / kLength, bend = -6.0 * s / (kLength * kLength);
        Point point;
        point.pose.position.y = kHeave * w;
        point.linear_velocity.y = kHeave * rate;
        point.linear_acceleration.y = kHeave * bend;
        // p is the tangent of half the angle.
        const double p = kTilt * w, p_rate = kTilt * rate, p_bend = kTilt * bend, square = 1.0 + p * p;
        const double length = std::sqrt(square);
        point.pose.orientation = {1.0 / length, 0.0, 0.0, p / length};
        point.angular_velocity.z = 2.0 * p_rate / square;
        point.angular_acceleration.z = (2.0 * p_bend - 4.0 * p * p_rate * p_rate / square) / square;
        return point;
    }

private:
    static constexpr double kMiddle = 2.0, kLength = 2.3, kHeave = 0.4, kTilt = 0.3; // s, s, m, 1
};

/// Balls on a deck that heaves and sways, a pendulum on it, and a crank that turns for good.
Scene make_deck(std::span<const double>) {
    Scene scene = begin(1e-6);
    World& world = scene.world;
    BodyDesc deck;
    deck.motion = MotionType::Kinematic;
    deck.shape = Plane{};
    deck.path = std::make_shared<Swell>();
    deck.material.friction = 0.7;
    const BodyId deck_id = world.create_body(deck);
    for (int i = 0; i < 3; ++i) {
        world.create_body(ball_at({0.5 * i - 0.5, 0.101 + 0.05 * i, 0.3}, 0.1, 1.0, {.restitution = 0.25 * i}));
    }
    BodyDesc bob = ball_at({1.0, 0.5, 0.0}, 0.05, 1.0, {});
    bob.collides = false;
    const BodyId bob_id = world.create_body(bob);
    world.create_joint(hinge(world, deck_id, bob_id, {1.3, 1.0, 0.0}, kZ));

    BodyDesc crank = ball_at({-1.0, 1.0, 0.0}, 0.05, 1.0, {});
    crank.collides = false;
    crank.motion = MotionType::Kinematic;
    crank.angular_velocity = {0.0, 0.0, 5.0};
    const BodyId crank_id = world.create_body(crank);
    bob.pose.position = {-0.4, 1.2, 0.0};
    const BodyId slide_id = world.create_body(bob);
    world.create_joint(rod(world, crank_id, slide_id, {-1.0, 1.2, 0.0}, {-0.4, 1.2, 0.0}));
    JointDesc rail = slider(world, kGround, slide_id, {-0.4, 1.2, 0.0}, kX);
    rail.friction.push_back({.axis = JointAxis::Z, .dry = 0.5});
    world.create_joint(rail);
    return scene;
}

/// Bodies on springs that are stiffer than a frame, beside drag and a push that begins and ends at given times.
Scene make_stiff(std::span<const double>) {
    Scene scene = begin(1e-5);
    World& world = scene.world;
    std::vector<BodyId> bodies;
    for (int i = 0; i < 4; ++i) {
        BodyDesc desc = ball_at({0.3 * i, 1.0, 0.1 * (i % 2)}, 0.05, 0.5, {});
        desc.collides = false;
        desc.shape = Box{{0.1, 0.05, 0.07}};
        bodies.push_back(world.create_body(desc));
    }
    world.create_joint(ball(world, kGround, bodies[0], {-0.15, 1.0, 0.0}));
    for (std::size_t i = 1; i < bodies.size(); ++i) {
        SpringDesc spring{.body_a = bodies[i - 1], .body_b = bodies[i], .stiffness = 1e3, .rest_length = 0.1};
        spring.anchor_a = {0.1, 0.0, 0.0};
        spring.anchor_b = {-0.1, 0.02, 0.0};
        spring.stiffness = i == 2 ? 1e6 : 1e3;
        spring.damping = 0.5;
        world.add_force_field(std::make_unique<Spring>(spring));
    }
    world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1, .quadratic = 0.02}));
    world.add_force_field(
        std::make_unique<TimedField>(0.51, 1.02, std::make_unique<UniformGravity>(glm::dvec3(3.0, 0.0, 1.0))));
    return scene;
}

/// y = x^2/2.
class Parabola final : public Curve {
public:
    Point at(double s) const noexcept override { return {{s, 0.5 * s * s, 0.0}, {1.0, s, 0.0}, {0.0, 1.0, 0.0}}; }
};

/// Three parallel cranks under one bar, with more rows than freedoms, driven by a motor; two wheels that mesh; a bead
/// on a wire.
Scene make_cranks(std::span<const double>) {
    Scene scene = begin(1e-7);
    World& world = scene.world;
    BodyDesc desc;
    desc.collides = false;
    desc.shape = ThinRod{0.5, 0.02};
    desc.mass = 1.0;
    desc.pose.position = {0.6, 0.8, 0.0}; // cranks of 1 m, along (0.6, 0.8)
    const BodyId bar = world.create_body(desc);
    desc.mass = 0.5;
    for (int i = -1; i <= 1; ++i) {
        const glm::dvec3 foot{0.5 * i, 0.0, 0.0}, pin = foot + glm::dvec3(0.6, 0.8, 0.0);
        desc.pose.position = 0.5 * (foot + pin);
        const BodyId crank = world.create_body(desc);
        JointDesc joint = hinge(world, kGround, crank, foot, kZ);
        if (i == 0) {
            joint.drives.push_back({.target_rate = 4.0, .damping = 3.0, .maximum_force = 20.0});
        }
        world.create_joint(joint);
        world.create_joint(hinge(world, crank, bar, pin, kZ));
    }
    desc.shape = Cylinder{0.1, 0.02};
    desc.angular_velocity = {0.0, 0.0, 3.0};
    desc.pose.position = {2.0, 0.0, 0.0};
    const BodyId wheel = world.create_body(desc);
    desc.angular_velocity.z = -6.0;
    desc.pose.position.x = 2.3;
    const BodyId pinion = world.create_body(desc);
    const JointId first = world.create_joint(hinge(world, kGround, wheel, {2.0, 0.0, 0.0}, kZ));
    JointDesc second = hinge(world, kGround, pinion, {2.3, 0.0, 0.0}, kZ);
    second.friction.push_back({.dry = 0.01});
    world.create_coupling(gear(world, first, world.create_joint(second), 0.5));

    desc.shape = Sphere{0.05};
    desc.angular_velocity = glm::dvec3(0.0);
    desc.pose.position = {0.75, 0.28125, 1.0};
    const BodyId bead = world.create_body(desc);
    world.create_joint(point_on_curve(world, kGround, bead, {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0}},
                                      std::make_shared<Parabola>(), desc.pose.position, 0.75));
    return scene;
}

SceneInfo row(std::string_view name, Scene (*make)(std::span<const double>)) {
    SceneInfo info;
    info.name = name;
    info.make = make;
    return info;
}

} // namespace

std::span<const SceneInfo> extra_scenes() {
    static const std::array scenes{row("heap", make_heap), row("table", make_table), row("limbs", make_limbs),
                                   row("deck", make_deck), row("stiff", make_stiff), row("cranks", make_cranks)};
    return scenes;
}

} // namespace baseline
