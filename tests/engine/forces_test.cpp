// The library of force fields against closed forms, alone and in a world.
#include <doctest/doctest.h>

#include "field_samples.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kPi = std::numbers::pi;

IntegratorSettings precise() {
    IntegratorSettings settings;
    settings.method = "dormand_prince853";
    settings.atol = settings.rtol = 1e-12;
    settings.boundary = Boundary::RunAhead;
    return settings;
}

BodyMotion at_rest(const glm::dvec3& position, const glm::dquat& orientation = glm::dquat(1.0, 0.0, 0.0, 0.0)) {
    BodyMotion motion;
    motion.mass = 1.0;
    motion.position = position;
    motion.orientation = orientation;
    return motion;
}

// One body of 1 kg in a field, without other gravity.
struct Alone {
    World world{{.gravity = glm::dvec3(0.0), .integrator = precise()}};
    BodyId body;

    explicit Alone(std::unique_ptr<ForceField> field, const BodyDesc& desc = {.shape = Sphere{0.5}, .mass = 1.0}) {
        body = world.create_body(desc);
        world.add_force_field(std::move(field));
    }
    void run(double seconds) {
        for (int frame = 0; frame < std::lround(seconds / kFrame); ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
    }
    glm::dvec3 place() const { return world.pose(body).position; }
};

BodyDesc thrown(const glm::dvec3& velocity, const glm::dvec3& position = glm::dvec3(0.0)) {
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.pose.position = position;
    desc.linear_velocity = velocity;
    return desc;
}

// Steps of tolerance 1e-12 and a few hundred of them, times what oscillations add: measured below a tenth of this.
constexpr double kPrecise = 1e-9;

} // namespace

TEST_CASE("a body under linear drag approaches rest exponentially, one under quadratic drag logarithmically") {
    Alone linear(std::make_unique<Drag>(DragDesc{.linear = 0.8}), thrown({3.0, 0.0, 0.0}));
    linear.run(2.0);
    CHECK(std::abs(linear.place().x - 3.0 / 0.8 * (1.0 - std::exp(-0.8 * 2.0))) < kPrecise);

    Alone quadratic(std::make_unique<Drag>(DragDesc{.quadratic = 0.5}), thrown({3.0, 0.0, 0.0}));
    quadratic.run(2.0);
    CHECK(std::abs(quadratic.place().x - std::log(1.0 + 0.5 * 3.0 * 2.0) / 0.5) < kPrecise);
}

TEST_CASE("a body at rest in a constant wind is carried along; drag on its spin slows it exponentially") {
    const auto wind = [](double, const glm::dvec3&) { return glm::dvec3(0.0, 0.0, 2.0); };
    Alone carried(std::make_unique<Drag>(DragDesc{.linear = 1.5, .wind = wind}));
    carried.run(1.0);
    CHECK(std::abs(carried.place().z - 2.0 * (1.0 - (1.0 - std::exp(-1.5)) / 1.5)) < kPrecise);

    BodyDesc desc;
    desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.5)};
    desc.angular_velocity = {0.0, 4.0, 0.0};
    Alone spinning(std::make_unique<Drag>(DragDesc{.angular_linear = 0.25}), desc);
    spinning.run(2.0);
    CHECK(std::abs(spinning.world.body(spinning.body).angular_velocity().y - 4.0 * std::exp(-0.5 * 2.0)) < kPrecise);
}

TEST_CASE("a plate at an angle of attack feels the pressure of thin aerofoil theory, along its normal") {
    const double angle = 0.1;
    const PlateLift plate(PlateLiftDesc{.point = {0.5, 0.0, 0.0}, .area = 2.0, .density = 1.2});
    BodyMotion body = at_rest({}, glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0))); // nose up
    body.velocity = {10.0, 0.0, 0.0};
    const Wrench wrench = plate.at(0.0, body);
    const double pressure = 0.5 * 1.2 * 100.0 * 2.0 * kPi * std::sin(angle);                   // N/m^2; roundings below
    CHECK(wrench.force.y == doctest::Approx(2.0 * pressure * std::cos(angle)).epsilon(1e-13)); // lift
    CHECK(wrench.force.x == doctest::Approx(-2.0 * pressure * std::sin(angle)).epsilon(1e-13)); // drag
    CHECK(wrench.torque.z == doctest::Approx(0.5 * 2.0 * pressure).epsilon(1e-13));
    CHECK(power(wrench, body) < 0.0); // a medium at rest takes energy, never gives it
    body.velocity = {};
    CHECK(plate.at(0.0, body).force == glm::dvec3(0.0));
}

