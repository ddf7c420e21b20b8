// What the demo simulates: a scene, the ghost of its exact solution, and its twin under the method of game engines.
#include "simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <utility>

#include <glm/gtc/quaternion.hpp>

#include "substep/engine/springs.h"

namespace substep {

namespace {

constexpr const char* kTwinMethod = "impulse_euler";
constexpr double kTrailSeconds = 2.5;
constexpr int kTrailPointsPerStep = 4;

// Steps that are recorded: as far as one can go back, with what plots show before, within reason.
constexpr double kSeenBefore = 10.0; // s
constexpr double kFewestSteps = 600.0;
constexpr double kMostSteps = 60'000.0;

std::vector<Trail> make_trails(const Scene& scene) {
    std::vector<Trail> trails;
    for (const BodyId body : scene.trails) {
        if (scene.world.is_valid(body)) trails.push_back({body, {glm::vec3(scene.world.pose(body).position)}});
    }
    return trails;
}

// A clock that keeps up at the highest speed with 15 pictures a second; what is slower loses time, and says so.
FrameClock make_clock(double fps) {
    return FrameClock(1.0 / fps, std::max(8, static_cast<int>(std::ceil(fps * kFastestSpeed / 15.0))));
}

// Where each trail's body is now, and how it moves.
std::vector<PointMotion> motions(const World& world, const std::vector<Trail>& trails) {
    std::vector<PointMotion> found;
    for (const Trail& trail : trails) {
        const Body body = world.body(trail.body);
        const glm::dvec3 position = body.pose().position;
        found.push_back({trail.body, position, body.velocity_at(position)});
    }
    return found;
}

// Continues trails over a step of dt by the cubic through both ends and their velocities.
void extend(std::vector<Trail>& trails, const std::vector<PointMotion>& from, const std::vector<PointMotion>& to,
            double dt, std::size_t most_points) {
    for (std::size_t i = 0; i < trails.size(); ++i) {
        for (int k = 1; k <= kTrailPointsPerStep; ++k) {
            // Hermite's cubic: h00 a + h10 dt a' + h01 b + h11 dt b'.
            const double s = static_cast<double>(k) / kTrailPointsPerStep;
            const double r = 1.0 - s;
            const glm::dvec3 point = (1.0 + 2.0 * s) * r * r * from[i].position + s * r * r * dt * from[i].velocity +
                                     s * s * (3.0 - 2.0 * s) * to[i].position - s * s * r * dt * to[i].velocity;
            trails[i].points.emplace_back(point);
        }
        std::vector<glm::vec3>& points = trails[i].points;
        if (points.size() > most_points) {
            points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(most_points));
        }
    }
}

// Ends trails where their bodies are at time t, so many steps before the world's.
void cut(std::vector<Trail>& trails, const World& world, double steps, double t) {
    const auto points = static_cast<std::size_t>(std::ceil(steps * kTrailPointsPerStep - 1e-6));
    if (points == 0) return;
    for (Trail& trail : trails) {
        trail.points.resize(trail.points.size() - std::min(trail.points.size(), points));
        trail.points.emplace_back(world.sample(trail.body, t).position);
    }
}

} // namespace

Simulation::Simulation(Run run)
    : info_(run.info), values_(std::move(run.values)), fps_(run.scene.fps), scene_(),
      clock_(make_clock(run.scene.fps)) {
    start(std::move(run.scene));
}

void Simulation::start(Scene scene) {
    scene_ = std::move(scene);
    keep_ledger();
    meter_.emplace(scene_.world, scene_.truth.get(), scene_.energy_scale);
    trails_ = make_trails(scene_);
    exact_graph_ = scene_.graph;
    report_ = {};
    failure_.clear();
    ++starts_;
    recording_.begin_run(method(), static_cast<std::size_t>(
                                       std::clamp((History::kSeconds + kSeenBefore) * fps_, kFewestSteps, kMostSteps)));
    recording_.add_start(scene_, *meter_);
    if (twin_) make_twin();

    hold_.reset();
    spring_ = {};
    was_edited_ = false;
    history_.clear();
    history_.add(moment());
    kept_.reset();

    clock_ = make_clock(fps_);
    align_clock();
    show(time());
}

// The clock stands just before a whole step: the first tick takes one, and the picture shows its end.
void Simulation::align_clock() {
    clock_.reset();
    clock_.tick((1.0 - 1e-9) * clock_.dt());
}

