// Twenty motions whose every bit is known: on any processor, with any compiler, at any level of optimisation.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "../sanitized.h"
#include "digest.h"
#include "extra_scenes.h"

using namespace substep;

namespace {

/// A scene under a method, and the digest of all places, velocities and reports of its first four seconds.
struct Known {
    const char* scene;
    const char* method;
    Boundary boundary;
    std::uint64_t digest;
    const char* shows;
};

// Scenes that compute none of their numbers with the C library's functions, which have other last bits elsewhere.
constexpr Known kKnown[] = {
    {"double_pendulum", "dormand_prince853", Boundary::Exact, 0x11a4e1e2207cc06cu, "hinges"},
    {"tumbling_body", "verner87", Boundary::RunAhead, 0xe1c2a0b9a3b40fdfu, "a free body, far ahead of the frame"},
    {"dzhanibekov", "rk4", Boundary::Exact, 0x38cfb34ef1cc2298u, "an unstable axis"},
    {"symmetric_top", "fehlberg54", Boundary::RunAhead, 0xdf62a8653172ebd7u, "a precession"},
    {"figure_eight", "sofroniou_spaletta6", Boundary::Exact, 0xe1dbec87c25afa52u, "kicks and drifts of sixth order"},
    {"crossed_fields", "yoshida4", Boundary::Exact, 0x4eb668c12c843745u, "forces that depend on velocity"},
    {"quadratic_drag", "bogacki_shampine32", Boundary::RunAhead, 0x0b97a562c7551ca4u, "drag"},
    {"normal_modes", "symplectic_euler", Boundary::Exact, 0x48480c056df4208fu, "springs"},
    {"chain", "velocity_verlet", Boundary::Exact, 0xf02564be80057f61u, "kicks and drifts with joints"},
    {"chain", "auto", Boundary::RunAhead, 0x86f1cb94b542dee6u, "a chain, whose method is chosen"},
    {"heap", "impulse_euler", Boundary::Exact, 0x9edb5e0685207cf8u, "many contacts in velocity steps"},
    {"heap", "dormand_prince54", Boundary::RunAhead, 0x0fc37003e77f89cfu, "many contacts, handed over and back"},
    {"table", "cash_karp54", Boundary::RunAhead, 0xe274d29d6f550fe1u,
     "impacts, islands that merge, a budget and sleep"},
    {"table", "auto", Boundary::RunAhead, 0xa1b8645cd0cf743cu, "the same, whose method is chosen"},
    {"limbs", "tsitouras54", Boundary::Exact, 0x368b82b735bf1d32u, "stops, dry friction and contacts"},
    {"limbs", "impulse_euler_doubling", Boundary::Exact, 0xa511b4584511c4e2u, "the same in velocity steps"},
    {"deck", "verner87", Boundary::RunAhead, 0x6b3b1db935987abau, "prescribed bodies, contacts on them, dry friction"},
    {"deck", "heun2", Boundary::Exact, 0x79df51193f9562bdu, "the same on a grid"},
    {"stiff", "theta", Boundary::Exact, 0x6239d743eb589f79u, "stiff springs"},
    {"cranks", "rk4_doubling", Boundary::Exact, 0x40747ca77da2dbabu,
     "loops with more rows than freedoms, a gear, a curve"},
};

const SceneInfo& scene_of(std::string_view name) {
    for (const SceneInfo& info : baseline::extra_scenes()) {
        if (info.name == name) {
            return info;
        }
    }
    return *find_scene(name);
}

std::uint64_t digest_of(const Known& known) {
    Scene scene = make_scene(scene_of(known.scene));
    WorldSettings settings = scene.world.settings();
    settings.integrator.method = known.method;
    settings.integrator.boundary = known.boundary;
    scene.world.set_settings(settings);
    baseline::Digest digest;
    for (int frame = 0; frame < 240; ++frame) {
        const StepReport report = scene.world.advance(1.0 / 60.0);
        baseline::add_bodies(digest, scene.world);
        baseline::add_report(digest, report);
    }
    return digest.value();
}

} // namespace

TEST_CASE("twenty motions and their reports have the bits that are known of them" * doctest::skip(kSanitized)) {
    for (const Known& known : kKnown) {
        CAPTURE(known.scene);
        CAPTURE(known.method);
        CAPTURE(known.shows);
        CHECK(digest_of(known) == known.digest);
    }
}
