// Scenes of closed chains with one freedom: slider-crank, four-bar linkage, Bennett's loop.
//
// One angle places every link (linkage_motion.h has the geometry and its sources), and Lagrange's equation for that
// angle, I phi'' + I' phi'^2/2 + V' = 0, gives the pace: reference motions whose two solutions agree to 12 digits.
// Counting freedoms fails for all three: planar loops of spatial hinges carry three redundant equations, and Bennett's
// loop, 18 freedoms less 20 equations, should be rigid twice over. Which forces share the load is then not unique; the
// motion is.
#include <memory>
#include <utility>
#include <vector>

#include "hinged_pendulum.h"
#include "linkage_motion.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kLinkRadius = 0.03; // m
constexpr double kUntil = 20.0;      // s, to which the motions are known
const glm::dvec3 kAcross{0.0, 0.0, 1.0};

struct Link {
    std::string name;
    Shape shape;
    double mass = 1.0; // kg
    bool is_traced = false;
};

// A scene with the links where the mechanism's start has them, and its truth.
struct Mechanism {
    Scene scene;
    std::shared_ptr<const LinkageMotion> motion;
    std::vector<BodyId> links;
    std::vector<Pose> start;
};

Mechanism make_mechanism(const WorldSettings& settings, const LinkageMotion::Geometry& geometry,
                         const std::vector<Link>& links, double start_angle, double start_rate) {
    Mechanism all;
    all.scene.world = World(settings);
    std::vector<MassProperties> masses;
    for (const Link& link : links) {
        masses.push_back(mass_properties(link.shape, link.mass));
    }
    all.motion =
        std::make_shared<LinkageMotion>(geometry, masses, -settings.gravity.y, start_angle, start_rate, kUntil);
    all.start.resize(links.size());
    std::vector<LinkageMotion::LinkVelocity> rates(links.size());
    all.motion->poses(start_angle, all.start);
    all.motion->velocities({start_angle, start_rate}, rates);

    PoseTruthDesc truth;
    for (std::size_t i = 0; i < links.size(); ++i) {
        BodyDesc desc;
        desc.pose = all.start[i];
        desc.linear_velocity = rates[i].linear;
        desc.angular_velocity = rates[i].angular;
        desc.shape = links[i].shape;
        desc.mass = links[i].mass;
        desc.collides = false;
        const auto role = links[i].is_traced ? NodeAppearance::Role::Bob : NodeAppearance::Role::Body;
        all.links.push_back(add_body(all.scene, links[i].name, desc, role));
        if (links[i].is_traced) all.scene.trails.push_back(all.links.back());
        const auto pose = [motion = all.motion, count = links.size(), i](double t) {
            std::vector<Pose> poses(count);
            motion->poses(motion->at(t).angle, poses);
            return poses[i];
        };
        truth.bodies.push_back({all.links.back(), pose});
        truth.channels.push_back({links[i].name + " x", "m", i, [](const Pose& where) { return where.position.x; }});
    }
    truth.measure = PoseTruthDesc::Measure::Attitude;
    // dormand_prince853 at 1e-13 was measured to leave 4e-11 rad in ten seconds for the four-bar linkage, 5e-12 for the
    // slider-crank, 1e-11 for Bennett's loop: angles of up to 80 rad, and what gravity multiplies.
    truth.threshold = 4e-10;
    truth.known_until = kUntil;
    all.scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    all.scene.energy_scale = all.motion->energy({start_angle, start_rate});
    all.scene.energy_scale_meaning = "energy at the start";
    return all;
}

void join(Mechanism& all, BodyId a, BodyId b, const HingeLine& line) {
    all.scene.world.create_joint(hinge(all.scene.world, a, b, line.point, line.axis));
}

// The end of a link along its x axis.
glm::dvec3 end_of(const Pose& link, double length) {
    return link.position + link.orientation * glm::dvec3{0.5 * length, 0.0, 0.0};
}

Scene make_slider_crank(std::span<const double> values) {
    constexpr double kCrank = 0.5;
    constexpr double kRod = 1.3;
    const std::vector<Link> links{{"crank", ThinRod{0.5 * kCrank, kLinkRadius}, 2.0},
                                  {"rod", ThinRod{0.5 * kRod, kLinkRadius}, 1.0, true},
                                  {"slider", Box{{0.15, 0.1, 0.1}}, 1.5}};
    Mechanism all = make_mechanism(smooth_settings(1e-8), slider_crank_geometry(kCrank, kRod), links, 0.7, values[0]);
    join(all, kGround, all.links[0], {glm::dvec3{0.0}, kAcross});
    join(all, all.links[0], all.links[1], {end_of(all.start[0], kCrank), kAcross});
    join(all, all.links[1], all.links[2], {all.start[2].position, kAcross});
    Scene& scene = all.scene;
    scene.world.create_joint(slider(scene.world, kGround, all.links[2], all.start[2].position, {1.0, 0.0, 0.0}));
    add_hinge_pin(scene, glm::dvec3{0.0});
    add_support(scene, "rail", {{kRod, -0.12, 0.0}, kNoTurn}, Box{{0.8, 0.02, 0.15}});
    scene.view = {{0.75, 0.0, 0.0}, 4.0, 0.3, 0.25};
    return std::move(scene);
}

