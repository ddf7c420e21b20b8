// What a host's rule makes of pairs: who passes, who touches and how, in every regime, and what is remembered of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../sanitized.h"
#include "pile_worlds.h"

using namespace engine_tests;

namespace {

class Rule final : public PairRule {
public:
    using Answer = std::function<PairAnswer(const MeetingPair&)>;
    explicit Rule(Answer answer) : answer_(std::move(answer)) {}
    PairAnswer answer(const MeetingPair& pair) const override { return answer_(pair); }

private:
    Answer answer_;
};

std::shared_ptr<const PairRule> rule(Rule::Answer answer) { return std::make_shared<Rule>(std::move(answer)); }

constexpr double kTop = 1.05;   // m, of the platform
constexpr double kRadius = 0.1; // m

// Lets pass what is not wholly above the platform, which is the body that was created first.
PairAnswer one_way(const MeetingPair& pair) { return {.touch = pair.ends[1].pose.position.y - kRadius >= kTop - 1e-9}; }

World one_way_world(const IntegratorSettings& integrator, double speed, const Material& material) {
    World world(contact_settings(integrator));
    add_still(world, Box{{2.0, 0.05, 2.0}}, {{0.0, 1.0, 0.0}}, material);
    BodyDesc ball = sphere({0.0, 0.5, 0.0}, kRadius, material);
    ball.linear_velocity = {0.0, speed, 0.0};
    world.create_body(ball);
    world.set_pair_rule(rule(one_way));
    return world;
}

IntegratorSettings method(const std::string& name) {
    IntegratorSettings settings = to_tolerance(name, 1e-10);
    settings.substeps = 4;
    return settings;
}

// Of which two make that surface together.
Material material_of(const SurfacePair& pair) {
    return {.friction = pair.friction, .static_friction = pair.static_friction, .restitution = pair.restitution};
}

// A ball or a box that slides and rolls on a floor, and what it meets as `surface` says: by the rule, or by materials.
World sliding_world(const IntegratorSettings& integrator, const Shape& shape, const SurfacePair& surface,
                    bool by_rule) {
    World world(contact_settings(integrator));
    const Material stated = material_of(surface);
    const Material other{.friction = 0.9, .restitution = 0.1};
    add_ground(world, by_rule ? other : stated);
    add_still(world, Box{{0.5, 1.0, 3.0}}, {{2.5, 1.0, 0.0}}, by_rule ? other : stated);
    BodyDesc body = sphere({0.0, 0.5, 0.0}, 0.2, by_rule ? other : stated);
    body.shape = shape;
    body.linear_velocity = {4.0, 0.0, 0.3};
    world.create_body(body);
    if (by_rule) {
        world.set_pair_rule(rule([=](const MeetingPair&) { return PairAnswer{.surface = surface}; }));
    }
    return world;
}

// Cubes and balls above a plate that balls pass, in a trench.
World sieve(int threads, std::vector<BodyId>& cubes, std::vector<BodyId>& balls) {
    WorldSettings settings = contact_settings({});
    settings.threads = threads;
    World world(settings);
    const Material rough{.friction = 0.5};
    add_trench(world, 3.0, rough);
    const BodyId plate = add_still(world, Box{{3.0, 0.05, 3.0}}, {{0.0, 2.5, 0.0}}, rough);
    std::mt19937 random(11);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (int i = 0; i < 180; ++i) {
        BodyDesc desc;
        desc.mass = 1.0;
        desc.material = rough;
        desc.pose.position = {1.3 * (i % 4 - 1.5) + 0.1 * number(random), 3.2 + 1.0 * (i / 16),
                              1.3 * (i / 4 % 4 - 1.5) + 0.1 * number(random)};
        const bool is_ball = i % 3 == 1;
        desc.shape = is_ball ? Shape(Sphere{0.3}) : Shape(Box{{0.4, 0.4, 0.4}});
        (is_ball ? balls : cubes).push_back(world.create_body(desc));
    }
    world.set_pair_rule(rule([plate, passing = balls](const MeetingPair& pair) {
        return PairAnswer{.touch = pair.ends[0].collider.body != plate ||
                                   std::ranges::find(passing, pair.ends[1].collider.body) == passing.end()};
    }));
    return world;
}

} // namespace

