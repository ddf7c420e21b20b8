// Named worlds with recommended settings and, where one exists, their exact solution.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "substep/collision/glm_types.h"
#include "substep/engine/world.h"
#include "substep/scenes/scene_graph.h"
#include "substep/scenes/truth.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// A number that a scene is built from and the user may change.
struct SceneParameter {
    std::string name;  ///< as in `--set name=value`
    std::string label; ///< for people
    std::string unit;
    double value = 0.0; ///< default
    double minimum = 0.0;
    double maximum = 0.0;
    std::string meaning; ///< one sentence, with what a bad value does
    bool integer = false;
};

/// Where a camera sees the scene well.
struct SceneView {
    glm::dvec3 target{0.0};
    double distance = 4.0;   ///< m
    double azimuth = 0.0;    ///< rad, about y; 0 looks along -z
    double elevation = 0.15; ///< rad
    bool holds_all = true; ///< the camera goes back until all that is known of the motion is seen; else it stays there
};

/// A scene made from its parameters: the world, its picture, its truth.
struct Scene {
    World world;
    SceneGraph graph;
    std::unique_ptr<Truth> truth; ///< null where no exact solution is known
    double energy_scale = 1.0;    ///< J, what relative energy changes are relative to
    std::string energy_scale_meaning;
    double fps = 60.0; ///< recommended frame rate
    int frames = 600;  ///< recommended length of a run
    SceneView view;
    std::vector<BodyId> trails; ///< bodies whose path is worth drawing
};

/// One row of the list of scenes.
struct SceneInfo {
    std::string_view name;        ///< lower-case, used everywhere
    std::string_view title;       ///< for people
    std::string_view description; ///< one sentence
    std::string_view group;       ///< heading under which lists show it, e.g. "pendulums"; scenes of one follow another
    bool has_truth = false;
    bool velocity_forces =
        false; ///< some force depends on velocity, other than across it: kick-drift methods are then first order
    /// Bodies touch. Methods that take no derivatives then make velocity steps of first order, as many as their
    /// substeps.
    bool contacts = false;
    /// So many bodies that whoever runs all scenes by all methods leaves it out: tests of its own run it with fewer.
    bool is_large = false;
    std::vector<SceneParameter> parameters;
    /// Builds the scene from values in the order of `parameters`, with recommended integrator settings.
    /// Throws std::invalid_argument for a value outside its range.
    Scene (*make)(std::span<const double> values);
};

/// All scenes, in the order in which they are shown. The list is scene_list.cpp: name a new scene there, nowhere else.
std::span<const SceneInfo> scene_list();

/// Returns the scene of that name, or null.
const SceneInfo* find_scene(std::string_view name);

/// Builds a scene with its default parameters, or with `values` in place of them after checking their range.
Scene make_scene(const SceneInfo& info);
Scene make_scene(const SceneInfo& info, std::span<const double> values);

} // namespace substep

#pragma GCC visibility pop