TEST_CASE("a free body seen from a rotating frame flies straight and tumbles freely in the inertial one") {
    const glm::dvec3 rate(0.2, 0.5, -0.3);
    const glm::dvec3 centre(1.0, 0.0, -0.5);
    BodyDesc desc;
    desc.mass_properties = MassProperties{2.0, {0.0, 0.1, 0.0}, {1, 0, 0, 0, 2, 0, 0, 0, 2.5}};
    desc.pose.position = {0.3, 0.4, 1.0};
    desc.linear_velocity = {1.0, -0.5, 0.2};
    desc.angular_velocity = {1.0, 0.5, 2.0};
    Alone turning(std::make_unique<RotatingFrame>(RotatingFrameDesc{rate, centre}), desc);

    // The same body in the inertial frame that coincides with the rotating one at t = 0.
    BodyDesc inertial = desc;
    inertial.angular_velocity += rate;
    inertial.linear_velocity += glm::cross(rate, turning.world.body(turning.body).centre_of_mass() - centre);
    Alone straight(std::make_unique<Drag>(DragDesc{}), inertial);
    const double start = turning.world.energy().total();
    turning.run(3.0);
    straight.run(3.0);

    const glm::dquat turn = glm::angleAxis(3.0 * glm::length(rate), glm::normalize(rate));
    const Pose seen = turning.world.pose(turning.body);
    const Pose truth = straight.world.pose(straight.body);
    CHECK(glm::length(centre + turn * (seen.position - centre) - truth.position) < kPrecise);
    CHECK(angle_between(turn * seen.orientation, truth.orientation) < kPrecise);
    CHECK(std::abs(turning.world.energy().total() - start) < kPrecise); // Jacobi's integral
}

TEST_CASE("a frame that is spun up adds the Euler force") {
    // A point at rest in the inertial frame, seen from one turning about y with angle 1/2 a t^2.
    const auto rotation = [](double t) { return FrameRotation{{0.0, 0.6 * t, 0.0}, {0.0, 0.6, 0.0}}; };
    Alone seen(std::make_unique<RotatingFrame>(RotatingFrameDesc{.rotation = rotation}), thrown({}, {2.0, 0.0, 0.0}));
    seen.run(2.0);
    const double angle = 0.5 * 0.6 * 4.0;
    CHECK(glm::length(seen.place() - glm::dvec3(2.0 * std::cos(angle), 0.0, 2.0 * std::sin(angle))) < kPrecise);
    CHECK(angle_between(seen.world.pose(seen.body).orientation, glm::angleAxis(-angle, glm::dvec3(0.0, 1.0, 0.0))) <
          kPrecise);
}

TEST_CASE("spheres and boxes displace their volume below the surface, exactly") {
    const Liquid water{.density = 1000.0, .gravity = 10.0};
    const double weight = 1e4; // N/m^3
    const SphereBuoyancy sphere(water, 0.5);
    const double ball = 4.0 / 3.0 * kPi * 0.125;
    const auto lift = [](const auto& field, const BodyMotion& body) { return field.at(0.0, body).force.y; };
    CHECK(lift(sphere, at_rest({3.0, 0.0, 1.0})) == doctest::Approx(weight * ball / 2.0).epsilon(1e-14));
    CHECK(lift(sphere, at_rest({0.0, -2.0, 0.0})) == doctest::Approx(weight * ball).epsilon(1e-14));
    CHECK(lift(sphere, at_rest({0.0, 0.6, 0.0})) == 0.0);
    CHECK(sphere.submerged(at_rest({})).centroid.y == doctest::Approx(-3.0 / 8.0 * 0.5).epsilon(1e-14)); // half a ball

    const BoxBuoyancy box(water, {0.5, 0.25, 1.0}); // 1 m^3
    CHECK(lift(box, at_rest({0.0, 0.05, 0.0})) == doctest::Approx(weight * 0.4).epsilon(1e-14));
    CHECK(box.submerged(at_rest({2.0, 0.05, 0.0})).centroid.y == doctest::Approx(-0.1).epsilon(1e-14));
    CHECK(lift(box, at_rest({0.0, -7.0, 0.0})) == doctest::Approx(weight).epsilon(1e-13));
    CHECK(lift(box, at_rest({0.0, 0.25, 0.0})) == 0.0); // just touches
    // Any attitude: half of it below the surface through its centre, all of it far below.
    for (const BodyMotion& motion : random_motions(5, 3)) {
        BodyMotion body = at_rest({0.0, 0.0, 0.0}, motion.orientation);
        CHECK(box.submerged(body).volume == doctest::Approx(0.5).epsilon(1e-14));
        body.position.y = -30.0;
        CHECK(box.submerged(body).volume == doctest::Approx(1.0).epsilon(1e-12));
        CHECK(glm::length(box.submerged(body).centroid - body.position) < 1e-12); // cancels from heights of 30 m
    }
    // Turned by 45 degrees about z, an edge dips in by d: a prism of d^2 x 2 m.
    const BodyMotion tilted =
        at_rest({0.0, 0.75 * std::sqrt(0.5) - 0.2, 0.0}, glm::angleAxis(kPi / 4.0, glm::dvec3(0.0, 0.0, 1.0)));
    CHECK(box.submerged(tilted).volume == doctest::Approx(0.2 * 0.2 * 2.0).epsilon(1e-13));
}

