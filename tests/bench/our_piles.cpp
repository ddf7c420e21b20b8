// The bodies of a pile in our own collision: the boxes and the tree of the broad phase, and the narrow phase.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <variant>

#include <glm/common.hpp>
#include <glm/gtc/quaternion.hpp>

#include "frame_times.h"
#include "pairs/moving_boxes.h"
#include "piles.h"
#include "substep/collision/narrow_phase.h"

namespace substep_bench {
namespace {

using namespace substep;
using namespace substep::detail;

// Sizes of components: glm::abs asks for each sign, which no branch can foretell.
glm::dvec3 absolute(const glm::dvec3& v) { return {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}; }

// The box that holds a solid, half sizes about its place: of a ball r, of a disc about an axis a r sqrt(1 - a_i^2).
BoundingBox box_of(const Convex& solid, const Placement& at) {
    return std::visit(
        [&](const auto& s) -> BoundingBox {
            using S = std::decay_t<decltype(s)>;
            const glm::dmat3& turn = at.rotation;
            if constexpr (std::is_same_v<S, Sphere>) {
                return {at.position - glm::dvec3(s.radius), at.position + glm::dvec3(s.radius)};
            } else if constexpr (std::is_same_v<S, Box>) {
                const glm::dvec3 half = absolute(turn[0]) * s.half_sizes.x + absolute(turn[1]) * s.half_sizes.y +
                                        absolute(turn[2]) * s.half_sizes.z;
                return {at.position - half, at.position + half};
            } else if constexpr (std::is_same_v<S, TaperedCapsule>) {
                const glm::dvec3 end = s.half_length * turn[1];
                const glm::dvec3 bottom(s.radius_bottom), top(s.radius_top);
                return hull({at.position - end - bottom, at.position - end + bottom},
                            {at.position + end - top, at.position + end + top});
            } else if constexpr (std::is_same_v<S, TaperedCylinder>) {
                const glm::dvec3 end = s.half_length * turn[1];
                const glm::dvec3 rim = glm::sqrt(glm::max(glm::dvec3(0.0), 1.0 - turn[1] * turn[1]));
                const glm::dvec3 bottom = s.radius_bottom * rim, top = s.radius_top * rim;
                return hull({at.position - end - bottom, at.position - end + bottom},
                            {at.position + end - top, at.position + end + top});
            } else if constexpr (std::is_same_v<S, HullView>) {
                const glm::dmat3 scaled(s.scale.x * turn[0], s.scale.y * turn[1], s.scale.z * turn[2]);
                glm::dvec3 low(1e300), high(-1e300);
                for (const glm::dvec3& vertex : s.hull->vertices()) {
                    const glm::dvec3 turned = scaled * vertex;
                    low = glm::min(low, turned);
                    high = glm::max(high, turned);
                }
                return {at.position + low, at.position + high};
            } else {
                return {glm::dvec3(-1e300), glm::dvec3(1e300)}; // a half space, which no pile has
            }
        },
        solid);
}

// Manifolds are recycled while two bodies have moved to one another by less than this since they were tested.
constexpr double kRecycledWay = 3e-3;  // m
constexpr double kRecycledTurn = 3e-3; // rad

double squared(const glm::dvec3& v) { return glm::dot(v, v); }

class OurPile final : public PileCollider {
public:
    OurPile(const Pile& pile, double margin, bool recycles) : margin_(margin), recycles_(recycles) {
        for (const Shape& shape : pile.shapes) {
            const ShapeSolid of_shape = solid_of(shape);
            shapes_.push_back({of_shape.solid, of_shape.rotation});
        }
        for (const PileBody& body : pile.bodies) {
            bodies_.push_back(
                {.shape = body.shape, .is_fixed = body.is_fixed, .is_ball = is_ball(pile.shapes[body.shape])});
        }
        boxes_.resize(bodies_.size());
        tree_.reserve(bodies_.size());
    }

    void put(std::span<const BodyMotionNow> bodies) override {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            bodies_[i].at = {bodies[i].position,
                             glm::mat3_cast(bodies[i].orientation) * shapes_[bodies_[i].shape].rotation};
            bodies_[i].orientation = bodies[i].orientation;
        }
    }

    CollisionTime collide() override {
        const double begin = cpu_time_us();
        find_near();
        const double middle = cpu_time_us();
        touch();
        return {middle - begin, cpu_time_us() - middle};
    }

