// A house of cards, and a ball that rolls into it.
//
// Two cards that lean at an angle a from the vertical hold one another: a weight P on the upper edge of each pushes the
// feet apart by (P + m g / 2) tan a, against friction of P + m g. Where the cards meet, an edge of one lies on an edge
// of the other, and what presses may be upright on a face of either: friction has to hold it within a of the level. So
// the house stands for every number of storeys if the friction is above tan a, which is 0.364 here.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr glm::dvec3 kCard{0.006, 0.25, 0.16}; // m, half sizes: thickness, length, width
constexpr double kLean = 0.349;                // rad, 20 degrees
constexpr double kRoofGap = 0.004;             // m, between cards that lie end to end
constexpr double kBallRadius = 0.15;           // m
constexpr double kRollTime = 1.5;              // s, until the ball is there

BodyDesc card(const glm::dvec3& place, double angle, double friction) {
    BodyDesc desc;
    desc.mass = 0.3;
    desc.shape = Box{kCard};
    desc.pose = {place, turn_about_z(angle)};
    desc.material.friction = friction;
    return desc;
}

Scene make_card_house(std::span<const double> values) {
    const int storeys = static_cast<int>(values[0]);
    const double speed = values[1];
    const double friction = values[2];
    Scene scene;
    scene.world = World(smooth_settings(1e-6));
    add_plane(scene, 0.0, {.friction = friction});

    double s = 0.0;
    double c = 0.0;
    sine_cosine(kLean, s, c);
    const double apex = 2.0 * (kCard.x * s + kCard.y * c); // m, height of a storey without its roof
    const double storey = apex + 2.0 * kCard.x;
    const double aside = kCard.x * c + kCard.y * s; // m, from the middle to a leaning card's centre
    const double pitch = 2.0 * kCard.y + kRoofGap;
    double lifted = 0.0;
    const auto add = [&](const char* name, const glm::dvec3& place, double angle) {
        add_body(scene, name, card(place, angle, friction));
        lifted += 0.3 * place.y;
    };
    for (int row = 0; row < storeys; ++row) {
        const int pairs = storeys - row;
        const double floor = storey * row;
        for (int i = 0; i < pairs; ++i) {
            const double middle = pitch * (i - 0.5 * (pairs - 1));
            add("card", {middle - aside, floor + 0.5 * apex, 0.0}, -kLean);
            add("card", {middle + aside, floor + 0.5 * apex, 0.0}, kLean);
        }
        for (int i = 0; i + 1 < pairs; ++i) {
            const double middle = pitch * (i - 0.5 * (pairs - 2));
            add("roof", {middle, floor + apex + kCard.x, 0.0}, 0.5 * std::numbers::pi);
        }
    }

    // The ball rolls from the beginning, and meets the outermost card.
    const double foot = 0.5 * pitch * (storeys - 1) + 2.0 * kCard.y * s;
    BodyDesc ball;
    ball.mass = 3.0;
    ball.shape = Sphere{kBallRadius};
    ball.pose.position = {-foot - kBallRadius - std::max(speed, 1.0) * kRollTime, kBallRadius, 0.0};
    ball.linear_velocity = {speed, 0.0, 0.0};
    ball.angular_velocity = {0.0, 0.0, -speed / kBallRadius};
    ball.material.friction = friction;
    scene.trails.push_back(add_body(scene, "ball", ball, NodeAppearance::Role::Bob));

    const double height = storey * storeys;
    scene.energy_scale = kGravity * lifted + 0.7 * 3.0 * speed * speed;
    scene.energy_scale_meaning = "work of building the house, and the energy of the ball";
    scene.frames = 240;
    scene.view = {{-0.3, 0.4 * height, 0.0}, 2.2 * height + 2.0, 0.5, 0.2};
    return scene;
}

} // namespace

SceneInfo card_house_scene() {
    return {.name = "card_house",
            .title = "House of cards",
            .description = "Cards that lean on one another stand by friction alone, until a ball rolls into them.",
            .group = "stacks",
            .contacts = true,
            .parameters = {{.name = "storeys",
                            .label = "storeys",
                            .unit = "",
                            .value = 3.0,
                            .minimum = 1.0,
                            .maximum = 6.0,
                            .meaning = "Three storeys are 15 cards, six are 57.",
                            .integer = true},
                           {.name = "speed",
                            .label = "ball",
                            .unit = "m/s",
                            .value = 3.0,
                            .minimum = 0.0,
                            .maximum = 6.0,
                            .meaning = "Speed of the ball; at 0 it lies still, and the house stands."},
                           {.name = "friction",
                            .label = "friction",
                            .unit = "",
                            .value = 0.6,
                            .minimum = 0.0,
                            .maximum = 1.5,
                            .meaning = "Between all surfaces; below about 0.36 the feet slip, and the house falls."}},
            .make = make_card_house};
}

} // namespace substep::detail
