// Joints among many bodies that touch: mechanisms in soft steps.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <glm/geometric.hpp>

#include "../sanitized.h"
#include "pile_worlds.h"
#include "substep/engine/joint.h"
#include "substep/engine/world.h"

using namespace substep;
using namespace engine_tests;

namespace {

constexpr std::size_t kPairsOfMess = 40;

double widest_gap(const World& world, const std::vector<JointId>& joints) {
    double gap = 0.0;
    for (const JointId id : joints) {
        gap = std::max(gap, world.joint_error(id));
    }
    return gap;
}

/// A pile of 5 x 5 columns of cubes in a trench.
World heap(int high, const WorldSettings& settings, std::vector<BodyId>& bodies) {
    return columns(5, high, settings, bodies);
}

/// Links of 1 kg in a row from a place outwards, on ball joints from the ground on; the last one is a ball of its own
/// mass.
void add_chain(World& world, const glm::dvec3& from, int links, double last_mass, std::vector<BodyId>& bodies,
               std::vector<JointId>& joints) {
    BodyId before = kGround;
    for (int i = 0; i < links; ++i) {
        const bool is_last = i + 1 == links;
        BodyDesc link;
        link.mass = is_last ? last_mass : 1.0;
        link.shape = is_last ? Shape(Sphere{0.3}) : Shape(Box{{0.19, 0.06, 0.06}});
        link.material = kRough;
        link.pose.position = from + glm::dvec3(0.4 * i + 0.2, 0.0, 0.0);
        bodies.push_back(world.create_body(link));
        joints.push_back(world.create_joint(ball(world, before, bodies.back(), from + glm::dvec3(0.4 * i, 0.0, 0.0))));
        before = bodies.back();
    }
}

} // namespace

TEST_CASE("jointed piles: joints hold in a mess of two hundred, and it comes to rest" * doctest::skip(kSanitized)) {
    WorldSettings settings = contact_settings({});
    settings.energy_ledger = true;
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;
    World world = jointed_mess(200, settings, bodies, joints, kPairsOfMess);
    SeenJoints seen;
    int soft = 0;
    for (int frame = 0; frame < 720; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        soft += has_regime(world, IslandRegime::Soft) ? 1 : 0;
        seen.look_at(world, joints);
    }
    CHECK(soft > 600);
    MESSAGE("gap " << seen.gap << ", beyond limits " << seen.beyond << ", fastest " << fastest(world, bodies));
    CHECK(seen.gap <= 1e-9);
    CHECK(seen.beyond <= 0.05);
    CHECK(seen.lowest_angle < -0.3); // they are free to turn as far as that
    CHECK(seen.highest_angle > 0.4);
    CHECK(fastest(world, bodies) <= 1e-3);
    CHECK(lowest(world, bodies) > 0.19);
    const EnergyLedger ledger = world.energy_ledger();
    const double taken = -(ledger.friction + ledger.restitution + ledger.overlap);
    MESSAGE("remainder " << ledger.remainder() << " taken " << taken << " joints " << ledger.joints);
    CHECK(std::abs(ledger.remainder()) <= 0.01 * taken);
    CHECK(std::abs(ledger.joints) <= 0.01 * taken);
}

TEST_CASE("jointed piles: a mess with joints has the same bits on two threads, and behind restores while it falls") {
    const auto make = [](int threads) {
        WorldSettings settings = contact_settings({});
        settings.threads = threads;
        std::vector<BodyId> bodies;
        std::vector<JointId> joints;
        return jointed_mess(200, settings, bodies, joints, kPairsOfMess);
    };
    check_same_bits(make(1), make(2), make(1), 90);
}

TEST_CASE("jointed piles: chains with a hundred times their links' mass swing onto a heap without gaining energy") {
    WorldSettings settings = contact_settings({});
    settings.energy_ledger = true;
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;
    World world = heap(6, settings, bodies);
    for (int chain = -1; chain <= 1; ++chain) {
        add_chain(world, {-2.0, 7.5, 1.2 * chain}, 10, 100.0, bodies, joints);
    }
    world.advance(kFrame);
    double most = world.energy_ledger().total();
    const double start = most;
    double gap = 0.0;
    int soft = 0;
    for (int frame = 0; frame < 480; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        const bool is_soft = has_regime(world, IslandRegime::Soft);
        soft += is_soft ? 1 : 0;
        most = std::max(most, world.energy_ledger().total());
        gap = std::max(gap, widest_gap(world, joints));
    }
    MESSAGE("energy from " << start << " to " << most << " at most, gap " << gap << ", " << soft << " soft frames");
    CHECK(soft > 300);
    CHECK(most <= start + 1e-3 * std::abs(start));
    CHECK(gap <= 1e-9);
    CHECK(lowest(world, bodies) > 0.05);
}

TEST_CASE("jointed piles: a long chain that touches nothing keeps its method") {
    World world(contact_settings({.method = "dormand_prince54"}));
    add_ground(world, kRough);
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;
    add_chain(world, {0.0, 0.302, 0.0}, 160, 1.0, bodies, joints); // the last one is 2 mm above the ground
    for (int frame = 0; frame < 2; ++frame) {
        const StepReport report = world.advance(kFrame);
        CHECK(report.order == 5);
        CHECK_FALSE(has_regime(world, IslandRegime::Soft));
    }
}

