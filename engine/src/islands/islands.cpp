// One step of all islands, and what edits mean to them.
#include "islands/islands.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "bodies/stopwatch.h"
#include "islands/island_settings.h"

namespace substep::detail {
namespace {

bool is_dynamic(const Model& model, BodyId id) noexcept { return model.bodies[id].is_dynamic(); }

// What the jobs of several threads took, together.
class JobTimes {
public:
    void add(const StageTimes& times) noexcept {
        collision_.fetch_add(times.collision, std::memory_order_relaxed);
        solver_.fetch_add(times.solver, std::memory_order_relaxed);
        methods_.fetch_add(times.methods, std::memory_order_relaxed);
        rest_.fetch_add(times.rest, std::memory_order_relaxed);
    }
    void add_to(StageTimes& times) const noexcept {
        times.collision += collision_;
        times.solver += solver_;
        times.methods += methods_;
        times.rest += rest_;
    }

private:
    std::atomic<double> collision_ = 0.0;
    std::atomic<double> solver_ = 0.0;
    std::atomic<double> methods_ = 0.0;
    std::atomic<double> rest_ = 0.0;
};

} // namespace

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

void Islands::advance(Model& model, double t0, double t1, JobRunner* runner, StageTimes& times) {
    Stopwatch watch;
    StageTimes of_jobs;
    schedule_.choose_awake(islands_);
    free_.begin_step(model, t0, t1);
    if (model.settings.shared_budget > 0) {
        divide_budget(model.settings.shared_budget, true);
    }
    advance_chosen(model, t0, t1, runner, true, of_jobs);
    advance_left_out(model, t0, t1);
    take_kept(model);
    repeated_ = {};
    if (!model.steps.empty()) {
        repeat_missed(model, t0, t1, runner, of_jobs);
    }
    if (model.settings.sleep.enabled) {
        if (std::ranges::any_of(schedule_.all(), [](const Island* island) { return island->asleep(); })) {
            schedule_.outdate();
        }
    }
    are_sleepers_noted_ &= !schedule_.is_outdated();
    for (Island* const island : schedule_.all()) { // all that were advanced
        island->end_step();
    }
    times += of_jobs;
    if (runner == nullptr) { // of several threads nobody knows which time was waiting
        times.islands += std::max(watch.lap() - of_jobs.total(), 0.0);
    }
}

StageTimes Islands::advance_job(Model& model, double t0, double t1, std::size_t job, const JobRunner* runner) noexcept {
    StageTimes times;
    Stopwatch watch;
    for (Island* const island : schedule_.of_job(job)) {
        if (is_by_team(*island, runner)) {
            continue;
        }
        if (!island->is_pile()) {
            island->advance(model, t0, t1, attempt_of(model, *island));
            continue;
        }
        times.methods += watch.lap();
        island->advance(model, t0, t1, attempt_of(model, *island));
        island->add_times_of_pile(watch.lap(), times);
    }
    times.methods += watch.lap();
    return times;
}

void Islands::advance_chosen(Model& model, double t0, double t1, JobRunner* runner, bool with_free, StageTimes& times) {
    if (!schedule_.all().empty()) {
        model.steps.starts.resize(model.steps.paths.size());
    } else if (with_free) {
        model.steps.starts.clear(); // free bodies note by themselves where they start
    }
    struct Batch {
        Islands& islands;
        Model& model;
        double t0, t1;
        std::size_t free_jobs;
        JobRunner* runner;
        JobTimes times{};
    } batch{*this, model, t0, t1, with_free ? free_.jobs() : 0, runner};
    const auto job = [](void* context, std::size_t index) noexcept {
        Batch& b = *static_cast<Batch*>(context);
        if (index >= b.free_jobs) {
            b.times.add(b.islands.advance_job(b.model, b.t0, b.t1, index - b.free_jobs, b.runner));
            return;
        }
        Stopwatch watch;
        b.islands.free_.advance(b.model, index);
        StageTimes free;
        free.methods = watch.lap();
        b.times.add(free);
    };
    const std::size_t jobs = batch.free_jobs + schedule_.jobs();
    if (runner != nullptr && jobs > 1) {
        runner->run(jobs, job, &batch);
    } else {
        for (std::size_t i = 0; i < jobs; ++i) {
            job(&batch, i);
        }
    }
    batch.times.add_to(times);
    if (runner != nullptr) {
        advance_by_team(model, t0, t1, *runner, times);
    }
}

// What lanes could not make, such as what is not finite, is made by islands.
void Islands::advance_left_out(Model& model, double t0, double t1) {
    for (const BodyId id : free_.left_out()) {
        Island& island = promote(model, model.bodies[id].island);
        model.steps.starts.resize(model.steps.paths.size());
        island.advance(model, t0, t1, {});
        schedule_.add(island);
    }
}

// Islands that were parked, and have more to remember since this step.
void Islands::take_kept(Model& model) {
    for (KeptIsland& kept : free_.kept()) {
        const BodyId first = kept.island->bodies().front();
        free_.remove(first);
        schedule_.add(*(islands_[model.bodies[first].island] = std::move(kept.island)));
        model.steps.starts.resize(model.steps.paths.size());
        if (!model.steps.starts.empty()) {
            model.steps.starts[first.index] = kept.start;
        }
        schedule_.outdate();
        are_records_told_ = false;
    }
}

void Islands::merge_reports(StepReport& report) const noexcept {
    free_.merge_reports(report);
    for (const Island* const island : schedule_.all()) {
        report.merge(island->report());
        report.message = report.message.empty() ? island->report().message : report.message;
        report.simulated = std::min(report.simulated, island->report().simulated);
    }
}

// Each island's share of the world's budget, known before the first one starts, so that their order does not matter.
void Islands::divide_budget(std::int64_t budget, bool with_free) noexcept {
    SharedBudget shared(budget);
    for (const Island* island : schedule_.all()) {
        shared.claim(island->bodies().size(), island->demand());
    }
    if (with_free) {
        free_.claim(shared);
    }
    for (Island* island : schedule_.all()) {
        island->limit(shared.share(island->bodies().size(), island->demand()));
    }
    if (with_free) {
        free_.grant(shared);
    }
}

void Islands::finish_prescribed(Model& model) const noexcept {
    for (const BodyId id : prescribed_bodies_) {
        BodyRecord& body = model.bodies[id];
        body.motions.end_step();
        body.edited = false;
    }
}

void Islands::clear() noexcept {
    stock_.forget_known();
    schedule_.clear();
    islands_.clear();
    structure_changed();
}

void Islands::renew(BodyId body) noexcept {
    stock_.forget_known();
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i] == nullptr && firsts_[i] == body) {
            free_.renew(body);
        } else if (islands_[i] != nullptr && islands_[i]->has_to_do_with(body)) {
            islands_[i]->retire();
        }
    }
    are_outdated_ = true;
}

