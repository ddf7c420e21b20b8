// What a body is made from, how it is named, and the view through which it is read and edited.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "substep/collision/glm_types.h"
#include "substep/collision/mass_properties.h"
#include "substep/collision/shape.h"
#include "substep/engine/material.h"
#include "substep/integrators/integrator_service.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

class World;

namespace detail {
class ColliderList;
}

/// Position and orientation of a frame in the world.
struct Pose {
    glm::dvec3 position{0.0};                                        ///< m
    glm::dquat orientation = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< unit quaternion (w, x, y, z), local to world
};

/// A force and a torque on a body.
struct Wrench {
    glm::dvec3 force{0.0};  ///< N, at the centre of mass, world axes
    glm::dvec3 torque{0.0}; ///< N m, about the centre of mass, world axes
};

enum class MotionType {
    Dynamic,   ///< moves by forces, impulses and joints
    Kinematic, ///< moves at the velocities or along the path that it was given, as if infinitely heavy
    Static     ///< never moves. What is infinitely heavy is static or kinematic: a mass is finite
};

/// Names a body of one world; stays invalid for good once the body is destroyed. The default value names nothing. A
/// world refuses both that and a handle of another world.
struct BodyId {
    std::uint32_t index = 0xffffffffu;
    std::uint32_t generation = 0;
    std::uint32_t world = 0; ///< number of the world that gave it, or of the one that was cloned; 0: of none
    auto operator<=>(const BodyId&) const = default;
};

/// Names a collider of a body; stays invalid for good once the collider is removed or the body destroyed.
struct ColliderId {
    BodyId body;
    std::uint32_t number = 0xffffffffu; ///< among those that the body was ever given, from 0 on
    auto operator<=>(const ColliderId&) const = default;
};

/// A part of a body that touches others: a shape, where it is on the body, and its surface. Bodies with several are
/// compounds; their colliders may overlap, and do not touch one another. Plain data.
struct ColliderDesc {
    Shape shape = Sphere{};
    Pose offset{};               ///< of the shape, in the body's frame
    Material material{};         ///< of the surface
    CollisionFilter filter{};    ///< whom it touches; by default everybody
    bool is_enabled = true;      ///< else it touches nobody, and still has its mass
    bool is_trigger = false;     ///< tells who is within it (World::touch_events), touches nobody and has no mass
    std::uint64_t user_data = 0; ///< of the host, which nothing here reads
};

/// The ground of every world, as an end of a joint or of a spring.
inline constexpr BodyId kGround{0xffffffffu, 0xffffffffu, 0};

/// Motion that a kinematic body is given: a driven crank, a shaken pivot. Immutable, and a pure function of time.
class BodyPath {
public:
    virtual ~BodyPath() = default;

    struct Point {
        Pose pose{};                          ///< of the body's origin
        glm::dvec3 linear_velocity{0.0};      ///< m/s, of the body's origin
        glm::dvec3 angular_velocity{0.0};     ///< rad/s, world axes
        glm::dvec3 linear_acceleration{0.0};  ///< m/s^2, of the body's origin
        glm::dvec3 angular_acceleration{0.0}; ///< rad/s^2, world axes
    };
    /// Returns the motion at time t (s, that of the world). Velocities and accelerations must be the derivatives of the
    /// pose: joints take them for what they are, and methods keep their order only then. Must not allocate; no libm
    /// functions where bits must be the same elsewhere (substep/numerics/elementary_functions.h has sine and
    /// cosine). What it throws ends the step with StepStatus::ModelThrew.
    virtual Point at(double t) const = 0;
};

/// Everything needed to create a body. Plain data.
struct BodyDesc {
    std::string name{};          ///< by which sentences call it; may be empty, need not be unique
    std::uint64_t user_data = 0; ///< of the host: an index or a pointer, which nothing here reads
    MotionType motion = MotionType::Dynamic;
    Pose pose{};                      ///< of the body's origin
    glm::dvec3 linear_velocity{0.0};  ///< m/s, of the centre of mass
    glm::dvec3 angular_velocity{0.0}; ///< rad/s, world axes
    /// The motion of a kinematic body, for good, instead of the pose and velocities above.
    std::shared_ptr<const BodyPath> path{};
    /// The parts of the body that touch others and that a mass is spread over, each as dense as the others. None: it
    /// touches no other body. One at the body's origin is said in short by `shape`; it comes before those listed here.
    std::optional<Shape> shape{};
    std::vector<ColliderDesc> colliders{};
    /// One of these three is stated by a dynamic body, at most one by others; who states none turns about its origin.
    std::optional<double> mass{};                    ///< kg, of a homogeneous body; positive, finite
    std::optional<double> density{};                 ///< kg/m^3, of the same; positive, finite
    std::optional<MassProperties> mass_properties{}; ///< whatever the shape
    Material material{};                             ///< of `shape`
    CollisionFilter filter{};                        ///< of `shape`: whom it touches; by default everybody
    double gravity_factor = 1.0; ///< of the world's gravity, which this body feels; below zero it rises
    /// Whether `shape` touches other bodies. No collider touches those that a joint connects the body with
    /// (JointDesc::collide_connected).
    bool collides = true;
    /// Never turns, as if all its moments of inertia were infinite; no angular velocity then. Single ones of
    /// `mass_properties` may be.
    bool locks_rotation = false;
    /// How it is integrated, if not as the world's settings say. Bodies that influence one another are integrated
    /// together: by the method of highest order among theirs, of equal ones the first in the table of methods, with the
    /// smallest of their tolerances and budgets; World::islands tells what came of it.
    std::optional<IntegratorSettings> integrator{};
};

