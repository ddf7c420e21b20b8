// Towers, pyramids, pits and messes; how they stand.
#include "piles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "substep/collision/mass_properties.h"
#include "substep/collision/narrow_phase.h"

namespace substep_bench {
namespace {

using namespace substep;
using namespace substep::detail;

constexpr double kCell = 1.2;      // m, between bodies of a pit that fall upright
constexpr double kJitter = 0.05;   // m
constexpr double kFreeCell = 1.78; // m, between bodies in any attitude: a unit cube's diagonal and some air
constexpr double kPitOf1000 = 6.6; // m, half width of the pit of a thousand
constexpr double kWall = 1.0;      // m, half thickness of floor and walls
constexpr double kLost = 0.5;      // m: whose centre is so far outside of a wall's face is lost

void add_fixed_box(Pile& pile, const glm::dvec3& centre, const glm::dvec3& half_sizes) {
    pile.shapes.emplace_back(Box{half_sizes});
    pile.bodies.push_back({pile.shapes.size() - 1, {.position = centre}, true});
}

void add_floor(Pile& pile, double half_width) {
    add_fixed_box(pile, {0.0, -kWall, 0.0}, {half_width, kWall, half_width});
}

void add_pit(Pile& pile, double half_width, double height) {
    pile.half_width = half_width;
    add_floor(pile, half_width + 2.0 * kWall);
    const double aside = half_width + kWall;
    for (const double side : {-1.0, 1.0}) {
        add_fixed_box(pile, {side * aside, 0.5 * height, 0.0}, {kWall, 0.5 * height, aside + kWall});
        add_fixed_box(pile, {0.0, 0.5 * height, side * aside}, {aside + kWall, 0.5 * height, kWall});
    }
}

// A stone about its centre of mass.
ScaledHull make_stone(Draws& draws) {
    std::vector<glm::dvec3> points = stone_corners(draws);
    const glm::dvec3 centre = mass_properties(*ConvexHull::make(points), 1.0).centre_of_mass;
    for (glm::dvec3& point : points) {
        point -= centre;
    }
    return {ConvexHull::make(points), glm::dvec3(1.0)};
}

Pile make_pit(const std::string& name, const Shape& shape, int wide, int high, bool in_columns) {
    Pile pile;
    pile.name = name;
    add_pit(pile, 0.5 * kCell * wide + 0.6, kCell * high + 1.2);
    pile.shapes.push_back(shape);
    Draws draws;
    for (int y = 0; y < high; ++y) {
        for (int z = 0; z < wide; ++z) {
            for (int x = 0; x < wide; ++x) {
                const double middle = 0.5 * (wide - 1);
                const glm::dvec3 cell(x - middle, y + 0.5, z - middle);
                if (in_columns && y == high - 1) {
                    pile.highest.push_back(pile.bodies.size());
                }
                pile.bodies.push_back(
                    {pile.shapes.size() - 1, {.position = kCell * cell + draws.vector(kJitter)}, false});
            }
        }
    }
    pile.height = high - 0.5;
    return pile;
}

struct Solid {
    Convex solid;
    glm::dmat3 rotation{1.0};
};

Solid solid_in(const Pile& pile, const PileBody& body) {
    const ShapeSolid of_shape = solid_of(pile.shapes[body.shape]);
    return {of_shape.solid, of_shape.rotation};
}

Placement placed(const Solid& solid, const BodyMotionNow& body) {
    return {body.position, glm::mat3_cast(body.orientation) * solid.rotation};
}

// Calls `found` with each pair that overlaps, and its distance (m).
template <class Found>
void for_each_overlap(const Pile& pile, std::span<const BodyMotionNow> bodies, const Found& found) {
    struct Body {
        Solid solid;
        Placement at;
        double reach;
    };
    std::vector<Body> all;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Solid solid = solid_in(pile, pile.bodies[i]);
        all.push_back({solid, placed(solid, bodies[i]), bounding_radius(pile.shapes[pile.bodies[i].shape])});
    }
    for (std::size_t b = pile.fixed_count(); b < all.size(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            const glm::dvec3 apart = all[a].at.position - all[b].at.position;
            const double near = all[a].reach + all[b].reach;
            if (glm::dot(apart, apart) > near * near) {
                continue;
            }
            const double gap = distance(all[a].solid.solid, all[a].at, all[b].solid.solid, all[b].at).distance;
            if (gap < 0.0) {
                found(a, b, gap);
            }
        }
    }
}

} // namespace

std::size_t Pile::fixed_count() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(bodies, [](const PileBody& each) { return each.is_fixed; }));
}

Pile make_tower() {
    Pile pile;
    pile.name = "tower of ten";
    add_floor(pile, 10.0);
    pile.shapes.emplace_back(Box{glm::dvec3(0.5)});
    for (int i = 0; i < 10; ++i) {
        pile.bodies.push_back({1, {.position = {0.0, 0.5 + i, 0.0}}, false});
    }
    pile.highest = {pile.bodies.size() - 1};
    pile.height = 9.5;
    return pile;
}

