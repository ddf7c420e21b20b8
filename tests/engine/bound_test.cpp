// The bound on what a step costs: what is too stiff for any method ends in time, and nothing else knows of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "counting_allocator.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

/// A push of one newton against the motion, whatever its speed: no method resolves where the body stops.
class Stubborn final : public ForceField {
public:
    Wrench at(double, const BodyMotion& motion) const noexcept override {
        const auto against = [](double v) { return v > 0.0 ? -1.0 : v < 0.0 ? 1.0 : 0.0; };
        const glm::dvec3& v = motion.velocity;
        return {.force = {against(v.x), against(v.y), against(v.z)}, .torque = {}};
    }
};

BodyId throw_ball(World& world) {
    BodyDesc ball;
    ball.shape = Sphere{0.1};
    ball.linear_velocity = {0.3, 0.4, 0.0};
    ball.pose.position = {0.01, 0.0, 0.0};
    ball.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.004)};
    return world.create_body(ball);
}

struct Stiff {
    const char* name;
    bool tells; ///< how stiff it is
    std::function<BodyId(World&)> add;
};

const std::vector<Stiff>& stiff_cases() {
    static const std::vector<Stiff> kCases{
        {"drag of 1e9 kg/s", true,
         [](World& world) {
             world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 1e9}));
             return throw_ball(world);
         }},
        {"motor of damping 1e8", true,
         [](World& world) {
             const BodyId body = throw_ball(world);
             JointDesc motor = hinge(world, kGround, body, {0.5, 0.0, 0.0}, {0.0, 0.0, 1.0});
             motor.drives = {{.target_rate = 3.0, .damping = 1e8}};
             world.create_joint(motor);
             return body;
         }},
        {"Lorentz force at 1e7 T", false,
         [](World& world) {
             world.add_force_field(std::make_unique<Lorentz>(LorentzDesc{.magnetic_field = {0.0, 0.0, 1e7}}));
             return throw_ball(world);
         }},
        {"force against the motion", false,
         [](World& world) {
             world.add_force_field(std::make_unique<Stubborn>());
             return throw_ball(world);
         }},
        {"spring of 1e14 N/m that does not tell", false,
         [](World& world) {
             world.add_force_field(std::make_unique<SilentSpring>(1e14));
             return throw_ball(world);
         }},
    };
    return kCases;
}

// The finishing substep, its dense output and that of a sample.
constexpr std::int64_t kBeyond = 16;

std::vector<glm::dvec3> places(const World& world) {
    std::vector<glm::dvec3> all;
    for (const BodyId body : world.bodies()) {
        all.push_back(world.pose(body).position);
        all.push_back(world.body(body).linear_velocity());
    }
    return all;
}

World stiff_world(const Stiff& stiff, const std::string& method, int bound, BodyId& body) {
    WorldSettings settings{.gravity = {}, .bound = bound};
    settings.integrator.method = method;
    World world(settings);
    body = stiff.add(world);
    return world;
}

} // namespace

