// Hits between fast balls, beside the straight lines on which they fly: none is missed, however short it is.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../sanitized.h"
#include "contact_worlds.h"

using namespace engine_tests;

namespace {

/// Two balls of equal mass that fly past or into each other, and what becomes of the first one's velocity.
struct Pair {
    BodyId ball;
    glm::dvec3 velocity{0.0}; ///< m/s, of the first ball after a second frame, but for what gravity gives
    bool hits = false;
};

IntegratorSettings method(const char* name) {
    IntegratorSettings settings;
    settings.method = name;
    return settings;
}

glm::dvec3 direction(std::mt19937& random) {
    std::normal_distribution<double> normal;
    return glm::normalize(glm::dvec3(normal(random), normal(random), normal(random)));
}

/// The first ball flies at `speed` past the second one, nearest to it somewhere within the first frame.
Pair add_pair(World& world, const glm::dvec3& place, double speed, double frame, std::mt19937& random) {
    std::uniform_real_distribution<double> part(0.0, 1.0);
    const double radii = 0.025 + 0.025;
    const glm::dvec3 along = direction(random);
    const glm::dvec3 across = glm::normalize(glm::cross(along, direction(random)));
    double miss = 1.2 * radii * part(random);
    miss += std::abs(miss - radii) < 1e-9 ? 1e-8 : 0.0; // neither hit nor miss
    const glm::dvec3 from = across * miss - along * (radii + speed * frame * part(random));
    const glm::dvec3 common = 0.1 * speed * direction(random);

    const Material material{.friction = 0.0, .restitution = 1.0};
    BodyDesc first = sphere(place + from, 0.025, material);
    first.linear_velocity = common + speed * along;
    BodyDesc second = sphere(place, 0.025, material);
    second.linear_velocity = common;
    world.create_body(second);
    Pair pair{world.create_body(first), first.linear_velocity, miss < radii};
    const double until = -glm::dot(from, along) - std::sqrt(std::max(radii * radii - miss * miss, 0.0));
    if (pair.hits && until < 2.0 * speed * frame) {
        const glm::dvec3 normal = (from + until * along) / radii;
        pair.velocity -= normal * glm::dot(normal, speed * along);
    }
    return pair;
}

/// Returns how many of so many pairs, all far from one another, do not move as they should.
int count_wrong(const IntegratorSettings& settings, double gravity, double speed, double frame, int count,
                std::uint32_t seed) {
    WorldSettings world_settings;
    world_settings.gravity = {0.0, -gravity, 0.0};
    world_settings.integrator = settings;
    World world(world_settings);
    std::mt19937 random(seed);
    std::vector<Pair> pairs;
    const double apart = 20.0 * speed * frame + 1.0;
    const int side = static_cast<int>(std::ceil(std::cbrt(count)));
    for (int i = 0; i < count; ++i) {
        const glm::dvec3 place(i % side, i / side % side, i / (side * side));
        pairs.push_back(add_pair(world, apart * place, speed, frame, random));
    }
    for (int i = 0; i < 2; ++i) {
        world.advance(frame);
    }
    int wrong = 0;
    for (const Pair& pair : pairs) {
        const glm::dvec3 fallen(0.0, -2.0 * gravity * frame, 0.0);
        const double off = glm::length(world.body(pair.ball).linear_velocity() - pair.velocity - fallen);
        wrong += off < 1e-6 * speed ? 0 : 1;
    }
    return wrong;
}

} // namespace

TEST_CASE("hits of fast balls: none is missed, under any kind of method, at any speed and frame rate") {
    for (const char* const name :
         {"symplectic_euler", "velocity_verlet", "rk4", "cash_karp54", "dormand_prince54", "verner87", "auto"}) {
        for (const auto& [gravity, boundary] : {std::pair{0.0, Boundary::Exact}, {kGravity, Boundary::RunAhead}}) {
            for (const double speed : {1.0, 30.0, 100.0, 300.0, 1000.0}) {
                for (const double rate : {10.0, 60.0, 240.0}) {
                    CAPTURE(std::string(name));
                    CAPTURE(gravity);
                    CAPTURE(speed);
                    CAPTURE(rate);
                    if (kSanitized && (speed == 30.0 || speed == 300.0)) {
                        continue;
                    }
                    IntegratorSettings settings = method(name);
                    settings.boundary = boundary;
                    CHECK(count_wrong(settings, gravity, speed, 1.0 / rate, 60, 7) == 0);
                }
            }
        }
    }
}

