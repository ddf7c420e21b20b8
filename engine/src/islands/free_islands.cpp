// Who goes by which rule, the jobs of a step, and the memory of a free body as bytes.
#include "islands/free_islands.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "bodies/state_layout.h"
#include "islands/island_memory.h"
#include "islands/island_method.h"
#include "islands/world_settings.h"

namespace substep::detail {
namespace {

// A body's step takes a tenth of a microsecond, taking a job as much.
constexpr std::size_t kBodiesOfJob = 8 * kLanes;

// Of bodies whose islands are made by one that the job lends: each job has one, and few bodies more than that weigh
// nothing. A body's step takes two microseconds.
constexpr std::size_t kParkedOfJob = 4 * kBodiesOfJob;

// Islands from which on those of free bodies are parked. Fewer are a little faster where they stay, for a segment that
// ran ahead is made again where they do not, and take no more than 8 MB with room for contacts. A thousand loose boxes
// under `auto` took 24 kB each and 51 ms for their first frame where they stayed, and take 4 kB and 4 ms.
constexpr std::size_t kFewestParked = 128;

// A field acts on bodies that it does not tie, one by one.
bool is_acted_on(const Model& model, BodyId id) {
    return std::ranges::any_of(model.fields.ids(), [&](ForceFieldId field) {
        return model.fields[field]->bodies().empty() && model.fields[field]->acts_on(id);
    });
}

// Gives a body in lanes another rule with lanes: where that leads along another trajectory, the next step starts anew.
void adopt_lanes(FreeBody& body, const FreeBodyRule& rule) noexcept {
    const bool goes_on =
        &rule.method() == &body.rule->method() && is_same_trajectory(body.rule->settings(), rule.settings());
    body.memory.settings_changed |= !goes_on;
    body.rule = &rule;
}

void save_in_lanes(FreeBody& body, ArchiveWriter& writer) {
    IslandMemory memory;
    memory.has_step_forces = body.has_step_forces();
    memory.model_changed_since = body.model_changed;
    memory.demand = body.demand;
    body.memory.settings_changed |= memory.model_changed_since; // as IntegratorService::drop_segment says
    write_memory(writer, memory, std::span(&body.step_wrench, 1));
    constexpr std::size_t kMost = 64; // bytes
    writer.wrote(save(body.memory, body.rule->method(), kNumbersPerBody, writer.room(kMost)));
}

bool restore_in_lanes(FreeBody& body, Model& model, ArchiveReader& reader) {
    const std::span<const std::byte> from = reader.bytes;
    IslandMemory memory;
    Wrench wrench;
    read_memory(reader, memory, std::span(&wrench, 1));
    IslandMemory simple;
    simple.has_step_forces = memory.has_step_forces;
    simple.model_changed_since = memory.model_changed_since;
    simple.demand = memory.demand;
    FreeBody restored(body.body, *body.rule, 0.0);
    if (!(memory == simple) || !restore(restored.memory, body.rule->method(), kNumbersPerBody, reader.bytes)) {
        reader.bytes = from;
        return false;
    }
    restored.step_wrench = wrench;
    restored.model_changed = memory.model_changed_since;
    restored.demand = memory.demand;
    body = restored;
    model.bodies[body.body].remembered_step = body.memory.h_next;
    return true;
}

std::size_t jobs_of(std::size_t bodies, std::size_t of_job) noexcept { return (bodies + of_job - 1) / of_job; }

} // namespace

const FreeBodyRule* FreeBodyRules::find(const Model& model, IntegratorSettings settings) {
    limit_length(model, settings);
    // Lanes do not watch who comes to rest, book no works and know no budget that others share.
    const WorldSettings& world = model.settings;
    const bool is_plain = !world.sleep.enabled && !world.energy_ledger && world.shared_budget == 0;
    const bool in_lanes = is_plain && FreeBodyRule::suits_lanes(settings);
    if (!in_lanes && !parks_) {
        return nullptr;
    }
    const auto known = std::ranges::find_if(rules_, [&](const std::unique_ptr<FreeBodyRule>& rule) {
        return rule->has_lanes() == in_lanes && rule->settings() == settings;
    });
    if (known != rules_.end()) {
        return known->get();
    }
    rules_.push_back(std::make_unique<FreeBodyRule>(settings, in_lanes));
    return rules_.back().get();
}

const FreeBodyRule* FreeBodyRules::rule_for(const Model& model, BodyId id) {
    const WorldSettings& world = model.settings;
    if (is_acted_on(model, id)) {
        return nullptr;
    }
    if (model.bodies[id].integrator) {
        IntegratorSettings combined;
        combine_settings(model, std::span(&id, 1), combined);
        return find(model, combined);
    }
    if (!knows_world_) {
        of_world_ = find(model, world.integrator);
        knows_world_ = true;
    }
    return of_world_;
}

void FreeBodyRules::count(std::size_t islands) noexcept {
    const bool parks = islands >= (parks_ ? kFewestParked / 2 : kFewestParked);
    knows_world_ &= parks == parks_;
    parks_ = parks;
}

void FreeIslands::resize(std::size_t limit) {
    if (!bodies_.empty()) {
        bodies_.resize(limit);
    }
    parked_.resize(limit);
}

void FreeIslands::put_in_lanes(const FreeBody& body) {
    bodies_.resize(parked_.limit());
    parked_.drop(body.body);
    in_lanes(body.body) = body;
}

bool FreeIslands::is_of(BodyId id) const noexcept {
    return is_parked(id) ? parked_[id].body == id : id.index < bodies_.size() && in_lanes(id).body == id;
}

bool FreeIslands::is_retired(BodyId id) const noexcept {
    return is_parked(id) ? parked_[id].retired : in_lanes(id).retired;
}

const FreeBodyRule*& FreeIslands::rule_at(std::size_t index) noexcept {
    return parked_.has(index) ? parked_.at(index).rule : bodies_[index].rule;
}

const FreeBodyRule* FreeIslands::rule_at(std::size_t index) const noexcept {
    return parked_.has(index) ? parked_.at(index).rule : bodies_[index].rule;
}

BodyId FreeIslands::body_at(std::size_t index) const noexcept {
    return parked_.has(index) ? parked_.at(index).body : bodies_[index].body;
}

bool FreeIslands::begin(const Model& model, BodyId id, const FreeBodyRule& rule, const IslandHeritage& heritage) {
    if (heritage.takeover_count > 0) {
        return false;
    }
    if (!rule.has_lanes()) {
        if (heritage.is_empty() && parked_.begin_alike(model, id, rule)) {
            return true;
        }
        Island& island = parked_.lend();
        island.make(model, {std::span(&id, 1), {}, {}}, 0);
        island.inherit(heritage);
        const bool has_begun = take_over(model, island, rule);
        if (has_begun && heritage.is_empty()) {
            parked_.note_begun(id);
        }
        return has_begun;
    }
    put_in_lanes(FreeBody(id, rule, heritage.step));
    return true;
}

bool FreeIslands::take_over(const Model& model, Island& island, const FreeBodyRule& rule) {
    const BodyId id = island.bodies().front();
    if (rule.has_lanes()) {
        FreeBody free(id, rule, 0.0);
        if (!island.hand_over(free)) {
            return false;
        }
        put_in_lanes(free);
        return true;
    }
    if (!parked_.park(model, island, id, rule)) {
        return false;
    }
    parked_[id].rule = &rule;
    parked_[id].retired = false;
    return true;
}

bool FreeIslands::adopt(const Model& model, BodyId id, const FreeBodyRule& rule) {
    if (!is_parked(id) && rule.has_lanes()) {
        adopt_lanes(in_lanes(id), rule);
        return true;
    }
    if (is_parked(id) && !rule.has_lanes() && parked_[id].has_books() == model.settings.energy_ledger) {
        parked_[id].rule = &rule; // what is parked knows by which it was made
        return true;
    }
    Island& island = parked_.lend();
    make(model, id, island, 0);
    return take_over(model, island, rule);
}

void FreeIslands::make(const Model& model, BodyId id, Island& island, std::size_t contacts) const {
    if (is_parked(id)) {
        island.unpark(model, id, parked_[id], contacts);
    } else {
        island.make_of(model, in_lanes(id), contacts);
    }
}

void FreeIslands::renew(BodyId id) noexcept {
    if (is_parked(id)) {
        parked_[id].before = parked_[id].heritage; // it is made anew, and inherits that
        parked_[id].retired = true;
    } else {
        in_lanes(id) = FreeBody(id, *in_lanes(id).rule, in_lanes(id).memory.h_next);
    }
}

void FreeIslands::model_changed(BodyId id) noexcept {
    if (is_parked(id)) {
        parked_[id].model_changed = true;
    } else {
        in_lanes(id).model_changed = true;
    }
}

StepCost FreeIslands::take_back(BodyId id, Model& model) noexcept {
    BodyRecord& body = model.bodies[id];
    model.steps.start_again(id.index);
    model.steps.astray[id.index] = 0;
    if (is_parked(id)) {
        parked_.take_back(body, id);
        return parked_[id].cost;
    }
    FreeBody& free = in_lanes(id);
    free.retired = true;
    begin_at({body.step_begin, free.step_wrench, free.before.h_next, free.was_edited}, body);
    return {free.evaluations, free.evaluations, free.evaluations};
}

// Budgets are shared by no lanes: all of them are parked.
void FreeIslands::claim(SharedBudget& shared) const noexcept {
    for (const std::uint32_t index : listed_) {
        shared.claim(1, parked_.at(index).demand);
    }
}

void FreeIslands::grant(const SharedBudget& shared) noexcept {
    for (const std::uint32_t index : listed_) {
        ParkedIsland& parked = parked_.at(index);
        parked.granted = shared.share(1, parked.demand);
        parked.cost = {}; // of this step, should it be interrupted
    }
}

std::int64_t FreeIslands::spent_of_shared_budget() const noexcept {
    std::int64_t spent = 0;
    for (const std::uint32_t index : listed_) {
        if (parked_.has(index) && parked_.at(index).rule != nullptr && !parked_.at(index).retired) {
            spent += parked_.at(index).cost.of_shared_budget;
        }
    }
    return spent;
}

StepEnergy FreeIslands::settle_accounts(BodyId id, LedgerAccounts& accounts) {
    if (!is_parked(id) || !parked_[id].has_books()) {
        return {};
    }
    ParkedBooks& books = *parked_[id].books;
    for (std::size_t term = 0; term < kLedgerTerms; ++term) {
        accounts.works[term] += books.works[term];
    }
    const StepEnergy energy = books.energy;
    books = {{}, {energy.after, energy.after}};
    return energy;
}

void FreeIslands::list(std::span<const BodyId> ids) {
    lost_some_ = false;
    listed_.clear();
    listed_.reserve(ids.size());
    for (const BodyId id : ids) {
        listed_.push_back(id.index);
    }
    const auto by_rule = [&](std::uint32_t a, std::uint32_t b) {
        const FreeBodyRule* const of_a = rule_at(a);
        const FreeBodyRule* const of_b = rule_at(b);
        if (of_a->has_lanes() != of_b->has_lanes()) {
            return of_a->has_lanes();
        }
        return of_a != of_b ? std::less<>()(of_a, of_b) : a < b;
    };
    if (!std::ranges::is_sorted(listed_, by_rule)) {
        std::ranges::sort(listed_, by_rule); // addresses: no bit of a result depends on the order
    }
}

void FreeIslands::remove(BodyId id) noexcept {
    rule_at(id.index) = nullptr;
    lost_some_ = true;
}

bool FreeIslands::uses(const FreeBodyRule& rule) const noexcept {
    return std::ranges::any_of(bodies_, [&](const FreeBody& body) { return body.rule == &rule; }) || parked_.uses(rule);
}

std::vector<BodyId> FreeIslands::left_out() const {
    std::vector<BodyId> left;
    if (std::ranges::none_of(done_, &FreeAdvance::left_some_out)) {
        return left;
    }
    for (const std::uint32_t index : std::span(listed_).first(in_lanes_)) {
        if (bodies_[index].was_left_out) {
            left.push_back(bodies_[index].body);
        }
    }
    std::ranges::sort(left);
    return left;
}

std::vector<KeptIsland> FreeIslands::kept() {
    std::vector<KeptIsland> kept;
    parked_.take_kept(kept);
    std::ranges::sort(kept, {}, [](const KeptIsland& each) { return each.island->bodies().front(); });
    return kept;
}

std::size_t FreeIslands::lane_jobs() const noexcept { return jobs_of(in_lanes_, kBodiesOfJob); }

void FreeIslands::begin_step(const Model& model, double t0, double t1) {
    if (std::exchange(lost_some_, false)) {
        std::erase_if(listed_, [&](std::uint32_t index) { return rule_at(index) == nullptr; });
    }
    const auto first_parked =
        std::ranges::find_if(listed_, [&](std::uint32_t index) { return !rule_at(index)->has_lanes(); });
    in_lanes_ = static_cast<std::size_t>(first_parked - listed_.begin());
    const double unit = scale_of(model.settings).time();
    step_ = {t0, t1, model.settings.gravity, evaluations_within(model.settings.bound, (t1 - t0) / unit, 1), unit};
    const std::size_t of_parked = jobs_of(listed_.size() - in_lanes_, kParkedOfJob);
    parked_.begin(of_parked);
    done_.assign(lane_jobs() + of_parked, {});
}

void FreeIslands::advance(Model& model, std::size_t job) noexcept {
    if (is_interrupted(model)) {
        done_[job].report = interrupted_report();
        return;
    }
    const auto share = [](std::span<const std::uint32_t> all, std::size_t number, std::size_t of_job) {
        const std::span<const std::uint32_t> rest = all.subspan(number * of_job);
        return rest.first(std::min(of_job, rest.size()));
    };
    const std::span<const std::uint32_t> all = listed_;
    if (job < lane_jobs()) {
        const auto numbers = share(all.first(in_lanes_), job, kBodiesOfJob);
        done_[job] = advance_free_bodies(step_, bodies_, numbers, model.bodies, model.steps);
    } else {
        const std::size_t of_parked = job - lane_jobs();
        const auto numbers = share(all.subspan(in_lanes_), of_parked, kParkedOfJob);
        done_[job] = parked_.advance(model, step_, numbers, of_parked);
    }
}

void FreeIslands::merge_reports(StepReport& report) const noexcept {
    for (const FreeAdvance& done : done_) {
        report.merge(done.report);
        report.simulated = std::min(report.simulated, done.report.simulated);
    }
    if (!report.message.empty() && report.status != StepStatus::Interrupted) {
        report.message = first_message(report.status);
    }
}

// Jobs are in the order of rules, which may be another one behind a restore: of all that ended as badly as any did, the
// first body speaks.
std::string_view FreeIslands::first_message(StepStatus worst) const noexcept {
    const ParkedIsland* first = nullptr;
    std::uint32_t index = 0;
    for (const std::uint32_t other : std::span(listed_).subspan(std::min(in_lanes_, listed_.size()))) {
        const ParkedIsland& parked = parked_.at(other);
        if (parked.rule == nullptr || parked.message == nullptr) {
            continue;
        }
        const auto is_worst = [&](const ParkedIsland& island) { return island.report.status() == worst; };
        const bool speaks = first == nullptr || is_worst(parked) > is_worst(*first) ||
                            (is_worst(parked) == is_worst(*first) && other < index);
        if (speaks) {
            first = &parked;
            index = other;
        }
    }
    return first != nullptr ? std::string_view(*first->message) : std::string_view();
}

void FreeIslands::merge_anew() noexcept {
    FreeAdvance all;
    all.report.requested = all.report.simulated = step_length();
    all.report.boundary = Boundary::RunAhead; // unless one of them does not
    for (const std::uint32_t index : listed_) {
        if (rule_at(index) != nullptr) {
            all.report.merge(report(body_at(index)));
        }
    }
    done_.assign(done_.empty() ? 0 : 1, all);
}

void FreeIslands::save(const Model& model, BodyId id, ArchiveWriter& writer) {
    if (!is_parked(id)) {
        save_in_lanes(in_lanes(id), writer);
        return;
    }
    ParkedIsland& parked = parked_[id];
    if (parked.model_changed || parked.made_by != parked.rule) { // the segment that ran ahead is dropped
        static_cast<void>(parked_.park(model, parked_.lend(model, id), id, *parked.rule));
    }
    writer.numbers(std::span<const std::byte>(parked_[id].memory));
}

bool FreeIslands::restore(Model& model, BodyId id, ArchiveReader& reader) {
    if (!is_parked(id)) {
        return restore_in_lanes(in_lanes(id), model, reader);
    }
    const std::span<const std::byte> from = reader.bytes;
    Island& island = parked_.lend();
    island.make(model, {std::span(&id, 1), {}, {}}, 0);
    island.restore(model, reader);
    if (!take_over(model, island, *parked_[id].rule)) {
        reader.bytes = from;
        return false;
    }
    return true;
}

} // namespace substep::detail
