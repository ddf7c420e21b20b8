// The stiffness of joint forces whose arms turn with the bodies: it makes stretched chains stiff.
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "joints/joint_solver.h"

namespace substep::detail {
namespace {

// Whether the joint's force turns with its first body: a line, a plane or a curve there on which the second slides.
bool is_guide(const JointRows& rows) noexcept {
    return rows.count > 0 && (rows.row[0].kind == RowKind::Along || rows.row[0].kind == RowKind::Curve);
}

} // namespace

// A force F on a body at arm r has the torque r x F. Turned by a small rotation phi it changes by (phi x r) x F, so
// that K = (r . F) 1 - F r^T, of which a pull along the arm (r . F > 0) leaves the restoring (r . F) (1 - r r^T / r^2):
// no stiffness about the arm itself, and none where the force pushes. The moments of a hinge's other rows are left out:
// theirs is indefinite, and small beside the pull wherever chains are stiff. (Tournier, Nesme, Gilles & Faure, Stable
// Constrained Dynamics, ACM Trans. Graph. 34, 132, 2015, section 4.)
// A slider's force, or a curve's, is fixed to the body that it belongs to and goes through the other's point p, which
// does not turn with it: with D from that body's centre of mass to p, C = -D . u and phi^T K phi = (phi . F) (phi . D)
// - |phi|^2 (D . F), of which (-D . F) (1 - D D^T / D^2) is left where the body is pushed from p.
void JointSolver::geometric_stiffness(std::span<const double> lambda, std::span<glm::dmat3> stiffness) const noexcept {
    for (glm::dmat3& each : stiffness) {
        each = glm::dmat3(0.0);
    }
    std::size_t row = 0;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& joint = joints_[i];
        const glm::dvec3 force = force_of(static_cast<int>(i), lambda.subspan(row));
        row += static_cast<std::size_t>(joint.rows);
        if (joint.form >= Form::Coupling) {
            continue; // its forces go through its joints' bodies in no one direction
        }
        for (std::size_t e = 0; e < 2; ++e) {
            if (joint.body[e] >= dynamic_count_) {
                continue;
            }
            const bool guides = e == 0 && joint.form == Form::General && is_guide(general_joints_[joint.general].rows);
            const glm::dvec3 arm = guides ? geometry_[i].ends[e].arm + general_joints_[joint.general].geometry[0].offset
                                          : geometry_[i].ends[e].arm;
            const double pull = e == 0 && !guides ? glm::dot(arm, force) : -glm::dot(arm, force);
            if (pull > 0.0) {
                const double squared = glm::dot(arm, arm);
                stiffness[static_cast<std::size_t>(joint.body[e])] +=
                    glm::dmat3(pull) - glm::outerProduct(arm, (pull / squared) * arm);
            }
        }
    }
}

namespace {

// Adds direction k of an element: resistance to a displacement of the second body's point against the first's along u,
// which the first feels at arm_a.
void resist(StiffElement& element, std::size_t k, const glm::dvec3& u, const glm::dvec3& arm_a, const glm::dvec3& arm_b,
            double stiffness) noexcept {
    element.row[k] = {Twist{-u, -glm::cross(arm_a, u)}, Twist{u, glm::cross(arm_b, u)}};
    element.stiffness[k] = stiffness;
}

// A rod of length l that pulls with T resists being turned as a string does, with T/l across it between its anchors; a
// rod that pushes does not. Nothing else of it is stiff: along it the length is kept by the joint itself.
void resist_turning(StiffElement& element, const JointGeometry& g, double pull) noexcept {
    const double length = glm::length(g.offset);
    if (!(pull > 0.0 && length > 0.0)) {
        return;
    }
    const glm::dvec3 u = g.offset / length;
    const glm::dvec3 helper = std::abs(u.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
    const glm::dvec3 v = glm::normalize(glm::cross(u, helper));
    resist(element, 0, v, g.arm[0], g.arm[1], pull / length);
    resist(element, 1, glm::cross(u, v), g.arm[0], g.arm[1], pull / length);
}

// A curve c(s) that pushes a point with force f turns f with the point: along the tangent it has the stiffness
// f . c'' / |c'|^2, f times the curvature where it pushes to the inside.
void resist_sliding(StiffElement& element, const JointGeometry& g, const glm::dvec3& force) noexcept {
    const double squared = glm::dot(g.curve.tangent, g.curve.tangent);
    const double stiffness = glm::dot(force, g.curve.curvature) / squared;
    if (stiffness > 0.0 && stiffness <= std::numeric_limits<double>::max()) {
        resist(element, 0, g.curve.tangent / std::sqrt(squared), g.arm[0] + g.offset, g.arm[1], stiffness);
    }
}

} // namespace

void JointSolver::write_elements(std::span<const double> lambda, std::span<StiffElement> elements) const noexcept {
    for (std::size_t i = 0; i < joints_with_elements_.size(); ++i) {
        const Joint& joint = joints_[static_cast<std::size_t>(joints_with_elements_[i])];
        const General& general = general_joints_[static_cast<std::size_t>(joint.general)];
        const std::span<const double> of_joint =
            lambda.subspan(static_cast<std::size_t>(first_row(joints_with_elements_[i])));
        elements[i] = {};
        elements[i].body = joint.body;
        if (general.joint().distance > 0.0) {
            resist_turning(elements[i], general.geometry[0], -of_joint[0]); // the row pushes its ends apart
        } else {
            resist_sliding(elements[i], general.geometry[0], -force_of(joints_with_elements_[i], of_joint));
        }
    }
}

} // namespace substep::detail
