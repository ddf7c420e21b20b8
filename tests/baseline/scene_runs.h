// A scene under one method and boundary: 240 frames, in all the ways that must give the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "results.h"
#include "substep/scenes/scene.h"

namespace baseline {

constexpr int kFrames = 240;
constexpr double kFrame = 1.0 / 60.0; ///< s

/// Where one dynamic body starts: position, orientation (w, x, y, z), velocity, angular velocity.
using Start = std::array<double, 13>;

/// Returns where a world's dynamic bodies are, in their order.
std::vector<Start> starts_of(const substep::World& world);

/// Moves a world's dynamic bodies there. Throws std::invalid_argument if there are more or fewer of them.
void set_starts(substep::World& world, const std::vector<Start>& starts);

/// Returns a digest of what a scene was made from besides `starts_of`: settings, masses, shapes, surfaces, joints with
/// their curves, what kinematic bodies do, and force fields by what they do to a body that moves somehow. What of it
/// a scene computes with the C library's functions depends on that library and on the compiler.
std::uint64_t inputs_of(substep::World& world);

/// One method of one scene.
struct SceneRun {
    const substep::SceneInfo* scene = nullptr;
    std::string method;
    substep::Boundary boundary = substep::Boundary::Exact;
    std::string variant{};                                      ///< what else is set; empty: as the scene recommends
    void (*change)(substep::WorldSettings& settings) = nullptr; ///< sets it

    std::string name() const; ///< "scene/method/boundary" or "scene/method/boundary/variant"
};

/// Every scene, and those of extra_scenes.h, under every method and `auto` with both boundaries; and under a few
/// methods with other settings: small budgets, coarse tolerances, sleep, what velocity steps and `theta` may be set to.
std::vector<SceneRun> all_scene_runs();

/// Builds the scene with the run's settings, its bodies at `starts`.
substep::Scene prepare(const SceneRun& run, const std::vector<Start>& starts, bool ledger, int threads);

/// Carries the run out: on one thread, where the plain run's digests come from; on four threads with everything asked
/// after every frame; with the energy ledger; and the plain one and that with the ledger continued in another world
/// from the bytes of a snapshot of frame 120.
Result carry_out(const SceneRun& run, const std::vector<Start>& starts);

} // namespace baseline
