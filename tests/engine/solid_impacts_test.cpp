// Solids of every shape that meet in flight: on time, by the law of impacts, and through nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "../sanitized.h"
#include "solid_worlds.h"

using namespace engine_tests;

namespace {

/// A source of numbers and shapes that is the same everywhere.
class Draws {
public:
    explicit Draws(unsigned seed) : random_(seed) {}
    double within(double low, double high) {
        return low + (high - low) * static_cast<double>(random_() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
    }
    glm::dvec3 vector(double most) { return {within(-most, most), within(-most, most), within(-most, most)}; }
    glm::dquat turn() { return glm::normalize(glm::dquat(within(-1, 1), within(-1, 1), within(-1, 1), within(-1, 1))); }
    Shape shape(std::size_t kind, double size) {
        const auto length = [&] { return size * within(0.3, 1.0); };
        switch (kind) {
        case 0:
            return Box{{length(), length(), length()}};
        case 1:
            return Capsule{0.5 * length(), length()};
        case 2:
            return Cylinder{0.6 * length(), length()};
        case 3:
            return ThinRod{1.5 * length(), 0.02 * size};
        case 5:
            return TaperedCapsule{0.5 * length(), 0.3 * length(), length()};
        case 6:
            return TaperedCylinder{0.6 * length(), 0.0, length()};
        case 7: // an octahedron of no symmetry
            return ScaledHull{hull_of({{length(), 0.0, 0.0},
                                       {-length(), 0.0, 0.0},
                                       {0.0, length(), 0.0},
                                       {0.0, -length(), 0.0},
                                       {0.1 * size, 0.0, length()},
                                       {0.0, 0.1 * size, -length()}})};
        default:
            return Sphere{length()};
        }
    }

private:
    static std::shared_ptr<const ConvexHull> hull_of(const std::vector<glm::dvec3>& points) {
        return ConvexHull::make(points);
    }
    std::mt19937_64 random_;
};

constexpr std::size_t kShapes = 8;

struct Flying {
    BodyId id;
    MassProperties mass;
};

struct Conserved {
    double energy = 0.0; // J, kinetic
    glm::dvec3 momentum{0.0};
    glm::dvec3 angular_momentum{0.0};
};

Conserved conserved(World& world, const std::vector<Flying>& bodies) {
    Conserved sum;
    for (const Flying& each : bodies) {
        const Body body = world.body(each.id);
        const glm::dmat3 axes = glm::mat3_cast(world.pose(each.id).orientation);
        const glm::dvec3 turning = each.mass.inertia * (body.angular_velocity() * axes);
        const glm::dvec3 p = each.mass.mass * body.linear_velocity();
        sum.energy +=
            0.5 * glm::dot(p, body.linear_velocity()) + 0.5 * glm::dot(body.angular_velocity(), axes * turning);
        sum.momentum += p;
        sum.angular_momentum += glm::cross(body.centre_of_mass(), p) + axes * turning;
    }
    return sum;
}

struct Encounter {
    World world;
    std::vector<Flying> bodies;
};

// Two bodies of given kinds that fly and turn towards one another in space.
Encounter encounter(std::size_t kind_a, std::size_t kind_b, unsigned seed, const Material& material,
                    const IntegratorSettings& settings, double speed) {
    Draws draw(seed);
    WorldSettings of_world;
    of_world.gravity = glm::dvec3(0.0);
    of_world.integrator = settings;
    Encounter made{World(of_world), {}};
    for (const bool second : {false, true}) {
        BodyDesc desc;
        desc.shape = draw.shape(second ? kind_b : kind_a, 0.5);
        desc.mass = draw.within(1.0, 4.0);
        desc.material = material;
        desc.pose = {{second ? 1.6 : -1.6, draw.within(-0.3, 0.3), draw.within(-0.3, 0.3)}, draw.turn()};
        desc.linear_velocity = speed * glm::dvec3(second ? -1.0 : 1.0, draw.within(-0.1, 0.1), draw.within(-0.1, 0.1));
        desc.angular_velocity = draw.vector(speed);
        made.bodies.push_back({made.world.create_body(desc), mass_properties(*desc.shape, *desc.mass)});
    }
    return made;
}

struct Life {
    std::size_t hits = 0;
    int velocity_steps = 0;
};

Life live(World& world, int frames) {
    Life life;
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport report = world.advance(1.0 / 60.0);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        life.hits += world.impacts().size();
        life.velocity_steps += report.velocity_steps.contacts > 0 ? 1 : 0;
    }
    return life;
}

BodyId add_block(World& world, const glm::dvec3& half_sizes, const glm::dvec3& top, const Material& material) {
    BodyDesc block;
    block.motion = MotionType::Static;
    block.shape = Box{half_sizes};
    block.pose.position = top - glm::dvec3(0.0, half_sizes.y, 0.0);
    block.material = material;
    return world.create_body(block);
}

} // namespace

