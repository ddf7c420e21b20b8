// What the demo says a run is off, and from what: after a switch, a touch, and on the way back.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <glm/geometric.hpp>

#include "simulation.h"

using namespace substep;

namespace {

constexpr double kFrame = 1.0 / 60.0;

void run(Simulation& simulation, int frames) {
    for (int i = 0; i < frames; ++i) simulation.advance(kFrame);
}

void choose(Simulation& simulation, const char* method, double tolerance = 1e-8) {
    IntegratorSettings settings = simulation.integrator();
    settings.method = method;
    settings.substeps = 1;
    settings.atol = settings.rtol = tolerance;
    simulation.set_integrator(settings);
}

void stop_body(World& world) {
    world.body(world.bodies()[0]).set_linear_velocity(glm::dvec3(0.0));
    world.body(world.bodies()[0]).set_angular_velocity(glm::dvec3(0.0));
}

} // namespace

TEST_CASE("after a switch the run keeps its error, and the method is blamed for its own alone") {
    Simulation simulation(make_run("pendulum", RunWords{}));
    choose(simulation, "symplectic_euler");
    CHECK_FALSE(simulation.method_deviation());
    run(simulation, 17); // 0.28 s
    REQUIRE(simulation.deviation().largest > 1e-4);
    choose(simulation, "rk4");
    run(simulation, 60);
    CHECK(simulation.deviation().from == Deviation::From::Exact);
    CHECK(simulation.deviation().largest > 1e-3); // what symplectic Euler left behind grows
    REQUIRE(simulation.method_deviation());
    CHECK(simulation.method_deviation()->since == doctest::Approx(17 * kFrame));
    CHECK(simulation.method_deviation()->largest < 1e-5);
    CHECK(simulation.method_deviation()->largest > 1e-12);
    CHECK(simulation.method_deviation()->own_error < 1e-9);
}

TEST_CASE("a method that makes nearly all of a run's error is blamed for as much, whatever the scene measures") {
    for (const char* scene :
         {"pendulum", "slider_crank", "spherical_pendulum", "bouncing_ball", "kepler", "heavy_top"}) {
        CAPTURE(std::string(scene));
        Simulation simulation(make_run(scene, RunWords{}));
        choose(simulation, "dormand_prince853", 1e-13);
        run(simulation, 10);
        choose(simulation, "heun2");
        run(simulation, 40);
        REQUIRE(simulation.method_deviation());
        CAPTURE(simulation.deviation().error);
        CHECK(simulation.method_deviation()->error == doctest::Approx(simulation.deviation().error).epsilon(0.25));
    }
}

TEST_CASE("after any touch the run is measured against a reference, which knows its own error") {
    for (const bool dragged : {false, true}) {
        CAPTURE(dragged);
        Simulation simulation(make_run("pendulum", RunWords{}));
        choose(simulation, "heun2");
        run(simulation, 20);
        World truth = simulation.scene().world.clone(); // the same pushes, by the tests' own hand
        if (dragged) {
            const BodyId bob = simulation.scene().world.bodies()[0];
            simulation.take_hold(bob, simulation.pose(bob).position);
            simulation.drag_to(simulation.pose(bob).position + glm::dvec3(0.3, 0.4, 0.0));
            run(simulation, 15);
            simulation.let_go();
            run(simulation, 60);
        } else {
            simulation.edit(stop_body);
            stop_body(truth);
            run(simulation, 75);
        }
        const Deviation deviation = simulation.deviation();
        CHECK(deviation.from == Deviation::From::Reference);
        CHECK(deviation.since == doctest::Approx(20 * kFrame));
        CHECK(deviation.end.empty());
        CHECK(deviation.own_error < 1e-9);
        CHECK(deviation.error > 1e-5); // heun2 makes one substep a frame
        CHECK(deviation.error < 1e-1);
        CHECK(deviation.largest >= deviation.error);
        REQUIRE(simulation.exact_graph() != nullptr);
        CHECK(simulation.recording().touches().size() == 1);
        CHECK(simulation.recording().channels()[0].reference.points().size() > 70);
        CHECK(simulation.recording().channels()[0].exact.points().back().x == doctest::Approx(20 * kFrame));
        if (dragged) continue;
        WorldSettings settings = truth.settings();
        settings.integrator = {.method = "verner87", .atol = 1e-13, .rtol = 1e-13};
        truth.set_settings(settings);
        for (int i = 0; i < 75; ++i) truth.advance(kFrame);
        const double off = distance(truth, simulation.scene().world, {true, simulation.lever()});
        CHECK(deviation.error == doctest::Approx(off).epsilon(1e-6));
    }
}

TEST_CASE("the way back leads to the exact solution where nothing was touched yet, else to a new reference") {
    Simulation simulation(make_run("pendulum", RunWords{}));
    run(simulation, 30);
    simulation.edit(stop_body);
    run(simulation, 30);
    CHECK(simulation.deviation().from == Deviation::From::Reference);
    simulation.go_to(45 * kFrame);
    CHECK(simulation.deviation().from == Deviation::From::Reference);
    CHECK(simulation.deviation().since == doctest::Approx(45 * kFrame));
    run(simulation, 5);
    CHECK(simulation.deviation().error < 1e-6);
    simulation.go_to(20 * kFrame);
    CHECK(simulation.deviation().from == Deviation::From::Exact);
    CHECK_FALSE(simulation.was_edited());
    run(simulation, 5);
    CHECK(simulation.deviation().error < 1e-6);
    CHECK(simulation.recording().touches().empty());
    CHECK_FALSE(simulation.method_deviation());
}