Pile make_pyramid() {
    constexpr int kBase = 20;
    constexpr double kApart = 1.1; // m
    Pile pile;
    pile.name = "pyramid of 210";
    add_floor(pile, 20.0);
    pile.shapes.emplace_back(Box{glm::dvec3(0.5)});
    for (int row = 0; row < kBase; ++row) {
        const int count = kBase - row;
        for (int i = 0; i < count; ++i) {
            pile.bodies.push_back({1, {.position = {kApart * (i - 0.5 * (count - 1)), 0.5 + row, 0.0}}, false});
        }
    }
    pile.highest = {pile.bodies.size() - 1};
    pile.height = kBase - 0.5;
    return pile;
}

Pile make_cube_pit(int wide, int high) {
    return make_pit(std::to_string(wide * wide * high) + " stacked cubes", Box{glm::dvec3(0.5)}, wide, high, true);
}

Pile make_ball_pit(int side) {
    return make_pit(std::to_string(side * side * side) + " balls", Sphere{0.5}, side, side, false);
}

std::vector<glm::dvec3> stone_corners(Draws& draws) {
    std::vector<glm::dvec3> points;
    while (points.size() < 24) {
        const glm::dvec3 v = draws.vector(1.0);
        if (glm::length(v) > 0.1) {
            points.push_back(0.6 * glm::normalize(v));
        }
    }
    return points;
}

Pile make_mess(MessOf what, int count) {
    Pile pile;
    Draws draws;
    pile.frames = 900;
    const double half_width = kPitOf1000 * std::cbrt(count / 1000.0);
    const int side = std::max(1, static_cast<int>(2.0 * half_width / kFreeCell));
    const int layers = (count + side * side - 1) / (side * side);
    add_pit(pile, half_width, kFreeCell * (layers + 1));
    const std::size_t first_shape = pile.shapes.size();
    switch (what) {
    case MessOf::Cubes:
        pile.name = std::to_string(count) + " messy cubes";
        pile.shapes.emplace_back(Box{glm::dvec3(0.5)});
        break;
    case MessOf::Slabs:
        pile.name = std::to_string(count) + " messy slabs";
        pile.shapes.emplace_back(Box{{0.5, 0.3, 0.2}});
        break;
    case MessOf::Mixed:
        pile.name = std::to_string(count) + " mixed shapes";
        pile.shapes.emplace_back(Box{glm::dvec3(0.5)});
        pile.shapes.emplace_back(Sphere{0.5});
        pile.shapes.emplace_back(Capsule{0.35, 0.45});
        pile.shapes.emplace_back(Cylinder{0.45, 0.5});
        pile.shapes.emplace_back(TaperedCylinder{0.55, 0.0, 0.55});
        pile.shapes.emplace_back(make_stone(draws));
        break;
    }
    const std::size_t kinds = pile.shapes.size() - first_shape;
    for (int i = 0; i < count; ++i) {
        const glm::dvec3 cell(i % side - 0.5 * (side - 1), i / (side * side) + 0.5, i / side % side - 0.5 * (side - 1));
        const std::size_t shape = first_shape + static_cast<std::size_t>(i) % kinds;
        pile.bodies.push_back({shape, {kFreeCell * cell, draws.quaternion()}, false});
    }
    return pile;
}

Pile resisting(Pile pile) {
    pile.name += " that resist rolling";
    pile.resistance = 0.005;
    return pile;
}

std::vector<BodyMotionNow> start_of(const Pile& pile) {
    std::vector<BodyMotionNow> bodies;
    for (const PileBody& body : pile.bodies) {
        bodies.push_back({.position = body.pose.position, .orientation = body.pose.orientation});
    }
    return bodies;
}

PileState state_of(const Pile& pile, std::span<const BodyMotionNow> bodies) {
    PileState state;
    for_each_overlap(pile, bodies,
                     [&](std::size_t, std::size_t, double gap) { state.overlap = std::max(state.overlap, -gap); });
    for (const std::size_t i : pile.highest) {
        state.sink = std::max(state.sink, pile.height - bodies[i].position.y);
    }
    for (std::size_t i = pile.fixed_count(); i < bodies.size(); ++i) {
        const BodyMotionNow& body = bodies[i];
        const Shape& shape = pile.shapes[pile.bodies[i].shape];
        const glm::dvec3 rates = body.angular_velocity * glm::mat3_cast(body.orientation);
        state.speed = std::max(state.speed, glm::length(body.velocity) + bounding_radius(shape) * glm::length(rates));
        state.kinetic_energy += 0.5 * (glm::dot(body.velocity, body.velocity) +
                                       glm::dot(rates, mass_properties(shape, 1.0).inertia * rates));
        const double aside = std::max(std::fabs(body.position.x), std::fabs(body.position.z));
        const bool is_outside = pile.half_width > 0.0 && aside > pile.half_width + kLost;
        state.lost += is_outside || body.position.y < -kLost || !(aside < 1e6) ? 1 : 0;
    }
    return state;
}

std::vector<TouchingPair> overlapping_pairs(const Pile& pile, std::span<const BodyMotionNow> bodies, double least) {
    std::vector<TouchingPair> pairs;
    for_each_overlap(pile, bodies, [&](std::size_t a, std::size_t b, double gap) {
        if (gap < -least) {
            pairs.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
        }
    });
    std::ranges::sort(pairs);
    return pairs;
}

} // namespace substep_bench
