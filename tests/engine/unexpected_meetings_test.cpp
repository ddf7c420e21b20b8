// Bodies that a hit carries beyond what was expected of them: whom they meet in the same step.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "substep/engine/world.h"

namespace {

using namespace substep;

constexpr double kRadius = 0.025;

BodyId add_ball(World& world, const glm::dvec3& place, const glm::dvec3& velocity, double radius = kRadius,
                double mass = 1.0) {
    BodyDesc ball;
    ball.shape = Sphere{radius};
    ball.mass = mass;
    ball.pose.position = place;
    ball.linear_velocity = velocity;
    ball.material.restitution = 1.0;
    ball.material.friction = 0.0;
    return world.create_body(ball);
}

/// A ball that flies straight on between hits without friction, and its exact future.
struct Flier {
    glm::dvec3 x{0.0};
    glm::dvec3 v{0.0};
    double radius = 0.0;
    double mass = 1.0;
};

double time_to_hit(const Flier& a, const Flier& b) {
    const glm::dvec3 apart = b.x - a.x;
    const glm::dvec3 closing = b.v - a.v;
    const double near = a.radius + b.radius;
    const double half_b = glm::dot(apart, closing);
    const double of_squares = glm::dot(closing, closing);
    const double under_root = half_b * half_b - of_squares * (glm::dot(apart, apart) - near * near);
    const bool hits = half_b < 0.0 && under_root >= 0.0;
    return hits ? (-half_b - std::sqrt(under_root)) / of_squares : std::numeric_limits<double>::infinity();
}

/// Flies on for a time, from hit to hit. Returns how many there were.
int fly(std::vector<Flier>& all, double time) {
    for (int hits = 0;; ++hits) {
        double soonest = std::numeric_limits<double>::infinity();
        Flier* first = nullptr;
        Flier* second = nullptr;
        for (Flier& a : all) {
            for (Flier* b = all.data(); b != &a; ++b) {
                if (const double t = time_to_hit(a, *b); t < soonest) {
                    soonest = t;
                    first = &a;
                    second = b;
                }
            }
        }
        const double step = std::min(soonest, time);
        for (Flier& each : all) {
            each.x += step * each.v;
        }
        time -= step;
        if (soonest > step) {
            return hits;
        }
        const glm::dvec3 normal = glm::normalize(second->x - first->x);
        const double closing = glm::dot(second->v - first->v, normal);
        const glm::dvec3 impulse = 2.0 * closing / (1.0 / first->mass + 1.0 / second->mass) * normal;
        first->v += impulse / first->mass;
        second->v -= impulse / second->mass;
    }
}

std::vector<Flier> draw_gas(std::mt19937_64& random, int count, double half_side, double speed) {
    const auto between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    const auto point = [&](double within) {
        const double x = between(-within, within);
        const double y = between(-within, within);
        return glm::dvec3(x, y, between(-within, within));
    };
    std::vector<Flier> gas;
    while (static_cast<int>(gas.size()) < count) {
        Flier ball{point(half_side), point(speed), between(0.03, 0.2), between(0.2, 5.0)};
        const bool is_clear = std::ranges::all_of(
            gas, [&](const Flier& other) { return glm::length(other.x - ball.x) > other.radius + ball.radius + 1e-3; });
        if (is_clear) {
            gas.push_back(ball);
        }
    }
    return gas;
}

struct Flight {
    int hits = 0;
    double error = 0.0; ///< m, of the ball that is furthest off
    std::int64_t evaluations = 0;
    bool degraded = false;
};

Flight fly_in_world(std::vector<Flier> gas, const WorldSettings& settings, double time, int frames) {
    World world(settings);
    std::vector<BodyId> ids;
    for (const Flier& ball : gas) {
        ids.push_back(add_ball(world, ball.x, ball.v, ball.radius, ball.mass));
    }
    Flight flight;
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport report = world.advance(time / frames);
        flight.evaluations += report.evaluations;
        flight.degraded |= report.degraded;
    }
    flight.hits = fly(gas, time);
    for (std::size_t i = 0; i < gas.size(); ++i) {
        flight.error = std::max(flight.error, glm::length(world.body(ids[i]).pose().position - gas[i].x));
    }
    return flight;
}

WorldSettings space(const std::string& method) {
    WorldSettings settings;
    settings.gravity = glm::dvec3(0.0);
    settings.integrator.method = method;
    settings.integrator.atol = settings.integrator.rtol = 1e-9;
    return settings;
}

} // namespace

