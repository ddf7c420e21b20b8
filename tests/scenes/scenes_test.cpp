// Every scene: its start, its truth, its parameters, and how well every method follows it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <glm/geometric.hpp>

#include "substep/scenes/scene.h"

using namespace substep;

namespace {

std::vector<double> defaults(const SceneInfo& info) {
    std::vector<double> values;
    for (const SceneParameter& parameter : info.parameters) {
        values.push_back(parameter.value);
    }
    return values;
}

// A start, in coordinates of some metres and rates of some rad/s, that went through one projection onto the joints.
constexpr double kStartRounding = 1e-13;

} // namespace

TEST_CASE("scenes are found by name, and names are unique") {
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        CHECK(find_scene(info.name) == &info);
    }
    CHECK(find_scene("pendulm") == nullptr);
}

TEST_CASE("every scene says what it is, and has a truth exactly where it says so") {
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        const Scene scene = make_scene(info);
        CHECK_FALSE(info.title.empty());
        CHECK_FALSE(info.description.empty());
        CHECK((scene.truth != nullptr) == info.has_truth);
        CHECK(scene.energy_scale > 0.0);
        CHECK_FALSE(scene.energy_scale_meaning.empty());
        CHECK(scene.frames > 0);
        CHECK_FALSE(scene.world.bodies().empty());
        for (const SceneParameter& parameter : info.parameters) {
            CAPTURE(parameter.name);
            CHECK(parameter.minimum <= parameter.value);
            CHECK(parameter.value <= parameter.maximum);
            CHECK_FALSE(parameter.meaning.empty());
        }
    }
}

TEST_CASE("every truth at the start equals the world at the start") {
    for (const SceneInfo& info : scene_list()) {
        if (!info.has_truth) {
            continue;
        }
        CAPTURE(info.name);
        const Scene scene = make_scene(info);
        CHECK(scene.truth->error(scene.world) < kStartRounding);
        const std::span<const BodyId> bodies = scene.world.bodies();
        std::vector<Pose> exact(bodies.size());
        scene.truth->poses(0.0, exact);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            CAPTURE(i);
            const Pose pose = scene.world.pose(bodies[i]);
            CHECK(glm::length(exact[i].position - pose.position) < kStartRounding);
            CHECK(std::abs(std::abs(glm::dot(exact[i].orientation, pose.orientation)) - 1.0) < kStartRounding);
        }
        for (const Truth::Channel& channel : scene.truth->channels(scene.world)) {
            CAPTURE(channel.name);
            CHECK(std::abs(channel.exact - channel.simulated) < kStartRounding);
        }
    }
}

TEST_CASE("a body moved by a known amount is off by that amount: every truth measures what it says") {
    // Turned about z through a point, as a body on a hinge is.
    const auto turn = [](Scene& scene, std::size_t index, const glm::dvec3& point, double angle) {
        Body body = scene.world.body(scene.world.bodies()[index]);
        const glm::dquat rotation{std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)};
        const Pose pose = body.pose();
        body.set_pose({point + rotation * (pose.position - point), rotation * pose.orientation});
    };
    const auto error = [](const Scene& scene) { return scene.truth->error(scene.world); };

    for (const char* name : {"pendulum", "physical_pendulum"}) {
        CAPTURE(name);
        Scene scene = make_scene(*find_scene(name));
        turn(scene, 0, glm::dvec3{0.0}, 0.25);
        CHECK(std::abs(error(scene) - 0.25) < kStartRounding); // rad
        turn(scene, 0, glm::dvec3{0.0}, -0.25 - 2.5);
        CHECK(std::abs(error(scene) - 2.5) < kStartRounding); // the other way round
    }

    // One of many counts, and the largest counts.
    Scene wave = make_scene(*find_scene("pendulum_wave"));
    turn(wave, 6, {0.0, 0.0, 0.0}, 0.25);
    turn(wave, 14, {0.0, 0.0, 0.0}, -0.125);
    CHECK(std::abs(error(wave) - 0.25) < kStartRounding);

    // Around any axis.
    Scene tumbling = make_scene(*find_scene("tumbling_body"));
    Body plate = tumbling.world.body(tumbling.world.bodies()[0]);
    plate.set_pose({{}, {std::cos(0.15), 0.0, std::sin(0.15) * 0.6, std::sin(0.15) * 0.8}});
    CHECK(std::abs(error(tumbling) - 0.3) < kStartRounding); // rad

    Scene projectile = make_scene(*find_scene("projectile"));
    projectile.world.body(projectile.world.bodies()[0]).set_pose({{0.3, 0.0, -0.4}, {1.0, 0.0, 0.0, 0.0}});
    CHECK(std::abs(error(projectile) - 0.5) < kStartRounding); // m

    // The second box, 1 m long, turned about its hinge: the tip moves along a chord.
    Scene pair = make_scene(*find_scene("double_pendulum"));
    turn(pair, 1, {1.0, 0.0, 0.0}, 0.2);
    CHECK(std::abs(error(pair) - 2.0 * std::sin(0.1)) < kStartRounding); // m
}

