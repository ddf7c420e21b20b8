// RunAhead while bodies slide and roll: a segment lasts until its first event, whatever the frames in between.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "contact_motions.h"
#include "contact_worlds.h"

using namespace engine_tests;
using substep::detail::RoundBodyOnSlope;

namespace {

constexpr double kRadius = 0.1; // m
constexpr double kGrip = 0.5;   // of friction

IntegratorSettings method(const std::string& name, double tolerance, Boundary boundary = Boundary::RunAhead) {
    IntegratorSettings settings = adaptive(tolerance, boundary);
    settings.method = name;
    return settings;
}

glm::dvec3 lowest_point(const World& world, BodyId ball) {
    return world.pose(ball).position - glm::dvec3(0, kRadius, 0);
}

// A ball that rolls on a turntable. It goes round in a circle at 2/7 of the table's rate, wherever the table's axis is
// (Landau & Lifshitz, Mechanics, section 38; Weltner, Am. J. Phys. 47, 984 (1979)).
struct Turntable {
    static constexpr double kRate = 3.0; // rad/s
    const glm::dvec3 start{0.5, kRadius, 0.0};
    const glm::dvec3 velocity{0.2, 0.0, -0.3}; // m/s

    World world;
    BodyId table;
    BodyId ball;

    explicit Turntable(const IntegratorSettings& integrator, bool ledger = false)
        : world(settings(integrator, ledger)) {
        BodyDesc plate;
        plate.motion = MotionType::Kinematic;
        plate.shape = Plane{};
        plate.material = {.friction = kGrip};
        plate.angular_velocity = {0.0, kRate, 0.0};
        table = world.create_body(plate);
        BodyDesc rolling = sphere(start, kRadius, {.friction = kGrip});
        const glm::dvec3 up(0.0, 1.0, 0.0);
        const glm::dvec3 of_table = glm::cross(plate.angular_velocity, start);
        rolling.linear_velocity = velocity;
        rolling.angular_velocity = -glm::cross(up, of_table - velocity) / kRadius + 0.7 * up;
        ball = world.create_body(rolling);
    }
    static WorldSettings settings(const IntegratorSettings& integrator, bool ledger) {
        WorldSettings settings = contact_settings(integrator);
        settings.energy_ledger = ledger;
        return settings;
    }
    double error() const {
        const double k = 2.0 / 7.0 * kRate;
        const double angle = k * world.time();
        const glm::dvec3 across = glm::cross(glm::dvec3(0.0, 1.0, 0.0), velocity);
        const glm::dvec3 place = start + (std::sin(angle) * velocity + (1.0 - std::cos(angle)) * across) / k;
        return glm::length(world.pose(ball).position - place);
    }
};

// A ball thrown without spin onto level ground: it slides, and rolls from 2/7 v / (mu g) on.
struct Thrown {
    static constexpr double kFriction = 0.1;
    static constexpr double kSpeed = 2.0; // m/s
    const RoundBodyOnSlope truth{{.friction = kFriction, .gravity = kGravity, .speed = kSpeed}};

    World world;
    BodyId ground;
    BodyId ball;

    explicit Thrown(const IntegratorSettings& integrator) : world(contact_settings(integrator)) {
        ground = add_ground(world, {.friction = kFriction});
        BodyDesc body = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = kFriction});
        body.linear_velocity = {kSpeed, 0.0, 0.0};
        ball = world.create_body(body);
    }
    double error() const { return std::abs(world.pose(ball).position.x - truth.at(world.time()).distance); }
};

// A ball that rolls down a slope from rest.
struct Rolling {
    static constexpr double kSlope = 0.3;
    const RoundBodyOnSlope truth{{.slope = kSlope, .friction = kGrip, .gravity = kGravity}};

    World world;
    BodyId ball;

    explicit Rolling(const IntegratorSettings& integrator) : world(contact_settings(integrator)) {
        add_ground(world, {.friction = kGrip}, -kSlope);
        ball = add_sphere(world, kRadius * glm::dvec3(std::sin(kSlope), std::cos(kSlope), 0.0), kRadius,
                          {.friction = kGrip});
    }
    double error() const {
        const glm::dvec3 down(std::cos(kSlope), -std::sin(kSlope), 0.0);
        return std::abs(glm::dot(world.pose(ball).position, down) - truth.at(world.time()).distance);
    }
};