TEST_CASE("unexpected meetings: in a row that is hit each ball hits the next, in one step") {
    for (const char* method : {"rk4", "cash_karp54", "dormand_prince853", "velocity_verlet"}) {
        for (const double fps : {10.0, 60.0, 240.0}) {
            for (const double speed : {10.0, 80.0, 300.0}) {
                CAPTURE(method);
                CAPTURE(fps);
                CAPTURE(speed);
                constexpr int kBalls = 5;
                constexpr double kApart = 0.2;
                World world(space(method));
                std::vector<BodyId> row{add_ball(world, glm::dvec3(0.0), {speed, 0.0, 0.0})};
                for (int i = 1; i < kBalls; ++i) {
                    row.push_back(add_ball(world, {i * (kApart + 2.0 * kRadius), 0.0, 0.0}, glm::dvec3(0.0)));
                }
                double t = 0.0;
                while (t * speed < (kBalls + 1) * kApart) {
                    const StepReport report = world.advance(1.0 / fps);
                    CHECK(report.message == "");
                    CHECK_FALSE(report.degraded);
                    t += 1.0 / fps;
                }
                for (int i = 0; i < kBalls; ++i) {
                    CAPTURE(i);
                    const double expected = i + 1 < kBalls ? 0.0 : speed;
                    CHECK(world.body(row[static_cast<std::size_t>(i)]).linear_velocity().x ==
                          doctest::Approx(expected).epsilon(1e-12));
                }
            }
        }
    }
}

TEST_CASE("unexpected meetings: a ball far away moves as if it were alone, whatever a heap does") {
    // Twenty-five balls that fly into one another; one that is thrown up a kilometre away.
    WorldSettings settings;
    settings.integrator.method = "cash_karp54";
    settings.integrator.rtol = 1e-12;
    settings.gravity = glm::dvec3(0.0, -9.81, 0.0);
    settings.integrator.atol = 1e-9;
    World together(settings);
    World alone(settings);
    for (int i = 0; i < 25; ++i) {
        const glm::dvec3 place(0.06 * (i % 5), 0.06 * (i / 5), 0.01 * (i % 3)); // NOLINT(bugprone-integer-division)
        add_ball(together, place, {3.0 * (2 - i % 5), 1.0 * (2 - i / 5), 0.3 * (1 - i % 3)}); // NOLINT
    }
    const BodyId ball = add_ball(together, {1000.0, 0.0, 0.0}, {0.0, 10.0, 0.0});
    const BodyId same = add_ball(alone, {1000.0, 0.0, 0.0}, {0.0, 10.0, 0.0});
    for (int i = 0; i < 120; ++i) {
        together.advance(1.0 / 60.0);
        alone.advance(1.0 / 60.0);
    }
    const double t = 2.0;
    CHECK(together.body(ball).pose().position.y == alone.body(same).pose().position.y);
    CHECK(std::abs(together.body(ball).pose().position.y - (10.0 * t - 0.5 * 9.81 * t * t)) < 1e-12);
}

TEST_CASE("unexpected meetings: unequal balls that fly into one another go where exact hits send them") {
    // Forty balls with fifteen hits in a tenth of a second, many of them behind another one in the same step.
    int hits = 0;
    for (const char* method : {"rk4", "cash_karp54", "velocity_verlet"}) {
        for (const int fps : {60, 240}) {
            for (int seed = 0; seed < 8; ++seed) {
                CAPTURE(method);
                CAPTURE(fps);
                CAPTURE(seed);
                std::mt19937_64 random(seed);
                const Flight flight = fly_in_world(draw_gas(random, 40, 0.8, 20.0), space(method), 0.1, fps / 10);
                hits += flight.hits;
                CHECK_FALSE(flight.degraded);
                CHECK(flight.error < 1e-9);
            }
        }
    }
    CHECK(hits > 500);
}

TEST_CASE("unexpected meetings: attempts that are taken back cost evaluations, and leave no other trace") {
    // The first ball sends the second up to a third, which is on nobody's way before.
    const auto make = [](double height) {
        const double side = std::sqrt(0.5) * 2.0 * kRadius;
        return std::vector<Flier>{{{-0.1, 0.0, 0.0}, {20.0, 0.0, 0.0}, kRadius, 1.0},
                                  {{side, side, 0.0}, glm::dvec3(0.0), kRadius, 1.0},
                                  {{side + height, side + height, 0.0}, glm::dvec3(0.0), kRadius, 1.0}};
    };
    const Flight met = fly_in_world(make(0.06), space("rk4"), 1.0 / 60.0, 1);
    const Flight missed = fly_in_world(make(0.6), space("rk4"), 1.0 / 60.0, 1);
    CHECK(met.hits == 2);
    CHECK(missed.hits == 1);
    CHECK(met.error < 1e-12);
    CHECK(missed.error < 1e-12);
    CHECK(met.evaluations >= 2 * missed.evaluations);
}

