// What the demo simulates: a scene, the ghost of its exact solution, and its twin under the method of game engines.
// Knows nothing of graphics or of the GUI.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <glm/vec3.hpp>

#include "experiment.h"
#include "history.h"
#include "lockstep.h"
#include "recording.h"
#include "run_options.h"
#include "step_path.h"
#include "substep/engine/frame_clock.h"
#include "substep/scenes/scene.h"
#include "trails.h"

namespace substep {

/// Speeds that the demo offers, simulated seconds per second.
inline constexpr double kSlowestSpeed = 0.05;
inline constexpr double kFastestSpeed = 4.0;

/// Most steps per frame of the twin: as many as the dearest of the methods evaluates.
inline constexpr int kMostTwinSubsteps = 1000;

/// A body held by the mouse: a damped spring between a point of it and where the mouse points.
struct Grip {
    BodyId body;
    glm::dvec3 point{0.0};  ///< m, of the body
    glm::dvec3 target{0.0}; ///< m
};

/// How far a run is off, and from what.
struct Deviation {
    enum class From { Exact, Reference };
    From from = From::Exact;
    double since = 0.0;                                      ///< s: where what is measured began
    double error = std::numeric_limits<double>::quiet_NaN(); ///< now, in Simulation::error_unit()
    double largest = 0.0;                                    ///< since then
    double own_error = 0.0;                                  ///< of the reference
    std::string end;                                         ///< why nothing is measured any more; empty while it is
};

/// A scene in motion. Steps are 1/fps long; the picture may show any time within the last one.
class Simulation final : public Experiment {
public:
    explicit Simulation(Run run);
    ~Simulation() override;

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

    /// The twin is the same scene under another method, `impulse_euler` at first, with Exact boundary; it starts where
    /// the simulated one is, and gets the same pushes and edits.
    bool has_twin() const noexcept { return twin_.has_value(); }
    void set_twin(bool on);
    int twin_substeps() const noexcept { return twin_choice_.substeps; }
    void set_twin_substeps(int substeps); ///< 1 to kMostTwinSubsteps, clamped
    /// Of a method that estimates its error the tolerance is that of the simulated scene. Throws std::invalid_argument
    /// for one that does not exist or that the scene cannot be made with, nothing changed.
    const std::string& twin_method() const noexcept { return twin_choice_.method; }
    void set_twin_method(const std::string& method);
    /// Steps per frame with which the twin would evaluate as often as the simulated scene did over the last second, not
    /// clamped; 0 before the first step, and where its method has no substeps to choose.
    int equal_cost_substeps() const;

    // --- time

    /// Takes the steps that `elapsed` seconds (s, of scaled wall time) ask for, and moves the picture's time along.
    /// While a step is being made beside, it only looks whether it is done.
    void advance(double elapsed) override;
    /// Takes one step; the picture then shows its end.
    void step_once() override;
    void stop_step() override;
    double time() const noexcept override { return scene_.world.time(); } ///< s
    double step_length() const noexcept override { return 1.0 / fps_; }
    bool is_over() const noexcept override { return time() * fps_ >= scene_.frames; }
    double lost_time() const noexcept { return clock_.total_lost() + pace_.lost; } ///< s of wall time not kept up with
    /// Why the simulation cannot go on, in one sentence; empty while it can.
    const std::string& failure() const noexcept override { return failure_; }

    // --- by hand

    /// Changes the world between two steps: from then on the exact solution speaks of another motion, and a reference
    /// takes its place. Throws what the edit throws, nothing changed. The edit is done to the twin and to references as
    /// well; where that fails the twin is removed, and the reference ends.
    void edit(const std::function<void(World&)>& edit);
    bool was_edited() const noexcept { return measures_.touched; } ///< or pulled
    /// Whether gravity is another than the scene's own.
    bool gravity_was_edited() const noexcept { return settings().gravity != own_gravity_; }

    /// Takes hold of a body at a point (m, world) of it: a damped spring pulls it from there to where `drag_to` says
    /// until `let_go`. The spring swings at 3 Hz on the body alone, damped to 0.7 of critical.
    void take_hold(BodyId body, const glm::dvec3& point);
    void drag_to(const glm::dvec3& target);
    void let_go();
    std::optional<Grip> drag() const; ///< at the picture's time; nothing while no body is held
    /// The force field that pulls, while a step was taken with a body held.
    ForceFieldId drag_spring() const noexcept { return hand_.spring; }

    // --- going back

    const History& history() const noexcept { return history_; }
    /// Goes to the state of the last two minutes that is nearest to time t (s), with the settings of now; the meter,
    /// the report and the trails are those of that moment. What was simulated behind it stays reachable until the next
    /// step is taken. The twin goes there too.
    void go_to(double t);
    /// Keeps the present state, for `return_to_kept`.
    void keep_state();
    bool has_kept_state() const noexcept { return kept_.has_value(); }
    void return_to_kept();

    // --- pictures, at the picture's time

