// Union-find over joints, ties and contacts, and the hand-over from old islands to new ones.
#include "islands.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "island_settings.h"

namespace substep::detail {
namespace {

// A body's step takes about a microsecond, taking a job a tenth of it.
constexpr std::size_t kFewestBodiesOfJob = 16;
constexpr std::size_t kMostJobs = 128;

/// Disjoint sets of body indices; a set is represented by its smallest.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

    std::uint32_t find(std::uint32_t i) noexcept {
        while (parent_[i] != i) {
            i = parent_[i] = parent_[parent_[i]]; // path halving
        }
        return i;
    }
    void unite(std::uint32_t a, std::uint32_t b) noexcept {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::uint32_t> parent_;
};

struct Members {
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;
    std::vector<ForceFieldId> fields; ///< those that tie its bodies
};

bool is_dynamic(const Model& model, BodyId id) noexcept {
    const BodyRecord* const body = model.bodies.find(id);
    return body != nullptr && body->is_dynamic();
}

// The first dynamic body that a field ties; kWorldBody for a field that ties none.
BodyId first_tied(const Model& model, const ForceField& field) noexcept {
    const std::span<const BodyId> bodies = field.bodies();
    const auto first = std::ranges::find_if(bodies, [&](BodyId id) { return is_dynamic(model, id); });
    return first == bodies.end() ? kWorldBody : *first;
}

// A joint has at least one dynamic body.
BodyId first_dynamic(const Model& model, std::span<const BodyId> bodies) noexcept {
    return *std::find_if(bodies.begin(), bodies.end(), [&](BodyId id) { return is_dynamic(model, id); });
}

// Groups bodies that joints or fields connect or that could touch, in order of creation. Static and kinematic bodies
// connect nothing.
std::vector<Members> find_members(const Model& model) {
    DisjointSets sets(model.bodies.index_limit());
    for (const JointId id : model.joints.ids()) {
        const std::span<const BodyId> ends = model.joints[id].ends();
        const BodyId first = first_dynamic(model, ends);
        for (const BodyId body : ends) {
            if (is_dynamic(model, body)) {
                sets.unite(first.index, body.index);
            }
        }
    }
    for (const ForceFieldId id : model.fields.ids()) {
        const ForceField& field = *model.fields[id];
        const BodyId first = first_tied(model, field);
        for (const BodyId body : field.bodies()) {
            if (is_dynamic(model, body)) {
                sets.unite(first.index, body.index);
            }
        }
    }
    for (const ContactRecord& contact : model.contacts.records()) {
        if (is_dynamic(model, contact.a) && is_dynamic(model, contact.b)) {
            sets.unite(contact.a.index, contact.b.index);
        }
    }
    std::vector<std::size_t> group_of(model.bodies.index_limit(), kNoIsland);
    std::vector<Members> groups;
    for (const BodyId id : model.bodies.ids()) {
        if (is_dynamic(model, id)) {
            std::size_t& group = group_of[sets.find(id.index)];
            if (group == kNoIsland) {
                group = groups.size();
                groups.emplace_back();
            }
            groups[group].bodies.push_back(id);
        }
    }
    for (const JointId id : model.joints.ids()) {
        const BodyId moved = first_dynamic(model, model.joints[id].ends());
        groups[group_of[sets.find(moved.index)]].joints.push_back(id);
    }
    for (const ForceFieldId id : model.fields.ids()) {
        const BodyId first = first_tied(model, *model.fields[id]);
        if (first != kWorldBody) {
            groups[group_of[sets.find(first.index)]].fields.push_back(id);
        }
    }
    return groups;
}

// A new island with the smallest step that its bodies remember; 0 means that none does.
std::unique_ptr<Island> make_island(const Model& model, Members members) {
    double step = 0.0;
    for (const BodyId id : members.bodies) {
        const double remembered = model.bodies[id].remembered_step;
        if (remembered > 0.0 && (step == 0.0 || remembered < step)) {
            step = remembered;
        }
    }
    auto island = std::make_unique<Island>(model, std::move(members.bodies), std::move(members.joints),
                                           std::move(members.fields));
    island->configure(model);
    island->set_remembered_step(step);
    return island;
}

} // namespace

void Islands::update(Model& model) {
    if (outdated_) {
        std::vector<std::unique_ptr<Island>> updated;
        for (Members& members : find_members(model)) {
            const std::size_t before = model.bodies[members.bodies.front()].island;
            const bool known = before < islands_.size() && islands_[before] != nullptr &&
                               islands_[before]->consists_of(members.bodies, members.joints, members.fields);
            if (known) {
                islands_[before]->refresh_fields();
                if (settings_outdated_) {
                    islands_[before]->configure(model);
                }
            }
            updated.push_back(known ? std::move(islands_[before]) : make_island(model, std::move(members)));
        }
        islands_ = std::move(updated);
        prescribed_.clear();
        for (const BodyId id : model.bodies.ids()) {
            if (!model.bodies[id].is_dynamic()) {
                prescribed_.push_back(id);
            }
        }
        for (std::size_t i = 0; i < islands_.size(); ++i) {
            for (const BodyId id : islands_[i]->bodies()) {
                model.bodies[id].island = i;
                model.bodies[id].remembered_step = islands_[i]->remembered_step();
            }
        }
        awake_.reserve(islands_.size());
        job_ends_.reserve(islands_.size());
        outdated_ = settings_outdated_ = false;
        sleepers_changed_ = true;
    }
}

// Lists who is awake and cuts the list into jobs of about equally many bodies: enough of them to balance, and not so
// few bodies in one that handing it over costs more than it does.
void Islands::share_out() noexcept {
    awake_.clear();
    std::size_t bodies = 0;
    for (const auto& island : islands_) {
        if (!island->asleep()) {
            awake_.push_back(island.get());
            bodies += island->bodies().size();
        }
    }
    const std::size_t enough = std::max(kFewestBodiesOfJob, bodies / kMostJobs + 1);
    job_ends_.clear();
    std::size_t taken = 0;
    for (std::size_t i = 0; i < awake_.size(); ++i) {
        taken += awake_[i]->bodies().size();
        if (taken >= enough || i + 1 == awake_.size()) {
            job_ends_.push_back(i + 1);
            taken = 0;
        }
    }
}

void Islands::advance(Model& model, double t0, double t1, JobRunner* runner) noexcept {
    if (sleepers_changed_) {
        share_out();
        sleepers_changed_ = false;
    }
    if (model.settings.budget > 0) {
        divide_budget(model.settings.budget);
    }
    struct Batch {
        Islands& islands;
        Model& model;
        double t0, t1;
    } batch{*this, model, t0, t1};
    const auto job = [](void* context, std::size_t index) noexcept {
        const Batch& b = *static_cast<Batch*>(context);
        const std::vector<std::size_t>& ends = b.islands.job_ends_;
        for (std::size_t i = index == 0 ? 0 : ends[index - 1]; i < ends[index]; ++i) {
            b.islands.awake_[i]->advance(b.model, b.t0, b.t1);
        }
    };
    if (runner != nullptr && job_ends_.size() > 1) {
        runner->run(job_ends_.size(), job, &batch);
    } else {
        for (std::size_t i = 0; i < job_ends_.size(); ++i) {
            job(&batch, i);
        }
    }
    if (model.settings.sleep.enabled) {
        sleepers_changed_ = std::ranges::any_of(awake_, [](const Island* island) { return island->asleep(); });
    }
}

// Each island's share of the world's budget, known before the first one starts, so that their order does not matter.
void Islands::divide_budget(std::int64_t budget) noexcept {
    std::int64_t bodies = 0;
    std::int64_t demand = 0;
    for (const Island* island : awake_) {
        bodies += static_cast<std::int64_t>(island->bodies().size());
        demand += island->demand();
    }
    for (Island* island : awake_) {
        const auto own = static_cast<std::int64_t>(island->bodies().size());
        island->limit(share_of_budget(budget, own, bodies, island->demand(), demand));
    }
}

void Islands::finish_prescribed(Model& model) const noexcept {
    for (const BodyId id : prescribed_) {
        BodyRecord& body = model.bodies[id];
        body.step_motion = body.prescribed;
        body.edited = false;
    }
}

void Islands::clear() noexcept {
    awake_.clear();
    job_ends_.clear();
    islands_.clear();
    outdated_ = true;
}

void Islands::renew(BodyId body) noexcept {
    for (const auto& island : islands_) {
        if (island->has_to_do_with(body)) {
            island->retire();
        }
    }
    outdated_ = true;
}

void Islands::wake(std::size_t island) noexcept {
    if (island < islands_.size()) {
        sleepers_changed_ |= islands_[island]->asleep();
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
    const std::span<const ContactRecord> records = model.contacts.records();
    if (records.empty() && !have_contacts_) {
        return;
    }
    for (const auto& island : islands_) {
        island->forget_contacts();
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
        const BodyId moved = is_dynamic(model, records[i].a) ? records[i].a : records[i].b;
        islands_[model.bodies[moved].island]->add_contact(i);
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i]->asleep() && islands_[i]->has_other_contacts(model)) {
            wake(i);
        }
    }
    have_contacts_ = !records.empty();
}

void Islands::forget_contacts_of(BodyId body) {
    for (const auto& island : islands_) {
        island->forget_contacts_of(body);
    }
}

void Islands::configure(const Model& model) {
    settings_outdated_ = outdated_; // islands may name bodies that are gone: those that stay are configured by `update`
    if (!outdated_) {
        for (const auto& island : islands_) {
            island->configure(model);
        }
    }
}

void Islands::configure(const Model& model, BodyId body) {
    const std::size_t island = model.bodies[body].island;
    if (!outdated_ && island < islands_.size()) {
        islands_[island]->configure(model);
    } else {
        settings_outdated_ = true;
    }
}

void Islands::settle_accounts(LedgerAccounts& accounts) {
    double before = 0.0;
    double after = 0.0;
    for (const auto& island : islands_) {
        const Island::StepEnergy energy = island->settle_accounts(accounts);
        before += energy.before;
        after += energy.after;
    }
    accounts.edits += before - accounts.total;
    accounts.total = after;
}

void Islands::refresh_actuators(const Model& model) {
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
