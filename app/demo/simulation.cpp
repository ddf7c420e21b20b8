// What the demo simulates: its scene, settings, twin and past. Steps are in simulation_steps.cpp, what a hand does to
// them and what that is measured against in simulation_hand.cpp.
#include "simulation.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace substep {

namespace {

// Steps that are recorded: as far as one can go back, with what plots show before, within reason.
constexpr double kSeenBefore = 10.0; // s
constexpr double kFewestSteps = 600.0;
constexpr double kMostSteps = 60'000.0;

constexpr std::size_t kMeanSteps = 60; // over which costs are compared

// A clock that keeps up at the highest speed with 15 pictures a second; what is slower loses time, and says so.
FrameClock make_clock(double fps) {
    return FrameClock(1.0 / fps, std::max(8, static_cast<int>(std::ceil(fps * kFastestSpeed / 15.0))));
}

} // namespace

Simulation::Simulation(Run run)
    : info_(run.info), values_(std::move(run.values)), fps_(run.scene.fps), scene_(),
      clock_(make_clock(run.scene.fps)) {
    const glm::dvec3 gravity = run.scene.world.settings().gravity;
    start(std::move(run.scene), gravity);
}

Simulation::~Simulation() { runner_.stop(); }

void Simulation::start(Scene scene, const glm::dvec3& own_gravity) {
    stop_step();
    scene_ = std::move(scene);
    own_gravity_ = own_gravity;
    keep_ledger();
    meter_.emplace(scene_.world, scene_.truth.get(), scene_.energy_scale);
    trails_ = make_trails(scene_);
    path_.forget();
    exact_graph_ = scene_.graph;
    report_ = {};
    failure_.clear();
    pace_ = {};
    ++starts_;
    recording_.begin_run(method(), static_cast<std::size_t>(
                                       std::clamp((History::kSeconds + kSeenBefore) * fps_, kFewestSteps, kMostSteps)));
    recording_.add_start(scene_, *meter_);
    hand_ = {};
    measures_ = {};
    measures_.touched = gravity_was_edited();
    if (is_measured_by_reference()) measures_.run.emplace(new_reference());
    if (twin_) make_twin();

    history_.clear();
    history_.add(moment());
    kept_.reset();

    clock_ = make_clock(fps_);
    align_clock();
    show(time());
}

// The clock stands just before a whole step: the first tick takes one, and the picture shows its end.
void Simulation::align_clock() {
    pace_.lost += clock_.total_lost();
    clock_.reset();
    clock_.tick((1.0 - 1e-9) * clock_.dt());
}

// The demo shows where energy goes, whatever a scene asks for.
void Simulation::keep_ledger() {
    WorldSettings settings = scene_.world.settings();
    settings.energy_ledger = true;
    scene_.world.set_settings(settings);
    scene_.world.reset_energy_ledger();
}

void Simulation::choose_scene(const SceneInfo& info) {
    Scene scene = make_scene(info);
    info_ = &info;
    values_.clear();
    for (const SceneParameter& parameter : info.parameters) values_.push_back(parameter.value);
    fps_ = scene.fps;
    recording_.clear();
    const glm::dvec3 gravity = scene.world.settings().gravity;
    start(std::move(scene), gravity);
}

void Simulation::set_value(std::size_t parameter, double value) {
    std::vector<double> values = values_;
    values.at(parameter) = value;
    Scene scene = make_scene(*info_, values);
    const glm::dvec3 gravity = scene.world.settings().gravity;
    scene.world.set_settings(settings());
    values_ = std::move(values);
    recording_.clear(); // curves of another motion are no comparison
    start(std::move(scene), gravity);
}

void Simulation::reset() {
    Scene scene = make_scene(*info_, values_);
    const glm::dvec3 gravity = scene.world.settings().gravity;
    scene.world.set_settings(settings());
    start(std::move(scene), gravity);
}

void Simulation::set_settings(const WorldSettings& settings) {
    stop_step();
    const std::size_t before = method();
    const glm::dvec3 gravity = this->settings().gravity;
    scene_.world.set_settings(settings);
    if (settings.gravity != gravity) {
        touch([&](World& world) {
            WorldSettings changed = world.settings();
            changed.gravity = settings.gravity;
            world.set_settings(changed);
        });
    }
    if (twin_) twin_->scene.world.set_settings(twin_settings());
    pace_.is_slow = false;
    if (method() == before) return;
    recording_.change_method(time(), method());
    // What it does from here on is its own, unless the whole run is.
    measures_.method.reset();
    measures_.method_largest = 0.0;
    const bool run_begins = measures_.run && measures_.run->begin() >= time() - 1e-9;
    if (!recording_.switches().empty() && !run_begins) measures_.method.emplace(new_reference());
}

void Simulation::set_integrator(const IntegratorSettings& settings) {
    WorldSettings changed = this->settings();
    changed.integrator = settings;
    set_settings(changed);
}

// Bodies offer every capability; what a world lacks it says itself, when it is asked.
std::string Simulation::unsuitable(const MethodInfo&) const { return {}; }

std::string Simulation::limited_by() const {
    const std::optional<LimitingQuantity> limit = scene_.world.limiting_quantity();
    if (!limit) return {};
    const auto bodies = scene_.world.bodies();
    if (bodies.size() == 1) return std::string(limit->quantity);
    const auto number = std::ranges::find(bodies, limit->body) - bodies.begin() + 1;
    return std::string(limit->quantity) + " of body " + std::to_string(number);
}