// What a run at some frame rate costs, and its error where frames of 10, 30, 60, 144 and 240 a second meet.
struct Cost {
    double evaluations = 0.0; // a second
    double error = 0.0;       // m
    int exact_frames = 0;
};

template <class Motion>
Cost cost_of(const IntegratorSettings& settings, int fps, int seconds) {
    Motion motion(settings);
    Cost cost;
    for (int frame = 1; frame <= seconds * fps; ++frame) {
        const StepReport report = motion.world.advance(1.0 / fps);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        CHECK_FALSE(report.degraded);
        cost.evaluations += static_cast<double>(report.evaluations) / seconds;
        cost.exact_frames += report.boundary == Boundary::Exact ? 1 : 0;
        cost.error = 2 * frame % fps == 0 ? std::max(cost.error, motion.error()) : cost.error;
    }
    return cost;
}

template <class Motion>
void check_invariance(const std::string& name, double tolerance, double largest_error) {
    CAPTURE(name);
    CAPTURE(tolerance);
    const Cost at_60 = cost_of<Motion>(method(name, tolerance), 60, 6);
    for (const int fps : {10, 30, 144, 240}) {
        CAPTURE(fps);
        const Cost cost = cost_of<Motion>(method(name, tolerance), fps, 6);
        CHECK(std::max(cost.evaluations, at_60.evaluations) <= 1.3 * std::min(cost.evaluations, at_60.evaluations));
        // The first substep is no longer than a frame, so that the others end elsewhere. A thousandth of what is
        // allowed is none.
        const double none = 1e-3 * largest_error;
        CHECK(std::max({cost.error, at_60.error, none}) <= 2.0 * std::max(std::min(cost.error, at_60.error), none));
        CHECK(cost.error <= largest_error);
        CHECK(cost.exact_frames == 0);
    }
}

} // namespace

TEST_CASE("balls that slide, roll down a slope or on a turntable cost and err alike at 10 to 240 frames a second, "
          "under every adaptive method that holds contacts") {
    int methods = 0;
    for (const IntegrationMethod* each : method_catalogue()) {
        const MethodInfo& info = each->info();
        if (!info.adaptive || info.needs != MethodNeeds::Derivative) {
            continue;
        }
        ++methods;
        for (const double tolerance : {1e-6, 1e-8}) {
            if (kSanitized && tolerance < 1e-7) {
                continue;
            }
            const std::string name(info.name);
            check_invariance<Turntable>(name, tolerance, 10.0 * tolerance);
            check_invariance<Thrown>(name, tolerance, 100.0 * tolerance);
            check_invariance<Rolling>(name, tolerance, 100.0 * tolerance);
        }
    }
    CHECK(methods >= 8);
}

TEST_CASE("a rolling ball costs a fraction of a substep a frame, and what it costs follows the tolerance") {
    const Cost coarse = cost_of<Turntable>(method("dormand_prince54", 1e-5), 144, 6);
    const Cost fine = cost_of<Turntable>(method("dormand_prince54", 1e-9), 144, 6);
    CHECK(coarse.evaluations < 144.0); // clipped at every frame it was 1008
    CHECK(fine.evaluations > 3.0 * coarse.evaluations);
    CHECK(fine.error < 1e-2 * coarse.error);
}

