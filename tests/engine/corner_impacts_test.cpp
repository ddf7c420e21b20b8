// Boxes and capsules that meet planes: hits on time, by the law of impacts, and rest.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "contact_worlds.h"
#include "corner_flight.h"

using namespace engine_tests;
using detail::CornerFlight;
using detail::Real;
using detail::RealVector;

namespace {

IntegratorSettings exact() { return to_tolerance("dormand_prince853", 1e-12); }

/// A body over the ground, in a world and as its own truth.
struct Thrown {
    World world;
    BodyId body;
    CornerFlight truth;

    Thrown(const Shape& shape, const BodyDesc& start, const Material& material)
        : world(contact_settings(exact())), body(make(shape, start, material)) {
        const MassProperties mass = mass_properties(shape, 1.0);
        truth.moments = {mass.inertia[0][0], mass.inertia[1][1], mass.inertia[2][2]};
        truth.restitution = material.restitution;
        truth.friction = material.friction;
        if (const Box* const box = std::get_if<Box>(&shape)) {
            for (int i = 0; i < 8; ++i) {
                const auto side = [&](int axis) { return (i >> axis & 1) != 0 ? 1.0L : -1.0L; };
                truth.points.push_back(
                    {side(0) * box->half_sizes.x, side(1) * box->half_sizes.y, side(2) * box->half_sizes.z});
            }
        } else {
            const auto& capsule = std::get<Capsule>(shape);
            truth.radius = capsule.radius;
            truth.points = {{0, -capsule.half_length, 0}, {0, capsule.half_length, 0}};
        }
        truth.gravity = kGravity;
        const Body from = world.body(body);
        const glm::dquat q = world.pose(body).orientation;
        const std::array<Real, 4> n{q.w, q.x, q.y, q.z};
        const Real length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3];
        const auto entry = [&](std::size_t i, std::size_t j, Real more) { return 2 * (n[i] * n[j] + more) / length; };
        truth.axes = {{{1 - entry(2, 2, n[3] * n[3]), entry(1, 2, -n[0] * n[3]), entry(1, 3, n[0] * n[2])},
                       {entry(1, 2, n[0] * n[3]), 1 - entry(1, 1, n[3] * n[3]), entry(2, 3, -n[0] * n[1])},
                       {entry(1, 3, -n[0] * n[2]), entry(2, 3, n[0] * n[1]), 1 - entry(1, 1, n[2] * n[2])}}};
        truth.x = real(from.centre_of_mass());
        truth.v = real(from.linear_velocity());
        truth.omega = real(from.angular_velocity());
    }
    static RealVector real(const glm::dvec3& v) { return {v.x, v.y, v.z}; }

    BodyId make(const Shape& shape, const BodyDesc& start, const Material& material) {
        add_ground(world, material);
        BodyDesc desc = start;
        desc.mass = 1.0;
        desc.shape = shape;
        desc.material = material;
        return world.create_body(desc);
    }
    /// Advances the world frame by frame for a time (s), and the truth beside it. Returns the largest differences: of
    /// places (m), and of the times of hits (s). The truth counts its hits in `hits`.
    std::array<double, 2> follow(double time, int& hits) {
        double place = 0.0;
        double moment = 0.0;
        std::vector<double> found;
        std::vector<double> expected;
        const int frames = static_cast<int>(std::lround(60.0 * time));
        const Real begin = world.time();
        for (int frame = 0; frame < frames; ++frame) {
            const StepReport report = world.advance(1.0 / 60.0);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK_FALSE(report.degraded);
            CHECK(report.velocity_steps.contacts == 0);
            for (const Impact& impact : world.impacts()) {
                if (found.empty() || impact.t - found.back() > 1e-12) {
                    found.push_back(impact.t);
                }
            }
            Real left = 1.0L / 60.0L;
            while (const std::optional<CornerFlight::Hit> hit = truth.next(left)) {
                truth.fly(hit->t);
                truth.hit(hit->points);
                left -= hit->t;
                expected.push_back(static_cast<double>(begin + (frame + 1) / 60.0L - left));
            }
            truth.fly(left);
            const glm::dvec3 at = world.body(body).centre_of_mass();
            const glm::dvec3 right(truth.x[0], truth.x[1], truth.x[2]);
            place = std::max(place, glm::length(at - right));
        }
        hits += static_cast<int>(expected.size());
        CHECK(found.size() == expected.size());
        for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
            moment = std::max(moment, std::abs(found[i] - expected[i]));
        }
        return {place, moment};
    }
    double spin_error() const {
        return glm::length(world.body(body).angular_velocity() -
                           glm::dvec3(truth.omega[0], truth.omega[1], truth.omega[2]));
    }
};

