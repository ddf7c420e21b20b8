// One unilateral constraint of an island: two bodies that push each other apart and never pull, with friction across.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

#include "bodies/contact_memory.h"
#include "bodies/rigid_motion.h"
#include "contact/cone_problem.h"
#include "substep/collision/feature_contact.h"
#include "substep/engine/contact.h"
#include "substep/engine/material.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// One of a contact's two bodies.
struct ContactEnd {
    std::size_t body = 0;    ///< its number among the bodies of the island (BodyFrames)
    bool is_dynamic = false; ///< else it moves as prescribed
    bool operator==(const ContactEnd&) const = default;
};

/// A row of the Jacobian: J u = linear . (v_0 - v_1) + angular_0 . omega_0 - angular_1 . omega_1.
struct ConstraintRow {
    glm::dvec3 linear{0.0};
    std::array<glm::dvec3, 2> angular{};
    double carried = 0.0; ///< m/s: what surfaces add to that of the bodies: across a contact belts do, and in velocity
                          ///< steps the ways of bodies whose motion is prescribed

    double rate(const Twist& u0, const Twist& u1) const noexcept {
        return glm::dot(linear, u0.linear - u1.linear) + glm::dot(angular[0], u0.angular) -
               glm::dot(angular[1], u1.angular);
    }
};

struct JointStop;

/// A unilateral constraint. Impacts, modes, events and projection see only its rows, not its geometry: a normal row,
/// whose gap may not become negative, and two across it that friction acts along. Limits and dry friction of joints
/// have one row each (joint_stops.h), with the joint's second body as end 0.
struct UnilateralConstraint {
    ConstraintKind kind = ConstraintKind::Contact;
    const JointStop* stop = nullptr; ///< of a joint's limit or friction
    std::array<ContactEnd, 2> end;
    FeaturePair features; ///< of a contact, in the principal axes of each body
    SurfacePair surface;
    std::array<glm::dvec3, 2> surface_velocity{}; ///< m/s, in the principal axes of each body
    ContactMemory memory;
    std::array<BodyId, 2> id;                ///< for reports
    std::array<std::uint32_t, 2> collider{}; ///< their numbers, likewise
    double lever = 1.0;         ///< m per unit of its gap and slip; for an angle by the reach of its bodies (JointStop)
    RememberedForce::Key key{}; ///< names the point in a velocity step's memory; rises from row to row
    int solids = kNoSolids;     ///< number of the pair of solids (solid_pairs.h) that it is a point of
    bool is_absent = false;     ///< of solids: they have fewer points where they are
    bool can_be_held = true;    ///< by modes: its features stay the same while it moves. Of solids those of a ball do,
                                ///< until it comes to the border of the part that it is on

    static constexpr int kNoSolids = -1;
    ColliderId collider_id(std::size_t e) const noexcept { return {id[e], collider[e]}; }
    bool is_of_solids() const noexcept { return solids != kNoSolids; }

    ContactMode mode() const noexcept { return memory.contact_mode(); }
    void set_mode(ContactMode mode) noexcept { memory.mode = static_cast<std::uint32_t>(mode); }
    bool has_gap() const noexcept { return kind != ConstraintKind::Friction; }
    /// Velocity of the bodies along one of its rows, for those of the island's bodies, or another rate of that form.
    double rate(const ConstraintRow& row, std::span<const Twist> u) const noexcept {
        return row.rate(u[end[0].body], u[end[1].body]);
    }
    /// Velocity of their surfaces.
    double surface_rate(const ConstraintRow& row, std::span<const Twist> u) const noexcept {
        return rate(row, u) + row.carried;
    }
    bool has_moving_surface() const noexcept {
        return surface_velocity[0] != glm::dvec3(0.0) || surface_velocity[1] != glm::dvec3(0.0);
    }
    /// Adds a force x along one of its rows to those on its dynamic bodies.
    void add_along(const ConstraintRow& row, double x, std::span<Wrench> wrenches) const noexcept {
        for (std::size_t e = 0; e < 2; ++e) {
            if (end[e].is_dynamic) {
                const double signed_x = e == 0 ? x : -x;
                wrenches[end[e].body].force += signed_x * row.linear;
                wrenches[end[e].body].torque += signed_x * row.angular[e];
            }
        }
    }
    /// Whether it has a row: the normal one (0), the first tangent (1), the second one (2).
    bool has_row(std::size_t row) const noexcept {
        return kind == ConstraintKind::Contact || row == (kind == ConstraintKind::Limit ? 0u : 1u);
    }
};

/// A constraint where its bodies are. For a joint's stop only gap, arms and point of the contact are known.
struct ConstraintPlace : FeatureContact {
    std::array<ConstraintRow, 3> row;             ///< normal, then two tangents
    std::array<glm::dvec3, 2> surface_velocity{}; ///< m/s, world
};

/// Narrow phase: computes gap, contact point and rows at the given places.
ConstraintPlace place_of(const UnilateralConstraint& constraint, const Placement& placement_0,
                         const Placement& placement_1) noexcept;

/// Writes gamma of the three rows, with J u' + gamma the second derivatives of gap and slip: of the gap exactly, of
/// the slip where it is zero (it matters to contacts that stick only).
///
/// With r the arms from centre of mass to contact point, and u = v_0 + w_0 x r_0 - v_1 - w_1 x r_1:
///   gap'  = n . u,  gap'' = n . u' + n' . u,  u' = [v_0' + w_0' x r_0 - ...] + w_0 x r_0' - w_1 x r_1'.
/// A velocity s of a surface past its body turns with it: s' = w x s.
std::array<double, 3> bias_of(const UnilateralConstraint& constraint, const ConstraintPlace& place, const Twist& u0,
                              const Twist& u1) noexcept;

} // namespace substep::detail