Scene make_four_bar(std::span<const double> values) {
    const FourBar bars{0.6, 1.8, 1.5, 2.0};
    const std::vector<Link> links{{"crank", ThinRod{0.5 * bars.crank, kLinkRadius}, 3.0},
                                  {"coupler", ThinRod{0.5 * bars.coupler, kLinkRadius}, 1.0, true},
                                  {"rocker", ThinRod{0.5 * bars.rocker, kLinkRadius}, 1.0}};
    Mechanism all = make_mechanism(smooth_settings(1e-8), four_bar_geometry(bars), links, 1.0, values[0]);
    join(all, kGround, all.links[0], {glm::dvec3{0.0}, kAcross});
    join(all, all.links[0], all.links[1], {end_of(all.start[0], bars.crank), kAcross});
    join(all, all.links[1], all.links[2], {end_of(all.start[2], bars.rocker), kAcross});
    join(all, kGround, all.links[2], {{bars.ground, 0.0, 0.0}, kAcross});
    Scene& scene = all.scene;
    add_hinge_pin(scene, glm::dvec3{0.0});
    add_hinge_pin(scene, {bars.ground, 0.0, 0.0});
    scene.view = {{1.0, 0.5, 0.0}, 4.2, 0.3, 0.15};
    return std::move(scene);
}

Scene make_bennett(std::span<const double> values) {
    const BennettLoop loop{1.0, 0.7, 1.2};
    const ThinRod first{0.5 * loop.first_length, kLinkRadius};
    const ThinRod second{0.5 * loop.second_length(), kLinkRadius};
    WorldSettings settings = smooth_settings(1e-8);
    settings.gravity = glm::dvec3{0.0};
    constexpr double kStart = 1.0; // rad
    Mechanism all = make_mechanism(
        settings, bennett_geometry(loop),
        {{"first link", first, 1.0, true}, {"second link", second, 1.0, true}, {"third link", first, 1.0, true}},
        kStart, values[0]);
    const auto hinges = bennett_hinges(loop, kStart);
    join(all, kGround, all.links[0], hinges[0]);
    join(all, all.links[0], all.links[1], hinges[1]);
    join(all, all.links[1], all.links[2], hinges[2]);
    join(all, kGround, all.links[2], hinges[3]);

    // The fixed link, between the last hinge and the first.
    Scene& scene = all.scene;
    const glm::dvec3 along = hinges[3].point - hinges[0].point;
    add_support(scene, "fixed link",
                {0.5 * (hinges[0].point + hinges[3].point), turn_about_z(std::atan2(along.y, along.x))}, second);
    scene.view = {{-0.4, 0.1, 0.3}, 4.5, 0.7, 0.5};
    return std::move(scene);
}

SceneParameter start_rate(double value, double minimum, const char* meaning) {
    return {.name = "start_rate",
            .label = "start rate",
            .unit = "rad/s",
            .value = value,
            .minimum = minimum,
            .maximum = 30.0,
            .meaning = meaning};
}

} // namespace

SceneInfo slider_crank_scene() {
    return {
        .name = "slider_crank",
        .title = "Slider-crank",
        .description = "A coasting crank drives a slider by a rod: x = r cos phi + sqrt(l^2 - r^2 sin^2 phi).",
        .group = "mechanisms",
        .has_truth = true,
        .parameters = {start_rate(8.0, 0.5, "Rate of the crank at the start; below 4 it does not get over the top.")},
        .make = make_slider_crank};
}

SceneInfo four_bar_scene() {
    return {.name = "four_bar",
            .title = "Four-bar linkage",
            .description = "A crank turns all the way round and a rocker swings, as Grashof's condition allows.",
            .group = "mechanisms",
            .has_truth = true,
            .parameters = {start_rate(8.0, 0.5, "Rate of the crank at the start; slow, it swings instead of turning.")},
            .make = make_four_bar};
}

SceneInfo bennett_scene() {
    return {.name = "bennett",
            .title = "Bennett's loop",
            .description = "Four hinges in space that should be rigid, and move: sin(alpha)/a = sin(beta)/b.",
            .group = "mechanisms",
            .has_truth = true,
            .parameters = {start_rate(3.0, 0.1, "Rate at the first hinge; without gravity only the scale of time.")},
            .make = make_bennett};
}

} // namespace substep::detail