BodyDesc at(double height, const glm::dquat& orientation = glm::dquat(1.0, 0.0, 0.0, 0.0),
            const glm::dvec3& omega = glm::dvec3(0.0), const glm::dvec3& velocity = glm::dvec3(0.0)) {
    BodyDesc desc;
    desc.pose = {{0.0, height, 0.0}, glm::normalize(orientation)};
    desc.angular_velocity = omega;
    desc.linear_velocity = velocity;
    return desc;
}

const Shape kCube = Box{glm::dvec3(0.5)};

} // namespace

TEST_CASE("corners: a cube dropped flat with restitution 1 bounces a hundred times, on time and as high") {
    Thrown cube(kCube, at(1.5), {.friction = 0.0, .restitution = 1.0});
    const double fall = std::sqrt(2.0 / kGravity);
    const double period = 2.0 * fall;
    int hits = 0;
    double late = 0.0;
    double off = 0.0;
    for (int frame = 1; hits < 100; ++frame) {
        const StepReport report = cube.world.advance(1.0 / 60.0);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE(!report.degraded);
        REQUIRE(report.velocity_steps.contacts == 0);
        const std::vector<Impact> impacts(cube.world.impacts().begin(), cube.world.impacts().end());
        if (!impacts.empty()) {
            CHECK(impacts.size() == 4); // corners, at once
            late = std::max(late, std::abs(impacts[0].t - (fall + hits * period)));
            CHECK(impacts.back().t == impacts[0].t);
            ++hits;
        }
        const double since = std::abs(std::remainder(frame / 60.0, period)); // since it was highest
        off = std::max(off,
                       std::abs(cube.world.body(cube.body).centre_of_mass().y - 1.5 + 0.5 * kGravity * since * since));
    }
    CHECK(late <= 1e-9);
    CHECK(off <= 1e-9);
    CHECK(glm::length(cube.world.body(cube.body).angular_velocity()) <= 1e-9);
}

TEST_CASE("corners: behind a hit of a vertex, an edge or a face velocities are those of the law of impacts") {
    const double eighth = 0.25 * std::acos(-1.0);
    const glm::dquat on_vertex = glm::angleAxis(std::atan(std::sqrt(2.0)), glm::normalize(glm::dvec3(1.0, 0.0, -1.0)));
    const auto about_z = [](double angle) { return glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0)); };
    const auto about_x = [](double angle) { return glm::angleAxis(angle, glm::dvec3(1.0, 0.0, 0.0)); };
    int gaining = 0;
    int all = 0;
    struct Attitude {
        const char* name;
        glm::dquat orientation;
    };
    for (const Attitude& attitude : {Attitude{"on a vertex", on_vertex},
                                     {"on a tilted vertex", glm::angleAxis(0.2, glm::dvec3(0.6, 0.0, 0.8)) * on_vertex},
                                     {"on an edge", about_z(eighth)},
                                     {"on a tilted edge", about_z(eighth - 0.3)},
                                     {"on a tilted face", about_x(0.1)},
                                     {"askew", glm::dquat(0.9, 0.3, -0.2, 0.1)}}) {
        for (const double friction : {0.0, 0.05, 0.3, 2.0}) {
            for (const double restitution : {0.0, 0.6}) {
                for (const glm::dvec3& push : {glm::dvec3(0.0), glm::dvec3(2.0, -1.0, 0.5)}) {
                    CAPTURE(std::string(attitude.name));
                    CAPTURE(friction);
                    CAPTURE(restitution);
                    CAPTURE(push.x);
                    // Friction across a slip turns it while an edge holds two points: those are hit straight.
                    const bool is_edge = std::string(attitude.name).find("vertex") == std::string::npos &&
                                         std::string(attitude.name) != "askew";
                    if (is_edge && push != glm::dvec3(0.0)) {
                        continue;
                    }
                    Thrown cube(kCube, at(1.2, attitude.orientation, {}, push),
                                {.friction = friction, .restitution = restitution});
                    const CornerFlight::Hit first = cube.truth.next(2.0L).value();
                    cube.truth.fly(first.t);
                    const Real before = cube.truth.kinetic_energy();
                    cube.truth.hit(first.points);
                    const bool gains = cube.truth.kinetic_energy() > before; // Newton's law may; the engine gives less
                    double speed = 0.0;
                    for (int frame = 1; speed == 0.0; ++frame) {
                        cube.world.advance(1e-3);
                        if (!cube.world.impacts().empty()) {
                            const auto left = static_cast<double>(frame * 1e-3L - first.t);
                            CHECK(std::abs(cube.world.impacts()[0].t - static_cast<double>(first.t)) <= 1e-12);
                            glm::dvec3 v = cube.world.body(cube.body).linear_velocity();
                            if (restitution > 0.0 && !gains) { // without restitution it leans on the corner
                                v.y += kGravity * left;
                                const glm::dvec3 right(cube.truth.v[0], cube.truth.v[1], cube.truth.v[2]);
                                CHECK(glm::length(v - right) <= 1e-9);
                                CHECK(cube.spin_error() <= 1e-9);
                            }
                            speed = 1.0;
                            gaining += gains ? 1 : 0;
                            ++all;
                        }
                        REQUIRE(frame < 2000);
                    }
                }
            }
        }
    }
    CHECK(all > 60);
    CHECK(gaining <= 4);
}

