// Wrong calls, and the one sentence that each of them gets: none is silent, misleading or fatal.
#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "substep/substep.h"

using namespace substep;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr glm::dvec3 kX{1.0, 0.0, 0.0};
constexpr glm::dvec3 kZ{0.0, 0.0, 1.0};

glm::dmat3 diagonal(double x, double y, double z) { return {x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z}; }

class Circle final : public BodyPath {
public:
    Point at(double) const override { return {}; }
};

/// Throws from the second step on.
class Cliff final : public BodyPath {
public:
    Point at(double t) const override {
        if (t > 0.015) {
            throw std::runtime_error("the road ends here");
        }
        return {};
    }
};

std::shared_ptr<const ConvexHull> tetrahedron() {
    return ConvexHull::make(std::vector<glm::dvec3>{{0.0, 0.0, 0.0}, kX, {0.0, 1.0, 0.0}, kZ});
}

BodyDesc sphere(const glm::dvec3& place) { return {.pose = {.position = place}, .shape = Sphere{0.1}, .mass = 1.0}; }

/// A world with one of everything, and what was said last.
struct Misuse {
    World world;
    World other_world;
    BodyId ball, other, floor, rider, gone, foreign, forgotten;
    JointId elbow, wrist, broken, foreign_joint;
    std::string sentence;

    Misuse() {
        ball = world.create_body(sphere({0.0, 5.0, 0.0}));
        other = world.create_body(sphere({2.0, 5.0, 0.0}));
        floor = world.create_body({.motion = MotionType::Static, .shape = Plane{}});
        rider = world.create_body({.motion = MotionType::Kinematic, .path = std::make_shared<Circle>()});
        gone = world.create_body(sphere({4.0, 5.0, 0.0}));
        elbow = world.create_joint(hinge(world, kGround, ball, {0.0, 6.0, 0.0}, kZ));
        wrist = world.create_joint(hinge(world, kGround, other, {2.0, 6.0, 0.0}, kZ));
        broken = world.create_joint(substep::ball(world, kGround, gone, {4.0, 6.0, 0.0}));
        world.destroy_body(gone);
        foreign = other_world.create_body(sphere({}));
        foreign_joint = other_world.create_joint(substep::ball(other_world, kGround, foreign, kX));
    }
    void said(const StepReport& report) { sentence = report.message; }
    template <class Change>
    void arm(Change change) {
        JointDesc joint = hinge(world, kGround, ball, {0.0, 6.0, 0.0}, kZ);
        change(joint);
        world.create_joint(joint);
    }
    template <class Change>
    void with(Change change) {
        WorldSettings settings = world.settings();
        change(settings);
        world.set_settings(settings);
    }
    StepReport host_step(double dt, const RigidMass& mass = {}, std::size_t bodies = 1) {
        std::vector<RigidState> states(bodies);
        return BodyIntegrator().advance(states, std::vector{mass}, 0.0, dt, [](double, auto, auto) {});
    }
    /// A rod of 1 m to a body that another joint holds where it is.
    void torn(World& held, BodyId body) {
        held.create_joint(fixed(held, kGround, body, {}));
        JointDesc short_rod = rod(held, kGround, body, {3.0, 5.0, 0.0}, {0.0, 5.0, 0.0});
        short_rod.name = "short rod";
        short_rod.point_lock = DistanceLock{1.0};
        held.create_joint(short_rod);
    }
    StepReport under(World& pushed, std::unique_ptr<ForceField> field) {
        pushed.add_force_field(std::move(field));
        return pushed.advance(0.01);
    }
    StepReport rides(World& ridden) {
        const BodyId carrier = ridden.create_body({.motion = MotionType::Kinematic, .path = std::make_shared<Cliff>()});
        ridden.create_joint(substep::ball(ridden, carrier, other, {}));
        ridden.advance(0.01);
        return ridden.advance(0.01);
    }
    StepReport host_throws() {
        std::vector<RigidState> states(1);
        const auto forces = [](double, auto, auto) { throw std::runtime_error("out of fuel"); };
        static BodyIntegrator bodies; // the sentence is in it
        return bodies.advance(states, std::vector<RigidMass>(1), 0.0, 0.01, forces);
    }
};

Wrench throwing(double, const BodyMotion&) { throw std::runtime_error("no wind today"); }
Wrench not_a_number(double, const BodyMotion&) { return {{kNan, 0.0, 0.0}, {}}; }
CustomField::Force editing(World& world) {
    return [&world](double, const BodyMotion& body) {
        world.body(body.id).set_pose({});
        return Wrench{};
    };
}
CustomField::Force stepping(World& world) {
    return [&world](double, const BodyMotion&) {
        throw std::runtime_error(std::string(world.advance(0.01).message));
        return Wrench{};
    };
}