namespace {

/// A row of balls along x with gaps between them, hit by its first one.
struct Row {
    World world;
    std::vector<BodyId> balls;

    Row(const IntegratorSettings& settings, int count, double gap, double speed) : world(without_gravity(settings)) {
        const Material material{.friction = 0.0, .restitution = 1.0};
        for (int i = 0; i < count; ++i) {
            BodyDesc ball = sphere({i * (0.1 + gap), 0.0, 0.0}, 0.05, material);
            ball.linear_velocity.x = i == 0 ? speed : 0.0;
            balls.push_back(world.create_body(ball));
        }
    }
    static WorldSettings without_gravity(const IntegratorSettings& settings) {
        WorldSettings world;
        world.gravity = {0.0, 0.0, 0.0};
        world.integrator = settings;
        return world;
    }
    double speed(std::size_t i) { return world.body(balls[i]).linear_velocity().x; }
    bool keeps_order() {
        for (std::size_t i = 1; i < balls.size(); ++i) {
            if (world.body(balls[i]).centre_of_mass().x < world.body(balls[i - 1]).centre_of_mass().x + 0.1 - 1e-9) {
                return false;
            }
        }
        return true;
    }
};

} // namespace

TEST_CASE("hits of fast balls: a row keeps its order, and its last ball leaves with the speed of the first") {
    for (const char* const name : {"velocity_verlet", "rk4", "cash_karp54", "verner87"}) {
        for (const double rate : {10.0, 60.0, 240.0}) {
            for (const auto& [count, gap] : {std::pair{5, 0.2}, {20, 0.01}, {20, 0.0}, {40, 0.0}}) {
                for (const double speed : {10.0, 300.0}) {
                    const double row_length = count * (0.1 + gap);
                    CAPTURE(std::string(name));
                    CAPTURE(rate);
                    CAPTURE(count);
                    CAPTURE(speed);
                    Row row(method(name), count, gap, speed);
                    const int frames = static_cast<int>(std::ceil(1.5 * row_length / speed * rate)) + 1;
                    for (int i = 0; i < frames; ++i) {
                        const StepReport report = row.world.advance(1.0 / rate);
                        CHECK_FALSE(report.degraded);
                        CHECK(report.velocity_steps.contacts == 0);
                        CHECK(row.keeps_order());
                    }
                    for (std::size_t i = 0; i + 1 < row.balls.size(); ++i) {
                        CHECK(std::abs(row.speed(i)) <= 1e-12 * speed);
                    }
                    CHECK(std::abs(row.speed(row.balls.size() - 1) - speed) <= 1e-12 * speed);
                }
            }
        }
    }
}

TEST_CASE("hits of fast balls: a rack of fifteen that touch is broken alike at any frame rate, and keeps its energy") {
    constexpr double kRadius = 0.05;
    constexpr double kSpeed = 5.0;
    for (const char* const name : {"velocity_verlet", "rk4", "cash_karp54", "verner87"}) {
        CAPTURE(std::string(name));
        std::vector<glm::dvec3> places; // after 0.6 s, at the first rate
        for (const double rate : {10.0, 60.0, 240.0}) {
            CAPTURE(rate);
            World world(Row::without_gravity(method(name)));
            const Material material{.friction = 0.0, .restitution = 1.0};
            std::vector<BodyId> balls;
            for (int row = 0; row < 5; ++row) {
                for (int i = 0; i <= row; ++i) {
                    balls.push_back(world.create_body(
                        sphere({row * kRadius * std::sqrt(3.0), 0.0, (2 * i - row) * kRadius}, kRadius, material)));
                }
            }
            BodyDesc cue = sphere({-0.5, 0.0, 0.01}, kRadius, material);
            cue.linear_velocity.x = kSpeed;
            balls.push_back(world.create_body(cue));
            for (int frame = 0; frame < 0.6 * rate; ++frame) {
                const StepReport report = world.advance(1.0 / rate);
                CHECK_FALSE(report.degraded);
                CHECK(report.velocity_steps.contacts == 0);
            }
            glm::dvec3 momentum(0.0);
            double energy = 0.0;
            for (std::size_t i = 0; i < balls.size(); ++i) {
                const glm::dvec3 v = world.body(balls[i]).linear_velocity();
                momentum += v / kSpeed;
                energy += glm::dot(v, v) / (kSpeed * kSpeed);
                const glm::dvec3 place = world.body(balls[i]).centre_of_mass();
                if (places.size() < balls.size()) {
                    places.push_back(place);
                }
                CHECK(glm::length(place - places[i]) <= 1e-10);
            }
            CHECK(glm::length(momentum - glm::dvec3(1.0, 0.0, 0.0)) <= 1e-14);
            CHECK(std::abs(energy - 1.0) <= 1e-13);
        }
    }
}

