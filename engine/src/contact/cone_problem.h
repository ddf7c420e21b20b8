// Unilateral constraints with Coulomb friction as small dense complementarity problems, for impulses and for forces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "bodies/tolerances.h"
#include "substep/engine/contact.h"

namespace substep::detail {

/// The kind of a constraint says which of its three rows it has: the others are zero.
enum class ConstraintKind : std::uint8_t {
    Contact, ///< two surfaces: a normal row and two tangents
    Limit,   ///< an end of a joint's coordinate: the normal row alone
    Friction ///< dry friction of a joint: the first tangent alone, pressed together by a load that is given
};

/// The law of one constraint of the problem.
struct ConeLaw {
    double friction = 0.0;
    double static_friction = 0.0;
    bool apart = false;        ///< cannot press: x = 0, and y is only computed
    bool moves = false;        ///< slips already: the direction of friction is given, and it cannot stick
    glm::dvec2 direction{0.0}; ///< of the slip where it moves, else the first guess
    double load = 0.0;         ///< x_n of a Friction
};

/// A constraint within a problem: what is asked, and the answer.
struct ConeConstraint {
    ConstraintKind kind = ConstraintKind::Contact;
    bool idle = false;
    ContactMode mode = ContactMode::Separate;
    int first = 0; ///< its first unknown
    std::array<int, 2> holders{};
    ConeLaw law;
    glm::dvec2 direction{0.0};
    double known = 0.0;    ///< friction of a slide whose load is given
    double response = 0.0; ///< of a slide, over that without friction
};

/// Scratch space for the linear system of one combination of modes.
struct ConeScratch {
    std::vector<double> reduced_matrix, factored_matrix, right_side, z, residual;
    std::vector<int> pivot_rows;

    /// Makes room for so many constraints. Allocates to grow.
    void resize(std::size_t constraints);
};

/// Finds x, three numbers per constraint (normal, two tangents), for y = A x + b with
///   separate: x = 0,                         y_n >= 0;
///   slide:    y_n = 0, x_n >= 0, x_t = -mu x_n d,  d = y_t / |y_t|, or the direction given;
///   stick:    y = 0,   x_n >= 0, |x_t| <= mu_s x_n.
/// A Limit has no tangents, so that it only slides; of a Friction x_n is the load, and y_n means nothing.
/// With velocities for y and impulses for x that is an impact, with accelerations and forces it is sustained contact.
///
/// Up to four constraints: every combination of modes is tried in a fixed order, the proposed one first. Beyond four:
/// with stops of joints among them, principal pivots look for a combination; else, or where they find none, projected
/// Gauss-Seidel sweeps propose one. A combination counts only if its direct solution obeys all inequalities.
/// Redundant constraints share their load with the least norm: Tikhonov's 1e-7 of the mean diagonal, and refinements
/// that take its effect on y away again. Where that leaves the cones although other shares would not, the least loaded
/// contacts let go.
///
/// The numbers are a ConeProblem's; constraints and rows are counted from the cluster's first.
class ConeCluster {
public:
    ConeCluster(std::span<ConeConstraint> constraints, double* a, double* b, double* x, double* y,
                ConeScratch& scratch) noexcept;

    /// Finds modes that are consistent. Returns false if there are none.
    bool solve() noexcept;

    /// Solves for the modes and directions set, whether the inequalities hold or not. Returns false if there is no
    /// solution: a slide whose friction presses it together harder than it pushes apart (Painleve). Accepts a little
    /// more than `solve` does, so that the guard can be seen from both sides.
    bool solve_given() noexcept;

    /// Multiplications made so far, about.
    std::int64_t operations() const noexcept { return operations_; }

    /// N or N s: the solution's pressures count as none up to this, on either side of zero.
    double slack() const noexcept;

    /// A normal row's own response with friction, over that without: the guard.
    static constexpr double kLeastResponse = 1e-3;

private:
    static constexpr double kSlack = 1e-10; ///< of the largest number around: inequalities hold up to this

    ConeConstraint& constraint(int i) noexcept { return constraints_[static_cast<std::size_t>(i)]; }
    const ConeConstraint& constraint(int i) const noexcept { return constraints_[static_cast<std::size_t>(i)]; }
    ContactMode& mode(int i) noexcept { return constraint(i).mode; }
    ContactMode mode(int i) const noexcept { return constraint(i).mode; }
    ConstraintKind kind(int i) const noexcept { return constraint(i).kind; }
    bool idle(int i) const noexcept { return constraint(i).idle; }
    ConeLaw& law(int i) noexcept { return constraint(i).law; }
    const ConeLaw& law(int i) const noexcept { return constraint(i).law; }
    glm::dvec2 direction(int i) const noexcept { return constraint(i).direction; }
    double a(int row, int column) const noexcept { return a_[static_cast<std::size_t>(row * 3 * size_ + column)]; }
    double b(int row) const noexcept { return b_[static_cast<std::size_t>(row)]; }
    double x(int row) const noexcept { return x_[static_cast<std::size_t>(row)]; }
    double y(int row) const noexcept { return y_[static_cast<std::size_t>(row)]; }