TEST_CASE("solids: two of any shapes that fly together in space keep energy and momenta, hit for hit") {
    for (std::size_t a = 0; a < kShapes; ++a) {
        for (std::size_t b = a; b < kShapes; ++b) {
            CAPTURE(a);
            CAPTURE(b);
            int met = 0;
            int by_velocity_steps = 0;
            for (unsigned seed = 0; seed < (kSanitized ? 4 : 10); ++seed) {
                CAPTURE(seed);
                const double speed = seed % 2 == 0 ? 5.0 : 1.0;
                Encounter two = encounter(a, b, seed, {.friction = 0.0, .restitution = 1.0},
                                          to_tolerance("dormand_prince853", 1e-12), speed);
                const Conserved before = conserved(two.world, two.bodies);
                const Life life = live(two.world, static_cast<int>(240.0 / speed));
                met += life.hits > 0 ? 1 : 0;
                const Conserved after = conserved(two.world, two.bodies);
                CHECK(glm::length(after.momentum - before.momentum) < 1e-12 * speed);
                CHECK(glm::length(after.angular_momentum - before.angular_momentum) < 1e-11 * speed);
                if (life.velocity_steps > 0) {
                    ++by_velocity_steps;
                } else {
                    CHECK(std::abs(after.energy / before.energy - 1.0) < 1e-9);
                }
            }
            CHECK(met >= (kSanitized ? 1 : 2));
            CHECK(by_velocity_steps == 0);
        }
    }
}

TEST_CASE("solids: cylinders whose ends are nearly aligned meet on time, and bounce as cylinders do") {
    // Their lowest points are closer to touch than a search for the nearest ones can tell apart.
    for (const double tilt : {1e-10, 7e-10, 3e-9, 1e-8, 1e-7, 1e-6}) {
        Draws draw(5);
        for (int trial = 0; trial < 20; ++trial) {
            CAPTURE(tilt);
            CAPTURE(trial);
            WorldSettings settings;
            settings.gravity = glm::dvec3(0.0);
            settings.integrator = to_tolerance("dormand_prince853", 1e-12);
            Encounter made{World(settings), {}};
            BodyDesc desc{.shape = Cylinder{0.25, 0.2}, .mass = 1.0};
            desc.material = {.friction = 0.0, .restitution = 1.0};
            const MassProperties mass = mass_properties(*desc.shape, *desc.mass);
            made.bodies.push_back({made.world.create_body(desc), mass});
            const double heading = draw.within(0.0, 6.0);
            const double aside = draw.within(0.0, 0.15);
            desc.pose.position = {aside * std::cos(heading), draw.within(0.6, 1.2), aside * std::sin(heading)};
            desc.pose.orientation = glm::angleAxis(tilt, glm::dvec3(std::sin(heading), 0.0, std::cos(heading)));
            desc.linear_velocity = {0.0, trial % 2 == 0 ? -20.0 : -100.0, 0.0};
            made.bodies.push_back({made.world.create_body(desc), mass});
            const Conserved before = conserved(made.world, made.bodies);
            const Life life = live(made.world, 10);
            const Conserved after = conserved(made.world, made.bodies);
            CHECK(life.hits >= 1);
            CHECK(life.velocity_steps == 0);
            CHECK(std::abs(after.energy / before.energy - 1.0) < 1e-12);
            const double apart = glm::length(made.world.body(made.bodies[0].id).centre_of_mass() -
                                             made.world.body(made.bodies[1].id).centre_of_mass());
            CHECK(apart > 0.4);
        }
    }
}

