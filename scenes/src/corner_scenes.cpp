// Scenes of boxes on a plane: a cube that tumbles, boxes that slide and stop.
//
// Boxes that slide without tipping are blocks (contact_motions.h); the tumbling cube is compared with an event
// integration of its own (corner_flight.h) for as many hits as rounding leaves digits.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <glm/gtc/quaternion.hpp>

#include "contact_motions.h"
#include "corner_flight.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kHalf = 0.5; // m, of the cube

Scene on_plane(PoseTruthDesc& truth, double slope, const Material& material) {
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    add_plane(scene, slope, material);
    truth.bodies.push_back({scene.world.bodies().front(), [slope](double) {
                                return Pose{glm::dvec3{0.0}, turn_about_z(-slope)};
                            }});
    return scene;
}

// --- a cube that tumbles ---------------------------------------------------------------------------------------------

/// The flights of a cube between its first hits.
class TumblingCube {
public:
    TumblingCube(const CornerFlight& start, int most_hits) {
        constexpr Real kLongest = 5; // s, between hits
        CornerFlight now = start;
        Real t = 0;
        flights_.push_back({t, now});
        for (int hits = 0; hits < most_hits; ++hits) {
            const auto hit = now.next(kLongest);
            if (!hit) {
                return;
            }
            now.fly(hit->t);
            t += hit->t;
            const Real before = now.kinetic_energy();
            now.hit(hit->points);
            if (hits + 1 == most_hits || now.kinetic_energy() > before) {
                known_until_ = static_cast<double>(t); // Newton's law can gain by friction; the engine's impacts do not
                return;
            }
            flights_.push_back({t, now});
        }
    }

    double known_until() const noexcept { return known_until_; }

    Pose at(double t) const {
        auto flight = flights_.begin();
        while (flight + 1 != flights_.end() && (flight + 1)->begin <= t) {
            ++flight;
        }
        CornerFlight cube = flight->cube;
        cube.fly(static_cast<Real>(t) - flight->begin);
        glm::dmat3 axes;
        for (int column = 0; column < 3; ++column) {
            for (int row = 0; row < 3; ++row) {
                const auto r = static_cast<std::size_t>(row);
                axes[column][row] = static_cast<double>(cube.axes[r][static_cast<std::size_t>(column)]);
            }
        }
        const auto number = [&](std::size_t i) { return static_cast<double>(cube.x[i]); };
        return {{number(0), number(1), number(2)}, glm::normalize(glm::quat_cast(axes))};
    }

private:
    struct Flight {
        Real begin = 0; ///< s
        CornerFlight cube;
    };
    std::vector<Flight> flights_;
    double known_until_ = 10.0; ///< s
};

RealVector real(const glm::dvec3& v) { return {v.x, v.y, v.z}; }

CornerFlight flight_of(const BodyDesc& cube) {
    CornerFlight flight;
    flight.moments.fill(2.0L / 3.0L * kHalf * kHalf); // equal ones
    flight.gravity = kGravity;
    flight.restitution = cube.material.restitution;
    flight.friction = cube.material.friction;
    for (const double x : {-kHalf, kHalf}) {
        for (const double y : {-kHalf, kHalf}) {
            for (const double z : {-kHalf, kHalf}) {
                flight.points.push_back({x, y, z});
            }
        }
    }
    flight.x = real(cube.pose.position);
    flight.v = real(cube.linear_velocity);
    flight.omega = real(cube.angular_velocity);
    const glm::dquat& q = cube.pose.orientation;
    const Real w = q.w, i = q.x, j = q.y, k = q.z;
    const Real s = 2 / (w * w + i * i + j * j + k * k);
    flight.axes = {{{1 - s * (j * j + k * k), s * (i * j - w * k), s * (i * k + w * j)},
                    {s * (i * j + w * k), 1 - s * (i * i + k * k), s * (j * k - w * i)},
                    {s * (i * k - w * j), s * (j * k + w * i), 1 - s * (i * i + j * j)}}};
    return flight;
}

