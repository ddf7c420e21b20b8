// Larger things that a life builds: closed mechanisms, most of them with more rows than freedoms, and piles.
#include <array>
#include <cmath>
#include <numbers>

#include <glm/gtc/matrix_transform.hpp>

#include "ingredients.h"
#include "life.h"

namespace hostile {

using namespace substep;

namespace {

constexpr double kPi = std::numbers::pi;

/// An axis of a linkage: a point of it, and its direction.
using Axis = std::array<glm::dvec3, 2>;

/// Denavit and Hartenberg's step: a turn about z, a length along x, a twist about x (J. Applied Mechanics 22, 1955).
glm::dmat4 link(double turn, double length, double twist) {
    glm::dmat4 step = glm::rotate(glm::dmat4(1.0), turn, glm::dvec3(0.0, 0.0, 1.0));
    step = glm::translate(step, glm::dvec3(length, 0.0, 0.0));
    return glm::rotate(step, twist, glm::dvec3(1.0, 0.0, 0.0));
}

std::vector<Axis> axes_of(std::span<const glm::dmat4> links) {
    std::vector<Axis> axes;
    glm::dmat4 at(1.0);
    for (const glm::dmat4& step : links) {
        axes.push_back({glm::dvec3(at[3]), glm::dvec3(at[2])});
        at = at * step;
    }
    return axes;
}

/// Bennett's loop of four skew hinges, which moves although its rows say that it does not: a / sin alpha = b / sin
/// beta, tan(theta/2) tan(phi/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2) (Bennett, Engineering 76, 1903).
std::vector<Axis> bennett(double a, double alpha, double beta, double theta) {
    const double b = a * std::sin(beta) / std::sin(alpha);
    const double ratio = std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha));
    const double phi = 2.0 * std::atan(ratio / std::tan(0.5 * theta));
    return axes_of(std::array{link(theta, a, alpha), link(phi, b, beta), link(-theta, a, alpha), link(-phi, b, beta)});
}

/// Bricard's loop of six hinges with three planes of symmetry, links of one length twisted by right angles:
/// cos theta + cos phi + cos theta cos phi = 0 (Chen, You & Tarnai, Int. J. Solids Structures 42, 2005).
std::vector<Axis> bricard(double a, double cosine) {
    const double theta = std::acos(cosine), phi = std::acos(-cosine / (1.0 + cosine));
    std::vector<glm::dmat4> links;
    for (int i = 0; i < 3; ++i) {
        links.push_back(link(theta, a, 0.5 * kPi));
        links.push_back(link(phi, a, -0.5 * kPi));
    }
    return axes_of(links);
}

} // namespace

std::vector<BodyId> Life::create_balls(Draws draw, std::span<const glm::dvec3> places, double radius, bool collides) {
    const bool even = draw.chance("is_even", 0.6);
    const double restitution =
        draw.number("restitution", [](Random& random) { return random.chance(0.5) ? 0.0 : random.between(0.0, 1.0); });
    std::vector<BodyId> made;
    if (world_.bodies().size() + places.size() >= kMostWithStructures) {
        return made;
    }
    const std::vector<double> masses = any_masses(draw, places.size(), even, 4.0);
    for (std::size_t i = 0; i < places.size(); ++i) {
        BodyDesc desc;
        desc.pose.position = places[i];
        desc.shape = Sphere{radius};
        desc.collides = collides;
        desc.mass = masses[i];
        desc.material.restitution = restitution;
        attempt([&] { made.push_back(create(desc)); });
    }
    return made;
}

void Life::join(Draws draw, JointDesc joint) {
    if (draw.chance("has_stops", 0.1)) {
        add_stops(joint, draw);
    }
    attempt([&] { create(joint); });
}

// Links between axes that close: a ball of each link half-way, hinged to the next; the last link is the ground.
void Life::create_hinge_loop(Draws draw, std::span<const glm::dvec3> points, std::span<const glm::dvec3> axes) {
    std::vector<glm::dvec3> places;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        places.push_back(0.5 * (points[i] + points[i + 1]));
    }
    const std::vector<BodyId> links = create_balls(draw.part("balls"), places, 0.05, false);
    if (links.size() != places.size()) {
        return;
    }
    const std::vector<Draws> joints = draw.list("joints", points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const BodyId a = i == 0 ? kGround : links[i - 1], b = i == links.size() ? kGround : links[i];
        join(joints[i], hinge(world_, a, b, points[i], axes[i]));
    }
}

