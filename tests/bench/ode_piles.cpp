// Piles in ODE: QuickStep, the hash space, four contacts a pair.
#include "piles.h"

#ifdef SUBSTEP_BENCH_ODE

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <variant>

#include <ode/ode.h>

#include "frame_times.h"
#include "substep/collision/mass_properties.h"

namespace substep_bench {
namespace {

using namespace substep;

constexpr int kContacts = 4;     // of a pair
constexpr int kConeCorners = 24; // ODE has no cones: theirs are hulls

// ODE's library is set up once, and taken down at the end.
void set_up_ode() {
    struct Library {
        Library() { dInitODE2(0); }
        ~Library() { dCloseODE(); }
    };
    static const Library library;
}

/// A hull as ODE takes it; the lists have to outlive the geometry.
struct OdeHull {
    std::vector<dReal> planes;
    std::vector<dReal> points;
    std::vector<unsigned> polygons; ///< of each face the number of its corners, and which they are

    explicit OdeHull(const ConvexHull& hull, const glm::dvec3& scale) {
        for (const glm::dvec3& vertex : hull.vertices()) {
            const glm::dvec3 scaled = scale * vertex;
            points.insert(points.end(), {scaled.x, scaled.y, scaled.z});
        }
        for (const ConvexHull::Face& face : hull.faces()) {
            const glm::dvec3 normal = glm::normalize(face.normal / scale);
            const glm::dvec3 on_face = scale * hull.vertices()[hull.loop(face)[0]];
            planes.insert(planes.end(), {normal.x, normal.y, normal.z, glm::dot(normal, on_face)});
            polygons.push_back(face.count);
            const auto loop = hull.loop(face);
            polygons.insert(polygons.end(), loop.begin(), loop.end());
        }
    }
};

std::shared_ptr<const ConvexHull> cone_hull(const TaperedCylinder& cone) {
    std::vector<glm::dvec3> points{{0.0, cone.half_length, 0.0}};
    for (int i = 0; i < kConeCorners; ++i) {
        const double angle = 2.0 * 3.14159265358979323846 * i / kConeCorners;
        points.emplace_back(cone.radius_bottom * std::cos(angle), -cone.half_length,
                            cone.radius_bottom * std::sin(angle));
    }
    return ConvexHull::make(points);
}

/// What a shape needs to become geometries.
struct OdeShape {
    std::unique_ptr<OdeHull> hull;
    dMass mass{};

