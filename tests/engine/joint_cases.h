// Every type of joint, for tests that hold for all of them, and worlds around one.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "substep/numerics/elementary_functions.h"
#include "test_worlds.h"

namespace engine_tests {

/// x = cos s, y = sin s, z = s / 4: one sense of winding, curvature and torsion everywhere.
class Helix final : public Curve {
public:
    Point at(double s) const noexcept override {
        double sine = 0.0;
        double cosine = 0.0;
        sine_cosine(s, sine, cosine);
        return {{cosine, sine, 0.25 * s}, {-sine, cosine, 0.25}, {-cosine, -sine, 0.0}};
    }
};

/// A joint whose frame, as seen from body_a, is given in the world.
struct JointCase {
    std::string name;
    int rows; ///< degrees of freedom that it takes away
    std::function<JointDesc(const World&, BodyId, BodyId, const Pose&)> make;
};

inline const std::vector<JointCase>& joint_cases() {
    using Locked = std::array<bool, 3>;
    const auto axis = [](const Pose& frame, int k) { return glm::mat3_cast(frame.orientation)[k]; };
    const auto chosen = [](Locked translation, Locked rotation) {
        return [=](const World& w, BodyId a, BodyId b, const Pose& f) {
            return six_axis(w, a, b, f, translation, rotation);
        };
    };
    static const std::vector<JointCase> cases{
        {"ball", 3, [](const World& w, BodyId a, BodyId b, const Pose& f) { return ball(w, a, b, f.position); }},
        {"hinge", 5,
         [=](const World& w, BodyId a, BodyId b, const Pose& f) { return hinge(w, a, b, f.position, axis(f, 2)); }},
        {"slider", 5,
         [=](const World& w, BodyId a, BodyId b, const Pose& f) { return slider(w, a, b, f.position, axis(f, 2)); }},
        {"fixed", 6, [](const World& w, BodyId a, BodyId b, const Pose& f) { return fixed(w, a, b, f.position); }},
        {"universal", 4,
         [=](const World& w, BodyId a, BodyId b, const Pose& f) {
             return universal(w, a, b, f.position, axis(f, 0), axis(f, 1));
         }},
        {"cylindrical", 4,
         [=](const World& w, BodyId a, BodyId b, const Pose& f) {
             return cylindrical(w, a, b, f.position, axis(f, 2));
         }},
        {"planar", 3,
         [=](const World& w, BodyId a, BodyId b, const Pose& f) { return planar(w, a, b, f.position, axis(f, 2)); }},
        {"point on line", 2,
         [=](const World& w, BodyId a, BodyId b, const Pose& f) {
             return point_on_line(w, a, b, f.position, axis(f, 2));
         }},
        {"rod", 1,
         [=](const World& w, BodyId a, BodyId b, const Pose& f) {
             return rod(w, a, b, f.position, f.position + 0.8 * axis(f, 1));
         }},
        {"point on a helix", 2,
         [](const World& w, BodyId a, BodyId b, const Pose& f) {
             return point_on_curve(w, a, b, f, std::make_shared<Helix>(),
                                   f.position + f.orientation * Helix().at(0.3).position, 0.2);
         }},
        {"cone and twist", 3,
         [=](const World& w, BodyId a, BodyId b, const Pose& f) {
             return cone_twist(w, a, b, f.position, axis(f, 2));
         }},
        {"six axes: x", 1, chosen({true, false, false}, {})},
        {"six axes: y, and rotation about x", 2, chosen({false, true, false}, {true, false, false})},
        {"six axes: rotations about y and z", 2, chosen({}, {false, true, true})},
        {"six axes: x and z, and all rotations", 5, chosen({true, false, true}, {true, true, true})},
        {"six axes: all translations, rotations about z and x", 5, chosen({true, true, true}, {true, false, true})},
    };
    return cases;
}

/// What a joint's first body is.
enum class Carrier { Ground, Kinematic, Free };
inline constexpr Carrier kCarriers[]{Carrier::Ground, Carrier::Kinematic, Carrier::Free};

/// Two bodies with a joint between them in a random frame, and velocities that obey it once the world has settled.
struct JointWorld {
    World world;
    BodyId body_a = kGround;
    BodyId body_b;
    JointId joint;
    Pose frame;

    JointWorld(const JointCase& joint_case, Carrier carrier, const IntegratorSettings& settings, unsigned seed = 1,
               bool hung = true)
        : world({.integrator = settings}) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> unit(-1.0, 1.0);
        const auto vector = [&] { return glm::dvec3(unit(random), unit(random), unit(random)); };
        const auto orientation = [&] {
            return glm::normalize(glm::dquat(unit(random), unit(random), unit(random), unit(random)));
        };
        const auto body = [&](const glm::dvec3& centre, MotionType motion) {
            BodyDesc desc;
            desc.motion = motion;
            desc.collides = false;
            desc.pose = {centre, orientation()};
            desc.mass_properties = MassProperties{
                1.0 + 0.5 * unit(random), 0.1 * vector(), {0.05, 0.01, 0.0, 0.01, 0.07, 0.0, 0.0, 0.0, 0.1}};
            desc.linear_velocity = 0.5 * vector();
            desc.angular_velocity = 2.0 * vector();
            return world.create_body(desc);
        };
        frame = {vector(), orientation()};
        if (carrier != Carrier::Ground) {
            body_a =
                body({0.7, 0.2, -0.3}, carrier == Carrier::Kinematic ? MotionType::Kinematic : MotionType::Dynamic);
        }
        body_b = body({-0.4, 0.5, 0.6}, MotionType::Dynamic);
        if (carrier == Carrier::Free && hung) { // or both would fall together
            world.create_joint(ball(world, kGround, body_a, {1.0, 0.5, 0.0}));
        }
        joint = world.create_joint(joint_case.make(world, body_a, body_b, frame));
    }
};

} // namespace engine_tests
