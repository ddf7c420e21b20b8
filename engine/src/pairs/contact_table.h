// The candidate pairs of a world: which bodies could touch during the next step, and the memory of each pair.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bodies/body_store.h"
#include "bodies/contact_memory.h"
#include "pairs/broad_phase.h"
#include "pairs/pair_answers.h"
#include "pairs/pair_key.h"
#include "soft_steps/pile.h"

namespace substep::detail {

/// One point at which a pair of colliders touches, or could.
struct ContactPoint {
    std::uint64_t feature = 0; ///< names the point among those of its pair: the number of the feature that meets a
                               ///< face, or both parts of solids (PartPair::key)
    ContactMemory memory;
};

/// A pair of colliders that could touch, in the order in which their bodies were created. Its points are side by side
/// among those of the table. A pair of a pile remembers as soft steps do, and has no points; one whose solids are far
/// apart remembers nothing. Between `ContactTable::update` and `hand_over` a new one among many is said to be a pile's,
/// whosever it is.
struct ContactPair : ColliderPair {
    std::uint32_t first_point = 0;
    std::uint32_t point_count = 1;
    std::uint32_t memory = kNoMemory; ///< number of its memory among those of the table
    static constexpr std::uint32_t kNoMemory = 0xffffffffu;
    static constexpr std::uint32_t kFarOfPile = 0xfffffffeu;
    bool is_of_pile() const noexcept { return memory != kNoMemory; }
    bool is_near_of_pile() const noexcept { return memory < kFarOfPile; }
};

/// Whether a pair is one of a trigger. Both colliders are there.
bool is_of_trigger(const BodyTable& bodies, const ColliderPair& pair) noexcept;

/// Appends the points at which a pair could touch, which remember nothing. Returns how many these are.
std::uint32_t add_points(const BodyTable& bodies, const ContactPair& pair, std::vector<ContactPoint>& points);

/// Counts what changed since a world was made: who keeps what it made of the pairs compares them.
struct PairChanges {
    std::uint64_t of_colliders = 0; ///< bodies, colliders, joints or materials: whenever they may have
    std::uint64_t of_pairs = 0;     ///< other pairs, or elsewhere in the list
    std::uint64_t of_memory = 0;    ///< where pairs remember what, or what their surfaces are
    bool operator==(const PairChanges&) const = default;
};

/// The candidate pairs of a world, and what their points remember. Pairs are in the order in which their bodies were
/// created, because indices are given by chance. Pairs that hold (slide or stick) stay candidates wherever their bodies
/// are expected.
class ContactTable {
public:
    /// Says that bodies or joints were created or destroyed: `list` has to be called before the next `update`.
    void outdate() noexcept {
        is_list_outdated_ = true;
        ++changes_.of_colliders;
    }
    bool is_outdated() const noexcept { return is_list_outdated_; }

    /// Lists anew which bodies can touch; `joined` are the pairs that a joint connects. Returns true if pairs were
    /// dropped.
    bool list(const BodyTable& bodies, std::span<const BodyPair> joined);
    /// Whether any two bodies can meet, or have met.
    bool can_meet() const noexcept { return !pairs_.empty() || broad_phase_.can_meet(); }

    /// Forgets the pairs of a body that is destroyed, and their memory.
    void forget(BodyId body) {
        const auto is_of_body = [&](const ColliderPair& pair) { return pair.a == body || pair.b == body; };
        std::erase_if(pairs_, is_of_body);
        ++changes_.of_pairs;
        answers_.forget(is_of_body);
    }
    /// The same for one of its colliders.
    void forget(const ColliderId& id) {
        const auto is_of_collider = [&](const ColliderPair& pair) {
            return ColliderId{pair.a, pair.collider_a} == id || ColliderId{pair.b, pair.collider_b} == id;
        };
        std::erase_if(pairs_, is_of_collider);
        ++changes_.of_pairs;
        answers_.forget(is_of_collider);
    }

    /// Finds the candidates of a step, and writes what is expected of each body to the paths of `steps`. Returns true
    /// if they connect other dynamic bodies than before. Where pairs are new, each has to be handed over to those whose
    /// it is before its points are asked for.
    bool update(const BodyTable& bodies, const SweptStep& step, BodySteps& steps);