    const SceneGraph& graph() const noexcept { return scene_.graph; }
    Pose pose(BodyId body) const; ///< of a body; the origin for kGround
    /// Where the truth has the bodies, or the reference once it has taken its place; null where neither is known.
    const SceneGraph* exact_graph() const noexcept { return exact_known_ ? &exact_graph_ : nullptr; }
    const SceneGraph* twin_graph() const noexcept { return twin_ ? &twin_->scene.graph : nullptr; }
    std::span<const Trail> trails() const noexcept { return shown_trails_; }
    std::span<const Trail> twin_trails() const noexcept {
        return twin_ ? twin_->shown_trails : std::span<const Trail>{};
    }

    // --- measurements

    const Meter& meter() const noexcept { return *meter_; }
    const Meter* twin_meter() const noexcept { return twin_ ? &twin_->meter : nullptr; }
    /// "rad" or "m": of all deviations. Distances from a reference are measured as those from the truth.
    std::string error_unit() const;
    double lever() const; ///< m on which one unit of error shows
    /// Of the run: against the exact solution, or the reference since it was touched.
    Deviation deviation() const;
    /// Of the present method alone, since it was chosen; nothing where the whole run is its own.
    std::optional<Deviation> method_deviation() const;
    double twin_error() const; ///< now, from the same as `deviation`; NaN without a twin
    const StepReport& report() const noexcept override { return report_; } ///< of the last step
    const StepReport* twin_report() const noexcept { return twin_ ? &twin_->report : nullptr; }
    const Recording& recording() const noexcept override { return recording_; }
    std::string limited_by() const override;
    Trials trials() const override;

private:
    struct Twin {
        Scene scene; // without a truth
        Meter meter;
        std::vector<Trail> trails;
        std::vector<Trail> shown_trails;
        StepReport report; // without its message
        StepPath path;
        ForceFieldId spring{};
    };
    struct Measures { // against references
        std::optional<Reference> run;
        std::optional<Reference> method;
        double run_largest = 0.0; // in error_unit()
        double method_largest = 0.0;
        bool begins_anew = false; // at the next step: it was gone back
        bool touched = false;     // the run was: no exact solution holds for it
    };
    struct StepBegin {
        double time = 0.0; // s
        std::vector<PointMotion> motions;
        std::vector<PointMotion> twin_motions;
    };
    struct Beside { // a step that is made beside
        Lockstep worlds;
        StepBegin begin;
    };

    void start(Scene scene, const glm::dvec3& own_gravity);
    void make_twin();
    WorldSettings twin_settings() const;

    // Steps.
    bool step();
    StepBegin begin_step();
    void finish_step(const StepBegin& begin, const Lockstep& worlds);
    Lockstep take_worlds();
    void give_back_worlds(Lockstep& worlds); ///< moves the worlds out; how the step went stays
    void start_beside(Lockstep::Saved saved, StepBegin begin);
    void adopt_step();
    void show(double time);
    void show_exact();
    void align_clock();

    // By hand.
    void pull();
    void touch(const std::function<void(World&)>& edit);
    bool is_measured_by_reference() const noexcept { return measures_.touched || scene_.truth == nullptr; }
    Reference new_reference() const;
    void measure();
    StepErrors errors() const;

    void keep_ledger();
    PastMoment moment() const;
    void return_to(const PastMoment& moment);
    void draw_trails_until(double time);
    std::size_t most_trail_points() const noexcept;

    const SceneInfo* info_;
    std::vector<double> values_;
    double fps_;
    Scene scene_;
    glm::dvec3 own_gravity_{0.0};     // m/s^2, of the scene as it was built
    std::optional<Meter> meter_;      // refers to scene_.truth
    std::vector<Trail> trails_;       // up to the end of the last step
    std::vector<Trail> shown_trails_; // up to the picture's time
    StepPath path_;
    SceneGraph exact_graph_;
    bool exact_known_ = false;
    double shown_ = 0.0; // s, the picture's time
    std::optional<Twin> twin_;
    struct TwinChoice {
        std::string method = "impulse_euler";
        int substeps = 1;
    };
    TwinChoice twin_choice_;
    FrameClock clock_;
    StepReport report_;
    std::string message_; // of the report
    Recording recording_;
    struct Hold {
        BodyId body;
        glm::dvec3 anchor{0.0}; // m, in the body's frame
        glm::dvec3 target{0.0};
    };
    struct Hand {
        std::optional<Hold> hold;
        ForceFieldId spring{}; // while a step was taken with a hold
    };
    Hand hand_;
    Measures measures_;
    History history_;
    std::optional<PastMoment> kept_;
    std::string failure_;
    int starts_ = 0;
    struct Pace {
        std::unique_ptr<Beside> beside; // the step that is being made there
        bool is_slow = false;           // the last step took longer than a frame may wait
        double lost = 0.0;              // s of wall time, beside what the clock lost
    };
    Pace pace_;
};

} // namespace substep