TEST_CASE("pair rule: a one-way platform lets through from below and holds from above, on time, under every method") {
    const double speed = 6.0;
    const double rise = kTop + kRadius - 0.5;
    const double lands = (speed + std::sqrt(speed * speed - 2.0 * kGravity * rise)) / kGravity;
    for (const IntegrationMethod* each : method_catalogue()) {
        const MethodInfo& info = each->info();
        CAPTURE(info.name);
        for (const double rate : {10.0, 60.0, 240.0}) {
            CAPTURE(rate);
            World world = one_way_world(method(std::string(info.name)), speed, {});
            const BodyId ball = world.bodies()[1];
            std::vector<Impact> impacts;
            double highest = 0.0;
            for (int frame = 0; frame < static_cast<int>(2.0 * rate); ++frame) {
                REQUIRE(world.advance(1.0 / rate).status == StepStatus::ReachedTarget);
                impacts.insert(impacts.end(), world.impacts().begin(), world.impacts().end());
                highest = std::max(highest, world.pose(ball).position.y);
            }
            CHECK(highest > 1.9);
            CHECK(std::fabs(world.pose(ball).position.y - kTop - kRadius) < 1e-3);
            if (info.needs == MethodNeeds::Derivative && info.order >= 2) {
                REQUIRE(impacts.size() == 1);
                CHECK(std::fabs(impacts[0].t - lands) < 1e-8);
            }
        }
    }
}

TEST_CASE("pair rule: who turns just above the platform is held: who was refused is asked about again when apart") {
    const double speed = std::sqrt(2.0 * kGravity * (kTop + kRadius - 0.5 + 0.005)); // it gets 5 mm above
    for (const double rate : {60.0, 240.0}) {
        World world = one_way_world(to_tolerance("dormand_prince853", 1e-12), speed, {});
        for (int frame = 0; frame < static_cast<int>(2.0 * rate); ++frame) {
            world.advance(1.0 / rate);
        }
        CHECK(std::fabs(world.pose(world.bodies()[1]).position.y - kTop - kRadius) < 1e-6);
    }
}

TEST_CASE(
    "pair rule: who was refused and turns within the platform falls out of it, whatever a rule would say by then") {
    const double speed = std::sqrt(2.0 * kGravity * 0.5); // up to the platform's middle
    for (const char* name : {"dormand_prince853", "rk4", "velocity_verlet"}) {
        CAPTURE(name);
        World world = one_way_world(method(name), speed, {});
        world.set_pair_rule(
            rule([](const MeetingPair& pair) { return PairAnswer{.touch = pair.ends[1].linear_velocity.y <= 0.0}; }));
        for (int frame = 0; frame < 60; ++frame) {
            world.advance(kFrame);
        }
        CHECK(std::fabs(world.pose(world.bodies()[1]).position.y - (0.5 + speed - 0.5 * kGravity)) < 1e-9);
    }
}

TEST_CASE("pair rule: surfaces by rule are those of materials, to the bit, by modes, impulses and events alone") {
    const SurfacePair surface{.friction = 0.2, .static_friction = 0.3, .restitution = 0.6};
    for (const char* name :
         {"dormand_prince853", "rk4", "velocity_verlet", "impulse_euler", "impulse_euler_doubling"}) {
        for (const Shape& shape : {Shape(Sphere{0.3}), Shape(Box{{0.3, 0.2, 0.25}}), Shape(Cylinder{0.2, 0.3})}) {
            CAPTURE(name);
            CAPTURE(shape.index());
            World by_rule = sliding_world(method(name), shape, surface, true);
            World by_materials = sliding_world(method(name), shape, surface, false);
            World otherwise = sliding_world(method(name), shape, {0.5, 0.5, 0.6}, false);
            for (int frame = 0; frame < (kSanitized ? 40 : 90); ++frame) {
                by_rule.advance(kFrame);
                by_materials.advance(kFrame);
                otherwise.advance(kFrame);
                const BodyId a = by_rule.bodies().back();
                const BodyId b = by_materials.bodies().back();
                REQUIRE(by_rule.pose(a).position == by_materials.pose(b).position);
                REQUIRE(by_rule.pose(a).orientation == by_materials.pose(b).orientation);
            }
            CHECK(by_rule.pose(by_rule.bodies().back()).position != otherwise.pose(otherwise.bodies().back()).position);
        }
    }
}

TEST_CASE("pair rule: balls pass a plate that holds cubes, in a pile") {
    std::vector<BodyId> cubes;
    std::vector<BodyId> balls;
    World world = sieve(1, cubes, balls);
    bool was_pile = false;
    for (int frame = 0; frame < 240; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        was_pile = was_pile || has_regime(world, IslandRegime::Soft);
    }
    CHECK(was_pile);
    // Some balls lie on cubes, and do not get to the plate.
    const auto is_below = [&](const BodyId& id) { return world.pose(id).position.y < 2.15; };
    CHECK(std::ranges::count_if(balls, is_below) > 10);
    const BodyId plate = world.bodies()[5]; // behind the trench
    int held = 0;
    for (const Contact& contact : world.contacts(plate)) {
        const BodyId other = contact.body_a == plate ? contact.body_b : contact.body_a;
        CHECK(std::ranges::find(balls, other) == balls.end());
        held += contact.mode != ContactMode::Separate ? 1 : 0;
    }
    CHECK(held > 20);
    for (const BodyId id : cubes) {
        CHECK(world.pose(id).position.y > 2.85);
    }
}

