// Contacts that touch decide together, and those that do not decide apart, however they share an island.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "contact/contact_clusters.h"
#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kRadius = 0.1; // m

IntegratorSettings by(const std::string& name) {
    IntegratorSettings settings = fixed(name, 2);
    settings.atol = settings.rtol = 1e-9;
    return settings;
}

/// Balls that roll behind one another down a slope, each a little slower than the one ahead.
struct RollingRow {
    static constexpr double kTilt = -0.05; // rad: down is +x
    static constexpr double kSpeed = 12.0; // m/s, fast enough for neighbours to be candidates at 240 frames a second

    World world;
    double apart; ///< m
    std::vector<BodyId> balls;
    glm::dvec3 along{std::cos(kTilt), std::sin(kTilt), 0.0};

    RollingRow(int count, double gap, const IntegratorSettings& settings)
        : world(contact_settings(settings)), apart(gap) {
        const Material material{.friction = 0.6, .restitution = 0.3};
        add_ground(world, material, kTilt);
        const glm::dvec3 up(-along.y, along.x, 0.0);
        for (int i = 0; i < count; ++i) {
            BodyDesc ball = sphere(place(i) * along + kRadius * up, kRadius, material);
            ball.linear_velocity = speed(i) * along;
            ball.angular_velocity = {0.0, 0.0, -speed(i) / kRadius};
            balls.push_back(world.create_body(ball));
        }
    }
    double place(int i) const { return i * (2.0 * kRadius + apart); }
    static double speed(int i) { return kSpeed + 0.01 * i; }

    double worst(double t) const {
        double most = 0.0;
        for (std::size_t i = 0; i < balls.size(); ++i) {
            const auto k = static_cast<int>(i);
            const double s = place(k) + speed(k) * t + 0.5 * 5.0 / 7.0 * kGravity * std::sin(-kTilt) * t * t;
            const glm::dvec3 exact = s * along + kRadius * glm::dvec3(-along.y, along.x, 0.0);
            most = std::max(most, glm::length(world.pose(balls[i]).position - exact));
        }
        return most;
    }
};

bool by_modes(const World& world) {
    bool all = true;
    for (const IslandView& island : world.islands()) {
        all = all && !island.handed_over && island.report.velocity_steps.contacts == 0;
    }
    return all;
}

} // namespace

TEST_CASE("balls that roll side by side roll on by their own modes, however many share an island") {
    for (const char* method : {"rk4", "cash_karp54", "dormand_prince54", "dormand_prince853", "auto"}) {
        if (kSanitized && method != std::string("auto")) {
            continue;
        }
        for (const int count : {9, 16}) {
            for (const double fps : {10.0, 60.0, 240.0}) {
                for (const double apart : {0.01, 0.05}) { // within one another's margins, and not
                    CAPTURE(method);
                    CAPTURE(count);
                    CAPTURE(fps);
                    CAPTURE(apart);
                    RollingRow row(count, apart, by(method));
                    bool together = false;
                    for (int frame = 1; frame <= static_cast<int>(fps); ++frame) {
                        const StepReport report = row.world.advance(1.0 / fps);
                        REQUIRE(report.status == StepStatus::ReachedTarget);
                        REQUIRE_FALSE(report.degraded);
                        REQUIRE(by_modes(row.world));
                        REQUIRE(row.world.contacts().size() >= static_cast<std::size_t>(count));
                        together = together || row.world.island_count() == 1;
                    }
                    CHECK((together || apart > 0.02));
                    CHECK(row.worst(row.world.time()) <= 1e-9);
                }
            }
        }
    }
}

TEST_CASE("four balls that all touch lie on one another by modes, held by friction alone") {
    // Nine contacts. The torques of a lower ball ask for friction of tan(theta / 2) of what presses it from above, with
    // theta = asin(1 / sqrt 3) from the vertical: 0.318.
    for (const char* method : {"rk4", "cash_karp54", "auto"}) {
        for (const double mass : {1.0, 1000.0}) {
            CAPTURE(method);
            CAPTURE(mass);
            World world(contact_settings(by(method)));
            const Material material{.friction = 0.5, .restitution = 0.3};
            add_ground(world, material);
            std::vector<BodyId> balls;
            for (int i = 0; i < 3; ++i) {
                const double angle = 2.0 * 3.14159265358979323846 / 3.0 * i;
                const double out = 2.0 * kRadius / std::sqrt(3.0);
                balls.push_back(
                    add_sphere(world, {out * std::cos(angle), kRadius, out * std::sin(angle)}, kRadius, material));
            }
            BodyDesc top = sphere({0.0, kRadius + 2.0 * kRadius * std::sqrt(2.0 / 3.0), 0.0}, kRadius, material);
            top.mass = mass;
            balls.push_back(world.create_body(top));
            std::vector<glm::dvec3> start;
            for (const BodyId ball : balls) {
                start.push_back(world.pose(ball).position);
            }
            for (int frame = 0; frame < 120; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                REQUIRE_FALSE(report.degraded);
                REQUIRE(by_modes(world));
            }
            CHECK(world.contacts().size() == 9);
            for (std::size_t i = 0; i < balls.size(); ++i) {
                CHECK(glm::length(world.pose(balls[i]).position - start[i]) <= 1e-9);
            }
        }
    }
}