    void find_touching(std::vector<TouchingPair>& pairs) override {
        for (std::size_t i = 0; i < touching_; ++i) {
            pairs.push_back(pairs_[touches_[i].pair].bodies);
        }
    }

private:
    struct SolidShape {
        Convex solid;
        glm::dmat3 rotation{1.0};
    };
    struct Body {
        std::size_t shape = 0;
        Placement at{};
        glm::dquat orientation{1.0, 0.0, 0.0, 0.0};
        bool is_fixed = false;
        bool is_ball = false;
        bool is_fast = false; ///< has moved by more since the last call than manifolds hold for
        glm::dvec3 last_position{0.0};
        glm::dquat last_orientation{1.0, 0.0, 0.0, 0.0};
    };
    /// A manifold as it was found, on either body.
    struct Known {
        glm::dvec3 position{0.0}; ///< m, of the second body in the axes of the first
        glm::dquat turn{1.0, 0.0, 0.0, 0.0};
        Manifold manifold{};
    };
    /// Two bodies that may be near, for as long as the tree holds.
    struct Pair {
        TouchingPair bodies{}; ///< the smaller number first
        SeparatingAxis axis{};
        std::size_t known = kNothing; ///< number of what is known
    };
    static constexpr std::size_t kNothing = ~std::size_t{0};

    void find_near() {
        const glm::dvec3 half_margin(0.5 * margin_);
        tree_.begin();
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            const BoundingBox box = box_of(shapes_[bodies_[i].shape].solid, bodies_[i].at);
            boxes_[i] = {box.low - half_margin, box.high + half_margin};
            tree_.tell(boxes_[i]);
        }
        if (!tree_.end()) {
            tree_.build([&](std::size_t i) { return boxes_[i]; });
            list_pairs();
        }
    }

    // What moves so far in one frame will hardly be where it was in the next.
    void find_fast() {
        for (Body& body : bodies_) {
            body.is_fast =
                !is_recycled(squared(body.at.position - body.last_position), body.orientation, body.last_orientation);
            body.last_position = body.at.position;
            body.last_orientation = body.orientation;
        }
    }

    // Half the angle between two turns is as long as the difference of their quaternions, when it is small.
    static bool is_recycled(double way_squared, const glm::dquat& turn, const glm::dquat& before) {
        const glm::dquat minus = turn - before;
        const glm::dquat plus = turn + before;
        const double angle = 4.0 * std::min(glm::dot(minus, minus), glm::dot(plus, plus));
        return way_squared <= kRecycledWay * kRecycledWay && angle <= kRecycledTurn * kRecycledTurn;
    }

    static std::uint64_t key_of(const TouchingPair& bodies) {
        return static_cast<std::uint64_t>(bodies[0]) << 32 | bodies[1];
    }

    // Pairs come in the order of their bodies, so that what was known of one is found again.
    void list_pairs() {
        earlier_.swap(pairs_);
        pairs_.clear();
        auto before = earlier_.cbegin();
        tree_.find_pairs([&](std::uint32_t a, std::uint32_t b) {
            if (bodies_[a].is_fixed && bodies_[b].is_fixed) {
                return;
            }
            const std::uint64_t key = key_of({a, b});
            while (before != earlier_.cend() && key_of(before->bodies) < key) {
                forget(*before++);
            }
            if (before != earlier_.cend() && key_of(before->bodies) == key) {
                pairs_.push_back(*before++);
            } else {
                pairs_.push_back({{a, b}});
            }
        });
        while (before != earlier_.cend()) {
            forget(*before++);
        }
    }

    void forget(const Pair& pair) {
        if (pair.known != kNothing) {
            unused_.push_back(pair.known);
        }
    }

