// Which bodies influence one another: islands, found anew where bodies, joints or fields changed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "islands/free_islands.h"
#include "islands/island.h"
#include "islands/island_members.h"
#include "islands/island_schedule.h"
#include "islands/island_stock.h"
#include "islands/model.h"
#include "islands/pile_boxes.h"
#include "soft_steps/thread_team.h"
#include "substep/engine/jobs.h"
#include "substep/engine/stage_times.h"

namespace substep::detail {

/// The islands of a world, in the order of their first bodies. A body that nothing ties, no contact is near and no
/// setting asks more of is an island without an Island: a FreeBody.
class Islands {
public:
    /// Says that contacts connect other bodies than before.
    void outdate() noexcept { are_outdated_ = true; }

    /// Says that bodies, joints or fields changed.
    void structure_changed() noexcept { are_outdated_ = structure_outdated_ = true; }

    /// Drops all islands with their memory.
    void clear() noexcept;

    /// Says that a mass changed: the next update builds all islands anew that the body takes part in.
    void renew(BodyId body) noexcept;

    /// Wakes an island (none for kNoIsland); all islands that a static or kinematic body takes part in; or all.
    void wake(std::size_t island) noexcept;
    void wake_attached(BodyId body) noexcept;
    void wake_all() noexcept;

    /// False while islands may still name bodies that are gone: they can be counted then, but not evaluated.
    bool up_to_date() const noexcept { return !are_outdated_; }

    /// Brings the islands up to date. Islands of the same bodies, joints and ties as before are kept with all their
    /// memory; a new one takes the smallest step that its bodies remember. Allocates where bodies, joints or fields
    /// changed; where spheres meet or part, only for islands with joints that did not form lately, or beyond all sizes
    /// before.
    void update(Model& model);
    /// The same where a step begins: islands of bodies that nothing ties any more become free bodies.
    void update_for_step(Model& model);
    /// The same where their memory comes from a snapshot, by `restore`: none hands its own on.
    void update_for_restore(Model& model);

    /// Writes to the model's step which bodies are asleep.
    void note_sleepers(Model& model);

    /// Tells every island which records of the contact table are its own, and wakes it if these have changed. Allocates
    /// to grow.
    void distribute_contacts(const Model& model);
    /// Chooses which of the islands that are awake are piles, made by soft steps, now that their contacts are known.
    /// `again`: some islands have made the step already.
    void choose_piles(Model& model, bool again = false);
    /// Finds which pairs of piles are too far apart to matter for the step, of large ones by the runner's threads.
    void find_far_pairs(Model& model, JobRunner* runner, bool again = false);

    /// Forgets the contacts of a body that is going to be destroyed.
    void forget_contacts_of(BodyId body);

    /// Advances every island that is awake from t0 to t1, by the runner's threads if there are any. Islands share
    /// nothing that is written, so order and number of threads change no bit.
    ///
    /// Whoever was carried beyond what was expected of him may have met bodies of other islands: these islands are
    /// taken back to t0 and advanced together, three times at most; those that meet still others after that are made by
    /// velocity steps. Allocates where that happens. Adds to `times` what it took.
    void advance(Model& model, double t0, double t1, JobRunner* runner, StageTimes& times);
    /// What attempts that were taken back in the last step have cost: evaluations, and work on contacts.
    std::int64_t repeated_evaluations() const noexcept { return repeated_.evaluations; }
    std::int64_t repeated_work() const noexcept { return repeated_.work; }
    /// Whether the host ended the last step before all had been made once more.
    bool were_repeats_interrupted() const noexcept { return repeated_.interrupted; }

    /// Notes that static and kinematic bodies have followed their motion to the end of the step.
    void finish_prescribed(Model& model) const noexcept;

    /// Configures every island, or the one with `body`, with the settings of its bodies. Throws nothing that `validate`
    /// would not.
    void configure(const Model& model);
    void configure(const Model& model, BodyId body);

    /// Books the works of the last step.
    void settle_accounts(LedgerAccounts& accounts);

    /// Takes over limits, drives and friction of joints anew.
    void refresh_actuators(const Model& model);

    /// Says that a force on every body changed.
    void model_changed() noexcept;

    /// Islands that the last `advance` advanced, or the next one will.
    std::span<Island* const> awake() const noexcept { return schedule_.all(); }
    /// Counts how often they were listed anew: as long as it stays, they are the same, and so are the others.
    std::uint64_t changes_of_awake() const noexcept { return schedule_.changes(); }
    /// Merges the reports of the last step, in the order of the islands.
    void merge_reports(StepReport& report) const noexcept;

