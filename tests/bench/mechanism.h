// Mechanisms as plain data, so that every engine is given the same ones, and what is asked of an engine that moves
// them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

namespace substep_bench {

/// What holds a body.
enum class Held {
    Not,    ///< free
    ByBall, ///< a ball joint
    ByHinge ///< a hinge about z
};

/// One body with the joint that ties it to the body before it; the first is tied to the ground. Principal axes are the
/// body's, its centre of mass its origin.
struct MechanismBody {
    double mass = 1.0;                          ///< kg
    glm::dvec3 moments{1.0};                    ///< kg m^2
    glm::dvec3 position{0.0};                   ///< m, at the start
    glm::dquat orientation{1.0, 0.0, 0.0, 0.0}; ///< at the start
    Held held = Held::Not;
    glm::dvec3 joint{0.0}; ///< m, its place at the start
};

/// A chain of bodies, y up, with g = 9.8 m/s^2 or without.
struct Mechanism {
    std::vector<MechanismBody> bodies;
    glm::dvec3 first_rates{0.0}; ///< rad/s, of the first body about its axes at the start; the others are at rest
    double gravity = 9.8;        ///< m/s^2, downwards
};

/// Where a body is and how it moves, in the world.
struct BodyMotionNow {
    glm::dvec3 position{0.0};
    glm::dquat orientation{1.0, 0.0, 0.0, 0.0};
    glm::dvec3 velocity{0.0};
    glm::dvec3 angular_velocity{0.0};
};

/// An engine that moves one mechanism in frames of 1/60 s.
class Simulator {
public:
    virtual ~Simulator() = default;
    virtual void advance_frame() = 0;
    /// Writes where the bodies are; need not be fast.
    virtual void read(std::vector<BodyMotionNow>& bodies) = 0;
};

inline constexpr double kFrame = 1.0 / 60.0; // s

Mechanism make_pendulum();
Mechanism make_tumbling_body();
Mechanism make_double_pendulum();
Mechanism make_chain(int links);
Mechanism make_loaded_chain(); ///< ten links of 1 kg that hold 1000 kg

/// Returns the energy (J).
double energy_of(const Mechanism& mechanism, const std::vector<BodyMotionNow>& bodies);

/// Returns the largest distance (m) between the two sides of a joint.
double gap_of(const Mechanism& mechanism, const std::vector<BodyMotionNow>& bodies);

/// Makes a simulator by MuJoCo: RK4 with `substeps` steps per frame. Null where MuJoCo is not installed.
std::unique_ptr<Simulator> simulate_with_mujoco(const Mechanism& mechanism, int substeps);

/// Makes a simulator by Simbody: RungeKuttaMerson at `accuracy`. Null where Simbody is not installed.
std::unique_ptr<Simulator> simulate_with_simbody(const Mechanism& mechanism, double accuracy);

/// Says which release answers, or that there is none.
std::string mujoco_release();
std::string simbody_release();

} // namespace substep_bench
