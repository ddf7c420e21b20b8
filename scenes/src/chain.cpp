// Scene `chain`: boxes joined by ball joints, released from the horizontal.
#include <string>

#include "hinged_pendulum.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kMass = 1.0; // kg
const Box kLink{{0.25, 0.05, 0.05}};

Scene make_chain(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-6));
    const int count = static_cast<int>(values[0]);

    // Each link reaches from one ball joint to the next along +x; the first hangs from the world's origin.
    add_hinge_pin(scene, glm::dvec3{0.0});
    const double half_length = kLink.half_sizes.x;
    BodyId previous = kGround;
    for (int i = 0; i < count; ++i) {
        BodyDesc link;
        link.collides = false; // its shape is a picture
        link.pose.position = {(2 * i + 1) * half_length, 0.0, 0.0};
        link.shape = kLink;
        link.mass = kMass;
        const BodyId body = scene.world.create_body(link);
        scene.world.create_joint(ball(scene.world, previous, body, {2 * i * half_length, 0.0, 0.0}));
        const auto role = i == count - 1 ? NodeAppearance::Role::Bob : NodeAppearance::Role::Body;
        scene.graph.add({"link " + std::to_string(i + 1), kNoNode, link.pose, NodeAppearance{*link.shape, role}, body});
        previous = body;
    }

    scene.energy_scale = count * kMass * kGravity * count * half_length;
    scene.energy_scale_meaning = "work of lifting the chain from hanging to horizontal";
    const double length = 2.0 * count * half_length;
    scene.view = {{0.0, -0.45 * length, 0.0}, 1.0 + 2.2 * length, 0.2, 0.1};
    scene.trails = {previous};
    return scene;
}

} // namespace

SceneInfo chain_scene() {
    return {.name = "chain",
            .title = "Chain",
            .description = "Links on ball joints released from the horizontal; chaotic, so its energy is the meter.",
            .group = "chains",
            .has_truth = false,
            .parameters = {{.name = "count",
                            .label = "links",
                            .unit = "",
                            .value = 10.0,
                            .minimum = 1.0,
                            .maximum = 200.0,
                            .meaning = "Number of links; cost grows in proportion, and a long chain whips at its end.",
                            .integer = true}},
            .make = make_chain};
}

} // namespace substep::detail