TEST_CASE("a sphere that floats half under heaves at the frequency of its waterline") {
    // Half the density: rests at its centre; stiffness rho g pi R^2 for small heaves.
    const Liquid water{.density = 2.0, .gravity = 9.8};
    const double volume = 4.0 / 3.0 * kPi;
    BodyDesc desc;
    desc.shape = Sphere{1.0};
    desc.mass = volume;
    desc.pose.position = {0.0, 1e-4, 0.0};
    World world({.integrator = precise()});
    const BodyId body = world.create_body(desc);
    world.add_force_field(std::make_unique<SphereBuoyancy>(water, 1.0));
    const double omega = std::sqrt(2.0 * 9.8 * kPi / volume);
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
    }
    // The next term of the cap is cubic: the frequency is off by a part of 1e-8.
    CHECK(std::abs(world.pose(body).position.y - 1e-4 * std::cos(omega * world.time())) < 1e-11);
}

TEST_CASE("a charge circles in a magnetic field and drifts across crossed ones") {
    const double omega = 0.5 * 3.0 / 1.0; // q B / m
    Alone circling(std::make_unique<Lorentz>(LorentzDesc{.charge = 0.5, .magnetic_field = {0.0, 0.0, 3.0}}),
                   thrown({2.0, 0.0, 0.0}));
    circling.run(3.0);
    const double turn = omega * 3.0;
    CHECK(glm::length(circling.place() - 2.0 / omega * glm::dvec3(std::sin(turn), std::cos(turn) - 1.0, 0.0)) <
          kPrecise);

    // From rest in E along y and B along z: a cycloid with the drift E / B along x.
    Alone drifting(std::make_unique<Lorentz>(
        LorentzDesc{.charge = 0.5, .electric_field = {0.0, 1.2, 0.0}, .magnetic_field = {0.0, 0.0, 3.0}}));
    drifting.run(3.0);
    const double drift = 1.2 / 3.0;
    CHECK(glm::length(drifting.place() - drift * glm::dvec3(3.0 - std::sin(turn) / omega,
                                                            (1.0 - std::cos(turn)) / omega, 0.0)) < kPrecise);
}

TEST_CASE("magnets on one line attract with 6 k m m / r^4; a compass swings at sqrt(m B / I)") {
    const DipolePair pair({{0, 0}, {1, 0}, {2e3, 0.0, 0.0}, {3e3, 0.0, 0.0}});
    std::vector<BodyMotion> motions{at_rest({}), at_rest({0.5, 0.0, 0.0})};
    const std::vector<Wrench> wrenches = wrenches_of(pair, 0.0, motions);
    CHECK(wrenches[1].force.x == doctest::Approx(-6.0 * 1e-7 * 6e6 / 0.0625).epsilon(1e-14));
    CHECK(glm::length(wrenches[1].torque) < 1e-14);

    BodyDesc desc;
    desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.5)};
    desc.pose.orientation = glm::angleAxis(1e-4, glm::dvec3(0.0, 1.0, 0.0));
    Alone compass(std::make_unique<DipoleInField>(glm::dvec3(4.0, 0.0, 0.0), glm::dvec3(2.0, 0.0, 0.0)), desc);
    compass.run(2.0);
    const glm::dquat q = compass.world.pose(compass.body).orientation;
    // Small angles: the period is off by 1e-4^2 / 16.
    CHECK(std::abs(2.0 * q.y - 1e-4 * std::cos(4.0 * 2.0)) < 1e-11);
}

TEST_CASE("a torsion pendulum on a hinge swings at sqrt(k / I) however far, within half a turn") {
    World world({.gravity = glm::dvec3(0.0), .integrator = precise()});
    BodyDesc desc;
    desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.5)};
    desc.pose.orientation = glm::angleAxis(2.5, glm::dvec3(0.0, 0.0, 1.0));
    const BodyId body = world.create_body(desc);
    world.create_joint(hinge(world, kGround, body, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    world.add_force_field(std::make_unique<TorsionSpring>(
        TorsionSpringDesc{.body_a = kGround, .body_b = body, .stiffness = 8.0, .rest_angle = 0.3}));
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
    }
    const double angle = 0.3 + 2.2 * std::cos(4.0 * world.time());
    CHECK(angle_between(world.pose(body).orientation, glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0))) < kPrecise);
    CHECK_THROWS_AS(TorsionSpring(TorsionSpringDesc{.rest_angle = 4.0}), std::invalid_argument);
    CHECK_THROWS_AS(TorsionSpring(TorsionSpringDesc{.damping = -1.0}), std::invalid_argument);
}