TEST_CASE("pair rule: surfaces by rule are those of materials in a pile, too") {
    const SurfacePair surface{.friction = 0.25, .static_friction = 0.35, .restitution = 0.2};
    const auto make = [&](bool by_rule) {
        std::vector<BodyId> cubes;
        std::vector<BodyId> balls;
        World world = sieve(1, cubes, balls);
        world.set_pair_rule(by_rule ? rule([=](const MeetingPair&) { return PairAnswer{.surface = surface}; })
                                    : nullptr);
        for (const BodyId id : world.bodies()) {
            world.body(id).set_material(by_rule ? Material{} : material_of(surface));
        }
        return world;
    };
    World by_rule = make(true);
    World by_materials = make(false);
    for (int frame = 0; frame < 60; ++frame) {
        by_rule.advance(kFrame);
        by_materials.advance(kFrame);
    }
    CHECK(has_regime(by_rule, IslandRegime::Soft));
    bool same = true;
    for (std::size_t i = 0; i < by_rule.bodies().size(); ++i) {
        same =
            same && by_rule.pose(by_rule.bodies()[i]).position == by_materials.pose(by_materials.bodies()[i]).position;
    }
    CHECK(same);
}

TEST_CASE("pair rule: a sieve has the same bits on two threads, and behind restores in mid-flight") {
    const auto make = [](int threads) {
        std::vector<BodyId> cubes;
        std::vector<BodyId> balls;
        return sieve(threads, cubes, balls);
    };
    check_same_bits(make(1), make(2), make(1), 90);
}

TEST_CASE("pair rule: what was answered is in snapshots, clones and the hash") {
    // Friction as the clock says where the pair begins, and whoever begins later than 0.2 s passes.
    const auto by_clock = rule([](const MeetingPair& pair) {
        return PairAnswer{.touch = pair.t < 0.2, .surface = SurfacePair{0.1 + pair.t, 0.1 + pair.t, 0.0}};
    });
    const auto make = [&] {
        World world(contact_settings(to_tolerance("dormand_prince853", 1e-10)));
        add_ground(world, {});
        BodyDesc ball = sphere({0.0, 0.25, 0.0}, 0.2, {});
        ball.linear_velocity = {6.0, 0.0, 0.0};
        world.create_body(ball);
        add_sphere(world, {5.0, 0.9, 0.0}, 0.2, {}); // comes down at 0.378 s, and passes
        world.set_pair_rule(by_clock);
        return world;
    };
    World world = make();
    for (int frame = 0; frame < 27; ++frame) { // the first slides, the second is halfway through the ground
        world.advance(kFrame);
    }
    const double depth = world.pose(world.bodies()[2]).position.y;
    CHECK(depth < 0.19);
    CHECK(depth > -0.19);
    const WorldSnapshot there = world.snapshot();
    const std::uint64_t hash = world.hash();
    World copy = world.clone();
    World other = make();
    other.restore(there);
    CHECK(copy.hash() == hash);
    CHECK(other.hash() == hash);
    for (int frame = 0; frame < 60; ++frame) {
        world.advance(kFrame);
        copy.advance(kFrame);
        other.advance(kFrame);
        REQUIRE(world.hash() == copy.hash());
        REQUIRE(world.hash() == other.hash());
    }
    CHECK(world.pose(world.bodies()[2]).position.y < -1.0);
    const std::uint64_t later = world.hash();
    world.restore(there); // rollback
    CHECK(world.hash() == hash);
    for (int frame = 0; frame < 60; ++frame) {
        world.advance(kFrame);
    }
    CHECK(world.hash() == later);
    world.set_pair_rule(nullptr);
    CHECK(world.pair_rule() == nullptr);
    world.restore(there); // across the edit: the rule comes back
    CHECK(world.pair_rule() == by_clock.get());
    for (int frame = 0; frame < 60; ++frame) {
        world.advance(kFrame);
    }
    CHECK(world.hash() == later);
}

