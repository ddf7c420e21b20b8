// The scene graph: composition of transforms, and the bodies' write-back under moving parents.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <glm/geometric.hpp>

#include "substep/scenes/scene_graph.h"

using namespace substep;

namespace {

// Unit quaternions and coordinates of a few metres: some units in the last place.
constexpr double kRounding = 1e-14;

Pose turned_about_z(const glm::dvec3& position, double angle) {
    return {position, {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)}};
}

bool same(const Pose& a, const Pose& b) {
    const double alignment = std::abs(glm::dot(a.orientation, b.orientation));
    return glm::length(a.position - b.position) < kRounding && std::abs(alignment - 1.0) < kRounding;
}

World falling_world() {
    WorldSettings settings;
    settings.integrator.method = "rk4";
    return World(settings);
}

BodyId add_spinning_body(World& world, const glm::dvec3& position) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.collides = false;
    desc.shape = Box{{0.1, 0.2, 0.3}};
    desc.pose = turned_about_z(position, 0.4);
    desc.linear_velocity = {1.0, 2.0, 3.0};
    desc.angular_velocity = {3.0, -1.0, 2.0};
    return world.create_body(desc);
}

} // namespace

TEST_CASE("a child's world pose is its parents' poses applied in order") {
    SceneGraph graph;
    const NodeIndex root =
        graph.add({"root", kNoNode, turned_about_z({1.0, 0.0, 0.0}, 0.5 * std::numbers::pi), {}, kGround});
    const NodeIndex arm =
        graph.add({"arm", root, turned_about_z({2.0, 0.0, 0.0}, 0.5 * std::numbers::pi), {}, kGround});
    const NodeIndex hand = graph.add({"hand", arm, {{3.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}, {}, kGround});
    CHECK(same(graph.world_pose(arm), turned_about_z({1.0, 2.0, 0.0}, std::numbers::pi)));
    CHECK(same(graph.world_pose(hand), turned_about_z({-2.0, 2.0, 0.0}, std::numbers::pi)));
}

TEST_CASE("a parent that does not exist yet is refused and the graph stays as it was") {
    SceneGraph graph;
    CHECK_THROWS_AS(graph.add({"orphan", 0, {}, {}, kGround}), std::invalid_argument);
    CHECK(graph.nodes().empty());
}

TEST_CASE("bodies write back to their nodes, also below a fixed parent and below another body") {
    World world = falling_world();
    const BodyId carrier = add_spinning_body(world, {0.0, 5.0, 0.0});
    const BodyId rider = add_spinning_body(world, {1.0, 6.0, -2.0});

    SceneGraph graph;
    const NodeIndex root = graph.add({"root", kNoNode, turned_about_z({4.0, -1.0, 2.0}, 1.1), {}, kGround});
    const NodeIndex carrier_node = graph.add({"carrier", root, {}, {}, carrier});
    const NodeIndex rider_node = graph.add({"rider", carrier_node, {}, {}, rider});
    const Pose offset = turned_about_z({0.0, 0.3, 0.0}, 0.2);
    const NodeIndex flag = graph.add({"flag", rider_node, offset, {}, kGround});
    for (int frame = 0; frame < 30; ++frame) {
        REQUIRE(world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
        graph.update_from(world);
        CHECK(same(graph.world_pose(carrier_node), world.pose(carrier)));
        CHECK(same(graph.world_pose(rider_node), world.pose(rider)));
    }
    // What no body moves keeps its place relative to its parent.
    CHECK(same(graph.nodes()[flag].local, offset));
    const Pose rider_pose = world.pose(rider);
    CHECK(glm::length(graph.world_pose(flag).position -
                      (rider_pose.position + rider_pose.orientation * offset.position)) < kRounding);
}

TEST_CASE("nodes can stand at any time within the last step") {
    World world = falling_world();
    const BodyId body = add_spinning_body(world, {0.0, 5.0, 0.0});
    SceneGraph graph;
    const NodeIndex node = graph.add({"body", kNoNode, {}, {}, body});
    REQUIRE(world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
    graph.update_from(world, 1.0 / 120.0);
    CHECK(same(graph.world_pose(node), world.sample(body, 1.0 / 120.0)));
    CHECK_FALSE(same(graph.world_pose(node), world.pose(body)));
}

TEST_CASE("the node of a destroyed body stays where it was") {
    World world = falling_world();
    const BodyId body = add_spinning_body(world, {0.0, 5.0, 0.0});
    SceneGraph graph;
    const NodeIndex node = graph.add({"body", kNoNode, {}, {}, body});
    graph.update_from(world);
    const Pose last = graph.world_pose(node);
    world.destroy_body(body);
    world.advance(1.0 / 60.0);
    graph.update_from(world);
    CHECK(same(graph.world_pose(node), last));
}

TEST_CASE("what a destroyed body moves is not visible; what another body moves is") {
    World world = falling_world();
    const BodyId body = add_spinning_body(world, {0.0, 5.0, 0.0});
    const BodyId other = add_spinning_body(world, {3.0, 5.0, 0.0});
    const NodeAppearance look{Sphere{0.1}};
    SceneGraph graph;
    const NodeIndex group = graph.add({"group", kNoNode, {}, {}, body});
    const NodeIndex part = graph.add({"part", group, {}, look});
    const NodeIndex own = graph.add({"own", group, {}, look, other});
    const NodeIndex ground = graph.add({"ground", kNoNode, {}, look});
    graph.update_from(world);
    CHECK(graph.visible(group) == nullptr);
    CHECK(graph.visible(part) != nullptr);
    world.destroy_body(body);
    graph.update_from(world);
    CHECK(graph.visible(part) == nullptr);
    CHECK(graph.visible(own) != nullptr);
    CHECK(graph.visible(ground) != nullptr);
    CHECK_THROWS_AS(graph.visible(ground + 1), std::out_of_range);
}