TEST_CASE("what is stiffer than any method resolves takes no more than the bound, by default too") {
    for (const Stiff& stiff : stiff_cases()) {
        CAPTURE(stiff.name);
        BodyId body;
        World world = stiff_world(stiff, "cash_karp54", WorldSettings{}.bound, body);
        for (int frame = 0; frame < 3; ++frame) {
            const StepReport report = world.advance(kFrame);
            CHECK(report.evaluations <= 100'000 + kBeyond);
            CHECK(glm::length(world.pose(body).position) < 0.1);
        }
    }
}

TEST_CASE("under every method a met bound ends the frame, says so, and throws nothing away") {
    constexpr int kBound = 2000;
    for (const Stiff& stiff : stiff_cases()) {
        for (const IntegrationMethod* method : method_catalogue()) {
            for (const double dt : {1.0 / 10.0, kFrame, 1.0 / 240.0}) {
                CAPTURE(stiff.name);
                CAPTURE(method->info().name);
                CAPTURE(dt);
                if (kSanitized && dt != kFrame) {
                    continue;
                }
                BodyId body;
                World world = stiff_world(stiff, std::string(method->info().name), kBound, body);
                if (!method->info().adaptive) {
                    continue; // these make as many substeps as they are told
                }
                const std::int64_t bound = kBound * static_cast<std::int64_t>(std::max(1.0, 60.0 * dt) + 1e-9);
                double fastest = 3.0; // m/s: what the motor asks for
                for (int frame = 0; frame < 20; ++frame) {
                    const StepReport report = world.advance(dt);
                    REQUIRE(report.evaluations <= bound + kBeyond);
                    REQUIRE((report.evaluations < bound - 64 || report.met_bound));
                    if (report.met_bound) {
                        REQUIRE(report.degraded);
                        REQUIRE(!report.message.empty());
                        REQUIRE((report.status == StepStatus::ReachedTarget ||
                                 report.status == StepStatus::BudgetExhausted));
                    }
                    if (std::string(stiff.name) != "spring of 1e14 N/m that does not tell") {
                        REQUIRE(glm::length(world.body(body).linear_velocity()) < fastest);
                    }
                    REQUIRE(glm::length(world.pose(body).position) < 1.0);
                }
            }
        }
    }
}

TEST_CASE("drag and motors that are too stiff for the method keep their motion: theta makes the rest of the step") {
    for (const Stiff& stiff : stiff_cases()) {
        if (!stiff.tells) {
            continue;
        }
        CAPTURE(stiff.name);
        BodyId body;
        World world = stiff_world(stiff, "cash_karp54", 5000, body);
        StepReport last;
        for (int frame = 0; frame < 30; ++frame) {
            last = world.advance(kFrame);
            CHECK(last.status == StepStatus::ReachedTarget);
        }
        const bool turns = !world.joints().empty();
        const double turned = std::atan2(-world.pose(body).position.y, 0.5 - world.pose(body).position.x);
        CHECK(turned == doctest::Approx(turns ? 1.5 : 0.0).epsilon(0.05)); // rad at 3 rad/s for half a second
    }
}

TEST_CASE("auto takes theta from the step after one that met the bound, or foresees it") {
    for (const Stiff& stiff : stiff_cases()) {
        CAPTURE(stiff.name);
        BodyId body;
        World world = stiff_world(stiff, "auto", WorldSettings{}.bound, body);
        const StepReport first = world.advance(kFrame);
        CHECK(first.evaluations <= 100'000 + kBeyond);
        if (stiff.tells) {
            CHECK(first.evaluations < 3000); // a hundred substeps find the length that stability leaves
        }
        if (!first.met_bound) {
            continue;
        }
        for (int frame = 0; frame < 29; ++frame) {
            const StepReport report = world.advance(kFrame);
            CHECK(report.method == "theta");
            CHECK(report.evaluations <= 8);
        }
    }
}

TEST_CASE("auto tries again what met the bound after 30 steps, then after twice as many, and replays that") {
    BodyId body;
    World world = stiff_world(stiff_cases()[4], "auto", 2000, body);
    std::vector<int> met;
    WorldSnapshot snapshot;
    std::vector<std::vector<glm::dvec3>> path;
    constexpr int kSaved = 50;
    for (int frame = 0; frame < 400; ++frame) {
        if (frame == kSaved) {
            snapshot = world.snapshot();
        }
        if (world.advance(kFrame).met_bound) {
            met.push_back(frame);
        }
        path.push_back(places(world));
    }
    REQUIRE(met.size() >= 4);
    CHECK(met.size() <= 6);
    for (std::size_t i = 2; i < met.size(); ++i) {
        CHECK(met[i] - met[i - 1] > 1.5 * (met[i - 1] - met[i - 2]));
    }
    world.restore(snapshot);
    for (int frame = kSaved; frame < 400; ++frame) {
        world.advance(kFrame);
        REQUIRE(places(world) == path[static_cast<std::size_t>(frame)]);
    }
}

TEST_CASE("a bound that is not met changes no bit, and a step that met it replays") {
    for (const char* method : {"cash_karp54", "verner87", "dormand_prince54", "auto", "symplectic_euler_doubling",
                               "impulse_euler_doubling", "rk4", "theta"}) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method);
            std::int64_t costliest = 0; // times bodies
            const auto run = [&](int bound, int restored_at) {
                WorldSettings settings;
                settings.integrator = adaptive(1e-7, boundary);
                settings.integrator.method = method;
                World world = mixed_world(settings.integrator);
                settings.bound = bound;
                world.set_settings(settings);
                std::vector<std::vector<glm::dvec3>> path;
                for (int frame = 0; frame < 60; ++frame) {
                    if (frame == restored_at) {
                        world.restore(world.snapshot());
                    }
                    const StepReport report = world.advance(kFrame);
                    for (const IslandView& island : world.islands()) {
                        costliest = std::max(costliest, (island.report.evaluations + 32) *
                                                            static_cast<std::int64_t>(island.bodies.size()));
                    }
                    CHECK((report.met_bound || !report.degraded));
                    path.push_back(places(world));
                }
                return path;
            };
            const auto free = run(0, -1);
            const int enough = static_cast<int>(16 * costliest); // iterations of RATTLE count too
            CHECK(run(enough, -1) == free);
            CHECK(run(100'000, -1) == free);
            const auto bounded = run(30, -1);
            CHECK(run(30, 20) == bounded);
        }
    }
}

TEST_CASE("a bound is for 1/60 s: longer steps have more, shorter ones no less, and bodies share it") {
    const auto evaluations = [](double dt, int copies, int bound) {
        WorldSettings settings{.gravity = {}, .bound = bound};
        settings.integrator.method = "dormand_prince54";
        World world(settings);
        world.add_force_field(std::make_unique<SilentSpring>(1e14));
        std::vector<BodyId> bodies;
        for (int i = 0; i < copies; ++i) {
            bodies.push_back(throw_ball(world));
            world.body(bodies.back()).set_pose({.position = {0.01 + 0.5 * i, 0.0, 0.0}});
            if (i > 0) {
                world.add_force_field(
                    std::make_unique<Spring>(SpringDesc{.body_a = bodies[0], .body_b = bodies.back()}));
            }
        }
        REQUIRE(world.island_count() == 1);
        const std::int64_t spent = world.advance(dt).evaluations;
        CAPTURE(spent);
        return spent;
    };
    const auto is_near = [](std::int64_t spent, std::int64_t bound) {
        return spent > bound - 32 && spent <= bound + kBeyond;
    };
    CHECK(is_near(evaluations(kFrame, 1, 6000), 6000));
    CHECK(is_near(evaluations(1.0 / 600.0, 1, 6000), 6000));
    CHECK(is_near(evaluations(0.1, 1, 6000), 36000));
    CHECK(is_near(evaluations(kFrame, 6, 6000), 1000));
    CHECK(evaluations(1e-4, 1, 0) > 30000); // as many as it takes
}

TEST_CASE("a negative bound is refused in a sentence") {
    CHECK_THROWS_WITH_AS(World({.bound = -1}),
                         "The world's bound is -1; it must be zero (none) or a number of evaluations times bodies.",
                         std::invalid_argument);
}

TEST_CASE("rods between unequal masses that hardly hang end their frames, under auto too") {
    for (const char* method : {"auto", "cash_karp54"}) {
        for (const int rods : {3, 4, 6}) {
            for (const double slack : {1e-9, 1e-8}) {
                CAPTURE(method);
                CAPTURE(rods);
                CAPTURE(slack);
                WorldSettings settings;
                settings.integrator.method = method;
                World world(settings);
                BodyId last = kGround;
                const auto tie = [&](BodyId to, double x) {
                    JointDesc desc = rod(world, last, to, {x, 0.0, 0.0}, {x + 1.0, 0.0, 0.0});
                    std::get<DistanceLock>(desc.point_lock).distance += slack / rods;
                    world.create_joint(desc);
                };
                for (int i = 0; i + 1 < rods; ++i) {
                    BodyDesc desc;
                    desc.mass_properties = MassProperties{i % 2 == 0 ? 1.0 : 100.0, glm::dvec3(0.0), glm::dmat3(0.01)};
                    desc.pose.position = {i + 1.0, 0.0, 0.0};
                    const BodyId body = world.create_body(desc);
                    tie(body, i);
                    last = body;
                }
                tie(kGround, rods - 1.0);
                for (int frame = 0; frame < 5; ++frame) {
                    const StepReport report = world.advance(kFrame);
                    CHECK(report.evaluations <= 100'000 / (rods - 1) + kBeyond);
                    CHECK((!report.met_bound || !report.message.empty()));
                    for (const BodyId body : world.bodies()) {
                        CHECK(std::abs(world.pose(body).position.y) < 0.01);
                    }
                }
            }
        }
    }
}

TEST_CASE("a step that meets its bound for the first time allocates nothing" * doctest::skip(kSanitized)) {
    for (const char* method : {"cash_karp54", "verner87", "symplectic_euler_doubling", "auto"}) {
        CAPTURE(method);
        WorldSettings settings{.gravity = {}, .bound = 3000};
        settings.integrator.method = method;
        World world(settings);
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 1e9}));
        const BodyId body = throw_ball(world);
        world.body(body).set_linear_velocity({});
        REQUIRE(!world.advance(kFrame).met_bound);
        world.body(body).set_linear_velocity({1.0, 0.0, 0.0});
        const std::size_t before = allocation_count();
        const bool met = world.advance(kFrame).met_bound;
        CHECK(allocation_count() == before);
        CHECK(met);
    }
}

