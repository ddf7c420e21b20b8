// Bodies that influence one another, integrated together with their own step memory.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "archive/archive.h"
#include "free_bodies/free_body.h"
#include "islands/force_blame.h"
#include "islands/island_plan.h"
#include "islands/island_state.h"
#include "islands/island_step.h"
#include "islands/joint_refusal.h"
#include "islands/model.h"
#include "islands/parked_island.h"
#include "substep/engine/stage_times.h"
#include "substep/engine/world.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

/// Scratch space of an island. It may be lost between any two calls of the island: no bit would change.
struct IslandWorkspace {
    IslandPlan plan;           ///< of the system, while it is made
    std::vector<double> rates; ///< of the state
};

/// The last evaluation of the dense output, for other bodies at the same time.
struct SampledState {
    std::vector<double> y;
    double t = 0.0; ///< s
    bool is_known = false;
};

/// An island: which bodies and joints, their system, and the service that advances it.
class Island {
public:
    /// An island without bodies: see `make`.
    Island() = default;

    /// Makes it the island of these members, with the settings that they ask for; everything from before is forgotten
    /// but its storage. Joints may end at bodies outside the island if those are not dynamic; they take part with
    /// prescribed motion. So do bodies that a force field ties to a dynamic one of the island. The members must have
    /// been numbered (number_bodies). Allocates for joints, and to grow: afterwards it has room for `contacts`
    /// contacts.
    void make(const Model& model, const IslandMembers& members, std::size_t contacts);

    /// Makes it as `make` left it, of the same bodies, joints and fields. Allocates nothing.
    void make_again(const Model& model);
    /// Whether that leaves no trace. Loops leave one: their left-out rows are chosen along the way.
    bool can_be_made_again() const noexcept {
        return has_joints() && !retired_ && !state_.system.configuration().joints().has_loops();
    }

    /// Makes it the island of a free body, which goes on as it did (island_free_body.cpp);
    void make_of(const Model& model, const FreeBody& body, std::size_t contacts);
    /// and hands its only body over to `body`, without what its last step did. Returns false if it remembers more.
    bool hand_over(FreeBody& body) const noexcept;
    /// Makes the last step of a free body once more, from t0 to t1, for who asks for its attempts and errors.
    void repeat_step(const Model& model, const FreeBody& body, double t0, double t1);

    /// Parks the island of one body (island_parking.cpp). Returns false, with nothing done, if it has more to remember
    /// than a free body under any settings;
    bool park(const Model& model, const FreeBodyRule& rule, LentIsland& lent, ParkedIsland& parked);
    /// makes it the island of a body that was parked, which goes on as it did;
    void unpark(const Model& model, BodyId body, const ParkedIsland& parked, std::size_t contacts);
    /// and the same, where it was parked itself in this step, as another body's with the same settings.
    void unpark_next(const Model& model, BodyId body, const ParkedIsland& parked);

    bool has_joints() const noexcept { return !state_.parts.joints.empty(); }
    /// Whether it is a body awake that no joint or field ties and no contact is near.
    bool is_lonely() const noexcept {
        return bodies().size() == 1 && !has_joints() && !has_contacts() && !feels_fields() && !asleep();
    }
    /// Most bodies that it was made of so far: it can be made of as many again without allocating.
    std::size_t room() const noexcept { return body_room_; }

    bool is_retired() const noexcept { return retired_; }
    bool consists_of(const IslandMembers& members) const noexcept {
        return !retired_ && state_.parts.consist_of(members);
    }
    /// Whether a body takes part, as a member or by holding one.
    bool has_to_do_with(BodyId body) const noexcept { return state_.parts.name(body) || state_.candidates.name(body); }
    /// Says that it no longer matches the model: `consists_of` is false from now on.
    void retire() noexcept { retired_ = true; }

    /// Takes over the settings of its bodies.
    void configure(const Model& model);
    /// Finds anew which fields act on its bodies, where a field was added or removed that ties none of them.
    void refresh_fields(const Model& model);
    /// Takes over limits, drives and friction of its joints anew.
    void refresh_actuators(const Model& model);
    /// Says that a force changed.
    void model_changed() noexcept { state_.system.model_changed(); }

    /// Contacts of the next step, by their number in the model's table.
    void forget_contacts() noexcept { state_.candidates.forget_records(); }
    void forget_contacts_of(BodyId body);
    bool has_contacts() const noexcept { return state_.candidates.has_records(); }
    /// Chooses whether soft or convex steps are to make the next step, once its contacts are known.
    void choose_pile(const Model& model) { state_.choose_pile(model); }
    bool is_pile() const noexcept { return state_.system.regime().is_pile(); }
    bool is_soft_pile() const noexcept { return state_.system.regime().is_soft(); }
    void add_contact(std::size_t record, bool resists) { state_.candidates.add_record(record, resists); }
    std::span<const std::size_t> contact_records() const noexcept { return state_.candidates.records(); }
    /// Whether they differ from those of the last step.
    bool has_other_contacts(const Model& model) const noexcept { return state_.candidates.have_changed(model); }

