// Worlds in which many bodies touch one another.
#pragma once

#include <algorithm>
#include <iterator>
#include <random>
#include <variant>
#include <vector>

#include "solid_worlds.h"
#include "substep/engine/joint.h"

namespace engine_tests {

inline const Material kRough{.friction = 0.5, .restitution = 0.0};

inline BodyDesc cube(const glm::dvec3& position) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = Box{{0.5, 0.5, 0.5}};
    desc.material = kRough;
    desc.pose.position = position;
    return desc;
}

/// `wide` times `wide` columns of `high` cubes of 1 m in a trench, with a little air between, not quite in line.
inline World columns(int wide, int high, const WorldSettings& settings, std::vector<BodyId>& bodies) {
    World world(settings);
    add_trench(world, 0.6 * wide, kRough);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> aside(-0.05, 0.05);
    for (int y = 0; y < high; ++y) {
        for (int x = 0; x < wide; ++x) {
            for (int z = 0; z < wide; ++z) {
                const glm::dvec3 place{1.2 * (x - 0.5 * (wide - 1)) + aside(random), 0.51 + 1.01 * y,
                                       1.2 * (z - 0.5 * (wide - 1)) + aside(random)};
                bodies.push_back(world.create_body(cube(place)));
            }
        }
    }
    return world;
}

/// A wall of cubes, each across the gap between two below it.
inline World brick_wall(int rows, const WorldSettings& settings, std::vector<BodyId>& bodies) {
    World world(settings);
    add_ground(world, kRough);
    for (int row = 0; row < rows; ++row) {
        const int count = rows - row;
        for (int i = 0; i < count; ++i) {
            bodies.push_back(world.create_body(cube({1.1 * (i - 0.5 * (count - 1)), 0.5 + row, 0.0})));
        }
    }
    return world;
}

/// Cubes, balls and slabs that fall into a trench from all attitudes.
inline World mess(int count, const WorldSettings& settings, std::vector<BodyId>& bodies, bool with_balls = true) {
    World world(settings);
    add_trench(world, 3.0, kRough);
    std::mt19937 random(11);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (int i = 0; i < count; ++i) {
        BodyDesc desc = cube({1.3 * (i % 4 - 1.5) + 0.1 * number(random), 0.9 + 1.1 * (i / 16),
                              1.3 * (i / 4 % 4 - 1.5) + 0.1 * number(random)});
        desc.pose.orientation =
            glm::normalize(glm::dquat(number(random), number(random), number(random), number(random)));
        if (i % 3 == 1 && with_balls) {
            desc.shape = Sphere{0.4};
        } else if (i % 3 == 2) {
            desc.shape = Box{{0.5, 0.3, 0.2}};
        }
        bodies.push_back(world.create_body(desc));
    }
    return world;
}

/// Cubes and slabs that fall into a trench, the first ones in pairs on ball joints and on hinges, which have limits and
/// dry friction.
inline World jointed_mess(int count, const WorldSettings& settings, std::vector<BodyId>& bodies,
                          std::vector<JointId>& joints, std::size_t pairs = 8) {
    World world = mess(count, settings, bodies, false);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const BodyId a = bodies[2 * pair];
        const BodyId b = bodies[2 * pair + 1];
        const glm::dvec3 middle = 0.5 * (world.body(a).pose().position + world.body(b).pose().position);
        JointDesc joint = pair % 2 == 0 ? ball(world, a, b, middle) : hinge(world, a, b, middle, {0.0, 0.0, 1.0});
        if (pair % 2 == 1) {
            joint.limits.push_back({.axis = JointAxis::AngleZ, .lower = -0.4, .upper = 0.5});
            joint.friction.push_back({.axis = JointAxis::AngleZ, .dry = 1.0});
        }
        joints.push_back(world.create_joint(joint));
    }
    return world;
}

/// What was seen of the joints of a mess: its hinges, every second one, have limits at -0.4 and 0.5 rad.
struct SeenJoints {
    double gap = 0.0;    ///< m, the widest
    double beyond = 0.0; ///< rad, that a hinge has turned past a limit
    double lowest_angle = 0.0;
    double highest_angle = 0.0;

    void look_at(const World& world, const std::vector<JointId>& joints) {
        for (const JointId id : joints) {
            gap = std::max(gap, world.joint_error(id));
        }
        for (std::size_t i = 1; i < joints.size(); i += 2) {
            const double angle = world.joint_value(joints[i], JointAxis::AngleZ);
            beyond = std::max({beyond, angle - 0.5, -0.4 - angle});
            lowest_angle = std::min(lowest_angle, angle);
            highest_angle = std::max(highest_angle, angle);
        }
    }
};

inline double fastest(const World& world, const std::vector<BodyId>& bodies) {
    double speed = 0.0;
    for (const BodyId id : bodies) {
        speed = std::max(speed, glm::length(world.body(id).linear_velocity()));
    }
    return speed;
}

/// Those that do not roll: balls go on for long where nothing resists.
inline std::vector<BodyId> without_balls(const World& world, const std::vector<BodyId>& bodies) {
    std::vector<BodyId> others;
    std::ranges::copy_if(bodies, std::back_inserter(others),
                         [&](BodyId id) { return !std::holds_alternative<Sphere>(*world.body(id).shape()); });
    return others;
}

inline double lowest(const World& world, const std::vector<BodyId>& bodies) {
    double height = 1e300;
    for (const BodyId id : bodies) {
        height = std::min(height, world.body(id).pose().position.y);
    }
    return height;
}

/// Whether some island is stepped so.
inline bool has_regime(const World& world, IslandRegime regime) {
    return std::ranges::any_of(world.islands(), [&](const IslandView& island) { return island.regime == regime; });
}

} // namespace engine_tests