    /// Finds the pairs that came together in this step although they are no candidates; `far` adds those that a chain
    /// of hits could bring together. Empty: the step stands. Valid until the next call.
    std::span<const ContactPair> find_missed(const BodyTable& bodies, const SweptStep& step, const BodySteps& steps,
                                             bool far);
    /// Drops those of the missed pairs that make no difference, as `is_needless` tells. Returns the others.
    template <class IsNeedless>
    std::span<const ContactPair> drop_missed(const IsNeedless& is_needless) {
        std::erase_if(missed_pairs_, is_needless);
        return missed_pairs_;
    }
    /// The pairs of triggers among all that were found in this step, missed ones too, in the order of their keys.
    std::span<const ContactPair> triggers_found() const noexcept { return triggers_found_; }
    /// Whether a pair is there, and filters and joints let it touch.
    bool lets_touch(const BodyTable& bodies, const ColliderPair& pair) const noexcept {
        return bodies.find(pair.a) != nullptr && bodies.find(pair.b) != nullptr &&
               broad_phase_.touchable().lets_touch(bodies, pair);
    }

    /// Appends the touches of the last step that began or ended: those of `impacts` at their times, others at `end`
    /// (s). None where pairs have come from a snapshot since.
    void add_touch_events(std::span<const Impact> impacts, double end, std::vector<TouchEvent>& events) const;

    /// Adds the missed pairs to the candidates. Points of pairs with a body that `is_taken_back` remember what they did
    /// where the step began.
    template <class IsTakenBack>
    void add_missed(const BodyTable& bodies, IsTakenBack&& is_taken_back) {
        merge_missed(bodies);
        for (ContactPair& pair : pairs_) {
            if (is_taken_back(pair.a) || is_taken_back(pair.b)) {
                take_back(pair);
            }
        }
        ++changes_.of_memory;
        is_scattered_ = true;
    }

    std::span<const ContactPair> pairs() const noexcept { return pairs_; }
    const PairChanges& changes() const noexcept { return changes_; }
    std::span<const ContactPoint> points(const ContactPair& pair) const noexcept {
        return std::span(points_).subspan(pair.first_point, pair.point_count);
    }
    std::span<ContactPoint> points(const ContactPair& pair) noexcept {
        return std::span(points_).subspan(pair.first_point, pair.point_count);
    }

    /// What a pair of a pile remembers.
    PairMemory memory(const ContactPair& pair) const noexcept {
        return pair.is_near_of_pile() ? memories_[pair.memory] : PairMemory{};
    }
    /// All of it; pairs say which is theirs.
    std::span<PairMemory> memories() noexcept { return memories_; }
    /// Forgets where the solids of such pairs of piles were found to touch. What they press with goes on.
    template <class IsOther>
    void test_anew(const IsOther& is_other) {
        for (const ContactPair& pair : pairs_) {
            if (pair.is_near_of_pile() && is_other(pair)) {
                memories_[pair.memory].was_tested = false;
            }
        }
    }
    /// Gives a pair of a pile, by its number, back what it remembered where the step began.
    void recall(std::size_t number) noexcept;
    /// Makes a pair, by its number, one of a pile, or one that is none. What it remembers of forces goes on as well as
    /// the other kind can hold it, at time t (s) where its next step begins.
    void hand_over(const BodyTable& bodies, std::size_t number, bool to_pile, double t);
    /// Says of a pair of a pile, by its number, whether its solids are so far apart that the next step has nothing to
    /// do with them.
    void set_far(std::size_t number, bool is_far);
    /// How many points of a pair press, or are held; whether any is.
    std::size_t touching(const ContactPair& pair) const noexcept { return touching(pair, points_, memories_); }
    bool touches(const ContactPair& pair) const noexcept { return touching(pair) > 0; }

    /// What two surfaces make together: as a rule has answered, else as their materials say.
    SurfacePair surface(const BodyTable& bodies, const ColliderPair& pair) const noexcept;
    /// Whether they resist rolling or spinning.
    bool resists_turning(const BodyTable& bodies, const ColliderPair& pair) const noexcept;
    /// What a host's rule has answered, in the order of the pairs' keys.
    std::span<const DecidedPair> answers() const noexcept { return answers_.all(); }
    /// Takes over answers from a snapshot, behind the pairs.
    void set_answers(std::vector<DecidedPair> answers) noexcept {
        answers_.set(std::move(answers));
        ++changes_.of_memory;
    }
    /// Says that there is another rule: all pairs are new to it.
    void forget_answers() noexcept {
        answers_.clear();
        ++changes_.of_memory;
    }