TEST_CASE("every truth's rates are the slopes of its poses: channels and ghost tell the same motion") {
    for (const SceneInfo& info : scene_list()) {
        if (!info.has_truth) {
            continue;
        }
        CAPTURE(info.name);
        Scene scene = make_scene(info);
        const std::size_t count = scene.world.bodies().size();
        std::vector<Pose> before(count), after(count);
        // Speed of the world at the start, against the exact poses just after it: forward difference over 1e-7 s, with
        // accelerations up to 250 m/s^2 (1.3e-5) and rounding of 1e-15 m.
        constexpr double h = 1e-7;
        scene.truth->poses(0.0, before);
        scene.truth->poses(h, after);
        for (std::size_t i = 0; i < count; ++i) {
            const glm::dvec3 velocity = scene.world.body(scene.world.bodies()[i]).linear_velocity();
            CHECK(glm::length((after[i].position - before[i].position) / h - velocity) < 5e-5);
        }
    }
}

TEST_CASE("every bound body has a node, and the nodes start where the bodies are") {
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        Scene scene = make_scene(info);
        scene.graph.update_from(scene.world);
        for (const BodyId body : scene.world.bodies()) {
            const auto& nodes = scene.graph.nodes();
            const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.body == body; });
            REQUIRE(node != nodes.end());
            const Pose pose = scene.graph.world_pose(static_cast<NodeIndex>(node - nodes.begin()));
            CHECK(glm::length(pose.position - scene.world.pose(body).position) < 1e-15);
        }
    }
}

TEST_CASE("the pendulum's truth is the closed form of origin 1: an effective length of exactly one metre") {
    Scene scene = make_scene(*find_scene("pendulum"));
    const Body bob = scene.world.body(scene.world.bodies().front());
    const MassProperties mass = bob.mass_properties();
    const double distance = -bob.centre_of_mass().y;
    CHECK(std::abs(distance + mass.inertia[2][2] / (mass.mass * distance) - 1.0) < 3e-16);
    CHECK(mass.mass == 1.0);
    CHECK(mass.inertia[0][0] == 0.001);
    CHECK(bob.angular_velocity().z == doctest::Approx(-2.0).epsilon(1e-15));
}