// What a step counts against its bound follows from where it begins alone, not from what was computed before.
TEST_CASE("a bound is met after as many substeps whatever was asked before, and in a clone") {
    int met = 0;
    for (int bound = 60; bound < 90; ++bound) {
        CAPTURE(bound);
        WorldSettings settings;
        settings.bound = bound;
        settings.integrator.method = "rk4";
        settings.integrator.substeps = 16;
        World world(settings);
        BodyId last = kGround;
        for (int i = 0; i < 6; ++i) {
            BodyDesc ball;
            ball.pose.position = {0.5 + i, 0.0, 0.0};
            ball.mass_properties = MassProperties{i == 3 ? 20.0 : 1.0, glm::dvec3(0.0), glm::dmat3(0.1)};
            const BodyId body = world.create_body(ball);
            world.create_joint(hinge(world, last, body, {1.0 * i, 0.0, 0.0}, {0.0, 0.0, 1.0}));
            last = body;
        }
        World asked = world.clone();
        for (int frame = 0; frame < 20; ++frame) {
            World twin = world.clone();
            for (const JointId joint : asked.joints()) {
                (void)asked.joint_force(joint);
            }
            const StepReport report = world.advance(kFrame);
            const StepReport of_asked = asked.advance(kFrame), of_twin = twin.advance(kFrame);
            REQUIRE(of_asked.accepted == report.accepted);
            REQUIRE(of_twin.accepted == report.accepted);
            REQUIRE(asked.hash() == world.hash());
            REQUIRE(twin.hash() == world.hash());
            met += report.met_bound ? 1 : 0;
        }
    }
    CHECK(met > 100);
}

TEST_CASE("a snapshot may be restored any number of times: what made its segment was paid for once") {
    WorldSettings settings{.bound = 1000};
    settings.integrator.boundary = Boundary::RunAhead;
    World world(settings);
    BodyDesc ground;
    ground.motion = MotionType::Static;
    ground.shape = Plane{};
    ground.material.friction = 0.3;
    world.create_body(ground);
    BodyDesc ball;
    ball.mass = 1.0;
    ball.shape = Sphere{0.2};
    ball.pose.position = {0.0, 0.2, 0.0};
    ball.linear_velocity = {3.0, 0.0, 0.0};
    ball.material.friction = 0.3;
    world.create_body(ball);
    for (int frame = 0; frame < 20; ++frame) {
        REQUIRE(!world.advance(kFrame).met_bound);
    }
    const WorldSnapshot saved = world.snapshot();
    const std::uint64_t hash = world.hash();
    for (int i = 0; i < 20'000;
         ++i) { // of a sixteenth of the bound each, if looks at restores were counted: far beyond
        REQUIRE_NOTHROW(world.restore(saved));
    }
    CHECK(world.hash() == hash);
    CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
}
