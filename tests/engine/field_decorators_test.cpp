// Fields that wrap other fields: what those offer is handed on, whatever it is.
#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <numbers>
#include <string>

#include "field_samples.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

// A spring that pushes along x and pulls nothing: k x where x < 0. Offers all that a field may offer.
class Buffer final : public ForceField, private FieldSwitches, private FieldStiffness, private FieldPotential {
public:
    explicit Buffer(double stiffness) : stiffness_(stiffness) {}
    Wrench at(double, const BodyMotion& body) const noexcept override {
        return {{presses(body) ? -stiffness_ * body.position.x : 0.0, 0.0, 0.0}, {}};
    }
    bool is_steady() const noexcept override { return true; }
    FieldCapabilities capabilities() const noexcept override {
        return {.switches = this, .stiffness = this, .potential = this};
    }
    std::size_t switch_count() const noexcept override { return 1; }
    void switch_values(double, std::span<const BodyMotion> bodies, std::span<double> g) const noexcept override {
        g[0] = -bodies[0].position.x;
    }
    std::size_t stiffness_count() const noexcept override { return 1; }
    void write_stiffness(double, std::span<const BodyMotion> bodies,
                         std::span<Stiffness> elements) const noexcept override {
        elements[0].directions[0].unit[0].force.x = 1.0;
        elements[0].directions[0].stiffness = presses(bodies[0]) ? stiffness_ : 0.0;
    }
    double potential(double, std::span<const BodyMotion> bodies) const noexcept override {
        return presses(bodies[0]) ? 0.5 * stiffness_ * bodies[0].position.x * bodies[0].position.x : 0.0;
    }

private:
    static bool presses(const BodyMotion& body) noexcept { return (body.sides & 1u) != 0; }
    double stiffness_;
};

// Every field of the library, and one's own.
std::vector<FieldSample> all_samples() {
    std::vector<FieldSample> samples = field_samples();
    samples.push_back({Momentum::External, 1, [](std::span<const BodyId>) { return std::make_unique<Buffer>(40.0); }});
    return samples;
}

struct Decorator {
    std::string name;
    bool restricts; ///< and so takes fields only that act on each body by itself
    std::function<std::unique_ptr<ForceField>(std::unique_ptr<ForceField>, std::span<const BodyId>)> wrap;
};

std::unique_ptr<ForceField> restricted(std::unique_ptr<ForceField> field, std::span<const BodyId> bodies) {
    return std::make_unique<OnBodies>(std::vector<BodyId>(bodies.begin(), bodies.end()), std::move(field));
}
std::unique_ptr<ForceField> always(std::unique_ptr<ForceField> field) {
    return std::make_unique<TimedField>(-10.0, 1000.0, std::move(field));
}

// Every field of the library that wraps another one, so that it changes nothing, and some in one another.
const std::vector<Decorator>& decorators() {
    using Field = std::unique_ptr<ForceField>;
    using Ids = std::span<const BodyId>;
    static const std::vector<Decorator> all{
        {"on bodies", true, [](Field field, Ids ids) { return restricted(std::move(field), ids); }},
        {"timed", false, [](Field field, Ids) { return always(std::move(field)); }},
        {"timed on bodies", true, [](Field field, Ids ids) { return always(restricted(std::move(field), ids)); }},
        {"on bodies for a time", true, [](Field field, Ids ids) { return restricted(always(std::move(field)), ids); }},
        {"twice timed", false, [](Field field, Ids) { return always(always(std::move(field))); }},
    };
    return all;
}

// Bodies that move, tumble and pass x = 0, with one field.
struct Wrapped {
    World world;

