// The demo's state in words, for scripts and tests.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <glm/geometric.hpp>
#include <imgui.h>

#include "actions.h"
#include "app.h"
#include "force_parameters.h"
#include "joint_axes.h"
#include "regimes.h"

namespace substep {

namespace {

std::string yes_no(bool value) { return value ? "true" : "false"; }

using State = std::map<std::string, std::string>;

// A float by its own digits, not those of its neighbour in double.
std::string digits(float value) {
    std::array<char, 24> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// What is said of a scene alone.
void add_scene(State& state, const Simulation& simulation) {
    const Meter& meter = simulation.meter();
    state["twin"] = yes_no(simulation.has_twin());
    state["edited"] = yes_no(simulation.was_edited());
    state["dragging"] = yes_no(simulation.drag().has_value());
    state["kept"] = yes_no(simulation.has_kept_state());
    state["history"] = shortest(simulation.history().end() - simulation.history().begin());
    state["back"] = shortest(simulation.history().end() - simulation.time());
    state["twin_substeps"] = std::to_string(simulation.twin_substeps());
    state["twin_method"] = simulation.twin_method();
    const Sinking& sinking = simulation.recording().sinking();
    const auto last = [](const RollingSeries& series) {
        return series.points().empty() ? std::string("nan") : shortest(series.points().back().y);
    };
    state["sink"] = last(sinking.own());
    state["twin_sink"] = last(sinking.twin());
    state["twin_apart"] = last(sinking.apart());
    state["joint_correction"] = to_string(simulation.settings().impulse_euler.joint_correction);
    const Deviation deviation = simulation.deviation();
    state["error"] = shortest(deviation.error);
    state["max_error"] = shortest(deviation.largest);
    state["measured_from"] = deviation.from == Deviation::From::Exact ? "exact" : "reference";
    state["measured_since"] = shortest(deviation.since);
    state["measured_end"] = deviation.end;
    state["reference_error"] = shortest(deviation.own_error);
    const std::optional<Deviation> own = simulation.method_deviation();
    state["method_error"] = own ? shortest(own->error) : "nan";
    state["energy_change"] = shortest(meter.relative_energy_change());
    state["max_energy_change"] = shortest(meter.max_relative_energy_change());
    for (std::size_t i = 0; i < simulation.values().size(); ++i) {
        state[simulation.info().parameters[i].name] = shortest(simulation.values()[i]);
    }
    if (const StepReport* twin = simulation.twin_report()) {
        state["twin_error"] = shortest(simulation.twin_error());
        state["twin_evaluations"] = std::to_string(twin->evaluations);
    }
}

// Parameters of a force field as words.
class StateWriter final : public ParameterEditor {
public:
    explicit StateWriter(State& state) : state_(state) {}
    bool number(const ParameterText& text, double& value) override {
        state_[std::string("force_") + text.name] = shortest(value);
        return false;
    }
    bool vector(const ParameterText& text, glm::dvec3& value) override {
        for (int k = 0; k < 3; ++k) state_[std::string("force_") + text.name + "_" + "xyz"[k]] = shortest(value[k]);
        return false;
    }
    void fixed(const char*, const std::string&) override {}

private:
    State& state_;
};

// What is said of the body, joint or force that is selected.
void add_selection(State& state, const Simulation& simulation, const Selection& selection) {
    const World& world = simulation.scene().world;
    state["gravity_y"] = shortest(simulation.settings().gravity.y);
    state["world_joints"] = std::to_string(world.joints().size());
    state["world_forces"] = std::to_string(world.force_fields().size());
    if (!is_there(world, selection)) return;
    if (const auto* const id = std::get_if<BodyId>(&selection)) {
        const Body body = world.body(*id);
        state["body_mass"] = shortest(body.mass_properties().mass);
        state["body_friction"] = shortest(body.material().friction);
        state["body_y"] = shortest(body.pose().position.y);
        for (const IslandView& island : world.islands()) {
            if (std::ranges::find(island.bodies, *id) == island.bodies.end()) continue;
            state["body_regime"] = word_of(footing_of(island));
        }
    } else if (const auto* const joint = std::get_if<JointId>(&selection)) {
        const JointDesc& desc = world.joint(*joint);
        state["joint_limits"] = std::to_string(desc.limits.size());
        state["joint_drives"] = std::to_string(desc.drives.size());
        state["joint_frictions"] = std::to_string(desc.friction.size());
        for (const JointAxis axis : kJointAxes) {
            if (has_coordinate(desc, axis)) state["joint_" + word_of(axis)] = shortest(world.joint_value(*joint, axis));
        }
    } else if (const auto* const field = std::get_if<ForceFieldId>(&selection)) {
        StateWriter writer(state);
        edit_parameters(world.force_field(*field), writer);
    }
}

// What is said of anything that is integrated in time.
void add_experiment(State& state, const Experiment& experiment) {
    const IntegratorSettings& integrator = experiment.integrator();
    const StepReport& report = experiment.report();
    const Recording& recording = experiment.recording();
    state["time"] = shortest(experiment.time());
    state["over"] = yes_no(experiment.is_over());
    state["method"] = integrator.method;
    state["tolerance"] = shortest(integrator.rtol);
    state["substeps"] = std::to_string(integrator.substeps);
    state["boundary"] = to_string(integrator.boundary);
    state["budget"] = std::to_string(integrator.budget);
    state["controller"] = to_string(integrator.controller.kind);
    state["safety"] = shortest(integrator.controller.safety);
    state["limited_by"] = experiment.limited_by();
    state["status"] = to_string(report.status);
    state["stepping"] = yes_no(experiment.is_stepping());
    const std::string starves = starved(experiment);
    state["starved"] = starves.empty() ? "none" : starves;
    state["evaluations"] = std::to_string(report.evaluations);
    state["accepted"] = std::to_string(report.accepted);
    state["rejected"] = std::to_string(report.rejected);
    const std::span<const StepCost> costs = recording.costs_until(experiment.time());
    state["degraded_frames"] = std::to_string(costs.empty() ? 0 : costs.back().degraded_steps);
    state["run"] = std::to_string(recording.run());
    state["switches"] = std::to_string(recording.switches().size());

    // The drift plot: how many curves of this run and of earlier ones, and the one that grows now.
    int present = 0;
    int earlier = 0;
    for (const DriftCurve& curve : recording.drift()) {
        if (curve.of != DriftOf::Run) continue;
        (curve.run == recording.run() ? present : earlier) += 1;
        state["drift_method"] = method_info_at(curve.method).name;
        state["drift_points"] = std::to_string(curve.points.points().size());
        state["drift"] = curve.points.points().empty() ? "nan" : shortest(curve.points.points().back().y);
    }
    state["drift_curves"] = std::to_string(present);
    state["earlier_curves"] = std::to_string(earlier);
}

void add_move_tool(State& state, const MoveTool& tool) {
    const MoveToolSettings& settings = tool.settings();
    const StrokeReport& report = tool.report();
    float farthest = 0.0f;
    for (const glm::vec3& position : tool.positions()) {
        farthest = std::max(farthest, std::abs(glm::length(position) - Sculpture::kRadius));
    }
    state["brush"] = to_string(settings.brush);
    state["radius"] = digits(settings.radius);
    state["solver"] = settings.method;
    state["tolerance"] = digits(settings.solver.tolerance);
    state["fixed_steps"] = std::to_string(settings.solver.fixed_steps);
    state["strokes"] = std::to_string(tool.strokes());
    state["dent"] = shortest(farthest); // m, how far the farthest vertex is from the ball
    state["mean_steps"] = shortest(report.mean_steps);
    state["most_steps"] = std::to_string(report.most_steps);
    state["making"] = yes_no(tool.is_making());
    state["measuring"] = yes_no(tool.is_measuring());
    state["stroke_error"] = report.worst_error ? shortest(*report.worst_error) : "nan";
}

} // namespace

std::map<std::string, std::string> App::state() const {
    const WorkPrecision& trials = exhibition_.work_precision();
    State state{
        {"scene", exhibition_.info().name},
        {"playing", yes_no(view_.playing)},
        {"speed", shortest(view_.speed)},
        {"repeat", yes_no(view_.repeat)},
        {"ghost", yes_no(view_.ghost)},
        {"trails", yes_no(view_.trails)},
        {"joints", yes_no(view_.joints)},
        {"forces", yes_no(view_.forces)},
        {"islands", yes_no(view_.islands)},
        {"regimes", yes_no(view_.regimes)},
        {"selected", word_of(exhibition_.simulation().scene().world, view_.selected)},
        {"step_colours", yes_no(view_.step_colours)},
        {"panels", yes_no(view_.panels)},
        {"sidebar_overflow", digits(overflow_)},
        {"help", yes_no(view_.help)},
        {"theme", std::string(name(view_.theme))},
        {"problem", view_.problem.empty() ? "none" : view_.problem},
        {"stop_offered", yes_no(widgets_.find("stop_step") != nullptr)},
        {"message", view_.message_left > 0.0 ? view_.message : ""},
        {"camera_x", shortest(view_.camera.eye().x)},
        {"camera_distance", shortest(view_.camera.distance())},
        {"trials_running", yes_no(trials.is_running())},
        {"trials_done", std::to_string(trials.done())},
        {"trials_total", std::to_string(trials.total())},
        {"trial_points", std::to_string(trials.points().size())},
    };
    if (const Experiment* experiment = exhibition_.experiment()) add_experiment(state, *experiment);
    if (exhibition_.kind() == ExhibitKind::Scene) {
        add_scene(state, exhibition_.simulation());
        add_selection(state, exhibition_.simulation(), view_.selected);
    }
    if (const OdeRun* equation = exhibition_.equation()) {
        state["error"] = shortest(equation->error());
        state["max_error"] = shortest(equation->max_error());
    }
    if (const MoveTool* tool = exhibition_.move_tool()) add_move_tool(state, *tool);
    if (const char* text = ImGui::GetClipboardText()) state["clipboard"] = text;
    return state;
}

} // namespace substep
