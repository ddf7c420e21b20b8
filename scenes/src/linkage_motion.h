// The exact motion of a mechanism with one freedom: its geometry in closed form, its pace by one equation.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "jet.h"
#include "substep/engine/body.h"
#include "substep/scenes/reference_motion.h"

namespace substep::detail {

/// Where a link's centre of mass is and how it is turned, as functions of the mechanism's angle.
struct JetPose {
    std::array<Jet, 3> position{};
    std::array<std::array<Jet, 3>, 3> axes{}; ///< axes[i]: the link's axis i in the world
};

/// Returns the pose in the plane z = 0 with the link's x axis along (cosine, sine).
JetPose planar_pose(const Jet& x, const Jet& y, const Jet& cosine, const Jet& sine);

/// A closed chain of rigid links that one angle phi places.
///
/// With x(phi) the centres and w(phi) the links' turning per phi about their own axes, kinetic energy is
/// I(phi) phi'^2/2, I = sum of m |dx/dphi|^2 + w . I_c w, and Lagrange's equation (Goldstein, Classical Mechanics, 3rd
/// ed., 1.4) is I phi'' + (dI/dphi) phi'^2/2 + dV/dphi = 0, V = m g y. The derivatives come from the geometry by
/// arithmetic on jets, and phi(t) by ReferenceMotion.
class LinkageMotion {
public:
    /// Writes every link's pose at angle phi.
    using Geometry = std::function<void(const Jet& phi, std::span<JetPose> out)>;

    /// gravity in m/s^2 along -y; start_angle in rad, start_rate in rad/s; the motion is known up to `until` (s).
    /// Throws std::runtime_error where the chain cannot close on the way.
    LinkageMotion(Geometry geometry, std::vector<MassProperties> links, double gravity, double start_angle,
                  double start_rate, double until);

    struct State {
        double angle = 0.0; ///< rad, unwrapped
        double rate = 0.0;  ///< rad/s
    };
    State at(double t) const;

    /// Writes the pose of every link's centre of mass at angle phi, and its velocities there for a rate of phi.
    void poses(double angle, std::span<Pose> out) const;
    struct LinkVelocity {
        glm::dvec3 linear{0.0};  ///< m/s, of the centre of mass
        glm::dvec3 angular{0.0}; ///< rad/s, world axes
    };
    void velocities(const State& state, std::span<LinkVelocity> out) const;

    double until() const noexcept { return motion_.until(); }
    const ReferenceMotion& reference() const noexcept { return motion_; }

    /// Returns kinetic plus potential energy in J.
    double energy(const State& state) const;

private:
    // I, dI/dphi, V and dV/dphi.
    struct Balance {
        double inertia = 0.0;
        double inertia_slope = 0.0;
        double potential = 0.0;
        double potential_slope = 0.0;
    };
    static Balance balance(const Geometry& geometry, std::span<const MassProperties> links, double gravity,
                           double angle);

    Geometry geometry_;
    std::vector<MassProperties> links_;
    double gravity_;
    ReferenceMotion motion_;
};

/// A crank turning about the origin drives a slider along y = 0 by a rod: x = r cos phi + sqrt(l^2 - r^2 sin^2 phi).
/// Links in order: crank (x axis towards its pin, centre half-way), rod (x axis from pin to slider, centre half-way),
/// slider. rod must be longer than crank (m).
LinkageMotion::Geometry slider_crank_geometry(double crank, double rod);

/// Lengths of a planar four-bar linkage, m: fixed pivots at the origin and at (ground, 0).
struct FourBar {
    double crank = 1.0;
    double coupler = 2.0;
    double rocker = 2.0;
    double ground = 2.5;
};

/// Links in order: crank, coupler (from the crank's pin to the rocker's), rocker (x axis from the fixed pivot to the
/// pin); centres half-way. The rocker's pin is the upper intersection of two circles. The crank turns all the way round
/// where shortest + longest <= the other two and the crank is shortest (Grashof 1883).
LinkageMotion::Geometry four_bar_geometry(const FourBar& lengths);

/// Bennett's loop of four hinges in space: opposite links are equal, with length a and twist alpha, b and beta, and
/// sin(alpha)/a = sin(beta)/b. Counting says 4 x 6 - ... < 0 freedoms; it has one (Bennett, Engineering 76, 777
/// (1903)).
struct BennettLoop {
    double first_length = 1.0;    ///< a, m
    double first_twist = 0.5;     ///< alpha, rad
    double second_twist = 1.0;    ///< beta, rad
    double second_length() const; ///< b = a sin(beta)/sin(alpha)
};

/// In the notation of Denavit & Hartenberg, hinge axes along z and links along x: theta_1 = phi is the first moving
/// link's angle at the first hinge, tan(theta_1/2) tan(theta_2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2),
/// theta_3 = -theta_1, theta_4 = -theta_2 (Hunt, Kinematic Geometry of Mechanisms, 1978, 10.10). The fourth link, of
/// length b, is fixed; its far hinge's axis is the first hinge's. Links in order: the three moving ones, x axis along
/// the link, centres half-way.
LinkageMotion::Geometry bennett_geometry(const BennettLoop& loop);

/// Returns the points and axes of the loop's four hinges at angle phi, in order.
struct HingeLine {
    glm::dvec3 point{0.0};
    glm::dvec3 axis{0.0, 0.0, 1.0};
};
std::array<HingeLine, 4> bennett_hinges(const BennettLoop& loop, double angle);

} // namespace substep::detail
