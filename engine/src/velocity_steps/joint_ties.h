// The joints of a pile in soft steps: solved at once in every substep, in turns with contacts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"
#include "dynamics/works.h"
#include "soft_steps/pile_motions.h"
#include "velocity_steps/driven_joints.h"

namespace substep::detail {

/// Whether soft steps can make an island with the joints and stops of this configuration: nothing holds by being taut,
/// and no limit rebounds.
bool are_ties_of_soft_steps(const Configuration& configuration) noexcept;

/// Equations of joints by their factorisation, anew in each substep where bodies have moved to: with places from the
/// interval's begin, light links under a hundred times their mass blow up. Limits and dry frictions one after the
/// other, each by its own two bodies with the equations of their joint; all equations have the last word, and what acts
/// along joints is solved with them.
class JointTies final : public PileTies {
public:
    /// Begins an interval of so many substeps of h (s) where the configuration was placed and moved last, with the
    /// memory of joints in y. `driven` has begun the first of them; null: nothing acts along joints. Allocates to grow.
    void begin(Configuration& configuration, DrivenJoints* driven, std::span<const double> memory, double h,
               int substeps, double gravity, bool keeps_books);

    void begin_substep(PileMotions& motions, bool is_first) noexcept override;
    void solve(PileMotions& motions) noexcept override;
    void relax(PileMotions& motions) noexcept override;
    void relax_rebounds(PileMotions& motions) noexcept override;

    /// Impulses of the joints' equations in the last substep, without those of rebounds, by their numbers: N s, N m s.
    std::span<const double> impulses() const noexcept { return lasting_; }
    double substep() const noexcept { return h_; } ///< s
    /// Keeps the forces of limits and dry friction, for reports and for the next interval.
    void keep_stop_forces() const noexcept;
    /// The memory of joints, angles with the turns of every substep.
    std::span<const double> memory() const noexcept { return memory_; }
    /// Books what they did since the interval began.
    void book_works(const Works& works, std::span<double> y) const noexcept;

private:
    /// A limit that may act within the interval, or a dry friction.
    struct Stop {
        std::size_t number = 0;
        std::size_t row = 0;
        double gap = 0.0; ///< m, of an angle times the world's length
        ConstraintRow along;
        // By a unit impulse along the row, with what the joint's own equations answer:
        std::array<double, kMostRows> answer{}; ///< their impulses
        std::array<Wrench, 2> push{};           ///< on each body
        std::array<Twist, 2> change{};          ///< of its velocity
        double response = 0.0;                  ///< rate along the row
        double impulse = 0.0;                   ///< N s or N m s, in this substep
        double lasting = 0.0;                   ///< in the last one, without rebounds
    };
    /// J, since the interval began.
    struct TieWorks {
        double equations = 0.0;
        double limits = 0.0;
        double friction = 0.0;
        double prescribed = 0.0;
    };
    enum class Gaps { TakenBack, Kept };
    /// The joints as they were placed last.
    const JointSolver& joints() const noexcept { return driven_ != nullptr ? driven_->joints() : c_->joints(); }

    void find_stops(double interval, double gravity);
    void advance_memory() noexcept;
    void place(const PileMotions& motions) noexcept;
    void place_stop(Stop& stop) const noexcept;
    void look(const PileMotions& motions) noexcept;
    void act(PileMotions& motions) noexcept;
    void obey(PileMotions& motions, Gaps gaps) noexcept;
    void turn_stops(Gaps gaps) noexcept;
    void solve_equations(Gaps gaps) noexcept;
    void remember(PileMotions& motions) noexcept;
    void book() noexcept;
    const UnilateralConstraint& constraint(const Stop& stop) const noexcept { return c_->contacts()[stop.number]; }

    Configuration* c_ = nullptr;
    DrivenJoints* driven_ = nullptr;   ///< null: nothing acts along joints
    std::vector<double> memory_;       ///< of joints, where bodies were placed last
    std::vector<double> memory_rates_; ///< scratch space
    double h_ = 0.0;                   ///< s, of a substep
    bool keeps_books_ = false;
    std::vector<std::uint32_t> tied_; ///< numbers of the bodies that joints tie
    std::vector<BodyFrame> frames_;   ///< of all bodies; of those that are tied, now
    std::vector<Twist> velocities_;   ///< likewise
    std::vector<Twist> before_;       ///< where the last substep ended
    std::vector<Wrench> wrenches_;    ///< impulses that bodies have yet to be given
    std::vector<Wrench> given_;       ///< impulses of this substep
    std::vector<double> gaps_;
    std::vector<double> asked_;    ///< scratch space: of equations, then of actuators
    std::vector<double> impulses_; ///< in this substep
    std::vector<double> lasting_;  ///< in the last one, without rebounds
    std::vector<Stop> stops_;
    TieWorks works_;
    ActuatorWorks of_actuators_;
};

} // namespace substep::detail
