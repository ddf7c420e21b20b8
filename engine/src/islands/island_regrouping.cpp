// The hand-over from old islands to new ones, and which bodies need none.
#include "islands/islands.h"

#include <algorithm>
#include <utility>

namespace substep::detail {
namespace {

// Islands for whose inheritance room is made before they form.
constexpr std::size_t kMostAnew = 256;

// Islands that could be free bodies, beyond which it is worth while to make them that.
constexpr std::size_t kManyLonely = 64;

} // namespace

void Islands::update(Model& model) { update(model, Moment::Between); }

void Islands::update_for_restore(Model& model) { update(model, Moment::Restore); }

void Islands::update_for_step(Model& model) {
    are_outdated_ = are_outdated_ || have_many_lonely(model);
    update(model, Moment::StepBegins);
}

void Islands::update(Model& model, Moment moment) {
    if (structure_outdated_) {
        stock_.count_colliding(model);
    }
    if (are_outdated_) {
        regroup(model, moment);
    }
    if (structure_outdated_) {
        stock_.provide(model, islands_);
        const std::size_t most = model.bodies.ids().size();
        updated_islands_.reserve(most);
        firsts_.reserve(most);
        updated_firsts_.reserve(most);
        heritages_.reserve(std::min(most, kMostAnew));
        pile_boxes_.make_room(std::min(model.bodies.index_limit(), kMostAnew));
        islands_.reserve(most);
        schedule_.reserve(std::min(most, kMostAnew)); // the others are free bodies, or many from the start
    }
    are_outdated_ = structure_outdated_ = settings_outdated_ = false;
}

// What the islands of these bodies hand on, and the smallest step that the bodies remember.
IslandHeritage Islands::heritage_of(const Model& model, std::span<const BodyId> bodies) const noexcept {
    IslandHeritage heritage;
    std::size_t last = kNoIsland;
    for (const BodyId id : bodies) {
        const BodyRecord& body = model.bodies[id];
        if (body.island != last && body.island < islands_.size()) {
            const Island* const island = islands_[body.island].get();
            if (island != nullptr) {
                heritage.add(island->heritage());
            } else if (free_.is_of(id)) {
                heritage.add(free_.heritage(id));
            }
        }
        last = body.island;
    }
    heritage.step = 0.0;
    for (const BodyId id : bodies) {
        IslandHeritage own;
        own.step = model.bodies[id].remembered_step;
        heritage.add(own);
    }
    return heritage;
}

// Bodies that contacts are near need an Island.
void Islands::note_meetings(const Model& model) {
    has_meetings_.assign(model.bodies.index_limit(), 0);
    for (const ContactPair& pair : model.contacts.pairs()) {
        has_meetings_[pair.a.index] = has_meetings_[pair.b.index] = 1;
    }
}

// Few islands stay the same ones when contacts come near, and want room before.
bool Islands::may_meet(std::span<const BodyId> bodies) const noexcept {
    return !free_rules_.parks() || std::ranges::any_of(bodies, [&](BodyId id) { return has_meetings_[id.index] != 0; });
}

void Islands::regroup(Model& model, Moment moment) {
    grouping_.find(model);
    note_meetings(model);

    // Islands that stay keep all their memory; the others go to the stock.
    if (structure_outdated_ || settings_outdated_) {
        stock_.forget_known();
    }
    if (settings_outdated_) {
        free_rules_.outdate();
    }
    updated_islands_.clear();
    updated_firsts_.clear();
    free_.resize(model.bodies.index_limit());
    if (moment != Moment::StepRepeats) { // who is parked would be an island that has not been advanced
        free_rules_.count(grouping_.size());
    }
    heritages_.clear();
    for (std::size_t i = 0; i < grouping_.size(); ++i) {
        const IslandMembers members = grouping_[i];
        number_bodies(model.bodies, members.bodies);
        const BodyId first = members.bodies.front();
        const std::size_t before = model.bodies[first].island;
        const bool is_alone = members.bodies.size() == 1 && members.joints.empty() && members.fields.empty();
        const FreeBodyRule* const rule =
            is_alone && has_meetings_[first.index] == 0 ? free_rules_.rule_for(model, first) : nullptr;
        Island* const present = before < islands_.size() ? islands_[before].get() : nullptr;
        updated_islands_.push_back(nullptr);
        updated_firsts_.push_back(first);
        if (before < islands_.size() && present == nullptr && is_alone && free_.goes_on(first)) {
            if (rule == nullptr || !free_.adopt(model, first, *rule)) {
                updated_islands_.back() = island_of(model, first);
            }
        } else if (present != nullptr && present->consists_of(members)) {
            if (rule != nullptr && moment == Moment::StepBegins) {
                learn_of_changes(model, *present); // what it hands over goes by its new settings
            }
            if (rule == nullptr || moment != Moment::StepBegins || !free_.take_over(model, *present, *rule)) {
                updated_islands_.back() = std::move(islands_[before]);
            }
        } else {
            const IslandHeritage heritage =
                moment == Moment::Restore ? IslandHeritage{} : heritage_of(model, members.bodies);
            if (rule == nullptr || !free_.begin(model, first, *rule, heritage)) {
                heritages_.push_back({i, heritage});
            }
        }
    }
    for (auto& island : islands_) {
        if (island != nullptr) {
            stock_.put(std::move(island), !structure_outdated_);
        }
    }
    for (const auto& [number, heritage] : heritages_) {
        const IslandMembers members = grouping_[number];
        updated_islands_[number] = stock_.take(model, members, may_meet(members.bodies));
        updated_islands_[number]->inherit(heritage);
    }
    take_updated(model);
}

// Such as those that met others, or had settings that only islands know, and have no more.
bool Islands::have_many_lonely(const Model& model) {
    std::size_t lonely = 0;
    for (const auto& island : islands_) {
        if (island != nullptr && island->is_lonely() &&
            free_rules_.rule_for(model, island->bodies().front()) != nullptr) {
            ++lonely;
        }
    }
    return lonely > kManyLonely;
}

void Islands::learn_of_changes(const Model& model, Island& island) const {
    if (structure_outdated_) {
        island.refresh_fields(model);
    }
    if (settings_outdated_) {
        island.configure(model);
    }
}

// The islands that were found: those that stayed learn of fields and settings, bodies of their numbers.
void Islands::take_updated(Model& model) {
    auto made = heritages_.begin();
    free_ids_.clear();
    free_ids_.reserve(grouping_.size());
    for (std::size_t i = 0; i < grouping_.size(); ++i) {
        Island* const island = updated_islands_[i].get();
        if (island == nullptr) {
            free_ids_.push_back(updated_firsts_[i]);
        } else if (made != heritages_.end() && made->number == i) {
            ++made;
        } else {
            learn_of_changes(model, *island);
        }
    }
    std::swap(islands_, updated_islands_);
    std::swap(firsts_, updated_firsts_);
    updated_islands_.clear();
    free_.list(free_ids_);
    free_rules_.prune([&](const FreeBodyRule& rule) { return free_.uses(rule); });

    prescribed_bodies_.clear();
    for (const BodyId id : model.bodies.ids()) {
        if (!model.bodies[id].is_dynamic()) {
            prescribed_bodies_.push_back(id);
        }
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        const Island* const island = islands_[i].get();
        const double step = island != nullptr ? island->remembered_step() : free_.remembered_step(firsts_[i]);
        for (const BodyId id : island != nullptr ? island->bodies() : std::span(&firsts_[i], 1)) {
            model.bodies[id].island = i;
            model.bodies[id].remembered_step = step;
        }
    }
    schedule_.outdate();
    are_sleepers_noted_ = are_records_told_ = false;
}

std::unique_ptr<Island> Islands::island_of(const Model& model, BodyId free) {
    std::unique_ptr<Island> island = stock_.take_empty();
    free_.make(model, free, *island, stock_.contacts_of(model, std::span(&free, 1), may_meet(std::span(&free, 1))));
    return island;
}

// A free body gets an Island, and goes on as it did.
Island& Islands::promote(const Model& model, std::size_t number) {
    islands_[number] = island_of(model, firsts_[number]);
    free_.remove(firsts_[number]);
    schedule_.outdate();
    are_records_told_ = false;
    return *islands_[number];
}

} // namespace substep::detail
