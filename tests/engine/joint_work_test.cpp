// What joints take within evaluations: counted by their kinds, and spent from a bound.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "bodies/tolerances.h"
#include "joints/joint_work.h"
#include "substep/integrators/work_of_bound.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

/// A level ring of 1 m, which counts how often it is asked.
class Ring final : public Curve {
public:
    explicit Ring(std::int64_t& calls) : calls_(calls) {}
    Point at(double s) const noexcept override {
        ++calls_;
        const glm::dvec3 out(std::cos(s), 0.0, std::sin(s));
        return {out, {-out.z, 0.0, out.x}, -out};
    }

private:
    std::int64_t& calls_;
};

/// A bead on it, drawn to a place beside its centre by a spring that does not tell how stiff it is.
struct BeadOnRing {
    std::int64_t calls = 0;
    World world;

    BeadOnRing(int bound, double stiffness) : world(settings_with(bound)) {
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.1)};
        desc.pose.position = {1.0, 0.0, 0.3};
        const BodyId body = world.create_body(desc);
        world.create_joint(point_on_curve(world, kGround, body, {.position = {0.0, 0.0, 0.3}},
                                          std::make_shared<Ring>(calls), {1.0, 0.0, 0.3}));
        world.add_force_field(std::make_unique<SilentSpring>(stiffness));
        world.body(body).set_linear_velocity({0.0, 0.0, 1.0});
        calls = 0;
    }

    /// In evaluations, as a bound has it.
    std::int64_t cost_of_calls() const {
        return calls * detail::kWorkOfCurveCall / (detail::kWorkOfBody * kWorkOfBound);
    }

    static WorldSettings settings_with(int bound) {
        WorldSettings settings{.gravity = {}, .bound = bound};
        settings.integrator.method = "cash_karp54";
        return settings;
    }
};

enum class Holding { Ball, Hinge, Universal };

/// Evaluations of a frame that meets its bound: balls in a row, each held to the one before, under a spring that is too
/// stiff for any method.
std::int64_t evaluations(Holding holding, int bound) {
    constexpr int kBalls = 4;
    WorldSettings settings{.gravity = {}, .bound = kBalls * bound};
    settings.integrator.method = "cash_karp54";
    World world(settings);
    BodyId last = kGround;
    for (int i = 0; i < kBalls; ++i) {
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.1)};
        desc.pose.position = {i + 1.0, 0.1 * i, 0.0};
        const BodyId body = world.create_body(desc);
        const glm::dvec3 at(i + 0.5, 0.0, 0.0);
        switch (holding) {
        case Holding::Ball:
            world.create_joint(substep::ball(world, last, body, at));
            break;
        case Holding::Hinge:
            world.create_joint(hinge(world, last, body, at, {0.0, 0.0, 1.0}));
            break;
        case Holding::Universal:
            world.create_joint(universal(world, last, body, at, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}));
            break;
        }
        last = body;
    }
    world.add_force_field(std::make_unique<SilentSpring>(1e14));
    const StepReport report = world.advance(kFrame);
    CHECK(report.met_bound);
    REQUIRE(world.island_count() == 1);
    return report.evaluations;
}

} // namespace

TEST_CASE("the calls of a curve are spent from a bound as they are made") {
    constexpr std::int64_t kBound = 20'000;
    BeadOnRing bead(static_cast<int>(kBound), 1e14);
    const StepReport report = bead.world.advance(kFrame);
    REQUIRE(report.met_bound);
    const std::int64_t of_calls = bead.cost_of_calls();
    CHECK(of_calls > report.evaluations / 2); // several calls an evaluation
    CHECK(report.evaluations + of_calls < kBound + 100);
    CHECK(2 * (report.evaluations + of_calls) > kBound); // what else a joint takes is less than that
}

TEST_CASE("a step that forces cut at their times has one bound for what joints take in all its parts") {
    const auto advance = [](int bound) {
        BeadOnRing bead(bound, 1e9);
        for (int i = 0; i < 8; ++i) { // no force, but at times of its own
            const double begin = kFrame * (i + 0.25) / 8.0;
            bead.world.add_force_field(
                std::make_unique<TimedField>(begin, begin + kFrame / 16.0, std::make_unique<Drag>(DragDesc{})));
        }
        const StepReport report = bead.world.advance(kFrame);
        return std::pair(report, report.evaluations + bead.cost_of_calls());
    };
    const auto [free, all] = advance(0);
    REQUIRE(!free.met_bound);
    const std::int64_t bound = 3 * all / 5;
    REQUIRE(free.evaluations < bound); // what its curve takes is the greater part
    const auto [bounded, spent] = advance(static_cast<int>(bound));
    CHECK(bounded.met_bound);
    CHECK(spent < bound + 200);
}

TEST_CASE("a bound pays for fewer evaluations the more its joints take") {
    constexpr int kBound = 5000;
    const std::int64_t balls = evaluations(Holding::Ball, kBound);
    const std::int64_t hinges = evaluations(Holding::Hinge, kBound);
    const std::int64_t universals = evaluations(Holding::Universal, kBound);
    CAPTURE(balls);
    CAPTURE(hinges);
    CAPTURE(universals);
    CHECK(balls > kBound / 2); // a row of balls is what an evaluation is measured by
    CHECK(balls < kBound);
    CHECK(hinges < balls);
    CHECK(universals < hinges);
}