TEST_CASE("jointed piles: a motor turns what stands on a heap at its rate, and dry friction holds an arm") {
    WorldSettings settings = contact_settings({});
    std::vector<BodyId> bodies;
    World world = heap(7, settings, bodies);
    const auto top = [&](int column) { return bodies[static_cast<std::size_t>(6 * 25 + column)]; };
    const auto add_arm = [&](BodyId on) {
        BodyDesc arm;
        arm.mass = 0.2;
        arm.shape = Box{{0.5, 0.05, 0.05}};
        arm.material = kRough;
        arm.pose.position = world.body(on).pose().position + glm::dvec3(0.3, 1.5, 0.0);
        return world.create_body(arm);
    };
    const BodyId turned = add_arm(top(6));
    JointDesc motor =
        hinge(world, top(6), turned, world.body(turned).pose().position - glm::dvec3(0.3, 0.0, 0.0), {0.0, 1.0, 0.0});
    motor.drives.push_back({.axis = JointAxis::AngleZ, .target_rate = 2.0, .damping = 5.0});
    const JointId motor_id = world.create_joint(motor);
    const BodyId held = add_arm(top(18));
    JointDesc brake =
        hinge(world, top(18), held, world.body(held).pose().position - glm::dvec3(0.3, 0.0, 0.0), {0.0, 0.0, 1.0});
    brake.friction.push_back({.axis = JointAxis::AngleZ, .dry = 1.0}); // 0.59 N m would do
    const JointId brake_id = world.create_joint(brake);
    int soft = 0;
    for (int frame = 0; frame < 240; ++frame) {
        world.advance(kFrame);
        soft += has_regime(world, IslandRegime::Soft) ? 1 : 0;
    }
    CHECK(soft > 200);
    const double before = world.joint_value(brake_id, JointAxis::AngleZ);
    const double turned_before = world.joint_value(motor_id, JointAxis::AngleZ);
    for (int frame = 0; frame < 300; ++frame) {
        world.advance(kFrame);
    }
    const double crept = world.joint_value(brake_id, JointAxis::AngleZ) - before;
    const double rate = (world.joint_value(motor_id, JointAxis::AngleZ) - turned_before) / 5.0;
    MESSAGE("the arm turned by " << before << " and crept by " << crept << " rad, the motor made " << rate << " rad/s");
    CHECK(std::abs(before) <= 0.3); // the heap comes down with a knock
    CHECK(std::abs(crept) <= 1e-8);
    CHECK(rate == doctest::Approx(2.0).epsilon(0.01));
}

TEST_CASE("jointed piles: servos on a heap hold their arms at the angle that they state, among frames that jitter too" *
          doctest::skip(kSanitized)) {
    for (const double jitter : {0.0, 0.3}) {
        CAPTURE(jitter);
        WorldSettings settings = contact_settings({});
        std::vector<BodyId> bodies;
        World world = heap(7, settings, bodies);
        std::vector<JointId> joints;
        for (std::size_t column = 0; column < 25; column += 2) {
            const BodyId top = bodies[6 * 25 + column];
            BodyDesc arm;
            arm.mass = 0.2;
            arm.shape = Box{{0.3, 0.05, 0.05}};
            arm.collides = false;
            arm.pose.position = world.body(top).pose().position + glm::dvec3(0.3, 0.6, 0.0);
            const BodyId held = world.create_body(arm);
            JointDesc joint = hinge(world, top, held, arm.pose.position - glm::dvec3(0.3, 0.0, 0.0), {0.0, 0.0, 1.0});
            joint.drives = {{.axis = JointAxis::AngleZ, .target_position = 0.1, .stiffness = 30.0, .damping = 1.0}};
            joints.push_back(world.create_joint(joint));
        }
        for (int frame = 0; frame < 720; ++frame) {
            world.advance((1.0 + (frame % 2 == 0 ? jitter : -jitter)) * kFrame);
        }
        CHECK(has_regime(world, IslandRegime::Soft));
        // stiffness (target - angle) = m g l cos(angle), on cubes that lie level
        const double load = 0.2 * 0.3 * glm::length(settings.gravity);
        double angle = 0.1;
        for (int round = 0; round < 50; ++round) {
            angle -= (30.0 * (angle - 0.1) + load * std::cos(angle)) / (30.0 - load * std::sin(angle));
        }
        double worst = 0.0;
        for (const JointId id : joints) {
            worst = std::max(worst, std::abs(world.joint_value(id, JointAxis::AngleZ) - angle));
        }
        MESSAGE("the worst arm is " << worst << " rad off");
        CHECK(worst <= 1e-5); // 2e-3 before drives were rows
    }
}

TEST_CASE("jointed piles: in free space a cloud with joints keeps its momentum to round-off") {
    WorldSettings settings;
    settings.gravity = glm::dvec3(0.0);
    World world(settings);
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;
    for (int i = 0; i < 216; ++i) {
        const glm::dvec3 place(1.02 * (i % 6) - 2.5, 1.02 * (i / 6 % 6) - 2.5, 1.02 * (i / 36) - 2.5);
        BodyDesc desc = cube(place);
        desc.linear_velocity = -0.5 * place;
        desc.angular_velocity = {0.3, 0.1 * (i % 7), -0.2};
        bodies.push_back(world.create_body(desc));
        if (i % 6 == 5) {
            joints.push_back(
                world.create_joint(ball(world, bodies[i - 1], bodies[i], place - glm::dvec3(0.51, 0.0, 0.0))));
        }
    }
    const auto momentum = [&] {
        glm::dvec3 sum(0.0);
        for (const BodyId id : bodies) {
            sum += world.body(id).linear_velocity(); // of 1 kg each
        }
        return sum;
    };
    const glm::dvec3 before = momentum();
    int soft = 0;
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
        soft += has_regime(world, IslandRegime::Soft) ? 1 : 0;
    }
    CHECK(soft > 60);
    CHECK(glm::length(momentum() - before) <= 1e-11);
    CHECK(widest_gap(world, joints) <= 1e-9);
}
