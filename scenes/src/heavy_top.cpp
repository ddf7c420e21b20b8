// Scenes of Lagrange's top: `heavy_top`, `steady_precession` and `sleeping_top`.
//
// A disc on a thin axle whose foot stands on a ball joint. Its exact motion is SymmetricTop's: the tilt by elliptic
// functions, precession and spin by quadrature (Goldstein, Classical Mechanics, 5.7; Whittaker, section 71). Three
// questions are asked of it. Released at rest in precession, it nods as it goes round: nutation between two tilts.
// Started at phi' = (I3 w3 +- sqrt(I3^2 w3^2 - 4 I1 m g l cos tilt)) / (2 I1 cos tilt) it goes round at a constant
// tilt, slowly or fast. Upright it sleeps while I3^2 w3^2 > 4 I1 m g l, and falls into wide nutation below.
#include <cmath>
#include <memory>

#include "pivoted_top.h"
#include "smooth_settings.h"

namespace substep::detail {
namespace {

const Cylinder kDisc{0.5, 0.03};  // m
constexpr double kMass = 1.0;     // kg
constexpr double kDistance = 0.4; // m, of the disc from the foot

PivotedTopDesc top_desc(const char* name, const glm::dvec3& pivot, double tilt, double spin, double precession) {
    return {.name = name,
            .pivot = pivot,
            .distance = kDistance,
            .shape = kDisc,
            .mass = kMass,
            .tilt = tilt,
            .spin = spin,
            .precession = precession};
}

// The spin at which I3^2 w3^2 = 4 I1 m g l.
double critical_spin() {
    const SymmetricTopDesc top = symmetric_top_desc(top_desc("", {}, 0.5, 0.0, 0.0));
    return 2.0 * std::sqrt(top.transverse_inertia * top.moment) / top.axial_inertia;
}

// Adds a top and the post on which it stands.
PivotedTop add_top(Scene& scene, const PivotedTopDesc& desc) {
    constexpr double kHalfPost = 0.5; // m
    const NodeAppearance post{Cylinder{0.03, kHalfPost}, NodeAppearance::Role::Support};
    const Pose middle{desc.pivot - glm::dvec3{0.0, kHalfPost, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    scene.graph.add({"post", kNoNode, middle, post, kGround});
    const auto disc = static_cast<NodeIndex>(scene.graph.nodes().size());
    PivotedTop top = add_pivoted_top(scene, desc);
    // A mark, so that one sees it spin.
    const NodeAppearance knob{Sphere{0.045}, NodeAppearance::Role::Bob};
    const glm::dvec3 place{0.75 * kDisc.radius, kDisc.half_length, 0.0};
    scene.graph.add({"knob", disc, {place, {1.0, 0.0, 0.0, 0.0}}, knob, kGround});
    return top;
}

Scene empty_scene() {
    Scene scene;
    scene.world = World(smooth_settings(1e-10));
    scene.energy_scale = kMass * kGravity * kDistance;
    scene.energy_scale_meaning = "work of lifting a top from lying to upright";
    return scene;
}

PoseTruthDesc top_truth(double threshold) {
    PoseTruthDesc truth;
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.threshold = threshold;
    truth.lever = kDisc.radius;
    return truth;
}

Scene make_heavy_top(std::span<const double> values) {
    Scene scene = empty_scene();
    const PivotedTop top = add_top(scene, top_desc("top", {}, values[0], values[1], values[2]));
    PoseTruthDesc truth = top_truth(1e-11); // 8e-13: nutation does not amplify errors
    truth.bodies = {top.exact};
    truth.channels = {tilt_channel(0), position_channel(0, 0, "x"), position_channel(0, 2, "z")};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.view = {{0.0, 0.2, 0.0}, 2.6, 0.4, 0.35};
    scene.trails = {top.exact.body};
    return scene;
}

// Both rates of steady precession of one top.
Scene make_steady_precession(std::span<const double> values) {
    Scene scene = empty_scene();
    const double tilt = values[0];
    const double spin = values[1] * critical_spin();
    const SymmetricTopDesc top = symmetric_top_desc(top_desc("", {}, tilt, spin, 0.0));
    const double momentum = top.axial_inertia * spin;
    const double root = std::sqrt(momentum * momentum - 4.0 * top.transverse_inertia * top.moment * std::cos(tilt));

    // The spin adds up rounding: 1.8e-12 to 1.3e-10 rad at tolerances below 1e-12, as the bits fall.
    PoseTruthDesc truth = top_truth(2e-10);
    for (const double sign : {-1.0, 1.0}) {
        const double precession = (momentum + sign * root) / (2.0 * top.transverse_inertia * std::cos(tilt));
        const PivotedTop added = add_top(
            scene, top_desc(sign < 0.0 ? "slow top" : "fast top", {0.7 * sign, 0.0, 0.0}, tilt, spin, precession));
        truth.bodies.push_back(added.exact);
        scene.trails.push_back(added.exact.body);
    }
    truth.channels = {position_channel(0, 0, "x slow"), position_channel(1, 0, "x fast"), tilt_channel(0, "tilt slow"),
                      tilt_channel(1, "tilt fast")};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.view = {{0.0, 0.2, 0.0}, 4.4, 0.2, 0.35};
    return scene;
}

// The same top on both sides of the critical spin.
Scene make_sleeping_top(std::span<const double> values) {
    Scene scene = empty_scene();
    PoseTruthDesc truth = top_truth(3e-10); // 2.3e-11: the falling top multiplies errors by some twenty
    for (const double sign : {-1.0, 1.0}) {
        const double spin = (1.0 + sign * values[1]) * critical_spin();
        const PivotedTop added = add_top(
            scene, top_desc(sign < 0.0 ? "falling top" : "sleeping top", {0.7 * sign, 0.0, 0.0}, values[0], spin, 0.0));
        truth.bodies.push_back(added.exact);
        scene.trails.push_back(added.exact.body);
    }
    truth.channels = {tilt_channel(0, "tilt below"), tilt_channel(1, "tilt above")};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.view = {{0.0, 0.2, 0.0}, 4.4, 0.2, 0.35};
    return scene;
}

SceneParameter tilt_parameter(double value, double minimum, double maximum) {
    return {"tilt", "tilt", "rad", value, minimum, maximum, "Tilt of the axle from the vertical at the start."};
}

} // namespace

SceneInfo heavy_top_scene() {
    return {
        .name = "heavy_top",
        .title = "Heavy top",
        .description = "A spinning disc on its foot goes round and nods, as elliptic functions say.",
        .group = "tops",
        .has_truth = true,
        .parameters = {tilt_parameter(0.5, 0.1, 2.5),
                       {.name = "spin",
                        .label = "spin",
                        .unit = "rad/s",
                        .value = 25.0,
                        .minimum = 1.0,
                        .maximum = 200.0,
                        .meaning = "Spin about the axle; below 15 rad/s it nods deeply and swings like a pendulum."},
                       {.name = "precession",
                        .label = "precession",
                        .unit = "rad/s",
                        .value = 0.0,
                        .minimum = -10.0,
                        .maximum = 10.0,
                        .meaning = "Rate about the vertical at the start: backwards it makes loops, at rest cusps, "
                                   "forwards waves."}},
        .make = make_heavy_top};
}

SceneInfo steady_precession_scene() {
    return {.name = "steady_precession",
            .title = "Steady precession",
            .description = "Two equal tops at the two rates at which a top goes round without nodding.",
            .group = "tops",
            .has_truth = true,
            .parameters = {tilt_parameter(0.6, 0.1, 1.4),
                           {.name = "spin_ratio",
                            .label = "spin",
                            .unit = "critical spins",
                            .value = 1.6,
                            .minimum = 1.0,
                            .maximum = 5.0,
                            .meaning = "Spin relative to the least at which an upright top is stable; the faster, the "
                                       "further the two rates are apart."}},
            .make = make_steady_precession};
}

SceneInfo sleeping_top_scene() {
    return {.name = "sleeping_top",
            .title = "Sleeping top",
            .description =
                "Two nearly upright tops, one spun just above the critical rate, which sleeps, one just below, "
                "which falls.",
            .group = "tops",
            .has_truth = true,
            .parameters = {tilt_parameter(0.02, 0.001, 0.2),
                           {.name = "margin",
                            .label = "margin",
                            .unit = "",
                            .value = 0.1,
                            .minimum = 0.01,
                            .maximum = 0.5,
                            .meaning = "How far the spins lie above and below the critical one, as a fraction of it."}},
            .make = make_sleeping_top};
}

} // namespace substep::detail
