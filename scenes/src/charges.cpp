// Scenes of charges in uniform fields: `cyclotron` and `crossed_fields`.
//
// In a magnetic field B a charge q of mass m turns about it at w = -q B/m, and moves along it evenly: a helix
// (`cyclotron`). An electric field E at right angles to B adds a drift E x B/B^2, the same for every charge and mass;
// in the frame that drifts there is the magnetic field alone (Jackson, Classical Electrodynamics, 12.2 and 12.3). A
// charge started at rest draws a cycloid (`crossed_fields`).
#include <cmath>
#include <memory>
#include <string>

#include <glm/geometric.hpp>

#include "pose_truth.h"
#include "smooth_settings.h"
#include "substep/engine/electromagnetism.h"
#include "substep/engine/forces.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0;   // kg
constexpr double kCharge = 1.0; // C

/// Motion of a charge in crossed fields: B along y, E along x.
struct ChargeMotion {
    glm::dvec3 start{0.0};
    glm::dvec3 velocity{0.0}; // m/s, at the start
    double turn_rate = 1.0;   // rad/s, about y
    double drift = 0.0;       // m/s, along z

    // x(t) = x0 + drift t + (sin wt u + (1 - cos wt) (y x u))/w + the part along y, u the velocity across y less drift.
    glm::dvec3 position(double t) const {
        const glm::dvec3 steady{0.0, velocity.y, drift};
        const glm::dvec3 turning = velocity - steady;
        const double angle = turn_rate * t;
        const double half = std::sin(0.5 * angle);
        const glm::dvec3 sideways = glm::cross(glm::dvec3{0.0, 1.0, 0.0}, turning);
        return start + steady * t + (std::sin(angle) * turning + 2.0 * half * half * sideways) / turn_rate;
    }
};

// Adds a charge with its field, which acts on it alone.
ExactBody add_charge(Scene& scene, const std::string& name, double charge, double magnetic, double electric,
                     const glm::dvec3& start, const glm::dvec3& velocity) {
    BodyDesc body;
    body.shape = Sphere{0.12};
    body.mass = kMass;
    body.pose.position = start;
    body.linear_velocity = velocity;
    body.collides = false; // a charge stands for a point
    const BodyId id = scene.world.create_body(body);
    const NodeAppearance look{*body.shape, charge > 0.0 ? NodeAppearance::Role::Bob : NodeAppearance::Role::Body};
    scene.graph.add({name, kNoNode, body.pose, look, id});
    scene.trails.push_back(id);

    LorentzDesc fields;
    fields.charge = charge;
    fields.electric_field = {electric, 0.0, 0.0};
    fields.magnetic_field = {0.0, magnetic, 0.0};
    scene.world.add_force_field(std::make_unique<OnBodies>(std::vector{id}, std::make_unique<Lorentz>(fields)));

    // E x B/B^2 is along x cross y, which is z.
    const ChargeMotion motion{start, velocity, -charge * magnetic / kMass, electric / magnetic};
    return {id, [motion](double t) { return Pose{motion.position(t), {1.0, 0.0, 0.0, 0.0}}; }};
}

Scene charge_scene() {
    Scene scene;
    WorldSettings settings = smooth_settings(1e-10);
    settings.gravity = glm::dvec3{0.0};
    scene.world = World(settings);
    return scene;
}

PoseChannel coordinate(const char* name, std::size_t body, int axis) {
    return {name, "m", body, [axis](const Pose& pose) { return pose.position[axis]; }};
}

// Two opposite charges from one side: one helix climbs to the left, the other to the right.
Scene make_cyclotron(std::span<const double> values) {
    Scene scene = charge_scene();
    const double magnetic = values[0], speed = values[1], along = values[2];
    const double radius = speed * kMass / (kCharge * magnetic);
    PoseTruthDesc truth;
    truth.threshold = 1e-11; // 2.3e-13: a linear equation, turns do not amplify errors
    truth.visible_error = 0.08;
    for (const double sign : {1.0, -1.0}) {
        truth.bodies.push_back(add_charge(scene, sign > 0.0 ? "positive" : "negative", sign * kCharge, magnetic, 0.0,
                                          {0.0, 0.0, sign * (radius + 0.1)}, {speed, along, 0.0}));
    }
    truth.channels = {coordinate("x", 0, 0), coordinate("z", 0, 2), coordinate("y", 0, 1)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kMass * (speed * speed + along * along);
    scene.energy_scale_meaning = "kinetic energy of both at the start";
    scene.view = {{0.0, 1.4, 0.0}, 7.2, 0.5, 0.35};
    return scene;
}

// At rest, and thrown both ways along the drift.
Scene make_crossed_fields(std::span<const double> values) {
    Scene scene = charge_scene();
    const double magnetic = values[0], electric = values[1];
    const double drift = electric / magnetic;
    PoseTruthDesc truth;
    truth.threshold = 1e-11; // 2.3e-13: likewise
    truth.visible_error = 0.08;
    for (const double start : {0.0, -1.0, 2.0}) {
        const std::string name = start == 0.0 ? "at rest" : start < 0.0 ? "backwards" : "forwards";
        truth.bodies.push_back(
            add_charge(scene, name, kCharge, magnetic, electric, {1.2 * start, 0.0, -3.0}, {0.0, 0.0, start * drift}));
    }
    truth.channels = {coordinate("x at rest", 0, 0), coordinate("z at rest", 0, 2), coordinate("z backwards", 1, 2)};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kMass * drift * drift;
    scene.energy_scale_meaning = "twice the kinetic energy of one at the speed of the drift";
    scene.view = {{0.3, 0.0, -0.2}, 9.5, 0.9, 0.7};
    return scene;
}

SceneParameter parameter(const char* name, const char* label, const char* unit, double value, double minimum,
                         double maximum, const char* meaning) {
    return {name, label, unit, value, minimum, maximum, meaning};
}

} // namespace

SceneInfo cyclotron_scene() {
    return {.name = "cyclotron",
            .title = "Cyclotron",
            .description = "Two opposite charges wind along a magnetic field, in helices of either hand.",
            .group = "charges and magnets",
            .has_truth = true,
            .parameters = {parameter("magnetic_field", "magnetic field", "T", 3.0, 0.5, 50.0,
                                     "Along y; a charge of 1 C and 1 kg turns at as many rad/s."),
                           parameter("speed", "speed", "m/s", 2.0, 0.0, 20.0, "Across the field."),
                           parameter("speed_along", "speed along", "m/s", 0.3, -5.0, 5.0, "Along the field.")},
            .make = make_cyclotron};
}

SceneInfo crossed_fields_scene() {
    return {.name = "crossed_fields",
            .title = "Crossed fields",
            .description = "Charges in crossed electric and magnetic fields all drift alike, on cycloids.",
            .group = "charges and magnets",
            .has_truth = true,
            .parameters = {parameter("magnetic_field", "magnetic field", "T", 3.0, 0.5, 50.0, "Along y."),
                           parameter("electric_field", "electric field", "V/m", 1.5, 0.1, 20.0,
                                     "Along x; the drift is its ratio to the magnetic field, along z.")},
            .make = make_crossed_fields};
}

} // namespace substep::detail
