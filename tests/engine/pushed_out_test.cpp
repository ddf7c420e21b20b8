// Bodies deep in others are pushed out at no more than 3 m/s, and what that gives is booked.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "contact_worlds.h"

using namespace engine_tests;

namespace {

WorldSettings settings_of(const std::string& method, const glm::dvec3& gravity) {
    WorldSettings settings;
    settings.gravity = gravity;
    settings.energy_ledger = true;
    if (method != "auto") {
        settings.integrator.method = method;
    }
    return settings;
}

} // namespace

TEST_CASE("boxes deep below a floor rise at no more than 3 m/s, however they lie") {
    for (const char* const method : {"impulse_euler", "rk4", "auto", "impulse_euler_doubling"}) {
        for (const double frequency : {10.0, 60.0, 240.0}) {
            for (const bool is_cube : {true, false}) {
                CAPTURE(method);
                CAPTURE(frequency);
                CAPTURE(is_cube);
                if (kSanitized && frequency > 100.0) {
                    continue;
                }
                World world(settings_of(method, {0.0, -9.81, 0.0}));
                const Material material{.friction = 0.5, .restitution = 0.8};
                add_ground(world, material);
                BodyDesc desc = sphere({0.0, -2.9, 0.0}, 0.1, material);
                desc.shape = is_cube ? Box{glm::dvec3(0.1)} : Box{{0.5, 0.3, 0.4}};
                if (!is_cube) {
                    desc.pose.orientation = glm::angleAxis(0.7, glm::normalize(glm::dvec3(1.0, 2.0, 3.0)));
                }
                const BodyId box = world.create_body(desc);
                glm::dvec3 before = desc.pose.position;
                double fastest = 0.0;
                for (int frame = 0; frame < 1.5 * frequency; ++frame) {
                    world.advance(1.0 / frequency);
                    const glm::dvec3 now = world.pose(box).position;
                    fastest = std::max(fastest, glm::length(now - before) * frequency);
                    before = now;
                }
                CHECK(fastest <= 3.05); // and what it has from falling back
                CHECK(before.y > 0.05);
            }
        }
    }
}

TEST_CASE("what slender rods gain by being pushed out of a floor is booked, by soft and by convex steps") {
    for (const char* const method : {"soft_steps", "convex_step"}) {
        for (unsigned seed = 40; seed < 80; ++seed) {
            CAPTURE(method);
            CAPTURE(seed);
            std::mt19937_64 random(seed);
            const auto drawn = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; };
            const auto direction = [&] {
                const glm::dvec3 v(drawn(), drawn(), drawn());
                return v / glm::length(v);
            };
            World world(settings_of(method, glm::dvec3(0.0)));
            const Material smooth{.friction = 0.0, .restitution = 0.0};
            add_ground(world, smooth);
            BodyDesc rod = sphere({0.0, 0.1 + 0.3 * drawn(), 0.0}, 0.1, smooth);
            rod.shape = Box{{0.5, 0.02, 0.02}};
            rod.mass = 1.0;
            rod.pose.orientation = glm::angleAxis(3.0 * drawn(), direction());
            rod.angular_velocity = direction() * (3.0 + 2.0 * drawn());
            world.create_body(rod);
            double most = world.energy().kinetic;
            for (int frame = 0; frame < 120; ++frame) {
                world.advance(1.0 / 240.0);
                most = std::max(most, world.energy().kinetic);
            }
            CHECK(std::abs(world.energy_ledger().remainder()) <= 0.01 * most);
        }
    }
}

// Each pushed the next, and light ones slipped out between heavy ones like pips: they left at 8 to 14 m/s.
TEST_CASE("boxes that are born in one another part without bursting") {
    struct Case {
        const char* method;
        bool falls;
    };
    for (const Case& each :
         {Case{"convex_step", false}, Case{"auto", true}, Case{"soft_steps", false}, Case{"soft_steps", true}}) {
        const std::string method = each.method;
        const bool falls = each.falls;
        for (const double frequency : {10.0, 60.0, 240.0}) {
            for (unsigned seed = 0; seed < (kSanitized ? 2 : 6); ++seed) {
                CAPTURE(method);
                CAPTURE(falls);
                CAPTURE(frequency);
                CAPTURE(seed);
                World world(settings_of(method, {0.0, falls ? -9.81 : 0.0, 0.0}));
                if (falls) {
                    add_ground(world, {.friction = 0.5});
                }
                std::mt19937 random(seed);
                std::uniform_real_distribution<double> number(-1.0, 1.0);
                std::vector<BodyId> boxes;
                for (int i = 0; i < 6; ++i) {
                    BodyDesc desc = sphere({0.1 * number(random), 0.1 * number(random), 0.1 * number(random)}, 0.25,
                                           {.friction = 0.5});
                    desc.shape = i % 2 == 0 ? Box{glm::dvec3(0.25)} : Box{{0.2, 0.3, 0.4}};
                    desc.mass = i % 3 == 1 ? 10.0 : 1.0;
                    const glm::dvec4 q{number(random), number(random), number(random), number(random)};
                    desc.pose.orientation = glm::normalize(glm::dquat(q.x, q.y, q.z, q.w));
                    boxes.push_back(world.create_body(desc));
                }
                double fastest = 0.0;
                for (int frame = 0; frame < 3.0 * frequency; ++frame) {
                    world.advance(1.0 / frequency);
                    for (const BodyId box : boxes) {
                        fastest = std::max(fastest, glm::length(world.body(box).linear_velocity()));
                    }
                }
                CHECK(fastest < (falls ? 5.0 : method == "soft_steps" ? 2.5 : 1.0)); // a metre's fall is 4.4
                const EnergyLedger ledger = world.energy_ledger();
                CHECK(ledger.kinetic <= 1.25 * ledger.overlap + 0.1); // J; what is shallow is elastic
            }
        }
    }
}
