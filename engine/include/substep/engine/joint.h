// Joints: two frames and the degrees of freedom between them that are locked.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <variant>
#include <vector>

#include "substep/engine/body.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Names a joint of one world, as BodyId names a body.
struct JointId {
    std::uint32_t index = 0xffffffffu;
    std::uint32_t generation = 0;
    std::uint32_t world = 0;
    auto operator<=>(const JointId&) const = default;
};

/// A smooth curve that a point may be kept on. Immutable, and pure like a force.
class Curve {
public:
    virtual ~Curve() = default;

    struct Point {
        glm::dvec3 position{0.0};  ///< m, c(s)
        glm::dvec3 tangent{0.0};   ///< c'(s), of any length but zero
        glm::dvec3 curvature{0.0}; ///< c''(s)
    };
    /// Returns position and derivatives at a parameter s, for any finite s: a closed curve repeats itself. The third
    /// derivative must be continuous, or methods lose their order. Must not allocate.
    virtual Point at(double s) const = 0;
};

/// One coordinate of a joint: how frame_b stands in frame_a.
enum class JointAxis : std::uint8_t {
    X, ///< m, origin of frame_b along an axis of frame_a
    Y,
    Z,
    AngleX, ///< rad, about the axis of a hinge or of one of a universal joint's hinges
    AngleY,
    AngleZ,   ///< the same; of a ball the twist: the rotation is a turn about z, then the shortest way from z to z
    Swing,    ///< rad in [0, pi], angle between both z of a ball
    Distance, ///< m between the frames' origins
    Curve     ///< the curve's parameter
};

/// A limit of a coordinate. A hard one, without stiffness, is not passed: reaching it is an impact, located in time and
/// solved together with all contacts. A coordinate that rests on it is held until nothing presses it there any more.
/// Velocity steps (see IslandView::handed_over) hold an island's limits and dry friction all at once, to 1e-7 of their
/// unit, if 64 or fewer are near. More are held in groups that take turns; the turns may end before the groups agree,
/// and then limits are passed for a time. A limit set where its joint is beyond it moves the joint within, as assembly
/// does, whatever energy that takes. A soft limit is a spring and a damper that push back beyond it, and never pull.
struct JointLimit {
    JointAxis axis = JointAxis::AngleZ;
    double lower = -std::numeric_limits<double>::infinity(); ///< m or rad; angles count whole turns
    double upper = std::numeric_limits<double>::infinity();  ///< above `lower`; of a soft limit it may be the same
    double stiffness = 0.0;                                  ///< N/m or N m/rad; 0: a hard limit
    double damping = 0.0;                                    ///< of a soft limit, while beyond: N s/m or N m s/rad
    double restitution = 0.0; ///< of a hard limit: rate after an impact over rate before (Newton); 0 to 1
};

/// The unit that the numbers of a drive are given in.
enum class DriveUnit : std::uint8_t {
    Force,       ///< N/m, N m/rad and so on: the inertia decides how fast it moves
    Acceleration ///< per unit of the inertia that the coordinate has with all joints held: 1/s^2, 1/s
};

/// A motor or servo along a coordinate: force = stiffness (target_position - value) + damping (target_rate - rate), as
/// far as `maximum_force` goes. Without stiffness it is a motor, with it a servo.
struct JointDrive {
    JointAxis axis = JointAxis::AngleZ;
    double target_position = 0.0;                                   ///< m or rad; angles count whole turns
    double target_rate = 0.0;                                       ///< m/s or rad/s
    double stiffness = 0.0;                                         ///< of the unit, not negative
    double damping = 0.0;                                           ///< of the unit, not negative
    double maximum_force = std::numeric_limits<double>::infinity(); ///< N or N m, whatever the unit
    DriveUnit unit = DriveUnit::Force;
};

