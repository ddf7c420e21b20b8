// Slips that turn while they last: friction follows them, and nothing happens that is no event.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <tuple>

#include <glm/geometric.hpp>

#include "contact_motions.h"
#include "contact_worlds.h"
#include "substep/numerics/elementary_functions.h"

using namespace engine_tests;
using substep::detail::ObliqueSlide;

namespace {

constexpr double kRadius = 0.1; // m

IntegratorSettings method(const char* name, double tolerance, int substeps = 1) {
    IntegratorSettings settings;
    settings.method = name;
    settings.atol = settings.rtol = tolerance;
    settings.substeps = substeps;
    return settings;
}

glm::dvec2 polar(double length, double angle) { return length * glm::dvec2(std::cos(angle), std::sin(angle)); }

// A sphere on a slope, thrown with a slip; down the slope comes first, then across it.
struct Throw {
    World world;
    BodyId ball;
    double slope;
    glm::dmat2x3 along;
    glm::dvec3 normal;
    ObliqueSlide::Desc desc;

    Throw(const IntegratorSettings& integrator, const ObliqueSlide::Desc& start)
        : world(contact_settings(integrator)), slope(start.slope),
          along(glm::dvec3(std::cos(slope), -std::sin(slope), 0.0), glm::dvec3(0.0, 0.0, 1.0)),
          normal(std::sin(slope), std::cos(slope), 0.0), desc(start) {
        add_ground(world, {.friction = desc.friction}, -slope);
        BodyDesc body = sphere(kRadius * normal, kRadius, {.friction = desc.friction});
        body.linear_velocity = along * desc.velocity;
        body.angular_velocity = -glm::cross(normal, along * (desc.slip - desc.velocity)) / kRadius;
        ball = world.create_body(body);
        // The truth starts with what the world has made of these.
        desc.gravity = kGravity;
        desc.velocity = velocity();
        desc.slip = slip();
    }
    glm::dvec2 place() const { return glm::transpose(along) * (world.pose(ball).position - kRadius * normal); }
    glm::dvec2 velocity() const { return glm::transpose(along) * world.body(ball).linear_velocity(); }
    glm::dvec2 slip() const {
        const glm::dvec3 rim = glm::cross(world.body(ball).angular_velocity(), -kRadius * normal);
        return velocity() + glm::transpose(along) * rim;
    }
    bool is_in(ContactMode mode) const { return world.contacts().size() == 1 && world.contacts()[0].mode == mode; }
};

// The slip turns by 170 degrees and goes by rest at a third of its size.
const ObliqueSlide::Desc kGoesBy{
    .slope = 0.7, .friction = 0.2, .velocity = polar(1.0, 0.7), .slip = polar(0.06, 2.967)};

} // namespace

TEST_CASE("friction follows a slip that turns by 170 degrees: nothing happens, and nothing is lost") {
    for (const auto& [name, tolerance, largest] :
         {std::tuple{"verner87", 1e-10, 5e-9}, {"dormand_prince853", 1e-12, 1e-11}, {"cash_karp54", 1e-8, 1e-7}}) {
        CAPTURE(name);
        Throw thrown(method(name, tolerance), kGoesBy);
        const ObliqueSlide truth(thrown.desc);
        std::int64_t events = 0;
        std::int64_t most = 0;
        for (int frame = 0; frame < 180; ++frame) {
            const StepReport report = thrown.world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK_FALSE(report.degraded);
            events += report.events;
            most = std::max(most, report.evaluations);
            const ObliqueSlide::State exact = truth.at(thrown.world.time());
            CHECK(thrown.is_in(ContactMode::Slide));
            CHECK(glm::length(thrown.velocity() - exact.velocity) <= largest);
            CHECK(glm::length(thrown.place() - exact.place) <= largest);
        }
        CHECK(events == 0);
        CHECK(most <= 800);
    }
}

