// Rays and overlaps in worlds of many bodies, by our tree and by Bullet's.
#include <cmath>
#include <limits>

#include "collision_races.h"
#include "draws.h"
#include "piles.h"
#include "race.h"
#include "substep/substep.h"

namespace substep_bench {
namespace {

using namespace substep;

constexpr double kApart = 3.0; // m, between bodies
constexpr std::size_t kRays = 100;

// Bodies of all shapes of a mess in a cube of cells, in any attitude.
Pile make_cloud(int count) {
    Pile pile = make_mess(MessOf::Mixed, count);
    std::erase_if(pile.bodies, [](const PileBody& body) { return body.is_fixed; });
    const int side = static_cast<int>(std::ceil(std::cbrt(count)));
    for (int i = 0; i < count; ++i) {
        pile.bodies[static_cast<std::size_t>(i)].pose.position =
            kApart * glm::dvec3(i % side, i / side % side, i / (side * side));
    }
    return pile;
}

World world_of(const Pile& pile) {
    World world;
    for (const PileBody& body : pile.bodies) {
        BodyDesc desc;
        desc.shape = pile.shapes[body.shape];
        desc.pose = body.pose;
        desc.mass = 1.0;
        world.create_body(desc);
    }
    return world;
}

// From anywhere in the cloud in any direction, all through it.
std::vector<Ray> rays_through(const Pile& pile) {
    const double width = kApart * std::cbrt(static_cast<double>(pile.bodies.size()));
    Draws draws;
    std::vector<Ray> rays;
    for (std::size_t i = 0; i < kRays; ++i) {
        const glm::dvec3 origin = glm::dvec3(0.5 * width) + draws.vector(0.5 * width);
        rays.push_back({origin, draws.turn()[0], 2.0 * width});
    }
    return rays;
}

// Moves each body to and fro.
void shake(World& world) {
    static double way = 0.01; // m
    way = -way;
    for (const BodyId id : world.bodies()) {
        Body body = world.body(id);
        const Pose pose = body.pose();
        body.set_pose({pose.position + glm::dvec3(way), pose.orientation});
    }
}

} // namespace

void race_rays(Report& report) {
    report.section("Rays and overlaps");
    report.text(
        "Boxes, balls, capsules, cylinders, cones and hulls 3 m apart, and a hundred rays from anywhere among "
        "them all through them; overlaps are of a ball of 1 m. Time of one query. Ours makes its tree when it is "
        "first asked after an edit of bodies or colliders, and lets it follow them when first asked after a step.");
    report.table({"query", "bodies", "us", "ns per body", "found"});
    for (const int count : {100, 1000, 10000}) {
        const Pile pile = make_cloud(count);
        World world = world_of(pile);
        const std::vector<Ray> rays = rays_through(pile);
        const auto bullet = rays_in_bullet(pile);

        struct Query {
            std::string name;
            std::function<double(const Ray&)> ask; // how many it finds
        };
        std::vector<Query> queries{
            {"the nearest body that a ray meets", [&](const Ray& ray) { return world.cast_ray(ray) ? 1.0 : 0.0; }},
            {"whether a ray meets any", [&](const Ray& ray) { return world.cast_ray_any(ray) ? 1.0 : 0.0; }},
            {"all that a ray meets",
             [&](const Ray& ray) { return static_cast<double>(world.cast_ray_all(ray).size()); }},
            {"all that a ball overlaps",
             [&](const Ray& ray) {
                 return static_cast<double>(world.overlapping(Sphere{1.0}, {.position = ray.origin}).size());
             }},
            {"the first ray when a body was created",
             [&](const Ray& ray) {
                 world.destroy_body(world.create_body({.motion = MotionType::Static}));
                 return world.cast_ray(ray) ? 1.0 : 0.0;
             }},
            {"moving all bodies a little",
             [&](const Ray&) {
                 shake(world);
                 return 0.0;
             }},
            {"the same, and the nearest body that a ray meets",
             [&](const Ray& ray) {
                 shake(world);
                 return world.cast_ray(ray) ? 1.0 : 0.0;
             }},
            {"the nearest body that a ray meets, one moved before", [&](const Ray& ray) {
                 const BodyId first = world.bodies().front();
                 world.body(first).set_pose(world.pose(first));
                 return world.cast_ray(ray) ? 1.0 : 0.0;
             }}};
        if (bullet) {
            queries.push_back({"the nearest body that a ray meets, " + bullet_release(),
                               [&](const Ray& ray) { return bullet(ray) < ray.length ? 1.0 : 0.0; }});
        }
        Race race;
        std::vector<double> found(queries.size());
        for (std::size_t q = 0; q < queries.size(); ++q) {
            race.add(
                [&, q] {
                    found[q] = 0.0;
                    for (const Ray& ray : rays) {
                        found[q] += queries[q].ask(ray);
                    }
                },
                static_cast<double>(rays.size()));
        }
        const std::vector<double> times = race.run(7);
        for (std::size_t q = 0; q < queries.size(); ++q) {
            report.row({queries[q].name, std::to_string(count), formatted("%.2f", 1e-3 * times[q]),
                        formatted("%.1f", times[q] / count),
                        formatted("%.2f", found[q] / static_cast<double>(rays.size()))});
        }
    }
}

} // namespace substep_bench