TEST_CASE("within a segment modes, forces and slips are those of the frame that asks, before an event and behind it") {
    // With a rod to the middle it rolls round in a circle, so that the joint is loaded, too.
    const auto make = [](const IntegratorSettings& settings) {
        Thrown thrown(settings);
        JointDesc desc = rod(thrown.world, kGround, thrown.ball, {0.0, kRadius, 4.0}, {0.0, kRadius, 0.0});
        thrown.world.create_joint(desc);
        return thrown;
    };
    Thrown ahead = make(method("dormand_prince54", 1e-8));
    Thrown reference = make(method("dormand_prince853", 1e-12, Boundary::Exact));
    const JointId joint = ahead.world.joints()[0];
    const JointId same_joint = reference.world.joints()[0];
    int within = 0;
    int slides = 0;
    int sticks = 0;
    for (int frame = 0; frame < 144; ++frame) {
        const StepReport report = ahead.world.advance(1.0 / 144.0);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        CHECK(report.boundary == Boundary::RunAhead);
        REQUIRE(reference.world.advance(1.0 / 144.0).status == StepStatus::ReachedTarget);
        within += report.accepted == 0 ? 1 : 0;
        REQUIRE(ahead.world.contacts().size() == 1);
        const Contact& contact = ahead.world.contacts()[0];
        const Contact& same = reference.world.contacts()[0];
        CHECK(contact.mode == same.mode);
        slides += contact.mode == ContactMode::Slide ? 1 : 0;
        sticks += contact.mode == ContactMode::Stick ? 1 : 0;
        CHECK(glm::length(contact.force - same.force) < 1e-4);
        CHECK(glm::length(contact.slip - same.slip) < 1e-5);
        CHECK(std::abs(contact.gap) < 1e-13);
        CHECK(glm::length(ahead.world.joint_force(joint).force - reference.world.joint_force(same_joint).force) < 1e-4);
        CHECK(ahead.world.joint_error(joint) < 1e-12);
        CHECK(glm::length(ahead.world.pose(ahead.ball).position - reference.world.pose(reference.ball).position) <
              1e-5);
    }
    CHECK(within > 60);
    CHECK(slides > 10);
    CHECK(sticks > 10);
}

TEST_CASE("an event found far ahead happens in its own frame, where truth has it") {
    for (const int fps : {30, 60, 144}) {
        CAPTURE(fps);
        Thrown thrown(method("dormand_prince853", 1e-9));
        const double rolls_from = thrown.truth.slip_end();
        bool before = true;
        for (int frame = 0; frame < fps; ++frame) {
            const StepReport report = thrown.world.advance(1.0 / fps);
            const bool is_over = thrown.world.time() >= rolls_from;
            CHECK(report.events == (is_over && before ? 1 : 0));
            CHECK(thrown.world.contacts()[0].mode == (is_over ? ContactMode::Stick : ContactMode::Slide));
            before = !is_over;
        }
        CHECK(thrown.error() < 1e-8);
    }
}

namespace {

// A ball that rolls over the top of a larger one: pressure and grip rise, then fall.
struct Dome {
    const glm::dvec3 centre{0.0, -1.0, 0.0};
    World world;
    BodyId ball;

    explicit Dome(const IntegratorSettings& integrator) : world(contact_settings(integrator)) {
        BodyDesc dome = sphere(centre, 1.0, {.friction = 1.0});
        dome.motion = MotionType::Static;
        world.create_body(dome);
        constexpr double kAngle = -0.4; // from the top, rad
        constexpr double kSpeed = 1.4;  // m/s; 1.1 would bring it to the top
        const glm::dvec3 up(std::sin(kAngle), std::cos(kAngle), 0.0);
        BodyDesc rolling = sphere(centre + (1.0 + kRadius) * up, kRadius, {.friction = 1.0});
        rolling.linear_velocity = {kSpeed * up.y, -kSpeed * up.x, 0.0};
        rolling.angular_velocity = {0.0, 0.0, -kSpeed / kRadius};
        ball = world.create_body(rolling);
    }
};

} // namespace

TEST_CASE("frames, and what is read between them, touch what the ball rolls on, be it round") {
    Dome dome(method("cash_karp54", 1e-6));
    World& world = dome.world;
    int within = 0;
    for (int frame = 0; frame < 80; ++frame) {
        const StepReport report = world.advance(1.0 / 144.0);
        CHECK(report.boundary == Boundary::RunAhead);
        REQUIRE(world.contacts().size() == 1);
        REQUIRE(world.contacts()[0].mode == ContactMode::Stick);
        CHECK(std::abs(world.contacts()[0].gap) < 1e-14);
        if (report.accepted > 0) {
            continue; // before the segment it is the cubic
        }
        ++within;
        for (const double part : {0.2, 0.5, 0.9}) {
            const glm::dvec3 place = world.sample(dome.ball, world.time() - part / 144.0).position;
            CHECK(std::abs(glm::length(place - dome.centre) - 1.0 - kRadius) < 1e-14);
        }
    }
    CHECK(within > 20);
}