    explicit OdeShape(const Shape& shape) {
        if (const auto* const scaled = std::get_if<ScaledHull>(&shape)) {
            hull = std::make_unique<OdeHull>(*scaled->hull, scaled->scale);
        } else if (const auto* const cone = std::get_if<TaperedCylinder>(&shape)) {
            hull = std::make_unique<OdeHull>(*cone_hull(*cone), glm::dvec3(1.0));
        }
        // ODE takes a body's origin for its centre of mass, a cone's too.
        const glm::dmat3 inertia = mass_properties(shape, 1.0).inertia;
        dMassSetParameters(&mass, 1.0, 0.0, 0.0, 0.0, inertia[0][0], inertia[1][1], inertia[2][2], inertia[0][1],
                           inertia[0][2], inertia[1][2]);
    }
};

dGeomID geometry_of(dSpaceID space, const Shape& shape, const OdeShape& own) {
    if (own.hull != nullptr) {
        return dCreateConvex(space, own.hull->planes.data(), static_cast<unsigned>(own.hull->planes.size() / 4),
                             own.hull->points.data(), static_cast<unsigned>(own.hull->points.size() / 3),
                             own.hull->polygons.data());
    }
    return std::visit(
        [&](const auto& s) -> dGeomID {
            using S = std::decay_t<decltype(s)>;
            if constexpr (std::is_same_v<S, Box>) {
                const glm::dvec3 sides = 2.0 * s.half_sizes;
                return dCreateBox(space, sides.x, sides.y, sides.z);
            } else if constexpr (std::is_same_v<S, Sphere>) {
                return dCreateSphere(space, s.radius);
            } else if constexpr (std::is_same_v<S, Capsule>) {
                return dCreateCapsule(space, s.radius, 2.0 * s.half_length);
            } else if constexpr (std::is_same_v<S, Cylinder>) {
                return dCreateCylinder(space, s.radius, 2.0 * s.half_length);
            } else {
                return nullptr; // no pile has one
            }
        },
        shape);
}

bool lies_along_z(const Shape& shape) {
    return std::holds_alternative<Capsule>(shape) || std::holds_alternative<Cylinder>(shape);
}

void set_quaternion(dQuaternion& out, const glm::dquat& q) {
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

class OdePile final : public PileEngine {
public:
    OdePile(const Pile& pile, bool sleeps) : resistance_(pile.resistance) {
        set_up_ode();
        world_ = dWorldCreate();
        dWorldSetGravity(world_, 0.0, -9.8, 0.0);
        dWorldSetAutoDisableFlag(world_, sleeps ? 1 : 0);
        space_ = dHashSpaceCreate(nullptr);
        contacts_ = dJointGroupCreate(0);
        for (const Shape& shape : pile.shapes) {
            shapes_.emplace_back(shape);
        }
        for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
            add(pile.bodies[i], pile.shapes[pile.bodies[i].shape], i);
        }
    }
    ~OdePile() override {
        dJointGroupDestroy(contacts_);
        dSpaceDestroy(space_);
        dWorldDestroy(world_);
    }
    OdePile(const OdePile&) = delete;
    OdePile& operator=(const OdePile&) = delete;

    void advance_frame() override {
        look();
        dJointGroupEmpty(contacts_);
        for (const Touch& touch : touches_) {
            for (int i = 0; i < touch.count; ++i) {
                dContact contact{};
                contact.surface.mode = dContactApprox1 | (resistance_ > 0.0 ? dContactRolling : 0);
                contact.surface.mu = 0.5;
                contact.surface.rho = resistance_; // about all three axes
                contact.geom = points_[touch.first + static_cast<std::size_t>(i)];
                dJointAttach(dJointCreateContact(world_, contacts_, &contact), dGeomGetBody(contact.geom.g1),
                             dGeomGetBody(contact.geom.g2));
            }
        }
        dWorldQuickStep(world_, kFrame);
    }

    void read(std::vector<BodyMotionNow>& bodies) override {
        bodies.resize(geometries_.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const dBodyID body = dGeomGetBody(geometries_[i]);
            if (body == nullptr) {
                const dReal* const x = dGeomGetPosition(geometries_[i]);
                bodies[i] = {.position = {x[0], x[1], x[2]}};
                continue;
            }
            const dReal* const x = dBodyGetPosition(body);
            const dReal* const q = dBodyGetQuaternion(body);
            const dReal* const v = dBodyGetLinearVel(body);
            const dReal* const w = dBodyGetAngularVel(body);
            bodies[i] = {{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
        }
    }

    void put(std::span<const BodyMotionNow> bodies) override {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (const dBodyID body = dGeomGetBody(geometries_[i]); body != nullptr) {
                place(body, bodies[i].position, bodies[i].orientation);
            }
        }
    }

    CollisionTime collide() override { return look(); }

    void find_touching(std::vector<TouchingPair>& pairs) override {
        for (const Touch& touch : touches_) {
            const auto number = [](dGeomID geometry) {
                return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(dGeomGetData(geometry)));
            };
            const dContactGeom& point = points_[touch.first];
            const std::uint32_t a = number(point.g1), b = number(point.g2);
            pairs.push_back({std::min(a, b), std::max(a, b)});
        }
    }

private:
    struct Touch {
        std::size_t first = 0; ///< of its points
        int count = 0;
    };

    void add(const PileBody& desc, const Shape& shape, std::size_t number) {
        const OdeShape& own = shapes_[desc.shape];
        const dGeomID geometry = geometry_of(space_, shape, own);
        dGeomSetData(geometry, reinterpret_cast<void*>(static_cast<std::uintptr_t>(number)));
        geometries_.push_back(geometry);
        if (desc.is_fixed) { // a box, upright
            dGeomSetPosition(geometry, desc.pose.position.x, desc.pose.position.y, desc.pose.position.z);
            return;
        }
        const dBodyID body = dBodyCreate(world_);
        dBodySetMass(body, &own.mass);
        dGeomSetBody(geometry, body);
        place(body, desc.pose.position, desc.pose.orientation);
        if (lies_along_z(shape)) {
            const double half = std::sqrt(0.5);
            dQuaternion turn{half, -half, 0.0, 0.0}; // z to our y
            dGeomSetOffsetQuaternion(geometry, turn);
        }
    }

    static void place(dBodyID body, const glm::dvec3& position, const glm::dquat& orientation) {
        dQuaternion q;
        set_quaternion(q, orientation);
        dBodySetPosition(body, position.x, position.y, position.z);
        dBodySetQuaternion(body, q);
    }

    static void note_pair(void* data, dGeomID a, dGeomID b) {
        if (dGeomGetBody(a) != nullptr || dGeomGetBody(b) != nullptr) {
            static_cast<OdePile*>(data)->near_.push_back({a, b});
        }
    }

    // What the callback of dSpaceCollide usually does; apart, to see what either takes.
    CollisionTime look() {
        const double begin = cpu_time_us();
        near_.clear();
        dSpaceCollide(space_, this, note_pair);
        const double middle = cpu_time_us();
        touches_.clear();
        points_.resize(near_.size() * kContacts);
        std::size_t first = 0;
        for (const auto& [a, b] : near_) {
            const int count = dCollide(a, b, kContacts, &points_[first], sizeof(dContactGeom));
            if (count > 0) {
                touches_.push_back({first, count});
                first += static_cast<std::size_t>(count);
            }
        }
        return {middle - begin, cpu_time_us() - middle};
    }

    double resistance_; ///< m
    dWorldID world_ = nullptr;
    dSpaceID space_ = nullptr;
    dJointGroupID contacts_ = nullptr;
    std::vector<OdeShape> shapes_;
    std::vector<dGeomID> geometries_;
    std::vector<std::array<dGeomID, 2>> near_;
    std::vector<dContactGeom> points_;
    std::vector<Touch> touches_;
};

} // namespace

std::unique_ptr<PileEngine> pile_in_ode(const Pile& pile, bool sleeps) {
    return std::make_unique<OdePile>(pile, sleeps);
}

std::string ode_release() { return "ODE " SUBSTEP_BENCH_ODE; }

} // namespace substep_bench

#else

std::unique_ptr<substep_bench::PileEngine> substep_bench::pile_in_ode(const Pile&, bool) { return nullptr; }
std::string substep_bench::ode_release() { return "ODE (not installed)"; }

#endif
