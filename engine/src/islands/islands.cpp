// Union-find over joints, ties and contacts, and the hand-over from old islands to new ones.
#include "islands/islands.h"

#include <algorithm>
#include <utility>

#include "islands/island_settings.h"

namespace substep::detail {
namespace {

// A body's step takes about a microsecond, taking a job a tenth of it.
constexpr std::size_t kFewestBodiesOfJob = 16;
constexpr std::size_t kMostJobs = 128;

// Islands for whose inheritance room is made before they form.
constexpr std::size_t kMostAnew = 256;

// Islands of one body without a contact, beyond which it is worth while to look which of them are free bodies again.
constexpr std::size_t kManyLonely = 64;

bool is_dynamic(const Model& model, BodyId id) noexcept { return model.bodies[id].is_dynamic(); }

} // namespace

void Islands::update(Model& model) { update(model, false); }

void Islands::update_for_step(Model& model) { update(model, true); }

void Islands::update(Model& model, bool for_step) {
    if (structure_outdated_) {
        stock_.count_colliding(model);
    }
    if (are_outdated_) {
        regroup(model, for_step);
    }
    if (structure_outdated_) {
        stock_.provide(model, islands_);
        const std::size_t most = model.bodies.ids().size();
        updated_islands_.reserve(most);
        firsts_.reserve(most);
        updated_firsts_.reserve(most);
        heritages_.reserve(std::min(most, kMostAnew));
        islands_.reserve(most);
        awake_islands_.reserve(std::min(most, kMostAnew)); // the others are free bodies, or many from the start
        job_ends_.reserve(std::min(most, kMostAnew));
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
            } else if (free_[id].body == id) {
                heritage.add(detail::heritage_of(free_[id]));
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

void Islands::note_sleepers(Model& model) {
    if (are_sleepers_noted_) {
        return;
    }
    std::vector<std::uint8_t>& asleep = model.steps.asleep;
    asleep.assign(model.bodies.index_limit(), 0);
    for (const auto& island : islands_) {
        for (const BodyId id : island != nullptr && island->asleep() ? island->bodies() : std::span<const BodyId>()) {
            if (model.bodies.find(id) != nullptr) { // islands may name bodies that are gone
                asleep[id.index] = 1;
            }
        }
    }
    are_sleepers_noted_ = true;
}

// Bodies that contacts are near need an Island.
void Islands::note_meetings(const Model& model) {
    has_meetings_.assign(model.bodies.index_limit(), 0);
    for (const ContactPair& pair : model.contacts.pairs()) {
        has_meetings_[pair.a.index] = has_meetings_[pair.b.index] = 1;
    }
}

void Islands::regroup(Model& model, bool for_step) {
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
        FreeBody& free = free_[first];
        updated_islands_.push_back(nullptr);
        updated_firsts_.push_back(first);
        if (before < islands_.size() && present == nullptr && is_alone && free.body == first && !free.retired) {
            if (rule != nullptr) {
                adopt_rule(free, *rule);
            } else {
                updated_islands_.back() = stock_.take(model, free);
            }
        } else if (present != nullptr && present->consists_of(members)) {
            if (rule != nullptr && for_step) {
                free = FreeBody(first, *rule, 0.0);
            }
            if (rule == nullptr || !for_step || !present->hand_over(free)) {
                updated_islands_.back() = std::move(islands_[before]);
            }
        } else {
            const IslandHeritage heritage = heritage_of(model, members.bodies);
            if (rule != nullptr && heritage.takeover_count == 0) {
                free = FreeBody(first, *rule, heritage.step);
            } else {
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
        updated_islands_[number] = stock_.take(model, grouping_[number]);
        updated_islands_[number]->inherit(heritage);
    }
    take_updated(model);
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
            if (structure_outdated_) {
                island->refresh_fields(model);
            }
            if (settings_outdated_) {
                island->configure(model);
            }
        }
    }
    std::swap(islands_, updated_islands_);
    std::swap(firsts_, updated_firsts_);
    updated_islands_.clear();
    free_.list(free_ids_);
    free_rules_.prune(free_.bodies());

    prescribed_bodies_.clear();
    for (const BodyId id : model.bodies.ids()) {
        if (!is_dynamic(model, id)) {
            prescribed_bodies_.push_back(id);
        }
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        const Island* const island = islands_[i].get();
        const double step = island != nullptr ? island->remembered_step() : free_[firsts_[i]].memory.h_next;
        for (const BodyId id : island != nullptr ? island->bodies() : std::span(&firsts_[i], 1)) {
            model.bodies[id].island = i;
            model.bodies[id].remembered_step = step;
        }
    }
    sleepers_changed_ = true;
    are_sleepers_noted_ = false;
}

// A free body gets an Island, and goes on as it did.
Island& Islands::promote(const Model& model, std::size_t number) {
    islands_[number] = stock_.take(model, free_[firsts_[number]]);
    free_.remove(firsts_[number]);
    sleepers_changed_ = true;
    return *islands_[number];
}

// Lists the islands to advance, and cuts the list into jobs of about equally many bodies: enough jobs to balance, each
// large enough to be worth handing over.
void Islands::choose(bool (*is_chosen)(const Island&)) {
    awake_islands_.clear();
    std::size_t bodies = 0;
    for (const auto& island : islands_) {
        if (island != nullptr && is_chosen(*island)) {
            awake_islands_.push_back(island.get());
            bodies += island->bodies().size();
        }
    }
    const std::size_t enough = std::max(kFewestBodiesOfJob, bodies / kMostJobs + 1);
    job_ends_.clear();
    std::size_t taken = 0;
    for (std::size_t i = 0; i < awake_islands_.size(); ++i) {
        taken += awake_islands_[i]->bodies().size();
        if (taken >= enough || i + 1 == awake_islands_.size()) {
            job_ends_.push_back(i + 1);
            taken = 0;
        }
    }
}

void Islands::advance(Model& model, double t0, double t1, JobRunner* runner) {
    if (sleepers_changed_) {
        choose([](const Island& island) { return !island.asleep(); });
        sleepers_changed_ = false;
    }
    for (Island* const island : awake_islands_) {
        island->begin_step();
    }
    if (model.settings.shared_budget > 0) {
        divide_budget(model.settings.shared_budget);
    }
    free_.begin(model, t0, t1);
    advance_chosen(model, t0, t1, runner, true);
    if (free_.left_some_out()) {
        advance_left_out(model, t0, t1);
    }
    repeated_evaluations_ = repeated_work_ = 0;
    if (!model.steps.empty()) {
        repeat_missed(model, t0, t1, runner);
    }
    if (model.settings.sleep.enabled) {
        sleepers_changed_ |= std::ranges::any_of(awake_islands_, [](const Island* island) { return island->asleep(); });
    }
    are_sleepers_noted_ &= !sleepers_changed_;
}

void Islands::advance_chosen(Model& model, double t0, double t1, JobRunner* runner, bool with_free) {
    if (!awake_islands_.empty()) {
        model.steps.starts.resize(model.steps.paths.size());
    }
    struct Batch {
        Islands& islands;
        Model& model;
        double t0, t1;
        std::size_t free_jobs;
    } batch{*this, model, t0, t1, with_free ? free_.jobs() : 0};
    const auto job = [](void* context, std::size_t index) noexcept {
        const Batch& b = *static_cast<Batch*>(context);
        if (index < b.free_jobs) {
            return b.islands.free_.advance(b.model, index);
        }
        index -= b.free_jobs;
        const std::vector<std::size_t>& ends = b.islands.job_ends_;
        for (std::size_t i = index == 0 ? 0 : ends[index - 1]; i < ends[index]; ++i) {
            Island& island = *b.islands.awake_islands_[i];
            island.advance(b.model, b.t0, b.t1, b.islands.attempt_of(b.model, island));
        }
    };
    const std::size_t jobs = batch.free_jobs + job_ends_.size();
    if (runner != nullptr && jobs > 1) {
        runner->run(jobs, job, &batch);
    } else {
        for (std::size_t i = 0; i < jobs; ++i) {
            job(&batch, i);
        }
    }
}

// What lanes could not make, such as what is not finite, is made by islands.
void Islands::advance_left_out(Model& model, double t0, double t1) {
    while (const FreeBody* const body = free_.first_left_out()) {
        Island& island = promote(model, model.bodies[body->body].island);
        model.steps.starts.resize(model.steps.paths.size());
        island.begin_step();
        island.advance(model, t0, t1, {});
        awake_islands_.push_back(&island);
        job_ends_.push_back(awake_islands_.size());
    }
}

void Islands::merge_reports(StepReport& report) const noexcept {
    free_.merge_reports(report);
    for (const Island* const island : awake_islands_) {
        report.merge(island->report());
        report.message = report.message.empty() ? island->report().message : report.message;
        report.simulated = std::min(report.simulated, island->report().simulated);
    }
}

// Each island's share of the world's budget, known before the first one starts, so that their order does not matter.
void Islands::divide_budget(std::int64_t budget) noexcept {
    std::int64_t bodies = 0;
    std::int64_t demand = 0;
    for (const Island* island : awake_islands_) {
        bodies += static_cast<std::int64_t>(island->bodies().size());
        demand += island->demand();
    }
    for (Island* island : awake_islands_) {
        const auto own = static_cast<std::int64_t>(island->bodies().size());
        island->limit(share_of_budget(budget, own, bodies, island->demand(), demand));
    }
}

void Islands::finish_prescribed(Model& model) const noexcept {
    for (const BodyId id : prescribed_bodies_) {
        BodyRecord& body = model.bodies[id];
        body.step_motion = body.prescribed;
        body.edited = false;
    }
}

void Islands::clear() noexcept {
    stock_.forget_known();
    awake_islands_.clear();
    job_ends_.clear();
    islands_.clear();
    structure_changed();
}

void Islands::renew(BodyId body) noexcept {
    stock_.forget_known();
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i] == nullptr && firsts_[i] == body) {
            free_[body] = FreeBody(body, *free_[body].rule, free_[body].memory.h_next);
        } else if (islands_[i] != nullptr && islands_[i]->has_to_do_with(body)) {
            islands_[i]->retire();
        }
    }
    are_outdated_ = true;
}