TEST_CASE("going back in the middle of a drag lets go") {
    Simulation simulation(make_run("pendulum", RunWords{}));
    run(simulation, 20);
    const BodyId bob = simulation.scene().world.bodies()[0];
    simulation.take_hold(bob, simulation.pose(bob).position);
    run(simulation, 20);
    REQUIRE(simulation.scene().world.force_fields().size() == 1);
    simulation.go_to(30 * kFrame);
    CHECK(simulation.scene().world.force_fields().empty());
    CHECK_FALSE(simulation.drag());
    run(simulation, 5);
    CHECK(simulation.deviation().error < 1e-6);
}

TEST_CASE("where chaos has eaten the reference it ends, and says so") {
    Simulation simulation(make_run("double_pendulum", RunWords{}));
    run(simulation, 10);
    simulation.edit([](World& world) {
        for (const BodyId body : world.bodies()) world.body(body).set_angular_velocity({0.0, 0.0, 12.0});
    });
    int frames = 0;
    for (; frames < 3600 && simulation.deviation().end.empty(); ++frames) run(simulation, 1);
    CHECK(frames > 60);
    CHECK(simulation.deviation().end.find("chaos has eaten it") != std::string::npos);
    CHECK(std::isnan(simulation.deviation().error));
    CHECK(simulation.exact_graph() == nullptr);
    // A new touch begins a new one.
    simulation.edit([](World& world) { world.body(world.bodies()[0]).set_angular_velocity(glm::dvec3(0.0)); });
    run(simulation, 5);
    CHECK(simulation.deviation().end.empty());
    CHECK(simulation.deviation().error < 1e-5);
}

TEST_CASE("the twin is pushed and edited as the scene is, keeps its own state, and its cost is made equal by a word") {
    Simulation simulation(make_run("pendulum", RunWords{}));
    simulation.set_twin(true);
    run(simulation, 30);
    const auto apart = [&] {
        return glm::length(simulation.graph().world_pose(1).position - simulation.twin_graph()->world_pose(1).position);
    };
    const double before = apart();
    REQUIRE(before > 1e-4);
    const BodyId bob = simulation.scene().world.bodies()[0];
    const double height = simulation.twin_graph()->world_pose(1).position.y;
    simulation.take_hold(bob, simulation.pose(bob).position);
    simulation.drag_to(simulation.pose(bob).position + glm::dvec3(0.0, 1.5, 0.0));
    run(simulation, 20);
    CHECK(apart() > 1e-6);
    CHECK(apart() < 0.1);
    CHECK(simulation.twin_graph()->world_pose(1).position.y > height + 0.1); // it is pulled as well
    simulation.let_go();
    run(simulation, 5);
    // Its angle, energy and cost are recorded beside ours, step by step.
    CHECK(simulation.recording().channels()[0].twin.points().size() == 55);
    CHECK(simulation.recording().twin_total().points().size() == 55);
    CHECK(simulation.recording().twin_total().points().back().x == doctest::Approx(simulation.time()));
    CHECK(simulation.twin_error() > simulation.deviation().error);

    run(simulation, 60); // a drag costs more
    simulation.set_twin_substeps(simulation.equal_cost_substeps());
    run(simulation, 60);
    double ours = 0.0;
    double twins = 0.0;
    for (const StepCost& cost : simulation.recording().costs().last(60))
        ours += static_cast<double>(cost.report.evaluations);
    for (const PlotPoint& point : simulation.recording().twin_evaluations().points().last(60)) twins += point.y;
    CHECK(twins == doctest::Approx(ours).epsilon(0.5));
}

TEST_CASE(
    "what is drawn between two frames obeys the joints, also where a loose tolerance lets substeps run far ahead") {
    for (const char* scene : {"pendulum", "double_pendulum", "chain", "slider_crank", "four_bar"}) {
        CAPTURE(scene);
        Simulation simulation(make_run(scene, RunWords{}));
        choose(simulation, "cash_karp54", 0.1);
        IntegratorSettings settings = simulation.integrator();
        settings.boundary = Boundary::RunAhead;
        simulation.set_integrator(settings);
        double widest = 0.0;
        for (int i = 0; i < 1200; ++i) {
            simulation.advance(0.13 * kFrame);
            const World& world = simulation.scene().world;
            for (const JointId id : world.joints()) {
                const JointDesc& joint = world.joint(id);
                if (joint.locked_translation() != AxisLocks{true, true, true}) continue;
                const auto end = [&](BodyId body, const Pose& frame) {
                    const Pose pose = simulation.pose(body);
                    return pose.position + pose.orientation * frame.position;
                };
                widest =
                    std::max(widest, glm::length(end(joint.body_a, joint.frame_a) - end(joint.body_b, joint.frame_b)));
            }
        }
        CHECK(widest <= 5e-4 * simulation.scene().view.distance); // half a pixel of 1280
    }
}

TEST_CASE("where an exact solution ends is said in digits that a person reads") {
    Simulation simulation(make_run("tumbling_cube", RunWords{}));
    run(simulation, 120);
    CHECK(simulation.deviation().end.empty());
    run(simulation, 10); // it is known up to 2.0584773883780256 s
    CHECK(simulation.deviation().end == "the exact solution is known up to 2.058 s");
}
