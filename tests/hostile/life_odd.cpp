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

std::int64_t odd_integer(Random& random) {
    constexpr std::array kNumbers{0,       -1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(),
                                  1000001, 257};
    return kNumbers[random.one_of(kNumbers.size())];
}

double odd_or_one(Random& random) { return random.chance(0.5) ? 1.0 : odd(random); }

Shape odd_shape(Draws draw) {
    const double a = draw.number("a", odd), b = draw.number("b", odd_or_one);
    switch (draw.one_of("kind", {"box", "capsule", "cylinder", "rod", "ball", "tapered capsule", "tapered cylinder",
                                 "hull", "no hull", "rectangle"})) {
    case 0:
        return Box{{1.0, a, b}};
    case 1:
        return Capsule{a, b};
    case 2:
        return Cylinder{a, b};
    case 3:
        return ThinRod{a, b};
    case 4:
        return Sphere{a};
    case 5:
        return TaperedCapsule{1.0, a, b};
    case 6:
        return TaperedCylinder{a, b, 1.0};
    case 7:
        return ScaledHull{rock(), {1.0, a, b}};
    case 8:
        return ScaledHull{nullptr, {1.0, a, b}};
    default:
        return Rectangle{a, b};
    }
}

BodyDesc odd_body(Draws draw) {
    BodyDesc desc = any_special_body(draw.part("body"));
    switch (draw.one_of(
        "oddity", {"position", "orientation", "linear_velocity", "angular_velocity", "mass", "material", "shape"})) {
    case 0:
        desc.pose.position = draw.vector("position", odd_vector);
        break;
    case 1:
        desc.pose.orientation = draw.orientation("orientation", odd_orientation);
        break;
    case 2:
        desc.linear_velocity = draw.vector("linear_velocity", odd_vector);
        break;
    case 3:
        desc.angular_velocity = draw.vector("angular_velocity", odd_vector);
        break;
    case 4:
        desc.mass_properties.reset();
        desc.mass = draw.number("mass", odd);
        break;
    case 5:
        desc.material = {draw.number("friction", odd), draw.number("static_friction", odd),
                         draw.number("restitution", odd)};
        break;
    default:
        desc.mass_properties.reset();
        desc.mass = 1.0;
        desc.shape = odd_shape(draw.part("shape"));
    }
    return desc;
}

// Any two bodies, any frames, anything locked; and in one of five a coupling instead.
struct OddJoint {
    JointDesc joint;
    std::optional<CouplingDesc> coupling;
};
OddJoint odd_joint(Draws draw, const PickBody& pick, std::uint32_t of_world) {
    const auto place = [&](std::string_view name, double odd_chance) {
        return draw.vector(
            name, [=](Random& random) { return random.chance(odd_chance) ? odd_vector(random) : random.vector(1.0); });
    };
    OddJoint made;
    JointDesc& desc = made.joint;
    desc.body_a = pick(draw, "body_a");
    desc.body_b = pick(draw, "body_b");
    desc.frame_a.position = place("position_a", 0.3);
    desc.frame_a.orientation = draw.orientation("orientation_a", [](Random& random) {
        return random.chance(0.3) ? odd_orientation(random) : random.orientation();
    });
    desc.frame_b.position = place("position_b", 0.2);
    desc.frame_b.orientation = draw.orientation("orientation_b");
    desc.point_lock = any_locks(draw, "locked_translation");
    desc.locked_rotation = any_locks(draw, "locked_rotation");
    if (draw.chance("has_distance", 0.3)) {
        desc.point_lock = DistanceLock{draw.number("distance", odd_or_one)};
    }
    if (draw.chance("has_coupling", 0.2)) {
        const auto axis_1 = static_cast<JointAxis>(draw.one_of("axis_1", 11)),
                   axis_2 = static_cast<JointAxis>(draw.one_of("axis_2", 11));
        const JointId other{static_cast<std::uint32_t>(draw.one_of("joint", 4)), 0, of_world};
        const double ratio = draw.number("ratio", odd), sum = draw.number("sum", odd);
        made.coupling = CouplingDesc{.joint_1 = other,
                                     .axis_1 = axis_1,
                                     .joint_2 = {0, 0, of_world},
                                     .axis_2 = axis_2,
                                     .ratio = ratio,
                                     .sum = sum};
    }
    const auto axis = static_cast<JointAxis>(draw.one_of("axis", 11));
    switch (draw.one_of("along_axis", {"limit", "drive", "friction", "nothing"})) {
    case 0: {
        const double lower = draw.number("lower", odd), upper = draw.number("upper", odd),
                     stiffness = draw.number("stiffness", odd);
        desc.limits.push_back({.axis = axis, .lower = lower, .upper = upper, .stiffness = stiffness, .damping = 0.0});
        break;
    }
    case 1:
        desc.drives.push_back(any_drive(draw.part("drive"), axis));
        desc.drives.back().stiffness = draw.number("stiffness", odd);
        desc.drives.back().target_position = draw.number("target_position", odd);
        desc.drives.back().maximum_force = draw.number("maximum_force", odd);
        break;
    case 2:
        desc.friction.push_back({.axis = axis, .viscous = draw.number("viscous", odd)});
        break;
    default:
        break;
    }
    return made;
}

