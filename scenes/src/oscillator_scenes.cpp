// Scenes of masses on springs: damping, resonance, beats and normal modes.
//
// Every mass is a cart on a straight rail, so that its springs are linear at any displacement. Damped and driven carts
// obey x'' + 2 gamma x' + Omega0^2 x = a cos(w t), whose closed form is LinearOscillator (Landau & Lifshitz, Mechanics,
// sections 21 to 26). Coupled carts are a sum of normal modes, NormalModes (section 23; Goldstein, Classical Mechanics,
// 3rd ed., 6.4): two at sqrt(k/m) and sqrt((k + 2 k')/m), three at sqrt(2 -+ sqrt 2) and sqrt 2 times sqrt(k/m).
#include <memory>
#include <vector>

#include "linear_oscillator.h"
#include "normal_modes.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/engine/forces.h"
#include "substep/engine/springs.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg, of every cart
const Box kCart{{0.12, 0.1, 0.1}};
constexpr double kSpringLength = 1.5; // m, of a relaxed spring

// dormand_prince853 at 1e-13 was measured to leave at most 1.3e-10 m in ten seconds at 30, 60 and 120 frames a second
// for the damped carts, 2.4e-12 in resonance and 7e-13 for the coupled carts. Where substeps end on frames the damped
// carts keep 3e-15: the rest comes with run-ahead's longer substeps, late, when the swing has died down.
constexpr double kThreshold = 1e-9;

// A cart that can move along x; `rest` is where its spring is relaxed.
struct Cart {
    BodyId body;
    glm::dvec3 rest{0.0};
};

Cart add_cart(Scene& scene, const glm::dvec3& rest, double displacement) {
    BodyDesc desc;
    desc.pose.position = rest + glm::dvec3{displacement, 0.0, 0.0};
    desc.shape = kCart;
    desc.collides = false; // its shape is a picture
    desc.mass = kMass;
    const BodyId body = add_body(scene, "cart", desc, NodeAppearance::Role::Bob);
    scene.world.create_joint(slider(scene.world, kGround, body, desc.pose.position, {1.0, 0.0, 0.0}));
    return {body, rest};
}

void add_spring(Scene& scene, const SpringDesc& desc) { scene.world.add_force_field(std::make_unique<Spring>(desc)); }

// The rail under a row of carts, and a wall at an end.
void add_rail(Scene& scene, double from, double to, double z) {
    const glm::dvec3 middle{0.5 * (from + to), -0.12, z};
    add_support(scene, "rail", {middle, kNoTurn}, Box{{0.5 * (to - from), 0.02, 0.04}});
}
void add_wall(Scene& scene, double x, double z) {
    add_support(scene, "wall", {{x, 0.0, z}, kNoTurn}, Box{{0.03, 0.18, 0.15}});
}

// --- one spring each: damped, and driven -----------------------------------------------------------------------------

// Carts side by side, each with its spring, and its exact motion.
struct Oscillators {
    std::vector<Cart> carts;
    std::vector<LinearOscillator> motions;
};

void add_oscillator(Scene& scene, Oscillators& all, double z, const OscillatorDesc& desc) {
    const Cart cart = add_cart(scene, {0.0, 0.0, z}, desc.start);
    SpringDesc spring;
    spring.body_a = kGround;
    spring.body_b = cart.body;
    spring.anchor_a = {-kSpringLength, 0.0, z};
    spring.stiffness = kMass * desc.natural_rate * desc.natural_rate;
    spring.rest_length = kSpringLength;
    spring.damping = 2.0 * kMass * desc.damping;
    add_spring(scene, spring);
    add_rail(scene, -kSpringLength, kSpringLength, z);
    add_wall(scene, -kSpringLength, z);
    all.carts.push_back(cart);
    all.motions.emplace_back(desc);
}

std::unique_ptr<Truth> oscillator_truth(const Oscillators& all) {
    PoseTruthDesc desc;
    desc.threshold = kThreshold;
    desc.visible_error = 0.02;
    for (std::size_t i = 0; i < all.carts.size(); ++i) {
        const auto pose = [rest = all.carts[i].rest, motion = all.motions[i]](double t) {
            return Pose{rest + glm::dvec3{motion.at(t).position, 0.0, 0.0}, kNoTurn};
        };
        desc.bodies.push_back({all.carts[i].body, pose});
        desc.channels.push_back({std::string("x").append(std::to_string(i + 1)), "m", i,
                                 [](const Pose& where) { return where.position.x; }});
    }
    return std::make_unique<PoseTruth>(std::move(desc));
}

