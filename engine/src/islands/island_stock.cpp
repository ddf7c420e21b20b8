// The choice of an island from the stock, and how many are made ahead.
#include "islands/island_stock.h"

#include <algorithm>
#include <utility>

#include "pairs/contact_table.h"
#include "substep/collision/convex.h"
#include "substep/collision/feature.h"
#include "substep/collision/manifold.h"

namespace substep::detail {
namespace {

// Spare islands, and room for contacts, are made ahead where no more bodies than this can meet: beyond, they would take
// more memory than they save time. Ten thousand loose spheres with room for contacts took 96 kB each, without it 19 kB.
constexpr std::size_t kMostSizedAhead = 16;

// Pairs for which an island of few bodies out of many has room.
constexpr std::size_t kPairsOfBody = 3;

// Spare islands for which there is a place in their list before they are any.
constexpr std::size_t kSparesAhead = 1024;

// Islands with joints that are kept in case the same bodies meet or part again: a body that swings against a chain of
// ten makes no more of them in a while.
constexpr std::size_t kMostKnown = 32;

/// What touches others of a body.
struct TouchingParts {
    std::size_t bounded = 0;   ///< colliders that have an end
    std::size_t unbounded = 0; ///< and those that have none
    std::size_t features = 0;  ///< of the bounded ones: at how many points they may touch something
    bool are_balls = true;     ///< all of the bounded ones
};

TouchingParts touching_parts(const BodyRecord& body) noexcept {
    TouchingParts parts;
    for (const ColliderRecord& collider : body.colliders.all()) {
        const Shape& shape = collider.desc.shape;
        if (!collider.desc.is_enabled || collider.desc.is_trigger) {
            continue;
        }
        if (!is_bounded(shape)) {
            ++parts.unbounded;
            continue;
        }
        ++parts.bounded;
        parts.are_balls = parts.are_balls && is_ball(shape);
        parts.features += is_ball(shape) ? 1 : std::max<std::size_t>(feature_count(shape), Manifold::kMaxPoints);
    }
    return parts;
}

bool touches_and_is_bounded(const BodyRecord& body) noexcept { return touching_parts(body).bounded > 0; }

} // namespace

std::unique_ptr<Island> IslandStock::take(const Model& model, const IslandMembers& members, bool may_meet) {
    if (!members.joints.empty()) {
        if (std::unique_ptr<Island> known = take_known(model, members)) {
            return known;
        }
    }
    auto island = members.joints.empty() ? take_spare(members.bodies.size()) : std::make_unique<Island>();
    island->make(model, members, contacts_of(model, members.bodies, may_meet));
    return island;
}

void IslandStock::put(std::unique_ptr<Island> island, bool may_meet_again) {
    if (!island->has_joints()) {
        spare_islands_.push_back(std::move(island));
    } else if (may_meet_again && island->can_be_made_again()) {
        if (known_islands_.size() == kMostKnown) {
            known_islands_.erase(known_islands_.begin());
        }
        known_islands_.push_back(std::move(island));
    }
}

bool IslandStock::drop_if_outdated(const WorldSettings& settings) {
    if (settings.integrator.method == spares_method_ && settings.energy_ledger == spares_book_) {
        return false;
    }
    spare_islands_.clear();
    return true;
}

void IslandStock::count_colliding(const Model& model) noexcept {
    bounded_count_ = unbounded_count_ = prescribed_count_ = 0;
    for (const BodyId id : model.bodies.ids()) {
        const BodyRecord& body = model.bodies[id];
        const TouchingParts parts = touching_parts(body);
        bounded_count_ += parts.bounded > 0 ? 1 : 0;
        unbounded_count_ += parts.unbounded;
        prescribed_count_ += body.is_dynamic() ? 0 : parts.bounded + parts.unbounded;
    }
}

// A spare island with room enough, the smallest; else one that grows, or a new one. Of thousands most have just the
// room that is asked for, so that the search ends where it begins. Where many bodies may meet, few of them get one with
// just their room or a new one, and none of those grows for many: whenever as many islands of each size are in use as
// were once before, all are there.
std::unique_ptr<Island> IslandStock::take_spare(std::size_t bodies) {
    if (spare_islands_.empty()) {
        return std::make_unique<Island>();
    }
    std::size_t best = spare_islands_.size() - 1;
    for (std::size_t i = best; i-- > 0 && spare_islands_[best]->room() != bodies;) {
        const std::size_t room = spare_islands_[i]->room();
        const std::size_t best_room = spare_islands_[best]->room();
        const bool better = best_room < bodies ? room > best_room : room >= bodies && room < best_room;
        best = better ? i : best;
    }
    const std::size_t room = spare_islands_[best]->room();
    const bool suits = bodies <= kMostSizedAhead ? room == bodies : room > kMostSizedAhead;
    if (bounded_count_ > kMostSizedAhead && !suits) {
        return std::make_unique<Island>();
    }
    std::swap(spare_islands_[best], spare_islands_.back());
    std::unique_ptr<Island> island = std::move(spare_islands_.back());
    spare_islands_.pop_back();
    return island;
}

// Returns an island with joints of just these members, from when they met before; null if there is none.
std::unique_ptr<Island> IslandStock::take_known(const Model& model, const IslandMembers& members) {
    const auto known = std::ranges::find_if(
        known_islands_, [&](const std::unique_ptr<Island>& island) { return island->consists_of(members); });
    if (known == known_islands_.end()) {
        return nullptr;
    }
    std::unique_ptr<Island> island = std::move(*known);
    known_islands_.erase(known);
    island->make_again(model);
    return island;
}

// Contacts that an island of these bodies makes room for: of few all that there may be of their pairs with one another
// and with what is prescribed. Where many bodies may meet those are the pairs of few that have met, for all of them are
// rarely near one another, and a floor or walls beside them; larger islands grow.
std::size_t IslandStock::contacts_of(const Model& model, std::span<const BodyId> bodies, bool may_meet) const noexcept {
    std::size_t bounded = 0;
    std::size_t features = 0;
    std::size_t parts_before = 0;
    std::size_t pairs = 0;
    bool are_balls = true;
    for (const BodyId id : bodies) {
        const TouchingParts parts = touching_parts(model.bodies[id]);
        const std::size_t of_body = parts.bounded + parts.unbounded;
        bounded += parts.bounded > 0 ? 1 : 0;
        features += parts.features;
        pairs += of_body * (parts_before + prescribed_count_);
        parts_before += of_body;
        are_balls = are_balls && parts.are_balls;
    }
    if (bounded_count_ + unbounded_count_ > 1 && bounded_count_ <= kMostSizedAhead) {
        const std::size_t points = pairs * (are_balls ? 1 : Manifold::kMaxPoints);
        return std::min(most_contacts(features, unbounded_count_), points);
    }
    if (!may_meet || bounded > kMostSizedAhead) {
        return 0;
    }
    const std::size_t others = bounded_count_ + unbounded_count_ - bounded;
    return std::min(bounded * (bounded - 1) / 2 + bounded * others, kPairsOfBody * bounded);
}

// Bodies that meet and part make islands of other sizes. c spheres make at most c / n islands of n or more at a time:
// for every doubling of n as many exist or are made ahead, so that none has to be made in mid-run.
void IslandStock::provide(const Model& model, std::span<const std::unique_ptr<Island>> in_use) {
    known_islands_.reserve(kMostKnown);
    std::vector<BodyId> colliding;
    for (const BodyId id : model.bodies.ids()) {
        if (touches_and_is_bounded(model.bodies[id]) && model.bodies[id].is_dynamic()) {
            colliding.push_back(id);
        }
    }
    spares_method_ = model.settings.integrator.method;
    spares_book_ = model.settings.energy_ledger;
    const std::size_t c = colliding.size();
    if (c < 2 || c > kMostSizedAhead) {
        spare_islands_.resize(std::min(spare_islands_.size(), c < 2 ? 0 : c));
        spare_islands_.reserve(std::min(c, kSparesAhead));
        return;
    }
    std::vector<std::unique_ptr<Island>> provided;
    for (std::size_t least = 1, most = 1; least <= c; least = most + 1, most *= 2) {
        const auto fits = [&](const std::unique_ptr<Island>& island) {
            return island != nullptr && island->room() >= least && island->room() <= most;
        };
        const auto there = static_cast<std::size_t>(std::ranges::count_if(in_use, fits));
        const auto members = std::span(colliding).first(std::min(most, c));
        for (std::size_t missing = c / least - std::min(c / least, there); missing > 0; --missing) {
            const auto spare = std::ranges::find_if(spare_islands_, fits);
            provided.push_back(spare != spare_islands_.end() ? std::move(*spare) : std::make_unique<Island>());
            if (provided.back()->room() == 0) {
                provided.back()->make(model, {members, {}, {}}, contacts_of(model, members, true));
            }
        }
    }
    spare_islands_ = std::move(provided);
    spare_islands_.reserve(spare_islands_.size() + in_use.size());
}

} // namespace substep::detail
