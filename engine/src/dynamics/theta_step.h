// One linearly implicit step: the stiffness of joints and springs is taken at the step's end, everything else at its
// start.
#pragma once

#include <span>
#include <vector>

#include <glm/mat3x3.hpp>

#include "contact/contact_regime.h"
#include "dynamics/accelerations.h"
#include "dynamics/actuator_rows.h"
#include "dynamics/implicit_damping.h"
#include "dynamics/manifold_projection.h"
#include "dynamics/stiff_elements.h"
#include "dynamics/velocity_turn.h"
#include "dynamics/works.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// With u = (v, omega), forces f and the joints' J at x + (1 - theta) h u, and stiffness K and damping D there:
///   (M + theta^2 h^2 K + theta h D) du = h f - (2 theta - 1) h^2 K u + J^T Lambda,  J (u + theta du) = 0,
///   x+ = x (+) h (u + theta du),
/// which takes stiff forces at x + theta (x+ - x) and u + theta du. The stiffness of the arms that joints pull at is a
/// 3 x 3 block on each body's inertia, so that joints are solved as ever, only with heavier bodies. Springs, dampers,
/// drag, rods (across their length) and curves (along theirs) are rows B of one number k each (StiffElement), K = B^T k
/// B; so are drives and soft limits, whose forces are found there as they are (ActuatorRows). The joints' J takes them
/// in as rows that yield: with c = theta^2 h^2 k + theta h d and mu = -sqrt(c) B du,
///   [ J M^-1 J^T    J M^-1 B'^T     ] [Lambda]   [ -J (u / theta + M^-1 r) ]
///   [ B' M^-1 J^T   B' M^-1 B'^T + 1] [  mu  ] = [ -B' M^-1 r              ],  B' = sqrt(c) B, r the right side above.
/// The moments of hinges are left out: they have no stiffness across the one rotation that a hinge leaves free, and no
/// definite sign where both bodies turn together. A force alone (K = 0) makes it symplectic Euler for theta = 1 and
/// leapfrog for 1/2, both stable to omega h = 2; a stretched chain (J fixed, K alone) makes it the theta method, stable
/// at any h for theta >= 1/2. In terms of L there is no gyroscopic torque to go unstable: a free body keeps its L to
/// the bit, and turns by `torque_free_turn`, which bounds its energy. Forces across the velocity would make the matrix
/// unsymmetric: velocities turn by half of them behind the kick (where theta = 1; before the step where theta = 1/2),
/// and by half behind the step, about the motion, so that errors do not add up.
class ThetaStep final : public LinearlyImplicitStep {
public:
    ThetaStep(Configuration& configuration, Works& works, Accelerations& accelerations, ManifoldProjection& projection,
              StiffElements& elements, VelocityTurn& turn, ContactRegime& regime) noexcept
        : c_(&configuration), works_(&works), accelerations_(&accelerations), projection_(&projection),
          elements_(&elements), velocity_turn_(&turn), regime_(&regime),
          damping_(configuration, accelerations, elements) {}

    /// Sizes scratch space for the configuration and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);
    /// Says that the elements have changed.
    void outdate() noexcept { is_built_ = false; }
    /// Allocates ahead of the first step: most islands make none, and islands of dragged spheres come and go.
    void prepare();

    bool linearly_implicit_step(double t, double h, double theta, std::span<double> y) noexcept override;

private:
    void add_contact_forces(double t, double h) noexcept;
    void turn_kick(double t, double h, double time, std::span<double> y) noexcept;
    void stiffen(double scale) noexcept;
    void pull_elements(double time) noexcept;
    void linearise_stiff_joints(double h, double theta) noexcept;
    void solve_rows(const JointSolver& solver, double theta, std::span<double> multipliers) noexcept;
    void follow(double theta) noexcept;
    void meet_bounds(double h, double theta, std::span<double> multipliers) noexcept;

    /// Where a round began.
    struct Tried {
        std::vector<Twist> velocities;
        std::vector<double> impulses; ///< of actuators
        std::vector<double> multipliers;
        std::vector<Wrench> reactions;
    };
    void book_forces(double t, double h, double theta, std::span<const double> multipliers,
                     std::span<double> y) noexcept;

    Configuration* c_;
    Works* works_;
    Accelerations* accelerations_;
    ManifoldProjection* projection_;
    StiffElements* elements_;
    VelocityTurn* velocity_turn_;
    ContactRegime* regime_;
    ImplicitDamping damping_;
    JointSolver stiff_joints_; ///< joints with the elements as further rows, and actuators behind these
    ActuatorRows actuators_;
    bool is_built_ = false; ///< for the elements as they are
    // Scratch space.
    std::vector<double> start_state_;             ///< y where forces are taken, then y before the momenta change
    std::vector<double> kicked_state_;            ///< the same where forces are taken, after a kick
    std::vector<BodyFrame> stiff_frames_;         ///< with the inertias that stiffness makes heavier to turn
    std::vector<glm::dmat3> geometric_stiffness_; ///< geometric, of the dynamic bodies' rotations
    std::vector<Twist> velocity_changes_;         ///< of velocity
    std::vector<Wrench> reactions_;
    std::vector<glm::dvec3> restoring_; ///< N m s, by the geometric stiffness
    std::vector<Wrench> forces_;        ///< without contacts
    std::vector<Wrench> contact_forces_;
    std::vector<StiffElement> yielding_; ///< elements, then those of actuators
    std::vector<Twist> tried_velocities_;
    Tried tried_before_;
    std::vector<double> multipliers_;
    std::vector<double> row_rates_; ///< of joints and elements
};

} // namespace substep::detail
