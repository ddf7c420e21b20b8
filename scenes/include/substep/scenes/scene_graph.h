// A transform hierarchy that bodies write back to and the renderer draws from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "substep/engine/world.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Index of a node in its graph.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xffffffffu;

/// What a node looks like, in words that any renderer understands.
struct NodeAppearance {
    Shape shape;
    enum class Role { Body, Support, Bob } role = Role::Body; ///< chooses the material
};

struct Node {
    std::string name;
    NodeIndex parent = kNoNode;
    Pose local;                               ///< relative to the parent
    std::optional<NodeAppearance> appearance; ///< nothing: an invisible group
    BodyId body = kGround;                    ///< the body that moves this node, if any
    bool body_is_gone = false;                ///< it was destroyed when the graph was updated last
};

/// A forest of nodes; a parent always comes before its children.
class SceneGraph {
public:
    /// Throws std::invalid_argument if the parent does not exist.
    NodeIndex add(Node node);
    const std::vector<Node>& nodes() const noexcept { return nodes_; }
    /// Both throw std::out_of_range if the node does not exist.
    void set_local(NodeIndex node, const Pose& local);
    Pose world_pose(NodeIndex node) const;
    /// Returns the body that moves the node, or a node above it; kGround: none. Throws likewise.
    BodyId body_of(NodeIndex node) const;
    /// Returns what there is to see of the node: null for a group, and where that body is gone. Throws likewise.
    const NodeAppearance* visible(NodeIndex node) const;

    /// Writes every bound body's present pose into its node, converted to the parent's frame. Nodes of destroyed
    /// bodies stay where they are, and are not visible.
    void update_from(const World& world);
    /// The same with the poses at time t within the last step.
    void update_from(const World& world, double t);
    /// The same with the poses given, in order of World::bodies(), as Truth::poses writes them.
    void place(const World& world, std::span<const Pose> poses);

private:
    template <class PoseOf>
    void update(const World& world, PoseOf pose_of);
    std::vector<Node> nodes_;
};

} // namespace substep

#pragma GCC visibility pop
