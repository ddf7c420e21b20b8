// What the demo simulates: a scene, the ghost of its exact solution, and its twin under the method of game engines.
// Knows nothing of graphics or of the GUI.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <glm/vec3.hpp>

#include "experiment.h"
#include "history.h"
#include "recording.h"
#include "run_options.h"
#include "substep/engine/frame_clock.h"
#include "substep/scenes/scene.h"

namespace substep {

/// Speeds that the demo offers, simulated seconds per second.
inline constexpr double kSlowestSpeed = 0.05;
inline constexpr double kFastestSpeed = 4.0;

/// Path of a body over the last seconds, m, oldest point first.
struct Trail {
    BodyId body;
    std::vector<glm::vec3> points;
};

/// A body held by the mouse: a damped spring between a point of it and where the mouse points.
struct Grip {
    BodyId body;
    glm::dvec3 point{0.0};  ///< m, of the body
    glm::dvec3 target{0.0}; ///< m
};

/// A scene in motion. Steps are 1/fps long; the picture may show any time within the last one.
class Simulation final : public Experiment {
public:
    explicit Simulation(Run run);

    // --- scene

    const SceneInfo& info() const noexcept { return *info_; }
    const Scene& scene() const noexcept { return scene_; }
    std::span<const double> values() const noexcept { return values_; } ///< of the scene's parameters
    double fps() const noexcept { return fps_; }

    /// Changes to another scene with its own parameters and settings.
    void choose_scene(const SceneInfo& info);
    /// Starts again with another value of one parameter. Throws std::invalid_argument, nothing changed.
    void set_value(std::size_t parameter, double value);
    /// Starts again; the curves of this run are kept as those of an earlier one.
    void reset() override;

    /// Counts how often a scene was built: by a choice, a value or a reset.
    int starts() const noexcept { return starts_; }

    // --- settings

    const WorldSettings& settings() const noexcept { return scene_.world.settings(); }
    /// Takes effect at the next step; every body stays where it is. Throws std::invalid_argument, nothing changed.
    void set_settings(const WorldSettings& settings);
    const IntegratorSettings& integrator() const noexcept override { return settings().integrator; }
    void set_integrator(const IntegratorSettings& settings) override;
    std::string unsuitable(const MethodInfo& method) const override;

    /// The twin is the same scene under `impulse_euler` with Exact boundary; it starts where the simulated one is.
    bool has_twin() const noexcept { return twin_.has_value(); }
    void set_twin(bool on);
    int twin_substeps() const noexcept { return twin_substeps_; }
    void set_twin_substeps(int substeps); ///< 1 to 100, clamped

    // --- time

    /// Takes the steps that `elapsed` seconds (s, of scaled wall time) ask for, and moves the picture's time along.
    void advance(double elapsed) override;
    /// Takes one step; the picture then shows its end.
    void step_once() override;
    double time() const noexcept override { return scene_.world.time(); } ///< s
    double step_length() const noexcept override { return 1.0 / fps_; }
    bool is_over() const noexcept override { return time() * fps_ >= scene_.frames; }
    double lost_time() const noexcept { return clock_.total_lost(); } ///< s of wall time that could not be kept up with
    /// Why the simulation cannot go on, in one sentence; empty while it can.
    const std::string& failure() const noexcept override { return failure_; }

    // --- by hand

    /// Changes the world between two steps: from then on the truth speaks of another motion, and is not shown. Throws
    /// what the edit throws. The edit is done to the twin as well; where that fails the twin is removed.
    void edit(const std::function<void(World&)>& edit);
    bool was_edited() const noexcept { return was_edited_; }
    /// Whether gravity is another than the scene's own.
    bool gravity_was_edited() const;

    /// Takes hold of a body at a point (m, world) of it: a damped spring pulls it from there to where `drag_to` says
    /// until `let_go`. The spring swings at 3 Hz on the body alone, damped to 0.7 of critical.
    void take_hold(BodyId body, const glm::dvec3& point);
    void drag_to(const glm::dvec3& target);
    void let_go();
    std::optional<Grip> drag() const; ///< at the picture's time; nothing while no body is held
    /// The force field that pulls, while a step was taken with a body held.
    ForceFieldId drag_spring() const noexcept { return spring_; }

    // --- going back

    const History& history() const noexcept { return history_; }
    /// Goes to the state of the last two minutes that is nearest to time t (s), with the settings of now; the meter,
    /// the report and the trails are those of that moment. What was
    /// simulated behind it stays reachable until the next step is taken. The twin goes there too, unless edits since
    /// the scene was built separate it from there: it is then removed.
    void go_to(double t);
    /// Keeps the present state, for `return_to_kept`.
    void keep_state();
    bool has_kept_state() const noexcept { return kept_.has_value(); }
    void return_to_kept();

    // --- pictures, at the picture's time

    const SceneGraph& graph() const noexcept { return scene_.graph; }
    Pose pose(BodyId body) const; ///< of a body; the origin for kWorldBody
    /// Where the truth has the bodies; null without truth or past the time until which it is known.
    const SceneGraph* exact_graph() const noexcept { return exact_known_ ? &exact_graph_ : nullptr; }
    const SceneGraph* twin_graph() const noexcept { return twin_ ? &twin_->scene.graph : nullptr; }
    std::span<const Trail> trails() const noexcept { return shown_trails_; }
    std::span<const Trail> twin_trails() const noexcept {
        return twin_ ? twin_->shown_trails : std::span<const Trail>{};
    }

    // --- measurements

    const Meter& meter() const noexcept { return *meter_; }
    const Meter* twin_meter() const noexcept { return twin_ ? &twin_->meter : nullptr; }
    const StepReport& report() const noexcept override { return report_; } ///< of the last step
    const Recording& recording() const noexcept override { return recording_; }
    std::string limited_by() const override;
    Trials trials() const override;

private:
    struct Twin {
        Scene scene;
        Meter meter;
        std::vector<Trail> trails;
        std::vector<Trail> shown_trails;
    };

    void start(Scene scene);
    void make_twin();
    void edit_twin(const std::function<void(World&)>& edit);
    WorldSettings twin_settings() const;
    void step();
    void show(double time);
    void pull();
    void keep_ledger();
    PastMoment moment() const;
    void return_to(const PastMoment& moment);
    void draw_trails_until(double time);
    std::size_t most_trail_points() const noexcept;
    void align_clock();

    const SceneInfo* info_;
    std::vector<double> values_;
    double fps_;
    Scene scene_;
    std::optional<Meter> meter_;      // refers to scene_.truth
    std::vector<Trail> trails_;       // up to the end of the last step
    std::vector<Trail> shown_trails_; // up to the picture's time
    SceneGraph exact_graph_;
    bool exact_known_ = false;
    double shown_ = 0.0; // s, the picture's time
    std::optional<Twin> twin_;
    int twin_substeps_ = 1;
    FrameClock clock_;
    StepReport report_;
    Recording recording_;
    struct Hold {
        BodyId body;
        glm::dvec3 anchor{0.0}; // m, in the body's frame
        glm::dvec3 target{0.0};
    };
    std::optional<Hold> hold_;
    ForceFieldId spring_; // while a step was taken with hold_
    bool was_edited_ = false;
    History history_;
    std::optional<PastMoment> kept_;
    std::string failure_;
    int starts_ = 0;
};

} // namespace substep
