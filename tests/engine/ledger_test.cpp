// The energy ledger: each term alone against a closed form, the sum closed at the method's order, no bit of the motion
// changed.
#include <doctest/doctest.h>

#include "ledger_worlds.h"

using namespace engine_tests;

namespace {

BodyId add_point(World& world, const glm::dvec3& velocity = glm::dvec3(0.0),
                 const glm::dvec3& position = glm::dvec3(0.0), MotionType motion = MotionType::Dynamic) {
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.motion = motion;
    desc.pose.position = position;
    desc.linear_velocity = velocity;
    return world.create_body(desc);
}

// A bit of everything that works: joints with a kinematic end, drag, a damped spring between islands to be, a force of
// one frame.
World busy_world(const WorldSettings& settings) {
    World world = mixed_world(settings.integrator);
    world.set_settings(settings);
    const std::vector<BodyId> bodies(world.bodies().begin(), world.bodies().end());
    world.add_force_field(std::make_unique<Spring>(SpringDesc{.body_a = bodies[2],
                                                              .body_b = bodies[5],
                                                              .anchor_b = {0.0, 0.1, 0.0},
                                                              .stiffness = 3.0,
                                                              .rest_length = 2.0,
                                                              .damping = 0.4}));
    world.add_force_field(std::make_unique<Spring>(
        SpringDesc{.body_a = bodies[3], .body_b = bodies[5], .anchor_a = {0.2, 0.0, 0.0}, .stiffness = 5.0}));
    return world;
}

double remainder_after_a_second(const std::string& method, int substeps, double tolerance = 0.0) {
    IntegratorSettings integrator = fixed(method, substeps);
    if (tolerance > 0.0) {
        integrator.atol = integrator.rtol = tolerance;
    }
    World world = busy_world(with_ledger(integrator, {0.0, -9.8, 0.0}));
    world.advance(kFrame);
    world.reset_energy_ledger();
    run(world, 1.0);
    return std::abs(world.energy_ledger().remainder());
}

} // namespace

TEST_CASE("the ledger books drag on a projectile as what its closed form loses") {
    World world(with_ledger(precise(), {0.0, -9.8, 0.0}));
    add_point(world, {3.0, 4.0, 0.0});
    const ForceFieldId drag = world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.5}));
    run(world, 1.0);
    // v = v_T + (v0 - v_T) e^(-c t) with v_T = g / c; the work of drag is -c times the integral of v^2.
    const double c = 0.5, terminal = -9.8 / c, t = 1.0;
    const double once = (1.0 - std::exp(-c * t)) / c, twice = (1.0 - std::exp(-2.0 * c * t)) / (2.0 * c);
    const double x = 9.0 * twice;
    const double a = 4.0 - terminal;
    const double y = terminal * terminal * t + 2.0 * terminal * a * once + a * a * twice;
    const EnergyLedger ledger = world.energy_ledger();
    REQUIRE(ledger.fields.size() == 1);
    CHECK(ledger.fields[0].field == drag);
    CHECK(std::abs(ledger.fields[0].work + c * (x + y)) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
    CHECK(ledger.edits == doctest::Approx(12.5)); // the body came with its kinetic energy
    CHECK(ledger.joints + ledger.applied + ledger.prescribed + ledger.drives == 0.0);
}

TEST_CASE("a damped spring: its potential is the field's, its damper's work what the oscillator loses") {
    World world(with_ledger(precise()));
    const BodyId body = add_point(world, {}, {0.5, 0.0, 0.0});
    world.add_force_field(std::make_unique<Spring>(SpringDesc{.body_a = kGround,
                                                              .body_b = body,
                                                              .anchor_a = {-3.0, 0.0, 0.0},
                                                              .stiffness = 9.0,
                                                              .rest_length = 3.0,
                                                              .damping = 0.6}));
    world.reset_energy_ledger();
    run(world, 2.0);
    // x'' = -9 x - 0.6 x' from 0.5 at rest.
    const double decay = 0.3, omega = std::sqrt(9.0 - decay * decay), t = 2.0;
    const double x = 0.5 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
    const double v = -0.5 * std::exp(-decay * t) * 9.0 / omega * std::sin(omega * t);
    const EnergyLedger ledger = world.energy_ledger();
    CHECK(std::abs(ledger.start - 0.5 * 9.0 * 0.25) < 1e-14);
    CHECK(std::abs(ledger.fields[0].potential - 4.5 * x * x) < kPrecise);
    CHECK(std::abs(ledger.kinetic - 0.5 * v * v) < kPrecise);
    CHECK(std::abs(ledger.fields[0].work - (4.5 * x * x + 0.5 * v * v - 1.125)) < kPrecise);
    CHECK(ledger.edits == 0.0);
}

