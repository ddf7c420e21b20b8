// The state that an island keeps from one step to the next.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "forces/island_forces.h"
#include "islands/island_books.h"
#include "islands/island_candidates.h"
#include "islands/island_heritage.h"
#include "islands/island_method.h"
#include "islands/island_plan.h"
#include "islands/model.h"
#include "islands/rest_watch.h"
#include "islands/velocity_takeover.h"
#include "substep/integrators/integrator_service.h"
#include "system/island_system.h"

namespace substep::detail {

/// No revision of a system. What an island counts while it is made depends on whether it was made before, and on what
/// holds it; that it has not been advanced does not.
inline constexpr std::uint64_t kNeverAdvanced = std::numeric_limits<std::uint64_t>::max();

/// All that the next step of an island depends on, and how its parts are kept in agreement. Each function says which of
/// them it reads and changes; how a step uses them is in island_step.h, their bytes are in island_snapshot.h.
struct IslandState {
    IslandState() : system(forces) {}
    IslandState(const IslandState&) = delete;
    IslandState& operator=(const IslandState&) = delete;

    IslandParts parts;
    IslandCandidates candidates;
    IslandMethod method;
    IslandBooks books;

    // Snapshots save these members of a thousand islands, so they lie side by side in the cache.
    IntegratorService service;
    std::vector<double> y;        ///< the bodies, the memory of joints, works
    bool y_is_handed_out = false; ///< the service handed out y, and the bodies' step_end are the same
    bool has_extras = false;      ///< more to save than a free body has
    bool ran_ahead = false;       ///< the last step did
    bool has_step_forces = false; ///< the last step had forces of its own
    RestWatch rest;
    VelocityTakeover takeover;
    StepCost cost;           ///< of the last step, or of its last attempt
    std::int64_t demand = 0; ///< evaluations times bodies that the last step asked of the world's budget
    std::uint64_t advanced_revision = kNeverAdvanced; ///< of the system when it was advanced last
    IslandForces forces;
    IslandSystem system;

    /// Forgets all steps; the parts stay, and the inputs of the system.
    void forget_steps() noexcept;

    /// Takes over the settings of its bodies and of the world.
    void configure(const Model& model);
    /// The same but for the settings of its bodies: by those that they had.
    void configure_as(const Model& model, const IntegratorSettings& combined);
    /// Configures the service, and the parts that depend on its method: velocity steps, the handling of contacts.
    void integrate_with(const IntegratorSettings& settings);

    /// Velocity steps handle contacts by impulses, also in a take-over. Other methods locate impacts; those that take
    /// derivatives hold contacts by modes.
    void choose_contact_handling() noexcept;
    /// Substeps run ahead, also where bodies touch if the method holds contacts by modes: others are handed over to
    /// velocity steps wherever something touches. Velocity steps do not: they obey joints where they begin, so that
    /// joints are further open between their ends.
    void choose_boundary() noexcept;
    bool is_by_velocity_steps() const noexcept { return service.method_info().needs == MethodNeeds::VelocityStep; }

    /// Makes velocity steps ready to take over. Allocates the first time.
    void prepare_takeover();
    /// Lets the host end steps by this flag.
    void heed(const std::atomic<bool>* interrupt) noexcept {
        service.set_interrupt(interrupt);
        system.pile_step().heed(interrupt);
        if (takeover.is_prepared()) {
            takeover.service().set_interrupt(interrupt);
        }
    }
    void configure_takeover(int budget, int convex_steps = 1, int soft_substeps = 1) {
        takeover.configure(system, service, method.stop_time(),
                           {budget, system.regime().pile(), convex_steps, soft_substeps});
    }
    /// Sizes everything for `count` contacts. Allocates.
    void make_room_for_contacts(const Model& model, std::size_t count);

    /// Chooses by the numbers of bodies and contacts whether soft or convex steps are to make the next step: not where
    /// there are ties of fields, forces that state how stiff they are or turn velocities, which velocity steps treat by
    /// themselves, nor under velocity steps by name, unless these are the steps named. Both have the joints that can be
    /// ties or rows of theirs; convex steps no bodies that turn about some of their axes only, and no method beside
    /// them that keeps its tolerance in a take-over.
    void choose_pile(const Model& model);
    /// The pile that the island's method makes by its name, whatever its size.
    PileKind named_pile() const noexcept;
    /// Makes constraints of the candidates of the next step, or of the last one, and hands them to the system. Returns
    /// true if they differ from those before.
    bool take_candidates(Model& model, bool as_in_last_step, ThreadTeam* team);
    /// The same of a pile, whose steps write to the memory of its pairs in the model. A team may be null.
    bool take_pile(Model& model, ThreadTeam* team);
    /// Hands the constraints of the candidates to the system; `same` says that it has them already.
    void use_constraints(bool same);

    /// Books works from now on, or none: they start at zero. Events are watched anew: a snapshot cannot hold events of
    /// a state of another size, and the ledger must change no bit.
    void set_ledger(bool on);
    std::span<const double> works() const noexcept { return std::span(y).last(system.works().terms()); }
    double energy(double t) noexcept; ///< J

    /// Writes to y the bodies as they are now, and the memory of joints.
    void pack(const Model& model) noexcept;
    /// Takes over how edited prescribed bodies move. Returns whether there were any.
    bool take_edited_ends(const Model& model) noexcept;
    /// Writes the memory of joints back to their records.
    void keep_joint_memory(Model& model) const noexcept;
    /// Notes what a step of the bodies starts from; or takes bodies and joints back to that, once the step was made.
    void note_start(Model& model) const noexcept;
    void take_back(Model& model) const noexcept;

    /// What the island hands on now; and how one that was made anew takes it over. Allocates where velocity steps have
    /// taken over.
    IslandHeritage heritage() const noexcept;
    void inherit(const IslandHeritage& heritage);

    /// Whether there is more to save than of a free body. Noted where it may change, so that `save` need not look.
    bool finds_extras() const noexcept;
    void note_extras() noexcept { has_extras = finds_extras(); }
    void note_whether_handed_out() noexcept;

private:
    void take_settings(const Model& model);
};

} // namespace substep::detail