/// Friction along a coordinate.
struct JointFriction {
    JointAxis axis = JointAxis::AngleZ;
    double viscous = 0.0; ///< N s/m or N m s/rad: force against the rate
    double dry =
        0.0; ///< N or N m: force against the motion, whatever its rate; at rest it holds against less (Coulomb)
};

/// The ways in which a joint may hold the origin of frame_b; one of them.
using AxisLocks = std::array<bool, 3>; ///< true: it may not move along that axis of frame_a
struct DistanceLock {
    double distance = 1.0; ///< m between the frames' origins, positive
};
struct CurveLock {
    std::shared_ptr<const Curve> curve{}; ///< given in frame_a
    double parameter = 0.0;               ///< near the point where it is: several may be as near
};
using PointLock = std::variant<AxisLocks, DistanceLock, CurveLock>;

/// A joint holds frame_b where frame_a locks it. Functions below fill one; limits, drives and
/// friction act along the coordinates that it leaves free.
///
/// Which rotations are locked says how the frames may turn against one another (x, y, z in any cyclic order):
///   none       ball: any rotation;
///   z          universal: about x of frame_a, then about y of frame_b; the two stay perpendicular;
///   x and y    hinge: about z, which the frames have in common;
///   all        none: the frames stay parallel.
struct JointDesc {
    std::string name{};          ///< by which sentences call it; may be empty, need not be unique
    std::uint64_t user_data = 0; ///< of the host
    BodyId body_a{};             ///< or kGround
    BodyId body_b{};             ///< or kGround
    Pose frame_a{};              ///< in the frame of body_a (of the world, for kGround)
    Pose frame_b{};              ///< in the frame of body_b
    PointLock point_lock = AxisLocks{true, true, true};
    std::array<bool, 3> locked_rotation{false, false, false};
    std::vector<JointLimit> limits{};
    std::vector<JointDrive> drives{};
    std::vector<JointFriction> friction{};
    bool collide_connected = false; ///< whether both bodies touch one another, as far as their filters let them

    /// Returns which translations are locked: none by a joint that keeps a distance or follows a curve.
    AxisLocks locked_translation() const noexcept;
    const DistanceLock* distance_lock() const noexcept { return std::get_if<DistanceLock>(&point_lock); } ///< or null
    const CurveLock* curve_lock() const noexcept { return std::get_if<CurveLock>(&point_lock); }          ///< or null
};

/// Names a coupling of one world, as BodyId names a body.
struct CouplingId {
    std::uint32_t index = 0xffffffffu;
    std::uint32_t generation = 0;
    std::uint32_t world = 0;
    auto operator<=>(const CouplingId&) const = default;
};

/// Ties a coordinate of one joint to that of another: value_1 + ratio value_2 = sum. Functions below fill one.
struct CouplingDesc {
    JointId joint_1{};
    JointAxis axis_1 = JointAxis::AngleZ;
    JointId joint_2{};
    JointAxis axis_2 = JointAxis::AngleZ;
    double ratio = 1.0; ///< 1, or m/rad and rad/m between translations and angles; not zero
    double sum = 0.0;   ///< m or rad; `couple` takes the present sum
    std::string name{};
    std::uint64_t user_data = 0;
};

/// Returns whether a joint has a coordinate: it is free, and has a meaning beside the locked axes. Only then may
/// something be limited, driven or coupled along it.
bool has_coordinate(const JointDesc& joint, JointAxis axis) noexcept;

/// The functions below join two bodies at the poses they have now; points (m) and axes (any length but zero) are given
/// in the world. Angles are zero in these poses, and grow as body_b turns against body_a about the axis (right hand).
/// They throw std::invalid_argument for a value that is not finite or an axis of zero length.

/// Locks three translations: the bodies share a point.
JointDesc ball(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point);

/// Locks three translations and two rotations: the bodies share a point and an axis.
JointDesc hinge(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis);

/// Locks everything but translation along an axis, z of both frames.
JointDesc slider(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis);

