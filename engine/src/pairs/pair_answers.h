// What a host's rule has answered about pairs, kept as long as they are near.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bodies/body_store.h"
#include "pairs/pair_key.h"
#include "substep/engine/pair_rule.h"

namespace substep::detail {

/// A pair that the rule has decided about.
struct DecidedPair : ColliderPair {
    PairAnswer answer;
};

/// The answers of a rule, in the order of the pairs' names. Nothing is kept where there is no rule.
class PairAnswers {
public:
    /// Decides about the candidates of a step that begins at t (s), and drops those that are refused; they are in the
    /// order that `before` tells, of which those answers are that are kept. Who was refused stays so while the two
    /// overlap, or both `stand` still. Allocates to grow.
    template <class Pair, class Before, class Stand>
    void decide(const PairRule& rule, const BodyTable& bodies, double t, std::vector<Pair>& pairs, const Before& before,
                const Stand& stand) {
        next_.clear();
        auto old = decided_.begin();
        const auto keep_still = [&] { // nobody looks for pairs of two that stand still
            if (!old->answer.touch && stand(*old)) {
                next_.push_back(*old);
            }
            ++old;
        };
        std::erase_if(pairs, [&](const Pair& pair) {
            while (old != decided_.end() && before(*old, pair)) {
                keep_still();
            }
            const bool is_known = old != decided_.end() && static_cast<const ColliderPair&>(*old) == pair;
            if (is_known && (old->answer.touch || stand(pair) || overlap(bodies, pair, t))) {
                next_.push_back(*old++);
                return !next_.back().answer.touch;
            }
            old += is_known ? 1 : 0;
            return !ask(rule, bodies, pair, t, next_.end(), next_);
        });
        while (old != decided_.end()) {
            keep_still();
        }
        std::swap(decided_, next_);
    }

    /// Decides about pairs that were missed in a step from t to t1 (s) which has been made, and drops those that are
    /// refused.
    template <class Pair, class Before>
    void decide_missed(const PairRule& rule, const BodyTable& bodies, double t, std::vector<Pair>& pairs,
                       const Before& before) {
        std::erase_if(pairs, [&](const Pair& pair) {
            const auto place = std::lower_bound(decided_.begin(), decided_.end(), pair, before);
            if (place != decided_.end() && static_cast<const ColliderPair&>(*place) == pair) {
                return !place->answer.touch;
            }
            return !ask(rule, bodies, pair, t, place, decided_, true);
        });
    }

    /// Returns what was answered about a pair, or null.
    template <class Before>
    const PairAnswer* find(const ColliderPair& pair, const Before& before) const noexcept {
        const auto place = std::lower_bound(decided_.begin(), decided_.end(), pair, before);
        return place != decided_.end() && static_cast<const ColliderPair&>(*place) == pair ? &place->answer : nullptr;
    }

    /// Forgets the pairs of which `is_gone` is true.
    template <class IsGone>
    void forget(const IsGone& is_gone) {
        std::erase_if(decided_, is_gone);
    }
    void clear() noexcept { decided_.clear(); }

    std::span<const DecidedPair> all() const noexcept { return decided_; }
    void set(std::vector<DecidedPair> decided) noexcept { decided_ = std::move(decided); }

private:
    static bool overlap(const BodyTable& bodies, const ColliderPair& pair, double t) noexcept;
    static bool ask(const PairRule& rule, const BodyTable& bodies, const ColliderPair& pair, double t,
                    std::vector<DecidedPair>::iterator place, std::vector<DecidedPair>& decided,
                    bool is_step_made = false);

    std::vector<DecidedPair> decided_;
    std::vector<DecidedPair> next_; ///< scratch space
};

/// Throws std::invalid_argument for a surface out of range.
void require_surface(const SurfacePair& surface);

} // namespace substep::detail
