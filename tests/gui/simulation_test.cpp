// The demo's simulation: switching changes no state, the twin starts where the simulated one is, curves are kept.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <glm/geometric.hpp>

#include "picking.h"
#include "simulation.h"
#include "spring_views.h"
#include "stage.h"
#include "substep/engine/springs.h"

using namespace substep;

namespace {

constexpr double kFrame = 1.0 / 60.0;

Simulation open(const char* scene) { return Simulation(make_run(scene, RunWords{})); }

void run(Simulation& simulation, int frames) {
    for (int i = 0; i < frames; ++i) simulation.advance(kFrame);
}

void choose(Simulation& simulation, std::string_view method) {
    WorldSettings settings = simulation.settings();
    settings.integrator.method = method;
    simulation.set_settings(settings);
}

// Where all bodies are and how they move. What contacts have to do next depends on the method that held them last, and
// with it the world's hash.
std::vector<double> state_of(const Simulation& simulation) {
    std::vector<double> state;
    const World& world = simulation.scene().world;
    for (const BodyId id : world.bodies()) {
        const Pose pose = world.pose(id);
        for (const glm::dvec3& v :
             {pose.position, world.body(id).linear_velocity(), world.body(id).angular_velocity()}) {
            state.insert(state.end(), {v.x, v.y, v.z});
        }
        state.insert(state.end(), {pose.orientation.w, pose.orientation.x, pose.orientation.y, pose.orientation.z});
    }
    return state;
}

} // namespace

TEST_CASE("one frame of wall time is one step, from the first frame on") {
    Simulation simulation = open("pendulum");
    run(simulation, 90);
    CHECK(simulation.time() == doctest::Approx(1.5).epsilon(1e-12));
    simulation.step_once();
    run(simulation, 9);
    CHECK(simulation.time() == doctest::Approx(100.0 / 60.0).epsilon(1e-12));
}

TEST_CASE("slow motion moves the picture between steps, and the ghost with it") {
    Simulation simulation = open("pendulum");
    run(simulation, 30);
    const double before = simulation.time();
    glm::dvec3 last = simulation.graph().world_pose(1).position;
    int moves = 0;
    for (int i = 0; i < 10; ++i) {
        simulation.advance(0.1 * kFrame);
        const glm::dvec3 now = simulation.graph().world_pose(1).position;
        REQUIRE(simulation.exact_graph() != nullptr);
        // The cubic between steps is off by h^4/384 times the fourth derivative, about 1e-7 m here.
        CHECK(glm::length(now - simulation.exact_graph()->world_pose(1).position) < 1e-6);
        moves += glm::length(now - last) > 1e-5 ? 1 : 0;
        last = now;
    }
    CHECK(moves >= 9);
    CHECK(simulation.time() - before < 2.5 * kFrame);
}

TEST_CASE("switching through every method leaves the state bit-equal") {
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        Simulation simulation = open(std::string(info.name).c_str());
        run(simulation, 7);
        const std::vector<double> before = state_of(simulation);
        for (const IntegrationMethod* method : method_catalogue()) {
            choose(simulation, method->info().name);
            CHECK(state_of(simulation) == before);
        }
    }
}

TEST_CASE("a switch begins a curve of the run and one of the method, and a mark; a reset keeps them") {
    Simulation simulation = open("pendulum");
    run(simulation, 20);
    choose(simulation, "rk4");
    run(simulation, 20);
    const Recording& recording = simulation.recording();
    REQUIRE(recording.drift().size() == 3);
    REQUIRE(recording.switches().size() == 1);
    CHECK(recording.switches()[0].time == doctest::Approx(20.0 / 60.0));
    CHECK_FALSE(recording.drift()[0].is_mixed);
    CHECK(recording.drift()[1].of == DriftOf::Run);
    CHECK(recording.drift()[1].is_mixed);
    CHECK(recording.drift()[2].of == DriftOf::Method);
    for (const int curve : {1, 2}) CHECK(recording.drift()[curve].points.points().size() == 20);
    simulation.reset();
    REQUIRE(recording.drift().size() == 4);
    CHECK(recording.switches().empty());
    CHECK(recording.drift()[0].run < recording.run());
    CHECK(recording.drift()[3].run == recording.run());
}

