// Piles in Bullet: its default world, with the tree of boxes that it recommends.
#include "piles.h"

#ifdef SUBSTEP_BENCH_BULLET

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include <btBulletDynamicsCommon.h>

#include "frame_times.h"
#include "substep/collision/mass_properties.h"

namespace substep_bench {
namespace {

using namespace substep;

btVector3 to_bullet(const glm::dvec3& v) { return {btScalar(v.x), btScalar(v.y), btScalar(v.z)}; }
glm::dvec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

btTransform placed(const glm::dvec3& position, const glm::dquat& q) {
    return btTransform(btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w)), to_bullet(position));
}

// Margins are Bullet's own: hulls and cones reach 4 cm farther than they are, all others have it inside.
std::unique_ptr<btCollisionShape> shape_of(const Shape& shape) {
    return std::visit(
        [](const auto& s) -> std::unique_ptr<btCollisionShape> {
            using S = std::decay_t<decltype(s)>;
            if constexpr (std::is_same_v<S, Box>) {
                return std::make_unique<btBoxShape>(to_bullet(s.half_sizes));
            } else if constexpr (std::is_same_v<S, Sphere>) {
                return std::make_unique<btSphereShape>(btScalar(s.radius));
            } else if constexpr (std::is_same_v<S, Capsule>) {
                return std::make_unique<btCapsuleShape>(btScalar(s.radius), btScalar(2.0 * s.half_length));
            } else if constexpr (std::is_same_v<S, Cylinder>) {
                return std::make_unique<btCylinderShape>(to_bullet({s.radius, s.half_length, s.radius}));
            } else if constexpr (std::is_same_v<S, TaperedCylinder>) {
                return std::make_unique<btConeShape>(btScalar(s.radius_bottom), btScalar(2.0 * s.half_length));
            } else if constexpr (std::is_same_v<S, ScaledHull>) {
                auto hull = std::make_unique<btConvexHullShape>();
                for (const glm::dvec3& vertex : s.hull->vertices()) {
                    hull->addPoint(to_bullet(s.scale * vertex), false);
                }
                hull->recalcLocalAabb();
                return hull;
            } else {
                return nullptr; // no pile has one
            }
        },
        shape);
}

// The moments about the shape's own axes: Bullet takes a body's origin for its centre of mass, a cone's too.
btVector3 moments_of(const Shape& shape) {
    const glm::dmat3 inertia = mass_properties(shape, 1.0).inertia;
    return to_bullet({inertia[0][0], inertia[1][1], inertia[2][2]});
}

class BulletPile final : public PileEngine {
public:
    BulletPile(const Pile& pile, bool sleeps)
        : dispatcher_(&configuration_), world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
        world_.setGravity(btVector3(0.0, btScalar(-9.8), 0.0));
        for (const Shape& shape : pile.shapes) {
            shapes_.push_back(shape_of(shape));
        }
        for (const PileBody& body : pile.bodies) {
            btCollisionShape* const shape = shapes_[body.shape].get();
            const bool is_fixed = body.is_fixed;
            btRigidBody::btRigidBodyConstructionInfo info(is_fixed ? 0.0f : 1.0f, nullptr, shape,
                                                          is_fixed ? btVector3(0.0, 0.0, 0.0)
                                                                   : moments_of(pile.shapes[body.shape]));
            info.m_startWorldTransform = placed(body.pose.position, body.pose.orientation);
            info.m_linearDamping = info.m_angularDamping = 0.0;
            // Frictions of two bodies are multiplied; the resistance of each is by the other's friction, and both are
            // added.
            const double friction = std::sqrt(0.5);
            info.m_friction = btScalar(friction);
            info.m_rollingFriction = info.m_spinningFriction = btScalar(pile.resistance / (2.0 * friction));
            info.m_restitution = 0.0;
            bodies_.push_back(std::make_unique<btRigidBody>(info));
            bodies_.back()->setUserIndex(static_cast<int>(bodies_.size() - 1));
            if (!sleeps) {
                bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
            }
            world_.addRigidBody(bodies_.back().get());
        }
    }
    ~BulletPile() override {
        for (const auto& body : bodies_) {
            world_.removeRigidBody(body.get());
        }
    }
    BulletPile(const BulletPile&) = delete;
    BulletPile& operator=(const BulletPile&) = delete;

    void advance_frame() override { world_.stepSimulation(btScalar(kFrame), 0); }

    void read(std::vector<BodyMotionNow>& bodies) override {
        bodies.resize(bodies_.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const btRigidBody& body = *bodies_[i];
            const btQuaternion q = body.getWorldTransform().getRotation();
            bodies[i] = {from_bullet(body.getWorldTransform().getOrigin()),
                         glm::normalize(glm::dquat(q.w(), q.x(), q.y(), q.z())), from_bullet(body.getLinearVelocity()),
                         from_bullet(body.getAngularVelocity())};
        }
    }

    void put(std::span<const BodyMotionNow> bodies) override {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            bodies_[i]->setWorldTransform(placed(bodies[i].position, bodies[i].orientation));
        }
    }

    // What performDiscreteCollisionDetection does, in its order.
    CollisionTime collide() override {
        const double begin = cpu_time_us();
        world_.updateAabbs();
        world_.computeOverlappingPairs();
        const double middle = cpu_time_us();
        dispatcher_.dispatchAllCollisionPairs(broad_phase_.getOverlappingPairCache(), world_.getDispatchInfo(),
                                              &dispatcher_);
        return {middle - begin, cpu_time_us() - middle};
    }

    void find_touching(std::vector<TouchingPair>& pairs) override {
        for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
            const btPersistentManifold* const manifold = dispatcher_.getManifoldByIndexInternal(i);
            if (manifold->getNumContacts() > 0) {
                const auto a = static_cast<std::uint32_t>(manifold->getBody0()->getUserIndex());
                const auto b = static_cast<std::uint32_t>(manifold->getBody1()->getUserIndex());
                pairs.push_back({std::min(a, b), std::max(a, b)});
            }
        }
    }

    const btCollisionWorld& world() const { return world_; }

private:
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broad_phase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

} // namespace

std::unique_ptr<PileEngine> pile_in_bullet(const Pile& pile, bool sleeps) {
    return std::make_unique<BulletPile>(pile, sleeps);
}

std::function<double(const Ray&)> rays_in_bullet(const Pile& pile) {
    const auto engine = std::make_shared<BulletPile>(pile, false);
    engine->collide(); // puts the boxes where the bodies are
    return [engine](const Ray& ray) {
        const btVector3 from = to_bullet(ray.origin);
        const btVector3 to = to_bullet(ray.origin + ray.length * ray.direction);
        btCollisionWorld::ClosestRayResultCallback nearest(from, to);
        engine->world().rayTest(from, to, nearest);
        return nearest.hasHit() ? double(nearest.m_closestHitFraction) * ray.length
                                : std::numeric_limits<double>::infinity();
    };
}

std::string bullet_release() {
    return "Bullet " + std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
}

} // namespace substep_bench

#else

std::unique_ptr<substep_bench::PileEngine> substep_bench::pile_in_bullet(const Pile&, bool) { return nullptr; }
std::function<double(const substep::Ray&)> substep_bench::rays_in_bullet(const Pile&) { return {}; }
std::string substep_bench::bullet_release() { return "Bullet (not installed)"; }

#endif
