// The islands of a world that need no Island: single bodies that nothing ties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "archive/archive.h"
#include "free_bodies/free_body.h"
#include "islands/island.h"
#include "islands/island_heritage.h"
#include "islands/island_settings.h"
#include "islands/model.h"
#include "islands/parked_islands.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

/// The rules by which free bodies are advanced: one for all bodies with the same settings.
class FreeBodyRules {
public:
    /// The rule for a body that no joint ties and no contact is near; null where its settings, those of the world or a
    /// field that acts on it need an Island. Allocates for settings that are new.
    const FreeBodyRule* rule_for(const Model& model, BodyId id);
    /// Says how many islands there are: of few, those that no lanes advance stay as they are.
    void count(std::size_t islands) noexcept;
    /// Whether there are so many islands that those of bodies which no lanes advance are parked.
    bool parks() const noexcept { return parks_; }
    /// Says that settings changed.
    void outdate() noexcept { knows_world_ = false; }
    /// Drops the rules that `is_used` does not name, once there are many.
    template <class IsUsed>
    void prune(const IsUsed& is_used) {
        if (rules_.size() > kMany) {
            std::erase_if(rules_, [&](const std::unique_ptr<FreeBodyRule>& rule) {
                return rule.get() != of_world_ && !is_used(*rule);
            });
        }
    }

private:
    // Rules beyond which those without a body are dropped: a slider that is dragged makes one a frame.
    static constexpr std::size_t kMany = 64;

    const FreeBodyRule* find(const Model& model, IntegratorSettings settings);

    std::vector<std::unique_ptr<FreeBodyRule>> rules_;
    const FreeBodyRule* of_world_ = nullptr; ///< for bodies without settings of their own
    bool knows_world_ = false;
    bool parks_ = false; ///< there are enough islands that some are parked
};

/// The islands of free bodies, whatever they are while none is made, and one step of all of them: in lanes, or made one
/// after the other by islands that jobs lend.
class FreeIslands {
public:
    /// Makes room for bodies with indices below `limit`.
    void resize(std::size_t limit);
    /// Whether the place of a body was last used by that body, free, and its last step was not taken back.
    bool goes_on(BodyId id) const noexcept { return is_of(id) && !is_retired(id); }
    /// Whether what is known in its place is of that body.
    bool is_of(BodyId id) const noexcept;
    bool is_retired(BodyId id) const noexcept; ///< the last step was taken back, and is made by an island

    // Each returns false, with nothing done, if the body needs an Island.
    /// Begins a body, with what former islands hand on.
    bool begin(const Model& model, BodyId id, const FreeBodyRule& rule, const IslandHeritage& heritage);
    /// Takes over the only body of an island.
    bool take_over(const Model& model, Island& island, const FreeBodyRule& rule);
    /// Gives a body another rule: where that leads along another trajectory, the next step starts anew.
    bool adopt(const Model& model, BodyId id, const FreeBodyRule& rule);

    /// Makes an Island of a body, which goes on as it did.
    void make(const Model& model, BodyId id, Island& island, std::size_t contacts) const;
    /// Forgets the steps of a body, but for what it hands on.
    void renew(BodyId id) noexcept;
    /// Says that a force on every body changed.
    void model_changed(BodyId id) noexcept;
    /// Takes the body back to where the last step began, and retires it. Returns what the step has cost.
    StepCost take_back(BodyId id, Model& model) noexcept;

    /// Lists those that are free.
    void list(std::span<const BodyId> ids);
    /// Takes one off the list, which is cleared of those it lost where the next step begins.
    void remove(BodyId id) noexcept;
    bool uses(const FreeBodyRule& rule) const noexcept; ///< some body goes by it, or did

    /// Begins a step of all of them; it is made by jobs, each of which writes to bodies of its own.
    void begin_step(const Model& model, double t0, double t1);
    std::size_t jobs() const noexcept { return done_.size(); }
    bool has_parked() const noexcept { return in_lanes_ < listed_.size(); } ///< in the step that was begun
    void advance(Model& model, std::size_t job) noexcept;
    /// Those that could not be advanced, in the order of their indices. Allocates where there are any.
    std::vector<BodyId> left_out() const;
    /// The islands of those that were, but have more to remember now, in the order of their bodies.
    std::vector<KeptIsland> kept();

    /// Claims their part of a shared budget, and takes it, once all have claimed theirs. Of worlds that have one, where
    /// no body is in lanes.
    void claim(SharedBudget& shared) const noexcept;
    void grant(const SharedBudget& shared) noexcept;
    std::int64_t spent_of_shared_budget() const noexcept; ///< evaluations, in the last step

    /// See Island::settle_accounts.
    StepEnergy settle_accounts(BodyId id, LedgerAccounts& accounts);

    /// Merges the reports of the last step. Anew: where some bodies were taken back since.
    void merge_reports(StepReport& report) const noexcept;
    void merge_anew() noexcept;

    // Queries.
    IslandHeritage heritage(BodyId id) const noexcept;
    double remembered_step(BodyId id) const noexcept; ///< s
    StepReport report(BodyId id) const noexcept;
    IslandView view(const Model& model, BodyId id) const;
    std::size_t attempts(BodyId id) const noexcept; ///< at substeps in the last step, as many as a service remembers
    /// The island of a body as its last step left it, and its attempts at substeps. Allocates.
    Island* as_stepped(const Model& model, BodyId id) const;
    /// See Island::sample.
    bool sample(const Model& model, double t, BodyId id, BodyState& state) const;
    void add_to(BitHash& hash, const Model& model, BodyId id, bool has_budget) const;
    void save(const Model& model, BodyId id, ArchiveWriter& writer);
    /// Returns false, with the reader where it was, if the bytes are those of an island that has more to remember.
    bool restore(Model& model, BodyId id, ArchiveReader& reader);

private:
    std::string_view first_message(StepStatus worst) const noexcept;
    bool is_parked(BodyId id) const noexcept { return parked_.has(id.index); }
    FreeBody& in_lanes(BodyId id) noexcept { return bodies_[id.index]; }
    const FreeBody& in_lanes(BodyId id) const noexcept { return bodies_[id.index]; }
    const FreeBodyRule*& rule_at(std::size_t index) noexcept;
    const FreeBodyRule* rule_at(std::size_t index) const noexcept;
    BodyId body_at(std::size_t index) const noexcept;
    void put_in_lanes(const FreeBody& body);
    double step_length() const noexcept { return step_.t1 - step_.t0; } ///< s, of the last step
    std::size_t lane_jobs() const noexcept;

    // By the indices of bodies; of others than those listed they mean nothing.
    std::vector<FreeBody> bodies_;      ///< in lanes, unless parked; none while nobody was ever in lanes
    ParkedIslands parked_;              ///< of those whose rules have no lanes
    std::vector<std::uint32_t> listed_; ///< indices, of one rule one after the other; those with lanes first
    std::size_t in_lanes_ = 0;          ///< how many have lanes
    std::vector<FreeAdvance> done_;     ///< by jobs
    FreeStep step_;
    bool lost_some_ = false;                   ///< some of those listed are free no more
    mutable std::unique_ptr<Island> repeated_; ///< of a body whose last step somebody looked at
};

} // namespace substep::detail