void Islands::wake(std::size_t island) noexcept {
    if (island < islands_.size() && islands_[island] != nullptr) {
        if (islands_[island]->asleep()) {
            schedule_.outdate();
        }
        are_sleepers_noted_ &= !schedule_.is_outdated();
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
    const PairChanges& changes = model.contacts.changes();
    if (are_records_told_ && changes.of_colliders == when_distributed_.of_colliders &&
        changes.of_pairs == when_distributed_.of_pairs) {
        return; // the same pairs, of the same islands
    }
    when_distributed_ = changes;
    are_piles_known_ = false;
    for (const auto& island : islands_) {
        if (island != nullptr) {
            island->forget_contacts();
        }
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const BodyId moved = is_dynamic(model, pairs[i].a) ? pairs[i].a : pairs[i].b;
        const std::size_t number = model.bodies[moved].island;
        Island& island = islands_[number] != nullptr ? *islands_[number] : promote(model, number);
        island.add_contact(i, model.contacts.resists_turning(model.bodies, pairs[i]));
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        const Island* const island = islands_[i].get();
        if (island != nullptr && island->asleep() && island->has_other_contacts(model)) {
            wake(i);
        }
    }
    are_records_told_ = true;
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
    if (rule == nullptr || !free_.adopt(model, body, *rule)) {
        promote(model, number);
    }
}

void Islands::settle_accounts(LedgerAccounts& accounts) {
    double before = 0.0;
    double after = 0.0;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        const StepEnergy energy = islands_[i] != nullptr ? islands_[i]->settle_accounts(accounts)
                                                         : free_.settle_accounts(firsts_[i], accounts);
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
            free_.model_changed(firsts_[i]);
        }
    }
    wake_all();
}

} // namespace substep::detail
