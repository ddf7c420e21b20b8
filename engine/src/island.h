// Bodies that influence one another, integrated together with their own step memory.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bit_hash.h"
#include "island_forces.h"
#include "island_system.h"
#include "method_choice.h"
#include "model.h"
#include "substep/integrators/integrator_service.h"

namespace substep::detail {

class ArchiveReader;
class ArchiveWriter;

/// An island: which bodies and joints, their system, and the service that advances it.
class Island {
public:
    /// An island without bodies: see `make`.
    Island() : system_(forces_) {
        combined_.method.reserve(32); // other names in mid-run allocate nothing then
        velocity_settings_.method.reserve(32);
    }
    Island(const Island&) = delete;
    Island& operator=(const Island&) = delete;

    /// Makes it the island of these, configured as they ask for; whatever it was before is forgotten but for its memory
    /// areas. Joints may end at bodies outside the island if those are not dynamic; they take part with prescribed
    /// motion. So do those that a force field ties to a dynamic body of the island. Allocates for joints, and to grow:
    /// afterwards it has room for so many contacts.
    void make(const Model& model, std::span<const BodyId> bodies, std::span<const JointId> joints,
              std::span<const ForceFieldId> fields, std::size_t contacts);

    /// Makes it as `make` left it, of the same bodies, joints and fields. Allocates nothing.
    void make_again(const Model& model);
    /// Whether that leaves no trace: which rows of loops are left out is chosen along the way.
    bool can_be_made_again() const noexcept { return has_joints() && !retired_ && !system_.has_loops(); }

    bool has_joints() const noexcept { return !joints_.empty(); }

    /// Bodies that it was made of at most: of so many it can be made again without allocating.
    std::size_t room() const noexcept { return room_; }

    bool consists_of(std::span<const BodyId> bodies, std::span<const JointId> joints,
                     std::span<const ForceFieldId> fields) const noexcept;
    /// Finds anew which fields act on its bodies, where a field was added or removed that ties none of them.
    void refresh_fields(const Model& model);
    /// Contacts of the next step, by their number in the model's table.
    void forget_contacts() noexcept { contacts_.clear(); }
    void forget_contacts_of(BodyId body);
    void add_contact(std::size_t record) { contacts_.push_back(record); }
    /// Whether they are others than those of the last step.
    bool has_other_contacts(const Model& model) const noexcept;

    /// Assembles the island at time t into its own state; the bodies change where `keep` is called. Returns the
    /// sentence that says why a joint cannot be closed, or nothing.
    std::string_view assemble(const Model& model, double t) noexcept;
    void keep(Model& model) noexcept;

    /// Force and torque of one of its joints on its body_b, at frame_b, at time t.
    Wrench joint_force(const Model& model, double t, JointId joint);

    /// Whether a body takes part, as a member or as something that holds one.
    bool has_to_do_with(BodyId body) const noexcept;
    /// Says that it no longer is what the model says: `consists_of` is false from now on.
    void retire() noexcept { retired_ = true; }
    /// Takes over the settings of its bodies.
    void configure(const Model& model);

    /// One step: body records -> y, one call of the integrator service, y -> body records. Writes to nothing but this
    /// island and the records of its bodies.
    void advance(Model& model, double t0, double t1) noexcept;
    const StepReport& report() const noexcept { return report_; } ///< of the last step
    IslandView view() const noexcept;

    /// Hands what it booked in the last step to the world's accounts, and says what energy it began and ended with.
    struct StepEnergy {
        double before = 0.0; ///< J, edits included
        double after = 0.0;
    };
    StepEnergy settle_accounts(LedgerAccounts& accounts);

    /// Evaluations times bodies that the last step took; twice that if it wanted more than it was given.
    std::int64_t demand() const noexcept { return demand_; }
    /// Grants evaluations for the next step, besides the budget that its settings give. None: it stands still.
    void limit(std::int64_t evaluations) noexcept;

    /// Asleep it is not to be advanced. It falls asleep by itself at the end of a step (island_sleep.cpp).
    bool asleep() const noexcept { return asleep_; }
    void wake() noexcept;

    /// Contacts at the end of the step, and impacts within it.
    std::span<const Contact> contact_reports() const noexcept { return contact_reports_; }
    std::span<const Impact> impacts() const noexcept { return system_.impacts(); }

    /// Takes over limits, drives and friction of its joints anew.
    void refresh_actuators(const Model& model);

    /// Says that a force changed.
    void model_changed() noexcept { system_.model_changed(); }

    /// Writes the state at time t of one of its bodies, from the dense output of a segment that ran ahead. Returns
    /// false if there is none that covers t.
    bool sample(double t, BodyId body, BodyState& state) noexcept;

    void set_remembered_step(double h) noexcept { service_.set_remembered_step(h); }
    double remembered_step() const noexcept { return service_.remembered_step(); }
    std::span<const BodyId> bodies() const noexcept { return bodies_; }
    int rank_loss() const noexcept { return system_.rank_loss(); }
    std::span<const SubstepAttempt> substep_attempts() const noexcept {
        return is_handed_over() ? velocity_service_->attempts() : service_.attempts();
    }
    /// True while velocity steps have taken over from modes that did not hold.
    bool is_handed_over() const noexcept { return handed_over_ > 0; }
    /// Component of the island's state that limits its substeps; one past the last where nothing is known.
    std::size_t limiting_component() {
        return is_handed_over() ? system_.size() : service_.limiting_component(system_);
    }

    /// Adds what it remembers to a hash, but for the stages of its last substep. What it demands of a world's budget
    /// matters only where there is one.
    void add_to(BitHash& hash, bool has_budget) const noexcept;