TEST_CASE("corners: tumbling cubes and capsules follow an independent event integration") {
    // An error of 1e-14 in the beginning must be seen far below 1e-9.
    struct Throw {
        const char* name;
        Shape shape;
        BodyDesc start;
        double friction;
        double restitution;
    };
    const glm::dquat askew(0.8, 0.3, -0.4, 0.1);
    const glm::dquat lying = glm::angleAxis(0.3, glm::dvec3(0.0, 0.0, 1.0)); // a capsule that stands, nearly
    for (const Throw& each :
         {Throw{"cube", kCube, at(1.6, askew, {0.7, 1.1, -0.9}), 0.0, 1.0},
          Throw{"cube that loses", kCube, at(1.6, askew, {0.7, 1.1, -0.9}), 0.0, 0.7},
          Throw{"cube with friction", kCube, at(1.6, askew, {0.7, 1.1, -0.9}, {1.0, 0.0, 2.0}), 0.4, 0.8},
          Throw{"capsule", Capsule{0.2, 0.4}, at(1.6, lying, {0.0, 0.0, 2.0}), 0.0, 1.0},
          Throw{"capsule with friction", Capsule{0.2, 0.4}, at(1.6, lying, {0.0, 0.0, 2.0}, {1.0, 0.0, 0.0}), 0.3,
                0.8}}) {
        CAPTURE(std::string(each.name));
        Thrown thrown(each.shape, each.start, {.friction = each.friction, .restitution = each.restitution});
        Thrown beside(each.shape, each.start, {.friction = each.friction, .restitution = each.restitution});
        beside.truth.x[1] += 1e-14L;
        int hits = 0;
        double worst = 0.0;
        double moved = 0.0;
        for (int frame = 0; frame < 300 && hits < 6; ++frame) {
            const auto [place, moment] = thrown.follow(1.0 / 60.0, hits);
            // How far the beginning's error has grown.
            Real left = 1.0L / 60.0L;
            while (const std::optional<CornerFlight::Hit> hit = beside.truth.next(left)) {
                beside.truth.fly(hit->t);
                beside.truth.hit(hit->points);
                left -= hit->t;
            }
            beside.truth.fly(left);
            for (std::size_t i = 0; i < 3; ++i) {
                moved = std::max(moved, static_cast<double>(std::abs(beside.truth.x[i] - thrown.truth.x[i])));
            }
            worst = std::max({worst, place, moment});
        }
        MESSAGE(each.name << ": " << hits << " hits, error " << worst << ", of 1e-14 has become " << moved);
        CHECK(hits >= 6);
        CHECK(worst <= 1e-9);
        CHECK(worst <= 100.0 * moved);
    }
}

namespace {

double energy_of(const World& world, BodyId id, const Shape& shape) {
    const glm::dvec3 v = world.body(id).linear_velocity();
    const glm::dvec3 rate = glm::conjugate(world.pose(id).orientation) * world.body(id).angular_velocity();
    return 0.5 * glm::dot(v, v) + 0.5 * glm::dot(rate, mass_properties(shape, 1.0).inertia * rate) +
           kGravity * world.body(id).centre_of_mass().y;
}

BodyDesc thrown_at_random(std::mt19937& random) {
    std::normal_distribution<double> normal;
    const auto vector = [&](double size) { return size * glm::dvec3(normal(random), normal(random), normal(random)); };
    return at(1.5, glm::dquat(normal(random), normal(random), normal(random), normal(random)), vector(4.0),
              vector(2.0));
}

const std::vector<Shape>& solids() {
    static const std::vector<Shape> all{Box{glm::dvec3(0.5)}, Box{{0.5, 0.3, 0.2}}, Box{{0.6, 0.05, 0.4}},
                                        Capsule{0.2, 0.4}};
    return all;
}

} // namespace