void Simulation::edit(const std::function<void(World&)>& edit) {
    edit(scene_.world);
    was_edited_ = true;
    std::erase_if(trails_, [&](const Trail& trail) { return !scene_.world.is_valid(trail.body); });
    if (twin_) edit_twin(edit);
    align_clock();
    show(time());
}

bool Simulation::gravity_was_edited() const {
    return settings().gravity != make_scene(*info_, values_).world.settings().gravity;
}

// Both worlds were built alike, so handles mean the same in both; it then goes on from the state of the other one.
void Simulation::edit_twin(const std::function<void(World&)>& edit) {
    World& world = twin_->scene.world;
    try {
        edit(world);
        world.restore(scene_.world.snapshot());
    } catch (const std::invalid_argument&) {
        twin_.reset();
        return;
    }
    world.set_settings(twin_settings());
    std::erase_if(twin_->trails, [&](const Trail& trail) { return !world.is_valid(trail.body); });
    twin_->meter.measure(world);
}

void Simulation::take_hold(BodyId body, const glm::dvec3& point) {
    if (scene_.world.body(body).motion() != MotionType::Dynamic) return;
    const Pose pose = scene_.world.pose(body);
    hold_ = Hold{body, glm::conjugate(pose.orientation) * (point - pose.position), point};
}

void Simulation::drag_to(const glm::dvec3& target) {
    if (hold_) hold_->target = target;
}

void Simulation::let_go() {
    hold_.reset();
    pull();
}

std::optional<Grip> Simulation::drag() const {
    if (!hold_ || !scene_.world.is_valid(hold_->body)) return std::nullopt;
    const Pose pose = this->pose(hold_->body);
    return Grip{hold_->body, pose.position + pose.orientation * hold_->anchor, hold_->target};
}

// Puts the spring where the mouse is now: a new one for every step, for its end is an input from outside.
void Simulation::pull() {
    constexpr double kRate = 2.0 * std::numbers::pi * 3.0; // rad/s
    constexpr double kDamping = 0.7;
    if (spring_ != ForceFieldId{}) scene_.world.remove_force_field(std::exchange(spring_, {}));
    if (!hold_ || !scene_.world.is_valid(hold_->body)) return;
    const double mass = scene_.world.body(hold_->body).mass_properties().mass;
    SpringDesc spring;
    spring.body_a = hold_->body;
    spring.anchor_a = hold_->anchor;
    spring.anchor_b = hold_->target;
    spring.stiffness = mass * kRate * kRate;
    spring.damping = 2.0 * kDamping * mass * kRate;
    spring_ = scene_.world.add_force_field(std::make_unique<Spring>(spring));
    was_edited_ = true;
}

void Simulation::go_to(double t) {
    if (!history_.empty()) return_to(history_.at(t));
}

void Simulation::keep_state() { kept_ = moment(); }

void Simulation::return_to_kept() {
    if (kept_) return_to(*kept_);
}

PastMoment Simulation::moment() const {
    PastMoment now{time(), scene_.world.snapshot(), *meter_, report_, motions(scene_.world, trails_)};
    now.report.message = {}; // is the world's own, until its next step
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
            extend(trails_, *last, each.motions, each.time - last_time, most_trail_points());
        }
        last = &each.motions;
        last_time = each.time;
    }
}

std::size_t Simulation::most_trail_points() const noexcept {
    return static_cast<std::size_t>(kTrailSeconds / clock_.dt()) * kTrailPointsPerStep;
}

// The twin starts anew from there.
void Simulation::return_to(const PastMoment& moment) {
    let_go();
    const WorldSettings present = settings();
    scene_.world.restore(moment.snapshot);
    scene_.world.set_settings(present);
    failure_.clear();
    report_ = moment.report;
    *meter_ = moment.meter;
    draw_trails_until(moment.time);
    if (twin_) {
        try {
            make_twin();
        } catch (const std::invalid_argument&) {
            twin_.reset();
        }
    }
    align_clock();
    show(time());
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
    start(std::move(scene));
}

void Simulation::set_value(std::size_t parameter, double value) {
    std::vector<double> values = values_;
    values.at(parameter) = value;
    Scene scene = make_scene(*info_, values);
    scene.world.set_settings(settings());
    values_ = std::move(values);
    recording_.clear(); // curves of another motion are no comparison
    start(std::move(scene));
}

void Simulation::reset() {
    Scene scene = make_scene(*info_, values_);
    scene.world.set_settings(settings());
    start(std::move(scene));
}

