// What the demo shows: one of the scenes, one equation of the gallery, or the move tool.
#include "exhibition.h"

#include <algorithm>

namespace substep {

const std::vector<ExhibitInfo>& exhibit_list() {
    static const std::vector<ExhibitInfo> list = [] {
        std::vector<ExhibitInfo> all;
        for (const SceneInfo& scene : scene_list()) {
            all.push_back({ExhibitKind::Scene, std::string(scene.name), std::string(scene.title),
                           std::string(scene.description), std::string(scene.group)});
        }
        for (const OdeProblem* problem : ode_gallery()) {
            // A title's particulars follow a comma or a colon.
            all.push_back({ExhibitKind::Equation, std::string(problem->id),
                           std::string(problem->title.substr(0, problem->title.find_first_of(",:"))),
                           std::string(problem->title) + ". " + std::string(problem->equations), "equations"});
        }
        all.push_back({ExhibitKind::MoveTool, "move_tool", "Move tool",
                       "Drag the clay: each of its 100 000 vertices is moved by an equation of its own, solved on the "
                       "graphics card along an elastic brush (regularised Kelvinlets).",
                       "shaders"});
        return all;
    }();
    return list;
}

const ExhibitInfo& Exhibition::info() const {
    const std::string_view name = kind_ == ExhibitKind::Scene      ? simulation_.info().name
                                  : kind_ == ExhibitKind::Equation ? equation_->problem().id
                                                                   : std::string_view("move_tool");
    return *std::ranges::find(exhibit_list(), name, &ExhibitInfo::name);
}

void Exhibition::choose(std::string_view name) {
    const auto& list = exhibit_list();
    const auto found = std::ranges::find(list, name, &ExhibitInfo::name);
    if (found == list.end()) {
        std::vector<std::string_view> names;
        for (const ExhibitInfo& each : list) names.push_back(each.name);
        throw_unknown("scene", name, names);
    }
    work_precision_.clear();
    switch (found->kind) {
    case ExhibitKind::Scene:
        simulation_.choose_scene(scene_named(name));
        break;
    case ExhibitKind::Equation:
        equation_.emplace(*find_ode_problem(name));
        set_pace(limit_, asked_to_end_);
        break;
    case ExhibitKind::MoveTool:
        if (!move_tool_) move_tool_.emplace();
        move_tool_->set_limit(limit_);
        break;
    }
    kind_ = found->kind;
    if (kind_ != ExhibitKind::Scene) simulation_.stop_step();
    if (kind_ != ExhibitKind::Equation) equation_.reset();
    if (kind_ != ExhibitKind::MoveTool) move_tool_.reset();
}

void Exhibition::set_pace(double limit, const std::function<bool()>& asked_to_end) {
    limit_ = limit;
    asked_to_end_ = asked_to_end;
    for (Experiment* const each : {static_cast<Experiment*>(&simulation_), static_cast<Experiment*>(equation())}) {
        if (each == nullptr) continue;
        each->set_limit(limit);
        each->set_end(asked_to_end);
    }
    if (move_tool_) move_tool_->set_limit(limit);
}

Experiment* Exhibition::experiment() noexcept {
    return kind_ == ExhibitKind::Scene ? static_cast<Experiment*>(&simulation_) : equation();
}

const Experiment* Exhibition::experiment() const noexcept {
    return kind_ == ExhibitKind::Scene ? static_cast<const Experiment*>(&simulation_) : equation();
}

} // namespace substep