TEST_CASE("switching twice within one step leaves one pair of curves with the last method's name") {
    Simulation simulation = open("pendulum");
    run(simulation, 20);
    choose(simulation, "rk4");
    choose(simulation, "heun2");
    run(simulation, 1);
    const Recording& recording = simulation.recording();
    REQUIRE(recording.drift().size() == 3);
    for (const int curve : {1, 2}) CHECK(method_catalogue()[recording.drift()[curve].method]->info().name == "heun2");
    CHECK(recording.switches().size() == 1);
}

TEST_CASE("the twin starts where the simulated one is, and drifts from there") {
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        Simulation simulation = open(std::string(info.name).c_str());
        run(simulation, 20);
        simulation.set_twin(true);
        REQUIRE(simulation.twin_graph() != nullptr);
        double apart = 0.0;
        for (NodeIndex i = 0; i < simulation.graph().nodes().size(); ++i) {
            apart = std::max(apart, glm::length(simulation.graph().world_pose(i).position -
                                                simulation.twin_graph()->world_pose(i).position));
        }
        CHECK(apart == 0.0);
        run(simulation, 40); // truths are known for a second at least
        if (!info.has_truth) continue;
        // What stands on several points is held by velocity steps under every method: the twin holds it as well.
        const bool is_held_by_steps = info.name == "lift" || info.name == "turntable";
        CHECK((simulation.twin_meter()->error() > 100.0 * simulation.meter().error()) != is_held_by_steps);
    }
}

TEST_CASE("a refused value or setting changes nothing") {
    Simulation simulation = open("pendulum");
    run(simulation, 10);
    const std::uint64_t before = simulation.scene().world.hash();
    CHECK_THROWS_AS(simulation.set_value(0, 99.0), std::invalid_argument);
    WorldSettings settings = simulation.settings();
    settings.integrator.atol = -1.0;
    CHECK_THROWS_AS(simulation.set_settings(settings), std::invalid_argument);
    CHECK(simulation.scene().world.hash() == before);
    CHECK(simulation.values()[0] == 0.0);
}

