// Forces that jump: at announced times no substep straddles them.
#include <doctest/doctest.h>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

// Neither is a frame's end nor a fraction of one.
constexpr double kBegin = 0.1237;
constexpr double kEnd = 0.7313;
const glm::dvec3 kPush(3.0, 0.0, 0.0);

std::unique_ptr<ForceField> announced() {
    return std::make_unique<TimedField>(kBegin, kEnd, std::make_unique<UniformGravity>(kPush));
}
std::unique_ptr<ForceField> unannounced() {
    return std::make_unique<CustomField>([](double t, const BodyMotion& body) {
        return Wrench{t >= kBegin && t < kEnd ? body.mass * kPush : glm::dvec3(0.0), {}};
    });
}

// A body on a spring, pushed for a while.
struct Pushed {
    World world;
    BodyId body;
    std::int64_t evaluations = 0;
    std::int64_t rejected = 0;

    Pushed(const IntegratorSettings& integrator, std::unique_ptr<ForceField> push)
        : world({.gravity = glm::dvec3(0.0), .integrator = integrator}) {
        BodyDesc desc;
        desc.shape = Sphere{0.5};
        desc.mass = 1.0;
        desc.pose.position = {0.3, 0.0, 0.0};
        body = world.create_body(desc);
        world.add_force_field(
            std::make_unique<Spring>(SpringDesc{.body_a = kGround, .body_b = body, .stiffness = 9.0}));
        world.add_force_field(std::move(push));
    }
    void run(int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            const StepReport report = world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            CHECK(report.simulated == doctest::Approx(kFrame).epsilon(1e-12));
            evaluations += report.evaluations;
            rejected += report.rejected;
        }
    }
    // x'' = -9 x + 3 while pushed: the response to a step of the force is (1 - cos 3 t) / 3.
    double error() const {
        const auto response = [](double t) { return t > 0.0 ? (1.0 - std::cos(3.0 * t)) / 3.0 : 0.0; };
        const double t = world.time();
        const double exact = 0.3 * std::cos(3.0 * t) + response(t - kBegin) - response(t - kEnd);
        return std::abs(world.pose(body).position.x - exact);
    }
};

IntegratorSettings dormand_prince(double tolerance, Boundary boundary) {
    IntegratorSettings settings = adaptive(tolerance, boundary);
    settings.method = "dormand_prince853";
    return settings;
}

} // namespace

TEST_CASE("a force switched at an announced time costs few evaluations and no accuracy; unannounced it thrashes") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        const IntegratorSettings settings = dormand_prince(1e-11, boundary);
        Pushed told(settings, announced());
        Pushed untold(settings, unannounced());
        Pushed never(settings, std::make_unique<UniformGravity>(kPush));
        told.run(60);
        untold.run(60);
        never.run(60);
        MESSAGE("evaluations in a second, ", to_string(boundary), ": announced ", told.evaluations, ", unannounced ",
                untold.evaluations, ", never switched ", never.evaluations);
        CHECK(told.error() < 1e-10);                       // 60 steps of 1e-11 each, at most
        CHECK(told.evaluations < never.evaluations + 200); // two restarts of eight frames, or of a segment
        CHECK(untold.rejected > told.rejected + 20);
        CHECK(untold.evaluations > told.evaluations + 200);
    }
}

TEST_CASE("fixed methods keep their order across announced jumps of a force") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.adaptive || info.order > 6) {
            continue;
        }
        CAPTURE(info.name);
        const int substeps = info.order <= 2 ? 8 : 1;
        const auto error = [&](int n) {
            Pushed pushed(fixed(std::string(info.name), n), announced());
            pushed.run(60);
            return pushed.error();
        };
        const double coarse = error(substeps);
        const double fine = error(2 * substeps);
        CAPTURE(coarse);
        CAPTURE(fine);
        CHECK((fine < 1e-12 || std::log2(coarse / fine) > info.order - 0.3));
    }
    // Unannounced, whatever the order, the substep with the jump is off by its length.
    Pushed untold(fixed("rk4", 1), unannounced());
    untold.run(60);
    Pushed told(fixed("rk4", 1), announced());
    told.run(60);
    CHECK(untold.error() > 1000.0 * told.error());
}

namespace {

// Holds back what rises, and nothing that falls.
class DragWhileRising final : public ForceField, private FieldSwitches {
public:
    static constexpr double kRate = 20.0; // 1/s: a step without it would be off by 1 cm
    Wrench at(double, const BodyMotion& body) const noexcept override {
        return {(body.sides & 1u) != 0 ? -kRate * body.mass * body.velocity : glm::dvec3(0.0), {}};
    }
    FieldCapabilities capabilities() const noexcept override { return {.switches = this}; }
    std::size_t switch_count() const noexcept override { return 1; }
    void switch_values(double, std::span<const BodyMotion> bodies, std::span<double> g) const noexcept override {
        g[0] = bodies[0].velocity.y;
    }
};

} // namespace

