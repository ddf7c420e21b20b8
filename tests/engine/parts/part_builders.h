// Bodies, joints and contacts without a world: what the tests of an island's parts are built from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "bodies/body_store.h"
#include "bodies/state_layout.h"
#include "contact/contact_regime.h"
#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"
#include "dynamics/works.h"
#include "forces/force_model.h"

namespace engine_parts {

using namespace substep;
using namespace substep::detail;

inline constexpr double kGravity = 9.8;

/// Bodies, and the joints and contacts between them. Bodies are added before the joints: dynamic ones are numbered
/// before prescribed ones, in the order in which they came.
class Store {
public:
    BodyTable bodies;
    std::vector<BodyId> dynamic;
    std::vector<BodyId> prescribed; ///< kGround for the ground
    std::vector<IslandJoint> joints;
    std::vector<JointStop> stops;
    std::vector<UnilateralConstraint> contacts;

    BodyId add(const BodyDesc& desc) {
        const BodyId id = bodies.insert(make_body(desc, 0.0));
        (bodies[id].is_dynamic() ? dynamic : prescribed).push_back(id);
        for (UnilateralConstraint& contact : contacts) { // prescribed bodies are numbered behind all dynamic ones
            for (ContactEnd& end : contact.end) {
                end.body += bodies[id].is_dynamic() && !end.is_dynamic ? 1 : 0;
            }
        }
        return id;
    }
    /// Adds a joint with its hard limits and dry friction. The state keeps the angles that it is asked to remember.
    void join(const JointDesc& desc, std::initializer_list<JointAxis> remembered = {}) {
        IslandJoint joint = make_island_joint(bodies, desc, end_number(desc.body_a), end_number(desc.body_b));
        for (const JointAxis axis : remembered) {
            joint.memory[static_cast<std::size_t>(memory_of(axis))] = memory_count_++;
        }
        joints.push_back(joint);
        append_stops({static_cast<std::uint32_t>(joints.size()), 0}, static_cast<int>(joints.size()) - 1, desc, joint,
                     stops);
    }
    /// Adds a contact; a plane is the second body.
    void touch(BodyId a, BodyId b) {
        UnilateralConstraint contact;
        contact.id = {a, b};
        contact.end = {end_of(a), end_of(b)};
        const ColliderDesc& of_a = bodies[a].colliders.front().desc;
        const ColliderDesc& of_b = bodies[b].colliders.front().desc;
        contact.features = {feature_of(bodies[a], of_a, 0), feature_of(bodies[b], of_b, 0)};
        contact.surface = combine(of_a.material, of_b.material);
        contact.key = {contacts.size() + 1, 0};
        contacts.push_back(contact);
    }

    std::vector<BodyInertia> inertias() const {
        std::vector<BodyInertia> all;
        for (const BodyId id : dynamic) {
            all.push_back(bodies[id].inertia);
        }
        return all;
    }
    std::vector<PrescribedMotion> motions() const {
        std::vector<PrescribedMotion> all;
        for (const BodyId id : prescribed) {
            all.push_back(id == kGround ? PrescribedMotion{} : bodies[id].prescribed());
        }
        return all;
    }
    /// The bodies as they are, and zeros for what joints remember.
    std::vector<double> state() const {
        std::vector<double> y(dynamic.size() * kNumbersPerBody + static_cast<std::size_t>(memory_count_));
        for (std::size_t i = 0; i < dynamic.size(); ++i) {
            write_body(i, bodies[dynamic[i]].now, y);
        }
        return y;
    }

private:
    int end_number(BodyId id) {
        const auto number_in = [&](const std::vector<BodyId>& list) {
            return static_cast<std::size_t>(std::ranges::find(list, id) - list.begin());
        };
        if (const std::size_t number = number_in(dynamic); number < dynamic.size()) {
            return static_cast<int>(number);
        }
        const std::size_t number = number_in(prescribed);
        if (number == prescribed.size()) {
            prescribed.push_back(kGround);
        }
        return static_cast<int>(dynamic.size() + number);
    }
    ContactEnd end_of(BodyId id) { return {static_cast<std::size_t>(end_number(id)), bodies[id].is_dynamic()}; }

    int memory_count_ = 0;
};

/// A rod of 1 m whose ends belong on two hooks 3 m apart: no placing closes both joints.
inline Store rod_between_far_hooks() {
    Store store;
    BodyDesc rod;
    rod.mass = 1.0;
    rod.collides = false;
    rod.shape = Box{{0.5, 0.1, 0.1}};
    const BodyId body = store.add(rod);
    for (const double side : {-1.0, 1.0}) {
        JointDesc ball;
        ball.body_b = body;
        ball.frame_a.position = {1.5 * side, 0.2, 0.0};
        ball.frame_b.position = {0.5 * side, 0.0, 0.0};
        store.join(ball);
    }
    return store;
}

/// A store as one configuration and one state.
struct Placed {
    Store store;
    Configuration configuration;
    std::vector<double> y;