    // Which boxes overlap nobody can foretell: these pairs are listed without a branch. What is not recycled is tested
    // in one call.
    void touch() {
        if (recycles_) {
            find_fast();
        }
        near_.resize(pairs_.size());
        std::size_t count = 0;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const auto [a, b] = pairs_[i].bodies;
            near_[count] = static_cast<std::uint32_t>(i);
            count += overlap(boxes_[a], boxes_[b]) ? 1 : 0;
        }
        if (touches_.size() < count) {
            touches_.resize(count + count / 4);
        }
        tested_.clear();
        numbers_.clear();
        touching_ = 0;
        for (std::size_t k = 0; k < count; ++k) {
            Pair& pair = pairs_[near_[k]];
            const Body& a = bodies_[pair.bodies[0]];
            const Body& b = bodies_[pair.bodies[1]];
            if (pair.known != kNothing) {
                if (recycle(pair.known, a, b, touches_[touching_].manifold)) {
                    touches_[touching_++].pair = near_[k];
                    continue;
                }
                forget(pair);
                pair.known = kNothing;
            }
            tested_.push_back({&shapes_[a.shape].solid, &a.at, &shapes_[b.shape].solid, &b.at, &pair.axis});
            numbers_.push_back(near_[k]);
        }
        const std::span<TouchingSolids> found = std::span(touches_).subspan(touching_);
        const std::size_t found_count = substep::detail::collide(tested_, margin_, found);
        touching_ += found_count;
        for (TouchingSolids& each : found.first(found_count)) {
            each.pair = numbers_[each.pair];
        }
        if (recycles_) {
            for (const TouchingSolids& each : found.first(found_count)) {
                remember(pairs_[each.pair], each.manifold);
            }
        }
    }

    // What was found holds while the bodies have hardly moved to one another: its points keep their places on both.
    bool recycle(std::size_t number, const Body& a, const Body& b, Manifold& manifold) {
        const Known& known = known_[number];
        const glm::dvec3 position = (b.at.position - a.at.position) * a.at.rotation;
        const glm::dquat turn = glm::conjugate(a.orientation) * b.orientation;
        if (!is_recycled(squared(position - known.position), turn, known.turn)) {
            return false;
        }
        place(known.manifold, a.at, b.at, manifold);
        return true;
    }

    void remember(Pair& pair, const Manifold& manifold) {
        const Body& a = bodies_[pair.bodies[0]];
        const Body& b = bodies_[pair.bodies[1]];
        if (a.is_ball || b.is_ball || a.is_fast || b.is_fast) {
            return;
        }
        if (unused_.empty()) {
            unused_.push_back(known_.size());
            known_.emplace_back();
        }
        pair.known = unused_.back();
        unused_.pop_back();
        Known& known = known_[pair.known];
        known.position = (b.at.position - a.at.position) * a.at.rotation;
        known.turn = glm::conjugate(a.orientation) * b.orientation;
        known.manifold.normal = manifold.normal * a.at.rotation;
        known.manifold.count = manifold.count;
        for (int i = 0; i < manifold.count; ++i) {
            const ManifoldPoint& from = manifold.points[static_cast<std::size_t>(i)];
            ManifoldPoint& to = known.manifold.points[static_cast<std::size_t>(i)];
            to.positions = {(from.positions[0] - a.at.position) * a.at.rotation,
                            (from.positions[1] - b.at.position) * b.at.rotation};
            to.parts = from.parts;
        }
    }

    static void place(const Manifold& known, const Placement& a, const Placement& b, Manifold& manifold) {
        manifold.normal = a.rotation * known.normal;
        manifold.count = known.count;
        for (int i = 0; i < known.count; ++i) {
            const ManifoldPoint& from = known.points[static_cast<std::size_t>(i)];
            ManifoldPoint& to = manifold.points[static_cast<std::size_t>(i)];
            to.positions = {a.position + a.rotation * from.positions[0], b.position + b.rotation * from.positions[1]};
            to.gap = glm::dot(manifold.normal, to.positions[0] - to.positions[1]);
            to.parts = from.parts;
        }
    }

    double margin_; ///< m
    bool recycles_;
    std::vector<SolidShape> shapes_;
    std::vector<Body> bodies_;
    std::vector<BoundingBox> boxes_; ///< with half the margin
    MovingBoxes tree_;
    std::vector<Pair> pairs_;
    std::vector<Pair> earlier_;
    std::vector<Known> known_;
    std::vector<std::size_t> unused_; ///< of known_
    std::vector<std::uint32_t> near_; ///< numbers of pairs whose boxes overlap
    std::vector<PlacedSolids> tested_;
    std::vector<std::uint32_t> numbers_;  ///< of these pairs
    std::vector<TouchingSolids> touches_; ///< the first touching_ of them
    std::size_t touching_ = 0;
};

} // namespace

std::unique_ptr<PileCollider> collide_pile(const Pile& pile, double margin, bool recycles) {
    return std::make_unique<OurPile>(pile, margin, recycles);
}

} // namespace substep_bench