TEST_CASE("pair rule: one that throws, or answers out of range, is told in one sentence, and the pair touches") {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const auto run = [](const std::shared_ptr<const PairRule>& asked, const std::string& words) {
        World world(contact_settings(to_tolerance("dormand_prince853", 1e-12)));
        add_ground(world, {});
        const BodyId ball = add_sphere(world, {0.0, 0.2, 0.0}, 0.1, {.restitution = 0.5});
        world.set_pair_rule(asked);
        int told = 0;
        for (int frame = 0; frame < 90; ++frame) {
            const StepReport report = world.advance(kFrame);
            CHECK(std::fabs(report.simulated - kFrame) < 1e-15);
            if (report.status != StepStatus::ReachedTarget) { // it is asked, for the two are near
                CHECK(report.status == StepStatus::ModelThrew);
                CHECK(report.message.find(words) != std::string_view::npos);
                CHECK(world.time() < 1.1);
                ++told;
            }
        }
        CHECK((asked != nullptr ? told > 20 : told == 0));
        return world.pose(ball).position;
    };
    const glm::dvec3 plain = run(nullptr, "");
    const auto until_1 = [](auto answer) {
        return rule([=](const MeetingPair& pair) { return pair.t < 1.0 ? answer() : PairAnswer{}; });
    };
    CHECK(run(until_1([]() -> PairAnswer { throw std::runtime_error("no opinion"); }), "no opinion") == plain);
    const auto with = [&](const SurfacePair& surface) {
        return until_1([=] { return PairAnswer{.surface = surface}; });
    };
    CHECK(run(with({kNan, 0.5, 0.0}), "friction is nan") == plain);
    CHECK(run(with({0.5, 0.2, 0.0}), "static friction is 0.2") == plain);
    CHECK(run(with({0.5, 0.5, 1.5}), "restitution is 1.5") == plain);
}

TEST_CASE("pair rule: it is asked about pairs that begin in mid-step, and never about triggers") {
    for (const bool passes : {true, false}) {
        CAPTURE(passes);
        WorldSettings settings = contact_settings(to_tolerance("dormand_prince853", 1e-12));
        settings.gravity = glm::dvec3(0.0);
        World world(settings);
        const Material elastic{.friction = 0.0, .restitution = 1.0};
        BodyDesc cue = sphere({-1.0, 0.0, 0.0}, 0.1, elastic);
        cue.linear_velocity = {30.0, 0.0, 0.0};
        world.create_body(cue);
        const BodyId second = add_sphere(world, {0.0, 0.0, 0.0}, 0.1, elastic); // which is hit, and goes on to the wall
        const BodyId wall = add_still(world, Box{{0.1, 1.0, 1.0}}, {{1.0, 0.0, 0.0}}, elastic);
        BodyDesc gate;
        gate.motion = MotionType::Static;
        gate.pose.position = {0.5, 0.0, 0.0};
        gate.colliders = {{.shape = Box{{0.05, 1.0, 1.0}}, .is_trigger = true}};
        const BodyId through = world.create_body(gate);
        bool asked_about_gate = false;
        world.set_pair_rule(rule([&](const MeetingPair& pair) {
            for (const MeetingPair::End& end : pair.ends) {
                asked_about_gate |= end.collider.body == through;
                if (end.collider.body == second) {
                    CHECK(end.pose.position.x == 0.0); // where the step began, which is made again
                    CHECK(end.linear_velocity.x == 0.0);
                }
            }
            return PairAnswer{.touch = !passes || pair.ends[1].collider.body != wall};
        }));
        world.advance(0.1);
        const double x = world.pose(second).position.x;
        CHECK((passes ? x > 2.0 : x < 0.8));
        CHECK_FALSE(asked_about_gate);
        CHECK(std::ranges::count_if(world.touch_events(), [](const TouchEvent& event) { return event.is_trigger; }) >=
              2);
    }
}

TEST_CASE("pair rule: another rule is asked about all pairs anew, those that touch or sleep too") {
    WorldSettings settings = contact_settings(to_tolerance("dormand_prince853", 1e-10));
    settings.sleep.enabled = true;
    World world(settings);
    add_ground(world, {});
    const BodyId ball = add_sphere(world, {0.0, 0.1, 0.0}, 0.1, {});
    BodyDesc box = sphere({2.0, 0.2, 0.0}, 0.2, {});
    box.shape = Box{{0.2, 0.2, 0.2}};
    const BodyId crate = world.create_body(box);
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
    }
    CHECK(world.islands()[0].asleep);
    world.set_pair_rule(
        rule([=](const MeetingPair& pair) { return PairAnswer{.touch = pair.ends[1].collider.body == crate}; }));
    for (int frame = 0; frame < 60; ++frame) {
        world.advance(kFrame);
    }
    CHECK(std::fabs(world.pose(ball).position.y - 0.1 + 0.5 * kGravity) < 1e-9); // falls since
    CHECK(std::fabs(world.pose(crate).position.y - 0.2) < 1e-6);
}
