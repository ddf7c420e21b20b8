// The energy ledger where bodies touch: friction and restitution in every regime against closed forms.
#include <doctest/doctest.h>

#include "ledger_worlds.h"

using namespace engine_tests;

namespace {

// A ball of radius 0.5 m on a floor at height 0 that moves at `speed` along x.
struct OnFloor {
    World world;
    BodyId body;

    OnFloor(double friction, double restitution, double height, const glm::dvec3& velocity, double speed = 0.0)
        : world(with_ledger(precise(Boundary::Exact), {0.0, -9.8, 0.0})) {
        const Material material{.friction = friction, .restitution = restitution};
        BodyDesc floor;
        floor.shape = Plane{};
        floor.motion = speed != 0.0 ? MotionType::Kinematic : MotionType::Static;
        floor.linear_velocity = {speed, 0.0, 0.0};
        floor.material = material;
        world.create_body(floor);
        BodyDesc ball;
        ball.mass = 1.0;
        ball.shape = Sphere{0.5};
        ball.pose.position = {0.0, 0.5 + height, 0.0};
        ball.linear_velocity = velocity;
        ball.material = material;
        body = world.create_body(ball);
        world.reset_energy_ledger();
    }
};

} // namespace

TEST_CASE("friction takes 2/7 of a sliding ball's energy until it rolls") {
    OnFloor floor(0.3, 0.0, 0.0, {3.0, 0.0, 0.0});
    run(floor.world, 1.0); // rolls from 2 v / (7 mu g) = 0.29 s on
    const EnergyLedger ledger = floor.world.energy_ledger();
    CHECK(std::abs(ledger.friction + 0.5 * 9.0 * 2.0 / 7.0) < kPrecise);
    CHECK(std::abs(ledger.restitution) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("an impact takes 1 - e^2 of the energy of approach") {
    OnFloor floor(0.0, 0.6, 1.0, {});
    run(floor.world, 0.6); // it falls for 0.45 s
    const EnergyLedger ledger = floor.world.energy_ledger();
    CHECK(std::abs(ledger.restitution + 9.8 * (1.0 - 0.36)) < kPrecise);
    CHECK(std::abs(ledger.friction) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("a conveyor gives a ball at rest its energy and what friction takes") {
    OnFloor floor(0.3, 0.0, 0.0, {}, 2.0);
    run(floor.world, 1.0);
    // In the belt's frame the ball slides at -2 m/s and loses 2/7; its centre ends at 2/7 of the belt's speed in the
    // world, and the belt's force gave m times that.
    const EnergyLedger ledger = floor.world.energy_ledger();
    CHECK(std::abs(ledger.friction + 0.5 * 4.0 * 2.0 / 7.0) < kPrecise);
    CHECK(std::abs(ledger.prescribed - 2.0 * 2.0 * 2.0 / 7.0) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("the ledger changes no bit where things bounce, slide and roll") {
    for (const char* method : {"rk4", "dormand_prince54", "dormand_prince853"}) {
        CAPTURE(method);
        const auto hash_of = [&](bool on) {
            OnFloor floor(0.3, 0.7, 0.4, {3.0, 0.0, 1.0}, 0.5);
            WorldSettings settings = floor.world.settings();
            settings.energy_ledger = on;
            settings.integrator = fixed(method, 4);
            floor.world.set_settings(settings);
            run(floor.world, 3.0);
            return floor.world.hash();
        };
        CHECK(hash_of(true) == hash_of(false));
    }
}

TEST_CASE("velocity steps book contacts so that under a constant force nothing remains, and friction at first order") {
    const auto run_with = [](int substeps) {
        OnFloor floor(0.3, 0.0, 0.0, {3.0, 0.0, 0.0});
        WorldSettings settings = floor.world.settings();
        settings.integrator = fixed("impulse_euler", substeps);
        floor.world.set_settings(settings);
        run(floor.world, 1.0);
        return floor.world.energy_ledger();
    };
    const EnergyLedger coarse = run_with(8);
    const EnergyLedger fine = run_with(32);
    const double truth = -0.5 * 9.0 * 2.0 / 7.0;
    CHECK(std::abs(coarse.friction - truth) < 1e-2);
    CHECK(std::abs(fine.friction - truth) < 0.5 * std::abs(coarse.friction - truth) + 1e-12);
    CHECK(std::abs(fine.prescribed) < 1e-12);
    // Impulses at the mean velocity take exactly what is missing; a body at rest loses nothing for being held.
    CHECK(std::abs(coarse.remainder()) < 1e-12);
    CHECK(std::abs(coarse.restitution) < 1e-12);

    OnFloor bounce(0.3, 0.5, 0.1, {3.0, 0.0, 0.0});
    WorldSettings settings = bounce.world.settings();
    settings.integrator = fixed("impulse_euler", 8);
    bounce.world.set_settings(settings);
    run(bounce.world, 1.0);
    const EnergyLedger ledger = bounce.world.energy_ledger();
    CHECK(ledger.restitution < -0.5);
    CHECK(std::abs(ledger.remainder()) < 0.1); // m g h times the speed at an impact, first order
}

TEST_CASE("impacts, slides, rolls and what settles add up: three balls fall, bounce, hit one another and roll on") {
    World world(with_ledger(precise(Boundary::Exact), {0.0, -9.8, 0.0}));
    const Material material{.friction = 0.4, .restitution = 0.5};
    BodyDesc floor;
    floor.motion = MotionType::Static;
    floor.shape = Plane{};
    floor.material = material;
    world.create_body(floor);
    for (int i = 0; i < 3; ++i) {
        BodyDesc ball;
        ball.mass = 1.0;
        ball.shape = Sphere{0.1};
        ball.pose.position = {0.05 * i, 0.6 + 0.1 * i, 0.3 * i};
        ball.linear_velocity = {0.0, 0.0, i == 2 ? -3.0 : 0.0};
        ball.material = material;
        world.create_body(ball);
    }
    const double start = world.energy().total();
    world.reset_energy_ledger();
    double lost = 0.0; // by the impacts' own account
    int among_balls = 0;
    for (int frame = 0; frame < 300; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE(report.order > 1);
        for (const Impact& impact : world.impacts()) {
            lost += impact.restitution_loss;
            among_balls += std::abs(impact.normal.y) < 0.9 ? 1 : 0;
        }
    }
    CHECK(among_balls >= 2);
    const EnergyLedger ledger = world.energy_ledger();
    CHECK(start - ledger.total() > 5.0);
    CHECK(ledger.friction < -0.1);
    CHECK(std::abs(ledger.restitution + lost) < kPrecise);
    CHECK(std::abs(ledger.prescribed) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("a heap that is handed over to velocity steps closes its ledger at first order, however long it rests") {
    const auto remainder_with = [](double dt) {
        World world(with_ledger(adaptive(1e-8, Boundary::Exact), {0.0, -9.8, 0.0}));
        BodyDesc floor;
        floor.motion = MotionType::Static;
        floor.shape = Plane{};
        floor.material = {.friction = 0.5};
        world.create_body(floor);
        for (int i = 0; i < 32; ++i) {
            BodyDesc ball;
            ball.mass = 1.0;
            ball.shape = Sphere{0.1};
            ball.material = {.friction = 0.5};
            const int row = i / 4 % 4;
            const int layer = i / 16;
            ball.pose.position = {0.2 * (i % 4), 0.1 + 0.24 * layer + 0.02 * (i % 3), 0.2 * row};
            ball.linear_velocity = {i % 2 == 0 ? 0.5 : -0.5, 0.0, 0.0};
            world.create_body(ball);
        }
        world.reset_energy_ledger();
        int first_order = 0;
        for (int frame = 0; frame < std::lround(2.0 / dt); ++frame) {
            const StepReport report = world.advance(dt);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            first_order += report.order == 1 ? 1 : 0;
        }
        CHECK(first_order > 10);
        const EnergyLedger ledger = world.energy_ledger();
        CHECK(ledger.friction + ledger.restitution < -1.0);
        return std::abs(ledger.remainder());
    };
    const double coarse = remainder_with(kFrame);
    const double fine = remainder_with(kFrame / 8.0);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(coarse < 0.5); // of 4.5 J
    CHECK(fine < 0.5 * coarse);
}
