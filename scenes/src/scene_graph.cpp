// The transform hierarchy: parents before children, so that one pass places everything.
#include "substep/scenes/scene_graph.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace substep {
namespace {

Pose compose(const Pose& parent, const Pose& local) {
    return {parent.position + parent.orientation * local.position, parent.orientation * local.orientation};
}

Pose relative_to(const Pose& parent, const Pose& world) {
    const glm::dquat inverse = glm::conjugate(parent.orientation);
    return {inverse * (world.position - parent.position), inverse * world.orientation};
}

} // namespace

NodeIndex SceneGraph::add(Node node) {
    if (node.parent != kNoNode && node.parent >= nodes_.size()) {
        throw std::invalid_argument("node \"" + node.name + "\": parent " + std::to_string(node.parent) +
                                    " does not exist; a graph of " + std::to_string(nodes_.size()) +
                                    " nodes allows indices below that number");
    }
    nodes_.push_back(std::move(node));
    return static_cast<NodeIndex>(nodes_.size() - 1);
}

void SceneGraph::set_local(NodeIndex node, const Pose& local) { nodes_.at(node).local = local; }

Pose SceneGraph::world_pose(NodeIndex node) const {
    Pose pose = nodes_.at(node).local;
    for (NodeIndex parent = nodes_[node].parent; parent != kNoNode; parent = nodes_[parent].parent) {
        pose = compose(nodes_[parent].local, pose);
    }
    return pose;
}

BodyId SceneGraph::body_of(NodeIndex node) const {
    BodyId body = nodes_.at(node).body;
    for (NodeIndex up = nodes_[node].parent; body == kGround && up != kNoNode; up = nodes_[up].parent) {
        body = nodes_[up].body;
    }
    return body;
}

const NodeAppearance* SceneGraph::visible(NodeIndex node) const {
    NodeIndex moved = node;
    while (nodes_.at(moved).body == kGround && nodes_[moved].parent != kNoNode) {
        moved = nodes_[moved].parent;
    }
    const std::optional<NodeAppearance>& appearance = nodes_[node].appearance;
    return appearance && !nodes_[moved].body_is_gone ? &*appearance : nullptr;
}

template <class PoseOf>
void SceneGraph::update(const World& world, PoseOf pose_of) {
    // Parents come first, so a parent that a body moves has already been moved.
    for (Node& node : nodes_) {
        node.body_is_gone = node.body != kGround && !world.is_valid(node.body);
        if (node.body == kGround || node.body_is_gone) {
            continue;
        }
        const Pose pose = pose_of(node.body);
        node.local = node.parent == kNoNode ? pose : relative_to(world_pose(node.parent), pose);
    }
}

void SceneGraph::update_from(const World& world) {
    update(world, [&](BodyId id) { return world.pose(id); });
}

void SceneGraph::update_from(const World& world, double t) {
    update(world, [&](BodyId id) { return world.sample(id, t); });
}

void SceneGraph::place(const World& world, std::span<const Pose> poses) {
    const std::span<const BodyId> bodies = world.bodies();
    update(world,
           [&](BodyId id) { return poses[static_cast<std::size_t>(std::ranges::find(bodies, id) - bodies.begin())]; });
}

} // namespace substep