Scene make_damped_oscillators(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const double rate = values[0];
    const double start = values[1];
    Oscillators all;
    double z = -0.6;
    for (const double ratio : {0.1, 1.0, 3.0}) { // damping over critical damping
        add_oscillator(scene, all, z, {.natural_rate = rate, .damping = ratio * rate, .start = start});
        scene.trails.push_back(all.carts.back().body);
        z += 0.6;
    }
    scene.truth = oscillator_truth(all);
    scene.energy_scale = 1.5 * kMass * rate * rate * start * start;
    scene.energy_scale_meaning = "energy of the three springs at the start";
    scene.view = {{-0.1, -0.1, 0.0}, 5.0, 0.45, 0.5};
    return scene;
}

Scene make_resonance(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const double drive_rate = values[0];
    const double damping = values[1] * drive_rate;
    constexpr double kDrive = 0.4; // m/s^2: force over mass
    Oscillators all;
    std::vector<BodyId> driven;
    double z = -1.2;
    for (const double tuning : {0.6, 0.8, 1.0, 1.2, 1.4}) { // natural rate over the rate of the drive
        add_oscillator(
            scene, all, z,
            {.natural_rate = tuning * drive_rate, .damping = damping, .drive = kDrive, .drive_rate = drive_rate});
        driven.push_back(all.carts.back().body);
        z += 0.6;
    }
    const auto force = [drive_rate](double t, const BodyMotion& body) {
        return Wrench{{body.mass * kDrive * cosine(drive_rate * t), 0.0, 0.0}, glm::dvec3{0.0}};
    };
    auto drive = std::make_unique<CustomField>(force, CustomField::Potential{}, "harmonic drive");
    scene.world.add_force_field(std::make_unique<OnBodies>(driven, std::move(drive)));

    scene.truth = oscillator_truth(all);
    const double speed = kDrive / (2.0 * damping); // of the cart in resonance, in the end
    scene.energy_scale = 0.5 * kMass * speed * speed;
    scene.energy_scale_meaning = "kinetic energy of the cart in resonance, once its motion is steady";
    scene.frames = 1200;
    scene.view = {{-0.1, -0.2, 0.0}, 6.2, 0.45, 0.6};
    scene.trails = {driven[2]};
    return scene;
}

// --- springs between carts -------------------------------------------------------------------------------------------

// Carts in a row between two walls, released from displacements.
Scene make_row(const NormalModes& modes, const std::vector<double>& start, double wall, double coupling) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const auto count = start.size();
    const double left = -0.5 * kSpringLength * static_cast<double>(count + 1);
    add_rail(scene, left, -left, 0.0);
    add_wall(scene, left, 0.0);
    add_wall(scene, -left, 0.0);

    // Each spring joins what is left of it to what is right of it; the outer ones join walls.
    PoseTruthDesc truth;
    BodyId previous = kGround;
    for (std::size_t i = 0; i <= count; ++i) {
        SpringDesc spring;
        spring.body_a = previous;
        spring.body_b = kGround;
        spring.anchor_a = i == 0 ? glm::dvec3{left, 0.0, 0.0} : glm::dvec3{0.0};
        spring.rest_length = kSpringLength;
        spring.stiffness = i == 0 || i == count ? wall : coupling;
        if (i == count) {
            spring.anchor_b = {-left, 0.0, 0.0};
            add_spring(scene, spring);
            break;
        }
        const glm::dvec3 rest{left + kSpringLength * static_cast<double>(i + 1), 0.0, 0.0};
        const Cart cart = add_cart(scene, rest, start[i]);
        spring.body_b = cart.body;
        add_spring(scene, spring);
        previous = cart.body;

        const auto pose = [rest, modes, start, i](double t) {
            return Pose{rest + glm::dvec3{modes.at(t, start).position[i], 0.0, 0.0}, kNoTurn};
        };
        truth.bodies.push_back({cart.body, pose});
        truth.channels.push_back({std::string("x").append(std::to_string(i + 1)), "m", i,
                                  [rest](const Pose& where) { return where.position.x - rest.x; }});
        scene.trails.push_back(cart.body);
    }
    truth.threshold = kThreshold;
    truth.visible_error = 0.02;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = scene.world.energy().total();
    scene.energy_scale_meaning = "energy of the springs at the start";
    scene.view = {{0.0, 0.0, 0.0}, 3.6 - 2.0 * left, 0.25, 0.35};
    return scene;
}

