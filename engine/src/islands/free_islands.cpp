// Who goes by which rule, the jobs of a step, and the memory of a free body as bytes.
#include "islands/free_islands.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

#include "bodies/state_layout.h"
#include "islands/island_memory.h"
#include "islands/island_settings.h"
#include "islands/world_settings.h"

namespace substep::detail {
namespace {

// A body's step takes a tenth of a microsecond, taking a job as much.
constexpr std::size_t kBodiesOfJob = 8 * kLanes;

// Rules beyond which those without a body are dropped: a slider that is dragged makes one a frame.
constexpr std::size_t kManyRules = 64;

// A field acts on bodies that it does not tie, one by one.
bool is_acted_on(const Model& model, BodyId id) {
    return std::ranges::any_of(model.fields.ids(), [&](ForceFieldId field) {
        return model.fields[field]->bodies().empty() && model.fields[field]->acts_on(id);
    });
}

IslandMemory memory_of_free(const FreeBody& body) noexcept {
    IslandMemory memory;
    memory.has_step_forces = body.has_step_forces();
    memory.model_changed_since = body.model_changed;
    memory.demand = body.demand;
    return memory;
}

} // namespace

const FreeBodyRule* FreeBodyRules::find(const IntegratorSettings& settings) {
    if (!FreeBodyRule::suits(settings)) {
        return nullptr;
    }
    const auto known = std::ranges::find_if(rules_, [&](const auto& rule) { return rule->settings() == settings; });
    if (known != rules_.end()) {
        return known->get();
    }
    rules_.push_back(std::make_unique<FreeBodyRule>(settings));
    return rules_.back().get();
}

const FreeBodyRule* FreeBodyRules::rule_for(const Model& model, BodyId id) {
    const WorldSettings& world = model.settings;
    if (world.energy_ledger || world.sleep.enabled || world.shared_budget > 0 || is_acted_on(model, id)) {
        return nullptr;
    }
    if (model.bodies[id].integrator) {
        IntegratorSettings combined;
        combine_settings(model, std::span(&id, 1), combined);
        return find(combined);
    }
    if (!knows_world_) {
        of_world_ = find(world.integrator);
        knows_world_ = true;
    }
    return of_world_;
}

void FreeBodyRules::prune(std::span<const FreeBody> bodies) {
    if (rules_.size() <= kManyRules) {
        return;
    }
    std::erase_if(rules_, [&](const std::unique_ptr<FreeBodyRule>& rule) {
        return rule.get() != of_world_ &&
               std::ranges::none_of(bodies, [&](const FreeBody& body) { return body.rule == rule.get(); });
    });
}

void adopt_rule(FreeBody& body, const FreeBodyRule& rule) noexcept {
    const bool goes_on =
        &rule.method() == &body.rule->method() && is_same_trajectory(body.rule->settings(), rule.settings());
    body.memory.settings_changed |= !goes_on;
    body.rule = &rule;
}

IslandHeritage heritage_of(const FreeBody& body) noexcept {
    IslandHeritage heritage;
    heritage.step = body.retired ? body.before.h_next : body.memory.h_next;
    heritage.bodies = 1;
    return heritage;
}

StepCost take_back(FreeBody& free, Model& model) noexcept {
    BodyRecord& body = model.bodies[free.body];
    body.now = body.step_begin;
    body.step_wrench = free.step_wrench;
    body.remembered_step = free.before.h_next;
    body.edited = free.was_edited;
    model.steps.start_again(free.body.index);
    model.steps.astray[free.body.index] = 0;
    free.retired = true;
    return {free.evaluations, free.evaluations, free.evaluations};
}

void add_to_hash(const FreeBody& body, BitHash& hash, bool has_budget) noexcept {
    add_to_hash(memory_of_free(body), body.memory.h_next, has_budget, hash);
}

void save_free_body(FreeBody& body, ArchiveWriter& writer) {
    const IslandMemory memory = memory_of_free(body);
    body.memory.settings_changed |= memory.model_changed_since; // as IntegratorService::drop_segment says
    write_memory(writer, memory, std::span(&body.step_wrench, 1));
    constexpr std::size_t kMost = 64; // bytes
    writer.wrote(save(body.memory, body.rule->method(), kNumbersPerBody, writer.room(kMost)));
}

bool restore_free_body(FreeBody& body, Model& model, ArchiveReader& reader) {
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

void FreeIslands::list(std::span<const BodyId> ids) {
    lost_some_ = false;
    listed_.clear();
    listed_.reserve(ids.size());
    for (const BodyId id : ids) {
        listed_.push_back(id.index);
    }
    const auto by_rule = [&](std::uint32_t a, std::uint32_t b) {
        return bodies_[a].rule != bodies_[b].rule ? std::less<>()(bodies_[a].rule, bodies_[b].rule) : a < b;
    };
    if (!std::ranges::is_sorted(listed_, by_rule)) {
        std::ranges::sort(listed_, by_rule); // addresses: no bit of a result depends on the order
    }
}

std::vector<BodyId> FreeIslands::left_out() const {
    std::vector<BodyId> left;
    if (std::ranges::none_of(done_, &FreeAdvance::left_some_out)) {
        return left;
    }
    for (const std::uint32_t index : listed_) {
        if (bodies_[index].was_left_out) {
            left.push_back(bodies_[index].body);
        }
    }
    std::ranges::sort(left);
    return left;
}

void FreeIslands::begin(const Model& model, double t0, double t1) {
    if (std::exchange(lost_some_, false)) {
        std::erase_if(listed_, [&](std::uint32_t index) { return bodies_[index].rule == nullptr; });
    }
    const double unit = scale_of(model.settings).time();
    step_ = {t0, t1, model.settings.gravity, evaluations_within(model.settings.bound, (t1 - t0) / unit, 1), unit};
    done_.assign((listed_.size() + kBodiesOfJob - 1) / kBodiesOfJob, {});
}

void FreeIslands::advance(Model& model, std::size_t job) noexcept {
    if (model.interrupt != nullptr && model.interrupt->load(std::memory_order_relaxed)) {
        done_[job].report.status = StepStatus::Interrupted;
        done_[job].report.message = "The host interrupted the step.";
        return;
    }
    const std::size_t first = job * kBodiesOfJob;
    const std::size_t count = std::min(kBodiesOfJob, listed_.size() - first);
    done_[job] =
        advance_free_bodies(step_, bodies_, std::span(listed_).subspan(first, count), model.bodies, model.steps);
}

void FreeIslands::merge_reports(StepReport& report) const noexcept {
    for (const FreeAdvance& done : done_) {
        report.merge(done.report);
        report.simulated = std::min(report.simulated, done.report.simulated);
    }
}

void FreeIslands::merge_anew() noexcept {
    FreeAdvance all;
    all.report.requested = all.report.simulated = step_length();
    for (const std::uint32_t index : listed_) {
        if (bodies_[index].rule != nullptr) {
            all.report.merge(report_of(bodies_[index], step_length()));
        }
    }
    done_.assign(done_.empty() ? 0 : 1, all);
}

} // namespace substep::detail
