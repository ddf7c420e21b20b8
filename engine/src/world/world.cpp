// The world: its settings, and one step as a list of stages.
#include "substep/engine/world.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "bodies/host_call.h"
#include "bodies/stopwatch.h"
#include "bodies/tolerances.h"
#include "islands/world_settings.h"
#include "world/world_impl.h"

namespace substep {

using detail::Model;

namespace {

std::unique_ptr<detail::ThreadPool> make_threads(const WorldSettings& settings) {
    return settings.threads > 1 ? std::make_unique<detail::ThreadPool>(settings.threads) : nullptr;
}

// A world that is told no method chooses for itself.
WorldSettings with_method(WorldSettings settings) {
    if (settings.integrator.method.empty()) {
        settings.integrator.method = kAutoMethod;
    }
    return settings;
}

// Numbers worlds as they are made, from 1 on: by its number a handle knows its world. No motion depends on it.
std::uint32_t next_world_number() noexcept {
    static std::atomic<std::uint32_t> last{0};
    std::uint32_t number = ++last;
    return number != 0 ? number : ++last;
}

} // namespace

World::World(const WorldSettings& settings) : impl_(std::make_unique<Impl>()) {
    detail::require_settings(settings);
    impl_->number(next_world_number());
    impl_->model.settings = with_method(settings);
    impl_->threads = make_threads(settings);
}

World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

StepReport World::advance(double dt) noexcept {
    StepReport report;
    report.requested = dt;
    if (impl_ == nullptr) {
        report.status = StepStatus::InvalidInput;
        report.message = kMovedFrom;
        return report;
    }
    if (impl_->is_advancing.exchange(true)) {
        report.status = StepStatus::InvalidInput;
        report.message = kEditedWithin;
        return report;
    }
    StageTimes& times = impl_->times = {};
    detail::Stopwatch watch;
    Model& model = impl_->model;
    const double unit = detail::scale_of(model.settings).time();
    if (!(dt > 0.0 && dt <= detail::kLongestStep * std::max(1.0, unit))) {
        impl_->is_advancing = false;
        report.status = StepStatus::InvalidInput;
        report.message = unit > 1.0
                             ? "The step's length must be above 0, and at most 1 s times the root of the world's "
                               "length in metres."
                             : "The step's length must be above 0 and at most 1 s.";
        return report;
    }

    const std::uint64_t thrown = detail::host_exceptions().count;

    // Time is a count of steps; where dt changes it counts anew.
    model.time.follow_usual(dt, unit);
    model.time.set_dt(dt);
    const double t0 = model.time.now();
    const double t1 = model.time.next();

    // Broad phase: poses -> pairs that could touch.
    impl_->islands.note_sleepers(model);
    const bool are_otherwise_near = find_contacts(model, t0, t1);
    if (model.crowds.find(model) || are_otherwise_near) {
        impl_->islands.outdate();
    }
    times.search = watch.lap();

    // Connected bodies -> islands, and which of them are awake.
    impl_->islands.update_for_step(model);
    impl_->islands.distribute_contacts(model);
    impl_->islands.choose_piles(model);
    times.islands = watch.lap();
    impl_->islands.find_far_pairs(model, impl_->job_runner());
    times.collision = watch.lap();

    // Each island on its own, on as many threads as there are: bodies -> y, one call of the integrator service,
    // y -> bodies; islands that came together unexpectedly once more. Their reports are merged in their order.
    report.simulated = t1 - t0;
    report.boundary = model.settings.integrator.boundary;
    impl_->islands.advance(model, t0, t1, impl_->job_runner(), times);
    watch.lap();
    impl_->islands.merge_reports(report);
    if (impl_->islands.were_repeats_interrupted()) {
        report.merge(detail::interrupted_report());
    }
    report.evaluations += impl_->islands.repeated_evaluations();
    report.contact_work += impl_->islands.repeated_work();

    // Contacts at the end of the step, and impacts within it.
    impl_->collect_contacts();

    // Who came into triggers and who left them, along the ways that the bodies went.
    if (!model.steps.empty()) {
        model.triggers.locate(model.bodies, model.contacts, model.steps, t0, t1,
                              detail::kLeavesTrigger * model.settings.length);
    }

    // The energy ledger.
    if (model.settings.energy_ledger) {
        impl_->islands.settle_accounts(model.ledger);
    }

    // Prescribed bodies have arrived, and time with them.
    impl_->islands.finish_prescribed(model);
    model.step_begin = t0;
    ++model.time.steps;
    impl_->queries.all_moved();
    times.rest += watch.lap();
    impl_->is_advancing = false;

    // Paths are asked outside of islands too.
    if (detail::host_exceptions().count != thrown && report.status != StepStatus::ModelThrew) {
        impl_->thrown = detail::host_exceptions().last;
        report.status = StepStatus::ModelThrew;
        report.message = impl_->thrown.data();
    }
    return report;
}

// Where the same islands are awake as before, and touch at as many points, theirs alone are copied.
bool World::Impl::collect_from_awake() noexcept {
    const auto is_as_before = [&](std::size_t place) {
        const Collected& each = collected[place];
        return islands[each.number] == each.island && each.island->contact_reports().size() == each.count;
    };
    if (when_collected != islands.changes_of_awake() || islands_when_collected != islands.size() ||
        !std::ranges::all_of(collected_awake, is_as_before)) {
        return false;
    }
    for (const std::size_t place : collected_awake) {
        const Collected& each = collected[place];
        std::ranges::copy(each.island->contact_reports(), contacts.begin() + static_cast<std::ptrdiff_t>(each.first));
        if (!each.island->asleep()) {
            impacts.insert(impacts.end(), each.island->impacts().begin(), each.island->impacts().end());
        }
    }
    return true;
}

void World::Impl::collect_contacts() {
    impacts.clear();
    constexpr std::size_t kOfLimits = 64;
    contacts.reserve(model.contacts.room());
    impacts.reserve(std::max(model.contacts.room(), kOfLimits));
    if (collect_from_awake()) {
        return;
    }
    std::size_t count = 0;
    std::size_t place = 0;
    collected_awake.clear();
    when_collected = islands.changes_of_awake();
    islands_when_collected = islands.size();
    for (std::size_t i = 0; i < islands.size(); ++i) {
        const detail::Island* const island = islands[i];
        if (island == nullptr) { // free bodies have none
            continue;
        }
        const auto touched = island->contact_reports();
        const Collected now{island, i, count, touched.size(), island->asleep()};
        count += touched.size();
        if (place == collected.size()) {
            collected.emplace_back();
        }
        Collected& before = collected[place++];
        if (now.asleep && before == now) {
            continue;
        }
        before = now;
        contacts.resize(std::max(contacts.size(), count));
        std::ranges::copy(touched, contacts.begin() + static_cast<std::ptrdiff_t>(now.first));
        if (!now.asleep) {
            collected_awake.push_back(place - 1);
            const auto collided = island->impacts();
            impacts.insert(impacts.end(), collided.begin(), collided.end());
        }
    }
    collected.resize(place);
    contacts.resize(count);
}

void World::set_settings(const WorldSettings& settings) {
    detail::require_settings(settings);
    if (settings.threads != editable(impl_).model.settings.threads) {
        editable(impl_).threads = make_threads(settings);
    }
    const bool new_length = settings.length != editable(impl_).model.settings.length;
    const bool new_gravity = settings.gravity != editable(impl_).model.settings.gravity;
    const bool new_sleep = settings.sleep != editable(impl_).model.settings.sleep;
    const bool ledger_begins = settings.energy_ledger && !editable(impl_).model.settings.energy_ledger;
    editable(impl_).model.settings = with_method(settings);
    if (new_length) {
        editable(impl_).model.contacts.outdate(); // margins are others
        editable(impl_).model.contacts.test_anew([](const detail::ColliderPair&) { return true; });
        editable(impl_).islands.clear(); // so are the rows of joints
    }
    editable(impl_).islands.configure(editable(impl_).model);
    if (ledger_begins) {
        reset_energy_ledger();
    }
    if (new_gravity) {
        editable(impl_).islands.model_changed();
    }
    if (new_sleep) {
        editable(impl_).islands.wake_all();
    }
}

void World::set_interrupt(const std::atomic<bool>* interrupt) noexcept {
    if (impl_ != nullptr) {
        impl_->model.interrupt = interrupt;
    }
}

void World::set_job_runner(JobRunner* runner) noexcept {
    if (impl_ != nullptr) {
        impl_->host_runner = runner;
    }
}

} // namespace substep