    /// One step: body records -> y, one call of the integrator service, y -> body records. Writes to nothing but this
    /// island and the records of its bodies.
    void advance(Model& model, double t0, double t1, const StepAttempt& attempt) noexcept;
    /// Whether it was advanced in this step: never between two steps, so that an island that sleeps through one, or is
    /// retired by an edit, knows nothing of where an earlier one began.
    bool has_advanced() const noexcept { return has_advanced_; }
    void end_step() noexcept { has_advanced_ = false; }
    /// Adds what its step as a pile took, of `whole` (s), by its parts.
    void add_times_of_pile(double whole, StageTimes& times) noexcept;
    /// Takes its bodies and joints back to where the step began, and retires it.
    void take_back(Model& model) noexcept;
    const StepReport& report() const noexcept { return report_; } ///< of the last step
    /// Contacts at the end of the step, and impacts within it.
    std::span<const Contact> contact_reports() const noexcept { return state_.candidates.reports(); }
    std::span<const Impact> impacts() const noexcept { return state_.system.contact_response().impacts(); }
    /// Hands its works of the last step to the world's accounts, and returns the energy that it began and ended with.
    StepEnergy settle_accounts(LedgerAccounts& accounts) {
        return state_.books.settle(state_.works(), state_.forces, accounts);
    }

    const StepCost& cost() const noexcept { return state_.cost; } ///< of the last step
    /// Evaluations times bodies that the last step took; twice that if it wanted more than it was given.
    std::int64_t demand() const noexcept { return state_.demand; }
    /// Grants evaluations for the next step, besides the budget that its settings give. None: it stands still.
    void limit(std::int64_t evaluations) noexcept { state_.service.set_budget(state_.method.limit(evaluations)); }

    /// An island asleep is not to be advanced. It falls asleep by itself at the end of a step (rest_watch.h).
    bool asleep() const noexcept { return state_.rest.is_asleep(); }
    void wake() noexcept { state_.rest.wake(); }

    /// Assembles the island at time t into its own state; the bodies change where `keep` is called. Returns the
    /// sentence that says why a joint cannot be closed, or nothing.
    std::string_view assemble(const Model& model, double t) noexcept;
    void keep(Model& model) noexcept;

    /// Force and torque of one of its joints on its body_b, at frame_b, at time t.
    Wrench joint_force(const Model& model, double t, JointId joint);

    /// Writes the state at time t of one of its bodies, from the dense output of a segment that ran ahead. Returns
    /// false if there is none that covers t.
    bool sample(double t, BodyId body, const BodyRecord& record, BodyState& state) noexcept;

    IslandView view() const noexcept;
    IslandRegime regime() const noexcept;
    std::span<const BodyId> bodies() const noexcept { return state_.parts.bodies(); }
    int rank_loss() const noexcept { return state_.system.configuration().joints().rank_loss(); }
    /// What it hands on to the islands that its bodies form next: as where the last step began, if that was taken back.
    IslandHeritage heritage() const noexcept { return retired_ && has_advanced_ ? heritage_ : state_.heritage(); }
    void inherit(const IslandHeritage& heritage) { state_.inherit(heritage); }
    double remembered_step() const noexcept { return state_.service.remembered_step(); }
    std::span<const SubstepAttempt> substep_attempts() const noexcept;
    /// Component of the island's state that limits its substeps; one past the last where nothing is known.
    std::size_t limiting_component();

    /// See island_snapshot.h.
    void add_to(BitHash& hash, bool has_budget) const noexcept;
    void save(const Model& model, ArchiveWriter& writer);
    void restore(Model& model, ArchiveReader& reader);
    void prefetch_memory() const noexcept;
    void prefetch_segment() const noexcept;

private:
    void forget_steps() noexcept;
    std::string_view keep(std::string_view sentence) noexcept;
    void take_parked(const Model& model, const ParkedIsland& parked);
    void fit_to_state();
    bool feels_fields() const noexcept { return state_.forces.ledger_terms() > kLedgerTerms; }
    bool read_segment(double t) noexcept;

    IslandState state_;
    IslandWorkspace workspace_;
    SampledState sampled_state_;
    StepReport report_;
    JointRefusal refusal_;
    ForceBlame blame_;
    std::array<char, 256> sentence_{}; ///< of the last step's report, if its own parts did not say it
    IslandHeritage heritage_;          ///< where the last step began
    std::size_t body_room_ = 0;
    bool retired_ = false;
    bool has_advanced_ = false;
};

} // namespace substep::detail
