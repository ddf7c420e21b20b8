// An interval of soft steps, as a velocity step of an island: the island's bodies as those of a pile, and back.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dynamics/accelerations.h"
#include "dynamics/works.h"
#include "soft_steps/pile_solver.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// Hands an island to PileSolver: what contacts remember lies in the island's own pairs, and joints there are none.
class SoftStep final : public VelocityStep, private PileForces {
public:
    SoftStep(Configuration& configuration, Works& works, Accelerations& accelerations) noexcept
        : c_(&configuration), works_(&works), accelerations_(&accelerations) {}

    /// Takes over the solids and pairs of the next steps, but no bodies, with bodies by their numbers in the
    /// configuration, and the memory that the pairs name. Solids that no pair names have a negative reach. All must
    /// stay where they are until others are taken over. Allocates the first time.
    void set_pile(const Pile& pile);
    /// What pressed in the last step; valid until the next one.
    std::span<const TouchingPoint> touching() const noexcept { return touching_; }

    void find_contacts(double, double, std::span<const double>) override {}
    VelocityStepResult velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                     std::span<RememberedForce> memory) override;

private:
    void act(double t, std::span<PileBody> bodies) noexcept override;
    void read_bodies(double t, double h, std::span<const double> y);
    void take_forces(std::span<PileBody> bodies) const noexcept;
    void write_bodies(std::span<double> y) const noexcept;
    void book_works(const VelocityStepRequest& request, const PileWorks& works, std::span<double> y) noexcept;

    Configuration* c_;
    Works* works_;
    Accelerations* accelerations_;
    Pile pile_; ///< with bodies_
    std::span<const TouchingPoint> touching_;
    std::unique_ptr<PileSolver> solver_; ///< null until there is a pile
    std::vector<PileBody> bodies_;       ///< by their numbers
    std::vector<double> start_state_;    ///< where forces change: what they are asked for
};

} // namespace substep::detail