TEST_CASE("a slip that goes by rest, however near, is not taken for one that stops there") {
    // 7/2 mu g cos s is 0.6 of g sin s: nothing holds. The least slip is far below the speed that counts as none.
    for (const double angle : {3.0, 3.13, 3.1412, 3.141592}) {
        for (const auto& [name, tolerance, largest] :
             {std::tuple{"verner87", 1e-10, 1e-7}, {"dormand_prince54", 1e-8, 1e-5}}) {
            CAPTURE(angle);
            CAPTURE(name);
            Throw thrown(method(name, tolerance), {.slope = 0.7,
                                                   .friction = 0.6 * std::tan(0.7) / 3.5,
                                                   .velocity = polar(0.5, 1.0),
                                                   .slip = polar(0.3, angle)});
            const ObliqueSlide truth(thrown.desc);
            for (int frame = 0; frame < 60; ++frame) {
                const StepReport report = thrown.world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                CHECK_FALSE(report.degraded);
                CHECK(report.evaluations <= 5000);
                CHECK(thrown.is_in(ContactMode::Slide));
                const ObliqueSlide::State exact = truth.at(thrown.world.time());
                CHECK(glm::length(thrown.velocity() - exact.velocity) <= largest);
            }
        }
    }
}

TEST_CASE("a fixed method stops a slip that turns, and does not go round in it for good") {
    for (const double ratio : {1.2, 1.6, 3.4}) {
        for (const int substeps : {1, 2, 4, 8}) {
            for (const double fps : {30.0, 144.0}) {
                CAPTURE(ratio);
                CAPTURE(substeps);
                CAPTURE(fps);
                Throw thrown(method("rk4", 1e-8, substeps), {.slope = 0.5,
                                                             .friction = ratio * std::tan(0.5) / 3.5,
                                                             .velocity = polar(1.0, 0.5),
                                                             .slip = polar(0.05, 1.8)});
                const ObliqueSlide truth(thrown.desc);
                const double end = truth.slip_end();
                double error = 0.0;
                while (thrown.world.time() < end + 0.5) {
                    REQUIRE(thrown.world.advance(1.0 / fps).status == StepStatus::ReachedTarget);
                    const double t = thrown.world.time();
                    error = std::max(error, glm::length(thrown.place() - truth.at(t).place));
                    if (t > end + 2.0 / (fps * substeps)) {
                        CHECK(thrown.is_in(ContactMode::Stick));
                    }
                }
                CHECK(error <= 1e-4);
            }
        }
    }
}

TEST_CASE("on the level a slide keeps its direction, and the sphere a parabola until it rolls") {
    for (const char* name : {"rk4", "cash_karp54", "verner87"}) {
        Throw thrown(method(name, 1e-10), {.friction = 0.3, .velocity = polar(2.0, 0.3), .slip = polar(1.5, 2.0)});
        const ObliqueSlide truth(thrown.desc);
        for (int frame = 0; frame < 60; ++frame) {
            REQUIRE(thrown.world.advance(kFrame).status == StepStatus::ReachedTarget);
            const ObliqueSlide::State exact = truth.at(thrown.world.time());
            CHECK(thrown.is_in(exact.slips ? ContactMode::Slide : ContactMode::Stick));
            CHECK(glm::length(thrown.place() - exact.place) <= 1e-11);
        }
    }
}

TEST_CASE("a world restored while a slip turns goes on to the bit") {
    for (const char* name : {"rk4", "cash_karp54", "verner87"}) {
        Throw thrown(method(name, 1e-9, 2), kGoesBy);
        for (int frame = 0; frame < 24; ++frame) {
            const WorldSnapshot snapshot = thrown.world.snapshot();
            thrown.world.advance(1.0 / 600.0);
            const std::uint64_t hash = thrown.world.hash();
            thrown.world.restore(snapshot);
            thrown.world.advance(1.0 / 600.0);
            CHECK(thrown.world.hash() == hash);
        }
    }
}