    /// Step memory as bytes. `restore` needs the model restored before it; throws std::invalid_argument if the bytes do
    /// not fit.
    void save(const Model& model, ArchiveWriter& writer);
    /// Ask the processor to fetch what `save` reads: of the island itself, then of what it points to.
    void prefetch_memory() const noexcept;
    void prefetch_segment() const noexcept;
    void restore(Model& model, ArchiveReader& reader);

private:
    /// Steps in which all must be calm before modes take contacts back.
    static constexpr int kCalmSteps = 6;
    /// Evaluations of a velocity step to a tolerance.
    static constexpr int kDoublingStages = 3;
    /// Budgets are below 2^31, and what an island without limit demands is no larger.
    static constexpr std::int64_t kMostDemand = (std::int64_t{1} << 31) - 1;

    void forget_all() noexcept;
    void forget_steps() noexcept;
    void make_room_for_contacts(const Model& model, std::size_t count);
    void save_what_is_rare(ArchiveWriter& writer);
    void note_extras() noexcept;
    void note_whether_handed_out() noexcept;
    bool has_extras() const noexcept;
    void restore_forces(ArchiveReader& reader, bool has_window);
    void restore_stops(ArchiveReader& reader);
    void restore_last_step(const Model& model, bool has_contacts, bool modes_wanted);
    void pack(const Model& model) noexcept;
    bool take_contacts(const Model& model, bool as_in_last_step);
    void keep_contacts(Model& model, double t) noexcept;
    void choose_contact_handling() noexcept;
    void integrate_modes(double t0, double t1) noexcept;
    bool modes_gave_up() const noexcept;
    void prepare_velocity_steps();
    void choose_boundary() noexcept;
    void configure_velocity_steps(int budget);
    /// Whether it pays for a velocity step to a tolerance; 0: no limit.
    static bool pays_for_doubling(int budget) noexcept { return budget == 0 || budget >= kDoublingStages; }
    void hand_over(double t, double t1, StepReport& report) noexcept;
    void gather(Model& model, double t) noexcept;
    void integrate(double t0, double t1) noexcept;
    void integrate_windows(double t0, double t1) noexcept;
    double energy(double t) noexcept;
    void set_ledger(bool on);
    void scatter(Model& model) noexcept;

    void watch_rest(Model& model, double t0, double t1) noexcept;
    bool may_rest(const Model& model) const noexcept;
    double speed(const Model& model) const noexcept;
    double acceleration(const Model& model, double t0, double t1) noexcept;
    void choose_method(double dt) noexcept;
    void integrate_with(const IntegratorSettings& settings);
    std::string_view close(double t) noexcept;
    void keep_memory(Model& model) const noexcept;

    /// One number of the state that a joint remembers.
    struct Remembered {
        JointId joint;
        int slot = 0;  ///< in JointRecord::memory
        int index = 0; ///< in the island's memory
    };

    std::vector<BodyId> bodies_;
    std::size_t room_ = 0;
    std::vector<JointId> joints_;
    std::vector<JointId> row_owners_; ///< joints, then couplings, as the system counts them
    std::vector<Remembered> remembered_;
    std::array<char, 160> refusal_{}; ///< the sentence about the joint that could not be closed
    std::string_view refused_{};
    std::vector<ForceFieldId> fields_;     ///< those that tie its bodies
    std::vector<BodyId> prescribed_;       ///< other ends of joints and fields; kWorldBody for the ground
    std::optional<MethodChooser> chooser_; ///< under `auto`
    IntegratorSettings combined_;          ///< those of its bodies
    std::vector<std::size_t> contacts_;    ///< records of the model's table
    std::vector<UnilateralConstraint> constraints_;
    std::vector<Contact> contact_reports_;
    std::unique_ptr<IntegratorService> velocity_service_;   ///< for what modes cannot hold
    IntegratorSettings velocity_settings_;                  ///< its own
    double stop_ = std::numeric_limits<double>::infinity(); ///< s, by its settings
    StepEnergy energy_;                                     ///< where works are booked
    std::vector<double> booked_;                            ///< works that the world's accounts have already
    StepReport report_;

    bool retired_ = false;
    int own_budget_ = 0;  ///< by its settings
    bool granted_ = true; ///< the world's budget pays for the next step

    std::vector<double> rates_; ///< scratch memory

    // Scratch memory of `make`.
    std::vector<BodyInertia> inertias_;
    std::vector<PrescribedMotion> motions_;
    std::vector<BodyId> numbered_;

    std::vector<double> sampled_; ///< dense output at sampled_t_, for the bodies that ask next
    double sampled_t_ = 0.0;
    bool sampled_ready_ = false;

    // What snapshots save of a thousand islands lies side by side: else they wait for memory.
    IntegratorService service_;
    std::vector<double> y_;
    bool y_is_handed_out_ =
        false; ///< service_ did, and the bodies' step_end are the same: neither need be looked at to be saved
    bool has_extras_ = false;       ///< more to save than a free body has
    bool ran_ahead_ = false;        ///< the last step did
    bool has_frame_forces_ = false; ///< the last step had
    bool asleep_ = false;
    int handed_over_ = 0; ///< 0: modes hold; else 1 plus the steps since then in which all was calm
    std::int64_t demand_ = 0;
    std::uint64_t advanced_revision_ = 0; ///< of the system when it was advanced last
    // Rest, in units of the speeds below which bodies sleep.
    double still_ = 0.0;       ///< s, time for which it has been slow enough
    double first_speed_ = 0.0; ///< when that began
    IslandForces forces_;
    IslandSystem system_;
};

} // namespace substep::detail
