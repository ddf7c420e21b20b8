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

bool is_dynamic(const Model& model, BodyId id) noexcept { return model.bodies[id].is_dynamic(); }

} // namespace

void Islands::update(Model& model) {
    if (structure_outdated_) {
        stock_.count_colliding(model);
    }
    if (are_outdated_) {
        regroup(model);
    }
    if (structure_outdated_) {
        stock_.provide(model, islands_);
        const std::size_t most = model.bodies.ids().size();
        updated_islands_.reserve(most);
        heritages_.reserve(most);
        islands_.reserve(most);
        awake_islands_.reserve(most);
        job_ends_.reserve(most);
    }
    are_outdated_ = structure_outdated_ = settings_outdated_ = false;
}

// What the islands of these bodies hand on, and the smallest step that the bodies remember.
IslandHeritage Islands::heritage_of(const Model& model, std::span<const BodyId> bodies) const noexcept {
    IslandHeritage heritage;
    std::size_t last = kNoIsland;
    for (const BodyId id : bodies) {
        const BodyRecord& body = model.bodies[id];
        if (body.island != last && body.island < islands_.size() && islands_[body.island] != nullptr) {
            heritage.add(islands_[body.island]->heritage());
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
        for (const BodyId id : island->asleep() ? island->bodies() : std::span<const BodyId>()) {
            if (model.bodies.find(id) != nullptr) { // islands may name bodies that are gone
                asleep[id.index] = 1;
            }
        }
    }
    are_sleepers_noted_ = true;
}

void Islands::regroup(Model& model) {
    grouping_.find(model);

    // Islands that stay keep all their memory; the others go to the stock.
    if (structure_outdated_ || settings_outdated_) {
        stock_.forget_known();
    }
    updated_islands_.clear();
    heritages_.clear();
    for (std::size_t i = 0; i < grouping_.size(); ++i) {
        const IslandMembers members = grouping_[i];
        number_bodies(model.bodies, members.bodies);
        const std::size_t before = model.bodies[members.bodies.front()].island;
        const bool stays =
            before < islands_.size() && islands_[before] != nullptr && islands_[before]->consists_of(members);
        if (!stays) {
            heritages_.push_back(heritage_of(model, members.bodies));
        }
        updated_islands_.push_back(stays ? std::move(islands_[before]) : nullptr);
    }
    for (auto& island : islands_) {
        if (island != nullptr) {
            stock_.put(std::move(island), !structure_outdated_);
        }
    }
    auto heritage = heritages_.begin();
    for (std::size_t i = 0; i < grouping_.size(); ++i) {
        if (updated_islands_[i] == nullptr) {
            updated_islands_[i] = stock_.take(model, grouping_[i]);
            updated_islands_[i]->inherit(*heritage++);
            continue;
        }
        if (structure_outdated_) {
            updated_islands_[i]->refresh_fields(model);
        }
        if (settings_outdated_) {
            updated_islands_[i]->configure(model);
        }
    }
    std::swap(islands_, updated_islands_);
    updated_islands_.clear();

    prescribed_bodies_.clear();
    for (const BodyId id : model.bodies.ids()) {
        if (!is_dynamic(model, id)) {
            prescribed_bodies_.push_back(id);
        }
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        for (const BodyId id : islands_[i]->bodies()) {
            model.bodies[id].island = i;
            model.bodies[id].remembered_step = islands_[i]->remembered_step();
        }
    }
    sleepers_changed_ = true;
    are_sleepers_noted_ = false;
}

// Lists the islands to advance, and cuts the list into jobs of about equally many bodies: enough jobs to balance, each
// large enough to be worth handing over.
void Islands::choose(bool (*is_chosen)(const Island&)) {
    awake_islands_.clear();
    std::size_t bodies = 0;
    for (const auto& island : islands_) {
        if (is_chosen(*island)) {
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
    advance_chosen(model, t0, t1, runner);
    repeated_evaluations_ = repeated_work_ = 0;
    if (!model.steps.empty()) {
        repeat_missed(model, t0, t1, runner);
    }
    if (model.settings.sleep.enabled) {
        sleepers_changed_ |= std::ranges::any_of(awake_islands_, [](const Island* island) { return island->asleep(); });
    }
    are_sleepers_noted_ &= !sleepers_changed_;
}

void Islands::advance_chosen(Model& model, double t0, double t1, JobRunner* runner) noexcept {
    struct Batch {
        Islands& islands;
        Model& model;
        double t0, t1;
    } batch{*this, model, t0, t1};
    const auto job = [](void* context, std::size_t index) noexcept {
        const Batch& b = *static_cast<Batch*>(context);
        const std::vector<std::size_t>& ends = b.islands.job_ends_;
        for (std::size_t i = index == 0 ? 0 : ends[index - 1]; i < ends[index]; ++i) {
            Island& island = *b.islands.awake_islands_[i];
            island.advance(b.model, b.t0, b.t1, b.islands.attempt_of(b.model, island));
        }
    };
    if (runner != nullptr && job_ends_.size() > 1) {
        runner->run(job_ends_.size(), job, &batch);
    } else {
        for (std::size_t i = 0; i < job_ends_.size(); ++i) {
            job(&batch, i);
        }
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
    for (const auto& island : islands_) {
        if (island->has_to_do_with(body)) {
            island->retire();
        }
    }
    are_outdated_ = true;
}

void Islands::wake(std::size_t island) noexcept {
    if (island < islands_.size()) {
        sleepers_changed_ |= islands_[island]->asleep();
        are_sleepers_noted_ &= !sleepers_changed_;
        islands_[island]->wake();
    }
}

void Islands::wake_attached(BodyId body) noexcept {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i]->has_to_do_with(body)) {
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
        island->forget_contacts();
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const BodyId moved = is_dynamic(model, pairs[i].a) ? pairs[i].a : pairs[i].b;
        islands_[model.bodies[moved].island]->add_contact(i);
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i]->asleep() && islands_[i]->has_other_contacts(model)) {
            wake(i);
        }
    }
    have_contacts_ = !pairs.empty();
}

void Islands::forget_contacts_of(BodyId body) {
    for (const auto& island : islands_) {
        island->forget_contacts_of(body);
    }
}

void Islands::configure(const Model& model) {
    stock_.forget_known();
    structure_outdated_ |= stock_.drop_if_outdated(model.settings);
    settings_outdated_ = are_outdated_; // islands may name bodies that are gone; `update` configures the others
    if (!are_outdated_) {
        for (const auto& island : islands_) {
            island->configure(model);
        }
    }
}

void Islands::configure(const Model& model, BodyId body) {
    const std::size_t island = model.bodies[body].island;
    if (!are_outdated_ && island < islands_.size()) {
        islands_[island]->configure(model);
    } else {
        settings_outdated_ = true;
    }
}

void Islands::settle_accounts(LedgerAccounts& accounts) {
    double before = 0.0;
    double after = 0.0;
    for (const auto& island : islands_) {
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
        island->refresh_actuators(model);
    }
}

void Islands::model_changed() noexcept {
    for (const auto& island : islands_) {
        island->model_changed();
    }
    wake_all();
}

} // namespace substep::detail