// A closed mechanism; most say more than once how it may move.
void Life::create_loop(Draws draw) {
    const glm::dvec3 base = draw.vector("base", 2.0);
    const glm::dvec3 x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0), z(0.0, 0.0, 1.0);
    const double angle = draw.between("angle", 0.3, 2.8), size = draw.decade("size", -1.0, 0.5);
    switch (draw.one_of("kind", {"bennett", "bricard", "cranks", "slider_crank", "shafts", "truss", "wheels"})) {
    case 0: {
        const double beta = draw.between("beta", 1.3, 2.5), alpha = draw.between("alpha", 0.3, 1.2);
        create_skew_loop(draw, base, bennett(size, alpha, beta, angle));
        break;
    }
    case 1:
        create_skew_loop(draw, base, bricard(size, draw.between("cosine", -0.45, 0.95)));
        break;
    case 2: { // three parallel cranks under one bar
        const glm::dvec3 crank = size * glm::dvec3(std::cos(angle), std::sin(angle), 0.0);
        std::vector<glm::dvec3> places{base + crank + size * x};
        for (double i = 0.0; i < 3.0; i += 1.0) {
            places.push_back(base + i * size * x + 0.5 * crank);
        }
        const std::vector<BodyId> links = create_balls(draw.part("balls"), places, 0.05, false);
        const std::vector<Draws> joints = draw.list("joints", 6);
        for (std::size_t i = 1; i < links.size(); ++i) {
            const glm::dvec3 foot = base + static_cast<double>(i - 1) * size * x;
            join(joints[2 * i - 2], hinge(world_, kGround, links[i], foot, z));
            join(joints[2 * i - 1], hinge(world_, links[i], links[0], foot + crank, z));
        }
        break;
    }
    case 3: { // a crank, a rod and a slider
        const glm::dvec3 pin = base + size * glm::dvec3(std::cos(angle), std::sin(angle), 0.0);
        const glm::dvec3 end = base + (size * std::cos(angle) + 2.0 * size) * x;
        const std::vector<BodyId> links =
            create_balls(draw.part("balls"), std::array{0.5 * (base + pin), 0.5 * (pin + end), end}, 0.05, false);
        if (links.size() == 3) {
            const std::vector<Draws> joints = draw.list("joints", 4);
            join(joints[0], hinge(world_, kGround, links[0], base, z));
            join(joints[1], hinge(world_, links[0], links[1], pin, z));
            join(joints[2], hinge(world_, links[1], links[2], end, z));
            join(joints[3], slider(world_, kGround, links[2], end, x));
        }
        break;
    }
    case 4: { // two shafts and Cardan's joints at both ends of the one between
        const glm::dvec3 bent = std::cos(0.3 * angle) * x + std::sin(0.3 * angle) * y, last = base + size * (x + bent);
        const std::vector<BodyId> shafts = create_balls(
            draw.part("balls"), std::array{base, base + size * x + 0.5 * size * bent, last + size * x}, 0.05, false);
        if (shafts.size() == 3) {
            const glm::dvec3 up = glm::cross(z, bent);
            const std::vector<Draws> joints = draw.list("joints", 4);
            join(joints[0], hinge(world_, kGround, shafts[0], base, x));
            attempt([&] { join(joints[1], universal(world_, shafts[0], shafts[1], base + size * x, z, up)); });
            attempt([&] { join(joints[2], universal(world_, shafts[2], shafts[1], last, z, up)); });
            join(joints[3], hinge(world_, kGround, shafts[2], last + size * x, x));
        }
        break;
    }
    case 5: { // a truss: every two of four or five corners by a rod
        std::vector<glm::dvec3> corners{base, base + size * x, base + size * y, base + size * z};
        if (draw.chance("has_fifth_corner", 0.5)) {
            corners.push_back(base + size * (x + y + z));
        }
        const std::vector<BodyId> balls = create_balls(draw.part("balls"), corners, 0.05, false);
        const std::vector<Draws> joints = draw.list("joints", balls.size() * (balls.size() - 1) / 2);
        for (std::size_t i = 0, at = 0; i < balls.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                join(joints[at++], rod(world_, balls[i], balls[j], corners[i], corners[j]));
            }
        }
        break;
    }
    default: { // three wheels that mesh in a ring: they turn together, or not at all
        const std::vector<BodyId> wheels =
            create_balls(draw.part("balls"), std::array{base, base + size * x, base + size * y}, 0.05, false);
        std::vector<JointId> hinges;
        for (const BodyId wheel : wheels) {
            attempt([&] { hinges.push_back(create(hinge(world_, kGround, wheel, world_.pose(wheel).position, z))); });
        }
        const double ratio =
            draw.number("ratio", [](Random& random) { return random.chance(0.5) ? -1.0 : random.between(0.5, 2.0); });
        for (std::size_t i = 0; hinges.size() == 3 && i < 3; ++i) {
            attempt([&] { create(gear(world_, hinges[i], hinges[(i + 1) % 3], ratio)); });
        }
    }
    }
}