TEST_CASE("the pendulum reaches rotation and the separatrix by its parameters, and its truth goes along") {
    const SceneInfo& info = *find_scene("pendulum");
    for (const double rate : {9.0, -9.0, 2.0 * std::sqrt(9.8)}) {
        CAPTURE(rate);
        Scene scene = make_scene(info, std::vector{0.0, rate});
        Meter meter(scene.world, scene.truth.get(), scene.energy_scale);
        for (int frame = 0; frame < 60; ++frame) {
            REQUIRE(scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
            meter.measure(scene.world);
        }
        // Tolerance 1e-8 per substep; near the top of the separatrix errors grow by e^(3.1) in a second.
        CHECK(meter.max_error() < 1e-5);
        const Truth::Channel theta = scene.truth->channels(scene.world).front();
        CHECK(std::abs(theta.exact) > 2.9);
    }
}

TEST_CASE("forgetting the box's inertia would look like drift") {
    // A point at the box's centre of mass swings at sqrt(g/d), the box at sqrt(m g d/(I + m d^2)): 14 % slower.
    Scene scene = make_scene(*find_scene("physical_pendulum"));
    const auto theta = [&] { return scene.truth->channels(scene.world).front().exact; };
    double previous = theta();
    while (scene.world.time() < 3.0) {
        REQUIRE(scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
        if (previous > 0.0 && theta() <= 0.0) {
            break;
        }
        previous = theta();
    }
    // The first passage of the bottom comes after a quarter period: of sqrt(g/d) it would be 0.38 s, here 0.44 s.
    CHECK(scene.world.time() > 0.42);
    CHECK(scene.world.time() < 0.47);
}

TEST_CASE("the pendulum wave meets again after its cycle") {
    const Scene scene = make_scene(*find_scene("pendulum_wave"));
    REQUIRE(scene.world.bodies().size() == 15);
    std::vector<Pose> start(15), half(15), end(15);
    scene.truth->poses(0.0, start);
    scene.truth->poses(30.0, half);
    scene.truth->poses(60.0, end);
    bool apart = false;
    for (std::size_t i = 0; i < start.size(); ++i) {
        CHECK(glm::length(end[i].position - start[i].position) < 1e-12); // 60 s of some 65 swings, lengths in double
        apart = apart || glm::length(half[i].position - start[i].position) > 0.1;
    }
    CHECK(apart);
}

TEST_CASE("the tumbling body flips: its middle rate changes sign, and comes back") {
    const Scene scene = make_scene(*find_scene("tumbling_body"));
    std::vector<Pose> pose(1);
    double lowest = 1.0;
    for (double t = 0.0; t < 10.0; t += 0.01) {
        scene.truth->poses(t, pose);
        lowest = std::min(lowest, (pose[0].orientation * glm::dvec3{0.0, 1.0, 0.0}).y);
    }
    CHECK(lowest < -0.9);
}

TEST_CASE("a parameter outside its range, a fraction where a count is due, or a wrong number of values is refused") {
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        for (std::size_t i = 0; i < info.parameters.size(); ++i) {
            CAPTURE(info.parameters[i].name);
            const double width = info.parameters[i].maximum - info.parameters[i].minimum;
            for (const double bad :
                 {info.parameters[i].maximum + 0.1 * width, info.parameters[i].minimum - 0.1 * width, std::nan("")}) {
                std::vector<double> values = defaults(info);
                values[i] = bad;
                CHECK_THROWS_WITH_AS(make_scene(info, values), doctest::Contains(info.parameters[i].name.c_str()),
                                     std::invalid_argument);
            }
            if (info.parameters[i].integer) {
                std::vector<double> values = defaults(info);
                values[i] += 0.5;
                CHECK_THROWS_WITH_AS(make_scene(info, values), doctest::Contains("integer"), std::invalid_argument);
            }
        }
        std::vector<double> values = defaults(info);
        values.push_back(1.0);
        CHECK_THROWS_AS(make_scene(info, values), std::invalid_argument);
    }
}

TEST_CASE("every scene can be built at both ends of every parameter's range") {
    for (const SceneInfo& info : scene_list()) {
        for (std::size_t i = 0; i < info.parameters.size(); ++i) {
            for (const double end : {info.parameters[i].minimum, info.parameters[i].maximum}) {
                CAPTURE(info.name);
                CAPTURE(info.parameters[i].name);
                CAPTURE(end);
                std::vector<double> values = defaults(info);
                values[i] = end;
                Scene scene = make_scene(info, values);
                CHECK(scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
                CHECK(std::isfinite(scene.world.energy().total()));
            }
        }
    }
}

TEST_CASE("each shape dropped on each ends on or beside it, never in it") {
    // Eight shapes on eight and on a table; whoever lies below is fixed, so that depth is what contacts let happen.
    const SceneInfo& info = *find_scene("shape_drops");
    double deepest = 0.0;
    for (int shift = 0; shift < 8; ++shift) {
        CAPTURE(shift);
        Scene scene = make_scene(info, std::array{static_cast<double>(shift), 0.3, 0.3});
        std::size_t touched = 0;
        for (int frame = 0; frame < 120; ++frame) {
            REQUIRE(scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
            for (const TouchEvent& event : scene.world.touch_events()) {
                touched += event.begins ? 1 : 0;
            }
            for (const Contact& contact : scene.world.contacts()) {
                deepest = std::max(deepest, -contact.gap);
            }
        }
        CHECK(touched >= 16);
        for (const BodyId id : scene.world.bodies()) {
            if (scene.world.body(id).motion() == MotionType::Dynamic) {
                CHECK(scene.world.body(id).centre_of_mass().y > 0.0);
            }
        }
    }
    CHECK(deepest < 1.5e-3); // m; a cylinder that rolls over its rim was measured to be 1.1 mm deep for a frame
}

TEST_CASE("a bead that passes a cycloid's cusp is not thrown along the curve") {
    // At the cusp the curve has no tangent. Whoever gains enough energy to get there goes on slowly, or is told that
    // nothing can be computed; the next arc is the farthest that the nearest point may go.
    const SceneInfo& info = *find_scene("tautochrone");
    for (const char* method : {"symplectic_euler_doubling", "heun2", "rk4"}) {
        CAPTURE(method);
        Scene scene = make_scene(info, std::array{0.5, 3.0});
        WorldSettings settings = scene.world.settings();
        settings.integrator.method = method;
        settings.integrator.atol = settings.integrator.rtol = 1e-2;
        settings.integrator.substeps = 1;
        scene.world.set_settings(settings);
        std::vector<glm::dvec3> before;
        for (const BodyId body : scene.world.bodies()) {
            before.push_back(scene.world.pose(body).position);
        }
        for (int frame = 0; frame < 600; ++frame) {
            scene.world.advance(1.0 / 60.0);
            for (std::size_t i = 0; i < before.size(); ++i) {
                const glm::dvec3 now = scene.world.pose(scene.world.bodies()[i]).position;
                REQUIRE(glm::length(now - before[i]) < 0.2); // m, of 4.4 m/s times a frame of 1/60 s
                before[i] = now;
            }
        }
    }
}