    explicit Placed(Store from) : store(std::move(from)), y(store.state()) {
        configuration.build(store.inertias(), store.joints, {});
        configuration.start_anew(store.motions());
        configuration.set_stops(store.stops);
        configuration.set_contacts(store.contacts, {}, {}, false);
    }
    BodyState body(std::size_t i) const { return read_body(i, y); }
    void set_body(std::size_t i, const BodyState& state) { write_body(i, state, y); }

    /// Holds a constraint by a mode. Of a slide `slip_direction` is where it goes.
    void hold(std::size_t constraint, ContactMode mode, const glm::dvec3& slip_direction = glm::dvec3(0.0)) {
        ContactMemory memory;
        memory.mode = static_cast<std::uint32_t>(mode);
        memory.slip_direction = slip_direction;
        configuration.contacts().set_memory(constraint, memory);
    }
    /// Velocity along a row of a constraint (gap, two slips), where the bodies were placed and moved last.
    double rate(std::size_t constraint, std::size_t row) const {
        return configuration.contacts()[constraint].rate(configuration.constraint_place(constraint).row[row],
                                                         configuration.bodies().velocities());
    }
    ContactMode mode(std::size_t constraint) const { return configuration.contacts()[constraint].mode(); }

    // Of the dynamic bodies, by the store's masses and the numbers in the state alone.
    glm::dvec3 angular_velocity(std::size_t i) const {
        const glm::dmat3 axes = glm::mat3_cast(glm::normalize(body(i).q));
        return axes * ((glm::transpose(axes) * body(i).L) * inertia(i).inverse_moments);
    }
    glm::dvec3 momentum() const {
        glm::dvec3 sum(0.0);
        for (std::size_t i = 0; i < store.dynamic.size(); ++i) {
            sum += inertia(i).mass * body(i).v;
        }
        return sum;
    }
    glm::dvec3 angular_momentum(const glm::dvec3& about = glm::dvec3(0.0)) const {
        glm::dvec3 sum(0.0);
        for (std::size_t i = 0; i < store.dynamic.size(); ++i) {
            sum += body(i).L + inertia(i).mass * glm::cross(body(i).x - about, body(i).v);
        }
        return sum;
    }
    double kinetic_energy() const {
        double sum = 0.0;
        for (std::size_t i = 0; i < store.dynamic.size(); ++i) {
            sum +=
                0.5 * inertia(i).mass * glm::dot(body(i).v, body(i).v) + 0.5 * glm::dot(angular_velocity(i), body(i).L);
        }
        return sum;
    }
    const BodyInertia& inertia(std::size_t i) const { return store.bodies[store.dynamic[i]].inertia; }
};

/// Gravity, which may grow with time, and a push on the first body, whose power is that of applied forces. With a
/// switch the push begins or ends where that body crosses x = 0.
class Forces final : public ForceModel {
public:
    glm::dvec3 gravity{0.0, -kGravity, 0.0};
    glm::dvec3 gravity_rate{0.0}; ///< m/s^3
    Wrench push;
    bool has_switch = false;
    bool pushes = true;
    bool uniform = true;
    std::vector<double> masses;

    void write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches,
                        std::span<double> powers) noexcept override {
        for (std::size_t i = 0; i < wrenches.size(); ++i) {
            wrenches[i] = {masses[i] * (gravity + t * gravity_rate), glm::dvec3(0.0)};
        }
        if (pushes) {
            wrenches[0].force += push.force;
            wrenches[0].torque += push.torque;
        }
        write_powers(t, states, powers);
    }
    void write_powers(double, std::span<const RigidState> states, std::span<double> powers) noexcept override {
        if (pushes && !powers.empty()) {
            powers[kAppliedWork] +=
                glm::dot(push.force, states[0].velocity) + glm::dot(push.torque, states[0].angular_velocity);
        }
    }
    bool is_uniform() const noexcept override { return uniform; }
    std::size_t switch_count() const noexcept override { return has_switch ? 1 : 0; }
    void switch_values(double, std::span<const RigidState> states, std::span<double> g) noexcept override {
        g[0] = states[0].position.x;
    }
    void flip_switch(std::size_t) noexcept override { pushes = !pushes; }
};

/// What is placed, with forces: gravity, unless a test says otherwise. A velocity step asks the actuators about stops,
/// so that they are built even where there are none. With a ledger the state ends with its works.
struct Moved : Placed {
    Forces forces;
    Works works{configuration};
    Accelerations accelerations{configuration, works, forces};
    ContactRegime regime;

    explicit Moved(Store from, bool with_ledger = false) : Placed(std::move(from)) {
        for (const BodyInertia& inertia : store.inertias()) {
            forces.masses.push_back(inertia.mass);
        }
        works.set_terms(with_ledger ? std::size_t{kLedgerTerms} : 0);
        y.resize(y.size() + works.terms());
        accelerations.resize();
        accelerations.resize_contacts();
        accelerations.actuators().build({}, configuration.bodies().size(), configuration.body_count(),
                                        configuration.joints().rows());
        regime.resize(configuration.contacts().size());
        regime.begin_step(0.0);
    }
    double booked() const {
        double sum = 0.0;
        for (std::size_t term = 0; term < works.terms(); ++term) {
            sum += works.booked(term, y);
        }
        return sum;
    }
};

