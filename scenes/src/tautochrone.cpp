// Scene `tautochrone`: beads that slide on cycloids from different heights reach the bottom together.
//
// On the cycloid x = r (s + sin s), y = r (1 - cos s) the height is y = l^2/(8 r) with l = 4 r sin(s/2), the length of
// the arc from the bottom. So l'' = -g/(4 r) l, whatever the height: l = l0 cos(w t), w^2 = g/(4 r) (Huygens,
// Horologium oscillatorium, 1673; Whittaker, Analytical Dynamics, section 48). A bead is held at its centre of mass and
// does not turn.
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <glm/geometric.hpp>

#include "pose_truth.h"
#include "smooth_settings.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

using std::numbers::pi;

constexpr double kMass = 1.0;    // kg
constexpr double kSpacing = 0.3; // m, between cycloids
constexpr int kBeads = 4;

/// A cycloid with its cusps upwards in the plane z = 0, its bottom at the origin.
class Cycloid final : public Curve {
public:
    explicit Cycloid(double radius) : radius_(radius) {}
    Point at(double s) const noexcept override {
        double sine = 0.0, cosine = 1.0;
        substep::sine_cosine(s, sine, cosine);
        return {radius_ * glm::dvec3{s + sine, 1.0 - cosine, 0.0}, radius_ * glm::dvec3{1.0 + cosine, sine, 0.0},
                radius_ * glm::dvec3{-sine, cosine, 0.0}};
    }

private:
    double radius_; // m, of the circle that rolls
};

// Draws a cycloid up to `highest` as a chain of rods.
void add_track(Scene& scene, double radius, double highest, double z) {
    constexpr int kPieces = 32;
    const auto point = [&](int i) {
        const double s = highest * (2.0 * i / kPieces - 1.0);
        return glm::dvec3{radius * (s + std::sin(s)), radius * (1.0 - std::cos(s)), z};
    };
    for (int i = 0; i < kPieces; ++i) {
        const glm::dvec3 along = point(i + 1) - point(i);
        const double turn = 0.5 * std::atan2(along.y, along.x); // a rod lies along x
        const NodeAppearance piece{ThinRod{0.5 * glm::length(along), 0.01}, NodeAppearance::Role::Support};
        scene.graph.add({"track",
                         kNoNode,
                         {0.5 * (point(i) + point(i + 1)), {std::cos(turn), 0.0, 0.0, std::sin(turn)}},
                         piece,
                         kGround});
    }
}

Scene make_tautochrone(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-10));
    const double radius = values[0];
    const double rate = std::sqrt(kGravity / (4.0 * radius));
    const auto cycloid = std::make_shared<const Cycloid>(radius);

    PoseTruthDesc truth;
    truth.threshold = 1e-11; // m: ten times the 9e-13 measured at 120 fps
    truth.visible_error = 0.03;
    for (int i = 0; i < kBeads; ++i) {
        const double start = values[1] * (i + 1) / kBeads; // of s
        const double z = kSpacing * (i - 0.5 * (kBeads - 1));
        const auto position = [=](double t) {
            const double sine = std::sin(0.5 * start) * std::cos(rate * t); // of s/2
            const double s = 2.0 * std::asin(sine);
            return glm::dvec3{radius * (s + std::sin(s)), 2.0 * radius * sine * sine, z};
        };
        BodyDesc bead;
        bead.shape = Sphere{0.06};
        bead.mass = kMass;
        bead.pose.position = position(0.0);
        bead.collides = false; // the track is drawn, not touched
        const BodyId body = scene.world.create_body(bead);
        scene.world.create_joint(point_on_curve(scene.world, kGround, body, {{0.0, 0.0, z}, {1.0, 0.0, 0.0, 0.0}},
                                                cycloid, bead.pose.position, start));
        const NodeAppearance look{*bead.shape, NodeAppearance::Role::Bob};
        scene.graph.add({"bead " + std::to_string(i + 1), kNoNode, bead.pose, look, body});
        add_track(scene, radius, 0.95 * pi, z);
        truth.bodies.push_back({body, [position](double t) { return Pose{position(t), {1.0, 0.0, 0.0, 0.0}}; }});
    }
    const auto along = [](const Pose& pose) { return pose.position.x; };
    truth.channels = {{"x of the lowest", "m", 0, along}, {"x of the highest", "m", kBeads - 1, along}};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 2.0 * kMass * kGravity * radius;
    scene.energy_scale_meaning = "work of lifting a bead from the bottom to a cusp";
    scene.view = {{0.0, 0.5, 0.0}, 4.9, 0.35, 0.25};
    return scene;
}

} // namespace

SceneInfo tautochrone_scene() {
    return {
        .name = "tautochrone",
        .title = "Tautochrone",
        .description = "Beads on equal cycloids, released at different heights, meet at the bottom every time.",
        .group = "pendulums",
        .has_truth = true,
        .parameters = {{.name = "radius",
                        .label = "radius",
                        .unit = "m",
                        .value = 0.5,
                        .minimum = 0.1,
                        .maximum = 5.0,
                        .meaning = "Of the circle that draws the cycloid; the beads swing as a pendulum of four times "
                                   "this length does."},
                       {.name = "highest",
                        .label = "highest",
                        .unit = "rad",
                        .value = 2.4, // methods of low order gain energy: a seventh more carries it over the cusp
                        .minimum = 0.1,
                        .maximum = 3.0,
                        .meaning = "Angle of that circle where the highest bead starts; at 3.14 it is the cusp."}},
        .make = make_tautochrone};
}

} // namespace substep::detail