TEST_CASE("a carriage pulls a weight through a joint and through a spring: all its work is booked as prescribed") {
    // A pendulum released on a carriage at constant velocity: in the carriage's frame its energy stays, so in the
    // world's the carriage gives m v . change of the relative velocity.
    for (const bool by_joint : {true, false}) {
        CAPTURE(by_joint);
        World world(with_ledger(precise(), {0.0, -9.8, 0.0}));
        const glm::dvec3 speed(2.0, 0.5, 0.0);
        const BodyId carriage = add_point(world, speed, {}, MotionType::Kinematic);
        const BodyId weight = add_point(world, speed, {1.0, 0.0, 0.0});
        if (by_joint) {
            world.create_joint(ball(world, carriage, weight, {0.0, 0.0, 0.0}));
        } else {
            world.add_force_field(std::make_unique<Spring>(
                SpringDesc{.body_a = carriage, .body_b = weight, .stiffness = 40.0, .rest_length = 1.0}));
        }
        world.advance(kFrame);
        world.reset_energy_ledger();
        const glm::dvec3 before = world.body(weight).linear_velocity();
        run(world, 0.7);
        const glm::dvec3 change = world.body(weight).linear_velocity() - before;
        // The carriage's impulse on the weight is that of all forces but gravity's.
        const double work = glm::dot(change - glm::dvec3(0.0, -9.8, 0.0) * 0.7, speed);
        const EnergyLedger ledger = world.energy_ledger();
        CHECK(std::abs(work) > 1.0);
        CHECK(std::abs(ledger.prescribed - work) < kPrecise);
        CHECK(std::abs(ledger.joints) < kPrecise);
        CHECK(std::abs(ledger.remainder()) < kPrecise);
    }
}

TEST_CASE("forces of one frame are booked as applied, impulses and teleports as edits") {
    World world(with_ledger(precise()));
    const BodyId body = add_point(world);
    world.body(body).apply_force({6.0, 0.0, 0.0});
    world.advance(0.5);
    CHECK(std::abs(world.energy_ledger().applied - 0.5 * 9.0) < kPrecise); // 1/2 m (F t / m)^2
    world.body(body).apply_impulse({1.0, 0.0, 0.0});
    CHECK(std::abs(world.energy_ledger().edits - 3.5) < kPrecise); // 4^2 / 2 - 3^2 / 2, before time moves on
    world.advance(0.5);
    const EnergyLedger ledger = world.energy_ledger();
    CHECK(std::abs(ledger.edits - 3.5) < kPrecise);
    CHECK(std::abs(ledger.applied - 4.5) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("a field that depends on time books the change of its potential as work") {
    // A well that deepens: V = -k t x on a body that falls into it.
    World world(with_ledger(precise()));
    add_point(world);
    class Deepening final : public ForceField, private FieldPotential {
        Wrench at(double t, const BodyMotion&) const noexcept override { return {{2.0 * t, 0.0, 0.0}, {}}; }
        FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }
        double potential(double t, std::span<const BodyMotion> b) const noexcept override {
            return -2.0 * t * b[0].position.x;
        }
        double power_beyond_potential(double, std::span<const BodyMotion> b,
                                      std::span<const Wrench>) const noexcept override {
            return -2.0 * b[0].position.x;
        }
    };
    world.add_force_field(std::make_unique<Deepening>());
    run(world, 1.0);
    // x = t^3 / 3: the work is -2 times its integral.
    CHECK(std::abs(world.energy_ledger().fields[0].work + 2.0 / 12.0) < kPrecise);
    CHECK(std::abs(world.energy_ledger().remainder()) < kPrecise);
}

TEST_CASE("the ledger closes at the method's order: what remains falls with it") {
    const double coarse = remainder_after_a_second("rk4", 1);
    const double fine = remainder_after_a_second("rk4", 2);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(coarse < 1e-3);
    CHECK(coarse / fine > 12.0); // 16 is fourth order
    for (const char* method : {"dormand_prince54", "dormand_prince853"}) {
        CAPTURE(method);
        // Error proportional to tolerance: four decades.
        CHECK(remainder_after_a_second(method, 1, 1e-6) < 1e-3);
        CHECK(remainder_after_a_second(method, 1, 1e-10) < 1e-7);
    }
}

TEST_CASE("every method closes the ledger as far as it promises") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        const double few = remainder_after_a_second(std::string(info.name), 8, 1e-8);
        CAPTURE(few);
        // Some 20 J move. First order at 1/480 s: a few per cent of that, a tenth for theta, which damps springs, and
        // half of it at twice the substeps.
        CHECK(few < 2.5);
        if (!info.adaptive && few > 1e-9) {
            CHECK(remainder_after_a_second(std::string(info.name), 16, 1e-8) < 0.75 * few);
        }
    }
}