TEST_CASE("a torsion spring passes half a turn from its rest without a jump of its energy") {
    BodyDesc desc;
    desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.5)};
    desc.angular_velocity = {0.0, 0.0, 20.0};
    World world({.gravity = glm::dvec3(0.0), .integrator = precise()});
    const BodyId body = world.create_body(desc);
    world.create_joint(hinge(world, kGround, body, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    world.add_force_field(std::make_unique<TorsionSpring>(
        TorsionSpringDesc{.body_a = kGround, .body_b = body, .stiffness = 8.0, .rest_angle = 2.0}));
    const double start = world.energy().total();
    double most = 0.0;
    for (int frame = 0; frame < 60; ++frame) { // three turns; with the cut at a half turn each would give 8 pi 4 J
        world.advance(kFrame);
        most = std::max(most, std::abs(world.energy().total() - start));
    }
    CHECK(most < 1e-6 * start); // where the torque jumps, a substep is as good as the tolerance, no better
}

TEST_CASE("three bodies of equal mass on a ring turn at the rate of Lagrange's triangle") {
    World world({.gravity = glm::dvec3(0.0), .integrator = precise()});
    std::vector<BodyId> bodies;
    const double rate = std::sqrt(1.0 / std::sqrt(3.0)); // G m / (sqrt 3 R^3) = rate^2
    for (int i = 0; i < 3; ++i) {
        const double angle = 2.0 * kPi / 3.0 * i;
        bodies.push_back(world.create_body(thrown(rate * glm::dvec3(-std::sin(angle), std::cos(angle), 0.0),
                                                  {std::cos(angle), std::sin(angle), 0.0})));
    }
    world.add_force_field(std::make_unique<MutualGravity>(MutualGravityDesc{bodies, 1.0}));
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
    }
    const double angle = rate * world.time();
    CHECK(glm::length(world.pose(bodies[0]).position - glm::dvec3(std::cos(angle), std::sin(angle), 0.0)) < kPrecise);
}

TEST_CASE("fields restricted to bodies leave the others alone, and values out of range are refused in a sentence") {
    World world({.gravity = glm::dvec3(0.0)});
    const BodyId a = world.create_body({.shape = Sphere{0.5}, .mass = 1.0, .collides = false});
    const BodyId b = world.create_body({.shape = Sphere{0.5}, .mass = 1.0, .collides = false});
    world.add_force_field(std::make_unique<OnBodies>(std::vector<BodyId>{b},
                                                     std::make_unique<UniformGravity>(glm::dvec3(0.0, -6.0, 0.0))));
    for (int frame = 0; frame < 60; ++frame) {
        world.advance(kFrame);
    }
    CHECK(world.pose(a).position.y == 0.0);
    CHECK(world.pose(b).position.y == doctest::Approx(-3.0).epsilon(1e-12));
    CHECK(world.energy().total() == doctest::Approx(0.0));

    const auto refused = [](auto make) { CHECK_THROWS_AS(make(), std::invalid_argument); };
    const double nan = std::nan("");
    refused([] { Drag({.quadratic = -1.0}); });
    refused([&] { UniformGravity({0.0, nan, 0.0}); });
    refused([] { PointGravity({.softening = -1.0}); });
    refused([] { PlateLift({.normal = glm::dvec3(0.0)}); });
    refused([] { PlateLift({.area = 0.0}); });
    refused([&] { RotatingFrame({.rate = {nan, 0.0, 0.0}}); });
    refused([] { CustomField({}); });
    refused([] { OnBodies({}, nullptr); });
    refused([&] { OnBodies({a}, std::make_unique<Spring>(SpringDesc{a, b})); });
    refused([] { SphereBuoyancy({}, -1.0); });
    refused([] { BoxBuoyancy({.up = glm::dvec3(0.0)}, glm::dvec3(1.0)); });
    refused([] { BoxBuoyancy({}, {1.0, 0.0, 1.0}); });
    refused([&] { Lorentz({.charge = nan}); });
    refused([&] { DipoleInField({nan, 0.0, 0.0}, {}); });
    refused([&] { DipolePair({.body_a = a, .moment_a = {nan, 0.0, 0.0}}); });
}