TEST_CASE("hits of fast balls: spinning about a point off their middle they are met as by substeps much shorter") {
    for (const char* const name : {"cash_karp54", "verner87"}) {
        std::mt19937 random(11);
        std::uniform_real_distribution<double> part(0.0, 1.0);
        int hits = 0;
        for (int i = 0; i < 60; ++i) {
            const glm::dvec3 along = direction(random);
            const glm::dvec3 across = glm::normalize(glm::cross(along, direction(random)));
            MassProperties mass{1.0, 0.02 * direction(random), glm::dmat3(1e-3)};
            BodyDesc first = sphere({}, 0.025, {.friction = 0.0, .restitution = 1.0});
            first.mass.reset();
            first.mass_properties = mass;
            first.pose.position = 0.07 * part(random) * across - (0.1 + 5.0 * part(random)) * along;
            first.linear_velocity = 300.0 * along;
            first.angular_velocity = 200.0 * direction(random);
            BodyDesc second = first;
            second.pose.position = {};
            second.linear_velocity = {};
            glm::dvec3 ended[2];
            std::size_t impacts[2] = {0, 0};
            for (const int cuts : {1, 64}) {
                World world(Row::without_gravity(method(name)));
                world.create_body(second);
                const BodyId ball = world.create_body(first);
                for (int k = 0; k < cuts; ++k) {
                    world.advance(1.0 / 60.0 / cuts);
                    impacts[cuts == 1 ? 0 : 1] += world.impacts().size();
                }
                ended[cuts == 1 ? 0 : 1] = world.body(ball).linear_velocity();
            }
            CAPTURE(std::string(name));
            CAPTURE(i);
            CHECK(impacts[0] == impacts[1]);
            CHECK(glm::length(ended[0] - ended[1]) < 1.0);
            hits += impacts[1] > 0 ? 1 : 0;
        }
        CHECK(hits > 20);
    }
}

TEST_CASE("hits of fast balls: what follows a host's path is met in the middle of a substep, without bounds") {
    class Straight final : public BodyPath {
    public:
        Point at(double t) const override {
            Point point;
            point.pose.position = {30.0 * t - 0.25, 0.0, 0.0};
            point.linear_velocity = {30.0, 0.0, 0.0};
            return point;
        }
    };
    World world(Row::without_gravity(method("cash_karp54")));
    const BodyId ball = add_sphere(world, {0.0, 0.02, 0.0}, 0.05, {.friction = 0.0, .restitution = 1.0});
    BodyDesc led = sphere({}, 0.05, {.friction = 0.0, .restitution = 1.0});
    led.mass.reset();
    led.motion = MotionType::Kinematic;
    led.path = std::make_shared<Straight>();
    world.create_body(led);
    world.advance(1.0 / 60.0);
    CHECK(world.body(ball).linear_velocity().x > 50.0);
}

TEST_CASE("hits of fast balls: a world restored in mid-flight meets them with the same bits") {
    for (const char* const name : {"rk4", "cash_karp54", "verner87"}) {
        IntegratorSettings settings = method(name);
        settings.boundary = Boundary::RunAhead;
        Row row(settings, 6, 0.2, 20.0);
        World other = row.world.clone();
        for (int frame = 0; frame < 60; ++frame) {
            other.restore(row.world.snapshot());
            row.world.advance(1.0 / 240.0);
            other.advance(1.0 / 240.0);
            CHECK(row.world.hash() == other.hash());
        }
        CHECK(row.speed(5) > 19.9);
    }
}