    // Queries (island_queries.cpp).
    std::size_t size() const noexcept { return islands_.size(); }
    /// Null for a free body.
    Island* operator[](std::size_t i) noexcept { return islands_[i].get(); }
    const Island* operator[](std::size_t i) const noexcept { return islands_[i].get(); }
    std::vector<IslandView> views(const Model& model) const;
    /// The island that made most attempts at substeps in the last step; null in an empty world. That of a free body
    /// may make the step once more. Allocates then.
    Island* busiest(const Model& model) const;
    /// See Island::sample. Free bodies that lanes advance have no dense output.
    bool sample(const Model& model, double t, BodyId id, BodyState& state) const;
    /// Assembles all islands at time t (s); bodies change only if all can be. Returns the sentence that says why a
    /// joint cannot be closed, or nothing.
    std::string_view assemble(Model& model, double t) noexcept;
    void add_to(BitHash& hash, const Model& model) const;
    void save(const Model& model, ArchiveWriter& writer);
    /// Throws std::invalid_argument for bytes that make no sense.
    void restore(Model& model, ArchiveReader& reader);

private:
    /// An island that is made anew, and what it inherits.
    struct MadeAnew {
        std::size_t number;
        IslandHeritage heritage;
    };

    /// What attempts that were taken back in the last step have cost.
    struct Repeated {
        std::int64_t evaluations = 0;
        std::int64_t work = 0; ///< on contacts
        bool interrupted = false;
    };

    /// When islands are brought up to date.
    enum class Moment : std::uint8_t {
        Between, ///< steps
        StepBegins,
        StepRepeats, ///< for some: the others have been advanced, and stay what they are
        Restore      ///< the bytes of a snapshot follow, and say what islands remember
    };

    void regroup(Model& model, Moment moment);
    bool have_many_lonely(const Model& model);
    void take_updated(Model& model);
    void learn_of_changes(const Model& model, Island& island) const;
    void update(Model& model, Moment moment);
    void configure_island(const Model& model, std::size_t number);
    void note_meetings(const Model& model);
    bool may_meet(std::span<const BodyId> bodies) const noexcept;
    bool is_retired(std::size_t number) const noexcept {
        return islands_[number] != nullptr ? islands_[number]->is_retired() : free_.is_retired(firsts_[number]);
    }
    std::unique_ptr<Island> island_of(const Model& model, BodyId free);
    Island& promote(const Model& model, std::size_t island);
    void advance_left_out(Model& model, double t0, double t1);
    void take_kept(Model& model);
    IslandHeritage heritage_of(const Model& model, std::span<const BodyId> bodies) const noexcept;
    bool is_by_team(const Island& island, const JobRunner* runner) const noexcept;
    template <class Take>
    void for_awake(bool again, const Take& take);
    void advance_chosen(Model& model, double t0, double t1, JobRunner* runner, bool with_free, StageTimes& times);
    void advance_by_team(Model& model, double t0, double t1, JobRunner& runner, StageTimes& times);
    StageTimes advance_job(Model& model, double t0, double t1, std::size_t job, const JobRunner* runner) noexcept;
    bool take_back_missed(Model& model, int repeats);
    bool is_needless(const Model& model, const ContactPair& pair);
    void repeat_missed(Model& model, double t0, double t1, JobRunner* runner, StageTimes& times);
    std::int64_t spent_so_far(const Model& model) const noexcept;
    StepAttempt attempt_of(const Model& model, const Island& island) const noexcept;
    void divide_budget(std::int64_t budget, bool with_free) noexcept;

    ThreadTeam team_; ///< makes large piles, one after the other
    std::vector<std::unique_ptr<Island>> islands_;
    std::vector<std::unique_ptr<Island>> updated_islands_; ///< scratch space
    std::vector<MadeAnew> heritages_;                      ///< scratch space
    std::vector<BodyId> firsts_; ///< first bodies of the islands; updated ones are scratch space
    std::vector<BodyId> updated_firsts_;
    FreeIslands free_;
    std::vector<BodyId> free_ids_;           ///< scratch space, like the following ones
    std::vector<std::uint8_t> has_meetings_; ///< by the index of a body: a pair of the contact table names it
    FreeBodyRules free_rules_;
    IslandStock stock_;
    IslandGrouping grouping_;
    PileBoxes pile_boxes_;                  ///< of the present step
    std::vector<BodyId> prescribed_bodies_; ///< static and kinematic bodies
    IslandSchedule schedule_;
    Repeated repeated_;
    PairChanges when_distributed_;    ///< pairs were told to islands as they were then
    bool are_records_told_ = false;   ///< and islands are the same since
    bool are_piles_known_ = false;    ///< pairs remember as their islands want them to, unless one becomes another
    bool are_sleepers_noted_ = false; ///< in the model
    bool are_outdated_ = true;
    bool structure_outdated_ = true;
    bool have_contacts_ = false;
    bool settings_outdated_ = false; ///< settings of islands that the next update keeps
};

} // namespace substep::detail