Scene make_tumbling_cube(std::span<const double> values) {
    PoseTruthDesc truth;
    const Material material{.friction = values[1], .restitution = values[0]};
    Scene scene = on_plane(truth, 0.0, material);
    BodyDesc cube;
    cube.mass = 1.0;
    cube.pose = {{-1.0, 2.0, 0.0}, glm::normalize(quaternion(0.8, 0.3, -0.4, 0.1))};
    cube.linear_velocity = {0.6, 0.0, 0.0};
    cube.angular_velocity = {0.7, 1.1, -0.9};
    cube.shape = Box{glm::dvec3(kHalf)};
    cube.material = material;
    const BodyId body = add_body(scene, "cube", cube);
    constexpr int kHits = 8; // each takes about a digit of those that rounding leaves
    const auto motion = std::make_shared<const TumblingCube>(flight_of(cube), kHits);
    truth.bodies.push_back({body, [motion](double t) { return motion->at(t); }});
    truth.channels.push_back({"height", "m", 1, [](const Pose& at) { return at.position.y; }});
    truth.channels.push_back({"place", "m", 1, [](const Pose& at) { return at.position.x; }});
    truth.measure = PoseTruthDesc::Measure::Attitude;
    truth.threshold = 2e-11; // dormand_prince853 at 1e-13 was measured to leave 2.3e-13 rad
    truth.known_until = motion->known_until();
    truth.until = std::min(truth.until, 0.99 * truth.known_until);
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kGravity * cube.pose.position.y;
    scene.energy_scale_meaning = "potential energy at the start; impacts take some of it";
    scene.frames = 300;
    scene.view = {{0.0, 0.9, 0.0}, 8.0, 0.5, 0.25};
    scene.trails = {body};
    return scene;
}

// --- boxes that slide ------------------------------------------------------------------------------------------------

Scene make_sliding_boxes(std::span<const double> values) {
    constexpr glm::dvec3 kHalfSizes{0.3, 0.12, 0.2}; // m: too flat to tip over
    const double slope = values[0];
    PoseTruthDesc truth;
    Scene scene = on_plane(truth, slope, rough(1.0));
    const glm::dquat tilt = turn_about_z(-slope);
    // Thrown down, one stops where friction is more than the slope; another is let go, and gains on it.
    double z = -0.35;
    for (const auto& [friction, speed] : {std::pair{0.5, values[1]}, {0.1, 0.0}}) {
        const RoundBodyOnSlope motion({.slope = slope,
                                       .friction = friction,
                                       .gravity = kGravity,
                                       .lightness = 0.0, // does not turn
                                       .speed = speed});
        const auto pose = [=](double t) {
            return Pose{tilt * glm::dvec3{motion.at(t).distance - 1.5, kHalfSizes.y, z}, tilt};
        };
        BodyDesc box;
        box.mass = 1.0;
        box.pose = pose(0.0);
        box.linear_velocity = tilt * glm::dvec3{speed, 0.0, 0.0};
        box.shape = Box{kHalfSizes};
        box.material = rough(friction);
        const BodyId body = add_body(scene, "box", box);
        const auto number = std::to_string(truth.bodies.size());
        truth.channels.push_back({"distance " + number, "m", truth.bodies.size(), [tilt](const Pose& where) {
                                      return (glm::conjugate(tilt) * where.position).x + 1.5;
                                  }});
        truth.bodies.push_back({body, pose});
        scene.trails.push_back(body);
        z += 0.7;
    }
    truth.threshold = 1e-11; // dormand_prince853 at 1e-13 was measured to leave 1.1e-13 m
    truth.until = 4.0;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kGravity;
    scene.energy_scale_meaning = "work of lifting one box by a metre";
    scene.frames = 240;
    scene.view = {{0.2, 0.0, 0.0}, 4.6, 0.45, 0.3};
    return scene;
}

} // namespace

SceneInfo tumbling_cube_scene() {
    return {.name = "tumbling_cube",
            .title = "Tumbling cube",
            .description = "A cube thrown askew hits corner by corner, each at its own instant.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "restitution",
                            .label = "restitution",
                            .unit = "",
                            .value = 0.8,
                            .minimum = 0.5,
                            .maximum = 1.0,
                            .meaning = "Speed of parting of a corner over its speed of approach."},
                           {.name = "friction",
                            .label = "friction",
                            .unit = "",
                            .value = 0.3,
                            .minimum = 0.0,
                            .maximum = 1.0,
                            .meaning = "Coulomb's coefficient between corner and plane."}},
            .make = make_tumbling_cube};
}

SceneInfo sliding_boxes_scene() {
    return {.name = "sliding_boxes",
            .title = "Sliding boxes",
            .description = "Two boxes on a slope, each on four corners: one slides and stops, the other slides on.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "slope",
                            .label = "slope",
                            .unit = "rad",
                            .value = 0.2,
                            .minimum = 0.0,
                            .maximum = 0.7,
                            .meaning = "Angle of the slope: a box stays on it below tan a = mu (0.5 and 0.1)."},
                           {.name = "speed",
                            .label = "speed",
                            .unit = "m/s",
                            .value = 3.0,
                            .minimum = 0.1,
                            .maximum = 10.0,
                            .meaning = "Speed down the slope of the first box; where it stops, it does after "
                                       "v^2/(2 g (mu cos a - sin a))."}},
            .make = make_sliding_boxes};
}

} // namespace substep::detail