TEST_CASE("four balls that all touch stay in modes wherever friction can hold them, whatever lies on top") {
    // Of the forces that hold them the least ones press the lower balls against each other, and leave their cones below
    // a friction of 0.366; with the lower balls idle 0.3178 is enough.
    struct Case {
        const char* method;
        double frequency; // Hz
        double friction;
        double radius; // m
        double mass;   // kg, of the top ball
        double turned; // rad
    };
    for (const Case& c : {Case{"auto", 60.0, 0.319, 0.1, 1.0, 0.3}, Case{"auto", 60.0, 0.34, 0.1, 1.0, 0.3},
                          Case{"rk4", 60.0, 0.36, 0.1, 1.0, 0.3}, Case{"rk4", 10.0, 0.52083, 0.378, 30.05, 1.44},
                          Case{"rk4", 10.0, 0.3194, 0.0876, 43.63, 0.36}, Case{"rk4", 60.0, 0.6, 0.1, 28.0, 0.3},
                          Case{"rk4", 60.0, 0.67271, 0.133, 23.26, 0.29}, Case{"auto", 240.0, 0.33, 0.02, 1e4, 2.0},
                          Case{"dormand_prince853", 240.0, 0.33446, 0.112, 0.1169, 2.45}}) {
        CAPTURE(c.method);
        CAPTURE(c.friction);
        CAPTURE(c.mass);
        World world(contact_settings(by(c.method)));
        const Material material{.friction = c.friction};
        add_ground(world, material);
        for (int i = 0; i < 3; ++i) {
            const double angle = 2.0 * 3.14159265358979323846 / 3.0 * i + c.turned;
            const double out = 2.0 * c.radius / std::sqrt(3.0);
            add_sphere(world, {out * std::cos(angle), c.radius, out * std::sin(angle)}, c.radius, material);
        }
        const double height = c.radius + 2.0 * c.radius * std::sqrt(2.0 / 3.0);
        BodyDesc desc = sphere({0.0, height, 0.0}, c.radius, material);
        desc.mass = c.mass;
        const BodyId top = world.create_body(desc);
        for (int frame = 0; frame < c.frequency; ++frame) {
            const StepReport report = world.advance(1.0 / c.frequency);
            REQUIRE_FALSE(report.degraded);
            REQUIRE(by_modes(world));
        }
        CHECK(std::abs(world.pose(top).position.y - height) <= 1e-9 * c.radius);
    }
}

TEST_CASE("constraints form clusters through bodies that move and joints, not through prescribed ones") {
    using namespace substep::detail;
    constexpr std::size_t kPlane = 6;
    const auto touch = [](std::size_t first, std::size_t second) {
        UnilateralConstraint contact;
        contact.end[0] = {first, first < kPlane};
        contact.end[1] = {second, second < kPlane};
        return contact;
    };
    const std::vector<UnilateralConstraint> constraints{touch(0, kPlane), touch(kPlane, 1), touch(2, 3),
                                                        touch(3, kPlane), touch(4, 5),      touch(5, 0)};
    std::array<int, 6> chains{};
    std::iota(chains.begin(), chains.end(), 0);
    ContactClusters clusters;
    clusters.reserve(constraints.size(), chains.size());
    const auto split = [&](std::vector<int> numbers) {
        clusters.split(constraints, chains, numbers);
        return numbers;
    };
    CHECK(split({0, 1, 2, 3, 4, 5}) == std::vector<int>{0, 4, 5, 1, 2, 3});
    CHECK(std::vector<int>(clusters.sizes().begin(), clusters.sizes().end()) == std::vector<int>{3, 1, 2});
    CHECK(clusters.are_connected(4, constraints[0]));
    CHECK_FALSE(clusters.are_connected(1, constraints[0]));
    CHECK(split({0, 1, 2, 3, 4}) == std::vector<int>{0, 1, 2, 3, 4});
    CHECK(clusters.count() == 4);
    chains[1] = 4; // a joint
    CHECK(split({0, 1, 2, 3, 4}) == std::vector<int>{0, 1, 4, 2, 3});
    CHECK(clusters.count() == 3);
    CHECK(split({}).empty());
    CHECK(clusters.count() == 0);
}