WorldSettings odd_settings(WorldSettings settings, Draws draw) {
    IntegratorSettings& integrator = settings.integrator;
    integrator.budget = integrator.budget == 0 ? 200 : integrator.budget; // no odd tolerance may take a day
    switch (draw.one_of("oddity", {"gravity", "atol", "rtol", "h_initial", "theta", "h_min", "h_max", "t_stop",
                                   "steps_budget", "budget", "threads", "method", "sleep", "controller"})) {
    case 0:
        settings.gravity = draw.vector("gravity", odd_vector);
        break;
    case 1:
        integrator.atol = draw.number("atol", odd);
        break;
    case 2:
        integrator.rtol = draw.number("rtol", odd);
        break;
    case 3:
        integrator.h_initial = draw.number("h_initial", odd);
        break;
    case 4:
        integrator.theta = draw.number("theta", odd);
        break;
    case 5:
        integrator.h_min = draw.number("h_min", odd);
        break;
    case 6: // shorter ones are taken at their word, and take for ever
        integrator.h_max = draw.number("h_max", [](Random& random) { return std::max(odd(random), 1e-3); });
        break;
    case 7:
        integrator.t_stop = draw.number("t_stop", odd);
        break;
    case 8:
        integrator.budget = static_cast<int>(draw.integer("budget", odd_integer));
        integrator.h_min = 1e-3;
        break;
    case 9:
        settings.shared_budget = static_cast<int>(draw.integer("budget", odd_integer));
        break;
    case 10:
        settings.threads = draw.chance("no_threads", 0.5) ? 0 : 257;
        break;
    case 11:
        integrator.method = draw.chance("no_method", 0.5) ? "" : "runge kutta";
        break;
    case 12:
        settings.sleep.linear_speed = draw.number("linear_speed", odd);
        break;
    default:
        integrator.controller.safety = draw.number("safety", odd);
        integrator.controller.shrink_limit = draw.number("shrink_limit", odd);
    }
    return settings;
}

std::unique_ptr<ForceField> odd_field(Draws draw, const PickBody& pick) {
    const double x = draw.number("x", odd);
    const glm::dvec3 v = draw.vector("v", odd_vector);
    const BodyId a = pick(draw, "body_a"), b = pick(draw, "body_b");
    switch (draw.one_of("kind", {"uniform_gravity", "point_gravity", "drag", "plate_lift", "rotating_frame", "spring",
                                 "torsion_spring", "mutual_gravity", "sphere_buoyancy", "timed", "none"})) {
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
        return std::make_unique<TimedField>(x, draw.number("end", odd),
                                            std::make_unique<UniformGravity>(glm::dvec3(1.0)));
    default:
        return nullptr;
    }
}

std::uint32_t any_index(Draws draw, std::string_view name) {
    return static_cast<std::uint32_t>(
        draw.integer(name, [](Random& random) { return static_cast<std::uint32_t>(random.bits()); }));
}

} // namespace