    Wrapped(const FieldSample& sample, const Decorator* decorator, const IntegratorSettings& integrator)
        : world({.gravity = glm::dvec3(0.0), .integrator = integrator, .energy_ledger = true}) {
        std::vector<BodyId> bodies;
        for (const BodyMotion& motion : random_motions(sample.body_count, 2)) {
            bodies.push_back(world.create_body(tumbling_body(motion)));
        }
        std::unique_ptr<ForceField> field = sample.make(bodies);
        if (decorator != nullptr) {
            field = decorator->wrap(std::move(field), bodies);
        }
        world.add_force_field(std::move(field));
    }
};

// To the bit. Hashes also tell until when forces are announced to stay as they are.
bool same_states(const World& a, const World& b) {
    const auto same = [](const auto x, const auto y) {
        return std::memcmp(&x, &y, sizeof x) == 0; // NOLINT(bugprone-suspicious-memory-comparison): bits are meant
    };
    for (std::size_t i = 0; i < a.bodies().size(); ++i) {
        const Body x = a.body(a.bodies()[i]);
        const Body y = b.body(b.bodies()[i]);
        const Pose pose = x.pose();
        const Pose other = y.pose();
        if (!same(pose.position, other.position) || !same(pose.orientation, other.orientation) ||
            !same(x.linear_velocity(), y.linear_velocity()) || !same(x.angular_momentum(), y.angular_momentum())) {
            return false;
        }
    }
    return true;
}

bool same_elements(const Stiffness& a, const Stiffness& b) {
    return std::memcmp(&a, &b, sizeof a) == 0; // NOLINT(bugprone-suspicious-memory-comparison): bits are meant
}

} // namespace

TEST_CASE("every field moves bodies alike bare and wrapped, to the same bits, under methods of every kind") {
    IntegratorSettings tight = adaptive(1e-10, Boundary::Exact);
    for (const IntegratorSettings& settings :
         {tight, fixed("rk4", 2), fixed("velocity_verlet", 4), fixed("theta", 2), fixed("impulse_euler", 4)}) {
        for (const FieldSample& sample : all_samples()) {
            for (const Decorator& decorator : decorators()) {
                if (decorator.restricts && sample.body_count > 1) {
                    continue;
                }
                Wrapped bare(sample, nullptr, settings);
                Wrapped wrapped(sample, &decorator, settings);
                CAPTURE(settings.method);
                CAPTURE(std::string(bare.world.force_field(bare.world.force_fields()[0]).name()));
                CAPTURE(decorator.name);
                for (int frame = 0; frame < 60; ++frame) {
                    const StepReport a = bare.world.advance(kFrame);
                    const StepReport b = wrapped.world.advance(kFrame);
                    CHECK(a.evaluations == b.evaluations);
                    CHECK(a.events == b.events);
                }
                CHECK(same_states(bare.world, wrapped.world));
            }
        }
    }
}