/// A view of one body of a world: cheap to copy, valid while the body lives. Edits take effect at once, at the step
/// boundary where the world stands, and truncate a segment that ran ahead; joints answer to them when the next step
/// begins (an impulse on one body is then shared by those joined to it). Every edit throws std::invalid_argument on a
/// value that is not finite, a stale handle, a velocity for a static body, a pose or velocity for one that
/// follows a path, or a force or impulse for one that is not dynamic, and then leaves the world as it was.
class Body {
public:
    BodyId id() const noexcept { return id_; }
    const std::string& name() const;
    std::uint64_t user_data() const;
    MotionType motion() const;
    std::vector<ColliderId> colliders() const; ///< in the order in which the body got them
    const ColliderDesc& collider(ColliderId id) const;
    std::optional<Shape> shape() const;    ///< of its first collider, if it has any
    const Material& material() const;      ///< likewise; by default where it has none
    const CollisionFilter& filter() const; ///< likewise
    bool collides() const;                 ///< it has a collider that touches others
    const MassProperties& mass_properties() const;
    double gravity_factor() const;
    std::optional<IntegratorSettings> integrator() const; ///< nothing: as the world

    Pose pose() const;                                     ///< of the body's origin
    glm::dvec3 centre_of_mass() const;                     ///< m, world
    glm::dvec3 linear_velocity() const;                    ///< m/s, of the centre of mass
    glm::dvec3 angular_velocity() const;                   ///< rad/s, world axes
    glm::dvec3 angular_momentum() const;                   ///< kg m^2/s, about the centre of mass, world axes
    glm::dvec3 velocity_at(const glm::dvec3& point) const; ///< m/s, of the body at a world point

    void set_pose(const Pose& pose);                      ///< teleports, velocities stay; the orientation is normalised
    void set_linear_velocity(const glm::dvec3& velocity); ///< m/s, of the centre of mass
    void set_angular_velocity(const glm::dvec3& velocity); ///< rad/s, world axes
    void apply_force(const glm::dvec3& force);             ///< N, at the centre of mass, during the next step
    void apply_force_at(const glm::dvec3& force,
                        const glm::dvec3& point);  ///< N, at a world point, during the next step
    void apply_torque(const glm::dvec3& torque);   ///< N m, during the next step
    void apply_impulse(const glm::dvec3& impulse); ///< N s, at the centre of mass, now
    void apply_impulse_at(const glm::dvec3& impulse, const glm::dvec3& point); ///< N s, at a world point, now

    /// Changes how it is integrated; nothing: as the world. Throws as World::set_settings does.
    void set_integrator(const std::optional<IntegratorSettings>& settings);

    void set_name(std::string name);
    void set_user_data(std::uint64_t data);

    /// Gives the body another collider. With a mass (kg) the mass properties become those of a homogeneous body of all
    /// its colliders and that mass; without they stay. So do the two that follow.
    ColliderId add_collider(const ColliderDesc& desc, std::optional<double> mass = {});
    /// Changes a collider. What touches it answers when the next step begins.
    void set_collider(ColliderId id, const ColliderDesc& desc, std::optional<double> mass = {});
    void remove_collider(ColliderId id, std::optional<double> mass = {});

    /// Changes the surface of all its colliders. Contacts answer to it when the next step begins.
    void set_material(const Material& material);
    /// Changes whom all its colliders touch, from the next step on.
    void set_filter(const CollisionFilter& filter);
    /// Changes how much of the world's gravity it feels.
    void set_gravity_factor(double factor);
    /// Changes mass, centre of mass and inertia. Every point of the body goes on with the velocity that it had.
    void set_mass_properties(const MassProperties& properties);
    /// Changes the shape of its first collider, or gives it one, and mass properties to those of a homogeneous body of
    /// all its colliders and that mass (kg).
    void set_shape(const Shape& shape, double mass);

private:
    friend class World;
    void change_colliders(detail::ColliderList colliders, std::optional<double> mass);
    Body(World& world, BodyId id) noexcept : world_(&world), id_(id) {}
    World* world_;
    BodyId id_;
};

} // namespace substep

#pragma GCC visibility pop
