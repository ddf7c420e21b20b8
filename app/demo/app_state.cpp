// The demo's state in words, for scripts and tests.
#include <imgui.h>

#include "app.h"

namespace substep {

std::map<std::string, std::string> App::state() const {
    const WorldSettings& settings = simulation_.settings();
    const IntegratorSettings& integrator = settings.integrator;
    const Meter& meter = simulation_.meter();
    const StepReport& report = simulation_.report();
    const Recording& recording = simulation_.recording();
    const auto yes_no = [](bool value) { return std::string(value ? "true" : "false"); };

    std::map<std::string, std::string> state{
        {"scene", std::string(simulation_.info().name)},
        {"time", shortest(simulation_.time())},
        {"playing", yes_no(view_.playing)},
        {"speed", shortest(view_.speed)},
        {"repeat", yes_no(view_.repeat)},
        {"ghost", yes_no(view_.ghost)},
        {"trails", yes_no(view_.trails)},
        {"twin", yes_no(simulation_.has_twin())},
        {"twin_substeps", std::to_string(simulation_.twin_substeps())},
        {"panels", yes_no(view_.panels)},
        {"help", yes_no(view_.help)},
        {"theme", std::string(name(view_.theme))},
        {"message", view_.message_left > 0.0 ? view_.message : ""},
        {"camera_x", shortest(view_.camera.eye().x)},
        {"camera_distance", shortest(view_.camera.distance())},
        {"method", integrator.method},
        {"tolerance", shortest(integrator.rtol)},
        {"substeps", std::to_string(integrator.substeps)},
        {"boundary", std::string(to_string(integrator.boundary))},
        {"budget", std::to_string(integrator.budget)},
        {"joint_correction", std::string(to_string(settings.joint_correction))},
        {"status", std::string(to_string(report.status))},
        {"evaluations", std::to_string(report.evaluations)},
        {"accepted", std::to_string(report.accepted)},
        {"rejected", std::to_string(report.rejected)},
        {"degraded_frames", std::to_string(recording.degraded_steps())},
        {"error", shortest(meter.error())},
        {"max_error", shortest(meter.max_error())},
        {"energy_change", shortest(meter.relative_energy_change())},
        {"max_energy_change", shortest(meter.max_relative_energy_change())},
        {"run", std::to_string(recording.run())},
        {"switches", std::to_string(recording.switches().size())},
    };
    for (std::size_t i = 0; i < simulation_.values().size(); ++i) {
        state[simulation_.info().parameters[i].name] = shortest(simulation_.values()[i]);
    }
    if (const Meter* twin = simulation_.twin_meter()) state["twin_error"] = shortest(twin->error());
    if (const char* text = ImGui::GetClipboardText()) state["clipboard"] = text;

    // The drift plot: how many curves of this run and of earlier ones, and the one that grows now.
    int present = 0;
    int earlier = 0;
    for (const DriftCurve& curve : recording.drift()) {
        if (curve.twin) continue;
        (curve.run == recording.run() ? present : earlier) += 1;
        state["drift_method"] = method_catalogue()[curve.method]->info().name;
        state["drift_points"] = std::to_string(curve.points.points().size());
        state["drift"] = curve.points.points().empty() ? "nan" : shortest(curve.points.points().back().y);
    }
    state["drift_curves"] = std::to_string(present);
    state["earlier_curves"] = std::to_string(earlier);
    return state;
}

} // namespace substep