TEST_CASE("whatever the slope, the throw and the method: no wrong mode, and the error of the tolerance") {
    std::mt19937_64 random(11);
    const auto uniform = [&](double a, double b) {
        return a + (b - a) * (static_cast<double>(random() >> 11) * 0x1p-53);
    };
    constexpr std::array kAdaptive{"cash_karp54", "dormand_prince54", "dormand_prince853", "verner87", "auto"};
    for (int draw = 0; draw < 60; ++draw) {
        const double slope = uniform(0.05, 0.9);
        const double friction = uniform(0.05, 0.6);
        const double slip = std::pow(10.0, uniform(-3.0, 0.5));
        const ObliqueSlide::Desc start{.slope = slope,
                                       .friction = friction,
                                       .velocity = polar(uniform(0.0, 2.0), uniform(0.0, 6.28)),
                                       .slip = polar(slip, uniform(0.1, 3.12))};
        const double tolerance = std::pow(10.0, -std::floor(uniform(6.0, 11.0)));
        const char* const name = kAdaptive[static_cast<std::size_t>(draw) % kAdaptive.size()];
        const double fps = draw % 3 == 0 ? 30.0 : draw % 3 == 1 ? 60.0 : 144.0;
        if (std::abs(3.5 * friction / std::tan(slope) - 1.0) < 1e-6) {
            continue; // at the limit between slipping and rolling
        }
        CAPTURE(draw);
        CAPTURE(name);
        CAPTURE(tolerance);
        Throw thrown(method(name, tolerance), start);
        const ObliqueSlide truth(thrown.desc);
        // What a change of the tolerance makes of the truth: a velocity counts as the length of a tenth of a second.
        std::array<ObliqueSlide, 4> beside{truth, truth, truth, truth};
        for (std::size_t i = 0; i < beside.size(); ++i) {
            ObliqueSlide::Desc desc = thrown.desc;
            desc.slip[static_cast<int>(i / 2)] += (i % 2 == 0 ? 10.0 : -10.0) * tolerance;
            beside[i] = ObliqueSlide(desc);
        }
        double apart = tolerance;
        while (thrown.world.time() < 0.6) {
            const StepReport report = thrown.world.advance(1.0 / fps);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK_FALSE(report.degraded);
            const double t = thrown.world.time();
            const ObliqueSlide::State exact = truth.at(t);
            for (const ObliqueSlide& other : beside) {
                apart = std::max(apart, glm::length(other.at(t).place - exact.place));
            }
            CHECK(glm::length(thrown.place() - exact.place) <= 100.0 * apart);
            if (std::abs(t - truth.slip_end()) > 2.0 * report.h_largest) {
                CHECK(thrown.is_in(exact.slips ? ContactMode::Slide : ContactMode::Stick));
            }
        }
    }
}

namespace {

// A plate that is shaken along a horizontal circle.
class Shaken final : public BodyPath {
public:
    Point at(double t) const noexcept override {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(kRate * t, s, c);
        Point point;
        point.pose.position = kReach * glm::dvec3(c, 0.0, s);
        point.linear_velocity = kRate * kReach * glm::dvec3(-s, 0.0, c);
        point.linear_acceleration = -kRate * kRate * kReach * glm::dvec3(c, 0.0, s);
        return point;
    }
    static constexpr double kRate = 8.0;  // rad/s
    static constexpr double kReach = 0.3; // m
};

} // namespace

TEST_CASE("the slip over a body on a path is told as it is, not as if the path stood still") {
    World world(contact_settings(method("dormand_prince853", 1e-10)));
    BodyDesc plate;
    plate.motion = MotionType::Kinematic;
    const auto path = std::make_shared<Shaken>();
    plate.path = path;
    plate.pose = path->at(0.0).pose;
    plate.shape = Plane{};
    plate.material = {.friction = 0.2};
    world.create_body(plate);
    const BodyId ball = add_sphere(world, {0.0, kRadius, 0.0}, kRadius, {.friction = 0.2});
    for (int frame = 0; frame < 60; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(world.contacts().size() == 1);
        const Contact& contact = world.contacts()[0];
        const glm::dvec3 rim = glm::cross(world.body(ball).angular_velocity(), glm::dvec3(0.0, -kRadius, 0.0));
        const glm::dvec3 slip = world.body(ball).linear_velocity() + rim - path->at(world.time()).linear_velocity;
        CHECK(glm::length(contact.slip - (contact.body_a == ball ? slip : -slip)) <= 1e-12);
        CHECK(glm::length(slip) > 0.1);
    }
}
