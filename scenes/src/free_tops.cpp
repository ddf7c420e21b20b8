// Scenes of bodies that turn freely: `free_top`, `dzhanibekov` and `symmetric_top`.
//
// No torque, so the angular momentum stays where it is and the body turns about it. Three different moments of inertia:
// AsymmetricTop, elliptic functions with one quadrature (Landau & Lifshitz, Mechanics, section 37). About the largest
// or the smallest axis the rotation is stable (`free_top` has one body of each kind: both sides of the separatrix L^2 =
// 2 T I2), about the middle one it is not, and the body flips over and over (`dzhanibekov`, after the cosmonaut who saw
// a wing nut do it in 1985). Two equal moments: one turn about L, one about the body's own axis (`symmetric_top`).
#include <memory>
#include <utility>

#include <glm/geometric.hpp>

#include "pose_truth.h"
#include "smooth_settings.h"
#include "substep/scenes/asymmetric_top.h"
#include "substep/scenes/scene.h"
#include "substep/scenes/symmetric_top.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg
const glm::dquat kStraight{1.0, 0.0, 0.0, 0.0};

Scene weightless_scene() {
    Scene scene;
    WorldSettings settings = smooth_settings(1e-10);
    settings.gravity = glm::dvec3{0.0};
    scene.world = World(settings);
    scene.energy_scale_meaning = "kinetic energy at the start";
    return scene;
}

PoseTruthDesc attitude_truth(double threshold, double lever) {
    PoseTruthDesc truth;
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.threshold = threshold;
    truth.lever = lever;
    return truth;
}

// The three principal moments, of a shape whose axes are principal.
glm::dvec3 moments_of(const Shape& shape) {
    const glm::dmat3 inertia = mass_properties(shape, kMass).inertia;
    return {inertia[0][0], inertia[1][1], inertia[2][2]};
}

// Adds a body at `place` that turns at `rates` about its own axes, which are the world's at the start.
BodyDesc add_body(Scene& scene, const char* name, const Shape& shape, const glm::dvec3& place,
                  const glm::dvec3& rates) {
    BodyDesc body;
    body.shape = shape;
    body.collides = false; // its shape is a picture
    body.mass = kMass;
    body.pose.position = place;
    body.angular_velocity = rates;
    const BodyId id = scene.world.create_body(body);
    scene.graph.add({name, kNoNode, body.pose, NodeAppearance{shape, NodeAppearance::Role::Body}, id});
    return body;
}

// A component of a body's own axis in the world, -1 to 1.
PoseChannel axis_channel(const char* name, std::size_t body, const glm::dvec3& axis, int component) {
    return {name, "", body, [axis, component](const Pose& pose) { return (pose.orientation * axis)[component]; }};
}

// The exact motion of a body without torque, whose moments of inertia increase from x to z.
ExactBody asymmetric_body(const Scene& scene, const BodyDesc& body) {
    AsymmetricTop top(moments_of(*body.shape), body.angular_velocity, body.pose.orientation);
    const auto pose = [top = std::move(top), place = body.pose.position](double t) {
        return Pose{place, top.at(t).orientation};
    };
    return {scene.world.bodies().back(), pose};
}

double kinetic_energy(const BodyDesc& body) {
    return 0.5 * glm::dot(moments_of(*body.shape) * body.angular_velocity, body.angular_velocity);
}

