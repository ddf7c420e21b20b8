// Linearly implicit steps, and what they know to be stiff.
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "dynamics/manifold_projection.h"
#include "dynamics/stiff_elements.h"
#include "dynamics/theta_step.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

// A spring and a damper along x between two bodies, whose numbers are `ends`; it is slack where they are at one place.
class Spring final : public ForceModel {
public:
    double stiffness; ///< N/m
    double damping;   ///< N s/m
    std::array<int, 2> ends{0, 1};

    Spring(double stiffness_now, double damping_now) : stiffness(stiffness_now), damping(damping_now) {}

    void write_wrenches(double, std::span<const RigidState> states, std::span<Wrench> wrenches,
                        std::span<double>) noexcept override {
        const RigidState& a = states[static_cast<std::size_t>(ends[0])];
        const RigidState& b = states[static_cast<std::size_t>(ends[1])];
        const double force =
            stiffness * (b.position.x - a.position.x) + damping * (b.velocity.x - a.velocity.x); // on a
        std::ranges::fill(wrenches, Wrench{});
        for (std::size_t e = 0; e < 2; ++e) {
            if (const auto i = static_cast<std::size_t>(ends[e]); i < wrenches.size()) {
                wrenches[i].force.x += e == 0 ? force : -force;
            }
        }
    }
    std::size_t stiffness_count() const noexcept override { return 1; }
    void place_stiffness(std::span<StiffElement> elements) const noexcept override { elements[0].body = ends; }
    void write_stiffness(double, std::span<const RigidState>, std::span<StiffElement> elements) noexcept override {
        elements[0].row[0] = {Twist{{1.0, 0.0, 0.0}, glm::dvec3(0.0)}, Twist{{-1.0, 0.0, 0.0}, glm::dvec3(0.0)}};
        elements[0].stiffness[0] = stiffness;
        elements[0].damping[0] = damping;
    }
};

// What linearly implicit steps need, in the order in which they are sized and refreshed.
template <class Model>
struct Implicit : Placed {
    Model forces;
    Works works{configuration};
    Accelerations accelerations{configuration, works, forces};
    ContactRegime regime;
    ManifoldProjection projection{configuration, works};
    VelocityTurn turn{configuration, forces};
    StiffElements elements{configuration, accelerations, turn, regime};
    ThetaStep theta{configuration, works, accelerations, projection, elements, turn, regime};

    explicit Implicit(Store from, const Model& model) : Placed(std::move(from)), forces(model) {
        accelerations.resize();
        accelerations.resize_contacts();
        accelerations.actuators().build({}, configuration.bodies().size(), configuration.body_count(),
                                        configuration.joints().rows());
        projection.resize(y.size());
        theta.resize(y.size());
        elements.refresh();
        theta.outdate();
    }
    void step(double h, double theta_value) { REQUIRE(theta.linearly_implicit_step(0.0, h, theta_value, y)); }
};

Store two_balls(double m_0, double m_1, double apart) {
    Store store;
    BodyDesc ball;
    ball.shape = Sphere{0.5};
    ball.mass = m_0;
    store.add(ball);
    ball.mass = m_1;
    ball.pose.position = {apart, 0.0, 0.0};
    store.add(ball);
    return store;
}

Store ball_at_post(double mass, double x, double v) {
    Store store;
    BodyDesc ball;
    ball.shape = Sphere{0.5};
    ball.mass = mass;
    ball.pose.position = {x, 0.0, 0.0};
    ball.linear_velocity = {v, 0.0, 0.0};
    store.add(ball);
    BodyDesc post;
    post.motion = MotionType::Static;
    store.add(post);
    return store;
}

constexpr double kMass = 2.0;
constexpr double kStiffness = 5000.0; // 50 rad/s

Forces pendulum_forces() {
    Forces forces;
    forces.masses = {Pendulum::kMass};
    return forces;
}

double angle_after(int steps, double theta, double time) {
    Implicit<Forces> bob(Pendulum{.angle = 1.0, .rate = -0.5}.store(), pendulum_forces());
    for (int i = 0; i < steps; ++i) {
        bob.step(time / steps, theta);
        REQUIRE(bob.projection.joints().close(0.0, bob.y));
        bob.projection.joints().remember(bob.y);
        bob.projection.joints().obey(0.0, bob.y);
    }
    return angle_of(bob);
}

} // namespace

TEST_CASE("theta step: a spring's step is that of the theta method, solved in closed form") {
    for (const double theta : {0.5, 0.75, 1.0}) {
        for (const double h : {0.01, 0.4}) {
            const double x = 0.3;
            const double v = -1.5;
            Implicit<Spring> ball(ball_at_post(kMass, x, v), Spring(kStiffness, 0.0));
            ball.step(h, theta);
            // x' = v, v' = -w^2 x, both at (1 - theta) start + theta end: two equations for the changes.
            const double w2 = kStiffness / kMass;
            const double dv = -h * w2 * (x + theta * h * v) / (1.0 + theta * theta * h * h * w2);
            CHECK(ball.body(0).v.x == doctest::Approx(v + dv).epsilon(1e-13));
            CHECK(ball.body(0).x.x == doctest::Approx(x + h * (v + theta * dv)).epsilon(1e-13));
        }
    }
}