TEST_CASE("solids: with friction, and with any restitution, no hit of two shapes in space raises the energy") {
    for (std::size_t a = 0; a < kShapes; ++a) {
        for (std::size_t b = a; b < kShapes; ++b) {
            for (unsigned seed = 100; seed < 104; ++seed) {
                CAPTURE(a);
                CAPTURE(b);
                CAPTURE(seed);
                const Material material{.friction = 0.2 * (seed % 6), .restitution = 0.3 * (seed % 4)};
                Encounter two = encounter(a, b, seed, material, to_tolerance("dormand_prince853", 1e-12), 5.0);
                double before = conserved(two.world, two.bodies).energy;
                int since_velocity_steps = 8;
                for (int frame = 0; frame < 48; ++frame) {
                    const StepReport report = two.world.advance(1.0 / 60.0);
                    const double now = conserved(two.world, two.bodies).energy;
                    // Velocity steps keep what they have taken over for six calm steps; they are of first order.
                    since_velocity_steps = report.velocity_steps.contacts > 0 ? 0 : since_velocity_steps + 1;
                    if (since_velocity_steps > 7) {
                        CHECK(now <= before * (1.0 + 1e-9));
                    }
                    before = now;
                }
            }
        }
    }
}

TEST_CASE("solids: a cube dropped flat on a larger or a smaller block returns to its height, a hundred times") {
    for (const double half : {10.0, 0.3}) {
        for (const double fps : {10.0, 144.0}) {
            CAPTURE(half);
            CAPTURE(fps);
            World world(contact_settings(to_tolerance("dormand_prince853", 1e-12)));
            const Material elastic{.friction = 0.0, .restitution = 1.0};
            add_block(world, {half, 0.5, half}, glm::dvec3(0.0), elastic);
            BodyDesc cube;
            cube.shape = Box{glm::dvec3(0.5)};
            cube.mass = 1.0;
            cube.material = elastic;
            cube.pose.position = {0.02, 1.5, -0.01}; // its corners are nowhere above an edge of the block
            const BodyId body = world.create_body(cube);
            const double fall = std::sqrt(2.0 / kGravity); // s, from 1 m above the block
            double worst = 0.0;
            std::vector<double> times;
            while (world.time() < 200.0 * fall) {
                const StepReport report = world.advance(1.0 / fps);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                CHECK(report.velocity_steps.contacts == 0);
                const double since = std::fmod(world.time() + fall, 2.0 * fall) - fall; // the last or next summit
                worst = std::max(
                    worst, std::abs(world.body(body).centre_of_mass().y - (1.5 - 0.5 * kGravity * since * since)));
                for (const Impact& impact : world.impacts()) {
                    if (times.empty() || impact.t - times.back() > 1e-9) {
                        times.push_back(impact.t);
                    }
                }
            }
            CHECK(worst < 1e-9);
            REQUIRE(times.size() == 100);
            for (std::size_t i = 0; i < times.size(); ++i) {
                CHECK(std::abs(times[i] - (1.0 + 2.0 * static_cast<double>(i)) * fall) < 1e-9);
            }
        }
    }
}

TEST_CASE("solids: a bullet and a box of a centimetre, and a rod that spins, do not pass a plate of a millimetre") {
    Draws draw(7);
    for (const char* method : {"cash_karp54", "auto"}) {
        for (int phase = 0; phase < (kSanitized ? 6 : 25); ++phase) {
            CAPTURE(method);
            CAPTURE(phase);
            for (const double speed : {300.0, 1000.0}) {
                WorldSettings settings;
                settings.gravity = glm::dvec3(0.0);
                settings.integrator = to_tolerance(method, 1e-6);
                World world(settings);
                const Material elastic{.friction = 0.0, .restitution = 1.0};
                add_block(world, {1.0, 0.0005, 1.0}, glm::dvec3(0.0), elastic);
                BodyDesc bullet;
                bullet.shape = speed < 500.0 ? Shape(Sphere{0.005}) : Shape(Box{glm::dvec3(0.005)});
                bullet.mass = 0.01;
                bullet.material = elastic;
                bullet.pose = {{draw.within(-0.3, 0.3), 2.0 + draw.within(0.0, speed / 30.0), draw.within(-0.3, 0.3)},
                               draw.turn()};
                bullet.linear_velocity = {0.0, -speed, 0.0};
                bullet.angular_velocity = draw.vector(50.0);
                const BodyId body = world.create_body(bullet);
                Life life;
                for (int frame = 0; frame < 12; ++frame) {
                    life.hits += live(world, 1).hits;
                    CHECK(world.body(body).centre_of_mass().y > -0.001);
                }
                CHECK(life.hits > 0);
            }
            // Its ends sweep through the place of the plate at 50 m/s.
            WorldSettings settings;
            settings.gravity = glm::dvec3(0.0);
            settings.integrator = to_tolerance(method, 1e-6);
            World world(settings);
            add_block(world, {1.0, 0.0005, 1.0}, glm::dvec3(0.0), {});
            BodyDesc rod;
            rod.shape = Capsule{0.01, 0.5};
            rod.mass = 1.0;
            rod.pose = {{0.0, draw.within(0.2, 0.4), 0.0}, glm::angleAxis(draw.within(1.2, 1.9), glm::dvec3(1, 0, 0))};
            rod.angular_velocity = {100.0, 0.0, 0.0};
            const BodyId body = world.create_body(rod);
            for (int frame = 0; frame < 20; ++frame) {
                live(world, 1);
                CHECK(world.body(body).centre_of_mass().y > 0.0);
                for (const Contact& contact : world.contacts()) {
                    CHECK(contact.gap > -0.001);
                }
            }
        }
    }
}

