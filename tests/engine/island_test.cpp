// An island and its stock, without a world around them.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "islands/island.h"
#include "islands/island_stock.h"
#include "joints/joint_query.h"
#include "test_worlds.h"

using namespace engine_tests;
using namespace substep::detail;

namespace {

// A box on a hinge of the ground, as a model.
struct HingedBox {
    Model model;
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;

    explicit HingedBox(const IntegratorSettings& integrator) {
        model.settings.integrator = integrator;
        model.time.set_dt(kFrame);
        BodyDesc box;
        box.mass = 1.0;
        box.collides = false;
        box.shape = Box{{0.5, 0.1, 0.1}};
        box.pose.position = {0.5, 0.0, 0.0};
        bodies.push_back(model.bodies.insert(make_body(box, 0.0)));
        JointDesc hinge;
        hinge.body_a = kGround;
        hinge.body_b = bodies[0];
        hinge.frame_b.position = {-0.5, 0.0, 0.0};
        hinge.locked_rotation = {true, true, false};
        joints.push_back(model.joints.insert(make_joint(model.bodies, hinge, 0.0)));
        number_bodies(model.bodies, bodies);
    }
    IslandMembers members() const { return {bodies, joints, {}}; }
    void advance(Island& island) {
        island.advance(model, model.time.now(), model.time.next(), {});
        ++model.time.steps;
    }
};

std::vector<std::byte> saved(Island& island, const Model& model) {
    std::vector<std::byte> bytes;
    ArchiveWriter writer(bytes);
    island.save(model, writer);
    writer.finish();
    return bytes;
}

} // namespace

TEST_CASE("an island without a world makes the steps that it makes in one, to the bit") {
    const IntegratorSettings integrator = adaptive(1e-8, Boundary::RunAhead);
    HingedBox lone(integrator);
    Island island;
    island.make(lone.model, lone.members(), 0);
    CHECK(island.consists_of(lone.members()));
    CHECK(island.has_to_do_with(kGround));

    World world({.integrator = integrator});
    BodyDesc box;
    box.mass = 1.0;
    box.collides = false;
    box.shape = Box{{0.5, 0.1, 0.1}};
    box.pose.position = {0.5, 0.0, 0.0};
    const BodyId body = world.create_body(box);
    world.create_joint(hinge(world, kGround, body, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    for (int frame = 0; frame < 30; ++frame) {
        lone.advance(island);
        world.advance(kFrame);
        REQUIRE(island.report().status == StepStatus::ReachedTarget);
        CHECK(lone.model.bodies[lone.bodies[0]].now.x == world.pose(body).position);
    }
    CHECK(lone.model.bodies[lone.bodies[0]].now.x.y < -0.1);
}

TEST_CASE("an island that was saved goes on in another one as it went on itself") {
    HingedBox one(adaptive(1e-8, Boundary::RunAhead));
    Island island;
    island.make(one.model, one.members(), 0);
    one.advance(island);
    const std::vector<std::byte> bytes = saved(island, one.model);

    HingedBox two = one; // the model as it was restored
    Island other;
    other.make(two.model, two.members(), 0);
    ArchiveReader reader{bytes};
    other.restore(two.model, reader);
    CHECK(reader.bytes.empty());
    for (int frame = 0; frame < 10; ++frame) {
        one.advance(island);
        two.advance(other);
    }
    CHECK(one.model.bodies[one.bodies[0]].now.x == two.model.bodies[two.bodies[0]].now.x);
    CHECK(saved(island, one.model) == saved(other, two.model));
    BitHash hash_of_one;
    BitHash hash_of_two;
    island.add_to(hash_of_one, true);
    other.add_to(hash_of_two, true);
    CHECK(hash_of_one.value() == hash_of_two.value());
}

TEST_CASE("a step says which joint could not be closed, until one closes all") {
    HingedBox box(fixed("rk4", 4));
    Island island;
    island.make(box.model, box.members(), 0);
    JointRefusal refusal;
    CHECK(refusal.sentence().empty());
    Assembly assembly;
    assembly.closed = false;
    assembly.worst_row = 0;
    assembly.gap = 0.25;
    refusal.say({{7, 2}, ""}, assembly);
    CHECK(refusal.sentence() ==
          "The joint with index 7 and generation 2 cannot be closed: its frames stay 0.25 m apart.");
    refusal.say({{7, 2}, "elbow"}, assembly);
    CHECK(refusal.sentence() == "The joint \"elbow\" cannot be closed: its frames stay 0.25 m apart.");
    refusal.forget();
    CHECK(refusal.sentence().empty());

    box.model.bodies[box.bodies[0]].now.x.x = 0.6; // an edit that the joint answers
    box.model.bodies[box.bodies[0]].edited = true;
    box.advance(island);
    CHECK(island.report().message.empty());
    CHECK_FALSE(box.model.bodies[box.bodies[0]].edited);
    CHECK(std::abs(glm::length(box.model.bodies[box.bodies[0]].now.x) - 0.5) < 1e-9);
}

TEST_CASE("the stock gives back the same island to the same members, and makes one for others") {
    HingedBox box(fixed("rk4", 4));
    IslandStock stock;
    stock.count_colliding(box.model);
    std::unique_ptr<Island> island = stock.take(box.model, box.members(), false);
    const Island* const first = island.get();
    box.advance(*island);
    stock.put(std::move(island), true);
    island = stock.take(box.model, box.members(), false);
    CHECK(island.get() == first);
    CHECK(island->report().accepted == 0); // made again
    stock.put(std::move(island), true);

    std::unique_ptr<Island> free = stock.take(box.model, {box.bodies, {}, {}}, false);
    CHECK(free.get() != first);
    const Island* const second = free.get();
    stock.put(std::move(free), true);
    CHECK(stock.take(box.model, {box.bodies, {}, {}}, false).get() == second); // its memory areas

    stock.forget_known();
    CHECK(stock.take(box.model, box.members(), false)->has_joints());
    CHECK(stock.drop_if_outdated({.integrator = fixed("rk4", 4)})); // it was sized for nothing yet
    stock.provide(box.model, {});
    CHECK_FALSE(stock.drop_if_outdated(box.model.settings));
}