    bool search() noexcept;
    bool found() noexcept;
    bool solve_and_check() noexcept;
    bool solve_by_pivots() noexcept;
    bool change_mode(int i, double x_slack, double y_slack, bool only_look) noexcept;
    bool settle_directions(bool of_joints) noexcept;
    bool turns(int i) const noexcept;
    bool turn_together() noexcept;
    void answer_to_turn(int j) noexcept;
    bool is_consistent() const noexcept;
    ContactMode first_mode(int i) const noexcept;
    bool carries_nothing(int i) const noexcept;
    int unknowns(int i) const noexcept;
    int first_row(int i) const noexcept { return 3 * i + (kind(i) == ConstraintKind::Friction ? 1 : 0); }
    void enumerate_next(bool& more) noexcept;
    void propose_by_sweeps() noexcept;
    bool solve_by_sweeps() noexcept;
    bool solve_with_fewer(std::span<const int> lightest_first) noexcept;
    void let_go_of_idle_ones() noexcept;
    bool is_held_up(double y_slack) const noexcept;
    double slack_of_rates() const noexcept;
    bool solve_modes(double least_response) noexcept;
    void count_unknowns() noexcept;
    bool build_system(double least_response) noexcept;
    void write_row(int own, double* row, double& right) const noexcept;
    bool solve_system() noexcept;
    double factor(double added) noexcept;
    void spread() noexcept;
    void back_substitute(int n, std::span<const double> right, std::span<double> out) const noexcept;
    void evaluate_y() noexcept;

    int size_;
    std::span<ConeConstraint> constraints_;
    std::span<double> a_, b_, x_, y_;
    std::span<double> reduced_matrix_, factored_matrix_, right_side_, z_, residual_;
    std::span<int> pivot_rows_;
    std::int64_t operations_ = 0;
    int unknown_count_ = 0;
    double mean_diagonal_ = 0.0; ///< of the system's diagonal
};

/// The problem of all constraints involved, one cluster after the other: what is in different ones is solved apart, as
/// if the others were not. Rows and columns of A in different clusters have no entries.
class ConeProblem {
public:
    /// Room for n constraints, of which up to `largest` are in one cluster, and the others in small ones. Allocates to
    /// grow.
    void reserve(std::size_t n, std::size_t largest);
    /// One cluster of n constraints. Allocates only beyond what was reserved.
    void resize(int n) noexcept;
    /// Clusters of these sizes.
    void resize(std::span<const int> clusters) noexcept;
    int size() const noexcept { return size_; }

    /// Entries of A within a cluster.
    double& a(int row, int column) noexcept { return a_[entry(row, column)]; }
    double a(int row, int column) const noexcept { return a_[entry(row, column)]; }
    double& b(int row) noexcept { return b_[static_cast<std::size_t>(row)]; }
    double b(int row) const noexcept { return b_[static_cast<std::size_t>(row)]; }
    ConstraintKind& kind(int i) noexcept { return constraint(i).kind; }
    ConstraintKind kind(int i) const noexcept { return constraint(i).kind; }
    /// True of a Limit or Friction whose row the joints hold already: it carries nothing.
    bool& idle(int i) noexcept { return constraint(i).idle; }
    bool idle(int i) const noexcept { return constraint(i).idle; }
    /// Limits of the coordinate that a Friction acts along, -1 for none, counted from their cluster's first. Where a
    /// limit holds the coordinate, friction carries nothing and sticks.
    std::array<int, 2>& holders(int i) noexcept { return constraint(i).holders; }
    ConeLaw& law(int i) noexcept { return constraint(i).law; }
    const ConeLaw& law(int i) const noexcept { return constraint(i).law; }

    /// Modes: a proposal before `solve`, the answer after it.
    ContactMode& mode(int i) noexcept { return constraint(i).mode; }
    ContactMode mode(int i) const noexcept { return constraint(i).mode; }

    /// As ConeCluster: false if it is false for any cluster.
    bool solve() noexcept;
    bool solve_given() noexcept;

    /// For constraint i, a slide of the last solution: how far its normal's response to a force with friction, n . A (n
    /// - mu d), is above the guard of `solve`, in units of n . A n. Zero at the guard.
    double painleve_margin(int i) const noexcept { return constraint(i).response - ConeCluster::kLeastResponse; }

    double x(int row) const noexcept { return x_[static_cast<std::size_t>(row)]; }
    std::span<const double> x() const noexcept { return {x_.data(), static_cast<std::size_t>(3 * size_)}; }
    double y(int row) const noexcept { return y_[static_cast<std::size_t>(row)]; }

    /// Direction of constraint i's slip, as the last solution has it.
    glm::dvec2 direction(int i) const noexcept { return constraint(i).direction; }

    /// Multiplications made so far, about.
    std::int64_t operations() const noexcept { return operations_; }

    /// As ConeCluster, of the cluster of constraint i.
    double slack(int i) noexcept { return cluster(of_cluster(i)).slack(); }

private:
    struct Cluster {
        int first = 0;         ///< constraint
        int size = 0;          ///< constraints
        std::size_t entry = 0; ///< its first in a_
    };
    ConeConstraint& constraint(int i) noexcept { return constraints_[static_cast<std::size_t>(i)]; }
    const ConeConstraint& constraint(int i) const noexcept { return constraints_[static_cast<std::size_t>(i)]; }
    const Cluster& of_cluster(int i) const noexcept {
        return clusters_[static_cast<std::size_t>(cluster_of_[static_cast<std::size_t>(i)])];
    }
    std::size_t entry(int row, int column) const noexcept {
        const Cluster& c = of_cluster(row / 3);
        return c.entry + static_cast<std::size_t>((row - 3 * c.first) * 3 * c.size + column - 3 * c.first);
    }
    ConeCluster cluster(const Cluster& c) noexcept;
    bool solve_each(bool (ConeCluster::*way)() noexcept) noexcept;

    int size_ = 0;
    std::vector<Cluster> clusters_;
    std::vector<int> cluster_of_;
    std::vector<ConeConstraint> constraints_;
    std::vector<double> a_; ///< cluster by cluster, row by row
    std::vector<double> b_, x_, y_;
    ConeScratch scratch_;
    std::int64_t operations_ = 0;
};

} // namespace substep::detail