/// A bob on a hinge about z at the origin: angle'' = -rate_of_sine sin(angle), angles from straight down.
struct Pendulum {
    static constexpr double kMass = 2.0;
    static constexpr double kArm = 0.75;   ///< m, from the hinge to the centre of mass
    static constexpr double kMoment = 0.3; ///< kg m^2, about the centre of mass
    static constexpr double kAboutHinge = kMoment + kMass * kArm * kArm;
    static constexpr double kRateOfSine = kMass * kGravity * kArm / kAboutHinge; ///< 1/s^2

    double angle = 0.0;
    double rate = 0.0;
    std::vector<JointLimit> limits{};
    std::vector<JointFriction> friction{};

    Store store() const {
        const glm::dvec3 along(std::sin(angle), -std::cos(angle), 0.0);
        Store store;
        BodyDesc bob;
        bob.mass_properties = MassProperties{kMass, glm::dvec3(0.0), glm::dmat3(kMoment)};
        bob.pose = {kArm * along, glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0))};
        bob.angular_velocity = {0.0, 0.0, rate};
        bob.linear_velocity = glm::cross(bob.angular_velocity, bob.pose.position);
        JointDesc hinge;
        hinge.body_b = store.add(bob);
        hinge.frame_b.position = {0.0, kArm, 0.0};
        hinge.locked_rotation = {true, true, false};
        hinge.limits = limits;
        hinge.friction = friction;
        store.join(hinge, {JointAxis::AngleZ});
        return store;
    }
};
/// Angle of a pendulum after a time (s): angle'' = -kRateOfSine sin(angle) by so many steps of the classical
/// Runge-Kutta method.
inline double exact_angle(double angle, double rate, double time, int steps) {
    const double h = time / steps;
    const auto pull = [](double a) { return -Pendulum::kRateOfSine * std::sin(a); };
    for (int i = 0; i < steps; ++i) {
        const double k1 = pull(angle);
        const double k2 = pull(angle + 0.5 * h * rate);
        const double k3 = pull(angle + 0.5 * h * (rate + 0.5 * h * k1));
        const double k4 = pull(angle + h * (rate + 0.5 * h * k2));
        angle += h * rate + h * h / 6.0 * (k1 + k2 + k3);
        rate += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return angle;
}

inline double angle_of(const Placed& pendulum) { return std::atan2(pendulum.body(0).x.x, -pendulum.body(0).x.y); }

/// A ball of 1 kg above a floor whose normal is y.
struct BallOnPlane {
    static constexpr double kRadius = 0.5;
    static constexpr double kMoment = 0.4 * kRadius * kRadius;

    double gap = 0.0;
    glm::dvec3 velocity{0.0};
    glm::dvec3 spin{0.0};
    Material material{.friction = 0.0};
    glm::dvec3 floor_velocity{0.0};

    Store store() const {
        Store store;
        BodyDesc ball;
        ball.mass = 1.0;
        ball.shape = Sphere{kRadius};
        ball.pose.position = {0.0, kRadius + gap, 0.0};
        ball.linear_velocity = velocity;
        ball.angular_velocity = spin;
        ball.material = material;
        BodyDesc floor;
        floor.shape = Plane{};
        floor.motion = floor_velocity == glm::dvec3(0.0) ? MotionType::Static : MotionType::Kinematic;
        floor.linear_velocity = floor_velocity;
        floor.material = material;
        const BodyId upper = store.add(ball);
        store.touch(upper, store.add(floor));
        return store;
    }
};

/// Two boxes whose ends share a ball joint at the origin, and nothing that holds them.
inline Store joined_boxes() {
    Store store;
    BodyDesc box;
    box.collides = false;
    box.shape = Box{{0.5, 0.1, 0.2}};
    box.mass = 1.5;
    box.pose.position = {-0.5, 0.0, 0.0};
    JointDesc joint;
    joint.body_a = store.add(box);
    joint.frame_a.position = {0.5, 0.0, 0.0};
    box.mass = 4.0;
    box.pose.position = {0.5, 0.0, 0.0};
    joint.body_b = store.add(box);
    joint.frame_b.position = {-0.5, 0.0, 0.0};
    store.join(joint);
    return store;
}

/// Whether two vectors are equal up to round-off of numbers of the given size.
inline bool near(const glm::dvec3& a, const glm::dvec3& b, double tolerance = 1e-14) {
    return glm::length(a - b) <= tolerance;
}
inline bool near(double a, double b, double tolerance = 1e-14) { return std::abs(a - b) <= tolerance; }

} // namespace engine_parts
