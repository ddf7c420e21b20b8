// Exact motions of spheres in contact: a bounce, a slide that becomes rolling, two balls that meet.
#pragma once

#include <vector>

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

namespace substep::detail {

/// A ball dropped on a plane, with restitution e: height of its lowest point.
///
/// It falls for t0 = sqrt(2 h/g) and leaves the k-th impact at v_k = e^k sqrt(2 g h); flight k lasts 2 v_k/g, and for
/// e < 1 all flights together end at t0 (1 + e)/(1 - e), the Zeno limit (Brogliato, Nonsmooth Mechanics, 3rd ed., 1.3).
class BouncingBall {
public:
    /// height in m above the plane, at rest; gravity in m/s^2; both positive. restitution from 0 to 1. Throws
    /// std::invalid_argument for other values.
    BouncingBall(double height, double gravity, double restitution);

    struct State {
        double height = 0.0; ///< m
        double rate = 0.0;   ///< m/s
        int impacts = 0;     ///< so far
    };
    /// Returns the state at time t >= 0 (s); at rest from the Zeno limit on.
    State at(double t) const;

    double impact_time(int k) const;  ///< s, of impact k = 0, 1 ...
    double impact_speed(int k) const; ///< m/s, with which impact k is left
    double rest_time() const;         ///< s, the Zeno limit; infinity for e = 1

    /// Returns the time from which all that remains lasts less than `duration` (s): that of an impact.
    double guard_time(double duration) const;

private:
    double height_;
    double gravity_;
    double restitution_;
    long double fall_time_;
    long double fall_speed_;
};

/// A round body on a slope with dry friction: it slides, spins, rolls or stays. Lengths down the slope.
///
/// Slip u = v - r w. While it slips, friction is f = -mu g cos a sgn(u), and v' = g sin a + f, r w' = -j f with
/// j = m r^2/I (5/2 for a solid sphere, 0 where rotation is locked). Where u reaches zero it holds if
/// tan a <= (1 + j) mu: then v' = g sin a j/(1 + j), else it slips down the slope. On the level a sphere thrown
/// without spin rolls at 5/7 of its speed (Goldsmith, Impact; Feynman problem; MacMillan, Dynamics of Rigid Bodies,
/// section 106).
class RoundBodyOnSlope {
public:
    struct Desc {
        double slope = 0.0;     ///< a, rad, 0 to below pi/2
        double friction = 0.5;  ///< mu, not negative
        double gravity = 9.8;   ///< g, m/s^2
        double lightness = 2.5; ///< j
        double speed = 0.0;     ///< v at t = 0, m/s
        double rim_speed = 0.0; ///< r w at t = 0, m/s
    };
    explicit RoundBodyOnSlope(const Desc& desc);

    enum class Contact { Slips, Holds };
    struct State {
        double distance = 0.0;  ///< m
        double speed = 0.0;     ///< v, m/s
        double rim_path = 0.0;  ///< r times the turned angle, m
        double rim_speed = 0.0; ///< r w, m/s
        Contact contact = Contact::Slips;
    };
    State at(double t) const;

    /// Returns the time at which slipping first ends, s: infinity if it never does, 0 if there is none.
    double slip_end() const;

    /// Returns the energy lost to friction from the start to t, J per kg.
    double loss(double t) const;

private:
    // From `begin` on, constant accelerations.
    struct Phase {
        long double begin = 0.0L;
        State start;
        long double acceleration = 0.0L;
        long double rim_acceleration = 0.0L;
    };
    State after(const Phase& phase, long double t) const;
    double energy(const State& state) const;

    Desc desc_;
    std::vector<Phase> phases_;
};

/// A solid sphere thrown obliquely on a slope, with any spin about axes along it: its slip turns. Two numbers each:
/// down the slope, and across it.
///
/// With a = g sin s, k = 7/2 mu g cos s and phi the slip's angle from straight down, friction along the slip leaves
/// u' = a cos phi - k and u phi' = -a sin phi: the slip turns down the slope. Of tau = tan(phi/2) it is
/// u = C tau^(k/a) (1 + tau^2)/(2 tau), and dt = -C/(2 a) tau^(k/a - 2) (1 + tau^2) dtau. So where k > a it ends in
/// finite time, and the sphere rolls; else it passes by its smallest value and grows for good. What friction does to
/// the velocity is 2/7 of what it does to the slip: v - 2/7 u grows by 5/7 a throughout (MacMillan, Dynamics of Rigid
/// Bodies, sections 106 and 107, has the level, where slip and friction keep their direction).
class ObliqueSlide {
public:
    struct Desc {
        double slope = 0.0;       ///< s, rad, 0 to below pi/2
        double friction = 0.5;    ///< mu, positive
        double gravity = 9.8;     ///< g, m/s^2
        glm::dvec2 velocity{0.0}; ///< v at t = 0, m/s
        glm::dvec2 slip{1.0};     ///< u at t = 0, m/s
    };
    /// Throws std::invalid_argument if there is no slip, or none across a slope.
    explicit ObliqueSlide(const Desc& desc);

    struct State {
        glm::dvec2 place{0.0};    ///< m, from the start
        glm::dvec2 velocity{0.0}; ///< m/s
        glm::dvec2 slip{0.0};     ///< m/s
        bool slips = true;
    };
    State at(double t) const;

    /// Returns the time at which slipping ends and rolling begins, s; infinity if it never does.
    double slip_end() const { return static_cast<double>(slip_end_); }

private:
    long double time_of(long double tau) const;
    long double tau_at(long double t) const;

    Desc desc_;
    long double pull_ = 0.0L;  // a
    long double grip_ = 0.0L;  // k
    long double ratio_ = 0.0L; // k/a
    long double scale_ = 0.0L; // C
    long double tau_ = 0.0L;   // at the start
    long double slip_end_ = 0.0L;
};

/// Two solid spheres without forces that meet once.
struct BallDesc {
    double mass = 1.0;   ///< kg
    double radius = 0.5; ///< m
    glm::dvec3 position{0.0};
    glm::dvec3 velocity{0.0}; ///< m/s
    glm::dvec3 spin{0.0};     ///< rad/s
};

/// Their motion before and after: one impulse with restitution e and Coulomb's friction mu.
///
/// With n from the first to the second, 1/M = 1/m1 + 1/m2 and approach speed u_n, the normal impulse is
/// J = (1 + e) M u_n. The slip at the contact stops for an impulse of (2/7) M |u_t| (solid spheres); friction gives the
/// smaller of that and mu J, against the slip (Stronge, Impact Mechanics, 2nd ed., 3.4 and 6; Routh 1905).
class BallCollision {
public:
    /// Throws std::invalid_argument if the balls do not meet, or overlap at the start.
    BallCollision(const BallDesc& first, const BallDesc& second, double restitution, double friction);

    double time() const noexcept { return time_; } ///< s, of the impact
    glm::dvec3 normal() const noexcept { return normal_; }
    /// Returns the balls' states at time t (s), first and second.
    BallDesc first_at(double t) const { return at(before_[0], after_[0], t); }
    BallDesc second_at(double t) const { return at(before_[1], after_[1], t); }
    double loss() const noexcept { return loss_; } ///< J, kinetic energy lost in the impact

private:
    BallDesc at(const BallDesc& before, const BallDesc& after, double t) const;

    BallDesc before_[2]; // at t = 0
    BallDesc after_[2];  // at the impact, after it
    double time_ = 0.0;
    double loss_ = 0.0;
    glm::dvec3 normal_{1.0, 0.0, 0.0};
};

} // namespace substep::detail