TEST_CASE("a field's switches, stiffness, potential and rotation are those of the field that it wraps") {
    for (const FieldSample& sample : all_samples()) {
        for (const Decorator& decorator : decorators()) {
            if (decorator.restricts && sample.body_count > 1) {
                continue;
            }
            const std::vector<BodyMotion> motions = random_motions(sample.body_count, 3);
            const std::vector<BodyId> ids = ids_of(motions);
            const std::unique_ptr<ForceField> bare = sample.make(ids);
            const std::unique_ptr<ForceField> wrapped = decorator.wrap(sample.make(ids), ids);
            CAPTURE(std::string(bare->name()));
            CAPTURE(decorator.name);
            CHECK(wrapped->name() == bare->name());
            CHECK(std::vector(wrapped->bodies().begin(), wrapped->bodies().end()) ==
                  std::vector(bare->bodies().begin(), bare->bodies().end()));
            const FieldCapabilities a = bare->capabilities();
            const FieldCapabilities b = wrapped->capabilities();
            REQUIRE((a.switches != nullptr) == (b.switches != nullptr));
            REQUIRE((a.stiffness != nullptr) == (b.stiffness != nullptr));
            if (a.switches != nullptr) {
                REQUIRE(a.switches->switch_count() == b.switches->switch_count());
                std::vector<double> g(a.switches->switch_count()), h(g);
                a.switches->switch_values(0.3, motions, g);
                b.switches->switch_values(0.3, motions, h);
                CHECK(g == h);
            }
            REQUIRE((a.rotation != nullptr) == (b.rotation != nullptr));
            if (a.rotation != nullptr) {
                std::vector<VelocityRotation> turns(motions.size()), others(turns);
                a.rotation->write_rotations(0.3, motions, turns);
                b.rotation->write_rotations(0.3, motions, others);
                for (std::size_t i = 0; i < motions.size(); ++i) {
                    CHECK(turns[i].rate == others[i].rate);
                    CHECK(turns[i].moment == others[i].moment);
                }
            }
            if (a.stiffness != nullptr) {
                REQUIRE(a.stiffness->stiffness_count() == b.stiffness->stiffness_count());
                std::vector<Stiffness> k(a.stiffness->stiffness_count()), l(k);
                a.stiffness->write_stiffness(0.3, motions, k);
                b.stiffness->write_stiffness(0.3, motions, l);
                for (std::size_t i = 0; i < k.size(); ++i) {
                    CHECK(same_elements(k[i], l[i]));
                    CHECK(a.stiffness->stiffness_between(i) == b.stiffness->stiffness_between(i));
                }
            }
            // What is switched in time has no potential: all is work.
            const bool timed = decorator.name.find("time") != std::string::npos;
            REQUIRE((b.potential != nullptr) == (a.potential != nullptr && !timed));
            if (b.potential != nullptr) {
                CHECK(a.potential->potential(0.3, motions) == b.potential->potential(0.3, motions));
            }
        }
    }
}

TEST_CASE("a one-sided spring that is wrapped gives a body back where it came from") {
    // Met at v, a spring of frequency pi holds a body for a second: x = -(v / pi) sin(pi t).
    const double v = std::numbers::pi / 4.0;
    for (const Decorator& decorator : decorators()) {
        CAPTURE(decorator.name);
        World world({.gravity = glm::dvec3(0.0), .integrator = adaptive(1e-10, Boundary::Exact)});
        BodyDesc desc;
        desc.linear_velocity = {-v, 0.0, 0.0};
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(1.0)};
        desc.collides = false;
        const BodyId body = world.create_body(desc);
        auto buffer = std::make_unique<Buffer>(std::numbers::pi * std::numbers::pi);
        world.add_force_field(decorator.wrap(std::move(buffer), std::vector{body}));
        for (int frame = 0; frame < 60; ++frame) {
            world.advance(kFrame);
        }
        CHECK(std::abs(world.pose(body).position.x) < 1e-8);
        CHECK(world.body(body).linear_velocity().x == doctest::Approx(v).epsilon(1e-8));
    }
}

TEST_CASE("a field that begins while a body is beyond its switch begins on the right side of it") {
    for (const char* method : {"cash_karp54", "velocity_verlet", "theta", "impulse_euler"}) {
        CAPTURE(std::string(method));
        World world({.gravity = glm::dvec3(0.0), .integrator = fixed(method, 16)});
        BodyDesc desc;
        desc.pose.position = {0.05, 0.0, 0.0};
        desc.linear_velocity = {-1.0, 0.0, 0.0};
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(1.0)};
        desc.collides = false;
        const BodyId body = world.create_body(desc);
        world.add_force_field(std::make_unique<TimedField>(0.1, 2.0, std::make_unique<Buffer>(100.0)));
        for (int frame = 0; frame < 60; ++frame) {
            world.advance(kFrame);
        }
        // At 0.1 s it is at -0.05, and in the spring: energy 1/2 + 50 * 0.05^2, all of it motion where it comes out.
        CHECK(world.pose(body).position.x > 0.0);
        CHECK(world.body(body).linear_velocity().x == doctest::Approx(std::sqrt(1.0 + 100.0 * 0.0025)).epsilon(0.02));
    }
}