void Islands::wake(std::size_t island) noexcept {
    if (island < islands_.size() && islands_[island] != nullptr) {
        sleepers_changed_ |= islands_[island]->asleep();
        are_sleepers_noted_ &= !sleepers_changed_;
        islands_[island]->wake();
    }
}

void Islands::wake_attached(BodyId body) noexcept {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i] != nullptr && islands_[i]->has_to_do_with(body)) {
            wake(i);
        }
    }
}

void Islands::wake_all() noexcept {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        wake(i);
    }
}

void Islands::distribute_contacts(const Model& model) {
    const std::span<const ContactPair> pairs = model.contacts.pairs();
    if (pairs.empty() && !have_contacts_) {
        return;
    }
    for (const auto& island : islands_) {
        if (island != nullptr) {
            island->forget_contacts();
        }
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const BodyId moved = is_dynamic(model, pairs[i].a) ? pairs[i].a : pairs[i].b;
        const std::size_t number = model.bodies[moved].island;
        Island& island = islands_[number] != nullptr ? *islands_[number] : promote(model, number);
        island.add_contact(i);
    }
    std::size_t lonely = 0;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        const Island* const island = islands_[i].get();
        if (island == nullptr) {
            continue;
        }
        lonely += island->bodies().size() == 1 && !island->has_contacts() ? 1 : 0;
        if (island->asleep() && island->has_other_contacts(model)) {
            wake(i);
        }
    }
    are_outdated_ |= lonely > kManyLonely; // the next step finds who is free
    have_contacts_ = !pairs.empty();
}