TEST_CASE("solids: a body that turns too far within a substep may miss what it meets, and the report says so") {
    for (const char* const name : {"rk4", "cash_karp54"}) {
        for (const double spin : {10.0, 1e4}) { // rad/s
            CAPTURE(name);
            CAPTURE(spin);
            WorldSettings settings;
            settings.integrator = fixed(name, 1);
            World world(settings);
            add_block(world, {1.0, 0.0005, 1.0}, glm::dvec3(0.0), {});
            BodyDesc desc;
            desc.shape = Box{{0.004, 0.005, 0.006}};
            desc.mass = 1e-3;
            desc.pose.position = {0.0, 0.0105, 0.0};
            desc.angular_velocity = {spin, 0.3 * spin, 0.0};
            world.create_body(desc);
            const StepReport report = world.advance(kFrame);
            const bool is_blind = spin > 1e3 && std::string_view(name) == "rk4";
            CHECK(report.degraded == is_blind);
            CHECK((report.message.find("turned too far") != std::string_view::npos) == is_blind);
        }
    }
}

TEST_CASE("solids: each shape dropped aslant on a block comes to rest, not deep, and stays") {
    for (std::size_t kind = 0; kind < kShapes; ++kind) {
        for (unsigned seed = 1; seed < (kSanitized ? 2 : 4); ++seed) {
            CAPTURE(kind);
            CAPTURE(seed);
            Draws draw(seed);
            World world(contact_settings(to_tolerance("auto", 1e-6)));
            const Material rough{.friction = 0.5, .restitution = 0.3};
            add_block(world, {10.0, 0.5, 10.0}, glm::dvec3(0.0), rough);
            BodyDesc desc;
            desc.shape = draw.shape(kind, 0.5);
            desc.mass = 1.0;
            desc.material = rough;
            desc.pose = {{0.0, 1.2, 0.0}, draw.turn()};
            const BodyId body = world.create_body(desc);
            const Watched fall = advance_and_watch(world, 600);
            REQUIRE(fall.arrived);
            CHECK(fall.deepest < 1e-3);
            // What is round rolls on; it may, but no faster than it did.
            const double speed = glm::length(world.body(body).linear_velocity());
            const bool is_round = kind != 0;
            CHECK((is_round || speed < 1e-6));
            const glm::dvec3 rest = world.body(body).centre_of_mass();
            REQUIRE(advance_and_watch(world, 600).arrived);
            const glm::dvec3 moved = world.body(body).centre_of_mass() - rest;
            CHECK(std::abs(moved.y) < 1e-4);
            if (!is_round) {
                CHECK(glm::length(moved) < 1e-6);
            }
            CHECK(glm::length(moved) < 10.1 * speed + 1e-6);
        }
    }
}

TEST_CASE("solids: a heap of all shapes goes on from a snapshot, and on any number of threads, with the same bits") {
    const auto make = [](int threads) {
        WorldSettings settings = contact_settings(to_tolerance("auto", 1e-6));
        settings.threads = threads;
        World world(settings);
        const Material rough{.friction = 0.6, .restitution = 0.3};
        add_block(world, {3.0, 0.5, 3.0}, glm::dvec3(0.0), rough);
        Draws draw(3);
        for (std::size_t i = 0; i < 20; ++i) {
            BodyDesc desc;
            desc.shape = draw.shape(i % kShapes, 0.3);
            desc.mass = 1.0;
            desc.material = rough;
            desc.pose = {
                {1.5 * static_cast<double>(i % 3) - 1.5, 0.6 + 0.2 * static_cast<double>(i), draw.within(-0.2, 0.2)},
                draw.turn()};
            world.create_body(desc);
        }
        return world;
    };
    check_same_bits(make(1), make(2), make(1), 150);
}