Scene make_free_top(std::span<const double> values) {
    Scene scene = weightless_scene();
    const Box brick{{0.6, 0.4, 0.15}};
    const double rate = values[0], wobble = values[1];
    PoseTruthDesc truth = attitude_truth(5e-11, brick.half_sizes.x); // 3.3e-12: stable rotation
    const BodyDesc about_smallest =
        add_body(scene, "about the smallest axis", brick, {-1.0, 0.0, 0.0}, {rate, wobble, 0.5 * wobble});
    truth.bodies.push_back(asymmetric_body(scene, about_smallest));
    const BodyDesc about_largest =
        add_body(scene, "about the largest axis", brick, {1.0, 0.0, 0.0}, {0.5 * wobble, wobble, rate});
    truth.bodies.push_back(asymmetric_body(scene, about_largest));
    for (const NodeIndex node : {0u, 1u}) { // marks, so that one sees which side is which
        const NodeAppearance knob{Sphere{0.07}, NodeAppearance::Role::Bob};
        scene.graph.add({"knob", node, {{0.45, 0.25, brick.half_sizes.z}, kStraight}, knob, kGround});
    }
    truth.channels = {axis_channel("x axis, left", 0, {1.0, 0.0, 0.0}, 0),
                      axis_channel("z axis, right", 1, {0.0, 0.0, 1.0}, 2)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kinetic_energy(about_smallest) + kinetic_energy(about_largest);
    scene.view = {glm::dvec3{0.0}, 5.4, 0.4, 0.3};
    return scene;
}

Scene make_dzhanibekov(std::span<const double> values) {
    Scene scene = weightless_scene();
    const Box plate{{0.6, 0.45, 0.08}};
    const BodyDesc body = add_body(scene, "nut", plate, glm::dvec3{0.0}, {values[1], values[0], values[1]});
    const ExactBody exact = asymmetric_body(scene, body);
    const AsymmetricTop top(moments_of(plate), body.angular_velocity, kStraight);

    // Wings, so that one sees which way it points.
    const NodeAppearance stem{Cylinder{0.06, 0.3}, NodeAppearance::Role::Support};
    scene.graph.add({"stem", 0, {{0.0, 0.6, 0.0}, kStraight}, stem, kGround});
    const NodeAppearance knob{Sphere{0.1}, NodeAppearance::Role::Bob};
    scene.graph.add({"knob", 0, {{0.0, 0.9, 0.0}, kStraight}, knob, kGround});

    // Ten periods of two flips each, every one of which multiplies errors: 2.7e-7.
    PoseTruthDesc truth = attitude_truth(2e-6, plate.half_sizes.x);
    truth.until = 10.0 * top.period();
    truth.bodies = {exact};
    truth.channels = {axis_channel("axis up", 0, {0.0, 1.0, 0.0}, 1),
                      axis_channel("axis along", 0, {0.0, 1.0, 0.0}, 0)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kinetic_energy(body);
    scene.frames = 1800;
    scene.view = {glm::dvec3{0.0}, 4.0, 0.5, 0.3};
    return scene;
}

Scene make_symmetric_top(std::span<const double> values) {
    Scene scene = weightless_scene();
    const Cylinder disc{0.6, 0.05};
    const BodyDesc body = add_body(scene, "disc", disc, glm::dvec3{0.0}, {values[1], values[0], 0.0});
    const glm::dvec3 moments = moments_of(disc);
    const NodeAppearance knob{Sphere{0.07}, NodeAppearance::Role::Bob};
    scene.graph.add({"knob", 0, {{0.45, 0.08, 0.0}, kStraight}, knob, kGround});

    PoseTruthDesc truth = attitude_truth(5e-11, disc.radius); // 2.8e-12: stable rotation
    const auto pose = [moments, rates = body.angular_velocity](double t) {
        return Pose{glm::dvec3{0.0}, free_symmetric_top(moments.x, moments.y, kStraight, rates, t)};
    };
    truth.bodies = {{scene.world.bodies().front(), pose}};
    truth.channels = {axis_channel("axis up", 0, {0.0, 1.0, 0.0}, 1), axis_channel("axis along", 0, {0.0, 1.0, 0.0}, 0),
                      axis_channel("mark along", 0, {1.0, 0.0, 0.0}, 0)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kinetic_energy(body);
    scene.view = {glm::dvec3{0.0}, 2.8, 0.4, 0.35};
    return scene;
}

SceneParameter rate(const char* name, const char* label, double value, double minimum, double maximum,
                    const char* meaning) {
    return {name, label, "rad/s", value, minimum, maximum, meaning};
}

} // namespace

SceneInfo free_top_scene() {
    return {.name = "free_top",
            .title = "Free tops",
            .description =
                "Two equal bricks, spun about their smallest and their largest axis, wobble and do not flip.",
            .group = "spinning bodies",
            .has_truth = true,
            .parameters = {rate("rate", "rate", 5.0, 0.5, 20.0, "Start rate about the axis of stable rotation."),
                           rate("wobble", "wobble", 1.0, 0.01, 3.0,
                                "Start rate about the middle axis, half of it about the third; a large one crosses the "
                                "separatrix, and the bricks flip.")},
            .make = make_free_top};
}

SceneInfo dzhanibekov_scene() {
    return {.name = "dzhanibekov",
            .title = "Dzhanibekov effect",
            .description = "A nut spun about its middle axis turns head over heels at regular times, ten periods long.",
            .group = "spinning bodies",
            .has_truth = true,
            .parameters = {rate("rate", "rate", 6.0, 0.5, 20.0, "Start rate about the middle axis."),
                           rate("disturbance", "disturbance", 0.1, 0.001, 1.0,
                                "Start rate about both other axes; the smaller, the longer it pauses between flips.")},
            .make = make_dzhanibekov};
}

SceneInfo symmetric_top_scene() {
    return {.name = "symmetric_top",
            .title = "Wobbling plate",
            .description = "A disc thrown with a wobble wobbles nearly twice as fast as it spins.",
            .group = "spinning bodies",
            .has_truth = true,
            .parameters = {rate("spin", "spin", 8.0, -30.0, 30.0, "Start rate about the disc's own axis."),
                           rate("wobble", "wobble", 1.5, 0.1, 20.0, "Start rate about a diameter.")},
            .make = make_symmetric_top};
}

} // namespace substep::detail
