// Steps of the demo that take long: made beside the frame, to the same bits, and stopped as if they had never begun;
// and what goes wrong in a frame.
#include <doctest/doctest.h>

#include <ctime>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <glm/geometric.hpp>

#include "app.h"
#include "headless_egl.h"
#include "ode_run.h"
#include "simulation.h"

using namespace substep;

namespace {

constexpr double kFrame = 1.0 / 60.0;
constexpr int kTries = 50; // until a step is late
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// CPU time of this thread, s: others run on the machine too.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Turns the pendulum so fast that a frame takes ten thousands of substeps.
void turn(Simulation& simulation, double rate) {
    simulation.edit([&](World& world) { world.body(world.bodies()[0]).set_angular_velocity({0.0, 0.0, rate}); });
}

void set_method(Experiment& experiment, const char* method, double tolerance) {
    IntegratorSettings settings = experiment.integrator();
    settings.method = method;
    settings.atol = settings.rtol = tolerance;
    experiment.set_integrator(settings);
}

// Advances until the step that is being made is done.
void finish(Experiment& experiment) {
    const double before = experiment.time();
    for (int i = 0; i < 60'000 && experiment.time() == before; ++i) {
        experiment.advance(kFrame);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE(experiment.time() > before);
}

} // namespace

TEST_CASE("a step that is longer than a frame may wait is made beside, to the same bits, twin and references too") {
    Simulation quick(make_run("pendulum", RunWords{}));
    Simulation patient(make_run("pendulum", RunWords{}));
    for (Simulation* each : {&quick, &patient}) {
        each->set_twin(true);
        for (int i = 0; i < 10; ++i) each->advance(kFrame);
        turn(*each, 1e7);
    }
    quick.set_limit(1e-4);
    int beside = 0;
    for (int i = 0; i < 3 || (i < kTries && beside == 0); ++i) {
        patient.advance(kFrame);
        const double before = quick.time();
        quick.advance(kFrame);
        beside += quick.is_stepping() ? 1 : 0;
        // Everything stands at the step's start meanwhile.
        if (quick.is_stepping()) CHECK(quick.time() == before);
        if (quick.time() == before) finish(quick);
    }
    CHECK(beside > 0);
    CHECK(quick.time() == patient.time());
    CHECK(quick.scene().world.hash() == patient.scene().world.hash());
    CHECK(quick.report().evaluations == patient.report().evaluations);
    CHECK(quick.twin_graph()->world_pose(1).position == patient.twin_graph()->world_pose(1).position);
    CHECK(quick.recording().kinetic().points().size() == patient.recording().kinetic().points().size());
}

TEST_CASE("a step that is stopped is as if it had never begun, and so is one during which something is changed") {
    Simulation simulation(make_run("pendulum", RunWords{}));
    for (int i = 0; i < 10; ++i) simulation.advance(kFrame);
    turn(simulation, 1e9);
    simulation.set_limit(1e-3);
    std::uint64_t before = 0;
    double time = 0.0;
    const auto begin_step = [&] {
        for (int i = 0; i < kTries && !simulation.is_stepping(); ++i) {
            before = simulation.scene().world.hash();
            time = simulation.time();
            simulation.advance(kFrame);
        }
        REQUIRE(simulation.is_stepping());
    };
    begin_step();
    simulation.stop_step();
    CHECK_FALSE(simulation.is_stepping());
    CHECK(simulation.time() == time);
    CHECK(simulation.scene().world.hash() == before);

    begin_step();
    set_method(simulation, "theta", 1e-8);
    CHECK_FALSE(simulation.is_stepping());
    simulation.set_limit(kInfinity);
    simulation.advance(kFrame);
    CHECK(simulation.time() > time);

    // What is stopped by the program's end is stopped in the same way.
    set_method(simulation, "cash_karp54", 1e-8);
    simulation.set_end([] { return true; });
    for (int i = 0; i < kTries && !simulation.is_stepping(); ++i) simulation.advance(kFrame);
    CHECK(simulation.is_stepping());
}

TEST_CASE("no frame waits for a step, whatever is typed into a card") {
    const auto brake = [](World& world) {
        const JointId id = world.joints()[0];
        JointDesc joint = world.joint(id);
        joint.drives = {{.target_rate = 1.0, .damping = 1e12}};
        world.set_joint(id, joint);
    };
    for (const double rate : {1e9, 0.0}) {
        CAPTURE(rate);
        Simulation simulation(make_run("pendulum", RunWords{}));
        simulation.set_limit(0.03);
        if (rate > 0.0) {
            turn(simulation, rate);
        } else {
            simulation.edit(brake);
        }
        double longest = 0.0;
        for (int i = 0; i < 40; ++i) {
            const double begin = cpu_seconds();
            simulation.advance(kFrame);
            longest = std::max(longest, cpu_seconds() - begin);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        CHECK(longest < 0.1);
    }
}

TEST_CASE("a step of an equation that takes long is made beside, to the same bits, and can be stopped") {
    const OdeProblem& problem = *find_ode_problem("pleiades");
    OdeRun quick(problem);
    OdeRun patient(problem);
    for (OdeRun* each : {&quick, &patient}) {
        each->advance(3.0 * kFrame);
        set_method(*each, "symplectic_euler_doubling", 1e-7);
    }
    quick.set_limit(1e-4);
    for (int i = 0; i < 3; ++i) {
        patient.step_once();
        const double before = quick.time();
        quick.step_once();
        if (quick.time() == before) finish(quick);
    }
    CHECK(quick.time() == patient.time());
    CHECK(std::ranges::equal(quick.state(), patient.state()));
    CHECK(quick.error() == patient.error());
    REQUIRE(quick.method_error());
    CHECK(*quick.method_error() == *patient.method_error());

    // Where the machine is busy, a step may be done before anything notices that it is late.
    set_method(quick, "symplectic_euler_doubling", 1e-13);
    std::vector<double> before;
    for (int i = 0; i < kTries && !quick.is_stepping(); ++i) {
        before.assign(quick.state().begin(), quick.state().end());
        quick.step_once();
    }
    REQUIRE(quick.is_stepping());
    quick.stop_step();
    CHECK(std::ranges::equal(quick.state(), before));
}

TEST_CASE("what goes wrong in a frame becomes a line that can be dismissed, and the demo goes on") {
    const HeadlessContext context({1280, 720});
    App app(make_run("pendulum", RunWords{}), AppOptions{});
    ImGuiIO& io = ImGui::GetIO();
    const auto frames = [&](int count) {
        for (int i = 0; i < count; ++i) {
            io.DisplaySize = {1280.0f, 720.0f};
            io.DeltaTime = 1.0f / 60.0f;
            CHECK_NOTHROW(app.frame(kFrame));
            CHECK_NOTHROW(app.draw(context.framebuffer(), context.size()));
        }
    };
    frames(5);
    // Behind the simulation's back: its trail then names a body that is gone.
    auto& world = const_cast<World&>(app.simulation().scene().world);
    world.destroy_body(world.bodies()[0]);
    frames(1);
    CHECK(app.state()["problem"].find("names no body") != std::string::npos);
    CHECK(app.state()["playing"] == "false");
    frames(3);
    CHECK(app.widgets().find("dismiss") != nullptr);
    app.key("escape");
    CHECK(app.state()["problem"] == "none");
    app.key("r");
    app.key("space");
    frames(5);
    CHECK(app.state()["problem"] == "none");
    CHECK(app.simulation().time() > 0.0);
}