TEST_CASE("a new candidate ends a segment that would have gone through it") {
    for (const int fps : {30, 60, 144}) {
        CAPTURE(fps);
        World world(contact_settings(method("dormand_prince853", 1e-9)));
        add_ground(world, {.friction = kGrip});
        constexpr double kSpeed = 1.0;
        Material material{.friction = kGrip, .restitution = 0.5, .friction_combine = CombineRule::Minimum};
        BodyDesc rolling = sphere({0.0, kRadius, 0.0}, kRadius, material);
        rolling.linear_velocity = {kSpeed, 0.0, 0.0};
        rolling.angular_velocity = {0.0, 0.0, -kSpeed / kRadius};
        const BodyId ball = world.create_body(rolling);
        material.friction = 0.0;
        BodyDesc post = sphere({1.0, kRadius, 0.0}, kRadius, material);
        post.motion = MotionType::Static;
        world.create_body(post);
        constexpr double kHit = 0.8; // s
        int ahead = 0;
        int truncated = 0;
        int within_before = 0;
        bool had_segment = false;
        for (int frame = 0; frame < fps; ++frame) {
            const double t0 = world.time();
            const StepReport report = world.advance(1.0 / fps);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            const bool is_candidate = world.contacts().size() == 2;
            if (t0 < kHit - 4.0 / fps) {
                CHECK(report.boundary == Boundary::RunAhead);
                CHECK_FALSE(is_candidate);
                ++ahead;
            }
            if (is_candidate && truncated == 0) {
                ++truncated;
                within_before += had_segment ? 1 : 0;
                CHECK(report.restarted);
                CHECK(report.boundary == Boundary::Exact);
                CHECK(world.time() <= kHit + 1.0 / fps);
            }
            had_segment = report.accepted == 0;
            for (const Impact& impact : world.impacts()) {
                CHECK(std::abs(impact.t - kHit) < 1e-8);
            }
            if (std::abs(world.time() - kHit) > 1e-8) {
                CHECK((world.body(ball).linear_velocity().x < 0.0) == (world.time() > kHit));
            }
        }
        CHECK(ahead > fps / 2);
        CHECK(truncated == 1);
        CHECK((within_before == 1 || fps == 30)); // the segment went on
    }
}

namespace {

/// A change from outside, of a ball that rolls.
struct Change {
    const char* what;
    std::function<void(World&, BodyId ground, BodyId ball)> make;
    bool ends_segment = true; ///< at once: else where something new could be touched
};

const std::vector<Change>& changes() {
    static const std::vector<Change> list = {
        {"a push",
         [](World& world, BodyId, BodyId ball) {
             world.body(ball).apply_impulse({0.0, 0.0, 0.3});
         }},
        {"a force for one step",
         [](World& world, BodyId, BodyId ball) {
             world.body(ball).apply_force({9.0, 0.0, 1.0});
         }},
        {"another velocity",
         [](World& world, BodyId, BodyId ball) {
             world.body(ball).set_linear_velocity({0.1, 0.0, -0.6});
         }},
        {"lifted up",
         [](World& world, BodyId, BodyId ball) {
             world.body(ball).set_pose({.position = {0.3, kRadius + 0.2, 0.1}});
         }},
        {"a post in its way",
         [](World& world, BodyId, BodyId ball) {
             BodyDesc post = sphere(world.pose(ball).position + glm::dvec3(0.35, 0.0, 0.02), kRadius, {});
             post.motion = MotionType::Static;
             world.create_body(post);
         },
         false},
        {"a ball from above",
         [](World& world, BodyId, BodyId ball) {
             world.create_body(sphere(world.pose(ball).position + glm::dvec3(0.01, 0.4, 0.02), kRadius, {}));
         },
         false},
        {"no ground", [](World& world, BodyId ground, BodyId) { world.destroy_body(ground); }},
        {"a rod",
         [](World& world, BodyId, BodyId ball) {
             const glm::dvec3 at = world.pose(ball).position;
             world.create_joint(rod(world, kGround, ball, at + glm::dvec3(0.0, 0.0, 0.5), at));
         }},
        {"drag",
         [](World& world, BodyId, BodyId) { world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.4})); }},
        {"other gravity",
         [](World& world, BodyId, BodyId) {
             WorldSettings settings = world.settings();
             settings.gravity = {1.0, -5.0, 0.5};
             world.set_settings(settings);
         }},
        {"lower ground",
         [](World& world, BodyId ground, BodyId) {
             world.body(ground).set_pose({.position = {0.0, -0.05, 0.0}});
         }},
    };
    return list;
}

} // namespace

