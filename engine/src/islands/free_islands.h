// The islands of a world that need no Island: single bodies that nothing ties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "archive/archive.h"
#include "free_bodies/free_body.h"
#include "islands/island_heritage.h"
#include "islands/model.h"
#include "substep/numerics/bit_hash.h"

namespace substep::detail {

/// The rules by which free bodies are advanced: one for all bodies with the same settings.
class FreeBodyRules {
public:
    /// The rule for a body that no joint ties and no contact is near; null where its settings, those of the world or a
    /// field that acts on it need an Island. Allocates for settings that are new.
    const FreeBodyRule* rule_for(const Model& model, BodyId id);
    /// Says that settings changed.
    void outdate() noexcept { knows_world_ = false; }
    /// Drops the rules that nobody goes by, once there are many.
    void prune(std::span<const FreeBody> bodies);

private:
    const FreeBodyRule* find(const IntegratorSettings& settings);

    std::vector<std::unique_ptr<FreeBodyRule>> rules_;
    const FreeBodyRule* of_world_ = nullptr; ///< for bodies without settings of their own
    bool knows_world_ = false;
};

/// Gives a body another rule: where that leads along another trajectory, the next step starts anew.
void adopt_rule(FreeBody& body, const FreeBodyRule& rule) noexcept;

IslandHeritage heritage_of(const FreeBody& body) noexcept;

/// Takes the body back to where the last step began, and retires it. Returns what the step has cost.
StepCost take_back(FreeBody& body, Model& model) noexcept;

// As those of an Island of the same body: see island_snapshot.h. `restore_free_body` returns false, with the reader
// where it was, if the bytes are those of an island that has more to remember.
void add_to_hash(const FreeBody& body, BitHash& hash, bool has_budget) noexcept;
void save_free_body(FreeBody& body, ArchiveWriter& writer);
bool restore_free_body(FreeBody& body, Model& model, ArchiveReader& reader);

/// Free bodies, and one step of all of them.
class FreeIslands {
public:
    /// Makes room for bodies with indices below `limit`.
    void resize(std::size_t limit) { bodies_.resize(limit); }
    FreeBody& operator[](BodyId id) noexcept { return bodies_[id.index]; }
    const FreeBody& operator[](BodyId id) const noexcept { return bodies_[id.index]; }

    /// Lists those that are free, bodies of one rule one after the other.
    void list(std::span<const BodyId> ids);
    /// Takes one off the list, which is cleared of those it lost where the next step begins.
    void remove(BodyId id) noexcept {
        bodies_[id.index].rule = nullptr;
        lost_some_ = true;
    }
    std::span<const FreeBody> bodies() const noexcept { return bodies_; } ///< also some that are free no more

    /// Begins a step of all of them; it is made by jobs, each of which writes to bodies of its own.
    void begin(const Model& model, double t0, double t1);
    std::size_t jobs() const noexcept { return done_.size(); }
    void advance(Model& model, std::size_t job) noexcept;
    /// Those that could not be advanced, in the order of their indices. Allocates where there are any.
    std::vector<BodyId> left_out() const;

    /// Merges the reports of the last step. Anew: where some bodies were taken back since.
    void merge_reports(StepReport& report) const noexcept;
    void merge_anew() noexcept;
    double step_length() const noexcept { return step_.t1 - step_.t0; } ///< s, of the last step

private:
    std::vector<FreeBody> bodies_;      ///< by their indices; of others than those listed they mean nothing
    std::vector<std::uint32_t> listed_; ///< indices
    std::vector<FreeAdvance> done_;     ///< by jobs
    FreeStep step_;
    bool lost_some_ = false; ///< some of those listed are free no more
};

} // namespace substep::detail
