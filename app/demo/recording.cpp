// What the panels plot: the curves of a simulation over time.
#include "recording.h"

#include <algorithm>
#include <cmath>

namespace substep {

namespace {

constexpr std::size_t kKeptSubsteps = 12; // for each step that is kept: methods of small steps keep fewer
constexpr std::size_t kKeptDriftCurves = 24;
constexpr double kKeptLedger = 120.0; // s, as far as one can go back
constexpr double kTimeSlack = 1e-9;   // s, of times that are sums of steps

// Drops the oldest elements; in bulk, so that it is done rarely.
template <class T>
void keep_last(std::vector<T>& items, std::size_t count) {
    if (items.size() >= 2 * count) items.erase(items.begin(), items.end() - static_cast<std::ptrdiff_t>(count));
}

} // namespace

void Recording::clear() { *this = Recording{}; }

void Recording::begin_run(std::size_t method, std::size_t kept_steps) {
    // Of earlier runs only curves that show something, and only the latest of them.
    std::erase_if(drift_, [](const DriftCurve& curve) { return curve.points.points().size() < 2; });
    if (drift_.size() > kKeptDriftCurves) {
        drift_.erase(drift_.begin(), drift_.end() - static_cast<std::ptrdiff_t>(kKeptDriftCurves));
    }
    Recording fresh;
    fresh.run_ = run_ + 1;
    fresh.kept_steps_ = kept_steps;
    for (RollingSeries* series :
         {&fresh.kinetic_, &fresh.potential_, &fresh.total_, &fresh.twin_total_, &fresh.twin_evaluations_})
        *series = RollingSeries(kept_steps);
    fresh.drift_ = std::move(drift_);
    *this = std::move(fresh);
    drift_.push_back({.method = method, .run = run_, .points = PeakSeries{}});
}

DriftCurve* Recording::latest(DriftOf of) noexcept {
    const auto found = std::find_if(drift_.rbegin(), drift_.rend(),
                                    [&](const DriftCurve& curve) { return curve.of == of && curve.run == run_; });
    return found == drift_.rend() ? nullptr : &*found;
}

std::size_t Recording::method() const noexcept {
    const DriftCurve* const run = const_cast<Recording*>(this)->latest(DriftOf::Run);
    return run != nullptr ? run->method : 0;
}

void Recording::change_method(double time, std::size_t method) {
    // Where no step was made yet with the method before, its curves only change the name.
    const auto is_unused = [](const DriftCurve* curve) { return curve == nullptr || curve->points.points().empty(); };
    DriftCurve* const run = latest(DriftOf::Run);
    DriftCurve* const own = latest(DriftOf::Method);
    if (run != nullptr && is_unused(run) && is_unused(own)) {
        run->method = method;
        if (own != nullptr) own->method = method;
        if (!switches_.empty()) switches_.back().method = method;
        return;
    }
    switches_.push_back({time, method});
    if (run != nullptr && is_unused(run)) {
        run->method = method; // touched just now: it is measured from here on, by this method alone
    } else {
        drift_.push_back({method, DriftOf::Run, run_, time, true, false, PeakSeries{}});
    }
    drift_.push_back({method, DriftOf::Method, run_, time, false, false, PeakSeries{}});
}

void Recording::begin_reference(double time) {
    touches_.push_back(time);
    const std::size_t present = method();
    DriftCurve* run = latest(DriftOf::Run);
    if (run == nullptr || !run->points.points().empty()) {
        run = &drift_.emplace_back(DriftCurve{.method = present, .run = run_, .points = PeakSeries{}});
    }
    run->begin = time;
    run->is_mixed = false;
    run->is_touched = true;
}

void Recording::begin_twin(double time, std::size_t method) {
    std::erase_if(drift_, [&](const DriftCurve& curve) { return curve.of == DriftOf::Twin && curve.run == run_; });
    drift_.push_back({method, DriftOf::Twin, run_, time, false, false, PeakSeries{}});
    for (ChannelHistory& channel : channels_) channel.twin = RollingSeries(kept_steps_);
    twin_total_ = twin_evaluations_ = RollingSeries(kept_steps_);
    sinking_.begin_twin();
}

void Recording::cut_after(double time) {
    const double end = time + kTimeSlack;
    std::erase_if(drift_, [&](const DriftCurve& curve) {
        return curve.run == run_ && curve.of != DriftOf::Twin && curve.begin > end;
    });
    for (DriftCurve& curve : drift_) {
        if (curve.run == run_) curve.points.cut_after(end);
    }
    std::erase_if(touches_, [&](double touch) { return touch > end; });
    std::erase_if(switches_, [&](const MethodSwitch& change) { return change.time > end; });
    for (ChannelHistory& channel : channels_) {
        for (RollingSeries* series : {&channel.exact, &channel.simulated, &channel.reference, &channel.twin})
            series->cut_after(end);
    }
    for (RollingSeries* series : {&kinetic_, &potential_, &total_, &twin_total_, &twin_evaluations_})
        series->cut_after(end);
    energy_change_.cut_after(end);
    sinking_.cut_after(end);
    std::erase_if(ledger_, [&](const LedgerPoint& point) { return point.time > end; });
    std::erase_if(costs_, [&](const StepCost& cost) { return cost.time > end; });
    std::erase_if(substeps_, [&](const SubstepSpan& span) { return span.end > end; });
    last_substep_ = substeps_.empty() ? time : substeps_.back().end;
}

void Recording::add_start(const Scene& scene, const Meter& meter) {
    sinking_.begin(scene.world, kept_steps_);
    add_state(scene, meter, {});
}

void Recording::add_state(const Scene& scene, const Meter& meter, const StepErrors& errors) {
    const double t = scene.world.time();
    const Energy& energy = meter.energy();
    if (total_.points().empty()) start_potential_ = energy.potential;
    kinetic_.push(t, energy.kinetic);
    potential_.push(t, energy.potential - start_potential_);
    total_.push(t, energy.total() - start_potential_);
    energy_change_.push(t, std::abs(meter.relative_energy_change()));
    if (scene.world.settings().energy_ledger) {
        ledger_.push_back(ledger_point(scene.world, start_potential_));
        if (ledger_.front().time < t - 2.0 * kKeptLedger) {
            std::erase_if(ledger_, [&](const LedgerPoint& point) { return point.time < t - kKeptLedger; });
        }
    }

    if (scene.truth && meter.knows_bodies()) add_channels(scene, errors);
}

void Recording::add_channels(const Scene& scene, const StepErrors& errors) {
    // The exact value as long as it is known and applies, then that of the reference.
    const double t = scene.world.time();
    const bool known = errors.is_exact && t <= scene.truth->known_until() + kTimeSlack;
    const std::vector<Truth::Channel> channels = scene.truth->channels(scene.world);
    const RollingSeries none(kept_steps_);
    channels_.resize(channels.size(), {{}, {}, none, none, none, none});
    if (errors.reference != nullptr) {
        const std::vector<Truth::Channel> reference = scene.truth->channels(*errors.reference);
        for (std::size_t i = 0; i < reference.size(); ++i) channels_[i].reference.push(t, reference[i].simulated);
    }
    for (std::size_t i = 0; i < channels.size(); ++i) {
        channels_[i].name = channels[i].name;
        channels_[i].unit = channels[i].unit;
        if (known) channels_[i].exact.push(t, channels[i].exact);
        channels_[i].simulated.push(t, channels[i].simulated);
    }
}

void Recording::add_step(const Scene& scene, const Meter& meter, double begin, const StepReport& report,
                         double microseconds, const StepErrors& errors) {
    add_state(scene, meter, errors);
    add_drift(scene.world.time(), errors.run, DriftOf::Run);
    if (errors.method) add_drift(scene.world.time(), *errors.method, DriftOf::Method);
    add_cost(begin, scene.world.time(), report, microseconds, scene.world.substep_attempts());
    costs_.back().stages = scene.world.stage_times();
    sinking_.add(scene.world);
}

void Recording::add_cost(double begin, double end, const StepReport& report, double microseconds,
                         std::span<const SubstepAttempt> attempts) {
    const int degraded = (costs_.empty() ? 0 : costs_.back().degraded_steps) + (report.degraded ? 1 : 0);
    costs_.push_back({end, report, microseconds, degraded, {}});
    costs_.back().report.message = {}; // is the service's own, until its next step
    keep_last(costs_, kept_steps_);
    add_substeps(begin, end, report, attempts);
}

std::span<const StepCost> Recording::costs_until(double time) const noexcept {
    const auto behind = std::ranges::upper_bound(costs_, time + kTimeSlack, {}, &StepCost::time);
    return {costs_.begin(), behind};
}

void Recording::add_twin_step(const World& twin, const Meter& meter, const StepReport& report, double error,
                              const Scene& scene) {
    const double t = twin.time();
    add_drift(t, error, DriftOf::Twin);
    twin_total_.push(t, meter.energy().total() - start_potential_);
    twin_evaluations_.push(t, static_cast<double>(report.evaluations));
    sinking_.add_twin(twin, scene.world);
    if (scene.truth == nullptr || !meter.knows_bodies()) return;
    const std::vector<Truth::Channel> channels = scene.truth->channels(twin);
    for (std::size_t i = 0; i < std::min(channels.size(), channels_.size()); ++i) {
        channels_[i].twin.push(t, channels[i].simulated);
    }
}

void Recording::add_drift(double time, double drift, DriftOf of) {
    DriftCurve* const curve = latest(of);
    if (curve != nullptr && std::isfinite(drift)) curve->points.push(time, drift);
}

void Recording::add_substeps(double begin, double end, const StepReport& report,
                             std::span<const SubstepAttempt> attempts) {
    // Substeps that run ahead continue where the last one ended; others fill the step up to its end.
    double sum = 0.0;
    for (const SubstepAttempt& attempt : attempts) sum += attempt.accepted ? attempt.h : 0.0;
    double from = end - sum;
    if (report.boundary == Boundary::RunAhead) {
        const bool continues = !report.restarted && !substeps_.empty() && last_substep_ >= begin - 1e-9;
        from = continues ? last_substep_ : begin;
    }
    for (const SubstepAttempt& attempt : attempts) {
        const bool even = !substeps_.empty() && substeps_.back().even;
        substeps_.push_back({from, from + attempt.h, attempt.accepted, attempt.accepted != even});
        if (attempt.accepted) from += attempt.h;
    }
    last_substep_ = from;
    keep_last(substeps_, kKeptSubsteps * kept_steps_);
}

} // namespace substep