/// Locks everything; the force and torque that the joint transmits are those at `point`.
JointDesc fixed(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point);

/// Locks three translations and the rotation about the common perpendicular of two axes, `axis_a` fixed in body_a and
/// `axis_b` in body_b (Cardan's or Hooke's joint). Throws if the axes are not perpendicular to within 1e-6.
JointDesc universal(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis_a,
                    const glm::dvec3& axis_b);

/// Locks everything but translation along an axis, z of both frames, and rotation about it.
JointDesc cylindrical(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point,
                      const glm::dvec3& axis);

/// Locks translation along a normal, z of both frames, and the two rotations that would tilt it.
JointDesc planar(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& normal);

/// Keeps a point of body_b on a line of body_a through `point` along `axis`.
JointDesc point_on_line(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point,
                        const glm::dvec3& axis);

/// Locks the distance that the two points have now: a massless rod with balls at its ends.
JointDesc rod(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point_a, const glm::dvec3& point_b);

/// Keeps a point of body_b on a curve, which is given in `frame` and moves with body_a. Begins at the point of the
/// curve nearest to it that a search from the parameter `near` finds. Throws std::invalid_argument for a null curve.
JointDesc point_on_curve(const World& world, BodyId body_a, BodyId body_b, const Pose& frame,
                         std::shared_ptr<const Curve> curve, const glm::dvec3& point, double near = 0.0);

/// How far a cone-twist joint lets its axes part, and its bodies turn about them.
struct ConeTwistLimits {
    double swing = std::numbers::pi;        ///< rad, half the cone's opening: positive; pi: any swing
    double twist_lower = -std::numbers::pi; ///< rad, below `twist_upper`; -pi to pi: any twist
    double twist_upper = std::numbers::pi;
    double stiffness = 0.0;   ///< N m/rad; 0: hard limits
    double damping = 0.0;     ///< N m s/rad, of soft limits
    double restitution = 0.0; ///< of hard limits
};

/// Locks three translations; swing and twist are measured from `axis`, z of both frames. Towards a swing of pi, where
/// both axes are opposite, the twist has no meaning: a limit should keep it away from there.
JointDesc cone_twist(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis,
                     const ConeTwistLimits& limits = {});

/// Lets two points part no farther than they are now: a hard limit of their distance. Slack costs nothing, and a rope
/// that becomes taut is an impact.
JointDesc rope(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point_a, const glm::dvec3& point_b);

/// Locks nothing, but measures the distance between two points: a rope over a pulley is two of these, coupled.
JointDesc gauge(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point_a, const glm::dvec3& point_b);

/// Couples two coordinates so that value_1 + ratio value_2 stays what it is now. Throws std::invalid_argument if one of
/// the joints does not have the coordinate.
CouplingDesc couple(const World& world, JointId joint_1, JointAxis axis_1, JointId joint_2, JointAxis axis_2,
                    double ratio);

/// Couples two hinges: the first turns -ratio times as far as the second (ratio = teeth of 2 over teeth of 1 for wheels
/// that mesh outside, their axes parallel).
CouplingDesc gear(const World& world, JointId hinge_1, JointId hinge_2, double ratio);

/// Couples two gauges or sliders: one side gives what the other gains, times the ratio (2 for a block and tackle of two
/// strands on side 2). The strands stay straight: they hold their ends apart as well.
CouplingDesc pulley(const World& world, JointId strand_1, JointId strand_2, double ratio = 1.0);

/// Couples a slider to a hinge: it moves by radius (m) times the angle.
CouplingDesc rack(const World& world, JointId slider, JointId hinge, double radius);

/// Locks the chosen axes of a frame given in the world; none leaves a joint that only measures.
JointDesc six_axis(const World& world, BodyId body_a, BodyId body_b, const Pose& frame,
                   const std::array<bool, 3>& locked_translation, const std::array<bool, 3>& locked_rotation);

} // namespace substep

#pragma GCC visibility pop
