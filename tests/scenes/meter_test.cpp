// The meter itself: it must see every term of an error and of the energy, keep the largest, and hide nothing.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "substep/scenes/truth.h"

using namespace substep;

namespace {

constexpr double kMass = 2.0;     // kg
constexpr double kInertia = 0.5;  // kg m^2
constexpr double kGravity = 10.0; // m/s^2

/// A truth whose error a test sets by hand.
class SetError final : public Truth {
public:
    double value = 0.0;
    double known_time = std::numeric_limits<double>::infinity();

    std::string quantity() const override { return "test"; }
    std::string unit() const override { return "m"; }
    double visible_error() const override { return 1.0; }
    double threshold() const override { return 1.0; }
    double known_until() const override { return known_time; }
    double error(const World&) const override { return value; }
    std::vector<Channel> channels(const World&) const override { return {}; }
    void poses(double, std::span<Pose>) const override {}
};

World world_with_one_body(BodyId& body) {
    WorldSettings settings;
    settings.gravity = {0.0, -kGravity, 0.0};
    settings.integrator.method = "rk4";
    World world(settings);
    BodyDesc desc;
    desc.mass_properties = MassProperties{kMass, glm::dvec3{0.0}, glm::dmat3{kInertia}};
    body = world.create_body(desc);
    return world;
}

} // namespace

TEST_CASE("the energy change contains translation, rotation and height, each in full") {
    BodyId body;
    World world = world_with_one_body(body);
    constexpr double kScale = 4.0; // J
    Meter meter(world, nullptr, kScale);
    CHECK(meter.relative_energy_change() == 0.0);

    // The expected values are sums of few rounded terms.
    constexpr double kRounding = 1e-14;
    world.body(body).set_linear_velocity({1.0, 2.0, 3.0});
    meter.measure(world);
    CHECK(meter.relative_energy_change() == doctest::Approx(0.5 * kMass * 14.0 / kScale).epsilon(kRounding));

    world.body(body).set_linear_velocity(glm::dvec3{0.0});
    world.body(body).set_angular_velocity({0.0, 3.0, 4.0});
    meter.measure(world);
    CHECK(meter.relative_energy_change() == doctest::Approx(0.5 * kInertia * 25.0 / kScale).epsilon(kRounding));

    world.body(body).set_angular_velocity(glm::dvec3{0.0});
    world.body(body).set_pose({{7.0, -1.5, 7.0}, {1.0, 0.0, 0.0, 0.0}});
    meter.measure(world);
    CHECK(meter.relative_energy_change() == doctest::Approx(-kMass * kGravity * 1.5 / kScale).epsilon(kRounding));

    // The largest is of the size, and was the last; then it stays.
    CHECK(meter.max_relative_energy_change() == doctest::Approx(kMass * kGravity * 1.5 / kScale).epsilon(kRounding));
    world.body(body).set_pose({});
    meter.measure(world);
    CHECK(std::abs(meter.relative_energy_change()) < kRounding);
    CHECK(meter.max_relative_energy_change() == doctest::Approx(7.5).epsilon(kRounding));
}

TEST_CASE("energy is measured from where the meter began, not from zero") {
    BodyId body;
    World world = world_with_one_body(body);
    world.body(body).set_pose({{0.0, 3.0, 0.0}, {1.0, 0.0, 0.0, 0.0}});
    Meter meter(world, nullptr, 1.0);
    CHECK(meter.initial_energy() == doctest::Approx(kMass * kGravity * 3.0).epsilon(1e-15));
    CHECK(meter.energy().total() == meter.initial_energy());
    CHECK(meter.max_relative_energy_change() == 0.0);
}

TEST_CASE("the largest error is kept wherever it occurs, the start included") {
    BodyId body;
    const World world = world_with_one_body(body);
    SetError truth;
    truth.value = 0.25;
    Meter meter(world, &truth, 1.0);
    CHECK(meter.has_truth());
    CHECK(meter.max_error() == 0.25);
    for (const double value : {0.125, 0.5, 0.375}) {
        truth.value = value;
        meter.measure(world);
        CHECK(meter.error() == value);
    }
    CHECK(meter.max_error() == 0.5);
}

TEST_CASE("an error that is not a number stays in the maximum") {
    BodyId body;
    const World world = world_with_one_body(body);
    SetError truth;
    Meter meter(world, &truth, 1.0);
    truth.value = std::numeric_limits<double>::quiet_NaN();
    meter.measure(world);
    truth.value = 0.5;
    meter.measure(world);
    CHECK(meter.error() == 0.5);
    CHECK(std::isnan(meter.max_error()));
}

TEST_CASE("past the end of the truth the error is unknown and the maximum stays") {
    BodyId body;
    World world = world_with_one_body(body);
    SetError truth;
    truth.known_time = 0.5;
    truth.value = 0.125;
    Meter meter(world, &truth, 1.0);
    for (int frame = 0; frame < 5; ++frame) {
        REQUIRE(world.advance(0.1).status == StepStatus::ReachedTarget);
        meter.measure(world);
        CHECK(meter.error() == 0.125); // up to and including 0.5 s, which 5 x 0.1 s reaches up to rounding
    }
    world.advance(0.1);
    truth.value = 99.0;
    meter.measure(world);
    CHECK(std::isnan(meter.error()));
    CHECK(meter.max_error() == 0.125);
}

TEST_CASE("without a truth there is no error, and none is made up") {
    BodyId body;
    const World world = world_with_one_body(body);
    const Meter meter(world, nullptr, 1.0);
    CHECK_FALSE(meter.has_truth());
    CHECK(std::isnan(meter.error()));
}

TEST_CASE("where a body of the start is gone the truth is not asked, and the largest error so far stays") {
    /// Fails where its body is gone, as every scene's truth does.
    class PlaceError final : public Truth {
    public:
        explicit PlaceError(BodyId body) : body_(body) {}
        std::string quantity() const override { return "place"; }
        std::string unit() const override { return "m"; }
        double visible_error() const override { return 1.0; }
        double threshold() const override { return 1.0; }
        double error(const World& world) const override { return 0.25 + world.pose(body_).position.x; }
        std::vector<Channel> channels(const World&) const override { return {}; }
        void poses(double, std::span<Pose>) const override {}

    private:
        BodyId body_;
    };
    BodyId body;
    World world = world_with_one_body(body);
    const PlaceError truth(body);
    Meter meter(world, &truth, 1.0);
    const WorldSnapshot before = world.snapshot();
    world.destroy_body(body);
    meter.measure(world);
    CHECK_FALSE(meter.knows_bodies());
    CHECK(std::isnan(meter.error()));
    CHECK(meter.max_error() == 0.25);
    world.restore(before);
    meter.measure(world);
    CHECK(meter.knows_bodies());
    CHECK(meter.error() == 0.25);
}