TEST_CASE("an impact crosses the switches that look at velocities, at its time and not a step later") {
    // Falls for t1, with v1; then v' = -g - k v: v = (v1 + g/k) e^(-k s) - g/k.
    constexpr double kG = 9.8;
    constexpr double kHeight = 0.45; // met just behind the beginning of a step
    constexpr double k = DragWhileRising::kRate;
    const double v1 = std::sqrt(1.0 + 2.0 * kG * kHeight);
    const double t1 = (v1 - 1.0) / kG;
    for (const char* method : {"dormand_prince853", "impulse_euler"}) {
        CAPTURE(std::string(method));
        const bool exact = std::string(method) == "dormand_prince853";
        IntegratorSettings settings = exact ? dormand_prince(1e-11, Boundary::Exact) : fixed(method, 64);
        World world({.gravity = {0.0, -kG, 0.0}, .integrator = settings});
        BodyDesc ground;
        ground.motion = MotionType::Static;
        ground.shape = Plane{};
        ground.material.restitution = 1.0;
        world.create_body(ground);
        BodyDesc desc;
        desc.mass = 1.0;
        desc.shape = Sphere{0.1};
        desc.material.restitution = 1.0;
        desc.pose.position = {0.0, 0.1 + kHeight, 0.0};
        desc.linear_velocity = {0.0, -1.0, 0.0};
        const BodyId ball = world.create_body(desc);
        world.add_force_field(std::make_unique<DragWhileRising>());
        while (world.time() < t1 + 0.08) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            const double s = world.time() - t1;
            if (s <= 0.0) {
                continue;
            }
            const double height = (v1 + kG / k) / k * (1.0 - std::exp(-k * s)) - kG * s / k;
            // Velocity steps meet the ground up to a substep late, at v1.
            const double tolerance = exact ? 1e-9 : 2.0 * v1 * kFrame / 64.0;
            CHECK(std::abs(world.pose(ball).position.y - 0.1 - height) < tolerance);
        }
    }
}

TEST_CASE("a budget is shared by the parts of a step that an announced change cuts") {
    IntegratorSettings settings = dormand_prince(1e-11, Boundary::Exact);
    settings.budget = 30;
    Pushed pushed(settings, announced());
    for (int frame = 0; frame < 60; ++frame) {
        CHECK(pushed.world.advance(kFrame).evaluations <= 30);
    }
    CHECK(pushed.error() < 1e-3);
}

TEST_CASE("a snapshot before, at and after an announced change goes on bit for bit") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        for (const int at : {5, 7, 8, 20, 43, 44, 50}) {
            CAPTURE(at);
            Pushed pushed(dormand_prince(1e-8, boundary), announced());
            pushed.run(at);
            const WorldSnapshot snapshot = pushed.world.snapshot();
            pushed.run(60 - at);
            const std::uint64_t hash = pushed.world.hash();
            pushed.world.restore(snapshot);
            pushed.run(60 - at);
            CHECK(pushed.world.hash() == hash);
        }
    }
}

TEST_CASE("a switched field books all its work, and refuses times that are not in order") {
    World world({.gravity = glm::dvec3(0.0), .integrator = dormand_prince(1e-11, Boundary::RunAhead)});
    WorldSettings settings = world.settings();
    settings.energy_ledger = true;
    world.set_settings(settings);
    world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    world.add_force_field(announced());
    for (int frame = 0; frame < 60; ++frame) {
        world.advance(kFrame);
    }
    const double speed = 3.0 * (kEnd - kBegin);
    CHECK(std::abs(world.energy_ledger().fields[0].work - 0.5 * speed * speed) < 1e-12); // polynomials: exact
    CHECK_THROWS_AS(TimedField(1.0, 1.0, announced()), std::invalid_argument);
    CHECK_THROWS_AS(TimedField(0.0, 1.0, nullptr), std::invalid_argument);
}

namespace {

// A rope of 1 m from the origin that pulls with 50 N/m where it is taut, and knows when it is not.
class Rope final : public ForceField, private FieldSwitches, private FieldPotential {
public:
    explicit Rope(bool switches) : switches_(switches) {}
    Wrench at(double, const BodyMotion& body) const noexcept override {
        const bool taut = switches_ ? (body.sides & 1u) != 0 : stretch(body) > 0.0;
        return {taut ? -50.0 * stretch(body) * glm::normalize(body.position) : glm::dvec3(0.0), {}};
    }
    FieldCapabilities capabilities() const noexcept override {
        return {.switches = switches_ ? this : nullptr, .potential = this};
    }
    std::size_t switch_count() const noexcept override { return 1; }
    void switch_values(double, std::span<const BodyMotion> bodies, std::span<double> g) const noexcept override {
        g[0] = stretch(bodies[0]);
    }
    double potential(double, std::span<const BodyMotion> bodies) const noexcept override {
        const double over = std::max(stretch(bodies[0]), 0.0);
        return 25.0 * over * over;
    }

private:
    static double stretch(const BodyMotion& body) noexcept { return glm::length(body.position) - 1.0; }
    bool switches_;
};

// A ball thrown along x from x = -0.5 at 2 m/s comes back and forth in its rope.
struct Tethered {
    World world{{.gravity = glm::dvec3(0.0)}};
    BodyId body;
    std::int64_t evaluations = 0, rejected = 0, events = 0;

