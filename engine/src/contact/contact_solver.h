// The unilateral constraints of one island: their rows where the bodies are, and their response to one another through
// bodies and joints.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "contact/cone_problem.h"
#include "contact/contact_clusters.h"
#include "contact/contact_work.h"
#include "contact/joint_stops.h"
#include "contact/unilateral.h"
#include "joints/joint_solver.h"

namespace substep::detail {

/// Constraints that take part are *involved*: those in contact inside `derivative`, all that touch at an impact. Joint
/// multipliers are eliminated, which leaves a Schur complement: A = R (M^-1 - M^-1 J^T S^-1 J M^-1) R^T for the rows R
/// of the involved ones. So no contact force opens a joint.
class ContactSolver {
public:
    /// Takes over contacts of bodies, and the stops of joints after them; `bodies` counts those of the island,
    /// prescribed ends of joints too. `same` says that they are those of the step before. Allocates to grow.
    void assign(std::span<const UnilateralConstraint> pairs, std::span<const UnilateralConstraint> stops,
                std::size_t bodies, int joint_rows, bool same);
    /// Which dynamic bodies joints connect (see ContactClusters): written before `assign`.
    std::vector<int>& chains() noexcept { return chains_; }
    std::span<const int> chains() const noexcept { return chains_; }

    /// What they cost besides evaluations.
    ContactWork& work() noexcept { return work_; }
    const ContactWork& work() const noexcept { return work_; }
    /// Counts the gaps of all of them at one time.
    void count_gaps() noexcept;
    /// The same without contacts of bodies.
    void count_gaps_of_stops() noexcept;

    bool empty() const noexcept { return constraints_.empty(); }
    std::size_t size() const noexcept { return constraints_.size(); }
    std::span<const UnilateralConstraint> all() const noexcept { return constraints_; }
    std::size_t pairs() const noexcept { return pair_count_; } ///< contacts of bodies, which come first
    UnilateralConstraint& operator[](std::size_t i) noexcept { return constraints_[i]; }
    const UnilateralConstraint& operator[](std::size_t i) const noexcept { return constraints_[i]; }

    /// Says that the modes of some have changed besides.
    void note_changed_modes() noexcept { change_modes(); }
    /// Constraints whose features change: rows computed before are void.
    std::span<UnilateralConstraint> points(std::size_t first, std::size_t count) noexcept {
        ++rows_version_;
        return std::span(constraints_).subspan(first, count);
    }

    /// Changes whenever rows that were computed before are no longer those of the constraints in contact.
    std::uint64_t rows_version() const noexcept { return rows_version_; }
    /// Changes whenever the constraints or their modes change, so that earlier evaluations of them are void.
    std::uint64_t modes_version() const noexcept { return modes_version_; }

    void set_mode(std::size_t i, ContactMode mode) noexcept;
    /// Separates a constraint that held, and forgets how it slipped; its force stays for reports.
    void separate(std::size_t i) noexcept;
    /// Takes over the memory of a constraint, mode included.
    void set_memory(std::size_t i, const ContactMemory& memory) noexcept;

    /// Time (s) of the substep's end at which the constraints in contact were brought to their surfaces last. None
    /// after their modes have changed, or the next substep has begun.
    const std::optional<double>& substep_end() const noexcept { return substep_end_; }
    void end_substep(double t) noexcept { substep_end_ = t; }
    void begin_substep() noexcept { substep_end_.reset(); }

    /// The most that can be involved at a time.
    std::size_t most_involved() const noexcept { return most_involved_; }
    /// Involves those in contact, cluster by cluster. Returns false, and involves none, if some cluster has too many.
    bool involve_in_contact() noexcept;
    bool in_contact() const noexcept; ///< any constraint is
    /// Involves these, as one cluster.
    void involve(std::span<const int> constraints) noexcept;
    /// Place among the involved ones of a constraint in contact, after they were involved.
    std::size_t held_place(std::size_t i) const noexcept { return static_cast<std::size_t>(held_places_[i]); }
    std::span<const int> involved() const noexcept { return {involved_.data(), involved_count_}; }
    /// The k-th involved constraint.
    const UnilateralConstraint& involved_constraint(std::size_t k) const noexcept {
        return constraints_[static_cast<std::size_t>(involved_[k])];
    }

