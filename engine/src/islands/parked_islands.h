// Free bodies whose settings no lanes know: their islands are parked, and made one after the other by those that jobs
// lend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "free_bodies/free_body.h"
#include "islands/island.h"
#include "islands/model.h"
#include "islands/parked_island.h"

namespace substep::detail {

class ParkedIslands {
public:
    /// Makes room for bodies with indices below `limit`, some of which are begun next.
    void resize(std::size_t limit) {
        parked_.resize(limit);
        begun_ = {};
    }
    std::size_t limit() const noexcept { return parked_.size(); } ///< of indices
    /// Whether a body is parked, or was before it became part of an Island.
    bool has(std::size_t index) const noexcept { return index < parked_.size() && parked_[index] != nullptr; }
    ParkedIsland& at(std::size_t index) noexcept { return *parked_[index]; }
    const ParkedIsland& at(std::size_t index) const noexcept { return *parked_[index]; }
    ParkedIsland& operator[](BodyId id) noexcept { return *parked_[id.index]; }
    const ParkedIsland& operator[](BodyId id) const noexcept { return *parked_[id.index]; }
    /// Frees what a body took that is parked no more. One that is an Island for a while keeps it.
    void drop(BodyId id) noexcept { parked_[id.index].reset(); }

    bool uses(const FreeBodyRule& rule) const noexcept; ///< some body goes by it, or did

    /// Begins a body that inherits nothing as the last one did that was parked so: what such an island remembers is of
    /// no body. Returns false, with nothing done, where that went by another rule, or there is a ledger.
    bool begin_alike(const Model& model, BodyId id, const FreeBodyRule& rule);
    /// Says that a body was parked that inherits nothing, and has made no step.
    void note_begun(BodyId id) noexcept { begun_ = id; }
    /// Parks the island of a body. Returns false, with nothing done, if that has more to remember.
    bool park(const Model& model, Island& island, BodyId id, const FreeBodyRule& rule);
    /// Returns the island that edits and queries are lent, made that of a body; valid until the next one is.
    Island& lend(const Model& model, BodyId id) const;
    /// The same, not made yet.
    Island& lend() const { return *lent_to_queries().island; }

    /// Begins a step of so many jobs. Allocates where there were never as many.
    void begin(std::size_t jobs);
    /// Advances those of a job, by the list of their indices. Those that cannot be parked behind it are `kept`.
    FreeAdvance advance(Model& model, const FreeStep& step, std::span<const std::uint32_t> indices,
                        std::size_t job) noexcept;
    /// Hands over the islands that the last step kept, in the order of the jobs.
    void take_kept(std::vector<KeptIsland>& kept) noexcept;
    /// Takes the body back to where its last step began.
    void take_back(BodyRecord& body, BodyId id) noexcept;
    /// The island of a body as its last step left it, if that was the one of its job with most attempts at substeps.
    Island* as_stepped(BodyId id) const noexcept;

private:
    LentIsland& lent_to_queries() const;
    ParkedIsland& place_for(BodyId id); ///< allocates where it was never parked

    std::vector<std::unique_ptr<ParkedIsland>> parked_; ///< by the indices of bodies
    std::vector<std::unique_ptr<LentIsland>> lent_;     ///< by jobs
    mutable std::unique_ptr<LentIsland> of_queries_;
    BodyId begun_; ///< since `resize`, the last one that was; no body: nobody
};

} // namespace substep::detail