TEST_CASE(
    "theta step: at theta = 1/2 a spring keeps its energy at any length of steps, at 1 it loses what theory says") {
    const double h = 0.2; // 10 rad
    const auto energy = [](const Placed& ball) {
        return 0.5 * kMass * ball.body(0).v.x * ball.body(0).v.x +
               0.5 * kStiffness * ball.body(0).x.x * ball.body(0).x.x;
    };
    Implicit<Spring> kept(ball_at_post(kMass, 0.3, 2.0), Spring(kStiffness, 0.0));
    const double before = energy(kept);
    for (int i = 0; i < 500; ++i) {
        kept.step(h, 0.5);
    }
    CHECK(energy(kept) == doctest::Approx(before).epsilon(1e-10));
    Implicit<Spring> damped(ball_at_post(kMass, 0.3, 2.0), Spring(kStiffness, 0.0));
    damped.step(h, 1.0);
    CHECK(energy(damped) == doctest::Approx(before / (1.0 + h * h * kStiffness / kMass)).epsilon(1e-12));
}

TEST_CASE("theta step: a damper as stiff as may be slows a body as the implicit step does, and both ends alike") {
    const double c = 3000.0;
    for (const double theta : {0.5, 0.75, 1.0}) { // m dv = -h c (v + theta dv)
        Implicit<Spring> ball(ball_at_post(kMass, 0.0, 4.0), Spring(0.0, c));
        ball.step(0.1, theta);
        const double dv = -0.1 * c * 4.0 / (kMass + theta * 0.1 * c);
        CHECK(ball.body(0).v.x == doctest::Approx(4.0 + dv).epsilon(1e-12));
    }

    Store store = two_balls(1.0, 3.0, 0.25);
    store.bodies[store.dynamic[0]].now.v = {2.0, 1.0, 0.0};
    Implicit<Spring> pair(store, Spring(1e6, 100.0));
    const glm::dvec3 momentum = pair.momentum();
    for (int i = 0; i < 20; ++i) {
        pair.step(0.1, 0.75);
    }
    CHECK(near(pair.momentum(), momentum, 1e-10));  // of impulses of 1e5 N s
    CHECK(std::abs(pair.body(0).v.x - 0.5) < 0.01); // they end as one
    CHECK(near(pair.body(0).v.y, 1.0));             // across the spring nothing acts
}

TEST_CASE("theta step: of stiff elements follows how fast they swing and decay, once they are refreshed") {
    Implicit<Spring> pair(two_balls(1.0, 3.0, 0.25), Spring(900.0, 80.0));
    REQUIRE(pair.elements.all().size() == 1);
    CHECK(pair.elements.all()[0].body == std::array{0, 1});
    pair.configuration.place_and_move(0.0, pair.y);
    pair.accelerations.write_forces(0.0, AcrossVelocity::Included);
    CHECK(pair.elements.fastest_frequency() == doctest::Approx(std::sqrt(900.0 * (1.0 + 1.0 / 3.0))).epsilon(1e-14));
    // x'' + 106.7 x' + 1200 x = 0: the larger root.
    const double half = 0.5 * 80.0 * 4.0 / 3.0;
    CHECK(pair.elements.fastest_decay() == doctest::Approx(half + std::sqrt(half * half - 1200.0)).epsilon(1e-14));

    // A rod that pulls with 10 N over 2 m swings across it like a string: sqrt(F / (m l)).
    Store store;
    BodyDesc weight;
    weight.shape = Sphere{0.5};
    weight.mass = 1.0;
    weight.pose.position = {0.0, -2.0, 0.0};
    JointDesc rod;
    rod.body_b = store.add(weight);
    rod.point_lock = DistanceLock{2.0};
    store.join(rod);
    Forces forces;
    forces.masses = {1.0};
    forces.gravity = {0.0, -10.0, 0.0};
    Implicit<Forces> hung(store, forces);
    REQUIRE(hung.elements.all().size() == 1);
    REQUIRE(hung.accelerations.solve(0.0, hung.y));
    CHECK(hung.elements.knows_all());
    CHECK(hung.elements.fastest_frequency() == doctest::Approx(std::sqrt(10.0 / 2.0)).epsilon(1e-12));
}

TEST_CASE("theta step: a free body keeps its momenta to the bit, and a pendulum's error falls with its order") {
    Store store;
    BodyDesc brick;
    brick.mass = 1.0;
    brick.collides = false;
    brick.shape = Box{{0.5, 0.2, 0.3}};
    brick.linear_velocity = {1.0, 2.0, 3.0};
    brick.angular_velocity = {5.0, -20.0, 10.0};
    store.add(brick);
    Forces none;
    none.masses = {1.0};
    none.gravity = glm::dvec3(0.0);
    Implicit<Forces> free(store, none);
    const BodyState before = free.body(0);
    for (int i = 0; i < 10; ++i) {
        free.step(0.1, 0.5);
    }
    CHECK(free.body(0).L == before.L);
    CHECK(free.body(0).v == before.v);
    CHECK(near(free.body(0).x, {1.0, 2.0, 3.0}, 1e-14));

    const double exact = exact_angle(1.0, -0.5, 1.0, 4000);
    for (const double theta : {0.5, 1.0}) {
        const double coarse = std::abs(angle_after(100, theta, 1.0) - exact);
        const double fine = std::abs(angle_after(200, theta, 1.0) - exact);
        CHECK(coarse < (theta == 0.5 ? 1e-3 : 0.1));
        CHECK(std::log2(coarse / fine) == doctest::Approx(theta == 0.5 ? 2.0 : 1.0).epsilon(0.05));
    }
}
