// What no careful caller does: every function of the API with numbers, handles and choices that make no sense.
#include <array>
#include <cmath>
#include <limits>

#include "ingredients.h"
#include "life.h"

namespace hostile {

using namespace substep;

namespace {

double odd(Random& random) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr std::array kNumbers{std::numeric_limits<double>::quiet_NaN(),
                                  kInfinity,
                                  -kInfinity,
                                  0.0,
                                  -0.0,
                                  -1.0,
                                  5e-324,
                                  1e-160,
                                  1e-30,
                                  1e30,
                                  1e160,
                                  1e308,
                                  -1e308};
    return kNumbers[random.one_of(kNumbers.size())];
}

/// Mostly good, with one odd component.
glm::dvec3 odd_vector(Random& random) {
    glm::dvec3 v = random.vector(1.0);
    v[static_cast<int>(random.one_of(3))] = odd(random);
    return v;
}

glm::dquat odd_orientation(Random& random) {
    glm::dquat q = random.orientation();
    q[static_cast<int>(random.one_of(4))] = odd(random);
    return random.chance(0.2) ? glm::dquat(0.0, 0.0, 0.0, 0.0) : q;
}

int odd_integer(Random& random) {
    constexpr std::array kNumbers{0,       -1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(),
                                  1000001, 257};
    return kNumbers[random.one_of(kNumbers.size())];
}

Shape odd_shape(Random& random) {
    const double a = odd(random), b = random.chance(0.5) ? 1.0 : odd(random);
    switch (random.one_of(5)) {
    case 0:
        return Box{{1.0, a, b}};
    case 1:
        return Capsule{a, b};
    case 2:
        return Cylinder{a, b};
    case 3:
        return Rod{a, b};
    default:
        return Sphere{a};
    }
}

BodyDesc odd_body(Random& random) {
    BodyDesc desc = any_special_body(random);
    switch (random.one_of(7)) {
    case 0:
        desc.pose.position = odd_vector(random);
        break;
    case 1:
        desc.pose.orientation = odd_orientation(random);
        break;
    case 2:
        desc.linear_velocity = odd_vector(random);
        break;
    case 3:
        desc.angular_velocity = odd_vector(random);
        break;
    case 4:
        desc.mass_properties.reset();
        desc.mass = odd(random);
        break;
    case 5:
        desc.material = {odd(random), odd(random), odd(random)};
        break;
    default:
        desc.mass_properties.reset();
        desc.shape = odd_shape(random);
    }
    return desc;
}

// Any two bodies, any frames, anything locked, several kinds at once.
JointDesc odd_joint(Random& random, const PickBody& pick) {
    JointDesc desc;
    desc.body_a = pick();
    desc.body_b = pick();
    desc.frame_a = {random.chance(0.3) ? odd_vector(random) : random.vector(1.0),
                    random.chance(0.3) ? odd_orientation(random) : random.orientation()};
    desc.frame_b = {random.chance(0.2) ? odd_vector(random) : random.vector(1.0), random.orientation()};
    for (bool& locked : desc.locked_translation) {
        locked = random.chance(0.5);
    }
    for (bool& locked : desc.locked_rotation) {
        locked = random.chance(0.5);
    }
    if (random.chance(0.3)) {
        desc.distance = random.chance(0.5) ? 1.0 : odd(random);
    }
    if (random.chance(0.2)) {
        const auto axis_1 = static_cast<JointAxis>(random.one_of(11)),
                   axis_2 = static_cast<JointAxis>(random.one_of(11));
        const JointId other{static_cast<std::uint32_t>(random.one_of(4)), 0};
        desc.coupling = {other, axis_1, {0, 0}, axis_2, odd(random), odd(random)};
    }
    const auto axis = static_cast<JointAxis>(random.one_of(11));
    switch (random.one_of(4)) {
    case 0: {
        const double lower = odd(random), upper = odd(random), stiffness = odd(random);
        desc.limits.push_back({.axis = axis, .lower = lower, .upper = upper, .stiffness = stiffness, .damping = 0.0});
        break;
    }
    case 1:
        desc.drives.push_back(any_drive(random, axis));
        desc.drives.back().stiffness = odd(random);
        desc.drives.back().target_position = odd(random);
        desc.drives.back().maximum_force = odd(random);
        break;
    case 2:
        desc.friction.push_back({.axis = axis, .viscous = odd(random)});
        break;
    default:
        break;
    }
    return desc;
}

WorldSettings odd_settings(WorldSettings settings, Random& random) {
    IntegratorSettings& integrator = settings.integrator;
    integrator.budget = integrator.budget == 0 ? 200 : integrator.budget; // no odd tolerance may take a day
    switch (random.one_of(14)) {
    case 0:
        settings.gravity = odd_vector(random);
        break;
    case 1:
        integrator.atol = odd(random);
        break;
    case 2:
        integrator.rtol = odd(random);
        break;
    case 3:
        integrator.h_initial = odd(random);
        break;
    case 4:
        integrator.theta = odd(random);
        break;
    case 5:
        integrator.h_min = odd(random);
        break;
    case 6:
        integrator.h_max = std::max(odd(random), 1e-3); // shorter ones are taken at their word, and take for ever
        break;
    case 7:
        integrator.t_stop = odd(random);
        break;
    case 8:
        integrator.budget = odd_integer(random);
        integrator.h_min = 1e-3;
        break;
    case 9:
        settings.budget = odd_integer(random);
        break;
    case 10:
        settings.threads = random.chance(0.5) ? 0 : 257;
        break;
    case 11:
        integrator.method = random.chance(0.5) ? "" : "runge kutta";
        break;
    case 12:
        settings.sleep.linear_speed = odd(random);
        break;
    default:
        integrator.controller.safety = odd(random);
        integrator.controller.shrink_limit = odd(random);
    }
    return settings;
}

std::unique_ptr<ForceField> odd_field(Random& random, const PickBody& pick) {
    const double x = odd(random);
    const glm::dvec3 v = odd_vector(random);
    const BodyId a = pick(), b = pick();
    switch (random.one_of(11)) {
    case 0:
        return std::make_unique<UniformGravity>(v);
    case 1:
        return std::make_unique<PointGravity>(PointGravityDesc{v, 1.0, x});
    case 2:
        return std::make_unique<Drag>(DragDesc{.linear = x});
    case 3:
        return std::make_unique<PlateLift>(PlateLiftDesc{.normal = v});
    case 4:
        return std::make_unique<RotatingFrame>(RotatingFrameDesc{v, {}, {}});
    case 5:
        return std::make_unique<Spring>(SpringDesc{.body_a = a, .body_b = b, .stiffness = x});
    case 6:
        return std::make_unique<TorsionSpring>(TorsionSpringDesc{.body_a = a, .body_b = b, .rest_angle = x});
    case 7:
        return std::make_unique<MutualGravity>(MutualGravityDesc{{a, b, a}, x, x});
    case 8:
        return std::make_unique<SphereBuoyancy>(Liquid{v, x}, 1.0);
    case 9:
        return std::make_unique<TimedField>(x, odd(random), std::make_unique<UniformGravity>(glm::dvec3(1.0)));
    default:
        return nullptr;
    }
}

} // namespace

