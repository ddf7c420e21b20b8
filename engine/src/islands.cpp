// Union-find over joints, ties and contacts, and the hand-over from old islands to new ones.
#include "islands.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "island_settings.h"

namespace substep::detail {
namespace {

// A body's step takes about a microsecond, taking a job a tenth of it.
constexpr std::size_t kFewestBodiesOfJob = 16;
constexpr std::size_t kMostJobs = 128;

// Spare islands are made ahead where no more spheres than this can meet: beyond, so many would take more memory than
// they save time.
constexpr std::size_t kMostSizedAhead = 32;

// Islands with joints that are kept for when the same bodies meet or part again: what swings against a chain of ten
// makes no more of them in a while.
constexpr std::size_t kMostKnown = 32;

bool is_dynamic(const Model& model, BodyId id) noexcept { return model.bodies[id].is_dynamic(); }

bool is_sphere(const BodyRecord& body) noexcept { return body.collides && std::holds_alternative<Sphere>(body.shape); }

// The smallest step that its bodies remember; 0 means that none does.
double remembered_step(const Model& model, std::span<const BodyId> bodies) noexcept {
    double step = 0.0;
    for (const BodyId id : bodies) {
        const double remembered = model.bodies[id].remembered_step;
        if (remembered > 0.0 && (step == 0.0 || remembered < step)) {
            step = remembered;
        }
    }
    return step;
}

} // namespace

void Islands::count_shapes(const Model& model) noexcept {
    spheres_ = planes_ = 0;
    for (const BodyId id : model.bodies.ids()) {
        const BodyRecord& body = model.bodies[id];
        spheres_ += is_sphere(body) ? 1 : 0;
        planes_ += body.collides && std::holds_alternative<Plane>(body.shape) ? 1 : 0;
    }
}

// Contacts that an island of these bodies makes room for.
std::size_t Islands::contacts_of(const Model& model, std::span<const BodyId> bodies) const noexcept {
    std::size_t spheres = 0;
    for (const BodyId id : bodies) {
        spheres += is_sphere(model.bodies[id]) ? 1 : 0;
    }
    return spheres_ + planes_ > 1 ? most_contacts(spheres, planes_) : 0;
}

// A spare island with room enough, the smallest; else one that grows, or a new one.
std::unique_ptr<Island> Islands::take_spare(const Model& model, std::size_t bodies) {
    auto best = spares_.end();
    for (auto spare = spares_.begin(); spare != spares_.end(); ++spare) {
        const std::size_t room = (*spare)->room();
        const std::size_t best_room = best == spares_.end() ? 0 : (*best)->room();
        const bool better = best_room < bodies ? room > best_room : room >= bodies && room < best_room;
        best = best == spares_.end() || better ? spare : best;
    }
    if (best == spares_.end()) {
        return std::make_unique<Island>();
    }
    std::unique_ptr<Island> island = std::move(*best);
    spares_.erase(best);
    return island;
}

// An island with joints of just these members, from when they met before; null if there is none.
std::unique_ptr<Island> Islands::take_known(const Model& model, const IslandMembers& members) {
    const auto known = std::ranges::find_if(known_, [&](const std::unique_ptr<Island>& island) {
        return island->consists_of(members.bodies, members.joints, members.fields);
    });
    if (known == known_.end()) {
        return nullptr;
    }
    std::unique_ptr<Island> island = std::move(*known);
    known_.erase(known);
    island->make_again(model);
    return island;
}

void Islands::keep_known(std::unique_ptr<Island> island) {
    if (known_.size() == kMostKnown) {
        known_.erase(known_.begin());
    }
    known_.push_back(std::move(island));
}

// Spheres that meet and part make islands of other sizes. Of c spheres there are at most c / n islands of n or more at
// a time: for every doubling of n as many are there or made ahead, so that none has to be made in mid-run.
void Islands::provide_spares(const Model& model) {
    std::vector<BodyId> spheres;
    for (const BodyId id : model.bodies.ids()) {
        if (is_sphere(model.bodies[id]) && model.bodies[id].is_dynamic()) {
            spheres.push_back(id);
        }
    }
    spares_method_ = model.settings.integrator.method;
    spares_book_ = model.settings.energy_ledger;
    const std::size_t c = spheres.size();
    if (c < 2 || c > kMostSizedAhead) {
        spares_.resize(std::min(spares_.size(), c < 2 ? 0 : c));
        return;
    }
    std::vector<std::unique_ptr<Island>> provided;
    for (std::size_t least = 1, most = 1; least <= c; least = most + 1, most *= 2) {
        const auto fits = [&](const std::unique_ptr<Island>& island) {
            return island != nullptr && island->room() >= least && island->room() <= most;
        };
        const auto there = static_cast<std::size_t>(std::ranges::count_if(islands_, fits));
        const auto members = std::span(spheres).first(std::min(most, c));
        for (std::size_t missing = c / least - std::min(c / least, there); missing > 0; --missing) {
            const auto spare = std::ranges::find_if(spares_, fits);
            provided.push_back(spare != spares_.end() ? std::move(*spare) : std::make_unique<Island>());
            if (provided.back()->room() == 0) {
                provided.back()->make(model, members, {}, {}, contacts_of(model, members));
            }
        }
    }
    spares_ = std::move(provided);
    spares_.reserve(spares_.size() + islands_.size());
}

void Islands::update(Model& model) {
    if (structure_outdated_) {
        count_shapes(model);
    }
    if (outdated_) {
        regroup(model);
    }
    if (structure_outdated_) {
        provide_spares(model);
        const std::size_t most = model.bodies.ids().size();
        updated_.reserve(most);
        islands_.reserve(most);
        known_.reserve(kMostKnown);
        awake_.reserve(most);
        job_ends_.reserve(most);
    }
    outdated_ = structure_outdated_ = settings_outdated_ = false;
}

void Islands::regroup(Model& model) {
    grouping_.find(model);

    // Those that stay keep all their memory. Of others without joints the memory areas are of use, and with joints they
    // are kept for when they are needed again.
    if (structure_outdated_ || settings_outdated_) {
        known_.clear();
    }
    updated_.clear();
    for (std::size_t i = 0; i < grouping_.size(); ++i) {
        const IslandMembers members = grouping_[i];
        const std::size_t before = model.bodies[members.bodies.front()].island;
        const bool known = before < islands_.size() && islands_[before] != nullptr &&
                           islands_[before]->consists_of(members.bodies, members.joints, members.fields);
        updated_.push_back(known ? std::move(islands_[before]) : nullptr);
    }
    for (auto& island : islands_) {
        if (island != nullptr && !island->has_joints()) {
            spares_.push_back(std::move(island));
        } else if (island != nullptr && !structure_outdated_ && island->can_be_made_again()) {
            keep_known(std::move(island));
        }
    }
    for (std::size_t i = 0; i < grouping_.size(); ++i) {
        const auto [bodies, joints, fields] = grouping_[i];
        if (updated_[i] == nullptr) {
            const double step = remembered_step(model, bodies);
            if (!joints.empty() && (updated_[i] = take_known(model, grouping_[i])) != nullptr) {
                updated_[i]->set_remembered_step(step);
                continue;
            }
            updated_[i] = joints.empty() ? take_spare(model, bodies.size()) : std::make_unique<Island>();
            updated_[i]->make(model, bodies, joints, fields, contacts_of(model, bodies));
            updated_[i]->set_remembered_step(step);
            continue;
        }
        if (structure_outdated_) {
            updated_[i]->refresh_fields(model);
        }
        if (settings_outdated_) {
            updated_[i]->configure(model);
        }
    }
    std::swap(islands_, updated_);
    updated_.clear();

    prescribed_.clear();
    for (const BodyId id : model.bodies.ids()) {
        if (!is_dynamic(model, id)) {
            prescribed_.push_back(id);
        }
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        for (const BodyId id : islands_[i]->bodies()) {
            model.bodies[id].island = i;
            model.bodies[id].remembered_step = islands_[i]->remembered_step();
        }
    }
    sleepers_changed_ = true;
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
    known_.clear();
    awake_.clear();
    job_ends_.clear();
    islands_.clear();
    structure_changed();
}

void Islands::renew(BodyId body) noexcept {
    known_.clear();
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
    // Spare islands are sized for a method, and for the works that are booked.
    known_.clear();
    const WorldSettings& settings = model.settings;
    if (settings.integrator.method != spares_method_ || settings.energy_ledger != spares_book_) {
        spares_.clear();
        structure_outdated_ = true;
    }
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
    known_.clear();
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