TEST_CASE("unexpected meetings: a force of one step acts once, and the ledger closes, however often a step is made") {
    WorldSettings settings = space("rk4");
    settings.energy_ledger = true;
    World world(settings);
    add_ball(world, {-0.1, 0.0, 0.0}, {20.0, 0.0, 0.0});
    const double side = std::sqrt(0.5) * 2.0 * kRadius;
    const BodyId second = add_ball(world, {side, side, 0.0}, glm::dvec3(0.0));
    const BodyId third = add_ball(world, {side + 0.06, side + 0.06, 0.0}, glm::dvec3(0.0));
    const glm::dvec3 force(0.0, 0.0, 6.0);
    world.body(second).apply_force(force);
    world.body(third).apply_force(force);
    const double dt = 1.0 / 60.0;
    world.advance(dt);
    CHECK(world.impacts().size() == 2);
    glm::dvec3 momentum(0.0);
    for (const BodyId id : world.bodies()) {
        momentum += world.body(id).linear_velocity();
    }
    CHECK(momentum.x == doctest::Approx(20.0).epsilon(1e-13));
    CHECK(momentum.z == doctest::Approx(2.0 * force.z * dt).epsilon(1e-12));
    CHECK(std::abs(world.energy_ledger().remainder()) < 1e-10);
    world.advance(dt);
    glm::dvec3 after(0.0);
    for (const BodyId id : world.bodies()) {
        after += world.body(id).linear_velocity();
    }
    CHECK(glm::length(after - momentum) < 1e-12);
}

TEST_CASE("unexpected meetings: equal bits for any number of threads, and after a restore") {
    std::mt19937_64 random(3);
    const std::vector<Flier> gas = draw_gas(random, 150, 1.2, 15.0);
    const auto make = [&](int threads) {
        WorldSettings settings = space("cash_karp54");
        settings.threads = threads;
        World world(settings);
        for (const Flier& ball : gas) {
            add_ball(world, ball.x, ball.v, ball.radius, ball.mass);
        }
        return world;
    };
    World one = make(1);
    World two = make(2);
    World eight = make(8);
    World restored = make(1);
    for (int frame = 0; frame < 12; ++frame) {
        const WorldSnapshot saved = one.snapshot();
        restored.restore(saved);
        for (World* world : {&one, &two, &eight, &restored}) {
            world->advance(1.0 / 60.0);
        }
        CAPTURE(frame);
        CHECK(one.hash() == two.hash());
        CHECK(one.hash() == eight.hash());
        CHECK(one.hash() == restored.hash());
    }
}

TEST_CASE("unexpected meetings: a long row of unequal balls keeps its order, however many are hit in one step") {
    World world(space("rk4"));
    std::vector<BodyId> row;
    for (int i = 0; i < 30; ++i) {
        const double place = i + (i % 2 == 0 ? 0.3 : 0.7);
        row.push_back(add_ball(world, {place, 0.0, 0.0}, {i == 0 ? 300.0 : 0.0, 0.0, 0.0}, 0.05, 1.0 + i % 3));
    }
    for (int frame = 0; frame < 20; ++frame) {
        const StepReport report = world.advance(1.0 / 60.0);
        CHECK_FALSE(report.degraded);
        for (std::size_t i = 1; i < row.size(); ++i) {
            CAPTURE(i);
            CHECK(world.body(row[i]).pose().position.x > world.body(row[i - 1]).pose().position.x);
        }
    }
}

TEST_CASE("unexpected meetings: a row of twenty, a centimetre apart, passes a hit on to the last") {
    // At 10 m/s sixteen balls are hit in one step.
    for (const char* method : {"rk4", "cash_karp54"}) {
        CAPTURE(method);
        constexpr int kBalls = 20;
        constexpr double kGap = 0.01;
        constexpr double kSpeed = 10.0;
        World world(space(method));
        std::vector<BodyId> row{add_ball(world, {-0.03, 0.0, 0.0}, {kSpeed, 0.0, 0.0})};
        for (int i = 1; i < kBalls; ++i) {
            row.push_back(add_ball(world, {i * (kGap + 2.0 * kRadius), 0.0, 0.0}, glm::dvec3(0.0)));
        }
        for (int frame = 0; frame < 6; ++frame) {
            const StepReport report = world.advance(1.0 / 60.0);
            CHECK(report.message == "");
            CHECK_FALSE(report.degraded);
        }
        CHECK(world.body(row[kBalls - 1]).linear_velocity().x == doctest::Approx(kSpeed).epsilon(1e-12));
        CHECK(std::abs(world.body(row[0]).linear_velocity().x) < 1e-11);
    }
}

TEST_CASE("unexpected meetings: balls that touch pass a hit on as those do that nearly touch") {
    for (const char* method : {"rk4", "cash_karp54", "auto"}) {
        for (const int count : {3, 5, 13}) {
            CAPTURE(method);
            CAPTURE(count);
            constexpr double kSpeed = 10.0;
            World world(space(method));
            std::vector<BodyId> row{add_ball(world, {-0.03, 0.0, 0.0}, {kSpeed, 0.0, 0.0})};
            for (int i = 1; i < count; ++i) {
                row.push_back(add_ball(world, {i * 2.0 * kRadius, 0.0, 0.0}, glm::dvec3(0.0)));
            }
            for (int frame = 0; frame < 6; ++frame) {
                CHECK_FALSE(world.advance(1.0 / 60.0).degraded);
            }
            CHECK(world.body(row.back()).linear_velocity().x == doctest::Approx(kSpeed).epsilon(1e-12));
            for (int i = 0; i + 1 < count; ++i) {
                CHECK(std::abs(world.body(row[static_cast<std::size_t>(i)]).linear_velocity().x) < 1e-11);
            }
        }
    }
}