TEST_CASE("whatever changes in mid-segment ends it there, and what follows is as under Exact") {
    for (const Change& change : changes()) {
        CAPTURE(std::string(change.what));
        for (const int at : {7, 23, 40}) {
            CAPTURE(at);
            constexpr double kShort = 1.0 / 144.0;
            Thrown ahead(method("verner87", 1e-9));
            Thrown reference(method("dormand_prince853", 1e-11, Boundary::Exact));
            bool within = false;
            for (int frame = 0; frame < at || (!within && frame < 100); ++frame) {
                within = ahead.world.advance(kShort).accepted == 0;
                reference.world.advance(kShort);
            }
            REQUIRE(within);
            change.make(ahead.world, ahead.ground, ahead.ball);
            change.make(reference.world, reference.ground, reference.ball);
            double worst = 0.0;
            for (int frame = 0; frame < 60; ++frame) {
                const StepReport report = ahead.world.advance(kShort);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                REQUIRE(reference.world.advance(kShort).status == StepStatus::ReachedTarget);
                if (frame == 0 && change.ends_segment) {
                    CHECK(report.accepted > 0);
                }
                worst = std::max(worst, glm::length(ahead.world.pose(ahead.ball).position -
                                                    reference.world.pose(reference.ball).position));
            }
            CHECK(worst < 1e-6);
        }
    }
}

TEST_CASE("a changed tolerance ends the segment, and the next one runs ahead") {
    Turntable motion(method("dormand_prince54", 1e-6));
    for (int frame = 0; frame < 60; ++frame) {
        motion.world.advance(1.0 / 144.0);
    }
    WorldSettings settings = motion.world.settings();
    settings.integrator = method("dormand_prince54", 1e-8);
    motion.world.set_settings(settings);
    const StepReport report = motion.world.advance(1.0 / 144.0);
    CHECK(report.restarted);
    CHECK(report.accepted > 0);
    CHECK(report.boundary == Boundary::RunAhead);
    CHECK(motion.error() < 1e-6);
}

TEST_CASE("a setting changed in mid-segment finds contacts as a restored world does, which knows no stages of before") {
    Dome dome(method("dormand_prince54", 1e-7));
    Dome restored(method("dormand_prince54", 1e-3));
    int within = 0;
    for (int frame = 0; frame < 60; ++frame) {
        within += dome.world.advance(1.0 / 144.0).accepted == 0 ? 1 : 0;
        WorldSettings settings = dome.world.settings();
        settings.integrator = method("dormand_prince54", frame % 2 == 0 ? 1e-6 : 1e-7);
        dome.world.set_settings(settings);
        restored.world.restore(dome.world.snapshot());
        dome.world.advance(1.0 / 144.0);
        restored.world.advance(1.0 / 144.0);
        REQUIRE(restored.world.snapshot().bytes == dome.world.snapshot().bytes);
    }
    CHECK(within > 10);
}