void Simulation::set_settings(const WorldSettings& settings) {
    const std::size_t before = method();
    scene_.world.set_settings(settings);
    if (twin_) twin_->scene.world.set_settings(twin_settings());
    if (method() != before) recording_.change_method(time(), method());
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

WorldSettings Simulation::twin_settings() const {
    WorldSettings settings = this->settings();
    settings.integrator.method = kTwinMethod;
    settings.integrator.substeps = twin_substeps_;
    settings.integrator.boundary = Boundary::Exact;
    settings.integrator.budget = 0;
    return settings;
}

void Simulation::set_twin(bool on) {
    if (on) {
        make_twin();
        show(time());
    } else {
        twin_.reset();
    }
}

void Simulation::set_twin_substeps(int substeps) {
    twin_substeps_ = std::clamp(substeps, 1, 100);
    if (twin_) twin_->scene.world.set_settings(twin_settings());
}

void Simulation::make_twin() {
    // Built and measured from the start like the scene itself, then moved to where that one is now.
    Scene scene = make_scene(*info_, values_);
    Meter meter(scene.world, scene.truth.get(), scene.energy_scale);
    scene.world.set_settings(settings());
    scene.world.restore(scene_.world.snapshot());
    std::vector<Trail> trails = make_trails(scene);
    twin_.emplace(Twin{std::move(scene), meter, std::move(trails), {}});
    twin_->scene.world.set_settings(twin_settings());
    recording_.begin_twin(row_of(kTwinMethod));
}

void Simulation::advance(double elapsed) {
    const FrameClock::Tick tick = clock_.tick(elapsed);
    for (int i = 0; i < tick.steps && failure_.empty(); ++i) step();
    show(time() - clock_.dt() + tick.remainder);
}

void Simulation::step_once() {
    if (failure_.empty()) step();
    align_clock();
    show(time());
}

void Simulation::step() {
    const double dt = clock_.dt();
    const std::size_t most_points = most_trail_points();
    const double begin = time();
    if (history_.end() > begin + 1e-9) recording_.cut_after(begin); // it was gone back to: another future begins
    const std::vector<PointMotion> from = motions(scene_.world, trails_);

    if (hold_) pull();
    const auto wall = std::chrono::steady_clock::now();
    report_ = scene_.world.advance(dt);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - wall;

    meter_->measure(scene_.world);
    history_.add(moment());
    recording_.add_step(scene_, *meter_, begin, report_, spent.count());
    extend(trails_, from, motions(scene_.world, trails_), dt, most_points);
    if (report_.status == StepStatus::NonFinite || report_.status == StepStatus::InvalidInput ||
        report_.status == StepStatus::StepTooSmall) {
        failure_ = "Stopped at the last good state: " + std::string(to_string(report_.status)) +
                   ". Choose another method or smaller substeps, and reset.";
    }

    if (!twin_) return;
    const std::vector<PointMotion> twin_from = motions(twin_->scene.world, twin_->trails);
    twin_->scene.world.advance(dt);
    twin_->meter.measure(twin_->scene.world);
    recording_.add_twin_step(time(), twin_->meter);
    extend(twin_->trails, twin_from, motions(twin_->scene.world, twin_->trails), dt, most_points);
}

Pose Simulation::pose(BodyId body) const { return body == kWorldBody ? Pose{} : scene_.world.sample(body, shown_); }

void Simulation::show(double t) {
    // At the end of a step the bodies' own poses do; in between, the dense output.
    const bool now = std::abs(time() - t) < 1e-6 * clock_.dt();
    const double shown = now ? time() : std::max(t, 0.0);
    shown_ = shown;
    const auto update = [&](Scene& scene) {
        if (now) {
            scene.graph.update_from(scene.world);
        } else {
            scene.graph.update_from(scene.world, shown);
        }
    };
    update(scene_);
    if (twin_) update(twin_->scene);
    const double behind = now ? 0.0 : std::max(time() - shown, 0.0) / clock_.dt();
    shown_trails_ = trails_;
    cut(shown_trails_, scene_.world, behind, shown);
    if (twin_) {
        twin_->shown_trails = twin_->trails;
        cut(twin_->shown_trails, twin_->scene.world, behind, shown);
    }

    exact_known_ = scene_.truth != nullptr && !was_edited_ && shown <= scene_.truth->known_until();
    if (!exact_known_) return;
    std::vector<Pose> poses(scene_.world.bodies().size());
    scene_.truth->poses(shown, poses);
    exact_graph_.place(scene_.world, poses);
}

} // namespace substep