// One odd call; then a step, since what was taken may be as odd as numbers get; then back to what was.
void Life::odd_input(Random& random) {
    const WorldSnapshot saved = world_.snapshot();
    const bool sampled = sampled_;
    const Structure structure = shadow_.structure();
    const PickBody pick = [&] {
        const auto any = static_cast<std::uint32_t>(random.bits());
        return random.chance(0.1) ? BodyId{any % 8, any} : any_body(random);
    };
    const std::uint64_t before = saved.hash();
    const int refused = outcome_.refused;
    attempt([&] {
        switch (random.one_of(14)) {
        case 0:
            create(odd_body(random));
            break;
        case 1:
        case 2:
            create(odd_joint(random, pick));
            break;
        case 3:
            add(odd_field(random, pick));
            break;
        case 4:
            world_.set_settings(odd_settings(world_.settings(), random));
            break;
        case 5:
            world_.body(pick()).set_pose({odd_vector(random), random.orientation()});
            break;
        case 6:
            world_.body(pick()).set_pose({random.vector(1.0), odd_orientation(random)});
            break;
        case 7: {
            Body body = world_.body(pick());
            random.chance(0.5) ? body.set_linear_velocity(odd_vector(random))
                               : body.set_angular_velocity(odd_vector(random));
            break;
        }
        case 8: {
            Body body = world_.body(pick());
            const glm::dvec3 what = odd_vector(random);
            const glm::dvec3 where = random.chance(0.5) ? random.vector(1.0) : odd_vector(random);
            random.chance(0.5) ? body.apply_force_at(what, where) : body.apply_impulse_at(what, where);
            break;
        }
        case 9: {
            const BodyId id = pick();
            MassProperties properties{odd(random), glm::dvec3(0.0), glm::dmat3(1.0)};
            if (random.chance(0.5)) {
                properties.mass = 1.0;
                properties.inertia[1][1] = odd(random);
                properties.centre_of_mass = odd_vector(random);
            }
            world_.body(id).set_mass_properties(properties);
            shadow_.mass_changed(id, properties.mass);
            break;
        }
        case 10: {
            const BodyId id = pick();
            const double mass = random.chance(0.5) ? 1.0 : odd(random);
            world_.body(id).set_shape(odd_shape(random), mass);
            shadow_.mass_changed(id, mass);
            break;
        }
        case 11:
            world_.joint_value({static_cast<std::uint32_t>(random.one_of(4)), 0},
                               static_cast<JointAxis>(random.one_of(256)));
            break;
        case 12:
            world_.sample(pick(), odd(random));
            break;
        default:
            destroy_body({static_cast<std::uint32_t>(random.one_of(8)), static_cast<std::uint32_t>(random.bits())});
        }
    });
    if (outcome_.refused != refused && world_.snapshot().hash() != before) {
        complain("A refusal left something behind.");
    }
    advance(random.chance(0.2) ? odd(random) : 1.0 / 60.0);
    outcome_.blew_up = false; // as that is taken back
    try {
        world_.restore(saved);
        sampled_ = sampled;
        shadow_.restore(structure);
    } catch (const std::invalid_argument& refusal) {
        complain("The world refuses to go back before an odd edit: " + std::string(refusal.what()));
    }
}

} // namespace hostile
