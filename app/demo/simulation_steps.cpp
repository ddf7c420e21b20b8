// The steps of the demo's simulation: within the frame where they are quick, beside it where they are not.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "simulation.h"

namespace substep {

namespace {

// What joints may be open by in a picture, in parts of the camera's distance: less than half a pixel of 1280.
constexpr double kVisible = 3e-4;

} // namespace

void Simulation::advance(double elapsed) {
    runner_.begin_frame();
    if (pace_.beside) {
        if (runner_.has_ended()) {
            adopt_step();
        } else {
            pace_.lost += elapsed;
        }
        return;
    }
    const FrameClock::Tick tick = clock_.tick(elapsed);
    for (int i = 0; i < tick.steps && failure_.empty(); ++i) {
        if (i > 0 && runner_.frame_is_over()) {
            pace_.lost += (tick.steps - i) * clock_.dt();
            break;
        }
        if (!step()) {
            pace_.lost += (tick.steps - i - 1) * clock_.dt();
            return; // the picture stays where it is until the step is done
        }
    }
    show(time() - clock_.dt() + tick.remainder);
}

void Simulation::step_once() {
    runner_.begin_frame();
    if (pace_.beside || (failure_.empty() && !step())) return;
    align_clock();
    show(time());
}

void Simulation::stop_step() {
    runner_.stop();
    pace_.beside.reset();
}

// The step that was made beside takes the place of what is shown.
void Simulation::adopt_step() {
    const std::unique_ptr<Beside> beside = std::exchange(pace_.beside, nullptr);
    pace_.is_slow = runner_.seconds() > runner_.limit();
    runner_.finish();
    give_back_worlds(beside->worlds);
    finish_step(beside->begin, beside->worlds);
    align_clock();
    show(time());
}

// Takes a step. False where it goes on beside: the worlds then stand at its start.
bool Simulation::step() {
    StepBegin begin = begin_step();
    const double dt = clock_.dt();
    Lockstep worlds = take_worlds();
    std::optional<Lockstep::Saved> saved;
    bool done = false;
    try {
        if (pace_.is_slow || runner_.may_interrupt()) saved = worlds.save();
        if (!pace_.is_slow) {
            bool whole = false;
            const auto job = [&](const std::atomic<bool>& interrupt) { whole = worlds.advance(dt, interrupt); };
            done = runner_.run(job) && whole;
            if (!done) worlds.restore(*saved);
        }
    } catch (...) {
        give_back_worlds(worlds);
        throw;
    }
    give_back_worlds(worlds);
    if (done) {
        finish_step(begin, worlds);
    } else {
        start_beside(std::move(*saved), std::move(begin));
    }
    return done;
}

// Other worlds are made there too: a frame of a thousand bodies would be late for that alone.
void Simulation::start_beside(Lockstep::Saved saved, StepBegin begin) {
    pace_.beside = std::make_unique<Beside>();
    pace_.beside->begin = std::move(begin);
    runner_.start([worlds = &pace_.beside->worlds, saved = std::move(saved),
                   dt = clock_.dt()](const std::atomic<bool>& interrupt) {
        *worlds = Lockstep::made_of(saved, interrupt);
        worlds->advance(dt, interrupt);
    });
}

Simulation::StepBegin Simulation::begin_step() {
    const double begin = time();
    if (history_.end() > begin + 1e-9 || measures_.begins_anew) {
        recording_.cut_after(begin); // it was gone back to: another future begins
        if (recording_.method() != method()) recording_.change_method(begin, method());
        if (measures_.run) recording_.begin_reference(begin);
        measures_.begins_anew = false;
    }
    StepBegin now{begin, motions(scene_.world, trails_), {}};
    if (hand_.hold) pull();
    const double visible = kVisible * scene_.view.distance;
    path_.begin(scene_.world, visible);
    if (twin_) {
        now.twin_motions = motions(twin_->scene.world, twin_->trails);
        twin_->path.begin(twin_->scene.world, visible);
    }
    return now;
}

// Measures and records a step that the worlds have made: they are at its end.
void Simulation::finish_step(const StepBegin& begin, const Lockstep& worlds) {
    const double dt = clock_.dt();
    const std::size_t most_points = most_trail_points();
    report_ = worlds.outcome.report;
    message_ = worlds.outcome.message;
    report_.message = message_;
    path_.end(scene_.world, report_.boundary);
    meter_->measure(scene_.world);
    measure();
    history_.add(moment());
    recording_.add_step(scene_, *meter_, begin.time, report_, worlds.outcome.microseconds, errors());
    extend(trails_, begin.motions, motions(scene_.world, trails_), dt, most_points, path_.is_smooth());
    if (report_.status == StepStatus::NonFinite || report_.status == StepStatus::InvalidInput ||
        report_.status == StepStatus::StepTooSmall) {
        failure_ = "Stopped at the last good state: " + std::string(to_string(report_.status)) +
                   ". Choose another method or smaller substeps, and reset.";
    }

    if (!twin_) return;
    World& twin = twin_->scene.world;
    twin_->report = worlds.twin_outcome.report;
    twin_->path.end(twin, Boundary::Exact);
    twin_->meter.measure(twin);
    recording_.add_twin_step(twin, twin_->meter, twin_->report, twin_error(), scene_);
    extend(twin_->trails, begin.twin_motions, motions(twin, twin_->trails), dt, most_points, twin_->path.is_smooth());
}

Lockstep Simulation::take_worlds() {
    Lockstep worlds;
    worlds.world = std::move(scene_.world);
    if (twin_) worlds.twin.emplace(std::move(twin_->scene.world));
    worlds.run = std::move(measures_.run);
    worlds.method = std::move(measures_.method);
    return worlds;
}

void Simulation::give_back_worlds(Lockstep& worlds) {
    scene_.world = std::move(worlds.world);
    if (twin_) twin_->scene.world = std::move(*worlds.twin);
    measures_.run = std::move(worlds.run);
    measures_.method = std::move(worlds.method);
}

// --- the picture

Pose Simulation::pose(BodyId body) const { return body == kGround ? Pose{} : path_.pose(scene_.world, body, shown_); }

void Simulation::show(double t) {
    // At the end of a step the bodies' own poses do; in between, their way through it.
    const bool now = std::abs(time() - t) < 1e-6 * clock_.dt();
    shown_ = now ? time() : std::max(t, 0.0);
    const double behind = std::max(time() - shown_, 0.0) / clock_.dt();
    const auto draw = [&](Scene& scene, const StepPath& path, const std::vector<Trail>& trails,
                          std::vector<Trail>& shown_trails) {
        shown_trails = trails;
        if (now) {
            scene.graph.update_from(scene.world);
        } else {
            scene.graph.place(scene.world, path.poses(scene.world, shown_));
            cut(shown_trails, scene.world, path, behind, shown_);
        }
    };
    draw(scene_, path_, trails_, shown_trails_);
    if (twin_) draw(twin_->scene, twin_->path, twin_->trails, twin_->shown_trails);
    show_exact();
}

// The ghost: where the exact solution has the bodies, or the reference once it has taken its place.
void Simulation::show_exact() {
    if (is_measured_by_reference()) {
        exact_known_ = measures_.run && !measures_.run->has_ended();
        if (exact_known_) exact_graph_.update_from(measures_.run->world(), shown_);
        return;
    }
    exact_known_ = shown_ <= scene_.truth->known_until();
    if (!exact_known_) return;
    std::vector<Pose> poses(scene_.world.bodies().size());
    scene_.truth->poses(shown_, poses);
    exact_graph_.place(scene_.world, poses);
}

} // namespace substep
