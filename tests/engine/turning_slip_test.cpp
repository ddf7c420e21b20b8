// Slips that turn while they last: friction follows them, and nothing happens that is no event.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>
#include <tuple>
#include <vector>

#include <glm/geometric.hpp>

#include "../sanitized.h"
#include "contact_motions.h"
#include "contact_worlds.h"

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

// The slip turns by 170 degrees and goes by rest at a sixtieth of its size.
const ObliqueSlide::Desc kGoesBy{
    .slope = 0.7, .friction = 0.2, .velocity = polar(1.0, 0.7), .slip = polar(0.06, 2.967)};

} // namespace

TEST_CASE("friction follows a slip that turns by 170 degrees: nothing happens, and nothing is lost") {
    for (const auto& [chosen, tolerance, largest] :
         {std::tuple{"verner87", 1e-10, 5e-9}, {"dormand_prince853", 1e-12, 1e-11}, {"cash_karp54", 1e-8, 1e-7}}) {
        const char* const name = chosen;
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
        for (const auto& [chosen, tolerance, largest] :
             {std::tuple{"verner87", 1e-10, 1e-7}, {"dormand_prince54", 1e-8, 1e-5}}) {
            const char* const name = chosen;
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

TEST_CASE("next to the limit of sticking a fixed method ends a slide when it is over, not years later") {
    // Slips of 1 mm/s and 5 cm/s that turn, and then stop slowly: friction is up to 3 % above what sticking takes.
    for (const double ratio : {1.001, 1.003, 1.01, 1.02, 1.03}) {
        for (const int substeps : {1, 2, 8, 16}) {
            for (const double fps : {60.0, 144.0}) {
                for (const double slip : {0.001, 0.05}) {
                    CAPTURE(ratio);
                    CAPTURE(substeps);
                    CAPTURE(fps);
                    CAPTURE(slip);
                    if (kSanitized && substeps > 2) {
                        continue;
                    }
                    constexpr double kSlope = 0.2967; // 17 degrees
                    Throw thrown(method("rk4", 1e-8, substeps), {.slope = kSlope,
                                                                 .friction = ratio * std::tan(kSlope) / 3.5,
                                                                 .velocity = polar(1.0, 0.5),
                                                                 .slip = polar(slip, 2.4)});
                    const ObliqueSlide truth(thrown.desc);
                    std::int64_t most = 0;
                    while (thrown.world.time() < 0.6) {
                        const StepReport report = thrown.world.advance(1.0 / fps);
                        REQUIRE(report.status == StepStatus::ReachedTarget);
                        CHECK_FALSE(report.degraded);
                        most = std::max(most, report.evaluations);
                        const double t = thrown.world.time();
                        if (std::abs(t - truth.slip_end()) > 2.0 / (fps * substeps)) {
                            CHECK(thrown.is_in(truth.at(t).slips ? ContactMode::Slide : ContactMode::Stick));
                        }
                    }
                    CHECK(most <= 6000);
                }
            }
        }
    }
}

TEST_CASE("a fixed method has its order where a slip turns") {
    const auto error_at = [](int substeps) {
        Throw thrown(method("rk4", 1e-8, substeps), {.slope = 0.7, .friction = 0.2, .slip = polar(0.6, 2.4)});
        const ObliqueSlide truth(thrown.desc);
        double largest = 0.0;
        for (int frame = 0; frame < 30; ++frame) {
            CHECK(thrown.world.advance(kFrame).rejected == 0);
            const ObliqueSlide::State exact = truth.at(thrown.world.time());
            largest = std::max(largest, glm::length(thrown.velocity() - exact.velocity));
        }
        return largest;
    };
    const double coarse = error_at(8);
    CHECK(std::log2(coarse / error_at(16)) >= 3.8);
    CHECK(coarse <= 1e-6);
}

namespace {

// What a change of the tolerance makes of the truth: a velocity counts as the length of a tenth of a second.
class Condition {
public:
    Condition(const ObliqueSlide::Desc& desc, double tolerance) : largest_(tolerance) {
        for (const glm::dvec2 side : {glm::dvec2(10.0, 0.0), {-10.0, 0.0}, {0.0, 10.0}, {0.0, -10.0}}) {
            ObliqueSlide::Desc other = desc;
            other.slip += tolerance * side;
            beside_.emplace_back(other);
        }
    }
    // Times tolerance, m, until t.
    double at(double t, const glm::dvec2& place) {
        for (const ObliqueSlide& other : beside_) {
            largest_ = std::max(largest_, glm::length(other.at(t).place - place));
        }
        return largest_;
    }

private:
    std::vector<ObliqueSlide> beside_;
    double largest_;
};

} // namespace

TEST_CASE(
    "whatever the slope, the throw, the frame rate and the method: no wrong mode, and the error of the tolerance") {
    std::mt19937_64 random(11);
    const auto uniform = [&](double a, double b) {
        return a + (b - a) * (static_cast<double>(random() >> 11) * 0x1p-53);
    };
    constexpr std::array kMethods{
        "cash_karp54", "rk4", "dormand_prince54", "rk4", "dormand_prince853", "rk4", "verner87", "rk4", "auto"};
    constexpr std::array kRates{10.0, 60.0, 144.0, 240.0};
    constexpr std::array kSubsteps{1, 2, 4, 8, 16};
    int at_the_limit = 0;
    for (std::size_t draw = 0; draw < (kSanitized ? 60 : 1000); ++draw) {
        const ObliqueSlide::Desc start{.slope = uniform(0.05, 0.9),
                                       .friction = uniform(0.05, 0.6),
                                       .velocity = polar(uniform(0.0, 2.0), uniform(0.0, 6.28)),
                                       .slip = polar(std::pow(10.0, uniform(-3.0, 0.5)), uniform(0.01, 3.13))};
        const double tolerance = std::pow(10.0, -std::floor(uniform(6.0, 11.0)));
        const char* const name = kMethods[draw % kMethods.size()];
        const bool is_fixed = std::string_view(name) == "rk4";
        const double fps = kRates[draw % kRates.size()];
        const int substeps = is_fixed ? kSubsteps[draw % kSubsteps.size()] : 1;
        if (std::abs(3.5 * start.friction / std::tan(start.slope) - 1.0) < 1e-6) {
            ++at_the_limit;
            continue;
        }
        CAPTURE(draw);
        CAPTURE(name);
        CAPTURE(tolerance);
        CAPTURE(substeps);
        Throw thrown(method(name, tolerance, substeps), start);
        const ObliqueSlide truth(thrown.desc);
        Condition condition(thrown.desc, tolerance);
        while (thrown.world.time() < 0.4) {
            const StepReport report = thrown.world.advance(1.0 / fps);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK_FALSE(report.degraded);
            CHECK(report.evaluations <= 4000);
            const double t = thrown.world.time();
            const ObliqueSlide::State exact = truth.at(t);
            if (!is_fixed) {
                CHECK(glm::length(thrown.place() - exact.place) <= 100.0 * condition.at(t, exact.place));
            }
            const double substep = is_fixed ? 1.0 / (fps * substeps) : report.h_largest;
            if (std::abs(t - truth.slip_end()) > 2.0 * substep) {
                CHECK(thrown.is_in(exact.slips ? ContactMode::Slide : ContactMode::Stick));
            }
        }
    }
    CHECK(at_the_limit == 0);
}

TEST_CASE("a slip along a line comes to rest, or turns back, as if nothing watched it") {
    // Straight down, straight up against the friction, and on the level: no substep is made again.
    for (const char* name : {"rk4", "cash_karp54", "verner87"}) {
        for (const double slope : {0.0, 0.3, 0.7}) {
            for (const double slip : {-1.0, -1e-3, -1e-12, 1e-12, 1e-3, 1.0}) {
                CAPTURE(name);
                CAPTURE(slope);
                CAPTURE(slip);
                Throw thrown(method(name, 1e-9),
                             {.slope = slope, .friction = 0.1, .velocity = {1.0, 0.0}, .slip = {slip, 0.0}});
                for (int frame = 0; frame < 60; ++frame) {
                    const StepReport report = thrown.world.advance(kFrame);
                    REQUIRE(report.status == StepStatus::ReachedTarget);
                    CHECK_FALSE(report.degraded);
                    CHECK(report.evaluations <= 200);
                    CHECK(std::abs(thrown.slip().y) <= 1e-12);
                }
                // What slips down the slope by 1 m/s is braked to rest there within a second only on the level.
                const bool slides = 3.5 * 0.1 < std::tan(slope) || (slope > 0.0 && slip == 1.0);
                CHECK(thrown.is_in(slides ? ContactMode::Slide : ContactMode::Stick));
            }
        }
    }
}