// One odd call; then a step, since what was taken may be as odd as numbers get; then back to what was.
void Life::odd_input(Draws draw) {
    const WorldSnapshot saved = world_.snapshot();
    const bool sampled = sampled_;
    const Structure structure = shadow_.structure();
    const PickBody pick = [&](Draws among, std::string_view name) {
        Draws one = among.part(name);
        const std::uint32_t any = any_index(one, "made_up");
        return one.chance("is_made_up", 0.1) ? BodyId{any % 8, any, number_of_world()} : any_body(one, "number");
    };
    const std::uint64_t before = saved.hash();
    const int refused = outcome_.refused;
    attempt([&] { odd_call(draw.part("call"), pick); });
    if (outcome_.refused != refused && world_.snapshot().hash() != before) {
        complain("A refusal left something behind.");
    }
    advance(draw.number("dt", [](Random& random) { return random.chance(0.2) ? odd(random) : 1.0 / 60.0; }));
    outcome_.blew_up = false; // as that is taken back
    try {
        world_.restore(saved);
        sampled_ = sampled;
        shadow_.restore(structure);
    } catch (const std::invalid_argument& refusal) {
        complain("The world refuses to go back before an odd edit: " + std::string(refusal.what()));
    }
}

void Life::odd_call(Draws draw, const PickBody& pick) {
    switch (draw.one_of("call", {"create_body", "create_joint", "create_joint", "add_field", "set_settings",
                                 "set_position", "set_orientation", "set_velocity", "push", "set_mass", "set_shape",
                                 "joint_value", "sample", "destroy_body"})) {
    case 0:
        create(odd_body(draw));
        break;
    case 1:
    case 2: {
        const OddJoint made = odd_joint(draw, pick, number_of_world());
        if (made.coupling) {
            create(*made.coupling);
        } else {
            create(made.joint);
        }
        break;
    }
    case 3:
        add(odd_field(draw, pick));
        break;
    case 4:
        world_.set_settings(odd_settings(world_.settings(), draw));
        break;
    case 5:
        world_.body(pick(draw, "body"))
            .set_pose({draw.vector("position", odd_vector), draw.orientation("orientation")});
        break;
    case 6:
        world_.body(pick(draw, "body"))
            .set_pose({draw.vector("position", 1.0), draw.orientation("orientation", odd_orientation)});
        break;
    case 7: {
        Body body = world_.body(pick(draw, "body"));
        const bool is_linear = draw.chance("is_linear", 0.5);
        const glm::dvec3 velocity = draw.vector("velocity", odd_vector);
        is_linear ? body.set_linear_velocity(velocity) : body.set_angular_velocity(velocity);
        break;
    }
    case 8: {
        Body body = world_.body(pick(draw, "body"));
        const glm::dvec3 what = draw.vector("what", odd_vector);
        const glm::dvec3 where = draw.vector(
            "where", [](Random& random) { return random.chance(0.5) ? random.vector(1.0) : odd_vector(random); });
        draw.chance("is_force", 0.5) ? body.apply_force_at(what, where) : body.apply_impulse_at(what, where);
        break;
    }
    case 9: {
        const BodyId id = pick(draw, "body");
        MassProperties properties{draw.number("mass", odd), glm::dvec3(0.0), glm::dmat3(1.0)};
        if (draw.chance("has_odd_moments", 0.5)) {
            properties.mass = 1.0;
            properties.inertia[1][1] = draw.number("moment", odd);
            properties.centre_of_mass = draw.vector("centre_of_mass", odd_vector);
        }
        world_.body(id).set_mass_properties(properties);
        shadow_.mass_changed(id, properties.mass);
        break;
    }
    case 10: {
        const BodyId id = pick(draw, "body");
        const double mass = draw.number("mass", odd_or_one);
        world_.body(id).set_shape(odd_shape(draw.part("shape")), mass);
        shadow_.mass_changed(id, mass);
        break;
    }
    case 11: {
        const auto axis = static_cast<JointAxis>(draw.one_of("axis", 256));
        world_.joint_value({static_cast<std::uint32_t>(draw.one_of("joint", 4)), 0}, axis);
        break;
    }
    case 12: {
        const double t = draw.number("t", odd);
        world_.sample(pick(draw, "body"), t);
        break;
    }
    default:
        destroy_body({static_cast<std::uint32_t>(draw.one_of("index", 8)), any_index(draw, "generation")});
    }
}

} // namespace hostile