void Life::create_skew_loop(Draws draw, const glm::dvec3& base, std::span<const std::array<glm::dvec3, 2>> axes) {
    const glm::dquat turned = draw.orientation("orientation");
    std::vector<glm::dvec3> points, directions;
    for (const auto& [point, direction] : axes) {
        points.push_back(base + turned * point);
        directions.push_back(turned * direction);
    }
    create_hinge_loop(draw, points, directions);
}

// Balls that touch, or nearly: on a floor, on one another, in a row, some of them chained.
void Life::create_pile(Draws draw) {
    const std::size_t count = 2 + draw.one_of("more_balls", 9);
    const double radius = draw.decade("radius", -1.5, 0.0);
    const double gap =
        draw.number("gap", [](Random& random) { return random.chance(0.5) ? 0.0 : random.between(-1e-3, 1e-2); });
    const glm::dvec3 base = draw.vector("base", 1.0);
    attempt([&] {
        BodyDesc floor;
        floor.motion = MotionType::Static;
        floor.shape = Plane{};
        floor.pose.position.y = base.y;
        floor.pose.orientation =
            draw.chance("is_level", 0.7) ? floor.pose.orientation : glm::angleAxis(0.3, glm::dvec3(0.0, 0.0, 1.0));
        floor.material.friction =
            draw.number("friction", [](Random& random) { return random.chance(0.3) ? 0.0 : random.between(0.0, 1.5); });
        create(floor);
    });
    const std::size_t kind = draw.one_of("kind", {"column", "row", "wall"});
    const double pitch = 2.0 * radius + gap;
    std::vector<glm::dvec3> places;
    for (std::size_t i = 0; i < count; ++i) {
        const auto n = static_cast<double>(i);
        const std::size_t layer = i / 3;
        const glm::dvec3 at = kind == 0   ? glm::dvec3(0.0, n * pitch, 0.0) // a column
                              : kind == 1 ? glm::dvec3(n * pitch, 0.0, 0.0) // a row
                                          : pitch * glm::dvec3(static_cast<double>(i % 3) + (i < 3 ? 0.0 : 0.5),
                                                               0.87 * static_cast<double>(layer), 0.0); // a wall
        places.push_back(base + glm::dvec3(0.0, radius + gap, 0.0) + at);
    }
    const std::vector<BodyId> balls = create_balls(draw.part("balls"), places, radius, true);
    const std::vector<Draws> joints = draw.list(
        "joints", [&](Random& random) { return random.chance(0.3) && !balls.empty() ? balls.size() - 1 : 0; });
    for (std::size_t i = 1; i <= joints.size() && i < balls.size(); ++i) {
        join(joints[i - 1], ball(world_, balls[i - 1], balls[i], 0.5 * (places[i - 1] + places[i])));
    }
}

} // namespace hostile