WorldSnapshot cut(WorldSnapshot snapshot) {
    snapshot.bytes.resize(snapshot.bytes.size() / 2);
    return snapshot;
}
WorldSnapshot turned(WorldSnapshot snapshot) {
    snapshot.bytes[snapshot.bytes.size() - 9] ^= std::byte{4};
    return snapshot;
}

struct WrongCall {
    const char* name;
    const char* sentence;
    std::function<void(Misuse&)> call;
};

const std::vector<WrongCall>& wrong_calls() {
    static const std::vector<WrongCall> all{
        // Masses and shapes.
        {"no mass", "The dynamic body was given no mass; it must have a mass, a density or mass properties.",
         [](Misuse& m) { m.world.create_body({.shape = Sphere{0.5}}); }},
        {"nothing at all", "The dynamic body was given no mass; it must have a mass, a density or mass properties.",
         [](Misuse& m) { m.world.create_body({}); }},
        {"mass of nothing",
         "The body was given a mass or density, but no shape to spread it over; it must have mass properties or a "
         "shape.",
         [](Misuse& m) { m.world.create_body({.mass = 1.0}); }},
        {"density of nothing",
         "The body was given a mass or density, but no shape to spread it over; it must have mass properties or a "
         "shape.",
         [](Misuse& m) { m.world.create_body({.density = 1.0}); }},
        {"mass and density",
         "The body was given more than one of a mass, a density and mass properties; it must be one of them.",
         [](Misuse& m) { m.world.create_body({.shape = Sphere{0.5}, .mass = 1.0, .density = 1.0}); }},
        {"mass and mass properties",
         "The body was given more than one of a mass, a density and mass properties; it must be one of them.",
         [](Misuse& m) {
             m.world.create_body({.shape = Sphere{0.5}, .mass = 1.0, .mass_properties = MassProperties{}});
         }},
        {"negative mass", "The mass is -1 kg; it must be positive and finite.",
         [](Misuse& m) { m.world.create_body({.shape = Sphere{0.5}, .mass = -1.0}); }},
        {"mass that is not a number", "The mass is nan kg; it must be positive and finite.",
         [](Misuse& m) { m.world.create_body({.shape = Sphere{0.5}, .mass = kNan}); }},
        {"infinite mass", "The mass is inf kg; it must be positive and finite.",
         [](Misuse& m) { m.world.create_body({.shape = Sphere{0.5}, .mass = kInfinity}); }},
        {"no density", "The density is 0 kg/m^3; it must be positive and finite.",
         [](Misuse& m) { m.world.create_body({.shape = Sphere{0.5}, .density = 0.0}); }},
        {"sphere of no size", "The sphere's radius is 0 m; it must be positive and finite.",
         [](Misuse& m) { m.world.create_body({.shape = Sphere{0.0}, .mass = 1.0}); }},
        {"flat box", "The box's half size along y is 0 m; it must be positive and finite.",
         [](Misuse& m) {
             m.world.create_body({.shape = Box{{1.0, 0.0, 1.0}}, .mass = 1.0, .collides = false});
         }},
        {"tapered capsule of no size", "The tapered capsule's top radius is 0 m; it must be positive and finite.",
         [](Misuse& m) {
             m.world.create_body({.shape = TaperedCapsule{0.1, 0.0, 1.0}, .mass = 1.0});
         }},
        {"cone of no radius", "The tapered cylinder's larger radius is 0 m; it must be positive and finite.",
         [](Misuse& m) {
             m.world.create_body({.shape = TaperedCylinder{0.0, 0.0, 1.0}, .mass = 1.0});
         }},
        {"cone inside out", "The tapered cylinder's bottom radius is -1 m; it must be finite and not negative.",
         [](Misuse& m) {
             m.world.create_body({.shape = TaperedCylinder{-1.0, 0.5, 1.0}, .mass = 1.0});
         }},
        {"cone without end", "The tapered cylinder's half length is inf m; it must be positive and finite.",
         [](Misuse& m) {
             m.world.create_body({.shape = TaperedCylinder{1.0, 0.5, kInfinity}, .density = 1.0});
         }},
        {"no hull", "The shape of a scaled hull was given no hull; it must have one.",
         [](Misuse& m) { m.world.create_body({.shape = ScaledHull{}, .density = 1.0}); }},
        {"no hull asked for", "The shape of a scaled hull was given no hull; it must have one.",
         [](Misuse& m) { m.world.overlapping(ScaledHull{}, {}); }},
        {"hull turned inside out by its scale", "The hull's scale along y is -1; it must be positive and finite.",
         [](Misuse& m) {
             m.world.body(m.ball).set_shape(ScaledHull{tetrahedron(), {1.0, -1.0, 1.0}}, 1.0);
         }},
        {"hull without scale", "The hull's scale along z is nan; it must be positive and finite.",
         [](Misuse& m) {
             m.world.create_body({.shape = ScaledHull{tetrahedron(), {1.0, 1.0, kNan}}, .mass = 1.0});
         }},
        {"rectangle of no size", "The rectangle's half size along z is 0 m; it must be positive and finite.",
         [](Misuse& m) {
             m.world.create_body({.motion = MotionType::Static, .shape = Rectangle{1.0, 0.0}});
         }},
        {"dynamic rectangle", "A dynamic body was given the shape of a rectangle; it must be static or kinematic.",
         [](Misuse& m) { m.world.create_body({.shape = Rectangle{}, .mass = 1.0}); }},
        {"body turned into a rectangle",
         "A dynamic body was given the shape of a rectangle; it must be static or kinematic.",
         [](Misuse& m) { m.world.body(m.ball).set_shape(Rectangle{}, 1.0); }},
        {"dynamic plane", "A dynamic body was given the shape of a plane; it must be static or kinematic.",
         [](Misuse& m) { m.world.create_body({.shape = Plane{}, .mass = 1.0}); }},
        {"moments that no body has",
         "The inertia has the principal moments (1, 1, 5) kg m^2; no body has such, for none may be larger than the "
         "sum of the other two.",
         [](Misuse& m) {
             m.world.create_body({.mass_properties = MassProperties{1.0, {}, diagonal(1.0, 1.0, 5.0)}});
         }},
        {"no moment",
         "The inertia has the principal moments (1, 1, 0) kg m^2; all three must be positive, and have an inverse.",
         [](Misuse& m) {
             m.world.create_body({.mass_properties = MassProperties{1.0, {}, diagonal(1.0, 1.0, 0.0)}});
         }},
        {"inertia that is not symmetric",
         "The inertia has 0 and 0.5 kg m^2 on either side of its diagonal; it must be symmetric.",
         [](Misuse& m) {
             m.world.create_body({.mass_properties = MassProperties{1.0, {}, {1, 0.5, 0, 0, 1, 0, 0, 0, 1}}});
         }},
        {"centre of mass nowhere", "The centre of mass is (nan, nan, nan); it must be finite.",
         [](Misuse& m) {
             m.world.create_body({.mass_properties = MassProperties{1.0, glm::dvec3(kNan)}});
         }},
        {"shape set with no mass", "The mass is 0 kg; it must be positive and finite.",
         [](Misuse& m) { m.world.body(m.ball).set_shape(Sphere{0.5}, 0.0); }},
        {"mass properties set to nothing", "The mass is 0 kg; it must be positive and finite.",
         [](Misuse& m) { m.world.body(m.ball).set_mass_properties({.mass = 0.0}); }},
        {"no such motion", "The motion of a body is number 7; it must be Dynamic, Kinematic or Static.",
         [](Misuse& m) {
             m.world.create_body({.motion = static_cast<MotionType>(7), .shape = Sphere{0.5}, .mass = 1.0});
         }},
        // Poses, velocities, forces.
        {"position nowhere", "The position is (nan, 0, 0); it must be finite.",
         [](Misuse& m) {
             m.world.create_body({.pose = {.position = {kNan, 0.0, 0.0}}, .shape = Sphere{0.5}, .mass = 1.0});
         }},
        {"orientation of no length",
         "The orientation is (w, x, y, z) = (0, 0, 0, 0); it must be finite and of a length that can be normalised, at "
         "least 1e-6.",
         [](Misuse& m) {
             m.world.create_body({.pose = {.orientation = {0.0, 0.0, 0.0, 0.0}}, .shape = Sphere{0.5}, .mass = 1.0});
         }},
        {"velocity of a static body", "A static body was given a velocity; it must be zero, or the body kinematic.",
         [](Misuse& m) {
             m.world.create_body({.motion = MotionType::Static, .linear_velocity = {1.0, 0.0, 0.0}});
         }},
        {"infinite velocity", "The linear velocity is (inf, 0, 0); it and its square must be finite.",
         [](Misuse& m) {
             m.world.body(m.ball).set_linear_velocity({kInfinity, 0.0, 0.0});
         }},
        {"spin of a body that does not turn",
         "The angular velocity is (1, 0, 0) rad/s; it must be zero where rotation is locked.",
         [](Misuse& m) {
             m.world.create_body(
                 {.angular_velocity = {1.0, 0.0, 0.0}, .shape = Sphere{0.5}, .mass = 1.0, .locks_rotation = true});
         }},
        {"path of a dynamic body", "A body that is not kinematic was given a path; it must be kinematic.",
         [](Misuse& m) {
             m.world.create_body({.path = std::make_shared<Circle>(), .shape = Sphere{0.5}, .mass = 1.0});
         }},
        {"pose set of a body on a path", "A pose was given to a body that follows a path; it must have none.",
         [](Misuse& m) { m.world.body(m.rider).set_pose({}); }},
        {"velocity set of a body on a path",
         "An angular velocity was given to a body that follows a path; it must have none.",
         [](Misuse& m) { m.world.body(m.rider).set_angular_velocity({}); }},
        {"force on a static body", "A force was given to a body that is static; the body must be dynamic.",
         [](Misuse& m) {
             m.world.body(m.floor).apply_force({0.0, 1.0, 0.0});
         }},
        {"impulse on a kinematic body", "An impulse was given to a body that is kinematic; the body must be dynamic.",
         [](Misuse& m) {
             m.world.body(m.rider).apply_impulse({0.0, 1.0, 0.0});
         }},
        {"force that is not a number", "The force is (0, nan, 0); it must be finite.",
         [](Misuse& m) {
             m.world.body(m.ball).apply_force({0.0, kNan, 0.0});
         }},
        {"force at no point", "The point is (nan, 0, 0); it must be finite.",
         [](Misuse& m) {
             m.world.body(m.ball).apply_force_at({0.0, 1.0, 0.0}, {kNan, 0.0, 0.0});
         }},
        {"forces whose sum is infinite", "The sum of forces is (inf, 0, 0); it must be finite.",
         [](Misuse& m) {
             m.world.body(m.ball).apply_force({1.7e308, 0.0, 0.0}),
                 m.world.body(m.ball).apply_force({1.7e308, 0.0, 0.0});
         }},
        {"negative friction", "The friction is -0.1; it must be 0 or more, and finite.",
         [](Misuse& m) { m.world.body(m.ball).set_material({.friction = -0.1}); }},
        {"static friction below sliding",
         "The static friction is 0.4; it must be finite and at least the friction, 0.5.",
         [](Misuse& m) { m.world.body(m.ball).set_material({.friction = 0.5, .static_friction = 0.4}); }},
        {"restitution above one", "The restitution is 1.1; it must be from 0 to 1.",
         [](Misuse& m) { m.world.body(m.ball).set_material({.restitution = 1.1}); }},
        // Handles.
        {"handle never set", "The handle of a body was never set; it must be that of a body of this world.",
         [](Misuse& m) { m.world.body({}); }},
        {"ground as a body", "The ground was given where a body is asked for; it must be a body of this world.",
         [](Misuse& m) { m.world.body(kGround); }},
        {"handle of another world",
         "The handle (index 0, generation 0) is that of a body of another world; it must be one of this world.",
         [](Misuse& m) { m.world.body(m.foreign); }},
        {"body that was destroyed",
         "The handle (index 4, generation 0) names no body of this world; it must be one that was created here and not "
         "destroyed.",
         [](Misuse& m) { m.world.pose(m.gone); }},
        {"joint that was destroyed",
         "The handle (index 2, generation 0) names no joint of this world; it must be one that was created here and "
         "not destroyed.",
         [](Misuse& m) { m.world.joint(m.broken); }},
        {"joint never set", "The handle of a joint was never set; it must be that of a joint of this world.",
         [](Misuse& m) { m.world.joint({}); }},
        {"joint of another world",
         "The handle (index 0, generation 0) is that of a joint of another world; it must be one of this world.",
         [](Misuse& m) { m.world.joint_error(m.foreign_joint); }},
        {"coupling never set", "The handle of a coupling was never set; it must be that of a coupling of this world.",
         [](Misuse& m) { m.world.coupling({}); }},
        {"field never set",
         "The handle of a force field was never set; it must be that of a force field of this world.",
         [](Misuse& m) { m.world.force_field({}); }},
        {"forgotten body of a joint", "The handle of a body was never set; it must be that of a body of this world.",
         [](Misuse& m) { m.world.create_joint(hinge(m.world, m.forgotten, m.ball, {}, kZ)); }},
        {"joint described by hand without a body",
         "The handle of a body was never set; it must be that of a body of this world.",
         [](Misuse& m) { m.world.create_joint({.body_b = m.ball}); }},
        {"spring with a forgotten end", "The handle of a body was never set; it must be that of a body of this world.",
         [](Misuse& m) { m.world.add_force_field(std::make_unique<Spring>(SpringDesc{.body_b = m.ball})); }},
        {"spring to another world",
         "The handle (index 0, generation 0) is that of a body of another world; it must be one of this world.",
         [](Misuse& m) {
             m.world.add_force_field(std::make_unique<Spring>(SpringDesc{kGround, m.foreign}));
         }},
        // Joints.
        {"joint of a body to itself", "Both ends of the joint are the same body; they must be two different ones.",
         [](Misuse& m) { m.world.create_joint(substep::ball(m.world, m.ball, m.ball, {})); }},
        {"joint between two that do not move", "Neither end of the joint is a dynamic body; at least one must be.",
         [](Misuse& m) { m.world.create_joint(substep::ball(m.world, m.floor, kGround, {})); }},
        {"axis of no length", "The hinge's axis is (0, 0, 0); it must have a length.",
         [](Misuse& m) {
             hinge(m.world, kGround, m.ball, {}, {0.0, 0.0, 0.0});
         }},
        {"joint nowhere", "The joint's point is (nan, 0, 0); it must be finite.",
         [](Misuse& m) {
             substep::ball(m.world, kGround, m.ball, {kNan, 0.0, 0.0});
         }},
        {"universal joint of skew axes",
         "The universal joint's axes are 0.785398 rad apart; they must be perpendicular, pi/2 rad.",
         [](Misuse& m) {
             universal(m.world, kGround, m.ball, {}, kX, {1.0, 1.0, 0.0});
         }},
        {"curve that is null", "The curve is null; it must be an object.",
         [](Misuse& m) { point_on_curve(m.world, kGround, m.ball, {}, nullptr, {}); }},
        {"distance of zero", "The distance that the joint locks is 0 m; it must be positive and finite.",
         [](Misuse& m) {
             m.world.create_joint({.body_a = kGround, .body_b = m.ball, .point_lock = DistanceLock{0.0}});
         }},
        {"limit of a locked coordinate", "The joint has no coordinate X; it leaves AngleZ free.",
         [](Misuse& m) { m.arm([](JointDesc& joint) { joint.limits = {{.axis = JointAxis::X, .upper = 1.0}}; }); }},
        {"limits the wrong way round",
         "The ends of a limit are 1.000000 and -1.000000; the lower must be below the upper, or equal to it if the "
         "limit is "
         "soft.",
         [](Misuse& m) { m.arm([](JointDesc& joint) { joint.limits = {{.lower = 1.0, .upper = -1.0}}; }); }},
        {"limit of a joint with a name",
         "The joint \"knee\": The ends of a limit are 1.000000 and -1.000000; the lower must be below the upper, or "
         "equal to it if the limit is soft.",
         [](Misuse& m) {
             m.arm([](JointDesc& joint) {
                 joint.name = "knee";
                 joint.limits = {{.lower = 1.0, .upper = -1.0}};
             });
         }},
        {"drive of a joint with a name",
         "The joint \"knee\": A drive has neither stiffness nor damping; to a rate it needs damping, to a position "
         "stiffness.",
         [](Misuse& m) {
             JointDesc joint = hinge(m.world, kGround, m.ball, {0.0, 6.0, 0.0}, kZ);
             joint.name = "knee";
             joint.drives = {{.damping = 1.0}};
             m.world.set_drive(m.world.create_joint(joint), 0, {});
         }},
        {"mass of a body with a name", "The body \"crate\": The mass is 0 kg; it must be positive and finite.",
         [](Misuse& m) { m.world.create_body({.name = "crate", .shape = Sphere{0.1}, .mass = 0.0}); }},
        {"coupling with a name",
         "The coupling \"gears\": The coupling's ratio is 0.000000; it must be finite and not zero.",
         [](Misuse& m) {
             m.world.create_coupling({.joint_1 = m.elbow, .joint_2 = m.wrist, .ratio = 0.0, .name = "gears"});
         }},
        {"hard limit without room",
         "The ends of a limit are 0.500000 and 0.500000; the lower must be below the upper, or equal to it if the "
         "limit is "
         "soft.",
         [](Misuse& m) { m.arm([](JointDesc& joint) { joint.limits = {{.lower = 0.5, .upper = 0.5}}; }); }},
        {"limit of no number",
         "The ends of a limit are nan and 0.500000; the lower must be below the upper, or equal to it if the limit is "
         "soft.",
         [](Misuse& m) { m.arm([](JointDesc& joint) { joint.limits = {{.lower = kNan, .upper = 0.5}}; }); }},
        {"hard limit with damping", "The damping of a hard limit is 1.000000; it must be zero.",
         [](Misuse& m) { m.arm([](JointDesc& joint) { joint.limits = {{.upper = 1.0, .damping = 1.0}}; }); }},
        {"soft limit with restitution", "The restitution of a soft limit is 0.500000; it must be zero.",
         [](Misuse& m) {
             m.arm([](JointDesc& joint) { joint.limits = {{.upper = 1.0, .stiffness = 1.0, .restitution = 0.5}}; });
         }},
        {"drive with neither stiffness nor damping",
         "A drive has neither stiffness nor damping; to a rate it needs damping, to a position stiffness.",
         [](Misuse& m) { m.arm([](JointDesc& joint) { joint.drives = {{.target_rate = 1.0}}; }); }},
        {"drive of negative stiffness",
         "The stiffness of a drive is -1.000000; it must be zero or positive, and finite.",
         [](Misuse& m) { m.arm([](JointDesc& joint) { joint.drives = {{.stiffness = -1.0}}; }); }},
        {"drive to nowhere", "The target of a drive is nan; it must be finite.",
         [](Misuse& m) {
             m.arm([](JointDesc& joint) { joint.drives = {{.target_position = kNan, .stiffness = 1.0}}; });
         }},
        {"negative friction of a joint", "Dry friction is -1.000000; it must be zero or positive, and finite.",
         [](Misuse& m) { m.arm([](JointDesc& joint) { joint.friction = {{.dry = -1.0}}; }); }},
        {"drive that a joint does not have", "The joint has no drive 3; it has 0, counted from 0.",
         [](Misuse& m) { m.world.set_drive(m.elbow, 3, {.damping = 1.0}); }},
        {"other bodies for a joint",
         "The joint was given other bodies than it has; they must be the same. For others, destroy it and create one.",
         [](Misuse& m) { m.world.set_joint(m.elbow, hinge(m.world, kGround, m.other, {}, kZ)); }},
        {"coordinate that a joint does not have", "The joint has no coordinate Curve; it leaves AngleZ free.",
         [](Misuse& m) { m.world.joint_value(m.elbow, JointAxis::Curve); }},
        {"gear of one joint with itself", "Both sides of the coupling are the same coordinate; they must be different.",
         [](Misuse& m) { m.world.create_coupling(gear(m.world, m.elbow, m.elbow, 1.0)); }},
        {"gear of ratio zero", "The coupling's ratio is 0.000000; it must be finite and not zero.",
         [](Misuse& m) { m.world.create_coupling(gear(m.world, m.elbow, m.wrist, 0.0)); }},
        {"what cannot be assembled", "The joint \"short rod\" cannot be closed: its frames stay 2 m apart.",
         [](Misuse& m) { m.torn(m.world, m.ball), m.world.assemble(); }},
        // Force fields.
        {"no field", "The force field is null; it must be an object.",
         [](Misuse& m) { m.world.add_force_field(nullptr); }},
        {"field for a body twice", "The force field 'spring' names a body twice; its bodies must be different ones.",
         [](Misuse& m) {
             m.world.add_force_field(std::make_unique<Spring>(SpringDesc{m.ball, m.ball}));
         }},
        {"spring between what does not move",
         "None of the bodies of the force field 'spring' is dynamic; at least one must be.",
         [](Misuse& m) {
             m.world.add_force_field(std::make_unique<Spring>(SpringDesc{kGround, m.floor}));
         }},
        {"negative stiffness of a spring", "The stiffness of the spring is -1 N/m; it must be finite and not negative.",
         [](Misuse& m) { Spring({.body_a = kGround, .body_b = m.ball, .stiffness = -1.0}); }},
        {"negative drag", "The linear drag is -1 kg/s; it must be finite and not negative.",
         [](Misuse&) { Drag({.linear = -1.0}); }},
        {"custom field without a force", "The force of the field 'custom field' is empty; it must be a function.",
         [](Misuse&) { CustomField(nullptr); }},
        {"field timed backwards",
         "The field 'uniform gravity' ends at 1.000000 s and begins at 2.000000 s; it must begin before it ends.",
         [](Misuse&) { TimedField(2.0, 1.0, std::make_unique<UniformGravity>(kX)); }},
        // Settings.
        {"unknown method",
         "There is an unknown method \"rk5\": did you mean \"rk4\"? Valid: auto, explicit_euler, symplectic_euler, "
         "symplectic_euler_doubling, velocity_verlet, yoshida4, sofroniou_spaletta6, heun2, rk4, rk4_doubling, "
         "bogacki_shampine32, fehlberg54, cash_karp54, dormand_prince54, tsitouras54, dormand_prince853, verner87, "
         "impulse_euler, impulse_euler_doubling, theta, soft_steps, convex_step, "
         "convex_step_doubling.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.integrator.method = "rk5"; }); }},
        {"method of another kind",
         "There is an unknown method \"Euler\": valid are auto, explicit_euler, symplectic_euler, "
         "symplectic_euler_doubling, velocity_verlet, yoshida4, sofroniou_spaletta6, heun2, rk4, rk4_doubling, "
         "bogacki_shampine32, fehlberg54, cash_karp54, dormand_prince54, tsitouras54, dormand_prince853, verner87, "
         "impulse_euler, impulse_euler_doubling, theta, soft_steps, convex_step, "
         "convex_step_doubling.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.integrator.method = "Euler"; }); }},
        {"substeps that soft steps cannot share",
         "substeps is 3; it must be for soft_steps from 4 to 16 (1 stands for 8).",
         [](Misuse& m) {
             m.with([](WorldSettings& s) {
                 s.integrator.method = "soft_steps";
                 s.integrator.substeps = 3;
             });
         }},
        {"more of them", "substeps is 17; it must be for soft_steps from 4 to 16 (1 stands for 8).",
         [](Misuse& m) {
             m.with([](WorldSettings& s) {
                 s.integrator.method = "soft_steps";
                 s.integrator.substeps = 17;
             });
         }},
        {"no tolerance", "atol is 0; it must be positive and finite.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.integrator.atol = 0.0; }); }},
        {"tolerance that is not a number", "rtol is nan; it must be positive and finite.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.integrator.rtol = kNan; }); }},
        {"no substeps", "substeps is 0; it must be from 1 to 1000000.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.integrator.substeps = 0; }); }},
        {"negative budget", "budget is -1; it must be zero (no limit) or a number of evaluations.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.integrator.budget = -1; }); }},
        {"negative shared budget",
         "The world's shared budget is -1; it must be zero (no limit) or a number of evaluations times bodies.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.shared_budget = -1; }); }},
        {"negative bound", "The world's bound is -1; it must be zero (none) or a number of evaluations times bodies.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.bound = -1; }); }},
        {"no threads", "The number of threads is 0; it must be from 1 to 256.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.threads = 0; }); }},
        {"too many threads", "The number of threads is 1000; it must be from 1 to 256.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.threads = 1000; }); }},
        {"gravity that is not a number", "Gravity is (0, nan, 0); it must be finite.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.gravity.y = kNan; }); }},
        {"length of nothing", "The length of the world is 0 m; it must be from 1e-9 to 1e9 m.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.length = 0.0; }); }},
        {"length that is not a number", "The length of the world is nan m; it must be from 1e-9 to 1e9 m.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.length = kNan; }); }},
        {"length of a galaxy", "The length of the world is 1e+20 m; it must be from 1e-9 to 1e9 m.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.length = 1e20; }); }},
        {"shortest substep above the longest", "h_max is 0.1; it must be positive and not below h_min, in seconds.",
         [](Misuse& m) { m.with([](WorldSettings& s) { s.integrator.h_min = 1.0, s.integrator.h_max = 0.1; }); }},
        {"auto of a host's own bodies",
         "The method is \"auto\", by which only a World chooses; it must be one by name.",
         [](Misuse&) { BodyIntegrator({.method = "auto"}); }},
        {"method of a body that is unknown",
         "There is an unknown method \"verlet\": valid are auto, explicit_euler, symplectic_euler, "
         "symplectic_euler_doubling, velocity_verlet, yoshida4, sofroniou_spaletta6, heun2, rk4, rk4_doubling, "
         "bogacki_shampine32, fehlberg54, cash_karp54, dormand_prince54, tsitouras54, dormand_prince853, verner87, "
         "impulse_euler, impulse_euler_doubling, theta, soft_steps, convex_step, "
         "convex_step_doubling.",
         [](Misuse& m) { m.world.body(m.ball).set_integrator(IntegratorSettings{.method = "verlet"}); }},
        // Steps and samples.
        {"step of no length", "The step's length must be above 0 and at most 1 s.",
         [](Misuse& m) { m.said(m.world.advance(0.0)); }},
        {"step backwards", "The step's length must be above 0 and at most 1 s.",
         [](Misuse& m) { m.said(m.world.advance(-0.1)); }},
        {"step in milliseconds", "The step's length must be above 0 and at most 1 s.",
         [](Misuse& m) { m.said(m.world.advance(16.7)); }},
        {"step that is not a number", "The step's length must be above 0 and at most 1 s.",
         [](Misuse& m) { m.said(m.world.advance(kNan)); }},
        {"host's step in milliseconds", "The step's length must be above 0 and at most 1 s, and time finite.",
         [](Misuse& m) { m.said(m.host_step(16.7)); }},
        {"host's body without mass",
         "A body's mass or a moment of inertia is not positive and finite, or no body has such moments: none may be "
         "larger than the sum of the other two.",
         [](Misuse& m) { m.said(m.host_step(0.01, {.mass = 0.0})); }},
        {"host's moments that no body has",
         "A body's mass or a moment of inertia is not positive and finite, or no body has such moments: none may be "
         "larger than the sum of the other two.",
         [](Misuse& m) {
             m.said(m.host_step(0.01, {.inertia = {1.0, 1.0, 5.0}}));
         }},
        {"more bodies than masses", "There must be as many masses as bodies.",
         [](Misuse& m) { m.said(m.host_step(0.01, {}, 2)); }},
        {"budget below one substep", "The budget of 4 evaluations does not pay for a substep, which needs 11.",
         [](Misuse& m) {
             m.with([](WorldSettings& s) { s.integrator.budget = 4, s.integrator.method = "rk4_doubling"; }),
                 m.said(m.world.advance(0.01));
         }},
        {"sample at no time", "The time to sample at is nan; it must be finite.",
         [](Misuse& m) { m.world.sample(m.ball, kNan); }},
        {"ray from nowhere", "The ray's origin is (nan, 0, 0); it must be finite.",
         [](Misuse& m) {
             m.world.cast_ray({{kNan, 0.0, 0.0}, kX});
         }},
        {"ray without a direction",
         "The ray's direction is (0, 0, 0); it must be finite and of a length that can be normalised.",
         [](Misuse& m) {
             m.world.cast_ray_all({{}, {}});
         }},
        {"ray of negative length", "The ray's length is -1.5 m; it must be 0 or more, and may be infinite.",
         [](Misuse& m) {
             m.world.cast_ray_any({{}, kX, -1.5});
         }},
        {"ray of no length", "The ray's length is nan m; it must be 0 or more, and may be infinite.",
         [](Misuse& m) {
             m.world.cast_ray({{}, kX, kNan});
         }},
        {"overlap at no place", "The position is (inf, 0, 0); it must be finite.",
         [](Misuse& m) {
             m.world.overlapping(Sphere{}, {.position = {kInfinity, 0.0, 0.0}});
         }},
        // Snapshots.
        {"bytes of nothing", "The snapshot cannot be restored: it has 0 bytes, fewer than its header.",
         [](Misuse& m) { m.world.restore({}); }},
        {"bytes cut short", "The snapshot cannot be restored: its bytes are damaged.",
         [](Misuse& m) { m.world.restore(cut(m.world.snapshot())); }},
        {"bytes with one bit turned", "The snapshot cannot be restored: its bytes are damaged.",
         [](Misuse& m) { m.world.restore(turned(m.world.snapshot())); }},
        {"snapshot of another world",
         "The snapshot cannot be restored: it was saved by a world with other bodies, joints or force fields.",
         [](Misuse& m) {
             m.world.restore({m.other_world.snapshot().bytes, nullptr});
         }},
        // Callbacks.
        {"force that throws", "The model threw: no wind today",
         [](Misuse& m) { m.said(m.under(m.world, std::make_unique<CustomField>(throwing))); }},
        {"field that returns no number",
         "The force field \"wind tunnel\" returned a number that is not finite for the body with index 0, near t = 0 "
         "s.",
         [](Misuse& m) {
             m.said(m.under(m.world, std::make_unique<CustomField>(not_a_number, nullptr, "wind tunnel")));
         }},
        {"force that edits its world",
         "The model threw: The World was edited or advanced during a step, by a force field, path or curve that it was "
         "asking or by another thread; edits go between two steps.",
         [](Misuse& m) { m.said(m.under(m.world, std::make_unique<CustomField>(editing(m.world)))); }},
        {"force that advances its world",
         "The model threw: The World was edited or advanced during a step, by a force field, path or curve that it was "
         "asking or by another thread; edits go between two steps.",
         [](Misuse& m) { m.said(m.under(m.world, std::make_unique<CustomField>(stepping(m.world)))); }},
        {"path that throws", "The model threw: the road ends here", [](Misuse& m) { m.said(m.rides(m.world)); }},
        {"host's forces that throw", "The model threw: out of fuel", [](Misuse& m) { m.said(m.host_throws()); }},
        // What was moved from.
        {"world moved from is edited", "The World was moved from; it may only be destroyed or assigned to.",
         [](Misuse& m) {
             World taken(std::move(m.world));
             m.world.create_body({});
         }},
        {"world moved from advances", "The World was moved from; it may only be destroyed or assigned to.",
         [](Misuse& m) {
             World taken(std::move(m.world));
             m.said(m.world.advance(0.01));
         }},
        {"body of a world moved from", "The World was moved from; it may only be destroyed or assigned to.",
         [](Misuse& m) {
             Body view = m.world.body(m.ball);
             World taken(std::move(m.world));
             view.pose();
         }},
        {"integrator moved from", "The BodyIntegrator was moved from; it may only be destroyed or assigned to.",
         [](Misuse&) {
             BodyIntegrator first;
             BodyIntegrator taken(std::move(first));
             first.set_settings({}); // NOLINT(bugprone-use-after-move): that is the wrong call
         }},
    };
    return all;
}

} // namespace

TEST_CASE("every wrong call gets its sentence") {
    CHECK(wrong_calls().size() >= 90);
    for (const WrongCall& wrong : wrong_calls()) {
        CAPTURE(std::string(wrong.name));
        Misuse misuse;
        std::string sentence;
        try {
            wrong.call(misuse);
            sentence = misuse.sentence;
        } catch (const std::invalid_argument& refusal) {
            sentence = refusal.what();
        } catch (const std::logic_error& refusal) {
            sentence = refusal.what();
        }
        CHECK(sentence == wrong.sentence);
    }
}