TEST_CASE("no drift curve grows without limit") {
    Simulation simulation = open("pendulum");
    run(simulation, 10'000);
    CHECK(simulation.recording().drift().front().points.points().size() <= 4096);
    CHECK(simulation.recording().costs().size() <= 15'600); // twice two minutes and ten seconds
    for (int i = 0; i < 200; ++i) {
        run(simulation, 3);
        simulation.reset();
    }
    CHECK(simulation.recording().drift().size() <= 30);
}

TEST_CASE("the ground lies below everything that a scene's bodies reach in its recommended time") {
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        Simulation simulation = open(std::string(info.name).c_str());
        const Stage stage = stage_of(simulation.scene());
        double lowest = 1e9;
        const int frames = std::min(simulation.scene().frames, 600);
        for (int i = 0; i < frames; ++i) {
            simulation.advance(kFrame);
            for (const BodyId body : simulation.scene().world.bodies()) {
                lowest = std::min(lowest, simulation.scene().world.pose(body).position.y);
            }
        }
        CHECK(lowest > stage.ground_height);
    }
}

TEST_CASE("every spring is drawn between its anchors, at the picture's time, and follows edits; the mouse's is not") {
    for (const char* scene : {"damped_oscillators", "resonance", "beats", "normal_modes"}) {
        CAPTURE(scene);
        Simulation simulation = open(scene);
        simulation.set_twin(true);
        run(simulation, 20);
        simulation.advance(0.4 * kFrame);
        const World& world = simulation.scene().world;
        const auto fields = world.force_fields();
        const auto count = std::ranges::count_if(
            fields, [&](ForceFieldId id) { return dynamic_cast<const Spring*>(&world.force_field(id)) != nullptr; });
        const auto springs = [&] { return springs_of(simulation, simulation.graph(), Look::Simulated, 1.0f); };
        REQUIRE(count > 0);
        REQUIRE(std::ssize(springs()) == count);
        for (std::size_t i = 0; i < springs().size(); ++i) {
            const SpringDesc& desc = dynamic_cast<const Spring&>(world.force_field(fields[i])).desc();
            const auto at = [&](BodyId body, const glm::dvec3& anchor) {
                const Pose pose = simulation.pose(body);
                return glm::vec3(pose.position + pose.orientation * anchor);
            };
            CHECK(glm::length(springs()[i].from - at(desc.body_a, desc.anchor_a)) < 1e-6f); // in float
            CHECK(glm::length(springs()[i].to - at(desc.body_b, desc.anchor_b)) < 1e-6f);
        }
        // The twin's bodies are elsewhere by now, and with them its springs' ends.
        const auto twins = springs_of(simulation, *simulation.twin_graph(), Look::Twin, 1.0f);
        REQUIRE(std::ssize(twins) == count);
        CHECK(glm::length(twins[0].to - springs()[0].to) > 1e-6f);

        const BodyId cart = world.bodies().front();
        simulation.take_hold(cart, world.pose(cart).position);
        run(simulation, 2);
        CHECK(std::ssize(springs()) == count);
        simulation.let_go();
        run(simulation, 1);
        simulation.edit([&](World& edited) { edited.remove_force_field(edited.force_fields()[0]); });
        CHECK(std::ssize(springs()) == count - 1);
    }
}

TEST_CASE("any body of any scene may be destroyed while it runs, and comes back with the past") {
    for (const SceneInfo& info : scene_list()) {
        if (info.is_large) continue; // what each body of a pile costs is nothing new
        CAPTURE(info.name);
        Simulation simulation = open(std::string(info.name).c_str());
        simulation.set_twin(true);
        run(simulation, 5);
        const double before = simulation.time();
        const std::vector<BodyId> bodies(simulation.scene().world.bodies().begin(),
                                         simulation.scene().world.bodies().end());
        for (const BodyId body : bodies) {
            simulation.edit([&](World& world) { world.destroy_body(body); });
            run(simulation, 3);
            for (NodeIndex node = 0; node < simulation.graph().nodes().size(); ++node) {
                if (simulation.graph().body_of(node) != body) continue;
                CHECK(simulation.graph().visible(node) == nullptr);
                const glm::dvec3 place = simulation.graph().world_pose(node).position;
                const auto picked = pick(simulation.graph(), place + glm::dvec3(0.0, 0.0, 10.0), {0.0, 0.0, -1.0});
                CHECK_FALSE((picked && picked->body == body));
            }
        }
        if (simulation.meter().has_truth()) CHECK(std::isnan(simulation.meter().error()));
        simulation.go_to(before);
        run(simulation, 3);
        CHECK(simulation.scene().world.bodies().size() == bodies.size());
        CHECK(simulation.meter().knows_bodies());
        for (const Node& node : simulation.graph().nodes()) CHECK_FALSE(node.body_is_gone);
    }
}

TEST_CASE("a click meets shapes where they are drawn, rods beside them too, and the nearest of several") {
    SceneGraph graph;
    const auto add = [&](const Shape& shape, const glm::dvec3& place, std::uint32_t body) {
        graph.add(
            {.name = {}, .local = {.position = place}, .appearance = NodeAppearance{shape}, .body = {body, 0, 1}});
    };
    add(Cylinder{0.5, 0.5}, {0.0, 0.0, 0.0}, 0);
    add(Capsule{0.5, 0.5}, {0.0, 0.0, -5.0}, 1);
    add(ThinRod{1.0, 0.001}, {5.0, 0.0, 0.0}, 2);
    add(Plane{}, {0.0, -2.0, 0.0}, 3);
    const auto body_at = [&](double x, double y) {
        const auto picked = pick(graph, {x, y, 10.0}, {0.0, 0.0, -1.0});
        return picked ? static_cast<int>(picked->body.index) : -1;
    };
    CHECK(body_at(0.0, 0.0) == 0);
    CHECK(body_at(0.49, 0.49) == 0);
    CHECK(body_at(0.0, 0.9) == 1);  // behind, and higher
    CHECK(body_at(0.4, 0.9) == -1); // beside its round end, within the box around it
    CHECK(body_at(5.5, 0.03) == 2);
    CHECK(body_at(5.5, 0.05) == -1);
    const auto picked = pick(graph, {0.0, 0.0, 10.0}, {0.0, 0.0, -1.0});
    REQUIRE(picked);
    CHECK(std::abs(picked->distance - 9.5) < 1e-12);
    CHECK(glm::length(picked->point - glm::dvec3(0.0, 0.0, 0.5)) < 1e-12);
    const auto falls_on = [&](double x) { return pick(graph, {x, 5.0, 2.0}, {0.0, -1.0, 0.0}); };
    CHECK(falls_on(1.0).has_value());
    CHECK_FALSE(falls_on(50.0).has_value()); // no plane is drawn there

    add(TaperedCylinder{0.5, 0.0, 0.5}, {20.0, 0.0, 0.0}, 4);
    add(TaperedCapsule{0.5, 0.2, 0.5}, {25.0, 0.0, 0.0}, 5);
    add(ScaledHull{ConvexHull::make(
                       std::vector<glm::dvec3>{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}),
                   {1.0, 2.0, 1.0}},
        {30.0, 0.0, 0.0}, 6);
    CHECK(body_at(20.0, 0.45) == 4);
    CHECK(body_at(20.1, 0.45) == -1); // beside the tip
    CHECK(body_at(25.0, -0.95) == 5);
    CHECK(body_at(25.3, 0.5) == -1); // beside the lesser ball
    CHECK(body_at(30.1, 1.7) == 6);
    CHECK(body_at(30.6, 1.0) == -1);
    const auto comes_from = [&](double height) {
        SceneGraph sheet;
        sheet.add({.name = {}, .local = {}, .appearance = NodeAppearance{Rectangle{0.5, 0.3}}, .body = {7, 0, 1}});
        return pick(sheet, {0.4, height, 0.2}, {0.0, height > 0.0 ? -1.0 : 1.0, 0.0}).has_value() &&
               !pick(sheet, {0.4, height, 0.4}, {0.0, height > 0.0 ? -1.0 : 1.0, 0.0}).has_value();
    };
    CHECK(comes_from(5.0));
    CHECK(comes_from(-5.0));
}

TEST_CASE("kinetic energy is what it was at the start and what every source gave since, in every scene") {
    for (const SceneInfo& info : scene_list()) {
        CAPTURE(info.name);
        Simulation simulation = open(std::string(info.name).c_str());
        run(simulation, 20);
        const Recording& recording = simulation.recording();
        REQUIRE(recording.potential().points().front().y == 0.0);
        CHECK(recording.potential().points().back().y ==
              simulation.meter().energy().potential - recording.start_potential());
        const LedgerPoint& now = recording.ledger().back();
        double sum = now.start;
        for (std::size_t k = 1; k < kLedgerSources; ++k) sum += now.joules[k];
        // Sums of a dozen terms that may be as large as the potential as the scene counts it.
        const double size = now.joules[0] + std::abs(recording.start_potential()) + simulation.meter().energy_scale();
        CHECK(std::abs(sum - now.joules[0]) < 1e-13 * size);
    }
}

TEST_CASE("going back shows the meter, the report, the trails and the recordings of that moment") {
    Simulation simulation = open("pendulum");
    run(simulation, 60);
    choose(simulation, "auto");
    run(simulation, 60);
    const double then = simulation.time();
    const double max_error = simulation.meter().max_error();
    const std::string reason(simulation.report().reason);
    const std::vector<glm::vec3> trail = simulation.trails()[0].points;
    REQUIRE(!reason.empty());
    run(simulation, 100 * 60);
    REQUIRE(simulation.meter().max_error() > max_error);
    simulation.go_to(then);
    CHECK(simulation.meter().max_error() == max_error);
    CHECK(simulation.report().reason == reason);
    REQUIRE(simulation.trails()[0].points.size() == trail.size());
    float apart = 0.0f;
    for (std::size_t i = 0; i < trail.size(); ++i) {
        apart = std::max(apart, glm::length(trail[i] - simulation.trails()[0].points[i]));
    }
    CHECK(apart < 1e-6f); // in float

    const Recording& recording = simulation.recording();
    for (const RollingSeries* series : {&recording.kinetic(), &recording.channels()[0].simulated}) {
        CHECK(series->points().front().x < then - 1.0);
        CHECK(series->points().back().x > then + 99.0);
    }
    REQUIRE(!recording.costs_until(then).empty());
    CHECK(recording.costs_until(then).back().time == doctest::Approx(then));
    // What is simulated from there on takes the place of what lay behind it.
    run(simulation, 1);
    CHECK(recording.kinetic().points().back().x == doctest::Approx(then + kFrame));
}

TEST_CASE("what is plotted of a scene goes on behind the end of its exact solution") {
    Simulation simulation = open("folded_chain");
    const double until = simulation.scene().truth->known_until();
    run(simulation, static_cast<int>(until / kFrame) + 30);
    const ChannelHistory& channel = simulation.recording().channels()[0];
    CHECK(channel.exact.points().back().x <= until + 1e-6);
    CHECK(channel.simulated.points().back().x == doctest::Approx(simulation.time()));
}

TEST_CASE("in slow motion trails, and the spring that drags a body, end where the picture has the body") {
    Simulation simulation = open("pendulum");
    simulation.set_twin(true);
    run(simulation, 30);
    const BodyId bob = simulation.trails()[0].body;
    simulation.take_hold(bob, simulation.pose(bob).position);
    run(simulation, 1);
    for (int i = 0; i < 12; ++i) {
        simulation.advance(0.1 * kFrame);
        const glm::dvec3 shown = simulation.pose(bob).position;
        CHECK(glm::length(simulation.trails()[0].points.back() - glm::vec3(shown)) < 1e-6f); // in float
        CHECK(glm::length(simulation.drag()->point - shown) < 1e-12);
        // Every other point lies behind the last one: a step leaves no way back.
        const std::vector<glm::vec3>& points = simulation.trails()[0].points;
        const glm::vec3 last = points.back() - points[points.size() - 2];
        const glm::vec3 before = points[points.size() - 2] - points[points.size() - 3];
        CHECK(glm::dot(last, before) >= 0.0f);
        CHECK(simulation.twin_trails()[0].points.size() > 1);
    }
}

TEST_CASE("beside a pile the same under another method: how far both sink is told, and how far they are apart") {
    Simulation simulation = open("pyramid");
    simulation.set_value(0, 20.0); // 210 cubes: a pile, made by eight soft steps a frame
    simulation.set_twin_method("rk4");
    simulation.set_twin_substeps(16);
    simulation.set_twin(true);
    const auto last = [](const RollingSeries& series) { return series.points().back().y; };
    run(simulation, 120);
    const Sinking& sinking = simulation.recording().sinking();
    MESSAGE("sinks by " << last(sinking.own()) << " m, twin by " << last(sinking.twin()) << " m");
    // The sink goes with the square of a soft step's length (docs/piles.md): sixteen a frame leave a quarter.
    CHECK(last(sinking.own()) > 3.0 * last(sinking.twin()));
    CHECK(last(sinking.twin()) > 1e-4);
    CHECK(last(sinking.apart()) >= last(sinking.own()) - last(sinking.twin()));

    CHECK_THROWS_AS(simulation.set_twin_method("no_such_method"), std::invalid_argument);
    CHECK(simulation.twin_method() == "rk4");
    simulation.set_twin_method("impulse_euler");
    CHECK(sinking.twin().points().empty()); // what another method made of it is none of its own
    run(simulation, 2);
    CHECK(sinking.twin().points().size() == 2);
}

TEST_CASE("a pile has no reference, and says so; dragged out of it, a body leaves the rest where it is") {
    Simulation simulation = open("pyramid");
    simulation.set_value(0, 20.0);
    CHECK(simulation.deviation().end.find("150 bodies") != std::string::npos);
    run(simulation, 60);
    const auto bodies = simulation.scene().world.bodies();
    const BodyId top = bodies.back();
    const BodyId corner = bodies[1];
    const glm::dvec3 from = simulation.scene().world.body(top).centre_of_mass();
    const glm::dvec3 rest = simulation.scene().world.body(corner).centre_of_mass();
    simulation.take_hold(top, from);
    simulation.drag_to(from + glm::dvec3{0.0, 1.0, 2.0});
    bool stays_pile = true;
    for (int frame = 0; frame < 60; ++frame) {
        run(simulation, 1);
        for (const IslandView& island : simulation.scene().world.islands()) {
            stays_pile = stays_pile && (island.bodies.size() < 150 || island.regime == IslandRegime::Soft);
        }
    }
    CHECK(stays_pile); // a spring that ties it would hand it over to impulses
    CHECK(glm::length(simulation.scene().world.body(top).centre_of_mass() - from) > 1.5);
    simulation.let_go();
    run(simulation, 30);
    CHECK(glm::length(simulation.scene().world.body(corner).centre_of_mass() - rest) < 1e-3);
}
