// A step of a pile, as a velocity step of an island: the island's bodies as those of a pile, and back.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "dynamics/accelerations.h"
#include "dynamics/joint_closing.h"
#include "dynamics/works.h"
#include "soft_steps/pile.h"
#include "substep/integrators/ode_system.h"
#include "velocity_steps/driven_joints.h"
#include "velocity_steps/remembered_start.h"

namespace substep::detail {

class ThreadTeam;

/// How long steps took, by the clock.
struct PileTimes {
    double collision = 0.0; ///< s
    double solver = 0.0;    ///< s
};

/// On what terms the steps of an advance are made.
struct PileTerms {
    static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
    /// Units of contact work that convex steps may cost, about (bodies/tolerances.h): beyond that they make as few
    /// iterations as there can be.
    std::int64_t allowance = kUnlimited;
    bool resolves_impacts = false; ///< ConvexEffort::resolves_impacts
    double usual_interval = 0.0;   ///< s, of soft steps: contacts are as soft as in one so long; 0: as in each
    int usual_substeps = kUsualPileSubsteps; ///< of it, where no budget leaves fewer
    int most_substeps = kMostPileSubsteps;   ///< of the next intervals; a short one has few, as long as usual ones
    /// Who makes a soft step with the thread that asks for it; null: nobody. Changes no bit.
    ThreadTeam* team = nullptr;
};

/// Hands an island to the solver of soft steps or to that of convex ones: what contacts remember lies in the island's
/// own pairs. Joints are rows of convex steps, and take turns with the contacts of soft ones; places are closed behind
/// the step. The solvers, and room for
/// bodies, are those of the thread: an island that becomes a pile allocates nothing if the thread has had one as large.
class PileVelocityStep final : public VelocityStep, private PileForces {
public:
    PileVelocityStep(Configuration& configuration, Works& works, Accelerations& accelerations,
                     JointClosing& joints) noexcept
        : c_(&configuration), works_(&works), accelerations_(&accelerations), joints_(&joints) {}

    /// Takes over the solids and pairs of the next steps, but no bodies, with bodies by their numbers in the
    /// configuration, and the memory that the pairs name. Solids that no pair names have a negative reach. All must
    /// stay where they are until others are taken over.
    void set_pile(const Pile& pile) noexcept;
    /// Of the steps to come, until others are set.
    void set_terms(const PileTerms& terms) noexcept { terms_ = terms; }
    /// What pressed in the last step; valid until the thread makes a step of another pile.
    std::span<const TouchingPoint> touching() const noexcept { return touching_; }
    /// What steps took since this was asked last.
    PileTimes take_times() noexcept { return std::exchange(times_, {}); }
    /// Says that joints or actuators are others now.
    void outdate() noexcept { driven_.outdate(); }
    /// Lets the host end steps by this flag; null: none.
    void heed(const std::atomic<bool>* interrupt) noexcept { interrupt_ = interrupt; }
    /// Whether it ended one halfway since this was asked last.
    bool take_cut() noexcept { return std::exchange(was_cut_, false); }

    void find_contacts(double, double, std::span<const double>) override {}
    VelocityStepResult velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                     std::span<RememberedForce> memory) override;

private:
    void act(double t, std::span<PileBody> bodies) noexcept override;
    void read_bodies(double t, double h, std::span<const double> y, std::vector<PileBody>& bodies) const;
    void take_forces(std::span<PileBody> bodies) const noexcept;
    void write_bodies(std::span<const PileBody> bodies, std::span<double> y) const noexcept;
    void book_works(const VelocityStepRequest& request, const PileWorks& works, std::span<double> y) noexcept;
    bool close_joints(double t, double h, bool by_ties, std::span<double> y) noexcept;

    Configuration* c_;
    Works* works_;
    Accelerations* accelerations_;
    JointClosing* joints_;
    Pile pile_; ///< without bodies
    RememberedStart start_;
    PileTerms terms_; ///< less what of the allowance was spent
    std::span<const TouchingPoint> touching_;
    PileTimes times_;
    const std::atomic<bool>* interrupt_ = nullptr;
    bool was_cut_ = false;
    std::span<double> act_state_; ///< while a step is made: what forces that change are asked for
    DrivenJoints driven_;
};

} // namespace substep::detail
