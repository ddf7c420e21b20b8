// One unilateral constraint of an island: two bodies that push each other apart and never pull, with friction across.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

#include "bodies/contact_memory.h"
#include "bodies/rigid_motion.h"
#include "contact/cone_problem.h"
#include "substep/engine/contact.h"
#include "substep/engine/material.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// One of a contact's two bodies.
struct ContactEnd {
    int body = -1;           ///< number of a dynamic body of the island; -1: it moves as prescribed
    int among_all = -1;      ///< of a joint's end: its number among all bodies of the island, prescribed ones too
    PrescribedMotion motion; ///< of a body that moves as prescribed, and is no end of a joint
    bool is_plane = false;   ///< else a sphere
    double radius = 0.0;     ///< m
    glm::dvec3 origin{0.0};  ///< m, of the shape, from the centre of mass, in principal axes
    glm::dvec3 normal{0.0};  ///< of a plane, in principal axes
};

/// A row of the Jacobian: J u = linear . (v_0 - v_1) + angular_0 . omega_0 - angular_1 . omega_1.
struct ConstraintRow {
    glm::dvec3 linear{0.0};
    std::array<glm::dvec3, 2> angular{};

    double rate(const Twist& u0, const Twist& u1) const noexcept {
        return glm::dot(linear, u0.linear - u1.linear) + glm::dot(angular[0], u0.angular) -
               glm::dot(angular[1], u1.angular);
    }
};

struct JointStop;

/// A unilateral constraint. Everything behind its geometry (impacts, modes, events, projection) sees rows only: a
/// normal one, whose gap may not become negative, and two across it that friction acts along. Limits and dry friction
/// of joints have one row each (joint_stops.h), with the joint's second body as end 0.
struct UnilateralConstraint {
    ConstraintKind kind = ConstraintKind::Contact;
    const JointStop* stop = nullptr; ///< of a joint's limit or friction
    std::array<ContactEnd, 2> end;   ///< a plane is the second
    SurfacePair surface;
    ContactMemory memory;
    std::array<BodyId, 2> id;   ///< for reports
    double lever = 1.0;         ///< m per unit of its gap and slip: of an angle how far its bodies reach (JointStop)
    RememberedForce::Key key{}; ///< names the point in a velocity step's memory; rises from row to row

    ContactMode mode() const noexcept { return memory.contact_mode(); }
    void set_mode(ContactMode mode) noexcept { memory.mode = static_cast<std::uint32_t>(mode); }
    bool moves() const noexcept { return end[0].motion.moves() || end[1].motion.moves(); }
    bool has_gap() const noexcept { return kind != ConstraintKind::Friction; }
    /// Whether it has a row: the normal one (0), the first tangent (1), the second one (2).
    bool has_row(std::size_t row) const noexcept {
        return kind == ConstraintKind::Contact || row == (kind == ConstraintKind::Limit ? 0u : 1u);
    }
};

/// A constraint where its bodies are.
struct ConstraintPlace {
    double gap = 0.0;                   ///< m
    std::array<ConstraintRow, 3> row;   ///< normal, then two tangents
    std::array<glm::dvec3, 2> centre{}; ///< m, from each centre of mass to its shape's centre, or for a plane, to the
                                        ///< point of it under the other shape
    std::array<glm::dvec3, 2> arm{};    ///< m, from each centre of mass to the contact point
    double distance = 0.0;              ///< m, between the centres of two spheres
    glm::dvec3 point{0.0};              ///< m, on the surface of body 0
};

/// Positions and axes of both ends, wherever they come from.
struct EndFrame {
    glm::dvec3 position{0.0};
    glm::dmat3 rotation{1.0};
};

/// Distance between the two surfaces (m), from the positions of both shapes' origins and a plane's normal.
double surface_gap(const UnilateralConstraint& constraint, const glm::dvec3& origin_0, const glm::dvec3& origin_1,
                   const glm::dvec3& plane_normal) noexcept;

/// Computes gap, contact point and rows at the given places.
ConstraintPlace place_of(const UnilateralConstraint& constraint, const EndFrame& f0, const EndFrame& f1) noexcept;

/// Writes gamma of the three rows, with J u' + gamma the second derivatives of gap and slip: of the gap exactly, of
/// the slip where it is zero (it matters to contacts that stick only).
///
/// With r the arms from centre of mass to contact point, and u = v_0 + w_0 x r_0 - v_1 - w_1 x r_1:
///   gap'  = n . u,  gap'' = n . u' + n' . u,  u' = [v_0' + w_0' x r_0 - ...] + w_0 x r_0' - w_1 x r_1'.
std::array<double, 3> bias_of(const UnilateralConstraint& constraint, const ConstraintPlace& place, const Twist& u0,
                              const Twist& u1) noexcept;

} // namespace substep::detail
