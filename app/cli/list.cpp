// `substep list`: what there is to choose from.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "commands.h"
#include "run_options.h"
#include "substep/integrators/pile_methods.h"

namespace substep {
namespace {

using Json = nlohmann::ordered_json;

const char* needs_word(MethodNeeds needs) {
    switch (needs) {
    case MethodNeeds::Derivative:
        return "derivative";
    case MethodNeeds::KickDriftSplit:
        return "kick_drift_split";
    case MethodNeeds::VelocityStep:
        return "velocity_step";
    case MethodNeeds::LinearlyImplicitStep:
        return "linearly_implicit_step";
    }
    return "unknown";
}

Json method_json(const MethodInfo& info) {
    return {{"name", info.name},
            {"label", info.label},
            {"order", info.order},
            {"error_order", info.error_order},
            {"stages", info.stages},
            {"adaptive", info.adaptive},
            {"symplectic", info.symplectic},
            {"dense_order", info.dense_order},
            {"imaginary_limit", info.imaginary_limit},
            {"needs", needs_word(info.needs)},
            {"promise", info.promise},
            {"caution", info.caution},
            {"source", info.source}};
}

Json parameter_json(const SceneParameter& parameter) {
    return {{"name", parameter.name},       {"label", parameter.label},     {"unit", parameter.unit},
            {"default", parameter.value},   {"minimum", parameter.minimum}, {"maximum", parameter.maximum},
            {"integer", parameter.integer}, {"meaning", parameter.meaning}};
}

// Null where no exact solution is known; infinity, known for good, is null too.
Json truth_json(const Truth* truth) {
    if (truth == nullptr) {
        return Json();
    }
    const double known_until = truth->known_until();
    return {{"quantity", truth->quantity()},
            {"unit", truth->unit()},
            {"threshold", truth->threshold()},
            {"until", truth->until()},
            {"known_until", std::isfinite(known_until) ? Json(known_until) : Json()},
            {"visible_error", truth->visible_error()}};
}

Json scene_json(const SceneInfo& info) {
    const Scene scene = make_scene(info);
    const IntegratorSettings& settings = scene.world.settings().integrator;
    Json parameters = Json::array();
    for (const SceneParameter& parameter : info.parameters) {
        parameters.push_back(parameter_json(parameter));
    }
    return {{"name", info.name},
            {"title", info.title},
            {"description", info.description},
            {"group", info.group},
            {"truth", truth_json(scene.truth.get())},
            {"energy_scale", scene.energy_scale},
            {"energy_scale_meaning", scene.energy_scale_meaning},
            {"method", settings.method},
            {"tolerance", settings.atol},
            {"boundary", to_string(settings.boundary)},
            {"fps", scene.fps},
            {"frames", scene.frames},
            {"parameters", parameters}};
}

void print_json() {
    Json methods = Json::array();
    for (const IntegrationMethod* method : method_catalogue()) {
        methods.push_back(method_json(method->info()));
    }
    Json pile_methods = Json::array();
    for (const IntegrationMethod* method : pile_method_catalogue()) {
        pile_methods.push_back(method_json(method->info()));
    }
    Json scenes = Json::array();
    for (const SceneInfo& info : scene_list()) {
        scenes.push_back(scene_json(info));
    }
    std::puts(Json{{"methods", methods}, {"pile_methods", pile_methods}, {"scenes", scenes}}.dump(2).c_str());
}

void print_text() {
    std::puts("methods");
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        std::printf("  %-26.*s order %d, %s\n", static_cast<int>(info.name.size()), info.name.data(), info.order,
                    info.adaptive ? "chooses its substeps by --tolerance" : "fixed --substeps");
        std::printf("  %-26s %.*s\n", "", static_cast<int>(info.promise.size()), info.promise.data());
    }
    for (const IntegrationMethod* method : pile_method_catalogue()) {
        const MethodInfo& info = method->info();
        std::printf("  %-26.*s order %d, for bodies in contact, fixed --substeps\n", static_cast<int>(info.name.size()),
                    info.name.data(), info.order);
        std::printf("  %-26s %.*s\n", "", static_cast<int>(info.promise.size()), info.promise.data());
    }
    const MethodInfo& chooser = method_named(kAutoMethod);
    std::printf("  %-26s chooses one of these for each island, by --tolerance\n", std::string(kAutoMethod).c_str());
    std::printf("  %-26s %s\n", "", std::string(chooser.promise).c_str());
    std::string_view group;
    for (const SceneInfo& info : scene_list()) {
        if (info.group != group) {
            group = info.group;
            std::printf("\nscenes: %s\n", std::string(group).c_str());
        }
        std::printf("  %-26.*s %.*s\n", static_cast<int>(info.name.size()), info.name.data(),
                    static_cast<int>(info.description.size()), info.description.data());
        if (info.has_truth) {
            const std::unique_ptr<Truth> truth = make_scene(info).truth;
            std::printf("  %-26s exact solution: dormand_prince853 at %g errs by at most %g %s up to %.4g s\n", "",
                        kTruthTolerance, truth->threshold(), truth->unit().c_str(), truth->until());
        }
        for (const SceneParameter& parameter : info.parameters) {
            std::printf("  %-26s --set %s=%s (%s to %s%s%s)\n", "", parameter.name.c_str(),
                        shortest(parameter.value).c_str(), shortest(parameter.minimum).c_str(),
                        shortest(parameter.maximum).c_str(), parameter.unit.empty() ? "" : " ", parameter.unit.c_str());
        }
    }
}

} // namespace

void add_list_command(CLI::App& program, int&) {
    CLI::App* const command = program.add_subcommand("list", "list integration methods and scenes");
    const auto as_json = std::make_shared<bool>(false);
    command->add_flag("--json", *as_json, "print one JSON object with everything known of each");
    command->callback([as_json] { *as_json ? print_json() : print_text(); });
}

} // namespace substep