    Tethered(const IntegratorSettings& integrator, bool switches)
        : world({.gravity = glm::dvec3(0.0), .integrator = integrator}) {
        BodyDesc desc;
        desc.shape = Sphere{0.5};
        desc.mass = 1.0;
        desc.pose.position = {-0.5, 1e-3, 0.0};
        desc.linear_velocity = {2.0, 0.0, 0.0};
        desc.collides = false;
        body = world.create_body(desc);
        world.add_force_field(std::make_unique<Rope>(switches));
    }
    void run(int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            const StepReport report = world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            evaluations += report.evaluations;
            rejected += report.rejected;
            events += report.events;
        }
    }
    glm::dvec3 place() const { return world.pose(body).position; }
};

} // namespace

TEST_CASE("a rope that goes taut by a switch keeps the method's order, and adaptive methods do not thrash") {
    Tethered reference(dormand_prince(1e-13, Boundary::Exact), true);
    reference.run(180);
    CHECK(reference.events == 4); // taut, slack, taut, slack
    const auto error = [&](const std::string& method, int substeps, bool switches) {
        Tethered tethered(fixed(method, substeps), switches);
        tethered.run(180);
        return glm::length(tethered.place() - reference.place());
    };
    const double coarse = error("rk4", 2, true);
    const double fine = error("rk4", 4, true);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(coarse / fine > 12.0); // 16 is fourth order
    CHECK(error("rk4", 4, false) > 20.0 * fine);

    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        Tethered told(dormand_prince(1e-11, boundary), true);
        Tethered untold(dormand_prince(1e-11, boundary), false);
        told.run(180);
        untold.run(180);
        MESSAGE("evaluations in three seconds, ", to_string(boundary), ": switches ", told.evaluations, ", none ",
                untold.evaluations, "; rejected ", told.rejected, " and ", untold.rejected);
        CHECK(glm::length(told.place() - reference.place()) < 1e-8);
        CHECK(told.rejected + 20 < untold.rejected);
    }
}

TEST_CASE("switches find their sides after a teleport, and a snapshot goes on bit for bit") {
    Tethered tethered(dormand_prince(1e-10, Boundary::RunAhead), true);
    tethered.run(20);
    Pose pose = tethered.world.pose(tethered.body);
    pose.position = {0.0, 1.5, 0.0}; // taut at once
    tethered.world.body(tethered.body).set_pose(pose);
    tethered.world.body(tethered.body).set_linear_velocity({});
    const double energy = tethered.world.energy().total();
    for (int frame = 0; frame < 30; ++frame) {
        const WorldSnapshot snapshot = tethered.world.snapshot();
        tethered.run(60);
        const std::uint64_t hash = tethered.world.hash();
        tethered.world.restore(snapshot);
        tethered.run(60);
        CHECK(tethered.world.hash() == hash);
        tethered.world.restore(snapshot);
        tethered.run(1);
    }
    CHECK(std::abs(tethered.world.energy().total() - energy) < 1e-7);
    CHECK(energy == doctest::Approx(25.0 * 0.25));
}

// That the rope was taut, and which change was announced next, was forgotten then, and the last substep with it; what a
// snapshot made again was another one.
TEST_CASE("what is created elsewhere leaves a rope taut, an announced change ahead, and a substep that ran ahead") {
    Tethered tethered(dormand_prince(1e-7, Boundary::RunAhead), true);
    Tethered alone(dormand_prince(1e-7, Boundary::RunAhead), true);
    tethered.world.add_force_field(announced());
    alone.world.add_force_field(announced());
    int taut = 0;
    for (int frame = 0; frame < 120; ++frame) {
        taut += glm::length(alone.place()) > 1.0 ? 1 : 0;
        BodyDesc far;
        far.shape = Sphere{0.5};
        far.motion = MotionType::Static; // the rope pulls all others
        far.pose.position = {0.0, 100.0, 10.0 * frame};
        tethered.world.create_body(far);
        const WorldSnapshot snapshot = tethered.world.snapshot();
        tethered.run(1);
        const std::uint64_t bytes = tethered.world.snapshot().hash();
        tethered.world.restore(snapshot);
        tethered.run(1);
        CHECK(tethered.world.snapshot().hash() == bytes);
        alone.run(1);
        CHECK(tethered.place() == alone.place());
    }
    CHECK(taut > 20);
    CHECK(tethered.events == 2 * alone.events); // of both runs
}