Scene make_beats(std::span<const double> values) {
    constexpr double kWall = 30.0; // N/m
    return make_row(NormalModes::of_two(kMass, kWall, values[0]), {values[1], 0.0}, kWall, values[0]);
}

Scene make_normal_modes(std::span<const double> values) {
    constexpr double kStiffness = 20.0; // N/m
    const NormalModes modes = NormalModes::of_string(3, kMass, kStiffness);
    std::vector<double> start{0.5, 0.0, 0.0}; // plucked: all modes at once
    const auto mode = static_cast<std::size_t>(values[0]);
    if (mode > 0) {
        for (std::size_t i = 0; i < 3; ++i) {
            start[i] = 0.6 * static_cast<double>(modes.modes()[mode - 1].shape[i]);
        }
    }
    return make_row(modes, start, kStiffness, kStiffness);
}

} // namespace

SceneInfo damped_oscillators_scene() {
    return {.name = "damped_oscillators",
            .title = "Damped oscillators",
            .description = "Three carts on springs with a tenth, once and three times the critical damping.",
            .group = "oscillators",
            .has_truth = true,
            .velocity_forces = true,
            .parameters = {{.name = "rate",
                            .label = "natural rate",
                            .unit = "rad/s",
                            .value = 3.0,
                            .minimum = 0.5,
                            .maximum = 30.0,
                            .meaning = "Rate of the undamped swing; far above 10 the overdamped cart is stiff."},
                           {.name = "start",
                            .label = "start",
                            .unit = "m",
                            .value = 0.8,
                            .minimum = 0.1,
                            .maximum = 1.2,
                            .meaning = "Displacement at the start, from which the carts are released."}},
            .make = make_damped_oscillators};
}

SceneInfo resonance_scene() {
    return {.name = "resonance",
            .title = "Resonance",
            .description = "Five carts of different tuning are shaken at one rate; the one in tune answers most.",
            .group = "oscillators",
            .has_truth = true,
            .velocity_forces = true,
            .parameters = {{.name = "drive_rate",
                            .label = "rate of the drive",
                            .unit = "rad/s",
                            .value = 3.0,
                            .minimum = 2.5,
                            .maximum = 12.0,
                            .meaning = "Rate of the force; slow drives reach far, since the force stays the same."},
                           {.name = "damping",
                            .label = "damping",
                            .unit = "",
                            .value = 0.05,
                            .minimum = 0.04,
                            .maximum = 1.0,
                            .meaning = "Damping of every cart over the critical one; little makes the peak sharp."}},
            .make = make_resonance};
}

SceneInfo beats_scene() {
    return {.name = "beats",
            .title = "Beats",
            .description = "Two weakly coupled carts hand one swing to and fro: the sum of two normal modes.",
            .group = "oscillators",
            .has_truth = true,
            .parameters = {{.name = "coupling",
                            .label = "coupling",
                            .unit = "N/m",
                            .value = 3.0,
                            .minimum = 0.0,
                            .maximum = 100.0,
                            .meaning = "Stiffness of the spring between the carts; without it the second rests."},
                           {.name = "start",
                            .label = "start",
                            .unit = "m",
                            .value = 0.5,
                            .minimum = 0.05,
                            .maximum = 0.6,
                            .meaning = "Displacement of the first cart at the start."}},
            .make = make_beats};
}

SceneInfo normal_modes_scene() {
    return {.name = "normal_modes",
            .title = "Normal modes",
            .description = "Three carts and four springs: one of the three normal modes, or all of them at once.",
            .group = "oscillators",
            .has_truth = true,
            .parameters = {{.name = "mode",
                            .label = "mode",
                            .unit = "",
                            .value = 0.0,
                            .minimum = 0.0,
                            .maximum = 3.0,
                            .meaning = "Normal mode to start in, slowest first; 0 plucks the first cart.",
                            .integer = true}},
            .make = make_normal_modes};
}

} // namespace substep::detail