// --- the twin

WorldSettings Simulation::twin_settings() const {
    WorldSettings settings = this->settings();
    settings.integrator.method = twin_choice_.method;
    settings.integrator.substeps = twin_choice_.substeps;
    settings.integrator.boundary = Boundary::Exact;
    settings.integrator.budget = 0;
    return settings;
}

void Simulation::set_twin(bool on) {
    stop_step();
    if (on) {
        make_twin();
        show(time());
    } else {
        twin_.reset();
    }
}

void Simulation::set_twin_substeps(int substeps) {
    stop_step();
    twin_choice_.substeps = std::clamp(substeps, 1, kMostTwinSubsteps);
    if (twin_) twin_->scene.world.set_settings(twin_settings());
}

void Simulation::set_twin_method(const std::string& method) {
    stop_step();
    const std::string before = std::exchange(twin_choice_.method, method);
    if (!twin_) return;
    try {
        twin_->scene.world.set_settings(twin_settings());
    } catch (...) {
        twin_choice_.method = before;
        throw;
    }
    recording_.begin_twin(time(), row_of(method)); // what another method made of it is no part of this one's
}

int Simulation::equal_cost_substeps() const {
    const std::span<const StepCost> costs = recording_.costs_until(time());
    const std::span<const StepCost> recent = costs.last(std::min(costs.size(), kMeanSteps));
    double evaluations = 0.0;
    for (const StepCost& cost : recent) evaluations += static_cast<double>(cost.report.evaluations);
    if (recent.empty()) return 0;
    const MethodInfo& method = method_info_at(row_of(twin_choice_.method));
    if (method.adaptive) return 0;
    const double each = std::max(method.stages, 1);
    return std::max(1, static_cast<int>(std::lround(evaluations / static_cast<double>(recent.size()) / each)));
}

// Like the scene, where that one is now.
void Simulation::make_twin() {
    Scene scene;
    scene.world = scene_.world.clone();
    scene.graph = scene_.graph;
    scene.trails = scene_.trails;
    Meter meter = *meter_;
    std::vector<Trail> trails = make_trails(scene);
    twin_.emplace(Twin{std::move(scene), meter, std::move(trails), {}, {}, {}, hand_.spring});
    twin_->scene.world.set_settings(twin_settings());
    twin_->meter.measure(twin_->scene.world);
    recording_.begin_twin(time(), row_of(twin_choice_.method));
}

// --- the past

void Simulation::go_to(double t) {
    if (!history_.empty()) return_to(history_.at(t));
}

void Simulation::keep_state() { kept_ = moment(); }

void Simulation::return_to_kept() {
    if (kept_) return_to(*kept_);
}

PastMoment Simulation::moment() const {
    PastMoment now{time(),   scene_.world.snapshot(),        *meter_,
                   report_,  motions(scene_.world, trails_), measures_.touched,
                   method(), measures_.method.has_value(),   hand_.spring};
    now.report.message = {}; // is the simulation's own, until its next step
    return now;
}

// Trails as they were then, as far as moments are kept.
void Simulation::draw_trails_until(double time) {
    trails_ = make_trails(scene_);
    const double from = time - kTrailSeconds - 1e-9;
    const std::vector<PointMotion>* last = nullptr;
    double last_time = 0.0;
    for (const PastMoment& each : history_.moments()) {
        if (each.time < from || each.time > time + 1e-9) continue;
        // Bodies that are gone by now, or were not there yet, leave no trail; those of before begin none.
        const auto same = [](const PointMotion& motion, const Trail& trail) { return motion.body == trail.body; };
        if (!std::ranges::equal(each.motions, trails_, same)) {
            last = nullptr;
            continue;
        }
        if (last == nullptr) {
            for (std::size_t i = 0; i < trails_.size(); ++i) trails_[i].points = {glm::vec3(each.motions[i].position)};
        } else {
            extend(trails_, *last, each.motions, each.time - last_time, most_trail_points(), true);
        }
        last = &each.motions;
        last_time = each.time;
    }
}

std::size_t Simulation::most_trail_points() const noexcept {
    return static_cast<std::size_t>(kTrailSeconds / clock_.dt()) * kTrailPointsPerStep;
}

// The twin starts anew from there, and so do references.
void Simulation::return_to(const PastMoment& past) {
    stop_step();
    let_go();
    const PastMoment moment = past; // the past may change below
    const WorldSettings present = settings();
    scene_.world.restore(moment.snapshot);
    scene_.world.set_settings(present);
    if (scene_.world.is_valid(moment.spring)) scene_.world.remove_force_field(moment.spring);
    failure_.clear();
    report_ = moment.report;
    *meter_ = moment.meter;
    path_.forget();
    pace_.is_slow = false;
    draw_trails_until(moment.time);
    measures_ = {};
    measures_.touched = moment.touched || gravity_was_edited();
    measures_.begins_anew = true;
    const bool is_mixed = moment.switched || moment.method != method();
    if (is_measured_by_reference()) {
        measures_.run.emplace(new_reference());
    } else if (is_mixed) {
        measures_.method.emplace(new_reference());
    }
    if (twin_) make_twin();
    align_clock();
    show(time());
}

} // namespace substep