TEST_CASE("a ledger that omits a term does not close") {
    World world = busy_world(with_ledger(precise(), {0.0, -9.8, 0.0}));
    world.body(world.bodies()[5]).apply_force({5.0, 3.0, 0.0});
    run(world, 1.0);
    EnergyLedger ledger = world.energy_ledger();
    CHECK(std::abs(ledger.remainder()) < 1e-7);
    for (double* term :
         {&ledger.kinetic, &ledger.gravity, &ledger.prescribed, &ledger.applied, &ledger.edits, &ledger.fields[0].work,
          &ledger.fields[1].potential, &ledger.fields[1].work, &ledger.fields[2].potential}) {
        const double kept = *term;
        CHECK(std::abs(kept) > 1e-3);
        *term = 0.0;
        CHECK(std::abs(ledger.remainder()) > 1e-3);
        *term = kept;
    }
}

TEST_CASE("the ledger changes no bit of any motion, under every method and boundary, through edits") {
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method->info().name);
            IntegratorSettings integrator = fixed(std::string(method->info().name), 2);
            integrator.atol = integrator.rtol = 1e-6;
            integrator.boundary = boundary;
            WorldSettings settings = with_ledger(integrator, {0.0, -9.8, 0.0});
            World on = busy_world(settings);
            settings.energy_ledger = false;
            World off = busy_world(settings);
            for (World* world : {&on, &off}) {
                run(*world, 0.25);
                world->body(world->bodies()[0]).apply_impulse({0.0, 0.3, 0.2});
                const ForceFieldId field = world->add_force_field(std::make_unique<Drag>(DragDesc{.quadratic = 0.2}));
                run(*world, 0.5);
                world->remove_force_field(field);
                world->destroy_joint(world->joints().front());
                run(*world, 0.5);
            }
            CHECK(on.hash() == off.hash());
            CHECK(on.energy_ledger().removed_fields < 0.0);
            CHECK_THROWS_AS(off.energy_ledger(), std::invalid_argument);
        }
    }
}

TEST_CASE("what a field did stays booked when it is removed, as its closed form says") {
    // Drag c v on m: the energy falls by exp(-2 c t/m) as long as it acts.
    World world(with_ledger(precise()));
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 2.0;
    desc.linear_velocity = {3.0, 0.0, 0.0};
    world.create_body(desc);
    const ForceFieldId drag = world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.8}));
    run(world, 0.5);
    const double lost = 9.0 * std::expm1(-2.0 * 0.8 / 2.0 * 0.5);
    CHECK(std::abs(world.energy_ledger().fields.front().work - lost) < kPrecise);
    CHECK(world.energy_ledger().removed_fields == 0.0);
    world.remove_force_field(drag);
    run(world, 0.5);
    const EnergyLedger ledger = world.energy_ledger();
    CHECK(ledger.fields.empty());
    CHECK(std::abs(ledger.removed_fields - lost) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("energies beyond the range of numbers are not booked, and change no bit of the motion") {
    // A drag of 1e10 N s/m at 1e150 m/s takes 1e310 W; the body, of 1e12 kg, slows by 1.7e-4 of that in a frame.
    const auto after_a_frame = [](bool ledger) {
        WorldSettings settings = with_ledger(fixed("rk4", 1));
        settings.energy_ledger = ledger;
        World world(settings);
        BodyDesc desc;
        desc.mass_properties = MassProperties{.mass = 1e12, .inertia = glm::dmat3(1e12)};
        desc.linear_velocity = {1e150, 0.0, 0.0};
        const BodyId body = world.create_body(desc);
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 1e10}));
        CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
        CHECK(world.body(body).linear_velocity().x < 0.9999e150);
        return world.hash();
    };
    CHECK(after_a_frame(true) == after_a_frame(false));
}

TEST_CASE("a snapshot holds the ledger: the accounts go on as if nothing had happened") {
    World world = busy_world(with_ledger(precise(), {0.0, -9.8, 0.0}));
    run(world, 0.5);
    const WorldSnapshot snapshot = world.snapshot();
    run(world, 0.5);
    const EnergyLedger first = world.energy_ledger();
    world.restore(snapshot);
    run(world, 0.5);
    const EnergyLedger second = world.energy_ledger();
    CHECK(first.prescribed == second.prescribed);
    CHECK(first.edits == second.edits);
    CHECK(first.fields[1].work == second.fields[1].work);
    CHECK(first.remainder() == second.remainder());
}