void Islands::forget_contacts_of(BodyId body) {
    for (const auto& island : islands_) {
        if (island != nullptr) {
            island->forget_contacts_of(body);
        }
    }
}

void Islands::configure(const Model& model) {
    stock_.forget_known();
    free_rules_.outdate();
    structure_outdated_ |= stock_.drop_if_outdated(model.settings);
    settings_outdated_ = are_outdated_; // islands may name bodies that are gone; `update` configures the others
    if (!are_outdated_) {
        for (std::size_t i = 0; i < islands_.size(); ++i) {
            configure_island(model, i);
        }
    }
}

void Islands::configure(const Model& model, BodyId body) {
    const std::size_t island = model.bodies[body].island;
    if (!are_outdated_ && island < islands_.size()) {
        configure_island(model, island);
    } else {
        settings_outdated_ = true;
    }
}

void Islands::configure_island(const Model& model, std::size_t number) {
    if (islands_[number] != nullptr) {
        return islands_[number]->configure(model);
    }
    const BodyId body = firsts_[number];
    const FreeBodyRule* const rule = free_rules_.rule_for(model, body);
    if (rule != nullptr) {
        adopt_rule(free_[body], *rule);
    } else {
        promote(model, number);
    }
}

void Islands::settle_accounts(LedgerAccounts& accounts) {
    double before = 0.0;
    double after = 0.0;
    for (const auto& island : islands_) {
        if (island == nullptr) {
            continue;
        }
        const StepEnergy energy = island->settle_accounts(accounts);
        before += energy.before;
        after += energy.after;
    }
    accounts.edits += before - accounts.total;
    accounts.total = after;
}

void Islands::refresh_actuators(const Model& model) {
    stock_.forget_known();
    for (const auto& island : islands_) {
        if (island != nullptr) {
            island->refresh_actuators(model);
        }
    }
}

void Islands::model_changed() noexcept {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i] != nullptr) {
            islands_[i]->model_changed();
        } else {
            free_[firsts_[i]].model_changed = true;
        }
    }
    wake_all();
}

} // namespace substep::detail