    /// Computes rows and A at the given places, where `joints` is linearised; `memory` is that of the joints.
    void linearise(std::span<const BodyFrame> bodies, std::span<const double> memory,
                   const JointSolver& joints) noexcept;

    /// Place of a constraint at the bodies' places, involved or not.
    ConstraintPlace place(std::size_t i, std::span<const BodyFrame> bodies,
                          std::span<const double> memory) const noexcept;
    /// Place of the k-th involved constraint, as linearised.
    const ConstraintPlace& involved_place(std::size_t k) const noexcept { return involved_places_[k]; }

    /// Writes the three velocities (gap, slip) of the involved ones.
    void velocities(std::span<const Twist> u, std::span<double> out) const noexcept;
    /// Writes their accelerations J a + gamma.
    void accelerations(std::span<const Twist> u, std::span<const Twist> a, std::span<double> out) const noexcept;

    /// The problem of the involved ones; its matrix is A already.
    ConeProblem& problem() noexcept { return cone_problem_; }
    /// Solves it, and counts what that costs; with the modes and directions that are set, as within an evaluation.
    bool solve() noexcept;
    bool solve_given() noexcept;
    /// Entries of its matrix, cluster by cluster.
    std::size_t entries() const noexcept { return entry_count_; }
    const ConeProblem& problem() const noexcept { return cone_problem_; }

    /// Adds R^T x for the problem's solution x to the forces on dynamic bodies.
    void add_forces(std::span<Wrench> wrenches) const noexcept;
    /// Subtracts S^-1 J M^-1 R^T x from joint multipliers: the joints' reaction to x.
    void add_joint_reactions(std::span<double> lambda) const noexcept;

private:
    void change_modes() noexcept;
    bool list_held() noexcept;
    void respond_to_row(std::size_t k, std::size_t r, std::span<const BodyFrame> bodies,
                        const JointSolver& joints) noexcept;
    void linearise_cluster(std::size_t begin, std::size_t size, std::span<const BodyFrame> bodies,
                           std::span<const double> memory, const JointSolver& joints) noexcept;
    std::array<int, 2> limits_before(std::size_t k, std::size_t first) const noexcept;
    double write_block(std::size_t k, std::size_t l) noexcept;

    std::vector<UnilateralConstraint> constraints_;
    std::size_t pair_count_ = 0;
    std::vector<int> involved_; ///< cluster by cluster
    std::size_t involved_count_ = 0;
    std::size_t most_involved_ = 0;
    std::vector<int> chains_; ///< of dynamic bodies
    ContactClusters held_clusters_;
    std::vector<int> held_places_;   ///< of all constraints; of those in contact it counts
    std::uint64_t held_version_ = 0; ///< modes for which those in contact were involved last; 0: none
    bool held_fit_ = false;          ///< they are not too many
    std::size_t entry_count_ = 0;
    std::size_t joint_row_count_ = 0;
    std::uint64_t rows_version_ = 1;
    std::uint64_t modes_version_ = 1;
    std::optional<double> substep_end_;

    std::vector<ConstraintPlace> involved_places_; ///< of the involved constraints
    std::vector<JointGeometry> stop_geometry_;     ///< of the involved stops of joints
    std::vector<std::array<Twist, 2>> responses_;  ///< M^-1 R^T, row by row, at both ends
    std::vector<double> joint_rates_;              ///< J M^-1 R^T, row by row
    std::vector<double> joint_reactions_;          ///< S^-1 of it
    std::vector<std::array<std::size_t, 2>>
        joint_spans_;                   ///< first joint row where J M^-1 R^T is not zero, and one past the last
    std::vector<Twist> body_responses_; ///< scratch: one row's response, on all bodies
    ConeProblem cone_problem_;
    ContactWork work_;
};

} // namespace substep::detail