TEST_CASE("corners: thrown at random, nothing gains by an impact, and without friction and loss energy stays") {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> part(0.0, 1.0);
    for (const Shape& shape : solids()) {
        CAPTURE(shape.index());
        for (int i = 0; i < 12; ++i) {
            CAPTURE(i);
            const bool keeps = i % 2 == 0;
            const Material material{.friction = keeps ? 0.0 : part(random), .restitution = keeps ? 1.0 : part(random)};
            World world(contact_settings(exact()));
            add_ground(world, material);
            BodyDesc desc = thrown_at_random(random);
            desc.mass = 1.0;
            desc.shape = shape;
            desc.material = material;
            const BodyId body = world.create_body(desc);
            const double first = energy_of(world, body, shape);
            double before = first;
            bool by_modes = true; // velocity steps are of first order
            for (int frame = 0; frame < 120 && by_modes; ++frame) {
                const StepReport report = world.advance(1.0 / 60.0);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                by_modes = report.velocity_steps.contacts == 0;
                const double now = energy_of(world, body, shape);
                CHECK(now - before <= 1e-9 * first);
                if (keeps) {
                    CHECK(by_modes);
                    CHECK(std::abs(now - first) <= 1e-9 * first);
                }
                before = now;
            }
        }
    }
}

TEST_CASE("corners: dropped askew with restitution 0.3 boxes and capsules come to rest, and stay where they are") {
    std::mt19937 random(5);
    const Material material{.friction = 0.5, .restitution = 0.3};
    for (const Shape& shape : solids()) {
        CAPTURE(shape.index());
        for (const char* const name : {"auto", "rk4"}) {
            CAPTURE(std::string(name));
            WorldSettings settings = contact_settings({});
            settings.integrator.method = name;
            World world(settings);
            add_ground(world, material);
            BodyDesc desc = thrown_at_random(random);
            desc.linear_velocity = desc.angular_velocity = glm::dvec3(0.0);
            desc.mass = 1.0;
            desc.shape = shape;
            desc.material = material;
            const BodyId body = world.create_body(desc);
            const Watched fall = advance_and_watch(world, 600);
            REQUIRE(fall.arrived);
            const bool rolls = std::holds_alternative<Capsule>(shape); // about its axis, without end
            if (!rolls) {
                CHECK(glm::length(world.body(body).linear_velocity()) <= 1e-6);
                CHECK(glm::length(world.body(body).angular_velocity()) <= 1e-6);
            }
            const glm::dvec3 place = world.pose(body).position;
            const Watched rest = advance_and_watch(world, 600);
            REQUIRE(rest.arrived);
            if (!rolls) {
                CHECK(glm::length(world.pose(body).position - place) <= 1e-6);
            }
            CHECK(std::abs(world.pose(body).position.y - place.y) <= 1e-6);
            CHECK(std::max(fall.deepest, rest.deepest) <= 1e-3);
        }
    }
}

TEST_CASE("corners: forty boxes of one island lie on four corners each, in modes") {
    World world(contact_settings(exact()));
    const Material material{.friction = 0.5, .restitution = 0.3};
    add_ground(world, material);
    std::vector<BodyId> boxes;
    for (int i = 0; i < 40; ++i) {
        BodyDesc box;
        box.mass = 1.0;
        box.shape = Box{glm::dvec3(0.1)};
        box.material = material;
        box.pose.position = {0.5 * i, 0.1, 0.0};
        boxes.push_back(world.create_body(box));
        if (i > 0) { // so weak that friction holds against it
            world.add_force_field(std::make_unique<Spring>(
                SpringDesc{.body_a = boxes[boxes.size() - 2], .body_b = boxes.back(), .stiffness = 0.1}));
        }
    }
    for (int frame = 0; frame < 10; ++frame) {
        const StepReport report = world.advance(1.0 / 60.0);
        CHECK(report.velocity_steps.contacts == 0);
        CHECK(report.message.empty());
    }
    CHECK(world.islands().size() == 1);
    CHECK(std::ranges::count_if(world.contacts(), [](const Contact& c) { return c.mode != ContactMode::Separate; }) ==
          160);
    for (const BodyId box : boxes) {
        CHECK(glm::length(world.body(box).linear_velocity()) <= 1e-12);
    }
}