TEST_CASE("what slides, rolls and bounces comes back from any frame in mid-segment bit for bit") {
    for (const char* name :
         {"cash_karp54", "dormand_prince54", "bogacki_shampine32", "dormand_prince853", "verner87", "auto"}) {
        CAPTURE(std::string(name));
        const auto make = [&](double tolerance) {
            Turntable motion(method(name, tolerance), true);
            // Beside it one that slides, and one that bounces. Drag: fields may be so sharp that stages vouch for
            // little.
            BodyDesc other = sphere({-2.0, kRadius, 0.0}, kRadius, {.friction = kGrip, .restitution = 0.5});
            other.linear_velocity = {0.5, 0.0, 1.0};
            motion.world.create_body(other);
            other.pose.position = {-3.0, 0.3, 1.0};
            motion.world.create_body(other);
            motion.world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.2}));
            return motion;
        };
        const double tolerance = std::string(name) == "bogacki_shampine32" ? 1e-5 : 1e-7;
        Turntable motion = make(tolerance);
        std::vector<WorldSnapshot> snapshots;
        std::vector<std::uint64_t> hashes;
        int within = 0;
        for (int frame = 0; frame < 150; ++frame) {
            snapshots.push_back(motion.world.snapshot());
            within += motion.world.advance(1.0 / 144.0).accepted == 0 ? 1 : 0;
            hashes.push_back(motion.world.hash());
        }
        CHECK(within > 5);
        Turntable other = make(1e-3);
        for (std::size_t from = 0; from < 150; from += 4) {
            World& world = from % 8 == 0 ? motion.world : other.world;
            world.restore(snapshots[from]);
            for (std::size_t frame = from; frame < std::min<std::size_t>(from + 20, 150); ++frame) {
                world.advance(1.0 / 144.0);
                REQUIRE(world.hash() == hashes[frame]);
                if (frame + 1 < snapshots.size()) { // nothing differs that is not in the hash either
                    REQUIRE(world.snapshot().bytes == snapshots[frame + 1].bytes);
                }
            }
        }
    }
}

TEST_CASE("the ledger closes while something rolls ahead of the frame, and on the way to rest") {
    Turntable motion(method("dormand_prince853", 1e-10), true);
    for (int frame = 0; frame < 300; ++frame) {
        motion.world.advance(kFrame);
        REQUIRE(std::abs(motion.world.energy_ledger().remainder()) < 1e-8);
    }
    World world = eventful_world(method("dormand_prince54", 1e-9));
    int ahead = 0;
    for (int frame = 0; frame < 300; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        for (const IslandView& island : world.islands()) {
            ahead += island.report.boundary == Boundary::RunAhead ? 1 : 0;
        }
        REQUIRE(std::abs(world.energy_ledger().remainder()) < 1e-5);
    }
    CHECK(ahead > 1000);
}

TEST_CASE("a body that slides to rest ahead of the frame falls asleep, and wakes where it rests") {
    WorldSettings settings = contact_settings(method("dormand_prince54", 1e-8));
    settings.sleep.enabled = true;
    World world(settings);
    add_ground(world, {.friction = 0.3});
    BodyDesc block = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = 0.3});
    block.linear_velocity = {1.0, 0.0, 0.0};
    block.locks_rotation = true;
    const BodyId body = world.create_body(block);
    int awake = 0;
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
        awake += world.islands()[0].asleep ? 0 : 1;
    }
    CHECK(awake < 60); // it slides for 0.34 s, and has to be slow for half a second
    const glm::dvec3 rests = world.pose(body).position;
    CHECK(std::abs(rests.x - 0.5 / (0.3 * kGravity)) < 1e-6);
    world.body(body).apply_impulse({0.0, 0.0, 0.5});
    world.advance(kFrame);
    CHECK(world.body(body).linear_velocity().z > 0.4);
    CHECK(std::abs(lowest_point(world, body).y) < 1e-14);
}

TEST_CASE("sampling changes nothing while bodies touch") {
    const IntegratorSettings settings = method("dormand_prince54", 1e-7);
    World sampled = eventful_world(settings);
    World left_alone = eventful_world(settings);
    for (int frame = 0; frame < 120; ++frame) {
        sampled.advance(kFrame);
        left_alone.advance(kFrame);
        for (const BodyId body : sampled.bodies()) {
            sampled.sample(body, sampled.time() - 0.4 * kFrame);
        }
        REQUIRE(sampled.hash() == left_alone.hash());
        REQUIRE(sampled.snapshot().bytes == left_alone.snapshot().bytes);
    }
}
