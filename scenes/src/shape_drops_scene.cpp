// Shapes dropped on one another and on a table: how the pairs of the narrow phase come to rest.
//
// Eight shapes stand in a ring, and eight fall on them; the places that these are shifted by say which on which, so
// that eight runs drop each on each.
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kRing = 2.5;         // m, radius of the ring
constexpr double kTable = 1.35;       // m, radius of the table in its middle
constexpr double kOnTable = 0.95;     // m, radius on which they fall on it
constexpr double kTableHeight = 0.12; // m
constexpr double kDrop = 0.5;         // m, of the lowest point over the highest

/// A shape or several, about 0.6 m across.
struct Kind {
    std::string name;
    std::vector<ColliderDesc> parts;
    double below = 0.0; ///< m, from the origin to the lowest point as it stands
    double above = 0.0; ///< m, to the highest
};

// A stone: points that no two faces are parallel of.
std::shared_ptr<const ConvexHull> stone() {
    const std::vector<glm::dvec3> points{
        {0.31, -0.22, 0.05}, {0.12, -0.25, 0.28}, {-0.19, -0.24, 0.24}, {-0.32, -0.2, -0.06}, {-0.1, -0.26, -0.3},
        {0.2, -0.23, -0.25}, {0.28, 0.06, 0.2},   {-0.12, 0.1, 0.33},   {-0.33, 0.04, 0.02},  {-0.05, 0.08, -0.34},
        {0.3, 0.09, -0.14},  {0.05, 0.29, 0.1},   {-0.14, 0.25, -0.1},  {0.13, 0.24, -0.12}};
    return ConvexHull::make(points);
}

std::vector<Kind> kinds() {
    const auto one = [](const Shape& shape) { return std::vector<ColliderDesc>{{.shape = shape}}; };
    // A dumb-bell that stands on one of its ends: a rod between two balls, and a block in its middle.
    const std::vector<ColliderDesc> compound{{.shape = Cylinder{0.06, 0.22}},
                                             {.shape = Sphere{0.16}, .offset = {{0.0, 0.22, 0.0}, kNoTurn}},
                                             {.shape = Box{{0.2, 0.08, 0.2}}, .offset = {{0.0, -0.22, 0.0}, kNoTurn}}};
    return {{"box", one(Box{{0.25, 0.25, 0.25}}), 0.25, 0.25},
            {"ball", one(Sphere{0.28}), 0.28, 0.28},
            {"capsule", one(Capsule{0.18, 0.2}), 0.38, 0.38},
            {"cylinder", one(Cylinder{0.25, 0.22}), 0.22, 0.22},
            {"cone", one(TaperedCylinder{0.3, 0.0, 0.28}), 0.28, 0.28},
            {"hull", one(ScaledHull{stone()}), 0.26, 0.29},
            {"tapered capsule", one(TaperedCapsule{0.24, 0.12, 0.2}), 0.44, 0.32},
            {"compound", compound, 0.3, 0.38}};
}

// A body of all parts of a kind, and its picture: a node for each, below one that the body moves.
void add_kind(Scene& scene, const Kind& kind, BodyDesc desc, const Material& material, NodeAppearance::Role role) {
    desc.colliders = kind.parts;
    for (ColliderDesc& part : desc.colliders) {
        part.material = material;
    }
    const BodyId body = scene.world.create_body(desc);
    const NodeIndex group = scene.graph.add({kind.name, kNoNode, desc.pose, std::nullopt, body});
    for (const ColliderDesc& part : kind.parts) {
        scene.graph.add({kind.name, group, part.offset, NodeAppearance{part.shape, role}, kGround});
    }
}

Scene make_shape_drops(std::span<const double> values) {
    const auto shift = static_cast<std::size_t>(values[0]);
    const double tilt = values[1];
    Scene scene;
    scene.world = World(smooth_settings(1e-6));
    const Material material{.friction = 0.5, .restitution = values[2]};
    const std::vector<Kind> all = kinds();

    add_plane(scene, 0.0, material);
    BodyDesc table;
    table.motion = MotionType::Static;
    table.pose.position.y = 0.5 * kTableHeight;
    table.shape = Cylinder{kTable, 0.5 * kTableHeight};
    table.material = material;
    add_body(scene, "table", table, NodeAppearance::Role::Support);

    const auto at = [&](std::size_t place, double radius, double height) {
        const double angle = 2.0 * std::numbers::pi * static_cast<double>(place) / static_cast<double>(all.size());
        return glm::dvec3{radius * std::cos(angle), height, radius * std::sin(angle)};
    };
    for (std::size_t place = 0; place < all.size(); ++place) {
        BodyDesc below;
        below.motion = MotionType::Static;
        below.pose.position = at(place, kRing, all[place].below);
        add_kind(scene, all[place], below, material, NodeAppearance::Role::Support);
        for (const bool on_table : {false, true}) {
            const std::size_t which = on_table ? place : (place + shift) % all.size();
            const double top = on_table ? kTableHeight : all[place].below + all[place].above;
            BodyDesc above;
            above.mass = 1.0;
            above.pose.position = at(place, on_table ? kOnTable : kRing, top + kDrop + all[which].below);
            // Each a little askew in its own way, so that nothing balances on a tip.
            const double number = static_cast<double>(which + (on_table ? 11 : 0));
            above.pose.position += 0.04 * glm::dvec3{std::cos(1.0 + 2.4 * number), 0.0, std::sin(2.4 * number)};
            above.pose.orientation = turn_about_z(tilt * std::cos(3.0 * number)) * turn_about_y(number);
            add_kind(scene, all[which], above, material, NodeAppearance::Role::Body);
        }
    }
    scene.energy_scale = kGravity;
    scene.energy_scale_meaning = "work of lifting one body by a metre";
    scene.frames = 180;
    scene.view = {{0.2, 0.1, -0.2}, 12.0, 0.5, 0.5};
    return scene;
}

} // namespace

SceneInfo shape_drops_scene() {
    return {.name = "shape_drops",
            .title = "Each shape on each",
            .description = "Eight kinds of shapes fall on eight kinds and on a table, and come to rest.",
            .group = "contacts",
            .contacts = true,
            .parameters = {{.name = "shift",
                            .label = "shift",
                            .unit = "",
                            .value = 3.0,
                            .minimum = 0.0,
                            .maximum = 7.0,
                            .meaning =
                                "Places in the ring by which those that fall are shifted: at 0 each falls on its like, "
                                "from 0 to 7 each on each.",
                            .integer = true},
                           {.name = "tilt",
                            .label = "tilt",
                            .unit = "rad",
                            .value = 0.3,
                            .minimum = 0.0,
                            .maximum = 1.5,
                            .meaning = "By how much the most tilted body is turned where it is dropped."},
                           {.name = "restitution",
                            .label = "restitution",
                            .unit = "",
                            .value = 0.3,
                            .minimum = 0.0,
                            .maximum = 0.9,
                            .meaning = "Speed of parting over speed of approach."}},
            .make = make_shape_drops};
}

} // namespace substep::detail