    /// Takes over from a snapshot what `read` appends to three empty lists: pairs, their points and what those of piles
    /// remember, in the same order. There are no answers then. Where `read` throws nothing has changed.
    template <class Read>
    void set_pairs(const BodyTable& bodies, const Read& read) {
        found_pairs_.clear(); // lists that have room: those of a thousand cubes are megabytes
        found_points_.clear();
        found_memories_.clear();
        read(found_pairs_, found_points_, found_memories_);
        std::swap(pairs_, found_pairs_);
        std::swap(points_, found_points_);
        std::swap(memories_, found_memories_);
        answers_.clear();
        outdate(); // joints may have been created since they were found
        ++changes_.of_pairs;
        knows_last_step_ = false;
        rank_bodies(bodies);
    }

    /// Returns how many pairs it has room for.
    std::size_t room() const noexcept { return pairs_.capacity(); }

    /// Returns how many of the world's bodies were created before this one, for bodies in `pairs`.
    std::uint32_t rank(BodyId body) const noexcept { return rank_of_[body.index]; }
    PairKey key(const ColliderPair& pair) const noexcept {
        return {end_of_pair(rank(pair.a), pair.collider_a), end_of_pair(rank(pair.b), pair.collider_b)};
    }

private:
    void rank_bodies(const BodyTable& bodies);
    bool comes_before(const ColliderPair& x, const ColliderPair& y) const noexcept { return key(x) < key(y); }
    /// The same as a function.
    auto before() const noexcept {
        return [this](const ColliderPair& x, const ColliderPair& y) { return comes_before(x, y); };
    }
    /// Whether neither end of a pair moves, nor did in the last search.
    bool stand_still(const ColliderPair& pair) const noexcept {
        return broad_phase_.stands_still(pair.a) && broad_phase_.stands_still(pair.b);
    }
    /// Whether a pair remains a candidate wherever its bodies are expected: what holds, and what stands still.
    bool stays(const ContactPair& pair) const noexcept;
    void sort(std::vector<ContactPair>& pairs);
    template <class RankOf>
    void deal(std::vector<ContactPair>& pairs, const RankOf& rank_of);
    ContactPair in_order(const ColliderPair& each) const noexcept;
    void part_from_triggers(const BodyTable& bodies);
    void take_pairs(std::span<const ColliderPair> found, std::vector<ContactPair>& pairs) const;
    bool are_as_before(std::span<const ColliderPair> in_order) const noexcept;
    void keep_pairs();
    void list_moving();
    void merge_found(std::span<const ColliderPair> in_order);
    bool take_found(const BodyTable& bodies);
    void merge_missed(const BodyTable& bodies);
    void take_back(ContactPair& pair);
    static std::size_t touching(const ContactPair& pair, std::span<const ContactPoint> points,
                                std::span<const PairMemory> memories) noexcept;

    std::vector<ContactPair> pairs_;
    std::vector<ContactPoint> points_; ///< of all pairs; those of pairs forgotten stay until the next update
    std::vector<PairMemory> memories_; ///< likewise, of those of piles
    PairAnswers answers_;              ///< of a host's rule
    bool is_list_outdated_ = true;
    bool knows_last_step_ = false; ///< earlier_pairs_ are those where the last step began
    bool is_scattered_ = false;    ///< points or memories of nobody lie among those of the pairs
    PairChanges changes_;

    // Rebuilt when outdated, or each step.
    BroadPhase broad_phase_;
    std::vector<std::uint32_t> rank_of_;     ///< by a body's index
    std::vector<ContactPair> earlier_pairs_; ///< those of the step before, with what their points remembered
    std::vector<ContactPoint> earlier_points_;
    std::vector<PairMemory> earlier_memories_;
    std::vector<ContactPair> missed_pairs_;
    std::vector<ContactPair> triggers_found_;
    std::vector<ColliderPair> found_colliders_; ///< scratch space, like the following ones
    std::vector<ColliderPair> spread_colliders_;
    std::vector<ContactPair> found_pairs_;
    std::vector<ContactPair> other_pairs_;
    std::vector<ContactPair> dealt_pairs_;
    PairChanges when_kept_;                   ///< earlier_pairs_ are pairs_ as they were then
    std::vector<std::uint32_t> moving_pairs_; ///< numbers of those of which an end moves
    std::uint64_t pairs_when_listed_ = 0;     ///< PairChanges::of_pairs
    std::uint64_t still_when_listed_ = 0;     ///< BroadPhase::changes_of_still
    std::vector<std::uint32_t> deal_ends_;
    std::vector<ContactPoint> found_points_;
    std::vector<PairMemory> found_memories_;
};

/// Returns how many pairs to make room for: a bounded body is near everything without end, and near twelve others of
/// its size, as many balls as touch one at once. More pairs allocate.
inline std::size_t most_contacts(std::size_t bounded, std::size_t unbounded) noexcept {
    return bounded * (unbounded + 6);
}

} // namespace substep::detail
